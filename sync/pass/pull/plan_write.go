package pull

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/spelling"
)

// guardFloor is how many translations a file must lose before the guard looks at the share.
const guardFloor = 10

// guarded reports whether the changes would take more translations from a file than the guard allows.
func (s *situation) guarded(in catalog.Three, changes []catalog.Change) bool {
	if len(changes) < guardFloor {
		return false
	}
	have := make(map[catalog.Name]bool)
	for _, u := range in.Ours {
		if u.Text != "" && !in.Filler.Has(u.Name, u.Text) {
			have[u.Name] = true
		}
	}
	lost := 0
	for _, c := range changes {
		if have[c.Name] && (c.Op == catalog.Removed || c.Text == "") {
			lost++
		}
	}
	if lost < guardFloor || float64(lost) <= s.project.Pull.Guard*float64(len(have)) || s.options.Force {
		return false
	}
	s.leaveChanges(changes)
	s.told.held = &report.Problem{Code: report.CodeGuard, File: s.Path, Language: s.Language.Code,
		Problem: fmt.Sprintf("would lose %d of its %d translations, more than the guard of %g allows; "+
			"the file is left as it is. If that is meant, run locsync pull --force",
			lost, len(have), s.project.Pull.Guard)}
	return true
}

// fill decides what stands for keys without a translation anywhere. Only a file that has or gets translations is
// filled. What was filled in before goes where nothing is to stand any more: with incomplete = "skip", and where a
// plural has got translations in other forms.
func (s *situation) fill(m *merged, source catalog.Catalog, in catalog.Three, result catalog.Merged) []catalog.Change {
	if m.marks.filler == nil {
		m.marks.filler = make(catalog.Marks)
	}
	incomplete := s.project.Pull.Incomplete
	skip := incomplete == "skip" || incomplete == "blank" && s.Sources[0].Format.Bilingual()
	if skip && len(m.marks.filler) == 0 {
		return nil
	}
	after := in.Ours.Texts()
	for _, c := range result.Changes {
		after[c.Name] = c.Text
		if c.Op == catalog.Removed {
			delete(after, c.Name)
		}
	}
	for _, u := range in.Theirs {
		mark := catalog.MarkOf(u.Text)
		if u.Text != "" && after[u.Name] == u.Text && ledger.Knows(m.marks.filler, u.Name, mark) {
			ledger.Unlearn(m.marks.filler, u.Name) // the service says the same: it is a translation now
		}
	}
	if len(after) == 0 {
		return nil
	}
	translated := make(map[string]bool) // plurals: forms differ between languages, so one translated form is enough
	for n, text := range after {
		if n.Form != "" && !spelling.IsItem(n.Form) && text != "" && !ledger.Knows(m.marks.filler, n, catalog.MarkOf(text)) {
			translated[n.Key] = true
		}
	}
	var changes []catalog.Change
	change := func(op catalog.Op, n catalog.Name, text string) {
		changes = append(changes, catalog.Change{Op: op, Name: n, Text: text})
		if op != catalog.Removed {
			ledger.Learn(m.marks.filler, n, catalog.MarkOf(text))
		}
	}
	for _, u := range source {
		text := ""
		if incomplete == "fallback" {
			text = u.Text
		}
		now, there := after[u.Name]
		filled := there && ledger.Knows(m.marks.filler, u.Name, catalog.MarkOf(now))
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

// present are those of the repository's texts that the file has. The others are at its former path, or on the base
// branch and put back.
func (s *situation) present(ours catalog.Catalog) catalog.Catalog {
	switch {
	case s.old == nil:
		return nil
	case len(s.back) == 0:
		return ours
	}
	back := s.back.Index()
	return slices.DeleteFunc(slices.Clone(ours), func(u catalog.Unit) bool { _, is := back[u.Name]; return is })
}

// written are the changes of a file that has only some of the repository's texts:
//
//	the file  change   written
//	has it    any      the change
//	lacks it  removed  nothing
//	lacks it  a text   the text is added
//	lacks it  none     the repository's text is added, unless it is blank
func written(source, ours, has catalog.Catalog, changes []catalog.Change) []catalog.Change {
	if len(has) == len(ours) {
		return changes
	}
	lacks := ours.Index()
	for _, u := range has {
		delete(lacks, u.Name)
	}
	var all []catalog.Change
	changed := make(map[catalog.Name]bool)
	for _, c := range changes {
		if _, is := lacks[c.Name]; is {
			changed[c.Name] = true
			if c.Op == catalog.Removed {
				continue
			}
			c.Op = catalog.Added
		}
		all = append(all, c)
	}
	for _, u := range ours {
		if _, is := lacks[u.Name]; is && !changed[u.Name] && u.Text != "" {
			all = append(all, catalog.Change{Op: catalog.Added, Name: u.Name, Text: u.Text})
		}
	}
	order := make(map[string]int) // of the source's keys; what it does not have comes last
	for i, u := range source {
		if order[u.Key] == 0 {
			order[u.Key] = i - len(source)
		}
	}
	slices.SortStableFunc(all, func(a, b catalog.Change) int { return cmp.Compare(order[a.Key], order[b.Key]) })
	return all
}

// render writes the changes into the file. What its format refuses is reported and stays out. It returns false when
// nothing of it can be written.
func (s *situation) render(m *merged, in catalog.Three, result *catalog.Merged, changes []catalog.Change) bool {
	var before []byte
	if s.old != nil {
		before = s.old.Bytes()
	}
	brings := func(c catalog.Change) bool { return c.Op != catalog.Removed && c.Text != "" }
	if s.old == nil && !slices.ContainsFunc(result.Changes, brings) {
		m.marks.after = in.Ours.Marks()
		return true // a language without any translation gets no file
	}
	like := s.tree.Layout(s.Target, changes)
	out, refused, err := Rendered(&s.catalogs, like.Bundle, like.File, s.old, s.Language, changes)
	if err != nil {
		s.leaveChanges(changes)
		s.told.problems = append(s.told.problems, HeldBack(s.Path, s.Language, err))
		return false
	}
	after, also := bundle.Written(like.Bundle, out, s.Language, in.Ours, changes, refused)
	keeps := "until that is changed the file keeps what it has"
	if len(also) > 0 {
		if s.guarded(in, slices.Concat(also, changes)) {
			return false
		}
		keeps = "until that is changed the file has nothing of it"
	}
	m.marks.after = after
	bad := make(map[catalog.Name]bool)
	for _, ref := range refused {
		bad[ref.Name] = true
		result.Leave(in.Base, ref.Name)
		s.leaveOut(report.CodeWrite, ref.Key, "cannot be written: "+ref.Reason+"; "+keeps)
	}
	m.count(in.Ours, changes[:len(result.Changes)], bad, s.show)
	m.count(in.Ours, also, nil, s.show)
	if !bytes.Equal(out, before) && len(bad) < len(changes) {
		m.bytes = out
	}
	return true
}

// count counts the changes that are written; what is filled in does not count as a translation.
func (m *merged) count(ours catalog.Catalog, changes []catalog.Change, bad map[catalog.Name]bool, show bool) {
	var before map[catalog.Name]string
	if show {
		before = ours.Texts()
	}
	for _, c := range changes {
		if bad[c.Name] {
			continue
		}
		v := report.Value{Key: c.Key, Form: c.Form}
		if text, there := before[c.Name]; there {
			v.Old = &text
		}
		switch c.Op {
		case catalog.Added:
			m.counts.Added++
		case catalog.Changed:
			m.counts.Changed++
		case catalog.Removed:
			m.counts.Removed++
		}
		if c.Op != catalog.Removed {
			v.New = &c.Text
		}
		if show {
			m.counts.Changes = append(m.counts.Changes, v)
		}
	}
}
