package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// part are the options of a push of some files.
func part(files ...string) push.Options { return push.Options{Files: files} }

// Every pattern is to match a file of a project that is pushed, before a request is made.
func TestPatternsOfAPush(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/menu.json": `{"a": "A"}`})
	w.clean(push.Options{})
	w.write("locales/en/menu.json", `{"a": "A 2"}`)
	for pattern, says := range map[string]string{
		"locales/en/mneu.json":      "did you mean locales/en/menu.json?",
		"de/menu.json":              "did you mean locales/de/menu.json?",
		"menu.json":                 "did you mean locales/en/menu.json, locales/de/menu.json, locales/fr/menu.json?",
		"src/**/strings.xml":        "choose from locales/en/menu.json, locales/de/menu.json, locales/fr/menu.json",
		"../menu.json":              "no project pushes",
		"locales/en":                "did you mean locales/en/**?",
		"/src/locales/en/menu.json": "paths are relative to the root of the repository; did you mean locales/en/menu.json?",
	} {
		w.wire.take("")
		_, err := w.Push(t.Context(), part("locales/en/menu.json", pattern))
		if usage := new(failure.UsageError); !errors.As(err, &usage) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", pattern, err)
		}
		if made := w.wire.take(""); len(made) > 0 {
			t.Errorf("%s: requests are made: %v", pattern, made)
		}
	}
	w.reports(w.clean(part("./locales/e[nx]/*.json")), "locales/en/menu.json (en): a")
}

// Where translations are not pushed, one is not to be named, unless it is insisted on.
func TestPushOfATranslationThatIsNotPushed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"push.translations = false\n"+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`,
		"locales/de/a.json": `{"a": "Ä"}`})
	w.reports(w.clean(part("locales/*/a.json")), "locales/en/a.json (en): a")
	o := part("locales/de/a.json")
	if _, err := w.Push(t.Context(), o); err == nil || !strings.Contains(err.Error(),
		"did you mean locales/en/a.json? (translations are not pushed: push.translations is false)") {
		t.Error(err)
	}
	o.Translations = true
	w.reports(w.clean(o), "locales/de/a.json (de): a")
}

// A push of files of one project neither waits for another one nor fails for it, unless it may be about its files.
func TestPushOfFilesOfOneProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`,
		"site/en/b.json": `{"b": "B"}`})
	other := func(repository string) {
		w.configure(settings + jsonFiles + "[[project]]\nname = \"other\"\nid = \"21111111-2222-3333-4444-555555555555\"\nrepository = \"" +
			repository + "\"\n" + settings + strings.ReplaceAll(jsonFiles, "locales", "site"))
	}
	other(w.dir)
	_, done, err := w.projects[1].lock(t.Context(), ledger.PassPull)
	w.check(err)
	w.reports(w.clean(part("locales/en/a.json")), "locales/en/a.json (en): a")
	w.write("locales/en/a.json", `{"a": "A 2"}`)
	w.reports(w.clean(part("locales/en/*")), "locales/en/a.json (en): a")
	done()
	w.reports(w.clean(part("site/*/b.json")), "site/en/b.json (en): b")
	other("gone")
	w.write("locales/en/a.json", `{"a": "A 3"}`)
	w.reports(w.clean(part("locales/en/*.json")), "locales/en/a.json (en): a")
	for _, pattern := range []string{"site/en/b.json", "site/**"} {
		if _, err := w.Push(t.Context(), part(pattern)); err == nil || !strings.Contains(err.Error(), "gone") {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// The path of a file is that file's only, whatever else it would match.
func TestPushOfAPathLikeAGlob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[[project.files]]\nsource = \"app/**/en.json\"\noutput = \"app/{DIR}/{LANGUAGE}.json\"\ncollection = \"{DIR}\"\n",
		map[string]string{"app/[locale]/en.json": `{"a": "A"}`, "app/l/en.json": `{"b": "B"}`})
	w.reports(w.clean(part("app/[locale]/en.json")), "app/[locale]/en.json (en): a")
	w.reports(w.clean(part("app/[lo]/en.json")), "app/l/en.json (en): b")
}

// A push of some files leaves the branch to be looked at again only where something waits.
func TestPushOfAPartThatLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`,
		"locales/en/z.json": `{"z": "Z"}`})
	w.clean(push.Options{})
	w.final("fr", "a", "fr a", "z", "fr z")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	waits := func(want bool) {
		t.Helper()
		_, is, err := ledger.UnsentAt.Get(w.store, w.projects[0].branch.StateName(), "l10n")
		if w.check(err); is != want {
			t.Errorf("something waits: %v", is)
		}
	}
	w.write("locales/en/a.json", `{"a": "A 2"}`)
	w.reports(w.clean(part("locales/*/a.json")), "locales/en/a.json (en): a")
	waits(false)
	w.write("locales/en/z.json", `{"z": "Z", "z2": "Z 2"}`)
	w.clean(part("locales/*/a.json"))
	waits(true)
	w.sends("locales/en/z.json (en): z2")
	waits(false)
	w.commitOn("l10n", "locales/fr/z.json", "{\n  \"z\": \"fr z 2\"\n}\n")
	w.clean(part("locales/*/a.json"))
	waits(true)
	w.sends("locales/fr/z.json (fr): z")
	waits(false)
}

// What became of keys of other files is told by a push that is for them.
func TestPushOfAPartTellsNothingOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`,
		"locales/en/z.json":    `{"y": "Y", "z": "Z"}`,
		"locales/en/gone.json": `{"gone": "Gone"}`})
	w.clean(push.Options{})
	w.write("locales/en/z.json", `{"z": "Z"}`, "locales/en/a.json", `{"a": "A 2"}`)
	w.remove("locales/en/gone.json")
	w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "en", Format: "json",
		Conflicts: service.Overwrite,
		Files:     []service.Upload{{Name: "z.json", Body: []byte(`{"z2": "Service"}`)}}})
	w.write("locales/en/z.json", `{"z": "Z", "z2": "Z 2"}`)
	for range 3 {
		o := part("locales/*/a.json")
		o.Force = true
		if p := w.clean(o); len(p.Orphaned)+len(p.Replaced) > 0 {
			t.Errorf("%v, %v", p.Orphaned, p.Replaced)
		}
	}
	p := w.clean(push.Options{Force: true})
	w.reports(p, "locales/en/z.json (en): z2")
	var told []string
	for _, o := range p.Orphaned {
		told = append(told, o.File+" "+o.Key)
	}
	if slices.Sort(told); !slices.Equal(told, []string{"locales/en/gone.json gone", "locales/en/z.json y"}) ||
		len(p.Replaced) != 1 {
		t.Errorf("%q, %v", told, p.Replaced)
	}
	if p := w.clean(push.Options{Force: true}); len(p.Orphaned)+len(p.Files) > 0 {
		t.Errorf("%v", p)
	}
}

// Translations of new keys go along with their source file, before those that the service makes by itself. What changed
// otherwise in their files waits.
func TestNewKeysBringTheirTranslations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`,
		"locales/de/a.json": `{"a": "Ä"}`}, trial)
	w.clean(push.Options{})
	w.write("locales/en/a.json", `{"a": "A", "hello": "Hello"}`, "locales/de/a.json", `{"a": "Ah", "hello": "Hallo"}`)
	for _, dry := range []bool{true, false} {
		o := part("locales/en/a.json")
		o.DryRun = dry
		w.reports(w.clean(o), "locales/de/a.json (de): hello", "locales/en/a.json (en): hello")
	}
	w.holds("main", "de", "hello", "Hallo")
	w.holds("main", "de", "a", "Ä")
	w.sends("locales/de/a.json (de): a")
	w.sends()
}

// A key that was renamed in a file that waits does not keep translations of a new one from going before those that the
// service makes by itself.
func TestNewFileBesideARenameThatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/z.json": `{"y": "A long text", "z": "Z"}`}, trial)
	w.clean(push.Options{})
	w.write("locales/en/z.json", `{"y2": "A long text", "z": "Z"}`,
		"locales/en/a.json", `{"hello": "Hello", "bye": "Bye"}`, "locales/de/a.json", `{"hello": "Hallo"}`)
	w.reports(w.clean(part("locales/*/a.json")), "locales/de/a.json (de): hello", "locales/en/a.json (en): hello bye")
	w.holds("main", "de", "hello", "Hallo")
	if p := w.clean(push.Options{}); len(p.Renamed) != 1 {
		t.Errorf("renamed: %v", p.Renamed)
	}
}

// A key that moves to another file, of this collection or another one, is sent once with its translations, whichever
// files are pushed first, and is not told to be gone.
func TestKeysThatMoveInAPushOfAPart(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, collection := range []string{"", "collection = \"{NAME}\"\n"} {
		for _, first := range []string{"a", "b", "m", "[am]", "[bm]"} {
			t.Run(collection+first, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\n"+jsonFiles+
					collection,
					map[string]string{"locales/en/a.json": `{"a": "A"}`, "locales/en/b.json": `{"b": "B", "k": "A text that moves"}`,
						"locales/en/m.json": `{"m": "M"}`})
				w.clean(push.Options{})
				at := func(file string) string {
					if collection == "" {
						return "main"
					}
					return file
				}
				w.translate(at("b"), "fr", service.Final, "b", "fr b", "k", "fr k")
				w.pulls(pull.Options{})
				w.git("merge", "-q", "l10n")
				w.write("locales/en/a.json", `{"a": "A", "k": "A text that moves"}`, "locales/en/b.json", `{"b": "B"}`)
				w.commit()
				sent := 0
				for _, o := range []push.Options{part("locales/*/" + first + ".json"), {}, {}} {
					p := w.clean(o)
					for _, f := range p.Files {
						if sent++; f.Path != "locales/en/a.json" && f.Path != "locales/fr/a.json" || !slices.Equal(f.Keys,
							[]string{"k"}) {
							t.Errorf("sent %+v", f)
						}
					}
					if len(p.Orphaned) > 0 {
						t.Errorf("told to be gone: %v", p.Orphaned)
					}
				}
				if want := map[bool]int{true: 0, false: 2}[collection == ""]; sent != want {
					t.Errorf("%d files are sent, want %d", sent, want)
				}
				w.holds(at("a"), "en", "k", "A text that moves")
				w.holds(at("a"), "fr", "k", "fr k")
				w.pulls(pull.Options{})
				if got := w.show("l10n", "locales/fr/a.json"); !strings.Contains(got, "fr k") {
					t.Errorf("the pull brings %s", got)
				}
			})
		}
	}
}

// A translation of a reworded text waits for it, or it would be outdated by it.
func TestTranslationBeforeItsRewordedSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\n"+jsonFiles,
		map[string]string{"locales/en/a.json": `{"a": "Save", "b": "B"}`})
	w.clean(push.Options{})
	w.final("fr", "a", "Sauver", "b", "B")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.write("locales/en/a.json", `{"a": "Save the file", "b": "B"}`, "locales/fr/a.json",
		`{"a": "Enregistrer le fichier", "b": "Bé"}`)
	w.commit()
	for range 2 {
		w.pushes(part("locales/fr/a.json"))
		w.holds("main", "fr", "b", "Bé")
		w.holds("main", "fr", "a", "Sauver")
	}
	w.reports(w.clean(push.Options{}), "locales/en/a.json (en): a", "locales/fr/a.json (fr): a")
	if final := w.atLeast("main", "fr", service.Final)["a"]; final != "Enregistrer le fichier" {
		t.Errorf("the service has %q", final)
	}
}
