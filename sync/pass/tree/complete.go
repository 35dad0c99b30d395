package tree

import (
	"io/fs"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/spelling"
)

// Key is a key of a source file.
type Key struct{ Path, Key string }

// Needed are the keys of the sources that a language is to have.
func (t *Tree) Needed(l config.Language) map[Key]bool {
	needed := make(map[Key]bool)
	for _, src := range t.Sources {
		for key := range spelling.Wanted(src.Texts, src.Separator, src.Source.Code, l.Code) {
			needed[Key{src.Path, key}] = true
		}
	}
	return needed
}

// AddComplete adds to have the needed keys that fsys has whole translations for, those left out that pulls filled in,
// and returns what is wrong with files that cannot be read.
func (t *Tree) AddComplete(have, needed map[Key]bool, fsys fs.FS, l config.Language, r ledger.Reader, scope string) (
	problems []report.Problem, err error) {
	targets, err := bundle.Existing(fsys, t.Bundles(), []config.Language{l})
	if err != nil {
		return nil, err
	}
	for _, target := range targets {
		f, problem, err := target.Sources[0].Read(fsys, target.Path, l)
		if err != nil {
			return nil, err
		}
		if problem != nil {
			problems = append(problems, *problem)
		}
		if f == nil {
			continue
		}
		filler, err := r.Marks(ledger.Filler.Of(scope, target.Path, l.Code))
		if err != nil {
			return nil, err
		}
		texts := slices.DeleteFunc(bundle.Texts(f), func(u catalog.Unit) bool { return ledger.Holds(filler, u) })
		for _, b := range target.Sources {
			for key, whole := range spelling.Complete(t.Of(b).Texts, texts, bundle.FileRules(b, l, f)) {
				if at := (Key{b.Path, key}); whole && needed[at] {
					have[at] = true
				}
			}
		}
	}
	return problems, nil
}
