package gitops

import (
	"context"
	"io/fs"
	"math"
	"time"

	"github.com/locsync/locsync/gitops/content"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/repository"
)

// hash is the name of an object.
type hash = object.Name

// Tip is a commit as a file system, and where in a branch the next commit goes. It never changes: a branch
// that moves has another Tip.
//
// Names are found as tree.FS says. A blob that a partial clone left out is ErrUnfetched, never fs.ErrNotExist: not here
// is not deleted. What a content filter stores (git LFS) reads as people see it. Safe for concurrent use.
type Tip struct {
	repo   *repository.Repository
	files  *content.Files
	branch string
	commit hash // zero: not committed, the outcome of a merge in memory
	lease  lease
	here   hash // what the local branch held when this was read
	isNew  bool
	note   string
	base   *Tip

	parents []hash // of a commit on this tip
	there   []hash // commits that were seen at the remote
}

// lease is the value that a branch must have where a commit is delivered: at the remote, or here when remote is "".
type lease struct {
	remote string
	at     hash // zero: the branch must not exist
}

// tipAt makes the tip of a commit that is in the store.
func tipAt(repo *repository.Repository, branch string, h hash) (*Tip, error) {
	c, err := repo.History.Commit(h)
	if err != nil {
		return nil, err
	}
	return tipOf(repo, branch, c), nil
}

// knownTip is tipAt of what is looked at only, and never built on.
func knownTip(repo *repository.Repository, branch string, h hash) (*Tip, error) {
	c, err := repo.History.Known(h)
	if err != nil {
		return nil, err
	}
	return tipOf(repo, branch, c), nil
}

func tipOf(repo *repository.Repository, branch string, c *object.CommitData) *Tip {
	return &Tip{repo: repo, branch: branch, commit: c.Hash, parents: []hash{c.Hash},
		lease: lease{remote: repo.Options.Remote}, files: content.New(repo, c.Tree, time.Unix(c.When, 0), nil)}
}

// Hash is the commit in hexadecimal; "" for the outcome of a merge that is not committed yet.
func (t *Tip) Hash() string { return t.commit.Text() }

// Branch is the branch that was asked for, also when it does not exist yet.
func (t *Tip) Branch() string { return t.branch }

// New says that the branch does not exist, neither here nor at the remote: this is the tip of the base that it will
// start from.
func (t *Tip) New() bool { return t.isNew }

// Unpublished reports whether the remote lacks what is here of the branch: it was deleted there, or set back, and the
// commits that are gone there with it are all ours. Push delivers such a tip.
func (t *Tip) Unpublished() bool { return t.lease.remote != "" && !t.isNew && t.lease.at != t.commit }

// OnlyHere reports whether the branch is here, and the remote has none of that name.
func (t *Tip) OnlyHere() bool { return t.Unpublished() && t.lease.at == hash{} }

// Note is what people should know about the local branch of that name, and of a base that the remote does not have;
// "" for nothing.
func (t *Tip) Note() string { return t.note }

// Base is the tip of the base branch, read with the same request; nil when At was given none and found none.
func (t *Tip) Base() *Tip { return t.base }

// Same says whether two tips have the same files, whatever commits led to them.
func (t *Tip) Same(o *Tip) bool { return t.root() == o.root() }

func (t *Tip) root() hash { return t.files.FS.Root }

// When is the commit's time.
func (t *Tip) When() time.Time { return t.files.FS.When }

// Contains says whether the tip is a commit, given in hexadecimal, or has it in its history; the outcome of a merge has
// what both sides have. A commit that is not in this repository is in no history.
func (t *Tip) Contains(commit string) (bool, error) {
	for _, h := range t.parents {
		if in, err := (History{t.repo}).Contains(h.Text(), commit); in || err != nil {
			return in, err
		}
	}
	return false, nil
}

// Writable says why Commit would refuse a path on this tip: an ErrPath (*BadPaths) with the reason, or an error of
// reading. Nil when it would not.
func (t *Tip) Writable(name string) error { return t.files.Writable(name) }

// Prefetch brings the blobs of files that a partial clone has left out here, all in one request. enter says which
// folders may hold such files. Where nothing is missing, or the repository is not partial, no remote is asked.
func (t *Tip) Prefetch(ctx context.Context, enter, wanted func(path string) bool) error {
	return t.files.Prefetch(ctx, enter, wanted)
}

// Content is what a file had in another commit, by the content's name, with the filters that apply to its path in this
// one.
func (t *Tip) Content(path, name string) ([]byte, error) {
	h, _ := object.Parse(name)
	return t.files.Read(path, h, math.MaxInt64)
}

// IsContent reports whether bytes are the content with a name.
func (t *Tip) IsContent(data []byte, name string) bool {
	return t.repo.Objects.Format.New(object.Blob, data).Name.Text() == name
}

// Open opens a file or folder, following links inside the tree.
func (t *Tip) Open(name string) (fs.File, error) { return t.files.FS.Open(name) }

// ReadFile reads a whole file, following links inside the tree. The bytes are the caller's.
func (t *Tip) ReadFile(name string) ([]byte, error) { return t.files.FS.ReadFile(name) }

// ReadAtMost is ReadFile for a file that is stored with at most so many bytes. A larger one is not read, and a
// *bound.Exceeded.
func (t *Tip) ReadAtMost(name string, most int64) ([]byte, error) {
	return t.files.FS.ReadAtMost(name, most)
}

// ReadDir lists a folder by name.
func (t *Tip) ReadDir(name string) ([]fs.DirEntry, error) { return t.files.FS.ReadDir(name) }

// Stat describes a name; a symbolic link is described as such, like Lstat.
func (t *Tip) Stat(name string) (fs.FileInfo, error) { return t.files.FS.Stat(name) }

// Lstat describes a name without following a link.
func (t *Tip) Lstat(name string) (fs.FileInfo, error) { return t.files.FS.Lstat(name) }

// ReadLink gives the target of a symbolic link.
func (t *Tip) ReadLink(name string) (string, error) { return t.files.FS.ReadLink(name) }
