// Package backup copies the whole embedded service into one file, and puts such a copy into a folder.
//
// Its law: a copy is the service of one moment, with everything that was answered before it began, and is made while
// the service works. Of a copy that is damaged, cut or newer nothing is used. A folder has what it had before, or the
// restored service as a whole, whenever a restore is killed: Finish, which every start of a service calls, ends one
// that had all of its files.
//
// A copy is a gzipped tar archive, which other programs can read:
//
//	backup.json   format, accounts and time
//	data/...      the database, the files that it speaks of, and what people put into the folder (engines, keys)
//	SHA256SUMS    of all of them, as sha256sum reads it; a copy without it was cut
package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/local/store"
)

// Format is the form of the copies that are made. One of a higher number is of a newer program, and refused.
const Format = 1

// The names of what is in a copy beside the data.
const (
	headerName = "backup.json"
	sumsName   = "SHA256SUMS"
	dataFolder = "data/"
	mostHeader = 1 << 20
	mostSums   = 64 << 20
)

// Copy is what a copy says of itself, and how much is in it.
type Copy struct {
	Format   int       `json:"format"`
	Accounts []string  `json:"accounts"`
	Created  time.Time `json:"created"`

	Files int   `json:"-"` // of the data
	Bytes int64 `json:"-"` // of them
}

// Make writes a copy of a service, which may be at work.
func Make(w io.Writer, st *store.Store, now time.Time) (Copy, error) {
	return makeIn(st.Dir(), w, st, now)
}

// makeIn is Make with a copy of the database in a folder: who reads slowly keeps no reading transaction open.
func makeIn(scratch string, w io.Writer, st *store.Store, now time.Time) (c Copy, err error) {
	defer st.KeepFiles()()
	database, done, err := folder.Temporary(scratch)
	if err != nil {
		return c, err
	}
	defer done()
	copied, err := st.CopyTo(database)
	if err != nil {
		return c, fmt.Errorf("copy %s: %w", store.DatabaseFile, err)
	}
	own, err := ownFiles(st.Dir())
	if err != nil {
		return c, err
	}
	packed, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return c, err
	}
	p := packer{tar: tar.NewWriter(packed)}
	c = Copy{Format: Format, Accounts: copied.Accounts, Created: now.UTC()}
	header, err := json.Marshal(c)
	if err != nil {
		return c, err
	}
	if err := p.add(headerName, int64(len(header)), bytes.NewReader(header)); err != nil {
		return c, err
	}
	files := map[string]string{store.DatabaseFile: database.Name()}
	for _, name := range append(copied.Files, own...) {
		files[name] = filepath.Join(st.Dir(), name)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		size, err := p.addFile(dataFolder+filepath.ToSlash(name), files[name])
		if err != nil {
			return c, err
		}
		c.Files, c.Bytes = c.Files+1, c.Bytes+size
	}
	sums := p.sums.Bytes()
	err = p.add(sumsName, int64(len(sums)), bytes.NewReader(sums))
	return c, errors.Join(err, p.tar.Close(), packed.Close())
}

// MakeStopped writes a copy of a service that is not running, whose folder stays as it is.
func MakeStopped(w io.Writer, dir string, now time.Time) (Copy, error) {
	if err := Finish(dir); err != nil {
		return Copy{}, err
	}
	st, err := store.OpenToRead(dir, false)
	if err != nil {
		return Copy{}, err
	}
	c, err := Make(w, st, now)
	return c, errors.Join(err, st.Close())
}

// ticketFile names how commands reach a running service. It is of a process, not of the service.
const ticketFile = "service.json"

// IsIn says whether a folder has the data of a service.
func IsIn(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, store.DatabaseFile))
	return err == nil
}

// ownFiles are the files of a folder that neither the service nor a restore makes, relative to it.
func ownFiles(dir string) (own []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch {
		case slices.Contains([]string{store.DatabaseFile, ticketFile, folder.MovedFile}, strings.TrimSuffix(name, ".new")):
			return nil
		case name != "." && d.IsDir() && (slices.Contains([]string{store.FilesFolder, store.ResultsFolder}, name) ||
			notService(name)):
			return fs.SkipDir
		}
		info, err := os.Stat(path) // through a link
		if err != nil || !info.Mode().IsRegular() || notService(name) {
			return err
		}
		own = append(own, name)
		return nil
	})
	return own, err
}

// notService reports whether a name of a folder is of a restore, of a call under way, or of the disk.
func notService(name string) bool {
	return name == "lost+found" || slices.ContainsFunc([]string{folder.TemporaryName, unpackedName, clearedName,
		replacedName}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// packer writes the entries of a copy, and sums them up.
type packer struct {
	tar  *tar.Writer
	sums bytes.Buffer
}

func (p *packer) addFile(name, path string) (size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), p.add(name, info.Size(), f)
}

func (p *packer) add(name string, size int64, content io.Reader) error {
	err := p.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, Typeflag: tar.TypeReg,
		Format: tar.FormatPAX})
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(p.tar, sum), content, size); err != nil {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	fmt.Fprintln(&p.sums, line(sum, name))
	return nil
}

// line is a line of sha256sum.
func line(sum hash.Hash, name string) string { return hex.EncodeToString(sum.Sum(nil)) + "  " + name }

// ErrUnusable is the cause where a copy is damaged, cut or newer.
var ErrUnusable = errors.New("the backup cannot be used")

func unusable(why string, args ...any) error {
	return fmt.Errorf("%w: "+why, append([]any{ErrUnusable}, args...)...)
}

func damaged(err error) error {
	return unusable("it is damaged or cut (%w); take another one", err)
}

// Check reads a copy to its end. An error has the cause ErrUnusable where that is the copy's fault.
func Check(r io.Reader) (Copy, error) {
	return read(r, func(_ string, content io.Reader) error {
		_, err := io.Copy(io.Discard, content)
		return err
	})
}

// read calls keep with the files of the data, which are right when it returns no error.
func read(r io.Reader, keep func(name string, content io.Reader) error) (c Copy, err error) {
	unpacked, err := gzip.NewReader(r)
	if err != nil {
		return c, unusable("it is not one of locsync service, or damaged at its beginning (%w)", err)
	}
	archive := tar.NewReader(unpacked)
	var lines []string
	for {
		entry, err := archive.Next()
		switch {
		case err == io.EOF:
			return c, damaged(io.ErrUnexpectedEOF)
		case err != nil:
			return c, damaged(err)
		case entry.Name == sumsName:
			return c, finished(archive, unpacked, lines)
		}
		sum := sha256.New()
		content := intact{io.TeeReader(archive, sum)}
		name, isData := strings.CutPrefix(entry.Name, dataFolder)
		switch {
		case len(lines) == 0:
			if c, err = readHeader(entry.Name, content); err != nil {
				return c, err
			}
		case !isData || entry.Typeflag != tar.TypeReg || !filepath.IsLocal(filepath.FromSlash(name)):
			return c, damaged(fmt.Errorf("it has %q", entry.Name))
		default:
			c.Files, c.Bytes = c.Files+1, c.Bytes+entry.Size
			if err := keep(filepath.FromSlash(name), content); err != nil {
				return c, err
			}
		}
		lines = append(lines, line(sum, entry.Name))
	}
}

// readHeader reads the first entry. Nothing else is looked at before the format is known.
func readHeader(name string, content io.Reader) (c Copy, err error) {
	text, err := io.ReadAll(io.LimitReader(content, mostHeader))
	if err != nil {
		return c, err
	}
	if name != headerName || json.Unmarshal(text, &c) != nil || c.Format < 1 {
		return c, unusable("it is not one of locsync service")
	}
	if c.Format > Format {
		return c, unusable("a newer locsync made it (format %d, and this one reads %d); upgrade this one", c.Format, Format)
	}
	return c, nil
}

var errBehind = errors.New("it goes on behind its end")

// finished compares the sums of a copy with those of what was read, which is all that there is.
func finished(archive *tar.Reader, unpacked io.Reader, lines []string) error {
	text, err := io.ReadAll(io.LimitReader(archive, mostSums))
	if err != nil {
		return damaged(err)
	}
	switch _, err := archive.Next(); {
	case err == nil:
		return damaged(errBehind)
	case err != io.EOF:
		return damaged(err)
	}
	switch more, err := io.Copy(io.Discard, unpacked); {
	case err != nil:
		return damaged(err)
	case more > 0:
		return damaged(errBehind)
	}
	database := slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasSuffix(l, "  "+dataFolder+store.DatabaseFile)
	})
	if !database || string(text) != strings.Join(lines, "\n")+"\n" {
		return damaged(errors.New("its sums differ"))
	}
	return nil
}

// intact marks errors of reading a copy as its damage.
type intact struct{ from io.Reader }

func (r intact) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && err != io.EOF {
		err = damaged(err)
	}
	return n, err
}
