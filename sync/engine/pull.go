package engine

import (
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
	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/events"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/request"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/tree"
)

// pulling is one pull of one project, under way.
type pulling struct {
	*project
	o       PullOptions
	report  pulled
	unsaved overlay // of a dry run
	begun   time.Time
	failure error                // of the whole pass, as it is told
	exports map[string]*exported // by template and collection: asked for once, however often the branch moves meanwhile
	probe   probing

	refused   *refusal                // what the remote did not take; nil when it took everything
	lost      map[string]conflict     // that nobody has decided on
	elsewhere map[report.Problem]bool // of the report: what the status finds where it looks itself
	looked    string                  // where branch and base were
	unread    []report.Problem        // of the report: files that could not be read
	left      map[string]leftOut      // by ledger.TargetID: of files that were looked at, what was left out
	digested  sourceDigests
	shared    *tree.Shared
	accepted  *accepted.Sources // what the service has of the sources, compared with the branch's tree
	moves     []ledger.Move     // of source files
	renamed   map[*bundle.Bundle][]catalog.Rename
	contested map[string]config.Language // files that both branch and base changed, in this attempt
	holds     []report.Problem           // files that the guard holds back

	removals  *removals
	tip, base *gitops.Tip // the branch as this pull leaves it, and what it is to be merged into; nil before they were read
	merged    bool        // the branch has nothing that base lacks
	offer     string      // the address for a request that the remote printed

	earlier *ledger.Delivery // of a commit of an earlier pull that did not live to remember that it has arrived; nil for none
	arrival
}

// arrival is what became of the commit of a pull.
type arrival struct {
	brought     bool // it has arrived, and that is remembered
	redelivered bool // it had arrived before, and the remote had lost it
	waits       bool // it has arrived nowhere yet
}

// attempts is how often a pull recomputes its commit because the branch moved under it.
const attempts = 5

// pull makes one pass for each line that translations are wanted for: the branch as it is now, the service's translations and where asked for its source
// texts, merged key by key, as one delivery. The failure of one line does not keep the others from being pulled.
func (p *project) pull(ctx context.Context, o PullOptions) ([]pulled, error) {
	ctx, done, err := p.turn(ctx, "pull")
	if err != nil {
		run := p.newPull(o)
		run.report.Failure = failure.Of(err)
		return []pulled{run.report}, err
	}
	defer done()
	if !p.cfg.Pull.Enabled {
		return []pulled{p.newPull(o).report}, nil
	}
	defer p.finished()
	if !o.DryRun {
		p.began(p.Now())
	}
	return twice(ctx, p, o.DryRun, func() ([]pulled, error) { return p.pullOnce(ctx, o) })
}

func (p *project) pullOnce(ctx context.Context, o PullOptions) ([]pulled, error) {
	var c census
	err := p.open(ctx)
	if err == nil {
		defer p.close()
		c, err = p.pullLines(ctx, o.DryRun)
	}
	if err == nil && !o.DryRun {
		err = p.keepWaiting(ledger.PassPull, c.waiting)
	}
	if err != nil || len(c.lines) == 0 {
		run := p.newPull(o)
		run.census(c)
		return []pulled{run.end(err)}, run.failure
	}
	var reports []pulled
	var errs []error
	for i, line := range c.lines {
		run := line.newPull(o)
		ctx, calls := service.Counting(ctx)
		err := run.pass(ctx)
		run.report.Calls = calls.Requests()
		if i == 0 {
			run.census(c)
		}
		reports = append(reports, run.end(err))
		errs = append(errs, run.failure)
	}
	if !o.DryRun {
		p.maintain(ctx)
	}
	return reports, errors.Join(errs...)
}

// census puts what was found about the lines into the report of one of them.
func (r *pulling) census(c census) {
	for _, w := range c.waiting {
		r.elsewhere[w.Problem] = true
		r.problem(w.Problem)
	}
	r.report.Finished = c.finished
}

func (p *project) newPull(o PullOptions) *pulling {
	run := &pulling{project: p, o: o, begun: p.Now(), exports: make(map[string]*exported)}
	run.clear()
	return run
}

// end remembers how the pass ended, and gives the report of it; failure then says why it failed.
func (r *pulling) end(err error) pulled {
	if !r.o.DryRun {
		passed := Passed{Took: r.Now().Sub(r.begun), Brought: make(map[string]int), Committed: r.report.Commit != "" && !r.waits}
		for _, f := range r.report.Files {
			passed.Brought[f.Language] += f.Added + f.Changed + f.Removed
		}
		if errors.Is(err, gitops.ErrBusy) {
			passed.Result = report.ResultSkipped
		}
		past := outcome(r.Now(), r.report.Keys, r.report.Commit, r.report.Problems, err)
		past.Problems = besides(past.Problems, r.elsewhere)
		past.Held, past.Unread, past.Look = len(r.holds), r.unread, r.subject(r.looked)
		r.past(ledger.PassPull, past, passed, func(tx ledger.Writer, d *events.Entry) error {
			if r.tell(d, err); err != nil {
				return nil // nothing is concluded from what it did not come to
			}
			return r.keepLeft(tx)
		})
	}
	if err != nil {
		r.failure = fmt.Errorf("pull %s: %w", r.called(), err)
		r.report.Failure = failure.Of(r.failure)
	}
	report.Advise(r.report.Problems)
	return r.report
}

// clear begins the report again. A commit that was delivered stays in it.
func (r *pulling) clear() {
	before := r.report.ProjectPull
	r.report.ProjectPull = report.ProjectPull{Scope: scope(r.project), Branch: r.cfg.Pull.Branch, Outcome: noProblems(),
		Commit: before.Commit, Pushed: before.Pushed, Requests: before.Requests, Files: []report.PulledFile{}}
	r.holds, r.unread, r.left, r.elsewhere = nil, nil, make(map[string]leftOut), make(map[report.Problem]bool)
}

func (r *pulling) pass(ctx context.Context) error {
	if err := r.makeRoom(ctx); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := r.attempt(ctx)
		if err == nil {
			err = r.acceptService()
		}
		if err == nil {
			err = r.askToMerge(ctx)
		}
		if err == nil {
			err = r.late()
		}
		if !errors.Is(err, gitops.ErrMoved) {
			return err
		}
		if try == attempts {
			return fmt.Errorf("branch %s moved %d times while its commit was made; the next pull tries again: %w", r.cfg.Pull.Branch, try, err)
		}
		r.log.Info("the branch moved; computing again on its new tip", zap.Int("attempt", try))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(try) * time.Duration(50+rand.IntN(200)) * time.Millisecond):
		}
		r.clear()
	}
}

// attempt builds one commit on the branch as it is now and delivers it.
func (r *pulling) attempt(ctx context.Context) error {
	if !r.o.DryRun {
		if waits, err := r.deliverPending(ctx); err != nil || waits {
			return err
		}
	}
	tip, err := r.readBranch(ctx)
	if err != nil {
		return err
	}
	on, joined, err := r.withBase(ctx, tip)
	if err != nil {
		return err
	}
	r.tip, r.base, r.looked = tip, tip.Base(), look(tip)
	r.merged = r.base != nil && len(joined) == 0 && on.Same(r.base)
	r.removals = removalsSince(r, tip)
	t, err := tree.Find(joinedTree{on, joined}, r.cfg, r.reading)
	if err != nil {
		return err
	}
	for _, problem := range t.Problems {
		r.unreadable(problem)
	}
	if r.unsaved, err = r.recollect(ctx, r.repo, tip, t.Bundles(), r.o.DryRun); err != nil {
		return err
	}
	done, err := r.mergeAll(ctx, t, tip)
	if err != nil {
		return err
	}
	if err := r.ringing(); err != nil {
		return err
	}
	before := r.report.Commit
	if r.probe.loud && !r.o.DryRun {
		if err := r.unsettle(); err != nil {
			return err
		}
	}
	if err := r.commit(ctx, on, joined, done); err != nil {
		return err
	}
	if r.report.Commit == "" && !r.o.DryRun {
		if err := r.deliverAgain(ctx, t, tip); err != nil {
			return err
		}
		before = r.report.Commit
	}
	if r.report.Commit == "" && (!r.o.DryRun || len(r.report.Files) == 0) {
		if err := r.follow(ctx, tip); err != nil {
			return err
		}
	}
	made := r.report.Commit
	if made == before {
		made = ""
	}
	return r.settle(tip, made)
}

// readBranch is the branch as it is now, with what earlier pulls have remembered of it settled.
func (r *pulling) readBranch(ctx context.Context) (*gitops.Tip, error) {
	r.say("reading branch %s", r.cfg.Pull.Branch)
	tip, err := r.repo.At(ctx, r.cfg.Pull.Branch, r.cfg.Pull.Base)
	if err == nil {
		err = r.fetchBlobs(ctx, tip)
	}
	if err != nil {
		return nil, usage(err)
	}
	if note := tip.Note(); note != "" {
		r.log.Warn(note)
	}
	if !r.o.DryRun {
		if err := r.recall(ctx, tip); err != nil {
			return nil, err
		}
	}
	seen, looked, err := ledger.SeenAt.Get(r.State, r.stateName(), lookAt(r.cfg.Pull.Branch).record())
	r.report.unsent = looked && seen != tip.Hash() && !tip.New()
	return tip, err
}

// mergeAll merges what the service has into the files of a tree, in memory.
func (r *pulling) mergeAll(ctx context.Context, t *tree.Tree, tip *gitops.Tip) ([]*merged, error) {
	if err := r.lookAgain(tip); err != nil {
		return nil, err
	}
	if err := r.readMoves(t, tip); err != nil {
		return nil, err
	}
	done, err := r.reword(ctx, t)
	if err != nil {
		return nil, err
	}
	theirs, err := r.translations(ctx, t)
	if err != nil {
		return nil, err
	}
	if r.lost, err = r.conflicts(); err != nil {
		return nil, err
	}
	maps.Copy(r.lost, r.o.told[ledger.TargetID(r.cfg.Name, r.line)])
	remade, err := r.remade(tip)
	if err != nil {
		return nil, err
	}
	if r.shared, err = t.SharedIn(t.FS, r.cfg.Targets()); err != nil {
		return nil, err
	}
	for i, x := range theirs {
		r.announce(report.Doing{What: "merging translations", Done: int64(i), Total: int64(len(theirs))})
		x.texts = r.fitted(t, x) // one at a time: fitted for all of them at once they are most of a pull's memory
		m, err := r.merge(ctx, t, x, remade)
		if err != nil {
			return nil, err
		}
		if m != nil {
			m.pack(lookAt(r.cfg.Pull.Branch).kind())
			done = append(done, m)
		}
	}
	return done, nil
}

// toMerge is the request to merge the branch, which has the problems of this pull.
func (r *pulling) toMerge() *request.Branch {
	b := r.mergeRequest(r.repo)
	b.Problems = &r.report.Problems
	return b
}

// askToMerge brings the branch's request in step with it.
func (r *pulling) askToMerge(ctx context.Context) error {
	if r.o.DryRun {
		return nil
	}
	q, err := r.toMerge().Update(ctx, request.Pulled{Tip: r.tip, Base: r.base, Merged: r.merged, Offer: r.offer})
	r.report.RequestURL, r.report.Request = q.URL, q.Did
	return err
}

func (r *pulling) problem(p report.Problem) { r.report.Problems = append(r.report.Problems, p) }

// unreadable is the problem of a file as the branch or its base has it.
func (r *pulling) unreadable(p report.Problem) {
	r.unread, r.elsewhere[p] = append(r.unread, p), true
	r.problem(p)
}

// translations asks the service for all groups of a tree. Each target file of the configuration is in the answer, with no texts when
// the service has none: its dead keys go all the same.
func (r *pulling) translations(ctx context.Context, t *tree.Tree) ([]translated, error) {
	languages := r.cfg.Targets()
	if len(languages) == 0 {
		return nil, nil
	}
	var all []translated
	claimed := make(map[string]*bundle.Group)
	groups := bundle.Groups(t.Bundles())
	if err := r.askAll(ctx, t, groups, languages); err != nil {
		return nil, err
	}
	loud := slices.DeleteFunc(slices.Clone(groups), func(g *bundle.Group) bool { return r.exports[exportKey(g)] == nil })
	if err := r.noticeSources(ctx, t, loud); err != nil {
		return nil, err
	}
	for _, g := range groups {
		x := r.exports[exportKey(g)]
		if x == nil {
			continue // there is no news of it
		}
		r.answered(x)
		r.report.Problems = append(r.report.Problems, x.problems...)
		for _, target := range x.targets(g) {
			if claimed[target.Path] != nil {
				r.problem(report.Problem{Code: report.CodePlace, File: target.Path, Language: target.Language.Code,
					Problem: fmt.Sprintf("is written by collection %q already; what collection %q has for it is left out. Give the two different outputs", claimed[target.Path].Collection, g.Collection)})
				continue
			}
			claimed[target.Path] = g
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
			if claimed[target.Path] == nil && ours {
				claimed[target.Path] = g
				all = append(all, translated{Target: target})
			}
		}
	}
	slices.SortFunc(all, func(a, b translated) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// askAll asks for the translations of the groups that this pull has no answer for yet, unless the service says that there is nothing new.
func (r *pulling) askAll(ctx context.Context, t *tree.Tree, groups []*bundle.Group, languages []config.Language) error {
	open := slices.DeleteFunc(slices.Clone(groups), func(g *bundle.Group) bool { return r.exports[exportKey(g)] != nil })
	quiet, err := r.quiet(ctx, t, open, languages)
	if err != nil {
		return err
	}
	open = slices.DeleteFunc(open, func(g *bundle.Group) bool { return quiet[g] })
	var asks []exportAsk
	for _, g := range open {
		asks = append(asks, r.pullAsk(t, g, languages))
	}
	answers, err := r.exportAll(ctx, asks, resumed.in(r.o.DryRun))
	if errors.Is(err, service.ErrExportFailed) { // it may be a source text that it cannot write
		for i := range asks {
			asks[i].sources = false
		}
		answers, err = r.exportAll(ctx, asks, resumed.in(r.o.DryRun))
	}
	if errors.Is(err, service.ErrRefused) && !errors.Is(err, service.ErrExportFailed) {
		return errors.Join(err, r.noticeSources(ctx, t, open))
	}
	if err != nil {
		return err
	}
	for i, g := range open {
		r.report.Requests++
		r.exports[exportKey(g)] = answers[i]
	}
	return nil
}

// pullAsk is the question of a pull for a group of a tree.
func (r *pulling) pullAsk(t *tree.Tree, g *bundle.Group, languages []config.Language) exportAsk {
	return exportAsk{group: g, languages: languages, completion: r.cfg.Pull.CompletionState, sources: r.tellsSources(g), wanted: t.Wanted(g)}
}

// exportKey tells what this pull asked for, however often it reads the branch.
func exportKey(g *bundle.Group) string { return g.ID() }

// late is why the answers of this pull are not the last word; nil where they are.
func (r *pulling) late() error {
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(r.exports)) {
		errs = append(errs, r.exports[key].late)
	}
	return errors.Join(errs...)
}

// wrote reports whether a target that the service's answer does not have is a file of ours. A path that the configuration names is; one
// that only looks like a file name of the service may be anybody's, unless a pull has merged it before.
func (r *pulling) wrote(g *bundle.Group, target bundle.Target) (bool, error) {
	if !g.Template().HasLabel() {
		return true, nil
	}
	marks, err := r.State.Marks(r.slot(ledger.Merged, target.Path, target.Language.Code))
	return marks != nil, err
}
