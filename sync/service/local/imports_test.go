package local

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/service/wire"
)

func TestImportCounts(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	r := s.completed(p, "?language=en", file{"en.json", `{"a":"A","b":"B"}`})
	if r.KeysCreated != 2 || r.KeysUpdated != 0 || r.KeyValuesNotChanged != 0 {
		t.Errorf("first import: %+v", r)
	}
	r = s.completed(p, "?language=en&overwrite-conflicting-values=true", file{"en.json", `{"a":"A","b":"B2","c":"C"}`})
	if r.KeysCreated != 1 || r.KeysUpdated != 1 || r.KeyValuesNotChanged != 1 || len(r.ConflictingKeyValues) != 0 {
		t.Errorf("second import: %+v", r)
	}
	r = s.completed(p, "?language=de", file{"de.json", `{"a":"Ä","b":"Be","x":"no such key"}`})
	if r.KeysCreated != 0 || r.KeysUpdated != 2 || r.KeysWithoutSource != 1 {
		t.Errorf("translations: %+v", r)
	}
	r = s.completed(p, "?language=de", file{"de.json", `{"a":"Ä"}`})
	if r.KeysUpdated != 0 || r.KeyValuesNotChanged != 1 {
		t.Errorf("the same translation: %+v", r)
	}
	sameJSON(t, s.one(p, "?languages=en"), `{"a":"A","b":"B2","c":"C"}`)
	sameJSON(t, s.one(p, "?languages=de&completion-state=draft&skip-incomplete-keys"), `{"a":"Ä","b":"Be"}`)
	var project wire.Project
	s.get("/v1/project/"+p).want(t, 200, &project)
	if project.Status != wire.ProjectInProgress {
		t.Errorf("status %s", project.Status)
	}
}

// What is stored and what is offered differ: by default the stored value stays and the offered one is listed, "skip"
// keeps it without a word, "overwrite" replaces it. The same for source texts and translations.
func TestConflicts(t *testing.T) {
	s := serve(t, Options{})
	for _, language := range []string{"en", "de"} {
		t.Run(language, func(t *testing.T) {
			s.t = t
			p := s.create("en", "de")
			s.completed(p, "?language=en", file{"a.json", `{"k":"old","same":"same"}`})
			s.completed(p, "?language=de", file{"a.json", `{"k":"old","same":"same"}`})
			now := func() string {
				return flat(t, s.one(p, "?completion-state=draft&languages="+language))["k"]
			}
			offer := file{"b.json", `{"k":"new","same":"same"}`}
			r := s.completed(p, "?language="+language, offer)
			if got := r.ConflictingKeyValues; len(got) != 1 || !slices.Equal(got["k"], []string{"new"}) ||
				r.KeysUpdated != 0 || r.KeyValuesNotChanged != 1 {
				t.Errorf("default: %+v", r)
			}
			r = s.completed(p, "?skip-conflicting-values&language="+language, offer)
			if len(r.ConflictingKeyValues) != 0 || r.KeysUpdated != 0 || r.KeyValuesNotChanged != 2 || now() != "old" {
				t.Errorf("skip: %+v", r)
			}
			r = s.completed(p, "?overwrite-conflicting-values=1&skip-conflicting-values=false&language="+language,
				offer)
			if len(r.ConflictingKeyValues) != 0 || r.KeysUpdated != 1 || now() != "new" {
				t.Errorf("overwrite: %+v", r)
			}
		})
	}
}

// One key twice in one import is never dropped in silence.
func TestKeyTwice(t *testing.T) {
	s := serve(t, Options{})
	for name, c := range map[string]struct {
		query    string
		files    []file
		value    string
		conflict []string
	}{
		"in one file": {"", []file{{"a.json", `{"k":"1","k":"2"}`}}, "2", []string{"1"}},
		"in one file, overwrite": {"&overwrite-conflicting-values", []file{{"a.json", `{"k":"1","k":"2"}`}}, "2",
			[]string{"1"}},
		"in one file, the same": {"", []file{{"a.json", `{"k":"1","k":"1"}`}}, "1", nil},
		"nested and flat": {"&format=structured-json", []file{{"a.json", `{"a/b":"1","a":{"b":"2"}}`}},
			"2", []string{"1"}},
		"in two files": {"", []file{{"a.json", `{"k":"1"}`}, {"b.json", `{"k":"2"}`}}, "1", []string{"2"}},
		"in two files, skip": {"&skip-conflicting-values", []file{{"a.json", `{"k":"1"}`},
			{"b.json", `{"k":"2"}`}}, "1", []string{"2"}},
		"in two files, overwrite": {"&overwrite-conflicting-values", []file{{"a.json", `{"k":"1"}`},
			{"b.json", `{"k":"2"}`}}, "2", nil},
		"in two files, the same": {"", []file{{"a.json", `{"k":"1"}`}, {"b.json", `{"k":"1"}`}}, "1", nil},
		"in two files of two formats": {"", []file{{"a.json", `{"k":"1"}`}, {"b.strings", `"k" = "2";`}}, "1",
			[]string{"2"}},
		"in three files, all the same": {"", []file{{"a.json", `{"k":"1"}`}, {"a.json", `{"k":"1"}`},
			{"c.yaml", "k: '1'\n"}}, "1", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			p := s.create("en", "de")
			r := s.completed(p, "?language=en"+c.query, c.files...)
			key := "k"
			if strings.Contains(name, "nested") {
				key = "a/b"
			}
			if !slices.Equal(r.ConflictingKeyValues[key], c.conflict) || r.KeysCreated != 1 {
				t.Errorf("%+v", r)
			}
			if got := flat(t, s.one(p, "?languages=en"))[key]; got != c.value {
				t.Errorf("stored %q, want %q", got, c.value)
			}
		})
	}
}

func TestBrokenFiles(t *testing.T) {
	s := serve(t, Options{})
	for name, c := range map[string]struct {
		query string
		file  file
		says  string
	}{
		"no JSON":               {"", file{"a.json", `{"a":`}, "1:"},
		"empty":                 {"", file{"a.json", ``}, ""},
		"number":                {"", file{"a.json", "{\n \"a\":\"x\",\n \"n\": 12}"}, `3:7: "n" is 12`},
		"boolean":               {"&format=structured-json", file{"a.json", `{"o":{"n":true}}`}, `"o/n" is true`},
		"null":                  {"", file{"a.json", `{"n":null}`}, `"n" is null`},
		"tree in a flat format": {"", file{"a.json", `{"o":{"n":"x"}}`}, "structured-json"},
		"list in a flat format": {"", file{"a.json", `{"o":["x"]}`}, "structured-json"},
		"number in a list":      {"&format=structured-json", file{"a.json", `{"o":["x",1]}`}, `"o/1" is 1`},
		"YAML number":           {"", file{"a.yaml", "n: 12\n"}, `"n" is 12`},
		"YAML boolean":          {"", file{"a.yaml", "n: yes\n"}, `"n" is yes`},
		"YAML null":             {"", file{"a.yml", "n:\n"}, `"n" is nothing`},
		"YAML tab":              {"", file{"a.yml", "a:\n\tb: c\n"}, "2:"},
		"strings":               {"", file{"a.strings", "\"a\" = \"b\"\n"}, ""},
		"XML":                   {"", file{"strings.xml", "<resources><string name=\"a\">b</resources>"}, ""},
		"LocJSON that is none":  {"", file{"a.locjson", "[]"}, ""},
		"Qt":                    {"", file{"a.ts", "<x/>"}, "TS"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, ok := formats.Named("locjson"); !ok && strings.HasSuffix(c.file.name, ".locjson") {
				t.Skip("no grammar")
			}
			s.t = t
			p := s.create("en", "de")
			r := s.imported(p, "?language=en"+c.query, c.file)
			if r.Status != wire.Failed || len(r.Errors) != 1 || r.Errors[0].FileName != c.file.name ||
				!slices.Equal(r.FailedFileNames, []string{c.file.name}) {
				t.Fatalf("%+v", r)
			}
			if !strings.Contains(r.Errors[0].Error, c.says) || r.Errors[0].Error == "" {
				t.Errorf("%q does not say %q", r.Errors[0].Error, c.says)
			}
			// Beside a good file, the broken one fails alone.
			r = s.imported(p, "?language=en&collection=other"+c.query, c.file,
				file{"good" + c.file.name[strings.LastIndex(c.file.name, "."):],
					good[c.file.name[strings.LastIndex(c.file.name, "."):]]})
			if r.Status != wire.Completed || len(r.Errors) != 1 || r.Errors[0].FileName != c.file.name ||
				r.KeysCreated != 1 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// good has a file of one key for each extension.
var good = map[string]string{
	".json": `{"key":"Text"}`, ".yaml": "key: Text\n", ".yml": "key: Text\n", ".strings": `key = "Text";`,
	".xml":     `<resources><string name="key">Text</string></resources>`,
	".locjson": `{"units":[{"key":"key","source":["Te","xt"]}]}`,
	".ts":      `<TS><context><message><source>key</source><translation>Text</translation></message></context></TS>`,
}

// formatFor is the format of files with an extension.
func formatFor(extension string) wire.Format {
	switch extension {
	case wire.LocJSONExtension:
		return wire.FormatLocJSON
	case ".ts":
		return wire.FormatQtTS
	}
	f, _ := formats.ByExtension("x" + extension)
	return wire.Format(f.Name)
}

// Every format is taken by its name and, where no name is given, by the file's extension.
func TestImportFormats(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	for extension, body := range good {
		f := formatFor(extension)
		s.completed(p, query("language", "en", "collection", "guessed"+extension),
			file{"dir/FILE" + strings.ToUpper(extension), body})
		sameJSON(t, s.one(p, query("languages", "en", "collections", "guessed"+extension)), `{"key":"Text"}`)
		name := "file.bin"
		if f == wire.FormatLocJSON {
			name = "file.locjson"
		}
		s.completed(p, query("language", "en", "collection", "named"+extension, "format", strings.ToUpper(string(f))),
			file{name, body})
		sameJSON(t, s.one(p, query("languages", "en", "collections", "named"+extension)), `{"key":"Text"}`)
	}
	for _, f := range []wire.Format{wire.FormatStructuredJSON, wire.FormatStructuredYAML} {
		s.completed(p, query("language", "en", "collection", string(f), "format", string(f), "path-separator", "."),
			file{"a.x", `{"a": {"b": "c"}}`})
		sameJSON(t, s.one(p, query("languages", "en", "collections", string(f))), `{"a.b":"c"}`)
	}
}

// A translation's state rises, never falls, while its text is the same; a new source text makes drafts of the
// translations.
func TestStates(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"a.json", `{"k":"Text"}`})
	holds := func(when string, want string) {
		t.Helper()
		got := ""
		for _, state := range []string{"draft", "intermediate", "final"} {
			if len(flat(t, s.one(p, "?languages=de&skip-incomplete-keys=true&completion-state="+state))) > 0 {
				got = state
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	holds("untranslated", "")
	s.completed(p, "?language=de", file{"a.json", `{"k":"Wort"}`})
	holds("the default", "draft")
	s.completed(p, "?language=de&completion-state=Intermediate", file{"a.json", `{"k":"Wort"}`})
	holds("raised", "intermediate")
	s.completed(p, "?language=de&completion-state=final", file{"a.json", `{"k":"Wort"}`})
	holds("raised again", "final")
	s.completed(p, "?language=de&completion-state=draft", file{"a.json", `{"k":"Wort"}`})
	holds("the same as a draft", "final")
	s.completed(p, "?language=de&completion-state=draft&overwrite-conflicting-values=true",
		file{"a.json", `{"k":"Text"}`})
	holds("another text as a draft", "draft")
	s.completed(p, "?language=de&completion-state=final", file{"a.json", `{"k":"Text"}`})
	s.completed(p, "?language=en&overwrite-conflicting-values=true", file{"a.json", `{"k":"New text"}`})
	holds("the source changed", "draft")
	if got := flat(t, s.one(p, "?languages=de&completion-state=draft"))["k"]; got != "Text" {
		t.Errorf("the translation did not stay: %q", got)
	}

	one := s.createWith(map[string]any{"name": "one", "sourceLanguage": "en", "targetLanguages": []string{"de"},
		"assignToVendor": false, "type": "softwareLocalization", "workflowStages": []string{"Translation"}})
	s.completed(one, "?language=en", file{"a.json", `{"k":"Text"}`})
	s.completed(one, "?language=de&completion-state=intermediate", file{"a.json", `{"k":"Wort"}`})
	if got := s.one(one, "?languages=de"); !strings.Contains(got, "Wort") {
		t.Errorf("with a single stage intermediate is final: %s", got)
	}
}

func TestLabels(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, "?language=en&labels=ui,web", file{"a.json", `{"a":"A"}`})
	s.completed(p, "?language=en&auto-file-labels", file{"dir/b.json", `{"b":"B"}`})
	s.completed(p, "?language=en", file{"c.json", `{"c":"C"}`})
	keys := func(labels string) string {
		return strings.Join(slices.Sorted(maps.Keys(flat(t, s.one(p, query("languages", "en", "labels", labels))))), "")
	}
	for labels, want := range map[string]string{"ui": "a", "web,nothing": "a", "nothing": "", "file:b.json": "b",
		"ui,file:b.json": "ab", "u": ""} {
		if got := keys(labels); got != want {
			t.Errorf("labels %s: keys %q, want %q", labels, got, want)
		}
	}
	// An unchanged text gets labels, too, and loses none.
	r := s.completed(p, "?language=en&labels=late", file{"x.json", `{"a":"A","c":"C"}`})
	if r.KeyValuesNotChanged != 2 || keys("late") != "ac" || keys("ui") != "a" {
		t.Errorf("%+v, %s, %s", r, keys("late"), keys("ui"))
	}
	if got := s.one(p, query("languages", "en", "output-file-path-template", "{LABEL:file}")); got == "" {
		t.Error("one label file")
	} else {
		sameJSON(t, got, `{"b":"B"}`)
	}
	// Two labels of one prefix: the key stands in both files.
	s.completed(p, "?language=en&labels=file:z.json", file{"x.json", `{"b":"B","c":"C"}`})
	got := s.many(p, query("languages", "en", "output-file-path-template", "{LABEL:file}"))
	sameJSON(t, got["b.json"], `{"b":"B"}`)
	sameJSON(t, got["z.json"], `{"b":"B","c":"C"}`)
	if len(got) != 2 {
		t.Errorf("%v", got)
	}
	if none := s.many(p, query("languages", "en", "output-file-path-template",
		"{LABEL:nothing}.json")); len(none) != 0 {
		t.Errorf("%v", none)
	}
	// A label that would lead out of the archive fails the export and is named.
	s.completed(p, "?language=en&labels=path:../../x", file{"x.json", `{"a":"A"}`})
	a := s.exported(p, query("languages", "en", "output-file-path-template", "{LABEL:path}.json"))
	check(t, a, 422, "")
	if !strings.Contains(string(a.body), "../../x") {
		t.Errorf("%s", a.body)
	}
}

func TestDeleteMissingKeys(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"a.json", `{"a":"A","b":"B","c":"C"}`})
	s.completed(p, "?language=en&collection=other", file{"a.json", `{"a":"A"}`})
	s.completed(p, "?language=de&completion-state=final", file{"a.json", `{"a":"a!","b":"b!"}`})
	r := s.imported(p, "?language=en&delete-missing-keys=true", file{"a.json", `{"a":"A","d":"D"}`},
		file{"b.json", `{`})
	if r.KeysDeleted != 0 || r.KeysCreated != 1 {
		t.Errorf("beside a broken file nothing is deleted: %+v", r)
	}
	r = s.completed(p, "?language=en&delete-missing-keys=true",
		file{"a.json", `{"a":"A"}`}, file{"b.json", `{"d":"D"}`})
	if r.KeysDeleted != 2 || r.KeyValuesNotChanged != 2 {
		t.Errorf("%+v", r)
	}
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys"), `{"a":"a!"}`)
	sameJSON(t, s.one(p, "?languages=en"), `{"a":"A","d":"D"}`)
	sameJSON(t, s.one(p, "?languages=en&collections=other"), `{"a":"A"}`)
	// A key that comes back is a new one: its old translation is gone.
	s.completed(p, "?language=en", file{"a.json", `{"b":"B"}`})
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys"), `{"a":"a!"}`)
	r = s.completed(p, "?language=en&delete-missing-keys=true", file{"a.json", `{}`})
	if r.KeysDeleted != 3 {
		t.Errorf("%+v", r)
	}
}

// A collection has its own target languages; the project has those of all.
func TestCollectionLanguages(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de", "fr")
	languages := func(collection string) string {
		var out []string
		for name := range s.many(p, query("collections", collection, "zip", "true")) {
			out = append(out, strings.TrimSuffix(strings.TrimPrefix(name, "strings-"), ".json"))
		}
		slices.Sort(out)
		return strings.Join(out, ",")
	}
	projectLanguages := func() string {
		var project wire.Project
		s.get("/v1/project/"+p).want(t, 200, &project)
		return strings.Join(project.TargetLanguages, ",")
	}
	expect := func(step string, main, web, project string) {
		t.Helper()
		if got := languages("main"); got != main {
			t.Errorf("%s: main has %s, want %s", step, got, main)
		}
		if web != "" {
			if got := languages("web"); got != web {
				t.Errorf("%s: web has %s, want %s", step, got, web)
			}
		}
		if got := projectLanguages(); got != project {
			t.Errorf("%s: the project has %s, want %s", step, got, project)
		}
	}
	targets := func(codes string) {
		t.Helper()
		a := s.post("/v1/project/"+p+"/software-localization/targets?target-languages="+codes, "")
		a.want(t, 200, nil)
		if len(a.body) != 0 {
			t.Errorf("a body: %q", a.body)
		}
	}
	one := file{"a.json", `{"a":"A"}`}
	expect("made", "de,fr", "", "de,fr")
	s.completed(p, "?language=en&collection=web&target-languages=FR", one)
	expect("a collection of French", "de,fr", "fr", "de,fr")
	s.completed(p, "?language=en&target-languages=de,es", one)
	expect("Spanish is new, by an import", "de,es,fr", "fr", "de,fr,es")
	targets("it")
	expect("Italian is new, by targets", "de,es,fr", "fr", "de,fr,es,it")
	targets("it,pt-br")
	expect("Italian is known", "de,es,fr,it", "fr,it", "de,fr,es,it,pt-BR")
	s.call("POST", wire.Prefix+wire.PathProjectLanguage+"?targetLanguage=ja&projectId="+p, "", nil).want(t, 204, nil)
	expect("Japanese, the other way", "de,es,fr,it,ja", "fr,it,ja", "de,fr,es,it,pt-BR,ja")
	s.call("POST", wire.Prefix+wire.PathProjectLanguage+"?targetLanguage=ko&addLanguageToDocuments=false&projectId="+p,
		"", nil).want(t, 204, nil)
	expect("Korean, for the project only", "de,es,fr,it,ja", "fr,it,ja", "de,fr,es,it,pt-BR,ja,ko")
	s.completed(p, "?language=en&collection=late", one)
	if got := languages("late"); got != "de,es,fr,it,ja,ko,pt-BR" {
		t.Errorf("a new collection: %s", got)
	}
}

// Plural forms come back as such where they came from, and as ICU messages, which can be imported again, elsewhere.
func TestPlurals(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "ru")
	const plurals = `<resources><plurals name="songs"><item quantity="one">%d song</item><item quantity="other">%d songs {#}</item></plurals><string name="a">A</string></resources>`
	s.completed(p, "?language=en", file{"strings.xml", plurals})
	s.completed(p, "?language=ru&completion-state=final", file{"strings.xml",
		`<resources><plurals name="songs"><item quantity="other">%d песни</item><item quantity="few">%d песни!</item><item quantity="one">%d песня</item><item quantity="many">%d песен</item></plurals></resources>`})
	xml := s.one(p, "?languages=ru&format=android-xml")
	for _, want := range []string{`<plurals name="songs">`, `quantity="one">%d песня<`, `quantity="few">%d песни!<`,
		`quantity="many">%d песен<`, `quantity="other">%d песни<`} {
		if !strings.Contains(xml, want) {
			t.Errorf("%s is not in %s", want, xml)
		}
	}
	if strings.Contains(xml, `name="a"`) {
		t.Errorf("android-xml skips what is not translated: %s", xml)
	}
	icu := flat(t, s.one(p, "?languages=ru"))["songs"]
	if want := "{count, plural, one {%d песня} few {%d песни!} many {%d песен} other {%d песни}}"; icu != want {
		t.Errorf("%s\nwant %s", icu, want)
	}
	// A translator's JSON goes into the same forms.
	r := s.completed(p, "?language=ru&overwrite-conflicting-values=1&completion-state=final",
		file{"ru.json", `{"songs":"{n, plural, one {1} few {2} other {3 '{'}}"}`})
	if r.KeysUpdated != 1 || r.KeysWithoutSource != 0 {
		t.Errorf("%+v", r)
	}
	xml = s.one(p, "?languages=ru&format=android-xml")
	if !strings.Contains(xml, `quantity="few">2<`) || !strings.Contains(xml, `quantity="other">3 {<`) ||
		strings.Contains(xml, "many") {
		t.Errorf("%s", xml)
	}
	if r := s.completed(p, "?language=en", file{"strings.xml", plurals}); r.KeyValuesNotChanged != 2 {
		t.Errorf("the same again: %+v", r)
	}
}

// A string and plurals of one name are two keys, as Android has them; arrays come back whole or not at all.
func TestAndroid(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	const source = `<resources xmlns:tools="http://schemas.android.com/tools">
    <string name="n">Name</string>
    <plurals name="n"><item quantity="other">%d names</item></plurals>
    <string name="ref">@string/n</string>
    <string name="fixed" translatable="false">fixed</string>
    <string-array name="days"><item>Monday</item><item>Tuesday</item></string-array>
    <string name="big" product="tablet">Tablet</string>
    <string name="html">Press <b>here</b> &amp; go</string>
    <color name="c">#fff</color>
</resources>`
	r := s.completed(p, "?language=en", file{"strings.xml", source})
	if r.KeysCreated != 6 {
		t.Errorf("%+v", r)
	}
	xml := s.one(p, "?languages=en&format=android-xml")
	for _, want := range []string{`<string name="n">Name<`, `<plurals name="n">`, `<string-array name="days">`,
		`<item>Monday</item>`, `product="tablet"`, `Press <b>here</b> &amp; go`} {
		if !strings.Contains(xml, want) {
			t.Errorf("%s is not in %s", want, xml)
		}
	}
	if strings.Contains(xml, "fixed") || strings.Contains(xml, "ref") {
		t.Errorf("what is not translatable: %s", xml)
	}
	q := "?language=de&completion-state=final"
	s.completed(p, q, file{"de.json", `{"days/1":"Dienstag"}`})
	if xml := s.one(p, "?languages=de&format=android-xml"); strings.Contains(xml, "days") {
		t.Errorf("half an array: %s", xml)
	}
	s.completed(p, q, file{"de.json", `{"days/0":"Montag"}`})
	if xml := s.one(p, "?languages=de&format=android-xml"); !strings.Contains(strings.Join(strings.Fields(xml), ""),
		"<item>Montag</item><item>Dienstag</item>") {
		t.Errorf("a whole array: %s", xml)
	}
	sameJSON(t, s.one(p, "?languages=de&format=structured-json&skip-incomplete-keys"), `{"days":["Montag","Dienstag"]}`)
}

// A reference to another resource among an array's items is none of the project's keys. The array is whole without it:
// the other items keep their places.
func TestAndroidArrayWithAReference(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"strings.xml", `<resources><string-array name="days">
<item>@string/all</item><item>Monday</item><item>@string/none</item><item>Tuesday</item></string-array></resources>`})
	q := "?language=de&completion-state=final"
	want := func(query, want string) {
		t.Helper()
		xml := strings.Join(strings.Fields(s.one(p, query+"&format=android-xml")), "")
		if _, items, _ := strings.Cut(xml, `<string-arrayname="days">`); strings.TrimSuffix(items,
			"</string-array></resources>") != want {
			t.Errorf("%s: %s", query, xml)
		}
	}
	want("?languages=en", "<item>@null</item><item>Monday</item><item>@null</item><item>Tuesday</item>")
	s.completed(p, q, file{"de.json", `{"days/3":"Dienstag"}`})
	want("?languages=de", "") // half an array
	s.completed(p, q, file{"de.json", `{"days/1":"Montag"}`})
	want("?languages=de", "<item>@null</item><item>Montag</item><item>@null</item><item>Dienstag</item>")
}

// Jobs are seen on their way: pending, in progress, done.
func TestJobsPassThroughTheirStates(t *testing.T) {
	s := serve(t, Options{JobDelay: 200 * time.Millisecond})
	p := s.create("en", "de")
	var id string
	s.startImport(p, "?language=en", file{"a.json", `{"a":"A"}`}).want(t, 200, &id)
	var seen []wire.Status
	for len(seen) == 0 || !seen[len(seen)-1].Ended() {
		var r wire.ImportResult
		s.get("/v1/project/import-result/"+id).want(t, 200, &r)
		if len(seen) == 0 || seen[len(seen)-1] != r.Status {
			seen = append(seen, r.Status)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if !slices.Equal(seen, []wire.Status{wire.Pending, wire.InProgress, wire.Completed}) {
		t.Errorf("%v", seen)
	}
	s.post("/v2/project/"+p+"/export", "").want(t, 200, &id)
	if a := s.get("/v1/document/export/" + id); a.status != 204 || len(a.body) != 0 {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := s.downloaded(id); a.status != 200 {
		t.Errorf("%d", a.status)
	}
	if a := s.get("/v1/project/import-result/" + id); a.status != 404 {
		t.Errorf("an export is no import: %d", a.status)
	}
}

// LocJSON carries source texts and, in bilingual use, translations, for which exactly one target language has to be
// named.
func TestLocJSON(t *testing.T) {
	s := serve(t, Options{})
	const units = `{"properties":{"version":1},"units":[
		{"key":"a","source":["One ","two"],"target":["Eins ","zwei"],"properties":{"comments":["Say","so"],"x-max-length":9}},
		{"key":"b","source":"Plain","target":[]}]}`
	for q, want := range map[string]string{"": `{}`, "&target-languages=de": `{"a":"Eins zwei"}`,
		"&target-languages=de,fr": `{}`} {
		p := s.create("en", "de", "fr")
		r := s.completed(p, "?language=en"+q, file{"x.locjson", units})
		if r.KeysCreated != 2 {
			t.Errorf("%s: %+v", q, r)
		}
		sameJSON(t, s.one(p, "?languages=en"), `{"a":"One two","b":"Plain"}`)
		sameJSON(t, s.one(p, "?languages=de&completion-state=draft&skip-incomplete-keys"), want)
	}
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"x.locjson", units})
	r := s.completed(p, "?language=de&completion-state=final", file{"bilingual.locjson", units},
		file{"monolingual.locjson", `{"units":[{"key":"b","source":["Ein","fach"]}]}`})
	if r.KeysUpdated != 2 || len(r.ConflictingKeyValues) != 0 {
		t.Errorf("%+v", r)
	}
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys"), `{"a":"Eins zwei","b":"Einfach"}`)
	again := s.imported(p, "?language=en", file{"x.locjson",
		`{"units":[{"key":"a","source":"1"},{"key":"a","source":"2"}]}`})
	if again.Status != wire.Failed {
		t.Errorf("one key twice: %+v", again)
	}
}

func TestQtLinguist(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "pl")
	const head = `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE TS><TS version="2.1"><context><name>Main</name>`
	r := s.completed(p, "?language=en", file{"app_en.ts", head + `
		<message><source>Open</source><extracomment>menu</extracomment><translation type="unfinished"></translation></message>
		<message numerus="yes"><source>%n file(s)</source><translation><numerusform>%n file</numerusform><numerusform>%n files</numerusform></translation></message>
		<message><source>Old</source><translation type="vanished">Old</translation></message></context></TS>`})
	if r.KeysCreated != 2 {
		t.Errorf("%+v", r)
	}
	sameJSON(t, s.one(p, "?languages=en"),
		`{"Open":"Open","%n file(s)":"{count, plural, one {%n file} other {%n files}}"}`)
	r = s.completed(p, "?language=pl&completion-state=final", file{"app_pl.ts", head + `
		<message><source>Open</source><translation>Otwórz &amp; idź</translation></message>
		<message numerus="yes"><source>%n file(s)</source><translation><numerusform>plik</numerusform><numerusform>pliki</numerusform><numerusform>plików</numerusform></translation></message>
		</context></TS>`})
	if r.KeysUpdated != 2 {
		t.Errorf("%+v", r)
	}
	sameJSON(t, s.one(p, "?languages=pl"),
		`{"Open":"Otwórz & idź","%n file(s)":"{count, plural, one {plik} few {pliki} other {plików}}"}`)
}

// A translation that the format of its key's source file cannot hold is not stored, and named; all others are. One that
// an older store has is left out of exports.
func TestTextsThatTheFormatCannotHold(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"en.xml", `<resources><string name="a">A</string><string name="b">B</string></resources>`})
	r := s.imported(p, "?language=de", file{"de.json", `{"a":"\u0001Ä","b":"Be"}`})
	if r.KeysUpdated != 1 || len(r.Errors) != 1 || !strings.Contains(r.Errors[0].Error, `key "a"`) ||
		!strings.Contains(r.Errors[0].Error, "U+0001") || r.Errors[0].FileName != "de.json" {
		t.Errorf("%+v", r)
	}
	sameJSON(t, s.one(p, "?languages=de&completion-state=draft&skip-incomplete-keys"), `{"b":"Be"}`)
	p = s.create("en", "de")
	s.completed(p, "?language=en", file{"en.json", `{"a":"A\u0007","b":"B"}`})
	if got := s.one(p, "?languages=en&format=android-xml"); strings.Contains(got, `"a"`) || !strings.Contains(got, `"b"`) {
		t.Errorf("exported\n%s", got)
	}
	sameJSON(t, s.one(p, "?languages=en"), `{"a":"A\u0007","b":"B"}`)
}
