package engine

import (
	"fmt"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

var completionStates = []service.CompletionState{service.Draft, service.Intermediate, service.Final}

// statesAt are the completion states of the translations of a collection: the highest in which each is exported.
func (w *world) statesAt(collection, language string) map[string]service.CompletionState {
	states := make(map[string]service.CompletionState)
	for _, state := range completionStates {
		for key := range w.atLeast(collection, language, state) {
			states[key] = state
		}
	}
	return states
}

// A translation keeps its completion state through a rename, a move of its file to another collection, both at once, and
// a changed collection, whatever pushes send and pulls take. One that only the repository has is sent as pushes send.
func TestACompletionStateIsKept(t *testing.T) {
	t.Parallel()
	const files = "[[project.files]]\nsource = \"locales/en/*.json\"\noutput = \"locales/{LANGUAGE}/{NAME}.json\"\n"
	type change struct {
		of         func(w *world, project string)
		collection string
		renamed    bool
	}
	changes := map[string]change{
		"rename": {collection: "app", renamed: true, of: func(w *world, _ string) {
			w.write(enApp, `{"x1": "One", "x2": "Two", "x3": "Three", "x4": "Four"}`)
		}},
		"move": {collection: "moved", of: func(w *world, _ string) {
			w.git("mv", enApp, "locales/en/moved.json")
			w.git("mv", deApp, "locales/de/moved.json")
		}},
		"move and rename": {collection: "moved", renamed: true, of: func(w *world, _ string) {
			w.git("rm", "-q", enApp)
			w.write("locales/en/moved.json", `{"x1": "One", "x2": "Two", "x3": "Three", "x4": "Four"}`)
			w.git("mv", deApp, "locales/de/moved.json")
		}},
		"collection": {collection: "other", of: func(w *world, project string) {
			w.configure(project + files + "collection = \"other\"\n")
		}},
	}
	for name, change := range changes {
		for _, pushed := range completionStates {
			for _, pulled := range completionStates {
				t.Run(name+" "+string(pushed)+" "+string(pulled), func(t *testing.T) {
					if name != "rename" && pushed == service.Intermediate {
						gittest.Long(t)
					}
					t.Parallel()
					project := localOnly + "completion_state = \"" + string(pulled) + "\"\n[project.push]\ncompletion_state = \"" +
						string(pushed) + "\"\n"
					w := newWorld(t, project+files+"collection = \"{NAME}\"\n", map[string]string{
						enApp: `{"k1": "One", "k2": "Two", "k3": "Three", "k4": "Four"}`, deApp: `{"k4": "Vier"}`})
					w.clean(push.Options{})
					w.translate("app", "de", service.Draft, "k1", "Eins")
					w.translate("app", "de", service.Intermediate, "k2", "Zwei")
					w.translate("app", "de", service.Final, "k3", "Drei")
					w.pullsAndMerges()
					change.of(w, project)
					w.git("add", "-A")
					w.git("commit", "-q", "--allow-empty", "-m", "by a person")
					for range 2 {
						w.clean(push.Options{})
						w.pulls(pull.Options{})
						got, texts := w.statesAt(change.collection, "de"), w.at(change.collection, "de")
						for i, want := range append(completionStates, pushed) {
							key := fmt.Sprint("k", i+1)
							if change.renamed {
								key = fmt.Sprint("x", i+1)
							}
							if text := []string{"Eins", "Zwei", "Drei", "Vier"}[i]; got[key] != want || texts[key] != text {
								t.Errorf("%s is %q in state %q, want %q in %q", key, texts[key], got[key], text, want)
							}
						}
					}
				})
			}
		}
	}
}

// So it is where a person passes the names of keys along in the translated file, too.
func TestACompletionStateIsPassedAlong(t *testing.T) {
	t.Parallel()
	for name, to := range map[string][]string{"a ring": {"k2", "k3", "k1"}, "a chain": {"k2", "k3", "k4"}} {
		for _, pushed := range completionStates {
			t.Run(name+" "+string(pushed), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, localOnly+"completion_state = \"draft\"\n[project.push]\ncompletion_state = \""+string(pushed)+"\"\n"+
					"[[project.files]]\nsource = \""+enApp+"\"\noutput = \"locales/{LANGUAGE}/{NAME}.json\"\n",
					map[string]string{enApp: `{"k1": "One", "k2": "Two", "k3": "Three"}`})
				w.clean(push.Options{})
				source, translated := make(map[string]string), make(map[string]string)
				for i, state := range completionStates {
					text := []string{"Eins", "Zwei", "Drei"}[i]
					w.translate("main", "de", state, fmt.Sprint("k", i+1), text)
					source[to[i]], translated[to[i]] = []string{"One", "Two", "Three"}[i], text
				}
				w.pullsAndMerges()
				w.write(enApp, jsonText(source))
				w.write(deApp, jsonText(translated))
				w.git("commit", "-q", "-a", "-m", "by a person")
				for range 2 {
					w.clean(push.Options{})
					w.pulls(pull.Options{})
					got, texts := w.statesAt("main", "de"), w.at("main", "de")
					for i, want := range completionStates {
						if key := to[i]; got[key] != want || texts[key] != translated[key] {
							t.Errorf("%s is %q in state %q, want %q in %q", key, texts[key], got[key], translated[key], want)
						}
					}
				}
			})
		}
	}
}

// pullsAndMerges pulls, and merges the branch where there is one.
func (w *world) pullsAndMerges() {
	w.tb.Helper()
	if p := w.pulls(pull.Options{}); p.Commit != "" {
		w.git("merge", "-q", "l10n")
	}
}
