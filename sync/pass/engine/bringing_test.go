package engine

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/text/plural"
)

// twenty are the languages of the product that is brought in: plural forms from one to six, two scripts of their own, both directions.
var twenty = []string{"ar", "cs", "da", "de", "es", "fi", "fr", "he", "hu", "it", "ja", "ko", "nl", "pl", "pt-BR", "ru", "sv", "tr", "uk", "zh-Hans"}

// five have of all that, and take a quarter of the time.
var five = []string{"ar", "de", "ja", "pl", "zh-Hans"}

// product is the configuration of a product with a web application, a Rails server, an Android and an iOS application, each with its own way to spell Chinese.
func product(languages []string, sent, got string) string {
	return "source_language = \"en\"\ntarget_languages = [\"" + strings.Join(languages, `", "`) + `"]
[project.language_paths]
"zh-Hans" = "zh-CN"
[project.push]
completion_state = "` + sent + `"
[project.pull]
completion_state = "` + got + `"
[[project.files]]
source = "web/en/*.json"
format = "structured-json"
output = "web/{LANGUAGE}/{NAME}.json"
collection = "web-{NAME}"
[[project.files]]
source = "config/locales/en.yml"
format = "structured-yaml"
output = "config/locales/{LANGUAGE}.yml"
collection = "rails"
[[project.files]]
source = "app/res/values/strings.xml"
output = "app/res/values-{LOCALE:ANDROID}/strings.xml"
collection = "android"
[[project.files]]
source = "ios/en.lproj/*.strings"
output = "ios/{LOCALE:IOS}.lproj/{NAME}.strings"
collection = "ios"
language_paths = { "zh-Hans" = "zh-Hans" }
`
}

// categories are the names of a language's plural forms.
func categories(language string) []string {
	var names []string
	for _, c := range plural.Categories(language) {
		names = append(names, c.Name)
	}
	return names
}

// productFiles are its files: translations that say the same as the source, empty ones, missing ones, plural forms as each language has them, and a layout that
// no machine would choose.
func productFiles(languages []string) map[string]string {
	files := map[string]string{
		"web/en/home.json":           "{\n  \"title\": \"Home\",\n  \"ok\": \"OK\",\n  \"menu\": { \"open\":   \"Open {{what}}\", \"n\": 3, \"later\": \"Later\" }\n}\n",
		"web/en/cart.json":           "{\n  \"title\": \"Cart\"\n}\n",
		"config/locales/en.yml":      "# of the server\nen:\n  hello: \"Hello %{name}\"   # to a person\n  items:\n    one: \"%{count} item\"\n    other: \"%{count} items\"\n",
		"app/res/values/strings.xml": "<resources>\n    <string name=\"save\">Save</string>\n    <plurals name=\"items\">\n        <item quantity=\"one\">%d item</item>\n        <item quantity=\"other\">%d items</item>\n    </plurals>\n    <string-array name=\"days\">\n        <item>Mon</item>\n        <item>Tue</item>\n    </string-array>\n</resources>\n",
		"ios/en.lproj/A.strings":     "/* A button */\n\"save\" = \"Save\";\n\"quit\" = \"Quit %@\";\n",
	}
	for i, l := range languages {
		web, ios := l, l
		if l == "zh-Hans" {
			web = "zh-CN"
		}
		later := fmt.Sprintf(", \"later\": \"Later %s\"", l)
		switch i % 3 {
		case 0:
			later = ""
		case 1:
			later = ", \"later\": \"\""
		}
		home := fmt.Sprintf("{\n\t\"title\" : \"Home %[1]s\",\n\t\"menu\": { \"open\":   \"%[1]s {{what}}\", \"n\": 3%[2]s },\n\t\"ok\": \"OK\"\n}", l, later)
		if i%4 == 0 {
			home = "\ufeff" + strings.ReplaceAll(home, "\n", "\r\n")
		}
		files["web/"+web+"/home.json"] = home
		if i%2 == 0 {
			files["web/"+web+"/cart.json"] = fmt.Sprintf("{\"title\": \"Cart %s\"}\n", l)
		}
		var yml, xml string
		for _, category := range categories(l) {
			yml += fmt.Sprintf("    %s: '%%{count} %s %s'\n", category, l, category)
			xml += fmt.Sprintf("    <item quantity=\"%s\">%%d %s</item>\n", category, l)
		}
		files["config/locales/"+web+".yml"] = fmt.Sprintf("%s:\n  items:\n%s  hello: %s %%{name}\n", web, yml, l)
		files["app/res/values-"+strings.ReplaceAll(web, "-", "-r")+"/strings.xml"] = fmt.Sprintf("<?xml version='1.0'?>\n<resources>\n  <plurals name=\"items\">\n%s  </plurals>\n  <!-- kept -->\n  <string-array name=\"days\"><item>1 %[2]s</item><item>2 %[2]s</item></string-array>\n  <string name=\"save\">Save</string>\n</resources>\n", xml, l)
		files["ios/"+ios+".lproj/A.strings"] = fmt.Sprintf("\"quit\"=\"%s %%@\";\n\n\"save\" = \"Save %[1]s\";\n", l)
	}
	return files
}

// A product with twenty languages in four formats is brought in: everything arrives in the state that is configured, the first pull changes nothing, and then one
// edit at the service brings one value.
func TestBringingAProductIn(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, c := range []struct {
		state     service.CompletionState
		least     string
		languages []string
	}{
		{service.Draft, "draft", five}, {service.Draft, "final", five}, {service.Intermediate, "final", five}, {service.Final, "final", twenty},
	} {
		t.Run(string(c.state)+" and "+c.least, func(t *testing.T) {
			t.Parallel()
			files := productFiles(c.languages)
			w := newWorld(t, product(c.languages, string(c.state), c.least), files)
			w.takesAll(w.pushes(push.Options{Translations: true}))
			for _, r := range w.wire.take("import") {
				if want := string(c.state); r.query.Get("language") != "en" && r.query.Get("completion-state") != want {
					t.Errorf("an import of %s as %s, want %s", r.query.Get("language"), r.query.Get("completion-state"), want)
				}
			}
			w.arrived(c.state)
			if p := w.pulls(pull.Options{}); p.Commit != "" || len(p.Files)+len(p.Problems) > 0 || w.show("l10n", "web/en/home.json") != "" {
				t.Fatalf("the first pull changed something: %+v", p)
			}
			w.wire.take("")
			w.reports(w.pushes(push.Options{}))
			w.silent()
			w.reports(w.clean(push.Options{Translations: true})) // nor is what could not be taken offered twice
			w.imported()
			w.upload(service.ImportRequest{Project: w.id, Collection: "web-home", Language: "pl", Format: "structured-json", CompletionState: service.Final,
				PathSeparator: "/", Files: []service.Upload{{Name: "t.json", Body: []byte(`{"menu": {"open": "Otwórz {{what}}"}}`)}}})
			p := w.pulls(pull.Options{})
			if len(p.Problems) > 0 || len(p.Files) != 1 || p.Files[0].Changed != 1 || p.Files[0].Added+p.Files[0].Removed != 0 {
				t.Errorf("%+v", p)
			}
			if got, want := w.show("l10n", "web/pl/home.json"), strings.Replace(files["web/pl/home.json"], "pl {{what}}", "Otwórz {{what}}", 1); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			if got := w.git("diff", "--numstat", "main", "l10n"); got != "1\t1\tweb/pl/home.json" {
				t.Errorf("changed: %s", got)
			}
			w.reports(w.pushes(push.Options{}))
		})
	}
}

// takesAll checks that a push reported nothing: plural forms that English lacks are taken in each of the formats.
func (w *world) takesAll(p report.ProjectPush) {
	w.tb.Helper()
	if len(p.Problems) > 0 {
		w.tb.Errorf("unexpected: %v", p.Problems)
	}
}

// arrived checks that the service has what the repository has, in this state and in no better one.
func (w *world) arrived(state service.CompletionState) {
	w.tb.Helper()
	states := []service.CompletionState{service.Draft, service.Intermediate, service.Final}
	for _, least := range states {
		for _, l := range []string{"pl", "zh-Hans", "ar"} {
			home, rails, ios, android := w.atLeast("web-home", l, least), w.atLeast("rails", l, least), w.atLeast("ios", l, least), w.atLeast("android", l, least)
			if slices.Index(states, least) > slices.Index(states, state) {
				if n := len(home) + len(rails) + len(ios) + len(android); n > 0 {
					w.tb.Errorf("%d translations into %s count as %s", n, l, least)
				}
				continue
			}
			if home["title"] != "Home "+l || home["ok"] != "OK" || home["menu/open"] != l+" {{what}}" || rails["hello"] != l+" %{name}" || ios["save"] != "Save "+l || android["save"] != "Save" {
				w.tb.Errorf("%s: %v %v %v %v", l, home, rails, ios, android)
			}
			for _, category := range categories(l) {
				if (category == "one" || category == "other") && !strings.Contains(rails["items/"+category]+rails["items"], category) || !strings.Contains(android["items"], category) {
					w.tb.Errorf("%s has no %s: %v %v", l, category, rails, android)
				}
			}
		}
	}
}

// A file of one language that does not parse is named; the language's other files and all other languages arrive.
func TestBringingABrokenFileIn(t *testing.T) {
	t.Parallel()
	files := productFiles(append([]string{"fr"}, five...))
	good := files["config/locales/fr.yml"]
	files["config/locales/fr.yml"] = "fr:\n  hello: \"Bon\n"
	w := newWorld(t, product(append([]string{"fr"}, five...), "final", "final"), files)
	broken := func(p report.Problem) bool {
		return p.File == "config/locales/fr.yml" && p.Line == 2 && strings.Contains(p.String(), "correct the file, which is skipped")
	}
	p := w.pushes(push.Options{Translations: true})
	if !slices.ContainsFunc(p.Problems, broken) {
		t.Errorf("the broken file is not named: %v", p.Problems)
	}
	w.holds("web-home", "fr", "title", "Home fr")
	w.holds("rails", "de", "hello", "de %{name}")
	got := w.pulls(pull.Options{})
	if got.Commit != "" || !slices.ContainsFunc(got.Problems, broken) {
		t.Errorf("%+v", got)
	}
	w.write("config/locales/fr.yml", good)
	w.commit()
	w.takesAll(w.pushes(push.Options{Translations: true}))
	w.holds("rails", "fr", "hello", "fr %{name}")
	if got := w.pulls(pull.Options{}); got.Commit != "" || len(got.Problems) > 0 {
		t.Errorf("%+v", got)
	}
}

// A form that the service left out is offered once, and named once, until it is another text, until it is asked for, or until the source has it.
func TestFormsAreOfferedOnce(t *testing.T) {
	t.Parallel()
	const ru = "ru:\n  items:\n    one: один\n    few: мало\n    many: много\n    other: прочее\n"
	w := newWorld(t, railsFiles, map[string]string{"config/locales/en.yml": "en:\n  items:\n    one: one\n    other: many\n", "config/locales/ru.yml": ru})
	offered := func(o push.Options, keys string) {
		t.Helper()
		o.Translations = true
		p := w.pushes(o)
		var sent []string
		for _, f := range p.Files {
			if f.Language == "ru" {
				sent = append(sent, strings.Join(f.Keys, " "))
			}
		}
		if got := strings.Join(sent, "; "); got != keys || len(p.Problems) > 0 != strings.Contains(keys, "items/few") {
			t.Fatalf("sent %q, want %q; problems %v", got, keys, p.Problems)
		}
	}
	offered(push.Options{}, "items/one items/other; items/few items/many")
	offered(push.Options{}, "")
	offered(push.Options{DryRun: true}, "")
	w.restart(w.Config)
	offered(push.Options{}, "")
	offered(push.Options{All: true}, "items/few items/many")
	w.write("config/locales/ru.yml", strings.Replace(ru, "мало", "немного", 1))
	offered(push.Options{}, "items/few")
	offered(push.Options{}, "")
	w.write("config/locales/en.yml", "en:\n  items:\n    one: one\n    many: lots\n    other: many\n")
	offered(push.Options{}, "items/many")
	w.holds("main", "ru", "items/many", "много")
	offered(push.Options{}, "")
	if _, there := w.at("main", "ru")["items/few"]; there {
		t.Error("the service has what it said it left out")
	}
}

// A first push that ends in the middle, with its last requests taken by the service or not, is made again and ends where an undisturbed one would have.
func TestBringingInIsTakenUpAgain(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for i, at := range []int{12, 25, 40} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, product(five, "final", "final"), productFiles(five))
			n := 0
			w.wire.failing(func(r *http.Request) local.Fault {
				if n++; n < at {
					return local.Fault{}
				}
				if n == at && i%2 == 0 {
					return local.Fault{Drop: true} // taken, and nobody was told
				}
				return local.Fault{Refuse: http.StatusForbidden} // not repeated by the client: the pass ends
			})
			_, err := w.Push(t.Context(), push.Options{Translations: true})
			if n < at {
				t.Fatalf("only %d requests", n)
			}
			if se := (*service.Error)(nil); !errors.As(err, &se) {
				t.Fatalf("it ended with %v", err)
			}
			w.wire.failing(nil)
			w.restart(w.Config)
			w.takesAll(w.pushes(push.Options{Translations: true}))
			w.arrived(service.Final)
			if p := w.pulls(pull.Options{}); p.Commit != "" || len(p.Files)+len(p.Problems) > 0 {
				t.Errorf("the first pull changed something: %+v", p)
			}
		})
	}
}
