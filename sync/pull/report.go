package pull

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/events"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// Options narrow or widen a pull.
type Options struct {
	Project string // "" for all
	Full    bool   // ignore what was pulled before
	Force   bool   // past the guard
	DryRun  bool   // only report
	Prune   bool   // take out the entries of target files whose keys the source does not have, also those that it was never seen to have

	// AcceptService lets the service's translations stand wherever the two sides never agreed on a text.
	AcceptService bool

	Told map[string]map[string]pass.Conflict // of a dry run: by project and branch, what the push before told of first contact

	Diff bool // put the commit's difference into the report
}

// Report is the report of a pull, and what the push after it needs to know.
type Report struct {
	report.ProjectPull
	Unsent bool // a push now may find texts that the service does not have: of base, or of a commit since the last pull
}

func (first Report) Line() string { return first.Base }

// Then is a pull that was made again. A commit of the first run that was not delivered is gone with the clone, and all that it brought was computed again.
func (first Report) Then(second Report) Report {
	both := second
	both.Requests += first.Requests
	both.Calls += first.Calls
	both.Finished = slices.Concat(first.Finished, second.Finished)
	both.Unsent = first.Unsent || second.Unsent
	if !first.Pushed {
		return both
	}
	if second.Commit == "" {
		both.Commit, both.Pushed = first.Commit, true
	}
	both.Keys += first.Keys
	both.Files = withFiles(first.Files, second.Files)
	both.Problems = pass.Union(first.Problems, second.Problems)
	both.SourceChanged, both.Blanked = max(first.SourceChanged, second.SourceChanged), first.Blanked+second.Blanked
	if both.Request == "" {
		both.Request, both.RequestURL = first.Request, first.RequestURL
	}
	both.Diff = first.Diff + second.Diff
	return both
}

// withFiles counts what two commits changed, file by file.
func withFiles(first, second []report.PulledFile) []report.PulledFile {
	type place struct{ path, language string }
	files := make(map[place]report.PulledFile)
	for _, f := range slices.Concat(first, second) {
		at := place{f.Path, f.Language}
		sum := files[at]
		sum.Path, sum.Language = f.Path, f.Language
		sum.Added, sum.Changed, sum.Removed = sum.Added+f.Added, sum.Changed+f.Changed, sum.Removed+f.Removed
		files[at] = sum
	}
	return slices.SortedFunc(maps.Values(files), func(a, b report.PulledFile) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Language, b.Language))
	})
}

// tell tells what a pull did.
func (r *pulling) tell(d *events.Entry, err error) {
	if r.earlier != nil {
		d.Delivered(*r.earlier)
	}
	switch { // also where the pass failed after that
	case r.redelivered:
		d.DeliveredAgain(r.report.Commit)
	case r.brought:
		d.Brought(r.report.ProjectPull, r.branch.Project.SourceLanguage)
	}
	d.Finished(r.report.Finished)
	if err == nil && r.tip != nil {
		d.Holds("pull", r.holds)
	}
	d.Request()
	d.Conflicts()
	d.Ended("pull", err)
}

// leftOut is what a pull left out of one target file: for a check, the guard, or because it cannot be written.
type leftOut struct {
	bundle.Target
	keys map[string]bool
}

// looksAt begins the account of what is left out of a file.
func (r *pulling) looksAt(t bundle.Target) leftOut {
	id := ledger.TargetID(t.Path, t.Language.Code)
	if _, begun := r.left[id]; !begun {
		r.left[id] = leftOut{t, make(map[string]bool)}
	}
	return r.left[id]
}

// leaveOut reports a translation that is left out.
func (r *pulling) leaveOut(x pass.Translated, code, key, why string) {
	r.looksAt(x.Target).keys[key] = true
	r.problem(report.Problem{Code: code, File: x.Path, Key: key, Language: x.Language.Code, Problem: why})
}

// leaveChanges takes note of all that a file does not get which is left as it is.
func (r *pulling) leaveChanges(x pass.Translated, changes []catalog.Change) {
	left := r.looksAt(x.Target)
	for _, c := range changes {
		left.keys[c.Key] = true
	}
}

// keepLeft remembers what was left out of the files that a pull looked at, in place of what earlier ones left out of them.
func (r *pulling) keepLeft(tx ledger.Writer) error {
	for _, l := range r.left {
		slot := r.branch.Slot(ledger.LeftOut, l.Path, l.Language.Code)
		if len(l.keys) == 0 {
			if err := tx.DropMarks(slot); err != nil {
				return err
			}
			continue
		}
		marks := make(catalog.Marks, len(l.keys))
		for key := range l.keys {
			marks[catalog.Name{Key: key}] = catalog.Mark{}
		}
		if err := tx.SetMarks(slot, marks); err != nil {
			return err
		}
	}
	return nil
}

// valueOf is a change of a catalog as a dry run shows it; at is the catalog's index.
func valueOf(before catalog.Catalog, at map[catalog.Name]int, c catalog.Change) report.Value {
	v := report.Value{Key: c.Key, Form: c.Form}
	if c.Op != catalog.Removed {
		v.New = &c.Text
	}
	if i, there := at[c.Name]; there {
		v.Old = &before[i].Text
	}
	return v
}
