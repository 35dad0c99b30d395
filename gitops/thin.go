package gitops

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// A thin pack has files as differences from versions that the other side has. What a first export of everything changes in
// 84 MB of files is 30 MB compressed and half a MB of differences: half a minute of a slow line against nothing. The server
// then completes the pack, which costs it more than taking a whole one; so small packs stay as they are.

const (
	thinFrom    = 4 << 20  // of a pack
	thinLeast   = 1 << 10  // of a file
	thinLargest = 32 << 20 // of a file; the search for what is alike wants memory
)

// thinPack writes what a remote lacks to have a tip, as differences from the branch that it has. False, and nothing written,
// where a whole pack does as well.
func (r *Repo) thinPack(w io.Writer, t *Tip, have []hash) (bool, error) {
	if t.made != nil {
		if info, err := os.Stat(t.made.path); err == nil && info.Size() < thinFrom {
			return false, nil
		}
	}
	have = append(slices.Clone(have), t.there...)
	commits, err := r.ahead(t.commit, have)
	if err != nil || len(commits) == 0 {
		return false, err
	}
	base, ok, err := r.thinBase(commits, have)
	if err != nil || !ok {
		return false, err
	}
	objects, err := r.newObjects(commits)
	if err != nil {
		return false, err
	}
	total := int64(0)
	for _, h := range objects {
		_, n, err := r.objects.size(h)
		if err != nil {
			return false, err
		}
		total += n
	}
	if total < thinFrom {
		return false, nil
	}
	older, err := r.olderVersions(base, t.tree)
	if err != nil {
		return false, err
	}
	whole := r.objectAt(objects)
	_, _, err = encodePack(w, len(objects), func(i int) (object, error) {
		o, err := whole(i)
		old, ok := older[o.hash]
		if err != nil || !ok || len(o.data) < thinLeast || len(o.data) > thinLargest {
			return o, err
		}
		was, err := r.objects.readAs(kindBlob, old)
		if err != nil || len(was) > thinLargest {
			return o, nil // left out by a partial clone, as a rule
		}
		if delta := packfile.DiffDelta(was, o.data); len(delta) < len(o.data)/2 {
			return object{kind: deltaByName, hash: o.hash, data: delta, base: old}, nil
		}
		return o, nil
	})
	return true, err
}

// thinBase is the tree of a commit that the other side has and the new ones stand on.
func (r *Repo) thinBase(commits []*commit, have []hash) (tree hash, ok bool, err error) {
	for _, c := range commits {
		for _, parent := range c.parents {
			if slices.Contains(have, parent) {
				p, err := r.readCommit(parent)
				if err != nil {
					return hash{}, false, err
				}
				return p.tree, true, nil
			}
		}
	}
	return hash{}, false, nil
}

// olderVersions gives for the files of a tree that differ from another's the blob that stood at the same path.
func (r *Repo) olderVersions(before, after hash) (map[hash]hash, error) {
	pairs, err := compareTrees(context.Background(), r.readTree, r.readTree, before, after)
	if err != nil {
		return nil, err
	}
	older := map[hash]hash{}
	for _, p := range pairs {
		if p.old.isFile() && p.new.isFile() {
			older[p.new.hash] = p.old.hash
		}
	}
	return older, nil
}
