package gitops

import (
	"context"
	"path/filepath"
	"time"

	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
)

// OldestGit is the oldest git program that is enough.
const OldestGit = run.OldestGit

// DefaultSilence is Options.Silence where none is given.
const DefaultSilence = run.DefaultSilence

// Command is one run of the git program.
type Command = run.Command

// Tracing makes a context whose git commands are told of when they begin; what is returned is called when they end.
func Tracing(ctx context.Context, told func(Command) (ended func(took time.Duration, err error))) context.Context {
	return run.Tracing(ctx, told)
}

// CheckGit finds the git program, and says which it is. The error is ErrGit where there is none that is new enough.
func CheckGit(ctx context.Context) (path, version string, err error) {
	p, err := run.Find(ctx, "")
	if err != nil {
		return "", "", err
	}
	return p.Path, p.Version, nil
}

// Withhold keeps environment variables from every hook, filter and helper, as those that begin with LOCSYNC_ are.
func Withhold(names ...string) { run.Withhold(names...) }

// Tracked says whether a file is in the index of the repository that its folder belongs to.
func Tracked(ctx context.Context, file string) bool {
	git, err := run.Find(ctx, "")
	if err != nil {
		return false
	}
	_, err = git.Run(ctx, run.Call{Dir: filepath.Dir(file), Args: []string{"ls-files", "--error-unmatch", "--",
		":(literal)" + filepath.Base(file)}})
	return err == nil
}

// SafeDirectory says whether safe.directory, in the user's or the system's git configuration, accepts that a
// folder belongs to another user.
func SafeDirectory(ctx context.Context, dir string) bool {
	git, err := run.Find(ctx, "")
	return err == nil && repository.Safe(ctx, git, dir)
}
