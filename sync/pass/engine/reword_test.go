package engine

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/text/catalog"
)

// withSource brings source texts as well, and keeps commits in the repository.
const withSource = settings + "[project.pull]\nremote = \"\"\nsource = true\n"

const enA = "locales/en/a.json"

// edits is a copy editor's work at the service.
func (w *world) edits(keysAndTexts ...string) {
	w.tb.Helper()
	w.translate("main", "en", service.Draft, keysAndTexts...)
}

// What was changed at the service comes into the source file, byte for byte of that value, in one commit with the translations. Then all is silent: for the
// tree that lies behind, for the merged one, and for one that lies behind again. Bringing the old text back afterwards is a change.
func TestSourcePull(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, withSource, nil)
	w.brings()
	w.edits("b", "B, edited", "unknown", "is in no source file")
	w.final("de", "a", "Ä")
	if got := w.pulls(pull.Options{DryRun: true}); len(got.Files) != 2 || got.Files[0].Path != enA || *got.Files[0].Changes[0].Old != "B" ||
		*got.Files[0].Changes[0].New != "B, edited" || !strings.Contains(got.Diff, "+  \"b\": \"B, edited\"") {
		t.Errorf("%+v", got)
	}
	if got := w.show("l10n", enA); got != "" {
		t.Errorf("a dry run wrote %s", got)
	}
	w.brings(enA+" (en): +0 ~1 -0", "locales/de/a.json (de): +1 ~0 -0")
	w.has("l10n", enA, "{\n  \"a\": \"A\",\n  \"b\": \"B, edited\",\n  \"c\": \"C\"\n}")
	w.brings()
	w.wire.take("")
	w.sends() // the working tree has the text from before
	w.silent()
	if s := w.Status(t.Context()); s.Projects[0].Pending != 0 {
		t.Errorf("%+v", s)
	}
	w.reports(w.clean(push.Options{All: true}), enA+" (en): a c")
	w.holds("main", "en", "b", "B, edited")
	before := w.git("rev-parse", "HEAD")
	w.git("merge", "-q", "l10n")
	w.sends()
	w.brings()
	w.git("checkout", "-q", "-b", "old", before)
	w.sends()
	w.holds("main", "en", "b", "B, edited")
	w.git("checkout", "-q", "main")
	w.write(enA, "{\"a\": \"A\", \"b\": \"B\", \"c\": \"C\"}")
	w.commit()
	w.sends(enA + " (en): b")
	w.holds("main", "en", "b", "B")
	w.brings()
	w.edits("b", "B, again")
	w.brings(enA + " (en): +0 ~1 -0")
	w.has("l10n", enA, "{\"a\": \"A\", \"b\": \"B, again\", \"c\": \"C\"}")
	w.sends()
	gittest.Sound(t, w.dir)
}

// An old tree whose other texts somebody changes: those are sent, and the one that lies behind is not.
func TestSourcePullAndChangesBehindIt(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, withSource, nil)
	w.edits("b", "B, edited")
	w.brings(enA + " (en): +0 ~1 -0")
	w.write(enA, "{\"a\": \"A by hand\", \"b\": \"B\", \"c\": \"C\"}\n")
	w.sends(enA + " (en): a")
	w.holds("main", "en", "a", "A by hand", "b", "B, edited")
	w.commit()
	w.brings("locales/en/a.json (en): +0 ~0 -0") // base's change and the pulled one joined
	w.has("l10n", enA, "{\"a\": \"A by hand\", \"b\": \"B, edited\", \"c\": \"C\"}")
	w.brings()
	w.sends()
	w.write(enA, "{\"a\": \"A by hand\", \"b\": \"B by hand\", \"c\": \"C\"}\n")
	w.sends(enA + " (en): b")
	w.commit()
	w.pulls(pull.Options{})
	w.has("l10n", enA, "{\"a\": \"A by hand\", \"b\": \"B by hand\", \"c\": \"C\"}")
	w.write(enA, "{\"a\": \"A by hand\", \"b\": \"B\", \"c\": \"C\"}\n") // back to what the pull had replaced, after something younger
	w.sends(enA + " (en): b")
	w.holds("main", "en", "b", "B")
}

// The branch is deleted: the base's old texts are nobody's choice, and the pulled ones come again.
func TestSourcePullOntoARecreatedBranch(t *testing.T) {
	t.Parallel()
	w := abc(t, withSource, nil)
	w.edits("b", "B, edited")
	w.brings(enA + " (en): +0 ~1 -0")
	w.git("branch", "-q", "-D", "l10n")
	w.sends()
	w.brings(enA + " (en): +0 ~1 -0")
	w.git("merge", "-q", "--squash", "l10n")
	w.commit()
	w.sends()
	w.brings()
}

// Somebody who merges the branch and takes a text back, before any push has looked, has seen the pulled one all the same.
func TestSourcePullTakenBackAtOnce(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, withSource, nil)
	w.edits("b", "B, edited")
	w.brings(enA + " (en): +0 ~1 -0")
	w.git("merge", "-q", "l10n")
	w.write(enA, "{\n  \"a\": \"A\",\n  \"b\": \"B\",\n  \"c\": \"C\"\n}\n")
	w.commit()
	w.brings()
	w.sends(enA + " (en): b")
	w.holds("main", "en", "b", "B")
	w.brings()
}

// The base has an older pulled text, by a squashed merge, and the branch a younger one: nobody has changed anything.
func TestSourcePullAfterASquashOfAnOlderOne(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, withSource, nil)
	w.edits("b", "B, edited")
	w.brings(enA + " (en): +0 ~1 -0")
	w.edits("b", "B, edited twice")
	w.brings(enA + " (en): +0 ~1 -0")
	w.git("merge", "-q", "--squash", "l10n~1")
	w.commit()
	w.sends()
	if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
		t.Errorf("%v", p.Problems)
	}
	w.has("l10n", enA, "{\n  \"a\": \"A\",\n  \"b\": \"B, edited twice\",\n  \"c\": \"C\"\n}")
	w.brings()
	w.git("merge", "-q", "l10n")
	w.sends()
}

// Both sides changed a text: the repository's stays, the report names both, and the next push sends it. Only the repository changed: nothing is said.
func TestSourcePullConflict(t *testing.T) {
	t.Parallel()
	w := abc(t, withSource, nil)
	w.edits("b", "B, edited")
	w.write(enA, "{\"a\": \"A by hand\", \"b\": \"B by hand\", \"c\": \"C\"}")
	w.commit()
	p := w.pulls(pull.Options{})
	w.gains(p)
	w.problem(p.Problems, enA, `"b"`, `"B by hand"`, `"B, edited"`, "the repository's is kept")
	w.sends(enA + " (en): a b")
	w.holds("main", "en", "b", "B by hand")
	w.brings()
}

// Never a blank, never a text that would break the program or is none, never more at once than the guard allows.
func TestSourcePullLeavesOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSource+jsonFiles, map[string]string{enA: `{"args": "Hello {name}", "blank": "Text", "control": "Text", "fine": "Fine"}`})
	w.clean(push.Options{})
	w.edits("args", "Hello {nom}", "control", "Te\u0007xt", "fine", "Finer")
	w.upload(service.ImportRequest{Project: w.id, Language: "en", Format: "json", Files: []service.Upload{{Name: "a.json", Body: []byte(`{"blank": ""}`)}}})
	p := w.pulls(pull.Options{})
	w.gains(p, enA+" (en): +0 ~1 -0")
	w.has("l10n", enA, `{"args": "Hello {name}", "blank": "Text", "control": "Text", "fine": "Finer"}`)
	var all []string
	for _, problem := range p.Problems {
		all = append(all, problem.String())
	}
	said := strings.Join(all, "\n")
	for _, want := range []string{`"args" (en): the source text "Hello {nom}"`, `"control"`, "U+0007"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	w.pushes(push.Options{})
}

func TestSourcePullGuard(t *testing.T) {
	t.Parallel()
	var source []string
	var edited []string
	for i := range 20 {
		source = append(source, fmt.Sprintf(`"k%02d": "Text %d"`, i, i))
		if i < 12 {
			edited = append(edited, fmt.Sprintf("k%02d", i), fmt.Sprintf("Edited %d", i))
		}
	}
	w := newWorld(t, withSource+jsonFiles, map[string]string{enA: "{" + strings.Join(source, ", ") + "}"})
	w.clean(push.Options{})
	w.edits(edited...)
	p := w.pulls(pull.Options{})
	w.gains(p)
	w.problem(p.Problems, enA, "12 of its 20 source texts", "--force")
	w.sends()
	w.gains(w.pulls(pull.Options{Force: true}), enA+" (en): +0 ~12 -0")
	w.brings()
}

// Every format, with what it needs its own way for.
func TestSourcePullOfEveryFormat(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, c := range map[string]struct {
		files, path, before, format, edit, after string
	}{
		"yaml with a root": {"source = \"config/en.yml\"\noutput = \"config/{LANGUAGE}.yml\"\nformat = \"structured-yaml\"\n", "config/en.yml",
			"en:\n  menu: # note\n    open: Open\n    quit: \"Quit\"\n", "structured-yaml", "menu:\n  quit: Leave\n", "en:\n  menu: # note\n    open: Open\n    quit: \"Leave\""},
		"android": {"source = \"res/values/strings.xml\"\noutput = \"res/values-{LOCALE:ANDROID}/strings.xml\"\n", "res/values/strings.xml",
			"<resources>\n    <plurals name=\"f\"><item quantity=\"one\">%d file</item><item quantity=\"other\">%d files</item></plurals>\n    <string name=\"app\" translatable=\"false\">App</string>\n</resources>",
			"android-xml", `<resources><plurals name="f"><item quantity="one">%d file</item><item quantity="other">%d documents</item></plurals></resources>`,
			"<resources>\n    <plurals name=\"f\"><item quantity=\"one\">%d file</item><item quantity=\"other\">%d documents</item></plurals>\n    <string name=\"app\" translatable=\"false\">App</string>\n</resources>"},
		"strings": {"source = \"en.lproj/a.strings\"\noutput = \"{LOCALE:IOS}.lproj/a.strings\"\n", "en.lproj/a.strings",
			"/* note */\n\"a\" = \"A\";\n", "ios-strings", "\"a\" = \"A 2\";\n", "/* note */\n\"a\" = \"A 2\";"},
		"locjson": {"source = \"en.locjson\"\noutput = \"{LANGUAGE}.locjson\"\n", "en.locjson",
			"{\"properties\": {\"version\": 1}, \"units\": [{\"key\": \"a\", \"properties\": {\"x-max\": 5}, \"source\": [\"A\"]}]}", "json", `{"a": "B"}`,
			"{\"properties\": {\"version\": 1}, \"units\": [{\"key\": \"a\", \"properties\": {\"x-max\": 5}, \"source\": [\"B\"]}]}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, withSource+"[[project.files]]\n"+c.files, map[string]string{c.path: c.before})
			w.clean(push.Options{})
			w.brings()
			w.translateFile(service.Format(c.format), "main", "en", "editor", c.edit)
			w.brings(c.path + " (en): +0 ~1 -0")
			w.has("l10n", c.path, c.after)
			w.brings()
			w.sends()
			w.git("merge", "-q", "l10n")
			w.sends()
			w.brings()
		})
	}
}

// Files that share a collection: each gets what it has a key for, and a key of two files changes in both or in neither.
func TestSourcePullOfSharedKeys(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, withSource+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A", "both": "Both"}`, "locales/en/b.json": `{"b": "B", "both": "Both"}`,
		"locales/en/c.json": `{"twice": "T", "twice": "T"}`, "locales/en/d.json": `{"d": "D", "twice": "T"}`})
	w.clean(push.Options{})
	w.edits("both", "Both, edited", "b", "B, edited", "twice", "T, edited", "d", "D, edited")
	p := w.pulls(pull.Options{})
	w.gains(p, "locales/en/a.json (en): +0 ~1 -0", "locales/en/b.json (en): +0 ~2 -0", "locales/en/d.json (en): +0 ~1 -0")
	w.problem(p.Problems, "locales/en/c.json", `"twice"`, "T, edited")
	w.has("l10n", "locales/en/b.json", `{"b": "B, edited", "both": "Both, edited"}`)
	w.has("l10n", "locales/en/d.json", `{"d": "D, edited", "twice": "T"}`)
	w.sends()
	w.git("merge", "-q", "l10n")
	w.sends()
}

// Where labels name the files there is no telling which source file a text belongs to.
func TestSourcePullWithLabels(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSource+"[[project.files]]\nsource = \"en/one.json\"\noutput = \"out/{LANGUAGE}/{LABEL:file}.json\"\nlabels = [\"file:first\"]\n",
		map[string]string{"en/one.json": `{"a": "A"}`})
	w.clean(push.Options{})
	w.edits("a", "A, edited")
	w.wire.take("")
	p := w.pulls(pull.Options{})
	w.gains(p)
	w.problem(p.Problems, "en/one.json", "pull.source", "labels")
	if n := len(w.wire.take("export")); n != 1 {
		t.Errorf("%d exports", n)
	}
}

// One export more for each group, and none without the option.
func TestSourcePullRequests(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for option, want := range map[string]string{withSource: "2 download, 2 export", localOnly: "1 download, 1 export"} {
		w := abc(t, option, nil)
		w.edits("b", "B, edited")
		w.wire.take("")
		w.pulls(pull.Options{})
		w.counted(option, want)
		w.pulls(pull.Options{})
		w.counted(option+", again", want)
		if got := strings.Contains(w.show("l10n", enA), "edited"); got != (option == withSource) {
			t.Errorf("%s: %v", option, got)
		}
	}
}

// A translation whose source text comes in changed is outdated, also when nothing is new about the translations themselves.
func TestSourcePullOutdatesTranslations(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, withSource+"source_changed = \"blank\"\n", nil)
	w.final("de", "a", "Ä", "b", "Beh")
	w.brings("locales/de/a.json (de): +2 ~0 -0")
	w.brings()
	w.edits("b", "B, edited")
	p := w.brings(enA+" (en): +0 ~1 -0", "locales/de/a.json (de): +0 ~0 -1")
	if p.SourceChanged != 1 || p.Blanked != 1 {
		t.Errorf("%+v", p)
	}
	w.brings()
	w.final("de", "b", "Beh neu")
	w.brings("locales/de/a.json (de): +1 ~0 -0")
	w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"Ä\",\n  \"b\": \"Beh neu\"\n}")
}

// What fails its proof is not written, nothing is remembered of it, and the next pull writes it.
func TestSourcePullHoldsBackWhatCannotBeProven(t *testing.T) {
	w := abc(t, withSource, nil)
	w.edits("b", "B, edited")
	mend := faulty(t, "en", func(out []byte) []byte { return bytes.Replace(out, []byte(`"C"`), []byte(`"X"`), 1) })
	p := w.pulls(pull.Options{})
	w.gains(p)
	w.problem(p.Problems, enA, `"c"`, "a fault of locsync")
	mend()
	w.sends()
	w.brings(enA + " (en): +0 ~1 -0")
}

// A pull that dies when its commit is written down, or has arrived and is not remembered: no push in between sends a text back, and in the end all is silent.
func TestSourcePullInterrupted(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, arrived := range []bool{false, true} {
		w := abc(t, settings+"[project.pull]\nsource = true\n", nil)
		gittest.Bare(t, w.dir)
		w.edits("b", "B, edited")
		origin := w.git("remote", "get-url", "origin")
		if arrived {
			w.brings(enA + " (en): +0 ~1 -0")
			w.unremember()
		} else {
			w.git("remote", "set-url", "--push", "origin", origin+"-gone")
			if _, err := w.Pull(t.Context(), pull.Options{}); err == nil {
				t.Fatal("the commit was delivered")
			}
			w.git("remote", "set-url", "--push", "origin", origin)
		}
		w.restart(w.Config)
		w.sends()
		w.pulls(pull.Options{})
		if got := w.show("origin/l10n", enA); !strings.Contains(got, "B, edited") {
			t.Errorf("arrived %v: the branch has %s", arrived, got)
		}
		w.brings()
		w.sends()
		w.holds("main", "en", "b", "B, edited")
		w.git("merge", "-q", "origin/l10n")
		w.sends()
		w.brings()
	}
}

// unremember takes back what the last pull remembered once its commit had arrived, as if it had died before: only the stage is there.
func (w *world) unremember() {
	w.tb.Helper()
	p := w.projects[0]
	slot := p.branch.Memory().PushedSlot(ledger.Source{Collection: "main", Path: enA})
	marks, err := w.store.Marks(slot)
	w.check(err)
	b := catalog.Name{Key: "b"}
	now := catalog.Marks{b: marks[b]}
	marks[b] = catalog.MarkOf("B")
	w.check(w.store.SetMarks(slot, marks))
	w.check(w.store.SetMarks(p.branch.Memory().PushedSlot(ledger.Source{Collection: "main", Path: enA}).Stage(true), now))
	w.check(ledger.Deliveries.Put(w.store, p.branch.StateName(), "l10n", ledger.Delivery{Commit: w.git("rev-parse", "origin/l10n"), Staged: true, Files: []ledger.DeliveredFile{{Path: enA, Language: "en", Collection: "main"}}}))
}

// Every request of a pull fails once: nothing is lost and nothing is sent back.
func TestSourcePullWhenRequestsFail(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for n := range 4 {
		w := abc(t, withSource, nil)
		w.edits("b", "B, edited")
		i := 0
		w.wire.failing(func(*http.Request) local.Fault {
			i++
			if i == n+1 {
				return local.Fault{Refuse: http.StatusBadRequest}
			}
			return local.Fault{}
		})
		_, err := w.Pull(t.Context(), pull.Options{})
		if i > n && err == nil {
			t.Logf("request %d was repeated", n+1)
		}
		w.wire.failing(nil)
		w.sends()
		w.pulls(pull.Options{})
		w.has("l10n", enA, "{\n  \"a\": \"A\",\n  \"b\": \"B, edited\",\n  \"c\": \"C\"\n}")
		w.brings()
		w.sends()
	}
}
