package config

import (
	"strings"
	"testing"
)

func TestSkips(t *testing.T) {
	f := Files{SkipChecks: []string{"markup", "printf:legal/*", "names:**/raw.*"}}
	for _, c := range []struct {
		check, key string
		want       bool
	}{
		{"markup", "any/key", true},
		{"printf", "legal/terms", true},
		{"printf", "legal/terms/first", false},
		{"printf", "terms", false},
		{"names", "a/b/raw.text", true},
		{"icu", "legal/terms", false},
	} {
		if got := f.Skips(c.check, c.key); got != c.want {
			t.Errorf("Skips(%q, %q) = %v", c.check, c.key, got)
		}
	}
}

// What exclude matches is no source file, and does not keep the pattern of translations from being understood.
func TestExclude(t *testing.T) {
	c := mustParse(t, strings.Replace(smallest, "[[project.files]]", "[[project.files]]\nexclude = [\"locales/en/x.json\", \"**/*.draft.json\"]", 1))
	f := &c.Projects[0].Files[0]
	for file, want := range map[string]bool{
		"locales/en/app.json": true, "locales/en/x.json": false, "locales/en/app.draft.json": false, "locales/de/app.json": false,
	} {
		if _, is := f.SourceFile(file); is != want {
			t.Errorf("%s: %t", file, is)
		}
	}
	wrong := problemsOf(t, strings.Replace(smallest, "[[project.files]]", "[[project.files]]\nexclude = [\"../x\", \"\"]", 1))
	if len(wrong) != 2 || wrong[0].Key != "project.files.exclude" {
		t.Errorf("%v", wrong)
	}
}
