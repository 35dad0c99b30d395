package gitops

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/klauspost/compress/zlib"
)

// Reading objects: from pack files through their indexes (packread.go), else loose ones; in the repository's own object
// folder, then in every folder that it borrows from (objects/info/alternates).
//
// We read packs ourselves because the library loads the whole index of every pack before the first object, opens lenders
// anew for each object, and does not notice a repack. Here a lookup is a binary search on disk, nothing is resident but 1
// kB a pack, and a miss looks at the folder once more before it counts.

type (
	hash = plumbing.Hash
	kind = plumbing.ObjectType
)

const (
	kindCommit = plumbing.CommitObject
	kindTree   = plumbing.TreeObject
	kindBlob   = plumbing.BlobObject
	kindTag    = plumbing.TagObject
)

// errMissing is an object that is in none of the folders.
var errMissing = errors.New("object not found")

// maxObject bounds what one object may claim to be, so that a damaged header does not become an allocation.
const maxObject = 2 << 30

func parseHash(s string) (hash, bool) {
	if !plumbing.IsHash(s) || len(s) != 40 {
		return hash{}, false
	}
	return plumbing.NewHash(s), true
}

// text is the hash in hexadecimal, "" for none.
func text(h hash) string {
	if h.IsZero() {
		return ""
	}
	return h.String()
}

// store reads the objects of one repository. Safe for concurrent use.
type store struct {
	dirs  []string      // object folders: ours, then those of the lenders
	reads *atomic.Int64 // objects that were read: whoever watches us sees that we move
	// absent, when not nil, brings a commit or tree that a partial clone left out.
	absent func(k kind, h hash) ([]byte, error)

	mu    sync.Mutex
	packs []*pack
	known map[string]*pack // by path without extension
	bases *baseCache
}

func openStore(dir string) (*store, error) {
	s := &store{known: map[string]*pack{}, bases: newBaseCache(64 << 20), reads: new(atomic.Int64)}
	if err := s.addDir(dir, 0); err != nil {
		return nil, err
	}
	return s, nil
}

// addDir follows objects/info/alternates as far as git does, five lenders deep.
func (s *store) addDir(dir string, depth int) error {
	if depth > 5 {
		return nil
	}
	for _, have := range s.dirs {
		if have == dir {
			return nil
		}
	}
	s.dirs = append(s.dirs, dir)
	lenders, err := os.ReadFile(filepath.Join(dir, "info", "alternates"))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for line := range strings.Lines(string(lenders)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, `"`) {
			if plain, err := strconv.Unquote(line); err == nil {
				line = plain
			}
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		if err := s.addDir(filepath.Clean(line), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, p := range s.packs {
		errs = append(errs, p.close())
	}
	s.packs, s.known = nil, map[string]*pack{}
	return errors.Join(errs...)
}

// list looks for packs that are new and forgets those that are gone and not open; it says whether there was any news.
func (s *store) list() (news bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	there := map[string]bool{}
	for _, dir := range s.dirs {
		entries, err := os.ReadDir(filepath.Join(dir, "pack"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return news, err
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), ".idx")
			if !ok || !strings.HasPrefix(name, "pack-") {
				continue
			}
			path := filepath.Join(dir, "pack", name)
			there[path] = true
			if s.known[path] != nil {
				continue
			}
			p, err := openPack(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue // repacked between the listing and now
			}
			if err != nil {
				return news, err
			}
			s.known[path] = p
			s.packs = append([]*pack{p}, s.packs...)
			news = true
		}
	}
	for path, p := range s.known {
		if !there[path] && !p.opened() {
			delete(s.known, path)
			for i := range s.packs {
				if s.packs[i] == p {
					s.packs = append(s.packs[:i:i], s.packs[i+1:]...)
					break
				}
			}
			_ = p.close()
		}
	}
	return news, nil
}

// spot is where an object lies: in a pack at an offset, or in a loose file.
type spot struct {
	pack  *pack
	off   int64
	loose string
}

// find looks in the packs, then among loose objects, then lists the packs again. The pack that answered comes first next
// time.
func (s *store) find(h hash) (spot, error) {
	for attempt := 0; ; attempt++ {
		s.mu.Lock()
		for i, p := range s.packs {
			off, ok, err := p.find(h)
			if err != nil {
				s.mu.Unlock()
				return spot{}, err
			}
			if ok {
				if i > 0 {
					copy(s.packs[1:i+1], s.packs[:i])
					s.packs[0] = p
				}
				s.mu.Unlock()
				return spot{pack: p, off: off}, nil
			}
		}
		s.mu.Unlock()
		name := h.String()
		for _, dir := range s.dirs {
			path := filepath.Join(dir, name[:2], name[2:])
			if _, err := os.Lstat(path); err == nil {
				return spot{loose: path}, nil
			}
		}
		if attempt > 0 {
			return spot{}, fmt.Errorf("%s: %w", h, errMissing)
		}
		if _, err := s.list(); err != nil {
			return spot{}, err
		}
	}
}

func (s *store) has(h hash) bool {
	_, err := s.find(h)
	return err == nil
}

// read gives an object's kind and content; the caller may keep and change the bytes. The object may be repacked under our
// feet, so a file that vanished between finding and opening is looked for once more.
func (s *store) read(h hash) (kind, []byte, error) {
	s.reads.Add(1)
	for attempt := 0; ; attempt++ {
		at, err := s.find(h)
		if err != nil {
			return 0, nil, err
		}
		var k kind
		var data []byte
		if at.pack == nil {
			k, data, err = readLoose(at.loose)
		} else {
			k, data, err = s.unpack(at.pack, at.off)
		}
		if err == nil {
			return k, data, nil
		}
		if attempt == 2 || !errors.Is(err, fs.ErrNotExist) {
			return 0, nil, fmt.Errorf("read object %s: %w", h, err)
		}
		s.forget(at.pack)
	}
}

// forget drops a pack whose file is gone.
func (s *store) forget(p *pack) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.packs {
		if s.packs[i] == p {
			s.packs = append(s.packs[:i:i], s.packs[i+1:]...)
			delete(s.known, p.path)
			_ = p.close()
			return
		}
	}
}

// size gives kind and length without reading the whole object.
func (s *store) size(h hash) (kind, int64, error) {
	s.reads.Add(1)
	at, err := s.find(h)
	if err != nil {
		return 0, 0, err
	}
	if at.pack == nil {
		return looseHeader(at.loose)
	}
	k, n, err := s.packedSize(at.pack, at.off)
	if err != nil {
		// Rare: repacked meanwhile, or a chain across packs. The long way is always right.
		var data []byte
		if k, data, err = s.read(h); err == nil {
			n = int64(len(data))
		}
	}
	return k, n, err
}

// readAs reads an object that must be of one kind.
func (s *store) readAs(want kind, h hash) ([]byte, error) {
	k, data, err := s.read(h)
	if errors.Is(err, errMissing) && s.absent != nil && want != kindBlob {
		return s.absent(want, h)
	}
	if err == nil && k != want {
		err = fmt.Errorf("object %s is a %s, not a %s", h, k, want)
	}
	return data, err
}

// inflaters are reused: one costs 40 kB to make.
var inflaters = sync.Pool{New: func() any {
	empty, _ := zlib.NewReader(bytes.NewReader([]byte{0x78, 0x9c, 3, 0, 0, 0, 0, 1}))
	return &inflater{zip: empty, buf: bufio.NewReaderSize(nil, 16<<10)}
}}

type inflater struct {
	zip io.ReadCloser
	buf *bufio.Reader
}

// inflate unpacks one zlib stream. With want >= 0 the content must have exactly that length and its checksum is verified;
// peek > 0 reads no more than so many bytes and verifies nothing.
func inflate(r io.Reader, want int64, peek int) ([]byte, error) {
	f := inflaters.Get().(*inflater)
	defer inflaters.Put(f)
	f.buf.Reset(r)
	if err := f.zip.(zlib.Resetter).Reset(f.buf, nil); err != nil {
		return nil, err
	}
	if peek > 0 {
		data := make([]byte, peek)
		n, err := io.ReadFull(f.zip, data)
		if err == io.ErrUnexpectedEOF || err == io.EOF {
			err = nil
		}
		return data[:n], err
	}
	if want < 0 {
		return io.ReadAll(io.LimitReader(f.zip, maxObject))
	}
	if want > maxObject {
		return nil, fmt.Errorf("an object of %d bytes is %w", want, ErrUnsupported)
	}
	data := make([]byte, min(want, 1<<20)) // a header that lies costs no more than what is there
	for have := 0; ; {
		n, err := io.ReadFull(f.zip, data[have:])
		if have += n; err != nil {
			return nil, err
		}
		if int64(have) == want {
			break
		}
		data = append(data, make([]byte, min(want-int64(have), int64(have)))...)
	}
	var more [1]byte
	if n, err := f.zip.Read(more[:]); n != 0 || err != io.EOF {
		if err == nil || err == io.EOF {
			err = errors.New("longer than its header says")
		}
		return nil, err
	}
	return data, nil
}

func readLoose(path string) (kind, []byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	all, err := inflate(f, -1, 0)
	if err != nil {
		return 0, nil, fmt.Errorf("loose object %s: %w", path, err)
	}
	k, size, head, err := parseLooseHeader(all)
	if err == nil && int64(len(all)-head) != size {
		err = errors.New("its length is not the one that its header says")
	}
	if err != nil {
		return 0, nil, fmt.Errorf("loose object %s: %w", path, err)
	}
	return k, all[head:], nil
}

func looseHeader(path string) (kind, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	start, err := inflate(f, 0, 64)
	if err != nil {
		return 0, 0, err
	}
	k, size, _, err := parseLooseHeader(start)
	return k, size, err
}

// parseLooseHeader reads "blob 123\x00" and gives the header's length as well.
func parseLooseHeader(b []byte) (k kind, size int64, length int, err error) {
	end := bytes.IndexByte(b, 0)
	word, number, ok := strings.Cut(string(b[:max(end, 0)]), " ")
	if end < 0 || !ok {
		return 0, 0, 0, errors.New("no object header")
	}
	if k, err = plumbing.ParseObjectType(word); err != nil {
		return 0, 0, 0, err
	}
	size, err = strconv.ParseInt(number, 10, 64)
	return k, size, end + 1, err
}
