package service

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/locsync/locsync/sync/bound"
)

// Archive is a finished export on this machine's disk. Everything in Entries was read once to its end and
// found whole; nothing else is handed out.
type Archive struct {
	Entries []Entry   // in the order of the archive
	Refused []Refused // entries that are not handed out; the others stand all the same
	Raw     bool      // the export was a single file, not an archive

	file   *os.File
	remove bool // the file still has a name
}

// Entry is one file of an export.
type Entry struct {
	// Name is a relative path with slashes, without "." and "..". A raw file has the name that the service
	// gave it, without folders, or none.
	Name string
	Size int64

	open func() (io.ReadCloser, error)
}

// Refused is an entry that is not handed out, and why.
type Refused struct{ Name, Reason string }

// Open reads the entry from its start. It works until the archive is closed.
func (e Entry) Open() (io.ReadCloser, error) { return e.open() }

// ReadAll gives the entry's content.
func (e Entry) ReadAll() ([]byte, error) {
	r, err := e.open()
	if err != nil {
		return nil, fmt.Errorf("open %s of the export: %w", e.Name, err)
	}
	defer r.Close()
	b := make([]byte, e.Size)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, fmt.Errorf("read %s of the export: %w", e.Name, err)
	}
	return b, nil
}

// Content is the download as it came, from its start. It can be read until the archive is closed.
func (a *Archive) Content() io.Reader { return io.NewSectionReader(a.file, 0, math.MaxInt64) }

// Close drops the file. The entries cannot be read any more.
func (a *Archive) Close() error {
	err := a.file.Close()
	if a.remove {
		err = errors.Join(err, os.Remove(a.file.Name()))
	}
	return err
}

// zipArchive reads the table of contents, sorts out what may not be handed out, and unpacks the rest once
// to nowhere: every checksum, every size and the bounds are checked before the first entry is used.
func zipArchive(r io.ReaderAt, size int64, l limits) (entries []Entry, refused []Refused, err error) {
	// The library would read a table of contents of any length into memory.
	bounded := &bound.ReaderAt{From: r, Left: l.directory}
	z, err := zip.NewReader(bounded, size)
	switch {
	case bounded.Left < 0:
		return nil, nil, beyond("its table of contents is longer than %d bytes", l.directory)
	case err != nil && !errors.Is(err, zip.ErrInsecurePath): // names are judged below
		return nil, nil, damaged("%w", err)
	case len(z.File) > l.members:
		return nil, nil, beyond("it has %d members, more than %d", len(z.File), l.members)
	}
	bounded.Off = true
	times := map[string]int{}
	for _, f := range z.File {
		times[f.Name]++
	}
	var decoded int64
	for _, f := range z.File {
		if err := sameName(r, f); err != nil {
			return nil, nil, err
		}
		reason := refuseMember(f)
		switch {
		case reason == "" && times[f.Name] > 1:
			reason = fmt.Sprintf("the archive has %d entries of this name", times[f.Name])
		case reason == "" && f.FileInfo().IsDir():
			continue // folders say nothing that file names do not
		}
		if reason != "" {
			refused = append(refused, Refused{strings.ToValidUTF8(f.Name, "\uFFFD"), reason})
			continue
		}
		n, err := checkMember(f, l, decoded)
		if err != nil {
			return nil, nil, err
		}
		if decoded += n; decoded > l.ratioFrom && decoded > l.ratio*size {
			return nil, nil, beyond("it unpacks to more than %d times its size", l.ratio)
		}
		entries = append(entries, Entry{Name: f.Name, Size: n, open: f.Open})
	}
	return entries, refused, nil
}

// checkMember unpacks one member to nowhere and gives its size; before is what earlier members had.
func checkMember(f *zip.File, l limits, before int64) (int64, error) {
	most := l.decoded - before
	ratio := max(l.ratioFrom, l.ratio*int64(min(f.CompressedSize64, uint64(l.spool))))
	content, err := f.Open()
	if err != nil {
		return 0, damaged("%s: %w", f.Name, err)
	}
	defer content.Close()
	sum := crc32.NewIEEE()
	n, err := io.Copy(sum, io.LimitReader(content, min(most, ratio)+1))
	switch {
	case n > ratio:
		return 0, beyond("%s unpacks to more than %d times its size", f.Name, l.ratio)
	case n > most:
		return 0, beyond("it unpacks to more than %d bytes", l.decoded)
	case err != nil:
		return 0, damaged("%s: %w", f.Name, err)
	case sum.Sum32() != f.CRC32: // the library lets a checksum of 0 pass
		return 0, damaged("%s: %w", f.Name, zip.ErrChecksum)
	}
	return n, nil
}

// refuseMember says why a member is not handed out; empty is nothing against it.
func refuseMember(f *zip.File) string {
	if reason := bound.UnsafeName(strings.TrimSuffix(f.Name, "/")); reason != "" {
		return reason
	}
	const encrypted = 1
	switch mode := f.Mode(); {
	case mode.IsDir() && strings.HasSuffix(f.Name, "/"):
		return ""
	case mode&fs.ModeSymlink != 0:
		return "it is a symbolic link"
	case !mode.IsRegular() || strings.HasSuffix(f.Name, "/"):
		return "it is not a regular file"
	case f.Flags&encrypted != 0:
		return "it is encrypted"
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return fmt.Sprintf("its compression method %d is not known", f.Method)
	}
	return ""
}

// sameName compares the name in the table of contents, which counts, with the one before the member's
// content. They differ in archives that were damaged or made to deceive.
func sameName(r io.ReaderAt, f *zip.File) error {
	content, err := f.DataOffset()
	if err != nil {
		return damaged("%s: %w", f.Name, err)
	}
	// Before the content: 30 bytes that end in the lengths of name and extra field, then those two. How
	// long the extra field is can only be tried.
	const header, signature = 30, "PK\x03\x04"
	for _, extra := range []int64{128, 1 << 16} {
		start := max(0, content-header-int64(len(f.Name))-extra)
		b := make([]byte, content-start)
		if _, err := r.ReadAt(b, start); err != nil {
			return damaged("%s: %w", f.Name, err)
		}
		for at := len(b) - header - len(f.Name); at >= 0; at-- {
			name := b[at+header:]
			if string(b[at:at+4]) == signature &&
				int(binary.LittleEndian.Uint16(b[at+26:])) == len(f.Name) &&
				int(binary.LittleEndian.Uint16(b[at+28:])) == len(name)-len(f.Name) &&
				bytes.Equal(name[:len(f.Name)], []byte(f.Name)) {
				return nil
			}
		}
	}
	return damaged("%s has another name before its content", f.Name)
}
