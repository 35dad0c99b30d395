package gitops

import (
	"slices"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// A line has what the tip of a branch was, and nothing of what was merged into it.
func TestLine(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"a": "1"})
	commit := func(args ...string) string {
		gittest.Git(t, dir, args...)
		return gittest.Git(t, dir, "rev-parse", "HEAD")
	}
	first := gittest.Git(t, dir, "rev-parse", "HEAD")
	gittest.Git(t, dir, "switch", "-qc", "side")
	side := commit("commit", "-q", "--allow-empty", "-m", "side")
	gittest.Git(t, dir, "switch", "-q", "main")
	second := commit("commit", "-q", "--allow-empty", "-m", "second")
	merge := commit("merge", "-q", "--no-ff", "-m", "merge", "side")
	h := open(t, dir, Options{}).History
	for _, c := range []struct {
		what, commit, without string
		want                  []string
	}{
		{"beyond the first", merge, first, []string{merge, second}},
		{"beyond what was merged", merge, side, []string{merge, second}},
		{"beyond itself", merge, merge, nil},
		{"beyond a later one", first, merge, nil},
		{"beyond none", merge, "", nil},
	} {
		got, err := h.Line(c.commit, c.without, 10)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v %v, want %v", c.what, got, err, c.want)
		}
	}
}
