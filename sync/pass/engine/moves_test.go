package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// ownCollections is flat JSON, one collection for each file.
const ownCollections = `
[[project.files]]
source = "locales/en/**/*.json"
output = "locales/{LANGUAGE}/{DIR}/{NAME}.json"
collection = "{NAME}"
`

// A file that was renamed in letter case only, with its translations or without, keeps them under the name that they have.
func TestMovedInLetterCaseOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		moves [][2]string
		at    string
	}{
		"source and target": {[][2]string{{"locales/en/app.json", "locales/en/App.json"}, {"locales/de/app.json", "locales/de/App.json"}}, "locales/de/App.json"},
		"source only":       {[][2]string{{"locales/en/app.json", "locales/en/App.json"}}, "locales/de/app.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B"}`, deApp: `{"b": "B repo"}`})
			w.clean(push.Options{})
			w.final("de", "a", "A de")
			w.pulls(pull.Options{})
			w.git("merge", "-q", "l10n")
			for _, m := range c.moves {
				w.git("mv", m[0], m[1])
			}
			w.commit()
			w.clean(push.Options{})
			before := w.show("main", c.at)
			if p := w.pulls(pull.Options{DryRun: true}); len(p.Files) > 0 {
				t.Errorf("the dry run says %+v", p.Files)
			}
			w.pulls(pull.Options{})
			w.final("de", "a", "A neu")
			w.pulls(pull.Options{})
			if got := w.show("l10n", c.at); got != strings.Replace(before, "A de", "A neu", 1) {
				t.Errorf("%s is %q, was %q", c.at, got, before)
			}
			if got := w.git("ls-tree", "--name-only", "l10n", "locales/de/"); got != c.at {
				t.Errorf("the folder has %s", got)
			}
		})
	}
}

// A dry run and the report name the file that goes when a source file was moved.
func TestDeletedFilesAreReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A"}`})
	w.clean(push.Options{})
	w.final("de", "a", "A de")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.git("mv", enApp, "locales/en/moved.json")
	w.commit()
	w.clean(push.Options{})
	dry, done := w.pulls(pull.Options{DryRun: true}), w.pulls(pull.Options{})
	for _, p := range []report.ProjectPull{dry, done} {
		i := slices.IndexFunc(p.Files, func(f report.PulledFile) bool { return f.Deleted })
		if i < 0 || p.Files[i].Path != deApp || p.Files[i].Language != "de" {
			t.Errorf("%+v", p.Files)
		}
	}
}

// A source file that was moved, and renamed, keeps its translations: those that the service has, and those that only the repository has, in the files that
// belong to its new path; the old ones go.
func TestMovedSourceFile(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, c := range map[string]struct{ files, was, is, collection string }{
		"in its collection":   {jsonFiles, "app", "moved", "main"},
		"to another":          {ownCollections, "app", "moved", "moved"},
		"into another folder": {ownCollections, "app", "deep/app", "app"},
	} {
		for _, first := range []string{"push", "pull"} {
			t.Run(name+", "+first+" first", func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, settings+c.files, map[string]string{enApp: `{"a": "A", "b": "B", "c": "C", "d": "D"}`, deApp: `{"c": "C repo"}`})
				w.clean(push.Options{})
				was := map[bool]string{true: "main", false: "app"}[c.files == jsonFiles]
				w.translate(was, "de", service.Final, "a", "A de", "b", "B de")
				w.translate(was, "de", service.Draft, "d", "D draft")
				w.pulls(pull.Options{})
				w.git("merge", "-q", "l10n")
				w.clean(push.Options{})
				w.git("mv", enApp, mkdir(w, "locales/en/"+c.is+".json"))
				w.commit()
				w.wire.take("")
				if first == "push" {
					w.clean(push.Options{})
				}
				w.pulls(pull.Options{})
				if got := compact(w.show("l10n", "locales/de/"+c.is+".json")); got != `{"a": "A de", "b": "B de", "c": "C repo"}` {
					t.Errorf("at the new path: %s", got)
				}
				if got := w.show("l10n", deApp); got != "" {
					t.Errorf("at the old path: %s", got)
				}
				w.git("merge", "-q", "l10n")
				w.clean(push.Options{})
				w.clean(push.Options{})
				if got := w.atLeast(c.collection, "de", service.Final); got["a"] != "A de" || got["b"] != "B de" || got["d"] != "" {
					t.Errorf("the service has %v", got)
				}
				if p := w.pulls(pull.Options{}); p.Commit != "" || len(p.Problems) > 0 {
					t.Errorf("%+v", p)
				}
				w.wire.take("")
				w.sends()
				w.silent()
				// Nobody's change was made of it, and somebody's is one.
				w.write("locales/de/"+c.is+".json", `{"a": "A hand", "b": "B de", "c": "C repo"}`)
				w.sends("locales/de/" + c.is + ".json (de): a")
			})
		}
	}
}

// Another clone has moved a file to another collection before, and a translator changed a text there since: it stays,
// and comes with the next pull.
func TestMovedSourceFileThatIsThereAlready(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+ownCollections, map[string]string{enApp: `{"a": "A", "b": "B"}`})
	w.clean(push.Options{})
	w.translate("app", "de", service.Final, "a", "A de", "b", "B de")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.clean(push.Options{})
	w.translate("moved", "en", service.Final, "a", "A", "b", "B")
	w.translate("moved", "de", service.Final, "a", "A better")
	w.git("mv", enApp, "locales/en/moved.json")
	w.commit()
	w.clean(push.Options{})
	if got := w.atLeast("moved", "de", service.Final); got["a"] != "A better" || got["b"] != "B de" {
		t.Errorf("the service has %v", got)
	}
	w.pulls(pull.Options{})
	if got := compact(w.show("l10n", "locales/de/moved.json")); got != `{"a": "A better", "b": "B de"}` {
		t.Errorf("at the new path: %s", got)
	}
}

func mkdir(w *world, path string) string {
	w.write(path+".tmp", "")
	w.remove(path + ".tmp")
	return path
}

// A file that moves while its keys are renamed keeps its translations too.
func TestMovedSourceFileWithRenamedKeys(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]string{"main": jsonFiles, "moved": ownCollections} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was := map[string]string{"main": "main", "moved": "app"}[name]
			w := newWorld(t, settings+files, map[string]string{enApp: `{"a": "Open", "b": "Close", "c": "Copy"}`})
			w.clean(push.Options{})
			w.translate(was, "de", service.Final, "a", "Öffnen", "b", "Schließen", "c", "Kopieren")
			w.pulls(pull.Options{})
			w.git("merge", "-q", "l10n")
			w.sends()
			w.git("rm", "-q", enApp)
			w.write("locales/en/moved.json", `{"a": "Open", "menu.b": "Close", "menu.c": "Copy"}`)
			w.commit()
			p := w.clean(push.Options{})
			if got := w.atLeast(name, "de", service.Final); got["a"] != "Öffnen" || got["menu.b"] != "Schließen" || got["menu.c"] != "Kopieren" {
				t.Errorf("the service has %v after %+v", got, p)
			}
			w.pulls(pull.Options{})
			if got := compact(w.show("l10n", "locales/de/moved.json")); got != `{"a": "Öffnen", "menu.b": "Schließen", "menu.c": "Kopieren"}` {
				t.Errorf("the branch has %s", got)
			}
			if got := w.show("l10n", deApp); got != "" {
				t.Errorf("at the old path: %s", got)
			}
			w.sends()
		})
	}
}

// What a file has become is not guessed.
func TestAmbiguousMoveIsNotGuessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+ownCollections, map[string]string{enApp: `{"a": "A", "b": "B"}`})
	w.clean(push.Options{})
	w.translate("app", "de", service.Final, "a", "A de")
	w.pulls(pull.Options{})
	w.remove(enApp)
	w.write("locales/en/one.json", `{"a": "A", "b": "B"}`, "locales/en/two.json", `{"a": "A", "b": "B"}`)
	p := w.pushes(push.Options{})
	w.problem(p.Problems, enApp, "locales/en/one.json, locales/en/two.json", "not guessed")
	if len(p.Moved) > 0 {
		t.Errorf("%+v", p.Moved)
	}
	if got := w.at("one", "de"); len(got) > 0 {
		t.Errorf("the service has %v", got)
	}
}

// A key that was renamed before its new name reached the branch keeps its translation there, also when the pull comes before the push and only the
// repository has one.
func TestPullFollowsARename(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "Open", "b": "Close"}`, deApp: `{"a": "Öffnen", "b": "Zu"}`})
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "b", "Schließen")
	w.pulls(pull.Options{})
	w.write(enApp, `{"menu.a": "Open", "menu.b": "Close"}`)
	w.commit()
	w.pulls(pull.Options{})
	if got := compact(w.show("l10n", deApp)); got != `{"menu.a": "Öffnen", "menu.b": "Schließen"}` {
		t.Errorf("the branch has %s", got)
	}
	w.clean(push.Options{})
	if got := w.atLeast("main", "de", service.Final); got["menu.b"] != "Schließen" || got["menu.a"] != "" {
		t.Errorf("the service has %v as final", got) // what was sent as a draft is one
	}
	w.holds("main", "de", "menu.a", "Öffnen")
	if p := w.pulls(pull.Options{}); p.Commit != "" || len(p.Problems) > 0 {
		t.Errorf("%+v", p)
	}
	w.sends()
}
