package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/branches"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/pass/repository"
	"github.com/locsync/locsync/sync/pass/status"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/pass/watch"
	"github.com/locsync/locsync/sync/report"
)

// glancePatience is how long a glance at the files may take before people are told that it does not end.
const glancePatience = 10 * time.Second

// view tells the status of a project. One glance at its files is under way at a time.
type view struct {
	*host
	branch      *pass.Branch
	repository  *repository.Repository
	last, whole atomic.Pointer[report.ProjectStatus] // whole: the last one that could tell everything

	slot  chan struct{}             // full while a glance is under way
	began atomic.Pointer[time.Time] // when that was; nil while there is none

	doing     atomic.Pointer[report.Doing]  // nil when no pass runs here
	elsewhere atomic.Pointer[report.Doing]  // nil when no other process of a cluster makes one
	next      atomic.Pointer[time.Time]     // the next scheduled pull, while Run runs
	retry     atomic.Pointer[time.Time]     // the next repetition of a pass that failed, while Run runs
	watcher   atomic.Pointer[watch.Watcher] // while Run runs and the repository is watched
	born      time.Time                     // when this process began with the project

	counting atomic.Bool // while CountStale is at work, which may hang with the repository
	tried    time.Time   // when CountStale began last
}

// watching is how changes of files are noticed now; nil while nothing is watched.
func (v *view) watching() *report.Watching {
	w := v.watcher.Load()
	if w == nil {
		return nil
	}
	now := report.Watching(w.Stats())
	return &now
}

func (v *view) blank() report.ProjectStatus {
	return report.ProjectStatus{Name: v.branch.Project.Name, ID: v.branch.Project.ID,
		Files: []report.FileStatus{}, Languages: []report.LanguageStatus{},
		Findings: report.Findings{Problems: []report.Problem{}},
		Process: report.Process{NextAttempt: v.retry.Load(), Watch: v.watching(),
			GitBusy: v.branch.GitBusy.For(v.branch.Now())}}
}

func (v *view) now(ctx context.Context) report.ProjectStatus {
	s := v.blank()
	began := time.Now()
	err := v.seen(ctx, &s)
	s.Took, s.Seen, s.Overdue = time.Since(began), v.branch.Now(),
		status.Overdue(v.branch.Project, &s, v.last.Load(), v.born)
	if err != nil {
		v.recall(&s, err)
	}
	report.Advise(s.Problems)
	report.Advise(s.Orphaned)
	if s.Problems = status.Unique(s.Problems); err == nil {
		s.State = s.Sentence(report.InUTC)
	}
	if doing := v.doing.Load(); doing != nil {
		s.State = doing.String()
	}
	if ctx.Err() == nil { // one that was cut short tells nothing of the project
		v.last.Store(&s)
		if err == nil {
			v.whole.Store(&s)
		}
	}
	return s
}

// seen reads what there is to tell. A fault in one project's status costs no other one's.
func (v *view) seen(ctx context.Context, s *report.ProjectStatus) (err error) {
	defer fault.Catch("the status of project "+v.branch.Project.Name, &err)
	v.branch.Events().Read(s)
	branch := v.branch
	repo, unopened := v.repository.OpenToRead(ctx)
	if unopened == nil {
		defer repo.Close()
		if m := memoryOf(branch, repo, true); m != nil {
			branch = branch.Draft()
			m.Ledger = branch.Ledger
			known, err := m.Recall(ctx)
			if err != nil {
				return err
			}
			s.PendingUnknown = !known
		}
	}
	line, err := currentLine(branch, repo, unopened, s)
	if err != nil {
		return err
	}
	return v.read(line, repo, unopened, s)
}

// recall makes the status of a glance that failed: what it could not tell is as the last one told it, so that what was
// held back or unreadable then does not look repaired.
func (v *view) recall(s *report.ProjectStatus, why error) {
	text := why.Error() + "; until that is repaired nothing can be told of this project"
	s.State, s.Unseen, s.Seen = "pending changes unknown", true, time.Time{}
	if _, silent := errors.AsType[*repository.Silent](why); silent {
		s.State = "its repository does not answer"
	}
	before := v.whole.Load()
	if before == nil {
		s.Problems = append(s.Problems, report.Problem{Code: report.CodeRepository, Problem: text})
		return
	}
	s.Seen = before.Seen
	s.Problems = slices.Concat([]report.Problem{{Code: report.CodeRepository, Problem: text + " but what was seen at " +
		s.Seen.UTC().Format(time.DateTime) + " UTC"}}, s.Problems, before.Problems)
	s.Pending, s.Removed, s.Held, s.Orphaned = before.Pending, before.Removed, before.Held, slices.Clone(before.Orphaned)
	s.Files, s.Languages, s.Stale = before.Files, before.Languages, before.Stale
	s.Branch, s.BranchURL = before.Branch, before.BranchURL
}

// currentLine is the branch that the status is about, after all of them are listed. unopened is why there is no
// repository.
func currentLine(
	whole *pass.Branch, repo *gitops.Repo, unopened error, s *report.ProjectStatus,
) (*pass.Branch, error) {
	if !whole.Project.PerBranch() && whole.Project.Push.Source != "" {
		return whole.Settled()
	}
	if unopened != nil {
		return nil, errors.Join(unopened, branches.Statuses(whole, s))
	}
	from := whole
	if sourced, err := branches.Sourced(whole, repo); err == nil {
		from = sourced
	}
	line, err := branches.Current(whole, repo)
	if lerr := branches.Statuses(from, s); lerr != nil || err != nil {
		return nil, errors.Join(err, lerr)
	}
	s.Base = line.Base
	return line, nil
}

// read reads the status of one line. unopened is why there is no repository.
func (v *view) read(line *pass.Branch, repo *gitops.Repo, unopened error, s *report.ProjectStatus) (err error) {
	s.NextPull = v.next.Load() // without a daemon nothing is going to pull
	of := &status.View{Config: line.Project, Ledger: line.Ledger, Project: line.ProjectName(),
		Scope: line.StateName(),
		Line:  line.Base, Accepted: line.Keeper(), Shown: line.Events().Shown, Find: line.FindTree,
		Unsent:  func(repo *gitops.Repo, t *tree.Tree) (map[string]int, error) { return push.Unsent(line, repo, t) },
		Subject: func(tip *gitops.Tip) string { return line.Subject(pull.Look(tip)) }}
	if err := of.Remembered(s); err != nil {
		return err
	}
	if s.Stale, err = v.staleOf(line); err != nil {
		return err
	}
	if unopened != nil {
		return unopened
	}
	fsys, err := statusTree(line, repo)
	if err != nil {
		return err
	}
	if err := of.Read(repo, fsys, s); err != nil {
		return err
	}
	s.PendingUnknown = s.PendingUnknown && s.Pending > 0
	if s.Pending > 0 {
		s.NotPushed, err = notPushed(branches.With(line, line.Project, repo))
	}
	if err != nil {
		return err
	}
	refused, err := memory.Refused(line.Ledger, line.ProjectName())
	if refused != "" && line.Project.Memory != string(gitops.KeepHere) {
		s.Problems = append(s.Problems, report.Problem{Code: report.CodeMemory, Severity: report.Warning,
			Problem: "the remote does not take what was agreed on with the service, which stays in this clone (" +
				refused + ")", Remedy: memory.Remedy})
	}
	return err
}

// notPushed is why no push sends what waits, as things are; "" where one does.
func notPushed(line *pass.Branch) (string, error) {
	switch {
	case !line.Project.Push.Enabled:
		return "push.enabled is false", nil
	case line.Project.Push.Source != config.Worktree || line.Base != "":
		return "", nil
	}
	head, commit, err := line.Repo.Head()
	if err != nil {
		return "", err
	}
	if covered, err := line.Covered(head, commit); err != nil || covered {
		return "", err
	}
	return line.NotCovered(head), nil
}

// staleOf is what was counted last of a branch with the present configuration; nil for nothing.
func (v *view) staleOf(line *pass.Branch) (*report.StaleStatus, error) {
	count, is, err := ledger.Stale.Get(line.Ledger, ledger.AllProjects, v.branch.Project.Name)
	if err != nil || !is || count.Config != v.branch.Configured() || count.Base != line.Base ||
		len(count.Texts.Languages) == 0 && !count.Texts.Unknown {
		return nil, err
	}
	return &count.Texts, nil
}

// statusTree is what the status reads: what pushes read, or of a line that is not checked out what is committed.
func statusTree(line *pass.Branch, repo *gitops.Repo) (fs.FS, error) {
	if line.Project.Push.Source == config.Worktree {
		if head, _, err := repo.Head(); err != nil || line.Base == "" || line.Base == head {
			return repo.Worktree()
		}
		if tip, err := repo.Here(line.Base); err == nil {
			return tip, nil // as a push would find it when it is checked out
		}
		return repo.Seen(line.Base, line.Base)
	}
	there, err := repo.Seen(line.Project.Push.Source, line.Project.Push.Source)
	return line.Committed(repo, there, err)
}

// glance is the status of the project, in time even where the repository does not answer: then it is the last one, and
// says so. A glance that is given up goes on, and until it has ended none is begun.
func (v *view) glance(ctx context.Context) report.ProjectStatus {
	if v.Cluster != nil {
		s, _ := v.latest()
		return s
	}
	if began := v.began.Load(); began != nil && time.Since(*began) > v.Patience {
		return v.unseen(*began)
	}
	select {
	case v.slot <- struct{}{}:
	case <-ctx.Done():
		return v.unseen(time.Now())
	case <-time.After(v.Patience):
		return v.unseen(time.Now())
	}
	began := time.Now()
	v.began.Store(&began)
	s, ok := heartbeat.Within(ctx, v.Patience, func() report.ProjectStatus {
		defer func() {
			v.began.Store(nil)
			<-v.slot
		}()
		return v.now(ctx)
	})
	if !ok {
		return v.unseen(began)
	}
	return s
}

// unseen is the status of a project that could not be looked at since then.
func (v *view) unseen(since time.Time) report.ProjectStatus {
	s := v.blank()
	if before := v.last.Load(); before != nil {
		s = *before
	}
	s.Problems = append([]report.Problem{{Code: report.CodeRepository,
		Problem: fmt.Sprintf("reading the files, begun at %s UTC, has not ended, and what is shown is from before; "+
			"where it does not end soon, see whether the disk or mount that the repository is on answers",
			since.UTC().Format(time.DateTime))}}, s.Problems...)
	report.Advise(s.Problems)
	s.Unseen = true
	return s
}

// latest is the last status, without reading anything again; false where there is none. That of a cluster is there
// always, as the cluster knows it: the repository may not be on this machine.
func (v *view) latest() (s report.ProjectStatus, known bool) {
	s = v.blank()
	s.State, s.Unseen = "not looked at yet", true
	if last := v.last.Load(); last != nil {
		s, known = *last, true
		if began := v.began.Load(); began != nil && time.Since(*began) > v.Patience {
			s = v.unseen(*began)
		}
		s.Watch, s.GitBusy = v.watching(), v.branch.GitBusy.For(v.branch.Now())
	}
	if v.Cluster == nil {
		return s, known
	}
	s.NextPull = v.next.Load()
	if doing := v.current(); doing != nil {
		s.State = doing.String()
	}
	if err := v.Cluster.Away(); err != nil {
		s.Problems = append([]report.Problem{{Code: report.CodeDatabase, Problem: fmt.Sprintf("the cluster's database "+
			"cannot be used, so that no pass is made and what is shown is from before (%v)", err),
			Remedy: "see whether it runs and can be reached from this machine: locsync doctor"}}, s.Problems...)
		s.Unseen = true
	}
	return s, true
}

// learn reads the status that was published last.
func (v *view) learn(r ledger.Reader) error {
	seen, is, err := ledger.Published.Get(r, v.branch.ProjectName(), "")
	if err != nil || !is {
		return err
	}
	s := seen.Status
	s.Seen = seen.At
	s.Overdue = status.Overdue(v.branch.Project, &s, v.last.Load(), v.born)
	v.last.Store(&s)
	return nil
}

// current is what a pass is about, of this process or of another one; nil while none is made.
func (v *view) current() *report.Doing {
	if doing := v.doing.Load(); doing != nil {
		return doing
	}
	return v.elsewhere.Load()
}
