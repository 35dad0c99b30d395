package push

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/examine"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// Which translations people changed is worked out here; what becomes of them at the service, in translations.go.

// candidate is a target file of one snapshot with what people changed in it.
type candidate struct {
	bundle.Target
	snapshot *snapshot
	file     *resource.File
	texts    catalog.Catalog
	changed  map[catalog.Name]bool   // what is to be sent
	edited   map[catalog.Name]bool   // what was changed by hand; more is sent on demand
	back     map[catalog.Name]bool   // what was brought back by hand
	decided  map[string]bool         // keys of conflicts that were decided for this text
	memory   memories                // what was agreed on, taken over, or gone; without the history
	yielded  []pass.Conflict         // with what another snapshot sends
	unfit    map[catalog.Name]string // what is never sent, and why

	// behind are texts from where the two snapshots parted, which the other one has changed since.
	behind catalog.Catalog
}

// reader finds what people changed in target files.
type reader struct {
	*state
	snapshots *snapshots
	targets   map[string]bool // paths of all target files, there or not
	present   map[string]bool // target files of the snapshots; by ledger.TargetID
}

func newReader(s *state, from *snapshots) *reader {
	return &reader{state: s, snapshots: from, present: make(map[string]bool)}
}

// settledCandidates are read again where git changes the working tree meanwhile, for as long as the sources would be.
func (r *reader) settledCandidates(ctx context.Context) ([]*candidate, error) {
	problems := len(r.report.Problems)
	for deadline := r.branch.Now().Add(patience); ; {
		found, err := r.candidates(ctx)
		if !errors.Is(err, errStirred) || !r.branch.Now().Before(deadline) {
			return found, err
		}
		if err := readAnew(ctx, r.state); err != nil {
			return nil, err
		}
		r.report.Problems = r.report.Problems[:problems]
	}
}

// candidates are the target files of all snapshots, with what is to be sent: each text once.
func (r *reader) candidates(ctx context.Context) ([]*candidate, error) {
	found, err := r.inSnapshots()
	if err != nil {
		return nil, err
	}
	if moved, err := moved(ctx, r.branch, r.tree); err != nil {
		return nil, err
	} else if moved {
		return nil, errStirred
	}
	if r.o.DryRun || r.snapshots.blind {
		return found, nil
	}
	return found, r.meetCandidates(found)
}

// inSnapshots finds them, and remembers nothing.
func (r *reader) inSnapshots() ([]*candidate, error) {
	r.targets = make(map[string]bool)
	var found []*candidate
	all := r.tree.NewShared()
	for _, at := range r.snapshots.all {
		at.shared = all
		targets, err := bundle.Existing(at.fsys, r.tree.Bundles(), r.branch.Project.Targets())
		if err != nil {
			return nil, err
		}
		for _, t := range targets {
			r.targets[t.Path] = true
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
	if err := findBehind(r, found); err != nil {
		return nil, err
	}
	claims := make(map[string]map[catalog.Name]claim)
	for _, c := range found {
		r.yield(c, claims)
	}
	gather(all, found)
	return found, nil
}

// Unsent counts, by language, the translations that the next push is to send, as far as can be told without asking the
// service or the remote. Those that wait for a decision are not among them: they are conflicts.
func Unsent(p *pass.Branch, repo *gitops.Repo, t *tree.Tree) (map[string]int, error) {
	count := make(map[string]int)
	if !p.Project.Push.Enabled || !p.Project.Push.Translations {
		return count, nil
	}
	s := newState(p, Options{DryRun: true})
	s.tree = t
	var err error
	if s.lost, err = p.Conflicts(); err != nil {
		return nil, err
	}
	r := newReader(s, &snapshots{state: s})
	var branch *gitops.Tip
	if p.Project.Pull.Branch != p.Project.Push.Source {
		if tip, err := repo.Seen(p.Project.Pull.Branch, p.Project.Pull.Base); err == nil {
			branch = tip
		}
	}
	if r.snapshots.all, err = r.snapshots.snapshotsIn(repo, branch); err != nil {
		return nil, err
	}
	found, err := r.inSnapshots()
	if err != nil {
		return nil, err
	}
	for _, c := range found {
		for _, u := range c.texts {
			if !c.changed[u.Name] {
				continue
			}
			lost, conflicts := r.lost[ledger.ConflictID(c.Path, c.Language.Code, u.Key)]
			if !conflicts || !lost.IsOurs(u) || c.decided[u.Key] {
				count[c.Language.Code]++
			}
		}
	}
	return count, nil
}

// meetCandidates remembers the files that are there again or are now where another was, and those that are gone.
func (r *reader) meetCandidates(found []*candidate) error {
	gone, err := r.missing()
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
			keys := c.texts.Keys()
			if err := r.returned(tx, c); err != nil {
				return err
			}
			if err := r.keepBehind(tx, c); err != nil {
				return err
			}
			for kind, marks := range c.memory.inherited {
				maps.DeleteFunc(marks, func(n catalog.Name, _ catalog.Mark) bool { return !keys[n.Key] })
				if err := tx.SetMarks(r.branch.Slot(kind, c.Path, c.Language.Code), marks); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// candidate reads one target file of a snapshot and finds what people changed in it; nil where that is nothing. At
// first contact it is all of the file: what the service has otherwise then, neither side changed (see compare).
func (r *reader) candidate(t bundle.Target, at *snapshot) (*candidate, error) {
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
	c := &candidate{Target: t, snapshot: at, file: f, texts: bundle.Texts(f), changed: make(map[catalog.Name]bool),
		edited: make(map[catalog.Name]bool), back: make(map[catalog.Name]bool)}
	m, err := r.memories(t, at, c.texts)
	if err != nil {
		return nil, err
	}
	source, _ := r.tree.SourceTexts(t)
	c.unfit = examine.Unfit(source, f, c.texts)
	for _, p := range examine.UnfitProblems(t, c.texts, c.unfit) {
		if !slices.Contains(r.report.Problems, p) {
			r.problem(p)
		}
	}
	// The history itself is read again where it is needed: of all files it would be much to keep.
	c.memory = memories{merged: m.merged, inherited: m.inherited, back: m.back, other: m.other}
	asked, offered, err := r.asked(t, c.texts)
	if err != nil {
		return nil, err
	}
	for _, u := range c.texts {
		if c.unfit[u.Name] != "" || !asked(u) || u.Text == "" || ledger.Holds(m.filler, u) {
			continue
		}
		if (m.edited(u) || offered(u)) && !r.settled[ledger.ConflictID(c.Path, c.Language.Code, u.Key)] {
			c.edited[u.Name], c.changed[u.Name], c.back[u.Name] = true, true, ledger.Holds(m.known, u)
		}
	}
	c.decide(m, r.lost)
	return c, nil
}

// asked tells which texts of a target file may be sent: those whose keys the source files have, and further forms of
// plurals. What the service left out before is offered again where the source has it now, and with --all.
func (r *reader) asked(t bundle.Target, texts catalog.Catalog) (asked, offered func(catalog.Unit) bool, err error) {
	var keys, wide []map[string]bool // of each source file
	for _, b := range t.Sources {
		if s := r.tree.Of(b); !s.Broken() && !r.refused[b.Path] {
			keys, wide = append(keys, s.TextKeys()), append(wide, s.WideKeys(texts))
		}
	}
	declined, err := r.branch.Ledger.Marks(r.branch.Slot(ledger.Further, t.Path, t.Language.Code))
	in := func(all []map[string]bool, u catalog.Unit) bool {
		return slices.ContainsFunc(all, func(has map[string]bool) bool { return has[u.Key] })
	}
	asked = func(u catalog.Unit) bool { return in(wide, u) }
	offered = func(u catalog.Unit) bool { return declined.Has(u.Name, u.Text) && (in(keys, u) || r.o.All) }
	return asked, offered, err
}

// memories are what is remembered of a target file. merged is what was agreed on: by a merge, else by a push that the
// service took.
type memories struct {
	known, filler, merged catalog.Marks

	seen []catalog.Marks // in the earlier snapshots that count for this one

	inherited map[ledger.TargetMarks]catalog.Marks // by kind: of a file that is gone, for one that has none

	back  bool // the file was gone from all snapshots, and is there again
	other bool // as another file, of which nothing is remembered
}

// memories loads them. texts is what the file has now.
func (r *reader) memories(t bundle.Target, at *snapshot, texts catalog.Catalog) (m memories, err error) {
	var delivered catalog.Marks
	defer func() { m.merged = agreedOn(m.merged, delivered) }()
	kinds := map[ledger.TargetMarks]*catalog.Marks{
		ledger.Known: &m.known, ledger.Filler: &m.filler, ledger.Merged: &m.merged, ledger.Delivered: &delivered,
	}
	m.seen = make([]catalog.Marks, len(at.earlier), len(at.earlier)+1)
	for i, l := range at.earlier {
		kinds[l.Kind()] = &m.seen[i]
	}
	if merged := at.merged[ledger.TargetID(t.Path, t.Language.Code)]; merged != nil {
		m.seen = append(m.seen, merged)
	}
	for kind, marks := range kinds {
		if *marks, err = r.marks(r.branch.Slot(kind, t.Path, t.Language.Code)); err != nil {
			return m, err
		}
	}
	if m.known != nil {
		id := ledger.TargetID(t.Path, t.Language.Code)
		_, m.back, err = ledger.Gone.Get(r.branch.Ledger, r.branch.StateName(), id)
		if err != nil || !m.back || akin(texts, m.known) {
			return m, err
		}
		m.other = true
		for _, marks := range kinds {
			*marks = nil
		}
	}
	if m.inherited, err = r.inherited(t, texts, slices.Collect(maps.Keys(kinds))); err != nil {
		return m, err
	}
	for kind, marks := range kinds {
		if m.inherited[kind] != nil {
			*marks = m.inherited[kind]
		}
	}
	return m, nil
}

// inherited are the memories of files that are not there any more, by kind: the file may have moved.
func (r *reader) inherited(
	t bundle.Target, texts catalog.Catalog, kinds []ledger.TargetMarks,
) (map[ledger.TargetMarks]catalog.Marks, error) {
	found := make(map[ledger.TargetMarks]catalog.Marks)
	histories, err := ledger.Known.Slots(r.branch.Ledger, r.branch.StateName())
	if err != nil {
		return nil, err
	}
	for _, slot := range histories {
		if slot.Language != t.Language.Code || r.targets[slot.Path] {
			continue
		}
		history, err := r.marks(slot)
		if err != nil {
			return nil, err
		}
		if !akin(texts, history) {
			continue
		}
		for _, kind := range kinds {
			gone, err := r.marks(r.branch.Slot(kind, slot.Path, slot.Language))
			if err != nil {
				return nil, err
			}
			if gone != nil && found[kind] == nil {
				found[kind] = make(catalog.Marks, len(gone))
			}
			maps.Copy(found[kind], gone)
		}
	}
	return found, nil
}

// agreedOn are the texts of the last merge and, where no merge has met a name, those that the service took from here.
func agreedOn(merged, delivered catalog.Marks) catalog.Marks {
	if len(delivered) == 0 {
		return merged
	}
	all := maps.Clone(delivered)
	maps.Copy(all, merged)
	return all
}

// edited reports whether a text of a snapshot is a change made there.
func (m memories) edited(u catalog.Unit) bool {
	mark := catalog.MarkOf(u.Text)
	now := ledger.Age(m.known, u.Name, mark)
	if now < 0 {
		return true
	}
	for _, seen := range m.seen {
		if last, ok := seen[u.Name]; ok && last != mark {
			if before := ledger.Age(m.known, u.Name, last); before < 0 || before > now {
				return true
			}
		}
	}
	return false
}

// saw reports whether a snapshot had a text in its past: another text there has replaced it knowingly.
func (m memories) saw(u catalog.Unit) bool {
	return slices.ContainsFunc(m.seen, func(seen catalog.Marks) bool { return seen.Has(u.Name, u.Text) })
}

// claim is the candidate that sends a text.
type claim struct {
	by   *candidate
	text string
}

// findBehind leaves out texts from where two snapshots parted that the other one has changed since: the one that has
// them is only behind. What was brought back there was written after they parted.
func findBehind(r *reader, found []*candidate) error {
	first := make(map[string]*candidate)
	for _, c := range found {
		other := first[c.Path]
		if other == nil {
			first[c.Path] = c
			continue
		}
		there := other.texts.Index()
		differ := slices.DeleteFunc(slices.Clone(c.texts), func(u catalog.Unit) bool {
			at, both := there[u.Name]
			return !both || other.texts[at].Text == u.Text || !c.changed[u.Name] && !other.changed[u.Name]
		})
		if len(differ) == 0 {
			continue
		}
		before, err := r.parted(c, other)
		if err != nil {
			return err
		}
		for _, u := range differ {
			their := other.texts[there[u.Name]]
			both := c.changed[u.Name] && other.changed[u.Name]
			if before.Has(u.Name, u.Text) && (both || !c.back[u.Name]) {
				leaveBehind(c, u)
			}
			if before.Has(u.Name, their.Text) && both {
				leaveBehind(other, their)
			}
		}
	}
	return nil
}

// leaveBehind takes out a text that is only behind.
func leaveBehind(c *candidate, u catalog.Unit) {
	if c.changed[u.Name] {
		delete(c.changed, u.Name)
		c.behind = append(c.behind, u)
	}
}

// yield lets one of two snapshots send a text that both have: the branch. Another text that was written is in conflict
// with it; with --all, an unchanged one yields to the tree that pushes read.
func (r *reader) yield(c *candidate, claims map[string]map[catalog.Name]claim) {
	if claims[c.Path] == nil {
		claims[c.Path] = make(map[catalog.Name]claim)
	}
	sent := make(map[string]catalog.Catalog) // by key, where another text was written here
	for _, u := range c.texts {
		if !c.changed[u.Name] {
			continue
		}
		other, twice := claims[c.Path][u.Name]
		switch {
		case !twice, !other.by.edited[u.Name]:
			if twice {
				delete(other.by.changed, u.Name)
			}
			claims[c.Path][u.Name] = claim{c, u.Text}
		default:
			delete(c.changed, u.Name)
			if other.text != u.Text && c.edited[u.Name] {
				p := report.Problem{Code: report.CodeConflict, File: c.Path, Key: u.Key, Language: c.Language.Code,
					Problem: fmt.Sprintf("was changed twice: %q on branch %s and %q in %s; the branch's is sent. "+
						"If the other is meant, write it on the branch",
						other.text, r.branch.Project.Pull.Branch, u.Text, c.snapshot.name.Where())}
				r.problem(p)
				r.branch.GivesWay(p, r.o.DryRun)
				sent[u.Key] = append(sent[u.Key], catalog.Unit{Name: u.Name, Text: other.text})
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		x := pass.NewConflict(r.branch.Now(), c.Path, c.Language.Code, key, c.texts, sent[key], c.memory.merged)
		c.yielded = append(c.yielded, x)
	}
}

// parted are the texts of a candidate's file when its snapshot and another one parted; empty where they have nothing in
// common.
func (r *reader) parted(c, other *candidate) (catalog.Marks, error) {
	none := catalog.Marks{}
	if r.branch.Repo == nil {
		return none, nil
	}
	fork, err := r.branch.Repo.History.Fork(c.snapshot.commit, other.snapshot.commit)
	if err != nil || fork == "" {
		return none, err
	}
	tip, err := r.branch.Repo.AtCommit(fork)
	if err != nil {
		return none, err
	}
	texts, err := pass.TextsAt(tip, c.Target)
	return texts.Marks(), err
}

// keepBehind remembers texts of a snapshot that is behind another, before what has replaced them is delivered.
func (r *reader) keepBehind(tx ledger.Writer, c *candidate) error {
	if len(c.behind) == 0 {
		return nil
	}
	slot := r.branch.Slot(ledger.Known, c.Path, c.Language.Code)
	history, err := tx.Marks(slot)
	if err != nil {
		return err
	}
	if history == nil {
		history = make(catalog.Marks)
	}
	for _, u := range c.behind {
		ledger.Learn(history, u.Name, catalog.MarkOf(u.Text))
	}
	return tx.SetMarks(slot, history)
}
