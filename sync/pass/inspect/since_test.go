package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/diff"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/report"
)

// sinceHead checks what the working tree changes since the last commit, which is the same by git's diff.
func (w *world) sinceHead(o Options) report.ProjectCheck {
	w.Helper()
	printed, err := gittest.Shell(w, w.dir, "git add -AN && git diff HEAD")
	w.check(err)
	d, err := diff.Read(strings.NewReader(printed))
	w.check(err)
	byDiff, bySince := o, o
	byDiff.Diff, bySince.Since = d, "HEAD"
	since, of := w.inspects(bySince), w.inspects(byDiff)
	if fmt.Sprint(since.Problems, since.Since.Changed) != fmt.Sprint(of.Problems, of.Since.Changed) {
		w.Errorf("since HEAD it has\n%v %v\nand of the diff\n%v %v", since.Problems, since.Since.Changed, of.Problems,
			of.Since.Changed)
	}
	return since
}

// A key has changed where anything changed that its problems come from: any of its entries, not only the one that
// counts, its flags, the length that its comment allows.
func TestSinceOfEntries(t *testing.T) {
	t.Parallel()
	const header = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n" +
		"\"Plural-Forms: nplurals=2; plural=n != 1;\\n\"\n\n"
	const plural = "msgid \"a file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n"
	const en, de = `{"a": "Hello {n}", "b": "Second"}`, `{"a": "Hallo", "b": "Zwei"}`
	for _, test := range []struct{ name, file, before, after, want string }{
		{"twice in the source", "en.json", en, `{"a": "Something else", "b": "Second", "a": "Hello {n}"}`,
			"a in de.json, a in en.json"},
		{"twice in the translation", "de.json", de, `{"a": "Hallo", "b": "Zwo", "b": "Zwei"}`, "b in de.json"},
		{"in another order", "en.json", en, `{"b": "Second", "a": "Hello {n}"}`, ""},
		{"flags", "en.po", header + "msgid \"%s b\"\nmsgstr \"\"\n", header + "#, c-format\nmsgid \"%s b\"\nmsgstr \"\"\n",
			"%s b in de.po"},
		{"a comment that allows less", "en.properties", "a=Save\n", "# max. 7 characters\na=Save\n", "a in de.properties"},
		{"a comment", "en.properties", "a=Save\n", "# a button\na=Save\n", ""},
		{"a value that the format has no key for", "de.json", de, `{"a": "Hallo", "b": "Zwei", "more": {"x": "X"}}`,
			"more in de.json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"en.json": en, "de.json": de, "en.properties": "a=Save\n",
				"de.properties": "a=Speichern\n", "en.po": header + plural + "\nmsgid \"%s b\"\nmsgstr \"\"\n",
				"de.po": header + "msgid \"%s b\"\nmsgstr \"be\"\n"}
			files[test.file] = test.before
			var entries string
			for _, extension := range []string{"json", "properties", "po"} {
				entries += fmt.Sprintf("[[project.files]]\nsource = \"en.%s\"\noutput = \"{LANGUAGE}.%[1]s\"\ncollection = \"%[1]s\"\n",
					extension)
			}
			w := newWorld(t, strings.Replace(settings, `, "fr"`, "", 1)+entries, files)
			gittest.Write(t, w.dir, map[string]string{test.file: test.after})
			got := make(map[string]bool)
			for _, p := range w.sinceHead(Options{}).Problems {
				if p.Key != "" {
					got[p.Key+" in "+p.File] = true
				}
			}
			if all := strings.Join(slices.Sorted(maps.Keys(got)), ", "); all != test.want {
				t.Errorf("%q, want %q", all, test.want)
			}
		})
	}
}

// drawTexts draws the texts of a flat file, right and wrong ones.
func drawTexts(rt *rapid.T, what string) map[string]string {
	texts := make(map[string]string)
	for _, key := range []string{"a", "b", "c", "d"} {
		text := rapid.SampledFrom([]string{"", "Hi {name}", "Hi {nam}", "Hi", "{name} <b>x</b>", "<b>x"}).Draw(rt, what+key)
		if text != "" {
			texts[key] = text
		}
	}
	return texts
}

// A check since a commit tells of all problems those of keys whose text changed since, in the source or the translation,
// also where the branch that is named has gone on, and files are renamed. The diff between that and now tells the same.
func TestCheckSince(t *testing.T) {
	gittest.Need(t)
	const source, german, french = "en/a.json", "de/a.json", "fr/a.json"
	renamed := map[string]string{source: "en/b.json", german: "de/b.json", french: "fr/b.json"}
	rapid.Check(t, func(rt *rapid.T) {
		write := func(texts map[string]string) string {
			out, err := json.MarshalIndent(texts, "", rapid.SampledFrom([]string{" ", "\t"}).Draw(rt, "indent"))
			if err != nil {
				rt.Fatal(err)
			}
			return string(out) + "\n"
		}
		before, after := make(map[string]map[string]string), make(map[string]map[string]string)
		files := make(map[string]string)
		for _, name := range []string{source, german, french} {
			if name == french && rapid.Bool().Draw(rt, "no French") {
				continue
			}
			before[name] = drawTexts(rt, name)
			files[name] = write(before[name])
		}
		w := newWorld(t, settings+"[[project.files]]\nsource = \"en/*.json\"\noutput = \"{LANGUAGE}/{NAME}.json\"\n", files)
		base := gittest.Git(t, w.dir, "rev-parse", "HEAD")
		gittest.Git(t, w.dir, "checkout", "-q", "-b", "work")
		for _, name := range []string{source, german, french} {
			after[name] = before[name]
			if rapid.Bool().Draw(rt, "changes "+name) {
				after[name] = maps.Clone(before[name])
				if after[name] == nil {
					after[name] = make(map[string]string)
				}
				maps.Copy(after[name], drawTexts(rt, "new "+name))
			}
			if after[name] == nil {
				continue
			}
			now := name
			if before[name] != nil && rapid.IntRange(0, 3).Draw(rt, "renames "+name) == 0 {
				now = renamed[name]
				gittest.Git(t, w.dir, "rm", "-q", "-f", name)
				after[now] = after[name]
				delete(after, name)
			}
			gittest.Write(t, w.dir, map[string]string{now: write(after[now])})
		}
		gittest.Git(t, w.dir, "add", "-AN") // git tells nothing of files that it does not track
		was := make(map[string]string)      // what git calls renamed
		for line := range strings.Lines(gittest.Git(t, w.dir, "diff", "-M", "--name-status", "--diff-filter=R", base)) {
			f := strings.Fields(line)
			was[f[2]] = f[1]
		}
		if rapid.Bool().Draw(rt, "commits") {
			gittest.Git(t, w.dir, "add", "-A")
			gittest.Git(t, w.dir, "commit", "-q", "--allow-empty", "-m", "work")
			gittest.Git(t, w.dir, "checkout", "-q", "main")
			gittest.Write(t, w.dir, map[string]string{french: "{}\n"})
			gittest.Git(t, w.dir, "add", "-A")
			gittest.Git(t, w.dir, "commit", "-q", "--allow-empty", "-m", "main goes on")
			gittest.Git(t, w.dir, "checkout", "-q", "work")
		}
		changed := func(p report.Problem) bool {
			if p.Key == "" { // a file without its source
				return true
			}
			differs := func(name string) bool {
				text, had := before[cmp.Or(was[name], name)][p.Key]
				is, has := after[name][p.Key]
				return had != has || text != is
			}
			return differs(path.Join("en", path.Base(p.File))) || differs(p.File)
		}
		all := w.inspects(Options{Missing: true})
		want := slices.DeleteFunc(slices.Clone(all.Problems), func(p report.Problem) bool { return !changed(p) })
		got := w.inspects(Options{Missing: true, Since: "main"})
		if fmt.Sprint(got.Problems) != fmt.Sprint(want) {
			rt.Fatalf("from %v to %v it tells\n%v\nwant\n%v", before, after, got.Problems, want)
		}
		printed, err := gittest.Shell(t, w.dir, "git add -AN && git diff "+base)
		if err != nil {
			rt.Fatal(err)
		}
		d, err := diff.Read(strings.NewReader(printed))
		if err != nil {
			rt.Fatalf("%v of\n%s", err, printed)
		}
		by := w.inspects(Options{Missing: true, Diff: d})
		if fmt.Sprint(by.Problems, by.Since.Changed) != fmt.Sprint(got.Problems, got.Since.Changed) ||
			by.Since.Others != got.Since.Others {
			rt.Fatalf("of\n%sit tells\n%v %+v\nwant\n%v %+v", printed, by.Problems, by.Since, got.Problems, got.Since)
		}
		if s := got.Since; s.Commit != base || s.Others != len(all.Problems)-len(want) {
			rt.Fatalf("%+v, want %s and %d others", s, base, len(all.Problems)-len(want))
		}
	})
}
