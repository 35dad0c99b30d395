package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
)

// Translations of a source file that was pushed and that the base branch never had are named, as long as there are any.
func TestTranslationsWithoutAPlace(t *testing.T) {
	gittest.Need(t)
	t.Parallel()
	w := abc(t, localOnly, nil)
	w.write("locales/en/b.json", `{"d": "D", "e": "E"}`)
	w.clean(push.Options{})
	if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
		t.Errorf("without translations: %v", p.Problems)
	}
	w.final("de", "d", "Dé")
	w.final("fr", "d", "Dée", "e", "Eé")
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, "locales/en/b.json", "3 translations wait at the service: branch main does not have this file")
	if p.Problems[0].Code != report.CodeUnplaced || !strings.Contains(p.Problems[0].Problem, "not committed") {
		t.Errorf("%+v", p.Problems[0])
	}
	w.commit()
	w.gains(w.pulls(pull.Options{}), "locales/de/b.json (de): +1 ~0 -0", "locales/fr/b.json (fr): +2 ~0 -0")
}

// An entry that is taken out of the configuration takes none of its keys away.
func TestAnEntryIsTakenOut(t *testing.T) {
	gittest.Need(t)
	t.Parallel()
	const more = "[[project.files]]\nsource = \"more/en.json\"\noutput = \"more/{LANGUAGE}.json\"\ncollection = \"more\"\n"
	w := abc(t, localOnly, map[string]string{"more/en.json": `{"x": "X", "y": "Y"}`})
	w.configure(localOnly + jsonFiles + more)
	w.clean(push.Options{})
	w.configure(localOnly + jsonFiles)
	p := w.pushes(push.Options{})
	if len(p.Problems) > 0 || len(p.Orphaned) != 1 || p.Orphaned[0].Key != "" ||
		!strings.Contains(p.Orphaned[0].Problem, "the service keeps 2 keys") {
		t.Errorf("problems %v, orphaned %v", p.Problems, p.Orphaned)
	}
	if p = w.pushes(push.Options{}); len(p.Orphaned) > 0 {
		t.Errorf("again: %v", p.Orphaned)
	}
}
