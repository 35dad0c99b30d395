package gitops

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/locsync/locsync/gitops/object"
)

// Tip is a commit as a file system, and the place in a branch where the next commit goes. It never changes: a branch
// that moves has another Tip.
//
// Names are found exactly first; a name that differs only in Unicode composition or letter case finds the entry that
// is there, as it would on the systems where such a branch is checked out. ReadFile, ReadDir and Open follow symbolic
// links inside the tree; Stat, Lstat and ReadDir's entries show the link itself. A submodule is an empty folder. A
// blob that a partial clone left out is ErrUnfetched, never fs.ErrNotExist: not here is not deleted. What a content
// filter stores (git LFS) reads as people see it. Safe for concurrent use.
type Tip struct {
	repo   *Repo
	branch string
	commit hash // zero: not committed, the outcome of a merge in memory
	tree   hash
	when   time.Time
	lease  lease // what the branch's place of delivery held when this was read
	here   hash  // what the local branch held then
	isNew  bool
	note   string
	base   *Tip

	parents []hash                 // of a commit on this tip
	extra   map[hash]object.Object // objects that are in no store, and trees that were just made
	there   []hash                 // commits that were seen at the remote

	mu     sync.Mutex
	dirs   map[hash]*dir
	listed map[hash]uint64     // the path under which each folder was listed first
	copies map[uint64]struct{} // the other paths under which folders were listed

	readMu    sync.Mutex
	attrs     map[string]attributes // of files that were read
	attrFiles map[string][]byte     // .gitattributes, by folder
}

// lease is the value that a branch must have where a commit is delivered: at the remote, or here when remote is "".
type lease struct {
	remote string
	at     hash // zero: the branch must not exist
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

// Note is what people should know about the local branch of that name, and of a base that the remote does not have;
// "" for nothing.
func (t *Tip) Note() string { return t.note }

// Base is the tip of the base branch, read with the same request; nil when At was given none and found none.
func (t *Tip) Base() *Tip { return t.base }

// Same says whether two tips have the same files, whatever commits led to them.
func (t *Tip) Same(o *Tip) bool { return t.tree == o.tree }

// When is the commit's time.
func (t *Tip) When() time.Time { return t.when }

// Contains says whether the tip is a commit, given in hexadecimal, or has it in its history; the outcome of a merge has
// what both sides have. A commit that is not in this repository is in no history.
func (t *Tip) Contains(commit string) (bool, error) {
	for _, h := range t.parents {
		if in, err := t.repo.Contains(h.Text(), commit); in || err != nil {
			return in, err
		}
	}
	return false, nil
}

// dir is a tree with its names at hand.
type dir struct {
	entries []entry
	exact   map[string]int
	near    map[string]int // by folded name; -1 where two names fold together
}

var (
	_ fs.ReadDirFS  = (*Tip)(nil)
	_ fs.ReadFileFS = (*Tip)(nil)
	_ fs.StatFS     = (*Tip)(nil)
	_ fs.ReadLinkFS = (*Tip)(nil)
)

func (t *Tip) readObject(k object.Kind, h hash) ([]byte, error) {
	if o, ok := t.extra[h]; ok {
		return o.Data, nil
	}
	return t.repo.objects.ReadAs(k, h)
}

func (t *Tip) readTree(h hash) (*dir, error) {
	t.mu.Lock()
	d := t.dirs[h]
	t.mu.Unlock()
	if d != nil {
		return d, nil
	}
	d = &dir{}
	if !object.IsEmptyTree(h) {
		data, err := t.readObject(object.Tree, h)
		if err != nil {
			return nil, err
		}
		if d.entries, err = t.repo.objects.Format.ParseTree(data); err != nil {
			return nil, err
		}
	}
	d.exact = make(map[string]int, len(d.entries))
	for i, e := range d.entries {
		d.exact[e.Name] = i
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dirs == nil {
		t.dirs = map[hash]*dir{}
	}
	t.dirs[h] = d
	return d, nil
}

// mostCopies is under how many paths equal folders may be listed before a tree counts as one without an end.
const mostCopies = 200_000

// bounded ends a walk that a few objects make endless: equal folders in one another, each under ever more paths.
func (t *Tip) bounded(name string, tree hash) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.listed == nil {
		t.listed, t.copies = map[hash]uint64{}, map[uint64]struct{}{}
	}
	id := maphash.String(pathSeed, name)
	if first, known := t.listed[tree]; !known {
		t.listed[tree] = id
	} else if first != id {
		t.copies[id] = struct{}{}
	}
	if len(t.copies) > mostCopies {
		return fmt.Errorf("the tree has the same folders under more than %d paths, which no working tree could hold", mostCopies)
	}
	return nil
}

var pathSeed = maphash.MakeSeed()

// find gives the entry of a name, or of the one name that differs only in composition or case.
func (t *Tip) find(d *dir, name string) (entry, bool) {
	if i, ok := d.exact[name]; ok {
		return d.entries[i], true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if d.near == nil {
		d.near = make(map[string]int, len(d.entries))
		for i, e := range d.entries {
			folded := foldName(e.Name)
			if _, twice := d.near[folded]; twice {
				i = -1
			}
			d.near[folded] = i
		}
	}
	if i, ok := d.near[foldName(name)]; ok && i >= 0 {
		return d.entries[i], true
	}
	return entry{}, false
}

func foldName(name string) string {
	plain := true
	for i := range len(name) {
		plain = plain && name[i] < 0x80
	}
	if plain {
		return strings.ToLower(name)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
}

// lookup finds the entry at a path. Links on the way are followed as long as they stay inside; the last name only when
// follow is set. At the root the entry is a folder without a name.
//
// It goes as a file system goes: .. in a link leads to the folder above the one that was reached, not above the one
// that was written, which is another one behind a link to a folder.
func (t *Tip) lookup(name string, follow bool) (entry, error) {
	t.repo.o.Alive()
	if len(name) > longestPath {
		return entry{}, fmt.Errorf("the path is longer than the %d bytes that systems allow", longestPath)
	}
	way := []entry{{Mode: object.ModeDir, Hash: t.tree}} // from the root to where we are
	ahead := strings.Split(name, "/")
	for links := 0; len(ahead) > 0; {
		at, part := way[len(way)-1], ahead[0]
		ahead = ahead[1:]
		switch {
		case at.Mode == object.ModeModule:
			return entry{}, fs.ErrNotExist // another repository; never entered
		case !at.IsDir():
			return entry{}, errNotDir
		case part == "." || part == "":
			continue
		case part == ".." && len(way) == 1:
			return entry{}, fmt.Errorf("symbolic link that leaves the repository: %w", fs.ErrNotExist)
		case part == "..":
			way = way[:len(way)-1]
			continue
		}
		d, err := t.readTree(at.Hash)
		if err != nil {
			return entry{}, err
		}
		e, ok := t.find(d, part)
		if !ok {
			return entry{}, fs.ErrNotExist
		}
		if e.Mode != object.ModeLink || len(ahead) == 0 && !follow {
			way = append(way, e)
			continue
		}
		if links++; links > 40 {
			return entry{}, errors.New("too many symbolic links")
		}
		target, err := t.blob(e.Hash)
		if err != nil {
			return entry{}, err
		}
		if path.IsAbs(string(target)) || len(target) == 0 {
			return entry{}, fmt.Errorf("symbolic link to %q leaves the repository: %w", target, fs.ErrNotExist)
		}
		ahead = append(strings.Split(string(target), "/"), ahead...)
	}
	return way[len(way)-1], nil
}

// longestPath is what Linux takes; others take less.
const longestPath = 4096

var errNotDir = errors.New("not a folder")

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// Open opens a file or folder, following links inside the tree.
func (t *Tip) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, pathError("open", name, fs.ErrInvalid)
	}
	e, err := t.lookup(name, true)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	info := t.info(path.Base(name), e)
	if info.IsDir() {
		return &openDir{t: t, name: name, info: info}, nil
	}
	data, err := t.content(name, e.Hash)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	info.size, info.sized = int64(len(data)), true
	return &openFile{Reader: bytes.NewReader(data), info: info}, nil
}

// ReadFile reads a whole file, following links inside the tree. The bytes are the caller's.
func (t *Tip) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, pathError("open", name, fs.ErrInvalid)
	}
	e, err := t.lookup(name, true)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	if e.IsDir() || e.Mode == object.ModeModule {
		return nil, pathError("read", name, errors.New("is a folder"))
	}
	data, err := t.content(name, e.Hash)
	return data, pathError("read", name, err)
}

// ReadDir lists a folder by name.
func (t *Tip) ReadDir(name string) ([]fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return nil, pathError("open", name, fs.ErrInvalid)
	}
	e, err := t.lookup(name, true)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	if e.Mode == object.ModeModule {
		return nil, nil
	}
	if !e.IsDir() {
		return nil, pathError("readdir", name, errNotDir)
	}
	d, err := t.readTree(e.Hash)
	if err == nil {
		err = t.bounded(name, e.Hash)
	}
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	list := make([]fs.DirEntry, len(d.entries))
	for i, e := range d.entries {
		list[i] = t.info(e.Name, e)
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list, nil
}

// Stat describes a name; a symbolic link is described as such, like Lstat.
func (t *Tip) Stat(name string) (fs.FileInfo, error) { return t.stat("stat", name) }

// Lstat describes a name without following a link.
func (t *Tip) Lstat(name string) (fs.FileInfo, error) { return t.stat("lstat", name) }

func (t *Tip) stat(op, name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, pathError(op, name, fs.ErrInvalid)
	}
	e, err := t.lookup(name, false)
	if err != nil {
		return nil, pathError(op, name, err)
	}
	return t.info(path.Base(name), e), nil
}

// ReadLink gives the target of a symbolic link.
func (t *Tip) ReadLink(name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", pathError("readlink", name, fs.ErrInvalid)
	}
	e, err := t.lookup(name, false)
	if err == nil && e.Mode != object.ModeLink {
		err = fs.ErrInvalid
	}
	if err != nil {
		return "", pathError("readlink", name, err)
	}
	target, err := t.blob(e.Hash)
	return string(target), pathError("readlink", name, err)
}

// tipInfo describes one entry. The size is looked up when it is asked for.
type tipInfo struct {
	t     *Tip
	name  string
	entry entry
	size  int64
	sized bool
}

func (t *Tip) info(name string, e entry) *tipInfo { return &tipInfo{t: t, name: name, entry: e} }

func (i *tipInfo) Name() string               { return i.name }
func (i *tipInfo) ModTime() time.Time         { return i.t.when }
func (i *tipInfo) IsDir() bool                { return i.entry.IsDir() || i.entry.Mode == object.ModeModule }
func (i *tipInfo) Sys() any                   { return nil }
func (i *tipInfo) Type() fs.FileMode          { return i.Mode().Type() }
func (i *tipInfo) Info() (fs.FileInfo, error) { return i, nil }
func (i *tipInfo) String() string             { return fs.FormatDirEntry(i) }

func (i *tipInfo) Mode() fs.FileMode {
	switch {
	case i.IsDir():
		return fs.ModeDir | 0o755
	case i.entry.Mode == object.ModeLink:
		return fs.ModeSymlink | 0o777
	case i.entry.Mode&0o111 != 0:
		return 0o755
	}
	return 0o644
}

func (i *tipInfo) Size() int64 {
	if i.sized || i.IsDir() {
		return i.size
	}
	if o, ok := i.t.extra[i.entry.Hash]; ok {
		return int64(len(o.Data))
	}
	_, n, _ := i.t.repo.objects.Size(i.entry.Hash) // a blob that is not here: 0, and reading it tells why
	return n
}

type openFile struct {
	*bytes.Reader
	info *tipInfo
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	t    *Tip
	name string
	info *tipInfo
	rest []fs.DirEntry
	read bool
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, pathError("read", d.name, errors.New("is a folder"))
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if !d.read {
		list, err := d.t.ReadDir(d.name)
		if err != nil {
			return nil, err
		}
		d.rest, d.read = list, true
	}
	if n <= 0 || n > len(d.rest) {
		if n > 0 && len(d.rest) == 0 {
			return nil, io.EOF
		}
		n = len(d.rest)
	}
	list := d.rest[:n:n]
	d.rest = d.rest[n:]
	return list, nil
}
