package bundle

import (
	"fmt"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
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
		e := resource.Edit{Op: resource.Set, Key: c.Key, Form: c.Form, Text: c.Text}
		if c.Op == catalog.Removed {
			e.Op = resource.Remove
		}
		edits = append(edits, e)
	}
	if old == nil {
		return renderNew(b, source, l, edits)
	}
	out, refusals := old.Rewrite(edits, source)
	return out, refusedOf(refusals), nil
}

func renderNew(b *Bundle, source *resource.File, l config.Language, edits []resource.Edit) ([]byte, []Refused, error) {
	spelled := b.Output.Spelled(l).Path
	if blank, bilingual, err := b.Format.Blank(source, spelled); bilingual {
		if err != nil {
			return nil, nil, fmt.Errorf("lay out like the source: %w", err)
		}
		file, err := b.Parse(blank, l)
		if err != nil {
			return nil, nil, fmt.Errorf("lay out like the source: %w", err)
		}
		out, refused := file.Fresh(edits)
		return out, refusedOf(refused), nil
	}
	out, refused := source.Fresh(edits)
	clone, err := b.Parse(out, b.Source)
	if err != nil {
		return nil, nil, fmt.Errorf("lay out like the source: %w", err)
	}
	if out, err = b.Format.Translated(clone, spelled); err != nil {
		return nil, nil, fmt.Errorf("lay out like the source: %w", err)
	}
	return out, refusedOf(refused), nil
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
