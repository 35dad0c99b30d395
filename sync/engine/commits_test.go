package engine

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pull"
	"github.com/locsync/locsync/sync/push"
	"github.com/locsync/locsync/sync/service"
)

const perLanguage = settings + `
[project.pull]
commit_per = "language"
commit_message = "{{ join .Languages \",\" }}: {{ .Added }} new, {{ .Changed }} changed, {{ .Removed }} removed in {{ join .Files \" \" }}"
` + jsonFiles

func TestCommitForEachLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, perLanguage, map[string]string{"locales/en/app.json": mainText, "locales/en/web.json": "{\n  \"w\": \"Web\"\n}\n"})
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "a", "Apfel", "b", "Brot", "w", "Netz")
	w.translate("main", "fr", service.Final, "a", "Pomme")
	pulled := w.pulls(pull.Options{})
	if want := "fr: 1 new, 0 changed, 0 removed in locales/fr/app.json\nde: 3 new, 0 changed, 0 removed in locales/de/app.json locales/de/web.json"; w.git("log", "--format=%s", "main..l10n") != want {
		t.Fatalf("the commits are %q", w.git("log", "--format=%s", "main..l10n"))
	}
	if pulled.Keys != 4 || pulled.Commit != w.git("rev-parse", "l10n") || strings.TrimSpace(w.git("log", "-1", "--format=%(trailers)", "l10n~1")) != "Locsync-Project: app" {
		t.Fatalf("%+v", pulled)
	}
	w.translate("main", "de", service.Final, "a", "Äpfel")
	w.pulls(pull.Options{})
	if got := w.git("log", "--format=%s", "-1", "l10n"); got != "de: 0 new, 1 changed, 0 removed in locales/de/app.json" {
		t.Fatal(got)
	}
	if w.pulls(pull.Options{}).Commit != "" {
		t.Fatal("the same again makes a commit")
	}

	// With the base that the branch lies behind: the first of the commits is the merge.
	w.write("README", "changed\n")
	base := w.commit()
	w.translate("main", "de", service.Final, "b", "Brötchen")
	w.translate("main", "fr", service.Final, "b", "Pain")
	w.pulls(pull.Options{})
	if got := w.git("log", "--first-parent", "--format=%s %p", "-2", "l10n"); strings.Count(got, "\n") != 1 || !strings.Contains(got, base[:7]) {
		t.Fatalf("want fr's commit on de's merge of %s: %s", base, got)
	}
	gittest.Sound(t, w.dir)
}

// The commits of a delivery that could not be made to arrive are kept, and arrive together.
func TestCommitsForEachLanguageWait(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/app.json": mainText})
	bare := gittest.Bare(t, w.dir)
	down := false
	w.git("remote", "set-url", "origin", gittest.Serve(t, bare, gittest.Options{Fault: func(r *http.Request, _ int) *gittest.Fault {
		if down && (gittest.IsPush(r) || gittest.IsPushList(r)) {
			return &gittest.Fault{Status: http.StatusServiceUnavailable}
		}
		return nil
	}}))
	w.configure(perLanguage)
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "a", "Apfel")
	w.translate("main", "fr", service.Final, "a", "Pomme")
	down = true
	if _, err := w.Pull(t.Context(), pull.Options{}); err == nil {
		t.Fatal("the remote was down")
	}
	if heads, _ := filepath.Glob(filepath.Join(bare, "refs/heads/l10n")); len(heads) > 0 {
		t.Fatal("something has arrived")
	}
	down = false
	w.restart(w.Config)
	w.pulls(pull.Options{})
	if got := gittest.Git(t, bare, "log", "--format=%s", "main..l10n"); strings.Count(got, "\n") != 1 {
		t.Fatalf("arrived: %s", got)
	}
	if w.pulls(pull.Options{}).Commit != "" {
		t.Fatal("the same again makes a commit")
	}
}

// A file with all languages is in each language's commit as it is then, so that every commit has what it says.
func TestCommitForEachLanguageOfOneFile(t *testing.T) {
	t.Parallel()
	const path = "App/Localizable.xcstrings"
	files := "[[project.files]]\nsource = \"" + path + "\"\n"
	project := strings.NewReplacer(jsonFiles, files, `"de", "fr"`, `"fr", "de"`).Replace(perLanguage)
	const catalog = "{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {\n    \"a\" : {\n\n    }\n  }\n}"
	w := newWorld(t, project, map[string]string{path: catalog})
	w.clean(push.Options{})
	w.translate("main", "fr", service.Final, "a", "Pomme")
	w.translate("main", "de", service.Final, "a", "Apfel")
	if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
		t.Fatal(p.Problems)
	}
	const said = ": 1 new, 0 changed, 0 removed in " + path
	if got := w.git("log", "--format=%s", "main..l10n"); got != "fr"+said+"\nde"+said {
		t.Fatal(got)
	}
	first, last := w.show("l10n~1", path), w.show("l10n", path)
	if !strings.Contains(first, "Apfel") || strings.Contains(first, "Pomme") || !strings.Contains(last, "Apfel") ||
		!strings.Contains(last, "Pomme") {
		t.Errorf("the first commit has\n%s\nthe last one\n%s", first, last)
	}
	w.brings()
}
