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

// What stood in the hooks runs as before beside the line, in every state that a hook can be in; installing twice
// changes nothing, and uninstalling restores every byte, link and mode.
func TestHooksKeepWhatIsThere(t *testing.T) {
	gittest.Need(t)
	for name, c := range map[string]struct {
		prepare func(t *testing.T, hook, log string)
		runs    string // what the old hook leaves when git runs it
	}{
		"none": {func(*testing.T, string, string) {}, ""},
		"shell": {func(t *testing.T, hook, log string) {
			writeScript(t, hook, "#!/bin/sh\necho old >>"+log+"\n", 0o755)
		}, "old"},
		"ends early": {func(t *testing.T, hook, log string) {
			writeScript(t, hook, "#!/usr/bin/env bash\necho old >>"+log+"\nexec true\n", 0o700)
		}, "old"},
		"no newline": {func(t *testing.T, hook, log string) {
			writeScript(t, hook, "#!/bin/sh\necho old >>"+log, 0o755)
		}, "old"},
		"only a shell": {func(t *testing.T, hook, log string) {
			writeScript(t, hook, "#!/bin/sh -e\n\n# nothing yet\n", 0o755)
		}, ""},
		"switched off": {func(t *testing.T, hook, log string) {
			writeScript(t, hook, "#!/bin/sh\necho old >>"+log+"\n", 0o644)
		}, ""},
		"other language": {func(t *testing.T, hook, log string) {
			awk, err := exec.LookPath("awk")
			if err != nil {
				t.Skip("no awk here")
			}
			writeScript(t, hook, "#!"+awk+" -f\nBEGIN { print \"old\" >>\""+log+"\" }\n", 0o755)
		}, "old"},
		"two languages in one": {func(t *testing.T, hook, log string) {
			if _, err := exec.LookPath("python3"); err != nil {
				t.Skip("no python3 here")
			}
			writeScript(t, hook,
				"#!/bin/sh\n\"exec\" \"python3\" \"$0\" \"$@\"\nopen('"+log+"', 'a').write('old\\n')\n", 0o755)
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
			changed, err := r.Hooks.Install(commands)
			if err != nil || len(changed) != 4 {
				t.Fatalf("changed %q, %v", changed, err)
			}
			if changed, err := r.Hooks.Install(commands); err != nil || len(changed) != 0 {
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
			if changed, err := r.Hooks.Install(commands); err != nil || len(changed) != 4 {
				t.Errorf("another command changed %q, %v", changed, err)
			}
			gittest.Commit(t, dir, "third", map[string]string{"a": "3\n"})
			rung(t, log, "again\n")
			if _, err := r.Hooks.Uninstall(); err != nil {
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
	for _, command := range []string{"exit 7", "/no/such/program", "until [ -e '" + end + "' ] || [ ! -d '" +
		filepath.Dir(end) + "' ]; do sleep 0.1; done", "cat; read x"} {
		dir := gittest.Init(t, map[string]string{"a": "1\n"})
		r := hooked(t, dir)
		if _, err := r.Hooks.Install(HookCommands{Here: command}); err != nil {
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
		changed, err := hooked(t, bare).Hooks.Install(commands)
		if got := relative(t, bare, changed); err != nil || !slices.Equal(got, []string{"hooks/post-receive"}) {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("linked worktree", func(t *testing.T) {
		dir := gittest.Init(t, map[string]string{"a": "1\n"})
		linked := filepath.Join(t.TempDir(), "linked")
		gittest.Git(t, dir, "worktree", "add", "-q", linked)
		changed, err := hooked(t, linked).Hooks.Install(commands)
		if got := relative(t, dir, changed); err != nil || !slices.Contains(got, ".git/hooks/post-commit") {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("husky", func(t *testing.T) {
		dir := gittest.Init(t, map[string]string{"a": "1\n", ".husky/post-merge": "npm install\n"})
		gittest.Git(t, dir, "config", "core.hooksPath", ".husky/_")
		changed, err := hooked(t, dir).Hooks.Install(commands)
		if got := relative(t, dir, changed); err != nil || !slices.Contains(got, ".husky/post-commit") ||
			!slices.Contains(got, ".husky/post-merge") {
			t.Errorf("%q, %v", got, err)
		}
		merge, err := os.ReadFile(filepath.Join(dir, ".husky", "post-merge"))
		if err != nil || !strings.HasPrefix(string(merge), "{ team; }") ||
			!strings.HasSuffix(string(merge), "\nnpm install\n") {
			t.Errorf("%s, %v", merge, err)
		}
	})
	t.Run("shared with others", func(t *testing.T) {
		dir := gittest.Init(t, map[string]string{"a": "1\n"})
		gittest.Git(t, dir, "config", "core.hooksPath", t.TempDir())
		changed, err := hooked(t, dir).Hooks.Install(commands)
		if err == nil || !strings.Contains(err.Error(), "locsync hook ring") || len(changed) != 0 {
			t.Errorf("%q, %v", changed, err)
		}
	})
}

// In a bare repository a hook gets what git tells on its standard input, whatever language it is in, beside the line.
func TestHooksOfABareRepository(t *testing.T) {
	gittest.Need(t)
	for name, script := range map[string]string{"shell": "#!/bin/sh\ncat >>LOG\n",
		"other": "#!/usr/bin/awk -f\n{ print >>\"LOG\" }\n"} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat("/usr/bin/awk"); err != nil && name == "other" {
				t.Skip("no awk here")
			}
			dir := gittest.Init(t, map[string]string{"a": "1\n"})
			bare := gittest.Bare(t, dir)
			log := filepath.Join(t.TempDir(), "log")
			hook := filepath.Join(bare, "hooks", "post-receive")
			writeScript(t, hook, strings.ReplaceAll(script, "LOG", log), 0o755)
			before := folderOf(t, filepath.Join(bare, "hooks"))
			r := hooked(t, bare)
			if _, err := r.Hooks.Install(HookCommands{Here: "echo rung >>'" + log +
				"'; cat >>'" + log + "'"}); err != nil {
				t.Fatal(err)
			}
			head := gittest.Commit(t, dir, "second", map[string]string{"a": "2\n"})
			gittest.Git(t, dir, "push", "-q", "origin", "main")
			rung(t, log, "rung\n")
			rung(t, log, head+" refs/heads/main\n")
			if changed, err := r.Hooks.Uninstall(); err != nil || len(changed) != 1 {
				t.Errorf("%q, %v", changed, err)
			}
			if after := folderOf(t, filepath.Join(bare, "hooks")); !slices.Equal(before, after) {
				t.Errorf("before:\n%s\nafter:\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
			}
		})
	}
}

// The hook managers that people use run the line when git commits, also after they were installed once more, and after
// uninstalling everything is theirs again, byte by byte.
func TestHooksBesideManagers(t *testing.T) {
	gittest.Need(t)
	const husky9 = "#!/usr/bin/env sh\nn=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n[ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\nexit $?\n"
	const preCommit = "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n# ID: 138fd403232d2ddd5efb44317e38bf03\n" +
		"HERE=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\nif [ -x \"$HERE/$(basename \"$0\").legacy\" ]; then \"$HERE/$(basename \"$0\").legacy\" \"$@\"; fi\necho old >>LOG\n"
	for _, c := range []struct {
		name, folder, hooksPath string
		files                   map[string]string // of the folder; those with #! can be run
		again                   map[string]string // what the manager writes when it is installed again
	}{
		{"husky 9", ".husky", ".husky/_", map[string]string{"_/post-commit": husky9, "_/post-checkout": husky9,
			"post-commit": "echo old >>LOG\n"}, map[string]string{"_/post-commit": husky9}},
		{"husky 8", ".husky", ".husky", map[string]string{"_/husky.sh": "#!/usr/bin/env sh\n",
			"post-commit": "#!/usr/bin/env sh\n. \"$(dirname -- \"$0\")/_/husky.sh\"\n\necho old >>LOG\n"}, nil},
		{"a folder of the repository", "tools/hooks", "tools/hooks",
			map[string]string{"post-commit": "#!/bin/sh\necho old >>LOG\n"}, nil},
		{"pre-commit", ".git/hooks", "", map[string]string{"post-commit": preCommit},
			map[string]string{"post-commit": preCommit}},
		{"pre-commit, with a legacy", ".git/hooks", "", map[string]string{"post-commit": preCommit,
			"post-commit.legacy": "#!/bin/sh\necho legacy >>LOG\n"}, map[string]string{"post-commit": preCommit}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := gittest.Init(t, map[string]string{"a": "1\n"})
			log := filepath.Join(t.TempDir(), "log")
			folder := filepath.Join(dir, filepath.FromSlash(c.folder))
			write := func(files map[string]string) {
				for name, text := range files {
					mode := os.FileMode(0o644)
					if strings.HasPrefix(text, "#!") {
						mode = 0o755
					}
					writeScript(t, filepath.Join(folder, filepath.FromSlash(name)),
						strings.ReplaceAll(text, "LOG", "'"+log+"'"), mode)
				}
			}
			write(c.files)
			if c.hooksPath != "" {
				gittest.Git(t, dir, "config", "core.hooksPath", c.hooksPath)
			}
			before := folderOf(t, folder)
			r := hooked(t, dir)
			commands := HookCommands{Here: "echo rung >>'" + log + "'", Team: "echo rung >>'" + log + "'"}
			if changed, err := r.Hooks.Install(commands); err != nil || len(changed) != 4 {
				t.Fatalf("%q, %v", changed, err)
			}
			write(c.again)
			if changed, err := r.Hooks.Install(commands); err != nil || len(changed) != 0 {
				t.Errorf("installing again changed %q, %v", changed, err)
			}
			gittest.Commit(t, dir, "second", map[string]string{"a": "2\n"})
			rung(t, log, "rung\n")
			rung(t, log, "old\n")
			if text, err := os.ReadFile(log); c.files["post-commit.legacy"] != "" &&
				(err != nil || !strings.Contains(string(text), "legacy\n")) {
				t.Errorf("the legacy hook did not run: %q, %v", text, err)
			}
			if _, err := r.Hooks.Uninstall(); err != nil {
				t.Fatal(err)
			}
			if after := folderOf(t, folder); !slices.Equal(before, after) {
				t.Errorf("before:\n%s\nafter:\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
			}
		})
	}
}

// Uninstalling finds the line where a manager has moved it, takes nothing that a person has added, and leaves what is
// not this repository's.
func TestUninstallTakesOnlyOurs(t *testing.T) {
	gittest.Need(t)
	dir := gittest.Init(t, map[string]string{"a": "1\n"})
	hooks := filepath.Join(dir, ".git", "hooks")
	hook := func(name string) string { return filepath.Join(hooks, name) }
	writeScript(t, hook("post-commit"), "#!/usr/bin/awk -f\nBEGIN { exit }\n", 0o755)
	r := hooked(t, dir)
	if _, err := r.Hooks.Install(HookCommands{Here: "true"}); err != nil {
		t.Fatal(err)
	}
	edited, err := os.ReadFile(hook("post-commit"))
	if err != nil {
		t.Fatal(err)
	}
	writeScript(t, hook("post-commit"), strings.Replace(string(edited), "#!/bin/sh\n", "#!/bin/sh\necho mine\n", 1),
		0o755)
	for from, to := range map[string]string{"post-merge": "post-merge.legacy", "post-checkout": "post-checkout.old"} {
		if err := os.Rename(hook(from), hook(to)); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "post-rewrite")
	if err := os.Rename(hook("post-rewrite"), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, hook("post-rewrite")); err != nil {
		t.Fatal(err)
	}
	changed, err := r.Hooks.Uninstall()
	if err != nil || len(changed) != 3 {
		t.Errorf("%q, %v", changed, err)
	}
	after := strings.Join(folderOf(t, hooks), "\n")
	if text, err := os.ReadFile(hook("post-commit")); err != nil || !strings.Contains(string(text), "echo mine\n") ||
		!strings.Contains(string(text), "exec \"$0"+".before-locsync") ||
		strings.Contains(string(text), "# added by locsync") {
		t.Errorf("%s, %v", text, err)
	}
	if strings.Contains(after, ".legacy") || strings.Contains(after, ".old") ||
		!strings.Contains(after, "post-commit"+".before-locsync") || !strings.Contains(after, "-> "+elsewhere) {
		t.Errorf("left:\n%s", after)
	}
	if err := os.Mkdir(hook("post-merge"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Hooks.Install(HookCommands{Here: "true"}); err == nil || !strings.Contains(err.Error(),
		"it is a folder; move it away") {
		t.Errorf("%v", err)
	}
}

// A linked worktree's hooks ring for commits in it: in the common folder, or in its own copy of a folder that the
// repository names.
func TestHooksOfALinkedWorktree(t *testing.T) {
	gittest.Need(t)
	for name, hooksPath := range map[string]string{"common": "", "named": ".githooks"} {
		t.Run(name, func(t *testing.T) {
			dir := gittest.Init(t, map[string]string{"a": "1\n"})
			if hooksPath != "" {
				gittest.Git(t, dir, "config", "core.hooksPath", hooksPath)
			}
			linked := filepath.Join(t.TempDir(), "linked")
			gittest.Git(t, dir, "worktree", "add", "-q", linked)
			log := filepath.Join(t.TempDir(), "log")
			command := "echo rung >>'" + log + "'"
			if _, err := hooked(t, linked).Hooks.Install(HookCommands{Here: command, Team: command}); err != nil {
				t.Fatal(err)
			}
			gittest.Commit(t, linked, "second", map[string]string{"a": "2\n"})
			rung(t, log, "rung\n")
		})
	}
}
