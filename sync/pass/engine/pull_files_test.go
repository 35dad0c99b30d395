package engine

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// translateFile is a translator's file in a format.
func (w *world) translateFile(format service.Format, collection, language, name, body string) {
	w.tb.Helper()
	r := service.ImportRequest{Project: w.id, Collection: collection, Language: language, Format: format, CompletionState: service.Final,
		Files: []service.Upload{{Name: name, Body: []byte(body)}}}
	if strings.HasPrefix(string(format), "structured") {
		r.PathSeparator = "/"
	}
	w.upload(r)
}

func TestPullOfAndroid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
source_language = "en"
target_languages = ["de", "zh-Hans", "ja"]
[project.language_paths]
"zh-Hans" = "zh-CN"
[project.pull]
remote = ""
incomplete = "fallback"
[[project.files]]
source = "res/values/strings.xml"
output = "res/values-{LOCALE:ANDROID}/strings.xml"
`, map[string]string{"res/values/strings.xml": `<?xml version="1.0" encoding="utf-8"?>
<resources>
    <!-- The name. -->
    <string name="app" translatable="false">App</string>
    <string name="save">Save</string>
    <plurals name="files">
        <item quantity="one">%d file</item>
        <item quantity="other">%d files</item>
    </plurals>
    <string-array name="days">
        <item>Monday</item>
        <item>Tuesday</item>
    </string-array>
</resources>
`})
	w.clean(push.Options{})
	w.translateFile("android-xml", "main", "zh-Hans", "strings.xml", `<resources>
    <string name="save">保存</string>
    <string-array name="days"><item>一</item><item>二</item></string-array></resources>`)
	w.translateFile("android-xml", "main", "de", "strings.xml", `<resources>
    <plurals name="files"><item quantity="one">%d Datei</item><item quantity="other">%d Dateien</item></plurals></resources>`)
	w.translateFile("android-xml", "main", "ja", "strings.xml", `<resources><string name="save">保存</string></resources>`)
	w.brings("res/values-de/strings.xml (de): +2 ~0 -0", "res/values-ja/strings.xml (ja): +1 ~0 -0", "res/values-zh-rCN/strings.xml (zh-Hans): +3 ~0 -0")
	w.has("l10n", "res/values-de/strings.xml", `<?xml version="1.0" encoding="utf-8"?>
<resources>
    <string name="save">Save</string>
    <plurals name="files">
        <item quantity="one">%d Datei</item>
        <item quantity="other">%d Dateien</item>
    </plurals>
    <string-array name="days">
        <item>Monday</item>
        <item>Tuesday</item>
    </string-array>
</resources>`)
	// Japanese has one form: what was filled in for the other one goes.
	w.translateFile("android-xml", "main", "ja", "strings.xml", `<resources><plurals name="files"><item quantity="other">%d 個</item></plurals></resources>`)
	p := w.pulls(pull.Options{})
	if got := w.show("l10n", "res/values-ja/strings.xml"); strings.Contains(got, "%d file") || !strings.Contains(got, `quantity="other">%d 個<`) || len(p.Problems) > 0 {
		t.Errorf("%+v\n%s", p, got)
	}
	w.sends()
	w.brings()
	// The text becomes a plural: the translation follows in its new shape.
	w.write("res/values/strings.xml", strings.Replace(w.show("main", "res/values/strings.xml"), `<string name="save">Save</string>`,
		`<plurals name="save"><item quantity="one">Save one</item><item quantity="other">Save all</item></plurals>`, 1)+"\n")
	w.commit()
	w.pushes(push.Options{})
	w.translateFile("android-xml", "main", "ja", "strings.xml", `<resources><plurals name="save"><item quantity="other">全部保存</item></plurals></resources>`)
	w.pulls(pull.Options{})
	if got := w.show("l10n", "res/values-ja/strings.xml"); strings.Contains(got, `<string name="save"`) || !strings.Contains(got, "全部保存") {
		t.Errorf("%s", got)
	}
}

// Arrays with a reference among their items come with the reference, wherever in the array it stands.
func TestPullOfAndroidArraysWithReferences(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+`
[[project.files]]
source = "res/values/strings.xml"
output = "res/values-{LOCALE:ANDROID}/strings.xml"
`, map[string]string{"res/values/strings.xml": `<resources>
    <string name="all" translatable="false">*</string>
    <string-array name="first"><item>@string/all</item><item>One</item></string-array>
    <string-array name="middle"><item>One</item><item>@string/all</item><item>Two</item></string-array>
    <string-array name="last"><item>One</item><item>@string/all</item></string-array>
</resources>
`})
	w.clean(push.Options{})
	w.translateFile("android-xml", "main", "de", "strings.xml", `<resources>
    <string-array name="first"><item>@null</item><item>Eins</item></string-array>
    <string-array name="middle"><item>Eins</item><item>@null</item><item>Zwei</item></string-array>
    <string-array name="last"><item>Eins</item></string-array></resources>`)
	if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
		t.Errorf("%v", p.Problems)
	}
	got := compact(w.show("l10n", "res/values-de/strings.xml"))
	for _, items := range []string{"@string/all Eins", "Eins @string/all Zwei", "Eins @string/all"} {
		want := "><item>" + strings.ReplaceAll(items, " ", "</item><item>") + "</item></string-array>"
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	w.sends()
	w.brings()
}

func TestPullOfAPluralWithoutItsLastForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+`
[[project.files]]
source = "values/strings.xml"
output = "values-{LOCALE:ANDROID}/strings.xml"
`, map[string]string{"values/strings.xml": `<resources><plurals name="f"><item quantity="one">%d file</item><item quantity="other">%d files</item></plurals></resources>`})
	w.clean(push.Options{})
	w.replies(t, func(body []byte) []byte {
		return zipped(t, "values-de/strings.xml", `<resources><plurals name="f"><item quantity="one">%d Datei</item></plurals></resources>`)
	})
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, `"f" (de)`, `"other"`)
	w.gains(p)
}

func TestPullOfARailsFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
source_language = "en"
target_languages = ["zh-Hans"]
[project.language_paths]
"zh-Hans" = "zh-CN"
[project.pull]
remote = ""
[[project.files]]
source = "config/locales/en.yml"
format = "structured-yaml"
output = "config/locales/{LANGUAGE}.yml"
`, map[string]string{"config/locales/en.yml": "# About this file\nen:\n  menu:\n    # The button\n    save: \"Save\"\n    open: Open # quick\n  count: 3\n"})
	w.clean(push.Options{})
	w.translateFile("structured-yaml", "main", "zh-Hans", "x.yml", "menu:\n  save: 保存\n")
	w.brings("config/locales/zh-CN.yml (zh-Hans): +1 ~0 -0")
	w.has("l10n", "config/locales/zh-CN.yml", "# About this file\nzh-CN:\n  menu:\n    # The button\n    save: \"保存\"\n  count: 3")
	w.translateFile("structured-yaml", "main", "zh-Hans", "x.yml", "menu:\n  open: 打开\n")
	w.brings("config/locales/zh-CN.yml (zh-Hans): +1 ~0 -0")
	w.sends()
	w.brings()
}

func TestPullOfSeveralSourcesInOneCollection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+`
[[project.files]]
source = "src/**/en.strings"
output = "out/{DIR}/{LOCALE:IOS}.strings"
`, map[string]string{"src/a/en.strings": "\"a\" = \"A\";\n\"both\" = \"Both\";\n", "src/b/en.strings": "\"both\" = \"Both\";\n/* Note */\n\"b\" = \"B\";\n"})
	w.clean(push.Options{})
	w.translateFile("ios-strings", "main", "de", "x.strings", "\"both\" = \"Beide\";\n\"b\" = \"Beh\";\n")
	w.wire.take("")
	w.brings("out/a/de.strings (de): +1 ~0 -0", "out/b/de.strings (de): +2 ~0 -0")
	if exports := w.wire.take("export"); len(exports) != 1 {
		t.Errorf("%d exports", len(exports))
	}
	w.has("l10n", "out/a/de.strings", "\"both\" = \"Beide\";")
	w.has("l10n", "out/b/de.strings", "\"both\" = \"Beide\";\n/* Note */\n\"b\" = \"Beh\";")
	w.sends()
	w.brings()
}

func TestPullOfFilesThatTheServiceNames(t *testing.T) {
	t.Parallel()
	files := map[string]string{"en/one.json": "{\n  \"a\": \"A\"\n}\n", "en/two.json": "{\n  \"b\": \"B\",\n  \"c\": \"C\"\n}\n",
		"out/de/theirs.json": "{\n  \"not\": \"ours\"\n}\n"}
	w := newWorld(t, localOnly+`
[[project.files]]
source = "en/one.json"
output = "out/{LANGUAGE}/{LABEL:file}.json"
labels = ["file:first"]
[[project.files]]
source = "en/two.json"
output = "out/{LANGUAGE}/{LABEL:file}.json"
labels = ["file:second"]
`, files)
	w.clean(push.Options{})
	w.final("de", "a", "Ä", "b", "Beh")
	w.brings("out/de/first.json (de): +1 ~0 -0", "out/de/second.json (de): +1 ~0 -0")
	w.has("l10n", "out/de/first.json", "{\n  \"a\": \"Ä\"\n}")
	w.has("l10n", "out/de/second.json", "{\n  \"b\": \"Beh\"\n}")
	w.has("l10n", "out/de/theirs.json", files["out/de/theirs.json"])
	w.final("de", "c", "Zeh")
	w.brings("out/de/second.json (de): +1 ~0 -0")
	w.brings()
	w.write("en/two.json", "{\n  \"c\": \"C\"\n}\n")
	w.commit()
	w.brings("out/de/second.json (de): +0 ~0 -1")
	w.sends()
	w.brings()
	w.commitOn("l10n", "out/de/first.json", "{\n  \"a\": \"Ah\"\n}\n")
	w.reports(w.clean(part("out/de/first.json")), "out/de/first.json (de): a")
}

func TestPullOfLocJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+`
[[project.files]]
source = "en.locjson"
output = "{LANGUAGE}.locjson"
`, map[string]string{"en.locjson": "{\n  \"properties\": {\"version\": 1},\n  \"units\": [\n    {\"key\": \"a\", \"properties\": {\"comments\": [\"Note\"]}, \"source\": [\"A\"]},\n    {\"key\": \"b\", \"source\": [\"B\"]}\n  ]\n}\n"})
	w.clean(push.Options{})
	w.final("de", "a", "Ä")
	w.brings("de.locjson (de): +1 ~0 -0")
	if got := compact(w.show("l10n", "de.locjson")); strings.Contains(got, `"b"`) || !strings.Contains(got, `["Ä"]`) || !strings.Contains(got, "version") {
		t.Error(got)
	}
	w.final("de", "a", "Ae", "b", "Beh")
	w.brings("de.locjson (de): +1 ~1 -0")
	w.brings()
	w.sends()
}

// replies lets every download of an export be answered by what f makes of it.
func (w *world) replies(t *testing.T, f func([]byte) []byte) {
	t.Helper()
	inner := w.server.Config.Handler
	w.server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/export/") {
			inner.ServeHTTP(rw, r)
			return
		}
		answer := httptest.NewRecorder()
		inner.ServeHTTP(answer, r)
		body := answer.Body.Bytes()
		if answer.Code == http.StatusOK {
			body = f(body)
		}
		rw.WriteHeader(answer.Code)
		_, _ = rw.Write(body)
	})
}

func zipped(t *testing.T, namesAndBodies ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(namesAndBodies); i += 2 {
		f, err := z.Create(namesAndBodies[i])
		if err == nil {
			_, err = io.WriteString(f, namesAndBodies[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What the service exported and cannot be read is not nothing: its file stays as it is, and so do translations of keys
// that the source has lost.
func TestPullOfAnEntryThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := abc(t, localOnly, nil)
	w.final("de", "a", "Ä", "b", "Bé")
	w.final("fr", "a", "Pomme", "b", "Brie")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.write("locales/en/a.json", `{"a": "A", "c": "C"}`)
	w.commit()
	w.clean(push.Options{})
	w.replies(t, func([]byte) []byte {
		return zipped(t, "locales/de/a.json", `{"a": "Ä"}`, "locales/fr/a.json", `{"a": `)
	})
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, "locales/fr/a.json", "cannot be read")
	w.gains(p, "locales/de/a.json (de): +0 ~0 -1")
	w.has("l10n", "locales/fr/a.json", "{\n  \"a\": \"Pomme\",\n  \"b\": \"Brie\"\n}")
}

func TestPullOfAStrangeArchive(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, localOnly, nil)
	var answer []byte
	w.replies(t, func([]byte) []byte { return answer })
	answer = zipped(t, "locales/de/a.json", `{"a": "Ä", "unknown": "?"}`, "../../evil.json", `{"a": "x"}`, "locales/es/a.json", `{"a": "es"}`, "locales/fr/a.json", `{"a": `, "/abs.json", "{}", ".git/config", "x")
	p := w.pulls(pull.Options{})
	w.gains(p, "locales/de/a.json (de): +1 ~0 -0")
	w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"Ä\"\n}")
	all := fmt.Sprint(p.Problems)
	for _, name := range []string{"evil.json", "locales/es/a.json", "locales/fr/a.json", "abs.json", ".git/config"} {
		if !strings.Contains(all, name) {
			t.Errorf("%s is not named in %s", name, all)
		}
	}
	if got := w.git("ls-tree", "-r", "--name-only", "l10n"); got != "locales/de/a.json\nlocales/en/a.json" {
		t.Errorf("the branch has %s", got)
	}
	// A bare file instead of an archive, when one language was asked for.
	w.configure(strings.Replace(localOnly, `["de", "fr"]`, `["de"]`, 1) + jsonFiles)
	answer = []byte(`{"b": "Beh"}`)
	w.brings("locales/de/a.json (de): +1 ~0 -0")
	// A bare answer of which nothing can be used: a page, half a file, and for two languages anything.
	unusable := func() {
		t.Helper()
		if _, err := w.Pull(t.Context(), pull.Options{}); !errors.Is(err, service.ErrUnusable) || Permanent(err) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	for _, answer = range [][]byte{[]byte("<html>"), []byte(`{"b": "B`)} {
		unusable()
	}
	w.configure(localOnly + jsonFiles)
	answer = []byte(`{"b": "Beh"}`)
	unusable()
	// A file that holds nothing, a download without a file, and one that is cut: last, since repeated damage keeps the client from calling for a while.
	answer = zipped(t, "locales/de/a.json", "")
	w.brings()
	answer = zipped(t)
	unusable()
	answer = zipped(t, "locales/de/a.json", `{"a": "x"}`)[:60]
	w.Config.Service.JobTimeout = time.Second
	unusable()
}

// A pull is as new as its own beginning: what an interrupted one asked for is dropped, also where nothing was to be asked again since.
func TestPullUsesAFreshExport(t *testing.T) {
	t.Parallel()
	two := jsonFiles + "[[project.files]]\nsource = \"other/en.json\"\noutput = \"other/{LANGUAGE}.json\"\ncollection = \"second\"\n"
	w := newWorld(t, localOnly+two, map[string]string{"locales/en/a.json": `{"a": "A"}`, "other/en.json": `{"b": "B"}`})
	w.clean(push.Options{})
	w.final("de", "a", "Ä")
	w.translate("second", "de", service.Final, "b", "Beh")
	for name, fault := range map[string]local.Fault{"refused": {Refuse: 401}, "interrupted": {Delay: 5 * time.Second}} {
		ctx, cancel := context.WithCancel(t.Context())
		downloads := 0
		w.wire.failing(func(r *http.Request) local.Fault {
			if r.Method != http.MethodGet {
				return local.Fault{}
			}
			if downloads++; downloads < 2 {
				return local.Fault{}
			}
			if fault.Delay > 0 {
				cancel()
			}
			return fault
		})
		if _, err := w.Pull(ctx, pull.Options{}); err == nil {
			t.Fatal("no error")
		}
		cancel()
		w.wire.failing(nil)
		w.final("de", "a", "Ä, "+name)
		w.translate("second", "de", service.Final, "b", "Beh, "+name)
		w.restart(w.Config)
		w.wire.take("")
		w.pulls(pull.Options{})
		w.has("l10n", "locales/de/a.json", fmt.Sprintf(`{"a": "Ä, %s"}`, name))
		w.has("l10n", "other/de.json", fmt.Sprintf(`{"b": "Beh, %s"}`, name))
		if jobs, err := ledger.Jobs.List(w.store, w.projects[0].branch.StateName()); err != nil || len(jobs) != 0 {
			t.Errorf("%s: left are %v, %v", name, jobs, err)
		}
	}
}

// An export that takes longer than it is waited for: the next pull uses it when it is finished, but while its own is not it has failed for now.
func TestPullWaitsForASlowExport(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
	w.clean(push.Options{})
	w.final("de", "a", "Ä 1")
	w.Config.Service.JobTimeout = time.Second
	var ready []string // exports that are, by the end of their addresses
	begun := 0
	w.wire.failing(func(r *http.Request) local.Fault {
		if r.Method == http.MethodPost {
			begun++
		}
		isReady := slices.ContainsFunc(ready, func(id string) bool { return strings.HasSuffix(r.URL.Path, id) })
		return when(r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/export") && !isReady, local.Fault{Refuse: http.StatusNoContent})
	})
	fails := func() {
		t.Helper()
		if _, err := w.Pull(t.Context(), pull.Options{}); err == nil || Permanent(err) || !strings.Contains(err.Error(), "not finished") {
			t.Fatalf("%v", err)
		}
	}
	slow := func() string {
		t.Helper()
		jobs, err := ledger.Jobs.List(w.store, w.projects[0].branch.StateName())
		if err != nil || len(jobs) != 1 || !jobs[0].Slow {
			t.Fatalf("%v, %v", jobs, err)
		}
		return jobs[0].Service
	}
	fails()
	first := slow()
	w.final("de", "a", "Ä 2")
	fails()
	if slow() != first {
		t.Error("the older one is waited for no more")
	}
	ready = []string{first}
	fails()
	w.has("l10n", "locales/de/a.json", `{"a": "Ä 1"}`)
	if slow() == first || begun != 3 {
		t.Errorf("%d exports were begun", begun)
	}
	w.wire.failing(nil)
	w.brings("locales/de/a.json (de): +0 ~1 -0")
	w.has("l10n", "locales/de/a.json", `{"a": "Ä 2"}`)
}

func TestPullKeepsLineEndsAndLayout(t *testing.T) {
	t.Parallel()
	de := "\ufeff{\r\n\t\"b\" : \"Alt\",\r\n\r\n\t\"a\":\"\\u00c4\"}"
	w := abc(t, localOnly, map[string]string{"locales/de/a.json": de, ".gitattributes": "*.json -text\n"})
	w.final("de", "a", "Ä", "b", "Neu", "c", "Zeh")
	w.brings("locales/de/a.json (de): +1 ~1 -0")
	w.has("l10n", "locales/de/a.json", "\ufeff{\r\n\t\"b\" : \"Neu\",\r\n\t\"c\" : \"Zeh\",\r\n\r\n\t\"a\":\"\\u00c4\"}")
	gittest.Sound(t, w.dir)
}
