package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// conflict is a stored conflict, and what passes ask of it.
type conflict struct{ ledger.Conflict }

// shown is a conflict as reports and the status show it.
func (p *project) shown(c conflict) report.Conflict {
	shown := report.Conflict{File: c.Path, Language: c.Language, Key: c.Key, Ours: textsByForm(c.Ours), Theirs: textsByForm(c.Theirs),
		Since: c.At, Open: c.Open, Beside: c.Beside}
	if len(p.Config.Projects) > 1 {
		shown.Project = p.cfg.Name
	}
	return shown
}

// textsByForm are the texts of one key.
func textsByForm(texts catalog.Catalog) map[string]string {
	all := make(map[string]string, len(texts))
	for _, u := range texts {
		all[u.Form] = u.Text
	}
	return all
}

// ours reports whether a text is one of the repository's.
func (c conflict) ours(u catalog.Unit) bool { return has(c.Ours, u) }

// theirs reports whether a text is one of the service's.
func (c conflict) theirs(u catalog.Unit) bool { return has(c.Theirs, u) }

func has(texts catalog.Catalog, u catalog.Unit) bool {
	return slices.ContainsFunc(texts, func(of catalog.Unit) bool { return of.Name == u.Name && of.Text == u.Text })
}

// same reports whether two catalogs have the same texts.
func same(a, b catalog.Catalog) bool { return maps.Equal(a.Marks(), b.Marks()) }

// agreed reports whether a text is the one that both sides had before.
func (c conflict) agreed(u catalog.Unit) bool {
	return slices.Contains(c.Base, ledger.Text{Name: u.Name, Mark: catalog.MarkOf(u.Text)})
}

// about reports whether a conflict is about this form of its key: the repository had changed it.
func (c conflict) about(n catalog.Name) bool {
	at, is := c.Ours.Index()[n]
	return is && !c.agreed(c.Ours[at])
}

// stands reports whether a text is as it lost: here or, where it is still the one that both sides had before, in another place.
func (c *candidate) stands(u catalog.Unit, lost conflict) bool {
	return lost.ours(u) || !c.changed[u.Name] && lost.agreed(u) && lost.about(u.Name)
}

// with is a conflict together with what was written in another place of forms of its key that nobody wrote here, and lost too.
func (c conflict) with(there catalog.Catalog, wrote func(there, here catalog.Unit) bool) conflict {
	index := there.Index()
	c.Ours = slices.Clone(c.Ours)
	for i, u := range c.Ours {
		if at, is := index[u.Name]; is && wrote(there[at], u) {
			c.Ours[i].Text = there[at].Text
		}
	}
	return c
}

// problemOf is a conflict among the problems of a pass. A division of a file that was met before is only a warning.
func (p *project) problemOf(c conflict, met bool) report.Problem {
	told := p.shown(c).Problem()
	if met && c.Beside != "" {
		told.Severity = report.Warning
	}
	return told
}

// newConflict describes a key as both sides have it.
func newConflict(at time.Time, path, language, key string, ours, theirs catalog.Catalog, base catalog.Marks) conflict {
	only := map[string]bool{key: true}
	c := conflict{ledger.Conflict{Path: path, Language: language, Key: key,
		Ours: ours.Restrict(only), Theirs: theirs.Restrict(only), At: at.UTC(), Looked: at.UTC()}}
	for _, u := range c.Ours {
		if m, ok := base[u.Name]; ok {
			c.Base = append(c.Base, ledger.Text{Name: u.Name, Mark: m})
		}
	}
	c.Open = len(c.Base) == 0
	return c
}

// known reports whether a conflict is a stored one as it is: nothing is to be told of it.
func (c conflict) known(stored map[string]conflict) bool {
	before, is := stored[c.ID()]
	return is && before.Open == c.Open && same(before.Ours, c.Ours) && same(before.Theirs, c.Theirs)
}

// keep stores a conflict. A text that lost before keeps its base, what both agreed on before it was written, and a conflict of nothing but such texts its time.
func (c conflict) keep(p *project, tx ledger.Writer) error {
	before, ok, err := ledger.Conflicts.Get(tx, p.stateName(), c.ID())
	if err != nil {
		return err
	}
	if ok {
		c = c.after(conflict{before})
	}
	return ledger.Conflicts.Put(tx, p.stateName(), c.ID(), c.Conflict)
}

// keepFirst stores a conflict with another place's text, unless that one has lost to the service's itself.
func (c conflict) keepFirst(p *project, tx ledger.Writer) error {
	_, is, err := ledger.Conflicts.Get(tx, p.stateName(), c.ID())
	if err != nil || is {
		return err
	}
	return c.keep(p, tx)
}

// after is a conflict that takes the place of an earlier one about its key.
func (c conflict) after(before conflict) conflict {
	stands := make(map[catalog.Name]bool)
	for _, u := range c.Ours {
		stands[u.Name] = before.ours(u)
	}
	base := slices.DeleteFunc(slices.Clone(before.Base), func(a ledger.Text) bool { return !stands[a.Name] })
	for _, a := range c.Base {
		if !stands[a.Name] {
			base = append(base, a)
		}
	}
	if c.Base = base; same(before.Ours, c.Ours) {
		c.At = before.At
	}
	return c
}

// conflicts are the stored ones, by id.
func (p *project) conflicts() (map[string]conflict, error) {
	stored, err := ledger.Conflicts.List(p.State, p.stateName())
	if err != nil {
		return nil, err
	}
	all := make(map[string]conflict, len(stored))
	for _, c := range stored {
		all[c.ID()] = conflict{c}
	}
	return all, nil
}

// Conflicts are those that wait for push --ours or --theirs, of every branch, in one project or, for "", in all. It looks at nothing but the state.
func (e *Engine) Conflicts(project string) ([]report.Conflict, error) {
	var all []report.Conflict
	for _, p := range e.projects {
		if project != "" && project != p.cfg.Name {
			continue
		}
		names := []string{p.projectName()}
		lines, err := p.lineRecords()
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			names = append(names, ledger.BranchScope(p.projectName(), line.Base))
		}
		for _, name := range names {
			stored, err := ledger.Conflicts.List(e.State, name)
			if err != nil {
				return nil, err
			}
			for _, c := range stored {
				all = append(all, p.shown(conflict{c}))
			}
		}
	}
	return all, nil
}

// readConflicts loads what a push has to know of them.
func (r *pushing) readConflicts() (err error) {
	if r.lost, err = r.conflicts(); err != nil || len(r.lost) == 0 {
		return err
	}
	last, _, err := ledger.Passes.Get(r.State, r.stateName(), ledger.PassPull)
	r.lastPull = last.At
	return err
}

// conflict reports one; false where it is reported already.
func (r *pushing) conflict(c conflict) bool {
	p := r.problemOf(c, r.met[ledger.TargetID(c.Path, c.Language)])
	if slices.Contains(r.report.Problems, p) {
		return false
	}
	r.elsewhere[p] = true
	r.problem(p)
	return true
}

// foundConflict reports one that this push found.
func (r *pushing) foundConflict(c conflict) {
	if c.Open && r.o.DryRun {
		r.report.open[c.ID()] = c
	}
	if decided := r.o.yields && r.cfg.Pull.Enabled && c.Open && c.Beside == ""; decided {
		return
	}
	if r.conflict(c) && !c.Open {
		r.givesWay(r.shown(c).Problem(), r.o.DryRun)
	}
}

// conflict reports one whose text of the repository a pull leaves behind.
func (r *pulling) conflict(c conflict, met bool) {
	if p := r.problemOf(c, met); !slices.Contains(r.report.Problems, p) {
		r.elsewhere[p] = true
		r.problem(p)
		if !c.Open {
			r.givesWay(p, r.o.DryRun)
		}
	}
}

// resolved forgets the conflicts about texts that the service accepted from here.
func (p *project) resolved(tx ledger.Writer, m ledger.Destination, units []ledger.Text) error {
	for _, u := range units {
		c, is, err := ledger.Conflicts.Get(tx, p.stateName(), ledger.ConflictID(m.Path, m.Language, u.Key))
		if err == nil && is && (conflict{c}).about(u.Name) {
			err = ledger.Conflicts.Delete(tx, p.stateName(), c.ID())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// waits reports whether keys lost conflicts and have nothing new to say: all their texts are as they lost, nobody decided for them since, and either a pull has
// merged the service's text or the service was asked for it since the last pull. Open ones wait for a decision only.
func (r *pushing) waits(c *candidate, texts catalog.Catalog) bool {
	for _, u := range texts {
		lost, is := r.lost[ledger.ConflictID(c.Path, c.Language.Code, u.Key)]
		if !is || c.decided[u.Key] || !c.stands(u, lost) || lost.Open && r.o.Translations || !c.about(lost) {
			return false
		}
		if !lost.Open && !lost.Looked.After(r.lastPull) && !c.overruled(lost) {
			return false
		}
	}
	return true
}

// overruled reports whether a pull has merged the service's texts of a conflict: it is for the status to name it then, not for every push.
func (c *candidate) overruled(lost conflict) bool {
	return !slices.ContainsFunc(lost.Theirs, func(u catalog.Unit) bool { return !c.merged.Has(u.Name, u.Text) })
}

// decide finds the keys of conflicts for which somebody wrote the repository's text again after having seen the service's: that is a decision. To have seen
// a form that the service did not change says nothing.
func (c *candidate) decide(m memories, lost map[string]conflict) {
	c.decided = make(map[string]bool)
	for _, u := range c.texts {
		if !c.changed[u.Name] {
			continue
		}
		l := lost[ledger.ConflictID(c.Path, c.Language.Code, u.Key)]
		for _, seen := range m.seen {
			for _, their := range l.Theirs {
				if their.Name == u.Name && their.Text != u.Text && !l.agreed(their) && seen.Has(u.Name, their.Text) {
					c.decided[u.Key] = true
				}
			}
		}
	}
}

// settleConflicts does what push --ours and --theirs ask for: it sends the repository's texts of conflicts, over the service's, or forgets them. A text of
// the service's that is another by now than the one that was shown is not overwritten: nobody has seen it.
func (r *pushing) settleConflicts(ctx context.Context) error {
	wanted := make(map[string]conflict)
	r.report.decidable = make(map[decidable]bool, len(r.lost))
	for id, c := range r.lost {
		d := decidable{c.Path, c.Language, c.Key}
		if r.report.decidable[d] = r.o.decides(d); r.report.decidable[d] {
			wanted[id] = c
		}
	}
	if r.o.Theirs {
		for _, id := range slices.Sorted(maps.Keys(wanted)) {
			if err := r.yieldConflict(wanted[id]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := choose(r, wanted); err != nil {
		return err
	}
	ship := &shipping{}
	for _, g := range bundle.Groups(r.tree.Bundles()) {
		if err := r.insist(ctx, ship, g, wanted); err != nil {
			return err
		}
	}
	r.shipAll(ctx, ship.shipments)
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		c := wanted[id]
		r.answer(report.Problem{Code: report.CodeConflict, File: c.Path, Key: c.Key, Language: c.Language, Problem: "is not sent: its source file is not there any more; locsync push --theirs forgets the conflict"})
	}
	return nil
}

// decidedOn puts a decision into the report. The rest of the push has nothing to say about the key.
func (r *pushing) decidedOn(c conflict, stands string) {
	delete(r.lost, c.ID())
	r.settled[c.ID()] = true
	r.report.Settled = append(r.report.Settled, report.Settled{Conflict: r.shown(c), Stands: stands})
}

// yieldConflict lets the service's text stand. The repository's is nobody's change from now on: no push sends it, and where no pull has merged the service's
// yet, the next one puts that in its place without asking again. Whoever writes the repository's text once more, over the service's, says something new.
func (r *pushing) yieldConflict(c conflict) error {
	r.decidedOn(c, "theirs")
	if r.o.DryRun {
		return nil
	}
	return r.State.Update(func(tx ledger.Writer) error { return r.yields(tx, c) })
}

// yields remembers that the service's text of a conflict stands.
func (p *project) yields(tx ledger.Writer, c conflict) error {
	slot := p.slot(ledger.Known, c.Path, c.Language)
	history, err := tx.Marks(slot)
	if err != nil {
		return err
	}
	if history == nil {
		history = make(catalog.Marks)
	}
	var gives catalog.Catalog // what no pull has put the service's text in the place of
	theirs := c.Theirs.Marks()
	for _, u := range c.Ours {
		their, has := theirs[u.Name]
		if has && ledger.Holds(history, u) && ledger.Age(history, u.Name, their) > ledger.Age(history, u.Name, catalog.MarkOf(u.Text)) {
			continue
		}
		gives = append(gives, u)
		ledger.Learn(history, u.Name, catalog.MarkOf(u.Text))
		if has {
			ledger.Learn(history, u.Name, their)
		}
	}
	if err := tx.SetMarks(slot, history); err != nil {
		return err
	}
	if err := p.mark(tx, ledger.Destination{Path: c.Path, Language: c.Language, Kinds: []ledger.TargetMarks{ledger.Delivered}}, accepts(gives)); err != nil {
		return err
	}
	return ledger.Conflicts.Delete(tx, p.stateName(), c.ID())
}

// acceptService lets the service's texts of all open conflicts stand. Those that the export of a pull does not show, as their state is too low, are merged when
// it does.
func (r *pulling) acceptService() error {
	if !r.o.AcceptService || r.o.DryRun {
		return nil
	}
	all, err := r.conflicts()
	if err != nil {
		return err
	}
	return r.State.Update(func(tx ledger.Writer) error {
		for _, c := range all {
			if c.Open && c.Beside == "" {
				if err := r.yields(tx, c); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// insist composes what push --ours sends for one group, and takes what it has dealt with out of wanted.
func (r *pushing) insist(ctx context.Context, ship *shipping, g *bundle.Group, wanted map[string]conflict) error {
	type claimed struct {
		conflict
		to bundle.Target
	}
	var mine []claimed
	var languages []config.Language
	targets, err := bundle.Existing(r.tree.FS, g.Bundles, r.cfg.Targets())
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		c := wanted[id]
		for _, t := range targets {
			if t.Path == c.Path && t.Language.Code == c.Language {
				mine = append(mine, claimed{c, t})
				delete(wanted, id)
				if !slices.Contains(languages, t.Language) {
					languages = append(languages, t.Language)
				}
				break
			}
		}
	}
	if len(mine) == 0 {
		return nil
	}
	r.say("asking what the service has in %q", g.Collection)
	present, err := r.export(ctx, g, languages, string(service.Draft), anew.in(r.o.DryRun))
	if err != nil {
		return err
	}
	r.exports++
	units := make(map[string]catalog.Catalog) // by file: of one file one upload
	var files []claimed
	for _, c := range mine {
		theirs := present.of(c.to.Sources[0], c.to.Language).Restrict(map[string]bool{c.Key: true})
		if slices.ContainsFunc(theirs, func(u catalog.Unit) bool { return !c.theirs(u) && !c.ours(u) && !c.agreed(u) }) {
			newer := c.conflict
			newer.Theirs = theirs
			r.lost[newer.ID()] = newer
			r.foundConflict(newer)
			if !r.o.DryRun {
				if err := r.State.Update(func(tx ledger.Writer) error { return newer.keep(r.project, tx) }); err != nil {
					return err
				}
			}
			continue
		}
		if units[c.Path] == nil {
			files = append(files, c)
		}
		units[c.Path] = append(units[c.Path], c.Ours...)
		r.was(c.Path, c.Language, theirs)
		r.decidedOn(c.conflict, "ours")
	}
	for _, c := range files {
		up, err := bundle.ComposeUnits(c.to.Sources[0], c.Path, units[c.Path])
		if err != nil {
			return err
		}
		req := r.request(c.to.Sources[0], c.Language, g.ExportFormat(), r.cfg.Push.CompletionState)
		req.Conflicts = service.Overwrite
		ship.add(req, up, ledger.Destination{Path: c.Path, Language: c.Language, Kinds: []ledger.TargetMarks{ledger.Known, ledger.Delivered}}, units[c.Path])
	}
	return nil
}
