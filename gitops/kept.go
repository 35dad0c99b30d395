package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/content"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/remote"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/tree"
)

// Kept is a reference of ours with a small tree of files that travels beside the branches: refs/locsync/NAME here, and
// the same or a branch at the remote. It is replaced only as it was read, here and there.
//
// Its commits have the one that they replace as a parent, and those whose trees they hold: git keeps these then,
// whatever becomes of their branches. A clone of any depth gets the whole tree with the one commit.
type Kept struct {
	repo        *repository.Repository
	here, there string // names of the reference; there is "" where it stays here

	branches *remote.Branches
	// branch and base, which are asked for next
	branchNames []string
}

// Where a kept reference is at the remote.
type Keeping string

// The ways.
const (
	KeepRef    Keeping = "remote" // refs/locsync/NAME
	KeepBranch Keeping = "branch" // a branch locsync/NAME
	KeepHere   Keeping = "local"  // nowhere
)

// Kept is the reference of a name, which may hold any characters.
func (r *Repo) Kept(name string, where Keeping) Kept {
	name = refName(name)
	k := Kept{repo: r.repo, here: "refs/locsync/" + name, branches: r.Branches}
	switch {
	case r.repo.Options.Remote == "":
	case where == KeepRef:
		k.there = k.here
	case where == KeepBranch:
		k.there = "refs/heads/locsync/" + name
	}
	return k
}

// refName writes a name so that it can be one part of a reference.
func refName(name string) string {
	var b strings.Builder
	for i, c := range []byte(name) {
		plain := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_' ||
			c == '.' && i > 0 && name[i-1] != '.' && i < len(name)-1 || c >= 0x80
		if plain {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if strings.HasSuffix(b.String(), ".lock") {
		return strings.TrimSuffix(b.String(), ".lock") + "%2Elock"
	}
	return b.String()
}

// ListedWith is the same reference, which is listed at the remote together with a branch and its base: who reads these
// next asks no second time.
func (k Kept) ListedWith(branch, base string) Kept {
	k.branchNames = []string{branch, base}
	return k
}

// Travels says whether the reference is at a remote, too.
func (k Kept) Travels() bool { return k.there != "" }

// Name is what the reference is called at the remote, or where it stays here, here.
func (k Kept) Name() string {
	if k.there != "" {
		return k.there
	}
	return k.here
}

// Here is the commit that the reference holds here; "" for none, and where it holds something else.
func (k Kept) Here() (commit string, err error) {
	h, ok, err := k.repo.Refs.Read(k.here)
	if err != nil || !ok {
		return "", err
	}
	if _, err := k.repo.Objects.ReadAs(object.Commit, h); err != nil {
		return "", nil
	}
	return h.Text(), nil
}

// Seen is the commit that the reference held at the remote when that was fetched last; "" where it was not fetched, as
// git does by itself with branches only.
func (k Kept) Seen() (commit string, err error) {
	branch, is := strings.CutPrefix(k.there, "refs/heads/")
	if !is {
		return "", nil
	}
	return k.Published(branch)
}

// There asks the remote which commit the reference holds; "" for none.
func (k Kept) There(ctx context.Context) (commit string, err error) {
	if k.there == "" {
		return "", nil
	}
	ctx, end := k.repo.Watch(ctx)
	defer end()
	branches, err := k.branches.Named(k.branchNames)
	if err != nil {
		return "", err
	}
	h, err := remote.Value(ctx, k.repo, k.there, branches...)
	return h.Text(), err
}

// mostShared is how many commits of a reference are looked through for one that two go on from.
const mostShared = 1000

// Shared is the youngest commit of the reference that two of its commits go on from; "" where it is not here.
func (k Kept) Shared(one, other string) (commit string, err error) {
	next := [2]string{one, other}
	passed := [2]map[string]bool{make(map[string]bool), make(map[string]bool)}
	for range mostShared {
		for i, at := range next {
			if passed[1-i][at] {
				return at, nil
			}
			if at == "" {
				continue
			}
			passed[i][at] = true
			if passed[1-i][at] {
				return at, nil
			}
			c, err := k.before(at)
			if err != nil {
				return "", err
			}
			next[i] = ""
			if len(c.Parents) > 0 {
				next[i] = c.Parents[0].Text()
			}
		}
	}
	return "", nil
}

// Fetch brings what the remote has by now, and says which commit that is; "" for none. known is what There found.
func (k Kept) Fetch(ctx context.Context, known string) (commit string, err error) {
	ctx, end := k.repo.Watch(ctx)
	defer end()
	for try := 0; ; try++ {
		h, _ := object.Parse(known)
		if h.IsZero() || k.repo.Objects.Has(h) {
			return known, nil
		}
		if try == 5 {
			return "", fmt.Errorf("fetch %s: %w: it moves faster than it can be read", k.there, ErrMoved)
		}
		if err := remote.FetchValue(ctx, k.repo, k.there); err != nil {
			return "", err
		}
		if k.repo.Objects.Has(h) {
			return known, nil
		}
		known, err = k.There(ctx)
		if err != nil {
			return "", err
		}
	}
}

// Published is the commit of a branch as those who get the reference can have it: as the remote had it when it was seen
// last, or where the reference stays here, as it is here. "" where there is none.
func (k Kept) Published(branch string) (commit string, err error) {
	h, ok := object.Name{}, false
	switch {
	case branch == "":
	case k.repo.Options.Remote == "":
		h, ok, err = k.repo.Branch(branch)
	default:
		h, ok, err = k.repo.Refs.Read(k.repo.Tracking(branch))
	}
	if err != nil || !ok || !k.repo.Objects.Has(h) {
		return "", err
	}
	return h.Text(), nil
}

// Has says whether a commit is here.
func (k Kept) Has(commit string) bool {
	h, ok := object.Parse(commit)
	return ok && k.repo.Objects.Has(h)
}

// Folder is a folder of a commit as a file system of its own, which reads its files as a tip with this tree would;
// nil where there is none.
func (k Kept) Folder(commit, folder string) (fs.FS, error) {
	h, _ := object.Parse(commit)
	tip, err := tipAt(k.repo, "", h)
	if err != nil {
		return nil, err
	}
	e, err := tip.files.FS.Lookup(folder, false)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !e.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Tip{repo: k.repo, files: content.New(k.repo, e.Hash, tip.When(), nil)}, nil
}

// Content is what a kept reference is to hold.
type Content struct {
	Folder  string            // that is replaced; what is beside it stays
	Files   map[string][]byte // by path in the folder
	Trees   map[string]string // commits whose trees are to be in the folder, by path in it
	Message string
}

// Write makes the commit that the reference is to hold after another one, and moves it here from old. "" as the commit
// says that the content is the same as before.
func (k Kept) Write(ctx context.Context, after, old string, c Content) (commit string, err error) {
	ctx, end := k.repo.Watch(ctx)
	defer end()
	commit, err = k.write(ctx, after, old, c)
	if err != nil {
		return "", fmt.Errorf("write %s: %w", k.here, outcome.WithRemedy(err))
	}
	return commit, nil
}

func (k Kept) write(ctx context.Context, after, old string, c Content) (string, error) {
	objects, format := k.repo.Objects, k.repo.Objects.Format
	before, err := k.before(after)
	if err != nil {
		return "", err
	}
	e := tree.NewEdit(&tree.FS{Root: before.Tree, Store: objects, Alive: k.repo.Options.Alive})
	changes, parents, err := k.changes(e, before.Tree, c)
	if err != nil {
		return "", err
	}
	root, err := e.Apply(changes)
	if err != nil {
		return "", err
	}
	if root == before.Tree && !before.Hash.IsZero() {
		return "", nil
	}
	list, err := e.Needed(root)
	if err != nil {
		return "", err
	}
	if !before.Hash.IsZero() {
		parents = slices.Insert(parents, 0, before.Hash)
	}
	when := k.repo.Options.Now().Truncate(time.Second)
	if seconds := before.When; when.Unix() <= seconds {
		when = time.Unix(seconds+1, 0).UTC()
	}
	made := format.New(object.Commit, encodeCommit(root, parents, Message{Text: c.Message}, when))
	if err := k.repo.Refs.Sweep(); err != nil {
		return "", err
	}
	release, err := objects.WritePack(ctx, append(list, made))
	if err != nil {
		return "", err
	}
	defer release()
	k.repo.Step("kept packed")
	return made.Name.Text(), k.move(ctx, old, made.Name)
}

// before is the commit that is replaced; one that is not here, or none, has an empty tree.
func (k Kept) before(commit string) (*object.CommitData, error) {
	h, ok := object.Parse(commit)
	if !ok || !k.repo.Objects.Has(h) {
		return &object.CommitData{}, nil
	}
	return k.repo.History.Commit(h)
}

// changes are what makes the content of a tree, and the commits whose trees it holds.
func (k Kept) changes(e *tree.Edit, root hash, c Content) (changes []tree.Change, parents []hash, err error) {
	keep := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		o := k.repo.Objects.Format.New(object.Blob, c.Files[name])
		e.Add(o)
		changes = append(changes, tree.Change{Path: path.Join(c.Folder, name), Mode: object.ModeFile, Blob: o.Name})
		keep[path.Join(c.Folder, name)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(c.Trees)) {
		h, _ := object.Parse(c.Trees[name])
		of, err := k.repo.History.Commit(h)
		if err != nil {
			return nil, nil, err
		}
		if !slices.Contains(parents, h) {
			parents = append(parents, h)
		}
		changes = append(changes, tree.Change{Path: path.Join(c.Folder, name), Mode: object.ModeDir, Blob: of.Tree})
		keep[path.Join(c.Folder, name)] = true
	}
	gone, err := k.listed(root, "", c.Folder, keep)
	for _, name := range gone {
		changes = append(changes, tree.Change{Path: name})
	}
	return changes, parents, err
}

// listed are the paths below a folder of a tree that are not to stay.
func (k Kept) listed(root hash, at, folder string, keep map[string]bool) (gone []string, err error) {
	if root.IsZero() {
		return nil, nil
	}
	entries, err := k.repo.Objects.Entries(root)
	for _, e := range entries {
		name := path.Join(at, e.Name)
		within := name == folder || strings.HasPrefix(name, folder+"/")
		switch {
		case err != nil || keep[name]:
		case e.IsDir() && (within || strings.HasPrefix(folder, name+"/")) && strings.Count(name, "/") < keptDepth:
			var below []string
			below, err = k.listed(e.Hash, name, folder, keep)
			gone = append(gone, below...)
		case within:
			gone = append(gone, name)
		}
	}
	return gone, err
}

// keptDepth is how deep the folders of a kept tree are, but for the trees of commits in it.
const keptDepth = 3

// Move lets the reference here hold another commit than old.
func (k Kept) Move(ctx context.Context, old, to string) error {
	h, _ := object.Parse(to)
	return k.move(ctx, old, h)
}

func (k Kept) move(ctx context.Context, old string, to hash) error {
	h, there, err := k.repo.Refs.Read(k.here)
	if err != nil {
		return err
	}
	if from, _ := object.Parse(old); there && h != from {
		if _, err := k.repo.Objects.ReadAs(object.Commit, h); err == nil {
			return &ref.Moved{Name: k.here, Want: from, Have: h}
		}
	}
	return k.repo.Refs.Swap(ctx, k.here, h, to, "memory")
}

// Push delivers a commit to the remote, where the reference must hold old. Its errors are those of Repo.Push.
func (k Kept) Push(ctx context.Context, old, commit string) error {
	ctx, end := k.repo.Watch(ctx)
	defer end()
	from, _ := object.Parse(old)
	to, _ := object.Parse(commit)
	_, err := remote.Send(ctx, k.repo, remote.Update{Ref: k.there, Old: from, To: to})
	if err != nil {
		return fmt.Errorf("push %s: %w", k.there, outcome.WithRemedy(err))
	}
	return nil
}
