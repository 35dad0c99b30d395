package programs

import "testing"

func TestFlagged(t *testing.T) {
	row := Programs{Named: true, Categories: true}
	for flags, want := range map[string]Programs{
		"":                              row,
		"fuzzy":                         row,
		"python-format, range: 0..9":    row,
		"c-format":                      {Printf: Typed, Categories: true},
		" fuzzy, c-format":              {Printf: Typed, Categories: true},
		"no-c-format":                   {Printf: None, Named: true, Categories: true},
		"no-c-format,python-format":     row,
		"python-brace-format":           {Printf: None, Named: true, Categories: true},
		"java-format":                   {Printf: None, Named: true, Categories: true, MessageFormat: true},
		"java-printf-format":            {Printf: Java, Categories: true},
		"objc-format":                   {Printf: Apple, Categories: true},
		"scheme-format, no-wrap, other": row,
	} {
		if got := row.Flagged(flags); got != want {
			t.Errorf("%q: %+v, want %+v", flags, got, want)
		}
	}
}
