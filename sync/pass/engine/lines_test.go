package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"pgregory.net/rapid"
)

// lineSettings has a collection and a translation branch for each of some branches.
const lineSettings = settings + `
[project.push]
branches = ["main", "feature/*"]
[project.pull]
branch = "l10n/{base}"
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
collection = "{BRANCH}"
`

const (
	appFile  = "locales/en/app.json"
	appDE    = "locales/de/app.json"
	mainText = "{\n  \"a\": \"Apple\",\n  \"b\": \"Bread\"\n}\n"
	featText = "{\n  \"a\": \"Apple\",\n  \"b\": \"Butter\",\n  \"c\": \"Cheese\"\n}\n"
)

// want compares the whole content of a collection: keys and texts in turn.
func (w *world) only(collection, language string, keysAndTexts ...string) {
	w.tb.Helper()
	want := map[string]string{}
	for i := 0; i < len(keysAndTexts); i += 2 {
		want[keysAndTexts[i]] = keysAndTexts[i+1]
	}
	if have := w.at(collection, language); !maps.Equal(have, want) {
		w.tb.Fatalf("collection %s has %v in %s, want %v", collection, have, language, want)
	}
}

func TestFeatureBranchHasACollectionOfItsOwn(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, lineSettings, map[string]string{appFile: mainText})
	w.sends(appFile + " (en): a b")
	w.translate("main", "de", service.Final, "a", "Apfel", "b", "Brot")
	w.pulls(pull.Options{})

	w.git("checkout", "-q", "-b", "feature/x")
	w.write(appFile, featText)
	w.commit()
	w.sends(appFile + " (en): b c") // main has a
	w.only("main", "en", "a", "Apple", "b", "Bread")
	w.only("feature/x", "en", "b", "Butter", "c", "Cheese")
	w.translate("feature/x", "de", service.Final, "b", "Butter", "c", "Käse")
	reports, err := w.Pull(t.Context(), pull.Options{})
	w.check(err)
	if len(reports.Projects) != 2 || reports.Projects[0].Base != "main" || reports.Projects[0].Commit != "" || reports.Projects[1].Branch != "l10n/feature/x" {
		t.Fatalf("want a pull for main that brings nothing, and one for feature/x: %+v", reports.Projects)
	}
	if got := compact(w.show("l10n/feature/x", appDE)); got != `{ "b": "Butter", "c": "Käse" }` {
		t.Fatalf("the feature's translations are %s", got)
	}
	if got := compact(w.show("l10n/main", appDE)); got != `{ "a": "Apfel", "b": "Brot" }` {
		t.Fatalf("main's translations are %s", got)
	}
	w.sends() // and again nothing

	// A text that goes back to the trunk's is sent all the same: the collection has another one.
	w.write(appFile, strings.Replace(featText, "Butter", "Bread", 1))
	w.sends(appFile + " (en): b")
	// What the trunk changes is not sent for a branch that only lies behind it.
	w.commit()
	w.git("checkout", "-q", "main")
	w.write(appFile, strings.Replace(mainText, "Apple", "Apples", 1))
	w.commit()
	w.sends(appFile + " (en): a")
	w.git("checkout", "-q", "feature/x")
	w.sends()
	w.only("feature/x", "en", "b", "Bread", "c", "Cheese")

	// A translation of an inherited key takes its source text along.
	w.write(appDE, "{\n  \"b\": \"Butter\"\n}\n")
	w.sends()
	w.write(appDE, "{\n  \"a\": \"Apfelbaum\",\n  \"b\": \"Butter\"\n}\n")
	w.sends(appDE+" (de): a", appFile+" (en): a")
	w.holds("feature/x", "de", "a", "Apfelbaum")
	w.holds("main", "de", "a", "Apfel")
}

func TestFinishedBranchIsNamedOnce(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, lineSettings, map[string]string{appFile: mainText})
	bare := gittest.Bare(t, w.dir)
	w.git("push", "-q", "origin", "main")
	w.configure(lineSettings)
	w.sends(appFile + " (en): a b")
	w.git("checkout", "-q", "-b", "feature/x")
	w.write(appFile, featText)
	w.commit()
	w.sends(appFile + " (en): b c")
	w.translate("feature/x", "de", service.Final, "b", "Butter", "c", "Käse")

	// Nobody else can see the branch yet: its translations have nowhere to go.
	reports, err := w.Pull(t.Context(), pull.Options{})
	w.check(err)
	if len(reports.Projects) != 1 {
		t.Fatalf("%d reports, want main's alone", len(reports.Projects))
	}
	w.problem(reports.Projects[0].Problems, "feature/x is not at origin yet", "run git push origin feature/x")
	w.git("push", "-q", "origin", "feature/x")
	reports, err = w.Pull(t.Context(), pull.Options{})
	w.check(err)
	if got := compact(gittest.Git(t, bare, "show", "l10n/feature/x:"+appDE)); len(reports.Projects) != 2 || got != `{ "b": "Butter", "c": "Käse" }` {
		t.Fatalf("the remote has %s; %+v", got, reports.Projects)
	}

	w.git("checkout", "-q", "main")
	w.git("push", "-q", "origin", ":feature/x") // merged, say; the local one stays for a while
	for range 2 {
		dry, err := w.Pull(t.Context(), pull.Options{DryRun: true})
		w.check(err)
		finished(t, dry.Projects[0].Finished, "feature/x")
	}
	pulled := w.pulls(pull.Options{})
	finished(t, pulled.Finished, "feature/x")
	if f := pulled.Finished[0]; f.Branch != "l10n/feature/x" || !slices.Equal(f.Collections, []string{"feature/x"}) {
		t.Fatalf("%+v", f)
	}
	w.wire.take("")
	finished(t, w.pulls(pull.Options{}).Finished)
	for _, r := range w.wire.take("export") {
		if r.query.Get("collections") != "main" {
			t.Fatalf("%s is still asked for", r.query.Encode())
		}
	}
	s := w.Status(t.Context()).Projects[0]
	if s.Base != "main" || len(s.Lines) != 2 || s.Lines[0].Base != "feature/x" || s.Lines[0].Finished == nil || s.Lines[1].Finished != nil ||
		!strings.Contains(s.State, "branch feature/x is gone, so its collections are not used") {
		t.Fatalf("%q, %+v", s.State, s.Lines)
	}
	w.only("feature/x", "en", "b", "Butter", "c", "Cheese") // nothing is deleted at the service

	// Work that goes on brings it back.
	w.git("checkout", "-q", "feature/x")
	w.git("push", "-q", "origin", "feature/x")
	w.pulls(pull.Options{})
	if s := w.Status(t.Context()).Projects[0]; s.Base != "feature/x" || s.Lines[0].Finished != nil {
		t.Fatalf("%+v", s.Lines)
	}
}

func finished(t *testing.T, got []report.FinishedLine, want ...string) {
	t.Helper()
	var names []string
	for _, f := range got {
		names = append(names, f.Base)
	}
	if !slices.Equal(names, want) {
		t.Fatalf("finished are %q, want %q", names, want)
	}
}

func TestBranchesThatAreNotCoveredAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, lineSettings, map[string]string{appFile: mainText})
	for _, branch := range []string{"wip", "l10n/main"} {
		w.git("checkout", "-q", "-b", branch)
		w.sends()
		w.pulls(pull.Options{})
	}
	w.git("checkout", "-q", "--detach")
	w.sends()
	w.problem(w.pulls(pull.Options{}).Problems, "HEAD names a commit")
	w.silent()
	// The status is about the trunk as it is committed, and a check about the files as they lie.
	w.write(appFile, featText)
	if s := w.Status(t.Context()).Projects[0]; s.Base != "main" || s.Pending != 2 || s.Files[0].Collection != "main" {
		t.Errorf("%q, %d pending, %+v", s.Base, s.Pending, s.Files)
	}
	if c, err := w.Check(t.Context(), inspect.Options{}); err != nil || c.Projects[0].Keys != 3 {
		t.Errorf("%+v, %v", c, err)
	}
}

// From a branch every branch at the remote that is covered is pushed, without anybody checking it out.
func TestLinesOfABareRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{appFile: mainText})
	w.git("checkout", "-q", "-b", "feature/x")
	w.write(appFile, featText)
	w.commit()
	w.git("checkout", "-q", "-b", "other")
	w.dir = gittest.Bare(t, w.dir)
	w.git("remote", "remove", "origin")
	w.configure(strings.Replace(lineSettings, `branches = ["main", "feature/*"]`, "source = \"main\"\nbranches = [\"feature/*\"]", 1))
	reports, err := w.Push(t.Context(), push.Options{})
	w.check(err)
	if len(reports.Projects) != 2 {
		t.Fatalf("%+v", reports.Projects)
	}
	w.reports(reports.Projects[0], appFile+" (en): a b")
	w.reports(reports.Projects[1], appFile+" (en): b c")
	w.translate("feature/x", "de", service.Final, "c", "Käse")
	_, err = w.Pull(t.Context(), pull.Options{})
	w.check(err)
	if got := compact(w.show("l10n/feature/x", appDE)); got != `{ "c": "Käse" }` {
		t.Fatal(got)
	}
	gittest.Git(t, w.dir, "branch", "-D", "feature/x")
	reports, err = w.Push(t.Context(), push.Options{})
	w.check(err)
	finished(t, reports.Projects[0].Finished, "feature/x")
}

// A branch whose name makes no collection, or that has no place for its translations, is named, and keeps the others from nothing.
func TestBranchesThatCannotBeTranslated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{appFile: mainText})
	w.git("branch", "feature/a,b")
	w.git("branch", "l10n")
	w.configure(strings.Replace(lineSettings, `branches = ["main", "feature/*"]`, "source = \"main\"\nbranches = [\"feature/*\"]", 1))
	if problems := w.pushes(push.Options{}).Problems; len(problems) != 2 || !strings.Contains(problems[0].Problem, "l10n exists") || !strings.Contains(problems[1].Problem, "feature/a,b is not translated") {
		t.Fatalf("%v", problems)
	}
	w.git("branch", "-D", "l10n")
	w.problem(w.pushes(push.Options{}).Problems, "feature/a,b is not translated")
	w.only("main", "en", "a", "Apple", "b", "Bread")
}

// One collection for all branches: what the service accepted last counts, whichever branch it came from.
func TestLinesThatShareACollection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strings.Replace(lineSettings, `collection = "{BRANCH}"`, "", 1), map[string]string{appFile: mainText})
	w.sends(appFile + " (en): a b")
	w.git("checkout", "-q", "-b", "feature/x")
	w.sends()
	w.write(appFile, featText)
	w.commit()
	w.sends(appFile + " (en): b c")
	w.git("checkout", "-q", "main")
	w.sends(appFile + " (en): b")
	w.only("main", "en", "a", "Apple", "b", "Bread", "c", "Cheese")
}

// Whatever people do on two branches: the trunk's collection has exactly the trunk's texts, the other branch's what that branch has, but for what the trunk
// has had as well, and no branch gets translations of the other's.
func TestBranchesAreNeverMixed(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, lineSettings, map[string]string{appFile: mainText})
		w.git("branch", "feature/x")
		texts := map[string]map[string]string{"main": textsOf(t, mainText), "feature/x": textsOf(t, mainText)} // what stands on each
		sent := map[string]map[string]string{"main": {}, "feature/x": {}}                                      // what its last push saw
		had := map[string]bool{}                                                                               // keys and texts that the trunk's pushes saw
		there := map[string]bool{}                                                                             // collections
		ever := map[string]bool{}                                                                              // branches and keys that were pushed
		now := "main"
		var did []string
		for step := range rapid.IntRange(5, 16).Draw(rt, "steps") {
			what := rapid.SampledFrom([]string{"switch", "switch", "edit", "edit", "delete", "push", "push", "translate", "by hand", "pull"}).Draw(rt, "step")
			did = append(did, what)
			switch what {
			case "switch":
				now = map[string]string{"main": "feature/x", "feature/x": "main"}[now]
				w.git("checkout", "-q", now)
			case "edit":
				key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "key")
				texts[now][key] = rapid.SampledFrom([]string{"same", "on " + now, fmt.Sprint("text ", step)}).Draw(rt, "text")
				w.write(appFile, jsonOf(texts[now]))
				w.git("commit", "-qam", "by a person", "--allow-empty")
			case "delete":
				delete(texts[now], rapid.SampledFrom([]string{"a", "c"}).Draw(rt, "key"))
				w.write(appFile, jsonOf(texts[now]))
				w.git("commit", "-qam", "by a person", "--allow-empty")
			case "by hand":
				if l10n := textsOf(t, w.show("l10n/"+now, appDE)); len(l10n) > 0 {
					l10n[slices.Sorted(maps.Keys(l10n))[0]] = fmt.Sprint(now, ": by hand ", step)
					w.commitOn("l10n/"+now, appDE, jsonOf(l10n))
				}
			case "push":
				there[now] = w.clean(push.Options{}).Requests > 0 || there[now]
				sent[now] = maps.Clone(texts[now])
				for key := range texts[now] {
					ever[now+key] = true
				}
				for key, text := range texts["main"] {
					had[key+text] = had[key+text] || now == "main"
				}
			case "translate":
				if key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "key"); there[now] && w.at(now, "en")[key] != "" {
					w.translate(now, "de", service.Final, key, fmt.Sprint(now, ": ", step))
				}
			case "pull":
				_, err := w.Pull(t.Context(), pull.Options{})
				w.check(err)
			}
		}
		for branch := range texts {
			if len(sent[branch]) == 0 {
				continue
			}
			have := map[string]string{}
			if there[branch] {
				have = w.at(branch, "en")
			}
			for key, text := range sent[branch] {
				if have[key] != text && (branch == "main" || have[key] != "" || !had[key+text]) {
					rt.Fatalf("after %v: branch %s has %s %q; its collection has %q", did, branch, key, text, have[key])
				}
			}
			for key := range have {
				if !ever[branch+key] {
					rt.Fatalf("after %v: collection %s has %s, which its branch never had", did, branch, key)
				}
			}
			for key, text := range textsOf(t, w.show("l10n/"+branch, appDE)) {
				if !strings.HasPrefix(text, branch+": ") {
					rt.Fatalf("after %v: branch %s was given the translation %q of %s", did, branch, text, key)
				}
			}
			if there[branch] {
				for key, text := range w.at(branch, "de") {
					if !strings.HasPrefix(text, branch+": ") {
						rt.Fatalf("after %v: collection %s was given the translation %q of %s", did, branch, text, key)
					}
				}
			}
		}
		// Once everything is sent, going to and fro sends nothing, and what a branch lost is known of that branch.
		for round := range 3 {
			for _, branch := range slices.Sorted(maps.Keys(texts)) {
				w.git("checkout", "-q", branch)
				p := w.pushes(push.Options{})
				if round == 2 && p.Requests > 0 {
					rt.Fatalf("after %v: on branch %s again %v is sent", did, branch, p.Files)
				}
				for _, o := range append(p.Orphaned, w.Status(t.Context()).Projects[0].Orphaned...) {
					if texts[branch][o.Key] != "" || !ever[branch+o.Key] {
						rt.Fatalf("after %v: %s is said to be gone from branch %s", did, o.Key, branch)
					}
				}
			}
		}
	})
}
