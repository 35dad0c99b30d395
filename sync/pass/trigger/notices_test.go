package trigger

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whenever notifications come and however long passes take: each is answered by a pass that begins after it, soon; and
// passes that only notifications ask for leave the time between them that they owe to others.
func TestNoticesLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		at := func(ms int64) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
		rings := rapid.SliceOfN(rapid.Int64Range(0, 200_000), 1, 60).Draw(t, "rings")
		slotted := make(map[time.Time]bool)
		for _, r := range rings {
			slotted[at(r)] = true
		}
		var n Notices
		var begins, ends []time.Time
		now := start
		for {
			// A signal has one slot: what was sent until now is one notification.
			for r := range slotted {
				if !r.After(now) {
					delete(slotted, r)
					n.Heard(now)
				}
			}
			if n.IsDue(now) {
				n.Begins()
				took := time.Duration(rapid.Int64Range(0, 40_000).Draw(t, "took")) * time.Millisecond
				begins, ends = append(begins, now), append(ends, now.Add(took))
				now = now.Add(took)
				n.Ended(took, now)
				continue
			}
			next := n.Due
			for r := range slotted {
				if next.IsZero() || r.Before(next) {
					next = r
				}
			}
			if next.IsZero() {
				break
			}
			now = next
		}
		for i := 1; i < len(begins); i++ {
			took := ends[i-1].Sub(begins[i-1])
			if gap := begins[i].Sub(ends[i-1]); gap < restLeast || gap < restMost && gap < took {
				t.Fatalf("a pass of %s is followed by the next after %s", took, gap)
			}
		}
		for _, r := range rings {
			answered := false
			for _, b := range begins {
				if !b.Before(at(r)) {
					if late := b.Sub(at(r)); late > restMost+40*time.Second {
						t.Fatalf("a notification waited for %s", late)
					}
					answered = true
					break
				}
			}
			if !answered {
				t.Fatalf("nothing came of the notification at %s; passes began at %v", at(r), begins)
			}
		}
	})
}
