package gitops

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/locsync/locsync/gitops/content"
	"github.com/locsync/locsync/gitops/hook"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/remote"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
	"github.com/locsync/locsync/gitops/tree"
)

// Repo is one repository on this disk. Its methods may be called from several goroutines; what they do to references is
// serialised with every other process of this package by a lock in the repository.
type Repo struct {
	Branches *remote.Branches // of the remote and of this repository, as they are known here
	History  History
	Hooks    hook.Hooks
	Clone    Clone // what is done to a repository of OpenClone only

	repo *repository.Repository

	treeOnce sync.Once
	tree     *os.Root // the working tree, opened at first use
	treeErr  error
	closed   func() // see OnClose; nil for none
}

// Open finds the repository that dir is in (a working tree, a linked worktree, a submodule, or a bare repository; also
// from a folder inside one) and judges whether it can be used. What files of a Tip take from a remote or through a
// content filter ends with ctx too, because reading them has no context of its own.
//
// Errors: ErrGit, ErrNotRepo, ErrUnsupported (the format, by name), ErrOwner. That the remote is not configured is not
// an error before it is needed.
func Open(ctx context.Context, dir string, o Options) (*Repo, error) {
	repo, err := repository.Open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	if repo.Facts.Partial {
		repo.Objects.Absent = func(k object.Kind, h hash) ([]byte, error) { return remote.Absent(repo, k, h) }
	}
	branches := remote.BranchesOf(repo)
	return &Repo{repo: repo, Branches: branches, History: History{repo}, Clone: Clone{repo, branches},
		Hooks: hook.Hooks{Facts: repo.Facts, Settings: repo.Settings}}, nil
}

// CommonDir is the git folder of the repository that dir is in, as Facts have it, where nothing else of it is needed.
func CommonDir(ctx context.Context, dir string, o Options) (string, error) {
	return repository.CommonDir(ctx, dir, o)
}

// OnClose has a function called after the repository was closed.
func (r *Repo) OnClose(closed func()) { r.closed = closed }

// Close lets go of the files that were opened. A Tip of this repository cannot be read after it.
func (r *Repo) Close() error {
	if r.closed != nil {
		defer r.closed()
	}
	r.repo.Objects.Close()
	if r.tree == nil {
		return nil
	}
	return r.tree.Close()
}

// Facts says what kind of repository this is.
func (r *Repo) Facts() Facts { return r.repo.Facts }

// HasRemote says whether the repository's configuration has an address for a remote, whether it can be reached or not.
func (r *Repo) HasRemote(name string) bool { return r.repo.Settings.HasRemote(name) }

// Address is the remote's address for pushes as git's configuration gives it (with insteadOf followed), without
// password; "" when there is no remote.
func (r *Repo) Address() string {
	if to, err := r.repo.PushURLs(); err == nil && len(to) > 0 {
		return run.Redact(to[0])
	}
	return ""
}

// Head gives the checked-out branch, "" when HEAD names a commit, and its commit, "" when the branch has none yet.
func (r *Repo) Head() (branch string, commit string, err error) {
	branch, h, err := r.repo.Head()
	return branch, h.Text(), err
}

// Resolve gives the commit that a name means in git: a branch, a tag, a commit, HEAD~3.
func (r *Repo) Resolve(ctx context.Context, name string) (commit string, err error) {
	ctx, end := r.repo.Watch(ctx)
	defer end()
	out, err := r.repo.Run(ctx, run.Call{Args: []string{"rev-parse", "--verify", "--end-of-options", name + "^{commit}"}})
	return strings.TrimSpace(string(out)), err
}

// Busy says what git is in the middle of in this working tree: "rebase", "merge", "cherry-pick", "revert", "bisect",
// "am", "index.lock"; "" when it is idle. While it is not, files of the working tree may be absent or old.
func (r *Repo) Busy() string { return repository.BusyIn(r.repo.Facts.GitDir) }

// Worktree gives the files as they are in the working tree (see tree.Disk); those that a sparse checkout leaves out, as
// the index has them. ErrUnsupported for a bare repository.
func (r *Repo) Worktree() (fs.FS, error) {
	facts := r.repo.Facts
	if facts.WorkTree == "" {
		return nil, fmt.Errorf("a working tree is %w by the bare repository %s; read a branch instead", ref.ErrUnsupported,
			facts.GitDir)
	}
	r.treeOnce.Do(func() { r.tree, r.treeErr = os.OpenRoot(facts.WorkTree) })
	if r.treeErr != nil {
		return nil, fmt.Errorf("open working tree: %w", r.treeErr)
	}
	disk := tree.Disk(r.tree, r.repo.Options.Alive)
	if !r.repo.Settings.Bool("core.sparsecheckout", false) {
		return disk, nil
	}
	leftOut, err := r.leftOut()
	if err != nil {
		return nil, fmt.Errorf("read what the sparse checkout leaves out: %w", err)
	}
	return tree.Over(disk, leftOut), nil
}

// MayPush asks the remote whether we may push, by beginning a push and hanging up before anything is said. A yes is
// about the repository: a protected branch or a hook may still refuse. Without Options.Remote there is nothing to ask.
func (r *Repo) MayPush(ctx context.Context) error {
	name := r.repo.Options.Remote
	if name == "" {
		return nil
	}
	ctx, end := r.repo.Watch(ctx)
	defer end()
	to, err := remote.To(r.repo)
	if err == nil {
		err = to.Rehearse(ctx)
	}
	if err != nil {
		return fmt.Errorf("ask %s whether we may push: %w", name, outcome.WithRemedy(err))
	}
	return nil
}

// TrySigning signs something as a commit of that person would be, and throws it away. signs is false where commits are
// not signed. The error is ErrSign, as it would be of Commit.
func (r *Repo) TrySigning(ctx context.Context, who Person) (signs bool, err error) {
	ctx, end := r.repo.Watch(ctx)
	defer end()
	if !mustSign(r.repo) {
		return false, nil
	}
	none := r.repo.Objects.Format.New(object.Tree, nil)
	on := &Tip{repo: r.repo, files: content.New(r.repo, none.Name, time.Time{}, nil)}
	_, err = on.commitObject(ctx, none.Name, []object.Object{none}, Message{Text: "not a commit", Author: who},
		r.repo.Options.Now())
	return true, err
}

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

// Wait is the next attempt to reach a remote that fails in a way that may pass.
type Wait = remote.Wait

// Patient makes a context whose calls go on for so long where a remote fails in a way that may pass. told hears of each
// wait, and with nil of its end.
func Patient(ctx context.Context, most time.Duration, told func(*Wait)) context.Context {
	return remote.Patient(ctx, most, told)
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

// Received says whether a file came with the repository that its folder is in: a remote has it, from another person
// than the one who commits here.
func Received(ctx context.Context, file string) bool {
	git, err := run.Find(ctx, "")
	if err != nil {
		return false
	}
	dir := filepath.Dir(file)
	author, err := git.Run(ctx, run.Call{Dir: dir, Args: []string{"log", "-1", "--remotes", "--diff-filter=A",
		"--format=<%ae>", "--", ":(literal)" + filepath.Base(file)}})
	if err != nil || len(author) == 0 {
		return false
	}
	own, err := git.Run(ctx, run.Call{Dir: dir, Args: []string{"var", "GIT_AUTHOR_IDENT"}})
	return err != nil || !bytes.Contains(own, bytes.TrimSpace(author))
}

// SafeDirectory says whether safe.directory, in the user's or the system's git configuration, accepts that a
// folder belongs to another user.
func SafeDirectory(ctx context.Context, dir string) bool {
	git, err := run.Find(ctx, "")
	return err == nil && repository.Safe(ctx, git, dir)
}
