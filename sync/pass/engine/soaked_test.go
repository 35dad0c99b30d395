package engine

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// What the soak has found, each as the shortest story that shows it.

// A person's translation that a push has delivered is younger than the one that the branch has from a pull: where the two meet, it stands, also while the
// service shows neither, because the source text has changed since.
func TestADeliveredTextMeetsTheBranchsOlderOne(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := translatedAB(t, "[project.push]\ncompletion_state = \"final\"\n")

	w.commitOn("l10n", deApp, flat(map[string]string{"a": "A2 reviewer", "b": "B1"}))
	w.git("merge", "-q", "--squash", "l10n")
	w.commit()
	w.final("de", "a", "A3 translator")
	w.pushes(push.Options{}) // the service's stands
	w.pulls(pull.Options{})
	w.write(deApp, flat(map[string]string{"a": "A4 person", "b": "B1"}))
	w.pushes(push.Options{})
	w.holds("main", "de", "a", "A4 person")

	w.write(enApp, flat(map[string]string{"a": "A changed", "b": "B"}))
	w.commit()
	w.pushes(push.Options{})
	w.final("fr", "b", "B fr") // a reason for a commit
	w.pulls(pull.Options{})
	w.has("l10n", deApp, flat(map[string]string{"a": "A4 person", "b": "B1"}))
	w.git("merge", "-q", "l10n")
	w.pushes(push.Options{})
	w.holds("main", "de", "a", "A4 person")
}

// Two forms of one plural are changed in two places, one on the branch, one in the working tree: both arrive.
func TestFormsOfOnePluralChangedInTwoPlaces(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	plural := func(one, other string) string {
		return "<resources>\n    <plurals name=\"p\">\n        <item quantity=\"one\">" + one + "</item>\n        <item quantity=\"other\">" + other + "</item>\n    </plurals>\n</resources>\n"
	}
	const file = "res/values-de/strings.xml"
	w := newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\n[[project.files]]\nsource = \"res/values/strings.xml\"\noutput = \"res/values-{LOCALE:ANDROID}/strings.xml\"\n",
		map[string]string{"res/values/strings.xml": plural("one", "other")})
	w.pushes(push.Options{})
	w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "de", Format: "android-xml", CompletionState: service.Final,
		Files: []service.Upload{{Name: "x.xml", Body: []byte(plural("eins", "andere"))}}})
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.pushes(push.Options{})

	w.commitOn("l10n", file, plural("eins vom Zweig", "andere"))
	w.write(file, plural("eins", "andere von hier"))
	w.commit()
	w.pushes(push.Options{})
	w.pulls(pull.Options{})
	w.has("l10n", file, plural("eins vom Zweig", "andere von hier"))
	w.git("merge", "-q", "-X", "theirs", "l10n")
	w.pushes(push.Options{})
	w.wire.take("")
	w.sends()
	w.pulls(pull.Options{})
	w.has("l10n", file, plural("eins vom Zweig", "andere von hier"))
	gittest.Sound(t, w.dir)
}

// translatedAB is a project whose two translations were brought by a pull, merged and sent; more is its configuration.
func translatedAB(t *testing.T, more string) *world {
	t.Helper()
	w := newWorld(t, settings+more+"[project.pull]\nremote = \"\"\n"+jsonFiles,
		map[string]string{enApp: flat(map[string]string{"a": "A", "b": "B"})})
	w.pushes(push.Options{})
	w.final("de", "a", "A1", "b", "B1")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.pushes(push.Options{})
	return w
}

// Of a conflict that the service won the loser stands on base; it does not come into the branch with base.
func TestALostTextIsNotJoinedIntoTheBranch(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := translatedAB(t, "[project.push]\ncompletion_state = \"final\"\n")
	w.final("de", "a", "A2 translator")
	w.write(deApp, flat(map[string]string{"a": "A2 person", "b": "B1"}))
	w.problem(w.pushes(push.Options{}).Problems, "A2 person", "A2 translator")
	w.pulls(pull.Options{})
	w.has("l10n", deApp, flat(map[string]string{"a": "A2 translator", "b": "B1"}))
	w.commit() // base and branch have changed the same text now
	w.final("de", "b", "B2")
	w.pushes(push.Options{})
	w.problem(w.pulls(pull.Options{}).Problems, "A2 person", "A2 translator")
	w.has("l10n", deApp, flat(map[string]string{"a": "A2 translator", "b": "B2"}))
	w.write(deApp, flat(map[string]string{"a": "A2 person", "b": "B3 person"}))
	w.commit() // and the file once more; what gave way has been named
	w.clean(push.Options{})
	if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
		t.Errorf("%v", p.Problems)
	}
	w.has("l10n", deApp, flat(map[string]string{"a": "A2 translator", "b": "B3 person"}))
	w.git("merge", "-q", "l10n")
	w.clean(push.Options{})
	w.holds("main", "de", "a", "A2 translator", "b", "B3 person")
}

// Somebody changes a translation on the branch and somebody else the same one on base: base's stands, and the branch's is named.
func TestOneTextChangedOnBranchAndBase(t *testing.T) {
	t.Parallel()
	w := translatedAB(t, "")
	w.commitOn("l10n", deApp, flat(map[string]string{"a": "A reviewer", "b": "B1"}))
	w.write(deApp, flat(map[string]string{"a": "A person", "b": "B1"}))
	w.commit()
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, "A reviewer", "A person", "on main")
	w.has("l10n", deApp, flat(map[string]string{"a": "A person", "b": "B1"}))
	w.git("merge", "-q", "--ff-only", "l10n")
	w.brings()
}

// A translator's text is on the branch, and another one, written over the text before it, comes with base: base's
// stays, and the translator's is named. A writer of base who had it in a squashed merge has replaced it knowingly.
func TestATranslatorsTextAndOneOfBase(t *testing.T) {
	t.Parallel()
	for _, seen := range []bool{false, true} {
		w := translatedAB(t, "")
		w.final("de", "a", "A2 translator")
		w.pulls(pull.Options{})
		if seen {
			w.git("merge", "-q", "--squash", "l10n")
			w.commit()
		}
		w.write(deApp, flat(map[string]string{"a": "A person", "b": "B1"}))
		w.commit()
		problems := w.pulls(pull.Options{}).Problems
		if !seen {
			w.problem(problems, "A2 translator", "A person", "on main")
		} else if len(problems) > 0 {
			t.Errorf("%+v", problems)
		}
		w.has("l10n", deApp, flat(map[string]string{"a": "A person", "b": "B1"}))
		w.pushes(push.Options{})
		if problems = w.pulls(pull.Options{}).Problems; len(problems) > 0 {
			t.Errorf("told again: %+v", problems)
		}
		w.holds("main", "de", "a", "A person", "b", "B1")
	}
}

// failsTheSecondExport makes a push with a renamed key fail after its source texts were sent, which the first export compares.
func (w *world) failsTheSecondExport() {
	var exports atomic.Int32
	w.wire.failing(func(r *http.Request) local.Fault {
		return when(strings.HasSuffix(r.URL.Path, "/export") && exports.Add(1) > 1, local.Fault{Refuse: 500})
	})
}

// A rename's translations have not moved yet when a translator translates the new key: the translator's text stays.
func TestARenameThatATranslatorWasFasterThan(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\n"+jsonFiles)
	w.write(enApp, flat(map[string]string{"a2": "A", "b": "B"}))
	w.failsTheSecondExport()
	if _, err := w.Push(t.Context(), push.Options{}); err == nil {
		t.Fatal("the push went well")
	}
	w.wire.failing(nil)
	w.final("de", "a2", "A by the translator")
	w.pushes(push.Options{})
	w.holds("main", "de", "a2", "A by the translator")
}

// An import whose answer was lost had its effect, and the change is taken back: what was accepted before it is sent again.
func TestAChangeIsTakenBackAfterALostAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: flat(map[string]string{"a": "A", "b": "B"})})
	w.pushes(push.Options{})
	w.write(enApp, flat(map[string]string{"a": "A changed", "b": "B"}))
	w.wire.failing(func(r *http.Request) local.Fault { return when(isImport(r), local.Fault{Drop: true}) })
	if _, err := w.Push(t.Context(), push.Options{}); err == nil {
		t.Fatal("the push went well")
	}
	w.wire.failing(nil)
	w.write(enApp, flat(map[string]string{"a": "A", "b": "B"}))
	w.sends(enApp + " (en): a")
	w.holds("main", "en", "a", "A")
	w.sends()
}

// While the source text is new, the service has a translation in no state that counts. Somebody's change of it in the repository stays somebody's change: it
// is sent, and no older text of the service's replaces it.
func TestAChangeOfATranslationThatIsOutdated(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := mergedWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\n"+jsonFiles)
	w.write(enApp, flat(map[string]string{"a": "A changed", "b": "B"}))
	w.commit()
	w.pushes(push.Options{})
	w.commitOn("l10n", deApp, de("A reviewer", "B de"))
	w.pulls(pull.Options{})
	w.sends(deApp + " (de): a")
	w.holds("main", "de", "a", "A reviewer")
	w.pulls(pull.Options{})
	if got := textsIn(t, "json", []byte(w.show("l10n", deApp)))["a"]; got != "A reviewer" {
		t.Errorf("the branch has %q", got)
	}
}

// Somebody's text comes into the branch with base and is sent from there; then somebody sets base back to the text from before. It is an old text of the
// history, and yet somebody's choice: it is sent, too.
func TestATextIsSetBackOnBase(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := translatedAB(t, "[project.push]\ncompletion_state = \"final\"\n")

	w.write(deApp, flat(map[string]string{"a": "A2 person", "b": "B1"}))
	w.commit()
	w.final("de", "b", "B2") // a reason for a commit
	w.pulls(pull.Options{})
	w.has("l10n", deApp, flat(map[string]string{"a": "A2 person", "b": "B2"}))
	w.write(deApp, flat(map[string]string{"a": "A1", "b": "B1"}))
	w.commit()
	w.pushes(push.Options{})
	w.holds("main", "de", "a", "A2 person", "b", "B2")

	w.final("de", "b", "B3")
	w.pulls(pull.Options{})
	w.has("l10n", deApp, flat(map[string]string{"a": "A1", "b": "B3"}))
	w.clean(push.Options{})
	w.holds("main", "de", "a", "A1", "b", "B3")
	w.git("merge", "-q", "l10n")
	w.clean(push.Options{})
	w.brings()
	w.holds("main", "de", "a", "A1", "b", "B3")
}

// A language has no file before its first translation. The file that a pull makes then is no other one than before: somebody who changes most of it has
// changed its texts, and is in no conflict with anybody.
func TestTheFirstFileOfALanguageIsEdited(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\n"+jsonFiles, map[string]string{enApp: flat(map[string]string{"a": "A", "b": "B", "c": "C"})})
	w.pushes(push.Options{})
	w.final("fr", "a", "A fr")
	w.pulls(pull.Options{})
	w.clean(push.Options{}) // de has no file here or anywhere
	w.final("de", "a", "A1", "b", "B1", "c", "C1")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.write(deApp, flat(map[string]string{"a": "A person", "b": "B person", "c": "C1"}))
	w.clean(push.Options{})
	w.holds("main", "de", "a", "A person", "b", "B person", "c", "C1")
}

// A tree that lies behind changes a text that the service has newer, and a pull has merged that: the youngest text stands, and the one that gave way is named. In
// a tree that has it nobody is told.
func TestATreeBehindReplacesANewerText(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := translatedAB(t, "[project.push]\ncompletion_state = \"final\"\n")
	w.final("de", "a", "A2", "b", "B1")
	w.pulls(pull.Options{})
	w.write(deApp, flat(map[string]string{"a": "A person", "b": "B person"}))
	for _, dry := range []bool{true, false} {
		p := w.clean(push.Options{DryRun: dry})
		if len(p.Replaced) != 1 || p.Replaced[0].Key != "a" || !strings.Contains(p.Replaced[0].Problem, `"A2"`) {
			t.Errorf("dry run %v: %+v", dry, p.Replaced)
		}
	}
	w.holds("main", "de", "a", "A person", "b", "B person")
	w.write(deApp, flat(map[string]string{"a": "A person again", "b": "B person"}))
	if p := w.clean(push.Options{}); len(p.Replaced) > 0 {
		t.Errorf("%+v", p.Replaced)
	}
}

// The same when all that the translator has is a draft, which an export of finished translations does not show.
func TestARenameThatATranslatorsDraftWasFasterThan(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := mergedWorld(t, settings+"[project.pull]\nremote = \"\"\n"+jsonFiles)
	w.write(enApp, flat(map[string]string{"a2": "A", "b": "B"}))
	w.failsTheSecondExport()
	if _, err := w.Push(t.Context(), push.Options{}); err == nil {
		t.Fatal("the push went well")
	}
	w.wire.failing(nil)
	w.translate("main", "de", service.Draft, "a2", "A begun")
	w.pushes(push.Options{})
	w.holds("main", "de", "a2", "A begun")
}

// A translation that the service does not show as final, because its source text has changed, is in the repository. Its key is renamed, and a pull renames it
// there before a push could move it at the service: then it moves.
func TestARenameOfATranslationThatOnlyTheRepositoryHas(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := mergedWorld(t, settings+"[project.pull]\nremote = \"\"\n"+jsonFiles)
	w.write(enApp, flat(map[string]string{"a": "A changed", "b": "B"}))
	w.pushes(push.Options{})
	w.write(enApp, flat(map[string]string{"a2": "A changed", "b": "B"}))
	w.commit()
	w.wire.failing(func(r *http.Request) local.Fault {
		return when(strings.HasSuffix(r.URL.Path, "/export"), local.Fault{Refuse: 500})
	})
	if _, err := w.Push(t.Context(), push.Options{}); err == nil {
		t.Fatal("the push went well")
	}
	w.wire.failing(nil)
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.pushes(push.Options{})
	w.holds("main", "de", "a2", "A de")
}

// Two forms of a plural lose a conflict, one of them written after it was found. Then the branch is merged as one squashed commit, which leaves no trace in git:
// nobody can tell a text that was kept over the service's from one that lies behind. The service's stands, and whenever a text comes to lose, it is named: at
// once, for the process may not live to report it.
func TestALostTextIsKeptInASquashedMerge(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	plural := func(one, other string) string {
		return disputedFile([]disputed{{key: "p"}}, func(disputed) [2]string { return [2]string{one, other} })
	}
	w := disputedWorld(t, []disputed{{key: "p"}})
	log := w.logged()
	silent := func(when string) {
		t.Helper()
		if lines := overridden(log); len(lines) > 0 {
			t.Fatalf("%s: %q give way", when, lines)
		}
	}
	named := func(texts ...string) { // in the log, and nothing but that
		t.Helper()
		w.problem(overridden(log), texts...)
	}
	waits := func() {
		t.Helper()
		w.wire.take("")
		w.sends()
		w.silent()
	}

	w.write(disputedPath, plural("p one first.", "2+ person"))
	w.translateForms(plural("2 translator", "2+ translator"))
	lost := []string{`other "2+ person"`, `one "2 translator", other "2+ translator"`}
	w.pushes(push.Options{DryRun: true})
	silent("in a dry run")
	w.problem(w.pushes(push.Options{}).Problems, "2+ person", "2 translator", "2+ translator")
	named(lost...)
	w.pulls(pull.Options{})
	waits()

	w.write(disputedPath, plural("3 person", "2+ person"))
	w.problem(w.pushes(push.Options{}).Problems, `one "3 person", other "2+ person"`, "2 translator", "2+ translator")
	named(`one "3 person", other "2+ person"`)
	waits()

	w.commit()
	w.write(disputedPath, plural("2 translator", "2+ person")) // as somebody resolves it
	w.commit()
	w.problem(w.pushes(push.Options{}).Problems, `one "2 translator", other "2+ person"`, "2+ translator")
	named(`other "2+ person"`)
	waits()

	w.problem(w.pulls(pull.Options{}).Problems, "2+ person", "2+ translator", "push --ours --key p")
	named(`other "2+ person"`)
	w.has("l10n", disputedPath, plural("2 translator", "2+ translator"))
	w.brings()
	silent("in a pull that brings nothing")
	if c := w.Status(t.Context()).Projects[0].Conflicts; len(c) != 1 || c[0].Ours["other"] != "2+ person" {
		t.Fatalf("in conflict: %+v", c)
	}
	w.git("merge", "-q", "--ff-only", "l10n")
	w.sends()
	if c := w.Status(t.Context()).Projects[0].Conflicts; len(c) > 0 {
		t.Fatalf("in conflict: %+v", c)
	}
}
