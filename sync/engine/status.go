package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// stateName is the project's name in the state: that of one project of one service, and of one line.
func (p *project) stateName() string {
	if p.line != "" {
		return ledger.BranchScope(p.projectName(), p.line)
	}
	return p.projectName()
}

func (p *project) projectName() string {
	s := p.Config.Service
	sum := sha256.Sum256([]byte(s.URL + "\x00" + s.AccountID + "\x00" + p.cfg.ID))
	return p.cfg.Name + "@" + hex.EncodeToString(sum[:6])
}

// finished is said at the end of a pass.
func (p *project) finished() {
	p.doing.Store(nil)
	p.changes.Send()
}

// Ended is how many passes have ended in this process: with another number, an older status may not hold any more.
func (e *Engine) Ended() int64 { return e.ended.Load() }

// Doing is what the pass that runs is about, of one project or of the first that has one; empty when none runs.
func (e *Engine) Doing(name string) report.Doing {
	for _, p := range e.projects {
		if d := p.doing.Load(); d != nil && (name == "" || name == p.cfg.Name) {
			return *d
		}
	}
	return report.Doing{}
}

// Status looks at every project as it is now and changes nothing: files, state and the local repository, without a call to anybody and without
// waiting for a pass that runs, or for long for repositories that do not answer, however many.
func (e *Engine) Status(ctx context.Context) report.Status {
	s := report.Status{Projects: make([]report.ProjectStatus, len(e.projects))}
	var looks sync.WaitGroup
	for i, p := range e.projects {
		looked := make(chan struct{})
		looks.Go(func() {
			defer close(looked)
			s.Projects[i] = p.glance(ctx)
		})
		select { // one after the other, as long as they answer
		case <-looked:
		case <-time.After(lookApart):
		}
	}
	looks.Wait()
	return s
}

// lookApart is how long a look at one project keeps the next one waiting.
const lookApart = 500 * time.Millisecond

// Changed returns a channel that is closed when what a status tells may have changed. A change of files alone shows
// when the pass that it wakes begins. To miss nothing, ask for the channel before the status.
func (e *Engine) Changed() <-chan struct{} { return e.changes.Next() }

// LastStatus is the last look at each project that has been looked at, without looking again. How watching goes, and whether git is waited for, is as it is now.
func (e *Engine) LastStatus() report.Status {
	s := report.Status{Projects: []report.ProjectStatus{}}
	for _, p := range e.projects {
		if last := p.status.Load(); last != nil {
			now := *last
			if began := p.glanced.Load(); began != nil && time.Since(*began) > p.Patience {
				now = p.unseen(*began)
			}
			now.Watch, now.GitBusy = p.watching(), p.gitBusy.For(p.Now())
			s.Projects = append(s.Projects, now)
		}
	}
	return s
}

// watching is how changes of files are noticed now; nil while nothing is watched.
func (p *project) watching() *report.Watching {
	w := p.watcher.Load()
	if w == nil {
		return nil
	}
	stats := w.Stats()
	return &report.Watching{Mode: stats.Mode, Why: stats.Why, Watches: stats.Watches, Events: stats.Events,
		Overflows: stats.Overflows, Unannounced: stats.Unannounced}
}

func (p *project) blank() report.ProjectStatus {
	return report.ProjectStatus{Name: p.cfg.Name, ID: p.cfg.ID, Files: []report.FileStatus{}, Languages: []report.LanguageStatus{},
		Findings: report.Findings{Problems: []report.Problem{}},
		Process:  report.Process{Watch: p.watching(), GitBusy: p.gitBusy.For(p.Now())}}
}

func (p *project) statusNow(ctx context.Context) report.ProjectStatus {
	s := p.blank()
	began := time.Now()
	p.events().Read(&s)
	line, err := p.statusLine(ctx, &s)
	if err == nil {
		err = line.look(ctx, &s)
	}
	s.Took, s.Seen, s.Overdue = time.Since(began), p.Now(), p.overdue(&s)
	if err != nil {
		p.recall(&s, err)
	}
	report.Advise(s.Problems)
	report.Advise(s.Orphaned)
	if s.Problems = unique(s.Problems); err == nil {
		s.State = s.Sentence()
	}
	if doing := p.doing.Load(); doing != nil {
		s.State = doing.String()
	}
	if ctx.Err() == nil { // one that was cut short tells nothing of the project
		p.status.Store(&s)
		if err == nil {
			p.told.Store(&s)
		}
	}
	return s
}

// recall makes the status of a look that failed: what it could not tell is as the last one told it, so that what was held back or unreadable then does not look
// repaired.
func (p *project) recall(s *report.ProjectStatus, why error) {
	text := why.Error() + "; until that is repaired nothing can be told of this project"
	s.State, s.Unseen, s.Seen = "what waits to be pushed cannot be told now", true, time.Time{}
	if _, silent := errors.AsType[*Silent](why); silent {
		s.State = "its repository does not answer"
	}
	before := p.told.Load()
	if before == nil {
		s.Problems = append(s.Problems, report.Problem{Code: report.CodeRepository, Problem: text})
		return
	}
	s.Seen = before.Seen
	s.Problems = slices.Concat([]report.Problem{{Code: report.CodeRepository, Problem: text + " but what was seen at " + s.Seen.UTC().Format(time.DateTime) + " UTC"}}, s.Problems, before.Problems)
	s.Pending, s.Removed, s.Held, s.Orphaned = before.Pending, before.Removed, before.Held, slices.Clone(before.Orphaned)
	s.Files, s.Languages = before.Files, before.Languages
	s.Branch, s.BranchURL = before.Branch, before.BranchURL
}

func (p *project) look(ctx context.Context, s *report.ProjectStatus) error {
	s.NextPull = p.next.Load() // without a daemon nothing is going to pull
	var pasts [2]report.Past
	for i, at := range []struct {
		id string
		to **report.Past
	}{{ledger.PassPush, &s.LastPush}, {ledger.PassPull, &s.LastPull}} {
		past, ok, err := p.lastPast(at.id)
		if err != nil {
			return err
		}
		if ok {
			pasts[i], *at.to = past, past.Shown()
			s.Held += past.Held
		}
	}
	jobs, err := ledger.Jobs.List(p.State, p.stateName())
	if err != nil {
		return err
	}
	for _, j := range jobs {
		s.Jobs = append(s.Jobs, report.Job{Kind: j.Kind, Known: j.Service != "", Since: j.At})
	}
	if err := p.lookAtConflicts(s); err != nil {
		return err
	}
	q, err := p.mergeRequest(nil).Recorded()
	if err != nil {
		return err
	}
	s.RequestURL = q.URL
	repo, err := p.openToLook(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	p.link(repo, s)
	fsys, err := p.statusTree(repo)
	if err != nil {
		return err
	}
	t, err := p.readTree(fsys, nil)
	if err != nil {
		return err
	}
	waiting, err := p.stillWaiting(repo)
	if err != nil {
		return err
	}
	pulls, err := p.ofPull(pasts[1], repo)
	if err != nil {
		return err
	}
	s.Problems = slices.Concat(t.Problems, waiting, p.living(pasts[0].Problems, t), pulls, s.Problems)
	return p.count(repo, s, t)
}

// link finds the web pages of the branch and of the last pull's commit, which the remote has unless the pull failed.
func (p *project) link(repo *gitops.Repo, s *report.ProjectStatus) {
	s.Branch = p.cfg.Pull.Branch
	address, cfg := repo.Address(), &p.cfg.Pull.Request
	if address == "" {
		return
	}
	pages := forge.PagesOf(address, cfg.Kind, cfg.URL, cfg.Repository)
	if tip, err := repo.Seen(p.cfg.Pull.Branch, p.cfg.Pull.Base); err == nil && !tip.New() {
		s.BranchURL = pages.Branch(p.cfg.Pull.Branch)
	}
	for i, e := range s.Events {
		if e.Commit != "" && p.cfg.Pull.Remote != "" {
			s.Events[i].URL = pages.Commit(e.Commit)
		}
	}
	if s.LastPull != nil && s.LastPull.Result != report.ResultFailed {
		s.LastPull.CommitURL = pages.Commit(s.LastPull.Commit)
	}
}

// lookAtConflicts lists what waits for somebody's decision.
func (p *project) lookAtConflicts(s *report.ProjectStatus) error {
	all, err := p.conflicts()
	for _, id := range slices.Sorted(maps.Keys(all)) {
		c := p.shown(all[id])
		s.Conflicts = append(s.Conflicts, c)
		s.Problems = append(s.Problems, c.Problem())
	}
	if len(all) > 0 && s.LastPush != nil && s.LastPush.Result == report.ResultOK {
		s.LastPush.Result = report.ResultPartial // a push that had nothing new to say about them has sent them no more than the one before
	}
	return err
}

// statusTree is where the status looks: what pushes read, or of a line that is not checked out what is committed.
func (p *project) statusTree(repo *gitops.Repo) (fs.FS, error) {
	if p.cfg.Push.Source == config.Worktree {
		if head, _, err := repo.Head(); err != nil || p.line == "" || p.line == head {
			return repo.Worktree()
		}
		if tip, err := repo.Here(p.line); err == nil {
			return tip, nil // as a push would find it when it is checked out
		}
		return repo.Seen(p.line, p.line)
	}
	there, err := repo.Seen(p.cfg.Push.Source, p.cfg.Push.Source)
	return p.committed(repo, there, err)
}

// count fills in the numbers.
func (p *project) count(repo *gitops.Repo, s *report.ProjectStatus, t *tree.Tree) error {
	a, err := p.keeper().Compare(t, false)
	if err != nil {
		return err
	}
	commit := ""
	if tip, ok := t.FS.(*gitops.Tip); ok {
		commit = tip.Hash()
	} else if _, commit, err = repo.Head(); err != nil {
		return err
	}
	if err := p.keeper().Recall(repo, a, p.cfg.Push.Source, commit); err != nil {
		return err
	}
	s.Problems = append(a.Problems, s.Problems...)
	s.Orphaned = a.Orphans(p.cfg.SourceLanguage)
	unsent, err := p.unsent(repo, t)
	if err != nil {
		return err
	}
	total := make(map[string]bool)
	for _, src := range t.Sources {
		f := report.FileStatus{Path: src.Path, Format: src.Format.Name, Collection: src.Collection}
		if src.Broken() {
			if src.Texts, err = pushedTexts(p, a, src.ID()); err != nil {
				return err
			}
			for _, problem := range t.Problems {
				if problem.File == src.Path {
					f.Error, f.ErrorCode = problem.String(), report.FailedConfig
				}
			}
		} else if !a.Held[src.ID()] {
			pending, _, _ := a.Pending(src)
			f.Pending = len(pending)
		}
		keys := src.Texts.Keys()
		f.Keys = len(keys)
		for key := range keys {
			total[src.Path+"\x00"+key] = true
		}
		s.Pending += f.Pending
		s.Files = append(s.Files, f)
	}
	s.Removed = len(s.Orphaned)
	s.Held += len(a.Held)
	return p.countLanguages(repo, s, t, len(total), unsent)
}

// pushedTexts are the names of what was pushed of a source file, but for keys that it had lost: its last good state.
func pushedTexts(p *project, a *accepted.Sources, at ledger.Source) (names catalog.Catalog, err error) {
	removed, err := p.State.Marks(ledger.Removed.Of(p.stateName(), at))
	for n := range a.Files[at] {
		if _, lost := removed[n]; !lost {
			names = append(names, catalog.Unit{Name: n})
		}
	}
	return names, err
}

// countLanguages counts the keys that each language has, where the branch was merged at last or in the tree itself, whichever has more, and names the
// files of translations that cannot be read where passes read them.
func (p *project) countLanguages(repo *gitops.Repo, s *report.ProjectStatus, t *tree.Tree, all int, mine map[string]int) error {
	trees := []lookedAt{{t.FS, p.cfg.Push.Enabled && p.cfg.Push.Translations}}
	if tip, err := repo.Seen(p.cfg.Pull.Branch, p.cfg.Pull.Base); err == nil && !tip.New() {
		trees = append(trees, lookedAt{tip, p.cfg.Pull.Enabled})
	}
	for _, l := range p.cfg.Targets() {
		have, held := make(map[string]bool), make(map[string]bool)
		for _, at := range trees {
			problems, err := p.countKeys(have, t, at.FS, l)
			if err != nil {
				return err
			}
			if at.read {
				s.Problems = append(s.Problems, problems...)
			}
			keys, err := p.heldKeys(at.FS, t, l, s.Conflicts)
			if err != nil {
				return err
			}
			maps.Copy(held, keys)
		}
		count := report.LanguageStatus{Language: l.Code, Keys: len(have), Missing: all - len(have), Held: len(held), Pending: mine[l.Code]}
		s.Pending += count.Pending
		for key := range held {
			if !have[key] {
				count.HeldMissing++
			}
		}
		s.Languages = append(s.Languages, count)
	}
	return nil
}

// lookedAt is a tree where translations stand, and whether passes read them there.
type lookedAt struct {
	fs.FS
	read bool
}

// countKeys adds the keys that a tree has translations for, and returns what is wrong with files that cannot be read.
func (p *project) countKeys(have map[string]bool, t *tree.Tree, fsys fs.FS, l config.Language) (problems []report.Problem, err error) {
	targets, err := bundle.Existing(fsys, t.Bundles(), []config.Language{l})
	if err != nil {
		return nil, err
	}
	for _, target := range targets {
		f, problem, err := target.Sources[0].Read(fsys, target.Path, l)
		if err != nil {
			return nil, err
		}
		if problem != nil {
			problems = append(problems, *problem)
		}
		if f == nil {
			continue
		}
		filler, err := p.State.Marks(p.slot(ledger.Filler, target.Path, l.Code))
		if err != nil {
			return nil, err
		}
		for _, b := range target.Sources {
			keys := t.Of(b).Texts.Keys()
			for _, u := range bundle.Texts(f) {
				if keys[u.Key] && u.Text != "" && !ledger.Holds(filler, u) {
					have[b.Path+"\x00"+u.Key] = true
				}
			}
		}
	}
	return problems, nil
}

// unique drops problems that are told twice, keeping their order.
func unique(problems []report.Problem) []report.Problem {
	told := make(map[report.Problem]bool, len(problems))
	once := []report.Problem{}
	for _, p := range problems {
		if !told[p] {
			told[p] = true
			once = append(once, p)
		}
	}
	return once
}
