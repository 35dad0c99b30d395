package gitops

import (
	"container/heap"
	"fmt"
	"slices"

	"github.com/locsync/locsync/gitops/object"
)

// Questions about history: who descends from whom, where two lines meet, what one has and the others lack. All of them
// walk from the tips by commit date, youngest first, and stop as soon as the answer cannot change; the cost is the
// distance between the tips, not the age of the repository.

// readCommit reads a commit. The parents of a commit where a shallow clone was cut are not there and count as none.
func (p *place) readCommit(h hash) (*commit, error) {
	data, err := p.objects.ReadAs(object.Commit, h)
	if err != nil {
		return nil, err
	}
	c, err := object.ParseCommit(h, data)
	if err == nil && (*p.shallow.Load())[h] {
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
	p     *place
	seen  map[hash]*walked
	queue []*walked
	met   int
}

type walked struct {
	*commit
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
func (w *walk) mark(h hash, flags int) error {
	c := w.seen[h]
	if c == nil {
		read, err := w.p.readCommit(h)
		if err != nil {
			return err
		}
		w.met++
		c = &walked{commit: read, met: w.met}
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

// mergeBases gives the best common ancestors of two commits, in the order in which git names them: youngest first.
// Empty when they have no common history.
func (p *place) mergeBases(one, two hash) ([]hash, error) {
	if one == two {
		return []hash{one}, nil
	}
	w := &walk{p: p, seen: map[hash]*walked{}}
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
	var bases []hash
	for _, c := range results {
		if c.flags&stale == 0 {
			bases = append(bases, c.Hash)
		}
	}
	if len(bases) < 2 {
		return bases, nil
	}
	return p.withoutAncestors(bases)
}

// withoutAncestors drops those that another one descends from. Only clocks that ran backwards leave any for it, so a
// day below the candidate is far enough to look.
func (p *place) withoutAncestors(bases []hash) ([]hash, error) {
	const slack = 24 * 3600
	redundant := func(b *commit, other hash) (bool, error) {
		w := &walk{p: p, seen: map[hash]*walked{}}
		if err := w.mark(other, fromOne); err != nil {
			return false, err
		}
		for w.Len() > 0 {
			c := w.next()
			if c.Hash == b.Hash {
				return true, nil
			}
			if c.When < b.When-slack {
				return false, nil
			}
			for _, parent := range c.Parents {
				if err := w.mark(parent, fromOne); err != nil {
					return false, err
				}
			}
		}
		return false, nil
	}
	var kept []hash
	for i, h := range bases {
		b, err := p.readCommit(h)
		if err != nil {
			return nil, err
		}
		drop := false
		for j, other := range bases {
			if i == j || drop {
				continue
			}
			if drop, err = redundant(b, other); err != nil {
				return nil, err
			}
		}
		if !drop {
			kept = append(kept, h)
		}
	}
	return kept, nil
}

// contains says whether descendant has ancestor in its history, or is it.
func (p *place) contains(descendant, ancestor hash) (bool, error) {
	if descendant == ancestor {
		return true, nil
	}
	bases, err := p.mergeBases(descendant, ancestor)
	return slices.Contains(bases, ancestor), err
}

// Contains says whether a commit, given in hexadecimal like the other, is that one or has it in its history. What is
// not in this repository has nothing and is in nothing.
func (r *Repo) Contains(commit, ancestor string) (bool, error) {
	var hashes [2]hash
	for i, name := range []string{commit, ancestor} {
		h, ok := object.Parse(name)
		if !ok || h.IsZero() || !r.objects.Has(h) {
			return false, nil
		}
		hashes[i] = h
	}
	return r.contains(hashes[0], hashes[1])
}

// ahead gives the commits that tip has in its history and none of the others has, youngest first. Others that are not
// here are passed over. A clock that ran backwards can make it name a commit too many, never one too few.
func (p *place) ahead(tip hash, others []hash) ([]*commit, error) {
	w := &walk{p: p, seen: map[hash]*walked{}}
	for _, h := range others {
		if !h.IsZero() && p.objects.Has(h) {
			if k, _, err := p.objects.Size(h); err != nil || k != object.Commit {
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
	var result []*commit
	for _, c := range met {
		if c.flags&fromTwo == 0 {
			result = append(result, c.commit)
		}
	}
	return result, nil
}
