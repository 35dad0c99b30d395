package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// trial makes the service the embedded one.
func trial(o *local.Options) { o.Pseudo, o.Trial = true, true }

// bare gives the repository a remote with its main branch.
func (w *world) bare() string {
	w.tb.Helper()
	bare := gittest.Bare(w.tb, w.dir)
	w.git("push", "-q", "origin", "main")
	return bare
}

// nothingComes checks that pulls change nothing, whatever they ask for: no commit, no branch, nothing at the remote.
func (w *world) nothingComes(project string) {
	w.tb.Helper()
	before := w.git("for-each-ref", "refs/heads", "refs/remotes")
	for _, state := range []string{"final", "draft"} {
		w.configure(strings.Replace(project, "[project.pull]\n", "[project.pull]\ncompletion_state = \""+state+"\"\n", 1))
		if p := w.pulls(pull.Options{}); p.Commit != "" || len(p.Files) > 0 {
			w.tb.Errorf("a pull of %s texts brings %+v", state, p)
		}
	}
	if got := w.git("for-each-ref", "refs/heads", "refs/remotes"); got != before {
		w.tb.Errorf("the repository has\n%s\nand had\n%s", got, before)
	}
}

// A repository with translations meets an empty project that translates new keys by itself: people's work goes there, and nothing comes.
func TestContactWithAnEmptyProject(t *testing.T) {
	t.Parallel()
	const project = settings + "[project.pull]\n" + jsonFiles
	w := newWorld(t, project, map[string]string{enApp: `{"hello": "Hello {name}", "save": "Save", "bye": "Bye"}`, deApp: `{"hello": "Hallo {name}", "save": "Speichern"}`}, trial)
	w.bare()
	w.configure(project)
	dry := w.clean(push.Options{DryRun: true})
	w.reports(dry, deApp+" (de): hello save", enApp+" (en): hello save bye")
	w.sends(deApp+" (de): hello save", enApp+" (en): hello save bye")
	w.holds("main", "de", "hello", "Hallo {name}", "save", "Speichern")
	w.nothingComes(project)
	w.wire.take("")
	w.sends()
	if imports := w.wire.take("import"); len(imports) > 0 {
		t.Errorf("a second push makes %d imports", len(imports))
	}
	// One translation that a translator changes comes, and nothing else.
	w.translate("main", "de", service.Final, "save", "Sichern")
	w.gains(w.pulls(pull.Options{}), deApp+" (de): +0 ~1 -0")
	w.has("l10n", deApp, `{"hello": "Hallo {name}", "save": "Sichern"}`)
}

// Without translations in the repository the same service shows the loop, by drafts.
func TestTrialWithoutTranslations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[project.pull]\ncompletion_state = \"draft\"\n"+jsonFiles, map[string]string{enApp: `{"save": "Save"}`}, trial)
	w.clean(push.Options{})
	if final := w.atLeast("main", "de", service.Final); len(final) > 0 {
		t.Errorf("final are %v", final)
	}
	w.gains(w.pulls(pull.Options{}), deApp+" (de): +1 ~0 -0", "locales/fr/app.json (fr): +1 ~0 -0")
}

// What a target file has and its source was never seen to have stays, in whatever shape the source has it; what the source had goes with it.
func TestOrphansStay(t *testing.T) {
	t.Parallel()
	const en = "en:\n  save: Save\n  list:\n    agree: Yes\n    deny: No\n    ok: Okay\n  months: [~, January]\n  day: Day\n  limit: 5\n"
	const ru = "ru:\n  save: Да\n  list:\n    agree: Ага\n    deny: Неа\n    ok: Ладно\n  months: [~, Январь]\n  standalone_months: [~, Январь, Февраль]\n" +
		"  day:\n    short: дн\n  limit: пять\n  number:\n    unit: руб\n"
	w := newWorld(t, railsFiles, map[string]string{"config/locales/en.yml": en, "config/locales/ru.yml": ru})
	w.pushes(push.Options{})
	w.brings()
	w.final("ru", "save", "Сохранить")
	w.brings("config/locales/ru.yml (ru): +0 ~1 -0")
	w.has("l10n", "config/locales/ru.yml", strings.Replace(ru, "Да", "Сохранить", 1))
	w.git("merge", "-q", "l10n")
	w.write("config/locales/en.yml", strings.Replace(en, "  save: Save\n", "", 1))
	w.pushes(push.Options{})
	w.commit()
	w.brings("config/locales/ru.yml (ru): +0 ~0 -1")
	if p := w.pulls(pull.Options{Prune: true, DryRun: true}); p.Keys != 3 {
		t.Errorf("%+v", p)
	}
	w.gains(w.pulls(pull.Options{Prune: true}), "config/locales/ru.yml (ru): +0 ~0 -3")
	if got := w.show("l10n", "config/locales/ru.yml"); strings.Contains(got, "standalone") || strings.Contains(got, "руб") || !strings.Contains(got, "Ага") || !strings.Contains(got, "дн") || !strings.Contains(got, "пять") {
		t.Errorf("%s\nfrom\n%s", got, ru)
	}
}

// Two clones with a state each: what one of them pulled is nobody's edit for the other.
func TestTwoClones(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"title": "Title", "b": "B"}`, deApp: `{"title": "T0", "b": "B0"}`})
	w.bare()
	w.configure(w.config)
	w.clean(push.Options{})
	w.pulls(pull.Options{})
	a, b := w.home, t.TempDir()
	as := func(home string) {
		w.home = home
		w.restart(w.Config)
	}
	as(b)
	w.clean(push.Options{})
	w.clean(push.Options{})
	as(a)
	w.translate("main", "de", service.Final, "title", "T1")
	w.gains(w.pulls(pull.Options{}), deApp+" (de): +0 ~1 -0")
	w.translate("main", "de", service.Final, "title", "T0")
	as(b)
	w.sends()
	w.holds("main", "de", "title", "T0")
	w.gains(w.pulls(pull.Options{}), deApp+" (de): +0 ~1 -0")
	as(a)
	w.sends()
	if p := w.pulls(pull.Options{}); p.Commit != "" || len(p.Problems) > 0 {
		t.Errorf("%+v", p)
	}
	// A person's edit is one, in a clone that has no state at all.
	w.git("merge", "-q", "l10n")
	w.write(deApp, `{"title": "T0", "b": "B by hand"}`)
	w.commit()
	w.git("push", "-q", "origin", "main")
	as(t.TempDir())
	w.sends(deApp + " (de): b")
	w.pulls(pull.Options{})
	w.holds("main", "de", "title", "T0", "b", "B by hand")
}

// One key in two files of a collection, translated differently: each file keeps its own, and a gap in one stays. Alike ones are one key.
func TestOneKeyInTwoFiles(t *testing.T) {
	t.Parallel()
	const project = settings + "[project.pull]\n" + "[[project.files]]\nsource = \"**/en.json\"\noutput = \"{DIR}/{LANGUAGE}.json\"\ncollection = \"main\"\n"
	files := map[string]string{
		"a/en.json": `{"email": "Email", "name": "Name", "age": "Age"}`, "b/en.json": `{"email": "Email", "name": "Name", "age": "Age"}`, "c/en.json": `{"age": "Age"}`,
		"a/de.json": `{"email": "Mail", "name": "Name de", "age": "Alter"}`, "b/de.json": `{"email": "E-Mail-Adresse", "name": "Name de"}`}
	w := newWorld(t, project, files)
	w.bare()
	w.configure(project)
	p := w.pushes(push.Options{})
	if len(p.Problems) != 2 {
		t.Fatalf("%v", p.Problems)
	}
	w.problem(p.Problems[:1], "a/de.json", "email", "is translated otherwise in b/de.json", `"Mail", is not sent`, "push --ours --key email --file a/de.json")
	w.problem(p.Problems[1:], "b/de.json", "email", "is translated otherwise in a/de.json", `"E-Mail-Adresse", is not sent`)
	w.inConflict("email: Mail / ", "email: E-Mail-Adresse / ")
	have := w.at("main", "de")
	if _, sent := have["email"]; sent || have["name"] != "Name de" || have["age"] != "Alter" {
		t.Errorf("the service has %v", have)
	}
	w.nothingComes(project)
	w.translate("main", "de", service.Final, "email", "Post", "name", "Der Name", "age", "Jahre")
	w.gains(w.pulls(pull.Options{}), "a/de.json (de): +0 ~2 -0", "b/de.json (de): +0 ~1 -0")
	w.has("l10n", "a/de.json", `{"email": "Mail", "name": "Der Name", "age": "Jahre"}`)
	w.has("l10n", "b/de.json", `{"email": "E-Mail-Adresse", "name": "Der Name"}`)
	// A file that comes later gets what is there.
	w.write("d/en.json", `{"age": "Age"}`)
	w.commit()
	w.git("push", "-q", "origin", "main")
	w.pushes(push.Options{})
	w.gains(w.pulls(pull.Options{}), "d/de.json (de): +1 ~0 -0")
}

// Files that are made to agree on a text have not agreed with the service yet: where it has another, neither side changes.
func TestFilesThatAgreeLater(t *testing.T) {
	t.Parallel()
	const project = settings + "[project.pull]\n" + "[[project.files]]\nsource = \"**/en.json\"\noutput = \"{DIR}/{LANGUAGE}.json\"\ncollection = \"main\"\n"
	w := newWorld(t, project, map[string]string{"a/en.json": `{"ok": "OK"}`, "b/en.json": `{"ok": "OK"}`})
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "ok", "Gut")
	w.lose()
	w.write("a/de.json", `{"ok": "In Ordnung"}`)
	w.write("b/de.json", `{"ok": "Jawohl"}`)
	w.commit()
	w.pushes(push.Options{})
	w.pulls(pull.Options{AcceptService: true}) // decides nothing of what the files do not agree on
	w.write("b/de.json", `{"ok": "In Ordnung"}`)
	w.commit()
	problems := w.pushes(push.Options{}).Problems
	if len(problems) != 2 || !strings.Contains(problems[0].Problem, `the repository has "In Ordnung" and the service "Gut"`) {
		t.Errorf("%v", problems)
	}
	w.gains(w.pulls(pull.Options{}))
	w.holds("main", "de", "ok", "Gut")
	w.pushes(push.Options{Translations: true})
	w.holds("main", "de", "ok", "In Ordnung")
}

// A dry run of a sync says at first contact what the real one then does, names each key once, and changes nothing.
func TestDryRunAtFirstContact(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B", "c": "C"}`})
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "a", "A service", "c", "C service")
	w.lose()
	w.write(deApp, `{"a": "A repo", "b": "B repo"}`)
	w.commit()
	run := func(dry bool) report.SyncReport {
		result, err := w.Sync(t.Context(), push.Options{DryRun: dry}, pull.Options{DryRun: dry})
		w.check(err)
		return result
	}
	dry, done := run(true), run(false)
	w.reports(dry.Push.Projects[0], deApp+" (de): b", enApp+" (en): a b c")
	w.reports(done.Push.Projects[0], deApp+" (de): b", enApp+" (en): a b c")
	for _, r := range []report.SyncReport{dry, done} {
		w.problem(r.Push.Projects[0].Problems, "A repo", "A service")
		got := r.Pull.Projects[0]
		if len(got.Problems) > 0 || len(got.Files) != 1 || got.Files[0].Added != 1 || got.Keys != 1 {
			t.Errorf("%+v", got)
		}
	}
	w.has("l10n", deApp, `{"a": "A repo", "b": "B repo", "c": "C service"}`)
	again := run(false)
	if p, q := again.Push.Projects[0], again.Pull.Projects[0]; p.Requests > 0 || len(p.Problems) > 0 || q.Commit != "" || len(q.Problems) > 0 {
		t.Errorf("%+v\n%+v", p, q)
	}
}

// A sync that decides first contact for one side names nothing as undecided, in neither half, and its dry run says the same.
func TestSyncThatDecidesFirstContact(t *testing.T) {
	t.Parallel()
	for side, o := range map[string]struct {
		push push.Options
		pull pull.Options
		want string
	}{
		"the repository": {push: push.Options{Translations: true}, want: "A repo"},
		"the service":    {pull: pull.Options{AcceptService: true}, want: "A service"},
	} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+jsonFiles, map[string]string{
				enApp: `{"a": "A", "b": "B", "draft": "C"}`, deApp: `{"a": "A repo", "b": "B repo", "draft": "C repo"}`})
			w.translate("main", "en", service.Final, "a", "A", "draft", "C")
			w.translate("main", "de", service.Final, "a", "A service")
			w.translate("main", "de", service.Draft, "draft", "C service")
			for _, dry := range []bool{true, false} {
				o.push.DryRun, o.pull.DryRun = dry, dry
				done, err := w.Sync(t.Context(), o.push, o.pull)
				w.check(err)
				if p := append(done.Push.Projects[0].Problems, done.Pull.Projects[0].Problems...); len(p) > 0 {
					t.Errorf("dry run %v: %v", dry, p)
				}
			}
			w.inConflict()
			at := "main"
			if side == "the service" {
				at = "l10n"
			}
			if got := w.show(at, deApp); !strings.Contains(got, o.want) {
				t.Errorf("%s has %s, want %q", at, got, o.want)
			}
			w.holds("main", "de", "a", o.want, "b", "B repo")
			again, err := w.Sync(t.Context(), push.Options{}, pull.Options{})
			w.check(err)
			if p, q := again.Push.Projects[0], again.Pull.Projects[0]; p.Requests > 0 || len(p.Problems) > 0 || q.Commit != "" || len(q.Problems) > 0 {
				t.Errorf("%+v\n%+v", p, q)
			}
		})
	}
}

// A key that two files translate differently is told once, in a state that is kept, and waits like a conflict: check warns of it, and a person ends it by choosing
// the file whose text the service gets, or by leaving what the service has.
func TestKeyTranslatedDifferentlyInTwoFiles(t *testing.T) {
	t.Parallel()
	const project = settings + "[project.pull]\n" + "[[project.files]]\nsource = \"**/en.json\"\noutput = \"{DIR}/{LANGUAGE}.json\"\ncollection = \"main\"\n"
	files := map[string]string{"a/en.json": `{"email": "Email"}`, "b/en.json": `{"email": "Email"}`, "a/de.json": `{"email": "Mail"}`, "b/de.json": `{"email": "E-Mail"}`}
	divided := func(t *testing.T) *world {
		w := newWorld(t, project, files)
		w.bare()
		w.configure(project)
		if p := w.pushes(push.Options{}); len(p.Problems) != 2 {
			t.Fatalf("%v", p.Problems)
		}
		if p := w.pulls(pull.Options{}); len(p.Problems) > 0 || p.Commit != "" {
			t.Fatalf("a pull says it again: %v", p.Problems)
		}
		w.clean(push.Options{})
		w.inConflict("email: Mail / ", "email: E-Mail / ")
		return w
	}
	ended := func(t *testing.T, w *world) {
		t.Helper()
		w.inConflict()
		w.clean(push.Options{})
		if p := w.pulls(pull.Options{}); len(p.Problems) > 0 || p.Commit != "" {
			t.Errorf("%v %v", p.Problems, p.Files)
		}
		w.clean(push.Options{Translations: true})
		w.inConflict()
	}
	t.Run("check", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, project, files)
		w.finds(`b/de.json:1:11: warning: "email" (de): is translated otherwise in a/de.json, in the same collection; ` +
			`the service has one text for both, and each file keeps its own (make them agree, or give the files collections of their own or a key_prefix)`)
	})
	t.Run("ours of one file", func(t *testing.T) {
		t.Parallel()
		w := divided(t)
		w.problem(w.pushes(push.Options{Ours: true}).Problems, "Name one of the files with --file")
		w.inConflict("email: Mail / ", "email: E-Mail / ")
		w.clean(push.Options{Ours: true, Files: []string{"b/de.json"}})
		w.holds("main", "de", "email", "E-Mail")
		ended(t, w)
	})
	t.Run("theirs", func(t *testing.T) {
		t.Parallel()
		w := divided(t)
		w.clean(push.Options{Theirs: true})
		if have := w.at("main", "de"); len(have) > 0 {
			t.Errorf("%v", have)
		}
		ended(t, w)
	})
	t.Run("a pull comes first", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, project, files)
		if p := w.pulls(pull.Options{}); len(p.Problems) != 2 {
			t.Fatalf("%v", p.Problems)
		}
		w.clean(push.Options{})
		w.inConflict("email: Mail / ", "email: E-Mail / ")
	})
}

// A working tree that lies behind the translation branch does not send its old text over the branch's, which the service has, too: not even where a pull was the
// first to meet the two.
func TestOldTextBesideTheBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[project.pull]\nbase = \"main\"\n"+jsonFiles, map[string]string{enApp: `{"a": "A"}`, deApp: `{"a": "old"}`})
	w.git("branch", "l10n")
	w.commitOn("l10n", deApp, `{"a": "new"}`)
	w.translate("main", "en", service.Final, "a", "A")
	w.final("de", "a", "new")
	w.pulls(pull.Options{})
	p := w.clean(push.Options{})
	if len(p.Replaced) > 0 {
		t.Errorf("%v", p.Replaced)
	}
	w.holds("main", "de", "a", "new")
	w.has("l10n", deApp, `{"a": "new"}`)
}

const twoFolders = "[[project.files]]\nsource = \"**/en.json\"\noutput = \"{DIR}/{LANGUAGE}.json\"\ncollection = \"main\"\n"

// Files are divided by what they have together, on the branch and on main: a push of main sends neither text either.
func TestFirstContactComparesBranchAndBase(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		main, branch []string // files beside a/de.json, which says "Mail" before the two part
		sent         string
		told         int
	}{
		"one text on the branch":          {nil, []string{"b/de.json", `{"email": "E-Mail"}`}, "", 2},
		"each text in a place of its own": {[]string{"b/de.json", `{"email": "E-Mail"}`}, []string{"a/de.json", `{"email": "Post"}`}, "", 2},
		"both on main":                    {[]string{"b/de.json", `{"email": "E-Mail"}`}, []string{"note", "of the branch"}, "", 2},
		"alike on the branch": {nil, []string{"a/de.json", `{"email": "Post"}`, "b/de.json", `{"email": "Post"}`},
			"Post", 0},
		"alike by what main changed": {[]string{"a/de.json", `{"email": "E-Mail"}`}, []string{"b/de.json", `{"email": "E-Mail"}`},
			"E-Mail", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const project = settings + "[project.pull]\nbase = \"main\"\n" + twoFolders
			w := newWorld(t, project, map[string]string{"a/en.json": `{"email": "Email"}`, "b/en.json": `{"email": "Email"}`,
				"a/de.json": `{"email": "Mail"}`})
			w.git("branch", "l10n")
			w.commitOn("l10n", c.branch...)
			for i := 0; i < len(c.main); i += 2 {
				w.write(c.main[i], c.main[i+1])
			}
			w.write("note of main", "main moves")
			w.commit()
			if p := w.pushes(push.Options{}); len(p.Problems) != c.told {
				t.Errorf("told %v", p.Problems)
			}
			if got := w.at("main", "de")["email"]; got != c.sent {
				t.Errorf("the service has %q, want %q", got, c.sent)
			}
			w.pulls(pull.Options{})
			w.pushes(push.Options{})
			if got := w.at("main", "de")["email"]; got != c.sent {
				t.Errorf("later the service has %q, want %q", got, c.sent)
			}
		})
	}
}

// What the push of a sync finds alike at the service is not told by its pull, which asks for final translations only: in a dry run as in the real one.
func TestFirstContactOfADryRun(t *testing.T) {
	t.Parallel()
	const project = settings + "[project.pull]\nbase = \"main\"\n" + twoFolders
	w := newWorld(t, project, map[string]string{"a/en.json": `{"email": "Email"}`, "b/en.json": `{"email": "Email"}`,
		"a/de.json": `{"email": "Mail"}`, "b/de.json": `{"email": "E-Mail"}`})
	w.translate("main", "en", service.Final, "email", "Email")
	w.translate("main", "de", service.Draft, "email", "Mail")
	for _, dry := range []bool{true, false} {
		done, err := w.Sync(t.Context(), push.Options{DryRun: dry}, pull.Options{DryRun: dry})
		w.check(err)
		sent, got := done.Push.Projects[0].Problems, done.Pull.Projects[0].Problems
		if len(sent) != 1 || sent[0].File != "b/de.json" || len(got) != 0 {
			t.Errorf("dry %v: the push says %v, the pull %v", dry, sent, got)
		}
	}
}

// What the repository by itself keeps from being sent is an error where it is new, and a warning for a state that is: a job
// without a state meets it each time. A new division is an error in a state that is kept.
func TestFirstContactOfANewState(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const project = settings + "[project.pull]\n" +
		"[[project.files]]\nsource = \"**/en.json\"\noutput = \"{DIR}/{LANGUAGE}.json\"\ncollection = \"main\"\n"
	w := newWorld(t, project, map[string]string{
		"a/en.json": `{"email": "Email", "ok": "OK", "name": "Name"}`, "b/en.json": `{"email": "Email", "b": "B", "name": "Name"}`,
		"a/de.json": `{"email": "Mail", "ok": "Gut", "name": "Name"}`, "b/de.json": `{"email": "E-Mail", "b": "B", "name": "Name"}`})
	w.bare()
	w.configure(project)
	sync := func(dry bool) []report.Problem {
		t.Helper()
		done, err := w.Sync(t.Context(), push.Options{DryRun: dry}, pull.Options{DryRun: dry})
		w.check(err)
		return append(done.Push.Projects[0].Problems, done.Pull.Projects[0].Problems...)
	}
	named := func(problems []report.Problem, want int, leavesOut bool) {
		t.Helper()
		if len(problems) != want || report.LeavesOut(problems) != leavesOut {
			t.Errorf("%d problems, want %d, errors among them: %v: %v", len(problems), want, leavesOut, problems)
		}
	}
	for _, dry := range []bool{true, false} {
		named(sync(dry), 2, true)
	}
	w.lose()
	for _, dry := range []bool{true, false} {
		named(sync(dry), 2, false)
	}
	w.inConflict("email: Mail / ", "email: E-Mail / ")
	w.lose()
	named(w.pulls(pull.Options{}).Problems, 2, false)
	w.lose()
	sync(false)
	w.write("b/de.json", `{"email": "E-Mail", "b": "B", "name": "Der Name"}`)
	w.commit()
	named(sync(false), 1, true) // a's is the service's
	w.pushes(push.Options{Ours: true, Keys: []string{"email"}, Files: []string{"a/de.json"}})
	w.holds("main", "de", "email", "Mail", "name", "Name")
	w.lose()
	named(sync(false), 2, false) // of b, which keeps its own
}
