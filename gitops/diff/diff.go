// Package diff reads what `git diff` prints, and gives files as they were before it.
//
// A diff may be hostile: its size and the work that it makes have limits, and what it says of lines counts only where
// the files have them.
package diff

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/locsync/locsync/sync/bound"
)

const (
	mostBytes    = 64 << 20
	mostCompared = 50_000_000 // lines, while the lines of one file are searched
)

// Diff is what changed in files of one repository.
type Diff struct {
	now    map[string]*gitdiff.File // by the name that a file has after it
	before map[string]*gitdiff.File // those that are gone or have another name now, by the name before
}

var (
	header   = regexp.MustCompile(`(?m)^diff --git `)
	prefixed = regexp.MustCompile(`(?m)^diff --git "?[a-z0-9]/`) // a/, and i/, w/, c/, o/, 1/, 2/ of diff.mnemonicPrefix
	merged   = regexp.MustCompile(`(?m)^diff --(?:cc|combined) `)
)

// Read reads a diff, to its end.
func Read(r io.Reader) (*Diff, error) {
	text, err := bound.Read(r, mostBytes)
	if err != nil {
		return nil, err
	}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' { // a shell of Windows changed its line ends
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	headers := len(header.FindAll(text, -1))
	switch {
	case merged.Match(text):
		return nil, errors.New("it is of a merge and compares with several commits; compare with one")
	case headers == 0 && len(bytes.TrimSpace(text)) > 0:
		return nil, errors.New(`no line of it begins with "diff --git"`)
	case len(prefixed.FindAll(text, -1)) < headers:
		return nil, errors.New("its names lack the prefixes a/ and b/; call git diff with --src-prefix=a/ --dst-prefix=b/")
	}
	files, _, err := gitdiff.Parse(bytes.NewReader(text))
	if err == nil && len(files) != headers {
		err = fmt.Errorf("%d files of %d could be read", len(files), headers)
	}
	if err != nil {
		return nil, err
	}
	d := &Diff{make(map[string]*gitdiff.File), make(map[string]*gitdiff.File)}
	for _, f := range files {
		name := cmp.Or(f.NewName, f.OldName)
		replaced := f.IsNew && d.now[name] == nil // a file by a link, say: it is deleted before
		if d.Touches(name) && !replaced {
			return nil, fmt.Errorf("it has %q twice; make it between two commits", name)
		}
		if !f.IsDelete {
			d.now[f.NewName] = f
		}
		if f.IsDelete || f.IsRename {
			d.before[f.OldName] = f
		}
	}
	return d, nil
}

// Unfit is a file that does not have the lines that a diff has after it, or is missing.
type Unfit struct {
	File string
	Line int64 // of the first lines that were not found, by the diff; 0 where the file is missing
}

func (e *Unfit) Error() string {
	if e.Line == 0 {
		return e.File + " is in the diff and not in the repository"
	}
	return fmt.Sprintf("%s lacks the lines that the diff has at its line %d", e.File, e.Line)
}

// errBinary is why nothing is known of what was in a file before.
var errBinary = errors.New("the diff shows no lines of it")

// Touches reports whether a file that a tree has now, or had, is one of the diff.
func (d *Diff) Touches(name string) bool { return d.now[name] != nil || d.before[name] != nil }

// Fits finds out whether a tree has the files that the diff leaves; the error is an *Unfit for the first that it lacks.
// What they hold is compared only where it is asked for.
func (d *Diff) Fits(fsys fs.FS) error {
	for _, name := range slices.Sorted(maps.Keys(d.now)) {
		if _, err := fs.Lstat(fsys, name); err != nil && !errors.Is(err, fs.ErrPermission) {
			return &Unfit{File: name}
		}
	}
	return nil
}

// Former is the name that a file had before the diff.
func (d *Diff) Former(name string) string {
	if f := d.now[name]; f != nil && f.IsRename {
		return f.OldName
	}
	return name
}

// Removed are the names that no file has after the diff, in order.
func (d *Diff) Removed() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(d.before)) {
		if d.now[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

// Before is a file as it was before the diff, by the name that it had then. read gives the files of now. An error of
// fs.ErrNotExist says that there was none, an *Unfit that the diff is of other files.
func (d *Diff) Before(name string, read func(name string) ([]byte, error)) ([]byte, error) {
	f := cmp.Or(d.before[name], d.now[name])
	switch {
	case f == nil:
		return read(name)
	case d.before[name] == nil && (f.IsNew || f.IsCopy || f.IsRename):
		return nil, fs.ErrNotExist
	case f.IsBinary:
		return nil, errBinary
	}
	var now []byte
	if !f.IsDelete {
		var err error
		now, err = read(f.NewName)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &Unfit{File: f.NewName}
		}
		if err != nil {
			return nil, err
		}
	}
	was, line := undo(now, f.TextFragments, func(text string) string { return text })
	if line > 0 && bytes.Contains(now, []byte("\r\n")) { // git compares what it would commit, with its own line ends
		unix := func(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
		was, line = undo([]byte(unix(string(now))), f.TextFragments, unix)
		if line == 0 {
			was = bytes.ReplaceAll(was, []byte("\n"), []byte("\r\n"))
		}
	}
	if line > 0 {
		return nil, &Unfit{f.NewName, line}
	}
	return was, nil
}

// undo takes changes out of a file. Where other changes moved their lines, as in a merge that a CI system makes, they
// are found near those that the diff names. missing is the line, by the diff, of those that are not there; 0 for none.
func undo(now []byte, changes []*gitdiff.TextFragment, spell func(string) string) (was []byte, missing int64) {
	lines := strings.SplitAfter(string(now), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out bytes.Buffer
	at, moved, compared := 0, 0, 0
	for _, c := range changes {
		var old, has []string
		for _, l := range c.Lines {
			if l.Old() {
				old = append(old, spell(l.Line))
			}
			if l.New() {
				has = append(has, spell(l.Line))
			}
		}
		expected := c.NewPosition - 1
		if c.NewLines == 0 {
			expected = c.NewPosition // lines went after this one
		}
		fits := func(start int) bool {
			compared++
			if start < at || start+len(has) > len(lines) {
				return false
			}
			for i, line := range has {
				compared++
				if compared > mostCompared || lines[start+i] != line {
					return false
				}
			}
			return true
		}
		if expected < 0 || expected > int64(len(lines)) {
			return nil, max(c.NewPosition, 1)
		}
		start, found := int(expected)+moved, false
		for by := 0; by <= len(lines) && !found && compared <= mostCompared; by++ {
			for _, near := range []int{start - by, start + by} {
				if fits(near) {
					start, found = near, true
					break
				}
			}
			if len(has) == 0 {
				break // nothing tells where it was but the number
			}
		}
		if !found {
			return nil, max(c.NewPosition, 1)
		}
		for _, line := range lines[at:start] {
			out.WriteString(line)
		}
		for _, line := range old {
			out.WriteString(line)
		}
		at, moved = start+len(has), start-int(expected)
	}
	for _, line := range lines[at:] {
		out.WriteString(line)
	}
	return out.Bytes(), 0
}
