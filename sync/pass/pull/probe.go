package pull

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
)

// Most pulls bring nothing, so a pull first asks what changed since the last full export, and asks for everything only
// where that has something that was not merged. Nothing is merged from this answer: it lacks deleted keys.
//
// It counts only where all else is as the last full pull saw it: branch, base, configuration and state, with nothing
// sent or reported since. A small answer is not worth a probe, which costs as many requests and sees less.

const (
	// fullEvery is shorter than a day, so that whatever the schedule, no day goes by without a full export.
	fullEvery = 20 * time.Hour
	// probeOverlap is how much further back a probe asks: machines of a service may differ in their clocks, and a
	// change may be seen a while after its time. What was merged already does not count as news, so that this costs
	// nothing.
	probeOverlap = 10 * time.Minute
	// probePatience is how long a probe is waited for, instead of what it is to save.
	probePatience = time.Minute
)

// probing is a pull's knowledge of the last full one.
type probing struct {
	last         *ledger.Reconciliation // nil: nothing may be concluded
	now          ledger.Reconciliation
	foundChanges bool            // some group had to be asked for everything
	failed       map[string]bool // questions whose probe did not work: they are not probed next time either
}

// lookAgain compares what this pull looks at with what the last full one did.
func (r *pull) lookAgain(tip *gitops.Tip) error {
	now := ledger.Reconciliation{Config: r.branch.Configured(), Tips: Look(tip), Full: make(map[string]time.Time)}
	r.probe = probing{now: now, failed: make(map[string]bool)}
	if r.o.Full || r.o.Force || r.o.Prune || r.o.AcceptService || len(r.o.Languages) > 0 {
		return nil
	}
	last, ok, err := ledger.Reconciled.Get(r.branch.Ledger, r.branch.StateName(), r.branch.Project.Pull.Branch)
	if err != nil {
		return fmt.Errorf("read what the last pull looked at: %w", err)
	}
	if ok && last.Config == r.probe.now.Config && last.Tips == r.probe.now.Tips && len(r.account.report.Problems) == 0 {
		r.probe.last = &last
	}
	return nil
}

// probed is a group that a pull asks for what changed in it.
type probed struct {
	*bundle.Group
	question string
	asked    time.Time // the last time that it was asked for everything
}

// quiet tells of which groups the service has said nothing new since the last full pull.
func (r *pull) quiet(
	ctx context.Context, t *tree.Tree, groups []*bundle.Group, languages []config.Language,
) (map[*bundle.Group]bool, error) {
	quiet := make(map[*bundle.Group]bool)
	if r.probe.last == nil {
		return quiet, nil
	}
	var all []*probed
	var begun []service.Begun
	for i, g := range groups {
		req := r.branch.ExportRequest(r.pullAsk(t, g, languages))
		x := &probed{Group: g, question: pass.Question(req), asked: r.probe.last.Full[pass.Question(req)]}
		now, told := r.branch.Service.ServiceTime(r.branch.Now())
		if age := now.Sub(x.asked); x.asked.IsZero() || told && (age < 0 || age > fullEvery) {
			continue
		}
		req.ModifiedSince = x.asked.Add(-probeOverlap)
		what := fmt.Sprintf("asking for what changed in %q", g.Collection)
		r.branch.Announce(report.Doing{What: what, Done: int64(i), Total: int64(len(groups))})
		r.account.report.Requests++
		id, err := r.branch.Service.Strings().StartExport(ctx, req)
		if err != nil {
			if err := r.unprobed(ctx, x, err); err != nil {
				return nil, err
			}
			continue
		}
		all, begun = append(all, x), append(begun, service.Begun{ID: id, At: r.branch.Now()})
	}
	var failure error
	patience := min(probePatience, r.branch.Config.Service.JobTimeout)
	r.branch.Service.Strings().Downloads(ctx, begun, "", patience, func(i int, archive *service.Archive, err error) bool {
		quiet[all[i].Group], failure = r.probedQuiet(ctx, t, all[i], languages, archive, err)
		return failure == nil
	})
	if r.branch.Aside() != r.probe.last.Aside {
		clear(quiet) // another client has lost keys that may be in this tree
	}
	return quiet, cmp.Or(failure, ctx.Err())
}

// probedQuiet reports whether the answer of a probe holds no news. A probe is not written down: one that is
// interrupted is made anew.
func (r *pull) probedQuiet(
	ctx context.Context, t *tree.Tree, p *probed, languages []config.Language, archive *service.Archive, err error,
) (bool, error) {
	var x *pass.Exported
	if err == nil {
		x, err = r.branch.ReadArchive(r.pullAsk(t, p.Group, languages), archive, new(bundle.Kept))
		err = errors.Join(err, archive.Close())
	}
	if err != nil {
		return false, r.unprobed(ctx, p, err)
	}
	if news, err := r.news(t, x); err != nil || news {
		return false, err
	}
	if now, told := r.branch.Service.ServiceTime(r.branch.Now()); !told || now.Sub(p.asked) > fullEvery {
		return false, nil
	}
	r.probe.now.Full[p.question] = p.asked
	return true, nil
}

// unprobed takes note that a probe did not work: everything is asked for then, but not where that would meet the same.
func (r *pull) unprobed(ctx context.Context, x *probed, err error) error {
	switch {
	case ctx.Err() != nil, errors.Is(err, service.ErrAuth):
		return err
	case errors.Is(err, service.ErrTemporary) &&
		!errors.Is(err, service.ErrUnusable) && !errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("export of %q: %w", x.Collection, err)
	}
	r.branch.Log.Info("the service did not say what changed; asking for everything",
		zap.String("collection", x.Collection), zap.Error(err))
	r.probe.failed[x.question] = true
	return nil
}

// news reports whether an export holds anything that was not merged as it is. Of files that share their keys'
// collection each merges what its source has; what no source has is not news.
func (r *pull) news(t *tree.Tree, x *pass.Exported) (bool, error) {
	if len(x.Problems) > 0 {
		return true, nil
	}
	if news, err := r.merging.news(x); err != nil || news {
		return news, err
	}
	for _, target := range x.Targets(x.Group) {
		if len(target.Texts) == 0 {
			continue
		}
		source, ok := t.SourceTexts(target.Target)
		if !ok {
			return true, nil
		}
		of, err := r.branch.Memory().Read(target.Path, target.Language.Code, ledger.Merged, ledger.Outdated)
		if err != nil {
			return false, err
		}
		for _, u := range target.Texts.Restrict(source.Keys()) {
			// The same again may be a confirmation.
			if _, old := of[ledger.Outdated][u.Name]; old || !of[ledger.Merged].Has(u.Name, u.Text) {
				return true, nil
			}
		}
	}
	return false, nil
}

// answered notes a full export.
func (r *pull) answered(x *pass.Exported) {
	r.probe.foundChanges = len(r.o.Languages) == 0 // else it says nothing about the others
	if x.Late == nil && !x.Asked.IsZero() && !r.probe.failed[x.Question] && x.Kept >= r.branch.ProbeFrom {
		r.probe.now.Full[x.Question] = x.Asked
	}
}

// rememberReconciled remembers where this pull has left the branch, when pulling once more would change nothing.
func (r *pull) rememberReconciled() error {
	if !r.probe.foundChanges || r.merging.over || len(r.account.report.Problems) > 0 || len(r.probe.now.Full) == 0 {
		return nil
	}
	r.probe.now.Tips, r.probe.now.Aside = r.to.looked, r.branch.Aside()
	return ledger.Reconciled.Put(r.branch.Ledger, r.branch.StateName(), r.branch.Project.Pull.Branch, r.probe.now)
}
