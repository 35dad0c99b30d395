// Package repository opens a git repository on this disk: where its parts are, what its configuration says, its
// objects, references and commits, its working trees, and the git program run in it. It asks no remote.
package repository

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/gitops/history"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/run"
)

// Options says how a repository is used. The zero value is a local repository without a remote.
type Options struct {
	// Remote is the remote's name in the repository's configuration. "" keeps everything local.
	Remote string

	// Optional keeps everything local where the remote is not configured.
	Optional bool

	// Username and Password answer an http remote that asks who we are, before git's credential helpers are asked. A
	// user in the remote's address comes first.
	Username, Password string

	// Git is the git program: "" looks it up in PATH.
	Git string

	// Trust accepts a repository that belongs to another user of this machine. Without it the rule is git's: refused,
	// unless safe.directory in the user's or the system's configuration names it.
	Trust bool

	// Signing says how commits are signed. The zero value: as git's configuration says.
	Signing Signing

	// Silence is for how long a call may stand still before it is given up with a *run.Silent; run.DefaultSilence when
	// it is not above 0. How long it takes while it moves is bounded by its context only.
	Silence time.Duration

	// Alive, when not nil, is told at every step, and while a call moves eight times in Silence: a watchdog's sign that
	// what takes long does not hang. It may be called from several goroutines, never after the call, and must not block.
	Alive func()

	// Now is the clock of the lines in reference logs; default time.Now. Files are judged by their own clock.
	Now func() time.Time

	// Done, when not nil, is told of everything that was asked of a remote and of every commit: which operation (list,
	// fetch, blobs, commit, push), how it ended (ok, nothing, moved, busy, refused, auth, untrusted, unavailable,
	// interrupted, failed) and how long it took. It may be called from several goroutines.
	Done func(op, outcome string, took time.Duration)
}

// Signing says how commits are signed.
type Signing struct {
	// Never makes commits without a signature, whatever git's configuration says.
	Never bool
	// KeyFile is the private key of an ssh key pair without a passphrase; commits are signed with it whatever git's
	// configuration says. "": as git's configuration says (commit.gpgSign, gpg.*, user.signingKey).
	KeyFile string
}

// Facts are what a repository is, for messages and decisions outside.
type Facts struct {
	GitDir    string // HEAD, index, operations in progress; where a state folder may live
	CommonDir string // objects and branches; differs from GitDir in a linked worktree
	WorkTree  string // "" when bare
	Bare      bool
	Shallow   bool   // history is cut off somewhere
	Partial   bool   // blobs may be missing here and promised by a remote
	RemoteURL string // of Options.Remote, without credentials; "" when it is not configured

	GitProgram, GitVersion string
}

// Repository is one repository on this disk.
type Repository struct {
	Options  Options
	Facts    Facts
	Settings Settings
	Git      *run.Program
	Objects  *object.Store
	Refs     *ref.Store
	History  *history.Graph
	Step     func(string) // called between the steps of a write; the tests end the process there

	// The remote's addresses as git reads url, pushurl and insteadOf: where it is fetched from, "" where there is none,
	// and where it is pushed to.
	URL      string
	PushURLs func() ([]string, error)

	// Listed is what a remote said of references that were listed along with others, until they are asked for.
	Listed atomic.Pointer[Listing]

	life context.Context // Open's, for what has no context of its own
}

// Listing is what a remote said of some references at one time.
type Listing struct {
	Address string
	At      time.Time
	Asked   []string               // full names
	Refs    map[string]object.Name // of those, and of HEAD's branch, what is there; full names
	Head    string                 // the full name of that branch; "" when it is not said
}

// Open finds the repository that dir is in and judges whether it can be used.
func Open(ctx context.Context, dir string, o Options) (*Repository, error) {
	o.setDefaults()
	r := &Repository{Options: o, life: ctx, Step: func(string) {}}
	ctx, end := run.Watch{Silence: o.Silence, Alive: o.Alive}.Begin(ctx)
	defer end()

	git, f, set, err := locate(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	r.Git, r.Settings = git, set
	if err := r.open(ctx, f); err != nil {
		return nil, fmt.Errorf("open repository %s: %w", dir, err)
	}
	return r, nil
}

// CommonDir is the git folder of the repository that dir is in, as Facts have it, where nothing else of it is needed.
func CommonDir(ctx context.Context, dir string, o Options) (string, error) {
	o.setDefaults()
	ctx, end := run.Watch{Silence: o.Silence, Alive: o.Alive}.Begin(ctx)
	defer end()
	git, err := run.Find(ctx, o.Git)
	if err != nil {
		return "", fmt.Errorf("open repository %s: %w", dir, err)
	}
	if common, is := ordinary(dir); is {
		return common, nil
	}
	f, err := find(ctx, git, dir, o.Trust)
	return f.commonDir, located(err)
}

// locate finds the git program and the repository that dir is in.
func locate(ctx context.Context, dir string, o Options) (*run.Program, found, Settings, error) {
	git, err := run.Find(ctx, o.Git)
	if err != nil {
		return nil, found{}, nil, fmt.Errorf("open repository %s: %w", dir, err)
	}
	f, set, err := described(ctx, git, dir, o.Trust)
	return git, f, set, located(err)
}

func located(err error) error {
	if err == nil || errors.Is(err, ErrNotRepo) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf("open repository: %w", err)
}

func (o *Options) setDefaults() {
	if o.Silence <= 0 {
		o.Silence = run.DefaultSilence
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Alive == nil {
		o.Alive = func() {}
	}
}

// open opens what is in the common dir.
func (r *Repository) open(ctx context.Context, f found) (err error) {
	set := r.Settings
	if r.Options.Optional && !set.HasRemote(r.Options.Remote) {
		r.Options.Remote = ""
	}
	format := object.SHA1
	if set.Get("extensions.objectformat") == object.SHA256.String() {
		format = object.SHA256
	}
	r.Objects = object.Open(filepath.Join(f.commonDir, "objects"), format, r.Git)
	storage := set.Get("extensions.refstorage")
	r.Refs = &ref.Store{Git: r.Git, Dir: f.commonDir, ByGit: storage != "" && storage != "files", Now: r.Options.Now,
		Step: func(what string) { r.Step(what) }}
	r.History = &history.Graph{Life: r.life, Git: r.Git, Dir: f.commonDir, Objects: r.Objects}
	r.Facts = Facts{GitDir: f.gitDir, CommonDir: f.commonDir, Shallow: r.History.Shallow(), Partial: set.Promisor() != "",
		GitProgram: r.Git.Path, GitVersion: r.Git.Version}
	if from, err := r.urls(ctx, false); err != nil {
		return err
	} else if len(from) > 0 { // the others are for pushes
		r.URL, r.Facts.RemoteURL = from[0], run.Redact(from[0])
	}
	r.PushURLs = sync.OnceValues(func() ([]string, error) { return r.urls(r.life, true) })
	if r.Facts.WorkTree = f.workTree; f.workTree == "" && f.gitDir == f.commonDir { // a git folder was named
		r.Facts.WorkTree = r.mainTree()
	}
	r.Facts.Bare = r.Facts.WorkTree == "" && f.gitDir == f.commonDir
	return nil
}

// urls are the addresses that the remote has for pushes, or for all else. git is asked where its configuration replaces
// some.
func (r *Repository) urls(ctx context.Context, push bool) ([]string, error) {
	if !r.Settings.HasRemote(r.Options.Remote) {
		return nil, nil
	}
	configured := r.Settings["remote."+r.Options.Remote+".url"]
	args := []string{"remote", "get-url", "--all"}
	if push {
		args = append(args, "--push")
		if own := r.Settings["remote."+r.Options.Remote+".pushurl"]; len(own) > 0 {
			configured = own
		}
	}
	if !r.Settings.insteadOf() && !slices.Contains(configured, "") {
		return configured, nil
	}
	out, err := r.Run(ctx, run.Call{Args: append(args, "--", r.Options.Remote)})
	if _, is := errors.AsType[*run.Error](err); is {
		// What is wrong is told where the remote is needed. Until then the addresses are as they are configured.
		return r.Settings["remote."+r.Options.Remote+".url"], nil
	}
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == '\n' }), err
}

// configuredTree is core.worktree, which is relative to the git folder.
func configuredTree(set Settings, gitDir string) string {
	tree := set.Get("core.worktree")
	if tree == "" || filepath.IsAbs(tree) {
		return tree
	}
	return filepath.Join(gitDir, tree)
}

// Head gives the checked-out branch, "" when HEAD names a commit, and its commit.
func (r *Repository) Head() (branch string, commit object.Name, err error) {
	branch, commit, err = r.HeadOf(r.Facts.GitDir)
	if err != nil {
		err = fmt.Errorf("read HEAD of %s: %w", r.Facts.GitDir, err)
	}
	return branch, commit, err
}

// HeadOf is Head of one of the repository's git folders.
func (r *Repository) HeadOf(gitDir string) (string, object.Name, error) {
	target, h, err := r.Refs.Head(gitDir)
	if err != nil || target == "" {
		return "", h, err
	}
	if h, _, err = r.Refs.Read(target); err != nil {
		return "", object.Name{}, err
	}
	return strings.TrimPrefix(target, "refs/heads/"), h, nil
}

// Branch is the value of a branch here; "" has none.
func (r *Repository) Branch(name string) (object.Name, bool, error) {
	if name == "" {
		return object.Name{}, false, nil
	}
	return r.Refs.Read("refs/heads/" + name)
}

// Tracking is the reference here for a branch of the remote: where the remote's refspecs put it, else one
// of ours.
func (r *Repository) Tracking(branch string) string {
	name := r.Settings.tracking(r.Options.Remote, branch)
	if strings.HasPrefix(name, "refs/") && name != "refs/heads/"+branch {
		return name
	}
	return "refs/locsync-remotes/" + r.Options.Remote + "/" + branch
}

// Outbox is where a commit of a branch waits for its delivery.
func Outbox(branch string) string { return "refs/locsync-outbox/" + branch }

// ObjectsDir is the folder of objects.
func (r *Repository) ObjectsDir() string { return filepath.Join(r.Facts.CommonDir, "objects") }

// LFSProgress is where git LFS tells how far it is; "" where no filter is configured.
func (r *Repository) LFSProgress() string {
	if !r.Settings.HasFilters() {
		return ""
	}
	return filepath.Join(r.Facts.GitDir, "locsync-lfs-progress")
}

// Run runs git in the git folder, so that no file of the working tree is looked at.
func (r *Repository) Run(ctx context.Context, c run.Call) ([]byte, error) {
	out, _, err := r.RunBoth(ctx, c)
	return out, err
}

// RunBoth is Run with what git says beside its output.
func (r *Repository) RunBoth(ctx context.Context, c run.Call) (stdout []byte, stderr string, err error) {
	c.Dir, c.Objects = r.Facts.GitDir, r.ObjectsDir()
	c.Env = append(c.Env, "GIT_DIR="+r.Facts.GitDir)
	return r.Git.RunBoth(ctx, c)
}

// RunInTree runs git in a working tree, whose git folder is given.
func (r *Repository) RunInTree(ctx context.Context, tree, gitDir string, c run.Call) ([]byte, error) {
	c.Dir, c.Objects = tree, r.ObjectsDir() // a partial clone fetches what it checks out
	c.Env = append(c.Env, "GIT_DIR="+gitDir, "GIT_WORK_TREE="+tree)
	return r.Git.Run(ctx, c)
}

// RunHere runs git in the working tree.
func (r *Repository) RunHere(ctx context.Context, c run.Call) ([]byte, error) {
	return r.RunInTree(ctx, r.Facts.WorkTree, r.Facts.GitDir, c)
}

// Watch is the context of one call, which ends when it is silent for too long.
func (r *Repository) Watch(ctx context.Context) (_ context.Context, end func()) {
	return run.Watch{Silence: r.Options.Silence, Alive: r.Options.Alive}.Begin(ctx, r.Objects.Reads.Load)
}

// WatchRead is Watch for what reads a file without a context. Where that is a part of another call, the other one
// moves with it.
func (r *Repository) WatchRead() (_ context.Context, end func()) {
	return run.Watch{Silence: r.Options.Silence, Alive: func() {
		r.Objects.Reads.Add(1)
		r.Options.Alive()
	}}.Begin(r.life)
}

// inProgress are the marks that git leaves in a git folder while it is in the middle of something.
var inProgress = []struct{ name, what string }{
	{"rebase-merge", "rebase"},
	{"rebase-apply/applying", "am"},
	{"rebase-apply", "rebase"},
	{"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"sequencer", "sequence of picks"},
	{"BISECT_LOG", "bisect"},
	{"index.lock", "index.lock"},
}

// BusyIn says what git is in the middle of in a git folder; "" when it is idle.
func BusyIn(gitDir string) string {
	for _, mark := range inProgress {
		if _, err := os.Lstat(filepath.Join(gitDir, mark.name)); err == nil {
			return mark.what
		}
	}
	return ""
}
