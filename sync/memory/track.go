package memory

import (
	"strings"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Track is a ledger that writes down, with the first change of what travels, that there is something to save.
func Track(s ledger.Store) ledger.Store {
	if s == nil {
		return nil
	}
	if _, is := s.(*tracked); is {
		return s
	}
	return &tracked{s}
}

// untracked is the ledger below.
func untracked(s ledger.Store) ledger.Store {
	if t, is := s.(*tracked); is {
		return t.store
	}
	return s
}

type tracked struct{ store ledger.Store }

func (t *tracked) Marks(slot ledger.Slot) (catalog.Marks, error)       { return t.store.Marks(slot) }
func (t *tracked) HasMarks(slot ledger.Slot) (bool, error)             { return t.store.HasMarks(slot) }
func (t *tracked) Slots(like ledger.Slot) ([]ledger.Slot, error)       { return t.store.Slots(like) }
func (t *tracked) Kinds(scope string) (marks, rec []string, err error) { return t.store.Kinds(scope) }
func (t *tracked) Record(k ledger.Key) ([]byte, error)                 { return t.store.Record(k) }
func (t *tracked) Rebuilt() (aside string, why error)                  { return t.store.Rebuilt() }
func (t *tracked) Size() int64                                         { return t.store.Size() }
func (t *tracked) View(f func(ledger.Reader) error) error              { return t.store.View(f) }

func (t *tracked) Records(like ledger.Key, visit func(id string, content []byte) error) error {
	return t.store.Records(like, visit)
}

// Update marks the projects whose records changed, in the same transaction.
func (t *tracked) Update(f func(ledger.Writer) error) error {
	return t.store.Update(func(tx ledger.Writer) error {
		w := &trackedWriter{tx, make(map[string]bool)}
		if err := f(w); err != nil {
			return err
		}
		for project, changed := range w.changed {
			if !changed {
				continue
			}
			m, _, err := markers.Get(tx, project, "")
			if err == nil && !m.Changed {
				m.Changed = true
				err = markers.Put(tx, project, "", m)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *tracked) SetMarks(slot ledger.Slot, marks ledger.Marks) error {
	return t.Update(func(tx ledger.Writer) error { return tx.SetMarks(slot, marks) })
}

func (t *tracked) DropMarks(slot ledger.Slot) error {
	return t.Update(func(tx ledger.Writer) error { return tx.DropMarks(slot) })
}

func (t *tracked) MoveMarks(from, to ledger.Slot) (moved bool, err error) {
	err = t.Update(func(tx ledger.Writer) error {
		moved, err = tx.MoveMarks(from, to)
		return err
	})
	return moved, err
}

func (t *tracked) PutRecord(k ledger.Key, content []byte) error {
	return t.Update(func(tx ledger.Writer) error { return tx.PutRecord(k, content) })
}

func (t *tracked) DeleteRecord(k ledger.Key) error {
	return t.Update(func(tx ledger.Writer) error { return tx.DeleteRecord(k) })
}

func (t *tracked) Forget(scope string, keep ...string) error {
	return t.Update(func(tx ledger.Writer) error { return tx.Forget(scope, keep...) })
}

// trackedWriter sees which projects a transaction changes.
type trackedWriter struct {
	tx      ledger.Writer
	changed map[string]bool // by project: whether it has changes, from the first write on
}

func (w *trackedWriter) Marks(slot ledger.Slot) (catalog.Marks, error) { return w.tx.Marks(slot) }
func (w *trackedWriter) HasMarks(slot ledger.Slot) (bool, error)       { return w.tx.HasMarks(slot) }
func (w *trackedWriter) Slots(like ledger.Slot) ([]ledger.Slot, error) { return w.tx.Slots(like) }
func (w *trackedWriter) Record(k ledger.Key) ([]byte, error)           { return w.tx.Record(k) }

func (w *trackedWriter) Kinds(scope string) (marks, records []string, err error) {
	return w.tx.Kinds(scope)
}

func (w *trackedWriter) Records(like ledger.Key, visit func(id string, content []byte) error) error {
	return w.tx.Records(like, visit)
}

// watches says whether a write of a kind has to be compared with what was there.
func (w *trackedWriter) watches(scope, kind string) (project string, compare bool) {
	project, _, _ = strings.Cut(scope, "#")
	return project, project != ledger.AllProjects && travels(kind) && !lasting[kind] && !w.changed[project]
}

func (w *trackedWriter) SetMarks(slot ledger.Slot, marks ledger.Marks) error {
	scope, kind, _, _ := slot.Parts()
	if project, compare := w.watches(scope, kind); compare {
		before, err := w.tx.Marks(slot)
		if err != nil {
			return err
		}
		now := catalog.Marks(nil).Encode()
		if marks != nil {
			now = marks.Encode()
		}
		w.changed[project] = before == nil || string(before.Encode()) != string(now)
	}
	return w.tx.SetMarks(slot, marks)
}

func (w *trackedWriter) DropMarks(slot ledger.Slot) error {
	if err := w.leaves(slot); err != nil {
		return err
	}
	return w.tx.DropMarks(slot)
}

// leaves sees that a slot loses its marks.
func (w *trackedWriter) leaves(slot ledger.Slot) error {
	scope, kind, _, _ := slot.Parts()
	if project, compare := w.watches(scope, kind); compare {
		has, err := w.tx.HasMarks(slot)
		if err != nil {
			return err
		}
		w.changed[project] = has
	}
	return nil
}

func (w *trackedWriter) MoveMarks(from, to ledger.Slot) (bool, error) {
	if err := w.leaves(from); err != nil {
		return false, err
	}
	moved, err := w.tx.MoveMarks(from, to)
	scope, kind, _, _ := to.Parts()
	if project, compare := w.watches(scope, kind); compare {
		w.changed[project] = moved
	}
	return moved, err
}

func (w *trackedWriter) PutRecord(k ledger.Key, content []byte) error {
	if project, compare := w.watches(k.Scope, k.Kind); compare {
		before, err := w.tx.Record(k)
		if err != nil {
			return err
		}
		w.changed[project] = before == nil || !sameRecord(k.Kind, before, content)
	}
	return w.tx.PutRecord(k, content)
}

func (w *trackedWriter) DeleteRecord(k ledger.Key) error {
	if project, compare := w.watches(k.Scope, k.Kind); compare {
		before, err := w.tx.Record(k)
		if err != nil {
			return err
		}
		w.changed[project] = before != nil
	}
	return w.tx.DeleteRecord(k)
}

func (w *trackedWriter) Forget(scope string, keep ...string) error {
	if project, compare := w.watches(scope, ""); compare {
		w.changed[project] = true
	}
	return w.tx.Forget(scope, keep...)
}
