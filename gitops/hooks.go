package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// hookMark ends the line that is ours in a hook, so that it can be found again.
const hookMark = "# added by locsync"

// keptHook is what a hook that is no shell script is called while a script of ours stands in its place and hands over
// to it.
const keptHook = ".before-locsync"

// movedHooks are the endings that hook managers give to hooks that were there before theirs: pre-commit, and lefthook.
var movedHooks = []string{legacyHook, ".old"}

// legacyHook is what pre-commit's hooks run first.
const legacyHook = ".legacy"

// hookNames are the hooks after which files or branches may be others. None of them can make git fail.
func (r *Repo) hookNames() []string {
	if r.facts.Bare {
		return []string{"post-receive"}
	}
	return []string{"post-commit", "post-merge", "post-checkout", "post-rewrite"}
}

// HookCommands are the shell commands that hooks run: Here in a hook of this machine, Team in one that people commit,
// where paths of this machine mean nothing.
type HookCommands struct{ Here, Team string }

// InstallHooks adds one line to the hooks that git runs after files or branches have changed, and returns the hooks
// that are different now. The line runs its command in the background, cut off from git's input and output, so git
// neither waits for it nor fails with it.
//
// What stands in a hook stays. The line comes first, because a hook may end with exec or exit. A hook in another
// language, a link and one that is switched off keep their file under another name, and a script in their place hands
// over to them. core.hooksPath is followed, and husky's own folder (.husky/_) means the folder above it; a folder
// that other repositories use too is refused. A hook that pre-commit has made is written anew with each `pre-commit
// install`, and runs the one that it calls legacy: the line goes there.
func (r *Repo) InstallHooks(commands HookCommands) (changed []string, err error) {
	dir, team, err := r.hookFolder()
	if err != nil {
		return nil, err
	}
	line := hookLine(commands, team)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("make the folder of the hooks: %w", err)
	}
	for _, name := range r.hookNames() {
		file := filepath.Join(dir, name)
		new, err := installHook(file, line)
		if err != nil {
			return changed, fmt.Errorf("install the hook %s: %w", file, err)
		}
		if new {
			changed = append(changed, file)
		}
	}
	return changed, nil
}

// hookLine is our line; team says that the hooks are ones that people commit.
func hookLine(commands HookCommands, team bool) string {
	command := commands.Here
	if team {
		command = commands.Team
	}
	return "{ " + command + "; } </dev/null >/dev/null 2>&1 & " + hookMark
}

// UninstallHooks takes the line out again, wherever InstallHooks may have put it, and returns the hooks that are
// different now.
func (r *Repo) UninstallHooks() (changed []string, err error) {
	dirs := []string{filepath.Join(r.facts.CommonDir, "hooks")}
	if dir, _, err := r.hookFolder(); err == nil && dir != dirs[0] {
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		for _, name := range []string{"post-commit", "post-merge", "post-checkout", "post-rewrite", "post-receive"} {
			for _, moved := range append([]string{""}, movedHooks...) {
				file := filepath.Join(dir, name+moved)
				gone, err := uninstallHook(file)
				if err != nil {
					return changed, fmt.Errorf("take the hook %s out: %w", file, err)
				}
				if gone {
					changed = append(changed, file)
				}
			}
		}
	}
	return changed, nil
}

// hookFolder is where this repository's hooks lie, and whether people commit them.
func (r *Repo) hookFolder() (dir string, team bool, err error) {
	dir = r.set.file("core.hookspath")
	if dir == "" {
		return filepath.Join(r.facts.CommonDir, "hooks"), false, nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(or(r.facts.WorkTree, r.facts.GitDir), dir)
	}
	dir = filepath.Clean(dir)
	switch {
	case within(r.facts.CommonDir, dir), within(r.facts.GitDir, dir):
		return dir, false, nil
	case r.facts.WorkTree != "" && within(r.facts.WorkTree, dir):
		if filepath.Base(dir) == "_" && filepath.Base(filepath.Dir(dir)) == ".husky" {
			dir = filepath.Dir(dir) // what lies in _ is made anew by husky and runs the hook of the same name above it
		}
		return dir, true, nil
	}
	return "", false, fmt.Errorf("core.hooksPath is %s, outside of the repository %s: a line there would run in other repositories too. "+
		"Set core.hooksPath for this repository, or call `locsync hook ring` from your hooks", dir, or(r.facts.WorkTree, r.facts.GitDir))
}

// within reports whether a path is a folder or lies in it, as it is written or once links are followed.
func within(folder, name string) bool {
	inside := func(folder, name string) bool {
		rel, err := filepath.Rel(folder, name)
		return err == nil && filepath.IsLocal(rel)
	}
	realFolder, ferr := filepath.EvalSymlinks(folder)
	realName, nerr := filepath.EvalSymlinks(name)
	return inside(folder, name) || ferr == nil && nerr == nil && inside(realFolder, realName)
}

func installHook(file, line string) (changed bool, err error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return true, writeHook(file, []byte("#!/bin/sh\n"+line+"\n"), 0o755)
	}
	if err != nil {
		return false, err
	}
	var old []byte
	if info.Mode().IsRegular() {
		if old, err = os.ReadFile(file); err != nil {
			return false, err
		}
	}
	switch {
	case info.IsDir():
		return false, errors.New("it is a folder; move it away")
	case bytes.Contains(old, []byte(hookMark)):
		new := addLine(withoutLine(old), line)
		return !bytes.Equal(old, new), writeHookIf(!bytes.Equal(old, new), file, new, info.Mode())
	case bytes.Contains(old, []byte("File generated by pre-commit")):
		return installHook(file+legacyHook, line)
	case info.Mode().IsRegular() && info.Mode()&0o111 != 0 && isShell(old), path.Base(filepath.ToSlash(filepath.Dir(file))) == ".husky":
		return true, writeHook(file, addLine(old, line), info.Mode())
	}
	if _, err := os.Lstat(file + keptHook); err == nil {
		return false, fmt.Errorf("there is a %s already; look whether it is still wanted and move it away", filepath.Base(file)+keptHook)
	}
	if err := os.Rename(file, file+keptHook); err != nil {
		return false, err
	}
	return true, writeHook(file, addLine([]byte(handOver), line), 0o755)
}

// handOver is the script in the place of a kept hook, without our line.
const handOver = "#!/bin/sh\nif [ -x \"$0" + keptHook + "\" ]; then exec \"$0" + keptHook + "\" \"$@\"; fi\n"

// uninstallHook takes our line out of a hook, and our script with it where nobody has added to it. A link is not
// ours: where it leads to may be another repository's hook.
func uninstallHook(file string) (changed bool, err error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	old, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(old, []byte(hookMark)) {
		return false, err
	}
	switch rest := withoutLine(old); string(rest) {
	case handOver:
		if _, err := os.Lstat(file + keptHook); err == nil {
			return true, os.Rename(file+keptHook, file)
		}
		return true, os.Remove(file)
	case "", "#!/bin/sh\n":
		return true, os.Remove(file)
	default:
		return true, writeHook(file, rest, info.Mode())
	}
}

// runsItself finds a script that hands itself to another interpreter, to which a line of shell is an error.
var runsItself = regexp.MustCompile(`(?m)\bexec["']?[ \t][^\n]*[ \t]["']?\$\{?0\}?["']?([ \t]|$)`)

// isShell reports whether the line that we add means to a hook's interpreter what it means to a shell. Without #! git
// hands a hook to sh.
func isShell(script []byte) bool {
	if runsItself.Match(script) {
		return false
	}
	first, _, _ := bytes.Cut(script, []byte("\n"))
	command, ok := bytes.CutPrefix(first, []byte("#!"))
	if !ok {
		return !bytes.Contains(script, []byte{0})
	}
	words := strings.Fields(string(command))
	if len(words) > 1 && path.Base(words[0]) == "env" {
		words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") || strings.Contains(w, "=") })
	}
	return len(words) > 0 && slices.Contains([]string{"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"}, path.Base(words[0]))
}

// addLine puts a line behind the #! of a script, or first.
func addLine(script []byte, line string) []byte {
	at := 0
	if bytes.HasPrefix(script, []byte("#!")) {
		if end := bytes.IndexByte(script, '\n'); end >= 0 {
			at = end + 1
		} else {
			script, at = append(script[:len(script):len(script)], '\n'), len(script)+1
		}
	}
	return slices.Concat(script[:at], []byte(line+"\n"), script[at:])
}

// withoutLine takes our lines out.
func withoutLine(script []byte) []byte {
	var rest []byte
	for line := range bytes.Lines(script) {
		if !bytes.Contains(line, []byte(hookMark)) {
			rest = append(rest, line...)
		}
	}
	return rest
}

func writeHookIf(needed bool, file string, content []byte, mode fs.FileMode) error {
	if !needed {
		return nil
	}
	return writeHook(file, content, mode)
}

// writeHook replaces a hook in one step: git may run it at any moment.
func writeHook(file string, content []byte, mode fs.FileMode) error {
	temp, err := os.CreateTemp(filepath.Dir(file), ".locsync-hook-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(content)
	err = errors.Join(err, temp.Chmod(mode.Perm()), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
