package repository

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/run"
)

// Errors of opening.
var (
	ErrNotRepo = errors.New("not a git repository")
	ErrOwner   = errors.New("the repository belongs to another user")
)

// found is where a repository's parts are.
type found struct {
	gitDir    string // HEAD, index, state of operations in progress
	commonDir string // objects, branches, configuration; gitDir unless this is a linked worktree
	workTree  string // the working tree that the folder is in; "" when it is in none
}

// find asks git for the repository that a folder is in, and whether it may be used: its format, its references, its
// owner. One that belongs to another user may be where trust says so, or safe.directory; git is told then.
func find(ctx context.Context, git *run.Program, dir string, trust bool) (f found, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return f, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return f, fmt.Errorf("%s: %w", dir, errors.Unwrap(err))
	} else if err != nil {
		return f, err
	}
	args := []string{"-c", "safe.bareRepository=all"}
	if trust {
		args = append(args, "-c", "safe.directory=*")
	}
	out, err := git.Run(ctx, run.Call{Dir: dir, Env: []string{"GIT_DISCOVERY_ACROSS_FILESYSTEM=1"}, Args: append(args,
		"rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--show-toplevel")})
	lines := strings.Split(string(out), "\n")
	if failed, ok := errors.AsType[*run.Error](err); ok && len(lines) < 3 { // there is no top level in a git folder
		return f, refused(dir, failed)
	} else if err != nil && !ok {
		return f, err
	}
	if f = (found{gitDir: lines[0], commonDir: lines[1]}); err == nil {
		f.workTree = lines[2]
	}
	if f.gitDir, err = filepath.EvalSymlinks(f.gitDir); err == nil {
		f.commonDir, err = filepath.EvalSymlinks(f.commonDir)
	}
	f.trustIn(git, trust)
	return f, err
}

// trustIn has the git program take the repository's owner for one of its own, where that is wanted.
func (f *found) trustIn(git *run.Program, trust bool) {
	if trust {
		git.Trust = cmp.Or(f.workTree, f.gitDir)
	}
}

// refused gives git's words about a repository that it does not open their type.
func refused(dir string, failed *run.Error) error {
	says := func(words string) bool { return strings.Contains(failed.Stderr, words) }
	switch {
	case says("dubious ownership"):
		return fmt.Errorf("%s: %w, and its configuration is code; if you trust it: trust_owner = true in the project, or "+
			"git config --global --add safe.directory FOLDER: %w", dir, ErrOwner, failed)
	case says("or any of the parent directories"), says("or any parent up to mount point"):
		return fmt.Errorf("%s: %w; name a working tree or a bare repository, or run git init there", dir, ErrNotRepo)
	case says("not a git repository"), says("invalid gitfile format"):
		return fmt.Errorf("%s: %w; name a working tree or a bare repository: %w", dir, ErrNotRepo, failed)
	case says("unknown repository extension"), says("v1-only extension"), says("Expected git repo version"),
		says("invalid value for 'extensions"):
		return fmt.Errorf("%s is %w by this git: %w", dir, ref.ErrUnsupported, failed)
	}
	return fmt.Errorf("%s: %w", dir, failed)
}

// Safe says whether safe.directory, in the user's or the system's configuration, names a folder.
func Safe(ctx context.Context, git *run.Program, dir string) bool {
	var all []string
	for _, scope := range []string{"--system", "--global"} {
		// Exit status 1 is "not set" and any other is a file we may not read: no permission either way.
		out, err := git.Run(ctx, run.Call{Args: []string{"config", scope, "-z", "--get-all", "safe.directory"}})
		if err == nil {
			all = append(all, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")...)
		}
	}
	return slices.ContainsFunc(afterEmpty(all), func(safe string) bool {
		under, ok := strings.CutSuffix(safe, "/*")
		return safe == "*" || ok && strings.HasPrefix(dir, under+"/") || filepath.Clean(safe) == dir
	})
}

// afterEmpty is what is left of a list in git's configuration, where an empty value starts it anew.
func afterEmpty(values []string) []string {
	if i := slices.Index(values, ""); i >= 0 {
		return afterEmpty(values[i+1:])
	}
	return values
}
