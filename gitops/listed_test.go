package gitops

import (
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

func TestListed(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"locales/en.json": "{}", "gone.json": "{}", "ü b/de.json": "{}",
		"kept.gen": "tracked before it was ignored"})
	gittest.Write(t, dir, map[string]string{".gitignore": "*.gen\nnode_modules\n", "new/fr.json": "{}", "made.gen": "",
		"node_modules/x/en.json": "{}", ".git/info/exclude": "private\n", "private/en.json": "{}"})
	gittest.Git(t, dir, "rm", "-q", "gone.json")
	r := open(t, dir, Options{})
	tracked, others, err := r.Listed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(others)
	if got := strings.Join(tracked, ", "); got != "kept.gen, locales/en.json, ü b/de.json" {
		t.Errorf("tracked: %s", got)
	}
	if got := strings.Join(others, ", "); got != ".gitignore, new/fr.json" {
		t.Errorf("others: %s", got)
	}
	for _, other := range []*Repo{open(t, gittest.Bare(t, dir), Options{})} {
		if tracked, others, err := other.Listed(t.Context()); err != nil || len(tracked)+len(others) > 0 {
			t.Error(tracked, others, err)
		}
	}
}
