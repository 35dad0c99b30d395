package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// inConflict checks the conflicts that the status names: "key: ours / theirs", in order.
func (w *world) inConflict(want ...string) {
	w.tb.Helper()
	s := w.Status(w.tb.Context()).Projects[0]
	var got []string
	for _, c := range s.Conflicts {
		got = append(got, c.Key+": "+c.Ours[""]+" / "+c.Theirs[""])
	}
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		w.tb.Fatalf("in conflict %q, want %q", got, want)
	}
	told := 0
	for _, p := range s.Problems {
		if strings.Contains(p.Remedy, "push --ours") {
			told++
		}
	}
	if told != len(want) {
		w.tb.Fatalf("%d of %d conflicts among the problems: %v", told, len(want), s.Problems)
	}
}

// A translation that lost stays in the status until somebody acts, through pushes, pulls and restarts, and costs no request meanwhile.
func TestConflictStays(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write(deApp, de("A hand", "B de"))
	w.translate("main", "de", service.Draft, "a", "A service")
	dry := w.pushes(push.Options{DryRun: true})
	w.problem(dry.Problems, "A hand", "A service", "--key a")
	w.inConflict()
	w.problem(w.pushes(push.Options{}).Problems, "A hand", "A service", "--key a")
	w.inConflict("a: A hand / A service")
	w.wire.take("")
	for range 2 {
		w.problem(w.pushes(push.Options{}).Problems, "A hand")
	}
	w.silent()
	w.pulls(pull.Options{})
	w.inConflict("a: A hand / A service")
	w.translate("main", "de", service.Final, "a", "A service")
	w.pulls(pull.Options{})
	w.restart(w.Config)
	w.reports(w.pushes(push.Options{}))
	w.inConflict("a: A hand / A service")
	w.holds("main", "de", "a", "A service")

	// Another text is a decision.
	w.write(deApp, de("A third", "B de"))
	w.sends(deApp + " (de): a")
	w.inConflict()
	w.holds("main", "de", "a", "A third")
}

// A key that is named to decide about is looked for on every branch. One that is in no conflict on any is named once.
func TestKeyOfAConflictOnOneOfTheBranches(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{appFile: mainText})
	w.git("checkout", "-q", "-b", "feature/x")
	w.write(appFile, featText)
	w.commit()
	w.git("checkout", "-q", "main")
	w.configure(strings.Replace(lineSettings, `branches = ["main", "feature/*"]`, "source = \"main\"\nbranches = [\"feature/*\"]", 1))
	sent := func(o push.Options) []report.ProjectPush {
		result, err := w.Push(t.Context(), o)
		w.check(err)
		return result.Projects
	}
	sent(push.Options{})
	w.translate("feature/x", "de", service.Final, "c", "Käse")
	_, err := w.Pull(t.Context(), pull.Options{})
	w.check(err)
	w.commitOn("l10n/feature/x", appDE, "{\n  \"c\": \"Käselaib\"\n}\n")
	w.translate("feature/x", "de", service.Final, "c", "Käserad")
	w.problem(sent(push.Options{})[1].Problems, "Käselaib", "Käserad")
	for _, dry := range []bool{true, false} {
		p := sent(push.Options{Ours: true, Keys: []string{"c", "nowhere"}, DryRun: dry})
		w.problem(append(p[0].Problems, p[1].Problems...), "nowhere", "has no conflict")
		if len(p[1].Settled) != 1 || p[1].Settled[0].Key != "c" {
			t.Errorf("%+v", p[1])
		}
	}
	w.holds("feature/x", "de", "c", "Käselaib")
}

// When the service goes back to the text that both had, what was changed in the repository is the only change, and is sent.
func TestConflictOverADraftThatIsDiscarded(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write(deApp, de("A hand", "B de"))
	w.translate("main", "de", service.Draft, "a", "A draft")
	w.problem(w.pushes(push.Options{}).Problems, "A hand", "A draft")
	w.translate("main", "de", service.Final, "a", "A de")
	w.pulls(pull.Options{})
	w.sends(deApp + " (de): a")
	w.holds("main", "de", "a", "A hand")
	w.inConflict()
	w.sends()
}

// push --ours sends what lost, over the service's text; --theirs forgets it.
func TestConflictIsDecided(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := mergedWorld(t, settings+"[project.push]\nconflicts = \"report\"\n"+jsonFiles)
	w.write(deApp, de("A hand", "B hand"))
	w.translate("main", "de", service.Final, "a", "A service", "b", "B service")
	if p := w.pushes(push.Options{}); len(p.Problems) != 2 || p.Exports != 1 || p.Requests != 0 {
		t.Fatalf("%+v", p)
	}
	w.pulls(pull.Options{})
	w.inConflict("a: A hand / A service", "b: B hand / B service")
	if p := w.pushes(push.Options{Ours: true, Keys: []string{"c"}}); len(p.Problems) != 1 || !strings.Contains(p.Problems[0].Problem, "no conflict") {
		t.Errorf("%v", p.Problems)
	}
	dry := w.pushes(push.Options{Ours: true, Keys: []string{"a"}, DryRun: true})
	if len(dry.Files) != 1 || len(dry.Files[0].Changes) != 1 || *dry.Files[0].Changes[0].Old != "A service" || *dry.Files[0].Changes[0].New != "A hand" {
		t.Errorf("%+v", dry.Files)
	}
	w.inConflict("a: A hand / A service", "b: B hand / B service")
	w.holds("main", "de", "a", "A service")
	p := w.pushes(push.Options{Ours: true, Keys: []string{"a"}})
	w.reports(p, deApp+" (de): a")
	if len(p.Settled) != 1 || p.Settled[0].Stands != "ours" || p.Settled[0].Ours[""] != "A hand" {
		t.Errorf("settled %+v", p.Settled)
	}
	w.holds("main", "de", "a", "A hand", "b", "B service")
	w.inConflict("b: B hand / B service")
	p = w.pushes(push.Options{Theirs: true})
	if len(p.Settled) != 1 || p.Settled[0].Stands != "theirs" || len(p.Problems) > 0 {
		t.Errorf("%+v", p)
	}
	w.inConflict()
	w.sends()
	w.holds("main", "de", "a", "A hand", "b", "B service")
	var usage *failure.UsageError
	for _, o := range []push.Options{{Ours: true, Theirs: true}, {Keys: []string{"a"}}} {
		if _, err := w.Push(t.Context(), o); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// What the service changed after the conflict was shown is not overwritten unseen.
func TestConflictWhoseServiceTextChanged(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write(deApp, de("A hand", "B de"))
	w.translate("main", "de", service.Final, "a", "A service")
	w.pushes(push.Options{})
	w.translate("main", "de", service.Final, "a", "A newer")
	p := w.pushes(push.Options{Ours: true})
	w.reports(p)
	w.inConflict("a: A hand / A newer")
	w.holds("main", "de", "a", "A newer")
	w.reports(w.pushes(push.Options{Ours: true}), deApp+" (de): a")
	w.holds("main", "de", "a", "A hand")
	w.inConflict()
}

// Both sides agree in the end: there is nothing to decide any more.
func TestConflictThatEndsByItself(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write(deApp, de("A hand", "B hand"))
	w.translate("main", "de", service.Final, "a", "A service", "b", "B service")
	w.pushes(push.Options{})
	w.translate("main", "de", service.Final, "a", "A hand")
	w.pulls(pull.Options{})
	w.inConflict("b: B hand / B service")
	w.write(enApp, `{"a": "A"}`)
	w.commit()
	w.pushes(push.Options{})
	w.pulls(pull.Options{})
	w.inConflict()
}

// A pull that overwrites somebody's text on the branch keeps it, and so does pull --full.
func TestConflictOfAPull(t *testing.T) {
	t.Parallel()
	for name, full := range map[string]bool{"pull": false, "pull --full": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := mergedWorld(t, settings+jsonFiles)
			w.commitOn("l10n", deApp, de("A hand", "B hand"))
			w.translate("main", "de", service.Final, "a", "A service")
			p := w.pulls(pull.Options{Full: full})
			lost := []string{"a: A hand / A service"}
			if full {
				lost = append(lost, "b: B hand / B de")
			}
			if len(p.Problems) != len(lost) {
				t.Errorf("%v", p.Problems)
			}
			w.inConflict(lost...)
			if got := w.show("l10n", deApp); !strings.Contains(got, "A service") || full == strings.Contains(got, "B hand") {
				t.Errorf("the branch has %s", got)
			}
			w.reports(w.pushes(push.Options{Ours: true, Keys: []string{"a"}}), append([]string{}, map[bool][]string{false: {deApp + " (de): a", deApp + " (de): b"}, true: {deApp + " (de): a"}}[full]...)...)
			w.holds("main", "de", "a", "A hand")
			w.translate("main", "de", service.Final, "a", "A hand")
			w.pulls(pull.Options{})
			if got := w.show("l10n", deApp); !strings.Contains(got, "A hand") {
				t.Errorf("the branch has %s", got)
			}
		})
	}
}

// A plural is kept and sent with all of its forms.
func TestConflictOfAPlural(t *testing.T) {
	t.Parallel()
	xml := func(one, other string) string {
		return `<resources><plurals name="n"><item quantity="one">` + one + `</item><item quantity="other">` + other + `</item></plurals></resources>`
	}
	w := newWorld(t, "source_language = \"en\"\ntarget_languages = [\"de\"]\n[[project.files]]\nsource = \"values/s.xml\"\noutput = \"values-{LOCALE:ANDROID}/s.xml\"\n",
		map[string]string{"values/s.xml": xml("%d file", "%d files")})
	w.clean(push.Options{})
	translate := func(one, other string) {
		w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "de", Format: "android-xml", CompletionState: "final",
			Files: []service.Upload{{Name: "s.xml", Body: []byte(xml(one, other))}}})
	}
	translate("%d Datei", "%d Dateien")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.sends()
	w.write("values-de/s.xml", xml("%d Datei", "%d Files"))
	translate("%d Ding", "%d Dinge")
	w.problem(w.pushes(push.Options{}).Problems, `one "%d Datei", other "%d Files"`, `one "%d Ding", other "%d Dinge"`)
	w.pulls(pull.Options{})
	w.wire.take("")
	w.reports(w.pushes(push.Options{Ours: true}), "values-de/s.xml (de): n")
	imports := w.wire.take("import")
	if len(imports) != 1 || !strings.Contains(imports[0].files["s.xml"], "%d Datei<") || !strings.Contains(imports[0].files["s.xml"], "%d Files") {
		t.Errorf("%+v", imports)
	}
}

// The same of a plural of which the service left a form as it was.
func TestConflictOfAPluralWhoseFormChanged(t *testing.T) {
	t.Parallel()
	all := []disputed{{key: "p", person: [2]bool{false, true}, translator: [2]bool{false, true}, then: [2]string{"keeps", "keeps"}}}
	w := disputedWorld(t, all)
	w.write(disputedPath, disputedFile(all, disputed.after))
	w.translateDisputed(all)
	w.pushes(push.Options{})
	w.translateForms(disputedFile(all, func(disputed) [2]string { return [2]string{"p one first.", "newer"} }))
	p := w.pushes(push.Options{Ours: true})
	w.reports(p)
	w.problem(p.Problems, "p other person.", "newer")
	w.reports(w.pushes(push.Options{Ours: true}), disputedPath+" (de): p")
	if got := w.spelled("android-xml", "main", "de", service.Final); got["p#other"] != "p other person." {
		t.Fatalf("the service has %q", got)
	}
}

// A form of a plural lost a conflict in the working tree. A reviewer who writes another form on the branch decides nothing about it.
func TestAnotherFormIsWrittenOnTheBranch(t *testing.T) {
	t.Parallel()
	all := []disputed{{key: "p", person: [2]bool{false, true}, translator: [2]bool{true, true}, then: [2]string{"keeps", "keeps"}}}
	w := disputedWorld(t, all)
	w.write(disputedPath, disputedFile(all, disputed.after))
	w.translateDisputed(all)
	w.problem(w.pushes(push.Options{}).Problems, "p other person", "p other translator")
	w.pulls(pull.Options{})
	w.commitOn("l10n", disputedPath, disputedFile(all, func(disputed) [2]string { return [2]string{"reviewed", "p other translator."} }))
	for range 2 {
		w.pushes(push.Options{})
		if got := w.spelled("android-xml", "main", "de", service.Final); got["p#one"] != "reviewed" || got["p#other"] != "p other translator." {
			t.Fatalf("the service has %q", got)
		}
		if c := w.Status(t.Context()).Projects[0].Conflicts; len(c) != 1 || c[0].Ours["other"] != "p other person." {
			t.Fatalf("in conflict: %+v", c)
		}
	}
	w.wire.take("")
	w.sends()
	w.silent()
	w.write(disputedPath, disputedFile(all, func(disputed) [2]string { return [2]string{"p one first.", "again"} }))
	w.clean(push.Options{})
	if got := w.spelled("android-xml", "main", "de", service.Final); got["p#one"] != "reviewed" || got["p#other"] != "again" {
		t.Fatalf("the service has %q", got)
	}
	if c := w.Status(t.Context()).Projects[0].Conflicts; len(c) > 0 {
		t.Fatalf("in conflict: %+v", c)
	}
}

// A dry run of a pull says the values, too.
func TestDryPullSaysTheValues(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.translate("main", "de", service.Final, "a", "A new")
	w.write(enApp, `{"a": "A"}`)
	w.commit()
	p := w.pulls(pull.Options{DryRun: true})
	if len(p.Files) != 1 || len(p.Files[0].Changes) != 2 {
		t.Fatalf("%+v", p.Files)
	}
	changed, removed := p.Files[0].Changes[0], p.Files[0].Changes[1]
	if *changed.Old != "A de" || *changed.New != "A new" || removed.Key != "b" || *removed.Old != "B de" || removed.New != nil {
		t.Errorf("%+v, %+v", changed, removed)
	}
	if p := w.pulls(pull.Options{}); len(p.Files[0].Changes) > 0 || p.Files[0].Changed != 1 || p.Files[0].Removed != 1 {
		t.Errorf("%+v", p)
	}
}

// Who lets the service's text stand before a pull has merged it is not asked again: the pull writes it, wherever the repository's stood.
func TestConflictDecidedBeforeThePull(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for where, write := range map[string]func(w *world){
		"on the branch":       func(w *world) { w.commitOn("l10n", deApp, de("A hand", "B de")) },
		"in the working tree": func(w *world) { w.write(deApp, de("A hand", "B de")) },
		"in both": func(w *world) {
			w.writeAndCommit(deApp, de("A hand", "B de"))
			w.git("branch", "-f", "l10n", "main")
		},
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			w := mergedWorld(t, settings+jsonFiles)
			write(w)
			w.translate("main", "de", service.Final, "a", "A service")
			w.pushes(push.Options{})
			w.inConflict("a: A hand / A service")
			if p := w.clean(push.Options{Theirs: true}); len(p.Settled) != 1 {
				t.Fatalf("settled %+v", p.Settled)
			}
			for range 2 {
				w.sends()
				if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
					t.Fatalf("%v", p.Problems)
				}
				w.inConflict()
				if got := w.show("l10n", deApp); !strings.Contains(got, "A service") || !strings.Contains(got, "B de") {
					t.Fatalf("the branch has %s", got)
				}
			}
			w.holds("main", "de", "a", "A service", "b", "B de")
		})
	}
}

// The decision is about the text that was shown: another one, written before the pull, is in conflict again, and nobody loses it.
func TestAnotherTextAfterADecision(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.commitOn("l10n", deApp, de("A hand", "B de"))
	w.translate("main", "de", service.Final, "a", "A service")
	w.pushes(push.Options{})
	w.clean(push.Options{Theirs: true})
	w.commitOn("l10n", deApp, de("A other hand", "B de"))
	w.problem(w.pulls(pull.Options{}).Problems, "A other hand", "A service")
	w.inConflict("a: A other hand / A service")
}

// Whoever thinks better of it and writes the text once more, over the service's, is heard.
func TestDecisionThatIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"decided, then pulled", "pulled, then decided"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			w := mergedWorld(t, settings+jsonFiles)
			w.commitOn("l10n", deApp, de("A hand", "B de"))
			w.translate("main", "de", service.Final, "a", "A service")
			w.pushes(push.Options{})
			if first == "pulled, then decided" {
				w.pulls(pull.Options{})
			}
			w.clean(push.Options{Theirs: true})
			w.pulls(pull.Options{})
			w.sends()
			w.inConflict()
			w.commitOn("l10n", deApp, de("A hand", "B de"))
			w.sends(deApp + " (de): a")
			w.holds("main", "de", "a", "A hand")
			if p := w.pulls(pull.Options{}); len(p.Problems) > 0 || !strings.Contains(w.show("l10n", deApp), "A hand") {
				t.Errorf("%v, %s", p.Problems, w.show("l10n", deApp))
			}
		})
	}
}

// Of a file that the guard holds back nothing gives way, and nothing is said to, until it is let through.
func TestConflictInAFileThatIsHeldBack(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const n = 20
	w := newWorld(t, localOnly+jsonFiles, map[string]string{enApp: jsonOf(many("k", n))})
	w.clean(push.Options{})
	var pairs []string
	mine := make(map[string]string)
	for key, text := range many("k", n) {
		pairs, mine[key] = append(pairs, key, text), text
	}
	w.final("de", pairs...)
	w.pulls(pull.Options{})
	log := w.logged()
	mine["k00"] = "a person"
	w.commitOn("l10n", deApp, jsonOf(mine))
	w.final("de", "k00", "a translator")
	w.write(enApp, jsonOf(many("k", 4)))
	w.commit()
	for range 2 {
		w.problem(w.pulls(pull.Options{}).Problems, "the file is left as it is")
		if said := overridden(log); len(said) > 0 {
			t.Fatalf("%v", said)
		}
		w.inConflict()
	}
	w.has("l10n", deApp, jsonOf(mine))
	w.problem(w.pulls(pull.Options{Force: true}).Problems, "a person", "a translator")
	w.problem(overridden(log), "a person", "a translator")
	w.inConflict("k00: a person / a translator")
}

// A text that gives way to the branch's, which is sent, does not go over it with the next push: it waits for a decision.
// Another form of its key goes its way.
func TestConflictOfTwoPlaces(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := disputedWorld(t, []disputed{{key: "p"}})
	plural := func(one, other string) string {
		return disputedFile([]disputed{{key: "p"}}, func(disputed) [2]string { return [2]string{one, other} })
	}
	has := func(one, other string) {
		t.Helper()
		if there := w.spelled("android-xml", "main", "de", service.Final); there["p#one"] != one || there["p#other"] != other {
			t.Fatalf("the service has %q", there)
		}
	}
	w.commitOn("l10n", disputedPath, plural("one branch", "p other first."))
	w.write(disputedPath, plural("one tree", "other tree"))
	w.problem(w.pushes(push.Options{}).Problems, `"one branch" in `+disputedPath+` of branch l10n`, `"one tree"`)
	has("one branch", "other tree")
	for range 2 {
		w.wire.take("")
		p := w.pushes(push.Options{})
		w.reports(p)
		w.problem(p.Problems, "one tree", "one branch", "push --ours --key p")
		w.silent()
	}
	w.pulls(pull.Options{})
	w.wire.take("")
	w.sends()
	w.silent()
	has("one branch", "other tree")
	if c := w.Status(t.Context()).Projects[0].Conflicts; len(c) != 1 || c[0].Ours["one"] != "one tree" || c[0].Theirs["one"] != "one branch" {
		t.Fatalf("in conflict: %+v", c)
	}
	w.clean(push.Options{Ours: true})
	has("one tree", "other tree")
	w.inConflict()
	w.sends()
	w.pulls(pull.Options{})
	w.has("l10n", disputedPath, plural("one tree", "other tree"))
}

// Of a plural one form is written on the branch and another one in the working tree, and the translator writes both: that is one conflict, which waits like any
// other, also after a pull that has met only the branch's form.
func TestFormsThatLoseInTwoPlaces(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, committed := range []bool{true, false} {
		t.Run(map[bool]string{true: "committed", false: "not committed"}[committed], func(t *testing.T) {
			t.Parallel()
			w := disputedWorld(t, []disputed{{key: "p"}})
			plural := func(one, other string) string {
				return disputedFile([]disputed{{key: "p"}}, func(disputed) [2]string { return [2]string{one, other} })
			}
			log := w.logged()
			waits := func() {
				t.Helper()
				if said := overridden(log); len(said) > 0 {
					t.Fatalf("%v", said)
				}
				c := w.Status(t.Context()).Projects[0].Conflicts
				if len(c) != 1 || c[0].Ours["one"] != "one branch" || c[0].Ours["other"] != "other tree" || c[0].Theirs["other"] != "other service" {
					t.Fatalf("in conflict: %+v", c)
				}
				if there := w.spelled("android-xml", "main", "de", service.Final); there["p#one"] != "one service" || there["p#other"] != "other service" {
					t.Fatalf("the service has %q", there)
				}
			}
			w.commitOn("l10n", disputedPath, plural("one branch", "p other first."))
			w.write(disputedPath, plural("p one first.", "other tree"))
			if committed {
				w.commit()
			}
			w.translateForms(plural("one service", "other service"))
			w.problem(w.pushes(push.Options{}).Problems, `one "one branch", other "other tree"`, "one service", "other service")
			w.problem(overridden(log), `one "one branch", other "other tree"`)
			waits()
			for range 2 {
				w.wire.take("")
				w.problem(w.pushes(push.Options{}).Problems, "one branch", "other tree")
				w.silent()
				waits()
			}
			w.problem(w.pulls(pull.Options{}).Problems, "one branch", "other tree")
			w.problem(overridden(log), "one branch", "other tree")
			w.wire.take("")
			w.sends()
			w.silent()
			waits()
			w.clean(push.Options{Ours: true})
			if there := w.spelled("android-xml", "main", "de", service.Final); there["p#one"] != "one branch" || there["p#other"] != "other tree" {
				t.Fatalf("the service has %q", there)
			}
			w.inConflict()
		})
	}
}
