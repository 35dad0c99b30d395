package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/state"
)

// candidate is a target file of one place with what people changed in it.
type candidate struct {
	bundle.Target
	place   *place
	file    *resource.File
	texts   catalog.Catalog
	changed map[catalog.Name]bool // what is to be sent
	edited  map[catalog.Name]bool // what somebody changed; more is sent on demand
	first   bool                  // the file was never met before
	decided map[string]bool       // keys of conflicts that somebody decided for this text of
	back    bool                  // it was gone from all places, and is there again
	other   bool                  // as another file, of which nothing is remembered
	merged  catalog.Marks
	inherit map[string]catalog.Marks // what it takes over from a file that is gone
}

// pushTranslations sends what people changed in the target languages, after asking the service for its present values: where those
// changed too since the last merge, the service wins.
func (r *pushing) pushTranslations(ctx context.Context) error {
	if r.o.near {
		if same, err := r.untouched(); err != nil || same {
			return err
		}
	}
	if err := r.findPlaces(ctx); err != nil {
		return err
	}
	found, err := r.settledCandidates(ctx)
	if err != nil {
		return err
	}
	if err := r.sendInherited(ctx, found); err != nil || len(r.errs) > 0 {
		return err
	}
	ship := &shipping{}
	for _, g := range bundle.Groups(r.tree.bundles()) {
		if err := r.shipGroup(ctx, ship, g, found); err != nil {
			return err
		}
	}
	r.shipAll(ctx, ship.shipments)
	return r.look(found)
}

// settledCandidates are the candidates of a working tree that git left alone while they were read; where it did not, they are read again.
func (r *pushing) settledCandidates(ctx context.Context) ([]*candidate, error) {
	problems := len(r.report.Problems)
	for try := 1; ; try++ {
		found, err := r.candidates(ctx)
		if !errors.Is(err, errStirred) || try == attempts {
			return found, err
		}
		if err := r.lookAnew(ctx); err != nil {
			return nil, err
		}
		r.report.Problems = r.report.Problems[:problems]
	}
}

// candidates are the target files of all places, with what is to be sent of each text once.
func (r *pushing) candidates(ctx context.Context) ([]*candidate, error) {
	var found []*candidate
	for _, at := range r.places {
		targets, err := bundle.Existing(at.fsys, r.tree.bundles(), r.cfg.Targets())
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
	claims := make(map[string]map[catalog.Name]claim)
	for _, c := range found {
		r.yield(c, claims)
	}
	if moved, err := r.moved(ctx, r.tree); err != nil {
		return nil, err
	} else if moved {
		return nil, errStirred
	}
	if r.o.DryRun || r.blind {
		return found, nil
	}
	gone, err := r.missing()
	if err != nil {
		return nil, err
	}
	return found, r.State.Update(func(tx *state.Tx) error {
		for _, slot := range gone {
			if err := state.PutTx(tx, r.stateName(), kindGone, goneID(slot.Path, slot.Language), r.Now().UTC()); err != nil {
				return err
			}
		}
		for _, c := range slices.Backward(found) { // the branch last: what it has is the youngest
			keys := c.texts.Keys()
			if err := r.returned(tx, c); err != nil {
				return err
			}
			for kind, marks := range c.inherit {
				maps.DeleteFunc(marks, func(n catalog.Name, _ catalog.Mark) bool { return !keys[n.Key] })
				if err := tx.SetMarks(r.slot(kind, c.Path, c.Language.Code), marks); err != nil {
					return err
				}
			}
			if !c.first {
				continue
			}
			if err := r.mark(tx, memory{[]string{kindKnown, kindContact}, c.Path, c.Language.Code}, accepts(c.texts)); err != nil {
				return err
			}
		}
		return nil
	})
}

// candidate reads one target file of a place and finds what people changed in it; nil when there is nothing to say about it. At first contact
// nothing counts as changed.
func (r *pushing) candidate(t bundle.Target, at *place) (*candidate, error) {
	f, problem, err := t.Sources[0].Read(at.fsys, t.Path, t.Language)
	if err != nil || f == nil && problem == nil {
		return nil, err
	}
	r.present[goneID(t.Path, t.Language.Code)] = true
	if problem != nil {
		if !slices.Contains(r.report.Problems, *problem) {
			r.answer(*problem)
		}
		return nil, nil
	}
	c := &candidate{Target: t, place: at, file: f, texts: bundle.Texts(f), changed: make(map[catalog.Name]bool), edited: make(map[catalog.Name]bool)}
	m, err := r.memories(t, at, c.texts)
	if err != nil {
		return nil, err
	}
	c.back, c.other, c.merged = m.back, m.other, m.merged
	if m.known == nil {
		met, err := r.acquainted(t.Language.Code)
		if err != nil {
			return nil, err
		}
		c.first = !met
	}
	c.inherit = m.inherited
	living := make(map[string]bool)
	for _, b := range t.Sources {
		if s := r.tree.of(b); !s.broken() && !r.refused[b.Path] {
			maps.Copy(living, widened(s.texts, b.Separator, b.Source, c.texts).Keys())
		}
	}
	for _, u := range c.texts {
		if !living[u.Key] || u.Text == "" || holds(m.filler, u) || r.settled[conflictID(c.Path, c.Language.Code, u.Key)] {
			continue
		}
		if !c.first && m.edited(u) {
			c.edited[u.Name], c.changed[u.Name] = true, true
		}
		if r.o.Translations && (m.contact == nil || m.contact.Has(u.Name, u.Text) || !holds(m.known, u)) {
			c.changed[u.Name] = true
		}
	}
	c.decide(m, r.lost)
	return c, nil
}

// memories are what is remembered of a target file.
type memories struct {
	known, filler, merged, contact catalog.Marks

	seen []catalog.Marks // at the looks that count for the place

	inherited map[string]catalog.Marks // by kind: of a file that is gone, for one that has none

	back, other bool // see candidate
}

// memories loads them. texts is what the file has now.
func (r *pushing) memories(t bundle.Target, at *place, texts catalog.Catalog) (m memories, err error) {
	kinds := map[string]*catalog.Marks{kindKnown: &m.known, kindFiller: &m.filler, kindMerged: &m.merged, kindContact: &m.contact}
	m.seen = make([]catalog.Marks, len(at.looks))
	for i, l := range at.looks {
		kinds[l.kind()] = &m.seen[i]
	}
	for kind, marks := range kinds {
		if *marks, err = r.State.Marks(r.slot(kind, t.Path, t.Language.Code)); err != nil {
			return m, err
		}
	}
	if m.known != nil {
		if _, m.back, err = state.Get[time.Time](r.State, r.stateName(), kindGone, goneID(t.Path, t.Language.Code)); err != nil || !m.back || akin(texts, m.known) {
			return m, err
		}
		m.other = true
		for _, marks := range kinds {
			*marks = nil
		}
	}
	// The file may have moved: then it has the memories of one that is not there any more.
	m.inherited = make(map[string]catalog.Marks)
	histories, err := r.State.Slots(r.stateName(), kindKnown)
	if err != nil {
		return m, err
	}
	for _, slot := range histories {
		if slot.Language != t.Language.Code || r.targets[slot.Path] {
			continue
		}
		history, err := r.State.Marks(slot)
		if err != nil {
			return m, err
		}
		if !akin(texts, history) {
			continue
		}
		for kind := range kinds {
			gone, err := r.State.Marks(r.slot(kind, slot.Path, slot.Language))
			if err != nil {
				return m, err
			}
			if gone != nil && m.inherited[kind] == nil {
				m.inherited[kind] = make(catalog.Marks, len(gone))
			}
			maps.Copy(m.inherited[kind], gone)
		}
	}
	for kind, marks := range kinds {
		if m.inherited[kind] != nil {
			*marks = m.inherited[kind]
		}
	}
	return m, nil
}

// edited reports whether a text of a place is somebody's change.
func (m memories) edited(u catalog.Unit) bool {
	mark := catalog.MarkOf(u.Text)
	now := age(m.known, u.Name, mark)
	if now < 0 {
		return true
	}
	for _, seen := range m.seen {
		if last, ok := seen[u.Name]; ok && last != mark {
			if before := age(m.known, u.Name, last); before < 0 || before > now {
				return true
			}
		}
	}
	return false
}

// saw reports whether a place had a text in its past: whoever wrote another one there has replaced it knowingly.
func (m memories) saw(u catalog.Unit) bool {
	return slices.ContainsFunc(m.seen, func(seen catalog.Marks) bool { return seen.Has(u.Name, u.Text) })
}

// claim is who sends a text.
type claim struct {
	by   *candidate
	text string
}

// yield sees to it that of two places that have a text only one sends it: the branch, where translations meet. When everything
// is to be sent, what nobody changed there gives way to the tree that pushes read.
func (r *pushing) yield(c *candidate, claims map[string]map[catalog.Name]claim) {
	if claims[c.Path] == nil {
		claims[c.Path] = make(map[catalog.Name]claim)
	}
	for _, u := range c.texts {
		if !c.changed[u.Name] {
			continue
		}
		other, twice := claims[c.Path][u.Name]
		switch {
		case !twice:
			claims[c.Path][u.Name] = claim{c, u.Text}
		case !other.by.edited[u.Name]:
			delete(other.by.changed, u.Name)
			claims[c.Path][u.Name] = claim{c, u.Text}
		default:
			delete(c.changed, u.Name)
			if other.text != u.Text && c.edited[u.Name] {
				p := Problem{File: c.Path, Key: u.Key, Language: c.Language.Code,
					Problem: fmt.Sprintf("was changed in two places: %q on branch %s and %q in %s; the branch's is sent. If the other is meant, write it on the branch", other.text, r.cfg.Pull.Branch, u.Text, c.place.name.where())}
				r.problem(p)
				r.givesWay(p)
			}
		}
	}
}

// shipGroup compares a group's candidates with the service's present values and composes what is to be sent.
func (r *pushing) shipGroup(ctx context.Context, ship *shipping, g *bundle.Group, found []*candidate) error {
	var mine []*candidate
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
	if len(mine) == 0 {
		return nil
	}
	var languages []config.Language
	for _, l := range r.cfg.Targets() {
		if wanted[l] {
			languages = append(languages, l)
		}
	}
	r.say("asking what the service has in %q", g.Collection)
	present, err := r.export(ctx, g, languages, string(service.Draft), anew)
	if err != nil {
		return err
	}
	r.exports++
	all := make([]*weighed, len(mine))
	for i, c := range mine {
		if all[i], err = r.weigh(c, r.tree.fitted(c.Target, present.of(c.Sources[0], c.Language))); err != nil {
			return err
		}
	}
	for _, w := range all {
		for _, other := range all {
			if other != w && other.Path == w.Path {
				w.goAlong(other.sent)
			}
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

// goAlong puts the texts that another place sends of the same file in the place of the service's: where both send forms of one key, the upload that is taken
// last would take the other's back.
func (w *weighed) goAlong(others catalog.Catalog) {
	own := w.sent.Index()
	for _, u := range others {
		if _, sends := own[u.Name]; !sends {
			w.instead[u.Name] = u.Text
		}
	}
}

func (r *pushing) weigh(c *candidate, theirs catalog.Catalog) (*weighed, error) {
	v, err := r.compare(c, theirs)
	if err != nil {
		return nil, err
	}
	w := &weighed{candidate: c, versus: v, theirs: theirs}
	for _, u := range c.texts {
		switch {
		case !c.changed[u.Name], v.lost[u.Key]:
		case v.same[u.Name]:
			w.same = append(w.same, u)
		default:
			w.sent = append(w.sent, u)
		}
	}
	return w, nil
}

// shipCandidate composes the upload of one file, key by key: a key of which the service changed any text since the last merge is reported and
// stays out. Forms of a key that nobody changed go along with the service's present text.
func (r *pushing) shipCandidate(ship *shipping, g *bundle.Group, c *weighed) error {
	m := memory{[]string{kindKnown}, c.Path, c.Language.Code}
	if r.cfg.Push.Conflicts == "overwrite" {
		m.Kinds = append(m.Kinds, kindDelivered)
	}
	if !r.o.DryRun && len(c.same)+len(c.conflicts) > 0 {
		err := r.State.Update(func(tx *state.Tx) error {
			for _, lost := range c.conflicts {
				if err := lost.keep(r.project, tx); err != nil {
					return err
				}
			}
			if len(c.same) == 0 {
				return nil
			}
			return r.mark(tx, m, accepts(c.same))
		})
		if err != nil {
			return err
		}
	}
	r.was(c.Path, c.Language.Code, c.theirs)
	for _, u := range c.replaced {
		p := Problem{File: c.Path, Key: u.Key, Language: c.Language.Code, Problem: fmt.Sprintf(
			"the service's %q gives way to a text from %s, which had not merged it. If it is meant, write it again", u.Text, c.place.name.where())}
		r.report.Replaced = append(r.report.Replaced, p)
		r.givesWay(p)
	}
	return r.eachKind(c.Target, c.sent, func(sent catalog.Catalog, further bool) error {
		index := sent.Index()
		up, err := r.composeTranslations(c.Sources[0], c.candidate, func(n catalog.Name) bool { _, ok := index[n]; return ok }, c.instead)
		if err != nil || len(up.Units) == 0 {
			return err
		}
		m := m
		if further {
			m.Kinds = append(slices.Clone(m.Kinds), kindFurther)
		}
		ship.add(r.request(c.Sources[0], c.Language.Code, g.ExportFormat(), r.cfg.Push.CompletionState), up, m, sent)
		return nil
	})
}

// onlyWaits reports whether all that changed in a file lost conflicts earlier that nobody has decided since, and names those: there is nothing to ask
// the service for.
func (r *pushing) onlyWaits(c *candidate) bool {
	for n := range c.changed {
		if !r.waits(c, n) {
			return false
		}
	}
	told := make(map[string]bool)
	for _, u := range c.texts {
		lost := r.lost[conflictID(c.Path, c.Language.Code, u.Key)]
		if c.changed[u.Name] && !told[u.Key] && !c.overruled(lost) {
			told[u.Key] = true
			r.conflict(lost)
		}
	}
	return true
}

// versus is how a candidate's texts compare with the service's.
type versus struct {
	lost      map[string]bool // keys that the service changed too
	conflicts []conflict      // about them, in the file's order
	same      map[catalog.Name]bool
	instead   map[catalog.Name]string // the service's present texts where nobody changed the repository's
	replaced  catalog.Catalog         // the service's present texts that the place has not merged, where it sends others
}

// compare reports the keys that both sides changed. A text that the service has from here, or had at the last merge, is no change of its own.
func (r *pushing) compare(c *candidate, theirs catalog.Catalog) (versus, error) {
	v := versus{lost: make(map[string]bool), same: make(map[catalog.Name]bool), instead: make(map[catalog.Name]string)}
	m, err := r.memories(c.Target, c.place, c.texts)
	if err != nil {
		return v, err
	}
	sent, err := r.State.Marks(r.slot(kindSent, c.Path, c.Language.Code))
	if err != nil {
		return v, err
	}
	index := theirs.Index()
	for _, u := range c.texts {
		at, there := index[u.Name]
		if !there {
			continue
		}
		_, merged := m.merged[u.Name]
		_, before := sent[known(u.Name, 0)]
		lost, conflicts := r.lost[conflictID(c.Path, c.Language.Code, u.Key)]
		conflicts = conflicts && lost.ours(u) && !c.decided[u.Key]
		switch {
		case !c.changed[u.Name]:
			v.instead[u.Name] = theirs[at].Text
		case theirs[at].Text == u.Text:
			v.same[u.Name] = true
		case theirs[at].Text == "" || conflicts && lost.agreed(theirs[at]):
		case !conflicts && (m.merged.Has(u.Name, theirs[at].Text) || holds(sent, theirs[at])):
			if !r.o.Translations && !m.saw(theirs[at]) {
				v.replaced = append(v.replaced, theirs[at])
			}
		case r.o.Translations && !merged && !before:
		case conflicts && c.overruled(lost):
			v.lost[u.Key] = true
		case !v.lost[u.Key]:
			v.lost[u.Key] = true
			x := newConflict(r.Now(), c.Path, c.Language.Code, u.Key, c.texts, theirs, m.merged)
			v.conflicts = append(v.conflicts, x)
			r.conflict(x)
		}
	}
	return v, nil
}

func (r *pushing) composeTranslations(b *bundle.Bundle, c *candidate, send func(catalog.Name) bool, instead map[catalog.Name]string) (bundle.Upload, error) {
	if b.Format.Name != "locjson" {
		return bundle.Compose(b, c.file, c.Path, send, instead)
	}
	var units catalog.Catalog
	for _, u := range c.texts {
		if send(u.Name) {
			units = append(units, u)
		}
	}
	if len(units) == 0 {
		return bundle.Upload{}, nil
	}
	return bundle.ComposeUnits(b, c.Path, units)
}
