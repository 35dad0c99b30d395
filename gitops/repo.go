package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/gitops/history"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/run"
)

// Repo is one repository on this disk. Its methods may be called from several goroutines; what they do to references is
// serialised with every other process of this package by a lock in the repository.
type Repo struct {
	o     Options
	life  context.Context // Open's, for what fs.FS and others without a context of their own fetch
	facts Facts
	git   *run.Program
	set   settings
	*place
	filters bool // some content filter is configured

	defaultBranch atomic.Pointer[string] // the remote's, when it was listed last

	treeOnce sync.Once
	tree     *os.Root // the working tree, opened at first use
	treeErr  error
}

// place is the part of a repository that is written to.
type place struct {
	common  string
	objects *object.Store
	refs    ref.Store
	history *history.Graph
	perm    object.Permissions
	now     func() time.Time
	step    func(string) // called between the steps of a write; the tests end the process there
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

// Open finds the repository that dir is in (a working tree, a linked worktree, a submodule, or a bare repository; also
// from a folder inside one) and judges whether it can be used.
//
// What files of a Tip take from a remote or through a content filter ends with ctx too, because reading them has no
// context of its own.
//
// Errors: ErrGit, ErrNotRepo, ErrUnsupported (the format, by name), ErrOwner. That the remote is not configured is no
// error before it is needed.
func Open(ctx context.Context, dir string, o Options) (*Repo, error) {
	o.setDefaults()
	life := ctx
	ctx, end := run.Watch{Silence: o.Silence, Alive: o.Alive}.Begin(ctx)
	defer end()

	f, err := findRepository(dir)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	git, err := run.Find(ctx, o.Git)
	if err != nil {
		return nil, fmt.Errorf("open repository %s: %w", dir, err)
	}
	safe, err := checkOwner(ctx, f, git, o.Trust)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	if safe {
		git.Trust = or(f.workTree, f.gitDir)
	}
	if err := checkFormat(ctx, git, f.commonDir); err != nil {
		return nil, fmt.Errorf("open repository %s: %w", dir, err)
	}
	set, err := readSettings(ctx, git, f.gitDir)
	if err != nil {
		return nil, fmt.Errorf("open repository %s: %w", dir, err)
	}
	p, err := openPlace(f.commonDir, set, git, o.Now)
	if err != nil {
		return nil, fmt.Errorf("open repository %s: %w", dir, err)
	}
	r := &Repo{o: o, life: life, git: git, set: set, place: p, filters: set.hasFilters()}
	r.facts = factsOf(f, set, git, o.Remote, p.history.Shallow())
	if r.facts.Partial {
		p.objects.Absent = r.absent
	}
	return r, nil
}

func (o *Options) setDefaults() {
	if o.Silence <= 0 {
		o.Silence = DefaultSilence
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Alive == nil {
		o.Alive = func() {}
	}
}

func factsOf(f found, set settings, git *run.Program, remote string, shallow bool) Facts {
	facts := Facts{GitDir: f.gitDir, CommonDir: f.commonDir, WorkTree: f.workTree, Shallow: shallow}
	linked := f.gitDir != f.commonDir
	if !linked {
		if tree := set.get("core.worktree"); tree != "" {
			if !filepath.IsAbs(tree) {
				tree = filepath.Join(f.gitDir, tree)
			}
			facts.WorkTree = filepath.Clean(tree)
		} else if f.workTree == "" && filepath.Base(f.gitDir) == ".git" && !set.bool("core.bare", false) {
			facts.WorkTree = filepath.Dir(f.gitDir)
		}
		if set.bool("core.bare", facts.WorkTree == "") {
			facts.Bare, facts.WorkTree = true, ""
		}
	}
	facts.Partial = set.has("extensions.partialclone")
	for key := range set {
		if strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor") && set.bool(key, false) {
			facts.Partial = true
		}
	}
	if remote != "" {
		facts.RemoteURL = run.Redact(set.remoteURL(remote))
	}
	facts.GitProgram, facts.GitVersion = git.Path, git.Version
	return facts
}

// openPlace opens the common dir of a repository for reading and writing.
func openPlace(common string, set settings, git *run.Program, now func() time.Time) (*place, error) {
	p := &place{common: common, now: now, perm: object.SharedAs(set.get("core.sharedrepository")), step: func(string) {}}
	format := object.SHA1
	if set.get("extensions.objectformat") == object.SHA256.String() {
		format = object.SHA256
	}
	p.objects = object.Open(filepath.Join(common, "objects"), format, git)
	p.objects.Perm, p.objects.Step = p.perm, func(what string) { p.step(what) }
	p.refs = openRefs(p, set, git)
	var err error
	p.history, err = history.Open(common, p.objects)
	return p, err
}

// openRefs gives the references: files, or what git makes of others.
func openRefs(p *place, set settings, git *run.Program) ref.Store {
	files := &ref.Files{Common: p.common, Perm: p.perm, Now: p.now, Step: p.objects.Step, Sweep: p.objects.Sweep,
		Logs: ref.RuleForLogs(set.get("core.logallrefupdates"), set.bool("core.logallrefupdates", false), set.bool("core.bare", false))}
	if storage := set.get("extensions.refstorage"); storage != "" && storage != "files" {
		return &ref.Program{Git: git, GitDir: p.common, Files: files}
	}
	return files
}

// Close lets go of the files that were opened. A Tip of this repository cannot be read after it.
func (r *Repo) Close() error {
	err := r.objects.Close()
	if r.tree != nil {
		err = errors.Join(err, r.tree.Close())
	}
	return err
}

// Facts says what kind of repository this is.
func (r *Repo) Facts() Facts { return r.facts }

// HasRemote says whether the repository's configuration has an address for a remote, whether it can be reached or not.
func (r *Repo) HasRemote(name string) bool { return name != "" && r.set.remoteURL(name) != "" }

// DefaultBranch is the branch that a remote's HEAD named when it was cloned; without one, the branch that is checked
// out. "" where neither is known.
func (r *Repo) DefaultBranch(remote string) (string, error) {
	if r.HasRemote(remote) {
		prefix := "refs/remotes/" + remote + "/"
		_, symbolic, _, err := r.refs.ReadOnce(prefix + "HEAD")
		if branch, ok := strings.CutPrefix(symbolic, prefix); ok || err != nil {
			return branch, err
		}
	}
	branch, _, err := r.Head()
	return branch, err
}

// Head gives the checked-out branch, "" when HEAD names a commit, and its commit, "" when the branch has none yet.
func (r *Repo) Head() (branch string, commit string, err error) {
	branch, h, err := readHead(r.facts.GitDir, r.refs)
	if err != nil {
		return "", "", fmt.Errorf("read HEAD of %s: %w", r.facts.GitDir, err)
	}
	return branch, h.Text(), nil
}

func readHead(gitDir string, refs ref.Store) (string, hash, error) {
	target, h, err := refs.Head(gitDir)
	if err != nil || target == "" {
		return "", h, err
	}
	h, _, err = refs.Read(target)
	if err != nil {
		return "", hash{}, err
	}
	return strings.TrimPrefix(target, "refs/heads/"), h, nil
}

// inProgress are the marks that git leaves in a git folder while it is in the middle of something, and what to call it.
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

// Busy says what git is in the middle of in this working tree: "rebase", "merge", "cherry-pick", "revert", "bisect",
// "am", "index.lock"; "" when it is idle. While it is not, files of the working tree may be absent or old.
func (r *Repo) Busy() string { return busyIn(r.facts.GitDir) }

func busyIn(gitDir string) string {
	for _, mark := range inProgress {
		if _, err := os.Lstat(filepath.Join(gitDir, mark.name)); err == nil {
			return mark.what
		}
	}
	return ""
}

// watch is the context of one call, which ends when it is silent for too long.
func (r *Repo) watch(ctx context.Context) (_ context.Context, end func()) {
	return run.Watch{Silence: r.o.Silence, Alive: r.o.Alive}.Begin(ctx, r.objects.Reads.Load)
}

// watchRead is watch for what reads a file without a context. Where that is a part of another call, the other one
// moves with it.
func (r *Repo) watchRead() (_ context.Context, end func()) {
	return run.Watch{Silence: r.o.Silence, Alive: func() {
		r.objects.Reads.Add(1)
		r.o.Alive()
	}}.Begin(r.life)
}
