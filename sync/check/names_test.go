package check

import (
	"strings"
	"testing"
)

// An apostrophe in a text with MessageFormat's arguments is doubled, or around braces; elsewhere it means nothing. One
// that hides an argument is an error, any other a warning.
func TestApostrophes(t *testing.T) {
	const warned, broken = "warning: ", "error: "
	for _, c := range []struct{ format, source, text, want string }{
		{"properties", "The user {0}", "L'utilisateur {0}", broken},
		{"properties", "The user {0}", "{0} l'utilisateur", warned},
		{"properties", "The user {0}", "L''utilisateur {0}", sound},
		{"properties", "{0,number} isn''t '{'a'}'", "{0,number} n''est pas '{'a'}'", sound},
		{"properties", "{0,number} isn''t '{'a'}'", "{0,number} n'est pas '{'a'}'", broken},
		{"properties", "{0} isn't", "{0} n'est pas", sound},
		{"properties", "The user", "L'utilisateur", sound},
		{"json", "The user {0}", "L'utilisateur {0}", sound},
	} {
		got := sound
		for _, f := range Translation(Input{Level: onlyHidden, Programs: ProgramsOf(c.format), Source: c.source, Translation: c.text}) {
			got += map[bool]string{true: warned, false: broken}[f.Warning]
		}
		if got != c.want {
			t.Errorf("%s: %q for %q: %q, want %q", c.format, c.text, c.source, got, c.want)
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
			{"%" + macro + " bytes", "bytes", "it lacks %" + macro + ", which the source has"},
			{"bytes", "%" + macro + " bytes", "it has %" + macro +
				", for which the program passes nothing, as the source has no such placeholder"},
		} {
			findings := Translation(Input{Level: onlyHidden, Programs: typed, Key: "k", Source: c.source, Translation: c.text})
			var got []string
			for _, f := range findings {
				got = append(got, said(f))
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("%q to %q: %q, want %q", c.source, c.text, got, c.want)
			}
		}
		lost := Input{Level: onlyHidden, Programs: ProgramsOf("po"), Key: "k", Source: "%" + macro + " bytes", Translation: "bytes"}
		if found := Translation(lost); len(found) != 1 || found[0].Check != Printf {
			t.Errorf("without a flag: %v", found)
		}
	}
	for _, other := range []string{"%<PRIu65>d", "%<PRIs64>d", "%<total>.2f"} {
		named := Input{Level: onlyHidden, Programs: ProgramsOf("structured-yaml"), Source: other + " x", Translation: "x"}
		if found := Translation(named); len(found) != 1 || found[0].Check != Names {
			t.Errorf("%s: %v", other, found)
		}
	}
}

// A number that the source has a form for has one in the translation, too: Symfony raises an exception otherwise.
func TestIntervalsAreWhole(t *testing.T) {
	const source = "{0} none|{1} one|]1,Inf[ %count% apples"
	for _, c := range []struct{ source, text, want string }{
		{source, "{0} kein|{1} ein|]1,Inf[ %count% Äpfel", sound},
		{source, "{0} kein|{1} ein|[2,+Inf[ %count% Äpfel", sound},
		{source, "[0,1] wenige|]1,*] %count% Äpfel", sound},
		{source, "kein|ein|%count% Äpfel", sound},
		{source, "{0} kein|{1} ein|]2,Inf[ %count% Äpfel", "it has no form for the number 2, which the source has one for"},
		{source, "{0} kein|{1} ein|]1,Unendlich[ %count%",
			`the form "]1,Unendlich…" begins with no interval that the program takes, as the source's do`},
		{source, "{0} kein|{1} ein|]1,9[ %count%", "it has no form for the number 9, which the source has one for"},
		{"a|b", "{0} a|b", sound},
		{"[1] a | [2] b", "[1] a", sound},
	} {
		in := Input{Level: onlyHidden, Programs: ProgramsOf("yaml"), Source: c.source, Translation: c.text, Language: "de"}
		found := Translation(in)
		if c.want == sound && len(found) > 0 || c.want != sound && (len(found) != 1 || said(found[0]) != c.want) {
			t.Errorf("%q -> %q: %v, want %q", c.source, c.text, found, c.want)
		}
	}
}
