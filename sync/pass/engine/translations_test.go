package engine

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

const deApp, enApp = "locales/de/app.json", "locales/en/app.json"

// merged is a world in sync: two keys, translated at the service, pulled, merged into main.
func mergedWorld(t *testing.T, project string) *world {
	t.Helper()
	w := newWorld(t, project, map[string]string{enApp: `{"a": "A", "b": "B"}`})
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "a", "A de", "b", "B de")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.sends()
	w.wire.take("")
	return w
}

func de(a, b string) string { return `{"a": "` + a + `", "b": "` + b + `"}` }

// What somebody changes in the working tree is sent with the configured state, after a look at what the service has; then all is silent again.
func TestPushOfAnEditedTranslation(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := mergedWorld(t, settings+"[project.push]\ncompletion_state = \"intermediate\"\n"+jsonFiles)
	w.write(deApp, de("A hand", "B de"))
	w.sends(deApp + " (de): a")
	all := w.wire.take("")
	var order []string
	for _, r := range all {
		if r.is("export") && r.method == http.MethodPost {
			order = append(order, "export "+r.query.Get("languages")+" "+r.query.Get("completion-state"))
		}
		if r.is("import") && r.method == http.MethodPost && r.files != nil {
			order = append(order, "import "+r.query.Get("language")+" "+r.query.Get("completion-state")+" "+compact(r.files["app.json"]))
		}
	}
	if got := strings.Join(order, "; "); got != `export de draft; import de intermediate { "a": "A hand" }` {
		t.Errorf("requests: %s", got)
	}
	w.holds("main", "de", "a", "A hand", "b", "B de")
	w.sends()
	w.silent()
	w.pulls(pull.Options{})
	w.wire.take("")
	w.sends()
	w.silent()
	if got := w.show("l10n", deApp); strings.Contains(got, "A de") && !strings.Contains(got, "A hand") {
		t.Logf("the branch still has %s", got)
	}
}

// A translation that is brought back to what it was before is a change as well: uncommitted, committed, before and after a merge.
func TestPushOfATranslationThatIsBroughtBack(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write(deApp, de("A hand", "B de"))
	w.sends(deApp + " (de): a")
	w.write(deApp, de("A de", "B de"))
	w.sends(deApp + " (de): a")
	w.holds("main", "de", "a", "A de")
	w.write(deApp, de("A hand", "B de"))
	w.commit()
	w.sends(deApp + " (de): a")
	w.git("revert", "--no-edit", "HEAD")
	w.sends(deApp + " (de): a")
	w.holds("main", "de", "a", "A de")
	w.sends()
	// After the service's text was pulled and merged, the older one is typed again, with no look in between.
	w.translate("main", "de", service.Final, "a", "A new")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	if got := w.show("main", deApp); !strings.Contains(got, "A new") {
		t.Fatalf("main has %s", got)
	}
	w.write(deApp, strings.Replace(w.show("main", deApp), "A new", "A de", 1))
	w.sends(deApp + " (de): a")
	w.holds("main", "de", "a", "A de")
	w.sends()
}

// A working tree that lies behind the branch holds nobody's changes, however far it lies behind and whatever is checked out.
func TestPushOfATreeBehindTheBranch(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	old := w.git("rev-parse", "HEAD~1")
	w.git("branch", "feature")
	for _, text := range []string{"A 2", "A 3", "A 4"} {
		w.translate("main", "de", service.Final, "a", text)
		w.pulls(pull.Options{})
		w.wire.take("")
		w.sends()
		w.silent()
	}
	w.git("checkout", "-q", "l10n")
	w.sends()
	w.git("checkout", "-q", "feature")
	w.sends()
	w.git("checkout", "-q", "--detach", old)
	w.sends()
	w.git("checkout", "-q", "main")
	w.sends()
	w.silent()
	// A squashed merge of an older state of the branch brings no history along.
	w.git("merge", "-q", "--squash", "l10n~1")
	w.sends()
	w.commit()
	w.sends()
	w.git("checkout", "-q", "feature")
	w.git("merge", "-q", "main")
	w.sends()
	w.silent()
	w.holds("main", "de", "a", "A 4")
}

// Where both sides changed, the service wins: the key is named with both texts, and not sent, then or later.
func TestPushOfATranslationThatBothChanged(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write(deApp, de("A hand", "B hand"))
	w.translate("main", "de", service.Draft, "a", "A service")
	p := w.pushes(push.Options{})
	w.reports(p, deApp+" (de): b")
	w.problem(p.Problems, deApp, "a", "A hand", "A service")
	w.translate("main", "de", service.Final, "a", "A service")
	w.pulls(pull.Options{})
	w.reports(w.pushes(push.Options{}))
	w.holds("main", "de", "a", "A service", "b", "B hand")
	if got := w.show("l10n", deApp); !strings.Contains(got, "A service") {
		t.Errorf("the branch has %s", got)
	}
}

// At first contact what only the repository has is sent, what both have alike is remembered, and where they differ neither side changes: it is named once and
// waits. A lost state finds in git what was agreed on.
func TestPushAtFirstContact(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B", "c": "C"}`})
	w.sends(enApp + " (en): a b c")
	w.translate("main", "de", service.Final, "a", "A service", "c", "C de")
	w.lose()
	const repo = `{"a": "A repo", "b": "B repo", "c": "C de"}`
	w.write(deApp, repo)
	w.commit()
	p := w.pushes(push.Options{})
	w.reports(p, deApp+" (de): b", enApp+" (en): a b c")
	w.problem(p.Problems, deApp, `the repository has "A repo" and the service "A service"`, "neither is changed", "push --ours --key a", "push --translations", "pull --accept-service")
	if q := w.pulls(pull.Options{}); q.Commit != "" || len(q.Problems) > 0 {
		t.Errorf("%+v", q)
	}
	w.sends() // it is named once
	if q := w.pulls(pull.Options{}); q.Commit != "" || len(q.Problems) > 0 {
		t.Errorf("%+v", q)
	}
	w.holds("main", "de", "a", "A service", "b", "B repo", "c", "C de")
	s := w.Status(t.Context()).Projects[0]
	if len(s.Conflicts) != 1 || !s.Conflicts[0].Open || s.Pending != 0 || !strings.Contains(s.State, "1 translation differs from the service's") {
		t.Errorf("%+v", s)
	}
	// Another text on either side is named again, and changes nothing either.
	w.translate("main", "de", service.Final, "a", "A other")
	w.problem(w.pulls(pull.Options{}).Problems, "A repo", "A other")
	w.write(deApp, strings.Replace(repo, "A repo", "A hand", 1))
	w.commit()
	p = w.pushes(push.Options{})
	w.reports(p)
	w.problem(p.Problems, "A hand", "A other")
	// What the service has is written when that is decided; from now on a change is a change.
	if p := w.pushes(push.Options{Theirs: true, Keys: []string{"a"}}); len(p.Settled) != 1 {
		t.Errorf("%+v", p)
	}
	w.gains(w.pulls(pull.Options{}), deApp+" (de): +0 ~1 -0")
	w.sends()
	w.git("merge", "-q", "l10n")
	w.lose() // git has what was agreed on
	w.sends(enApp + " (en): a b c")
	w.translate("main", "de", service.Final, "a", "A newer")
	w.gains(w.pulls(pull.Options{}), deApp+" (de): +0 ~1 -0")
	w.sends() // the tree lies behind
	w.holds("main", "de", "a", "A newer")
	w.git("merge", "-q", "l10n")
	w.write(deApp, `{"a": "A hand", "b": "B hand", "c": "C de"}`)
	w.sends(deApp + " (de): a b")
}

// push --translations decides for the repository what the two never agreed on, before and after pulls, and sends nothing that a pull wrote earlier;
// pull --accept-service decides it for the service.
func TestPushTranslations(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n"+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B"}`, deApp: de("A repo", "B repo"), "locales/fr/app.json": `{"a": "A fr", "b": "", "dead": "x"}`})
	p := w.clean(push.Options{Translations: true, DryRun: true})
	w.reports(p, deApp+" (de): a b", enApp+" (en): a b", "locales/fr/app.json (fr): a")
	p = w.clean(push.Options{Translations: true})
	w.reports(p, deApp+" (de): a b", enApp+" (en): a b", "locales/fr/app.json (fr): a")
	if p.Keys != 5 || p.Requests != 3 {
		t.Errorf("%+v", p)
	}
	w.holds("main", "de", "a", "A repo", "b", "B repo")
	w.holds("main", "fr", "a", "A fr")
	if got := w.atLeast("main", "de", service.Final); got["a"] != "A repo" {
		t.Errorf("final are %v", got)
	}
	w.reports(w.clean(push.Options{Translations: true}))
	if got := w.wire.take("import"); len(got) != 3 {
		t.Errorf("%d imports", len(got))
	}

	differing := func() *world {
		w := newWorld(t, settings+"[project.push]\ntranslations = false\n"+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B"}`})
		w.clean(push.Options{})
		w.write(deApp, de("A repo", "B repo"))
		w.commit()
		w.translate("main", "de", service.Final, "a", "A service")
		w.problem(w.pulls(pull.Options{}).Problems, "A repo", "A service")
		w.sends()
		return w
	}
	w = differing()
	w.reports(w.clean(push.Options{Translations: true}), deApp+" (de): a b")
	w.holds("main", "de", "a", "A repo", "b", "B repo")
	if s := w.Status(t.Context()).Projects[0]; len(s.Conflicts) > 0 {
		t.Errorf("%+v", s.Conflicts)
	}
	w.translate("main", "de", service.Final, "a", "A 2", "b", "B 2")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.translate("main", "de", service.Final, "a", "A 3")
	w.pulls(pull.Options{})
	w.reports(w.clean(push.Options{Translations: true}))
	w.holds("main", "de", "a", "A 3", "b", "B 2")

	w = differing()
	w.gains(w.pulls(pull.Options{AcceptService: true}), deApp+" (de): +0 ~1 -0")
	if got := w.show("l10n", deApp); got != de("A service", "B repo") {
		t.Errorf("the branch has %s", got)
	}
	if s := w.Status(t.Context()).Projects[0]; len(s.Conflicts) > 0 {
		t.Errorf("%+v", s.Conflicts)
	}
	w.reports(w.clean(push.Options{Translations: true}), deApp+" (de): b")
}

// A translation that comes with a new source file, a new language file, or a moved one, is somebody's too.
func TestPushOfNewTranslationFiles(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write("locales/fr/app.json", `{"a": "A fr"}`)
	w.sends("locales/fr/app.json (fr): a")
	w.write("locales/en/new.json", `{"n": "N"}`, "locales/de/new.json", `{"n": "N de"}`)
	w.sends("locales/de/new.json (de): n", "locales/en/new.json (en): n")
	w.holds("main", "de", "n", "N de")
	w.sends()
	w.translate("main", "de", service.Final, "a", "A 2")
	w.pulls(pull.Options{})
	w.wire.take("")
	w.git("mv", enApp, "locales/en/moved.json")
	w.git("mv", deApp, "locales/de/moved.json")
	w.sends()
	w.silent()
	w.write("locales/de/moved.json", de("A de", "B hand"))
	w.sends("locales/de/moved.json (de): b")
	w.sends()
	w.holds("main", "de", "a", "A 2", "b", "B hand")
}

// Changes on the branch count too, those that bring an older text back included; of two changes of one text the branch's is sent.
func TestPushOfTranslationsOnTheBranch(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.commitOn("l10n", deApp, de("A branch", "B de"))
	w.sends(deApp + " (de): a")
	w.holds("main", "de", "a", "A branch")
	w.sends()
	w.translate("main", "de", service.Final, "a", "A 2")
	w.pulls(pull.Options{})
	w.commitOn("l10n", deApp, de("A branch", "B de"))
	w.sends(deApp + " (de): a")
	w.holds("main", "de", "a", "A branch")
	w.wire.take("")
	w.sends()
	w.silent()
	w.commitOn("l10n", deApp, de("A one", "B same"))
	w.write(deApp, de("A two", "B same"))
	p := w.pushes(push.Options{})
	w.reports(p, deApp+" (de): a b")
	w.problem(p.Problems, "A one", "A two", "l10n")
	w.holds("main", "de", "a", "A one", "b", "B same")
}

// The branch that pushes read is where people work, and pulls commit elsewhere: both are looked at in a repository without a working tree, too.
func TestPushOfTranslationsFromABranch(t *testing.T) {
	t.Parallel()
	project := settings + "[project.push]\nsource = \"main\"\n" + jsonFiles
	w := mergedWorld(t, project)
	w.write(deApp, de("A typing", "B de"))
	w.sends()
	w.silent()
	w.commit()
	w.sends(deApp + " (de): a")
	w.git("revert", "--no-edit", "HEAD")
	w.sends(deApp + " (de): a")
	w.sends()
	w.holds("main", "de", "a", "A de")
}

// Nothing is sent that is no translation of a living key: blanks, what stands for a missing translation, keys that the source has lost, files that
// cannot be read, a source that the service did not take.
func TestPushLeavesOutWhatIsNoTranslation(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, incomplete := range []string{"blank", "fallback"} {
		t.Run(incomplete, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+"[project.pull]\nincomplete = \""+incomplete+"\"\n"+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B"}`})
			w.clean(push.Options{})
			w.translate("main", "de", service.Final, "a", "A de")
			w.pulls(pull.Options{})
			w.git("merge", "-q", "l10n")
			w.wire.take("")
			w.sends()
			w.silent()
			w.write(enApp, `{"a": "A", "b": "B 2"}`)
			w.sends(enApp + " (en): b")
			w.commit()
			w.pulls(pull.Options{})
			w.sends()
			w.reports(w.clean(push.Options{Translations: true}))
			w.write(deApp, `{"a": "", "b": "`+map[string]string{"fallback": "B 2"}[incomplete]+`"}`)
			w.sends()
			w.write(deApp, `{"a": "A de", "b": "B hand"}`)
			w.sends(deApp + " (de): b")
		})
	}
	w := mergedWorld(t, settings+jsonFiles)
	w.write(enApp, `{"a": "A"}`, deApp, de("A de", "B hand"))
	w.sends()
	w.write(deApp, `{"a": "A hand" "b"}`)
	p := w.pushes(push.Options{})
	w.reports(p)
	w.problem(p.Problems, deApp+":1:")
	w.configure(settings + "[project.push]\ntranslations = false\n" + jsonFiles)
	w.write(deApp, de("A hand", "B de"))
	w.sends()
	w.silent()
}

// A plural of which one form was changed travels whole, with the service's present texts beside it, and only what was changed is remembered.
func TestPushOfAPluralsTranslation(t *testing.T) {
	t.Parallel()
	xml := func(one, other string) string {
		return "<resources>\n    <plurals name=\"p\">\n        <item quantity=\"one\">" + one + "</item>\n        <item quantity=\"other\">" + other + "</item>\n    </plurals>\n</resources>\n"
	}
	w := newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[[project.files]]\nsource = \"values/strings.xml\"\noutput = \"values-{LOCALE:ANDROID}/strings.xml\"\n", map[string]string{"values/strings.xml": xml("one", "%d")})
	w.clean(push.Options{})
	translate := func(body string) {
		w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "de", Format: "android-xml", CompletionState: "final", Files: []service.Upload{{Name: "s.xml", Body: []byte(body)}}})
	}
	translate(xml("eins", "%d Stück"))
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.sends()
	w.write("values-de/strings.xml", xml("ein Stück", "%d Stück"))
	w.wire.take("")
	w.sends("values-de/strings.xml (de): p")
	w.imported(`strings.xml<?xml version="1.0" encoding="utf-8"?> <resources> <plurals name="p"> <item quantity="one">ein Stück</item> <item quantity="other">%d Stück</item> </plurals> </resources>`)
	w.sends()
	// The other form moves on at the service, while somebody changes the first one again: both arrive.
	translate(xml("ein Stück", "%d Teile"))
	w.write("values-de/strings.xml", xml("1 Stück", "%d Stück"))
	w.sends("values-de/strings.xml (de): p")
	w.pulls(pull.Options{})
	if got := w.show("l10n", "values-de/strings.xml") + "\n"; got != xml("1 Stück", "%d Teile") {
		t.Errorf("the branch has %s", got)
	}
	w.sends()
}

// Languages are the service's in requests, however the repository spells them; formats keep their separators and roots.
func TestPushOfTranslationsInEveryLayout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, project, source, path, en, zh, edited, body, query string }{
		{"paths", "[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\n", "en.json", "zh-CN.json", `{"a": "A"}`, `{"a": "甲"}`, `{"a": "乙"}`, `zh-CN.json{ "a": "乙" }`, "format=json"},
		{"separator", "[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\nformat = \"structured-json\"\npath_separator = \".\"\n", "en.json", "zh-CN.json",
			`{"a": {"b": "A"}}`, `{"a": {"b": "甲"}}`, `{"a": {"b": "乙"}}`, `zh-CN.json{ "a": { "b": "乙" } }`, "path-separator=."},
		{"rails", "[[project.files]]\nsource = \"config/en.yml\"\noutput = \"config/{LANGUAGE}.yml\"\nformat = \"structured-yaml\"\n", "config/en.yml", "config/zh-CN.yml",
			"en:\n  a:\n    b: A\n", "zh-CN:\n  a:\n    b: 甲\n", "zh-CN:\n  a:\n    b: 乙\n", "zh-CN.yml" + `a: b: 乙`, "path-separator=%2F"},
		{"locjson", "[[project.files]]\nsource = \"en.locjson\"\noutput = \"{LANGUAGE}.locjson\"\n", "en.locjson", "zh-CN.locjson",
			`{"units": [{"key": "a", "source": ["A"]}]}`, `{"units": [{"key": "a", "source": ["甲"]}]}`, `{"units": [{"key": "a", "source": ["乙"]}]}`, `zh-CN.json{ "a": "乙" }`, "format=json"},
		{"android", "[[project.files]]\nsource = \"values/s.xml\"\noutput = \"values-{LOCALE:ANDROID}/s.xml\"\n", "values/s.xml", "values-zh-rCN/s.xml",
			`<resources><string name="a">A</string></resources>`, `<resources><string name="a">甲</string></resources>`, `<resources><string name="a">乙</string></resources>`,
			`s.xml<?xml version="1.0" encoding="utf-8"?> <resources> <string name="a">乙</string> </resources>`, "format=android-xml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "source_language = \"en\"\ntarget_languages = [\"zh-Hans\"]\n[project.language_paths]\n\"zh-Hans\" = \"zh-CN\"\n"+c.project, map[string]string{c.source: c.en, c.path: c.zh})
			w.clean(push.Options{})
			w.write(c.path, c.edited)
			w.wire.take("")
			p := w.clean(push.Options{})
			if len(p.Files) != 1 || p.Files[0].Path != c.path || p.Files[0].Language != "zh-Hans" {
				t.Errorf("%+v", p)
			}
			r := w.imported(c.body)
			if r[0].query.Get("language") != "zh-Hans" || !strings.Contains(r[0].query.Encode(), c.query) {
				t.Errorf("query %s", r[0].query.Encode())
			}
			w.sends()
			w.silent()
		})
	}
}

// With "skip" a value that the service keeps counts as accepted; with "report" it is named, and stays pending.
func TestPushOfConflictingTranslations(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"skip", "report"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := mergedWorld(t, settings+"[project.push]\nconflicts = \""+mode+"\"\n"+jsonFiles)
			w.write(deApp, de("A hand", "B de"))
			p := w.pushes(push.Options{})
			w.reports(p, deApp+" (de): a")
			w.holds("main", "de", "a", "A de")
			if mode == "report" {
				w.problem(p.Problems, deApp, "a", "A hand")
				w.reports(w.pushes(push.Options{}), deApp+" (de): a")
				return
			}
			w.sends()
			w.commit()
			w.sends()
			w.write(deApp, de("A hand 2", "B de"))
			w.sends(deApp + " (de): a")
			w.sends()

			w.final("de", "a", "A service") // nothing of it gives way
			w.pulls(pull.Options{})
			w.write(deApp, de("A hand 3", "B de"))
			if p := w.clean(push.Options{}); len(p.Replaced) > 0 {
				t.Errorf("%v", p.Replaced)
			}
			w.holds("main", "de", "a", "A service")
		})
	}
}

// Keys that the service has no source text for are named and stay pending.
func TestPushOfATranslationWithoutSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A"}`, deApp: `{"a": "A de"}`})
	w.clean(push.Options{})
	w.id = "77777777-2222-3333-4444-555555555555"
	state := w.projects[0].branch.StateName()
	w.configure(w.config) // another project at the service, which has none of the keys
	if w.projects[0].branch.StateName() == state {
		t.Fatal("the state of another project would be used")
	}
	w.sends(deApp+" (de): a", enApp+" (en): a")
}

// A lost answer: whether the service has the text or not, it ends there, and a further edit is no conflict with the first.
func TestPushOfATranslationWhoseAnswerIsLost(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, fault := range []local.Fault{{Drop: true}, {Refuse: 503}} {
		w := mergedWorld(t, settings+jsonFiles)
		w.write(deApp, de("A hand", "B de"))
		w.wire.failing(func(r *http.Request) local.Fault {
			if strings.HasSuffix(r.URL.Path, "/import") {
				return fault
			}
			return local.Fault{}
		})
		if _, err := w.Push(t.Context(), push.Options{}); err == nil || Permanent(err) {
			t.Fatalf("the push went well: %v", err)
		}
		w.wire.failing(nil)
		w.restart(w.Config)
		w.write(deApp, de("A hand 2", "B de"))
		w.sends(deApp + " (de): a")
		w.holds("main", "de", "a", "A hand 2")
		w.sends()
	}
}

// An import whose answer is lost, before or after its effect, is followed by another one in the same push of a command,
// which sends what is then to be sent: what a translator wrote meanwhile stays, and nothing arrives twice.
func TestRetriedPushSendsWhatWasLost(t *testing.T) {
	t.Parallel()
	type want struct {
		sent    []string
		imports int
	}
	both := want{[]string{deApp + " (de): a b", enApp + " (en): new"}, 4}
	seen := want{[]string{enApp + " (en): new"}, 3} // the service has the translations already, as an export shows
	for name, fault := range map[string]local.Fault{
		"503 before the effect":   {Refuse: 503, RetryAfter: "1"},
		"503 after the effect":    {Refuse: 503, Late: true},
		"reset after the effect":  {Drop: true},
		"reset before the effect": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := mergedWorld(t, settings+jsonFiles)
			w.write(enApp, `{"a": "A", "b": "B", "new": "New"}`)
			w.write(deApp, de("A hand", "B hand"))
			lost := map[string]int{}
			fails := func(r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/import") {
					return false
				}
				lost[r.URL.Query().Get("language")]++
				return lost[r.URL.Query().Get("language")] == 1
			}
			w.wire.failing(func(r *http.Request) local.Fault {
				if fault == (local.Fault{}) || !fails(r) {
					return local.Fault{}
				}
				return fault
			})
			if fault == (local.Fault{}) {
				w.wire.before = func(r *http.Request) {
					if fails(r) {
						panic(http.ErrAbortHandler)
					}
				}
			}
			want := both
			if fault.Late || fault.Drop {
				want = seen
			}
			w.wire.take("")
			p := w.pushes(push.Options{Patient: true})
			w.reports(p, want.sent...)
			if got := len(w.wire.take("import")); got != want.imports || lost["en"] != 2 || p.Failure.Error != "" {
				t.Errorf("%d imports, %v: %+v", got, lost, p.Outcome)
			}
			w.holds("main", "en", "new", "New")
			w.holds("main", "de", "a", "A hand")
			w.holds("main", "de", "b", "B hand")
			w.sends()
			w.wire.failing(nil)
		})
	}
}

// What a translator wrote between a lost import and the next one is seen: it is a conflict, as for every push.
func TestRetriedPushFindsConflicts(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write(deApp, de("A hand", "B de"))
	first := true
	w.wire.failing(func(r *http.Request) local.Fault {
		if first && strings.HasSuffix(r.URL.Path, "/import") {
			first = false
			return local.Fault{Refuse: 503}
		}
		return local.Fault{}
	})
	translated := false
	w.wire.before = func(r *http.Request) {
		if !first && !translated {
			translated = true
			w.translate("main", "de", service.Draft, "a", "A service")
		}
	}
	p := w.pushes(push.Options{Patient: true})
	w.reports(p)
	w.problem(p.Problems, "a", "A hand", "A service")
	w.holds("main", "de", "a", "A service")
}

// A dry run changes nothing, here or there: the same push afterwards finds the same.
func TestPushDryRunOfTranslations(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write(deApp, de("A hand", "B hand"))
	w.translate("main", "de", service.Draft, "b", "B service")
	for range 2 {
		p := w.pushes(push.Options{DryRun: true})
		w.reports(p, deApp+" (de): a")
		w.problem(p.Problems, "b", "B hand", "B service")
	}
	if got := w.wire.take("import"); len(got) > 0 {
		t.Errorf("%d imports", len(got))
	}
	w.holds("main", "de", "a", "A de")
	p := w.pushes(push.Options{})
	w.reports(p, deApp+" (de): a")
	w.problem(p.Problems, "b")
}

// At first contact with a branch that cannot be reached nothing is concluded from the half that can be seen.
func TestPushAtFirstContactWithoutTheBranch(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	bare := gittest.Bare(t, w.dir)
	w.git("push", "-q", "origin", "main", "l10n")
	w.translate("main", "de", service.Final, "a", "A 2")
	w.pulls(pull.Options{})
	w.translate("main", "de", service.Final, "a", "A 3")
	w.lose()
	w.check(os.Rename(bare, bare+".away"))
	result, err := w.Push(t.Context(), push.Options{})
	if err == nil || !strings.Contains(err.Error(), "translations wait") {
		t.Fatalf("the push ends with %v", err)
	}
	w.reports(result.Projects[0], enApp+" (en): a b")
	w.check(os.Rename(bare+".away", bare))
	w.sends()
	w.holds("main", "de", "a", "A 3")
}

// What the service has is asked for at the moment of the push: an export that an interrupted pull left behind may be older than a translator's text.
func TestPushComparesWithAFreshExport(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+"[project.pull]\ncompletion_state = \"draft\"\n"+jsonFiles)
	ctx, interrupt := context.WithCancel(t.Context())
	w.wire.before = func(r *http.Request) {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "export") {
			interrupt()
			<-r.Context().Done() // the client is gone
		}
	}
	if _, err := w.Pull(ctx, pull.Options{Full: true}); err == nil {
		t.Fatal("the pull went well")
	}
	w.wire.before = nil
	if jobs, err := ledger.Jobs.List(w.store, w.projects[0].branch.StateName()); err != nil || len(jobs) != 1 {
		t.Fatalf("%v, %v", jobs, err)
	}
	w.translate("main", "de", service.Draft, "a", "A translator")
	w.write(deApp, de("A hand", "B de"))
	w.problem(w.pushes(push.Options{}).Problems, "A hand", "A translator")
	w.holds("main", "de", "a", "A translator")
}
