package engine

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/passtest"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// Only what was added or changed travels; what is only laid out differently costs nothing.
func TestPushSendsWhatChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B"}`})
	w.sends("locales/en/app.json (en): a b")
	for _, r := range w.imported(`app.json{ "a": "A", "b": "B" }`) {
		for name, want := range map[string]string{"collection": "main", "language": "en", "format": "json", "completion-state": "draft", "overwrite-conflicting-values": "true"} {
			if got := r.query.Get(name); got != want {
				t.Errorf("%s=%q, want %q in %s", name, got, want, r.query.Encode())
			}
		}
		if len(r.query) != 5 {
			t.Errorf("query %s", r.query.Encode())
		}
	}
	w.sends()
	w.write("locales/en/app.json", "{\n\t\"b\": \"B\",\r\n\t\"a\": \"\\u0041\"\n}\n")
	w.sends()
	w.silent()
	w.write("locales/en/app.json", `{"b": "B!", "a": "A", "c": "C"}`)
	w.sends("locales/en/app.json (en): b c")
	w.imported(`app.json{ "b": "B!", "c": "C" }`)
	w.sends()
	w.silent()
	w.holds("main", "en", "a", "A", "b", "B!", "c", "C")
}

// What a push sends, how it is spelled for the service, and what comes of a change, in every format.
func TestPushInEveryFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, files, path         string
		first, idle, second       string
		sent, again, body         string
		collection, format, label string
		query                     string
	}{
		{name: "structured json", files: "source = \"en.json\"\noutput = \"{LANGUAGE}.json\"\nformat = \"structured-json\"\npath_separator = \"::\"\n", path: "en.json",
			first: `{"a": {"b": "B", "c/d": "D"}, "n": 1, "t": true, "z": null, "l": ["x", "y"]}`, idle: `{"l": ["x", "y"], "a": {"c/d": "D", "b": "B"}}`,
			second: `{"a": {"b": "B2", "c/d": "D"}, "l": ["x", "y2"]}`,
			sent:   "a::b a::c/d l::0 l::1", again: "a::b l::0 l::1", query: "path-separator=%3A%3A",
			body: `en.json{ "a": { "b": "B2" }, "l": [ "x", "y2" ] }`},
		{name: "structured yaml with a root", files: "source = \"en.yml\"\noutput = \"{LANGUAGE}.yml\"\nformat = \"structured-yaml\"\n", path: "en.yml",
			first: "en:\n  a:\n    b: B\n  n: 5\n  c: C\n", idle: "# a comment\nen:\n  c: \"C\"\n  a: {b: 'B'}\n", second: "en:\n  a:\n    b: B2\n  c: C\n",
			sent: "a/b c", again: "a/b", query: "path-separator=%2F", body: "en.yml" + `a: b: B2`},
		{name: "yaml", files: "source = \"en.yaml\"\noutput = \"{LANGUAGE}.yaml\"\nformat = \"yaml\"\n", path: "en.yaml",
			first: "a.b: x\nc: 1\nd: y\n", idle: "d: y\na.b: x # as before\n", second: "a.b: z\nd: y\n", sent: "a.b d", again: "a.b", body: "en.yaml" + `a.b: z`},
		{name: "strings", files: "source = \"en.lproj/L.strings\"\noutput = \"{LOCALE:IOS}.lproj/L.strings\"\n", path: "en.lproj/L.strings",
			first: "/* c */\n\"a\" = \"A\";\n\"b\" = \"B\";\n", idle: "/* d */\n\"b\"=\"B\";\"a\" = \"A\";\n", second: "\"a\" = \"A \\\"2\\\"\";\n\"b\" = \"B\";\n", sent: "a b", again: "a",
			body: `L.strings"a" = "A \"2\"";`},
		{name: "android", files: "source = \"values/strings.xml\"\noutput = \"values-{LOCALE:ANDROID}/strings.xml\"\n", path: "values/strings.xml",
			first: `<resources><string name="a">A</string><string name="r">@string/a</string><string name="k" translatable="false">K</string>` +
				`<plurals name="p"><item quantity="one">one</item><item quantity="other">%d</item></plurals>` +
				`<string-array name="l"><item>x</item><item>y</item></string-array></resources>`,
			idle: `<resources><string-array name="l"><item>x</item><item>y</item></string-array><string name="a">A</string>` +
				`<plurals name="p"><item quantity="other">%d</item><item quantity="one">one</item></plurals></resources>`,
			second: `<resources><string name="a">A</string>` +
				`<plurals name="p"><item quantity="one">uno</item><item quantity="other">%d</item></plurals>` +
				`<string-array name="l"><item>x</item><item>Y</item></string-array></resources>`,
			sent: "a p l", again: "p l",
			body: `strings.xml<?xml version="1.0" encoding="utf-8"?> <resources> <plurals name="p"> <item quantity="one">uno</item> <item quantity="other">%d</item> </plurals> ` +
				`<string-array name="l"> <item>x</item> <item>Y</item> </string-array> </resources>`},
		{name: "locjson", files: "source = \"en.locjson\"\noutput = \"{LANGUAGE}.locjson\"\n", path: "en.locjson", format: "-",
			first: `{"units": [{"key": "a", "source": ["A"]}, {"key": "b", "source": ["B", "B"]}]}`, idle: `{"units": [{"key": "b", "source": ["BB"]}, {"key": "a", "source": ["A"], "properties": {"comments": ["c"]}}]}`,
			second: `{"units": [{"key": "a", "source": ["A"]}, {"key": "b", "source": ["C"], "properties": {"x-max": 5}}]}`, sent: "a b", again: "b",
			body: `en.locjson{ "units": [ { "key": "b", "properties": {"x-max": 5}, "source": ["C"] } ] }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+"[[project.files]]\ncollection = \"texts\"\n"+c.files, map[string]string{c.path: c.first})
			w.sends(c.path + " (en): " + c.sent)
			first := w.wire.take("import")
			if len(first) != 1 || !strings.Contains(first[0].query.Encode(), c.query) || first[0].query.Get("collection") != "texts" {
				t.Errorf("requests %v", first)
			}
			if c.query == "" && first[0].query.Has("path-separator") || first[0].query.Has("format") == (c.format == "-") {
				t.Errorf("query %s", first[0].query.Encode())
			}
			w.write(c.path, c.idle)
			w.sends()
			w.silent()
			w.write(c.path, c.second)
			w.sends(c.path + " (en): " + c.again)
			w.imported(c.body)
			w.sends()
			w.silent()
		})
	}
}

// A plural that loses a form and a list that loses an item have changed: the service gets them whole, once.
func TestPushOfAShorterKey(t *testing.T) {
	t.Parallel()
	android := func(plural, list string) string {
		return `<resources><plurals name="p">` + plural + `</plurals><string-array name="l">` + list + `</string-array></resources>`
	}
	w := newWorld(t, settings+"[[project.files]]\nsource = \"values/strings.xml\"\noutput = \"values-{LOCALE:ANDROID}/strings.xml\"\n", map[string]string{
		"values/strings.xml": android(`<item quantity="one">one</item><item quantity="other">%d</item>`, `<item>x</item><item>y</item>`)})
	w.sends("values/strings.xml (en): p l")
	w.write("values/strings.xml", android(`<item quantity="other">%d</item>`, `<item>x</item>`))
	w.wire.take("")
	w.sends("values/strings.xml (en): p l")
	w.sends()
	w.imported(`strings.xml<?xml version="1.0" encoding="utf-8"?> <resources> <plurals name="p"> <item quantity="other">%d</item> </plurals> <string-array name="l"> <item>x</item> </string-array> </resources>`)
	w.write("values/strings.xml", `<resources><string name="p">p</string></resources>`)
	w.sends("values/strings.xml (en): p")
	w.sends()
}

// Files of one collection, language and format travel together, under names that differ; others do not.
func TestPushInOneRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+`
[[project.files]]
source = "en/**/*.json"
output = "{LANGUAGE}/{DIR}/{NAME}.json"
[[project.files]]
source = "other/en/*.json"
output = "other/{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
[[project.files]]
source = "x.en.yaml"
output = "x.{LANGUAGE}.yaml"
format = "yaml"
`, map[string]string{"en/a.json": `{"a": "A"}`, "en/x/b.json": `{"b": "B"}`, "en/y/b.json": `{"c": "C"}`, "en/y/same.json": `{"a": "A"}`,
		"other/en/one.json": `{"a": "1"}`, "other/en/two.json": `{"a": "2"}`, "x.en.yaml": "y: Y\n"})
	p := w.clean(push.Options{})
	if p.Requests != 4 || p.Keys != 7 {
		t.Errorf("%d requests with %d keys", p.Requests, p.Keys)
	}
	w.imported(`a.json{ "a": "A" } en__x__b.json{ "b": "B" } en__y__b.json{ "c": "C" } same.json{ "a": "A" }`, `one.json{ "a": "1" }`, `two.json{ "a": "2" }`, `x.en.yamly: "Y"`)
	w.holds("main", "en", "a", "A", "b", "B", "c", "C", "y", "Y")
	w.holds("one", "en", "a", "1")
	w.sends()
	w.silent()
}

// Labels are sent with the import, and files with other labels travel apart.
func TestPushWithLabels(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+`
[[project.files]]
source = "a.en.json"
output = "a.{LANGUAGE}.json"
labels = ["one", "file:a"]
[[project.files]]
source = "b.en.json"
output = "b.{LANGUAGE}.json"
`, map[string]string{"a.en.json": `{"a": "A"}`, "b.en.json": `{"b": "B"}`})
	w.clean(push.Options{})
	r := w.imported(`a.en.json{ "a": "A" }`, `b.en.json{ "b": "B" }`)
	if r[0].query.Get("labels") != "one,file:a" || r[1].query.Has("labels") {
		t.Errorf("labels %q and %q", r[0].query["labels"], r[1].query["labels"])
	}
}

// Keys that clash are named, in every place where they stand, and not sent; everything else is.
func TestPushOfClashes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{
		"locales/en/a.json": `{"k": "one", "twice": "x", "fine": "f", "twice": "y", "same": "s", "same": "s"}`,
		"locales/en/b.json": `{"k": "one", "fine": "f"}`,
		"locales/en/c.json": `{"k": "two", "own": "o"}`})
	p := w.pushes(push.Options{})
	w.reports(p, "locales/en/a.json (en): fine same", "locales/en/b.json (en): fine", "locales/en/c.json (en): own")
	named := map[string]int{}
	for _, problem := range p.Problems {
		named[problem.File+" "+problem.Key]++
	}
	if fmt.Sprint(named) != "map[locales/en/a.json k:1 locales/en/a.json twice:1 locales/en/b.json k:1 locales/en/c.json k:1]" {
		t.Errorf("named %v\n%v", named, p.Problems)
	}
	if _, sent := w.at("main", "en")["k"]; sent {
		t.Error("k was sent")
	}
	w.write("locales/en/c.json", `{"k": "one", "own": "o"}`, "locales/en/a.json", `{"k": "one", "twice": "y", "fine": "f", "same": "s"}`)
	w.sends("locales/en/a.json (en): k twice", "locales/en/b.json (en): k", "locales/en/c.json (en): k")
	w.sends()
}

// A key that clashes for a while, or is no text for a while, is not gone: it is neither removed nor renamed, and costs nothing when it is back.
func TestPushOfAKeyThatClashesForAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"k": "Text", "n": "Number"}`})
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "k", "Deutsch", "n", "Nummer")
	w.write("locales/en/a.json", `{"k": "Text", "k": "Other", "n": 5, "new": "Text", "n2": "Number"}`)
	p := w.pushes(push.Options{})
	w.reports(p, "locales/en/a.json (en): new n2")
	if len(p.Renamed) > 0 {
		t.Errorf("renamed %v", p.Renamed)
	}
	if s := w.Status(t.Context()).Projects[0]; s.Removed != 0 || s.Pending != 0 {
		t.Errorf("%d removed, %d pending", s.Removed, s.Pending)
	}
	w.write("locales/en/a.json", `{"k": "Text", "n": "Number", "new": "Text", "n2": "Number"}`)
	w.sends()
}

// One key with forms in one file and without in another is two values of one key.
func TestPushOfClashingForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+`
[[project.files]]
source = "a/strings.xml"
output = "a-{LANGUAGE}/strings.xml"
[[project.files]]
source = "b/strings.xml"
output = "b-{LANGUAGE}/strings.xml"
`, map[string]string{
		"a/strings.xml": `<resources><plurals name="k"><item quantity="other">%d</item></plurals></resources>`,
		"b/strings.xml": `<resources><string name="k">%d</string></resources>`})
	p := w.pushes(push.Options{})
	w.reports(p)
	if len(p.Problems) != 2 || p.Problems[0].Key != "k" || p.Problems[1].Key != "k" {
		t.Errorf("problems %v", p.Problems)
	}
}

// A text that is also the beginning of another key has no place in a nested file, in one file or across the files of a collection.
func TestPushOfClashingNesting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[[project.files]]\nsource = \"en/*.json\"\noutput = \"{LANGUAGE}/{NAME}.json\"\nformat = \"structured-json\"\n",
		map[string]string{"en/a.json": `{"a": "A", "x": "X", "b/c": "C", "b": "B"}`, "en/b.json": `{"a": {"b": "AB"}, "y": "Y"}`})
	p := w.pushes(push.Options{})
	w.reports(p, "en/a.json (en): x", "en/b.json (en): y")
	if len(p.Problems) != 4 {
		t.Errorf("problems %v", p.Problems)
	}
}

// A file that cannot be read is named with its place and left alone; the rest goes on, and nothing is concluded from it.
func TestPushOfABrokenFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A", "b": "B"}`, "locales/en/b.json": `{"c": "C"}`})
	w.clean(push.Options{})
	w.write("locales/en/a.json", "{\"a\": \"A\",\n \"b\" \"B\"}", "locales/en/b.json", `{"c": "C2"}`)
	p := w.pushes(push.Options{})
	w.reports(p, "locales/en/b.json (en): c")
	w.problem(p.Problems, "locales/en/a.json:2:6")
	w.wire.take("")
	if p = w.pushes(push.Options{}); len(p.Problems) != 1 {
		t.Errorf("problems %v", p.Problems)
	}
	if s := w.Status(t.Context()).Projects[0]; s.Removed != 0 || s.Pending != 0 || s.Files[0].Error == "" {
		t.Errorf("status %+v", s)
	}
	w.write("locales/en/a.json", `{"a": "A", "b": "B2"}`)
	w.sends("locales/en/a.json (en): b")
}

// A key deleted in the source stays at the service, is counted, and costs nothing when it comes back.
func TestPushOfADeletedKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{
		"locales/en/a.json": `{"a": "A", "b": "B"}`, "locales/en/other.json": "{}"})
	w.clean(push.Options{})
	w.wire.take("")
	w.write("locales/en/a.json", `{"a": "A"}`)
	w.sends()
	w.silent()
	w.holds("main", "en", "b", "B")
	if s := w.Status(t.Context()).Projects[0]; s.Removed != 1 {
		t.Errorf("%d removed", s.Removed)
	}
	w.write("locales/en/a.json", `{"a": "A", "b": "B"}`)
	w.sends()
	w.remove("locales/en/a.json")
	w.sends()
	if s := w.Status(t.Context()).Projects[0]; s.Removed != 0 {
		t.Errorf("%d removed at the first look", s.Removed)
	}
	w.restart(w.Config) // as by the next command
	if s := w.Status(t.Context()).Projects[0]; s.Removed != 2 || len(s.Orphaned) != 2 || s.Orphaned[0].Key != "a" {
		t.Errorf("%d removed", s.Removed)
	}
}

// A file that moves within its collection costs nothing, however often, and a change afterwards is seen.
func TestPushOfMovedFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/z.json": `{"a": "A", "b": "B"}`})
	move := func(from, to, content string) {
		w.remove("locales/en/" + from)
		w.write("locales/en/"+to, content)
	}
	w.clean(push.Options{})
	move("z.json", "a.json", `{"a": "A", "b": "B"}`)
	w.sends()
	w.write("locales/en/a.json", `{"a": "A2", "b": "B"}`)
	w.sends("locales/en/a.json (en): a")
	move("a.json", "m.json", `{"a": "A2", "b": "B"}`)
	w.sends()
	w.write("locales/en/m.json", `{"a": "A", "b": "B"}`)
	w.sends("locales/en/m.json (en): a")
	w.holds("main", "en", "a", "A")
	// One key alone moves to another file.
	w.write("locales/en/m.json", `{"a": "A"}`, "locales/en/n.json", `{"b": "B"}`)
	w.sends()
	w.write("locales/en/n.json", `{"b": "B2"}`)
	w.sends("locales/en/n.json (en): b")
	w.write("locales/en/n.json", `{}`, "locales/en/m.json", `{"a": "A", "b": "B"}`)
	w.sends("locales/en/m.json (en): b")
	w.holds("main", "en", "b", "B")
	if s := w.Status(t.Context()).Projects[0]; s.Removed != 0 || s.Pending != 0 {
		t.Errorf("status %+v", s)
	}
}

// --all sends everything, --dry-run nothing at all, and both say what. What the service has is asked for.
func TestPushAllAndDryRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A", "b": "B"}`})
	before := w.git("status", "--porcelain")
	p := w.clean(push.Options{DryRun: true})
	w.reports(p, "locales/en/a.json (en): a b")
	if p.Requests != 1 || p.Keys != 2 {
		t.Errorf("%+v", p)
	}
	if got := w.wire.take("import"); len(got) > 0 {
		t.Errorf("a dry run imports: %v", got)
	}
	if s := w.Status(t.Context()).Projects[0]; s.LastPush != nil || s.Pending != 2 {
		t.Errorf("status %+v", s)
	}
	if after := w.git("status", "--porcelain"); after != before {
		t.Errorf("the tree changed: %s", after)
	}
	w.clean(push.Options{})
	w.wire.take("")
	w.reports(w.clean(push.Options{All: true}), "locales/en/a.json (en): a b")
	w.imported(`a.json{ "a": "A", "b": "B" }`)
}

// What the service holds differently: overwritten, kept and accepted, or reported and pending.
func TestPushConflicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mode, flag, holds string }{
		{"overwrite", "overwrite-conflicting-values", "B2"}, {"skip", "skip-conflicting-values", "other"}, {"report", "", "other"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+"[project.push]\nconflicts = \""+c.mode+"\"\n"+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A", "b": "B"}`})
			w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "en", Format: "json", Files: []service.Upload{{Name: "x.json", Body: []byte(`{"b": "other"}`)}}})
			w.write("locales/en/a.json", `{"a": "A", "b": "B2"}`)
			p := w.pushes(push.Options{})
			w.reports(p, "locales/en/a.json (en): a b")
			for _, r := range w.wire.take("import") {
				for _, name := range []string{"overwrite-conflicting-values", "skip-conflicting-values"} {
					if r.query.Has(name) != (name == c.flag) {
						t.Errorf("query %s", r.query.Encode())
					}
				}
			}
			w.holds("main", "en", "b", c.holds)
			if c.mode != "report" {
				w.sends()
				w.silent()
				return
			}
			w.problem(p.Problems, "locales/en/a.json", "b")
			if s := w.Status(t.Context()).Projects[0]; s.Pending != 1 {
				t.Errorf("%d pending", s.Pending)
			}
			p = w.pushes(push.Options{})
			w.reports(p, "locales/en/a.json (en): b")
			w.problem(p.Problems, "locales/en/a.json", "b")
			w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "en", Format: "json", Conflicts: service.Overwrite, Files: []service.Upload{{Name: "x.json", Body: []byte(`{"b": "B2"}`)}}})
			w.sends("locales/en/a.json (en): b")
			w.sends()
			w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "en", Format: "json", Conflicts: service.Overwrite, Files: []service.Upload{{Name: "x.json", Body: []byte(`{"b": "B3"}`)}}})
			w.write("locales/en/a.json", `{"a": "A", "b": "B4"}`)
			p = w.pushes(push.Options{})
			w.reports(p, "locales/en/a.json (en): b")
			w.problem(p.Problems, "locales/en/a.json", "b")
		})
	}
}

// A working tree is read only while one of the branches is checked out; a branch is read as it is committed, also in a bare repository.
func TestPushFromBranches(t *testing.T) {
	t.Parallel()
	t.Run("filter", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, settings+"[project.push]\nbranches = [\"main\", \"release/*\"]\n"+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
		w.git("checkout", "-q", "-b", "feature")
		w.sends()
		w.silent()
		w.git("checkout", "-q", "-b", "release/1")
		w.sends("locales/en/a.json (en): a")
		w.git("checkout", "-q", "--detach")
		w.git("commit", "-q", "--allow-empty", "-m", "of no branch")
		w.write("locales/en/a.json", `{"a": "A2"}`)
		w.sends()
		w.git("checkout", "-q", "main")
		w.sends("locales/en/a.json (en): a")
	})
	// CI systems check out a commit: of a branch here, or of one that was only fetched.
	t.Run("tip", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, settings+"[project.push]\nbranches = [\"main\"]\n"+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
		gittest.Bare(t, w.dir)
		w.git("checkout", "-q", "--detach")
		w.sends("locales/en/a.json (en): a")
		w.write("locales/en/a.json", `{"a": "A2"}`)
		w.commit()
		w.sends()
		w.git("push", "-q", "origin", "HEAD:refs/heads/feature")
		w.git("fetch", "-q", "origin")
		w.sends()
		w.git("push", "-q", "origin", "HEAD:refs/heads/main")
		w.git("fetch", "-q", "origin")
		w.sends("locales/en/a.json (en): a")
		w.git("branch", "-q", "-D", "main")
		w.write("locales/en/a.json", `{"a": "A3"}`)
		w.sends("locales/en/a.json (en): a")
	})
	t.Run("branch", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, settings+"[project.push]\nsource = \"main\"\n"+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
		w.write("locales/en/a.json", `{"a": "uncommitted"}`)
		w.sends("locales/en/a.json (en): a")
		w.holds("main", "en", "a", "A")
		w.commit()
		w.sends("locales/en/a.json (en): a")
		w.holds("main", "en", "a", "uncommitted")
	})
	t.Run("branch with a remote", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, settings+"[project.push]\nsource = \"main\"\n"+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
		bare := gittest.Bare(t, w.dir)
		other := filepath.Join(t.TempDir(), "other")
		gittest.Git(t, w.dir, "clone", "-q", bare, other)
		w.sends("locales/en/a.json (en): a")
		w.write("locales/en/a.json", `{"a": "unpublished"}`)
		w.commit()
		w.sends("locales/en/a.json (en): a")
		w.sends()
		gittest.Commit(t, other, "theirs", map[string]string{"locales/en/a.json": `{"a": "published", "b": "B"}`})
		gittest.Git(t, other, "push", "-q", "origin", "main")
		w.sends("locales/en/a.json (en): a b") // both have commits of their own: the remote's count
		w.git("fetch", "-q")
		w.git("reset", "-q", "--hard", "origin/main")
		w.git("checkout", "-q", "-b", "new")
		w.write("locales/en/a.json", `{"a": "published", "b": "B2"}`)
		w.commit()
		w.sends() // of another branch
		w.git("branch", "-q", "-m", "main", "old")
		w.git("branch", "-q", "-m", "new", "main")
		if p := w.Status(t.Context()).Projects[0]; p.Pending != 1 {
			t.Errorf("%d wait", p.Pending)
		}
		w.sends("locales/en/a.json (en): b")
		w.git("push", "-q", "origin", "main:main")
		w.sends()
	})
	t.Run("branch that is only here", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, settings+"[project.push]\nsource = \"mine\"\n"+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
		gittest.Bare(t, w.dir)
		w.git("branch", "mine")
		w.sends("locales/en/a.json (en): a")
	})
	t.Run("bare", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
		work := w.dir
		w.dir = filepath.Join(t.TempDir(), "bare.git")
		gittest.Git(t, work, "clone", "-q", "--bare", ".", w.dir)
		w.configure(settings + jsonFiles)
		_, err := w.Push(t.Context(), push.Options{})
		if !Permanent(err) || !strings.Contains(err.Error(), "push.source") {
			t.Errorf("a bare repository has no working tree: %v", err)
		}
		w.configure(settings + "[project.push]\nsource = \"main\"\n[project.pull]\nremote = \"\"\n" + jsonFiles)
		w.sends("locales/en/a.json (en): a")
		gittest.Commit(t, work, "more", map[string]string{"locales/en/a.json": `{"a": "A", "b": "B"}`})
		gittest.Git(t, work, "push", "-q", w.dir, "main")
		w.sends("locales/en/a.json (en): b")
		w.sends()
	})
	t.Run("no such branch", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, settings+"[project.push]\nsource = \"trunk\"\n"+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
		if _, err := w.Push(t.Context(), push.Options{}); !Permanent(err) || !strings.Contains(err.Error(), "trunk") {
			t.Errorf("%v", err)
		}
	})
}

// A merge in progress is waited out: what lies in the tree meanwhile is nobody's intention.
func TestPushWaitsForGit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
	w.clean(push.Options{})
	lock := filepath.Join(w.dir, ".git", "index.lock")
	w.check(os.WriteFile(lock, nil, 0o644))
	w.write("locales/en/a.json", `{"a": "half"}`)
	done := make(chan report.ProjectPush)
	go func() {
		result, err := w.Push(t.Context(), push.Options{})
		if err != nil {
			t.Error(err)
		}
		done <- result.Projects[0]
	}()
	time.Sleep(300 * time.Millisecond)
	w.write("locales/en/a.json", `{"a": "whole"}`)
	w.check(os.Remove(lock))
	w.reports(<-done, "locales/en/a.json (en): a")
	w.holds("main", "en", "a", "whole")
}

// Several projects of one configuration are pushed apart, and one's failure keeps nothing of the others.
func TestPushOfSeveralProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles+`
[[project]]
name = "second"
id = "99999999-2222-3333-4444-555555555555"
repository = "nowhere"
source_language = "en"
target_languages = ["de"]
[[project.files]]
source = "*.json"
output = "{LANGUAGE}/{NAME}.json"
[[project]]
name = "third"
id = "88888888-2222-3333-4444-555555555555"
repository = "."
source_language = "en"
target_languages = ["de"]
[[project.files]]
source = "locales/en/*.json"
output = "third/{LANGUAGE}/{NAME}.json"
`, map[string]string{"locales/en/a.json": `{"a": "A"}`})
	result, err := w.Push(t.Context(), push.Options{})
	if !Permanent(err) || !strings.Contains(err.Error(), `push "second"`) || len(result.Projects) != 3 {
		t.Fatalf("%v %+v", err, result)
	}
	for i, want := range []int{1, 0, 1} {
		if result.Projects[i].Keys != want || (result.Projects[i].Error != "") != (i == 1) {
			t.Errorf("%+v", result.Projects[i])
		}
	}
	w.write("locales/en/a.json", `{"a": "A2"}`)
	result, err = w.Push(t.Context(), push.Options{Project: "third"})
	if err != nil || len(result.Projects) != 1 || result.Projects[0].Name != "third" || result.Projects[0].Keys != 1 {
		t.Errorf("%v %+v", err, result)
	}
	var usage *failure.UsageError
	if _, err = w.Push(t.Context(), push.Options{Project: "nope"}); !errors.As(err, &usage) || !strings.Contains(err.Error(), `app`) {
		t.Errorf("%v", err)
	}
}

// A push that is turned off does nothing.
func TestPushTurnedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[project.push]\nenabled = false\n"+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
	w.sends()
	w.silent()
}

// Credentials that are wrong stay wrong until somebody changes them; a service that is down comes back.
func TestPushErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
	for status, permanent := range map[int]bool{401: true, 403: true, 500: false} {
		w.wire.failing(func(*http.Request) local.Fault { return local.Fault{Refuse: status} })
		result, err := w.Push(t.Context(), push.Options{})
		if err == nil || Permanent(err) != permanent && !errors.Is(err, service.ErrRefused) {
			t.Errorf("%d: %v", status, err)
		}
		if p := result.Projects[0]; p.Error == "" || p.Keys != 0 || p.Requests != 0 || len(p.Files) != 0 {
			t.Errorf("nothing was sent, and the report says %+v", p)
		}
	}
	w.wire.failing(nil)
	if s := w.Status(t.Context()).Projects[0]; s.Pending != 1 || s.LastPush == nil || s.LastPush.Result != report.ResultFailed || s.LastPush.Keys != 0 {
		t.Errorf("status %+v", s)
	}
	w.sends("locales/en/a.json (en): a")
}

// The texts that a file of a large collection has are named once each, in file order.
func TestPushNamesKeysInFileOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": passtest.JSONFile(200, "English", 1)})
	keys := w.clean(push.Options{}).Files[0].Keys
	if len(keys) != 200 || !slices.IsSorted(keys) {
		t.Errorf("%d keys: %v", len(keys), keys)
	}
}
