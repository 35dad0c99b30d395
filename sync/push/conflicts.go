package push

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// decisions are what is found, and decided, about conflicts.
type decisions struct {
	*state
	lastPull time.Time
}

// readConflicts loads what a push has to know of them.
func (r *decisions) readConflicts() (err error) {
	if r.lost, err = r.branch.Memory().Conflicts(); err != nil || len(r.lost) == 0 {
		return err
	}
	last, _, err := ledger.Passes.Get(r.branch.Ledger, r.branch.StateName(), ledger.PassPull)
	r.lastPull = last.At
	return err
}

// conflict reports one; false where it is reported already.
func (r *decisions) conflict(c pass.Conflict) bool {
	p := r.branch.ProblemOf(c, r.met[ledger.TargetID(c.Path, c.Language)])
	if slices.Contains(r.report.Problems, p) {
		return false
	}
	r.elsewhere[p] = true
	r.problem(p)
	return true
}

// foundConflict reports one that this push found.
func (r *decisions) foundConflict(c pass.Conflict) {
	if c.Open {
		r.out.waits(func() pass.Conflict { return c })
	}
	if decided := r.o.Yields && r.branch.Project.Pull.Enabled && c.Open && c.Beside == ""; decided {
		return
	}
	if r.conflict(c) && !c.Open {
		r.branch.GivesWay(r.branch.Shown(c).Problem())
	}
}

// settleConflicts does what push --ours and --theirs ask for: it sends the repository's texts of conflicts, over the
// service's, or forgets them. It overwrites no text of the service's that is another by now than the one that was
// shown.
func (r *decisions) settleConflicts(ctx context.Context) error {
	wanted := make(map[string]pass.Conflict)
	r.report.Decidable = make(map[Decidable]bool, len(r.lost))
	for id, c := range r.lost {
		d := Decidable{c.Path, c.Language, c.Key}
		if r.report.Decidable[d] = r.o.decides(d); r.report.Decidable[d] {
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
	r.out.ship(ctx, ship.shipments)
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		c := wanted[id]
		r.answer(report.Problem{Code: report.CodeConflict, File: c.Path, Key: c.Key, Language: c.Language,
			Problem: "is not sent: its source file is not there any more; locsync push --theirs forgets the conflict"})
	}
	return nil
}

// decidedOn puts a decision into the report. The rest of the push has nothing to say about the key.
func (r *decisions) decidedOn(c pass.Conflict, stands string) {
	delete(r.lost, c.ID())
	r.settled[c.ID()] = true
	r.report.Settled = append(r.report.Settled, report.Settled{Conflict: r.branch.Shown(c), Stands: stands})
}

// yieldConflict keeps the service's text. The repository's counts as no change from now on: no push sends it, and the
// next pull replaces it without asking again. Written once more, over the service's, it says something new.
func (r *decisions) yieldConflict(c pass.Conflict) error {
	r.decidedOn(c, "theirs")
	return r.branch.Ledger.Update(func(tx ledger.Writer) error { return r.branch.Memory().Yields(tx, c) })
}

// insistence is a conflict that push --ours decides, and its file.
type insistence struct {
	conflict pass.Conflict
	to       bundle.Target
}

// insisted takes the conflicts of target files out of wanted. languages are theirs.
func insisted(
	targets []bundle.Target, wanted map[string]pass.Conflict,
) (mine []insistence, languages []config.Language) {
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		c := wanted[id]
		for _, t := range targets {
			if t.Path == c.Path && t.Language.Code == c.Language {
				mine = append(mine, insistence{c, t})
				delete(wanted, id)
				if !slices.Contains(languages, t.Language) {
					languages = append(languages, t.Language)
				}
				break
			}
		}
	}
	return mine, languages
}

// insist composes what push --ours sends for one group, and takes what it has dealt with out of wanted.
func (r *decisions) insist(
	ctx context.Context, ship *shipping, g *bundle.Group, wanted map[string]pass.Conflict,
) error {
	targets, err := bundle.Existing(r.tree.FS, g.Bundles, r.branch.Project.Targets())
	if err != nil {
		return err
	}
	mine, languages := insisted(targets, wanted)
	if len(mine) == 0 {
		return nil
	}
	r.branch.Say("asking what the service has in %q", g.Collection)
	present, err := r.export(ctx, g, languages, string(service.Draft))
	if err != nil {
		return err
	}
	r.exports++
	unread(r.state, present)
	mine = slices.DeleteFunc(mine, func(one insistence) bool { return present.Lacks(one.to.Sources[0], one.to.Language) })
	units := make(map[string]catalog.Catalog) // by file: of one file one upload
	var files []insistence
	for _, one := range mine {
		c := one.conflict
		theirs := present.Of(one.to.Sources[0], one.to.Language).Restrict(map[string]bool{c.Key: true})
		if slices.ContainsFunc(theirs, func(u catalog.Unit) bool { return !c.IsTheirs(u) && !c.IsOurs(u) && !c.Agreed(u) }) {
			newer := c
			newer.Theirs = theirs
			r.lost[newer.ID()] = newer
			r.foundConflict(newer)
			if err := r.branch.Ledger.Update(func(tx ledger.Writer) error { return newer.Keep(r.branch, tx) }); err != nil {
				return err
			}
			continue
		}
		if units[c.Path] == nil {
			files = append(files, one)
		}
		units[c.Path] = append(units[c.Path], c.Ours...)
		r.out.has(c.Path, c.Language, theirs)
		r.decidedOn(c, "ours")
	}
	for _, one := range files {
		c := one.conflict
		up, err := bundle.ComposeUnits(one.to.Sources[0], c.Path, units[c.Path])
		if err != nil {
			return err
		}
		project := r.branch.Project
		req := request(project, one.to.Sources[0], c.Language, g.ExportFormat(), project.Push.CompletionState)
		req.Conflicts = service.Overwrite
		kinds := []ledger.TargetMarks{ledger.Known, ledger.Delivered}
		ship.add(req, up, ledger.Destination{Path: c.Path, Language: c.Language, Kinds: kinds}, units[c.Path])
	}
	return nil
}

// choose prepares the decision on divided keys: the service has one text for all files, so one file is to be named. The
// others keep what they have, and nothing waits for them any more.
func choose(r *decisions, wanted map[string]pass.Conflict) error {
	groups := make(map[string][]pass.Conflict)
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		if c := wanted[id]; c.Beside != "" {
			groups[c.Group()] = append(groups[c.Group()], c)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.lost)) {
		c := r.lost[id]
		chosen := groups[c.Group()]
		switch _, is := wanted[id]; {
		case c.Beside == "" || len(chosen) == 0:
		case len(chosen) > 1:
			if is && c.ID() == chosen[0].ID() {
				r.answer(report.Problem{Code: report.CodeDivided, File: c.Path, Key: c.Key, Language: c.Language,
					Problem: fmt.Sprintf("is translated otherwise in %s, and the service has one text for both: "+
						"neither is sent. Name one of the files with --file", c.Beside)})
			}
			delete(wanted, id)
		case !is:
			if err := r.yieldConflict(c); err != nil {
				return err
			}
		}
	}
	return nil
}
