package pass

import (
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/text/catalog"
)

// Divider finds, of the texts of a collection that many files share, those that one of them may need: of its own keys,
// and of keys that no file has. Where files of one answer come one after the other, each costs what it has itself.
type Divider struct {
	last  catalog.Catalog
	index map[string][]int // where texts are, by key
	free  []int            // where those are whose keys no file has
}

// KeysOf are the keys that a file has in its source texts, its translations or what is remembered of it.
func KeysOf(texts catalog.Catalog, source []map[string]bool, remembered ...catalog.Marks) map[string]bool {
	keys := texts.Keys()
	for _, of := range source {
		maps.Copy(keys, of)
	}
	for _, marks := range remembered {
		for n := range marks {
			keys[n.Key] = true
		}
	}
	return keys
}

// Texts are those of all that a file may need, in their order. owned tells whether some file has a key, and keys are
// the file's own.
func (d *Divider) Texts(all catalog.Catalog, owned func(key string) bool, keys map[string]bool) catalog.Catalog {
	if len(all) == 0 {
		return all
	}
	if len(d.last) != len(all) || &d.last[0] != &all[0] {
		*d = Divider{last: all, index: make(map[string][]int, len(all))}
		for i, u := range all {
			d.index[u.Key] = append(d.index[u.Key], i)
			if !owned(u.Key) {
				d.free = append(d.free, i)
			}
		}
	}
	at := slices.Clone(d.free)
	for key := range keys {
		at = append(at, d.index[key]...)
	}
	slices.Sort(at)
	texts := make(catalog.Catalog, 0, len(at))
	for _, i := range slices.Compact(at) {
		texts = append(texts, all[i])
	}
	return texts
}
