package catalog

import (
	"slices"
)

// Whole keeps the renames of keys that moved with all of their forms: one form in common says nothing about the others.
func Whole(renames []Rename, base Marks, now Catalog) []Rename {
	if len(renames) == 0 {
		return nil
	}
	type keys struct{ from, to string }
	moved, from, to := make(map[keys]int), make(map[string]int), make(map[string]int)
	for _, m := range renames {
		moved[keys{m.From.Key, m.To.Key}]++
	}
	for n := range base {
		from[n.Key]++
	}
	for _, u := range now {
		to[u.Key]++
	}
	return slices.DeleteFunc(renames, func(m Rename) bool {
		n := moved[keys{m.From.Key, m.To.Key}]
		return n != from[m.From.Key] || n != to[m.To.Key]
	})
}
