package engine

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

const localFinal = settings + "[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\n"

// What the service has under an old use of a name is older than the text that moves there with its key.
func TestKeyRenamedBack(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, localFinal+jsonFiles)
	w.write(enApp, `{"new": "A", "b": "B"}`)
	w.commit()
	w.pushes(push.Options{})
	w.pulls(pull.Options{})
	w.translate("main", "de", service.Final, "new", "A newer")
	w.pulls(pull.Options{})
	w.write(enApp, `{"a": "A", "b": "B"}`)
	w.commit()
	w.pulls(pull.Options{})
	w.pushes(push.Options{})
	w.pulls(pull.Options{})
	if got := compact(w.show("l10n", deApp)); !strings.Contains(got, `"a": "A newer"`) {
		t.Errorf("the branch has %s", got)
	}
	if got := w.atLeast("main", "de", service.Final)["a"]; got != "A newer" {
		t.Errorf("the service has %q", got)
	}
}

// A name that another text had before takes the translation of the key that is renamed to it.
func TestNameUsedAgain(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, localFinal+jsonFiles, map[string]string{enApp: `{"title": "Order", "a": "Sequence", "b": "B"}`})
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "title", "Bestellung", "a", "Reihenfolge", "b", "B de")
	w.pulls(pull.Options{})
	w.write(enApp, `{"a": "Sequence", "b": "B"}`)
	w.commit()
	w.pushes(push.Options{})
	w.pulls(pull.Options{})
	w.write(enApp, `{"title": "Sequence", "b": "B"}`)
	w.commit()
	w.pulls(pull.Options{})
	w.pushes(push.Options{})
	w.pulls(pull.Options{})
	if got := compact(w.show("l10n", deApp)); !strings.Contains(got, `"title": "Reihenfolge"`) {
		t.Errorf("the branch has %s", got)
	}
}

// A translation that moved at the service and never was in the repository comes with the next pull.
func TestRenamedBeforeItsFirstPull(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, again := range []bool{false, true} {
		w := newWorld(t, localFinal+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B"}`})
		w.clean(push.Options{})
		w.translate("main", "de", service.Final, "b", "B de")
		w.pulls(pull.Options{})
		w.translate("main", "de", service.Final, "a", "A de")
		w.write(enApp, `{"new": "A", "b": "B"}`)
		w.commit()
		w.pushes(push.Options{})
		if again {
			w.git("merge", "-q", "l10n")
			w.pushes(push.Options{})
		}
		w.pulls(pull.Options{})
		if got := compact(w.show("l10n", deApp)); got != `{"new": "A de", "b": "B de"}` {
			t.Errorf("the branch has %s", got)
		}
	}
}

// A rename whose translations the service refused is tried again.
func TestRefusedRenameIsKept(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, localFinal+jsonFiles)
	w.write(enApp, `{"new": "A", "b": "B"}`)
	w.commit()
	var german atomic.Bool
	w.wire.lie = func(r *http.Request, answer []byte) []byte {
		if r.Method == http.MethodPost && r.URL.Query().Get("language") == "de" {
			german.Store(true)
		}
		said := map[string]json.RawMessage{}
		if !isResult(r) || !german.Load() || json.Unmarshal(answer, &said) != nil {
			return answer
		}
		said["errors"] = json.RawMessage(`[{"fileName":"app.json","error":"busy"}]`)
		out, _ := json.Marshal(said)
		return out
	}
	w.problem(w.pushes(push.Options{}).Problems, "busy")
	w.wire.lying("")
	if p := w.pushes(push.Options{}); len(p.Renamed) != 1 {
		t.Errorf("tried again: %+v", p.Renamed)
	}
}

// Translations whose former collection could not be read move when it can.
func TestUnreadMoveIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localFinal+ownCollections, map[string]string{enApp: `{"a": "A", "b": "B"}`})
	w.clean(push.Options{})
	w.translate("app", "de", service.Final, "a", "A de", "b", "B de")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.pushes(push.Options{})
	w.git("mv", enApp, "locales/en/two.json")
	w.commit()
	w.wire.lie = func(_ *http.Request, answer []byte) []byte {
		z, err := zip.NewReader(bytes.NewReader(answer), int64(len(answer)))
		if err != nil {
			return answer
		}
		var b bytes.Buffer
		broken := zip.NewWriter(&b)
		for _, f := range z.File {
			e, _ := broken.Create(f.Name)
			_, _ = io.WriteString(e, "{\"a\": ")
		}
		_ = broken.Close()
		return b.Bytes()
	}
	_, _ = w.Push(t.Context(), push.Options{})
	w.wire.lying("")
	w.pushes(push.Options{})
	if got := w.atLeast("two", "de", service.Final); got["a"] != "A de" || got["b"] != "B de" {
		t.Errorf("the service has %v", got)
	}
}

// A translator sets the text under a new key back to what the old key had before. A push that meets the rename after
// that, with another clone's state or none, does not take the text for an older one.
func TestRenameMeetsATextThatWasSetBack(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, state := range map[string]func(*world, *clones){
		"kept": func(*world, *clones) {},
		"lost": func(w *world, _ *clones) { w.lose() },
		"lost, and a pull was first": func(w *world, _ *clones) {
			w.lose()
			w.pulls(pull.Options{})
		},
		"another clone's":               func(w *world, _ *clones) { (&clones{}).change(w) },
		"a clone's before the renaming": func(w *world, two *clones) { two.change(w) },
	} {
		for _, pulled := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", pulled"}[pulled], func(t *testing.T) {
				t.Parallel()
				w, two := mergedWorld(t, settings+jsonFiles), &clones{}
				sync := func() {
					w.clean(push.Options{})
					w.pulls(pull.Options{})
					w.git("merge", "-q", "l10n")
				}
				w.translate("main", "de", service.Final, "a", "A newer")
				sync()
				two.change(w)
				sync()
				two.change(w)
				w.write(enApp, `{"new": "A", "b": "B"}`)
				w.commit()
				sync()
				w.translate("main", "de", service.Final, "new", "A de")
				if pulled {
					sync()
				}
				state(w, two)
				w.pushes(push.Options{})
				if got := w.at("main", "de")["new"]; got != "A de" {
					t.Errorf("the service has %q", got)
				}
				w.pulls(pull.Options{})
				if got := compact(w.show("l10n", deApp)); !strings.Contains(got, `"new": "A de"`) {
					t.Errorf("the branch has %s", got)
				}
			})
		}
	}
}

// A translator's text that no pull has brought follows its key, too. Where the service counts none, that is a warning,
// and the text is there.
func TestFollowingTextIsNotCounted(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, localFinal+jsonFiles)
	w.translate("main", "de", service.Final, "a", "A newer")
	w.write(enApp, `{"new": "A", "b": "B"}`)
	w.commit()
	w.wire.before = func(r *http.Request) {
		if isImport(r) && r.URL.Query().Get("language") == "de" {
			w.wire.lying(`{"keysCreated":0,"keysUpdated":0,"keyValuesNotChanged":0,"keysWithoutSource":0}`)
		}
	}
	problems := w.pushes(push.Options{}).Problems
	w.problem(problems, deApp, "the service counts 0 of them")
	if report.LeavesOut(problems) {
		t.Errorf("it is no warning: %v", problems)
	}
	w.wire.before = nil
	w.wire.lying("")
	w.clean(push.Options{})
	if got := w.atLeast("main", "de", service.Final)["new"]; got != "A newer" {
		t.Errorf("the service has %q", got)
	}
}

// A key that only the working tree has, or a commit that was amended since, is renamed as any other one is.
func TestKeyThatNoCommitHasIsRenamed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"never committed", "amended"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := mergedWorld(t, localFinal+jsonFiles)
			w.write(enApp, `{"a": "A", "b": "B", "first": "Of today"}`)
			if name == "amended" {
				w.commit()
			}
			w.pushes(push.Options{})
			w.translate("main", "de", service.Final, "first", "Von heute")
			w.write(enApp, `{"a": "A", "b": "B", "second": "Of today"}`)
			if name == "amended" {
				w.git("commit", "-q", "-a", "--amend", "--no-edit")
			}
			w.pushes(push.Options{})
			if got := w.atLeast("main", "de", service.Final)["second"]; got != "Von heute" {
				t.Errorf("the service has %q", got)
			}
		})
	}
}
