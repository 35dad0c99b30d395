package bundle

import (
	"fmt"
	"io/fs"
	"reflect"
	"sync/atomic"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/spelling"
)

// foreignRoot is the problem of a translation whose root is not its language's while its source has one, as a Rails
// file copied from another language has it. Every key in it would read as one that the source lacks, and a pull would
// take all of them out. Keys without a root, which are the source's, are fine: nothing of those would be lost.
func foreignRoot(b *Bundle, fsys fs.FS, f *resource.File, name string, l config.Language) *report.Problem {
	if _, rooted := f.Root(); rooted || name == b.Path || f.Len() < 2 || f.Node(0).Kind != resource.Map {
		return nil
	}
	expected := b.Keys(l).Roots
	named := make(map[string]bool, len(expected))
	for _, r := range expected {
		named[r] = true
	}
	var outermost []string
	maps := true
	for c := range f.Children(0) {
		outermost = append(outermost, f.Name(c))
		maps = maps && f.Node(c).Kind == resource.Map
	}
	if !maps && (len(outermost) > 1 || !named[outermost[0]]) {
		return nil
	}
	source := sourceIn(b, fsys)
	if !source.rooted {
		return nil
	}
	for _, n := range outermost {
		if source.names[n] {
			return nil
		}
	}
	problem := func(format string, args ...any) *report.Problem {
		return &report.Problem{Code: report.CodeSyntax, File: name, Language: l.Code, Problem: fmt.Sprintf(format, args...)}
	}
	switch {
	case !maps:
		return problem("its root %q is not a mapping; the file is skipped until it is one, which may be empty",
			outermost[0])
	case len(outermost) > 1:
		return problem("it has %d roots, expected %q alone; the file is skipped until the others have files of their own",
			len(outermost), expected[0])
	}
	return problem("its root is %q, expected %q; the file is skipped until the root is renamed, "+
		"or language_paths spells the language like that", outermost[0], expected[0])
}

// sourceRoot is what translations are read by, of a source file in one tree: its outermost names, whether
// they are below a root, and its plurals.
type sourceRoot struct {
	of      *Bundle // a copy may read the same file otherwise
	in      fs.FS
	names   map[string]bool
	rooted  bool
	plurals *spelling.Joined // nil where they travel as keys
}

// remembers reports whether it is that of a bundle's source file in a tree. A tree of a kind that cannot be compared is
// never the same one.
func (r *sourceRoot) remembers(b *Bundle, fsys fs.FS) bool {
	return r != nil && r.of == b && reflect.ValueOf(fsys).Comparable() && r.in == fsys
}

// rootOf finds the outermost names of a parsed source file; of nil, there are none.
func rootOf(b *Bundle, fsys fs.FS, f *resource.File) *sourceRoot {
	r := &sourceRoot{of: b, in: fsys}
	if f == nil {
		return r
	}
	r.plurals, _ = f.Plurals().(*spelling.Joined)
	if _, r.rooted = f.Root(); r.rooted {
		r.names = make(map[string]bool)
		for c := range f.Children(1) {
			r.names[f.Name(c)] = true
		}
	}
	return r
}

// sourceIn is the source file in a tree as translations are read by it. Of one that is not there, or cannot be read,
// nothing is known: its own problem is reported elsewhere. It is as it was read last in this tree, so that it is read
// once and not for each translation.
func sourceIn(b *Bundle, fsys fs.FS) *sourceRoot {
	kept := b.root
	if kept == nil {
		kept = new(atomic.Pointer[sourceRoot])
	}
	if last := kept.Load(); last.remembers(b, fsys) {
		return last
	}
	var f *resource.File
	if src, err := bound.ReadFS(fsys, b.Path, resource.MaxBytes); err == nil {
		if f, err = b.Parse(src, b.Source); err != nil {
			f = nil
		}
	}
	now := rootOf(b, fsys, f)
	kept.Store(now)
	return now
}
