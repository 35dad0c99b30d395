package pass

import (
	"context"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
)

// acceptance is what the service has by now of the source texts of one collection, each key whole. All files of the collection that have one of
// the keys are remembered with these texts. What several files bring is gathered first, so that each slot is decoded and written once.
type Acceptance struct {
	collection string
	units      []ledger.Text
	texts      map[string][]ledger.Text // by key; where two files bring one key, the later one's
	own        map[string][]string      // keys by the file that brings them: it has them from now on
}

func NewAcceptance(collection string) *Acceptance {
	return &Acceptance{collection: collection, texts: make(map[string][]ledger.Text), own: make(map[string][]string)}
}

// add gathers the texts of one file.
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

// stateStep is a part of what is to be remembered. Its weight is about the number of texts that it had to read.
type StateStep func(tx ledger.Writer) (weight int, err error)

// acceptSteps are the steps of an acceptance, one for each slot of the collection.
func (p *Branch) AcceptSteps(tx ledger.Writer, a *Acceptance) ([]StateStep, error) {
	if len(a.texts) == 0 {
		return nil, nil
	}
	slots, err := p.PushedSlots(tx)
	if err != nil {
		return nil, err
	}
	all := []StateStep{func(tx ledger.Writer) (int, error) { return len(a.units), p.relearn(tx, a.collection, a.units) }}
	listed := make(map[string]bool, len(slots))
	for _, slot := range slots {
		if slot.Collection != a.collection {
			continue
		}
		if slot.Scope == p.StateName() {
			listed[slot.Path] = true
		}
		all = append(all, func(tx ledger.Writer) (int, error) { return p.acceptSlot(tx, slot, a) })
	}
	for path := range a.own {
		if !listed[path] {
			slot := p.PushedSlot(ledger.Source{Collection: a.collection, Path: path})
			all = append(all, func(tx ledger.Writer) (int, error) { return p.acceptSlot(tx, slot, a) })
		}
	}
	return all, nil
}

func (p *Branch) acceptSlot(tx ledger.Writer, slot ledger.Slot, a *Acceptance) (weight int, err error) {
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
	if slot.Scope == p.StateName() {
		for _, key := range a.own[slot.Path] {
			has[key] = true
		}
	}
	if len(has) == 0 {
		return weight, nil
	}
	if err := p.outdateLook(tx, slot); err != nil {
		return 0, err
	}
	if marks == nil {
		marks = make(catalog.Marks, len(has))
	}
	for key := range has {
		for _, u := range a.texts[key] {
			marks[u.Name] = u.Mark
		}
	}
	return weight + len(has), tx.SetMarks(slot, marks)
}

// accept remembers an acceptance within a transaction.
func (p *Branch) Accept(tx ledger.Writer, a *Acceptance) error {
	steps, err := p.AcceptSteps(tx, a)
	for _, do := range steps {
		if err == nil {
			_, err = do(tx)
		}
	}
	return err
}

// pieceWeight bounds a transaction of inPieces to some tenths of a second: other projects write in between.
const PieceWeight = 50_000

// inPieces makes changes that may be repeated, in order and in short transactions; last is made with the end of them. When ctx ends, what was done is
// kept.
func (p *Branch) InPieces(ctx context.Context, steps []StateStep, last func(ledger.Writer) error) error {
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
