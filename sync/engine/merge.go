package engine

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/state"
)

// merged is one target file after its merge: what is written, and what is remembered once it is.
type merged struct {
	bundle.Target
	bytes  []byte // nil when the file stays as it is
	counts PulledFile
	filled int // keys that were given something to stand for a missing translation

	agreed  catalog.Marks
	filler  catalog.Marks
	history catalog.Catalog // texts that nobody changed
}

// guardFloor is how many translations a file must lose before the guard looks at the share.
const guardFloor = 10

// merge brings the service's texts into one target file of a tree, in memory. It returns nil when the file is to be left alone.
func (r *pulling) merge(t *tree, x translated, fresh bool, contested map[string]gitops.Contested) (*merged, error) {
	source, ok := t.sourceTexts(x.Target)
	if !ok {
		return nil, nil // the source file's problem is reported already
	}
	m := &merged{Target: x.Target, counts: PulledFile{Path: x.Path, Language: x.Language.Code}}
	old, before, problem, err := r.present(t, x, contested)
	if err != nil {
		return nil, err
	}
	if problem != nil {
		r.problem(*problem)
		return nil, nil
	}
	three, contact, err := r.three(x, source, bundle.Texts(old), fresh)
	if err != nil {
		return nil, err
	}
	result := catalog.Merge(three)
	r.checked(x, source, three, &result)
	r.decided(x, result)
	m.agreed = result.Agreed
	if held := r.guarded(x, three, result.Changes); held {
		return nil, nil
	}
	changes := append(result.Changes, r.fill(x, m, source, three, result)...)
	if err := r.render(t, x, m, old, before, changes); err != nil {
		return nil, err
	}
	m.learn(three, result, contact)
	return m, nil
}

// present reads the target file as it stands in the tree. Where branch and base both changed it, it is the base's file with the branch's texts
// put in, unless the base changed the same text: people's changes there are newer than what the branch had from the service.
func (r *pulling) present(t *tree, x translated, contested map[string]gitops.Contested) (old *resource.File, before []byte, problem *Problem, err error) {
	b := x.Sources[0]
	c, both := contested[x.Path]
	if !both || c.Base == nil || c.Branch == nil {
		old, problem, err = b.Read(t.fsys, x.Path, x.Language)
		if old != nil {
			before = old.Bytes()
		}
		return old, before, problem, err
	}
	texts := make([]catalog.Catalog, 3)
	var base *resource.File
	for i, src := range [][]byte{c.Ancestor, c.Branch, c.Base} {
		f, err := b.Parse(src, x.Language)
		if err != nil && i > 0 {
			return nil, nil, &Problem{File: x.Path, Language: x.Language.Code, Problem: "cannot be read on branch and base: " + err.Error() + "; the file is left alone"}, nil
		}
		if err == nil {
			texts[i] = bundle.Texts(f)
		}
		base = f
	}
	var edits []catalog.Change
	theirs := catalog.Diff(texts[0].Marks(), texts[2]) // what base changed
	changedThere := make(map[catalog.Name]bool)
	for _, ch := range theirs {
		changedThere[ch.Name] = true
	}
	for _, ch := range catalog.Diff(texts[0].Marks(), texts[1]) {
		if !changedThere[ch.Name] && ch.Op != catalog.Removed {
			edits = append(edits, ch)
		}
	}
	var like *resource.File
	if s := t.of(b); s != nil {
		like = s.file
	}
	out, _, err := bundle.Render(b, like, base, x.Language, edits)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("merge %s of branch and base: %w", x.Path, err)
	}
	old, err = b.Parse(out, x.Language)
	return old, c.Base, nil, err
}

// three gathers what the merge looks at. contact is the first time that the file is met.
func (r *pulling) three(x translated, source, ours catalog.Catalog, fresh bool) (in catalog.Three, contact bool, err error) {
	var history catalog.Marks
	for kind, marks := range map[string]*catalog.Marks{kindMerged: &in.Base, kindFiller: &in.Filler, kindKnown: &history} {
		if *marks, err = r.State.Marks(r.slot(kind, x.Path, x.Language.Code)); err != nil {
			return in, false, err
		}
	}
	if fresh || r.o.Full {
		in.Base = nil
	}
	in.Source, in.Ours, in.Theirs = source, ours, x.texts.Restrict(source.Keys())
	return in, history == nil, nil
}

// decided names what the merge decided against somebody.
func (r *pulling) decided(x translated, result catalog.Merged) {
	taken := make(map[catalog.Name]bool, len(result.Changes))
	for _, c := range result.Changes {
		taken[c.Name] = true
	}
	for _, c := range result.Conflicts {
		if !taken[c.Name] {
			continue // left out, and reported as that
		}
		r.problem(Problem{File: x.Path, Key: c.Key, Language: x.Language.Code,
			Problem: fmt.Sprintf("was changed in the repository to %q and at the service to %q; the service's is taken", c.Ours, c.Theirs)})
	}
	for _, h := range result.Held {
		r.problem(Problem{File: x.Path, Key: h.Key, Language: x.Language.Code, Problem: h.Reason})
	}
}

// checked takes out the changes that would break the program, and reports them.
func (r *pulling) checked(x translated, source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	index := source.Index()
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		if c.Op == catalog.Removed {
			return false
		}
		at, ok := index[c.Name]
		if !ok {
			at, ok = index[catalog.Name{Key: c.Key, Form: "other"}]
		}
		if !ok {
			return false
		}
		findings := check.Translation(check.Input{Format: x.Sources[0].Format.Name, Key: c.Key, Form: c.Form,
			Source: source[at].Text, Translation: c.Text, Language: x.Language.Code})
		if len(findings) == 0 {
			return false
		}
		for _, f := range findings {
			r.problem(Problem{File: x.Path, Key: c.Key, Language: x.Language.Code,
				Problem: fmt.Sprintf("the translation %q is left out: %s", c.Text, f.Reason)})
		}
		result.Leave(in.Base, c.Name)
		return true
	})
}

// guarded reports whether the changes would take more translations from a file than the guard allows.
func (r *pulling) guarded(x translated, in catalog.Three, changes []catalog.Change) bool {
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
	if lost < guardFloor || float64(lost) <= r.cfg.Pull.Guard*float64(len(have)) || r.o.Force {
		return false
	}
	r.problem(Problem{File: x.Path, Language: x.Language.Code,
		Problem: fmt.Sprintf("would lose %d of its %d translations, more than the guard of %g allows; the file is left as it is. If that is meant, run locsync pull --force", lost, len(have), r.cfg.Pull.Guard)})
	return true
}

// fill decides what stands for keys without a translation anywhere. Only a file that has or gets translations is filled.
func (r *pulling) fill(x translated, m *merged, source catalog.Catalog, in catalog.Three, result catalog.Merged) []catalog.Change {
	after := make(map[catalog.Name]string, len(in.Ours))
	for _, u := range in.Ours {
		after[u.Name] = u.Text
	}
	m.filler = make(catalog.Marks)
	for n, mark := range in.Filler {
		m.filler[n] = mark
	}
	for _, c := range result.Changes {
		delete(m.filler, c.Name)
		after[c.Name] = c.Text
		if c.Op == catalog.Removed {
			delete(after, c.Name)
		}
	}
	if r.cfg.Pull.Incomplete == "skip" || len(after) == 0 {
		return nil
	}
	var changes []catalog.Change
	for _, u := range source {
		text := ""
		if r.cfg.Pull.Incomplete == "fallback" {
			text = u.Text
		}
		now, there := after[u.Name]
		stale := there && in.Filler.Has(u.Name, now) && now != text
		if there && !stale {
			continue
		}
		op := catalog.Added
		if there {
			op = catalog.Changed
		}
		changes = append(changes, catalog.Change{Op: op, Name: u.Name, Text: text})
		m.filler[u.Name] = catalog.MarkOf(text)
		m.filled++
	}
	return changes
}

// render writes the changes into the file. What its format refuses is reported and stays out.
func (r *pulling) render(t *tree, x translated, m *merged, old *resource.File, before []byte, changes []catalog.Change) error {
	if old == nil && !slices.ContainsFunc(changes, func(c catalog.Change) bool { return c.Op != catalog.Removed }) {
		return nil
	}
	like := t.layout(x.Target, changes)
	out, refused, err := bundle.Render(like.Bundle, like.file, old, x.Language, changes)
	if err != nil {
		r.problem(Problem{File: x.Path, Language: x.Language.Code, Problem: "is left as it is: " + err.Error()})
		return nil
	}
	bad := make(map[catalog.Name]bool)
	for _, ref := range refused {
		bad[ref.Name] = true
		delete(m.agreed, ref.Name)
		delete(m.filler, ref.Name)
		r.problem(Problem{File: x.Path, Key: ref.Key, Language: x.Language.Code, Problem: "cannot be written: " + ref.Reason})
	}
	for _, c := range changes {
		if bad[c.Name] || m.filler.Has(c.Name, c.Text) && c.Op != catalog.Removed {
			continue
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
	if !bytes.Equal(out, before) || old == nil {
		m.bytes = out
	}
	return nil
}

// layout is the source file that a target follows: of several, the one that has most of the changed keys.
func (t *tree) layout(target bundle.Target, changes []catalog.Change) *source {
	best, most := t.of(target.Sources[0]), -1
	for _, b := range target.Sources {
		s := t.of(b)
		n := 0
		for _, c := range changes {
			if _, ok := s.file.Lookup(c.Key, c.Form); ok {
				n++
			}
		}
		if n > most {
			best, most = s, n
		}
	}
	return best
}

// learn gathers what goes into the file's history: everything at first contact, else what was written and agreed, and the texts of the repository
// that lost a conflict. A text that the repository alone has stays out: it may be somebody's change that waits for a push.
func (m *merged) learn(in catalog.Three, result catalog.Merged, contact bool) {
	lost := make(map[catalog.Name]bool)
	for _, c := range result.Conflicts {
		lost[c.Name] = true
	}
	for _, u := range in.Ours {
		if contact || lost[u.Name] || m.agreed.Has(u.Name, u.Text) {
			m.history = append(m.history, u)
		}
	}
	for _, c := range result.Changes {
		if c.Op != catalog.Removed {
			m.history = append(m.history, catalog.Unit{Name: c.Name, Text: c.Text})
		}
	}
}

// remember writes the merge down.
func (m *merged) remember(p *project, tx *state.Tx) error {
	if err := tx.SetMarks(p.slot(kindMerged, m.Path, m.Language.Code), m.agreed); err != nil {
		return err
	}
	if err := tx.SetMarks(p.slot(kindFiller, m.Path, m.Language.Code), m.filler); err != nil {
		return err
	}
	return p.mark(tx, memory{[]string{kindKnown}, m.Path, m.Language.Code}, accepts(m.history))
}
