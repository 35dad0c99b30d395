package main

import (
	"fmt"
	"io"
	"os"

	"go.uber.org/zap/zapcore"

	"github.com/locsync/locsync/sync/daemon"
	"github.com/locsync/locsync/sync/terminal"
)

// standardOutput is where results go. It remembers the first one that did not arrive: on a full disk, say. A command
// whose result is lost has failed, whatever it did.
type standardOutput struct {
	file *os.File
	lost error
}

func (o *standardOutput) Write(b []byte) (int, error) {
	n, err := o.file.Write(b)
	if err != nil && o.lost == nil {
		o.lost = err
	}
	return n, err
}

// lost is why a result did not arrive; nil where all did.
func (a *app) lost() error {
	if o := outputOf(a.out); o != nil {
		return o.lost
	}
	return nil
}

// outputOf is the standard output behind a writer of results; nil where it is something else.
func outputOf(w io.Writer) *standardOutput {
	if p, ok := w.(terminal.Printable); ok {
		w = p.To
	}
	if r, ok := w.(*results); ok {
		return r.to
	}
	o, _ := w.(*standardOutput)
	return o
}

// progress begins to watch over some work for a person; with --json it tells nothing.
func (a *app) progress() *terminal.Progress {
	if a.asJSON {
		return &terminal.Progress{}
	}
	return terminal.Watch(a.err)
}

// screen is the one that standard output is.
func (a *app) screen() *terminal.Screen {
	out, ok := a.out.(terminal.Printable)
	if !ok {
		return terminal.NewScreen(a.out, nil)
	}
	if o := outputOf(a.out); o != nil && !a.asJSON {
		return terminal.NewScreen(out.To, o.file)
	}
	return terminal.NewScreen(out.To, nil)
}

// errorScreen is the one that errors and warnings go to: standard error, above the line of progress.
func (a *app) errorScreen() *terminal.Screen {
	if e, ok := a.err.(*terminal.StandardError); ok {
		f, _ := e.To.(*os.File)
		return terminal.NewScreen(a.err, f)
	}
	return terminal.NewScreen(a.err, nil)
}

// remark writes what the program says on standard error beside its log, in one piece.
func (a *app) remark(level zapcore.Level, format string, args ...any) {
	text := fmt.Sprintf(format, args...) + "\n"
	if a.errorScreen().Remark(level, text) {
		return
	}
	if a.journal {
		text = daemon.Marked(level, text)
	}
	fmt.Fprint(a.err, text)
}
