package check

import "testing"

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
