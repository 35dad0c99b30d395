package marks

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/sync/check"
	"pgregory.net/rapid"
)

// written is how pieces read: what has a kind is in brackets.
func written(all []Piece) string {
	var b strings.Builder
	for _, p := range all {
		if p.Kind == "" {
			b.WriteString(p.Text)
		} else {
			b.WriteString("[" + p.Kind + " " + p.Text + "]")
		}
	}
	return b.String()
}

// What shows nothing has a name: special spaces and joiners anywhere, plain spaces and line breaks at the ends alone.
func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"plain text":     "plain text",
		" a  b ":         "[sign ·]a[sign ·][sign ·]b[sign ·]",
		"a\u00a0b\u200d": "a[sign NBSP]b[sign ZWJ]",
		"a\nb\n":         "a\nb[sign ↵\n]",
		"a \n b":         "a[sign ·]\n[sign ·]b",
		"\u202eexe\x01":  "[sign \\u202e]exe[sign \\u0001]",
		"a\r\nb":         "a\nb",
		"{x} of {y}":     "[kept {x}] of [kept {y}]",
		"\xff":           "\xff",
	} {
		if got := written(Of(text, check.Protected(text, programs.Programs{Named: true}))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A difference goes by words, and by the whole where there are too many.
func TestDifference(t *testing.T) {
	for _, c := range []struct{ was, is, want string }{
		{"Delete the file", "Delete this folder", "Delete [removed the][added this] [removed file][added folder]"},
		{"Same", "Same", "Same"}, {"", "New", "[added New]"}, {"Old", "", "[removed Old]"},
		{"a b", "a\u00a0b", "a[removed ·][added NBSP]b"}, {"End", "End ", "End[added ·]"},
		{"x" + strings.Repeat(" y", 200) + " z", "x" + strings.Repeat(" a", 400) + " z", "x [removed y y"},
		{strings.Repeat("y ", 40_000) + "old", strings.Repeat("y ", 40_000) + "new", strings.Repeat("y ", 40_000) +
			"[removed old][added new]"},
	} {
		if got := written(Difference(c.was, c.is)); !strings.HasPrefix(got, c.want) || len(got) != len(c.want) && strings.HasSuffix(c.want, "]") {
			t.Errorf("%q and %q: %.100q, want %q", c.was, c.is, got, c.want)
		}
	}
}

// Without what was removed a difference is the new text, without what was added the old one.
func TestDifferenceIsWhole(t *testing.T) {
	texts := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c", "{x}", ".", "ü", "-"})).Draw(t, "words"), "-")
	})
	rapid.Check(t, func(t *rapid.T) {
		was, is := texts.Draw(t, "was"), texts.Draw(t, "is")
		var old, new strings.Builder
		for _, p := range Difference(was, is) {
			if p.Kind != Added {
				old.WriteString(p.Text)
			}
			if p.Kind != Removed {
				new.WriteString(p.Text)
			}
		}
		if old.String() != was || new.String() != is {
			t.Fatalf("%q and %q became %q and %q", was, is, old.String(), new.String())
		}
	})
}

// BenchmarkDifference is of the texts that take the library longest: as many words as are compared, all alike.
func BenchmarkDifference(b *testing.B) {
	was := strings.TrimSpace(strings.Repeat("a b ", 31))
	is := strings.TrimSpace(strings.Repeat("b a a ", 21))
	for b.Loop() {
		Difference(was, is)
	}
}
