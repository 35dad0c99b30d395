package object

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/klauspost/compress/zlib"

	"github.com/locsync/locsync/gitops/run"
	"github.com/locsync/locsync/sync/bound"
)

// Writing packs. What one commit needs is one pack: it is synced with two calls however many files there are, it is
// what travels to the remote, and reserved by a .keep file it survives `git gc --prune=now` until a reference names
// it. git (index-pack) checks it, makes its index and puts it into the repository.
//
// Objects are stored whole, without deltas, compressed with zlib's fastest level: that is a fourth of the time of
// level 6 for a tenth more bytes, and git makes deltas of them when it repacks.

// encodePack writes objects into w as a pack, and gives its checksum.
func (f Format) encodePack(w io.Writer, objects []Object) (sum []byte, err error) {
	digest := f.digest()
	out := bufio.NewWriterSize(io.MultiWriter(w, digest), 256<<10) // remembers the first error until Flush
	head := binary.BigEndian.AppendUint32([]byte("PACK"), 2)
	_, _ = out.Write(binary.BigEndian.AppendUint32(head, uint32(len(objects))))
	zip, err := zlib.NewWriterLevel(out, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		_, _ = out.Write(entryHead(o))
		zip.Reset(out)
		_, err := zip.Write(o.Data)
		if err = errors.Join(err, zip.Close()); err != nil {
			return nil, err
		}
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	sum = digest.Sum(nil)
	_, err = w.Write(sum)
	return sum, err
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

// keepWord is the first word of our .keep files.
const keepWord = "locsync"

// WritePack puts objects into the repository, on the disk and reserved: the caller moves a reference to them and
// releases them. The pack must have an object that no pack had before, because git names it by its objects, and a
// repack that runs now may be about to delete one of that name.
func (s *Store) WritePack(ctx context.Context, objects []Object) (release func(), err error) {
	s.sweep()
	var sum []byte // by which git names it
	for try := 0; ; try++ {
		pack, in := io.Pipe()
		sums := make(chan []byte, 1)
		var fault any // of the other goroutine, and then of this one
		go func() {
			var sum []byte
			err := errors.New("no pack was written")
			defer func() {
				if p := recover(); p != nil {
					fault = fmt.Sprintf("%v\n%s", p, debug.Stack())
				}
				in.CloseWithError(err)
				sums <- sum
			}()
			sum, err = s.Format.encodePack(in, objects)
		}()
		_, err = s.git.Run(ctx, run.Call{Dir: s.dir, Write: true, Input: pack, Objects: s.dir,
			Env:  []string{"GIT_DIR=" + filepath.Dir(s.dir), "GIT_OBJECT_DIRECTORY=" + s.dir},
			Args: []string{"index-pack", "--stdin", fmt.Sprintf("--keep=%s %d", keepWord, os.Getpid())}})
		_ = pack.Close()
		sum = <-sums
		if fault != nil {
			panic(fault)
		}
		if err == nil || try == 5 || ctx.Err() != nil || !run.Disturbed(err) {
			break
		}
	}
	release = func() { _ = os.Remove(filepath.Join(s.dir, "pack", fmt.Sprintf("pack-%x.keep", sum))) }
	if err == nil {
		err = syncDir(filepath.Join(s.dir, "pack"))
	}
	if err != nil {
		release()
		return nil, fmt.Errorf("write pack: %w", err)
	}
	return release, nil
}

// syncDir makes names in a folder durable, which git leaves to the file system. Those that cannot sync a folder order
// names themselves.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync()
	return nil
}

// keepsLast is how long a reservation is needed at the most: until a reference is moved.
const keepsLast = time.Hour

// sweep removes the reservations that killed processes left.
func (s *Store) sweep() {
	reserved, _ := filepath.Glob(filepath.Join(GlobEscape(s.dir), "pack", "*.keep"))
	for _, name := range reserved {
		content, _ := bound.ReadFile(name, 1<<10) // ours is a word and a number
		info, err := os.Stat(name)
		if err == nil && bytes.HasPrefix(content, []byte(keepWord+" ")) && time.Since(info.ModTime()) > keepsLast {
			_ = os.Remove(name)
		}
	}
}

// GlobEscape makes a path a pattern that matches itself.
func GlobEscape(path string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(path)
}
