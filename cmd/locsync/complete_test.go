package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// completed are the words that the program offers to a shell for a command line that was begun; of all that it names,
// the shell takes those that fit.
func completed(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.Command("locsync", append([]string{"__completeNoDesc"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	lines = lines[:len(lines)-1] // the last one tells the shell how to go on
	_, begun, _ := strings.Cut(args[len(args)-1], "=")
	if !strings.HasPrefix(args[len(args)-1], "-") {
		begun = args[len(args)-1]
	}
	return slices.DeleteFunc(lines, func(word string) bool { return !strings.HasPrefix(word, begun) })
}

// shelf is a folder with a configuration of two projects and nothing else: no repository, no service that could be
// called.
func shelf(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	text := `state_dir = "state"
[service]
url = "http://127.0.0.1:9"
account_id = "acc"
[[project]]
name = "app"
id = "11111111-2222-3333-4444-555555555555"
source_language = "en"
target_languages = ["de", "pt-BR"]
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
[[project]]
name = "web site"
id = "21111111-2222-3333-4444-555555555555"
source_language = "fr"
target_languages = ["de", "ja"]
[[project.files]]
source = "fr/*.json"
output = "web/{LANGUAGE}/{NAME}.json"
`
	if err := os.WriteFile(filepath.Join(dir, "locsync.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Offered is what the configuration says, and what flags can be; no request is made, and without a configuration nothing
// is offered and nothing said.
func TestCompletion(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program for every line, which does one thing and ends")
	}
	t.Parallel()
	dir := shelf(t)
	empty := t.TempDir()
	for _, c := range []struct {
		line string
		want []string
	}{
		{"push --project |", []string{"app", "web site"}},
		{"push --project w|", []string{"web site"}},
		{"project plan --project=a|", []string{"app"}},
		{"translate --to |", []string{"de", "ja", "pt-BR"}},
		{"translate --project app --to |", []string{"de", "pt-BR"}},
		{"translate --to de,|", []string{"de,ja", "de,pt-BR"}},
		{"translate --from |", []string{"en", "fr"}},
		{"documents pull --language d|", []string{"de"}},
		{"documents pull --state |", []string{"draft", "intermediate", "final"}},
		{"check --format |", []string{"text", "github", "gitlab", "sarif", "junit"}},
		{"check --log-level |", []string{"debug", "info", "warn", "error"}},
		{"check --log-format j|", []string{"json"}},
		{"push --ours --key |", []string{}},
		{"push --ours --file |", []string{}},
		{"push --ours --language |", []string{}},
		{"push |", []string{}},
		{"completion |", []string{"bash", "zsh", "fish", "powershell"}},
		{"glossary import |", []string{"default"}},
		{"glossary import default |", []string{"csv", "xlsx"}}, // kinds of files
		{"help proj|", []string{"project"}},
		{"help project |", []string{"add", "apply", "cancel", "complete", "create", "export", "list",
			"plan", "remove", "restore", "set",
			"show"}},
		{"help exit|", []string{"exit-codes"}},
		{"pul|", []string{"pull"}},
	} {
		line, _, _ := strings.Cut(c.line, "|")
		args := strings.Split(line, " ")
		if got := completed(t, dir, args...); !slices.Equal(got, c.want) {
			t.Errorf("locsync %s: %q, want %q", c.line, got, c.want)
		}
	}
	for _, line := range []string{"push --project ", "translate --to ", "push --key "} {
		cmd := exec.Command("locsync", append([]string{"__completeNoDesc"}, strings.Split(line, " ")...)...)
		cmd.Dir = empty
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), "toml") || strings.Contains(string(out), "warning") {
			t.Errorf("without a configuration: locsync %s: %v %s", line, err, out)
		}
	}
}

// Every flag with a value says what can be its value, so that no shell offers files in place of it.
func TestCompletionOfEveryFlag(t *testing.T) {
	everyCommand(func(c *cobra.Command) {
		for _, name := range flagNames(c) {
			f := c.Flag(name)
			if _, ok := c.GetFlagCompletionFunc(name); !ok && f.Value.Type() != "bool" {
				t.Errorf("%s --%s", c.CommandPath(), name)
			}
		}
		if c.Runnable() && !c.HasSubCommands() && c.ValidArgsFunction == nil && c.ValidArgs == nil {
			t.Errorf("%s offers files", c.CommandPath())
		}
	})
}
