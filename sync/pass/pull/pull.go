// Package pull is one pull of a branch: the service's translations, and its source texts where the configuration wants
// them, merged key by key with the files of the translation branch, as one commit that is delivered to the remote.
//
//	read   branch, base and exports -> catalogs, what was merged last (read_merge)
//	plan   three-way merge, checks, guard, removed and orphaned keys -> files; pure (plan*.go)
//	apply  files -> commit -> delivered -> remembered (commits, deliver, remember)
//
// Files are read and planned one at a time: the texts of all of them at once would be most of a pull's memory.
//
// Its law: a text that was written in the files is replaced only by one that was written after it was seen. A commit
// is intended in the ledger before it is delivered and remembered after. A dry run is a pull over a draft of the
// ledger, which it is given, with a preview in place of the delivery. It sends nothing to the service, and does not
// decide when it runs.
package pull

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/events"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
)

// pull is one pull of one project, under way.
type pull struct {
	branch  *pass.Branch
	o       Options
	begun   time.Time
	account *account
	merging *merging
	exports map[string]*pass.Exported // by template and collection: asked for once, also where the branch moves meanwhile
	below   []*pass.Exported          // in a lower state than pulls ask for
	probe   probing
	to      *delivery
	out     carrier
	read    *tree.Tree // that the branch had last; nil: none was read
}

// carrier is what becomes of what a pull has made.
type carrier interface {
	// deliverPending delivers a commit that an earlier pull made. While it waits nothing can be added to the branch.
	deliverPending(context.Context) (waits bool, err error)

	// deliver makes a commit on a tip and brings it to the branch. Where it has not arrived, nothing is remembered of it.
	deliver(ctx context.Context, on *gitops.Tip, files map[string][]byte, message gitops.Message, done []*merged,
	) (arrived bool, err error)

	// deliverAgain brings back what the remote has lost of the branch.
	deliverAgain(context.Context, *tree.Tree, *gitops.Tip) error

	// follow has the branch follow a tip.
	follow(context.Context, *gitops.Tip) error

	askToMerge(context.Context) error // brings the branch's request in sync with it
}

// attempts is how often a pull recomputes its commit because the branch moved under it.
const attempts = 5

// Failed is the report of a pull that was not begun: because of an error, or because none is wanted.
func Failed(p *pass.Branch, o Options, err error) Report {
	run := begin(p, o)
	run.account.report.Failure = failure.Of(err)
	return run.account.report
}

// None remembers and reports a pull that came to no branch. found is what it reports of other branches.
func None(p *pass.Branch, o Options, _ string, found pass.Found, err error) (Report, error) {
	run := begin(p, o)
	run.answers(found)
	return run.end(err)
}

// Make is one pull. found is what the pass reports of other branches. The report is as far as the pass came, also where
// it fails.
func Make(ctx context.Context, p *pass.Branch, o Options, found pass.Found) (Report, error) {
	run := begin(p, o)
	ctx, calls := service.Counting(ctx)
	err := run.pass(ctx)
	if err == nil && run.read != nil {
		var asked []report.Problem
		asked, err = p.Questions(ctx, run.read)
		run.account.report.Problems = append(run.account.report.Problems, asked...)
	}
	for _, x := range slices.Concat(slices.Collect(maps.Values(run.exports)), run.below) {
		if err := x.Close(); err != nil {
			p.Log.Warn("remove the spooled archive", zap.Error(err))
		}
	}
	run.account.report.Calls = calls.Requests()
	run.answers(found)
	return run.end(err)
}

// answers puts into the report what is found of other branches.
func (r *pull) answers(found pass.Found) {
	for _, p := range found.Problems {
		r.account.elsewhere[p] = true
		r.account.problem(p)
	}
	r.account.report.Finished = found.Finished
}

// begin is a pull of which nothing has happened yet.
func begin(p *pass.Branch, o Options) *pull {
	r := &pull{branch: p, o: o, begun: p.Now(), exports: make(map[string]*pass.Exported), account: &account{o: o},
		to: &delivery{diff: o.Diff}, merging: &merging{common: &common{project: p.Project, options: o}}}
	r.out = r.to
	if o.DryRun {
		r.out, r.merging.show = &preview{r.to}, true
	}
	r.account.branch, r.to.branch, r.merging.branch = r.branch, r.branch, r.branch
	r.to.account, r.merging.account = r.account, r.account
	r.account.clear()
	return r
}

// end remembers how the pass ended, and returns the report of it and why it failed.
func (r *pull) end(err error) (Report, error) {
	passed := pass.Passed{Took: r.branch.Now().Sub(r.begun), Brought: make(map[string]int),
		Committed: r.account.report.Commit != "" && !r.to.waits, Part: len(r.o.Languages) > 0}
	for _, f := range r.account.report.Files {
		passed.Brought[f.Language] += f.Added + f.Changed + f.Removed
	}
	if errors.Is(err, gitops.ErrBusy) {
		passed.Result = report.ResultSkipped
	}
	past := pass.Outcome(r.branch.Now(), r.account.report.Keys, r.account.report.Commit, r.account.report.Problems,
		r.account.elsewhere, err)
	past.Held, past.Unread, past.Subject = len(r.account.holds), r.account.unread, r.branch.Subject(r.to.looked)
	r.branch.Past(ledger.PassPull, past, passed, func(tx ledger.Writer, d *events.Entry) error {
		if r.tell(d, err); err != nil {
			return nil // nothing is concluded from what it did not come to
		}
		return r.account.keepLeft(tx)
	})
	if err != nil {
		err = fmt.Errorf("pull %s: %w", r.branch.Called(), err)
		r.account.report.Failure = failure.Of(err)
	}
	report.Advise(r.account.report.Problems)
	return r.account.report, err
}

// pass attempts the pull, again where the branch moved under it.
func (r *pull) pass(ctx context.Context) (err error) {
	defer fault.Catch("a pull of project "+r.branch.Project.Name, &err)
	if err := r.branch.MakeRoom(ctx); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := r.attempt(ctx)
		if err == nil {
			err = r.acceptService()
		}
		if err == nil {
			err = r.out.askToMerge(ctx)
		}
		if err == nil {
			err = r.late()
		}
		if !errors.Is(err, gitops.ErrMoved) {
			return err
		}
		if try == attempts {
			return fmt.Errorf("branch %s moved %d times while its commit was made; the next pull tries again: %w",
				r.branch.Project.Pull.Branch, try, err)
		}
		r.branch.Log.Info("the branch moved; computing again on its new tip", zap.Int("attempt", try))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(try) * time.Duration(50+rand.IntN(200)) * time.Millisecond):
		}
		r.account.clear()
	}
}

// attempt builds one commit on the branch as it is now and delivers it.
func (r *pull) attempt(ctx context.Context) error {
	if waits, err := r.out.deliverPending(ctx); err != nil || waits {
		return err
	}
	tip, err := r.readBranch(ctx)
	if err != nil {
		return err
	}
	on, joined, err := r.merging.withBase(ctx, tip)
	if err != nil {
		return err
	}
	r.to.tip, r.to.base, r.to.looked = tip, tip.Base(), Look(tip)
	r.merging.tips = slices.DeleteFunc([]*gitops.Tip{tip.Base(), tip}, func(t *gitops.Tip) bool { return t == nil })
	r.to.merged = tip.Base() != nil && len(joined) == 0 && on.Same(tip.Base())
	if r.merging.removals = nil; tip.Base() != nil && !r.to.merged { // else the branch brings nothing to its base
		r.merging.removals = pass.RemovalsOf(r.branch, tip)
	}
	fsys := &joinedTree{committed: on, joined: joined, written: make(map[string][]byte)}
	t, err := tree.Find(fsys, r.branch.Project, r.branch.Reading)
	if err != nil {
		return err
	}
	r.read = t
	for _, problem := range t.Problems {
		r.account.unreadable(problem)
	}
	if r.merging.unknown, err = r.branch.Recollect(ctx, tip, t.Bundles()); err != nil {
		return err
	}
	done, err := r.mergeAll(ctx, t, tip)
	if err != nil {
		return err
	}
	if err := r.noteUnsent(); err != nil {
		return err
	}
	// The next pull is to look again, should this one not come to its end, or bring some languages only.
	if r.probe.foundChanges || len(r.o.Languages) > 0 {
		if err := ledger.Reconciled.Delete(r.branch.Ledger, r.branch.StateName(), r.branch.Project.Pull.Branch); err != nil {
			return err
		}
	}
	err = r.commit(ctx, on, joined, done)
	if err == nil && r.account.report.Commit == "" {
		err = r.out.deliverAgain(ctx, t, tip)
	}
	if err == nil && r.account.report.Commit == "" {
		if r.merging.forward {
			tip = on
		}
		err = r.out.follow(ctx, tip)
	}
	if err == nil {
		var unplaced []report.Problem
		var asked int
		unplaced, asked, err = r.branch.Unplaced(ctx, t, cmp.Or(tip.Base(), tip), r.languages())
		r.account.report.Problems = append(r.account.report.Problems, unplaced...)
		r.account.report.Requests += asked
	}
	if err != nil {
		return err
	}
	return r.rememberReconciled()
}

// readBranch is the branch as it is now, with what earlier pulls have remembered of it settled.
func (r *pull) readBranch(ctx context.Context) (*gitops.Tip, error) {
	r.branch.Say("reading branch %s", r.branch.Project.Pull.Branch)
	tip, err := r.branch.Repo.At(ctx, r.branch.Project.Pull.Branch, r.branch.Project.Pull.Base)
	if err == nil {
		err = r.branch.FetchBlobs(ctx, tip)
	}
	if err != nil {
		return nil, pass.UsageError(err)
	}
	if note := tip.Note(); note != "" {
		r.branch.Log.Warn(note)
	}
	if err := r.to.recall(ctx, tip); err != nil {
		return nil, err
	}
	record := pass.LookAt(r.branch.Project.Pull.Branch).Record()
	seen, looked, err := ledger.SeenAt.Get(r.branch.Ledger, r.branch.StateName(), record)
	r.account.report.Unsent, r.merging.looked = looked && seen != tip.Hash() && !tip.New(), seen
	return tip, err
}

// mergeAll merges what the service has into the files of a tree, in memory.
func (r *pull) mergeAll(ctx context.Context, t *tree.Tree, tip *gitops.Tip) ([]*merged, error) {
	if err := r.lookAgain(tip); err != nil {
		return nil, err
	}
	r.merging.tree = t
	if err := r.merging.readMoves(ctx, tip); err != nil {
		return nil, err
	}
	done, err := r.reword(ctx, t)
	if err != nil {
		return nil, err
	}
	r.merging.shared, err = t.SharedIn(t.FS, r.branch.Project.Targets())
	if err != nil {
		return nil, err
	}
	theirs, err := r.translations(ctx, t)
	if err != nil {
		return nil, err
	}
	if r.merging.lost, err = r.branch.Memory().Conflicts(); err != nil {
		return nil, err
	}
	maps.Copy(r.merging.lost, r.o.Told[ledger.TargetID(r.branch.Project.Name, r.branch.Base)])
	if err := r.merging.begin(ctx, r.below); err != nil {
		return nil, err
	}
	before, told := len(done), len(r.account.report.Problems)
	for i, x := range theirs {
		r.branch.Announce(report.Doing{What: "merging translations", Done: int64(i), Total: int64(len(theirs))})
		m, err := r.merging.merge(ctx, x)
		if err != nil {
			return nil, err
		}
		if m != nil {
			t.FS.(*joinedTree).take(m, done...)
			done = append(done, m)
		}
	}
	// The languages of one file stay in the order in which they were merged.
	slices.SortStableFunc(done[before:], func(a, b *merged) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(r.account.report.Problems[told:], func(a, b report.Problem) int {
		return strings.Compare(a.File, b.File)
	})
	return done, nil
}

// languages are those that the pull is for.
func (r *pull) languages() []config.Language {
	return slices.DeleteFunc(slices.Clone(r.branch.Project.Targets()), func(l config.Language) bool {
		return !r.o.Has(l.Code)
	})
}

// translations asks the service for all groups of a tree. Each target file of the configuration is in the answer, with
// no texts when the service has none: its dead keys go all the same. Files of one entry come one after the other.
func (r *pull) translations(ctx context.Context, t *tree.Tree) ([]pass.Translated, error) {
	languages := r.languages()
	if len(languages) == 0 {
		return nil, nil
	}
	var all []pass.Translated
	claimed := make(map[string]*bundle.Group) // by ledger.TargetID
	groups := bundle.Groups(t.Bundles())
	if err := r.askAll(ctx, t, groups, languages); err != nil {
		return nil, err
	}
	loud := slices.DeleteFunc(slices.Clone(groups), func(g *bundle.Group) bool { return r.exports[g.ID()] == nil })
	if err := r.merging.notice(ctx, loud, r.exports); err != nil {
		return nil, err
	}
	for _, g := range groups {
		x := r.exports[g.ID()]
		if x == nil {
			continue // there is no news of it
		}
		r.answered(x)
		r.account.report.Problems = append(r.account.report.Problems, x.Problems...)
		for _, target := range x.Targets(g) {
			id := ledger.TargetID(target.Path, target.Language.Code)
			if claimed[id] != nil {
				r.account.problem(report.Problem{Code: report.CodePath, File: target.Path, Language: target.Language.Code,
					Problem: fmt.Sprintf("is written by collection %q already; what collection %q has for it is left out. "+
						"Give the two different outputs", claimed[id].Collection, g.Collection)})
				continue
			}
			claimed[id] = g
			all = append(all, target)
		}
		existing, err := bundle.Existing(t.FS, g.Bundles, languages)
		if err != nil {
			return nil, err
		}
		for _, target := range existing {
			ours, err := r.wrote(g, target)
			if err != nil {
				return nil, err
			}
			lacks := x.Lacks(target.Sources[0], target.Language)
			if id := ledger.TargetID(target.Path, target.Language.Code); claimed[id] == nil && ours && !lacks {
				claimed[id] = g
				all = append(all, pass.Translated{Target: target})
			}
		}
	}
	return all, nil
}

// askAll asks for the translations of the groups that this pull has no answer for yet, unless the service says that
// there is nothing new.
func (r *pull) askAll(ctx context.Context, t *tree.Tree, groups []*bundle.Group, languages []config.Language) error {
	open := slices.DeleteFunc(slices.Clone(groups), func(g *bundle.Group) bool { return r.exports[g.ID()] != nil })
	below, news, err := r.branch.Below(ctx, t, open, languages)
	r.below = append(r.below, below...)
	r.account.report.Requests += len(below)
	if err != nil {
		return err
	}
	probed := slices.DeleteFunc(slices.Clone(open), func(g *bundle.Group) bool { return news[g] })
	quiet, err := r.quiet(ctx, t, probed, languages)
	if err != nil {
		return err
	}
	open = slices.DeleteFunc(open, func(g *bundle.Group) bool { return quiet[g] })
	var asks []pass.ExportAsk
	for _, g := range open {
		ask := r.pullAsk(t, g, languages)
		ask.Spooled, ask.Resumed = true, true
		asks = append(asks, ask)
	}
	answers, err := r.branch.ExportAll(ctx, asks)
	if errors.Is(err, service.ErrExportFailed) { // it may be a source text that it cannot write
		for i := range asks {
			asks[i].Sources = false
		}
		answers, err = r.branch.ExportAll(ctx, asks)
	}
	if errors.Is(err, service.ErrRefused) && !errors.Is(err, service.ErrExportFailed) {
		return errors.Join(err, r.merging.notice(ctx, open, r.exports))
	}
	if err != nil {
		return err
	}
	for i, g := range open {
		r.account.report.Requests++
		r.exports[g.ID()] = answers[i]
	}
	return nil
}

// pullAsk is the question of a pull for a group of a tree.
func (r *pull) pullAsk(t *tree.Tree, g *bundle.Group, languages []config.Language) pass.ExportAsk {
	return pass.ExportAsk{Group: g, Languages: languages, Completion: r.branch.Project.Pull.CompletionState,
		Sources: tellsSources(r.branch, g), Wanted: t.Wanted(g)}
}

// late is why the answers of this pull are not the last word; nil where they are.
func (r *pull) late() error {
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(r.exports)) {
		errs = append(errs, r.exports[key].Late)
	}
	return errors.Join(errs...)
}

// wrote reports whether a target that the service's answer does not have is a file of ours. A path that the
// configuration names is; one that only looks like a file name of the service is one of ours if a pull has merged it
// before.
func (r *pull) wrote(g *bundle.Group, target bundle.Target) (bool, error) {
	if !g.Template().HasLabel() {
		return true, nil
	}
	marks, err := r.branch.Ledger.Marks(r.branch.Memory().Slot(ledger.Merged, target.Path, target.Language.Code))
	return marks != nil, err
}

// tell tells what a pull did.
func (r *pull) tell(d *events.Entry, err error) {
	if r.to.earlier != nil {
		d.Delivered(*r.to.earlier)
	}
	switch { // also where the pass failed after that
	case r.to.redelivered:
		d.DeliveredAgain(r.account.report.Commit)
	case r.to.brought:
		d.Brought(r.account.report.ProjectPull, r.branch.Project.SourceLanguage)
	}
	d.Finished(r.account.report.Finished)
	if err == nil && r.to.tip != nil {
		d.Holds("pull", r.account.holds)
	}
	d.Request()
	d.Conflicts()
	d.Ended("pull", err)
}
