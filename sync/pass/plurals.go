package pass

import (
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/plural"
	"github.com/locsync/locsync/sync/text/spelling"
)

// KeyFiles are the source files whose plurals travel as keys, one by one: those that are remembered as such. Where
// nothing is remembered of it, they are those of which keys were pushed that look like a plural's forms.
func (p *Branch) KeyFiles() ([]string, error) {
	files, known, err := ledger.PluralKeys.Get(p.Ledger, p.StateName(), "")
	if err != nil || known {
		return files, err
	}
	slots, err := ledger.Pushed.Slots(p.Ledger, p.StateName())
	if err != nil {
		return nil, err
	}
	for _, slot := range slots {
		marks, err := p.Ledger.Marks(slot)
		if err != nil {
			return nil, err
		}
		for n := range marks {
			if n.Form == "" && spelling.MayBeForm(n.Key, "/") && !strings.HasSuffix(n.Key, plural.Other) {
				files = append(files, slot.Path)
				break
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// Settled is the branch with the project as its passes read it: where plurals of some files go on as keys, those do.
func (p *Branch) Settled() (*Branch, error) {
	if p.Ledger == nil { // of a check that remembers nothing
		return p, nil
	}
	files, err := p.KeyFiles()
	if err != nil || len(files) == 0 {
		return p, err
	}
	settled := *p
	settled.Project = p.Project.WithPluralKeys(files)
	return &settled, nil
}

// KeepKeyFiles remembers the files of a tree whose plurals a push sends as keys, beside those that it
// does not have now.
func (p *Branch) KeepKeyFiles(t *tree.Tree) error {
	before, known, err := ledger.PluralKeys.Get(p.Ledger, p.StateName(), "")
	if err != nil {
		return err
	}
	now := []string{}
	if known {
		now = slices.Clone(before)
	}
	for _, s := range t.Sources {
		now = withoutFile(now, s.Path)
		if s.Format.PluralKeys && !bundle.JoinsPlurals(s.Bundle) {
			now = append(now, s.Path)
		}
	}
	slices.Sort(now)
	if known && slices.Equal(before, now) {
		return nil
	}
	return p.Ledger.Update(func(tx ledger.Writer) error { return ledger.PluralKeys.Put(tx, p.StateName(), "", now) })
}

// JoinedSource is a source file with the plurals that its keys become.
type JoinedSource struct {
	Source  *tree.Source
	Plurals *spelling.Joined
}

// JoinPluralKeys replaces keys that were sent one by one by the forms of their plurals in all that is remembered, and
// takes the files off the list of those that go on one by one.
func (p *Branch) JoinPluralKeys(joined []JoinedSource) error {
	scope := p.Memory().Scope
	kept, err := p.KeyFiles()
	if err != nil {
		return err
	}
	type address struct{ path, of string } // of is a language or a collection
	renames := make(map[address][]*spelling.Joined)
	for _, j := range joined {
		s := j.Source
		kept = withoutFile(kept, s.Path)
		for _, at := range []address{{s.Path, s.Collection}, {"", s.Collection}} {
			renames[at] = append(renames[at], j.Plurals)
		}
		for _, l := range p.Project.Targets() {
			at := address{s.Target(l), l.Code}
			renames[at] = append(renames[at], j.Plurals.In(l.Code, nil))
		}
	}
	return p.Ledger.Update(func(tx ledger.Writer) error {
		slots, err := ledger.AllSlots(tx, scope)
		if err != nil {
			return err
		}
		for _, slot := range slots {
			for _, plurals := range renames[address{slot.Path, slot.Language + slot.Collection}] {
				if err := ledger.RenameMarks(tx, slot, plurals.Form); err != nil {
					return err
				}
			}
		}
		return ledger.PluralKeys.Put(tx, scope, "", kept)
	})
}

// withoutFile is a list without a file.
func withoutFile(files []string, file string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return f == file })
}
