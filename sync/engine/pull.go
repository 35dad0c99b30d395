package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/state"
)

// pulling is one pull of one project, under way.
type pulling struct {
	*project
	o       PullOptions
	report  ProjectPull
	exports map[string]*exported // by template and collection: asked for once, however often the branch moves meanwhile
}

// attempts is how often a pull recomputes its commit because the branch moved under it.
const attempts = 5

// pull is one pass: the branch as it is now, the service's translations, merged key by key, as one commit.
func (p *project) pull(ctx context.Context, o PullOptions) (ProjectPull, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	run := &pulling{project: p, o: o, exports: make(map[string]*exported)}
	run.clear()
	if !p.cfg.Pull.Enabled {
		return run.report, nil
	}
	err := run.pass(ctx)
	p.finished()
	if !o.DryRun {
		p.past(pastPull, outcome(p.Now(), run.report.Keys, run.report.Commit, run.report.Problems, err))
	}
	return run.report, err
}

func (r *pulling) clear() {
	r.report = ProjectPull{Name: r.cfg.Name, Branch: r.cfg.Pull.Branch, Requests: r.report.Requests, Files: []PulledFile{}, Problems: []Problem{}}
}

func (r *pulling) pass(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	defer r.close()
	if !r.o.DryRun {
		if err := r.firstLook(); err != nil {
			return err
		}
	}
	for try := 1; ; try++ {
		err := r.attempt(ctx)
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
		if err := r.deliverPending(ctx); err != nil {
			return err
		}
	}
	r.say("reading branch %s", r.cfg.Pull.Branch)
	tip, err := r.repo.At(ctx, r.cfg.Pull.Branch, r.cfg.Pull.Base)
	if err != nil {
		return usage(err)
	}
	if note := tip.Note(); note != "" {
		r.log.Warn(note)
	}
	on, contested, err := r.withBase(ctx, tip)
	if err != nil {
		return err
	}
	t, err := r.readTree(on)
	if err != nil {
		return err
	}
	r.report.Problems = append(r.report.Problems, t.problems...)
	theirs, err := r.translations(ctx, t)
	if err != nil {
		return err
	}
	var done []*merged
	for _, x := range theirs {
		m, err := r.merge(t, x, tip.New(), contested)
		if err != nil {
			return err
		}
		if m != nil {
			done = append(done, m)
		}
	}
	return r.commit(ctx, tip, on, done)
}

func (r *pulling) problem(p Problem) { r.report.Problems = append(r.report.Problems, p) }

// deliverPending pushes a commit that an earlier pull made and could not deliver. One that the branch has moved past is dropped: what it
// said is computed again.
func (r *pulling) deliverPending(ctx context.Context) error {
	tip, err := r.repo.Pending(r.cfg.Pull.Branch)
	if err != nil || tip == nil {
		return err
	}
	r.log.Info("delivering a commit that was made earlier", zap.String("commit", tip.Hash()))
	res, err := r.repo.Push(ctx, tip)
	if errors.Is(err, gitops.ErrMoved) {
		return r.repo.Drop(r.cfg.Pull.Branch)
	}
	if err != nil {
		return fmt.Errorf("deliver commit %.10s to branch %s: %w", tip.Hash(), r.cfg.Pull.Branch, err)
	}
	r.delivered(res)
	return nil
}

// delivered puts what became of a commit into the report.
func (r *pulling) delivered(res gitops.PushResult) {
	r.report.Commit, r.report.Pushed = res.Commit, res.Pushed
	for _, line := range res.Said {
		r.log.Info("the remote says", zap.String("line", line))
	}
	if res.Local == gitops.Left {
		r.problem(Problem{Problem: res.Why})
	}
}

// withBase takes what base has and the branch lacks into the tree that the commit is built on, so that merging the branch into
// base never conflicts in our files. A conflict in files that are not ours leaves the branch behind, and is reported.
func (r *pulling) withBase(ctx context.Context, tip *gitops.Tip) (*gitops.Tip, map[string]gitops.Contested, error) {
	base := tip.Base()
	if base == nil {
		return tip, nil, nil
	}
	ours, err := r.ourPaths(tip, base)
	if err != nil {
		return nil, nil, err
	}
	m, err := r.repo.Merge(ctx, tip, base, func(path string) bool { return ours[path] })
	if err != nil {
		return nil, nil, fmt.Errorf("take %s into %s: %w", base.Branch(), tip.Branch(), err)
	}
	if m.State == gitops.Behind {
		r.problem(Problem{Problem: m.Note})
	}
	contested := make(map[string]gitops.Contested)
	for _, c := range m.Contested {
		contested[c.Path] = c
	}
	return m.Tip, contested, nil
}

// ourPaths are the target files that either tip has or could have.
func (r *pulling) ourPaths(tips ...*gitops.Tip) (map[string]bool, error) {
	ours := make(map[string]bool)
	for _, tip := range tips {
		bundles, _, err := bundle.Find(tip, r.cfg)
		if err != nil {
			return nil, err
		}
		targets, err := bundle.Existing(tip, bundles, r.cfg.Targets())
		if err != nil {
			return nil, err
		}
		for _, t := range targets {
			ours[t.Path] = true
		}
	}
	return ours, nil
}

// translations asks the service for all groups of a tree. Each target file of the configuration is in the answer, with no texts when
// the service has none: its dead keys go all the same.
func (r *pulling) translations(ctx context.Context, t *tree) ([]translated, error) {
	languages := r.cfg.Targets()
	if len(languages) == 0 {
		return nil, nil
	}
	var all []translated
	for _, g := range bundle.Groups(t.bundles()) {
		key := fmt.Sprint(g.Collection, "\x00", g.Format.Name, "\x00", g.Separator, "\x00", g.Template().String())
		x := r.exports[key]
		if x == nil {
			var err error
			if x, err = r.export(ctx, g, languages, r.cfg.Pull.CompletionState); err != nil {
				return nil, err
			}
			r.report.Requests++
			r.exports[key] = x
		}
		r.report.Problems = append(r.report.Problems, x.problems...)
		have := make(map[string]bool)
		for _, target := range x.targets {
			have[target.Path] = true
			all = append(all, target)
		}
		existing, err := bundle.Existing(t.fsys, g.Bundles, languages)
		if err != nil {
			return nil, err
		}
		for _, target := range existing {
			if !have[target.Path] {
				all = append(all, translated{Target: target})
			}
		}
	}
	slices.SortFunc(all, func(a, b translated) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return all, nil
}

// commit writes what the merges brought as one commit and delivers it, then remembers the merges: effect first, memory second. When
// the delivery fails the commit waits in the repository, and nothing is remembered that the branch does not have.
func (r *pulling) commit(ctx context.Context, tip, on *gitops.Tip, done []*merged) error {
	files := make(map[string][]byte)
	news := false
	data := config.CommitData{Project: r.cfg.Name}
	languages := make(map[string]bool)
	for _, m := range done {
		if m.bytes == nil {
			continue
		}
		files[m.Path] = m.bytes
		if m.counts.Added+m.counts.Changed+m.counts.Removed+m.filled == 0 {
			continue // only the base merge differs
		}
		news = true
		r.report.Files = append(r.report.Files, m.counts)
		r.report.Keys += m.counts.Added + m.counts.Changed + m.counts.Removed
		data.Files = append(data.Files, m.Path)
		languages[m.Language.Code] = true
	}
	data.Languages, data.Keys = slices.Sorted(maps.Keys(languages)), r.report.Keys
	if r.o.DryRun {
		if news {
			preview, err := r.repo.Preview(ctx, on, files)
			if err != nil && !errors.Is(err, gitops.ErrPath) {
				return err
			}
			r.report.Diff = preview.Diff
		}
		return nil
	}
	if news {
		text, err := r.cfg.Pull.Message(data)
		if err != nil {
			return &UsageError{fmt.Errorf("pull.commit_message: %w", err)}
		}
		if err := r.deliver(ctx, on, files, text); err != nil {
			return err
		}
	}
	return r.State.Update(func(tx *state.Tx) error {
		for _, m := range done {
			if err := m.remember(r.project, tx); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *pulling) deliver(ctx context.Context, on *gitops.Tip, files map[string][]byte, text string) error {
	r.say("committing %d file(s) to branch %s", len(files), r.cfg.Pull.Branch)
	message := gitops.Message{
		Text:   fmt.Sprintf("%s\n\n%s: %s\n", text, gitops.Trailer, r.cfg.Name),
		Author: gitops.Person{Name: r.cfg.Pull.AuthorName, Email: r.cfg.Pull.AuthorEmail},
		When:   r.Now(),
	}
	made, err := r.repo.Commit(ctx, on, r.cfg.Pull.Branch, files, message)
	var bad *gitops.BadPaths
	if errors.As(err, &bad) {
		for _, b := range bad.Paths {
			delete(files, b.Path)
			r.problem(Problem{File: b.Path, Problem: "is not written: " + b.Why})
			r.report.Files = slices.DeleteFunc(r.report.Files, func(f PulledFile) bool { return f.Path == b.Path })
		}
		made, err = r.repo.Commit(ctx, on, r.cfg.Pull.Branch, files, message)
	}
	if errors.Is(err, gitops.ErrNothing) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("commit to branch %s: %w", r.cfg.Pull.Branch, err)
	}
	if r.o.Diff {
		if r.report.Diff, err = r.repo.Diff(ctx, made); err != nil {
			r.log.Warn("show the commit", zap.Error(err))
		}
	}
	res, err := r.repo.Push(ctx, made)
	if errors.Is(err, gitops.ErrMoved) {
		return errors.Join(err, r.repo.Drop(r.cfg.Pull.Branch))
	}
	if err != nil {
		r.report.Commit = made.Hash()
		return fmt.Errorf("deliver commit %.10s to branch %s (it is kept and delivered by the next pull): %w", made.Hash(), r.cfg.Pull.Branch, err)
	}
	r.delivered(res)
	return nil
}

// firstLook takes note of the translations in the working tree before the first pull writes any, so that what lies there already is not
// taken for somebody's change later.
func (r *pulling) firstLook() error {
	if r.cfg.Push.Source != config.Worktree || r.repo.Facts().Bare {
		return nil
	}
	_, looked, err := state.Get[string](r.State, r.stateName(), kindSeen, headRecord)
	if err != nil || looked {
		return err
	}
	fsys, err := r.repo.Worktree()
	if err != nil {
		return err
	}
	bundles, _, err := bundle.Find(fsys, r.cfg)
	if err != nil {
		return err
	}
	targets, err := bundle.Existing(fsys, bundles, r.cfg.Targets())
	if err != nil {
		return err
	}
	_, head, err := r.repo.Head()
	if err != nil {
		return err
	}
	return r.State.Update(func(tx *state.Tx) error {
		for _, t := range targets {
			f, _, err := t.Sources[0].Read(fsys, t.Path, t.Language)
			if err != nil {
				return err
			}
			texts := bundle.Texts(f)
			if f == nil {
				continue
			}
			if err := r.mark(tx, memory{[]string{kindKnown, kindSeen}, t.Path, t.Language.Code}, accepts(texts)); err != nil {
				return err
			}
		}
		return state.PutTx(tx, r.stateName(), kindSeen, headRecord, head)
	})
}

// sourceTexts are the texts of a target's source files; ok is false when one of them cannot be read.
func (t *tree) sourceTexts(target bundle.Target) (texts catalog.Catalog, ok bool) {
	for _, b := range target.Sources {
		s := t.of(b)
		if s == nil || s.broken() {
			return nil, false
		}
		texts = append(texts, bundle.Texts(s.file)...)
	}
	return texts, true
}
