// Package history answers questions about commits: who descends from whom, where two lines meet, what one has and the
// others lack. All of them walk from the tips by commit date, youngest first, and stop as soon as the answer cannot
// change; the cost is the distance between the tips, not the age of the repository. go-git walks a history to its
// beginning, and a git process takes longer to start than a usual walk takes.
package history

import (
	"bufio"
	"container/heap"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/locsync/locsync/gitops/object"
)

// Graph is the commits of one repository.
type Graph struct {
	objects *object.Store
	common  string
	cut     atomic.Pointer[map[object.Name]bool] // commits whose parents were left out
}

// Open reads where a shallow clone was cut.
func Open(common string, objects *object.Store) (*Graph, error) {
	g := &Graph{objects: objects, common: common}
	return g, g.Reload()
}

// Reload reads again where a shallow clone is cut.
func (g *Graph) Reload() error {
	cut, err := readShallow(g.common)
	if err == nil {
		g.cut.Store(&cut)
	}
	return err
}

// Shallow says whether history is cut off somewhere.
func (g *Graph) Shallow() bool { return len(*g.cut.Load()) > 0 }

// Cuts says whether a shallow clone was cut at one of these commits.
func (g *Graph) Cuts(commits []*object.CommitData) bool {
	cut := *g.cut.Load()
	return slices.ContainsFunc(commits, func(c *object.CommitData) bool { return cut[c.Hash] })
}

// readShallow gives the commits whose parents were left out by a shallow clone.
func readShallow(common string) (map[object.Name]bool, error) {
	f, err := os.Open(filepath.Join(common, "shallow"))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	defer f.Close()
	cut := map[object.Name]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if h, ok := object.Parse(strings.TrimSpace(lines.Text())); ok {
			cut[h] = true
		}
	}
	return cut, nil
}

// Commit reads a commit. The parents of a commit where a shallow clone was cut are not there and count as none.
func (g *Graph) Commit(h object.Name) (*object.CommitData, error) {
	data, err := g.objects.ReadAs(object.Commit, h)
	if err != nil {
		return nil, err
	}
	c, err := object.ParseCommit(h, data)
	if err == nil && (*g.cut.Load())[h] {
		c.Parents = nil
	}
	return c, err
}

// Marks of a walk.
const (
	fromOne = 1 << iota // reachable from the first side
	fromTwo             // reachable from the second
	stale               // reachable from an answer: no answer itself, and nothing below it
	isResult
)

// walk is a frontier of commits, youngest first. Commits of the same second come in the order in which they were met.
type walk struct {
	g     *Graph
	seen  map[object.Name]*walked
	queue []*walked
	met   int
}

type walked struct {
	*object.CommitData
	flags  int
	met    int
	queued bool
}

func (w *walk) Len() int { return len(w.queue) }
func (w *walk) Less(i, j int) bool {
	if w.queue[i].When != w.queue[j].When {
		return w.queue[i].When > w.queue[j].When
	}
	return w.queue[i].met < w.queue[j].met
}
func (w *walk) Swap(i, j int) { w.queue[i], w.queue[j] = w.queue[j], w.queue[i] }
func (w *walk) Push(x any)    { w.queue = append(w.queue, x.(*walked)) }
func (w *walk) Pop() any {
	last := w.queue[len(w.queue)-1]
	w.queue = w.queue[:len(w.queue)-1]
	return last
}

// mark adds flags to a commit and puts it on the frontier if that told it anything new.
func (w *walk) mark(h object.Name, flags int) error {
	c := w.seen[h]
	if c == nil {
		read, err := w.g.Commit(h)
		if err != nil {
			return err
		}
		w.met++
		c = &walked{CommitData: read, met: w.met}
		w.seen[h] = c
	}
	if c.flags&flags == flags {
		return nil
	}
	c.flags |= flags
	if !c.queued {
		c.queued = true
		heap.Push(w, c)
	}
	return nil
}

func (w *walk) next() *walked {
	c := heap.Pop(w).(*walked)
	c.queued = false
	return c
}

// live says whether anything on the frontier can still change the answer.
func (w *walk) live(dead int) bool {
	return slices.ContainsFunc(w.queue, func(c *walked) bool { return c.flags&dead == 0 })
}

// Bases gives the best common ancestors of two commits, in the order in which git names them: youngest first.
// Empty when they have no common history.
func (g *Graph) Bases(one, two object.Name) ([]object.Name, error) {
	if one == two {
		return []object.Name{one}, nil
	}
	w := &walk{g: g, seen: map[object.Name]*walked{}}
	if err := w.mark(one, fromOne); err != nil {
		return nil, err
	}
	if err := w.mark(two, fromTwo); err != nil {
		return nil, err
	}
	var results []*walked
	for w.live(stale) {
		c := w.next()
		flags := c.flags & (fromOne | fromTwo | stale)
		if flags == fromOne|fromTwo {
			if c.flags&isResult == 0 {
				c.flags |= isResult
				results = append(results, c)
			}
			flags |= stale
		}
		for _, parent := range c.Parents {
			if err := w.mark(parent, flags); err != nil {
				return nil, fmt.Errorf("walk from %s: %w", c.Hash, err)
			}
		}
	}
	var bases []object.Name
	for _, c := range results {
		if c.flags&stale == 0 {
			bases = append(bases, c.Hash)
		}
	}
	if len(bases) < 2 {
		return bases, nil
	}
	return g.withoutAncestors(bases)
}

// withoutAncestors drops those that another one descends from; only clocks that ran backwards leave any. It ends,
// because what is asked then is about older commits.
func (g *Graph) withoutAncestors(bases []object.Name) (kept []object.Name, err error) {
	for _, h := range bases {
		redundant := false
		for _, other := range bases {
			if redundant || other == h {
				continue
			}
			if redundant, err = g.Contains(other, h); err != nil {
				return nil, err
			}
		}
		if !redundant {
			kept = append(kept, h)
		}
	}
	return kept, nil
}

// Contains says whether descendant has ancestor in its history, or is it.
func (g *Graph) Contains(descendant, ancestor object.Name) (bool, error) {
	if descendant == ancestor {
		return true, nil
	}
	bases, err := g.Bases(descendant, ancestor)
	return slices.Contains(bases, ancestor), err
}

// Ahead gives the commits that tip has in its history and none of the others has, youngest first. Others that are not
// here are passed over. A clock that ran backwards can make it name a commit too many, never one too few.
func (g *Graph) Ahead(tip object.Name, others []object.Name) ([]*object.CommitData, error) {
	w := &walk{g: g, seen: map[object.Name]*walked{}}
	for _, h := range others {
		if !h.IsZero() && g.objects.Has(h) {
			if k, _, err := g.objects.Size(h); err != nil || k != object.Commit {
				continue // a tag of something: no help in a walk of commits
			}
			if err := w.mark(h, fromTwo); err != nil {
				return nil, err
			}
		}
	}
	if err := w.mark(tip, fromOne); err != nil {
		return nil, err
	}
	var met []*walked
	for w.live(fromTwo) {
		c := w.next()
		if c.flags&fromTwo == 0 && c.flags&isResult == 0 {
			c.flags |= isResult
			met = append(met, c)
		}
		for _, parent := range c.Parents {
			if err := w.mark(parent, c.flags&(fromOne|fromTwo)); err != nil {
				return nil, err
			}
		}
	}
	var result []*object.CommitData
	for _, c := range met {
		if c.flags&fromTwo == 0 {
			result = append(result, c.CommitData)
		}
	}
	return result, nil
}

// Youngest gives the youngest commits that a tip has in its history, itself among them.
func (g *Graph) Youngest(tip object.Name, most int) (commits []*object.CommitData, err error) {
	w := &walk{g: g, seen: map[object.Name]*walked{}}
	for err = w.mark(tip, fromOne); err == nil && len(w.queue) > 0 && len(commits) < most; {
		c := w.next()
		commits = append(commits, c.CommitData)
		for _, parent := range c.Parents {
			err = errors.Join(err, w.mark(parent, fromOne))
		}
	}
	return commits, err
}
