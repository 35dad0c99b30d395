package push

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/imports"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// translationPass is the part of a push that is about changed translations.
type translationPass struct {
	*state
	sources   *sourcePass
	snapshots *snapshots
	reader    *reader
	decisions *decisions
}

// pushTranslations sends what people changed in the target languages, after asking the service for its present values:
// where those changed too since the last merge, the service wins.
func (r *translationPass) pushTranslations(ctx context.Context) error {
	if r.o.Near {
		if same, err := r.reader.untouched(); err != nil || same {
			return err
		}
	}
	if err := r.snapshots.find(ctx); err != nil {
		return err
	}
	if r.snapshots.branchUnread && r.fresh { // whose the repository's texts are cannot be told
		any, err := r.tree.HasTargets(r.branch.Project.Targets())
		if err == nil && any && r.snapshots.why != nil {
			err = pass.UsageError(fmt.Errorf("the repository's translations wait for a push that can read branch %s: %w",
				r.branch.Project.Pull.Branch, r.snapshots.why))
		}
		return err
	}
	for _, languages := range r.reader.portions() {
		all, err := r.reader.candidates(ctx, languages)
		if err == nil {
			err = r.sendCandidates(ctx, r.meant(all))
		}
		if err == nil {
			err = r.reader.look(all)
		}
		if err != nil {
			return err
		}
	}
	return r.reader.remember()
}

// sendCandidates sends what is to be sent of candidates, and waits for the answers.
func (r *translationPass) sendCandidates(ctx context.Context, found []*candidate) error {
	if err := r.sendInherited(ctx, found); err != nil || len(r.Errs) > 0 {
		return err
	}
	ship := &imports.Batch{}
	asks, mine := []pass.ExportAsk{}, [][]*candidate{}
	for _, g := range bundle.Groups(r.tree.Bundles()) {
		candidates, languages := r.candidatesOf(g, found)
		if before := r.sources.before[g.ID()]; len(candidates) > 0 && before != nil {
			if err := r.shipGroup(ctx, ship, g, candidates, before); err != nil {
				return err
			}
		} else if len(candidates) > 0 {
			ask := draftAsk(r.tree, g, languages)
			ask.Spooled = true
			asks, mine = append(asks, ask), append(mine, candidates)
		}
	}
	for done := 0; done < len(asks); done += askedAtOnce {
		some := asks[done:min(done+askedAtOnce, len(asks))]
		answers, err := r.ask(ctx, some)
		for i, present := range answers {
			if err == nil {
				err = r.shipGroup(ctx, ship, some[i].Group, mine[done+i], present)
			}
			err = errors.Join(err, present.Close())
		}
		if err != nil {
			return err
		}
	}
	ship.Send(ctx, r.out, 0)
	return nil
}

// portion is how many bytes are composed before they are sent: a push need not have all in memory.
const portion = 4 << 20

// meant are the candidates that a push is for. Of other files, translations of new source texts go along: a service
// that translates by itself would have others by the next push.
func (r *translationPass) meant(all []*candidate) (meant []*candidate) {
	for _, c := range all {
		if !r.o.Pushes(c.Path) {
			along := *c
			along.changed = maps.Clone(c.changed)
			maps.DeleteFunc(along.changed, func(n catalog.Name, _ bool) bool {
				return !slices.ContainsFunc(c.Sources, func(b *bundle.Bundle) bool {
					return r.o.Pushes(b.Path) && r.accepted.Begins(r.tree.Of(b), n.Key)
				})
			})
			c = &along
		}
		meant = append(meant, c)
	}
	return meant
}

// draftAsk asks for all that the service has of a group, in any state.
func draftAsk(t *tree.Tree, g *bundle.Group, languages []config.Language) pass.ExportAsk {
	return pass.ExportAsk{Group: g, Languages: languages, Completion: string(service.Draft), Wanted: t.Wanted(g)}
}

// askedAtOnce bounds the answers that a push has in memory.
const askedAtOnce = 100

// candidatesOf are those of a group that may be sent, and the languages of which the service's present values are
// needed for that.
func (r *translationPass) candidatesOf(
	g *bundle.Group, found []*candidate,
) (mine []*candidate, languages []config.Language) {
	wanted := make(map[config.Language]bool)
	for _, c := range found {
		if !slices.Contains(g.Bundles, c.Sources[0]) || len(c.changed) == 0 {
			continue
		}
		if only, tell := c.onlyWaits(r.standing()); only {
			for n := range c.changed {
				c.drop(n)
			}
			for _, lost := range tell {
				r.decisions.conflict(lost)
			}
			continue
		}
		mine = append(mine, c)
		wanted[c.Language] = true
	}
	unwanted := func(l config.Language) bool { return !wanted[l] }
	return mine, slices.DeleteFunc(slices.Clone(r.branch.Project.Targets()), unwanted)
}

// shipGroup compares a group's candidates with the service's present values, composes what is to be sent, and sends it
// where that is much, by whole languages.
func (r *translationPass) shipGroup(
	ctx context.Context, ship *imports.Batch, g *bundle.Group, mine []*candidate, present *pass.Exported,
) error {
	byFile, divider := make(map[string][]*candidate), new(pass.Divider)
	for _, c := range mine {
		if !present.Lacks(c.Sources[0], c.Language) {
			byFile[c.id()] = append(byFile[c.id()], c)
		}
	}
	others := 0 // bytes of other languages, whose imports are not divided for this one
	for i, c := range mine {
		switch sameLanguage := i > 0 && c.Language == mine[i-1].Language; {
		case !sameLanguage:
			ship.Send(ctx, r.out, portion)
			others = ship.Bytes
		case ship.Bytes-others >= portion:
			ship.Send(ctx, r.out, portion)
			others = 0
		}
		same := byFile[c.id()]
		delete(byFile, c.id())
		if len(same) == 0 {
			continue
		}
		if err := r.shipFile(ctx, ship, g, same, present, divider); err != nil {
			return err
		}
	}
	ship.Send(ctx, r.out, portion)
	return nil
}

// shipFile is shipGroup for one file, as the snapshots have it. What it takes to compare it is in memory only as long.
func (r *translationPass) shipFile(
	ctx context.Context, ship *imports.Batch, g *bundle.Group, same []*candidate, present *pass.Exported,
	divider *pass.Divider,
) error {
	all := make([]*comparedCandidate, len(same))
	for i, c := range same {
		f, err := c.Sources[0].Parse(c.bytes, c.Language)
		if err != nil {
			return fmt.Errorf("read %s again: %w", c.Path, err)
		}
		c.file = f
		defer func() { c.file = nil }()
		of, err := r.meeting(ctx, c, present, divider)
		if err != nil {
			return err
		}
		if r.fresh && pass.MetBefore(c.texts, of.theirs) {
			r.Met[ledger.TargetID(c.Path, c.Language.Code)] = true
		}
		all[i] = c.weigh(of)
	}
	for _, w := range all { // where two snapshots send forms of one key, or have lost them, they go together
		for _, other := range all {
			if other != w {
				w.mergeForms(other.sent)
				w.mergeConflicts(other)
			}
		}
	}
	for _, w := range all {
		for _, u := range w.of.texts {
			if _, stays := w.instead[u.Name]; stays || w.lost[u.Key] {
				w.of.drop(u.Name)
			}
		}
		for _, key := range w.forRepository {
			r.out.Waits(func() pass.Conflict {
				x := pass.NewConflict(r.branch.Now(), w.of.Path, w.of.Language.Code, key, w.of.texts, w.theirs, nil)
				return x.InFile(w.of.beside(key))
			})
		}
		for _, lost := range w.conflicts {
			r.decisions.foundConflict(lost)
		}
		if err := r.shipCandidate(ship, g, w); err != nil {
			return err
		}
	}
	return nil
}

// keys are those that a candidate's file has in source, translation or memory.
func (r *translationPass) keys(c *candidate, m memories) map[string]bool {
	var source []map[string]bool
	for _, b := range c.Sources {
		source = append(source, r.tree.Of(b).TextKeys())
	}
	return pass.KeysOf(c.texts, source, append([]catalog.Marks{m.known, m.merged, m.filler}, m.seen...)...)
}

// meeting reads what a candidate meets at the service.
func (r *translationPass) meeting(
	ctx context.Context, c *candidate, present *pass.Exported, divider *pass.Divider,
) (of meeting, err error) {
	of.standing, of.at = r.standing(), r.branch.Now()
	of.memory, err = r.reader.memories(c.Target, c.snapshot, c.texts)
	theirs, rerr := present.Read(c.Sources[0], c.Language)
	if err = errors.Join(err, rerr); err != nil {
		return of, err
	}
	if len(r.tree.Sources) > 1 {
		theirs = divider.Texts(theirs, c.snapshot.shared.HasIn(c.Sources[0].Collection), r.keys(c, of.memory))
	}
	of.theirs, _ = r.tree.Fitted(c.Target, c.file, r.out.After(c.Target, theirs))
	of.sent, err = r.branch.Ledger.Marks(r.branch.Memory().Slot(ledger.Sent, c.Path, c.Language.Code))
	if err == nil {
		of.over, err = r.branch.Memory().Sent(c.id())
	}
	if names := c.unseen(of); err == nil && len(names) > 0 {
		of.past, err = r.snapshots.past(ctx, c, names)
	}
	return of, err
}

func (r *translationPass) standing() standing {
	return standing{lost: r.lost, lastPull: r.decisions.lastPull, insists: r.o.Translations}
}

// shipCandidate remembers what is found of a file, and composes its uploads, without the keys of which the service
// changed any text since the last merge.
func (r *translationPass) shipCandidate(ship *imports.Batch, g *bundle.Group, c *comparedCandidate) error {
	m := ledger.Destination{Path: c.of.Path, Language: c.of.Language.Code, Kinds: []ledger.TargetMarks{ledger.Known},
		Tree: string(c.of.snapshot.name), Commit: c.of.snapshot.commit}
	var over imports.Over
	if r.branch.Project.Push.Conflicts == "overwrite" {
		m.Kinds = append(m.Kinds, ledger.Delivered)
		branch, err := r.snapshots.branchTexts(c.of.Target)
		if err != nil {
			return err
		}
		over = imports.Over{Service: c.theirs.Marks(), Branch: branch, Met: c.of.met}
	}
	if len(c.same)+len(c.conflicts) > 0 {
		err := r.branch.Ledger.Update(func(tx ledger.Writer) error {
			err := ledger.Each(c.conflicts, func(lost pass.Conflict) error { return lost.Keep(r.branch, tx) })
			if len(c.same) == 0 {
				return err
			}
			same := pass.Accepts(c.same)
			err = errors.Join(err, r.branch.Memory().AcceptSent(tx, m, over.Texts(c.same), same, r.branch.Now()),
				r.branch.Memory().Mark(tx, m, same))
			if len(r.unanswered[c.of.id()]) > 0 { // they have arrived
				err = errors.Join(err, r.branch.Memory().ForgetLost(tx, ledger.JobFile{Memory: m, Units: same}))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	r.out.Has(c.of.Path, c.of.Language.Code, c.theirs)
	declined, err := r.branch.Ledger.Marks(r.branch.Memory().Slot(ledger.Further, c.of.Path, c.of.Language.Code))
	if err != nil {
		return err
	}
	source, read := r.tree.SourceTexts(c.of.Target)
	for _, of := range c.batches(source, read, declined, r.o.All) {
		told, err := c.ship(ship, r.branch.Project, g.ExportFormat(), of, m, over)
		if err != nil {
			return err
		}
		for _, p := range told {
			r.report.Replaced = append(r.report.Replaced, p)
			r.branch.LogReplaced(p)
		}
	}
	return nil
}

// sendInherited sends the source texts of inherited keys of which a translation was changed here. A collection takes no
// translation of a key that it does not have.
func (r *translationPass) sendInherited(ctx context.Context, found []*candidate) error {
	if r.branch.Trunk == nil {
		return nil
	}
	of, wanted := r.branch.Keeper(), make(map[*tree.Source]map[string]bool)
	for _, c := range found {
		for n := range c.changed {
			for _, b := range c.Sources {
				s := r.tree.Of(b)
				if !r.accepted.Inherited(s)[n.Key] || of.TrunkCollection(s) == s.Collection {
					continue
				}
				if wanted[s] == nil {
					wanted[s] = make(map[string]bool)
				}
				wanted[s][n.Key] = true
			}
		}
	}
	ship := &imports.Batch{}
	for _, s := range r.tree.Sources {
		if wanted[s] == nil {
			continue
		}
		if err := addSource(r.branch.Project, ship, s, nil, func(key string) bool { return wanted[s][key] }); err != nil {
			return err
		}
	}
	r.out.Ship(ctx, ship.All)
	return nil
}
