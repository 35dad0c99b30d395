package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// A key that is renamed and renamed back has its translations, and those that were made meanwhile.
func TestRenamedAndBack(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(w *world)
		want      string
	}{
		"untouched":       {func(*world) {}, "A de"},
		"translated anew": {func(w *world) { w.translate("main", "de", service.Final, "new", "A newer") }, "A newer"},
		"translated and pulled": {func(w *world) {
			w.translate("main", "de", service.Final, "new", "A newer")
			w.pulls(pull.Options{})
		}, "A newer"},
		"changed in the branch": {func(w *world) {
			w.pulls(pull.Options{})
			w.commitOn("l10n", deApp, `{"new": "A hand", "b": "B de"}`)
		}, "A hand"},
		"changed on both sides": {func(w *world) {
			w.pulls(pull.Options{})
			w.commitOn("l10n", deApp, `{"new": "A hand", "b": "B de"}`)
			w.translate("main", "de", service.Final, "new", "A newer")
		}, "A newer"},
		"pulled and merged here": {func(w *world) { w.pulls(pull.Options{}); w.git("merge", "-q", "l10n") }, "A de"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := mergedWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\n"+jsonFiles)
			w.write(enApp, `{"new": "A", "b": "B"}`)
			w.commit()
			w.pushes(push.Options{})
			c.meanwhile(w)
			w.write(enApp, `{"a": "A", "b": "B"}`)
			w.commit()
			p := w.pushes(push.Options{})
			if name == "changed on both sides" {
				w.problem(p.Problems, deApp+`: "new" (de)`, "A hand", "A newer", "write it under the new key")
			} else if len(p.Problems) > 0 {
				t.Errorf("%v", p.Problems)
			}
			w.pulls(pull.Options{})
			w.pushes(push.Options{})
			w.pulls(pull.Options{})
			if got := w.atLeast("main", "de", service.Final)["a"]; got != c.want {
				t.Errorf("the service has %q, want %q", got, c.want)
			}
			if got := compact(w.show("l10n", deApp)); !strings.Contains(got, `"a": "`+c.want+`"`) || strings.Contains(got, `"new":`) {
				t.Errorf("the branch has %s, want %q", got, c.want)
			}
			w.sends()
		})
	}
}

// What somebody changed in a translation, and nobody has sent, goes along when the key gets another name before.
func TestRenamedAfterAnEdit(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := mergedWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\n"+jsonFiles)
	w.commitOn("l10n", deApp, `{"a": "A hand", "b": "B de"}`)
	w.write(enApp, `{"new": "A", "b": "B"}`)
	w.commit()
	w.clean(push.Options{})
	w.holds("main", "de", "new", "A hand")
	w.pulls(pull.Options{})
	if got := compact(w.show("l10n", deApp)); got != `{"new": "A hand", "b": "B de"}` {
		t.Errorf("the branch has %s", got)
	}
	w.sends()
}

// A key that goes to another file, under its name or another one, takes its translations along: in one collection and into another.
func TestKeysThatMoveBetweenFiles(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	one, two := "locales/en/one.json", "locales/en/two.json"
	for collections, project := range map[string]string{"one": jsonFiles, "two": jsonFiles + "collection = \"{NAME}\"\n"} {
		for to, key := range map[string]string{"the same": "a", "another": "x"} {
			t.Run(collections+" collection, "+to+" key", func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, settings+"[project.pull]\nremote = \"\"\n"+project, map[string]string{one: `{"a": "A", "b": "B"}`, two: `{"c": "C"}`})
				w.clean(push.Options{})
				from, into := "main", "main"
				if collections == "two" {
					from, into = "one", "two"
				}
				w.translate(from, "de", service.Final, "a", "A de", "b", "B de")
				w.translate(into, "de", service.Final, "c", "C de")
				w.pulls(pull.Options{})
				w.git("merge", "-q", "l10n")
				w.pushes(push.Options{})
				w.write(one, `{"b": "B"}`, two, `{"c": "C", "`+key+`": "A"}`)
				w.commit()
				dry := w.pushes(push.Options{DryRun: true})
				p := w.clean(push.Options{})
				if len(dry.Renamed) != len(p.Renamed) {
					t.Errorf("the dry run said %+v, and it was %+v", dry.Renamed, p.Renamed)
				}
				if got := w.atLeast(into, "de", service.Final)[key]; got != "A de" {
					t.Errorf("the service has %q for %s", got, key)
				}
				w.pulls(pull.Options{})
				if got := compact(w.show("l10n", "locales/de/two.json")); !strings.Contains(got, `"`+key+`": "A de"`) {
					t.Errorf("two.json is %s", got)
				}
				if got := compact(w.show("l10n", "locales/de/one.json")); strings.Contains(got, "A de") {
					t.Errorf("one.json is %s", got)
				}
				w.sends()
				w.brings()
			})
		}
	}
}
