package object

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zlib"
)

// Writing packs. What one commit needs is one pack: it is synced with two calls however many files there are, it is
// what travels to the remote, and reserved by a .keep file it survives `git gc --prune=now` until a reference names
// it.
//
// Objects are stored whole, without deltas, compressed with zlib's fastest level: that is a fourth of the time of
// level 6 for a tenth more bytes, and git makes deltas of them when it repacks.

// indexed is an object's place in a pack.
type indexed struct {
	name Name
	off  uint64
	crc  uint32
}

// Packed is a pack that is finished, under a temporary name.
type Packed struct {
	tmp     string // path of the temporary file
	sum     []byte // the pack's trailer
	objects []indexed
}

const (
	tmpPrefix = "pack-"
	keepWord  = "locsync"
	ourDir    = "locsync-git"
)

// encodePack writes objects into w as a pack.
func (f Format) encodePack(w io.Writer, objects []Object) (sum []byte, places []indexed, err error) {
	digest := f.digest()
	buffered := bufio.NewWriterSize(io.MultiWriter(w, digest), 256<<10) // remembers the first error until Flush
	out := &counter{w: buffered}
	head := binary.BigEndian.AppendUint32([]byte("PACK"), 2)
	_, _ = out.Write(binary.BigEndian.AppendUint32(head, uint32(len(objects))))
	zip, err := zlib.NewWriterLevel(out, zlib.BestSpeed)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range objects {
		place := indexed{name: o.Name, off: out.n}
		out.crc = 0
		_, _ = out.Write(entryHead(o))
		zip.Reset(out)
		_, err := zip.Write(o.Data)
		if err = errors.Join(err, zip.Close()); err != nil {
			return nil, nil, err
		}
		place.crc = out.crc
		places = append(places, place)
	}
	if err := buffered.Flush(); err != nil {
		return nil, nil, err
	}
	sum = digest.Sum(nil)
	_, err = w.Write(sum)
	return sum, places, err
}

// counter passes bytes on, and knows their number and checksum.
type counter struct {
	w   io.Writer
	n   uint64
	crc uint32
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += uint64(n)
	c.crc = crc32.Update(c.crc, crc32.IEEETable, b[:n])
	return n, err
}

// entryHead is an object's kind and size as a pack has them.
func entryHead(o Object) []byte {
	var head []byte
	size := uint64(len(o.Data))
	c := byte(o.Kind)<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		head = append(head, c|0x80)
		c = byte(size & 0x7f)
	}
	return append(head, c)
}

// encodeIndex is the pack's index, version 2.
func (f Format) encodeIndex(sum []byte, places []indexed) []byte {
	sorted := slices.Clone(places)
	slices.SortFunc(sorted, func(a, b indexed) int { return compare(a.name, b.name) })
	out := make([]byte, 0, 8+1024+(8+f.size())*len(sorted)+2*f.size())
	out = append(out, 0xff, 't', 'O', 'c', 0, 0, 0, 2)
	n := 0
	for first := range 256 {
		for n < len(sorted) && int(sorted[n].name.raw[0]) == first {
			n++
		}
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	for _, o := range sorted {
		out = append(out, o.name.Bytes()...)
	}
	for _, o := range sorted {
		out = binary.BigEndian.AppendUint32(out, o.crc)
	}
	var large []byte
	for _, o := range sorted {
		if o.off < 1<<31 {
			out = binary.BigEndian.AppendUint32(out, uint32(o.off))
			continue
		}
		out = binary.BigEndian.AppendUint32(out, uint32(len(large)/8)|1<<31)
		large = binary.BigEndian.AppendUint64(large, o.off)
	}
	out = append(append(out, large...), sum...)
	digest := f.digest()
	digest.Write(out)
	return digest.Sum(out)
}

// WritePack writes objects into a temporary pack.
func (s *Store) WritePack(objects []Object) (*Packed, error) {
	if err := s.Perm.MkdirAll(s.unfinished()); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(s.unfinished(), tmpPrefix)
	if err != nil {
		return nil, err
	}
	result := &Packed{tmp: f.Name()}
	result.sum, result.objects, err = s.Format.encodePack(f, objects)
	if err = errors.Join(err, f.Sync(), s.Perm.readOnly(f), f.Close()); err != nil {
		_ = os.Remove(result.tmp)
		return nil, fmt.Errorf("write pack: %w", err)
	}
	return result, nil
}

// Drop removes a pack that is not to be installed.
func (p *Packed) Drop() error { return os.Remove(p.tmp) }

// unfinished is our own folder beside the packs, and on their file system: among them, `git gc --prune=now` deletes
// whatever is not finished.
func (s *Store) unfinished() string { return filepath.Join(s.dir, ourDir) }

// sweepUnfinished removes what killed processes left an hour ago. Packs are written outside the guard.
func (s *Store) sweepUnfinished() {
	left, _ := os.ReadDir(s.unfinished())
	for _, e := range left {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), tmpPrefix) && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(filepath.Join(s.unfinished(), e.Name()))
		}
	}
}

// Install gives a temporary pack its name, index last: only with the index do its objects exist, and by then a .keep
// file protects them. The caller holds the guard, moves a reference, and calls release.
func (s *Store) Install(t *Packed) (release func(), err error) {
	dir := filepath.Join(s.dir, "pack")
	path := filepath.Join(dir, "pack-"+uniqueName())
	release = func() {}
	index := t.tmp + ".idx"
	defer func() {
		_ = os.Remove(index)
		if err != nil {
			_ = os.Remove(t.tmp)
			release()
		}
	}()
	if err := s.Perm.MkdirAll(dir); err != nil {
		return release, err
	}
	f, err := os.OpenFile(index, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return release, err
	}
	_, err = f.Write(s.Format.encodeIndex(t.sum, t.objects))
	if err = errors.Join(err, s.Perm.readOnly(f), f.Sync(), f.Close()); err != nil {
		return release, err
	}
	s.Step("indexed")
	if release, err = s.keep(path); err != nil {
		return release, err
	}
	s.Step("reserved")
	if err := os.Rename(t.tmp, path+".pack"); err != nil {
		return release, err
	}
	s.Step("pack named")
	if err := os.Rename(index, path+".idx"); err != nil {
		return release, err
	}
	s.Step("installed")
	return release, SyncDir(dir)
}

// keep reserves a pack.
func (s *Store) keep(path string) (release func(), err error) {
	release = func() { _ = os.Remove(path + ".keep") }
	return release, os.WriteFile(path+".keep", fmt.Appendf(nil, "%s %d\n", keepWord, os.Getpid()), 0o666)
}

// uniqueName names a pack as none was named before. By its content, as git does, it could be the name of a pack that a
// repack running now has already decided to delete. To git the name is no more than a name.
func uniqueName() string {
	var name [20]byte
	_, _ = rand.Read(name[:]) // never fails
	return hex.EncodeToString(name[:])
}

// Sweep removes what killed processes left: reservations, and after an hour unfinished packs, which are written outside
// the guard. The caller holds the guard, so whoever made the reservations is gone.
func (s *Store) Sweep() error {
	s.sweepUnfinished()
	reserved, err := filepath.Glob(filepath.Join(GlobEscape(s.dir), "pack", "*.keep"))
	if err != nil {
		return err
	}
	for _, name := range reserved {
		content, err := os.ReadFile(name)
		if err == nil && strings.HasPrefix(string(content), keepWord+" ") {
			_ = os.Remove(name)
		}
	}
	return nil
}

// GlobEscape makes a path a pattern that matches itself.
func GlobEscape(path string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(path)
}
