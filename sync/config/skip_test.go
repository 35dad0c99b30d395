package config

import "testing"

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
