package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/tree"
)

// Most pulls bring nothing. So a pull first asks what changed since the last full export (`modified-since`), and asks
// for everything only where that has something that was not merged. Nothing is merged from this answer: deleted keys,
// and those that fell below the completion state, are not in it. It counts only where all else is as the last full
// pull saw it: branch, base, configuration and state, nothing was sent since, and nothing was reported. fullEvery
// bounds the rest. A small answer is not worth a probe, which costs as many requests and sees less.

const (
	// probeFrom is how many texts an answer has that is worth one.
	probeFrom = 20_000
	// fullEvery is shorter than a day, so that whatever the schedule, no day goes by without a full export.
	fullEvery = 20 * time.Hour
	// probeOverlap is how much further back a probe asks: machines of a service may differ in their clocks, and a change may be seen a
	// while after its time. What was merged already does not count as news, so that this costs nothing.
	probeOverlap = 10 * time.Minute
	// probePatience is how long a probe is waited for, instead of what it is to save.
	probePatience = time.Minute
)

// probing is a pull's knowledge of the last full one.
type probing struct {
	last  *ledger.Reconciliation // nil: nothing may be concluded
	now   ledger.Reconciliation
	loud  bool            // some group had to be asked for everything
	blind map[string]bool // questions whose probe did not work: they are not probed next time either
}

// lookAgain compares what this pull looks at with what the last full one did.
func (r *pulling) lookAgain(tip *gitops.Tip) error {
	r.probe = probing{now: ledger.Reconciliation{Config: r.configured(), Look: look(tip), Full: make(map[string]time.Time)}, blind: make(map[string]bool)}
	if r.o.DryRun || r.o.Full || r.o.Force || r.o.Prune || r.o.AcceptService {
		return nil
	}
	last, ok, err := ledger.Reconciled.Get(r.State, r.stateName(), r.cfg.Pull.Branch)
	if err != nil {
		return fmt.Errorf("read what the last pull looked at: %w", err)
	}
	if ok && last.Config == r.probe.now.Config && last.Look == r.probe.now.Look && len(r.report.Problems) == 0 {
		r.probe.last = &last
	}
	return nil
}

// look is the commits that decide what a pull builds on.
func look(tip *gitops.Tip) string {
	text := tip.Hash()
	if tip.New() {
		return text + " new"
	}
	if base := tip.Base(); base != nil {
		text += " " + base.Hash()
	}
	return text
}

// lookAfter is the look of the next pull when this one made a commit and nothing else happens.
func lookAfter(tip *gitops.Tip, made string) string {
	if tip.New() {
		return made + " " + tip.Hash() // that was its base
	}
	if base := tip.Base(); base != nil {
		return made + " " + base.Hash()
	}
	return made
}

// configured is a digest of the project's configuration.
func (p *project) configured() string {
	text, err := json.Marshal(p.cfg)
	if err != nil {
		text = fmt.Appendf(nil, "%+v", *p.cfg)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// probed is a group that a pull asks for what changed in it.
type probed struct {
	*bundle.Group
	question string
	asked    time.Time // the last time that it was asked for everything
	begun    service.Begun
}

// quiet tells of which groups the service has said nothing new since the last full pull.
func (r *pulling) quiet(ctx context.Context, t *tree.Tree, groups []*bundle.Group, languages []config.Language) (map[*bundle.Group]bool, error) {
	quiet := make(map[*bundle.Group]bool)
	if r.probe.last == nil {
		return quiet, nil
	}
	var all []*probed
	for i, g := range groups {
		req := r.exportRequest(r.pullAsk(t, g, languages))
		x := &probed{Group: g, question: question(req), asked: r.probe.last.Full[question(req)]}
		now, told := r.Service.ServiceTime(r.Now())
		if age := now.Sub(x.asked); x.asked.IsZero() || told && (age < 0 || age > fullEvery) {
			continue
		}
		req.ModifiedSince = x.asked.Add(-probeOverlap)
		r.announce(report.Doing{What: fmt.Sprintf("asking for what changed in %q", g.Collection), Done: int64(i), Total: int64(len(groups))})
		r.report.Requests++
		id, err := r.Service.StartExport(ctx, req)
		if err != nil {
			if err := r.unprobed(ctx, x, err); err != nil {
				return nil, err
			}
			continue
		}
		x.begun = service.Begun{ID: id, At: r.Now()}
		all = append(all, x)
	}
	begun := make([]service.Begun, len(all))
	for i, x := range all {
		begun[i] = x.begun
	}
	var failure error
	patience := min(probePatience, r.Config.Service.JobTimeout)
	r.Service.Downloads(ctx, begun, "", patience, func(i int, archive *service.Archive, err error) bool {
		quiet[all[i].Group], failure = r.probedQuiet(ctx, t, all[i], languages, archive, err)
		return failure == nil
	})
	return quiet, cmp.Or(failure, ctx.Err())
}

// probedQuiet reports whether the answer of a probe holds no news. A probe is not written down: one that is interrupted is made anew.
func (r *pulling) probedQuiet(ctx context.Context, t *tree.Tree, p *probed, languages []config.Language, archive *service.Archive, err error) (bool, error) {
	var x *exported
	if err == nil {
		x, err = r.readArchive(r.pullAsk(t, p.Group, languages), archive, new(bundle.Kept))
		err = errors.Join(err, archive.Close())
	}
	if err != nil {
		return false, r.unprobed(ctx, p, err)
	}
	if news, err := r.news(t, x); err != nil || news {
		return false, err
	}
	if now, told := r.Service.ServiceTime(r.Now()); !told || now.Sub(p.asked) > fullEvery {
		return false, nil
	}
	r.probe.now.Full[p.question] = p.asked
	return true, nil
}

// unprobed takes note that a probe did not work: everything is asked for then, but not where that would meet the same.
func (r *pulling) unprobed(ctx context.Context, x *probed, err error) error {
	switch {
	case ctx.Err() != nil, errors.Is(err, service.ErrAuth):
		return err
	case errors.Is(err, service.ErrTemporary) && !errors.Is(err, service.ErrUnusable) && !errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("export of %q: %w", x.Collection, err)
	}
	r.log.Info("the service did not say what changed; asking for everything", zap.String("collection", x.Collection), zap.Error(err))
	r.probe.blind[x.question] = true
	return nil
}

// news reports whether an export holds anything that was not merged as it is. Of files that share their keys' collection each merges what its
// source has; what no source has is nobody's news.
func (r *pulling) news(t *tree.Tree, x *exported) (bool, error) {
	if len(x.problems) > 0 {
		return true, nil
	}
	if news, err := r.sourceNews(t, x); err != nil || news {
		return news, err
	}
	for _, target := range x.targets(x.group) {
		if len(target.texts) == 0 {
			continue
		}
		source, ok := t.SourceTexts(target.Target)
		if !ok {
			return true, nil
		}
		merged, err := r.marks(r.slot(ledger.Merged, target.Path, target.Language.Code))
		if err != nil {
			return false, err
		}
		outdated, err := r.marks(r.slot(ledger.Outdated, target.Path, target.Language.Code))
		if err != nil {
			return false, err
		}
		for _, u := range target.texts.Restrict(source.Keys()) {
			if mark, ok := merged[u.Name]; !ok || mark != catalog.MarkOf(u.Text) {
				return true, nil
			}
			if _, old := outdated[u.Name]; old {
				return true, nil // the same again may be a confirmation
			}
		}
	}
	return false, nil
}

// answered notes a full export.
func (r *pulling) answered(x *exported) {
	r.probe.loud = true
	if x.late == nil && !x.asked.IsZero() && !r.probe.blind[x.question] && x.kept >= r.ProbeFrom {
		r.probe.now.Full[x.question] = x.asked
	}
}

// unsettle forgets what was looked at before something changes that the next pull is to look at.
func (p *project) unsettle() error {
	_, ok, err := ledger.Reconciled.Get(p.State, p.stateName(), p.cfg.Pull.Branch)
	if err != nil || !ok {
		return err
	}
	return ledger.Reconciled.Delete(p.State, p.stateName(), p.cfg.Pull.Branch)
}

// settle remembers what this pull looked at, when it is true that pulling once more would change nothing. made is the commit that it made.
func (r *pulling) settle(tip *gitops.Tip, made string) error {
	if r.o.DryRun || !r.probe.loud || len(r.report.Problems) > 0 || len(r.probe.now.Full) == 0 {
		return nil
	}
	if made != "" {
		r.probe.now.Look = lookAfter(tip, made)
	}
	return ledger.Reconciled.Put(r.State, r.stateName(), r.cfg.Pull.Branch, r.probe.now)
}
