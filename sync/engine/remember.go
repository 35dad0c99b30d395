package engine

import (
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
)

// marked are the marks of one kind that a merge leaves.
type marked struct {
	kind  ledger.TargetMarks
	marks catalog.Packed
}

// pack keeps what is to be remembered in little memory: a pull holds that of all its files until their commit is delivered.
func (m *merged) pack(branch ledger.TargetMarks) {
	for _, x := range []struct {
		kind  ledger.TargetMarks
		marks *catalog.Marks
	}{
		{ledger.Merged, &m.agreed}, {ledger.Filler, &m.filler}, {branch, &m.after},
		{ledger.Made, &m.made.For}, {ledger.Outdated, &m.made.Outdated}, {ledger.Elsewhere, &m.elsewhere},
	} {
		m.records = append(m.records, marked{x.kind, x.marks.Pack()})
		m.weight += len(*x.marks)
		*x.marks = nil
	}
	m.made = catalog.Fresh{}
}

// packed are the marks of one kind.
func (m *merged) packed(kind ledger.TargetMarks) catalog.Packed {
	i := slices.IndexFunc(m.records, func(r marked) bool { return r.kind == kind })
	return m.records[i].marks
}

// remember writes the merge down, as far as anything in it is new. staged is what only counts once the commit has arrived;
// the history counts at once.
func (m *merged) remember(p *project, tx ledger.Writer, staged bool) error {
	if m.wording != nil {
		return m.wording.remember(p, tx, staged)
	}
	for _, c := range m.conflicts {
		if err := c.keep(p, tx); err != nil {
			return err
		}
	}
	for _, id := range m.settled {
		if err := ledger.Conflicts.Delete(tx, p.stateName(), id); err != nil {
			return err
		}
	}
	for _, r := range m.records {
		if err := m.record(p, tx, r, staged && r.kind != ledger.Elsewhere); err != nil {
			return err
		}
	}
	return m.rememberTexts(p, tx)
}

// record writes down the marks of one kind; none of them are written only over others.
func (m *merged) record(p *project, tx ledger.Writer, r marked, staged bool) error {
	slot := p.slot(r.kind, m.Path, m.Language.Code)
	if r.marks == (catalog.Packed{}) {
		if has, err := tx.HasMarks(slot); err != nil || !has {
			return err
		}
	}
	return tx.SetPacked(slot.Stage(staged), r.marks)
}

// rememberTexts adds what the file had and has got to its history.
func (m *merged) rememberTexts(p *project, tx ledger.Writer) error {
	slot := p.slot(ledger.Known, m.Path, m.Language.Code)
	history, err := tx.Marks(slot)
	if err != nil {
		return err
	}
	now := maps.Clone(history)
	if now == nil {
		now = maps.Clone(m.inherits)
	}
	if now == nil {
		now = make(catalog.Marks, len(m.history))
	}
	for _, u := range m.history {
		if !ledger.Holds(now, u) {
			ledger.Learn(now, u.Name, catalog.MarkOf(u.Text))
		}
	}
	wrote, err := m.wrote.Marks()
	if err != nil {
		return err
	}
	for name, mark := range wrote {
		ledger.Learn(now, name, mark)
	}
	var agreed catalog.Marks
	if len(m.kept) > 0 {
		if agreed, err = m.packed(ledger.Merged).Marks(); err != nil {
			return err
		}
	}
	for _, u := range m.kept {
		if mark := catalog.MarkOf(u.Text); ledger.Age(now, u.Name, mark) < ledger.Age(now, u.Name, agreed[u.Name]) {
			ledger.Forget(now, u.Name, mark)
		}
	}
	if history != nil && maps.Equal(now, history) {
		return nil
	}
	return tx.SetMarks(slot, now)
}
