package engine

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

const lateDecision = settings + "[project.push]\ncompletion_state = \"STATE\"\n" + jsonFiles

// inConflictOver is a world in which both sides changed b: the branch and the service have the service's text.
func inConflictOver(t *testing.T, state service.CompletionState) (*world, *clock) {
	t.Helper()
	w, clock := lateWorld(t, strings.Replace(lateDecision, "STATE", string(state), 1),
		map[string]string{enApp: `{"a": "A", "b": "B", "n": "New"}`, deApp: `{"a": "DE A", "b": "T0"}`})
	w.syncs()
	clock.pass(time.Minute)
	w.final("de", "n", "Neu")
	w.final("de", "b", "T0")
	clock.pass(time.Minute)
	w.syncs()
	w.final("de", "b", "by a translator")
	clock.pass(time.Minute)
	w.edit(deApp, `{"a": "DE A", "b": "by hand"}`)
	w.syncs()
	clock.pass(time.Minute)
	w.inConflict("b: by hand / by a translator")
	if got := w.on(t, "b"); got != "by a translator" {
		t.Fatalf("the branch has %q", got)
	}
	return w, clock
}

// mergesBranch takes the translation branch into main.
func (w *world) mergesBranch() {
	w.tb.Helper()
	w.git("fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*")
	w.git("merge", "-q", "origin/l10n")
	w.git("push", "-q", "origin", "main")
}

// ends checks that branch, main and service have one text of b in the end, and that no question is open.
func (w *world) ends(t *testing.T, clock *clock, want string) {
	t.Helper()
	for range 3 {
		w.syncs()
		clock.pass(time.Minute)
		if got := w.on(t, "b"); got != want {
			t.Errorf("the branch has %q, want %q", got, want)
		}
	}
	w.holds("main", "de", "b", want)
	w.mergesBranch()
	w.syncs()
	clock.pass(time.Minute)
	w.syncs()
	if got := parsed(t, w.show("main", deApp))["b"]; got != want {
		t.Errorf("main has %q, want %q", got, want)
	}
	w.holds("main", "de", "b", want)
	w.inConflict()
}

// A decision for the repository is on the branch with the next pull, also where the service shows it later.
func TestADecisionAtALateService(t *testing.T) {
	t.Parallel()
	for _, state := range completionStates {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			w, clock := inConflictOver(t, state)
			w.clean(push.Options{Ours: true, Keys: []string{"b"}})
			for range 2 {
				w.pulls(pull.Options{})
				if got := w.on(t, "b"); got != "by hand" {
					t.Errorf("the branch has %q", got)
				}
			}
			clock.pass(time.Minute)
			w.ends(t, clock, "by hand")
		})
	}
}

// A decision whose request was lost, with or without its effect, is made by the next push.
func TestADecisionWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for _, state := range completionStates {
		for _, arrives := range []bool{false, true} {
			t.Run(string(state)+map[bool]string{true: " arrives"}[arrives], func(t *testing.T) {
				t.Parallel()
				w, clock := inConflictOver(t, state)
				w.unanswered(push.Options{Ours: true, Keys: []string{"b"}})
				if arrives {
					w.translate("main", "de", state, "b", "by hand")
				}
				clock.pass(time.Minute)
				w.ends(t, clock, "by hand")
			})
		}
	}
}

// unanswered makes a push whose imports get no answer.
func (w *world) unanswered(o push.Options) {
	w.tb.Helper()
	w.unansweredAfter(0, o)
}

// unansweredAfter makes a push whose imports after the first n get no answer.
func (w *world) unansweredAfter(n int32, o push.Options) {
	w.tb.Helper()
	var imports atomic.Int32
	w.wire.failing(func(r *http.Request) local.Fault {
		fails := strings.HasSuffix(r.URL.Path, "/import") && imports.Add(1) > n
		return when(fails, local.Fault{Refuse: http.StatusServiceUnavailable})
	})
	if _, err := w.Push(w.tb.Context(), o); err == nil {
		w.tb.Fatal("the push went well")
	}
	w.wire.failing(nil)
}

// A decision for the service holds, also where an earlier request for the repository's text arrives after it.
func TestALateRequestAfterADecision(t *testing.T) {
	t.Parallel()
	for _, state := range completionStates {
		for _, decided := range []string{"theirs", "merged", "theirs in another clone"} {
			t.Run(string(state)+" "+decided, func(t *testing.T) {
				t.Parallel()
				w, clock := inConflictOver(t, state)
				if decided != "theirs in another clone" { // of whose requests this one knows nothing
					w.unanswered(push.Options{Ours: true, Keys: []string{"b"}})
				}
				if decided == "merged" {
					w.mergesBranch()
				} else {
					w.clean(push.Options{Theirs: true, Keys: []string{"b"}})
				}
				w.syncs()
				clock.pass(time.Minute)
				w.translate("main", "de", state, "b", "by hand") // it arrives
				clock.pass(time.Minute)
				w.ends(t, clock, "by a translator")
			})
		}
	}
}

// A text that was sent without an answer, and taken back in the repository, is not the service's for good.
func TestATextThatIsTakenBackWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for _, state := range completionStates {
		for _, arrives := range []string{"before", "after", "never"} {
			t.Run(string(state)+" "+arrives, func(t *testing.T) {
				t.Parallel()
				w, clock := lateWorld(t, strings.Replace(lateDecision, "STATE", string(state), 1),
					map[string]string{enApp: `{"a": "A", "b": "B", "n": "New"}`, deApp: `{"a": "DE A", "b": "T0"}`})
				w.syncs()
				clock.pass(time.Minute)
				w.final("de", "n", "Neu")
				clock.pass(time.Minute)
				w.syncs()
				w.edit(deApp, `{"a": "DE A", "b": "T1"}`)
				w.unanswered(push.Options{})
				if arrives == "before" {
					w.translate("main", "de", state, "b", "T1")
				}
				w.edit(deApp, `{"a": "DE A", "b": "T0"}`)
				clock.pass(time.Minute)
				w.syncs()
				if arrives == "after" {
					w.translate("main", "de", state, "b", "T1")
				}
				clock.pass(time.Minute)
				w.ends(t, clock, "T0")
			})
		}
	}
}

// So it is at first contact: the service's texts are taken, and a request for the repository's arrives after that.
func TestALateRequestAfterFirstContact(t *testing.T) {
	t.Parallel()
	for _, state := range completionStates {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			w, clock := lateWorld(t, strings.Replace(lateDecision, "STATE", string(state), 1),
				map[string]string{enApp: `{"a": "A", "b": "B"}`})
			w.syncs()
			w.final("de", "b", "by a translator")
			w.edit(deApp, `{"a": "DE A", "b": "by hand"}`)
			clock.pass(time.Minute)
			w.loseState()
			w.unanswered(push.Options{Translations: true})
			w.pulls(pull.Options{AcceptService: true})
			clock.pass(time.Minute)
			w.translate("main", "de", state, "b", "by hand") // it arrives
			clock.pass(time.Minute)
			w.ends(t, clock, "by a translator")
		})
	}
}

// The translation of a renamed key whose request was lost comes to the branch, whether it has arrived or not.
func TestARenameWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for _, state := range completionStates {
		for _, arrives := range []bool{false, true} {
			t.Run(string(state)+map[bool]string{true: " arrives"}[arrives], func(t *testing.T) {
				t.Parallel()
				w, clock := lateWorld(t, strings.Replace(lateDecision, "STATE", string(state), 1),
					map[string]string{enApp: `{"a": "A", "b": "Find the file"}`})
				w.syncs()
				w.final("de", "a", "DE A")
				w.final("de", "b", "DE B")
				clock.pass(time.Minute)
				w.syncs()
				w.edit(enApp, `{"a": "A", "c": "Find the file"}`)
				w.unansweredAfter(1, push.Options{})
				if arrives {
					w.translate("main", "de", state, "c", "DE B")
				}
				clock.pass(time.Minute)
				for range 3 {
					w.syncs()
					clock.pass(time.Minute)
				}
				if got := w.on(t, "c"); got != "DE B" {
					t.Errorf("the branch has %q", got)
				}
				w.holds("main", "de", "c", "DE B")
			})
		}
	}
}
