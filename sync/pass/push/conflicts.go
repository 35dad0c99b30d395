package push

import (
	"context"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
)

// decisions are what is found, and decided, about conflicts.
type decisions struct {
	*state
	snapshots *snapshots
	lastPull  time.Time
}

// readConflicts loads what a push has to know of them.
func (r *decisions) readConflicts() (err error) {
	r.unanswered, err = r.branch.Memory().Unanswered(r.branch.Now())
	if err != nil {
		return err
	}
	if r.lost, err = r.branch.Memory().Conflicts(); err != nil || len(r.lost) == 0 {
		return err
	}
	last, _, err := ledger.Passes.Get(r.branch.Ledger, r.branch.StateName(), ledger.PassPull)
	r.lastPull = last.At
	return err
}

// conflict reports one; false where it is reported already.
func (r *decisions) conflict(c pass.Conflict) bool {
	p := r.branch.ProblemOf(c, r.Met[ledger.TargetID(c.Path, c.Language)])
	if slices.Contains(r.report.Problems, p) {
		return false
	}
	r.answer(p)
	return true
}

// foundConflict reports one that this push found.
func (r *decisions) foundConflict(c pass.Conflict) {
	if c.Open {
		r.out.Waits(func() pass.Conflict { return c })
	}
	if decided := r.o.Yields && r.branch.Project.Pull.Enabled && c.Open && c.Beside == ""; decided {
		return
	}
	if r.conflict(c) && !c.Open {
		r.branch.LogReplaced(r.branch.Shown(c).Problem())
	}
}

// settleConflicts does what push --ours and --theirs ask for: it sends the repository's texts of conflicts, over the
// service's, or forgets them. What was decided for the repository before, and not accepted, is sent again.
func (r *decisions) settleConflicts(ctx context.Context) error {
	wanted, asked := make(map[string]pass.Conflict), r.o.Ours || r.o.Theirs
	if asked {
		r.report.Decidable = make(map[Decidable]bool, len(r.lost))
	}
	for id, c := range r.lost {
		decided, err := c.IsChosen(r.tree, r.branch.Project.Targets())
		if err != nil {
			return err
		}
		decided = decided && r.o.Pushes(c.Path)
		if d := (Decidable{c.Path, c.Language, c.Key}); asked {
			decided = r.o.decides(d)
			r.report.Decidable[d] = decided
		}
		if decided {
			wanted[id] = c
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	if r.o.Theirs {
		return r.yield(pass.InOrder(wanted))
	}
	plan := pass.Choose(r.lost, wanted)
	for _, p := range plan.Problems {
		r.answer(p)
	}
	if err := r.yield(plan.Yields); err != nil {
		return err
	}
	found, err := r.readInsistences(ctx, plan.Ours)
	if err != nil {
		return err
	}
	of, err := planResolutions(r.branch.Project, found)
	if err != nil {
		return err
	}
	for _, c := range of.newer {
		r.lost[c.ID()] = c
		r.foundConflict(c)
		if err := r.branch.Ledger.Update(func(tx ledger.Writer) error { return c.Keep(r.branch, tx) }); err != nil {
			return err
		}
	}
	for _, one := range of.sent {
		r.out.Has(one.conflict.Path, one.conflict.Language, one.theirs)
		r.decidedOn(one.conflict, "ours")
		one.conflict.Chosen = true // whatever becomes of the request
		err := r.branch.Ledger.Update(func(tx ledger.Writer) error { return one.conflict.Keep(r.branch, tx) })
		if err != nil {
			return err
		}
	}
	r.out.Ship(ctx, of.All)
	for _, c := range pass.InOrder(plan.Ours) {
		r.answer(report.Problem{Code: report.CodeConflict, File: c.Path, Key: c.Key, Language: c.Language,
			Problem: "is not sent: its source file is not there any more; locsync push --theirs forgets the conflict"})
	}
	return nil
}

// readInsistences reads what the service has now of the conflicts that are decided for the repository, and takes those
// whose target file is there out of wanted. What could not be read is told, and decided by another push.
func (r *decisions) readInsistences(
	ctx context.Context, wanted map[string]pass.Conflict,
) (all []resolution, err error) {
	for _, g := range bundle.Groups(r.tree.Bundles()) {
		targets, err := bundle.Existing(r.tree.FS, g.Bundles, r.branch.Project.Targets())
		if err != nil {
			return nil, err
		}
		mine, languages := resolved(targets, wanted)
		if len(mine) == 0 {
			continue
		}
		if err := r.snapshots.find(ctx); err != nil {
			return nil, err
		}
		r.branch.Say("asking what the service has in %q", g.Collection)
		ask := pass.ExportAsk{Group: g, Languages: languages, Completion: string(service.Draft)}
		answers, err := r.ask(ctx, []pass.ExportAsk{ask})
		if err != nil {
			return nil, err
		}
		for _, one := range mine {
			if b := one.to.Sources[0]; !answers[0].Lacks(b, one.to.Language) {
				one.theirs = answers[0].Of(b, one.to.Language).Restrict(map[string]bool{one.conflict.Key: true})
				one.format = g.ExportFormat()
				one.branch, err = r.snapshots.branchTexts(one.to)
				if err != nil {
					return nil, err
				}
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// decidedOn puts a decision into the report. The rest of the push has nothing to say about the key.
func (r *decisions) decidedOn(c pass.Conflict, stands string) {
	delete(r.lost, c.ID())
	r.settled[c.ID()] = true
	r.report.Settled = append(r.report.Settled, report.Settled{Conflict: r.branch.Shown(c), Stands: stands})
}

// yield keeps the service's texts. The repository's count as no change from now on: no push sends them, and the next
// pull replaces them without asking again. Written once more, over the service's, they say something new.
func (r *decisions) yield(all []pass.Conflict) error {
	return ledger.Each(all, func(c pass.Conflict) error {
		r.decidedOn(c, "theirs")
		return r.branch.Ledger.Update(func(tx ledger.Writer) error { return r.branch.Memory().Yields(tx, c, r.branch.Now()) })
	})
}
