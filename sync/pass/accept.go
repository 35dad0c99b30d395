package pass

import (
	"context"
	"errors"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Memory is what is remembered of a branch: its part of the ledger.
type Memory struct {
	Ledger         ledger.Store
	Scope, Project string // in the ledger: of the branch, and of all branches of its project
	Base           string // of a project whose branches are translated beside each other; else ""
	Branch         string // that pulls write
}

// Memory is that of a branch.
func (p *Branch) Memory() Memory {
	return Memory{Ledger: p.Ledger, Scope: p.StateName(), Project: p.ProjectName(), Base: p.Base,
		Branch: p.Project.Pull.Branch}
}

// Acceptance is what the service has by now of the source texts of one collection, each key whole. All files of the
// collection that have one of the keys are remembered with these texts. What several files bring is gathered first, so
// that each slot is decoded and written once.
type Acceptance struct {
	collection string
	units      []ledger.Text
	texts      map[string][]ledger.Text // by key; where two files bring one key, the later one's
	own        map[string][]string      // keys by the file that brings them: it has them from now on
}

// NewAcceptance begins one, without any text.
func NewAcceptance(collection string) *Acceptance {
	return &Acceptance{collection: collection, texts: make(map[string][]ledger.Text), own: make(map[string][]string)}
}

// Add gathers the texts of one file.
func (a *Acceptance) Add(path string, units []ledger.Text) {
	a.units = append(a.units, units...)
	fresh := make(map[string][]ledger.Text, len(units))
	for _, u := range units {
		fresh[u.Key] = append(fresh[u.Key], u)
	}
	for key, texts := range fresh {
		a.texts[key] = texts
		a.own[path] = append(a.own[path], key)
	}
}

// StateStep is a part of what is to be remembered. Its weight is about the number of texts that it had to read.
type StateStep func(tx ledger.Writer) (weight int, err error)

// AcceptSteps are the steps of an acceptance, one for each slot of the collection.
func (p Memory) AcceptSteps(tx ledger.Writer, a *Acceptance) ([]StateStep, error) {
	if len(a.texts) == 0 {
		return nil, nil
	}
	slots, err := p.PushedSlots(tx)
	if err != nil {
		return nil, err
	}
	all := []StateStep{func(tx ledger.Writer) (int, error) { return len(a.units), relearn(p, tx, a.collection, a.units) }}
	for path := range a.own {
		slots = append(slots, p.PushedSlot(ledger.Source{Collection: a.collection, Path: path}))
	}
	listed := make(map[ledger.Slot]bool, len(slots))
	for _, slot := range slots {
		if slot.Collection == a.collection && !listed[slot] {
			listed[slot] = true
			all = append(all, func(tx ledger.Writer) (int, error) { return acceptSlot(p, tx, slot, a) })
		}
	}
	return all, nil
}

func acceptSlot(p Memory, tx ledger.Writer, slot ledger.Slot, a *Acceptance) (weight int, err error) {
	marks, err := tx.Marks(slot)
	if err != nil {
		return 0, err
	}
	weight = 1 + len(marks)
	has := make(map[string]bool)
	for n := range marks {
		if _, accepted := a.texts[n.Key]; accepted {
			has[n.Key] = true
			delete(marks, n)
		}
	}
	if slot.Scope == p.Scope {
		for _, key := range a.own[slot.Path] {
			has[key] = true
		}
	}
	if len(has) == 0 {
		return weight, nil
	}
	if marks == nil {
		marks = make(catalog.Marks, len(has))
	}
	for key := range has {
		for _, u := range a.texts[key] {
			marks[u.Name] = u.Mark
		}
	}
	return weight + len(has), errors.Join(outdate(p, tx, slot), tx.SetMarks(slot, marks))
}

// Accept remembers an acceptance within a transaction.
func (p Memory) Accept(tx ledger.Writer, a *Acceptance) error {
	steps, err := p.AcceptSteps(tx, a)
	for _, do := range steps {
		if err == nil {
			_, err = do(tx)
		}
	}
	return err
}

// PieceWeight bounds a transaction of inPieces to some tenths of a second: other projects write in between.
const PieceWeight = 50_000

// InPieces makes changes that may be repeated, in order and in short transactions; last is made with the end of them.
// When ctx ends, what was done is kept.
func (p Memory) InPieces(ctx context.Context, steps []StateStep, last func(ledger.Writer) error) error {
	for done := false; !done; {
		err := p.Ledger.Update(func(tx ledger.Writer) error {
			for weight := 0; len(steps) > 0 && weight < PieceWeight; steps = steps[1:] {
				n, err := steps[0](tx)
				if err != nil {
					return err
				}
				weight += n
			}
			if done = len(steps) == 0; done {
				return last(tx)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if !done && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// Accepts are the texts of a catalog as an acceptance remembers them.
func Accepts(c catalog.Catalog) []ledger.Text {
	units := make([]ledger.Text, len(c))
	for i, u := range c {
		units[i] = ledger.Text{Name: u.Name, Mark: catalog.MarkOf(u.Text)}
	}
	return units
}

// Marked are the texts of marks, in order.
func Marked(marks catalog.Marks) (units []ledger.Text) {
	for _, n := range marks.Names() {
		units = append(units, ledger.Text{Name: n, Mark: marks[n]})
	}
	return units
}

// Remember writes a job down.
func (p Memory) Remember(j *ledger.Job) error {
	return ledger.Jobs.Put(p.Ledger, p.Scope, j.ID, *j)
}

// Forget drops a job whose result is remembered, or that is not wanted any more.
func (p Memory) Forget(j *ledger.Job) error {
	return ledger.Jobs.Delete(p.Ledger, p.Scope, j.ID)
}

// DoubtSlot forgets which texts the service has of a slot, where they are other ones than those that were sent.
func (p Memory) DoubtSlot(tx ledger.Writer, slot ledger.Slot, sent catalog.Marks) (weight int, err error) {
	marks, err := tx.Marks(slot)
	if err != nil {
		return 0, err
	}
	doubted := false
	for n, m := range marks {
		if was, there := sent[n]; there && was != m {
			marks[n], doubted = catalog.Mark{}, true // the mark of no text
		}
	}
	if !doubted {
		return 1 + len(marks), nil
	}
	return 1 + 2*len(marks), errors.Join(outdate(p, tx, slot), tx.SetMarks(slot, marks))
}

// ForgetAfter is when a job is not waited for any more: the service has forgotten it by then, or never will finish it.
const ForgetAfter = 24 * time.Hour

// outdate forgets the last fingerprint of another line, when what the service has of its texts is about to change.
func outdate(p Memory, tx ledger.Writer, of ledger.Slot) error {
	line, other := ledger.BranchOf(of.Scope, p.Project)
	if !other || line == p.Base {
		return nil
	}
	return ledger.Fingerprints.Delete(tx, of.Scope, line)
}

// SourceHistory is the slot of all source texts that were ever seen of a collection.
func (p Memory) SourceHistory(collection string) ledger.Slot {
	return ledger.SourceKnown.Of(p.Scope, ledger.Source{Collection: collection})
}

// SourceSeen is the slot of the source texts that were seen last in a working tree or on a branch.
func (p Memory) SourceSeen(at LookAt, collection string) ledger.Slot {
	return ledger.SourceSeen.In(string(at)).Of(p.Scope, ledger.Source{Collection: collection})
}

// relearn makes accepted texts the youngest of their histories, where they have one.
func relearn(p Memory, tx ledger.Writer, collection string, units []ledger.Text) error {
	history, err := tx.Marks(p.SourceHistory(collection))
	if err != nil || len(history) == 0 {
		return err
	}
	for _, u := range units {
		if ledger.Has(history, u.Name) {
			ledger.Learn(history, u.Name, u.Mark)
		}
	}
	return tx.SetMarks(p.SourceHistory(collection), history)
}

// FoundSlot is the slot of source texts that the service has, though it accepted others: it was reset, restored or
// written by others. They wait for the next push, which compares them; what the service keeps is found once.
func (p Memory) FoundSlot(collection string) ledger.Slot {
	return ledger.SourceFound.Of(p.Scope, ledger.Source{Collection: collection})
}

// SourceAsk is the question for the source texts of a group of a tree, whatever their state.
func SourceAsk(t *tree.Tree, g *bundle.Group) ExportAsk {
	source := []config.Language{g.Bundles[0].Source}
	return ExportAsk{Group: g, Languages: source, Completion: string(service.Draft), first: true, Wanted: t.Wanted(g)}
}

// Mark writes accepted texts of a translation into slots, keeping what is there.
func (p Memory) Mark(tx ledger.Writer, m ledger.Destination, units []ledger.Text) error {
	return ledger.Each(m.Kinds, func(kind ledger.TargetMarks) error {
		if kind == ledger.Known {
			if err := errors.Join(resolved(p, tx, m, units), taken(p, tx, m, units)); err != nil {
				return err
			}
		}
		return ledger.Amend(tx, p.Slot(kind, m.Path, m.Language), func(marks catalog.Marks) {
			for _, u := range units {
				if kind == ledger.Known || kind == ledger.Sent {
					ledger.Learn(marks, u.Name, u.Mark)
				} else {
					marks[u.Name] = u.Mark
				}
			}
		})
	})
}

// taken forgets that the service left out texts that it has taken now.
func taken(p Memory, tx ledger.Writer, m ledger.Destination, units []ledger.Text) error {
	if m.Further() {
		return nil
	}
	slot := p.Slot(ledger.Further, m.Path, m.Language)
	declined, err := tx.Marks(slot)
	if err != nil || declined == nil {
		return err
	}
	for _, u := range units {
		delete(declined, u.Name)
	}
	return tx.SetMarks(slot, declined)
}
