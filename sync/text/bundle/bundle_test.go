package bundle

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/text/catalog"
)

func project(t *testing.T, files string) *config.Project {
	t.Helper()
	c, err := config.Parse("locsync.toml", []byte(`
[[project]]
name = "app"
source_language = "en"
target_languages = ["de", "zh-Hans"]
[project.language_paths]
"zh-Hans" = "zh-CN"
`+files))
	if err != nil {
		t.Fatal(err)
	}
	return &c.Projects[0]
}

func tree(files ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		m[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return m
}

func find(t *testing.T, fsys fstest.MapFS, p *config.Project) []*Bundle {
	t.Helper()
	bundles, problems, err := Find(fsys, p)
	if err != nil || len(problems) > 0 {
		t.Fatalf("find: %v %v", err, problems)
	}
	return bundles
}

func TestFind(t *testing.T) {
	p := project(t, `
[[project.files]]
source = "app/locales/en/**/*.json"
output = "app/locales/{LANGUAGE}/{DIR}/{NAME}.{EXT}"
collection = "{NAME}"
[[project.files]]
source = "res/values/strings.xml"
output = "res/values-{LOCALE:ANDROID}/{NAME}.xml"
`)
	fsys := tree("app/locales/en/a.json", "{}", "app/locales/en/admin/b.json", "{}", "app/locales/de/a.json", "{}",
		"res/values/strings.xml", "<resources/>")
	var got []string
	for _, b := range find(t, fsys, p) {
		for _, l := range p.Targets() {
			got = append(got, b.Path+" "+b.Collection+" "+b.Format.Name+" "+b.Target(l))
		}
	}
	want := []string{
		"app/locales/en/a.json a json app/locales/de/a.json",
		"app/locales/en/a.json a json app/locales/zh-CN/a.json",
		"app/locales/en/admin/b.json b json app/locales/de/admin/b.json",
		"app/locales/en/admin/b.json b json app/locales/zh-CN/admin/b.json",
		"res/values/strings.xml main android-xml res/values-de/strings.xml",
		"res/values/strings.xml main android-xml res/values-zh-rCN/strings.xml",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// withClosed is a tree with a folder that cannot be read.
type withClosed struct {
	fstest.MapFS
	folder string
}

func (c withClosed) refuse(op, name string) error {
	if name == c.folder && op == "readdir" || strings.HasPrefix(name, c.folder+"/") {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrPermission}
	}
	return nil
}

func (c withClosed) Open(name string) (fs.File, error) {
	if err := c.refuse("open", name); err != nil {
		return nil, err
	}
	return c.MapFS.Open(name)
}

func (c withClosed) Stat(name string) (fs.FileInfo, error) {
	if err := c.refuse("stat", name); err != nil {
		return nil, err
	}
	return c.MapFS.Stat(name)
}

func (c withClosed) Lstat(name string) (fs.FileInfo, error) {
	if err := c.refuse("lstat", name); err != nil {
		return nil, err
	}
	return c.MapFS.Lstat(name)
}

func (c withClosed) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := c.refuse("readdir", name); err != nil {
		return nil, err
	}
	return c.MapFS.ReadDir(name)
}

// A folder that may not be read is named, and the other patterns go on. A closed folder that only ** would come to is
// none of a pattern's business.
func TestFindInAClosedFolder(t *testing.T) {
	fsys := withClosed{tree("app/en.json", "{}", "app/de.json", "{}", "data/en.json", "{}"), ""}
	for _, c := range []struct {
		source, closed string
		named          bool
	}{
		{"app/en.json", "app", true}, {"app/en*.json", "app", true}, {"app/en.json", "data", false}, {"app/en*.json",
			"data", false}, {"**/en.json", "data", false},
		{"app/none.json", "data", false}, {"nowhere/*.json", "data", false},
	} {
		p := project(t, "[[project.files]]\nsource = \""+c.source+"\"\noutput = \"out/{LANGUAGE}.json\"\n")
		fsys.folder = c.closed
		bundles, problems, err := Find(fsys, p)
		if c.named != (len(problems) == 1) || err != nil || !c.named && strings.Contains(c.source, "en") &&
			len(bundles) != 1 {
			t.Errorf("%s with %s closed: %d bundles, %v, %v", c.source, c.closed, len(bundles), problems, err)
		}
		if c.named && (!strings.Contains(problems[0].String(), "skipped until this user may read it") ||
			problems[0].Configuration) {
			t.Error(problems)
		}
	}
}

// Files that cannot be translated side by side are left out and named, both of them; others go on.
func TestFilesInTheWayOfEachOther(t *testing.T) {
	const umlaut, decomposed = "\u00e4", "a\u0308"
	entry := func(source, output string) string {
		return "[[project.files]]\nsource = \"" + source + "\"\noutput = \"" + output + "\"\n"
	}
	sameName := entry("l/en/**/*.json", "l/{LANGUAGE}/{DIR}/{NAME}.json")
	for _, c := range []struct {
		name, config string
		files, stay  []string
		says         string // of the only problem, which is one of the configuration; "" for none
	}{
		{"nothing", sameName, []string{"l/en/a.json", "l/en/b.json"}, []string{"l/en/a.json", "l/en/b.json"}, ""},
		{"one file, no name", entry("l/en/*.json", "{LANGUAGE}.json"), []string{"l/en/a.json"},
			[]string{"l/en/a.json"}, ""},
		{"two files, no name", entry("{a,b,c}/en.json", "{LANGUAGE}.json") + entry("d/en.json", "d/{LANGUAGE}.json"),
			[]string{"a/en.json", "b/en.json", "d/en.json"}, []string{"d/en.json"},
			"b/en.json: (de): its translations would be written to de.json, as would those of a/en.json; put {NAME} or {DIR} into output " +
				"(locsync.toml:10: project.files.output)"},
		{"two folders, no folder", entry("l/en/**/*.json", "t/{LANGUAGE}/{NAME}.json"),
			[]string{"l/en/x/a.json", "l/en/y/a.json"}, nil,
			"l/en/y/a.json: (de): its translations would be written to t/de/a.json, as would those of l/en/x/a.json;"},
		{"names in two letter cases", sameName, []string{"l/en/App.json", "l/en/app.json", "l/en/b.json"},
			[]string{"l/en/b.json"},
			"l/en/app.json: this file and l/en/App.json are one file on macOS and Windows, since they differ in letter case or in the " +
				"spelling of accents alone; rename one of them (locsync.toml:9: project.files.source)"},
		{"names with accents in two spellings", sameName, []string{"l/en/" + umlaut + ".json",
			"l/en/" + decomposed + ".json"}, nil,
			"l/en/" + umlaut + ".json: this file and l/en/" + decomposed + ".json are one"},
		{"folders in two letter cases", sameName, []string{"l/en/X/a.json", "l/en/x/a.json"}, nil,
			"l/en/x/a.json: this file and l/en/X/a.json are one"},
		{"in two entries", entry("en/App.json", "a/{LANGUAGE}.json") + entry("en/app.json", "b/{LANGUAGE}.json"),
			[]string{"en/App.json", "en/app.json"}, nil, "en/app.json: this file and en/App.json are one"},
		{"where the service names the files", entry("en/*.json", "l/{LANGUAGE}/{LABEL:file}"),
			[]string{"en/App.json", "en/app.json"}, nil,
			"en/app.json: this file and en/App.json are one"},
		{"targets in two letter cases", entry("en/*.json", "x/{LANGUAGE}/{NAME}.json") +
			entry("fr/*.json", "X/{LANGUAGE}/{NAME}.json"),
			[]string{"en/app.json", "fr/app.json"}, nil,
			"fr/app.json: (de): its translations would be written to X/de/app.json, and those of en/app.json to x/de/app.json: these are one file on macOS"},
		{"a target that is a source", entry("en/*.json", "{LANGUAGE}/{NAME}.json") +
			entry("de/*.json", "x/{LANGUAGE}/{NAME}.json"),
			[]string{"en/app.json", "de/app.json"}, []string{"de/app.json"},
			"en/app.json: (de): its translations would be written over the source file de/app.json; change output or the source pattern"},
		{"a target that is a source in another letter case", entry("Out/DE.json", "x/{LANGUAGE}.json") +
			entry("en.json", "out/{LANGUAGE}.json"),
			[]string{"Out/DE.json", "en.json"}, []string{"Out/DE.json"},
			"en.json: (de): its translations would be written over the source file Out/DE.json; change output or the source pattern"},
		{"braces in a name", entry("l/en/*.json", "l/{LANGUAGE}/{NAME}.json"),
			[]string{"l/en/{LANGUAGE}.json", "l/en/x{foo}.json"},
			[]string{"l/en/x{foo}.json", "l/en/{LANGUAGE}.json"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for _, name := range c.files {
				fsys[name] = &fstest.MapFile{Data: []byte("{}")}
			}
			bundles, problems, err := Find(fsys, project(t, c.config))
			if err != nil {
				t.Fatal(err)
			}
			var stay []string
			for _, b := range bundles {
				stay = append(stay, b.Path)
			}
			if !slices.Equal(stay, c.stay) {
				t.Errorf("%q stay, want %q", stay, c.stay)
			}
			if c.says == "" && len(problems) == 0 {
				return
			}
			if len(problems) != 1 || !problems[0].Configuration || !strings.HasPrefix(problems[0].String(), c.says) {
				t.Errorf("problems %q, want %q", problems, c.says)
			}
		})
	}
}

func TestGroupAssignsEntriesOfAnArchive(t *testing.T) {
	p := project(t, `
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
[[project.files]]
source = "single.strings"
output = "{LOCALE:IOS}/{NAME}.strings"
collection = "ios"
[[project.files]]
source = "labels.json"
output = "out/{LANGUAGE}/{LABEL:file}"
collection = "labels"
`)
	bundles := find(t, tree("en/a.json", "{}", "en/b.json", "{}", "single.strings", "", "labels.json", "{}"), p)
	groups := Groups(bundles)
	if len(groups) != 3 {
		t.Fatalf("%d groups", len(groups))
	}
	for _, c := range []struct {
		group                 int
		template, entry, want string
	}{
		{0, "{LANGUAGE}", "zh-Hans", "zh-CN/a.json zh-CN/b.json"},
		{0, "{LANGUAGE}", "zh-CN", ""},
		{1, "{LOCALE:IOS}/single.strings", "zh-Hans/single.strings", "zh-CN/single.strings"},
		{1, "{LOCALE:IOS}/single.strings", "fr/single.strings", ""},
		{2, "out/{LANGUAGE}/{LABEL:file}", "out/de/sub/main.json", "out/de/sub/main.json"},
		{2, "out/{LANGUAGE}/{LABEL:file}", "out/de/../../../etc/passwd", ""},
		{2, "out/{LANGUAGE}/{LABEL:file}", "out/de/.github/x.json", ""},
	} {
		g := groups[c.group]
		if got := g.Template().String(); got != c.template {
			t.Errorf("group %d sends %q, want %q", c.group, got, c.template)
		}
		var paths []string
		for _, target := range g.Targets(c.entry, p.Targets()) {
			paths = append(paths, target.Path)
		}
		if strings.Join(paths, " ") != c.want {
			t.Errorf("entry %q goes to %v, want %v", c.entry, paths, c.want)
		}
	}
}

// Where the service decides file names, files whose entries spell languages differently are asked for apart.
func TestGroupHasOneSpelling(t *testing.T) {
	const label = `
[[project.files]]
source = "%s/en.json"
output = "out/{LANGUAGE}/{LABEL:file}"
collection = "main"
`
	p := project(t, fmt.Sprintf(label, "a")+fmt.Sprintf(label, "b")+fmt.Sprintf(label,
		"c")+"[project.files.language_paths]\n\"zh-Hans\" = \"zh_Hans\"\n")
	groups := Groups(find(t, tree("a/en.json", "{}", "b/en.json", "{}", "c/en.json", "{}"), p))
	if len(groups) != 2 || len(groups[0].Bundles) != 2 || groups[1].Bundles[0].Path != "c/en.json" {
		t.Fatalf("%d groups, of which the first has %d files", len(groups), len(groups[0].Bundles))
	}
	for i, want := range []string{"out/zh-CN/x.json", "out/zh_Hans/x.json"} {
		targets := groups[i].Targets("out/zh-Hans/x.json", p.Targets())
		if len(targets) != 1 || targets[0].Path != want {
			t.Errorf("group %d puts it into %+v, want %s", i, targets, want)
		}
	}
}

func TestRenderChangesTheValueAndNothingElse(t *testing.T) {
	p := project(t, `
[[project.files]]
source = "en.json"
format = "structured-json"
output = "{LANGUAGE}.json"
`)
	fsys := tree("en.json", "{\n  \"a\": { \"x\": \"Save\", \"y\": \"Open\", \"n\": 3 },\n  \"b\": \"Close\"\n}\n",
		"de.json", "{\"b\":   \"Schließen\",\n \"a\": {\"x\": \"Sichern\"}}")
	b := find(t, fsys, p)[0]
	de := p.Targets()[0]
	source, _, err := b.Read(fsys, b.Path, b.Source)
	if err != nil {
		t.Fatal(err)
	}
	old, _, err := b.Read(fsys, "de.json", de)
	if err != nil {
		t.Fatal(err)
	}
	changes := []catalog.Change{
		{Op: catalog.Changed, Name: catalog.Name{Key: "b"}, Text: "Zu"},
		{Op: catalog.Added, Name: catalog.Name{Key: "a/y"}, Text: "Öffnen"},
	}
	out, refused, err := Render(b, source, old, de, changes)
	if want := "{\"b\":   \"Zu\",\n \"a\": {\"x\": \"Sichern\", \"y\": \"Öffnen\"}}"; err != nil ||
		len(refused) > 0 || string(out) != want {
		t.Errorf("rendered %q, refused %v, error %v; want %q", out, refused, err, want)
	}
	out, refused, err = Render(b, source, nil, de, changes)
	if want := "{\n  \"a\": { \"y\": \"Öffnen\", \"n\": 3 },\n  \"b\": \"Zu\"\n}\n"; err != nil ||
		len(refused) > 0 || string(out) != want {
		t.Errorf("a new file is %q, refused %v, error %v; want %q", out, refused, err, want)
	}
}

// A new file has the whole of a list or nothing of it, and says of each text that it had for the list that it is left
// out.
func TestANewFileHasNoListCutShort(t *testing.T) {
	p := project(t, `
[[project.files]]
source = "en.json"
format = "structured-json"
output = "{LANGUAGE}.json"
`)
	fsys := tree("en.json", "{\n  \"a\": \"Save\",\n  \"names\": [\"January\", \"May\", \"July\"]\n}\n")
	b := find(t, fsys, p)[0]
	source, _, err := b.Read(fsys, b.Path, b.Source)
	if err != nil {
		t.Fatal(err)
	}
	add := func(key, text string) catalog.Change {
		return catalog.Change{Op: catalog.Added, Name: catalog.Name{Key: key}, Text: text}
	}
	for _, c := range []struct {
		changes []catalog.Change
		refused string
	}{
		{[]catalog.Change{add("a", "Sichern"), add("names/0", "Januar")}, "names/0"},
		{[]catalog.Change{add("a", "Sichern"), add("names/0", "Januar"), add("names/1", "May")}, "names/0 names/1"},
		{[]catalog.Change{add("a", "Sichern"), add("names/0", "Januar"), add("names/1", "May"), add("names/2", "\xff")},
			"names/0 names/1 names/2"},
	} {
		out, refused, err := Render(b, source, nil, p.Targets()[0], c.changes)
		var keys []string
		for _, r := range refused {
			keys = append(keys, r.Key)
		}
		slices.Sort(keys)
		if want := "{\n  \"a\": \"Sichern\"\n}\n"; err != nil || strings.Join(keys, " ") != c.refused ||
			string(out) != want {
			t.Errorf("%v: rendered %s, refused %v, error %v; want %s and %s", c.changes, out,
				refused, err, want, c.refused)
		}
	}
}

func TestANewLocJSONFileIsMonolingual(t *testing.T) {
	p := project(t, `
[[project.files]]
source = "en.locjson"
output = "{LANGUAGE}.locjson"
`)
	fsys := tree("en.locjson",
		`{"units": [{"key": "a", "source": ["Save"], "target": ["Sichern"]}, {"key": "b", "source": ["Open"]}]}`)
	b := find(t, fsys, p)[0]
	source, _, err := b.Read(fsys, b.Path, b.Source)
	if err != nil {
		t.Fatal(err)
	}
	out, refused, err := Render(b, source, nil, p.Targets()[0],
		[]catalog.Change{{Op: catalog.Added, Name: catalog.Name{Key: "a"}, Text: "Speichern"}})
	if want := `{"units": [{"key": "a", "source": ["Speichern"]}]}`; err != nil ||
		len(refused) > 0 || string(out) != want {
		t.Errorf("rendered %s, refused %v, error %v; want %s", out, refused, err, want)
	}
}

// The items of a string-array that are references keep their places in a new file; what no language translates is left
// out of it.
func TestANewAndroidFileHasTheTextsOnly(t *testing.T) {
	p := project(t, `
[[project.files]]
source = "res/values/strings.xml"
output = "res/values-{LANGUAGE}/strings.xml"
`)
	fsys := tree("res/values/strings.xml", `<resources xmlns:tools="http://schemas.android.com/tools" tools:locale="en">
    <color name="accent">#fff</color>
    <!-- The weekdays that one can choose. -->
    <string-array name="days">
        <item>@string/any_day</item>
        <item>Monday</item>
        <item>@string/last_day</item>
    </string-array>
    <string name="host" translatable="false">example.org</string>
    <plurals name="files">
        <item quantity="one">%d file</item> <!-- at least one -->
        <item quantity="other">%d files</item>
    </plurals>
</resources>
`)
	b := find(t, fsys, p)[0]
	source, _, err := b.Read(fsys, b.Path, b.Source)
	if err != nil {
		t.Fatal(err)
	}
	name := func(key, form string) catalog.Name { return catalog.Name{Key: key, Form: form} }
	out, refused, err := Render(b, source, nil, p.Targets()[0], []catalog.Change{
		{Op: catalog.Added, Name: name("days", "1"), Text: "Montag"},
		{Op: catalog.Added, Name: name("files", "few"), Text: "%d Dateien (einige)"},
		{Op: catalog.Added, Name: name("files", "other"), Text: "%d Dateien"},
	})
	const want = `<resources xmlns:tools="http://schemas.android.com/tools">
    <!-- The weekdays that one can choose. -->
    <string-array name="days">
        <item>@string/any_day</item>
        <item>Montag</item>
        <item>@string/last_day</item>
    </string-array>
    <plurals name="files">
        <item quantity="few">%d Dateien (einige)</item>
        <item quantity="other">%d Dateien</item>
    </plurals>
</resources>
`
	if err != nil || len(refused) > 0 || string(out) != want {
		t.Errorf("rendered %s, refused %v, error %v; want %s", out, refused, err, want)
	}
}

func TestComposeSendsWhatBelongsTogether(t *testing.T) {
	p := project(t, `
[[project.files]]
source = "strings.xml"
output = "{LANGUAGE}.xml"
`)
	fsys := tree("strings.xml", `<resources>
  <string name="a">A</string>
  <plurals name="cats"><item quantity="one">%d cat</item><item quantity="other">%d cats</item></plurals>
</resources>`)
	b := find(t, fsys, p)[0]
	f, _, err := b.Read(fsys, b.Path, b.Source)
	if err != nil {
		t.Fatal(err)
	}
	up, err := Compose(b, f, b.Path, func(n catalog.Name) bool { return n == catalog.Name{Key: "cats", Form: "one"} })
	if err != nil {
		t.Fatal(err)
	}
	sent, err := b.Parse(up.Body, b.Source)
	if err != nil {
		t.Fatalf("%v in\n%s", err, up.Body)
	}
	if got := Texts(sent); len(got) != 2 || got[0].Text != "%d cat" || got[1].Text != "%d cats" || len(up.Units) != 2 {
		t.Errorf("sent %v as\n%s", got, up.Body)
	}
}

func TestDistinguish(t *testing.T) {
	uploads := []Upload{{Name: "en.json", Path: "a/en.json"}, {Name: "en.json", Path: "b/en.json"},
		{Name: "x.json", Path: "x.json"}, {Name: "en.json", Path: "b/en.json"}}
	Distinguish(uploads)
	var names []string
	for _, u := range uploads {
		names = append(names, u.Name)
	}
	if want := []string{"a__en.json", "b__en.json", "x.json", "2__b__en.json"}; !slices.Equal(names, want) {
		t.Errorf("names %v, want %v", names, want)
	}
}

// A file under another language's root is not this language's: to read it by its names would take all of it out.
func TestForeignRoots(t *testing.T) {
	const entry = "\n[[project.files]]\nsource = \"en.%s\"\nformat = \"structured-%s\"\noutput = \"{LANGUAGE}.%s\"\n"
	for _, c := range []struct{ source, target, says string }{
		{"en:\n  a: x\n", "zh-CN:\n  a: x\n", ""},
		{"en:\n  a: x\n", "zh-Hans:\n  a: x\n", ""},
		{"en:\n  a: x\n", "zh-CN:\n", ""},
		{"en:\n  a: x\n", "zh-CN: {}\n", ""},
		{"en:\n  a: x\n", "", ""},
		{"en:\n  a: x\n", "# c\n", ""},
		{"en:\n  a: x\n", "en:\n  a: x\n", `its root is "en", expected "zh-CN"; the file`},
		{"en:\n  a: x\n", "zh:\n  a: x\n", `its root is "zh", expected "zh-CN"; the file`},
		{"en:\n  a: x\n", "zh: {}\n", `its root is "zh", expected "zh-CN"; the file`},
		{"en:\n  a: x\n", "zh-CN:\n  a: x\nzh-TW:\n  a: y\n", `it has 2 roots, expected "zh-CN" alone; the file`},
		{"en:\n  a: x\n", "zh-CN: ~\n", `its root "zh-CN" is not a mapping; the file`},
		{"en:\n  a: x\n", "zh-CN: x\n", `its root "zh-CN" is not a mapping; the file`},
		{"en:\n  a: x\n", "zh-CN: [x]\n", `its root "zh-CN" is not a mapping; the file`},
		{"en:\n  a: x\n", "a: x\n", ""},               // keys without a root
		{"en:\n  a:\n    b: x\n", "a:\n  b: x\n", ""}, // the same, nested
		{"en:\n  a: x\n", "old: x\n", ""},             // a text that the source has no more
		{"a:\n  b: x\n", "c:\n  b: x\n", ""},          // no roots anywhere
		{"en-GB:\n  a: x\n", "en-GB:\n  a: x\n", ""},  // the source's name is none of its language's
		{"en:\n  a: [\n", "en:\n  a: x\n", ""},        // nothing to tell by; the source has its own problem
		{`{"en": {"a": "x"}}`, `{"en": {"a": "x"}}`, `its root is "en", expected "zh-CN"; the file`},
		{`{"en": {"a": "x"}}`, `{"zh-CN": null}`, `its root "zh-CN" is not a mapping; the file`},
		{`{"en": {"a": "x"}}`, `{}`, ""},
	} {
		kind, as := "yml", "yaml"
		if strings.HasPrefix(c.source, "{") {
			kind, as = "json", "json"
		}
		p := project(t, fmt.Sprintf(entry, kind, as, kind))
		fsys := tree("en."+kind, c.source, "zh-CN."+kind, c.target)
		b := find(t, fsys, p)[0]
		l := p.Language("zh-Hans")
		f, problem, err := b.Read(fsys, b.Target(l), l)
		switch {
		case err != nil:
			t.Fatal(err)
		case c.says == "" && (problem != nil || f == nil):
			t.Errorf("%q beside %q: %v", c.target, c.source, problem)
		case c.says != "" && (problem == nil || f != nil || !strings.HasPrefix(problem.Problem, c.says) ||
			problem.File != "zh-CN."+kind || problem.Language != "zh-Hans"):
			t.Errorf("%q beside %q: %v, want %s", c.target, c.source, problem, c.says)
		}
		if f, problem, _ := b.Read(fsys, b.Path, b.Source); problem != nil && f == nil &&
			!strings.Contains(c.source, "[") {
			t.Errorf("the source %q: %v", c.source, problem)
		}
	}
}

// The root of a source file is that of the content that it has when a translation is read.
func TestRootOfAnotherContent(t *testing.T) {
	p := project(t,
		"\n[[project.files]]\nsource = \"en.yml\"\nformat = \"structured-yaml\"\noutput = \"{LANGUAGE}.yml\"\n")
	const nested = "a:\n  b: x\n"
	b := find(t, tree("en.yml", nested), p)[0]
	l := p.Language("zh-Hans")
	for _, c := range []struct {
		source string
		sound  bool
	}{{nested, true}, {"en:\n  a: x\n", false}, {nested, true}, {"en:\n  c: x\n", true}} {
		fsys := tree("en.yml", c.source, "zh-CN.yml", "c:\n  b: x\n")
		for range 2 {
			if f, problem, err := b.Read(fsys, b.Target(l), l); err != nil || (f != nil) != c.sound ||
				(problem == nil) != c.sound {
				t.Errorf("beside %q: %v, %v", c.source, problem, err)
			}
		}
	}
}

// Files that spell a language their own way have it in their paths, in labelled ones too, and in the roots that they
// are read and written under; the others go by the project.
func TestSpellingsOfOneEntry(t *testing.T) {
	p := project(t, `
[[project.files]]
source = "ios/en.lproj/*.strings"
output = "ios/{LOCALE:IOS}.lproj/{NAME}.strings"
language_paths = { "zh-Hans" = "zh-Hans" }
[[project.files]]
source = "web/en.json"
output = "web/{LANGUAGE}.json"
[[project.files]]
source = "rails/en.yml"
format = "structured-yaml"
output = "rails/{LANGUAGE}.yml"
language_paths = { "zh-Hans" = "zh-SG" }
[[project.files]]
source = "parts/en.json"
output = "parts/{LANGUAGE}/{LABEL:file}.json"
language_paths = { "zh-Hans" = "zh_CN" }
`)
	fsys := tree("ios/en.lproj/L.strings", "", "web/en.json", "{}", "rails/en.yml", "en:\n  a: A\n", "parts/en.json",
		"{}", "parts/zh_CN/x.json", "{}", "parts/zh-CN/y.json", "{}")
	bundles := find(t, fsys, p)
	targets, err := Existing(fsys, bundles, p.Targets())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range targets {
		if x.Language.Code == "zh-Hans" {
			got = append(got, x.Path)
		}
	}
	if want := "ios/zh-Hans.lproj/L.strings web/zh-CN.json rails/zh-SG.yml parts/zh_CN/x.json"; strings.Join(got,
		" ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	zh, rails := p.Language("zh-Hans"), bundles[2]
	f, err := rails.Parse([]byte("zh-SG:\n  a: A\n"), zh)
	if err != nil || len(Texts(f)) != 1 || Texts(f)[0].Key != "a" {
		t.Errorf("%v %v", Texts(f), err)
	}
	source, err := rails.Parse([]byte("en:\n  a: A\n"), rails.Source)
	if err != nil {
		t.Fatal(err)
	}
	out, refused, err := Render(rails, source, nil, zh,
		[]catalog.Change{{Op: catalog.Added, Name: catalog.Name{Key: "a"}, Text: "B"}})
	if err != nil || len(refused) > 0 || string(out) != "zh-SG:\n  a: B\n" {
		t.Errorf("%v %v %q", err, refused, out)
	}
}

// countsReads counts how often each file is read.
type countsReads struct {
	fstest.MapFS
	of map[string]int
}

func (c *countsReads) ReadFile(name string) ([]byte, error) {
	c.of[name]++
	return c.MapFS.ReadFile(name)
}

// In one tree a source file is read once for all translations whose root is compared with its own, or not at all where
// it was read before.
func TestRootIsReadOnce(t *testing.T) {
	p := project(t,
		"\n[[project.files]]\nsource = \"en.yml\"\nformat = \"structured-yaml\"\noutput = \"{LANGUAGE}.yml\"\n")
	files := tree("en.yml", "a:\n  b: x\n", "zh-CN.yml", "c:\n  b: x\n")
	b := find(t, files, p)[0]
	for again := range 2 {
		fsys := &countsReads{files, make(map[string]int)}
		for _, l := range append(p.Targets(), p.Targets()...) {
			if _, problem, err := b.Read(fsys, "zh-CN.yml", l); problem != nil || err != nil {
				t.Error(problem, err)
			}
		}
		if fsys.of["en.yml"] != 1 {
			t.Errorf("tree %d: the source was read %d times", again, fsys.of["en.yml"])
		}
	}
	fsys := &countsReads{files, make(map[string]int)}
	for _, l := range append([]config.Language{b.Source}, p.Targets()...) {
		if _, _, err := b.Read(fsys, b.Target(l), l); err != nil {
			t.Error(err)
		}
	}
	if fsys.of["en.yml"] != 1 {
		t.Errorf("the source was read %d times, and it was read before its translations", fsys.of["en.yml"])
	}
}

// Of several entries with one name the last counts, also where that is no text.
func TestTheLastOfSeveralCounts(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`{"a": "x", "b": "B", "a": 5}`:               "b=B",
		`{"a": "x", "a": null, "b": "B"}`:            "b=B",
		`{"a": 5, "a": "x"}`:                         "a=x",
		`{"a": "x", "a": 5, "a": "y"}`:               "a=y",
		`{"m": {"a": "x"}, "m": {"a": 5, "b": "B"}}`: "m/b=B",
	} {
		f, err := resource.Parse(jsonfile.Grammar, resource.Keys{Structured: true, Separator: "/"}, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range Texts(f) {
			got = append(got, u.Key+"="+u.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", src, got, want)
		}
	}
}
