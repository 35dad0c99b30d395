package push

import (
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// The service has one text for a key of a collection; two files may have the key, each with a translation of its own. Where
// these differ in a language, each file keeps its own: neither is sent, and neither is written over the other. That is an open
// conflict of each file whose text the service does not have, which is told once and waits for a person: push --ours chooses
// one file's text for the service, push --theirs leaves what the service has. Where one file has a translation and the other
// has none, the gap is no request for it: at first contact it stays, too.

// beside is another file of the collection that has another translation of a key of a candidate; "" for none.
func (c *candidate) beside(key string) string {
	return c.place.shared.Beside(c.Path, c.Language.Code, key)
}

// about reports whether a stored conflict is still what it was: of a divided key, or of none.
func (c *candidate) about(lost pass.Conflict) bool {
	return (lost.Beside == "") == (c.beside(lost.Key) == "")
}

// gather reads those of all places together, as they will be merged: the texts that are about to be sent, and else those
// of the first place that has the key.
func gather(s *tree.Shared, found []*candidate) {
	for _, c := range found {
		had := c.texts.Keys()
		for key := range had {
			had[key] = s.Translates(c.Sources[0], c.Language.Code, c.Path, key)
		}
		for _, u := range c.texts {
			if c.changed[u.Name] || !had[u.Key] {
				s.Add(c.Sources[0], c.Language.Code, c.Path, u)
			}
		}
	}
	s.Divide()
}

// choose prepares the decision on divided keys: the service has one text for all files, so one file is to be named. The others
// keep what they have, and nothing waits for them any more.
func choose(r *pushing, wanted map[string]pass.Conflict) error {
	groups := make(map[string][]pass.Conflict)
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		if c := wanted[id]; c.Beside != "" {
			groups[c.Group()] = append(groups[c.Group()], c)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.lost)) {
		c := r.lost[id]
		chosen := groups[c.Group()]
		switch _, is := wanted[id]; {
		case c.Beside == "" || len(chosen) == 0:
		case len(chosen) > 1:
			if is && c.ID() == chosen[0].ID() {
				r.answer(report.Problem{Code: report.CodeDivided, File: c.Path, Key: c.Key, Language: c.Language,
					Problem: fmt.Sprintf("is translated otherwise in %s, and the service has one text for both: neither is sent. Name one of the files with --file", c.Beside)})
			}
			delete(wanted, id)
		case !is:
			if err := r.yieldConflict(c); err != nil {
				return err
			}
		}
	}
	return nil
}
