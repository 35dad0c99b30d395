package gitops

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// CI systems make a repository, fetch a branch and check its commit out: only the remote can say which branch is its
// default one.
func TestDefaultBranchOfADetachedCheckout(t *testing.T) {
	t.Parallel()
	source := gittest.Init(t, map[string]string{"a": "a"})
	bare := gittest.Bare(t, source)
	for _, address := range []string{bare, "../" + filepath.Base(bare)} {
		dir := filepath.Join(filepath.Dir(bare), "job")
		gittest.Git(t, filepath.Dir(bare), "init", "-q", dir)
		gittest.Git(t, dir, "remote", "add", "origin", address)
		gittest.Git(t, dir, "-c", "remote.origin.followRemoteHEAD=never", "fetch", "-q", "origin",
			"+refs/heads/main:refs/remotes/origin/main")
		gittest.Git(t, dir, "checkout", "-q", "--detach", "origin/main")
		r, err := Open(t.Context(), dir, Options{Remote: "origin"})
		if err != nil {
			t.Fatal(err)
		}
		tip, err := r.At(t.Context(), "l10n", "")
		if err != nil || !tip.New() {
			t.Errorf("%s: %v, %v", address, tip, err)
		}
		if base, err := r.Branches.Base(); err != nil || base != "main" {
			t.Errorf("%s: the base is %q, %v", address, base, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}
