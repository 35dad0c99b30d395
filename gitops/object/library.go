package object

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// library reads packs and loose objects with go-git. Its storage is not used: that wants packs to be named by their
// content, and opens lenders anew for each object. What is here is what was here at the first read.
type library struct {
	dir string

	mu     sync.Mutex // go-git's readers are for one goroutine each
	opened bool
	packs  []*libraryPack
	bases  cache.Object
}

// mostIndexes bounds the indexes that are read into memory: reading more of them takes longer than asking git.
const mostIndexes = 4 << 20

// deltaBases bounds what is kept of the objects that deltas are built on.
const deltaBases = 16 * cache.MiByte

// errElsewhere is an object that another reader is to read.
var errElsewhere = errors.New("left to the git program")

// libraryPack is one pack. Its file is opened at first use and kept: a repack cannot take it away then.
type libraryPack struct {
	path  string // without extension
	index *idxfile.MemoryIndex
	file  *os.File
	pack  *packfile.Packfile
}

// open reads the indexes of the packs. A repository that borrows objects, and one with large indexes, has none here.
func (l *library) open() error {
	if l.opened {
		return nil
	}
	l.opened = true
	if _, err := os.Lstat(filepath.Join(l.dir, "info", "alternates")); err == nil {
		return nil
	}
	indexes, err := filepath.Glob(filepath.Join(GlobEscape(l.dir), "pack", "pack-*.idx"))
	if err != nil {
		return err
	}
	var bytes int64
	for _, name := range indexes {
		if info, err := os.Stat(name); err == nil {
			bytes += info.Size()
		}
	}
	if bytes > mostIndexes {
		return nil
	}
	l.bases = cache.NewObjectLRU(deltaBases)
	for _, name := range indexes {
		p, err := openPack(strings.TrimSuffix(name, ".idx"))
		if err == nil {
			l.packs = append(l.packs, p)
		}
	}
	return nil
}

func openPack(path string) (*libraryPack, error) {
	f, err := os.Open(path + ".idx")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &libraryPack{path: path, index: idxfile.NewMemoryIndex()}
	return p, idxfile.NewDecoder(f).Decode(p.index)
}

// packFile is a file as go-git wants one; it is only read.
type packFile struct{ file *os.File }

func (f packFile) Name() string                             { return f.file.Name() }
func (f packFile) Read(b []byte) (int, error)               { return f.file.Read(b) }
func (f packFile) ReadAt(b []byte, at int64) (int, error)   { return f.file.ReadAt(b, at) }
func (f packFile) Seek(to int64, whence int) (int64, error) { return f.file.Seek(to, whence) }
func (f packFile) Close() error                             { return f.file.Close() }
func (packFile) Write([]byte) (int, error)                  { return 0, fs.ErrPermission }
func (packFile) Truncate(int64) error                       { return fs.ErrPermission }
func (packFile) Lock() error                                { return nil }
func (packFile) Unlock() error                              { return nil }

// reader opens the pack at its first use.
func (p *libraryPack) reader(bases cache.Object) (*packfile.Packfile, error) {
	if p.pack == nil {
		f, err := os.Open(p.path + ".pack")
		if err != nil {
			return nil, err
		}
		p.file, p.pack = f, packfile.NewPackfileWithCache(p.index, nil, packFile{f}, bases, 0)
	}
	return p.pack, nil
}

// Read implements Reader. A large object is errElsewhere.
func (l *library) Read(n Name) (k Kind, data []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() {
		if broken := recover(); broken != nil { // bytes on a disk may be anything
			err = fmt.Errorf("read pack: %v", broken)
		}
	}()
	if err := l.open(); err != nil {
		return 0, nil, err
	}
	h := plumbing.Hash(n.Bytes())
	for i, p := range l.packs {
		offset, err := p.index.FindOffset(h)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue
		}
		if err != nil {
			return 0, nil, err
		}
		l.packs[0], l.packs[i] = p, l.packs[0] // the pack that answered comes first next time
		return l.unpack(p, h, offset)
	}
	return readLoose(filepath.Join(l.dir, n.String()[:2], n.String()[2:]), largeRead)
}

// unpack reads a small object from a pack.
func (l *library) unpack(p *libraryPack, h plumbing.Hash, offset int64) (Kind, []byte, error) {
	r, err := p.reader(l.bases)
	if err != nil {
		return 0, nil, err
	}
	size, delta, err := p.head(offset)
	if err == nil && delta && size <= largeRead {
		size, err = r.GetSizeByOffset(offset) // the header of a delta has the delta's length
	}
	if err != nil || size > largeRead {
		return 0, nil, errors.Join(errElsewhere, err)
	}
	o, err := r.Get(h)
	if err != nil {
		return 0, nil, err
	}
	content, err := o.Reader()
	if err != nil {
		return 0, nil, err
	}
	defer content.Close()
	data := make([]byte, o.Size())
	_, err = io.ReadFull(content, data)
	return o.Type(), data, err
}

// head reads the length in the header at an offset (gitformat-pack), and whether it is that of a delta. go-git would
// unpack a large delta to find it out.
func (p *libraryPack) head(offset int64) (size int64, delta bool, err error) {
	var b [10]byte
	n, err := p.file.ReadAt(b[:], offset)
	if n == 0 {
		return 0, false, err
	}
	kind := plumbing.ObjectType(b[0] >> 4 & 7)
	size = int64(b[0] & 15)
	for i, shift := 1, 4; i < n && b[i-1]&0x80 != 0; i, shift = i+1, shift+7 {
		size |= int64(b[i]&0x7f) << shift
	}
	return size, kind.IsDelta(), nil
}

// Size implements Reader.
func (l *library) Size(n Name) (Kind, int64, error) {
	k, data, err := l.Read(n)
	return k, int64(len(data)), err
}

// Close implements Reader.
func (l *library) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, p := range l.packs {
		if p.pack != nil {
			errs = append(errs, p.pack.Close())
		}
	}
	l.packs, l.opened = nil, false
	return errors.Join(errs...)
}

// readLoose reads a loose object of at most so many bytes; a larger one is errElsewhere.
func readLoose(path string, most int64) (Kind, []byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, ErrMissing
	}
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	r, err := objfile.NewReader(f)
	if err != nil {
		return 0, nil, fmt.Errorf("loose object %s: %w", path, err)
	}
	defer r.Close()
	k, size, err := r.Header()
	if err == nil && size > most {
		return 0, nil, errElsewhere
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(r, size+1))
	}
	if err == nil && int64(len(data)) != size {
		err = errors.New("its length is not the one that its header says")
	}
	if err != nil {
		return 0, nil, fmt.Errorf("loose object %s: %w", path, err)
	}
	return k, data, nil
}

// Loose reads the loose objects of a folder of objects.
func Loose(dir string) (map[Name]Object, error) {
	objects := map[Name]Object{}
	files, err := filepath.Glob(filepath.Join(GlobEscape(dir), "[0-9a-f][0-9a-f]", "*"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		n, ok := Parse(filepath.Base(filepath.Dir(file)) + filepath.Base(file))
		if !ok {
			continue
		}
		k, data, err := readLoose(file, maxObject)
		if err != nil {
			return nil, err
		}
		objects[n] = Object{k, n, data}
	}
	return objects, nil
}
