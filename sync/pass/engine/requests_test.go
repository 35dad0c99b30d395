package engine

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// counted checks the requests since the last take: kinds with their numbers. Looks at jobs are left to count themselves, downloads are counted by export.
func (w *world) counted(what, want string) {
	w.tb.Helper()
	kinds, downloads := map[string]int{}, map[string]bool{}
	for _, r := range w.wire.take("") {
		switch {
		case r.is("import"):
			kinds["import"]++
		case r.is("export"):
			kinds["export"]++
		case strings.Contains(r.path, "/import-result/"):
		case r.method == http.MethodGet && strings.Contains(r.path, "/document/export/"):
			if !downloads[r.path] {
				kinds["download"]++
			}
			downloads[r.path] = true
		default:
			kinds[r.method+" "+r.path]++
		}
	}
	var got []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		got = append(got, fmt.Sprint(kinds[kind], " ", kind))
	}
	if strings.Join(got, ", ") != want {
		w.tb.Errorf("%s: %q, want %q", what, strings.Join(got, ", "), want)
	}
}

// What pushes and pulls cost at the service, beside the looks at jobs: one import for each changed collection, language and
// format, after one look at the source texts of a group of which something is sent for the first time; one export and one download for each collection
// and format, in all languages together.
func TestRequestsAreFew(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	var languages []string
	for i := range 20 {
		languages = append(languages, []string{"de", "fr", "it", "es", "pl", "cs", "da", "fi", "sv", "nl", "pt-BR", "ro", "hu", "el", "tr", "uk", "bg", "ja", "ko", "zh-Hans"}[i])
	}
	w := newWorld(t, fmt.Sprintf("source_language = \"en\"\ntarget_languages = [\"%s\"]\n", strings.Join(languages, `", "`))+`
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
[[project.files]]
source = "app/en.yaml"
output = "app/{LANGUAGE}.yaml"
collection = "app"
`, map[string]string{
		"locales/en/one.json": `{"a": "A"}`, "locales/en/two.json": `{"b": "B"}`, "locales/en/three.json": `{"c": "C"}`,
		"app/en.yaml": "d: D\n",
	})
	w.wire.take("")
	w.pushes(push.Options{})
	w.counted("first push, two groups, of which the service has one", "1 download, 2 export, 2 import")
	p := w.pushes(push.Options{})
	if p.Calls != 0 {
		t.Errorf("%d calls for nothing", p.Calls)
	}
	w.counted("push of nothing", "")

	w.pulls(pull.Options{})
	w.counted("pull without a translation", "2 download, 2 export")
	for _, l := range languages {
		w.translate("main", l, service.Final, "a", "A "+l, "b", "B "+l, "c", "C "+l)
		w.translate("app", l, service.Final, "d", "D "+l)
	}
	if p := w.pulls(pull.Options{}); len(p.Files) != 80 {
		t.Errorf("%d files", len(p.Files))
	}
	w.counted("pull of two groups with news in twenty languages", "2 download, 2 export")
	w.pulls(pull.Options{})
	w.counted("pull of two groups without news", "2 download, 2 export")
	w.translate("app", "de", service.Final, "d", "D neu")
	w.pulls(pull.Options{})
	w.counted("pull with news in one group", "2 download, 2 export")

	w.git("merge", "-q", "l10n")
	w.write("locales/en/one.json", `{"a": "A2"}`, "locales/en/two.json", `{"b": "B2"}`, "locales/en/three.json", `{"c": "C2"}`)
	w.clean(push.Options{})
	w.counted("push of three files in one language", "1 import")
	w.write("locales/en/one.json", `{"a": "A3"}`, "locales/de/one.json", `{"a": "A drei"}`, "locales/de/two.json", `{"b": "B zwei"}`)
	w.clean(push.Options{})
	w.counted("push of three files in two languages", "1 download, 1 export, 2 import")
	w.write("locales/en/one.json", "{\n  \"a\": \"A3\"\n}\n")
	w.clean(push.Options{})
	w.counted("push of a reformatted file", "")
}
