package engine

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// reverted is a world in which a person has written the text again that a merged commit of ours had replaced.
func reverted(t *testing.T, branch string) *world {
	w := newWorld(t, settings+jsonFiles, map[string]string{
		enApp: `{"a": "A", "b": "B"}`, deApp: `{"a": "A de", "b": "B de"}`})
	w.bare()
	w.configure(settings + "[project.pull]\nbranch = \"" + branch + "\"\n" + jsonFiles)
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "a", "A by a translator")
	w.brings(deApp + " (de): +0 ~1 -0")
	w.git("fetch", "-q")
	w.git("merge", "-q", "origin/"+branch)
	w.write(deApp, `{"a": "A de", "b": "B de"}`)
	w.commit()
	w.git("push", "-q", "origin", "main")
	return w
}

// What a person has brought back is sent by the first push, whatever became of the state. A dry run says so.
func TestRevertWithALostState(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, state := range map[string]func(*world){
		"kept": func(*world) {},
		"lost": (*world).lose,
		"lost, and a pull was first": func(w *world) {
			w.lose()
			w.brings()
		},
		"another clone's": func(w *world) {
			(&clones{}).change(w)
		},
	} {
		for _, branch := range []string{"l10n", "main"} {
			t.Run(name+", "+branch, func(t *testing.T) {
				t.Parallel()
				w := reverted(t, branch)
				state(w)
				sent := []string{deApp + " (de): a"}
				if strings.HasPrefix(name, "lost") { // another clone knows what was sent
					sent = append(sent, enApp+" (en): a b")
				}
				w.reports(w.clean(push.Options{DryRun: true}), sent...)
				w.sends(sent...)
				w.holds("main", "de", "a", "A de", "b", "B de")
				w.brings()
				w.sends()
			})
		}
	}
}

// So it is where a younger commit of ours waits on the branch, which the tree has not seen.
func TestRevertWhileACommitWaits(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, state := range map[string]func(*world){
		"kept": func(*world) {},
		"lost": (*world).lose,
		"another clone's": func(w *world) {
			(&clones{}).change(w)
		},
		"lost, and its first push failed": func(w *world) {
			w.lose()
			w.wire.failing(func(r *http.Request) local.Fault {
				if strings.Contains(r.URL.Path, "import") {
					return local.Fault{Refuse: http.StatusForbidden}
				}
				return local.Fault{}
			})
			if _, err := w.Push(t.Context(), push.Options{}); err == nil {
				t.Error("the push did not fail")
			}
			w.wire.failing(nil)
		},
	} {
		for _, source := range []string{"", "[project.push]\nsource = \"main\"\n"} {
			t.Run(name+", "+source, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, settings+source+jsonFiles, map[string]string{
					enApp: `{"a": "A", "b": "B"}`, deApp: `{"a": "A de", "b": "B de"}`})
				w.bare()
				w.configure(settings + source + jsonFiles)
				w.clean(push.Options{})
				w.translate("main", "de", service.Final, "a", "A by a translator")
				w.brings(deApp + " (de): +0 ~1 -0")
				w.git("fetch", "-q")
				w.git("merge", "-q", "origin/l10n")
				w.git("push", "-q", "origin", "main")
				w.translate("main", "de", service.Final, "b", "B by a translator")
				w.brings(deApp + " (de): +0 ~1 -0")
				w.write(deApp, `{"a": "A de", "b": "B de"}`)
				w.commit()
				w.git("push", "-q", "origin", "main")
				state(w)
				sent := []string{deApp + " (de): a"}
				if name != "kept" && name != "another clone's" {
					sent = append(sent, enApp+" (en): a b")
				}
				w.reports(w.clean(push.Options{DryRun: true}), sent...)
				w.sends(sent...)
				w.holds("main", "de", "a", "A de", "b", "B by a translator")
				w.brings(deApp + " (de): +0 ~0 -0") // the branch takes the base branch in
				w.git("fetch", "-q")
				if got := w.show("origin/l10n", deApp); got != `{"a": "A de", "b": "B by a translator"}` {
					t.Errorf("the branch has %s", got)
				}
				w.sends()
				w.brings()
			})
		}
	}
}

// An old commit that is checked out has what our later commits have replaced, and nothing that a person brought back.
func TestOldCommitWithALostState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A"}`, deApp: `{"a": "A de"}`})
	w.bare()
	w.configure(settings + jsonFiles)
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "a", "A 1")
	w.brings(deApp + " (de): +0 ~1 -0")
	w.git("fetch", "-q")
	w.git("merge", "-q", "origin/l10n")
	w.git("push", "-q", "origin", "main")
	w.translate("main", "de", service.Final, "a", "A 2")
	w.brings(deApp + " (de): +0 ~1 -0")
	for _, old := range []string{"main", "main~1"} {
		w.git("checkout", "-q", old)
		w.lose()
		w.sends(enApp + " (en): a")
		w.sends()
		w.holds("main", "de", "a", "A 2")
	}
}

// A shallow clone without state sends nothing that a pull has written into the repository, and what a person wrote.
func TestShallowCloneWithoutState(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const fallback = settings + "[project.pull]\nincomplete = \"fallback\"\n" + jsonFiles
	w := newWorld(t, fallback, map[string]string{enApp: `{"a": "A", "b": "B"}`, deApp: `{"a": "A de"}`})
	bare := w.bare()
	w.configure(fallback)
	w.clean(push.Options{})
	w.brings(deApp + " (de): +0 ~0 -0")
	w.git("fetch", "-q")
	w.git("merge", "-q", "origin/l10n")
	w.git("push", "-q", "origin", "main")
	in := func(dir string) {
		w.dir = dir
		w.lose()
		w.configure(fallback)
	}
	for _, name := range []string{"whose tip is ours", "whose tip is a person's"} {
		in(gittest.Clone(t, "file://"+bare, "--depth=1"))
		w.reports(w.clean(push.Options{DryRun: true}), enApp+" (en): a b")
		w.sends(enApp + " (en): a b")
		w.brings()
		if _, sent := w.at("main", "de")["b"]; sent {
			t.Fatalf("a clone %s has sent what a pull filled in", name)
		}
		w.elsewhere(bare, "main", map[string]string{"other": name})
	}
	w.elsewhere(bare, "main", map[string]string{deApp: `{"a": "A de", "b": "B de"}`})
	in(gittest.Clone(t, "file://"+bare, "--depth=1"))
	w.sends(deApp+" (de): b", enApp+" (en): a b")
}

// A pull has moved a translation to its new key on the branch, and the state is lost before a push moves it at the
// service: the branch's history says that it has to follow.
func TestRenameSurvivesTheState(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, localFinal+jsonFiles)
	w.write(enApp, `{"new": "A", "b": "B"}`)
	w.commit()
	w.pulls(pull.Options{})
	if got := compact(w.show("l10n", deApp)); got != `{"new": "A de", "b": "B de"}` {
		t.Fatalf("the branch has %s", got)
	}
	w.lose()
	dry := w.pushes(push.Options{DryRun: true})
	p := w.pushes(push.Options{})
	if fmt.Sprint(dry.Renamed, dry.Keys) != fmt.Sprint(p.Renamed, p.Keys) || len(p.Renamed) != 1 {
		t.Errorf("the dry run said %+v, and it was %+v", dry.Renamed, p.Renamed)
	}
	w.holds("main", "de", "new", "A de")
	w.pulls(pull.Options{})
	if got := compact(w.show("l10n", deApp)); got != `{"new": "A de", "b": "B de"}` {
		t.Errorf("the branch has %s", got)
	}
	w.sends()
	w.lose()
	if p := w.pushes(push.Options{}); len(p.Renamed) > 0 {
		t.Errorf("what has followed before is told again: %+v", p.Renamed)
	}
}

// Two keys with one translation in a language are two keys: of which one went when the other one came, none became the
// other, whatever the history of that translation looks like.
func TestLostStateTakesNoEqualTextForARename(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(*world){
		"push": func(w *world) { w.pushes(push.Options{}) },
		"pull": func(w *world) { w.pulls(pull.Options{}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"cancel": "Cancel", "b": "B"}`})
			sync := func() {
				w.pushes(push.Options{})
				w.pulls(pull.Options{})
				w.git("merge", "-q", "l10n")
			}
			w.pushes(push.Options{})
			w.translate("main", "de", service.Final, "cancel", "Abbrechen", "b", "B de")
			w.translate("main", "fr", service.Final, "cancel", "Annuler", "b", "B fr")
			sync()
			w.write(enApp, `{"abort": "Abort", "b": "B"}`)
			w.commit()
			w.pushes(push.Options{})
			w.translate("main", "de", service.Final, "abort", "Abbrechen")
			sync()
			w.lose()
			first(w)
			sync()
			if got := w.at("main", "fr")["abort"]; got != "" {
				t.Errorf("the service has %q", got)
			}
			if got := compact(w.show("l10n", "locales/fr/app.json")); strings.Contains(got, "abort") {
				t.Errorf("the branch has %s", got)
			}
		})
	}
}
