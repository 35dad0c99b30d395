package xcstrings

import "testing"

// The source language counts wherever the catalog says it, and of several the last, for all that is read of it.
func TestWhereTheSourceLanguageIs(t *testing.T) {
	const entries = `"strings":{"a":{"localizations":{"fr":{"stringUnit":{"state":"translated","value":"A"}}}}}`
	for name, src := range map[string]string{
		"before the entries": `{"sourceLanguage":"fr",` + entries + `}`,
		"behind them":        `{` + entries + `,"sourceLanguage":"fr"}`,
		"twice":              `{"sourceLanguage":"en",` + entries + `,"sourceLanguage":"fr"}`,
		"twice, in escapes":  `{"sourceLanguage":"en",` + entries + `,"\u0073ourceLanguage":"fr"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if got := SourceLanguage(src); got != "fr" {
				t.Errorf("it says %q", got)
			}
			for language, want := range map[string]string{"": "A", "fr": "A", "de": ""} {
				f := parse(t, src, language)
				e, _ := f.Lookup("a", "")
				if e.Text != want || isSource(f) != (language != "de") {
					t.Errorf("%q: %q, as the source %v", language, e.Text, isSource(f))
				}
			}
		})
	}
}
