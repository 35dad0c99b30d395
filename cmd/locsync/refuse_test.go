package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
)

// refused calls the program in this process with a command line that is to be refused before anything is read, and
// returns why.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	a := &app{out: &out, err: &out, args: args}
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	var usage *failure.UsageError
	if !errors.As(err, &usage) || out.Len() > 0 {
		t.Errorf("locsync %s: %v, and printed %q", strings.Join(args, " "), err, out.String())
		return ""
	}
	return err.Error()
}

// words are arguments that a command takes, none of them right.
func words(c *cobra.Command) []string {
	line := strings.Fields(strings.TrimPrefix(c.CommandPath(), "locsync "))
	for _, word := range strings.Fields(c.Use)[1:] {
		if strings.ToUpper(word) == word && !strings.HasPrefix(word, "[") {
			line = append(line, "x")
		}
	}
	return line
}

// No command takes two projects, or two different values of a flag that holds one, and leaves one of them out silently.
func TestNoFlagIsIgnored(t *testing.T) {
	both, twice := 0, 0
	everyCommand(func(c *cobra.Command) {
		if c.IsAdditionalHelpTopicCommand() || !c.Runnable() {
			return
		}
		line := words(c)
		if c.Flags().Lookup("project") != nil && c.Flags().Lookup("id") != nil {
			both++
			if why := refused(t, append(slices.Clone(line), "--project", "a", "--id", "b")...); !strings.Contains(why,
				"--project") {
				t.Errorf("%s: %s", c.CommandPath(), why)
			}
		}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if _, list := f.Value.(pflag.SliceValue); list || f.Value.Type() == "bool" {
				return
			}
			values := []string{"a", "b"}
			switch f.Value.Type() {
			case "float64", "int":
				values = []string{"1", "2"}
			case "duration":
				values = []string{"1s", "2s"}
			case "WORD":
				words, _ := c.GetFlagCompletionFunc(f.Name)
				offered, _ := words(c, nil, "")
				values = offered[:2]
			}
			twice++
			if why := refused(t, append(slices.Clone(line), "--"+f.Name, values[0], "--"+f.Name,
				values[1])...); !strings.Contains(why, `--`+f.Name) || !strings.Contains(why, "given twice") {
				t.Errorf("%s --%s: %s", c.CommandPath(), f.Name, why)
			}
		})
	})
	if both < 10 || twice < 30 {
		t.Errorf("only %d commands with two ways to name a project, and %d flags with one value, were looked at", both,
			twice)
	}
}

// What contradicts itself, or says nothing, is refused; what is the same twice is no contradiction.
func TestContradictions(t *testing.T) {
	for line, says := range map[string]string{
		"check --json --format github":          "two ways to print one result",
		"push --project app --project web":      `--project "web": it is given twice, first as "app"; leave one of them out; see locsync push --help`,
		"check --format text --format github":   `--format "github": it is given twice, first as "text"; leave one of them out`,
		"service --rate-limit 1 --rate-limit 2": "given twice",
		`push --project=`:                       `--project "": there is nothing in it; leave the flag out, or write something; see locsync push --help`,
		`push --ours --language=`:               `--language "": there is nothing in it`,
		`push --theirs --file=`:                 `--file "": there is nothing in it`,
		`push --ours --key=a --key=`:            `--key "a,": there is nothing in it`,
		`memories attach :80`:                   `":80" names no memory`,
	} {
		if why := refused(t, strings.Fields(line)...); !strings.Contains(why, says) {
			t.Errorf("%s: %s, want %s", line, why, says)
		}
	}
	for _, line := range []string{"version --log-level warn --log-level debug", "version --config a --config b"} {
		var out bytes.Buffer
		root := (&app{out: &out, err: &out}).root()
		root.SetArgs(strings.Fields(line))
		if err := root.Execute(); err != nil || !strings.HasPrefix(out.String(), "locsync ") {
			t.Errorf("%s: %v %s", line, err, &out)
		}
	}
}

// The flag prints what the command prints, in both forms.
func TestVersionFlag(t *testing.T) {
	say := func(args ...string) string {
		var out bytes.Buffer
		a := &app{out: &out, err: &out}
		root := a.root()
		root.SetArgs(args)
		if code := a.exit(root.Execute()); code != report.ExitDone {
			t.Errorf("%v: exit code %d", args, code)
		}
		return out.String()
	}
	if a, b := say("--version"), say("version"); a != b || say("-v") != b || !strings.HasPrefix(a, "locsync ") {
		t.Errorf("%q, %q, %q", a, b, say("-v"))
	}
	want := say("version", "--json")
	for _, got := range []string{say("--version", "--json"), say("--json", "--version"), say("-v", "--json")} {
		var b report.Build
		if err := json.Unmarshal([]byte(got), &b); err != nil || got != want || b.Version == "" || b.Go == "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
