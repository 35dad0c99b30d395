package local

import (
	"slices"
	"strings"
	"testing"
)

// Plural forms are those of the language, in both spellings.
func TestPseudoPlurals(t *testing.T) {
	files := []text{{form: "one", value: "a file"}, {form: "other", value: "%d files"}}
	for language, want := range map[string]string{
		"de": "one=[de á ƒíļé] other=[de %d ƒíļéš]",
		"ja": "other=[ja %d ƒíļéš]",
		"es": "one=[es á ƒíļé] other=[es %d ƒíļéš]",
		"pl": "one=[pl á ƒíļé] few=[pl %d ƒíļéš] many=[pl %d ƒíļéš] other=[pl %d ƒíļéš]",
		"xx": "one=[xx á ƒíļé] other=[xx %d ƒíļéš]",
	} {
		var got []string
		for _, f := range pseudoTexts(files, language) {
			got = append(got, f.form+"="+f.value)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", language, got, want)
		}
	}
	if got := pseudoTexts([]text{{form: "one", value: "a"}}, "ja"); len(got) != 1 {
		t.Errorf("a plural without other: %q", got)
	}
	for source, want := range map[string]string{
		"{n, plural, one {a} other {b}}":                    "{n, plural, one {[ru á]} few {[ru ƀ]} many {[ru ƀ]} other {[ru ƀ]}}",
		"{n, plural, one {a} other{other}}":                 "{n, plural, one {[ru á]} few {[ru öţĥéŕ]} many {[ru öţĥéŕ]} other{[ru öţĥéŕ]}}",
		"{n, plural, other {b}}":                            "{n, plural, other {[ru ƀ]}}",
		"{n, selectordinal, one {a} other {b}}":             "{n, selectordinal, one {[ru á]} other {[ru ƀ]}}",
		"{g, select, x {a} other {b}}":                      "{g, select, x {[ru á]} other {[ru ƀ]}}",
		"{g, select, other {{n, plural, =0 {} other {#}}}}": "{g, select, other {[ru {n, plural, =0 {} one {#} few {#} many {#} other {#}}]}}",
	} {
		if got := pseudo(source, "ru"); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", source, got, want)
		}
	}
}

// What is no plural argument and nothing else becomes the form "other" as it is.
func TestFormsOfMessages(t *testing.T) {
	for message, want := range map[string][]text{
		"Hello":                         {{form: "other", value: "Hello"}},
		"{n, plural, other {# x}}":      {{form: "other", value: "# x"}},
		" {n,plural, other{b} one{a}} ": {{form: "one", value: "a"}, {form: "other", value: "b"}},
		"{n, plural, =1 {a} other {b}}": {{form: "other", value: "{n, plural, =1 {a} other {b}}"}},
		"{n, plural, other {a {name}}}": {{form: "other", value: "{n, plural, other {a {name}}}"}},
	} {
		if got := inForms(message); !slices.Equal(got, want) {
			t.Errorf("%q: %q", message, got)
		}
	}
}
