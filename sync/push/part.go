package push

import (
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
)

// A push of some files reads all of them, since what one of them lacks may be in another one, and then sends and
// concludes only what is about those that it is for.

// narrow sees to it that the files that a push is for are there, before anything is sent.
func narrow(r *state) error {
	if r.o.Part().Whole() {
		return nil
	}
	targets, err := bundle.Existing(r.tree.FS, r.tree.Bundles(), r.branch.Project.Targets())
	if err != nil {
		return err
	}
	sources := make(map[string]bool)
	for _, s := range r.tree.Sources {
		sources[s.Path] = true
	}
	known := maps.Clone(sources)
	r.told = slices.Clone(r.o.Part())
	for _, t := range targets {
		if known[t.Path] = true; r.o.Part().Has(t.Path) {
			for _, b := range t.Sources {
				r.told = append(r.told, b.Path) // why a translation is not sent may be a problem of its source file
			}
		}
	}
	for _, path := range r.o.Files {
		if known[path] {
			continue
		}
		hint := "its source files are " + report.Some(slices.Sorted(maps.Keys(sources)), 5)
		if near := config.Nearest(path, slices.Sorted(maps.Keys(known))); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		return failure.Usage(fmt.Errorf("project %s has no file %q; %s", r.branch.Called(), path, hint))
	}
	return nil
}

// ofPart takes the problems of other files out of a report.
func ofPart(r *state) {
	for _, all := range []*[]report.Problem{&r.report.Problems, &r.report.Orphaned, &r.report.Replaced} {
		*all = r.told.Problems(*all, func(p report.Problem) string { return p.File })
	}
}

// partOf are the candidates that are pushed. Translations of keys that the service does not have, as their source file
// is not pushed, wait for the next push.
func (r *translationPass) partOf(found []*candidate) []*candidate {
	part := r.o.Part()
	if part.Whole() {
		return found
	}
	found = slices.DeleteFunc(slices.Clone(found), func(c *candidate) bool { return !part.Has(c.Path) })
	for _, c := range found {
		there := make(map[string]bool)
		for _, b := range c.Sources {
			s := r.tree.Of(b)
			for n := range r.accepted.Texts[s.Collection] {
				there[n.Key] = true
			}
			if part.Has(s.Path) {
				maps.Copy(there, s.TextKeys())
			}
		}
		maps.DeleteFunc(c.changed, func(n catalog.Name, _ bool) bool { return !there[n.Key] })
	}
	return found
}
