package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// manyConflicts is a world in which the keys open and "the end" are in conflict in each of two files of two languages.
func manyConflicts(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, settings+"[project.push]\nconflicts = \"report\"\n[[project.files]]\nsource = \"locales/en/*.json\"\noutput = \"locales/{LANGUAGE}/{NAME}.json\"\ncollection = \"{NAME}\"\n",
		map[string]string{"locales/en/menu.json": `{"open": "Open", "the end": "End"}`, "locales/en/shop.json": `{"open": "Open", "the end": "End"}`})
	each := func(do func(collection, language string)) {
		for _, collection := range []string{"menu", "shop"} {
			for _, language := range []string{"de", "fr"} {
				do(collection, language)
			}
		}
	}
	w.clean(push.Options{})
	each(func(collection, language string) {
		w.translate(collection, language, service.Final, "open", "first", "the end", "first")
	})
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.sends()
	each(func(collection, language string) {
		w.write("locales/"+language+"/"+collection+".json", `{"open": "hand", "the end": "hand"}`)
		w.translate(collection, language, service.Final, "open", "there", "the end", "there")
	})
	if p := w.pushes(push.Options{}); len(p.Problems) != 8 {
		t.Fatalf("%d problems: %v", len(p.Problems), p.Problems)
	}
	return w
}

// The command that a conflict names decides that conflict and no other, whichever else there are; what was decided is at the service, what was not is as it was.
func TestEachConflictIsDecidedAlone(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := manyConflicts(t)
	sides := []string{"ours", "theirs"}
	for n := 8; n > 0; n-- {
		all := w.Status(t.Context()).Projects[0].Conflicts
		if len(all) != n {
			t.Fatalf("%d conflicts, want %d: %+v", len(all), n, all)
		}
		c, side := all[n/2], sides[n%2]
		quoted := c.Key
		if strings.Contains(quoted, " ") {
			quoted = "'" + quoted + "'"
		}
		want := fmt.Sprintf("locsync push --%s --key %s --file %s --language %s", side, quoted, c.File, c.Language)
		if c.Command(side) != want {
			t.Fatalf("%s, want %s", c.Command(side), want)
		}
		p := w.pushes(push.Options{Ours: side == "ours", Theirs: side == "theirs", Keys: []string{c.Key}, Files: []string{c.File}})
		if len(p.Settled) != 1 || p.Settled[0].File != c.File || p.Settled[0].Key != c.Key || p.Settled[0].Language != c.Language {
			t.Fatalf("settled %+v, want %+v", p.Settled, c)
		}
		collection := strings.TrimSuffix(c.File[len("locales/de/"):], ".json")
		w.holds(collection, c.Language, c.Key, map[string]string{"ours": "hand", "theirs": "there"}[side])
		for _, other := range all {
			if other.File != c.File || other.Key != c.Key {
				w.holds(strings.TrimSuffix(other.File[len("locales/de/"):], ".json"), other.Language, other.Key, "there")
			}
		}
	}
}

// Languages, files and keys leave those conflicts that fit all of them. What fits none is named with what is there, and decides nothing.
func TestChosenConflicts(t *testing.T) {
	t.Parallel()
	w := manyConflicts(t)
	for _, c := range []struct {
		o       push.Options
		settled int
		told    []string
	}{
		{push.Options{Languages: []string{"de"}}, 4, nil},
		{push.Options{Languages: []string{"de", "fr"}, Keys: []string{"open"}}, 4, nil},
		{push.Options{Files: []string{"./locales//fr/menu.json"}}, 2, nil},
		{push.Options{Files: []string{"locales/fr/menu.json"}, Languages: []string{"de"}}, 0,
			[]string{"locales/fr/menu.json: (de): has no conflict; these have: \"open\" (de) in locales/de/menu.json, "}},
		{push.Options{Files: []string{"locales/fr/menu.json"}, Keys: []string{"open", "opn"}}, 1,
			[]string{`"opn": has no conflict; did you mean "open"?; locsync status lists all keys that have one`}},
		{push.Options{Files: []string{"locales/fr/nowhere.json", "menu.json"}}, 0,
			[]string{"locales/fr/nowhere.json: has no conflict; these have: ", "menu.json: has no conflict; these have: "}},
		{push.Options{Files: []string{"locales/fr/menu.json", "locales/de/menu.json"}, Languages: []string{"fr", "de"}, Keys: []string{"the end"}}, 2, nil},
		{push.Options{Files: []string{"locales/fr/menu.json"}, Languages: []string{"fr", "de"}}, 2,
			[]string{`locales/fr/menu.json: (de): has no conflict; these have: "open" (de) in locales/de/menu.json, "the end" (de) in locales/de/menu.json, "open" (de) in locales/de/shop.json, "the end" (de) in locales/de/shop.json, "open" (fr) in locales/fr/menu.json, 3 more; locsync status`}},
		{push.Options{Keys: []string{"close"}, Languages: []string{"fr"}}, 0, []string{`"close" (fr): has no conflict`}},
	} {
		c.o.Theirs, c.o.DryRun = true, true
		p := w.pushes(c.o)
		var told []string
		for _, problem := range p.Problems {
			if strings.Contains(problem.Problem, "has no conflict") {
				told = append(told, problem.String())
			}
		}
		if len(p.Settled) != c.settled || !slices.EqualFunc(told, c.told, strings.Contains) {
			t.Errorf("%+v: settled %d, want %d; told %q, want %q", c.o, len(p.Settled), c.settled, told, c.told)
		}
	}
	var usage *failure.UsageError
	for _, c := range []struct {
		o    push.Options
		says string
	}{
		{push.Options{Ours: true, Languages: []string{"fr", "xx"}}, `nothing is translated into "xx"; choose from "de", "fr"`},
		{push.Options{Theirs: true, Languages: []string{"fr-"}}, `nothing is translated into "fr-"; did you mean "fr"?`},
		{push.Options{Languages: []string{"fr"}}, "add --ours or --theirs"},
		{push.Options{Files: []string{"locales/xx/menu.json"}},
			`no project pushes a file "locales/xx/menu.json"; did you mean`},
	} {
		if _, err := w.Push(t.Context(), c.o); !errors.As(err, &usage) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	if n := len(w.Status(t.Context()).Projects[0].Conflicts); n != 8 {
		t.Errorf("%d conflicts are left of 8", n)
	}
}

// Where several projects are configured the command names the one: another may have a file of the same name, with the same key.
func TestCommandOfAConflictNamesTheProject(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles+`
[[project]]
name = "the other"
id = "99999999-2222-3333-4444-555555555555"
repository = "."
source_language = "en"
target_languages = ["de"]
[[project.files]]
source = "other/en.json"
output = "other/{LANGUAGE}.json"
`)
	w.write(deApp, de("A hand", "B de"))
	w.translate("main", "de", service.Final, "a", "A service")
	w.problem(w.pushes(push.Options{}).Problems, "run locsync push --ours --key a --file locales/de/app.json --language de --project app;")
	c := w.Status(t.Context()).Projects[0].Conflicts[0]
	c.Project = "the other"
	if got := c.Command("theirs"); !strings.HasSuffix(got, " --project 'the other'") {
		t.Error(got)
	}
	w.reports(w.pushes(push.Options{Ours: true, Project: "app"}), deApp+" (de): a")
}

// A decision for the service's text that the next pull does not come to merge, because the state is lost, is asked for again: neither side is changed meanwhile.
func TestDecisionThatIsForgotten(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, completion := range []service.CompletionState{service.Draft, service.Final} {
		for _, met := range []bool{false, true} { // never agreed on, or changed on both sides
			w := newWorld(t, settings+"[project.pull]\nbase = \"main\"\n"+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B"}`, deApp: `{"a": "ours"}`})
			w.translate("main", "en", service.Final, "a", "A", "b", "B")
			if met {
				w.write(deApp, `{}`)
				w.commit()
				w.final("de", "a", "agreed")
				w.pulls(pull.Options{})
				w.git("merge", "-q", "l10n")
				w.clean(push.Options{})
				w.write(deApp, `{"a": "ours"}`)
				w.commit()
			}
			w.translate("main", "de", completion, "a", "theirs")
			if p := w.pushes(push.Options{}); len(p.Problems) != 1 {
				t.Fatalf("%v", p.Problems)
			}
			if last := w.Status(t.Context()).Projects[0].LastPush; last.Result != report.ResultPartial {
				t.Errorf("the last push is %s", last.Result)
			}
			w.pushes(push.Options{})
			if last := w.Status(t.Context()).Projects[0].LastPush; last.Result != report.ResultPartial {
				t.Errorf("with a conflict that waits the last push is %s", last.Result)
			}
			w.clean(push.Options{Theirs: true})
			if last := w.Status(t.Context()).Projects[0].LastPush; last.Result != report.ResultOK {
				t.Errorf("after a decision the last push is %s", last.Result)
			}
			w.lose()
			w.problem(w.pushes(push.Options{}).Problems, "ours", "theirs")
			w.holds("main", "de", "a", "theirs")
			w.pushes(push.Options{Theirs: true})
			w.pulls(pull.Options{})
			if completion == service.Final {
				w.has("l10n", deApp, `{"a": "theirs"}`)
			}
			w.clean(push.Options{})
			w.holds("main", "de", "a", "theirs")
		}
	}
}

// One decision at a time.
func TestDecisionsThatExclude(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A"}`})
	for _, o := range []push.Options{{Translations: true, Ours: true}, {Translations: true, Theirs: true}} {
		_, err := w.Engine.Push(t.Context(), o)
		if u := (*failure.UsageError)(nil); !errors.As(err, &u) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	_, err := w.Engine.Sync(t.Context(), push.Options{Translations: true}, pull.Options{AcceptService: true})
	if u := (*failure.UsageError)(nil); !errors.As(err, &u) {
		t.Errorf("both sides: %v", err)
	}
}

// A decision that is made alone sends that text and nothing else: what else changed here waits, as before.
func TestDecisionAlone(t *testing.T) {
	t.Parallel()
	w := manyConflicts(t)
	w.write("locales/en/menu.json", `{"open": "Open", "the end": "End", "new": "New"}`,
		"locales/en/shop.json", `{"open": "Open!", "the end": "End"}`)
	pending := w.Status(t.Context()).Projects[0].Pending
	decide := func(o push.Options) report.ProjectPush {
		o.Alone, o.Keys, o.Languages = true, []string{"open"}, []string{"de"}
		o.Files = []string{"locales/de/menu.json"}
		return w.pushes(o)
	}
	if p := decide(push.Options{Ours: true, DryRun: true}); len(p.Settled) != 1 || len(p.Files) != 1 || p.Keys != 1 {
		t.Errorf("a dry run: %+v", p)
	}
	w.holds("menu", "de", "open", "there")
	if p := decide(push.Options{Ours: true}); len(p.Settled) != 1 || len(p.Files) != 1 || p.Keys != 1 {
		t.Errorf("%+v", p)
	}
	w.holds("menu", "de", "open", "hand", "the end", "there")
	w.only("menu", "en", "open", "Open", "the end", "End")
	w.only("shop", "en", "open", "Open", "the end", "End")
	s := w.Status(t.Context()).Projects[0]
	if s.Pending != pending || len(s.Conflicts) != 7 {
		t.Errorf("%d pending, were %d; %d conflicts", s.Pending, pending, len(s.Conflicts))
	}
	w.pushes(push.Options{})
	w.only("menu", "en", "open", "Open", "the end", "End", "new", "New")
	if _, err := w.Push(t.Context(), push.Options{Alone: true}); err == nil {
		t.Error("nothing is decided, and it is no error")
	}
}
