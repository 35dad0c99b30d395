package engine

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"pgregory.net/rapid"
)

// trouble is something that is wrong, and how it is repaired. says is a part of the problem that names it. atOnce: the next status knows that it is
// repaired; else the next passes do.
type trouble struct {
	name, says   string
	make, repair func(w *world)
	atOnce       bool
}

// troubles do not disturb each other: each has files and keys of its own. Pulls look at main, where the working tree is committed.
var troubles = []trouble{
	{"a source file that does not parse", "locales/en/broken.json:1:", func(w *world) { w.writeAndCommit("locales/en/broken.json", `{"x": `) },
		func(w *world) { w.writeAndCommit("locales/en/broken.json", `{"x": "X"}`) }, true},
	{"a key that means two things", "is in this file twice with different texts", func(w *world) { w.writeAndCommit("locales/en/twice.json", `{"y": "1", "y": "2"}`) },
		func(w *world) { w.writeAndCommit("locales/en/twice.json", `{"y": "1"}`) }, true},
	{"a file that lost its keys", "lost 16 of its 20 keys", func(w *world) { w.write("locales/en/many.json", jsonOf(many("k", 4))) },
		func(w *world) { w.write("locales/en/many.json", jsonOf(many("k", 20))) }, true},
	{"a translation of the branch that does not parse", "locales/de/other.json:1:", func(w *world) { w.commitOn("l10n", "locales/de/other.json", `{"o": `) },
		func(w *world) { w.commitOn("l10n", "locales/de/other.json", "{\n  \"o\": \"O de\"\n}\n") }, true},
	{"a translation in the working tree that does not parse", "locales/fr/other.json:1:", func(w *world) { w.write("locales/fr/other.json", `{"o": `) },
		func(w *world) { w.write("locales/fr/other.json", `{"o": "O fr"}`) }, true},
	{"a translation that would break the program", `"n" (de): the translation "Alle" is left out`, func(w *world) { w.final("de", "n", "Alle") },
		func(w *world) { w.final("de", "n", "{n} neue") }, false},
	{"a key whose translation would break the program goes", `"gone" (fr): the translation "Rien" is left out`, func(w *world) {
		w.writeAndCommit("locales/en/gone.json", `{"gone": "{n} gone", "stays": "S"}`)
		w.pushes(push.Options{})
		w.final("fr", "gone", "Rien")
	}, func(w *world) { w.writeAndCommit("locales/en/gone.json", `{"stays": "S"}`) }, true},
	{"both sides change a key", "was changed in the repository to", func(w *world) {
		// Each side changes what it has: also after an earlier conflict was decided, with or without a pull since.
		here, there := textsOf(w.tb, w.show("l10n", "locales/de/both.json"))["both"], w.at("main", "de")["both"]
		w.commitOn("l10n", "locales/de/both.json", jsonOf(map[string]string{"both": other(here, "of a hand", "of another hand")}))
		w.final("de", "both", other(there, "of the service", "of the service again"))
		w.pushes(push.Options{})
	}, func(w *world) { w.pushes(push.Options{Theirs: true}) }, true},
}

// writeAndCommit commits one file, and nothing else that lies in the working tree.
func (w *world) writeAndCommit(path, text string) {
	w.tb.Helper()
	w.write(path, text)
	w.git("add", path)
	w.git("commit", "-q", "-m", "by a person", "--", path)
}

// other is one of two texts, and not the present one.
func other(present, one, two string) string {
	if present == one {
		return two
	}
	return one
}

func troubled(t testing.TB) *world {
	w := newWorld(t, settings+"[project.pull]\nremote = \"\"\nbase = \"main\"\n"+jsonFiles, map[string]string{
		"locales/en/broken.json": `{"x": "X"}`, "locales/en/twice.json": `{"y": "1"}`, "locales/en/many.json": jsonOf(many("k", 20)),
		"locales/en/other.json": `{"o": "O"}`, "locales/en/n.json": `{"n": "{n} new"}`, "locales/en/gone.json": `{"stays": "S"}`, "locales/en/both.json": `{"both": "Both"}`})
	w.clean(push.Options{})
	w.final("de", "o", "O de", "both", "Both de")
	w.final("fr", "o", "O fr")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.pushes(push.Options{})
	w.pulls(pull.Options{})
	return w
}

func (w *world) problemsNow() []string {
	w.tb.Helper()
	var all []string
	for _, p := range w.Status(w.tb.Context()).Projects[0].Problems {
		all = append(all, p.String())
	}
	return all
}

func tells(problems []string, what string) bool {
	return slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, what) })
}

// Whatever is wrong is told from the next passes on, and not any more once it is repaired: by the next status where that can know, else after the next
// passes. That holds in any order of troubles, repairs, passes, and passes that fail in between; nothing is dismissed by anybody.
func TestProblemsClearThemselves(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, x := range troubles {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := troubled(t)
			if now := w.problemsNow(); len(now) > 0 {
				t.Fatalf("at the beginning: %q", now)
			}
			x.make(w)
			w.pushes(push.Options{})
			w.pulls(pull.Options{})
			if now := w.problemsNow(); len(now) != 1 || !strings.Contains(now[0], x.says) {
				t.Fatalf("%q, want one with %q", now, x.says)
			}
			// What a pass that fails did not come to is not taken back by it.
			w.wire.failing(refusing(http.StatusUnauthorized))
			if _, err := w.Pull(t.Context(), pull.Options{Full: true}); err == nil {
				t.Fatal("the pull worked")
			}
			w.wire.failing(nil)
			if now := w.problemsNow(); len(now) != 1 || !strings.Contains(now[0], x.says) {
				t.Fatalf("after a pass that failed: %q", now)
			}
			x.repair(w)
			if now := w.problemsNow(); x.atOnce && len(now) > 0 {
				t.Fatalf("repaired, and the status still says %q", now)
			}
			w.pushes(push.Options{})
			w.pulls(pull.Options{})
			s := w.Status(t.Context()).Projects[0]
			if len(s.Problems) > 0 || strings.Contains(s.State, "left out") || s.Held > 0 {
				t.Fatalf("repaired, and after the next passes: %q, held %d, %v", s.State, s.Held, s.Problems)
			}
			for _, l := range s.Languages {
				if l.Held+l.HeldMissing > 0 {
					t.Errorf("%+v", l)
				}
			}
		})
	}
}

// A conflict that was decided without a pull since, and that comes anew.
func TestProblemReturnsBeforeAPull(t *testing.T) {
	t.Parallel()
	w := troubled(t)
	both := troubles[len(troubles)-1]
	for _, does := range []func(*world){both.make, both.repair, both.make} {
		does(w)
	}
	w.pushes(push.Options{})
	w.pulls(pull.Options{})
	if now := w.problemsNow(); !tells(now, both.says) {
		t.Errorf("%q", now)
	}
	both.repair(w)
	w.pulls(pull.Options{})
	if now := w.problemsNow(); len(now) > 0 {
		t.Errorf("%q", now)
	}
}

func TestProblemsClearThemselvesInAnyOrder(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := troubled(t)
		wrong := make(map[string]bool)
		passOf := func() {
			if _, err := w.Push(t.Context(), push.Options{}); err != nil {
				rt.Fatal(err)
			}
			if _, err := w.Pull(t.Context(), pull.Options{}); err != nil {
				rt.Fatal(err)
			}
		}
		for range rapid.IntRange(2, 5).Draw(rt, "steps") {
			x := rapid.SampledFrom(troubles).Draw(rt, "trouble")
			if wrong[x.name] {
				x.repair(w)
			} else {
				x.make(w)
			}
			wrong[x.name] = !wrong[x.name]
			passed := rapid.Bool().Draw(rt, "passes")
			if passed {
				passOf()
			}
			now := w.problemsNow()
			for _, y := range troubles {
				if told := tells(now, y.says); told && !wrong[y.name] && (y.atOnce || passed) || !told && wrong[y.name] && passed {
					rt.Fatalf("%s: told %v, wrong %v: %q", y.name, told, wrong[y.name], now)
				}
			}
		}
		for _, x := range troubles {
			if wrong[x.name] {
				x.repair(w)
			}
		}
		passOf()
		if now := w.problemsNow(); len(now) > 0 {
			rt.Fatalf("everything is repaired: %q", now)
		}
	})
}

// A language, an entry and a branch that the configuration has no more take their problems along.
func TestProblemsOfRemovedConfiguration(t *testing.T) {
	t.Parallel()
	w := troubled(t)
	w.final("de", "n", "Alle")
	w.pulls(pull.Options{})
	w.problem(w.Status(t.Context()).Projects[0].Problems, "is left out")
	if de := w.Status(t.Context()).Projects[0].Languages[0]; de.Held != 1 || de.HeldMissing != 1 {
		t.Errorf("%+v", de)
	}
	w.configure(strings.Replace(w.config, `["de", "fr"]`, `["fr"]`, 1))
	if s := w.Status(t.Context()).Projects[0]; len(s.Problems) > 0 || len(s.Languages) != 1 {
		t.Errorf("%v, %+v", s.Problems, s.Languages)
	}
}

// A translation that is held back counts where its key is counted: among those that have an older one, or among the missing. Both together are always the
// keys of the source.
func TestHeldTranslations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{enApp: `{"a": "{n} A", "b": "{n} B", "c": "C", "d": "D"}`})
	w.clean(push.Options{})
	expect := func(when string, want report.LanguageStatus) {
		t.Helper()
		want.Language = "de"
		if got := w.Status(t.Context()).Projects[0].Languages[0]; got != want || got.Keys+got.Missing != 4 || got.HeldMissing > got.Missing || got.Held-got.HeldMissing > got.Keys {
			t.Fatalf("%s: %+v, want %+v", when, got, want)
		}
	}
	w.final("de", "a", "{n} A de", "c", "C de")
	w.pulls(pull.Options{})
	expect("pulled", report.LanguageStatus{Keys: 2, Missing: 2})
	w.final("de", "a", "A without", "b", "B without")
	w.pulls(pull.Options{})
	expect("two fail their checks, of which one has an older text", report.LanguageStatus{Keys: 2, Missing: 2, Held: 2, HeldMissing: 1})
	w.brings2("de", "d", "D de")
	expect("something else came", report.LanguageStatus{Keys: 3, Missing: 1, Held: 2, HeldMissing: 1})
	w.git("merge", "-q", "l10n")
	w.pushes(push.Options{})
	w.write(deApp, strings.Replace(w.show("l10n", deApp), "C de", "C hand", 1))
	w.final("de", "c", "C service")
	w.pushes(push.Options{})
	expect("both sides changed another", report.LanguageStatus{Keys: 3, Missing: 1, Held: 3, HeldMissing: 1})
	w.pushes(push.Options{Theirs: true})
	w.final("de", "a", "{n} A neu", "b", "{n} B neu")
	w.pulls(pull.Options{})
	expect("all is well", report.LanguageStatus{Keys: 4})

	// The guard holds whole files back, and what they would get with them.
	all := many("k", 20)
	w = newWorld(t, localOnly+"source_changed = \"blank\"\n"+jsonFiles, map[string]string{enApp: jsonOf(all)})
	w.clean(push.Options{})
	var pairs []string
	for key := range all {
		pairs = append(pairs, key, key+" de")
	}
	w.final("de", pairs...)
	w.pulls(pull.Options{})
	for key, text := range all {
		all[key] = text + ", changed"
	}
	w.write(enApp, jsonOf(all))
	w.commit()
	w.clean(push.Options{})
	w.pulls(pull.Options{})
	s := w.Status(t.Context()).Projects[0]
	if de := s.Languages[0]; s.Held != 1 || de != (report.LanguageStatus{Language: "de", Keys: 20, Held: 20}) {
		t.Errorf("held %d, %+v, %v", s.Held, de, s.Problems)
	}
}

// brings2 is a translator and the pull after.
func (w *world) brings2(language string, keysAndTexts ...string) {
	w.tb.Helper()
	w.final(language, keysAndTexts...)
	w.pulls(pull.Options{})
}

// Branches that cannot be translated yet make the pass partial, and are told by the status, whichever line that is about, until they can be.
func TestWaitingBranchesInTheStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t, lineSettings, map[string]string{appFile: mainText})
	gittest.Bare(t, w.dir)
	w.git("push", "-q", "origin", "main")
	w.configure(lineSettings)
	w.clean(push.Options{})
	w.git("checkout", "-q", "-b", "feature/x")
	w.clean(push.Options{})
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, "feature/x is not at origin yet")
	if p.Problems[0].Remedy == "" {
		t.Error("without a remedy")
	}
	s := w.Status(t.Context()).Projects[0]
	if w.problem(s.Problems, "feature/x is not at origin yet"); s.Base != "feature/x" {
		t.Errorf("the status is about %s", s.Base)
	}
	w.restart(w.Config)
	w.problem(w.Status(t.Context()).Projects[0].Problems, "feature/x is not at origin yet")
	for _, l := range w.Status(t.Context()).Projects[0].Lines {
		if l.Base == "main" && (l.LastPull == nil || l.LastPull.Result != report.ResultPartial || l.LastPull.Problems != nil) {
			t.Errorf("main's last pull: %+v", l.LastPull)
		}
	}
	w.git("push", "-q", "origin", "feature/x")
	if s := w.Status(t.Context()).Projects[0]; len(s.Problems) > 0 {
		t.Errorf("it is at the remote: %v", s.Problems)
	}
	w.git("checkout", "-q", "--detach")
	w.pulls(pull.Options{})
	if now := w.problemsNow(); len(now) > 0 { // main and feature/x are known, and have no need of HEAD
		t.Errorf("%q", now)
	}

	// push.branches covers it no more.
	w.git("checkout", "-q", "main")
	listed := func() (names []string) {
		for _, l := range w.Status(t.Context()).Projects[0].Lines {
			names = append(names, l.Base)
		}
		return names
	}
	if got := fmt.Sprint(listed()); got != "[feature/x main]" {
		t.Error(got)
	}
	w.configure(strings.Replace(lineSettings, `["main", "feature/*"]`, `["main"]`, 1))
	if got := fmt.Sprint(listed()); got != "[main]" {
		t.Error(got)
	}
}

// The status looks at the branch as its remote had it last, not at a local branch of its name that has gone another way.
func TestStatusOfADivergedBranch(t *testing.T) {
	t.Parallel()
	w := abc(t, settings, nil)
	gittest.Bare(t, w.dir)
	w.configure(settings + jsonFiles)
	w.final("de", "a", "A1", "b", "B1")
	w.pulls(pull.Options{})
	w.git("branch", "-f", "l10n", "main")
	w.commitOn("l10n", "locales/de/a.json", "{\n  \"c\": \"mine\"\n}\n")
	if de := w.Status(t.Context()).Projects[0].Languages[0]; de.Keys != 2 {
		t.Errorf("%+v; the remote's branch has two", de)
	}
	w.commitOn("l10n", "locales/de/a.json", "{\n  \"c\": ")
	if now := w.problemsNow(); len(now) > 0 {
		t.Errorf("nobody reads the local branch: %q", now)
	}
}
