package engine

import (
	"fmt"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
)

// A translation branch that was squashed and deleted is not made anew for nothing: what main has kept of it is what
// the merge would bring.
func TestADeletedBranchStaysGone(t *testing.T) {
	gittest.Need(t)
	for _, fresh := range [][]string{nil, {}} {
		u := newUniverse(t, fmt.Sprintf(cloneProject, "final", "final"), fresh, lateBy)
		edit := func(path, key, text string) {
			u.edits(path, func(texts map[string]string) { texts[key] = text })
		}
		u.passes("pull", push.Options{}, pull.Options{})
		edit(deApp, "e", "text 1")
		u.edits("locales/en/app.json", func(texts map[string]string) { texts["cx"], texts["c"] = texts["c"], "text 2" })
		u.passes("sync", push.Options{}, pull.Options{})
		if texts := gittest.Git(t, u.bare, "show", "l10n:"+deApp); texts == gittest.Git(t, u.bare, "show", "main:"+deApp) {
			t.Fatalf("the branch takes nothing out: %s", texts)
		}
		edit(deApp, "e", "text 4") // beside what the branch has taken out: the squash merge keeps main's
		u.merges("squash and delete")
		said := u.passes("sync", push.Options{}, pull.Options{})
		if out, err := gittest.TryGit(t, u.bare, "log", "-1", "--format=%H %s", "l10n"); err == nil {
			t.Errorf("with %q: %s\n%s", fresh, out, said)
		}
	}
}
