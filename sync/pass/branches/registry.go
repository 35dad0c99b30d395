package branches

import (
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// registry is what is remembered of the lines of a project: which there are, which are finished, what waits.
type registry struct{ branch *pass.Branch }

// records are the lines that passes have been for, by branch.
func (r registry) records() (map[string]ledger.Line, error) {
	if r.branch.Ledger == nil {
		return nil, nil // a check, which remembers nothing
	}
	list, err := ledger.Lines.List(r.branch.Ledger, r.branch.ProjectName())
	records := make(map[string]ledger.Line, len(list))
	for _, record := range list {
		records[record.Base] = record
	}
	return records, err
}

// register remembers a line that is alive. That the remote has had it is never forgotten, until it is finished.
func (r registry) register(now ledger.Line) error {
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		before, ok, err := ledger.Lines.Get(tx, r.branch.ProjectName(), now.Base)
		if err != nil {
			return err
		}
		if before.Finished == nil {
			now.Published = now.Published || before.Published
		}
		if ok && before == now {
			return nil
		}
		return ledger.Lines.Put(tx, r.branch.ProjectName(), now.Base, now)
	})
}

// Statuses lists the lines, without those that push.branches covers no more.
func Statuses(p *pass.Branch, s *report.ProjectStatus) error {
	r := registry{p}
	records, err := r.records()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(records)) {
		if !r.branch.Project.Translates(name) {
			continue
		}
		l, err := r.lineStatus(records, name)
		if err != nil {
			return err
		}
		s.Lines = append(s.Lines, l)
	}
	return nil
}

// lineStatus is what the status tells of one line.
func (r registry) lineStatus(records map[string]ledger.Line, name string) (report.LineStatus, error) {
	record := records[name]
	l := report.LineStatus{Base: name, Branch: record.Branch, Finished: record.Finished}
	var err error
	if l.Collections, err = r.ownCollections(name, records); err != nil {
		return l, err
	}
	for id, to := range map[string]**report.Past{ledger.PassPush: &l.LastPush, ledger.PassPull: &l.LastPull} {
		past, ok, err := ledger.Passes.Get(r.branch.Ledger, ledger.BranchScope(r.branch.ProjectName(), name), id)
		if err != nil {
			return l, err
		}
		if ok {
			*to = past.Shown()
		}
	}
	return l, nil
}

// Remember remembers the branches that wait, in place of those that the last such pass of the project found.
func (c Census) Remember(p *pass.Branch, passOf string) error {
	before, _, err := ledger.Waiting.Get(p.Ledger, p.ProjectName(), passOf)
	if err != nil || slices.Equal(before, c.waiting) {
		return err
	}
	return ledger.Waiting.Put(p.Ledger, p.ProjectName(), passOf, c.waiting)
}
