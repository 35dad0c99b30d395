package engine

import (
	"fmt"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// place is a clone with a state of its own.
type place struct{ dir, home string }

// in continues in another clone.
func (w *world) in(p place) {
	w.tb.Helper()
	w.dir, w.home = p.dir, p.home
	w.configure(w.config)
}

// newPlace is a clone of the remote that has made a sync.
func (w *world) newPlace(bare string, options ...string) place {
	w.tb.Helper()
	p := place{gittest.Clone(w.tb, "file://"+bare, options...), w.tb.TempDir()}
	w.in(p)
	w.syncs()
	return p
}

// edit commits a file on main and delivers it.
func (w *world) edit(path, text string) {
	w.tb.Helper()
	w.git("pull", "-q", "--ff-only", "origin", "main")
	w.write(path, text)
	w.commit()
	w.git("push", "-q", "origin", "main")
}

// on is a text of the branch at the remote.
func (w *world) on(t *testing.T, key string) string {
	t.Helper()
	w.git("fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*")
	return parsed(t, w.show("origin/l10n", deApp))[key]
}

// A text that is in the git history of the tree that the new one comes from was seen, with a state as without one:
// another clone pushed it, or this one did, and its state is older than that.
func TestATextOfTheHistoryWasSeen(t *testing.T) {
	t.Parallel()
	first := map[string]func(*world){
		"push": func(w *world) { w.pushes(push.Options{}) },
		"pull": func(w *world) { w.pulls(pull.Options{}) },
	}
	for _, state := range []service.CompletionState{service.Draft, service.Final} {
		for _, who := range []string{"another clone", "an older state", "no state", "no state, shallow"} {
			for with, begin := range first {
				t.Run(string(state)+" "+who+" "+with, func(t *testing.T) {
					t.Parallel()
					if state != service.Draft || who != "no state" {
						gittest.Long(t)
					}
					w := newWorld(t, settings+"[project.push]\ncompletion_state = \""+string(state)+"\"\n"+jsonFiles,
						map[string]string{enApp: `{"a": "A", "b": "B", "n": "New"}`, deApp: `{"a": "DE A", "b": "T0"}`})
					bare := w.bare()
					w.configure(w.config)
					w.syncs()
					w.final("de", "n", "Neu")
					w.syncs()
					a, b := w.newPlace(bare), w.newPlace(bare)
					w.edit(deApp, `{"a": "DE A", "b": "T1"}`)
					w.syncs()
					switch w.in(a); who {
					case "no state":
						w.in(place{a.dir, t.TempDir()})
					case "no state, shallow":
						w.in(b)
						w.edit(deApp, `{"a": "DE A", "b": "T2"}`)
						w.in(place{gittest.Clone(t, "file://"+bare, "--depth=1"), t.TempDir()})
					case "an older state":
						w.in(place{b.dir, a.home})
					}
					if who != "no state, shallow" {
						w.edit(deApp, `{"a": "DE A", "b": "T2"}`)
					}
					begin(w)
					for range 2 {
						p := w.pushes(push.Options{})
						if q := w.pulls(pull.Options{}); len(p.Problems)+len(q.Problems) > 0 {
							t.Errorf("%v %v", p.Problems, q.Problems)
						}
						w.holds("main", "de", "b", "T2", "a", "DE A")
						if got := w.on(t, "b"); got != "T2" {
							t.Errorf("the branch has %q", got)
						}
					}
				})
			}
		}
	}
}

// A text that a translator has written again after it was replaced was not seen by the one who has replaced it since.
func TestATextThatCameBackWasNotSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n"+jsonFiles,
		map[string]string{enApp: `{"a": "A", "b": "B"}`, deApp: `{"a": "DE A"}`})
	w.bare()
	w.configure(w.config)
	w.syncs()
	w.final("de", "b", "T0")
	w.syncs()
	w.git("fetch", "-q")
	w.git("merge", "-q", "origin/l10n")
	w.git("push", "-q", "origin", "main")
	w.edit(deApp, `{"a": "DE A", "b": "T1"}`)
	w.syncs()
	w.final("de", "b", "T0")
	w.edit(deApp, `{"a": "DE A", "b": "T2"}`)
	p := w.pushes(push.Options{})
	w.problem(p.Problems, `"T2"`, `"T0"`)
	w.holds("main", "de", "b", "T0")
	w.pulls(pull.Options{})
	if got := w.on(t, "b"); got != "T0" {
		t.Errorf("the branch has %q", got)
	}
}

// A text that another clone brought, and this one's main took back since, was seen: it does not come from the service,
// and goes there once more. Written there after that, it comes.
func TestATextTakenBackWasSeen(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct{ memory, branch, meanwhile string }{
		"remote":                    {"remote", "l10n", "DE A"},
		"remote, on main":           {"remote", "main", "DE A"},
		"local":                     {"local", "l10n", "DE A"},
		"local, and a translation":  {"local", "l10n", "DE A2"},
		"remote, and a translation": {"remote", "l10n", "DE A2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "local" {
				gittest.Long(t)
			}
			w := newWorld(t, fmt.Sprintf("memory = %q\n%s[project.push]\ncompletion_state = \"final\"\n[project.pull]\nbranch = %q\n%s",
				of.memory, settings, of.branch, jsonFiles),
				map[string]string{enApp: `{"a": "A", "b": "B"}`, deApp: `{"a": "DE A", "b": "T0"}`})
			bare := w.bare()
			w.configure(w.config)
			w.syncs()
			a, b := w.newPlace(bare), w.newPlace(bare)
			w.in(b)
			w.edit(deApp, `{"a": "DE A", "b": "T1"}`)
			w.final("de", "a", of.meanwhile)
			w.syncs()
			w.holds("main", "de", "b", "T1")
			w.in(a)
			w.edit(deApp, `{"a": "DE A", "b": "T0"}`)
			ends := func(want string) {
				t.Helper()
				for range 2 {
					w.syncs()
				}
				w.git("fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*")
				on := "origin/" + of.branch
				if w.git("branch", "-r", "--list", on) == "" {
					on = "origin/main"
				}
				if got := parsed(t, w.show(on, deApp))["b"]; got != want {
					t.Errorf("%s has %q, wanted %q", on, got, want)
				}
				w.holds("main", "de", "b", want, "a", of.meanwhile)
			}
			ends("T0")
			w.final("de", "b", "T1")
			ends("T1")
		})
	}
}

// A source text that a clone on another branch has sent is named where one of this branch goes over it, with a memory
// that stays here. The clone's own is not, nor is one of this branch's history.
func TestASourceTextOfAnotherBranchIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "memory = \"local\"\n"+settings+jsonFiles, map[string]string{enApp: `{"a": "S0", "b": "B"}`})
	bare := w.bare()
	w.configure(w.config)
	w.syncs()
	a, b := w.newPlace(bare), w.newPlace(bare)
	for i, p := range []place{a, b, b} {
		w.in(p)
		w.write(enApp, fmt.Sprintf(`{"a": "S%d", "b": "B"}`, i+1))
		w.commit()
		got := w.pushes(push.Options{})
		if over := map[int]string{1: `"S1"`}[i]; over != "" {
			w.problem(got.Replaced, over, fmt.Sprintf(`"S%d"`, i+1))
		} else if len(got.Replaced) > 0 {
			t.Errorf("%v", got.Replaced)
		}
		w.holds("main", "en", "a", fmt.Sprintf("S%d", i+1), "b", "B")
	}
	w.write(enApp, `{"a": "S4", "b": "B"}`)
	w.pushes(push.Options{})
	w.write(enApp, `{"a": "S5", "b": "B"}`) // over one that is in no commit, and was sent from here
	if got := w.pushes(push.Options{}); len(got.Replaced)+len(got.Problems) > 0 {
		t.Errorf("%v %v", got.Replaced, got.Problems)
	}
}
