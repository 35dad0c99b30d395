package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/programs/programtest"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/text/plural"
)

// counting are languages of one to six categories.
var counting = []string{"ar", "cs", "cy", "de", "fr", "he", "ja", "lt", "pl", "pt-BR", "ru", "sl"}

// counts are those that a program prints a text for; wholeCounts without the fraction.
var (
	counts      = append(wholeCounts, 1.5)
	wholeCounts = func() (all []float64) {
		for n := range 26 {
			all = append(all, float64(n))
		}
		return append(all, 100)
	}()
)

// counted is a plural of a program: its key at the service, and how the program is asked for it.
type counted struct {
	key, ask string
	options  map[string]any
	kind     plural.Kind
}

// question is one for a library; see testdata.
type question struct {
	Library  string    `json:"library"`
	Language string    `json:"language"`
	Texts    any       `json:"texts"`
	Ask      [][]any   `json:"ask"`
	Counts   []float64 `json:"counts"`
}

// message is a translation with all forms of a language, each of which says its name.
func (c counted) message(language, number string) string {
	categories := plural.Categories(language)
	if c.kind == plural.Ordinal {
		categories = plural.Ordinals(language)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "{count, %s,", c.kind)
	for _, category := range categories {
		fmt.Fprintf(&b, " %s {%s %[1]s %[3]s}", category.Name, number, strings.TrimPrefix(c.key, number))
	}
	return b.String() + "}"
}

// judged is a file of plurals, and the library that prints them.
type judged struct {
	files   string // of the configuration
	source  map[string]string
	target  string // path of the translations, %s the language
	plurals []counted
	counts  []float64
	sign    string // the placeholder of the number, in the file
	number  string // the same in translations
	library string
	judge   func(t *testing.T) *programtest.Judge
	ask     func(t *testing.T, j *programtest.Judge, q question) [][]string // nil: in JSON
	except  func(language string, count float64) bool                       // what the library chooses otherwise than CLDR, for a reason
}

// prints translates all plurals into all languages at the service, pulls, and compares what the library prints of the files
// with what the service holds.
func (j judged) prints(t *testing.T) {
	t.Helper()
	gittest.Long(t)
	t.Parallel()
	messages, programs := node(t), j.judge(t)
	languages, err := json.Marshal(counting)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, fmt.Sprintf("source_language = \"en\"\ntarget_languages = %s\n[project.pull]\nremote = \"\"\n"+
		"[[project.files]]\n%s", languages, j.files), j.source)
	w.clean(push.Options{})
	for _, language := range counting {
		var keysAndTexts []string
		for _, c := range j.plurals {
			keysAndTexts = append(keysAndTexts, c.key, c.message(language, j.number))
		}
		w.final(language, keysAndTexts...)
	}
	w.pullsClean()
	compared := 0
	for _, language := range counting {
		held := w.at("main", language)
		var ask, keys [][]any
		for _, c := range j.plurals {
			if held[c.key] == "" {
				t.Fatalf("%s: the service holds nothing for %s", language, c.key)
			}
			ask, keys = append(ask, []any{c.ask, c.options}), append(keys, []any{c.key})
		}
		var want, got [][]string
		messages.Question(t, question{"message", language, held, keys, j.counts}, &want)
		var texts any = w.show("l10n", fmt.Sprintf(j.target, language))
		if strings.HasSuffix(j.target, ".json") {
			texts = json.RawMessage(texts.(string))
		}
		q := question{j.library, language, texts, ask, j.counts}
		if j.ask == nil {
			programs.Question(t, q, &got)
		} else {
			got = j.ask(t, programs, q)
		}
		for i, c := range j.plurals {
			for n, count := range j.counts {
				expected := strings.ReplaceAll(want[i][n], j.sign, fmt.Sprint(count))
				if got[i][n] != expected && (j.except == nil || !j.except(language, count)) {
					t.Errorf("%s, %v of %s: the program prints %q, the service holds %q", language, count, c.ask, got[i][n], expected)
				}
				compared++
			}
		}
	}
	t.Logf("%d texts compared", compared)
}

func node(t *testing.T) *programtest.Judge {
	t.Helper()
	return programtest.Node(t, "testdata/plurals.mjs")
}

const jsonOfPlurals = "source = \"en.json\"\nformat = \"structured-json\"\noutput = \"{LANGUAGE}.json\"\n"

// What i18next prints for a count is what the service holds for it: cardinal and ordinal, nested, with contexts.
func TestI18nextPrintsWhatTheServiceHolds(t *testing.T) {
	judged{
		files: jsonOfPlurals,
		source: map[string]string{"en.json": `{
  "cart_one": "{{count}} cart",
  "cart_other": "{{count}} carts",
  "deep": {
    "item_one": "{{count}} item",
    "item_other": "{{count}} items"
  },
  "place_ordinal_one": "{{count}}st",
  "place_ordinal_two": "{{count}}nd",
  "place_ordinal_few": "{{count}}rd",
  "place_ordinal_other": "{{count}}th",
  "friend_male_one": "{{count}} boyfriend",
  "friend_male_other": "{{count}} boyfriends",
  "friend_one": "{{count}} friend",
  "friend_other": "{{count}} friends"
}
`},
		target: "%s.json",
		plurals: []counted{
			{"cart", "cart", nil, plural.Cardinal},
			{"deep/item", "deep.item", nil, plural.Cardinal},
			{"place_ordinal", "place", map[string]any{"ordinal": true}, plural.Ordinal},
			{"friend_male", "friend", map[string]any{"context": "male"}, plural.Cardinal},
			{"friend", "friend", nil, plural.Cardinal},
		},
		counts: counts, sign: "{{count}}", number: "#", library: "i18next", judge: node,
	}.prints(t)
}

// The same in i18next's third version, whose rules are for whole numbers.
func TestI18next3PrintsWhatTheServiceHolds(t *testing.T) {
	judged{
		files:   jsonOfPlurals,
		source:  map[string]string{"en.json": "{\n  \"day\": \"{{count}} day\",\n  \"day_plural\": \"{{count}} days\"\n}\n"},
		target:  "%s.json",
		plurals: []counted{{"day", "day", nil, plural.Cardinal}},
		counts:  wholeCounts, sign: "{{count}}", number: "#", library: "i18next3", judge: node,
		// Its four forms of Hebrew and Welsh are not those of CLDR: multiples of ten, and 8 and 11, have one of their own.
		except: func(language string, count float64) bool {
			welsh := slices.Contains([]float64{0, 3, 6, 8, 11}, count)
			return language == "he" && count > 10 && int(count)%10 == 0 || language == "cy" && welsh
		},
	}.prints(t)
}

// The same of i18next-icu, whose files have messages.
func TestI18nextICUPrintsWhatTheServiceHolds(t *testing.T) {
	judged{
		files:   jsonOfPlurals,
		source:  map[string]string{"en.json": "{\n  \"day\": \"{count, plural, one {# day} other {# days}}\"\n}\n"},
		target:  "%s.json",
		plurals: []counted{{"day", "day", nil, plural.Cardinal}},
		counts:  wholeCounts, sign: "#", number: "#", library: "icu", judge: node,
	}.prints(t)
}

// The same of Rails.
func TestRailsPrintsWhatTheServiceHolds(t *testing.T) {
	judged{
		files: "source = \"config/locales/en.yml\"\nformat = \"structured-yaml\"\noutput = \"config/locales/{LANGUAGE}.yml\"\n",
		source: map[string]string{"config/locales/en.yml": "en:\n  files:\n    one: \"%{count} file\"\n    other: " +
			"\"%{count} files\"\n  deep:\n    users:\n      one: \"%{count} user\"\n      other: \"%{count} users\"\n"},
		target:  "config/locales/%s.yml",
		plurals: []counted{{"files", "files", nil, plural.Cardinal}, {"deep/users", "deep.users", nil, plural.Cardinal}},
		counts:  counts, sign: "%{count}", number: "#",
		judge: func(t *testing.T) *programtest.Judge {
			t.Helper()
			return programtest.Script(t, "testdata/plurals.rb", "ruby", "-ri18n", "-e", "1")
		},
		// The rules of rails-i18n for these languages are for whole numbers.
		except: func(language string, count float64) bool {
			return count == 1.5 && slices.Contains([]string{"cs", "lt", "sl"}, language)
		},
	}.prints(t)
}

// indexes are the formulas of gettext's manual, and for Hebrew the one that translation services write.
var indexes = map[string]string{
	"ar": "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;",
	"cs": "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;",
	"cy": "nplurals=6; plural=(n==0) ? 0 : (n==1) ? 1 : (n==2) ? 2 : (n==3) ? 3 : (n==6) ? 4 : 5;",
	"de": "nplurals=2; plural=(n != 1);", "fr": french, "he": hebrew, "ja": "nplurals=1; plural=0;",
	"lt":    "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);",
	"pl":    "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
	"pt-BR": "nplurals=2; plural=(n > 1);",
	"ru":    "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
	"sl":    "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);",
}

// The same of gettext: msgfmt compiles what was pulled, and ngettext prints it.
func TestGettextPrintsWhatTheServiceHolds(t *testing.T) {
	for _, program := range []string{"msgfmt", "ngettext"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed (gettext)")
		}
	}
	files := map[string]string{"po/app.pot": poTemplate}
	for language, formula := range indexes {
		blank := poFilesEntry
		var forms int
		if _, err := fmt.Sscanf(formula, "nplurals=%d;", &forms); err != nil {
			t.Fatal(err)
		}
		for i := range forms {
			blank += fmt.Sprintf("msgstr[%d] \"\"\n", i)
		}
		files["po/"+language+".po"] = poFile(language, formula, blank)
	}
	compiled := t.TempDir()
	judged{
		files:   "source = \"po/app.pot\"\noutput = \"po/{LANGUAGE}.po\"\n",
		source:  files,
		target:  "po/%s.po",
		plurals: []counted{{"%d file", "%d file", nil, plural.Cardinal}},
		counts:  wholeCounts, sign: "%d", number: "%d",
		judge: func(t *testing.T) *programtest.Judge {
			t.Helper()
			cmd := exec.Command("sh", "-c", `while read -r language n; do
				LANGUAGE=$language ngettext -d app "%d file" "%d files" "$n"; echo; done`)
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TEXTDOMAINDIR="+compiled)
			return programtest.Start(t, cmd)
		},
		ask: func(t *testing.T, j *programtest.Judge, q question) [][]string {
			t.Helper()
			name := strings.ReplaceAll(q.Language, "-", "_")
			folder := filepath.Join(compiled, name, "LC_MESSAGES")
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("msgfmt", "--check-format", "-o", filepath.Join(folder, "app.mo"), "-")
			cmd.Stdin = strings.NewReader(q.Texts.(string))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %s\n%s", q.Language, out, q.Texts)
			}
			var lines []string
			for _, count := range q.Counts {
				lines = append(lines, fmt.Sprint(name, " ", count))
			}
			printed := j.Ask(t, lines)
			for i, count := range q.Counts {
				printed[i] = strings.ReplaceAll(printed[i], "%d", fmt.Sprint(count))
			}
			return [][]string{printed}
		},
	}.prints(t)
}

// A pull that takes out what the source does not have keeps the contexts of i18next.
func TestPruneKeepsContexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{
		"package.json":        `{"dependencies": {"i18next": "26"}}`,
		"locales/en/app.json": "{\n  \"friend\": \"A {{kind}} friend\"\n}\n",
		"locales/de/app.json": "{\n  \"friend\": \"{{kind}} Freund\",\n  \"friend_female\": \"{{kind}} Freundin\",\n" +
			"  \"foe\": \"Feind\"\n}\n",
	})
	w.clean(push.Options{Translations: true})
	w.gains(w.pulls(pull.Options{Prune: true}), "locales/de/app.json (de): +0 ~0 -1")
	w.has("l10n", "locales/de/app.json", "{\n  \"friend\": \"{{kind}} Freund\",\n  \"friend_female\": \"{{kind}} Freundin\"\n}\n")
}
