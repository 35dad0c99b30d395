package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
)

// source is one source file as a pass found it.
type source struct {
	*bundle.Bundle
	file  *resource.File    // nil when it could not be read
	texts catalog.Catalog   // without the names that clash
	clash map[string]string // keys that are not sent, and why
}

// broken reports whether the file could not be read, so that nothing may be concluded from what it lacks.
func (s *source) broken() bool { return s.file == nil }

// tree is the source files of a project in one tree of files.
type tree struct {
	fsys     fs.FS
	sources  []*source
	problems []report.Problem
	look     *gitops.Look // of a working tree: at git, before it was read
}

// readTree finds and reads the source files in a tree.
func (p *project) readTree(fsys fs.FS, reading func(done, total int)) (*tree, error) {
	bundles, problems, err := bundle.Find(fsys, p.cfg)
	if err == nil && p.State != nil {
		bundles, err = p.withClosed(fsys, bundles)
	}
	if err != nil {
		return nil, err
	}
	return readFound(fsys, bundles, problems, reading)
}

// withClosed adds the source files that were pushed and are in a folder that may not be read now: they are not gone.
func (p *project) withClosed(fsys fs.FS, found []*bundle.Bundle) ([]*bundle.Bundle, error) {
	slots, err := ledger.Pushed.Slots(p.State, p.stateName())
	if err != nil {
		return nil, err
	}
	have := make(map[string]bool, len(found))
	for _, b := range found {
		have[b.Path] = true
	}
	for _, slot := range slots {
		if have[slot.Path] {
			continue
		}
		if _, err := fs.Stat(fsys, slot.Path); !errors.Is(err, fs.ErrPermission) {
			continue
		}
		if b := bundle.Of(p.cfg, slot.Path); b != nil {
			found, have[b.Path] = append(found, b), true
		}
	}
	return found, nil
}

// readFound reads the source files that were found; reading, which may be nil, is told how many are.
func readFound(fsys fs.FS, bundles []*bundle.Bundle, problems []report.Problem, reading func(done, total int)) (*tree, error) {
	t := &tree{fsys: fsys, problems: problems}
	for i, b := range bundles {
		if reading != nil {
			reading(i, len(bundles))
		}
		s := &source{Bundle: b}
		f, problem, err := b.Read(fsys, b.Path, b.Source)
		switch {
		case err != nil:
			return nil, err
		case problem != nil:
			t.problems = append(t.problems, *problem)
		case f != nil:
			s.file, s.texts = f, bundle.Texts(f)
			t.problems = append(t.problems, bundle.Findings(f, b.Path, b.Source)...)
		}
		t.sources = append(t.sources, s)
	}
	t.findClashes()
	return t, nil
}

func (t *tree) bundles() []*bundle.Bundle {
	bundles := make([]*bundle.Bundle, len(t.sources))
	for i, s := range t.sources {
		bundles[i] = s.Bundle
	}
	return bundles
}

func (t *tree) of(b *bundle.Bundle) *source {
	for _, s := range t.sources {
		if s.Bundle == b {
			return s
		}
	}
	return nil
}

// findClashes takes out keys that a collection has twice with different texts, and keys that begin another in a
// structured format: the service has one text for both, so that each push would overwrite the other.
func (t *tree) findClashes() {
	collections := make(map[string][]*source)
	for _, s := range t.sources {
		if !s.broken() {
			s.clash = clashesWithin(s.file)
			collections[s.Collection] = append(collections[s.Collection], s)
		}
	}
	for _, sources := range collections {
		clashesBetween(sources)
		clashesOfNesting(sources)
	} // in any order: a file has one collection
	for _, s := range t.sources {
		if len(s.clash) == 0 {
			continue
		}
		var kept catalog.Catalog
		told := make(map[string]bool)
		for _, u := range s.texts {
			why, bad := s.clash[u.Key]
			if !bad {
				kept = append(kept, u)
			} else if !told[u.Key] {
				told[u.Key] = true
				t.problems = append(t.problems, report.Problem{Code: report.CodeClash,
					File: s.Path, Key: u.Key, Language: s.Source.Code, Problem: why})
			}
		}
		s.texts = kept
	}
}

// clashesWithin finds the keys that stand twice in a file, with different texts.
func clashesWithin(f *resource.File) map[string]string {
	clash := make(map[string]string)
	for _, d := range f.Duplicates() {
		one, two := f.Text(d[0]), f.Text(d[1])
		if f.Node(d[0]).Kind == resource.Text && f.Node(d[1]).Kind == resource.Text && one != two {
			clash[f.KeyOf(d[1])] = fmt.Sprintf("stands twice with different texts, %q and %q; neither is sent until one is left", one, two)
		}
	}
	return clash
}

// clashesBetween finds the keys that files of one collection have with different values. The forms of a key are one value.
func clashesBetween(sources []*source) {
	first := make(map[string]*source)
	shared := make(map[string][]*source) // keys of more than one file
	for _, s := range sources {
		for key := range s.texts.Keys() {
			if first[key] == nil {
				first[key] = s
				continue
			}
			if shared[key] == nil {
				shared[key] = []*source{first[key]}
			}
			shared[key] = append(shared[key], s)
		}
	}
	if len(shared) == 0 {
		return
	}
	values := make(map[*source]map[string]catalog.Marks)
	for _, s := range sources {
		values[s] = make(map[string]catalog.Marks)
		for _, u := range s.texts {
			if shared[u.Key] == nil {
				continue
			}
			if values[s][u.Key] == nil {
				values[s][u.Key] = make(catalog.Marks)
			}
			values[s][u.Key][u.Name] = catalog.MarkOf(u.Text)
		}
	}
	for key, all := range shared {
		for _, s := range all {
			for _, other := range all {
				if !maps.Equal(values[s][key], values[other][key]) {
					s.clash[key] = fmt.Sprintf("stands in %s with another text, in the same collection %q; neither is sent until they agree or the files have collections of their own", other.Path, s.Collection)
					break
				}
			}
		}
	}
}

// clashesOfNesting finds keys of a collection that are both a text and the beginning of others, which no nested file can hold.
func clashesOfNesting(sources []*source) {
	type text struct{ separator, key string }
	keys := make(map[text][]*source)
	for _, s := range sources {
		if s.Separator == "" {
			continue
		}
		for key := range s.texts.Keys() {
			keys[text{s.Separator, key}] = append(keys[text{s.Separator, key}], s)
		}
	}
	tell := func(s *source, key, why string) {
		if s.clash[key] == "" { // of several the first is named
			s.clash[key] = why
		}
	}
	inOrder := slices.SortedFunc(maps.Keys(keys), func(a, b text) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.separator, b.separator))
	})
	for _, below := range inOrder {
		for at := 0; ; {
			next := strings.Index(below.key[at:], below.separator)
			if next < 0 {
				break
			}
			above := text{below.separator, below.key[:at+next]}
			for _, s := range keys[above] {
				tell(s, above.key, fmt.Sprintf("is a text and also the beginning of %q; neither is sent until one is renamed", below.key))
				for _, s := range keys[below] {
					tell(s, below.key, fmt.Sprintf("stands below %q, which is a text itself; neither is sent until one is renamed", above.key))
				}
			}
			at += next + len(below.separator)
		}
	}
}

// pushTree is the tree that pushes read: the working tree, or a branch as it is committed. held is why nothing may be pushed
// from it now; empty when it may.
func (p *project) pushTree(ctx context.Context, dry bool) (t *tree, held string, err error) {
	var fsys fs.FS
	if p.cfg.Push.Source != config.Worktree {
		tip, err := p.repo.At(ctx, p.cfg.Push.Source, p.cfg.Push.Source)
		if tip, err = p.committed(p.repo, tip, err); err == nil {
			err = p.fetchBlobs(ctx, tip)
		}
		if err != nil {
			return nil, "", usage(err)
		}
		bundles, problems, err := p.findSources(tip, dry)
		if err != nil {
			return nil, "", err
		}
		t, err = readFound(tip, bundles, problems, p.reading)
		return t, "", err
	}
	fsys, err = p.repo.Worktree()
	if err != nil {
		return nil, "", &UsageError{p.cfg.Blame("push.source", fmt.Errorf("%w; set it to the name of a branch", err))}
	}
	for deadline := p.Now().Add(patience); ; {
		if err := p.settled(ctx, deadline); err != nil {
			return nil, "", err
		}
		look, err := p.repo.Look()
		if err != nil {
			return nil, "", err
		}
		if p.line != "" && look.Branch != p.line {
			return nil, "", errStirred
		}
		if covered, err := p.covered(look.Branch, look.Commit); err != nil || !covered {
			return nil, p.notCovered(look.Branch), err
		}
		t, err = p.readTree(fsys, p.reading)
		if err != nil {
			return nil, "", err
		}
		// What was read while git changed it is read again.
		t.look = &look
		moved, err := p.moved(ctx, t)
		if err != nil {
			return nil, "", err
		}
		if !moved {
			return t, "", nil
		}
		if !p.Now().Before(deadline) {
			return nil, "", fmt.Errorf("%w: it changes the working tree all the time; it is tried again", gitops.ErrBusy)
		}
	}
}

// covered reports whether pushes from the working tree happen now. CI systems check out a commit, so one that is the tip of a covered branch counts as it.
func (p *project) covered(branch, commit string) (bool, error) {
	if p.cfg.Push.Covers(branch) || branch != "" || commit == "" {
		return p.cfg.Push.Covers(branch), nil
	}
	return p.repo.Branches.IsTip(commit, p.cfg.Push.Covers)
}

// notCovered is why nothing is pushed from what is checked out.
func (p *project) notCovered(branch string) string {
	covered := strings.Join(p.cfg.Push.Branches, ", ")
	if branch == "" {
		return "HEAD is detached, at a commit that is not the tip of a branch in push.branches, which covers only " + covered
	}
	return fmt.Sprintf("branch %q is checked out, and push.branches covers only %s", branch, covered)
}

// committed is the branch that pushes read, given its tip as the remote has it: the branch of that name here, where that has all of it, and commits that are
// not published yet or nowhere else.
func (p *project) committed(repo *gitops.Repo, there *gitops.Tip, err error) (*gitops.Tip, error) {
	if p.cfg.Cloned() || err != nil && !errors.Is(err, gitops.ErrNoBranch) {
		return there, err
	}
	here, herr := repo.Here(p.cfg.Push.Source)
	switch {
	case errors.Is(herr, gitops.ErrNoBranch):
		return there, err
	case herr != nil || err != nil:
		return here, herr
	}
	if ahead, err := repo.History.Contains(here.Hash(), there.Hash()); err != nil || !ahead {
		return there, err
	}
	return here, nil
}

// errStirred means that git wrote its index, and maybe files, while they were read.
var errStirred = fmt.Errorf("%w: it changed the working tree while it was read; it is tried again", gitops.ErrBusy)

// lookAnew makes what is read from now on count, where git has only come back to the commit that the sources were read from, or looked at
// the files itself. Where it has not, the pass has to begin again.
func (r *pushing) lookAnew(ctx context.Context) error {
	if err := r.project.settled(ctx, r.Now().Add(patience)); err != nil {
		return err
	}
	now, err := r.repo.Look()
	if err != nil {
		return err
	}
	if now.Branch != r.tree.look.Branch || now.Commit != r.tree.look.Commit {
		return errStirred
	}
	r.tree.look = &now
	return nil
}

// moved reports whether git has changed the working tree since a tree was read from it. It waits until git has been quiet for a moment.
func (p *project) moved(ctx context.Context, t *tree) (bool, error) {
	if t.look == nil {
		return false, nil // a commit
	}
	for {
		now, err := p.repo.Look()
		if err != nil {
			return false, err
		}
		if p.repo.Busy() != "" || !now.Same(*t.look) {
			return true, nil
		}
		wait := now.Fresh()
		if wait == 0 {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// patience is how long a pass waits for git to finish what it is in the middle of.
const patience = 10 * time.Second

// settled waits until git is not in the middle of something in the working tree: what lies there during a rebase or checkout is
// nobody's intention.
func (p *project) settled(ctx context.Context, deadline time.Time) error {
	for {
		busy := p.repo.Busy()
		if busy == "" {
			p.gitBusy.Ends()
			return nil
		}
		p.gitBusy.Is(p.Now())
		p.say("waiting for git: %s in progress", busy)
		if !p.Now().Before(deadline) {
			return fmt.Errorf("%w: %s in progress; it is tried again when that is over", gitops.ErrBusy, busy)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// usage marks errors of the repository that stay until somebody changes something.
func usage(err error) error {
	for _, stays := range []error{gitops.ErrGit, gitops.ErrOwner, gitops.ErrNoBranch, gitops.ErrAuth, gitops.ErrUntrusted, gitops.ErrUnsupported, gitops.ErrSign} {
		if errors.Is(err, stays) {
			return &UsageError{err}
		}
	}
	return err
}
