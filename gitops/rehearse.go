package gitops

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/locsync/locsync/gitops/object"
)

// What a pass needs of the outside can be tried without a pass: for somebody who wants to know whether it would work,
// or why it does not.

// MayPush asks the remote whether we may push, by beginning a push and hanging up before anything is said. A yes is
// about the repository: a protected branch or a hook may still refuse. Without Options.Remote there is nothing to
// ask.
//
// Errors: those of At.
func (r *Repo) MayPush(ctx context.Context) error {
	if r.o.Remote == "" {
		return nil
	}
	ctx, end := r.watch(ctx)
	defer end()
	rem, err := r.pushRemote()
	if err == nil {
		err = rem.rehearse(ctx)
	}
	if err != nil {
		return fmt.Errorf("ask %s whether we may push: %w", r.o.Remote, withRemedy(err))
	}
	return nil
}

// TrySigning signs something as a commit of that person would be, and throws it away. signs is false where commits
// are not signed. The error is ErrSign, as it would be of Commit.
func (r *Repo) TrySigning(ctx context.Context, who Person) (signs bool, err error) {
	ctx, end := r.watch(ctx)
	defer end()
	if !r.signs() {
		return false, nil
	}
	none := r.objects.Format.New(object.Tree, nil)
	_, err = r.commitObject(ctx, &Tip{repo: r}, none.Name, []object.Object{none}, Message{Text: "not a commit", Author: who}, r.now())
	return true, err
}

// Hook is one of the hooks after which files or branches may be others.
type Hook struct {
	File      string
	Installed bool // it has our line, and git runs it
	Old       bool // the line calls something else than InstallHooks would have it call now
}

// Hooks tells which hooks have the line that InstallHooks with the same commands makes.
func (r *Repo) Hooks(commands HookCommands) ([]Hook, error) {
	dir, team, err := r.hookFolder()
	if err != nil {
		return nil, err
	}
	line := hookLine(commands, team)
	var all []Hook
	for _, name := range r.hookNames() {
		h := Hook{File: filepath.Join(dir, name)}
		for _, file := range []string{h.File, h.File + legacyHook} {
			info, err := os.Lstat(file)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			script, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("read the hook %s: %w", file, err)
			}
			if strings.Contains(string(script), hookMark) {
				h.File, h.Installed, h.Old = file, runs(info, dir), !strings.Contains(string(script), line)
			}
		}
		all = append(all, h)
	}
	return all, nil
}

// runs says whether git runs a hook: husky calls its own by sh, so they need not be executable.
func runs(info fs.FileInfo, dir string) bool {
	return executable(info) || filepath.Base(dir) == ".husky"
}
