package engine

import (
	"fmt"
	"testing"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// A decision for the repository is on the branch with the next pull, whatever the state of what pushes send, and merging
// the branch never undoes it: after the pull, or before it.
func TestADecisionForTheRepositoryStands(t *testing.T) {
	t.Parallel()
	for _, state := range completionStates {
		for _, merge := range []string{"after", "before", "squashed after"} {
			t.Run(fmt.Sprint(state, " ", merge), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, settings+"[project.push]\ncompletion_state = \""+string(state)+"\"\n"+jsonFiles,
					map[string]string{enApp: `{"a": "A", "b": "B", "n": "New"}`, deApp: `{"a": "DE A", "b": "T0"}`})
				w.bare()
				w.configure(w.config)
				w.syncs()
				w.final("de", "n", "Neu")
				w.syncs()
				w.final("de", "b", "by a translator")
				w.edit(deApp, `{"a": "DE A", "b": "by hand"}`)
				w.syncs()
				if got := w.on(t, "b"); got != "by a translator" {
					t.Fatalf("the branch has %q", got)
				}
				merges := func(options ...string) {
					w.git("fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*")
					w.git(append(append([]string{"merge", "-q"}, options...), "origin/l10n")...)
					if len(options) > 0 && w.git("status", "--porcelain", "-uno") != "" {
						w.git("commit", "-q", "-m", "squashed")
					}
					w.git("push", "-q", "origin", "main")
				}
				w.clean(push.Options{Ours: true, Keys: []string{"b"}})
				w.holds("main", "de", "b", "by hand")
				if merge == "before" {
					merges()
				}
				for range 3 {
					w.syncs()
					w.holds("main", "de", "b", "by hand")
					if got := w.on(t, "b"); got != "by hand" {
						t.Errorf("the branch has %q", got)
					}
					if merge == "squashed after" {
						merges("--squash")
					} else {
						merges()
					}
					if got := parsed(t, w.show("main", deApp))["b"]; got != "by hand" {
						t.Errorf("main has %q", got)
					}
				}
				w.final("de", "b", "a newer one") // the decision is about what it was shown
				w.syncs()
				if got := w.on(t, "b"); got != "a newer one" {
					t.Errorf("the branch has %q", got)
				}
			})
		}
	}
}

// A text that a push has sent is on the branch with the next pull, also where base does not have it yet.
func TestAnAcceptedTextIsOnTheBranch(t *testing.T) {
	t.Parallel()
	for _, state := range completionStates {
		w := newWorld(t, settings+"[project.push]\ncompletion_state = \""+string(state)+"\"\n"+jsonFiles,
			map[string]string{enApp: `{"a": "A", "b": "B", "n": "New"}`, deApp: `{"a": "DE A"}`})
		w.bare()
		w.configure(w.config)
		w.syncs()
		w.final("de", "n", "Neu")
		w.syncs()
		w.write(deApp, `{"a": "edited", "b": "new"}`)
		w.syncs()
		if a, b := w.on(t, "a"), w.on(t, "b"); a != "edited" || b != "new" {
			t.Errorf("%s: the branch has %q and %q", state, a, b)
		}
		w.brings()
		w.sends()
		w.write(deApp, `{"a": "DE A", "b": "new"}`) // and back
		w.clean(push.Options{})
		w.pulls(pull.Options{})
		if a := w.on(t, "a"); a != "DE A" {
			t.Errorf("%s: the branch has %q", state, a)
		}
		w.translate("main", "de", service.Final, "a", "by a translator")
		w.pulls(pull.Options{})
		if a := w.on(t, "a"); a != "by a translator" {
			t.Errorf("%s: the branch has %q", state, a)
		}
	}
}
