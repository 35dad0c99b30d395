package pull

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/spelling"
	"github.com/locsync/locsync/sync/tree"
)

// merged is one target file after its merge: what is written, and what is remembered once it is.
type merged struct {
	bundle.Target
	bytes  []byte // nil when the file stays as it is
	counts report.PulledFile

	agreed  catalog.Marks
	filler  catalog.Marks   // a history, see known.go
	history catalog.Catalog // texts that nobody changed
	kept    catalog.Catalog // the repository's texts that stand against an older one of the service
	after   catalog.Marks   // what the branch has then
	records []marked        // what is to be remembered; agreed, filler and after are nil once they are among these
	wrote   catalog.Packed  // texts that were written
	weight  int             // how many marks are in records

	first     bool // no merge has met the file
	elsewhere catalog.Marks
	conflicts []pass.Conflict // that the service won, and open ones
	settled   []string        // conflicts that are none any more

	back     catalog.Catalog // texts of the base branch that are put back
	former   former          // the file that the translations stood in before their source file moved
	inherits catalog.Marks   // the history of that
	made     catalog.Fresh   // what the translations were made for

	wording *wording // of a source file, which has nothing of the above but path, bytes and counts
}

// merge brings the service's texts into one target file of a tree, in memory. It returns nil when the file is to be left alone.
func (r *pulling) merge(ctx context.Context, t *tree.Tree, x pass.Translated, fresh bool) (*merged, error) {
	source, ok := t.SourceTexts(x.Target)
	if !ok {
		return nil, nil // the source file's problem is reported already
	}
	r.looksAt(x.Target)
	m := &merged{Target: x.Target, counts: report.PulledFile{Path: x.Path, Language: x.Language.Code}}
	old, problem, err := x.Sources[0].Read(t.FS, x.Path, x.Language)
	if err != nil {
		return nil, err
	}
	if problem != nil {
		r.unreadable(*problem)
		return nil, nil
	}
	if m.former, err = r.formerly(t, x.Target); err != nil {
		return nil, err
	}
	carried := old == nil && m.former.file != nil
	ours, err := r.removals.putBack(ctx, t, m, m.renames(r.renamed), source, m.former.textsOr(old))
	if err != nil {
		return nil, err
	}
	source, stand, away, err := r.widen(x, m, source, ours)
	if err != nil {
		return nil, err
	}
	three, err := r.three(x, m, source, ours, fresh)
	if err != nil {
		return nil, err
	}
	if three.Gone, err = r.gone(t, x, m, three, away); err != nil {
		return nil, err
	}
	if carried { // what is filled in is decided anew
		three.Ours = slices.DeleteFunc(three.Ours, func(u catalog.Unit) bool { return three.Filler.Has(u.Name, u.Text) })
	}
	if err := r.outdate(t, x, m, &three); err != nil {
		return nil, err
	}
	result := catalog.Merge(three)
	if err := r.leaveToOthers(x, m, three, &result); err != nil {
		return nil, err
	}
	r.shaped(x, source, three, &result)
	r.checked(x, source, three, &result)
	r.pluralsWhole(x, source, three, &result)
	stays := r.keepApart(x, m, stand, three, &result)
	r.decided(x, m, three, result)
	m.agreed = result.Agreed
	r.report.Unsent = r.report.Unsent || len(result.Kept) > 0
	if held := r.guarded(x, three, result.Changes); held {
		return nil, nil
	}
	fill := replace(&result, r.fill(m, unfilled(spelling.Own(source, x.Language.Code), stays), three, result))
	m.putsBack(&three, &result)
	if carried {
		m.carry(source, &three, &result)
	}
	changes := append(result.Changes, fill...)
	if written := r.render(t, x, m, old, three, &result, changes); !written {
		return nil, nil
	}
	for _, lost := range m.conflicts { // of a file that is held back nothing gives way yet
		if !lost.Open || !lost.Known(r.lost) {
			r.conflict(lost, r.unsaved.Anew)
		}
	}
	r.aged(m, result)
	m.learn(three, result, changes)
	if !m.leaves(t) {
		m.former.file = nil // it stays
	}
	return m, nil
}

// three gathers what the merge reads. A branch that is made anew has the base branch's texts, which may be older than what was merged last:
// of those only a person's own changes are measured against the last merge.
func (r *pulling) three(x pass.Translated, m *merged, source, ours catalog.Catalog, fresh bool) (in catalog.Three, err error) {
	var history, delivered, seen catalog.Marks
	for _, path := range []string{x.Path, m.former.path} {
		for kind, marks := range map[ledger.TargetMarks]*catalog.Marks{ledger.Merged: &in.Base, ledger.Filler: &m.filler, ledger.Known: &history, ledger.Delivered: &delivered, pass.LookAt(r.branch.Project.Pull.Branch).Kind(): &seen} {
			if *marks, err = r.marks(r.branch.Slot(kind, path, x.Language.Code)); err != nil {
				return in, err
			}
		}
		if history != nil || m.former.path == "" {
			break // else nothing is remembered of it under its new path
		}
	}
	if history != nil {
		m.inherits = history
	}
	in.Filler = make(catalog.Marks)
	for _, u := range ours {
		if mark := catalog.MarkOf(u.Text); ledger.Knows(m.filler, u.Name, mark) {
			in.Filler[u.Name] = mark
		}
	}
	m.first = in.Base == nil
	in.Base = r.agreed(in.Base, delivered, history, ours, undivided(r.shared, x))
	for _, u := range ours {
		// A change of the repository's that the service took since the last merge is agreed on: what the service says now is newer, and so is what the branch
		// says now, if it had that change.
		base, merged := in.Base[u.Name]
		took, sent := delivered[u.Name]
		if merged && sent && (took == catalog.MarkOf(u.Text) || took == seen[u.Name]) && ledger.Age(history, u.Name, base) < ledger.Age(history, u.Name, took) {
			in.Base[u.Name] = took
		}
	}
	switch {
	case r.o.Full:
		// What was agreed on counts no more, so the service wins; a text that somebody changed since is named as lost, not just replaced.
		// Where nothing was, neither side changes.
		for _, u := range ours {
			if base, known := in.Base[u.Name]; known && base != catalog.MarkOf(u.Text) {
				in.Base[u.Name] = catalog.Mark{} // the mark of no text
			}
		}
	case fresh:
		for _, u := range ours {
			if ledger.Holds(history, u) {
				in.Base[u.Name] = catalog.MarkOf(u.Text) // which replaces nothing of anybody's
			}
		}
	}
	theirs := source.Keys()
	in.Renamed = m.renames(r.renamed)
	for _, moved := range in.Renamed {
		theirs[moved.From.Key] = true
	}
	in.Source, in.Ours, in.Theirs = source, ours, x.Texts.Restrict(theirs)
	return in, nil
}

// agreed is the base of a merge: what the last one agreed on; for names that none has met, what the service took from here, or a text that nobody changed.
// pull --accept-service takes the repository's other texts for agreed on where the service has others, so that those stand.
func (r *pulling) agreed(merged, delivered, history catalog.Marks, ours, theirs catalog.Catalog) catalog.Marks {
	has := theirs.Index()
	base := maps.Clone(merged)
	if base == nil {
		base = make(catalog.Marks)
	}
	for _, u := range ours {
		if _, known := base[u.Name]; known {
			continue
		}
		_, answered := has[u.Name]
		if took, sent := delivered[u.Name]; sent && !r.o.AcceptService {
			base[u.Name] = took
		} else if r.o.AcceptService && answered || ledger.Holds(history, u) {
			base[u.Name] = catalog.MarkOf(u.Text)
		}
	}
	return base
}

// decided finds what the merge decided against somebody, names what is left out, and ends the conflicts of which the service has the repository's text by now
// or whose key is gone.
func (r *pulling) decided(x pass.Translated, m *merged, in catalog.Three, result catalog.Merged) {
	taken := make(map[catalog.Name]bool, len(result.Changes))
	for _, c := range result.Changes {
		taken[c.Name] = true
	}
	told := make(map[string]bool)
	for _, c := range result.Conflicts {
		if !taken[c.Name] || told[c.Key] {
			continue // left out, and reported as that
		}
		told[c.Key] = true
		lost := pass.NewConflict(r.branch.Now(), x.Path, x.Language.Code, c.Key, in.Ours, in.Theirs, in.Base)
		if before, is := r.lost[lost.ID()]; is {
			lost = lost.With(before.Ours, func(there, here catalog.Unit) bool { return before.About(there.Name) && lost.Agreed(here) })
		}
		m.conflicts = append(m.conflicts, lost)
	}
	for _, c := range result.Undecided {
		if !told[c.Key] {
			told[c.Key] = true
			m.conflicts = append(m.conflicts, pass.NewConflict(r.branch.Now(), x.Path, x.Language.Code, c.Key, in.Ours, in.Theirs, nil))
		}
	}
	living, has := in.Source.Keys(), in.Theirs.Marks()
	for id, c := range r.lost {
		over := !living[c.Key] || !slices.ContainsFunc(c.Ours, func(u catalog.Unit) bool { return has[u.Name] != catalog.MarkOf(u.Text) }) ||
			c.Open && c.Beside == "" && !slices.ContainsFunc(c.Ours, func(u catalog.Unit) bool { _, answered := has[u.Name]; return !answered })
		if c.Path == x.Path && c.Language == x.Language.Code && !told[c.Key] && over {
			m.settled = append(m.settled, id)
		}
	}
	for _, h := range result.Held {
		r.leaveOut(x, report.CodeConflict, h.Key, h.Reason)
	}
}

// fill decides what stands for keys without a translation anywhere. Only a file that has or gets translations is filled. What was filled in
// before goes where nothing is to stand any more: with incomplete = "skip", and where a plural has got translations in other forms.
func (r *pulling) fill(m *merged, source catalog.Catalog, in catalog.Three, result catalog.Merged) []catalog.Change {
	after := make(map[catalog.Name]string, len(in.Ours))
	for _, u := range in.Ours {
		after[u.Name] = u.Text
	}
	if m.filler == nil {
		m.filler = make(catalog.Marks)
	}
	if r.branch.Project.Pull.Incomplete == "skip" && len(m.filler) == 0 {
		return nil
	}
	for _, c := range result.Changes {
		after[c.Name] = c.Text
		if c.Op == catalog.Removed {
			delete(after, c.Name)
		}
	}
	for _, u := range in.Theirs {
		if mark := catalog.MarkOf(u.Text); u.Text != "" && after[u.Name] == u.Text && ledger.Knows(m.filler, u.Name, mark) {
			ledger.Unlearn(m.filler, u.Name) // the service says the same: it is a translation now
		}
	}
	if len(after) == 0 {
		return nil
	}
	translated := make(map[string]bool) // plurals: their forms differ between languages, so one translated form is all that is wanted
	for n, text := range after {
		if n.Form != "" && !spelling.IsItem(n.Form) && text != "" && !ledger.Knows(m.filler, n, catalog.MarkOf(text)) {
			translated[n.Key] = true
		}
	}
	var changes []catalog.Change
	change := func(op catalog.Op, n catalog.Name, text string) {
		changes = append(changes, catalog.Change{Op: op, Name: n, Text: text})
		if op != catalog.Removed {
			ledger.Learn(m.filler, n, catalog.MarkOf(text))
		}
	}
	skip, fallback := r.branch.Project.Pull.Incomplete == "skip", r.branch.Project.Pull.Incomplete == "fallback"
	for _, u := range source {
		text := ""
		if fallback {
			text = u.Text
		}
		now, there := after[u.Name]
		filled := there && ledger.Knows(m.filler, u.Name, catalog.MarkOf(now))
		switch {
		case filled && (skip || translated[u.Key]):
			change(catalog.Removed, u.Name, "")
		case skip || translated[u.Key]:
		case !there:
			change(catalog.Added, u.Name, text)
		case (filled || now == "") && now != text:
			change(catalog.Changed, u.Name, text)
		}
	}
	return changes
}

// render writes the changes into the file. What its format refuses is reported and stays out. It returns false when nothing of it can be written.
func (r *pulling) render(t *tree.Tree, x pass.Translated, m *merged, old *resource.File, in catalog.Three, result *catalog.Merged, changes []catalog.Change) bool {
	var before []byte
	if old != nil {
		before = old.Bytes()
	}
	if old == nil && !slices.ContainsFunc(result.Changes, func(c catalog.Change) bool { return c.Op != catalog.Removed && c.Text != "" }) {
		m.after = in.Ours.Marks()
		return true // a language without any translation gets no file
	}
	like := t.Layout(x.Target, changes)
	out, refused, err := r.rendered(like.Bundle, like.File, old, x.Language, changes)
	if err != nil {
		r.leaveChanges(x, changes)
		r.problem(heldBack(x.Path, x.Language, err))
		return false
	}
	bad := make(map[catalog.Name]bool)
	for _, ref := range refused {
		bad[ref.Name] = true
		result.Leave(in.Base, ref.Name)
		r.leaveOut(x, report.CodeWrite, ref.Key,
			"cannot be written: "+ref.Reason+"; until that is changed the file keeps what it has")
	}
	m.after = in.Ours.Marks()
	for _, c := range changes {
		switch {
		case bad[c.Name]:
		case c.Op == catalog.Removed:
			delete(m.after, c.Name)
		default:
			m.after[c.Name] = catalog.MarkOf(c.Text)
		}
	}
	var index map[catalog.Name]int
	if r.o.DryRun {
		index = in.Ours.Index()
	}
	for i, c := range changes {
		if bad[c.Name] || i >= len(result.Changes) { // what is filled in is no translation
			continue
		}
		if r.o.DryRun {
			m.counts.Changes = append(m.counts.Changes, valueOf(in.Ours, index, c))
		}
		switch c.Op {
		case catalog.Added:
			m.counts.Added++
		case catalog.Changed:
			m.counts.Changed++
		case catalog.Removed:
			m.counts.Removed++
		}
	}
	if !bytes.Equal(out, before) && len(bad) < len(changes) {
		m.bytes = out
	}
	return true
}

// learn gathers what goes into the file's history: what was written and agreed, and the texts of the repository that gave way. A text that the repository alone has stays out: it may be somebody's change that waits for a push. One that stands against a younger
// text was brought back by somebody, with the base branch that a pull takes in, say, and is taken out of the history until a push has delivered it.
func (m *merged) learn(in catalog.Three, result catalog.Merged, changes []catalog.Change) {
	lost := make(map[catalog.Name]bool)
	for _, c := range result.Conflicts {
		lost[c.Name] = true
	}
	for _, c := range changes {
		lost[c.Name] = lost[c.Name] || c.Op == catalog.Changed
	}
	for _, u := range in.Ours {
		if lost[u.Name] || m.agreed.Has(u.Name, u.Text) {
			m.history = append(m.history, u)
		}
	}
	at := in.Ours.Index()
	for _, n := range result.Kept {
		m.kept = append(m.kept, in.Ours[at[n]])
	}
	wrote := make(catalog.Marks)
	for _, c := range changes {
		// What is put back may still have to be pushed.
		if c.Op != catalog.Removed && !pass.HasText(m.back, catalog.Unit{Name: c.Name, Text: c.Text}) {
			wrote[c.Name] = catalog.MarkOf(c.Text)
		}
	}
	m.wrote = wrote.Pack()
}
