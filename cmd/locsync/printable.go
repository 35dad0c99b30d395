package main

import (
	"io"

	"github.com/locsync/locsync/sync/report"
)

// printable passes text on so that a terminal shows it and does nothing else.
type printable struct{ to io.Writer }

func (p printable) Write(b []byte) (int, error) {
	if _, err := io.WriteString(p.to, shown(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// shown is text as a terminal may get it.
func shown(text string) string { return report.Printable(text) }
