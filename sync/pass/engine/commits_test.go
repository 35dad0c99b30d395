package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

func TestOneCommitForAPull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+`
[project.pull]
commit_message = "{{ join .Languages \",\" }}: {{ .Added }} new, {{ .Changed }} changed, {{ .Removed }} removed in {{ join .Files \" \" }}"
`+jsonFiles, map[string]string{"locales/en/app.json": mainText, "locales/en/web.json": "{\n  \"w\": \"Web\"\n}\n"})
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "a", "Apfel", "b", "Brot", "w", "Netz")
	w.translate("main", "fr", service.Final, "a", "Pomme")
	pulled := w.pulls(pull.Options{})
	if want := "de,fr: 4 new, 0 changed, 0 removed in locales/de/app.json locales/de/web.json locales/fr/app.json"; w.git("log", "--format=%s", "main..l10n") != want {
		t.Fatalf("the commits are %q", w.git("log", "--format=%s", "main..l10n"))
	}
	if pulled.Keys != 4 || pulled.Commit != w.git("rev-parse", "l10n") || strings.TrimSpace(w.git("log", "-1",
		"--format=%(trailers)", "l10n")) != "Locsync-Project: app" {
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

	// With the base that the branch is behind, it is the merge.
	w.write("README", "changed\n")
	base := w.commit()
	w.translate("main", "de", service.Final, "b", "Brötchen")
	w.translate("main", "fr", service.Final, "b", "Pain")
	w.pulls(pull.Options{})
	if got := w.git("log", "--first-parent", "--format=%s %p", "-1", "l10n"); !strings.Contains(got, base[:7]) {
		t.Fatalf("want a merge of %s: %s", base, got)
	}
	gittest.Sound(t, w.dir)
}
