package memory

import (
	"testing"

	"pgregory.net/rapid"
)

// The percentage: 100 for the very text only; never below for less; the same both ways.
func TestSimilarity(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"Save the file", "Save the file", 100}, {"Save the file", "Save the files", 92}, {"save", "SAVE", 0},
		{"Save the file", "save the file", 92},
		{"Totally different", "Nothing in common", 0}, {"", "a", 0},
	} {
		if got := similarity(c.a, c.b, minMatch); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab é.")), 0, 30, -1)
		a, b, least := text.Draw(t, "a"), text.Draw(t, "b"), rapid.IntRange(1, 100).Draw(t, "least")
		whole, bounded := similarity(a, b, 1), similarity(a, b, least)
		switch {
		case (whole == 100) != (a == b):
			t.Fatalf("%q and %q: %d", a, b, whole)
		case whole != similarity(b, a, 1):
			t.Fatalf("%q and %q are not as much alike the other way", a, b)
		case whole >= least && bounded != whole, whole < least && bounded != 0 && bounded != whole:
			t.Fatalf("%q and %q: %d, but %d where %d is the least", a, b, whole, bounded, least)
		}
	})
}
