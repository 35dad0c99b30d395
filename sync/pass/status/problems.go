package status

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
)

// A problem is told by the status until it is repaired.
//
//   - What can be seen in the files, on the branch and in the state is looked for at every status, and not
//     remembered.
//   - Files of the branch or its base that a pull could not read are read again once the branches have moved.
//   - Branches that wait are remembered by project, and those of which it can be told here are checked again.
//   - What only the service, the remote or the git host can say is remembered until the next pass of that kind ends.
//     Of that, the status leaves out what is about a language, a file or a key that is gone.

// ofPull are the problems that the last pull remembered, as far as they are about something that is still there.
// Where branch, base and configuration are as they were then, nothing of it can have changed.
func (p *View) ofPull(past report.Past, repo *gitops.Repo) ([]report.Problem, error) {
	if len(past.Problems)+len(past.Unread) == 0 {
		return nil, nil
	}
	tip, err := repo.Seen(p.Config.Pull.Branch, p.Config.Pull.Base)
	if errors.Is(err, gitops.ErrNoBranch) || err == nil && p.Subject(tip) == past.Subject {
		return append(slices.Clone(past.Problems), past.Unread...), nil
	}
	if err != nil {
		return nil, err
	}
	tips := []*gitops.Tip{tip}
	if base := tip.Base(); base != nil && base.Hash() != tip.Hash() {
		tips = []*gitops.Tip{base, tip} // a pull takes base in
	}
	t, err := p.Find(tips[0], nil)
	if err != nil {
		return nil, err
	}
	unread := slices.Clone(t.Problems)
	for _, fsys := range tips {
		broken, err := p.unreadable(fsys, t)
		if err != nil {
			return nil, err
		}
		unread = append(unread, broken...)
	}
	files := make(map[string]bool)
	for _, problem := range past.Unread {
		files[problem.File] = true
	}
	unread = slices.DeleteFunc(unread, func(problem report.Problem) bool { return !files[problem.File] })
	return append(p.living(past.Problems, t), unread...), nil
}

// living are the problems whose language, file and key are there. What is not known to be gone is.
func (p *View) living(problems []report.Problem, t *tree.Tree) []report.Problem {
	if len(problems) == 0 {
		return nil
	}
	sources := make(map[string][]*tree.Source) // by the paths of source files and of their translations
	labelled := false
	for _, s := range t.Sources {
		sources[s.Path] = append(sources[s.Path], s)
		labelled = labelled || s.Output.HasLabel()
	}
	languages := map[string]bool{p.Config.SourceLanguage: true}
	for _, l := range p.Config.Targets() {
		languages[l.Code] = true
	}
	for _, target := range bundle.Known(t.Bundles(), p.Config.Targets()) {
		for _, b := range target.Sources {
			sources[target.Path] = append(sources[target.Path], t.Of(b))
		}
	}
	return slices.DeleteFunc(slices.Clone(problems), func(problem report.Problem) bool {
		of, is := sources[problem.File]
		switch {
		case problem.File == "" || problem.Language == "":
			return false
		case !languages[problem.Language]:
			return true
		case !is:
			return !labelled // else the service may name it
		}
		return problem.Key != "" && !slices.ContainsFunc(of, func(s *tree.Source) bool { return s.MayHave(problem.Key) })
	})
}

// unreadable are the problems of target files of a tree that cannot be read.
func (p *View) unreadable(fsys fs.FS, t *tree.Tree) ([]report.Problem, error) {
	targets, err := bundle.Existing(fsys, t.Bundles(), p.Config.Targets())
	if err != nil {
		return nil, err
	}
	var found []report.Problem
	for _, target := range targets {
		_, problem, err := target.Sources[0].Read(fsys, target.Path, target.Language)
		if err != nil {
			return nil, err
		}
		if problem != nil {
			found = append(found, *problem)
		}
	}
	return found, nil
}

// stillWaiting are the problems of the branches that wait, as far as can be told.
func (p *View) stillWaiting(repo *gitops.Repo) ([]report.Problem, error) {
	var problems []report.Problem
	for _, pass := range []string{ledger.PassPush, ledger.PassPull} {
		all, _, err := ledger.Waiting.Get(p.Ledger, p.Project, pass)
		if err != nil {
			return nil, err
		}
		for _, w := range all {
			over, err := over(w, repo)
			if err != nil {
				return nil, err
			}
			if !over {
				problems = append(problems, w.Problem)
			}
		}
	}
	return problems, nil
}

// over reports whether it is known that a branch waits no more.
func over(w ledger.WaitingBranch, repo *gitops.Repo) (bool, error) {
	if w.Ends == "" {
		return false, nil
	}
	head, _, err := repo.Head()
	if err != nil || head != w.Head {
		return err == nil, err
	}
	if w.Ends == ledger.EndsAttached {
		return false, nil
	}
	return repo.Branches.Published(head)
}

// Unique drops problems that are told twice, keeping their order.
func Unique(problems []report.Problem) []report.Problem {
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

// Overdue is when the second of the scheduled pulls is due that come after the last one which worked: past that time
// something keeps translations from arriving that is not just passing. It is zero where nothing is scheduled.
func Overdue(cfg *config.Project, s, before *report.ProjectStatus, born time.Time) time.Time {
	schedule := cfg.Pull.Schedule
	if !cfg.Pull.Enabled || schedule.IsZero() {
		return time.Time{}
	}
	good := lastGood(s, before)
	if good.IsZero() {
		good = born // the first pull has as much time
	}
	if next := schedule.Next(good); !next.IsZero() {
		return schedule.Next(next)
	}
	return time.Time{}
}

// lastGood is when the last pull worked, of the line where that is longest ago; zero where one never did. What reading
// the files could not tell is what the one before told.
func lastGood(s, before *report.ProjectStatus) time.Time {
	var good time.Time
	told := false
	take := func(past *report.Past) {
		at := time.Time{}
		if past != nil {
			at = past.GoodAt
		}
		if !told || at.Before(good) {
			good, told = at, true
		}
	}
	for _, l := range s.Lines {
		if l.Finished == nil {
			take(l.LastPull)
		}
	}
	if !told && s.LastPull != nil {
		take(s.LastPull)
	}
	if !told && before != nil {
		take(before.LastPull)
	}
	return good
}
