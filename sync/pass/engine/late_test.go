package engine

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// clock is one that a test sets, of the service and of the engine.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) pass(d time.Duration) { c.ahead.Add(int64(d)) }

// lateWorld is a world whose service shows what it has accepted twenty seconds later.
func lateWorld(t *testing.T, project string, files map[string]string) (*world, *clock) {
	t.Helper()
	c := new(clock)
	w := newWorld(t, project, files, func(o *local.Options) { o.Late, o.Now = 20*time.Second, c.now })
	w.now = c.now
	w.bare()
	w.configure(w.config)
	return w, c
}

// What was just sent is not taken back by an answer that does not show it yet: neither the translation nor the source
// text, which is sent once. After the lag both are as they were sent.
func TestALateServiceTakesNothingBack(t *testing.T) {
	t.Parallel()
	for _, state := range []service.CompletionState{service.Draft, service.Final} {
		for _, pullsSource := range []bool{false, true} {
			t.Run(fmt.Sprint(state, " source ", pullsSource), func(t *testing.T) {
				t.Parallel()
				w, clock := lateWorld(t, settings+"[project.push]\ncompletion_state = \""+string(state)+"\"\n[project.pull]\nsource = "+
					fmt.Sprint(pullsSource)+"\n"+jsonFiles,
					map[string]string{enApp: `{"a": "Hello", "b": "B"}`, deApp: `{"a": "Hallo", "b": "DE B"}`})
				w.syncs()
				w.syncs()
				clock.pass(time.Minute)
				w.final("de", "b", "Neu")
				w.final("de", "a", "Hallo")
				clock.pass(time.Minute)
				w.syncs()
				w.edit(deApp, `{"a": "Servus", "b": "DE B"}`)
				w.edit(enApp, `{"a": "Hello!", "b": "B", "c": "C"}`)
				w.wire.take("")
				for i := range 4 {
					if i == 3 {
						clock.pass(time.Minute)
					}
					p := w.pushes(push.Options{})
					if q := w.pulls(pull.Options{}); len(p.Problems)+len(q.Problems) > 0 {
						t.Errorf("%v %v", p.Problems, q.Problems)
					}
					if got := w.on(t, "a"); got != "Servus" {
						t.Errorf("the branch has %q after pull %d", got, i)
					}
					if got := w.show("origin/l10n", enApp); !strings.Contains(got, "Hello!") {
						t.Errorf("the branch has %s after pull %d", got, i)
					}
				}
				if n := len(w.wire.take("import")); n != 2 {
					t.Errorf("%d imports, want one of source texts and one of translations", n)
				}
				w.holds("main", "de", "a", "Servus", "b", "Neu")
				w.holds("main", "en", "a", "Hello!", "c", "C")
			})
		}
	}
}

// A text that the service does not show ten minutes after it accepted it is named, and nothing is changed: to send it
// again, or to take the service's, is a person's decision, which ends it.
func TestATextThatTheServiceHasLost(t *testing.T) {
	t.Parallel()
	for _, decision := range []string{"ours", "theirs"} {
		t.Run(decision, func(t *testing.T) {
			t.Parallel()
			w, clock := lateWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n"+jsonFiles,
				map[string]string{enApp: `{"a": "Hello", "n": "New"}`, deApp: `{"a": "Hallo"}`})
			w.syncs()
			clock.pass(time.Minute)
			w.final("de", "n", "Neu")
			clock.pass(time.Minute)
			w.syncs()
			w.edit(deApp, `{"a": "Servus"}`)
			w.sends(deApp + " (de): a")
			w.final("de", "a", "Hallo")
			clock.pass(time.Minute)
			w.brings(deApp + " (de): +0 ~0 -0")
			if got := w.on(t, "a"); got != "Servus" {
				t.Errorf("the branch has %q", got)
			}
			clock.pass(10 * time.Minute)
			for i := range 2 {
				if p := w.pulls(pull.Options{}); i == 0 {
					w.problem(p.Problems, `"Servus"`, `"Hallo"`)
				}
				w.inConflict("a: Servus / Hallo")
				if got := w.on(t, "a"); got != "Servus" {
					t.Errorf("the branch has %q", got)
				}
			}
			w.pushes(push.Options{Ours: decision == "ours", Theirs: decision == "theirs", Keys: []string{"a"}})
			w.inConflict()
			clock.pass(time.Minute)
			w.pulls(pull.Options{})
			want := map[string]string{"ours": "Servus", "theirs": "Hallo"}[decision]
			w.holds("main", "de", "a", want)
			if got := w.on(t, "a"); got != want {
				t.Errorf("the branch has %q, want %q", got, want)
			}
			clock.pass(11 * time.Minute)
			w.brings()
		})
	}
}

// A request that was on its way when its process was stopped, or whose answer was lost, and that arrives after a later
// text: whichever pass comes next, the later text is on the branch and, after the next push, at the service.
func TestARequestThatArrivesLate(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"push", "pull"} {
		for _, later := range []string{"T2", "T0"} {
			for _, arrives := range []string{"at once", "after the later text"} {
				t.Run(first+" "+later+" "+arrives, func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n"+jsonFiles,
						map[string]string{enApp: `{"a": "A", "b": "B", "n": "New"}`, deApp: `{"a": "T0", "b": "DE B"}`})
					w.bare()
					w.configure(w.config)
					w.syncs()
					w.final("de", "n", "Neu")
					w.syncs()
					w.edit(deApp, `{"a": "T1", "b": "DE B"}`)
					w.wire.failing(func(r *http.Request) local.Fault {
						return when(strings.HasSuffix(r.URL.Path, "/import"), local.Fault{Refuse: http.StatusServiceUnavailable})
					})
					if _, err := w.Push(t.Context(), push.Options{}); err == nil {
						t.Fatal("the push went well")
					}
					w.wire.failing(nil)
					if arrives == "at once" {
						w.final("de", "a", "T1") // it arrives
					}
					w.edit(deApp, `{"a": "`+later+`", "b": "DE B"}`)
					if first == "pull" {
						w.pulls(pull.Options{})
						if got := w.on(t, "a"); got != later {
							t.Errorf("the branch has %q", got)
						}
					}
					w.clean(push.Options{})
					if arrives != "at once" {
						w.final("de", "a", "T1")
					}
					for range 2 {
						w.pulls(pull.Options{})
						if got := w.on(t, "a"); got != later {
							t.Errorf("the branch has %q", got)
						}
						w.clean(push.Options{})
					}
					w.holds("main", "de", "a", later)
					w.final("de", "a", "T1") // and a translator's decision is one
					w.pulls(pull.Options{})
					if got := w.on(t, "a"); got != "T1" && later == "T2" {
						t.Errorf("the branch has %q", got)
					}
				})
			}
		}
	}
}

// A request of a clone that was stopped, and whose memory is gone with it, arrives after another clone sent a later
// text: that stays on the branch and comes back at the service, also where pulls do not ask for the state that it has.
// A translator's decision for the same text is one.
func TestALateRequestOfAnotherClone(t *testing.T) {
	gittest.Need(t)
	t.Parallel()
	for name, clone := range map[string][]string{"state": nil, "shallow": {"--depth=1"}, "fresh": {}} {
		for _, state := range []service.CompletionState{service.Draft, service.Intermediate, service.Final} {
			t.Run(name+" "+string(state), func(t *testing.T) {
				t.Parallel()
				u := newUniverse(t, fmt.Sprintf(cloneProject, state, "final"), clone, 0)
				sync := func() { u.passes("sync", push.Options{}, pull.Options{}) }
				has := func(want string) {
					t.Helper()
					if got := u.atLeast("main", "de", state)["a"]; got != want {
						t.Errorf("the service has %q, want %q", got, want)
					}
				}
				sync()
				u.edits(deApp, func(texts map[string]string) { texts["a"] = "D1" }) // and a clone that sends it is stopped
				u.edits(deApp, func(texts map[string]string) { texts["a"] = "D2" })
				sync()
				has("D2")
				u.translate("main", "de", state, "a", "D1") // it arrives
				for range 2 {
					sync()
					l10n, err := gittest.TryGit(t, u.bare, "show", "l10n:"+deApp)
					if err == nil && strings.Contains(l10n, "D1") {
						t.Fatalf("the branch has %s", l10n)
					}
				}
				has("D2")
				for _, decided := range []string{"D1", "Decided"} {
					u.translate("main", "de", service.Final, "a", decided)
					sync()
					if l10n := gittest.Git(t, u.bare, "show", "l10n:"+deApp); !strings.Contains(l10n, decided) {
						t.Errorf("the branch has %s", l10n)
					}
				}
			})
		}
	}
}

// A late request is found by the first pull that comes ten minutes after the text that it replaced, too, and also where
// the service had no text before. What a translator writes meanwhile in a state that pulls do not ask for is none.
func TestALateRequestIsFoundLater(t *testing.T) {
	gittest.Need(t)
	t.Parallel()
	for _, state := range []service.CompletionState{service.Draft, service.Final} {
		for _, key := range []string{"a", "d"} {
			t.Run(string(state)+" "+key, func(t *testing.T) {
				t.Parallel()
				u := newUniverse(t, fmt.Sprintf(cloneProject, state, "final"), nil, 0)
				sync := func() { u.passes("sync", push.Options{}, pull.Options{}) }
				sync()
				u.edits(deApp, func(texts map[string]string) { texts[key] = "D1" })
				u.edits(deApp, func(texts map[string]string) { texts[key] = "D2" })
				sync()
				u.translate("main", "de", state, key, "D1") // it arrives
				u.clock.pass(15 * time.Minute)
				for range 2 {
					sync()
				}
				if got := u.atLeast("main", "de", state)[key]; got != "D2" {
					t.Errorf("the service has %q", got)
				}
				if state == service.Final {
					return
				}
				u.translate("main", "de", state, key, "another draft")
				for range 2 {
					u.clock.pass(time.Minute)
					sync()
				}
				if got := u.atLeast("main", "de", state)[key]; got != "another draft" {
					t.Errorf("the service has %q", got)
				}
				if l10n, err := gittest.TryGit(t, u.bare, "show", "l10n:"+deApp); err == nil && strings.Contains(l10n, "draft") {
					t.Errorf("the branch has %s", l10n)
				}
			})
		}
	}
}

// To look for late requests costs one export while a request can be late, and none after that.
func TestWhatLateRequestsCost(t *testing.T) {
	gittest.Need(t)
	t.Parallel()
	for state, more := range map[service.CompletionState]string{service.Draft: "2 download, 2 export", service.Final: "1 download, 1 export"} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			u := newUniverse(t, fmt.Sprintf(cloneProject, state, "final"), nil, 0)
			u.passes("sync", push.Options{}, pull.Options{})
			pulls := func(want string) {
				t.Helper()
				u.wire.take("")
				u.passes("sync", push.Options{}, pull.Options{})
				u.counted(fmt.Sprint("a sync ", u.clock.ahead.Load()), want)
			}
			pulls("1 download, 1 export")
			u.edits(deApp, func(texts map[string]string) { texts["a"] = "D1" })
			u.passes("push", push.Options{}, pull.Options{})
			pulls(more)
			u.clock.pass(5 * time.Minute)
			pulls(more)
			u.clock.pass(6 * time.Minute)
			pulls(more)
			pulls("1 download, 1 export")
		})
	}
}
