package terminal

import (
	"fmt"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// Count is a number with its noun.
func Count(n int, noun string) string { return report.Counted(n, noun, noun+"s") }

// OrNone is a text, or the word for none.
func OrNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// local is a time as it is on the clock of now.
func local(at, now time.Time) string { return at.In(now.Location()).Format(time.DateTime + " MST") }

// Ago is how far a time is from now, roughly.
func Ago(at, now time.Time) string {
	d := now.Sub(at)
	if d < 0 {
		return "in " + Span(-d)
	}
	if d < 5*time.Second {
		return "just now"
	}
	return Span(d) + " ago"
}

// Span is a duration in its largest unit.
func Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d/time.Hour))
	}
	return fmt.Sprintf("%d days", int(d/(24*time.Hour)))
}
