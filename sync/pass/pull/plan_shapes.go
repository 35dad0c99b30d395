package pull

import (
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
	"github.com/locsync/locsync/sync/text/spelling"
)

// apart are texts of the repository in another shape than the source's: forms for a single text, or a single text for
// a plural.
type apart struct {
	instead string // the source's key: the single text, or the plural's "other"
	forms   string // what the plural's keys have before the category; "" where the source has a single text
}

// keys are those of the source's side that the text replaces.
func (a apart) keys() []string {
	if a.forms == "" {
		return []string{a.instead}
	}
	keys := make([]string, len(plural.Order))
	for i, category := range plural.Order {
		keys[i] = a.forms + category
	}
	return keys
}

// covers are the keys that a text in another shape replaces, with the key of that text.
func covers(stays map[string]apart) map[string]string {
	covered := make(map[string]string)
	for key, a := range stays {
		for _, k := range a.keys() {
			covered[k] = key
		}
	}
	return covered
}

// standing finds the repository's texts in another shape, by key, and adds to gone what is replaced: the service has a
// new translation in the source's shape, and the file was merged before. Against the translation that was merged last,
// the other shape is a person's change. What was filled in for a single text does not translate the plural.
func (s *situation) standing(of *spelling.Plurals, gone map[string]bool) map[string]apart {
	base, filler := s.here[ledger.Merged], s.here[ledger.Filler]
	renamed := make(map[string]bool)
	for _, moved := range s.renames() {
		renamed[moved.From.Key] = true
	}
	stand := make(map[string]apart)
	theirs, here := spelling.Translated(s.Texts), spelling.Translated(s.ours)
	for _, u := range s.ours {
		if u.Form != "" || of.Keys[u.Key] {
			continue
		}
		if single, is := of.Single(u.Key); is {
			stand[u.Key] = apart{instead: single}
		} else if before, other := of.BasedOn(u.Key); before != "" && !here[other.Key] && u.Text != "" {
			if renamed[u.Key] || ledger.Knows(filler, u.Name, catalog.MarkOf(u.Text)) {
				gone[u.Key] = true
				continue
			}
			stand[u.Key] = apart{other.Key, before}
		}
	}
	texts := s.Texts.Texts()
	for key, a := range stand {
		gone[key] = theirs[a.instead] && slices.ContainsFunc(a.keys(), func(k string) bool {
			n := catalog.Name{Key: k}
			return (base != nil || s.options.AcceptService) && texts[n] != "" && !base.Has(n, texts[n])
		})
	}
	return stand
}

// keepApart removes a text in another shape only where something replaces it. Else what cannot be beside it stays out.
// It returns what stays. Forms without "other" replace no text and are named; so is, at first contact, what the
// service has in the other shape.
func (s *situation) keepApart(
	m *merged, stand map[string]apart, in catalog.Three, result *catalog.Merged,
) map[string]apart {
	if len(stand) == 0 {
		return nil
	}
	comes := make(map[string]bool)
	for _, c := range result.Changes {
		comes[c.Key] = comes[c.Key] || c.Op != catalog.Removed && c.Text != ""
	}
	stays, theirs := maps.Clone(stand), spelling.Translated(in.Theirs)
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		a, is := stand[c.Key]
		if !is || c.Op != catalog.Removed {
			return false
		}
		if comes[a.instead] || slices.Contains(result.Blanked, c.Name) {
			delete(stays, c.Key)
			return false
		}
		result.Leave(in.Base, c.Name)
		return true
	})
	covered := covers(stays)
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		key, is := covered[c.Key]
		if _, itself := stays[c.Key]; !is || itself || c.Op == catalog.Removed || c.Form != "" {
			return false
		}
		if m.first && !s.options.AcceptService {
			s.leaveOut(report.CodeConflict, c.Key, fmt.Sprintf("the service has %q, and the repository %q in another "+
				"shape; neither is changed; locsync pull --accept-service --language %s takes it", c.Text, key, s.Language.Code))
			result.Agreed[c.Name] = catalog.MarkOf(c.Text)
			return true
		}
		if a := stays[key]; a.forms != "" && !theirs[a.instead] {
			s.leaveOut(report.CodeShape, c.Key, fmt.Sprintf("the translation is left out: the repository has one "+
				"text, %q, instead of the plural, and the service lacks the form \"other\"; translate that at the service", key))
		}
		result.Leave(in.Base, c.Name)
		return true
	})
	return stays
}

// unfilled are a source's texts without those that a text in another shape replaces: they are translated.
func unfilled(source catalog.Catalog, stays map[string]apart) catalog.Catalog {
	if len(stays) == 0 {
		return source
	}
	covered := covers(stays)
	return slices.DeleteFunc(slices.Clone(source), func(u catalog.Unit) bool {
		_, itself := stays[u.Key]
		_, is := covered[u.Key]
		return is && !itself
	})
}

// widen adds to a source's texts the forms that the two sides have, without what stays in another shape. A form that
// the service accepted once and the source lost does not come back. away are the keys that what comes replaces.
func (s *situation) widen() (wide catalog.Catalog, stand map[string]apart, away map[string]bool) {
	b := s.Sources[0]
	wide = spelling.Widened(s.source, b.Separator, b.Source.Code, s.ours, s.Texts)
	if len(wide) == len(s.source) {
		return s.source, nil, nil
	}
	known, here := s.source.Keys(), s.ours.Keys()
	gone := make(map[string]bool)
	stand = s.standing(spelling.PluralsIn(s.source, b.Separator, b.Source.Code), gone)
	away = maps.Clone(gone)
	for _, b := range s.Sources {
		for n := range s.accepted.Files[ledger.Source{Collection: b.Collection, Path: b.Path}] {
			gone[n.Key] = gone[n.Key] || !known[n.Key] && !here[n.Key]
		}
	}
	return slices.DeleteFunc(wide, func(u catalog.Unit) bool { return gone[u.Key] }), stand, away
}
