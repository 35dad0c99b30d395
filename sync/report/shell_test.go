package report

import (
	"os/exec"
	"testing"
)

// What a shell makes of a word is the word; and a word that a line cannot show is none.
func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"menu.open_file-2":      "menu.open_file-2",
		"locales/de/app.json":   "locales/de/app.json",
		"":                      "''",
		"the other":             "'the other'",
		"$(touch /tmp/pwned)":   "'$(touch /tmp/pwned)'",
		"it's `date` \"$HOME\"": `'it'\''s ` + "`date`" + ` "$HOME"'`,
		"~":                     "'~'",
		"!x;y&z|":               "'!x;y&z|'",
		"Grüße":                 "'Grüße'",
	} {
		got, ok := ShellWord(word)
		if got != want || !ok {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
		if out, err := exec.Command("sh", "-c", "printf %s "+got).Output(); err != nil || string(out) != word {
			t.Errorf("a shell makes %q of %q: %v", out, word, err)
		}
	}
	for _, word := range []string{"a\nb", "a\rb", "a\tb", "\x1b[1m", "\u2028", "a\u202eb", "\xff", "\x00"} {
		if got, ok := ShellWord(word); ok {
			t.Errorf("%q is shown as %s", word, got)
		}
	}
	for want, c := range map[string]Conflict{
		"--key '$(id)' --file 'a b' --language de --project p": {Key: "$(id)", File: "a b", Language: "de", Project: "p"},
		`--key KEY --file a.json (KEY is "a\nb")`:              {Key: "a\nb", File: "a.json"},
	} {
		if got := c.Command("ours"); got != "locsync push --ours "+want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
