package bundle

import (
	"fmt"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/spelling"
)

// Refused is a change that a file's format could not take, and why.
type Refused struct {
	catalog.Change
	Reason string
}

// Render writes changes into the file of a target as it is, or makes the file, laid out like source, when old is
// nil. Nothing but the changed values differs. A new file is source with every text replaced: what has no translation
// is left out (see resource.File.Fresh), and the file becomes the language's own (formats.Format.Translated).
func Render(
	b *Bundle, source, old *resource.File, l config.Language, changes []catalog.Change,
) ([]byte, []Refused, error) {
	edits := make([]resource.Edit, 0, len(changes))
	for _, c := range changes {
		edits = append(edits, EditOf(c))
	}
	if old == nil {
		return renderNew(b, source, l, edits)
	}
	out, refusals := old.Rewrite(edits, source)
	return out, refusedOf(refusals), nil
}

// Written tells what a file has after it was rendered: the marks of its texts, and the removals that came with the
// changes. A list is whole or absent, so that one of its texts may take the others with it.
func Written(
	b *Bundle, out []byte, l config.Language, before catalog.Catalog, changes []catalog.Change, refused []Refused,
) (after catalog.Marks, also []catalog.Change) {
	after = before.Marks()
	left, removes := make(map[catalog.Name]bool), len(refused) > 0
	for _, r := range refused {
		left[r.Name] = true
	}
	for _, c := range changes {
		switch {
		case left[c.Name]:
		case c.Op == catalog.Removed:
			removes = true
			delete(after, c.Name)
		default:
			after[c.Name] = catalog.MarkOf(c.Text)
		}
	}
	if !removes {
		return after, nil
	}
	f, err := b.Parse(out, l)
	if err != nil {
		return after, nil // the second reader has read it
	}
	has := Texts(f).Index()
	for _, u := range before {
		_, stays := after[u.Name]
		if _, is := has[u.Name]; stays && !is {
			delete(after, u.Name)
			also = append(also, catalog.Change{Op: catalog.Removed, Name: u.Name})
		}
	}
	return after, also
}

// EditOf is a change as an edit of a file.
func EditOf(c catalog.Change) resource.Edit {
	e := resource.Edit{Op: resource.Set, Key: c.Key, Form: c.Form, Text: c.Text}
	if c.Op == catalog.Removed {
		e.Op = resource.Remove
	}
	return e
}

func renderNew(b *Bundle, source *resource.File, l config.Language, edits []resource.Edit) ([]byte, []Refused, error) {
	if file, bilingual, err := Blank(b, source, l); bilingual {
		if err != nil {
			return nil, nil, err
		}
		out, refused := file.Fresh(edits)
		return out, refusedOf(refused), nil
	}
	spelled := b.Output.Spelled(l).Path
	out, refused := FreshSource(source, l).Fresh(edits)
	clone, err := b.Parse(out, b.Source)
	if err != nil {
		return nil, nil, fmt.Errorf("lay out like the source: %w", err)
	}
	if out, err = b.Format.Translated(clone, spelled); err != nil {
		return nil, nil, fmt.Errorf("lay out like the source: %w", err)
	}
	return out, refusedOf(refused), nil
}

// Blank is a new file of translations as it is before it has any, of a format with both texts in one entry; false of
// all others.
func Blank(b *Bundle, source *resource.File, l config.Language) (file *resource.File, bilingual bool, err error) {
	blank, bilingual, err := b.Format.Blank(source, b.Output.Spelled(l).Path)
	if err == nil && bilingual {
		file, err = b.Parse(blank, l)
	}
	if err != nil {
		return nil, bilingual, fmt.Errorf("lay out like the source: %w", err)
	}
	return file, bilingual, nil
}

// FreshSource is a source file as a new file of a language is made of it: with the plurals of that language.
func FreshSource(source *resource.File, l config.Language) *resource.File {
	if p, joins := source.Plurals().(*spelling.Joined); joins {
		return source.Join(p.In(l.Code, nil))
	}
	return source
}

func refusedOf(refusals []resource.Refusal) []Refused {
	var out []Refused
	for _, r := range refusals {
		op := catalog.Changed
		if r.Op == resource.Remove {
			op = catalog.Removed
		}
		left := catalog.Change{Op: op, Name: catalog.Name{Key: r.Key, Form: r.Form}, Text: r.Text}
		out = append(out, Refused{left, r.Reason})
	}
	return out
}
