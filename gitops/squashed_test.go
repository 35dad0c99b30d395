package gitops

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// A branch of ours that the remote deleted is done when base took in what it had as one commit, whatever came later;
// base's other commits are not read to see it.
func TestBranchesThatWereSquashed(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"l/de.json": "1", "l/[a].json": "1", "src/x": "x"})
	bare := gittest.Bare(t, dir)
	r := open(t, dir, Options{Remote: "origin"})
	push(t, r, commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("l/de.json", "2", "l/[a].json", "2")))
	ours := gittest.Git(t, dir, "rev-parse", "l10n")
	gittest.Git(t, bare, "branch", "-D", "l10n")
	if tip := at(t, r, "l10n", "main"); tip.Hash() != ours {
		t.Fatalf("a branch that was not merged: %s, not %s", tip.Hash(), ours)
	}
	gittest.CommitTo(t, bare, "main", map[string]string{"l/de.json": "2"})
	if tip := at(t, r, "l10n", "main"); tip.Hash() != ours {
		t.Fatalf("a branch of which base has a part: %s, not %s", tip.Hash(), ours)
	}
	gittest.CommitTo(t, bare, "main", map[string]string{"l/[a].json": "2", "src/x": "y"})
	gittest.CommitTo(t, bare, "main", map[string]string{"l/de.json": "3"})
	const others = 150
	var in bytes.Buffer
	for i := range others {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata 0\n")
		if i == 0 {
			in.WriteString("from refs/heads/main^0\n")
		}
		fmt.Fprintf(&in, "M 100644 inline src/%d\ndata 1\nx\n", i)
	}
	gittest.Input(t, bare, in.Bytes(), "fast-import", "--quiet")
	before := r.repo.Objects.Reads.Load()
	if tip := at(t, r, "l10n", "main"); !tip.New() || tip.Hash() != gittest.Git(t, bare, "rev-parse", "main") {
		t.Errorf("a branch that was merged by squash: %s", tip.Hash())
	}
	if reads := r.repo.Objects.Reads.Load() - before; reads > others {
		t.Errorf("%d objects were read beside %d commits of base that have nothing to do with it", reads, others)
	}
}
