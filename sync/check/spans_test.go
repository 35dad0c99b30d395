package check

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What a translation keeps is found once, in order: names, printf, tags. What only looks like it is not.
func TestProtected(t *testing.T) {
	for _, c := range []struct{ format, source, want string }{
		{"json", "Hi {name}, %d of {{count}}", "{name}|%d|{{count}}"},
		{"json", "<a href=\"x\">{b}</a> and {b}", "<a href=\"x\">|{b}|</a>|{b}"},
		{"json", "usage: <file> 100% of it", ""},
		{"json", "{n, plural, one {# file} other {# files}} <b>now</b>", "<b>|</b>"},
		{"android-xml", "%1$s has %2$d", "%1$s|%2$d"},
		{"ios-strings", "%@ in %lld", "%@|%lld"},
		{"json", "{} $1 %(name)s", "{}|$1|%(name)s"},
		{"json", "plain", ""},
	} {
		var got []string
		for _, span := range Protected(c.source, ProgramsOf(c.format)) {
			got = append(got, c.source[span.From:span.To])
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q: %q, want %q", c.format, c.source, got, c.want)
		}
	}
}

// The parts of any text are in it, in order, and do not overlap.
func TestProtectedIsInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"{", "}", "{a}", "%", "%d", "%(", ")s", "<b>", "</b>", "<",
			"$1", "'", "é", " ", "{n, plural, other {#}}"})).Draw(t, "parts"), "")
		format := rapid.SampledFrom([]string{"json", "android-xml", "po", "properties", "arb", "xliff"}).Draw(t, "format")
		all := Protected(s, ProgramsOf(format))
		at := 0
		for _, span := range all {
			if span.From < at || span.To <= span.From || span.To > len(s) {
				t.Fatalf("%q: %v", s, all)
			}
			at = span.To
		}
		if !slices.Equal(all, Protected(s, ProgramsOf(format))) {
			t.Fatalf("%q: it is another one each time", s)
		}
	})
}
