// Package status reads how a project, or one of its lines, is: what waits to be pushed, what is translated, what is
// wrong, and what passes remembered.
//
// Its law: it changes nothing and calls neither the service nor a remote, so that it can be asked at any time and
// beside any pass. What it cannot find out is an error, and never a number that looks repaired.
//
// When a status is read, and what is told where a repository does not answer, is for the engine.
package status

import (
	"cmp"
	"io/fs"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/accepted"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
)

// View is a project, or one of its lines, of which the status is read.
type View struct {
	Config   *config.Project
	Ledger   ledger.Store
	Project  string // in the ledger
	Scope    string // of the line, in the ledger
	Line     string // "" for none
	Accepted *accepted.Store
	Shown    func(ledger.Conflict) report.Conflict

	// Find finds and reads the source files of a tree.
	Find func(fsys fs.FS, reading func(done, total int)) (*tree.Tree, error)
	// Unsent counts, by language, the translations of a tree that the next push is to send.
	Unsent func(*gitops.Repo, *tree.Tree) (map[string]int, error)
	// Subject says what the problems of a pull are about, which left the branch and its base like that.
	Subject func(*gitops.Tip) string

	push, pull report.Past // the last ones
}

// Remembered puts into the status what is remembered of passes, jobs, conflicts and the request.
func (p *View) Remembered(s *report.ProjectStatus) error {
	for _, at := range []struct {
		id   string
		past *report.Past
		to   **report.Past
	}{{ledger.PassPush, &p.push, &s.LastPush}, {ledger.PassPull, &p.pull, &s.LastPull}} {
		past, ok, err := p.lastPast(at.id)
		if err != nil {
			return err
		}
		if ok {
			*at.past, *at.to = past, past.Shown()
			s.Held += past.Held
		}
	}
	jobs, err := ledger.Jobs.List(p.Ledger, p.Scope)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		s.Jobs = append(s.Jobs, report.Job{Kind: j.Kind, Known: j.Service != "", Since: j.At})
	}
	if err := p.conflicts(s); err != nil {
		return err
	}
	q, _, err := ledger.Requests.Get(p.Ledger, p.Scope, p.Config.Pull.Branch)
	s.RequestURL = q.URL
	return err
}

// lastPast is how the last pass of a kind ended: the line's, or one of the project that did not come as far as to a
// line.
func (p *View) lastPast(id string) (report.Past, bool, error) {
	past, ok, err := ledger.Passes.Get(p.Ledger, p.Scope, id)
	if err != nil || p.Line == "" {
		return past, ok, err
	}
	before, some, err := ledger.Passes.Get(p.Ledger, p.Project, id)
	if some && (!ok || before.At.After(past.At)) {
		if before.GoodAt.Before(past.GoodAt) {
			before.GoodAt = past.GoodAt
		}
		return before, true, err
	}
	return past, ok, err
}

// Read puts into the status what is in the repository, beside what is remembered of it. fsys is the tree that pushes
// read.
func (p *View) Read(repo *gitops.Repo, fsys fs.FS, s *report.ProjectStatus) error {
	p.link(repo, s)
	t, err := p.Find(fsys, nil)
	if err != nil {
		return err
	}
	waiting, err := p.stillWaiting(repo)
	if err != nil {
		return err
	}
	pulls, err := p.ofPull(p.pull, repo)
	if err != nil {
		return err
	}
	nothing := t.Nothing(p.Config, "the tree that is pushed")
	s.Problems = slices.Concat(nothing, t.Problems, waiting, p.living(p.push.Problems, t), pulls, s.Problems)
	return p.count(repo, s, t)
}

// link finds the web pages of the branch and of the last pull's commit, which the remote has unless the pull failed.
func (p *View) link(repo *gitops.Repo, s *report.ProjectStatus) {
	s.Branch = p.Config.Pull.Branch
	address, cfg := repo.Address(), &p.Config.Pull.Request
	if address == "" {
		return
	}
	pages := forge.PagesOf(address, cfg.Kind, cfg.URL, cfg.Repository)
	if tip, err := repo.Seen(p.Config.Pull.Branch, p.Config.Pull.Base); err == nil && !tip.New() {
		s.BranchURL = pages.Branch(p.Config.Pull.Branch)
	}
	for i, e := range s.Events {
		if e.Commit != "" && p.Config.Pull.Remote != "" {
			s.Events[i].URL = pages.Commit(e.Commit)
		}
	}
	if s.LastPull != nil && s.LastPull.Result != report.ResultFailed {
		s.LastPull.CommitURL = pages.Commit(s.LastPull.Commit)
	}
}

// conflicts lists what waits for a decision.
func (p *View) conflicts(s *report.ProjectStatus) error {
	all, err := ledger.Conflicts.List(p.Ledger, p.Scope)
	slices.SortFunc(all, func(a, b ledger.Conflict) int { return cmp.Compare(a.ID(), b.ID()) })
	for _, stored := range all {
		c := p.Shown(stored)
		s.Conflicts = append(s.Conflicts, c)
		s.Problems = append(s.Problems, c.Problem())
	}
	if len(all) > 0 && s.LastPush != nil && s.LastPush.Result == report.ResultOK {
		// a push that had nothing new to say about them has sent them no more than the one before
		s.LastPush.Result = report.ResultPartial
	}
	return err
}
