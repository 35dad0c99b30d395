package push

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/check/examine"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// reader finds what people changed in target files.
type reader struct {
	*state
	snapshots *snapshots
	gone      *pass.Gone      // target files that are in no snapshot
	present   map[string]bool // target files of the snapshots; by ledger.TargetID

	sights []sight // of those whose changes were answered

	left  map[string]map[string][]ledger.Source        // see accepted.Sources
	homes map[*bundle.Bundle]map[string]*bundle.Bundle // of each source file: keys of its group, with their files
}

func newReader(s *state, from *snapshots) *reader {
	return &reader{state: s, snapshots: from, present: make(map[string]bool)}
}

// Together is for how many bytes of source files the translations of several languages are in memory at once. A
// variable for tests.
var Together = 8 << 20

// portions are the languages that are read and sent together.
func (r *reader) portions() [][]config.Language {
	size := 1
	for _, s := range r.tree.Sources {
		if !s.Broken() {
			size += len(s.File.Bytes())
		}
	}
	all := slices.Collect(slices.Chunk(r.branch.Project.Targets(), max(1, Together/size)))
	if len(all) == 0 {
		all = append(all, nil) // files of languages that are not translated any more are gone
	}
	return all
}

// candidates are the target files of all snapshots in some languages, with what is to be sent: each text once. They are
// read again where git changes the working tree meanwhile, for as long as the sources would be.
func (r *reader) candidates(ctx context.Context, of []config.Language) ([]*candidate, error) {
	problems := len(r.report.Problems)
	for deadline := r.branch.Now().Add(pass.Patience); ; {
		found, err := r.inSnapshots(ctx, of)
		if err != nil {
			return nil, err
		}
		switch moved, err := pass.Moved(ctx, r.branch, r.tree); {
		case err != nil:
			return nil, err
		case !moved && r.snapshots.branchUnread:
			return found, nil
		case !moved:
			return found, r.meetCandidates(of, found)
		case !r.branch.Now().Before(deadline):
			return nil, pass.ErrStirred
		}
		if err := readAnew(ctx, r.state); err != nil {
			return nil, err
		}
		r.report.Problems = r.report.Problems[:problems]
	}
}

// inSnapshots finds them, and remembers nothing.
func (r *reader) inSnapshots(ctx context.Context, of []config.Language) ([]*candidate, error) {
	r.gone, r.homes, r.left = &pass.Gone{There: make(map[string]bool)}, nil, nil
	if r.accepted != nil {
		r.left = r.accepted.Left()
	}
	var found []*candidate
	all := r.tree.NewShared()
	for _, at := range r.snapshots.all {
		at.shared = all
		targets, err := bundle.Existing(at.fsys, r.tree.Bundles(), of)
		if err != nil {
			return nil, err
		}
		for _, t := range targets {
			r.gone.There[t.Path] = true
		}
		for _, t := range targets {
			c, err := r.candidate(t, at)
			if err != nil {
				return nil, err
			}
			if c != nil {
				found = append(found, c)
			}
		}
	}
	for _, p := range partings(found) {
		before, err := r.parted(ctx, p.one, p.other)
		if err != nil {
			return nil, err
		}
		p.leaveBehind(before)
	}
	claims := make(map[string]map[catalog.Name]claim)
	for _, moved := range []bool{false, true} {
		for _, c := range found {
			told := c.yield(r.branch.Now(), claims, moved)
			if !r.o.Pushes(c.Path) {
				told, c.yielded = nil, nil // a push that is for the file finds it again
			}
			for _, p := range told {
				r.Problem(p)
				r.branch.LogReplaced(p)
			}
		}
	}
	gather(all, found)
	return found, nil
}

// Unsent counts, by language, the keys whose translations the next push is to send, as far as can be told without
// asking the service or the remote. Those that wait for a decision are not among them: they are conflicts.
func Unsent(p *pass.Branch, repo *gitops.Repo, t *tree.Tree) (map[string]int, error) {
	count := make(map[string]int)
	if !p.Project.Push.Enabled || !p.Project.Push.Translations {
		return count, nil
	}
	line := p.Draft()
	line.Repo = repo
	s := newState(line, Options{DryRun: true})
	s.tree = t
	var err error
	if s.lost, err = p.Memory().Conflicts(); err != nil {
		return nil, err
	}
	r := newReader(s, &snapshots{state: s, local: true})
	var branch *gitops.Tip
	if p.Project.Pull.Branch != p.Project.Push.Source {
		if tip, err := repo.Seen(p.Project.Pull.Branch, p.Project.Pull.Base); err == nil {
			branch = tip
		}
	}
	if r.snapshots.all, err = r.snapshots.snapshotsIn(branch); err != nil {
		return nil, err
	}
	found, err := r.inSnapshots(context.Background(), p.Project.Targets()) // the remote is not asked
	if err != nil {
		return nil, err
	}
	for _, c := range found {
		waiting := make(map[string]bool)
		for _, u := range c.texts {
			lost, conflicts := r.lost[ledger.ConflictID(c.Path, c.Language.Code, u.Key)]
			if c.changed[u.Name] && (!conflicts || !lost.IsOurs(u) || c.decided[u.Key]) {
				waiting[u.Key] = true
			}
		}
		count[c.Language.Code] += len(waiting)
	}
	return count, nil
}

// meetCandidates remembers the files that are there again or are now where another was, and those that are gone.
func (r *reader) meetCandidates(of []config.Language, found []*candidate) error {
	others := slices.DeleteFunc(r.branch.Project.Targets(), func(l config.Language) bool { return slices.Contains(of, l) })
	gone, err := r.branch.Missing(r.present, others)
	if err != nil {
		return err
	}
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		for _, slot := range gone {
			id := ledger.TargetID(slot.Path, slot.Language)
			if err := ledger.Gone.Put(tx, r.branch.StateName(), id, r.branch.Now().UTC()); err != nil {
				return err
			}
		}
		for _, c := range slices.Backward(found) { // the branch last: what it has is the youngest
			var err error
			if c.memory.back {
				err = r.branch.Return(tx, c.Target, c.memory.other)
			}
			err = errors.Join(err, r.keepBehind(tx, c))
			if err != nil {
				return err
			}
			keys := c.texts.Keys()
			for kind, marks := range c.memory.inherited {
				maps.DeleteFunc(marks, func(n catalog.Name, _ catalog.Mark) bool { return !keys[n.Key] })
				if err := tx.SetMarks(r.branch.Memory().Slot(kind, c.Path, c.Language.Code), marks); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// candidate reads one target file of a snapshot and finds what people changed in it; nil where there is no such file.
func (r *reader) candidate(t bundle.Target, at *opened) (found *candidate, err error) {
	defer tree.CatchIn(t.Path, t.Language.Code, func(p report.Problem) {
		found = nil
		if !slices.Contains(r.report.Problems, p) {
			r.answer(p)
		}
	})
	f, problem, err := t.Sources[0].Read(at.fsys, t.Path, t.Language)
	if err != nil || f == nil && problem == nil {
		return nil, err
	}
	r.present[ledger.TargetID(t.Path, t.Language.Code)] = true
	if problem != nil {
		if !slices.Contains(r.report.Problems, *problem) {
			r.answer(*problem)
		}
		return nil, nil
	}
	c := &candidate{Target: t, snapshot: &at.snapshot, bytes: f.Bytes(), texts: bundle.Texts(f),
		changed: make(map[catalog.Name]bool), follows: make(map[catalog.Name]bool), back: make(map[catalog.Name]bool),
		moved: make(map[string]string)}
	m, err := r.memories(t, c.snapshot, c.texts)
	if err != nil {
		return nil, err
	}
	m.undecided, err = r.snapshots.mergedOver(at, t)
	if err != nil {
		return nil, err
	}
	of, err := r.offers(t, c.texts, m.known)
	if err != nil {
		return nil, err
	}
	for key, b := range of.moved {
		c.moved[key] = b.Target(t.Language)
		if !slices.Contains(c.Sources, b) {
			c.Sources = append(slices.Clip(c.Sources), b)
		}
	}
	source, _ := r.tree.SourceTexts(c.Target)
	c.unfit = examine.Unfit(t.Sources[0], source, f, c.texts)
	for _, p := range examine.UnfitProblems(t, c.texts, c.unfit) {
		if !slices.Contains(r.report.Problems, p) {
			r.Problem(p)
		}
	}
	c.find(m, of, r.settled, r.lost)
	return c, nil
}

// readAnew makes what is read from now on count, where git has only come back to the commit that the sources were read
// from, or read the files itself. Otherwise the pass is to begin again.
func readAnew(ctx context.Context, r *state) error {
	if err := pass.AtRest(ctx, r.branch, r.branch.Now().Add(pass.Patience)); err != nil {
		return err
	}
	now, err := r.branch.Repo.Checkout()
	if err != nil {
		return err
	}
	if now.Branch != r.tree.Checkout.Branch || now.Commit != r.tree.Checkout.Commit {
		return pass.ErrStirred
	}
	r.tree.Checkout = &now
	return nil
}

// offers reads them for a target file with these texts and this history.
func (r *reader) offers(t bundle.Target, texts catalog.Catalog, known catalog.Marks) (of offers, err error) {
	of.all, of.moved = r.o.All, make(map[string]*bundle.Bundle)
	for _, b := range t.Sources {
		if s := r.there(r.tree.Of(b)); !s.Broken() && !r.Refused[b.Path] {
			of.keys, of.wide = append(of.keys, s.TextKeys()), append(of.wide, s.WideKeys(texts))
		}
	}
	for _, u := range texts {
		if !hasKey(of.wide, u) && ledger.Has(known, u.Name) && !ledger.Holds(known, u) {
			if to := r.movedTo(t.Sources[0], u.Key); to != nil {
				of.moved[u.Key] = to
			}
		}
	}
	of.declined, err = r.branch.Ledger.Marks(r.branch.Memory().Slot(ledger.Further, t.Path, t.Language.Code))
	return of, err
}

// movedTo is the file of a group that a key which another one had is in now; nil for none.
func (r *reader) movedTo(from *bundle.Bundle, key string) *bundle.Bundle {
	if r.homes == nil {
		r.homes = make(map[*bundle.Bundle]map[string]*bundle.Bundle)
		for _, g := range bundle.Groups(r.tree.Bundles()) {
			keys := make(map[string]*bundle.Bundle)
			for _, b := range slices.Backward(g.Bundles) { // where two have a key, the first one counts
				r.homes[b] = keys
				if s := r.there(r.tree.Of(b)); !s.Broken() && !r.Refused[b.Path] {
					for key := range s.TextKeys() {
						keys[key] = b
					}
				}
			}
		}
	}
	return r.homes[from][key]
}

// there is a source file without the keys that it has yet to send, where the push is not for it: a translation that
// goes before its source text is outdated by that.
func (r *reader) there(s *tree.Source) *tree.Source {
	if r.o.Pushes(s.Path) {
		return s
	}
	pending, _, _ := r.accepted.Pending(s)
	known := *s
	known.Texts = slices.DeleteFunc(slices.Clone(s.Texts), func(u catalog.Unit) bool { return pending[u.Key] })
	return &known
}

// memories loads them. texts is what the file has now.
func (r *reader) memories(t bundle.Target, at *snapshot, texts catalog.Catalog) (m memories, err error) {
	kinds := []ledger.TargetMarks{ledger.Known, ledger.Filler, ledger.Merged, ledger.Delivered, ledger.SeenHere}
	for _, l := range at.earlier {
		kinds = append(kinds, l.Kind())
	}
	id := ledger.TargetID(t.Path, t.Language.Code)
	of, err := r.branch.Memory().Read(t.Path, t.Language.Code, kinds...)
	if err == nil && of[ledger.Known] != nil {
		if _, m.back, err = ledger.Gone.Get(r.branch.Ledger, r.branch.StateName(), id); m.back {
			m.other = !ledger.Resembles(texts, of[ledger.Known])
		}
	}
	if m.other {
		clear(of)
	}
	if err == nil && of[ledger.Known] == nil {
		m.inherited, err = r.branch.Memory().Inherited(t, texts, r.gone, kinds)
		maps.Copy(of, m.inherited)
	}
	if left := r.left[t.Sources[0].Collection]; err == nil && len(left) > 0 {
		of, err = r.branch.WithAlong(t, left, texts.Keys(), of)
	}
	m.known, m.filler, m.merged = of[ledger.Known], of[ledger.Filler], of.AgreedOn()
	for _, l := range at.earlier {
		seen := of[l.Kind()]
		if err == nil && l == config.Worktree {
			seen, err = r.branch.SeenInTrees(at.treeAt, t, texts, of)
		}
		m.seen = append(m.seen, seen)
	}
	if at.here {
		m.seen = append(m.seen, of[ledger.SeenHere])
	}
	if merged := at.merged[id]; merged != nil {
		m.seen = append(m.seen, merged)
	}
	sent, serr := r.unanswered.Seen(r.branch.Repo, id, string(at.name), at.commit)
	m.seen, err = append(m.seen, sent...), errors.Join(err, serr)
	return m, err
}

// parted are the texts of a candidate's file when its snapshot and another one parted; empty where they have nothing in
// common.
func (r *reader) parted(ctx context.Context, c, other *candidate) (catalog.Marks, error) {
	if err := r.snapshots.deepen(ctx); err != nil {
		return nil, err
	}
	fork, err := r.branch.Repo.History.Fork(c.snapshot.commit, other.snapshot.commit)
	if err != nil {
		return nil, err
	}
	texts, err := r.branch.TextsIn(fork, c.Target)
	return texts.Marks(), err
}

// keepBehind remembers texts of a snapshot that is behind another, before what has replaced them is delivered.
func (r *reader) keepBehind(tx ledger.Writer, c *candidate) error {
	if len(c.behind) == 0 {
		return nil
	}
	slot := r.branch.Memory().Slot(ledger.Known, c.Path, c.Language.Code)
	return ledger.Amend(tx, slot, func(history catalog.Marks) { ledger.LearnAll(history, c.behind) })
}
