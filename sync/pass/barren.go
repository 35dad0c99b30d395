package pass

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
)

// prunedTree is a commit without its barren folders, which are not listed.
type prunedTree struct {
	*gitops.Tip
	barren map[string]string
	seen   map[string]listing // by path
}

type listing struct {
	folders map[string]string
	links   bool
}

func (t *prunedTree) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := t.Tip.ReadDir(name)
	if err != nil {
		return nil, err
	}
	var l listing
	if l.folders, l.links, err = t.Folders(name); err != nil {
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

// findSources is bundle.Find for a commit that a push reads, in the folders that are not known to be barren. A dry run takes no note of those.
func (p *Branch) FindSources(tip *gitops.Tip, dry bool) ([]*bundle.Bundle, []report.Problem, error) {
	if !slices.ContainsFunc(p.Project.WatchPatterns(), func(pattern string) bool { return strings.Contains(pattern, "**") }) {
		return bundle.Find(tip, p.Project)
	}
	last, _, err := ledger.Emptied.Get(p.Ledger, p.StateName(), p.Project.Push.Source)
	if err != nil {
		return nil, nil, err
	}
	if last.Config != p.Configured() {
		last = ledger.Folders{Config: p.Configured()}
	}
	t := &prunedTree{Tip: tip, barren: last.Folders, seen: make(map[string]listing)}
	found, problems, err := bundle.Find(t, p.Project)
	if err != nil {
		return nil, nil, err
	}
	now := ledger.Folders{Config: last.Config}
	if len(problems) == 0 { // else something was found that is not in use
		now.Folders = t.barrenNow(found)
	}
	if dry || maps.Equal(now.Folders, last.Folders) {
		return found, problems, nil
	}
	return found, problems, ledger.Emptied.Put(p.Ledger, p.StateName(), p.Project.Push.Source, now)
}
