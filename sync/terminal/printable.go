package terminal

import (
	"io"

	"github.com/locsync/locsync/sync/report"
)

// Printable passes text on so that a terminal shows it and does nothing else.
type Printable struct{ To io.Writer }

func (p Printable) Write(b []byte) (int, error) {
	if _, err := io.WriteString(p.To, report.Printable(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}
