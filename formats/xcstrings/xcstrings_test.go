package xcstrings

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// catalog has every kind of entry, laid out as Xcode does it.
var catalog = func() string {
	src, err := os.ReadFile("testdata/Localizable.xcstrings")
	if err != nil {
		panic(err)
	}
	return string(src)
}()

// compact is the catalog without white space.
func compact(t testing.TB, src string) string {
	t.Helper()
	var out strings.Builder
	quoted := false
	for i := 0; i < len(src); i++ {
		if src[i] == '"' && src[i-1] != '\\' {
			quoted = !quoted
		}
		if quoted || strings.IndexByte(" \r\n\t", src[i]) < 0 {
			out.WriteByte(src[i])
		}
	}
	if !json.Valid([]byte(out.String())) {
		t.Fatal(out.String())
	}
	return out.String()
}

func examples(t testing.TB) []string {
	return []string{
		catalog,
		strings.ReplaceAll(catalog, "\n", "\r\n"),
		"\ufeff" + strings.ReplaceAll(catalog, "  ", "\t"),
		strings.ReplaceAll(catalog, " : ", ": "),
		compact(t, catalog),
		strings.Replace(catalog, `"sourceLanguage" : "en",`, "", 1) + "",
		`{}`, `{"strings":{}}`, `{"sourceLanguage":"en","strings":{}}`, `{"sourceLanguage":"en","version":"1.0"}`,
		`{"strings":{"a":{}},"sourceLanguage":"en"}`,
		`{"sourceLanguage":"en","strings":{"a":{},"a":{"localizations":{"de":{"stringUnit":{"value":"A"}}}}}}`,
		`{"sourceLanguage":"en","strings":{"a":{"localizations":{"DE":{"stringUnit":{"value":"A","state":"needs_review"}}}}}}`,
		`{"sourceLanguage":"de","strings":{"a":{"localizations":{"de":{"stringUnit":{"value":"A","extra":[1,{"x":"}"}]}}}}}}`,
		`{"sourceLanguage":"en","strings":{"a":{"localizations":{"de":{"variations":{"width":{"1":{"stringUnit":{"value":"A"}}}}}}}}}`,
		`{"sourceLanguage":"en","strings":{"a":{"localizations":{"de":{},"en":{}}}},"x":{"strings":{"b":{}}}}`,
		`{"sourceLanguage":"en","strings":{"a\"\u0041":{"localizations":{"de":{"stringUnit":{"state":"new","value":""}}}}}}`,
		`{ "sourceLanguage": "en", "strings": { "a": { "localizations": { "fr": {"stringUnit": { "value": "x" } } } }, "b": {} } }`,
		`{"sourceLanguage":"en","strings":{"a":{"localizations":{"en":{"variations":{"plural":{"other":{"stringUnit":{"value":"x"}}}}},` +
			`"de":{"stringUnit":{"value":"y"}}}},"b":{"localizations":{"de":{"variations":{"device":{"mac":{"stringUnit":{"value":"y"}}}}}}}}}`,
	}
}

var languages = []string{"", "de", "ru", "fr", "pt-BR"}

func laws(t testing.TB, src []byte, language string, any bool) *resource.File {
	t.Helper()
	return resourcetest.Check(t, resourcetest.Case{
		Grammar: Grammar, Keys: resource.Keys{Language: language}, Src: src, Any: any,
		NewTexts: []string{"", "\n", `"\/`, "é 😀 \u2028"},
		Undone: func(f *resource.File, _ string) bool {
			return f.Len() > 1 && isSource(f)
		},
		Refuses: resourcetest.Rules("no such key", "left to Xcode", "does not say its", "half of a surrogate pair",
			"without a key", "other keys are below it", "source file puts its keys together in another way"),
	})
}

func TestLaws(t *testing.T) {
	for i, src := range examples(t) {
		for _, language := range languages {
			t.Run(fmt.Sprint(i, language), func(t *testing.T) {
				if laws(t, []byte(src), language, false) == nil {
					t.Errorf("%q is refused", src)
				}
			})
		}
	}
}

func FuzzLaws(f *testing.F) {
	resourcetest.Seeds(f)
	for _, src := range examples(f) {
		for _, language := range languages {
			f.Add([]byte(src), language)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, language string) {
		for _, src := range resourcetest.Mutants(src) {
			if len(src) < 8<<10 {
				laws(t, src, language, true)
			}
		}
	})
}

func parse(t testing.TB, src, language string) *resource.File {
	t.Helper()
	f, err := resource.Parse(Grammar, resource.Keys{Language: language}, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func texts(f *resource.File) (all []string) {
	for e := range f.Entries() {
		if e.Kind == resource.Text {
			all = append(all, fmt.Sprintf("%s[%s] = %s # %s", e.Key, e.Form, e.Text, e.Note))
		}
	}
	return all
}

func TestEntries(t *testing.T) {
	for language, want := range map[string][]string{
		"": {
			`%@ of %lld[] = %1$@ of %2$lld # Page "x" of y`,
			"%lld items[one] = %lld item # ", "%lld items[other] = %lld items # ",
			"Cancel[] = Cancel # A button", "Save[] = Save # ",
			"Tap|==|device.iphone[] = Tap here # ", "Tap|==|device.mac[one] = Click %lld thing # ",
			"Tap|==|device.mac[other] = Click %lld things # ", "Tap|==|device.other[] = Choose here # ",
			"users.in.groups|==|string[] = %#@users@ in %#@groups@ # ",
			"users.in.groups|==|substitutions.groups[one] = %arg group # ",
			"users.in.groups|==|substitutions.groups[other] = %arg groups # ",
			"users.in.groups|==|substitutions.users[one] = %arg user # ",
			"users.in.groups|==|substitutions.users[other] = %arg users # ",
		},
		"de": {"%@ of %lld[] = %1$@ von %2$lld # ", "Cancel[] = Abbrechen # "},
		"RU": {"%lld items[few] = %lld предмета # ", "%lld items[many] = %lld предметов # ",
			"%lld items[one] = %lld предмет # ", "%lld items[other] = %lld предмета # "},
		"fr": nil,
	} {
		if got := texts(parse(t, catalog, language)); !slices.Equal(got, want) {
			t.Errorf("%s: %q", language, got)
		}
	}
}

// rewritten makes edits in a language of the catalog, in the order of its source.
func rewritten(t *testing.T, src, language string, edits ...resource.Edit) (string, []resource.Refusal) {
	t.Helper()
	out, refused := parse(t, src, language).Rewrite(edits, parse(t, src, ""))
	return string(out), refused
}

func set(key, form, text string) resource.Edit {
	return resource.Edit{Op: resource.Set, Key: key, Form: form, Text: text}
}

func remove(key, form string) resource.Edit {
	return resource.Edit{Op: resource.Remove, Key: key, Form: form}
}

// indented is a text whose lines are indented by some levels more.
func indented(levels int, text string) string {
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat("  ", levels))
}

const french = `"fr" : {
  "stringUnit" : {
    "state" : "translated",
    "value" : "Enregistrer"
  }
}`

// What comes is where Xcode would put it, and what goes leaves what Xcode would leave.
func TestLayout(t *testing.T) {
	const saveEmpty = "    \"Save\" : {\n\n    }"
	save := func(localization string) string {
		return "    \"Save\" : {\n      \"localizations\" : {\n        " + indented(4,
			localization) + "\n      }\n    }"
	}
	for _, c := range []struct {
		what, language string
		edits          []resource.Edit
		old, new       string
	}{
		{"a value", "de", []resource.Edit{set("%@ of %lld", "", "%1$@/%2$lld")}, "%1$@ von %2$lld", "%1$@/%2$lld"},
		{"a value to be reviewed", "de", []resource.Edit{set("Cancel", "", "Abbruch")},
			"\"needs_review\",\n            \"value\" : \"Abbrechen\"",
			"\"translated\",\n            \"value\" : \"Abbruch\""},
		{"a new unit", "ru", []resource.Edit{set("Cancel", "", "Отмена")},
			"\"new\",\n            \"value\" : \"Cancel\"", "\"translated\",\n            \"value\" : \"Отмена\""},
		{"the first language", "fr", []resource.Edit{set("Save", "", "Enregistrer")}, saveEmpty, save(french)},
		{"the text of a key", "en", []resource.Edit{set("Save", "", "Store")}, saveEmpty,
			save(strings.NewReplacer("fr", "en", "Enregistrer", "Store").Replace(french))},
		{"a language between two", "fr", []resource.Edit{set("Cancel", "", "Enregistrer")},
			"        },\n        \"ru\" : {\n          \"stringUnit\"",
			"        },\n        " + indented(4, french) + ",\n        \"ru\" : {\n          \"stringUnit\""},
		{"the only language", "de", []resource.Edit{remove("Cancel", ""), remove("%@ of %lld", "")},
			between(catalog, "        \"de\" : {", "        \"en\""), ""},
	} {
		got, refused := rewritten(t, catalog, c.language, c.edits...)
		want := strings.Replace(catalog, c.old, c.new, 1)
		if c.what == "the only language" {
			want = strings.Replace(want, between(want,
				"        \"de\" : {\n          \"stringUnit\" : {\n            \"state\" : \"needs",
				"        \"ru\""), "", 1)
		}
		if len(refused) > 0 || got != want || got == catalog {
			t.Errorf("%s: %v\n%s", c.what, refused, got)
		}
	}
}

// between is what a text has from one part of it to another.
func between(text, from, to string) string {
	at := strings.Index(text, from)
	return text[at : at+strings.Index(text[at:], to)]
}

// Forms, devices and substitutions come all at once into a language that has nothing of them, and one by one.
func TestVariations(t *testing.T) {
	all := []resource.Edit{
		set("%lld items", "one", "%lld élément"), set("%lld items", "many", "%lld d’éléments"), set("%lld items",
			"other", "%lld éléments"),
		set("Tap|==|device.mac", "one", "Cliquez %lld"), set("Tap|==|device.mac", "other", "Cliquez %lld s"),
		set("Tap|==|device.iphone", "", "Touchez"), set("Tap|==|device.other", "", "Choisissez"),
		set("users.in.groups|==|string", "", "%#@users@ dans %#@groups@"),
		set("users.in.groups|==|substitutions.users", "one", "%arg u"),
		set("users.in.groups|==|substitutions.users", "other", "%arg us"),
		set("users.in.groups|==|substitutions.groups", "one", "%arg g"),
		set("users.in.groups|==|substitutions.groups", "other", "%arg gs"),
	}
	once, refused := rewritten(t, catalog, "fr", all...)
	if len(refused) > 0 {
		t.Fatal(refused)
	}
	one := catalog
	for i := range all {
		if one, refused = rewritten(t, one, "fr", all[(5*i)%len(all)]); len(refused) > 0 {
			t.Fatal(all[(5*i)%len(all)], refused)
		}
	}
	if once != one {
		t.Errorf("at once\n%s\n one by one\n%s", once, one)
	}
	if got := sortedJSON(t, once); got != once {
		t.Errorf("Xcode would write\n%s\nnot\n%s", got, once)
	}
	for _, want := range []string{"\"argNum\" : 2,\n              \"formatSpecifier\" : \"lld\",\n              \"variations\"",
		"\"many\" : {\n                \"stringUnit\""} {
		if strings.Count(once, want) < 2 {
			t.Errorf("%s is missing in\n%s", want, once)
		}
	}
	var gone []resource.Edit
	for _, e := range all {
		gone = append(gone, remove(e.Key, e.Form))
	}
	if back, refused := rewritten(t, once, "fr", gone...); len(refused) > 0 || back != catalog {
		t.Errorf("%v\n%s", refused, back)
	}
}

// The text of substitutions and their forms come and go one by one, whichever is first and whichever is the last.
func TestSubstitutions(t *testing.T) {
	one := []resource.Edit{set("n|==|string", "", "%#@n@"), set("n|==|substitutions.n", "one", "%arg a"),
		set("n|==|substitutions.n", "other", "%arg as")}
	two := append(slices.Clone(one[1:]), set("n|==|string", "", "%#@n@, %2$#@m@"),
		set("n|==|substitutions.m", "other", "%arg b"))
	for _, all := range [][]resource.Edit{one, two} {
		src := `{"sourceLanguage":"en","strings":{"n":{"localizations":{"en":{` +
			unitOf("translated", "%#@n@, %2$#@m@") +
			`,"substitutions":{"m":{"argNum":2,"formatSpecifier":"lld",` + plurals("other", "%arg m") +
			`},"n":{"argNum":1,"formatSpecifier":"lld",` + plurals("other", "%arg n") + `}}}}}}}`
		for first := range all {
			for step := 1; step < len(all); step++ {
				if len(all)%step == 0 && step > 1 {
					continue
				}
				now := src
				for _, act := range []func(resource.Edit) resource.Edit{
					func(e resource.Edit) resource.Edit { return e },
					func(e resource.Edit) resource.Edit { return remove(e.Key, e.Form) },
				} {
					for i := range all {
						e := act(all[(first+i*step)%len(all)])
						var refused []resource.Refusal
						if now, refused = rewritten(t, now, "de", e); len(refused) > 0 {
							t.Fatalf("%v of %v: %v\n%s", e, all, refused, now)
						}
					}
				}
				if now != src {
					t.Errorf("from %d by %d:\n%s\nnot\n%s", first, step, now, src)
				}
			}
		}
	}
	// Nothing but its substitution says of a source text that it has one.
	src := in(of("en", unitOf("translated", "%#@n@")+`,"substitutions":{"n":{`+plurals("other", "%arg")+`}}`))
	form := remove("k|==|substitutions.n", "other")
	if out, refused := rewritten(t, src, "", form); out != src || len(refused) != 1 ||
		!strings.Contains(refused[0].Error(), "last form of the only substitution") {
		t.Errorf("%v\n%s", refused, out)
	}
	if out, refused := rewritten(t, src, "", form, remove("k|==|string", "")); len(refused) > 0 ||
		strings.Contains(out, "%arg") {
		t.Errorf("%v\n%s", refused, out)
	}
}

// sortedJSON is a catalog as Xcode writes it, made by another writer of JSON.
func sortedJSON(t *testing.T, src string) string {
	t.Helper()
	var all any
	if err := json.Unmarshal([]byte(src), &all); err != nil {
		t.Fatal(err)
	}
	var write func(v any, line string) string
	write = func(v any, line string) string {
		object, ok := v.(map[string]any)
		if !ok {
			out, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(out))
		}
		var members []string
		for name := range object {
			members = append(members, name)
		}
		slices.SortFunc(members, compare)
		for i, name := range members {
			members[i] = write(name, "") + " : " + write(object[name], line+"  ")
		}
		if len(members) == 0 {
			return "{\n" + line + "}"
		}
		return "{" + line + "  " + strings.Join(members, ","+line+"  ") + line + "}"
	}
	return write(all, "\n")
}

// A plain translation makes room for the forms that its source has now, and forms for a plain one.
func TestOtherShapes(t *testing.T) {
	const plain = `{"sourceLanguage":"en","strings":{"n":{"localizations":{"de":{"stringUnit":{"state":"translated","value":"%d"}},` +
		`"en":{"variations":{"plural":{"one":{"stringUnit":{"state":"translated","value":"%d x"}},` +
		`"other":{"stringUnit":{"state":"translated","value":"%d xs"}}}}}}}}}`
	const varied = `{"sourceLanguage":"en","strings":{"n":{"localizations":{"de":{"variations":{"plural":{` +
		`"other":{"stringUnit":{"state":"translated","value":"y"}}}}}}}}}`
	out, refused := rewritten(t, plain, "de", remove("n", ""), set("n", "one", "a"), set("n", "other", "b"))
	if len(refused) > 0 || !strings.Contains(out,
		`"de":{"variations":{"plural":{"one":{"stringUnit":{"state":"translated","value":"a"}},"other":`) {
		t.Errorf("%v %s", refused, out)
	}
	out, refused = rewritten(t, varied, "de", remove("n", "other"), set("n", "", "a"))
	if len(refused) > 0 || !strings.Contains(out, `"de":{"stringUnit":{"state":"translated","value":"a"}}`) {
		t.Errorf("%v %s", refused, out)
	}
}

func TestOrder(t *testing.T) {
	sorted := []string{"", "%lld", "2 x", "10 x", "a", "B", "b", "de", "en", "en-GB", "pt", "pt-BR",
		"zh-Hans", "zh-Hant", "zh-HK"}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := compare(a, b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%q and %q: %d", a, b, got)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for _, src := range []string{`[]`, `{"strings":[]}`, `{"strings":{"a":1}}`,
		`{"strings":{"a":{"localizations":[]}}}`, `{"sourceLanguage":1}`,
		"{\"strings\":{}} // c", `{"strings":{"a":{}},}`, `{"strings":{},"strings":{}}`,
		`{"strings":{"a":{"localizations":{"de":{]}}}`} {
		if f, err := resource.Parse(Grammar, resource.Keys{}, []byte(src)); err == nil {
			t.Errorf("%s: %d nodes", src, f.Len())
		}
	}
}

func BenchmarkParse(b *testing.B) {
	var all []string
	for i := range 400 {
		all = append(all, strings.NewReplacer(`%lld items`, fmt.Sprintf("%%lld items %d", i), "Cancel",
			fmt.Sprintf("Cancel %d", i)).
			Replace(between(catalog, "    \"%@ of", "    \"MyApp")))
	}
	src := []byte("{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {\n" + strings.TrimSuffix(strings.Join(all, ""),
		",\n") + "\n  }\n}")
	for _, language := range []string{"", "ru", "fr"} {
		b.Run("language "+language, func(b *testing.B) {
			resourcetest.Bench(b, src, func() {
				if _, err := resource.Parse(Grammar, resource.Keys{Language: language}, src); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// everySecondKey is a catalog of n keys, in order or not, with gaps for others.
func everySecondKey(n, step int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s\n    \"Key %d\" : {\n\n    }", []string{",", ""}[min(1, 1/(i+1))], i*step%n*2)
	}
	return "{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {" + b.String() +
		"\n  },\n  \"version\" : \"1.0\"\n}"
}

// BenchmarkNewKeys puts a new key behind each of n: each costs the same.
func BenchmarkNewKeys(b *testing.B) {
	for _, n := range []int{1000, 4000, 16_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var edits []resource.Edit
			for i := range n {
				edits = append(edits, set(fmt.Sprintf("Key %d", i*2+1), "", "Text"))
			}
			f := parse(b, everySecondKey(n, 1), "")
			for b.Loop() {
				if _, refused := f.Rewrite(edits, nil); len(refused) > 0 {
					b.Fatal(refused)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/key")
		})
	}
}

// New keys are placed in the order of Xcode, also where the file is not in order.
func TestManyNewKeys(t *testing.T) {
	shuffled := everySecondKey(50, 7)
	var all []resource.Edit
	for i := range 50 {
		all = append(all, set(fmt.Sprintf("Key %d", i*2+1), "", "Text"))
	}
	together, refused := rewritten(t, shuffled, "", all...)
	if len(refused) > 0 {
		t.Fatal(refused)
	}
	names := func(src string) (names []string) {
		for e := range parse(t, src, "").Entries() {
			names = append(names, e.Key)
		}
		return names
	}
	before := names(shuffled)
	for _, e := range all { // each is behind the last old one that is before it in order
		got, refused := rewritten(t, shuffled, "", e)
		if len(refused) > 0 {
			t.Fatal(refused)
		}
		alone := names(got)
		at := slices.Index(alone, e.Key)
		all := names(together)
		olds := slices.DeleteFunc(all[:slices.Index(all, e.Key)],
			func(n string) bool { return !slices.Contains(before, n) })
		if !slices.Equal(olds, alone[:at]) {
			t.Errorf("%s alone is behind %q, with others behind %q", e.Key, alone[:at], olds)
		}
	}
}
