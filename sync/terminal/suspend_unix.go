//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyTerminal tells when the terminal has another size, and when its user wants to do something else for a
// while (Ctrl-Z).
func notifyTerminal(c chan<- os.Signal) { signal.Notify(c, syscall.SIGWINCH, syscall.SIGTSTP) }

// suspends says whether a signal is that wish.
func suspends(s os.Signal) bool { return s == syscall.SIGTSTP }

// suspend stops this process until it is told to go on. Where it has several threads, the one that asks for the stop
// may run on for a moment: hence it waits to be told.
func suspend() error {
	goOn := make(chan os.Signal, 1)
	signal.Notify(goOn, syscall.SIGCONT)
	defer signal.Stop(goOn)
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
		return err
	}
	<-goOn
	return nil
}
