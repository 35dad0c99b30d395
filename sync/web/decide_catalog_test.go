package web

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

const catalogFile = "App/Localizable.xcstrings"

// catalogOf is a string catalog with one key, translated into two languages.
func catalogOf(de, fr string) string {
	unit := func(text string) string {
		return `{ "stringUnit" : { "state" : "translated", "value" : "` + text + `" } }`
	}
	return `{ "sourceLanguage" : "en", "strings" : { "Save" : { "localizations" : { "de" : ` + unit(de) + `, "fr" : ` +
		unit(fr) + ` } } }, "version" : "1.0" }` + "\n"
}

// inCatalog is what a string catalog has for the key, by language.
func inCatalog(t *testing.T, content string) map[string]string {
	t.Helper()
	var file struct {
		Strings map[string]struct {
			Localizations map[string]struct{ StringUnit struct{ Value string } }
		}
	}
	check(t, json.Unmarshal([]byte(content), &file))
	texts := map[string]string{}
	for language, one := range file.Strings["Save"].Localizations {
		texts[language] = one.StringUnit.Value
	}
	return texts
}

// catalogWorld is a world whose string catalog has one key that conflicts in two languages.
func catalogWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, "", withToken, worldProject{name: "app", languages: []string{"de", "fr"},
		files: map[string]string{catalogFile: catalogOf("Sichern", "Sauver")},
		more: "[[project.files]]\nsource = \"App/*.xcstrings\"\n[project.pull]\nremote = \"\"\nbranch = \"main\"\n" +
			"base = \"main\"\ncompletion_state = \"draft\""})
	_, err := w.engine.Push(t.Context(), push.Options{Translations: true})
	check(t, err)
	w.pull("app")
	w.write("app", catalogFile, catalogOf("Unser Text", "Notre texte"))
	gittest.Git(t, w.repos["app"], "commit", "-q", "-a", "-m", "by a person")
	w.says("de", "Ihr Text")
	w.says("fr", "Leur texte")
	_, _ = w.engine.Push(t.Context(), push.Options{}) // it names the conflicts
	return w
}

// says has a translator write a text for the key.
func (w *world) says(language, text string) {
	w.t.Helper()
	w.translate("app", language, language+".json", `{"Save": "`+text+`"}`)
}

// atService is what the service has for the key, by language.
func (w *world) atService() map[string]string {
	w.t.Helper()
	texts := map[string]string{}
	for _, language := range []string{"de", "fr"} {
		var exported map[string]string
		id, err := w.client.Strings().StartExport(w.t.Context(), service.ExportRequest{Project: w.ids["app"],
			Collection: "main", Languages: []string{language}, Format: "json", CompletionState: service.Draft,
			OutputTemplate: "{LANGUAGE}", Zip: true})
		check(w.t, err)
		archive, err := w.client.Strings().Download(w.t.Context(), id, w.t.TempDir())
		check(w.t, err)
		for _, e := range archive.Entries {
			content, err := e.ReadAll()
			check(w.t, err)
			check(w.t, json.Unmarshal(content, &exported))
		}
		check(w.t, archive.Close())
		texts[language] = exported["Save"]
	}
	return texts
}

// A decision on German leaves the French text alone, at the service and in the file, however it is taken, and where it
// is refused because the German text has changed meanwhile.
func TestDecisionInOneLanguageOfACatalog(t *testing.T) {
	for name, c := range map[string]struct {
		take func(t *testing.T, w *world, german report.Conflict)
		de   string // at the service and in the file, at the end
	}{
		"page, ours":   {func(t *testing.T, w *world, c report.Conflict) { w.presses(c, "ours") }, "Unser Text"},
		"page, theirs": {func(t *testing.T, w *world, c report.Conflict) { w.presses(c, "theirs") }, "Ihr Text"},
		"page, refused": {func(t *testing.T, w *world, c report.Conflict) {
			w.says("de", "Ein dritter Text")
			w.pull("app")
			w.presses(c, "ours")
		}, "Ein dritter Text"},
		"command, ours":   {func(t *testing.T, w *world, c report.Conflict) { w.runs(c.Command("ours")) }, "Unser Text"},
		"command, theirs": {func(t *testing.T, w *world, c report.Conflict) { w.runs(c.Command("theirs")) }, "Ihr Text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := catalogWorld(t)
			conflicts := w.engine.Status(t.Context()).Projects[0].Conflicts
			if len(conflicts) != 2 {
				t.Fatalf("conflicts %+v", conflicts)
			}
			c.take(t, w, conflicts[0])
			left := w.engine.Status(t.Context()).Projects[0].Conflicts
			if len(left) == 0 || left[len(left)-1].Language != "fr" {
				t.Errorf("the conflict in French is decided, too: %+v", left)
			}
			want := map[string]string{"de": c.de, "fr": "Leur texte"}
			if got := w.atService(); !maps.Equal(got, want) {
				t.Errorf("the service has %v, want %v", got, want)
			}
			file, err := os.ReadFile(filepath.Join(w.repos["app"], catalogFile))
			check(t, err)
			if got := inCatalog(t, string(file))["fr"]; got != "Notre texte" && got != "Leur texte" {
				t.Errorf("the file has %q", got)
			}
			_, _ = w.engine.Pull(t.Context(), pull.Options{})
			onBranch := inCatalog(t, gittest.Git(t, w.repos["app"], "show", "main:"+catalogFile))
			if !maps.Equal(onBranch, want) {
				t.Errorf("the branch has %v, want %v: pulls take the service's where nothing is decided", onBranch, want)
			}
		})
	}
}

// presses takes a decision by the page's button, as a browser whose page shows the conflict.
func (w *world) presses(c report.Conflict, side string) {
	w.t.Helper()
	v := newVisitor(w.t, w.server.Config.Handler)
	v.asks("/unlock", "token", pageToken)
	v.asks("/ask", "nonce", v.nonce(), "project", "app", "conflict", fingerprint(c), "action", side)
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		page := v.asks("/").Body.String()
		if strings.Contains(page, "nothing was done") || strings.Contains(page, "Decided.") {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("the page does not say what became of the decision:\n%s", page)
		}
	}
}

// runs takes a decision by the command that is printed.
func (w *world) runs(command string) {
	w.t.Helper()
	side, rest, _ := strings.Cut(strings.TrimPrefix(command, "locsync push --"), " ")
	if rest != "--key Save --file "+catalogFile+" --language de" {
		w.t.Errorf("the command is %s", command)
	}
	_, err := w.engine.Push(w.t.Context(), push.Options{Ours: side == "ours", Theirs: side == "theirs",
		Keys: []string{"Save"}, Files: []string{catalogFile}, Languages: []string{"de"}})
	check(w.t, err)
}
