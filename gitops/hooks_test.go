package gitops

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

func hooked(t *testing.T, dir string) *Repo {
	t.Helper()
	r, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// rung waits until a hook's command, which runs behind git's back, has left its line.
func rung(t *testing.T, log string, want string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if got, err := os.ReadFile(log); err == nil && strings.Contains(string(got), want) {
			return
		}
	}
	t.Fatalf("the hook left no %q in %s", want, log)
}

func writeScript(t *testing.T, file, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}

// What stood in the hooks runs as before beside the line, in every state that a hook can be in; installing twice changes nothing, and
// uninstalling restores every byte, link and mode.
func TestHooksKeepWhatIsThere(t *testing.T) {
	gittest.Need(t)
	for name, c := range map[string]struct {
		prepare func(t *testing.T, hook, log string)
		runs    string // what the old hook leaves when git runs it
	}{
		"none":  {func(*testing.T, string, string) {}, ""},
		"shell": {func(t *testing.T, hook, log string) { writeScript(t, hook, "#!/bin/sh\necho old >>"+log+"\n", 0o755) }, "old"},
		"ends early": {func(t *testing.T, hook, log string) {
			writeScript(t, hook, "#!/usr/bin/env bash\necho old >>"+log+"\nexec true\n", 0o700)
		}, "old"},
		"no newline":   {func(t *testing.T, hook, log string) { writeScript(t, hook, "#!/bin/sh\necho old >>"+log, 0o755) }, "old"},
		"only a shell": {func(t *testing.T, hook, log string) { writeScript(t, hook, "#!/bin/sh -e\n\n# nothing yet\n", 0o755) }, ""},
		"switched off": {func(t *testing.T, hook, log string) { writeScript(t, hook, "#!/bin/sh\necho old >>"+log+"\n", 0o644) }, ""},
		"other language": {func(t *testing.T, hook, log string) {
			awk, err := exec.LookPath("awk")
			if err != nil {
				t.Skip("no awk here")
			}
			writeScript(t, hook, "#!"+awk+" -f\nBEGIN { print \"old\" >>\""+log+"\" }\n", 0o755)
		}, "old"},
		"link": {func(t *testing.T, hook, log string) {
			script := filepath.Join(t.TempDir(), "script")
			writeScript(t, script, "#!/bin/sh\necho old >>"+log+"\n", 0o755)
			if err := os.Symlink(script, hook); err != nil {
				t.Fatal(err)
			}
		}, "old"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := gittest.Init(t, map[string]string{"a": "1\n"})
			log := filepath.Join(t.TempDir(), "log")
			hooks := filepath.Join(dir, ".git", "hooks")
			hook := filepath.Join(hooks, "post-commit")
			if err := os.RemoveAll(hooks); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(hooks, 0o755); err != nil {
				t.Fatal(err)
			}
			c.prepare(t, hook, log)
			before := folderOf(t, hooks)
			r := hooked(t, dir)
			commands := HookCommands{Here: "echo rung >>'" + log + "'", Team: "false"}
			changed, err := r.InstallHooks(commands)
			if err != nil || len(changed) != 4 {
				t.Fatalf("changed %q, %v", changed, err)
			}
			if changed, err := r.InstallHooks(commands); err != nil || len(changed) != 0 {
				t.Errorf("installing again changed %q, %v", changed, err)
			}
			gittest.Commit(t, dir, "second", map[string]string{"a": "2\n"})
			rung(t, log, "rung\n")
			if c.runs != "" {
				rung(t, log, c.runs)
			} else if got, _ := os.ReadFile(log); strings.Contains(string(got), "old") {
				t.Error("a hook that was switched off runs")
			}
			commands.Here = "echo again >>'" + log + "'"
			if changed, err := r.InstallHooks(commands); err != nil || len(changed) != 4 {
				t.Errorf("another command changed %q, %v", changed, err)
			}
			gittest.Commit(t, dir, "third", map[string]string{"a": "3\n"})
			rung(t, log, "again\n")
			if _, err := r.UninstallHooks(); err != nil {
				t.Fatal(err)
			}
			if after := folderOf(t, hooks); !slices.Equal(before, after) {
				t.Errorf("before:\n%s\nafter:\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
			}
		})
	}
}

// folderOf are a folder's entries with mode, link and content.
func folderOf(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		content := ""
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil {
			content = "-> " + target
		} else if data, err := os.ReadFile(filepath.Join(dir, e.Name())); err == nil {
			content = string(data)
		}
		all = append(all, info.Mode().String()+" "+e.Name()+" "+content)
	}
	return all
}

// The command neither fails git nor keeps it waiting, whatever becomes of it.
func TestHooksNeverHoldGitUp(t *testing.T) {
	gittest.Need(t)
	end := filepath.Join(t.TempDir(), "end") // the command that hangs ends with the test
	t.Cleanup(func() { writeScript(t, end, "", 0o644) })
	for _, command := range []string{"exit 7", "/no/such/program", "until [ -e '" + end + "' ] || [ ! -d '" + filepath.Dir(end) + "' ]; do sleep 0.1; done", "cat; read x"} {
		dir := gittest.Init(t, map[string]string{"a": "1\n"})
		r := hooked(t, dir)
		if _, err := r.InstallHooks(HookCommands{Here: command}); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		gittest.Commit(t, dir, "second", map[string]string{"a": "2\n"})
		gittest.Git(t, dir, "checkout", "-q", "-b", "other")
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: git took %v", command, took)
		}
	}
}

// Hooks are put where git looks for them.
func TestHookFolders(t *testing.T) {
	gittest.Need(t)
	commands := HookCommands{Here: "here", Team: "team"}
	relative := func(t *testing.T, dir string, changed []string) []string {
		for i, c := range changed {
			rel, err := filepath.Rel(dir, c)
			if err != nil {
				t.Fatal(err)
			}
			changed[i] = filepath.ToSlash(rel)
		}
		return changed
	}
	t.Run("bare", func(t *testing.T) {
		bare := gittest.Bare(t, gittest.Init(t, map[string]string{"a": "1\n"}))
		changed, err := hooked(t, bare).InstallHooks(commands)
		if got := relative(t, bare, changed); err != nil || !slices.Equal(got, []string{"hooks/post-receive"}) {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("linked worktree", func(t *testing.T) {
		dir := gittest.Init(t, map[string]string{"a": "1\n"})
		linked := filepath.Join(t.TempDir(), "linked")
		gittest.Git(t, dir, "worktree", "add", "-q", linked)
		changed, err := hooked(t, linked).InstallHooks(commands)
		if got := relative(t, dir, changed); err != nil || !slices.Contains(got, ".git/hooks/post-commit") {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("husky", func(t *testing.T) {
		dir := gittest.Init(t, map[string]string{"a": "1\n", ".husky/post-merge": "npm install\n"})
		gittest.Git(t, dir, "config", "core.hooksPath", ".husky/_")
		changed, err := hooked(t, dir).InstallHooks(commands)
		if got := relative(t, dir, changed); err != nil || !slices.Contains(got, ".husky/post-commit") || !slices.Contains(got, ".husky/post-merge") {
			t.Errorf("%q, %v", got, err)
		}
		merge, err := os.ReadFile(filepath.Join(dir, ".husky", "post-merge"))
		if err != nil || !strings.HasPrefix(string(merge), "{ team; }") || !strings.HasSuffix(string(merge), "\nnpm install\n") {
			t.Errorf("%s, %v", merge, err)
		}
	})
	t.Run("shared with others", func(t *testing.T) {
		dir := gittest.Init(t, map[string]string{"a": "1\n"})
		gittest.Git(t, dir, "config", "core.hooksPath", t.TempDir())
		changed, err := hooked(t, dir).InstallHooks(commands)
		if err == nil || !strings.Contains(err.Error(), "locsync hook ring") || len(changed) != 0 {
			t.Errorf("%q, %v", changed, err)
		}
	})
}
