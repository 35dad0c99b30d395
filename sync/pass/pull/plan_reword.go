package pull

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/check/examine"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/accepted"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// With pull.source = true a pull also brings source texts that were changed at the service, in the same commit: in all
// files of the collection that have the key or in none. Its base is what the service accepted last (catalog.Reword).
//
// Translations are merged after that, so that one whose source text was changed counts as outdated. A changed text
// counts as accepted once its commit has arrived.

// sourceMerge is the merge of the source files of a tree with the service's source texts.
type sourceMerge struct {
	project  *config.Project
	options  Options
	tree     *tree.Tree
	accepted *accepted.Sources
	show     bool // the report shows each change
	theirs   map[*tree.Source]catalog.Catalog

	barred      map[sourceKey]bool    // keys that cannot be changed in some file
	dead        map[*tree.Source]bool // files that are left as they are
	told, holds []report.Problem      // holds are those of the guard
}

type sourceKey struct{ collection, key string }

// merge merges all files. What cannot be changed in one file stays in the others as well, so it is done again with
// more and more of that, until no more is found.
func (w *sourceMerge) merge() (done []*merged) {
	for {
		var problems []report.Problem
		before := len(w.barred) + len(w.dead)
		for _, s := range w.tree.Sources {
			if s.Broken() || w.dead[s] || len(w.theirs[s]) == 0 {
				continue
			}
			m, found := w.file(s)
			if problems = append(problems, found...); m != nil {
				done = append(done, m)
			}
		}
		if len(w.barred)+len(w.dead) == before {
			w.told = append(w.told, problems...)
			return done
		}
		done = nil
	}
}

// file merges one; nil when there is nothing to write or to remember. What concerns one key and other files with it
// goes through bar.
func (w *sourceMerge) file(s *tree.Source) (*merged, []report.Problem) {
	all := w.accepted.Texts[s.Collection]
	in := catalog.Wording{Base: all, Behind: make(map[catalog.Name]bool), Ours: s.Texts, Theirs: w.theirs[s]}
	for _, u := range s.Texts {
		if !all.Has(u.Name, u.Text) && w.accepted.Behind(s.Collection, u.Name, u.Text) {
			in.Behind[u.Name] = true
		}
	}
	out := catalog.Reword(in)
	var problems []report.Problem
	tell := func(n catalog.Name, format string, args ...any) {
		problems = append(problems, report.Problem{Code: report.CodeConflict,
			File: s.Path, Key: n.Key, Language: s.Source.Code, Problem: fmt.Sprintf(format, args...)})
	}
	for _, h := range out.Held {
		tell(h.Name, "%s; write one at the service, or delete the key there", h.Reason)
	}
	for _, c := range out.Conflicts {
		tell(c.Name, "was changed in the repository to %q and at the service to %q; the repository's is kept, and the next "+
			"push sends it. If the service's is meant, write it into the source file", c.Ours, c.Theirs)
	}
	changes := w.sound(s, out.Changes)
	m := &merged{Target: bundle.Target{Path: s.Path, Language: s.Source, Sources: []*bundle.Bundle{s.Bundle}},
		counts: report.PulledFile{Path: s.Path, Language: s.Source.Code}, wording: &wording{at: s.ID()}}
	fresh := make(catalog.Marks)
	index := s.Texts.Index()
	for _, n := range out.Agreed {
		// Before the first push nothing counts as sent, unless push is off.
		if _, pushed := all[n]; pushed || !w.project.Push.Enabled {
			fresh[n] = catalog.MarkOf(s.Texts[index[n]].Text)
		}
	}
	if len(changes) > 0 {
		if bytes, ok := w.write(s, changes); ok {
			m.bytes = bytes
			m.count(s.Texts, changes, nil, w.show)
			for _, c := range changes {
				fresh[c.Name] = catalog.MarkOf(c.Text)
				before := catalog.MarkOf(s.Texts[index[c.Name]].Text)
				m.wording.learned = append(m.wording.learned, relearned{c.Name, before, catalog.MarkOf(c.Text)})
			}
		}
	}
	if len(fresh) == 0 {
		return nil, problems
	}
	m.wording.accepts = wholeKeys(all, fresh)
	return m, problems
}

// wholeKeys are fresh texts with what else was accepted of their keys.
func wholeKeys(all, fresh catalog.Marks) []ledger.Text {
	units := all.Restrict(fresh.Keys())
	maps.Copy(units, fresh)
	return pass.Marked(units)
}

// sound leaves out the changes that cannot be made: of texts that would break the program, and of keys that the file
// has more than once.
func (w *sourceMerge) sound(s *tree.Source, changes []catalog.Change) []catalog.Change {
	if len(changes) == 0 {
		return nil
	}
	twice := make(map[string]bool)
	for _, d := range s.File.Duplicates() {
		twice[s.File.KeyOf(d[1])] = true
	}
	of := examine.New(s.Bundle, s.Source, s.Texts)
	for _, c := range changes {
		if twice[c.Key] {
			w.bar(s, report.CodeDuplicate, c.Key,
				"is in this file twice, so the service's text %q is left out; take one of them out", c.Text)
		}
		for _, f := range check.Breaking(of.Examine(c.Name, c.Text)) {
			w.bar(s, f.Check, c.Key, "the source text %q of the service is left out: %s; correct it at the service, "+
				"or switch the check off with skip_checks in [[project.files]]", c.Text, f.Reason)
		}
	}
	for _, other := range w.tree.Sources { // it may be left as it is for a reason of its own
		_, asked := w.theirs[other]
		if other == s || other.Collection != s.Collection || asked && !w.dead[other] || other.Broken() {
			continue
		}
		has := other.TextKeys()
		for _, c := range changes {
			if has[c.Key] {
				w.bar(s, report.CodeClash, c.Key, "the source text %q of the service is left out: %s has the key as well, "+
					"and cannot be changed; change it in the repository", c.Text, other.Path)
			}
		}
	}
	return slices.DeleteFunc(changes, func(c catalog.Change) bool { return w.barred[sourceKey{s.Collection, c.Key}] })
}

// bar keeps a key from being changed in any file of a collection, and says why, once.
func (w *sourceMerge) bar(s *tree.Source, code, key, format string, args ...any) {
	at := sourceKey{s.Collection, key}
	if w.barred[at] {
		return
	}
	w.barred[at] = true
	w.told = append(w.told, report.Problem{Code: code, Severity: report.Error,
		File: s.Path, Key: key, Language: s.Source.Code, Problem: fmt.Sprintf(format, args...)})
}

// write renders the changes, as all of them or not: what is refused is barred, and the files are gone through again.
func (w *sourceMerge) write(s *tree.Source, changes []catalog.Change) ([]byte, bool) {
	n, guard := len(changes), w.project.Pull.Guard
	if n >= guardFloor && float64(n) > guard*float64(len(s.Texts)) && !w.options.Force {
		w.dead[s] = true
		held := report.Problem{Code: report.CodeGuard, File: s.Path, Language: s.Source.Code, Problem: fmt.Sprintf(
			"the service has other texts for %d of its %d source texts, more than the guard of %g allows; "+
				"the file is left as it is. If that is meant, run locsync pull --force", n, len(s.Texts), guard)}
		w.holds, w.told = append(w.holds, held), append(w.told, held)
		return nil, false
	}
	out, refused, err := Rendered(nil, s.Bundle, s.File, s.File, s.Source, changes)
	if err != nil {
		w.dead[s] = true
		w.told = append(w.told, HeldBack(s.Path, s.Source, err))
		return nil, false
	}
	for _, ref := range refused {
		w.bar(s, report.CodeWrite, ref.Key, "the source text %q of the service cannot be written: %s", ref.Text, ref.Reason)
	}
	return out, len(refused) == 0 && !bytes.Equal(out, s.File.Bytes())
}
