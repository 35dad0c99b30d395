package trigger

import (
	"testing"
	"time"
)

// A pass for what came one after the other is due when nothing came for a while, and not later than ten times that.
func TestSettling(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	const quiet = time.Minute
	for name, c := range map[string]struct {
		came []time.Duration // since the start
		due  time.Duration
	}{
		"one":               {[]time.Duration{0}, quiet},
		"several":           {[]time.Duration{0, 30 * time.Second, 80 * time.Second}, 140 * time.Second},
		"for a long time":   {[]time.Duration{0, 5 * time.Minute, 9*time.Minute + 30*time.Second}, 10 * time.Minute},
		"just before that":  {[]time.Duration{0, 9 * time.Minute}, 10 * time.Minute},
		"longer than a day": {[]time.Duration{0, 30 * time.Hour}, 10 * time.Minute},
	} {
		var s Settling
		if !s.Due(quiet).IsZero() {
			t.Error("something is due before anything came")
		}
		for _, at := range c.came {
			s.Heard(start.Add(at))
		}
		if got := s.Due(quiet).Sub(start); got != c.due {
			t.Errorf("%s: due after %s, want %s", name, got, c.due)
		}
	}
}
