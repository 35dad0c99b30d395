//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/report"
)

// countedFormat is a format that has plurals: its source file with one plural, how its entry in the configuration reads, and
// a file of translations with some categories.
type countedFormat struct {
	path, source  string
	entry, target string
	write         func(language string, all, have []string) string
}

// each writes something for each of some categories.
func each(have []string, format string) string {
	var b strings.Builder
	for _, category := range have {
		fmt.Fprintf(&b, format, category)
	}
	return b.String()
}

const (
	stringsdictHead = `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>n</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@n@</string><key>n</key><dict>
<key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>NSStringFormatValueTypeKey</key><string>d</string>
`
	stringsdictEnd = "</dict></dict></dict></plist>\n"
)

// formulas are those of gettext, whose indexes are the whole categories of a language in their order.
var formulas = map[string]string{
	"ja": "nplurals=1; plural=0;",
	"pl": "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
	"ru": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
	"ar": "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;",
	"cy": "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n==3 ? 3 : n==6 ? 4 : 5;",
}

var countedFormats = []countedFormat{
	{"res/values/strings.xml", `<resources><plurals name="n"><item quantity="one">%d day</item>` +
		`<item quantity="other">%d days</item></plurals></resources>`,
		`output = "res/values-{LOCALE:ANDROID}/strings.xml"`, "res/values-%s/strings.xml",
		func(_ string, _, have []string) string {
			return `<resources><plurals name="n">` + each(have, `<item quantity="%s">%%d x</item>`) + "</plurals></resources>"
		}},
	{"web/en.json", `{"n_one": "{{count}} day", "n_other": "{{count}} days"}`,
		`output = "web/{LANGUAGE}.json"`, "web/%s.json",
		func(_ string, _, have []string) string {
			return "{" + strings.TrimSuffix(each(have, `"n_%s": "{{count}} x",`), ",") + "}"
		}},
	{"rails/en.yml", "en:\n  n:\n    one: \"%{count} day\"\n    other: \"%{count} days\"\n",
		"format = \"structured-yaml\"\noutput = \"rails/{LANGUAGE}.yml\"", "rails/%s.yml",
		func(language string, _, have []string) string {
			return language + ":\n  n:\n" + each(have, "    %s: \"%%{count} x\"\n")
		}},
	{"ios/en.lproj/L.stringsdict", stringsdictHead + "<key>one</key><string>%d day</string><key>other</key>" +
		"<string>%d days</string>" + stringsdictEnd,
		`output = "ios/{LANGUAGE}.lproj/L.stringsdict"`, "ios/%s.lproj/L.stringsdict",
		func(_ string, _, have []string) string {
			return stringsdictHead + each(have, "<key>%s</key><string>%%d x</string>") + stringsdictEnd
		}},
	{"po/app.pot", "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n" +
		"#, c-format\nmsgid \"%d day\"\nmsgid_plural \"%d days\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n",
		`output = "po/{LANGUAGE}.po"`, "po/%s.po",
		func(language string, all, have []string) string {
			text := "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\"Language: " + language +
				"\\n\"\n\"Plural-Forms: " + formulas[language] + "\\n\"\n\n#, c-format\nmsgid \"%d day\"\nmsgid_plural \"%d days\"\n"
			for i, category := range all {
				said := ""
				if slices.Contains(have, category) {
					said = "%d x"
				}
				text += fmt.Sprintf("msgstr[%d] %q\n", i, said)
			}
			return text
		}},
	{"lib/app_en.arb", `{"@@locale": "en", "n": "{count, plural, one{{count} day} other{{count} days}}"}`,
		`output = "lib/app_{LANGUAGE}.arb"`, "lib/app_%s.arb",
		func(language string, all, have []string) string {
			if slices.Contains(all, "other") && !slices.Contains(have, "other") {
				return fmt.Sprintf(`{"@@locale": %q}`, language) // a message has to have it
			}
			branches := each(slices.DeleteFunc(slices.Clone(have), func(c string) bool { return c == "other" }), "%s{{count} x} ")
			return fmt.Sprintf(`{"@@locale": %q, "n": "{count, plural, %sother{{count} x}}"}`, language, branches)
		}},
}

// A plural is one key, and complete when it has the categories of its language for whole numbers, in every format and
// wherever keys are counted: the same number of missing keys is in status, check --missing, metrics, the table, the badge
// and on the page, and ends status --fail-if-incomplete.
func TestPluralsCountAlike(t *testing.T) {
	gittest.Long(t)
	for language, all := range map[string][]string{"ja": {"other"}, "pl": {"one", "few", "many"},
		"ru": {"one", "few", "many"}, "ar": {"zero", "one", "two", "few", "many", "other"},
		"cy": {"zero", "one", "two", "few", "many", "other"}} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			w := newDaemonWorld(t)
			w.check(w.svc.EnsureProject(daemonProject, "app", "en", []string{language}))
			text := fmt.Sprintf("[service]\nurl = %q\naccount_id = \"acc\"\n[daemon]\nlisten = %q\n[[project]]\nname = \"app\"\n"+
				"id = %q\nsource_language = \"en\"\ntarget_languages = [%q]\n[project.push]\nenabled = false\n"+
				"[project.pull]\nenabled = false\nremote = \"\"\n", w.service.URL, strings.TrimPrefix(w.url, "http://"),
				daemonProject, language)
			for i, f := range countedFormats {
				w.place(f.path, f.source)
				text += fmt.Sprintf("[[project.files]]\nsource = %q\ncollection = \"c%d\"\n%s\n", f.path, i, f.entry)
			}
			w.place("locsync.toml", text)
			w.translated(language, all, all)
			cmd := w.start()
			w.missing(language, 0)
			for i := range all {
				w.translated(language, all, slices.Delete(slices.Clone(all), i, i+1))
				w.missing(language, len(countedFormats))
			}
			w.check(cmd.Process.Signal(os.Interrupt))
			w.ends(cmd, guard)
		})
	}
}

// place writes a file of the repository, and its folder.
func (w *daemonWorld) place(path, text string) {
	w.t.Helper()
	path = filepath.Join(w.repo, path)
	w.check(os.MkdirAll(filepath.Dir(path), 0o755))
	w.check(os.WriteFile(path, []byte(text), 0o644))
}

// translated writes the files of a language with some of its categories.
func (w *daemonWorld) translated(language string, all, have []string) {
	w.t.Helper()
	for _, f := range countedFormats {
		w.place(fmt.Sprintf(f.target, language), f.write(language, all, have))
	}
}

// missing fails where not everything that counts keys says that this number is missing.
func (w *daemonWorld) missing(language string, want int) {
	w.t.Helper()
	all := len(countedFormats)
	percent := 100 * (all - want) / all
	var check struct {
		Projects []struct {
			Problems []report.Problem `json:"problems"`
		} `json:"projects"`
	}
	w.check(json.Unmarshal([]byte(w.says("check", "--missing", "--json").out), &check))
	var gaps []string
	for _, p := range check.Projects[0].Problems {
		if p.Code == report.CodeGap {
			gaps = append(gaps, p.File)
		}
	}
	if len(gaps) != want {
		w.t.Errorf("%s: check --missing names %v, want %d", language, gaps, want)
	}
	if code := w.says("status", "--fail-if-incomplete", "100").code; (code == report.ExitPartial) != (want > 0) {
		w.t.Errorf("%s: status --fail-if-incomplete ends with %d, and %d are missing", language, code, want)
	}
	cells := fmt.Sprintf("<td>%d</td><td>%d</td>", all-want, want) // of the page's table of languages
	if want == 0 {
		cells = "complete"
	}
	var otherwise string
	defer func() {
		if otherwise != "" {
			w.t.Logf("otherwise: %s", otherwise)
		}
	}()
	w.until(fmt.Sprintf("%s: %d keys are missing everywhere", language, want), func() bool {
		sample := fmt.Sprintf(`missing_keys{language=%q,project="app"}`, language)
		for path, said := range map[string]string{
			"/api/status":                     fmt.Sprintf(`"missing":%d`, want),
			"/api/status.csv":                 fmt.Sprintf(",%d,%d,", all-want, want),
			"/badge/app/" + language + ".svg": fmt.Sprintf("%d %%", percent),
			"/":                               cells,
		} {
			if _, body := w.get(path); !strings.Contains(strings.ReplaceAll(body, `": `, `":`), said) {
				otherwise = path + " does not say " + said + ": " + body
				return false
			}
		}
		otherwise = ""
		return w.metric(sample) == float64(want)
	})
}
