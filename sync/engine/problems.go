package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// A problem is told by the status until it is repaired.
//
//   - What can be seen in the files, on the branch and in the state is looked for at every status, and not
//     remembered.
//   - Files of the branch or its base that a pull could not read are read again once the branches have moved.
//   - Branches that wait are remembered by project, and those of which it can be told here are checked again.
//   - What only the service, the remote or the git host can say is remembered until the next pass of that kind ends.
//     Of that, the status leaves out what is about a language, a file or a key that is gone.

// besides are problems without those that are found elsewhere.
func besides(problems []report.Problem, elsewhere map[report.Problem]bool) []report.Problem {
	var others []report.Problem
	for _, p := range problems {
		if !elsewhere[p] {
			others = append(others, p)
		}
	}
	return others
}

// stillHolding is how a pass ended that did not come to its end: what the one before it left out is left out still, as far as anybody knows.
func stillHolding(past, last report.Past) report.Past {
	past.Look = last.Look
	past.Problems = append(past.Problems, besides(last.Problems, setOf(past.Problems))...)
	past.Unread = append(past.Unread, besides(last.Unread, setOf(past.Unread))...)
	past.Held = max(past.Held, last.Held)
	return past
}

func setOf(problems []report.Problem) map[report.Problem]bool {
	set := make(map[report.Problem]bool, len(problems))
	for _, p := range problems {
		set[p] = true
	}
	return set
}

// outcome sums a pass up.
func outcome(at time.Time, keys int, commit string, problems []report.Problem, err error) report.Past {
	past := report.Past{At: at.UTC(), Result: report.ResultOK, Keys: keys, Commit: commit, Problems: problems}
	if report.LeavesOut(problems) {
		past.Result = report.ResultPartial
	}
	if err != nil {
		past.Result, past.Error, past.ErrorCode = report.ResultFailed, err.Error(), failure.Code(err)
	}
	return past
}

// ofPull are the problems that the last pull remembered, as far as they are about something that is still there. Where branch, base and
// configuration are as they were then, nothing of it can have changed.
func (p *project) ofPull(past report.Past, repo *gitops.Repo) ([]report.Problem, error) {
	if len(past.Problems)+len(past.Unread) == 0 {
		return nil, nil
	}
	tip, err := repo.Seen(p.cfg.Pull.Branch, p.cfg.Pull.Base)
	if errors.Is(err, gitops.ErrNoBranch) || err == nil && p.subject(look(tip)) == past.Look {
		return append(slices.Clone(past.Problems), past.Unread...), nil
	}
	if err != nil {
		return nil, err
	}
	places := []*gitops.Tip{tip}
	if base := tip.Base(); base != nil && base.Hash() != tip.Hash() {
		places = []*gitops.Tip{base, tip} // a pull takes base in
	}
	t, err := p.readTree(places[0], nil)
	if err != nil {
		return nil, err
	}
	unread := slices.Clone(t.Problems)
	for _, fsys := range places {
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

// subject says what the problems of a pull are about: where branch and base were, with which configuration.
func (p *project) subject(look string) string { return p.configured() + " " + look }

// living are the problems whose language, file and key are there. What is not known to be gone is.
func (p *project) living(problems []report.Problem, t *tree.Tree) []report.Problem {
	if len(problems) == 0 {
		return nil
	}
	sources := make(map[string][]*tree.Source) // by the paths of source files and of their translations
	labelled := false
	for _, s := range t.Sources {
		sources[s.Path] = append(sources[s.Path], s)
		labelled = labelled || s.Output.HasLabel()
	}
	languages := map[string]bool{p.cfg.SourceLanguage: true}
	for _, l := range p.cfg.Targets() {
		languages[l.Code] = true
	}
	for _, target := range bundle.Known(t.Bundles(), p.cfg.Targets()) {
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
func (p *project) unreadable(fsys fs.FS, t *tree.Tree) ([]report.Problem, error) {
	targets, err := bundle.Existing(fsys, t.Bundles(), p.cfg.Targets())
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

// keepWaiting remembers the branches that wait, in place of those that the last such pass found.
func (p *project) keepWaiting(pass string, now []ledger.WaitingBranch) error {
	before, _, err := ledger.Waiting.Get(p.State, p.projectName(), pass)
	if err != nil || slices.Equal(before, now) {
		return err
	}
	return ledger.Waiting.Put(p.State, p.projectName(), pass, now)
}

// stillWaiting are the problems of the branches that wait, as far as can be told.
func (p *project) stillWaiting(repo *gitops.Repo) ([]report.Problem, error) {
	var problems []report.Problem
	for _, pass := range []string{ledger.PassPush, ledger.PassPull} {
		all, _, err := ledger.Waiting.Get(p.State, p.projectName(), pass)
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

// leftOut is what a pull left out of one target file: for a check, the guard, or because it cannot be written.
type leftOut struct {
	bundle.Target
	keys map[string]bool
}

// looksAt begins the account of what is left out of a file.
func (r *pulling) looksAt(t bundle.Target) leftOut {
	id := ledger.TargetID(t.Path, t.Language.Code)
	if _, begun := r.left[id]; !begun {
		r.left[id] = leftOut{t, make(map[string]bool)}
	}
	return r.left[id]
}

// leaveOut reports a translation that is left out.
func (r *pulling) leaveOut(x translated, code, key, why string) {
	r.looksAt(x.Target).keys[key] = true
	r.problem(report.Problem{Code: code, File: x.Path, Key: key, Language: x.Language.Code, Problem: why})
}

// leaveChanges takes note of all that a file does not get which is left as it is.
func (r *pulling) leaveChanges(x translated, changes []catalog.Change) {
	left := r.looksAt(x.Target)
	for _, c := range changes {
		left.keys[c.Key] = true
	}
}

// keepLeft remembers what was left out of the files that a pull looked at, in place of what earlier ones left out of them.
func (r *pulling) keepLeft(tx ledger.Writer) error {
	for _, l := range r.left {
		slot := r.slot(ledger.LeftOut, l.Path, l.Language.Code)
		if len(l.keys) == 0 {
			if err := tx.DropMarks(slot); err != nil {
				return err
			}
			continue
		}
		marks := make(catalog.Marks, len(l.keys))
		for key := range l.keys {
			marks[catalog.Name{Key: key}] = catalog.Mark{}
		}
		if err := tx.SetMarks(slot, marks); err != nil {
			return err
		}
	}
	return nil
}

// heldKeys are the keys of the sources of a tree, as source path and key, of which a language's newest translation is held back: a pull left it out, or
// it waits for a decision. fsys is where file names are looked for that the service decides.
func (p *project) heldKeys(fsys fs.FS, t *tree.Tree, l config.Language, conflicts []report.Conflict) (map[string]bool, error) {
	slots, err := ledger.LeftOut.Slots(p.State, p.stateName())
	if err != nil {
		return nil, err
	}
	byPath := make(map[string]map[string]bool) // keys by target path
	for _, slot := range slots {
		if slot.Language != l.Code {
			continue
		}
		marks, err := p.State.Marks(slot)
		if err != nil {
			return nil, err
		}
		byPath[slot.Path] = make(map[string]bool, len(marks))
		for n := range marks {
			byPath[slot.Path][n.Key] = true
		}
	}
	for _, c := range conflicts {
		if c.Language == l.Code {
			if byPath[c.File] == nil {
				byPath[c.File] = make(map[string]bool)
			}
			byPath[c.File][c.Key] = true
		}
	}
	held := make(map[string]bool)
	if len(byPath) == 0 {
		return held, nil
	}
	targets, err := bundle.Existing(fsys, t.Bundles(), []config.Language{l})
	if err != nil {
		return nil, fmt.Errorf("look for translations that were held back: %w", err)
	}
	for _, target := range targets {
		left := byPath[target.Path]
		if len(left) == 0 {
			continue
		}
		for _, b := range target.Sources {
			for key := range t.Of(b).Texts.Keys() {
				if left[key] {
					held[b.Path+"\x00"+key] = true
				}
			}
		}
	}
	return held, nil
}

// valueOf is a change of a catalog as a dry run shows it; at is the catalog's index.
func valueOf(before catalog.Catalog, at map[catalog.Name]int, c catalog.Change) report.Value {
	v := report.Value{Key: c.Key, Form: c.Form}
	if c.Op != catalog.Removed {
		v.New = &c.Text
	}
	if i, there := at[c.Name]; there {
		v.Old = &before[i].Text
	}
	return v
}
