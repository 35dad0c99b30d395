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
		"locales/pt_BR.json": `{"a": "Á"}`, "mail/i18n/en.json": `{"b": "B"}`}, true)
	file := filepath.Join(dir, "locsync.toml")
	starts := func(args ...string) *person {
		cmd := exec.Command("locsync", args...)
		cmd.Dir, cmd.Env = dir, os.Environ()
		return &person{console: inColours(t, cmd, 200)}
	}

	x := starts("init", "--branch", "i18n")
	x.sees("Target languages: de, pt-BR")
	x.sees("Source language [en]: ")
	x.types("fr\n")
	x.sees("no resource file is in fr; there are files in de, en, pt-BR")
	x.sees("Source language [en]: ")
	x.types("\n")
	x.sees("Target languages [de, pt-BR]: ")
	x.types("de, xx\n")
	x.sees(`"xx" is not a language`)
	x.types("de en\n")
	x.sees(`"en" is the source language`)
	x.types("de, zh-Hans pt-BR\n")
	x.sees("Translation service URL, or embedded for the one inside locsync [embedded]: ")
	x.types("translation.example.com\n")
	x.sees("is not \"embedded\" or an address")
	x.types("https://translation.example.com\n")
	x.sees("Account id: ")
	x.types("\n")
	x.sees("must be the account's identifier")
	x.types("42\n")
	x.sees("Environment variable with the API key [LOCSYNC_API_KEY]: ")
	x.types("KEY\n")
	x.sees("Project id there")
	x.types("\n")
	x.sees("Write " + file + "? [yes]: ") // the branch was given
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("it is written before anybody agreed: ", err)
	}
	x.types("y\n")
	x.sees("locsync project create")
	x.ends(report.ExitDone)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`url = "https://translation.example.com"`, `account_id = "42"`, `api_key_env = "KEY"`,
		`target_languages = ["de", "zh-Hans", "pt-BR"]`, `branch = "i18n"`,
		`"pt-BR" = "pt_BR"`, `"zh-Hans" = "zh_Hans"`} {
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
		x.sees("Source language [en]: ")
		x.types("de\n")
		x.sees("Source language: de (it was given)") // another look
		x.sees("Target languages [en, pt-BR]: ")
		x.types(leave.types)
		x.sees(leave.says)
		x.ends(leave.code)
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	no := starts("init", "--source", "en", "--languages", "de", "--url", "embedded", "--branch", "l10n")
	no.sees("? [yes]: ")
	no.types("maybe\n")
	no.sees("yes or no")
	no.types("n\n")
	no.sees("nothing was written")
	no.ends(report.ExitLater)
	silent := starts("init", "--no-input")
	silent.sees("Wrote " + file)
	silent.ends(report.ExitDone)
}
