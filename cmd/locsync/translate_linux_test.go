package main

import (
	"syscall"
	"testing"

	"github.com/locsync/locsync/sync/report"
)

// Who starts translate without a text at a terminal is told to type some, and is let go by Ctrl-C.
func TestTranslateAtATerminal(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	s := atConsole(t, w.command("translate", "--to", "de"), 80, nil)
	at := s.until("Ctrl-D ends them:", 0)
	s.types("Good\n\x04")
	s.until(`[\r\n]de: \S`, at)
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d: %q", code, s.text())
	}
	s = atConsole(t, w.command("translate", "--to", "de"), 80, nil)
	at = s.until("Ctrl-D ends them:", 0)
	s.types("\x03")
	s.until(`locsync: interrupted;`, at)
	if code := s.wait(); code != report.ExitInterrupted {
		t.Errorf("exit code %d after Ctrl-C", code)
	}
	if s.cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		t.Error("Ctrl-C killed it")
	}
}
