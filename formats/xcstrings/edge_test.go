package xcstrings

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
)

// in is a catalog whose key k has these members.
func in(members string) string {
	return "{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {\n    \"k\" : {" + members +
		"},\n    \"z\" : {\n\n    }\n  }\n}"
}

func of(language, localization string) string {
	return `"localizations":{"` + language + `":{` + localization + `}}`
}

func unitOf(state, value string) string {
	return `"stringUnit":{"state":"` + state + `","value":"` + value + `"}`
}

func plurals(category, value string) string {
	return `"variations":{"plural":{"` + category + `":{` + unitOf("translated", value) + `}}}`
}

const comment = `"comment":"For you",`

// edges are cases with the texts that a language has, the key z of the source left out; "" for none.
var edges = []struct{ name, src, language, want string }{
	{"no localizations, the source", in(""), "", "k[] = k # "},
	{"no localizations, a translation", in(""), "de", ""},
	{"its own text", in(comment + of("de", unitOf("translated", "T"))), "", "k[] = k # For you"},
	{"a text instead of the key", in(of("en", unitOf("translated", "T"))), "", "k[] = T # "},
	{"a translation", in(of("de", unitOf("translated", "T"))), "de", "k[] = T # "},
	{"another language", in(of("de", unitOf("translated", "T"))), "fr", ""},
	{"another case of the language", in(of("pt-br", unitOf("translated", "T"))), "pt-BR", "k[] = T # "},
	{"a new unit of a translation", in(of("de", unitOf("new", "T"))), "de", ""},
	{"a new unit of the source", in(of("en", unitOf("new", "T"))), "", "k[] = T # "},
	{"a unit that needs review", in(of("de", unitOf("needs_review", "T"))), "de", "k[] = T # "},
	{"a unit without a state", in(of("de", `"stringUnit":{"value":"T"}`)), "de", "k[] = T # "},
	{"the value before the state", in(of("de", `"stringUnit":{"value":"T","state":"translated"}`)), "de", "k[] = T # "},
	{"an empty value", in(of("de", unitOf("translated", ""))), "de", "k[] =  # "},
	{"escapes", in(of("de", unitOf("translated", `\"a\"\n\u00e9\ud83d\ude00\/`))), "de", "k[] = \"a\"\né😀/ # "},
	{"not for translation", in(`"shouldTranslate":false,` + of("de", unitOf("translated", "T"))), "de", ""},
	{"for translation", in(`"shouldTranslate":true,` + of("de", unitOf("translated", "T"))), "de", "k[] = T # "},
	{"stale", in(`"extractionState":"stale",` + of("de", unitOf("translated", "T"))), "de", ""},
	{"by hand", in(`"extractionState":"manual",` + of("en", unitOf("translated", "T"))), "", "k[] = T # "},
	{"a plural", in(of("de", plurals("other", "%d T"))), "de", "k[other] = %d T # "},
	{"a category that CLDR does not know", in(of("de", plurals("lots", "%d T"))), "de", ""},
	{"by device", in(of("de", `"variations":{"device":{"mac":{`+unitOf("translated", "T")+`}}}`)), "de",
		"k|==|device.mac[] = T # "},
	{"a plural of a device", in(of("de", `"variations":{"device":{"mac":{`+plurals("one", "T")+`}}}`)), "de",
		"k|==|device.mac[one] = T # "},
	{"by width", in(of("de", `"variations":{"width":{"20":{`+unitOf("translated", "T")+`}}}`)), "de", ""},
	{"substitutions", in(of("de", unitOf("translated", "%#@n@")+`,"substitutions":{"n":{"argNum":1,`+
		`"formatSpecifier":"lld","variations":{"plural":{"one":{`+unitOf("translated", "%arg T")+`},"other":{`+
		unitOf("translated", "%arg Ts")+`}}}}}`)), "de",
		"k|==|string[] = %#@n@ # ; k|==|substitutions.n[one] = %arg T # ; k|==|substitutions.n[other] = %arg Ts # "},
	{"the text of the source's substitutions", in(`"localizations":{"de":{` + unitOf("translated", "T") + `},"en":{` +
		unitOf("translated", "%#@n@") + `,"substitutions":{"n":{` + plurals("one", "%arg") + `},"m":{` +
		plurals("other", "%arg") + `}}}}`), "de",
		"k|==|string[] = T # "},
	{"a key twice", `{"sourceLanguage":"en","strings":{"k":{},"k":{` + of("de", unitOf("translated", "T")) + `}}}`,
		"de",
		"k[] = T # "},
	{"a key with an escape", `{"sourceLanguage":"en","strings":{"\u006b":{` + of("de", unitOf("translated", "T")) +
		`}}}`,
		"de", "k[] = T # "},
	{"an empty key", `{"sourceLanguage":"en","strings":{"":{},"k":{}}}`, "", "k[] = k # "},
	{"members that Xcode does not know", in(`"x":[1,{"a":"}"}],` + of("de", unitOf("translated", "T"))), "de",
		"k[] = T # "},
	{"a mark", "\ufeff" + in(of("de", unitOf("translated", "T"))), "de", "k[] = T # "},
	{"Windows' line ends", strings.ReplaceAll(in(of("de", unitOf("translated", "T"))), "\n", "\r\n"), "de",
		"k[] = T # "},
	{"no source language", `{"strings":{"k":{` + of("de", unitOf("translated", "T")) + `}}}`, "de", "k[] = T # "},
}

func TestEdges(t *testing.T) {
	for _, c := range edges {
		t.Run(c.name, func(t *testing.T) {
			for _, language := range languages {
				if laws(t, []byte(c.src), language, false) == nil {
					t.Fatal("refused")
				}
			}
			f := parse(t, c.src, c.language)
			got := strings.Join(texts(f), "; ")
			got = strings.TrimSuffix(strings.TrimSuffix(got, "z[] = z # "), "; ")
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			leaves, err := oracle.Rule{Format: "xcstrings", Language: c.language}.Read([]byte(c.src))
			if err != nil {
				t.Fatal("the second reader:", err)
			}
			var theirs []string
			for _, l := range leaves {
				if l.Keyed && l.Kind == oracle.Text {
					theirs = append(theirs, fmt.Sprintf("%s[%s] = %s", l.Key, l.Form, l.Text))
				}
			}
			for e := range f.Entries() { // a key that is its own text is no leaf there
				ours := fmt.Sprintf("%s[%s] = %s", e.Key, e.Form, e.Text)
				if e.Kind == resource.Text && e.Key != e.Text && !slices.Contains(theirs, ours) {
					t.Errorf("the second reader reads %[2]q, and not %[1]q", ours, theirs)
				}
			}
		})
	}
}
