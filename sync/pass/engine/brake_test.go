package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// many is a file of n keys, k00 and on, with texts of their own.
func many(prefix string, n int) map[string]string {
	texts := map[string]string{}
	for i := range n {
		texts[fmt.Sprintf("%s%02d", prefix, i)] = fmt.Sprintf("Text %s %d", prefix, i)
	}
	return texts
}

// A source file that lost most of its keys is held back and named, and nothing is concluded from it; --force takes it as meant, once.
func TestPushBrake(t *testing.T) {
	t.Parallel()
	all := many("k", 30)
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: jsonOf(all), "locales/en/b.json": `{"other": "Other"}`})
	w.clean(push.Options{})
	few := map[string]string{"k00": "Text k 0", "k01": "Changed", "new": "Text k 7"}
	w.write(enApp, jsonOf(few), "locales/en/b.json", `{"other": "Another"}`)
	for range 2 {
		p := w.pushes(push.Options{DryRun: true})
		w.reports(p, "locales/en/b.json (en): other")
		w.problem(p.Problems, enApp, "lost 27 of its 30 keys", "push.guard = 0.3", "--force")
	}
	p := w.pushes(push.Options{})
	w.reports(p, "locales/en/b.json (en): other")
	w.problem(p.Problems, "lost 27 of its 30 keys")
	s := w.Status(t.Context()).Projects[0]
	w.problem(s.Problems, "lost 27 of its 30 keys")
	if s.Removed != 0 || s.Pending != 0 {
		t.Errorf("removed %d, pending %d", s.Removed, s.Pending)
	}
	w.problem(w.pushes(push.Options{All: true}).Problems, "lost 27")
	if _, sent := w.at("main", "en")["new"]; sent {
		t.Error("what is left of the file was sent")
	}

	p = w.pushes(push.Options{Force: true})
	w.reports(p, enApp+" (en): k01 new")
	if len(p.Problems) > 0 || len(p.Orphaned) != 27 || !strings.Contains(p.Orphaned[0].Problem, "no pull brings it back") {
		t.Errorf("%d orphaned, problems %v", len(p.Orphaned), p.Problems)
	}
	w.sends()
	if s := w.Status(t.Context()).Projects[0]; s.Removed != 28 || len(s.Orphaned) != 28 { // the renamed one is still there, too
		t.Errorf("%d removed", s.Removed)
	}
	// All of it again costs nothing, and the brake works anew.
	w.write(enApp, jsonOf(all))
	w.sends(enApp + " (en): k01")
	w.write(enApp, `{"k00": "Text k 0"}`)
	w.problem(w.pushes(push.Options{}).Problems, "lost 29 of its 30 keys")
}

// Little is let go: a few keys, keys that stand elsewhere now, keys that were renamed; and many, a few at a time.
func TestPushBrakeAllowsSmallChanges(t *testing.T) {
	t.Parallel()
	all := many("k", 40)
	half, rest, renamed := map[string]string{}, map[string]string{}, map[string]string{}
	for key, text := range all {
		if key < "k20" {
			half[key] = text
		} else {
			rest[key] = text
		}
		renamed["menu."+key] = text
	}
	for name, c := range map[string]struct {
		before map[string]string
		steps  [][]string
	}{
		"nine of twelve":        {many("k", 12), [][]string{{enApp, jsonOf(many("k", 3))}}},
		"a quarter":             {all, [][]string{{enApp, jsonOf(many("k", 30))}}},
		"most, a few at a time": {all, [][]string{{enApp, jsonOf(many("k", 30))}, {enApp, jsonOf(many("k", 22))}, {enApp, jsonOf(many("k", 16))}}},
		"split":                 {all, [][]string{{enApp, jsonOf(half), "locales/en/rest.json", jsonOf(rest)}}},
		"all renamed":           {all, [][]string{{enApp, jsonOf(renamed)}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+"[project.push]\ntranslations = false\n"+jsonFiles, map[string]string{enApp: jsonOf(c.before)})
			w.clean(push.Options{})
			for _, step := range c.steps {
				w.write(step...)
				w.clean(push.Options{})
			}
		})
	}
}

// A missing file is deleted at the second look: a rescan later, or by another command. It may come back in between, and afterwards.
func TestMissingFile(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A"}`, "locales/en/b.json": `{"b": "B"}`})
	now := time.Now()
	again := func() {
		w.Engine = New(Parts{Config: w.Config, Service: w.Service, State: w.store, Log: w.Log, Now: func() time.Time { return now }})
	}
	removed := func(want int) {
		t.Helper()
		if s := w.Status(t.Context()).Projects[0]; s.Removed != want {
			t.Fatalf("%d removed, want %d", s.Removed, want)
		}
	}
	again()
	w.clean(push.Options{})
	w.remove(enApp)
	w.sends()
	w.sends()
	removed(0)
	now = now.Add(w.Config.Daemon.Rescan / 2)
	w.write(enApp, `{"a": "A"}`)
	w.sends()
	w.remove(enApp)
	w.sends()
	now = now.Add(w.Config.Daemon.Rescan / 2)
	w.sends()
	removed(0) // it was there meanwhile
	now = now.Add(w.Config.Daemon.Rescan / 2)
	p := w.clean(push.Options{})
	if len(p.Orphaned) != 1 || p.Orphaned[0].File != enApp || p.Orphaned[0].Key != "a" {
		t.Errorf("%+v", p.Orphaned)
	}
	removed(1)
	if p := w.clean(push.Options{}); len(p.Orphaned) > 0 {
		t.Errorf("told again: %+v", p.Orphaned)
	}
	w.write(enApp, `{"a": "A"}`)
	w.sends()
	removed(0)
	w.remove(enApp)
	w.sends()
	again()
	w.clean(push.Options{})
	removed(1)
}

// A push that ends while it waits for the service's source texts has seen which files are not there.
func TestMissingFileOfAnInterruptedPush(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A"}`, "locales/en/b.json": `{"b": "B"}`})
	interrupted := func() {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w.wire.before = func(r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/export") {
				cancel()
			}
		}
		if _, err := w.Push(ctx, push.Options{}); !errors.Is(err, context.Canceled) {
			t.Fatalf("the push ended with %v", err)
		}
		w.wire.before = nil
	}
	w.clean(push.Options{})
	w.remove(enApp)
	w.write("locales/en/b.json", `{"b": "B", "c": "C"}`)
	interrupted()
	w.restart(w.Config)
	if p := w.clean(push.Options{}); len(p.Orphaned) != 1 || p.Orphaned[0].File != enApp {
		t.Errorf("at the second look: %+v", p.Orphaned)
	}
	// It was there when a push was interrupted, so that its absence begins anew.
	w.write(enApp, `{"a": "A"}`)
	w.clean(push.Options{})
	w.remove(enApp)
	w.clean(push.Options{})
	w.write(enApp, `{"a": "A"}`, "locales/en/b.json", `{"b": "B", "c": "C", "d": "D"}`)
	interrupted()
	w.remove(enApp)
	w.restart(w.Config)
	if p := w.clean(push.Options{}); len(p.Orphaned) > 0 {
		t.Errorf("it was there meanwhile: %+v", p.Orphaned)
	}
}

// When most files are gone at once no look concludes anything, until it is said that they are meant to be gone.
func TestMostFilesMissing(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, name := range []string{"a", "b", "c", "d"} {
		files["locales/en/"+name+".json"] = jsonOf(many(name, 4))
	}
	w := newWorld(t, settings+jsonFiles, files)
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "a00", "A null")
	for _, name := range []string{"b", "c", "d"} {
		w.remove("locales/en/" + name + ".json")
	}
	for range 3 {
		w.restart(w.Config)
		p := w.pushes(push.Options{})
		if len(p.Problems) != 3 || !strings.Contains(p.Problems[0].String(), "like 3 of 4 source files") || len(p.Orphaned) > 0 {
			t.Fatalf("%+v", p)
		}
	}
	if s := w.Status(t.Context()).Projects[0]; s.Removed != 0 || len(s.Problems) != 3 {
		t.Errorf("%+v", s)
	}
	if p := w.clean(push.Options{Force: true}); len(p.Orphaned) != 12 {
		t.Errorf("%d orphaned", len(p.Orphaned))
	}
	w.sends()
	if s := w.Status(t.Context()).Projects[0]; s.Removed != 12 {
		t.Errorf("%d removed", s.Removed)
	}
}
