package engine

import "time"

// notices keeps passes apart that are asked for from outside: after a pass, the next such one begins when as much
// time is over as that pass took. The first notification is heard at once, and the last of many is not forgotten.
type notices struct {
	due   time.Time // when the pass that was asked for begins; zero when none was
	quiet time.Time // not before this
}

const (
	restLeast = time.Second
	restMost  = 30 * time.Second
)

func (n *notices) heard(now time.Time) {
	if !n.due.IsZero() {
		return
	}
	if n.due = now; now.Before(n.quiet) {
		n.due = n.quiet
	}
}

// begins is the answer to everything that was asked for so far, whatever woke the pass.
func (n *notices) begins() { n.due = time.Time{} }

func (n *notices) ended(took time.Duration, now time.Time) {
	n.quiet = now.Add(min(max(took, restLeast), restMost))
}

func (n *notices) isDue(now time.Time) bool { return !n.due.IsZero() && !now.Before(n.due) }
