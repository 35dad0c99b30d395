package push

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/tree"
)

// translationPass is the part of a push that is about changed translations.
type translationPass struct {
	*state
	imports   *imports
	sources   *sourcePass
	snapshots *snapshots
	reader    *reader
	followers *followers
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
	if blank, err := r.blankAndBlind(); err != nil || blank {
		return err
	}
	found, err := r.reader.settledCandidates(ctx)
	if err != nil {
		return err
	}
	if err := r.sendInherited(ctx, found); err != nil || len(r.errs) > 0 {
		return err
	}
	ship := &shipping{}
	var asks []pass.ExportAsk
	var mine [][]*candidate
	for _, g := range bundle.Groups(r.tree.Bundles()) {
		candidates, languages := r.candidatesOf(g, found)
		if before := r.sources.before[g.ID()]; len(candidates) > 0 && before != nil {
			if err := r.shipGroup(ship, g, candidates, before); err != nil {
				return err
			}
		} else if len(candidates) > 0 {
			asks = append(asks, draftAsk(r.tree, g, languages))
			mine = append(mine, candidates)
		}
	}
	for done := 0; done < len(asks); done += askedAtOnce {
		some := asks[done:min(done+askedAtOnce, len(asks))]
		answers, err := r.branch.ExportAll(ctx, some, pass.Anew.In(r.o.DryRun))
		if err != nil {
			return err
		}
		r.exports += len(some)
		for i, present := range answers {
			unread(r.state, present)
			if err := r.shipGroup(ship, some[i].Group, mine[done+i], present); err != nil {
				return err
			}
		}
	}
	r.imports.shipAll(ctx, ship.shipments)
	return r.reader.remember(found)
}

// blankAndBlind reports whether nothing is remembered of the branch and it could not be looked at either. It cannot be
// told then whose the repository's texts are: they wait for a push that can.
func (r *translationPass) blankAndBlind() (bool, error) {
	if !r.snapshots.blind {
		return false, nil
	}
	_, looked, err := ledger.RecollectedAt.Get(r.branch.Ledger, r.branch.StateName(), r.branch.Project.Pull.Branch)
	return !looked, err
}

// draftAsk asks for all that the service has of a group, in any state.
func draftAsk(t *tree.Tree, g *bundle.Group, languages []config.Language) pass.ExportAsk {
	return pass.ExportAsk{
		Group: g, Languages: languages, Completion: string(service.Draft), Wanted: t.Wanted(g),
	}
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
		if r.onlyWaits(c) {
			continue
		}
		mine = append(mine, c)
		wanted[c.Language] = true
	}
	for _, l := range r.branch.Project.Targets() {
		if wanted[l] {
			languages = append(languages, l)
		}
	}
	return mine, languages
}

// shipGroup compares a group's candidates with the service's present values and composes what is to be sent.
func (r *translationPass) shipGroup(
	ship *shipping, g *bundle.Group, mine []*candidate, present *pass.Exported,
) (err error) {
	mine = slices.DeleteFunc(mine, func(c *candidate) bool { return present.Lacks(c.Sources[0], c.Language) })
	all := make([]*weighed, len(mine))
	byPath := make(map[string][]*weighed)
	for i, c := range mine {
		theirs, _ := r.tree.Fitted(c.Target, r.followers.presently(c.Target, present))
		if all[i], err = r.weigh(c, theirs); err != nil {
			return err
		}
		byPath[c.Path] = append(byPath[c.Path], all[i])
	}
	for _, w := range all {
		for _, other := range byPath[w.Path] {
			if other != w {
				w.goAlong(other.sent)
				w.loseAlong(other)
			}
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

// weighed is a candidate after the comparison with the service's present texts.
type weighed struct {
	*candidate
	versus
	theirs     catalog.Catalog
	same, sent catalog.Catalog
}

// goAlong replaces the service's texts by those that another snapshot sends of the same file: where both send forms of
// one key, the upload that is taken last would take the other's back.
func (w *weighed) goAlong(others catalog.Catalog) {
	own := w.sent.Index()
	for _, u := range others {
		if _, sends := own[u.Name]; !sends {
			w.instead[u.Name] = u.Text
		}
	}
}

// loseAlong makes one conflict of a key of which forms were written in two snapshots and have lost.
func (w *weighed) loseAlong(other *weighed) {
	for i, x := range w.conflicts {
		w.conflicts[i] = x.With(other.texts, func(there, _ catalog.Unit) bool {
			return other.changed[there.Name] && other.lost[there.Key]
		})
	}
}

func (r *translationPass) weigh(c *candidate, theirs catalog.Catalog) (*weighed, error) {
	v, err := r.compare(c, theirs)
	if err != nil {
		return nil, err
	}
	w := &weighed{candidate: c, versus: v, theirs: theirs}
	if r.unsaved.MetBefore(c.texts, theirs) {
		r.met[ledger.TargetID(c.Path, c.Language.Code)] = true
	}
	for _, u := range c.texts {
		switch {
		case !c.changed[u.Name], v.lost[u.Key]:
		case v.same[u.Name]:
			w.same = append(w.same, u)
			if c.beside(u.Key) != "" {
				r.foretell(c, u.Key, theirs)
			}
		default:
			w.sent = append(w.sent, u)
		}
	}
	return w, nil
}

// foretell keeps what a dry run decides at first contact: the pull after it is to tell nothing of it.
func (r *translationPass) foretell(c *candidate, key string, theirs catalog.Catalog) {
	if r.o.DryRun {
		x := pass.NewConflict(r.branch.Now(), c.Path, c.Language.Code, key, c.texts, theirs, nil).InFile(c.beside(key))
		r.report.Open[x.ID()] = x
	}
}

// shipCandidate composes one file's upload, without the keys of which the service changed any text since the last
// merge.
func (r *translationPass) shipCandidate(ship *shipping, g *bundle.Group, c *weighed) error {
	m := ledger.Destination{Path: c.Path, Language: c.Language.Code, Kinds: []ledger.TargetMarks{ledger.Known}}
	if r.branch.Project.Push.Conflicts == "overwrite" {
		m.Kinds = append(m.Kinds, ledger.Delivered)
	}
	if !r.o.DryRun && len(c.same)+len(c.conflicts) > 0 {
		err := r.branch.Ledger.Update(func(tx ledger.Writer) error {
			for _, lost := range c.conflicts {
				if err := lost.Keep(r.branch, tx); err != nil {
					return err
				}
			}
			if len(c.same) == 0 {
				return nil
			}
			return r.branch.Mark(tx, m, pass.Accepts(c.same))
		})
		if err != nil {
			return err
		}
	}
	r.was(c.Path, c.Language.Code, c.theirs)
	return r.eachKind(c.Target, c.sent, c.theirs, func(sent catalog.Catalog, further bool) error {
		index := sent.Index()
		wanted := func(n catalog.Name) bool { _, ok := index[n]; return ok }
		up, err := bundle.ComposeTranslations(c.Sources[0], c.candidate.file, c.Path, wanted, c.instead, c.unfit)
		if err != nil || len(up.Units) == 0 {
			return err
		}
		r.replaces(c, index)
		m := m
		if further {
			m.Kinds = append(slices.Clone(m.Kinds), ledger.Further)
			if r.o.DryRun {
				r.problem(furtherProblem(ledger.JobFile{Memory: m, Units: pass.Accepts(up.Units)}, m.Language, r.met))
			}
		}
		completion := r.branch.Project.Push.CompletionState
		ship.add(request(r.branch, c.Sources[0], c.Language.Code, g.ExportFormat(), completion), up, m, sent)
		return nil
	})
}

// replaces names the service's texts that the snapshot has not merged and that "overwrite" is about to replace.
func (r *translationPass) replaces(c *weighed, sent map[catalog.Name]int) {
	for _, u := range c.replaced {
		if _, is := sent[u.Name]; !is || r.branch.Project.Push.Conflicts != "overwrite" {
			continue
		}
		p := report.Problem{Code: report.CodeReplaced, File: c.Path, Key: u.Key, Language: c.Language.Code,
			Problem: fmt.Sprintf("the service's %q is replaced by a text from %s, which had not merged it. "+
				"If it is meant, write it again", u.Text, c.snapshot.name.Where())}
		r.report.Replaced = append(r.report.Replaced, p)
		r.branch.GivesWay(p, r.o.DryRun)
	}
}

// onlyWaits reports whether all that changed in a file lost conflicts earlier that are not decided since, and names
// those. The service need not be asked then.
func (r *translationPass) onlyWaits(c *candidate) bool {
	keys := make(map[string]bool)
	for n := range c.changed {
		keys[n.Key] = true
	}
	texts := c.texts.Restrict(keys)
	if !r.decisions.waits(c, texts) {
		return false
	}
	for _, u := range texts {
		lost := r.lost[ledger.ConflictID(c.Path, c.Language.Code, u.Key)]
		if keys[u.Key] && !lost.Open && !c.overruled(lost) {
			keys[u.Key] = false
			r.decisions.conflict(lost)
		}
	}
	return true
}

// versus is how a candidate's texts compare with the service's.
type versus struct {
	lost      map[string]bool // keys that the service changed too
	conflicts []pass.Conflict // about them, in the file's order
	same      map[catalog.Name]bool
	instead   map[catalog.Name]string // the service's present texts where the repository's were not changed
	replaced  catalog.Catalog         // the service's present texts that are not merged here, where others are sent
}

// compare reports the keys that both sides changed, and those that differ at first contact, at which neither side
// changes. A text that the service has from here, or had at the last merge, is not its own change.
func (r *translationPass) compare(c *candidate, theirs catalog.Catalog) (versus, error) {
	v := versus{lost: make(map[string]bool), same: make(map[catalog.Name]bool), instead: make(map[catalog.Name]string)}
	m, err := r.reader.memories(c.Target, c.snapshot, c.texts)
	if err != nil {
		return v, err
	}
	sent, err := r.branch.Ledger.Marks(r.branch.Slot(ledger.Sent, c.Path, c.Language.Code))
	if err != nil {
		return v, err
	}
	index := theirs.Index()
	// Keys that are not, or not any more, as a conflict has them: should they lose, that is to be told.
	anew := make(map[string]bool)
	for _, u := range c.texts {
		lost, conflicts := r.lost[ledger.ConflictID(c.Path, c.Language.Code, u.Key)]
		conflicts = conflicts && c.unmoved(u, lost) && !c.decided[u.Key] && c.about(lost)
		anew[u.Key] = anew[u.Key] || !conflicts
		at, there := index[u.Name]
		if c.changed[u.Name] && c.beside(u.Key) != "" {
			v.lost[u.Key] = v.lost[u.Key] || !there || theirs[at].Text != u.Text
		}
		if !there {
			continue
		}
		_, merged := m.merged[u.Name]
		before := ledger.Has(sent, u.Name)
		switch {
		case !c.changed[u.Name]:
			v.instead[u.Name] = theirs[at].Text
		case theirs[at].Text == u.Text:
			v.same[u.Name] = true
		case v.lost[u.Key] && c.beside(u.Key) != "":
		case theirs[at].Text == "" || conflicts && lost.Agreed(theirs[at]):
		case !conflicts && (m.merged.Has(u.Name, theirs[at].Text) || ledger.Holds(sent, theirs[at])):
			if !r.o.Translations && !m.saw(theirs[at]) {
				v.replaced = append(v.replaced, theirs[at])
			}
		case r.o.Translations && !merged && !before:
			r.foretell(c, u.Key, theirs)
		case conflicts && (lost.Open && lost.IsTheirs(theirs[at]) || !lost.Open && c.overruled(lost)):
			v.lost[u.Key] = true
		default:
			v.lost[u.Key], anew[u.Key] = true, true
		}
	}
	v.replaced = slices.DeleteFunc(v.replaced, func(u catalog.Unit) bool { return v.lost[u.Key] })
	for _, u := range c.texts {
		if v.lost[u.Key] && anew[u.Key] {
			anew[u.Key] = false
			x := pass.NewConflict(r.branch.Now(), c.Path, c.Language.Code, u.Key, c.texts, theirs, m.merged)
			v.conflicts = append(v.conflicts, x.InFile(c.beside(u.Key)))
		}
	}
	return v, nil
}

// eachKind calls send with the texts of keys that the service has, then with further forms of plurals that it may not
// have: these travel in an import of their own, because its result counts what had no source text, and names none.
func (r *translationPass) eachKind(
	target bundle.Target, sent, theirs catalog.Catalog, send func(sent catalog.Catalog, further bool) error,
) error {
	source, ok := r.tree.SourceTexts(target)
	if !ok {
		return send(sent, false)
	}
	keys := source.Keys()
	maps.Copy(keys, theirs.Keys()) // what it has translated it has a source text for
	known := sent.Restrict(keys)
	if err := send(known, false); err != nil || len(known) == len(sent) {
		return err
	}
	declined, err := r.branch.Ledger.Marks(r.branch.Slot(ledger.Further, target.Path, target.Language.Code))
	if err != nil {
		return err
	}
	return send(slices.DeleteFunc(slices.Clone(sent), func(u catalog.Unit) bool {
		return keys[u.Key] || declined.Has(u.Name, u.Text) && !r.o.All
	}), true)
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
	ship := &shipping{}
	for _, s := range r.tree.Sources {
		if wanted[s] == nil {
			continue
		}
		if err := addSource(r.state, ship, s, func(key string) bool { return wanted[s][key] }); err != nil {
			return err
		}
	}
	r.imports.shipAll(ctx, ship.shipments)
	return nil
}
