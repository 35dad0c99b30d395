package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
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

// A file that git takes for the renamed one of another language is a new one.
func TestSinceOfAnotherLanguage(t *testing.T) {
	t.Parallel()
	const texts = `{"gone": "Hi {name}", "more": "Something else that both have"}`
	w := newWorld(t, settings+"[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\n",
		map[string]string{"en.json": "{}", "de.json": texts})
	gittest.Git(t, w.dir, "mv", "de.json", "fr.json")
	var got []string
	for _, p := range w.sinceHead(Options{}).Problems {
		got = append(got, p.File+" "+p.Key)
	}
	if strings.Join(got, ", ") != "fr.json gone, fr.json more" {
		t.Errorf("got %q", got)
	}
}

// A request that leaves a source file without the translations that it had is told of, however it does so: it renames
// one of the two, changes the configuration, or takes them away. What a request does not change is not told.
func TestSinceOfLostTranslations(t *testing.T) {
	t.Parallel()
	const entries = "[[project.files]]\nsource = \"locales/en/*.json\"\nexclude = [\"**/c.json\"]\n" +
		"output = \"locales/{LANGUAGE}/{NAME}.json\"\ncollection = \"{NAME}\"\n" +
		"[[project.files]]\nsource = \"names/en.yaml\"\noutput = \"names/{LANGUAGE}/{LABEL:names}.yaml\"\ncollection = \"names\"\n"
	const project = "source_language = \"en\"\ntarget_languages = [\"de\"]\n" + entries
	en, de := `{"one": "First", "two": "Second", "new": "New"}`, `{"one": "Erster", "two": "Zweiter"}`
	files := map[string]string{"locales/en/a.json": en, "locales/de/a.json": de, "locales/en/b.json": en,
		"locales/en/c.json": en, "docs/d.json": en, "names/en.yaml": "x: X\ny: Y\n", "names/de/n.yaml": "x: Iks\n"}
	of := func(file string, keys ...string) (all string) {
		for _, key := range keys {
			all += file + " " + key + " "
		}
		return strings.TrimSuffix(all, " ")
	}
	for _, test := range []struct{ name, shell, config, want string }{
		{"nothing", "true", project, ""},
		{"the source is renamed", "git mv locales/en/a.json locales/en/z.json", project, of("locales/de/z.json", "one", "two")},
		{"the source is renamed, the translation goes", "git mv locales/en/a.json locales/en/z.json; git rm -q locales/de/a.json",
			project, of("locales/de/z.json", "one", "two")},
		{"both are renamed", "git mv locales/en/a.json locales/en/z.json; git mv locales/de/a.json locales/de/z.json", project, ""},
		{"the source is renamed, the translation otherwise", "git mv locales/en/a.json locales/en/z.json; " +
			"git mv locales/de/a.json locales/de/y.json", project, of("locales/de/z.json", "one", "two")},
		{"the source gets the name of another translation", "git mv locales/en/a.json locales/en/z.json; " +
			"echo '{\"one\": \"Erster\"}' > locales/de/z.json", project, of("locales/de/z.json", "two")},
		{"the translation goes", "git rm -q locales/de/a.json", project, of("locales/de/a.json", "one", "two")},
		{"the output is another", "true", strings.Replace(project, "locales/{LANGUAGE}", "lang/{LANGUAGE}", 1),
			of("lang/de/a.json", "one", "two")},
		{"the output is another, and the files move", "mkdir -p lang/de; git mv locales/de/a.json lang/de/a.json",
			strings.Replace(project, "locales/{LANGUAGE}", "lang/{LANGUAGE}", 1), ""},
		{"the configuration says the same", "true", "# as before\n" + project, ""},
		{"files become sources", "true", strings.Replace(project, "exclude = [\"**/c.json\"]\n", "", 1),
			of("locales/de/c.json", "new", "one", "two")},
		{"a file moves to the sources", "git mv docs/d.json locales/en/d.json", project,
			of("locales/de/d.json", "new", "one", "two")},
		{"a file of a name of the service goes", "git rm -q names/de/n.yaml", project, of("names/en.yaml", "x")},
		{"a file of a name of the service has less", "echo 'z: Z' > names/de/n.yaml", project,
			of("names/de/n.yaml", "z") + " " + of("names/en.yaml", "x")},
		{"a link is made of the folder", "git mv locales/de real; ln -s ../real locales/de", project,
			of("locales/de/a.json", "", "new", "one", "two") + " " + of("locales/de/b.json", "", "new", "one", "two")},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := func(project string) string { return "[[project]]\nname = \"app\"\n" + project }
			all := maps.Clone(files)
			all["locsync.toml"] = text(project)
			w := newWorld(t, test.config, all)
			_, err := gittest.Shell(t, w.dir, test.shell)
			w.check(err)
			gittest.Write(t, w.dir, map[string]string{"locsync.toml": text(test.config)})
			got := make(map[string]bool)
			for _, p := range w.sinceHead(Options{Missing: true}).Problems {
				if p.Code != report.CodeStray {
					got[p.File+" "+p.Key] = true
				}
			}
			if all := strings.Join(slices.Sorted(maps.Keys(got)), " "); all != test.want {
				t.Errorf("%q, want %q", all, test.want)
			}
		})
	}
}

// A link that was there before the request is no problem of the request; its configuration that cannot be read makes
// changed files of those that are missing.
func TestSinceOfWhatWasWrong(t *testing.T) {
	t.Parallel()
	const project = "source_language = \"en\"\ntarget_languages = [\"de\", \"fr\"]\n" +
		"[[project.files]]\nsource = \"en/*.json\"\noutput = \"{LANGUAGE}/{NAME}.json\"\n"
	w := newWorld(t, project, map[string]string{"en/a.json": `{"a": "A"}`, "real/a.json": `{"a": "A"}`,
		"locsync.toml": "[[project]]\nname = 7\n"})
	if err := os.Symlink("real", filepath.Join(w.dir, "de")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	gittest.Git(t, w.dir, "add", "-A")
	gittest.Git(t, w.dir, "commit", "-q", "-m", "a link")
	if result := w.sinceHead(Options{Missing: true}); len(result.Problems) > 0 || result.Since.Others == 0 {
		t.Errorf("%v of a request that changes nothing, %d others", result.Problems, result.Since.Others)
	}
	gittest.Write(t, w.dir, map[string]string{"locsync.toml": "[[project]]\nname = \"app\"\n" + project})
	result := w.sinceHead(Options{Missing: true})
	if p := result.Problems; len(p) != 1 || p[0].File != "fr/a.json" || p[0].Key != "a" {
		t.Errorf("%v of a request that repairs the configuration", p)
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
			if path.Dir(f[1]) == path.Dir(f[2]) { // of another language it is another file
				was[f[2]] = f[1]
			}
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
			sourceNow := path.Join("en", path.Base(p.File))
			sourceWas := cmp.Or(was[sourceNow], sourceNow)
			differs := func(was, name string) bool {
				text, had := before[was][p.Key]
				is, has := after[name][p.Key]
				return had != has || text != is
			}
			translations := path.Join(path.Dir(p.File), path.Base(sourceWas))
			if before[translations] == nil {
				translations = cmp.Or(was[p.File], p.File)
			}
			return differs(sourceWas, sourceNow) || differs(translations, p.File)
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
