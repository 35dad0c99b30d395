package engine

import (
	"context"
	"fmt"
	"io/fs"
	"maps"

	"go.uber.org/zap"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/state"
)

// A translation that somebody changed in the repository goes to the service. Two places are looked at: the tree that pushes read, and
// the branch that pulls write. In both a text counts as somebody's change when it is none of
//
//   - what is in the file's history (see known.go): at first contact, written by a pull, or delivered before,
//   - what a pull wrote to stand for a missing translation,
//   - a blank.
//
// In the working tree a text that is in the history counts too when it differs from the last look while HEAD stayed where it was: then nobody but
// a person brought the older text back.
type place struct {
	name string
	fsys fs.FS
	head string // the working tree's HEAD; "" where texts of the history never count
}

// candidate is a target file of one place with what people changed in it.
type candidate struct {
	bundle.Target
	place   *place
	file    *resource.File
	texts   catalog.Catalog
	changed map[catalog.Name]bool
	seen    catalog.Marks // for the working tree: what the next look compares with, if nothing is sent
}

// pushTranslations sends what people changed in the target languages, after asking the service for its present values: where those
// changed too since the last merge, the service wins.
func (r *pushing) pushTranslations(ctx context.Context) error {
	places, err := r.places(ctx)
	if err != nil {
		return err
	}
	var found []*candidate
	claimed := make(map[string]map[catalog.Name]string) // by path: what an earlier place has changed
	for _, at := range places {
		targets, err := bundle.Existing(at.fsys, r.tree.bundles(), r.cfg.Targets())
		if err != nil {
			return err
		}
		for _, t := range targets {
			c, err := r.candidate(t, at)
			if err != nil {
				return err
			}
			if c == nil {
				continue
			}
			r.yield(c, claimed)
			found = append(found, c)
		}
	}
	ship := &shipping{}
	for _, g := range bundle.Groups(r.tree.bundles()) {
		if err := r.shipGroup(ctx, ship, g, found); err != nil {
			return err
		}
	}
	for _, s := range ship.shipments {
		r.ship(ctx, s)
	}
	return r.look(found, places)
}

// places are where translations are looked for. A branch that cannot be reached is no reason to keep anything from being sent: the
// next push looks there again.
func (r *pushing) places(ctx context.Context) ([]*place, error) {
	here := &place{name: r.cfg.Push.Source, fsys: r.tree.fsys}
	if r.cfg.Push.Source == config.Worktree {
		_, head, err := r.repo.Head()
		if err != nil {
			return nil, err
		}
		here.head = head
	}
	places := []*place{here}
	if r.cfg.Pull.Branch == r.cfg.Push.Source {
		return places, nil
	}
	tip, err := r.repo.At(ctx, r.cfg.Pull.Branch, r.cfg.Pull.Base)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		r.log.Warn("translations on the branch are not looked at this time", zap.String("branch", r.cfg.Pull.Branch), zap.Error(err))
	case !tip.New():
		places = append([]*place{{name: r.cfg.Pull.Branch, fsys: tip}}, places...)
	}
	return places, nil
}

// headRecord is the working tree's HEAD at the last look.
const headRecord = "head"

// candidate reads one target file of a place and finds what people changed in it; nil when there is nothing to say about it. At first contact
// its texts become its history and nothing counts as changed.
func (r *pushing) candidate(t bundle.Target, at *place) (*candidate, error) {
	f, problem, err := t.Sources[0].Read(at.fsys, t.Path, t.Language)
	if err != nil || f == nil && problem == nil {
		return nil, err
	}
	if problem != nil {
		r.report.Problems = append(r.report.Problems, *problem)
		return nil, nil
	}
	c := &candidate{Target: t, place: at, file: f, texts: bundle.Texts(f), changed: make(map[catalog.Name]bool)}
	var history, filler, seen catalog.Marks
	for kind, marks := range map[string]*catalog.Marks{kindKnown: &history, kindFiller: &filler, kindSeen: &seen} {
		if *marks, err = r.State.Marks(r.slot(kind, t.Path, t.Language.Code)); err != nil {
			return nil, err
		}
	}
	living := make(map[string]bool)
	for _, b := range t.Sources {
		if s := r.tree.of(b); !s.broken() {
			maps.Copy(living, s.texts.Keys())
		}
	}
	still, err := r.sameHead(at)
	if err != nil {
		return nil, err
	}
	if at.head != "" {
		c.seen = c.texts.Marks()
	}
	for _, u := range c.texts {
		mark := catalog.MarkOf(u.Text)
		last, looked := seen[u.Name]
		edited := still && looked && last != mark // by hand, back to a text of the history
		switch {
		case !living[u.Key] || u.Text == "" || knows(filler, u.Name, mark):
		case r.o.Translations:
			c.changed[u.Name] = true
		case history == nil:
		case edited || !knows(history, u.Name, mark):
			c.changed[u.Name] = true
		}
	}
	if history == nil && !r.o.DryRun {
		err = r.State.Update(func(tx *state.Tx) error {
			return r.mark(tx, memory{[]string{kindKnown}, t.Path, t.Language.Code}, accepts(c.texts))
		})
	}
	return c, err
}

func accepts(c catalog.Catalog) []accept {
	units := make([]accept, len(c))
	for i, u := range c {
		units[i] = accept{u.Name, catalog.MarkOf(u.Text)}
	}
	return units
}

// sameHead reports whether the working tree's HEAD is where it was at the last look.
func (r *pushing) sameHead(at *place) (bool, error) {
	if at.head == "" {
		return false, nil
	}
	head, ok, err := state.Get[string](r.State, r.stateName(), kindSeen, headRecord)
	return ok && head == at.head, err
}

// yield gives way where an earlier place, the branch, has another change of the same text.
func (r *pushing) yield(c *candidate, claimed map[string]map[catalog.Name]string) {
	mine := claimed[c.Path]
	if mine == nil {
		mine = make(map[catalog.Name]string)
		claimed[c.Path] = mine
	}
	for _, u := range c.texts {
		if !c.changed[u.Name] {
			continue
		}
		other, twice := mine[u.Name]
		if !twice {
			mine[u.Name] = u.Text
			continue
		}
		delete(c.changed, u.Name)
		if other != u.Text && !r.o.Translations {
			r.report.Problems = append(r.report.Problems, Problem{File: c.Path, Key: u.Key, Language: c.Language.Code,
				Problem: fmt.Sprintf("was changed in two places: %q on branch %s and %q in the %s; the branch's is sent", other, r.cfg.Pull.Branch, u.Text, c.place.name)})
		}
	}
}

// shipGroup compares a group's candidates with the service's present values and composes what is to be sent.
func (r *pushing) shipGroup(ctx context.Context, ship *shipping, g *bundle.Group, found []*candidate) error {
	var mine []*candidate
	wanted := make(map[config.Language]bool)
	for _, c := range found {
		for _, b := range g.Bundles {
			if c.Sources[0] == b && len(c.changed) > 0 {
				mine = append(mine, c)
				wanted[c.Language] = true
			}
		}
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
	present, err := r.export(ctx, g, languages, string(service.Draft))
	if err != nil {
		return err
	}
	for _, c := range mine {
		if err := r.shipCandidate(ship, g, c, present.of(c.Sources[0], c.Language)); err != nil {
			return err
		}
	}
	return nil
}

// shipCandidate composes the upload of one file, key by key: a key of which the service changed any text since the last merge is reported and
// stays out. Forms of a key that nobody changed go along with the service's present text.
func (r *pushing) shipCandidate(ship *shipping, g *bundle.Group, c *candidate, theirs catalog.Catalog) error {
	merged, err := r.State.Marks(r.slot(kindMerged, c.Path, c.Language.Code))
	if err != nil {
		return err
	}
	sent, err := r.State.Marks(r.slot(kindSent, c.Path, c.Language.Code))
	if err != nil {
		return err
	}
	index := theirs.Index()
	lost := make(map[string]bool) // keys that the service changed too
	same := make(map[catalog.Name]bool)
	instead := make(map[catalog.Name]string)
	for _, u := range c.texts {
		at, there := index[u.Name]
		switch {
		case !there:
		case !c.changed[u.Name]:
			instead[u.Name] = theirs[at].Text
		case theirs[at].Text == u.Text:
			same[u.Name] = true
		case merged.Has(u.Name, theirs[at].Text) || sent.Has(u.Name, theirs[at].Text):
		case r.o.Translations && !knownTo(merged, u.Name):
		case !lost[u.Key]:
			lost[u.Key] = true
			r.report.Problems = append(r.report.Problems, Problem{File: c.Path, Key: u.Key, Language: c.Language.Code,
				Problem: fmt.Sprintf("was changed here to %q and at the service to %q; the service wins, and the repository's is not sent", u.Text, theirs[at].Text)})
		}
	}
	b := c.Sources[0]
	kinds := []string{kindSent, kindKnown}
	if r.cfg.Push.Conflicts == "overwrite" {
		kinds = append(kinds, kindMerged)
	}
	m := memory{kinds, c.Path, c.Language.Code}
	if !r.o.DryRun && len(same) > 0 {
		err := r.State.Update(func(tx *state.Tx) error {
			var units catalog.Catalog
			for _, u := range c.texts {
				if same[u.Name] {
					units = append(units, u)
				}
			}
			return r.mark(tx, m, accepts(units))
		})
		if err != nil {
			return err
		}
	}
	send := func(n catalog.Name) bool { return c.changed[n] && !same[n] && !lost[n.Key] }
	up, err := r.composeTranslations(b, c, send, instead)
	if err != nil || len(up.Units) == 0 {
		return err
	}
	ship.add(r.request(b, c.Language.Code, g.ExportFormat(), r.cfg.Push.CompletionState), up, m)
	return nil
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

func knownTo(marks catalog.Marks, n catalog.Name) bool {
	_, ok := marks[n]
	return ok
}

// look remembers what the working tree held, for the next look: all of it but changes that could not be sent, which are found again.
func (r *pushing) look(found []*candidate, places []*place) error {
	if r.o.DryRun {
		return nil
	}
	return r.State.Update(func(tx *state.Tx) error {
		for _, c := range found {
			if c.seen == nil {
				continue
			}
			slot := r.slot(kindSeen, c.Path, c.Language.Code)
			if len(r.errs) > 0 {
				before, err := tx.Marks(slot)
				if err != nil {
					return err
				}
				for n := range c.changed {
					if old, ok := before[n]; ok {
						c.seen[n] = old
					} else {
						delete(c.seen, n)
					}
				}
			}
			if err := tx.SetMarks(slot, c.seen); err != nil {
				return err
			}
		}
		for _, at := range places {
			if at.head != "" && len(r.errs) == 0 {
				return state.PutTx(tx, r.stateName(), kindSeen, headRecord, at.head)
			}
		}
		return nil
	})
}
