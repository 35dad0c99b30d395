package pass

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Git is the memory, and the state makes it quick: texts that commits of ours brought to the branch are agreed on. A
// state that is new, lost or older than the branch learns from them what they wrote, and which texts that replaced.

// RecollectMost is how many commits of ours are looked at, the youngest.
const RecollectMost = 200

// recollected is what is learned about one target file.
type recollected struct {
	bundle.Target
	known   catalog.Catalog // the oldest first
	Agreed  catalog.Marks
	before  catalog.Marks // what was agreed on before
	back    []ledger.Text // older texts that were written again: they are none of the history's
	renames []ledger.Rename
}

// Recollect learns what the branch has of ours since it was read last. anew says that nothing was remembered of it.
func (p *Branch) Recollect(ctx context.Context, tip *gitops.Tip, bundles []*bundle.Bundle) (fresh bool, err error) {
	since, done, err := ledger.RecollectedAt.Get(p.Ledger, p.StateName(), p.Project.Pull.Branch)
	if err != nil || tip.Hash() == "" || since == tip.Hash() {
		return !done, err
	}
	made, err := gitops.Ours(ctx, p.Repo, tip, since, p.Project.Name, RecollectMost)
	if err != nil {
		return !done, fmt.Errorf("read the history of branch %s: %w", p.Project.Pull.Branch, err)
	}
	found, err := p.BroughtBy(ctx, made, bundles)
	if err == nil && done {
		err = startAnew(ctx, p, tip, since, bundles, found)
	}
	if err != nil {
		return !done, err
	}
	goesOn, err := p.Repo.History.Contains(tip.Hash(), since)
	if err != nil {
		return !done, err
	}
	return !done, p.Ledger.Update(func(tx ledger.Writer) error {
		if done && !goesOn { // what was seen is not in its past, also of files that the pass does not merge
			if err := forgetSeen(p, tx); err != nil {
				return err
			}
		}
		for _, f := range found {
			if done {
				f.renames = nil // the sources tell of them
			}
			if err := f.remember(p, tx); err != nil {
				return err
			}
		}
		var err error
		if len(made) > 0 { // a tree with it in its history was given a text that we replaced back by a person
			last := made[len(made)-1].Commit
			err = ledger.SeenAt.Put(tx, p.StateName(), LookAt(p.Project.Pull.Branch).Record(), last)
		}
		return errors.Join(err, ledger.RecollectedAt.Put(tx, p.StateName(), p.Project.Pull.Branch, tip.Hash()))
	})
}

// forgetSeen forgets what was seen on the branch.
func forgetSeen(p *Branch, tx ledger.Writer) error {
	slots, err := LookAt(p.Project.Pull.Branch).Kind().Slots(tx, p.StateName())
	for _, slot := range slots {
		err = errors.Join(err, tx.DropMarks(slot))
	}
	return err
}

// startAnew adds what a branch that was made anew, or set back, agrees on: one without the commit in its history at
// which it was read last. Its older texts count as changed only where its own history has what was agreed on. Where
// that commit is not here any more, all of its history is its own.
func startAnew(
	ctx context.Context, p *Branch, tip *gitops.Tip, since string, bundles []*bundle.Bundle,
	found map[string]*recollected,
) error {
	fork, err := p.Repo.History.Fork(tip.Hash(), since)
	if err != nil || fork == since {
		return err
	}
	past, perr := p.Repo.History.Past(tip.Hash(), fork, RecollectMost)
	versions, verr := Versions(ctx, p.Repo.History, fork, past)
	targets, err := bundle.Existing(tip, bundles, p.Project.Targets())
	if err = errors.Join(perr, verr, err); err != nil {
		return err
	}
	for _, t := range targets {
		now, nerr := TextsAt(tip, t)
		before, berr := p.TextsIn(fork, t)
		known, kerr := p.Ledger.Marks(p.Memory().Slot(ledger.Known, t.Path, t.Language.Code))
		merged, merr := p.Ledger.Marks(p.Memory().Slot(ledger.Merged, t.Path, t.Language.Code))
		err = errors.Join(err, nerr, berr, kerr, merr)
		agreed, older, had, back := make(catalog.Marks), false, before.Marks(), []ledger.Text(nil)
		for _, u := range now {
			if mark, is := merged[u.Name]; is && had[u.Name] != mark && ledger.Holds(known, u) {
				agreed[u.Name] = catalog.MarkOf(u.Text)
				older = older || agreed[u.Name] != mark
			}
		}
		for i := 0; older && i < len(versions[t.Path]); i++ {
			texts, terr := p.TextsIn(versions[t.Path][i], t)
			had, err = texts.Marks(), errors.Join(err, terr)
			maps.DeleteFunc(agreed, func(name catalog.Name, mark catalog.Mark) bool {
				replaced := mark != merged[name] && had[name] == merged[name]
				if replaced {
					back = append(back, ledger.Text{Name: name, Mark: mark})
				}
				return replaced
			})
		}
		id := ledger.TargetID(t.Path, t.Language.Code)
		if found[id] == nil {
			found[id] = &recollected{Target: t, Agreed: make(catalog.Marks)}
		}
		maps.Copy(agreed, found[id].Agreed)
		found[id].Agreed, found[id].back = agreed, back
	}
	return err
}

// Versions gives commits beyond a fork, the youngest first, by the paths that they changed, the oldest first.
func Versions(ctx context.Context, h gitops.History, fork string, past []string) (map[string][]string, error) {
	versions := make(map[string][]string)
	for _, commit := range slices.Backward(past) {
		changed, err := h.Changed(ctx, fork, commit)
		if err != nil {
			return nil, err
		}
		for _, path := range changed {
			versions[path] = append(versions[path], commit)
		}
		fork = commit
	}
	return versions, nil
}

// BroughtBy reads what commits of ours brought, by ledger.TargetID.
func (p *Branch) BroughtBy(
	ctx context.Context, made []gitops.Made, bundles []*bundle.Bundle,
) (map[string]*recollected, error) {
	found := make(map[string]*recollected)
	for _, m := range made {
		if err := recollectOne(ctx, p, m, bundles, found); err != nil {
			return nil, fmt.Errorf("read what commit %.10s brought: %w", m.Commit, err)
		}
	}
	return found, nil
}

// addRenames adds those keys of a source file whose translations a commit of ours has moved to new names: pulls do that
// before a push does so at the service. A push finds there what has followed already.
func (f *recollected) addRenames(b *bundle.Bundle, source catalog.Catalog, moved []catalog.Rename) {
	living, from := source.Keys(), make(map[string]string)
	for _, m := range moved {
		if !living[m.From.Key] {
			from[m.To.Key] = m.From.Key
		}
	}
	for _, u := range source {
		if was, is := from[u.Key]; is {
			f.renames = append(f.renames, ledger.Rename{Path: b.Path, Collection: b.Collection, To: u.Name,
				From: catalog.Name{Key: was, Form: u.Form}, Text: catalog.MarkOf(u.Text), Language: f.Language.Code})
		}
	}
}

// remember adds what was learned about a file to what the ledger has.
func (f *recollected) remember(p *Branch, tx ledger.Writer) error {
	if len(f.known)+len(f.Agreed)+len(f.renames)+len(f.back) == 0 {
		return nil // as of a file that was moved: it may have what another one had
	}
	slot := func(kind ledger.TargetMarks) ledger.Slot { return p.Memory().Slot(kind, f.Path, f.Language.Code) }
	agreed := func(base catalog.Marks) { maps.Copy(base, f.Agreed) }
	return errors.Join(ledger.PutAll(ledger.Renames, tx, p.StateName(), f.renames),
		ledger.Amend(tx, slot(ledger.Known), func(history catalog.Marks) {
			ledger.LearnAll(history, f.known)
			for _, u := range f.back {
				ledger.Forget(history, u.Name, u.Mark)
			}
		}),
		ledger.Amend(tx, slot(ledger.Merged), agreed),
		ledger.Amend(tx, slot(LookAt(p.Project.Pull.Branch).Kind()), agreed))
}

// MetBefore reports whether only the state is new to a file: the service has texts of it as they are here. What the
// file by itself keeps from being sent was told when they were, and is only a warning now.
func MetBefore(ours, theirs catalog.Catalog) bool {
	has := theirs.Texts()
	return slices.ContainsFunc(ours, func(u catalog.Unit) bool { return u.Text != "" && has[u.Name] == u.Text })
}

// recollectOne adds what one commit of ours brought: texts that none of its parents has.
func recollectOne(
	ctx context.Context, p *Branch, made gitops.Made, bundles []*bundle.Bundle, found map[string]*recollected,
) error {
	paths := make(map[string]int)
	parents := make([]*gitops.Tip, len(made.Parents))
	for i, parent := range made.Parents {
		changed, err := p.Repo.History.Changed(ctx, parent, made.Commit)
		if err != nil {
			return err
		}
		for _, changed := range changed {
			paths[changed]++
		}
		if parents[i], err = p.Repo.AtCommit(parent); err != nil {
			return err
		}
	}
	now, err := p.Repo.AtCommit(made.Commit)
	if err != nil {
		return err
	}
	went := false // a file, which may have another ending now
	for left := range paths {
		_, err := fs.Stat(now, left)
		went = went || errors.Is(err, fs.ErrNotExist)
	}
	targets, err := bundle.Existing(now, bundles, p.Project.Targets())
	if err != nil {
		return err
	}
	for _, t := range targets {
		if paths[t.Path] < len(parents) {
			continue
		}
		texts, err := TextsAt(now, t)
		if err != nil {
			return err
		}
		f := found[ledger.TargetID(t.Path, t.Language.Code)]
		if f == nil {
			f = &recollected{Target: t, Agreed: make(catalog.Marks)}
			found[ledger.TargetID(t.Path, t.Language.Code)] = f
			if f.before, err = p.Ledger.Marks(p.Memory().Slot(ledger.Merged, t.Path, t.Language.Code)); err != nil {
				return err
			}
		}
		if err := f.learnFrom(now, parents, texts, went); err != nil {
			return err
		}
	}
	return nil
}

// learnFrom adds those of a commit's texts that none of its parents has, and the texts that they replaced. A text that
// was under a key that is gone was only moved: it is agreed on as it was there, and the service is not known to have it
// here. So may be all of a new file, where another one went.
func (f *recollected) learnFrom(now *gitops.Tip, parents []*gitops.Tip, texts catalog.Catalog, went bool) error {
	brought, living := texts.Marks(), texts.Keys()
	was, renames := make(map[ledger.Text]catalog.Mark), []catalog.Rename(nil)
	for i, parent := range parents {
		before, err := TextsAt(parent, f.Target)
		if err != nil {
			return err
		}
		if base := before.Marks(); i == 0 {
			renames = catalog.Whole(catalog.Renames(base, texts, catalog.Diff(base, texts)), base, texts)
		}
		went = went && len(before) == 0
		for _, u := range before {
			if brought.Has(u.Name, u.Text) {
				delete(brought, u.Name)
			}
			if !living[u.Key] {
				at, mark := formOf(u), cmp.Or(f.Agreed[u.Name], f.before[u.Name])
				if other, twice := was[at]; twice && other != mark {
					mark = catalog.Mark{} // not known
				}
				was[at] = mark
			}
		}
		for _, u := range before {
			if _, replaced := brought[u.Name]; replaced && u.Text != "" {
				f.known = append(f.known, u)
			}
		}
	}
	filler := make(map[catalog.Name]string)
	for _, b := range f.Sources {
		if len(was) == 0 && !went {
			break
		}
		source, err := TextsAt(now, bundle.Target{Path: b.Path, Language: b.Source, Sources: []*bundle.Bundle{b}})
		if err != nil {
			return err
		}
		maps.Copy(filler, source.Texts())
		f.addRenames(b, source, renames)
	}
	for _, u := range texts {
		agreed, moved := was[formOf(u)]
		switch _, ours := brought[u.Name]; {
		case !ours:
		case !moved && !went, filler[u.Name] == u.Text:
			f.known = append(f.known, u)
			f.Agreed[u.Name] = catalog.MarkOf(u.Text)
		case agreed != catalog.Mark{}:
			f.Agreed[u.Name] = agreed
		}
	}
	return nil
}

// formOf is a text without its key.
func formOf(u catalog.Unit) ledger.Text {
	return ledger.Text{Name: catalog.Name{Form: u.Form}, Mark: catalog.MarkOf(u.Text)}
}

// TextsAt are the texts of a target file in a commit; none where it cannot be read there.
func TextsAt(tip *gitops.Tip, t bundle.Target) (catalog.Catalog, error) {
	f, _, err := t.Sources[0].Read(tip, t.Path, t.Language)
	return bundle.Texts(f), err
}

// TextsIn is TextsAt of a commit that is named; "" has none.
func (p *Branch) TextsIn(commit string, t bundle.Target) (catalog.Catalog, error) {
	if commit == "" {
		return nil, nil
	}
	tip, err := p.Repo.AtCommit(commit)
	if err != nil {
		return nil, err
	}
	return TextsAt(tip, t)
}

// LookAt names what is looked at: the working tree or a branch.
type LookAt string

// branch is its name in the ledger, where the working tree has none.
func (l LookAt) branch() string {
	if l == config.Worktree {
		return ""
	}
	return string(l)
}

// Record is where the commit that was seen last is remembered.
func (l LookAt) Record() string { return ledger.SeenID(l.branch()) }

// Kind is the kind of the slots of what was seen there.
func (l LookAt) Kind() ledger.TargetMarks { return ledger.Seen.In(l.branch()) }

// Where names it in words.
func (l LookAt) Where() string {
	if l == config.Worktree {
		return "the worktree"
	}
	return "branch " + string(l)
}

// LookedAt are the tree that pushes read and the branch that pulls write.
func (p *Branch) LookedAt() []LookAt {
	return []LookAt{LookAt(p.Project.Push.Source), LookAt(p.Project.Pull.Branch)}
}

// SeenInTrees is what was seen of a file in working trees at a commit, with the commit's texts in place of those that
// another clone's had: they are of no other tree's past.
func (p *Branch) SeenInTrees(
	commit string, t bundle.Target, texts catalog.Catalog, of Marks,
) (catalog.Marks, error) {
	seen := of[LookAt(config.Worktree).Kind()]
	own, _, err := ledger.SeenHereAt.Get(p.Ledger, p.StateName(), ledger.TargetID(t.Path, t.Language.Code))
	foreign := slices.DeleteFunc(slices.Clone(texts), func(u catalog.Unit) bool {
		mark, had := seen[u.Name]
		return !had || mark == catalog.MarkOf(u.Text)
	})
	if len(foreign) == 0 || err != nil || own == ledger.Digest(seen.Encode()) {
		return seen, err
	}
	there, err := p.TextsIn(commit, t)
	marks, counts := there.Marks(), maps.Clone(seen)
	for _, u := range foreign {
		delete(counts, u.Name)
		if ledger.Knows(of[ledger.Known], u.Name, marks[u.Name]) {
			counts[u.Name] = marks[u.Name]
		}
	}
	return counts, err
}

// SawHere reports whether this clone's working tree was read at a commit, or at one of its past.
func (p *Branch) SawHere(commit string) (bool, error) {
	own, had, err := ledger.SeenHereAt.Get(p.Ledger, p.StateName(), "")
	if err != nil || !had || commit == own {
		return had, err
	}
	return p.Repo.History.Contains(commit, own)
}

// AgreedOn are the texts of the last merge and, where no merge has met a name, those that the service took from here.
func (m Marks) AgreedOn() catalog.Marks {
	if len(m[ledger.Delivered]) == 0 {
		return m[ledger.Merged]
	}
	all := maps.Clone(m[ledger.Delivered])
	maps.Copy(all, m[ledger.Merged])
	return all
}

// Gone are the target files that have a history and are not there any more. It is read once.
type Gone struct {
	There     map[string]bool // the paths of those that are; only more of them are found
	histories []ledger.Slot   // nil where it was not read
}

func (g *Gone) read(p Memory) error {
	if g.histories != nil {
		return nil
	}
	all, err := ledger.Known.Slots(p.Ledger, p.Scope)
	if err != nil {
		return err
	}
	g.histories = append([]ledger.Slot{}, slices.DeleteFunc(all, func(s ledger.Slot) bool { return g.There[s.Path] })...)
	return nil
}

// Inherited are the memories, by kind, of files of a target's language that are gone and whose texts are like these:
// the file may have moved.
func (p Memory) Inherited(
	t bundle.Target, texts catalog.Catalog, gone *Gone, kinds []ledger.TargetMarks,
) (Marks, error) {
	found := make(Marks)
	if err := gone.read(p); err != nil {
		return nil, err
	}
	for _, slot := range gone.histories {
		if slot.Language != t.Language.Code || gone.There[slot.Path] {
			continue
		}
		history, err := p.Ledger.Marks(slot)
		if err != nil {
			return nil, err
		}
		if !ledger.Resembles(texts, history) {
			continue
		}
		memories, err := p.Read(slot.Path, slot.Language, kinds...)
		if err != nil {
			return nil, err
		}
		for kind, marks := range memories {
			if marks != nil && found[kind] == nil {
				found[kind] = make(catalog.Marks, len(marks))
			}
			maps.Copy(found[kind], marks)
		}
	}
	return found, nil
}
