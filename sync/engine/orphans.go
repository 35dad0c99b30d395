package engine

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
)

// An entry of a target file whose key its source files do not have is taken out by a pull when the source was seen to have had that key. Of any other nothing is
// known: a library, another generation of the program or a person may need it. It is an orphan, which stays until pull --prune. What the source has in another
// shape, a number or a list say, is no orphan.

// outline is which keys the source files of a target have, in any shape.
type outline struct {
	separator string
	leaves    map[string]bool // texts, numbers, references and nothing at all
	groups    map[string]resource.Kind
}

func (t *tree) outline(target bundle.Target) outline {
	o := outline{target.Sources[0].Separator, make(map[string]bool), make(map[string]resource.Kind)}
	for _, b := range target.Sources {
		s := t.of(b)
		if s == nil || s.broken() {
			continue
		}
		for e := range s.file.Entries() {
			o.leaves[e.Key] = true
		}
		for i := 1; i < s.file.Len(); i++ {
			if kind := s.file.Node(i).Kind; kind == resource.Map || kind == resource.List || kind == resource.Forms {
				o.groups[s.file.KeyOf(i)] = kind
			}
		}
	}
	return o
}

// has reports whether the source has an entry for a key, in its own shape or another: a map or list instead of a text, a text instead of a map, a list of
// another length.
func (o outline) has(key string) bool {
	if _, group := o.groups[key]; group || o.leaves[key] {
		return true
	}
	for at := len(key); o.separator != ""; {
		if at = strings.LastIndex(key[:at], o.separator); at < 0 {
			break
		}
		if o.leaves[key[:at]] || o.groups[key[:at]] == resource.List {
			return true
		}
	}
	return false
}

// gone are the keys of a target file that its source files had and have no more, and those that give way to another shape (away).
func (r *pulling) gone(t *tree, x translated, m *merged, in catalog.Three, away map[string]bool) (map[string]bool, error) {
	living, dead := in.Source.Keys(), make(map[string]bool)
	for _, u := range in.Ours {
		if !living[u.Key] {
			dead[u.Key] = true
		}
	}
	if len(dead) == 0 {
		return nil, nil
	}
	seen, err := r.seenKeys(x, m, in.Ours)
	if err != nil {
		return nil, err
	}
	for _, renamed := range in.Renamed {
		seen[renamed.From.Key] = true
	}
	sources, gone := t.outline(x.Target), make(map[string]bool)
	for key := range dead {
		gone[key] = away[key] || seen[key] && !sources.leaves[key] || r.o.Prune && !sources.has(key)
	}
	return gone, nil
}

// seenKeys are the keys that the source files of a target were seen to have: those that the service accepted from them, or that a merge into the target
// found there, with the further forms that the target has of their plurals.
func (r *pulling) seenKeys(x translated, m *merged, ours catalog.Catalog) (map[string]bool, error) {
	var seen catalog.Catalog
	slots := []struct{ kind, path, of string }{{kindMerged, x.Path, x.Language.Code}}
	if m.former.path != "" {
		slots = append(slots, struct{ kind, path, of string }{kindMerged, m.former.path, x.Language.Code})
	}
	for _, b := range x.Sources {
		slots = append(slots, struct{ kind, path, of string }{kindPushed, b.Path, b.Collection})
	}
	for _, s := range slots {
		marks, err := r.marks(r.slot(s.kind, s.path, s.of))
		if err != nil {
			return nil, err
		}
		for n := range marks {
			seen = append(seen, catalog.Unit{Name: n})
		}
	}
	b := x.Sources[0]
	return widened(seen, b.Separator, b.Source, ours).Keys(), nil
}
