package main

import (
	"io"
	"os"

	"github.com/locsync/locsync/sync/terminal"
)

// standardOutput is where results go. It remembers the first one that did not arrive: on a full disk, say. A command whose result is lost has failed, whatever
// it did.
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
	if p, ok := w.(printable); ok {
		w = p.to
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
