package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/report"
)

// person is somebody at a terminal: types, and looks at what was shown since the last look.
type person struct {
	*console
	seen int
}

func (p *person) sees(text string) {
	p.t.Helper()
	p.seen = p.until(regexp.QuoteMeta(text), p.seen)
}

func (p *person) ends(code int) {
	p.t.Helper()
	if got := p.wait(); got != code {
		p.t.Errorf("it ended with %d, want exit code %d", got, code)
	}
}

// A person at a terminal is asked, told why an answer cannot be, and asked again; who leaves, leaves nothing behind.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	gittest.Need(t)
	dir := filepath.Join(t.TempDir(), "shop")
	repositoryOf(t, dir, map[string]string{"locales/en.json": `{"a": "A"}`, "locales/de.json": `{"a": "Ä"}`,
		"locales/pt_BR.json": `{"a": "Á"}`, "mail/i18n/en.json": `{"b": "B"}`, "web/locales/en/x.json": `{"x": "X"}`,
		"web/locales/en/y.json": `{"y": "Y"}`, "web/locales/de/x.json": `{"x": "X"}`}, true)
	file := filepath.Join(dir, "locsync.toml")
	starts := func(args ...string) *person {
		cmd := exec.Command("locsync", args...)
		cmd.Dir, cmd.Env = dir, os.Environ()
		return &person{console: inColours(t, cmd, 200)}
	}

	x := starts("init", "--branch", "i18n", "--languages", "de,zh-Hans,pt-BR", "--api-key-env", "KEY")
	x.sees("Target languages: de, zh-Hans, pt-BR")
	x.sees("Source language (there are files in de, en, pt-BR; the default; --source names another) [en]: ")
	x.types("fr\n")
	x.sees("no resource file is in fr; there are files in de, en, pt-BR")
	x.types("\n")
	x.sees("Are the translations into 2 languages that are there reviewed? Then they count as final, else as drafts [no]: ")
	x.types("perhaps\n")
	x.sees("yes or no")
	x.types("yes\n")
	x.sees("or another one's address and account id [embedded]: ")
	x.types("translation.example.com\n")
	x.sees("is not \"embedded\" or an address")
	x.types("https://translation.example.com\n")
	x.sees("must be the account's identifier")
	x.types("https://translation.example.com 42\n")
	x.sees("Do they share one collection, or has each its own, so that two may have one later? one or each [one]: ")
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("it is written before all is answered: ", err)
	}
	x.types("each\n")
	x.sees("locsync project create")
	x.ends(report.ExitDone)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`url = "https://translation.example.com"`, `account_id = "42"`, `api_key_env = "KEY"`,
		`target_languages = ["de", "zh-Hans", "pt-BR"]`, `branch = "i18n"`, `completion_state = "final" `,
		`"pt-BR" = "pt_BR"`, `"zh-Hans" = "zh_Hans"`,
		`collection = "{NAME}"`} {
		if !strings.Contains(string(text), line) {
			t.Errorf("%s is not in\n%s", line, text)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	for name, leave := range map[string]struct {
		types, says string
		code        int
	}{
		"Ctrl-D": {"\x04", "nothing was written", report.ExitLater},
		"Ctrl-C": {"\x03", "interrupted; run the command again", report.ExitInterrupted},
	} {
		x := starts("init")
		x.sees("names another) [en]: ")
		x.types("de\n")
		x.sees("Source language: de (it was given)") // another look
		x.sees("reviewed?")
		x.types(leave.types)
		x.sees(leave.says)
		x.ends(leave.code)
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	quiet := starts("init", "--source", "en", "--reviewed", "no", "--url", "embedded")
	quiet.sees("one or each [one]: ") // no flag answers it
	quiet.types("\n")
	quiet.sees("Wrote " + file)
	quiet.ends(report.ExitDone)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	silent := starts("init", "--no-input")
	silent.sees("Wrote " + file)
	silent.ends(report.ExitDone)
}
