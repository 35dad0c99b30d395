package history

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/locsync/locsync/gitops/object"
)

// A daemon opens each of its repositories again and again to find the commits that it read before: the tips of the same
// few branches. For a view of each, git would be started to read one.

// keptCommits are commits that were read of repositories. Content that has a name by its digest cannot be stale; in a
// folder of objects that was made anew it may be missing, and is read again.
type keptCommits struct {
	mu  sync.Mutex
	all map[keptAt]keptCommit
}

// keptAt is a commit of a repository, by its git folder.
type keptAt struct {
	dir  string
	name object.Name
}

type keptCommit struct {
	commit  *object.CommitData
	objects fs.FileInfo // the folder that it was read from
}

const (
	// mostKept is how many commits are kept; with more, all are read again.
	mostKept = 1 << 15
	// longestKept is the longest message of a commit that is kept, in bytes.
	longestKept = 1 << 10
)

var read = keptCommits{all: make(map[keptAt]keptCommit)}

// objects is the folder of objects.
func (g *Graph) objects() string { return filepath.Join(g.Dir, "objects") }

// kept is a commit that was read of the repository as it is; nil for none.
func (g *Graph) kept(h object.Name) *object.CommitData {
	objects, err := os.Stat(g.objects())
	if err != nil {
		return nil
	}
	return read.get(keptAt{g.Dir, h}, objects)
}

// get is a commit that is kept; nil for none.
func (k *keptCommits) get(at keptAt, objects fs.FileInfo) *object.CommitData {
	k.mu.Lock()
	defer k.mu.Unlock()
	if kept, is := k.all[at]; is && os.SameFile(kept.objects, objects) {
		return kept.commit
	}
	return nil
}

func (k *keptCommits) put(at keptAt, c keptCommit) {
	if len(c.commit.Message) > longestKept {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.all) >= mostKept {
		clear(k.all)
	}
	k.all[at] = c
}
