package ref

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/locsync/locsync/gitops/object"
)

// References that are files are read here: a pass asks for some twenty, each of which would be a process. go-git takes
// a file that is damaged for a reference that is absent.

// packedFile is what packed-refs was when it was read. It is replaced, never written to, so another content is another
// file.
type packedFile struct {
	info fs.FileInfo
	refs packedRefs
}

// readFile looks among the files, then in packed-refs, then among the files again: a reference may be packed, or
// unpacked by a move, between the looks.
func (s *Store) readFile(name string) (h object.Name, symbolic string, ok bool, err error) {
	for range 2 {
		if h, symbolic, ok, err = s.readLoose(name); ok || err != nil {
			return h, symbolic, ok, err
		}
		packed, err := s.packed()
		if err != nil {
			return object.Name{}, "", false, err
		}
		if h, ok = packed.find(name); ok {
			return h, "", true, nil
		}
		if packed == nil {
			break
		}
	}
	return object.Name{}, "", false, nil
}

func (s *Store) readLoose(name string) (h object.Name, symbolic string, ok bool, err error) {
	content, err := os.ReadFile(filepath.Join(s.Dir, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR) {
		return object.Name{}, "", false, nil
	}
	if err != nil {
		return object.Name{}, "", false, err
	}
	h, symbolic, err = valueOf(name, content)
	return h, symbolic, err == nil, err
}

// valueOf is what the file of a reference holds.
func valueOf(name string, content []byte) (h object.Name, symbolic string, err error) {
	line := strings.TrimSpace(string(content))
	if target, is := strings.CutPrefix(line, "ref:"); is {
		return object.Name{}, strings.TrimSpace(target), nil
	}
	h, ok := object.Parse(line)
	if !ok {
		err = fmt.Errorf("reference %s is damaged: it holds %.60q; git reflog may know its last value", name, line)
	}
	return h, "", err
}

// packedRefs is the content of packed-refs, which may be large and is searched as it is.
type packedRefs []byte

func (s *Store) packed() (packedRefs, error) {
	f, err := os.Open(filepath.Join(s.Dir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if last := s.last.Load(); last != nil && os.SameFile(last.info, info) && last.info.Size() == info.Size() &&
		last.info.ModTime().Equal(info.ModTime()) {
		return last.refs, nil
	}
	content, err := io.ReadAll(f)
	if err == nil && time.Since(info.ModTime()) > time.Second { // of a younger one, the next may have the same time
		s.last.Store(&packedFile{info, content})
	}
	return content, err
}

// find gives the value of one reference.
func (p packedRefs) find(name string) (object.Name, bool) {
	end := append([]byte(" "+name), '\n')
	for from := 0; ; {
		i := bytes.Index(p[from:], end)
		if i < 0 {
			return object.Name{}, false
		}
		at := from + i
		if line := p[bytes.LastIndexByte(p[:at], '\n')+1 : at]; line[0] != '#' {
			return object.Parse(string(line))
		}
		from = at + len(end)
	}
}

// below gives the references with a prefix.
func (p packedRefs) below(prefix string) map[string]object.Name {
	found := map[string]object.Name{}
	for line := range bytes.Lines(p) {
		value, name, _ := bytes.Cut(line, []byte(" "))
		if !bytes.HasPrefix(name, []byte(prefix)) {
			continue
		}
		if h, ok := object.Parse(string(value)); ok {
			found[string(bytes.TrimRight(name, "\r\n"))] = h
		}
	}
	return found
}

// listFiles reads the files first, because what is packed meanwhile is in packed-refs before its file goes.
func (s *Store) listFiles(prefix string) (map[string]object.Name, error) {
	loose := map[string]object.Name{}
	err := s.walk(prefix, func(name string) error {
		if h, ok, err := s.Read(name); err == nil && ok && !strings.HasSuffix(name, ".lock") {
			loose[name] = h
		}
		return nil // one damaged reference is no reason not to see the others
	})
	if err != nil {
		return nil, err
	}
	packed, err := s.packed()
	if err != nil {
		return nil, err
	}
	all := packed.below(prefix)
	maps.Copy(all, loose)
	return all, nil
}

// walk goes through the files below a prefix.
func (s *Store) walk(prefix string, each func(name string) error) error {
	top := filepath.Join(s.Dir, filepath.FromSlash(prefix))
	return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(s.Dir, path)
		if err != nil {
			return err
		}
		return each(filepath.ToSlash(name))
	})
}
