// Package hook adds a line to the hooks of a repository that git runs after files or branches have changed, and takes
// it out again.
package hook

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/sync/bound"
)

// mark ends the line that is ours in a hook, so that it can be found again.
const mark = "# added by locsync"

// kept is what a hook that is not a shell script is called while a script of ours replaces it and hands over
// to it.
const kept = ".before-locsync"

// moved are the endings that hook managers give to hooks that were there before theirs: pre-commit, and lefthook.
var moved = []string{legacy, ".old"}

// legacy is what pre-commit's hooks run first.
const legacy = ".legacy"

// mostScript bounds one hook.
const mostScript = 1 << 20

// names are the hooks after which files or branches may be others. None of them can make git fail.
func (h Hooks) names() []string {
	if h.Facts.Bare {
		return []string{"post-receive"}
	}
	return []string{"post-commit", "post-merge", "post-checkout", "post-rewrite"}
}

// Hooks are those of one repository.
type Hooks struct {
	Facts    repository.Facts
	Settings repository.Settings
}

// Commands are the shell commands that hooks run: Here in a hook of this machine, Team in one that people commit,
// where paths of this machine mean nothing.
type Commands struct{ Here, Team string }

// Install adds one line to the hooks that git runs after files or branches have changed, and returns the hooks
// that are different now. The line runs its command in the background, cut off from git's input and output, so git
// neither waits for it nor fails with it.
//
// What is in a hook stays. The line comes first, because a hook may end with exec or exit. A hook in another
// language, a link and one that is switched off keep their file under another name, and a script instead of them hands
// over to them. A folder that other repositories use too is refused. The line goes above .husky/_, and into the hook
// that pre-commit calls legacy, because what these managers make is made anew.
func (h Hooks) Install(commands Commands) (changed []string, err error) {
	dir, team, err := h.folder()
	if err != nil {
		return nil, err
	}
	line := lineOf(commands, team)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("make the folder of the hooks: %w", err)
	}
	for _, name := range h.names() {
		file := filepath.Join(dir, name)
		new, err := install(file, line)
		if err != nil {
			return changed, fmt.Errorf("install the hook %s: %w", file, err)
		}
		if new {
			changed = append(changed, file)
		}
	}
	return changed, nil
}

// lineOf is our line; team says that the hooks are ones that people commit.
func lineOf(commands Commands, team bool) string {
	command := commands.Here
	if team {
		command = commands.Team
	}
	return "{ " + command + "; } </dev/null >/dev/null 2>&1 & " + mark
}

// Uninstall takes the line out again, wherever Install may have put it, and returns the hooks that are
// different now.
func (h Hooks) Uninstall() (changed []string, err error) {
	dirs := []string{filepath.Join(h.Facts.CommonDir, "hooks")}
	if dir, _, err := h.folder(); err == nil && dir != dirs[0] {
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		for _, name := range []string{"post-commit", "post-merge", "post-checkout", "post-rewrite", "post-receive"} {
			for _, ending := range append([]string{""}, moved...) {
				file := filepath.Join(dir, name+ending)
				gone, err := uninstall(file)
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

// folder is where this repository's hooks are, and whether people commit them.
func (h Hooks) folder() (dir string, team bool, err error) {
	dir = h.Settings.File("core.hookspath")
	if dir == "" {
		return filepath.Join(h.Facts.CommonDir, "hooks"), false, nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cmp.Or(h.Facts.WorkTree, h.Facts.GitDir), dir)
	}
	dir = filepath.Clean(dir)
	switch {
	case within(h.Facts.CommonDir, dir), within(h.Facts.GitDir, dir):
		return dir, false, nil
	case h.Facts.WorkTree != "" && within(h.Facts.WorkTree, dir):
		if filepath.Base(dir) == "_" && filepath.Base(filepath.Dir(dir)) == ".husky" {
			dir = filepath.Dir(dir) // what is in _ is made anew by husky and runs the hook of the same name above it
		}
		return dir, true, nil
	}
	return "", false, fmt.Errorf("core.hooksPath is %s, outside of the repository %s: a line there would run in other "+
		"repositories too. Set core.hooksPath for this repository, or call `locsync hook ring` from your hooks",
		dir, cmp.Or(h.Facts.WorkTree, h.Facts.GitDir))
}

// within reports whether a path is a folder or is in it, as it is written or once links are followed.
func within(folder, name string) bool {
	inside := func(folder, name string) bool {
		rel, err := filepath.Rel(folder, name)
		return err == nil && filepath.IsLocal(rel)
	}
	realFolder, ferr := filepath.EvalSymlinks(folder)
	realName, nerr := filepath.EvalSymlinks(name)
	return inside(folder, name) || ferr == nil && nerr == nil && inside(realFolder, realName)
}

func install(file, line string) (changed bool, err error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return true, writeHook(file, []byte("#!/bin/sh\n"+line+"\n"), 0o755)
	}
	if err != nil {
		return false, err
	}
	var old []byte
	if info.Mode().IsRegular() {
		if old, err = bound.ReadFile(file, mostScript); err != nil {
			return false, err
		}
	}
	switch {
	case info.IsDir():
		return false, errors.New("it is a folder; move it away")
	case bytes.Contains(old, []byte(mark)):
		new := addLine(withoutLine(old), line)
		if bytes.Equal(old, new) {
			return false, nil
		}
		return true, writeHook(file, new, info.Mode())
	case bytes.Contains(old, []byte("File generated by pre-commit")):
		return install(file+legacy, line)
	case info.Mode().IsRegular() && info.Mode()&0o111 != 0 && isShell(old),
		path.Base(filepath.ToSlash(filepath.Dir(file))) == ".husky":
		return true, writeHook(file, addLine(old, line), info.Mode())
	}
	if _, err := os.Lstat(file + kept); err == nil {
		return false, fmt.Errorf("there is a %s already; look whether it is still wanted and move it away",
			filepath.Base(file)+kept)
	}
	if err := os.Rename(file, file+kept); err != nil {
		return false, err
	}
	return true, writeHook(file, addLine([]byte(handOver), line), 0o755)
}

// handOver is the script that replaces a kept hook, without our line.
const handOver = "#!/bin/sh\nif [ -x \"$0" + kept + "\" ]; then exec \"$0" + kept + "\" \"$@\"; fi\n"

// uninstall takes our line out of a hook, and our script with it where nothing was added to it. A link is not
// ours: where it leads to may be another repository's hook.
func uninstall(file string) (changed bool, err error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	old, err := bound.ReadFile(file, mostScript)
	if err != nil || !bytes.Contains(old, []byte(mark)) {
		return false, err
	}
	switch rest := withoutLine(old); string(rest) {
	case handOver:
		if _, err := os.Lstat(file + kept); err == nil {
			return true, os.Rename(file+kept, file)
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
		words = slices.DeleteFunc(words[1:], func(w string) bool {
			return strings.HasPrefix(w, "-") || strings.Contains(w,
				"=")
		})
	}
	return len(words) > 0 && slices.Contains([]string{"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"},
		path.Base(words[0]))
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
		if !bytes.Contains(line, []byte(mark)) {
			rest = append(rest, line...)
		}
	}
	return rest
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

// State is one of the hooks after which files or branches may be others.
type State struct {
	File      string
	Installed bool // it has our line, and git runs it
	Old       bool // the line calls something else than Install would have it call now
}

// State tells which hooks have the line that Install with the same commands makes.
func (h Hooks) State(commands Commands) ([]State, error) {
	dir, team, err := h.folder()
	if err != nil {
		return nil, err
	}
	line := lineOf(commands, team)
	var all []State
	for _, name := range h.names() {
		at := State{File: filepath.Join(dir, name)}
		for _, file := range []string{at.File, at.File + legacy} {
			info, err := os.Lstat(file)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			script, err := bound.ReadFile(file, mostScript)
			if err != nil {
				return nil, fmt.Errorf("read the hook %s: %w", file, err)
			}
			if strings.Contains(string(script), mark) {
				at.File, at.Installed, at.Old = file, runs(info, dir), !strings.Contains(string(script), line)
			}
		}
		all = append(all, at)
	}
	return all, nil
}

// runs says whether git runs a hook: husky calls its own by sh, so they need not be executable, and on Windows none
// has.
func runs(info fs.FileInfo, dir string) bool {
	return info.Mode()&0o111 != 0 || filepath.Base(dir) == ".husky" || runtime.GOOS == "windows"
}
