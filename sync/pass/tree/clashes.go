package tree

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// findClashes takes out keys that a collection has twice with different texts, and keys that begin another in a
// structured format: the service has one text for both, so that each push would overwrite the other.
func (t *Tree) findClashes() {
	collections := make(map[string][]*Source)
	for _, s := range t.Sources {
		if !s.Broken() {
			collections[s.Collection] = append(collections[s.Collection], s)
		}
	}
	for _, sources := range collections {
		if len(sources) > 1 {
			clashesBetween(sources)
		}
		clashesOfNesting(sources)
	} // in any order: a file has one collection
	for _, s := range t.Sources {
		told := make(map[string]bool)
		for _, u := range s.All {
			if why, bad := s.Clash[u.Key]; bad && !told[u.Key] {
				told[u.Key] = true
				t.Problems = append(t.Problems, report.Problem{Code: bundle.CodeOfUnsent(why),
					File: s.Path, Key: u.Key, Language: s.Source.Code, Problem: why})
			}
		}
		s.leaveOut()
	}
}

// clashesBetween finds the keys that files of one collection have with different values. The forms of a key are one
// value.
func clashesBetween(sources []*Source) {
	first := make(map[string]*Source)
	shared := make(map[string][]*Source) // keys of more than one file
	for _, s := range sources {
		for key := range s.TextKeys() {
			if first[key] == nil {
				first[key] = s
				continue
			}
			if shared[key] == nil {
				shared[key] = []*Source{first[key]}
			}
			shared[key] = append(shared[key], s)
		}
	}
	if len(shared) == 0 {
		return
	}
	values := make(map[*Source]map[string]catalog.Marks)
	for _, s := range sources {
		values[s] = make(map[string]catalog.Marks)
		for _, u := range s.Texts {
			if shared[u.Key] == nil {
				continue
			}
			if values[s][u.Key] == nil {
				values[s][u.Key] = make(catalog.Marks)
			}
			values[s][u.Key][u.Name] = catalog.MarkOf(u.Text)
		}
	}
	for key, all := range shared {
		for _, s := range all {
			for _, other := range all {
				if !maps.Equal(values[s][key], values[other][key]) {
					s.Clash[key] = fmt.Sprintf("is in %s with another text, in the same collection %q; neither is sent until "+
						"they agree, or the files have collections of their own or a key_prefix", other.Path, s.Collection)
					break
				}
			}
		}
	}
}

// clashesOfNesting finds keys of a collection that are both a text and the beginning of others, which no nested file
// can hold.
func clashesOfNesting(sources []*Source) {
	type text struct{ separator, key string }
	keys := make(map[text][]*Source)
	for _, s := range sources {
		if s.Separator == "" {
			continue
		}
		for key := range s.TextKeys() {
			keys[text{s.Separator, key}] = append(keys[text{s.Separator, key}], s)
		}
	}
	tell := func(s *Source, key, why string) {
		if s.Clash[key] == "" { // of several the first is named
			s.Clash[key] = why
		}
	}
	inOrder := slices.SortedFunc(maps.Keys(keys), func(a, b text) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.separator, b.separator))
	})
	for _, below := range inOrder {
		for at := 0; ; {
			next := strings.Index(below.key[at:], below.separator)
			if next < 0 {
				break
			}
			above := text{below.separator, below.key[:at+next]}
			for _, s := range keys[above] {
				tell(s, above.key, fmt.Sprintf("is a text and also the beginning of %q; neither is sent until one is renamed",
					below.key))
				for _, s := range keys[below] {
					tell(s, below.key, fmt.Sprintf("is below %q, which is a text itself; neither is sent until one is renamed",
						above.key))
				}
			}
			at += next + len(below.separator)
		}
	}
}
