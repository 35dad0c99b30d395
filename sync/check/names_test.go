package check

import (
	"strings"
	"testing"
)

// An apostrophe in a text with MessageFormat's arguments is doubled, or around braces; elsewhere it means nothing.
func TestApostrophes(t *testing.T) {
	for _, c := range []struct {
		format, source, text string
		warned               bool
	}{
		{"properties", "The user {0}", "L'utilisateur {0}", true},
		{"properties", "The user {0}", "L''utilisateur {0}", false},
		{"properties", "{0,number} isn''t '{'a'}'", "{0,number} n''est pas '{'a'}'", false},
		{"properties", "{0,number} isn''t '{'a'}'", "{0,number} n'est pas '{'a'}'", true},
		{"properties", "{0} isn't", "{0} n'est pas", false},
		{"properties", "The user", "L'utilisateur", false},
		{"json", "The user {0}", "L'utilisateur {0}", false},
	} {
		findings := Translation(Input{Programs: ProgramsOf(c.format), Source: c.source, Translation: c.text})
		if warned := len(findings) == 1 && findings[0].Warning; warned != c.warned || !warned && len(findings) > 0 {
			t.Errorf("%s: %q for %q: %v", c.format, c.text, c.source, findings)
		}
	}
}

// The macros of inttypes.h are printf's, and neither names nor tags: each of them, lost or instead of a text, is told
// once, and one that moved is sound.
func TestMacros(t *testing.T) {
	typed := ProgramsOf("po").Flagged("c-format")
	var macros []string
	for _, letter := range "diouxX" {
		for _, width := range []string{"8", "16", "32", "64", "LEAST8", "FAST16", "MAX", "PTR"} {
			macros = append(macros, "<PRI"+string(letter)+width+">")
		}
	}
	for _, macro := range macros {
		for _, c := range []struct{ source, text, want string }{
			{"%s: %" + macro + "bytes", "%2$" + macro + "bytes, %1$s", sound},
			{"%5" + macro + " bytes", "%-08" + macro + " bytes", sound},
			{"%" + macro + " bytes", "%lu bytes", sound},
			{"%" + macro + " bytes", "bytes", "it lacks %" + macro + ", which the source has"},
			{"bytes", "%" + macro + " bytes", "it has %" + macro +
				", for which the program passes nothing, as the source has no such placeholder"},
			{"%" + macro + " bytes", "%s bytes", "%s takes a C string, but the program passes a whole number there, " +
				"as the source's %" + macro + " says"},
		} {
			findings := Translation(Input{Programs: typed, Key: "k", Source: c.source, Translation: c.text})
			var got []string
			for _, f := range findings {
				got = append(got, said(f))
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("%q to %q: %q, want %q", c.source, c.text, got, c.want)
			}
		}
		lost := Input{Programs: ProgramsOf("po"), Key: "k", Source: "%" + macro + " bytes", Translation: "bytes"}
		if found := Translation(lost); len(found) != 1 || found[0].Check != Printf {
			t.Errorf("without a flag: %v", found)
		}
	}
	for _, other := range []string{"%<PRIu65>d", "%<PRIs64>d", "%<total>.2f"} {
		named := Input{Programs: ProgramsOf("structured-yaml"), Source: other + " x", Translation: "x"}
		if found := Translation(named); len(found) != 1 || found[0].Check != Names {
			t.Errorf("%s: %v", other, found)
		}
	}
}
