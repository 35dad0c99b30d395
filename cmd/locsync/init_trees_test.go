package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/terminal"
)

var updateTrees = flag.Bool("update-trees", false,
	"write what init does with the trees of testdata/init into them, to be looked at")

// Each archive of testdata/init is a repository as an ecosystem has it. Its last file, want, is what init makes of it
// and what the first check and the first push would do: nothing may be wrong then.
func TestInitInTheEcosystems(t *testing.T) {
	gittest.Need(t)
	files, err := filepath.Glob(filepath.Join("testdata", "init", "*.txtar"))
	if err != nil || len(files) < 10 {
		t.Fatal("the trees are not there", err)
	}
	for i, file := range files {
		if i%4 > 0 && !gittest.All() {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tree := make(map[string]string)
			want := ""
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
				} else {
					tree[f.Name] = string(f.Data)
				}
			}
			dir := filepath.Join(t.TempDir(), "shop")
			repositoryOf(t, dir, tree, !strings.HasPrefix(string(archive.Comment), "untracked\n"))
			got := firstContact(t, dir)
			if *updateTrees {
				archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
				archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if !strings.Contains(got, "problems: none\n") {
				t.Errorf("the first push would not be without problems:\n%s", got)
			}
		})
	}
}

// repositoryOf makes a repository with these files, committed or not.
func repositoryOf(tb testing.TB, dir string, files map[string]string, commit bool) {
	tb.Helper()
	gittest.Write(tb, dir, files)
	gittest.Git(tb, dir, "init", "-q", "-b", "main")
	if commit {
		gittest.Git(tb, dir, "add", "-A")
	}
	gittest.Git(tb, dir, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-q",
		"--allow-empty", "-m", "start")
}

// locsyncIn runs the program in a folder and reads the JSON that it prints. It must end with this exit code.
func locsyncIn(tb testing.TB, dir string, exit int, into any, args ...string) {
	tb.Helper()
	cmd := exec.Command("locsync", append(args, "--json")...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != exit {
		tb.Fatalf("locsync %s: exit code %d, want %d: %v\n%s%s", strings.Join(args, " "), code,
			exit, err, errs.String(), out)
	}
	if err := json.Unmarshal(out, into); err != nil {
		tb.Fatalf("locsync %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// firstContact runs init, check and two dry pushes, and says in lines what they did.
func firstContact(tb testing.TB, dir string) string {
	tb.Helper()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	var found initialized
	locsyncIn(tb, dir, report.ExitDone, &found, "init")
	line("source %s: %s", found.Source, found.Reason)
	line("targets %s", strings.Join(found.Targets, " "))
	spelled := func(paths map[string]string) (all string) {
		for _, code := range slices.Sorted(maps.Keys(paths)) {
			all += fmt.Sprintf(", %s is %s", code, paths[code])
		}
		return all
	}
	if len(found.Paths) > 0 {
		line("spelled%s", strings.TrimPrefix(spelled(found.Paths), ","))
	}
	for _, g := range found.Groups {
		line("%s: %s -> %s", g.Kind, g.Source, g.Output)
		line("  %s, collection %s, %s, %s, %s%s", g.Format, g.Collection, terminal.Count(len(g.Files), "file"),
			terminal.Count(g.Keys, "key"), strings.Join(g.Languages, " "), spelled(g.Paths))
	}
	for _, l := range found.LeftOut {
		line("left out: %s (%d): %.60s", l.Path, l.Files, l.Reason)
	}
	var check report.CheckReport
	locsyncIn(tb, dir, report.ExitDone, &check, "check")
	var problems []string
	for _, p := range check.Projects {
		for _, problem := range p.Problems {
			problems = append(problems, problem.String())
		}
	}
	var push report.PushReport
	locsyncIn(tb, dir, report.ExitDone, &push, "push", "--dry-run", "--translations")
	keys := make(map[string]int)
	for _, p := range push.Projects {
		for _, problem := range p.Problems {
			problems = append(problems, problem.String())
		}
		for _, f := range p.Files {
			keys[f.Language] += len(f.Keys)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(keys)) {
		line("push %s: %s", code, terminal.Count(keys[code], "key"))
	}
	if len(problems) == 0 {
		problems = []string{"none"}
	}
	line("problems: %s", strings.Join(problems, "\n"))
	return b.String()
}
