package pass

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// FindTree finds and reads the source files in a working tree.
func (p *Branch) FindTree(fsys fs.FS, reading func(done, total int)) (*tree.Tree, error) {
	slots, err := ledger.Pushed.Slots(p.Ledger, p.StateName())
	if err != nil {
		return nil, err
	}
	return tree.FindPushed(fsys, p.Project, slots, reading)
}

// Covered reports whether pushes from the working tree happen now. CI systems check out a commit, so one that is the
// tip of a covered branch counts as it.
func (p *Branch) Covered(branch, commit string) (bool, error) {
	if p.Project.Push.Covers(branch) || branch != "" || commit == "" {
		return p.Project.Push.Covers(branch), nil
	}
	return p.Repo.Branches.IsTip(commit, p.Project.Push.Covers)
}

// NotCovered is why nothing is pushed from what is checked out.
func (p *Branch) NotCovered(branch string) string {
	covered := strings.Join(p.Project.Push.Branches, ", ")
	if branch == "" {
		return "HEAD is detached, at a commit that is not the tip of a branch in push.branches, which covers only " + covered
	}
	return fmt.Sprintf("branch %q is checked out, and push.branches covers only %s", branch, covered)
}

// Committed is the branch that pushes read, given its tip as the remote has it: the branch of that name here, where
// that has all of it, and commits that are not published yet or nowhere else.
func (p *Branch) Committed(repo *gitops.Repo, there *gitops.Tip, err error) (*gitops.Tip, error) {
	if p.Project.Cloned() || err != nil && !errors.Is(err, gitops.ErrNoBranch) {
		return there, err
	}
	here, herr := repo.Here(p.Project.Push.Source)
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

// UsageError marks errors of the repository that stay until something is changed.
func UsageError(err error) error {
	for _, stays := range []error{gitops.ErrGit, gitops.ErrOwner, gitops.ErrNoBranch, gitops.ErrAuth, gitops.ErrUntrusted,
		gitops.ErrUnsupported, gitops.ErrSign} {
		if errors.Is(err, stays) {
			return &failure.UsageError{Err: err}
		}
	}
	return err
}

// MakeRoom sees to it that the clone can have the branch of a pull's translations.
func (p *Branch) MakeRoom(ctx context.Context) error {
	if !p.Project.Cloned() {
		return nil
	}
	return p.Repo.Clone.MakeRoom(ctx, p.Project.Pull.Branch)
}

// FetchBlobs brings what a partial clone has left out of the files that a pass reads, in one request.
func (p *Branch) FetchBlobs(ctx context.Context, fsys fs.FS) error {
	tip, ok := fsys.(*gitops.Tip)
	if !ok {
		return nil
	}
	patterns := p.Project.WatchPatterns()
	return tip.Prefetch(ctx, patterns.Below, patterns.Match)
}

// prunedTree is a commit without its barren folders, which are not listed.
type prunedTree struct {
	tip    *gitops.Tip
	barren map[string]string
	seen   map[string]listing // by path
}

var (
	_ fs.ReadDirFS  = (*prunedTree)(nil)
	_ fs.ReadFileFS = (*prunedTree)(nil)
	_ fs.StatFS     = (*prunedTree)(nil)
	_ fs.ReadLinkFS = (*prunedTree)(nil)
)

type listing struct {
	folders map[string]string
	links   bool
}

// Open is that of the commit, as are the others but for ReadDir.
func (t *prunedTree) Open(name string) (fs.File, error) { return t.tip.Open(name) }

// ReadFile reads a file.
func (t *prunedTree) ReadFile(name string) ([]byte, error) { return t.tip.ReadFile(name) }

// Stat describes what is there, at the end of links.
func (t *prunedTree) Stat(name string) (fs.FileInfo, error) { return t.tip.Stat(name) }

// Lstat describes what is there, be it a link.
func (t *prunedTree) Lstat(name string) (fs.FileInfo, error) { return t.tip.Lstat(name) }

// ReadLink is where a link leads to.
func (t *prunedTree) ReadLink(name string) (string, error) { return t.tip.ReadLink(name) }

// ReadDir is that of the commit, without barren folders.
func (t *prunedTree) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := t.tip.ReadDir(name)
	if err != nil {
		return nil, err
	}
	var l listing
	if l.folders, l.links, err = t.tip.Folders(name); err != nil {
		return nil, err
	}
	t.seen[name] = l
	return slices.DeleteFunc(list, func(e fs.DirEntry) bool {
		content, folder := l.folders[e.Name()]
		return folder && t.barren[path.Join(name, e.Name())] == content
	}), nil
}

// rest reports whether all of a folder was looked into, and leads nowhere else.
func (t *prunedTree) rest(name, content string) bool {
	if t.barren[name] == content {
		return true
	}
	l, listed := t.seen[name]
	if !listed || l.links {
		return false
	}
	for child, content := range l.folders {
		if !t.rest(path.Join(name, child), content) {
			return false
		}
	}
	return true
}

// barrenNow are the topmost folders in which nothing was found.
func (t *prunedTree) barrenNow(found []*bundle.Bundle) map[string]string {
	way := make(map[string]bool) // folders on the way to what was found
	for _, b := range found {
		for at := path.Dir(b.Path); at != "." && !way[at]; at = path.Dir(at) {
			way[at] = true
		}
	}
	now := make(map[string]string)
	for name, l := range t.seen {
		if name != "." && !way[name] {
			continue // it is barren itself, or below one that is
		}
		for child, content := range l.folders {
			if at := path.Join(name, child); !way[at] && t.rest(at, content) {
				now[at] = content
			}
		}
	}
	return now
}

// FindSources is bundle.Find for a commit that a push reads, in the folders that are not known to be barren.
func (p *Branch) FindSources(tip *gitops.Tip) ([]*bundle.Bundle, []report.Problem, error) {
	if !slices.ContainsFunc(p.Project.WatchPatterns(),
		func(pattern string) bool { return strings.Contains(pattern, "**") }) {
		return bundle.Find(tip, p.Project)
	}
	last, _, err := ledger.Emptied.Get(p.Ledger, p.StateName(), p.Project.Push.Source)
	if err != nil {
		return nil, nil, err
	}
	if last.Config != p.Configured() {
		last = ledger.Folders{Config: p.Configured()}
	}
	t := &prunedTree{tip: tip, barren: last.Folders, seen: make(map[string]listing)}
	found, problems, err := bundle.Find(t, p.Project)
	if err != nil {
		return nil, nil, err
	}
	now := ledger.Folders{Config: last.Config}
	if len(problems) == 0 { // else something was found that is not in use
		now.Folders = t.barrenNow(found)
	}
	if maps.Equal(now.Folders, last.Folders) {
		return found, problems, nil
	}
	return found, problems, ledger.Emptied.Put(p.Ledger, p.StateName(), p.Project.Push.Source, now)
}
