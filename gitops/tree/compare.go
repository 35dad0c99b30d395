package tree

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/locsync/locsync/gitops/object"
)

// Pair is a path in two trees; an entry without a mode is a tree without it.
type Pair struct {
	Path     string
	Old, New object.Entry
}

// Reader gives what is in a folder.
type Reader func(object.Name) ([]object.Entry, error)

// Compare gives the files that differ, by path. A submodule counts as a file.
func Compare(ctx context.Context, readOld, readNew Reader, old, new object.Name) ([]Pair, error) {
	c := comparison{ctx: ctx, readers: [2]Reader{readOld, readNew}}
	if old != new {
		if err := c.folder("", [2]object.Name{old, new}); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(c.pairs, func(a, b Pair) int { return strings.Compare(a.Path, b.Path) })
	return c.pairs, nil
}

// comparison is one walk through two trees side by side.
type comparison struct {
	ctx     context.Context
	readers [2]Reader
	pairs   []Pair
}

func (c *comparison) folder(folder string, trees [2]object.Name) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	byName := map[string]*[2]object.Entry{}
	for side, h := range trees {
		entries, err := c.readers[side](h)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if byName[e.Name] == nil {
				byName[e.Name] = new([2]object.Entry)
			}
			byName[e.Name][side] = e
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		two := byName[name]
		if two[0].Hash == two[1].Hash && two[0].Mode == two[1].Mode {
			continue
		}
		var below [2]object.Name
		for side := range two {
			if two[side].IsDir() {
				below[side], two[side] = two[side].Hash, object.Entry{}
			}
		}
		at := path.Join(folder, name)
		if two[0].Mode != 0 || two[1].Mode != 0 {
			c.pairs = append(c.pairs, Pair{at, two[0], two[1]})
		}
		if below[0] != below[1] {
			if err := c.folder(at, below); err != nil {
				return err
			}
		}
	}
	return nil
}

// Unified prints what differs as git does, of files as they are stored.
func Unified(ctx context.Context, pairs []Pair, before, after func(path string, h object.Name) ([]byte,
	error)) (string, error) {
	var out strings.Builder
	read := []func(string, object.Name) ([]byte, error){before, after}
	for _, p := range pairs {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		var contents [2][]byte
		binary := false
		for i, e := range []object.Entry{p.Old, p.New} {
			if e.Mode == 0 || e.Mode == object.ModeModule {
				continue
			}
			var err error
			if contents[i], err = read[i](p.Path, e.Hash); err != nil {
				return "", fmt.Errorf("%s: %w", p.Path, err)
			}
			binary = binary || bytes.IndexByte(contents[i][:min(len(contents[i]), 8000)], 0) >= 0
		}
		p.head(&out)
		names := [2]string{"a/" + p.Path, "b/" + p.Path}
		for i, e := range []object.Entry{p.Old, p.New} {
			if e.Mode == 0 {
				names[i] = "/dev/null"
			}
		}
		if binary {
			fmt.Fprintf(&out, "Binary files %s and %s differ\n", names[0], names[1])
			continue
		}
		// The first line of the library's is its own; below are those of both names and the hunks.
		_, hunks, _ := bytes.Cut(diff.Diff(names[0], contents[0], names[1], contents[1]), []byte("\n"))
		out.Write(hunkHead.ReplaceAllFunc(hunks, func(head []byte) []byte {
			return bytes.ReplaceAll(head, []byte(",1 "),
				[]byte(" "))
		}))
	}
	return out.String(), nil
}

// hunkHead is the first line of a hunk, in which git leaves out a length of 1.
var hunkHead = regexp.MustCompile(`(?m)^@@ .* @@$`)

// head prints the lines above a file's hunks.
func (p Pair) head(out *strings.Builder) {
	fmt.Fprintf(out, "diff --git a/%s b/%s\n", p.Path, p.Path)
	mode := ""
	switch {
	case p.Old.Mode == 0:
		fmt.Fprintf(out, "new file mode %o\n", p.New.Mode)
	case p.New.Mode == 0:
		fmt.Fprintf(out, "deleted file mode %o\n", p.Old.Mode)
	case p.Old.Mode != p.New.Mode:
		fmt.Fprintf(out, "old mode %o\nnew mode %o\n", p.Old.Mode, p.New.Mode)
	default:
		mode = fmt.Sprintf(" %o", p.New.Mode)
	}
	if p.Old.Hash != p.New.Hash {
		fmt.Fprintf(out, "index %s..%s%s\n", p.Old.Hash, p.New.Hash, mode)
	}
}
