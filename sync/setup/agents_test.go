package setup

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever an AGENTS.md says, it says it still with our section, which is there once, however often it is written anew.
func TestAgents(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "line end")
		lines := func(name string) string {
			all := rapid.SliceOfN(rapid.SampledFrom([]string{"# Product", "Run make test.", "", "<!-- a comment -->"}), 0, 4).
				Draw(rt, name)
			return strings.Join(all, eol)
		}
		above, below := lines("above"), lines("below")
		first := Agents(above, "1. Call missing.")
		if !strings.HasPrefix(first, strings.TrimRight(above, "\r\n")) || strings.Count(first, "1. Call missing.") != 1 {
			rt.Fatalf("%q becomes %q", above, first)
		}
		again := Agents(first+below, "1. Call missing.")
		if again != first+below {
			rt.Fatalf("%q becomes %q", first+below, again)
		}
		newer := Agents(again, "1. Call texts."+"\n2. Call check.")
		if strings.Contains(newer, "missing") || strings.Count(newer, "Call texts.") != 1 || !strings.HasSuffix(newer, below) ||
			strings.Contains(above, "\r\n") && strings.Count(newer, "\n") != strings.Count(newer, "\r\n") {
			rt.Fatalf("%q becomes %q", again, newer)
		}
	})
}
