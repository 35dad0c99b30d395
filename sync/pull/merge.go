package pull

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/spelling"
	"github.com/locsync/locsync/sync/tree"
)

// merging is what the merges of a pull's files read of the attempt under way.
type merging struct {
	branch  *pass.Branch
	o       Options
	account *account
	anew    bool // nothing was remembered of the branch
	show    bool // the report shows each change

	lost      map[string]pass.Conflict // that are not decided yet
	shared    *tree.Shared
	accepted  *accepted.Sources // what the service has of the sources, compared with the branch's tree
	digested  sourceDigests
	moves     []ledger.Move // of source files
	renamed   map[*bundle.Bundle][]catalog.Rename
	contested map[string]config.Language // files that both branch and base changed
	removals  *removals
}

// merge brings the service's texts into one target file of a tree, in memory. It returns nil when the file is to be
// left alone.
func (r *merging) merge(ctx context.Context, t *tree.Tree, x pass.Translated, fresh bool) (*merged, error) {
	source, ok := t.SourceTexts(x.Target)
	if !ok {
		return nil, nil // the source file's problem is reported already
	}
	r.account.looksAt(x.Target)
	m := &merged{Target: x.Target, counts: report.PulledFile{Path: x.Path, Language: x.Language.Code}}
	old, problem, err := x.Sources[0].Read(t.FS, x.Path, x.Language)
	if problem != nil && err == nil {
		r.account.unreadable(*problem)
	}
	if problem != nil || err != nil {
		return nil, err
	}
	ours, err := r.ours(ctx, t, m, source, old)
	if err != nil {
		return nil, err
	}
	carried := old == nil && m.former.file != nil
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
	r.account.withhold(x, source, three, &result)
	stays := r.keepApart(x, m, stand, three, &result)
	r.decided(x, m, three, result)
	m.agreed = result.Agreed
	r.account.report.Unsent = r.account.report.Unsent || len(result.Kept) > 0
	if held := r.account.guarded(x, three, result.Changes); held {
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
	r.concluded(t, m, three, result, changes)
	return m, nil
}

// ours are the repository's texts of a target file: of the former file where it is new, with what is put back.
func (r *merging) ours(
	ctx context.Context, t *tree.Tree, m *merged, source catalog.Catalog, old *resource.File,
) (texts catalog.Catalog, err error) {
	if m.former, err = r.formerly(t, m.Target); err != nil {
		return nil, err
	}
	return r.removals.putBack(ctx, t, m, m.renames(r.renamed), source, m.former.textsOr(old))
}

// concluded reports what a merge replaced, once its file is known not to be held back, and gathers what to remember.
func (r *merging) concluded(
	t *tree.Tree, m *merged, in catalog.Three, result catalog.Merged, changes []catalog.Change,
) {
	for _, lost := range m.conflicts {
		if !lost.Open || !lost.Known(r.lost) {
			r.account.conflict(lost, r.anew)
		}
	}
	r.aged(m, result)
	m.learn(in, result, changes)
	if !m.leaves(t) {
		m.former.file = nil // it stays
	}
}

// three gathers what the merge reads. A branch that is made anew has the base branch's texts, which may be older than
// what was merged last: of those only texts that no pull wrote are measured against the last merge.
func (r *merging) three(
	x pass.Translated, m *merged, source, ours catalog.Catalog, fresh bool,
) (in catalog.Three, err error) {
	var history, delivered, seen catalog.Marks
	for _, path := range []string{x.Path, m.former.path} {
		for kind, marks := range map[ledger.TargetMarks]*catalog.Marks{
			ledger.Merged: &in.Base, ledger.Filler: &m.filler, ledger.Known: &history, ledger.Delivered: &delivered,
			pass.LookAt(r.branch.Project.Pull.Branch).Kind(): &seen,
		} {
			if *marks, err = r.branch.Ledger.Marks(r.branch.Memory().Slot(kind, path, x.Language.Code)); err != nil {
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
		// A change of the repository's that the service took since the last merge is agreed on: what the service has now
		// is newer, and so is what the branch has now, if it had that change.
		base, merged := in.Base[u.Name]
		took, sent := delivered[u.Name]
		if merged && sent && (took == catalog.MarkOf(u.Text) || took == seen[u.Name]) &&
			ledger.Age(history, u.Name, base) < ledger.Age(history, u.Name, took) {
			in.Base[u.Name] = took
		}
	}
	r.disagree(&in, ours, history, fresh)
	theirs := source.Keys()
	in.Renamed = m.renames(r.renamed)
	for _, moved := range in.Renamed {
		theirs[moved.From.Key] = true
	}
	in.Source, in.Ours, in.Theirs = source, ours, x.Texts.Restrict(theirs)
	return in, nil
}

// disagree changes what counts as agreed on for a full pull, and for a branch that is made anew.
func (r *merging) disagree(in *catalog.Three, ours catalog.Catalog, history catalog.Marks, fresh bool) {
	switch {
	case r.o.Full:
		// What was agreed on counts no more, so the service wins. A text that was changed here since is reported as lost.
		// Where nothing was agreed on, neither side changes.
		for _, u := range ours {
			if base, known := in.Base[u.Name]; known && base != catalog.MarkOf(u.Text) {
				in.Base[u.Name] = catalog.Mark{} // the mark of no text
			}
		}
	case fresh:
		for _, u := range ours {
			if ledger.Holds(history, u) {
				in.Base[u.Name] = catalog.MarkOf(u.Text) // which replaces nothing that was written here
			}
		}
	}
}

// agreed is the base of a merge: what the last one agreed on; for new names, what the service took from here or an
// earlier pull wrote. With --accept-service so are texts of which the service has others, so that those are taken.
func (r *merging) agreed(merged, delivered, history catalog.Marks, ours, theirs catalog.Catalog) catalog.Marks {
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

// decided gathers the conflicts that the merge decided or left open, names what is left out, and ends conflicts of
// which the service has the repository's text by now or whose key is gone.
func (r *merging) decided(x pass.Translated, m *merged, in catalog.Three, result catalog.Merged) {
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
			lost = lost.With(before.Ours, func(there, here catalog.Unit) bool {
				return before.About(there.Name) && lost.Agreed(here)
			})
		}
		m.conflicts = append(m.conflicts, lost)
	}
	for _, c := range result.Undecided {
		if !told[c.Key] {
			told[c.Key] = true
			open := pass.NewConflict(r.branch.Now(), x.Path, x.Language.Code, c.Key, in.Ours, in.Theirs, nil)
			m.conflicts = append(m.conflicts, open)
		}
	}
	living, has := in.Source.Keys(), in.Theirs.Marks()
	for id, c := range r.lost {
		differs := func(u catalog.Unit) bool { return has[u.Name] != catalog.MarkOf(u.Text) }
		unanswered := func(u catalog.Unit) bool { _, answered := has[u.Name]; return !answered }
		over := !living[c.Key] || !slices.ContainsFunc(c.Ours, differs) ||
			c.Open && c.Beside == "" && !slices.ContainsFunc(c.Ours, unanswered)
		if c.Path == x.Path && c.Language == x.Language.Code && !told[c.Key] && over {
			m.settled = append(m.settled, id)
		}
	}
	for _, h := range result.Held {
		r.account.leaveOut(x, report.CodeConflict, h.Key, h.Reason)
	}
}

// fill decides what stands for keys without a translation anywhere. Only a file that has or gets translations is
// filled. What was filled in before goes where nothing is to stand any more: with incomplete = "skip", and where a
// plural has got translations in other forms.
func (r *merging) fill(m *merged, source catalog.Catalog, in catalog.Three, result catalog.Merged) []catalog.Change {
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
	translated := make(map[string]bool) // plurals: forms differ between languages, so one translated form is enough
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

// render writes the changes into the file. What its format refuses is reported and stays out. It returns false when
// nothing of it can be written.
func (r *merging) render(
	t *tree.Tree, x pass.Translated, m *merged, old *resource.File,
	in catalog.Three, result *catalog.Merged, changes []catalog.Change,
) bool {
	var before []byte
	if old != nil {
		before = old.Bytes()
	}
	brings := func(c catalog.Change) bool { return c.Op != catalog.Removed && c.Text != "" }
	if old == nil && !slices.ContainsFunc(result.Changes, brings) {
		m.after = in.Ours.Marks()
		return true // a language without any translation gets no file
	}
	like := t.Layout(x.Target, changes)
	out, refused, err := rendered(like.Bundle, like.File, old, x.Language, changes)
	if err != nil {
		r.account.leaveChanges(x, changes)
		r.account.problem(heldBack(x.Path, x.Language, err))
		return false
	}
	bad := make(map[catalog.Name]bool)
	for _, ref := range refused {
		bad[ref.Name] = true
		result.Leave(in.Base, ref.Name)
		r.account.leaveOut(x, report.CodeWrite, ref.Key,
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
	m.count(in.Ours, changes[:len(result.Changes)], bad, r.show)
	if !bytes.Equal(out, before) && len(bad) < len(changes) {
		m.bytes = out
	}
	return true
}

// count counts the changes that are written; what is filled in does not count as a translation.
func (m *merged) count(ours catalog.Catalog, changes []catalog.Change, bad map[catalog.Name]bool, show bool) {
	var index map[catalog.Name]int
	if show {
		index = ours.Index()
	}
	for _, c := range changes {
		if bad[c.Name] {
			continue
		}
		if show {
			m.counts.Changes = append(m.counts.Changes, valueOf(ours, index, c))
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
}

// fitted is the tree's, and reports what it could not do anything with.
func (r *merging) fitted(t *tree.Tree, x pass.Translated) catalog.Catalog {
	texts, left := t.Fitted(x.Target, x.Texts)
	for _, u := range left {
		r.account.leaveOut(x, report.CodePlurals, u.Key, fmt.Sprintf("the translation %q is left out: the source has plural "+
			"forms as keys of their own, and this message cannot be taken apart into such; write one form for each "+
			"category at the service, with nothing but the number filled in", u.Text))
	}
	return texts
}
