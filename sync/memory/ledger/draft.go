package ledger

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/text/catalog"
)

// Draft is a ledger whose changes are kept in memory over another one, which stays as it is: what a dry run remembers.
// It is for one goroutine.
func Draft(over Store) Store {
	d := draftOver(over)
	d.store = over
	return d
}

// address is a slot as it is stored; see Slot.Parts.
type address struct{ scope, kind, path, of string }

func addressOf(s Slot) (a address) {
	a.scope, a.kind, a.path, a.of = s.Parts()
	return a
}

// draft is a ledger over another, or one of its transactions over the draft. What is nil in it is forgotten.
type draft struct {
	store   Store // nil in a transaction
	below   Reader
	marks   map[address][]byte
	records map[Key][]byte
	dropped []forgotten // of below
}

func draftOver(below Reader) *draft {
	return &draft{below: below, marks: make(map[address][]byte), records: make(map[Key][]byte)}
}

// forgotten is a scope of which everything was dropped but some kinds.
type forgotten struct {
	scope string
	keep  []string
}

func (f forgotten) has(scope, kind string) bool {
	return f.scope == scope && !slices.Contains(f.keep, kind)
}

func (d *draft) gone(scope, kind string) bool {
	return slices.ContainsFunc(d.dropped, func(f forgotten) bool { return f.has(scope, kind) })
}

// Marks is Reader's.
func (d *draft) Marks(slot Slot) (catalog.Marks, error) {
	at := addressOf(slot)
	if content, changed := d.marks[at]; changed {
		if content == nil {
			return nil, nil
		}
		return catalog.DecodeMarks(content)
	}
	if d.gone(at.scope, at.kind) {
		return nil, nil
	}
	return d.below.Marks(slot)
}

// HasMarks is Reader's.
func (d *draft) HasMarks(slot Slot) (bool, error) {
	at := addressOf(slot)
	if content, changed := d.marks[at]; changed || d.gone(at.scope, at.kind) {
		return content != nil, nil
	}
	return d.below.HasMarks(slot)
}

// Slots is Reader's.
func (d *draft) Slots(like Slot) ([]Slot, error) {
	of := addressOf(like)
	var slots []Slot
	if !d.gone(of.scope, of.kind) {
		below, err := d.below.Slots(like)
		if err != nil {
			return nil, err
		}
		for _, s := range below {
			if _, changed := d.marks[addressOf(s)]; !changed {
				slots = append(slots, s)
			}
		}
	}
	for at, content := range d.marks {
		if at.scope == of.scope && at.kind == of.kind && content != nil {
			slots = append(slots, like.At(at.path, at.of))
		}
	}
	slices.SortFunc(slots, func(a, b Slot) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Language+a.Collection, b.Language+b.Collection))
	})
	return slots, nil
}

// Kinds is Reader's.
func (d *draft) Kinds(scope string) (marks, records []string, err error) {
	belowMarks, belowRecords, err := d.below.Kinds(scope)
	if err != nil {
		return nil, nil, err
	}
	for _, kind := range belowMarks {
		if left, err := d.left(scope, kind); err != nil {
			return nil, nil, err
		} else if left {
			marks = append(marks, kind)
		}
	}
	for at, content := range d.marks {
		if at.scope == scope && content != nil {
			marks = append(marks, at.kind)
		}
	}
	for _, kind := range belowRecords {
		err := d.Records(Key{scope, kind, ""}, func(string, []byte) error {
			records = append(records, kind)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	for k, content := range d.records {
		if k.Scope == scope && content != nil {
			records = append(records, k.Kind)
		}
	}
	slices.Sort(marks)
	slices.Sort(records)
	return slices.Compact(marks), slices.Compact(records), nil
}

// left reports whether there still are marks of a kind.
func (d *draft) left(scope, kind string) (bool, error) {
	slots, err := d.Slots(Slot{Scope: scope, Kind: kind})
	return len(slots) > 0, err
}

// Record is Reader's.
func (d *draft) Record(k Key) ([]byte, error) {
	if content, changed := d.records[k]; changed || d.gone(k.Scope, k.Kind) {
		return bytes.Clone(content), nil
	}
	return d.below.Record(k)
}

// Records is Reader's.
func (d *draft) Records(like Key, visit func(id string, content []byte) error) error {
	all := make(map[string][]byte)
	if !d.gone(like.Scope, like.Kind) {
		err := d.below.Records(like, func(id string, content []byte) error {
			all[id] = bytes.Clone(content)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for k, content := range d.records {
		if k.Scope != like.Scope || k.Kind != like.Kind {
			continue
		}
		if all[k.ID] = bytes.Clone(content); content == nil {
			delete(all, k.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if err := visit(id, all[id]); err != nil {
			return err
		}
	}
	return nil
}

// SetMarks is Writer's.
func (d *draft) SetMarks(slot Slot, marks Marks) error {
	if marks == nil {
		marks = catalog.Marks(nil)
	}
	d.marks[addressOf(slot)] = marks.Encode()
	return nil
}

// DropMarks is Writer's.
func (d *draft) DropMarks(slot Slot) error {
	d.marks[addressOf(slot)] = nil
	return nil
}

// MoveMarks is Writer's.
func (d *draft) MoveMarks(from, to Slot) (bool, error) {
	has, err := d.HasMarks(from)
	if err != nil || !has || addressOf(from) == addressOf(to) {
		return has, err
	}
	marks, err := d.Marks(from)
	if err != nil {
		return false, err
	}
	d.marks[addressOf(from)], d.marks[addressOf(to)] = nil, marks.Encode()
	return true, nil
}

// PutRecord is Writer's.
func (d *draft) PutRecord(k Key, content []byte) error {
	d.records[k] = append([]byte{}, content...)
	return nil
}

// DeleteRecord is Writer's.
func (d *draft) DeleteRecord(k Key) error {
	d.records[k] = nil
	return nil
}

// Forget is Writer's.
func (d *draft) Forget(scope string, keep ...string) error {
	all := forgotten{scope, slices.Clone(keep)}
	maps.DeleteFunc(d.marks, func(at address, _ []byte) bool { return all.has(at.scope, at.kind) })
	maps.DeleteFunc(d.records, func(k Key, _ []byte) bool { return all.has(k.Scope, k.Kind) })
	d.dropped = append(d.dropped, all)
	return nil
}

// View runs a function that reads the draft.
func (d *draft) View(f func(Reader) error) error { return f(d) }

// Update makes the changes of a function, all or none.
func (d *draft) Update(f func(Writer) error) error {
	tx := draftOver(d)
	if err := f(tx); err != nil {
		return err
	}
	for _, all := range tx.dropped {
		if err := d.Forget(all.scope, all.keep...); err != nil {
			return err
		}
	}
	maps.Copy(d.marks, tx.marks)
	maps.Copy(d.records, tx.records)
	return nil
}

// Rebuilt is that of the ledger below.
func (d *draft) Rebuilt() (aside string, why error) { return d.store.Rebuilt() }

// Size is that of the ledger below.
func (d *draft) Size() int64 { return d.store.Size() }
