package formats

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/locsync/locsync/formats/resource"
)

// The first names and their order are those of the service interface.
func TestNames(t *testing.T) {
	if got, want := strings.Join(Names(),
		" "), "json structured-json yaml structured-yaml ios-strings android-xml locjson arb properties resx po xliff xcstrings stringsdict"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, name := range Names() {
		f, ok := Named(name)
		if !ok || f.Name != name || f.Grammar == nil || f.Structured != strings.HasPrefix(name, "structured-") ||
			f.Structured != (len(f.Extensions) == 0) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for _, name := range []string{"", "JSON", "qt-ts", "auto"} {
		if f, ok := Named(name); ok {
			t.Errorf("%q is the format %s", name, f.Name)
		}
	}
}

func TestByExtension(t *testing.T) {
	for file, want := range map[string]string{
		"a/en.json": "json", "en.JSON": "json", "x.min.json": "json", "config/locales/en.yml": "yaml", "en.yaml": "yaml",
		"en.lproj/Localizable.strings": "ios-strings", "res/values/strings.xml": "android-xml", "en.locjson": "locjson",
		"lib/l10n/app_en.arb": "arb", "src/main/resources/messages_de.properties": "properties",
		"Resources/Strings.de.resx":       "resx",
		"locale/de/LC_MESSAGES/django.po": "po", "po/app.pot": "po", "src/locale/messages.de.xlf": "xliff",
		"a.xliff":                          "xliff",
		"en.lproj/Localizable.stringsdict": "stringsdict", "en": "", ".json/en": "", "en.json.bak": "", "": "",
	} {
		f, ok := ByExtension(file)
		if ok != (want != "") || f.Name != want {
			t.Errorf("%s is %q, want %q", file, f.Name, want)
		}
	}
}

// A folder that has to be called so tells the dialect; what travels is in the format's own spelling.
func TestAt(t *testing.T) {
	format, _ := Named("android-xml")
	for file, want := range map[string]string{
		"composeResources/values/strings.xml":                "compose-xml",
		"app/src/commonMain/composeResources/values/a.xml":   "compose-xml",
		"app/src/main/res/values/strings.xml":                "android-xml",
		"composeResourcesOld/values/strings.xml":             "android-xml",
		"app/src/main/res/values/composeResources":           "android-xml",
		"app/src/main/myComposeResources/values/strings.xml": "android-xml",
	} {
		at := format.At(file)
		if at.Reader() != want || at.Name != "android-xml" || at.Sent().Reader() != "android-xml" ||
			at.Exchanged().Reader() != "android-xml" {
			t.Errorf("%s: read as %s, sent as %s", file, at.Reader(), at.Sent().Reader())
		}
	}
	other, _ := Named("json")
	if at := other.At("composeResources/en.json"); at.Reader() != "json" || at.Sent().Name != "json" {
		t.Errorf("JSON is read as %s", at.Reader())
	}
}

// samples are the same entries in every format: a title, a greeting, and where the format has it something that is not
// text.
var samples = map[string]string{
	"json":            "{\n  \"title\": \"Notes\",\n  \"n\": 1,\n  \"hello\": \"Hello!\"\n}\n",
	"structured-json": "{\n  \"main\": {\n    \"title\": \"Notes\",\n    \"n\": 1\n  },\n  \"hello\": \"Hello!\"\n}\n",
	"yaml":            "title: Notes\nn: 1\nhello: Hello!\n",
	"structured-yaml": "main:\n  title: Notes\n  n: 1\nhello: Hello!\n",
	"ios-strings":     "/* The title */\n\"title\" = \"Notes\";\n\n\"hello\" = \"Hello!\";\n",
	"android-xml":     "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<resources>\n    <string name=\"title\">Notes</string>\n    <string name=\"n\" translatable=\"false\">1</string>\n    <string name=\"hello\">Hello!</string>\n</resources>\n",
	"arb":             "{\n  \"@@locale\": \"en\",\n  \"title\": \"Notes\",\n  \"@title\": {},\n  \"hello\": \"Hello!\"\n}\n",
	"properties":      "# The title\ntitle=Notes\n\nhello=Hello!\n",
	"po":              "msgid \"title\"\nmsgstr \"Notes\"\n\nmsgid \"hello\"\nmsgstr \"Hello!\"\n",
	"xliff":           "<xliff version=\"1.2\"><file source-language=\"en\"><body>\n<trans-unit id=\"title\"><source>t</source><target>Notes</target></trans-unit>\n<trans-unit id=\"hello\"><source>h</source><target>Hello!</target></trans-unit>\n</body></file></xliff>\n",
	"resx":            "<root>\n  <data name=\"title\">\n    <value>Notes</value>\n  </data>\n  <data name=\"n\" type=\"x\"><value>1</value></data>\n  <data name=\"hello\"><value>Hello!</value></data>\n</root>\n",
	"xcstrings": "{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {\n    \"hello\" : {\n      \"localizations\" : {\n        \"en\" : {\n" +
		"          \"stringUnit\" : {\n            \"state\" : \"translated\",\n            \"value\" : \"Hello!\"\n          }\n        }\n      }\n    },\n" +
		"    \"n\" : {\n      \"shouldTranslate\" : false\n    },\n    \"title\" : {\n      \"localizations\" : {\n        \"en\" : {\n          \"stringUnit\" : {\n" +
		"            \"state\" : \"translated\",\n            \"value\" : \"Notes\"\n          }\n        }\n      }\n    }\n  }\n}",
	"stringsdict": "<plist version=\"1.0\">\n<dict>\n\t<key>title</key>\n\t<string>Notes</string>\n\t<key>n</key>\n\t<true/>\n\t<key>hello</key>\n" +
		"\t<string>Hello!</string>\n</dict>\n</plist>\n",
	"locjson": "{\n    \"units\": [\n        {\n            \"key\": \"title\",\n            \"source\": [\"Notes\"],\n            \"target\": [\"Notizen\"]\n        },\n        {\n            \"key\": \"hello\",\n            \"source\": [\"Hello!\"]\n        }\n    ]\n}\n",
}

// Every format parses, changes one value and nothing else, and reads back what it composes, under the keys that its
// Structured says.
func TestEveryFormat(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			format, _ := Named(name)
			src := samples[name]
			f, err := format.Parse(resource.Keys{}, []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			title := "title"
			if format.Structured {
				title = "main/title"
			}
			out, refused := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: title, Text: "Zettel"}}, nil)
			if want := strings.Replace(src, "Notes", "Zettel", 1); len(refused) > 0 || string(out) != want {
				t.Errorf("%v\n%s", refused, out)
			}
			composed, err := format.Compose(resource.Keys{}, f,
				f.Together(func(e resource.Entry) bool { return e.Key == title }))
			if err != nil {
				t.Fatal(err)
			}
			g, err := format.Parse(resource.Keys{}, composed)
			if err != nil {
				t.Fatal(err)
			}
			if all := slices.Collect(g.Entries()); len(all) != 1 || all[0].Key != title || all[0].Text != "Notes" {
				t.Errorf("composed %+v\n%s", all, composed)
			}
			single, err := format.Translated(f, "de")
			if err != nil {
				t.Fatal(err)
			}
			sheds := name == "locjson" || name == "android-xml"
			if bytes.Equal(single, f.Bytes()) == sheds || strings.Contains(string(single), "Notizen") ||
				strings.Contains(string(single), "translatable") {
				t.Errorf("monolingual:\n%s", single)
			}
			if _, err := format.Parse(resource.Keys{}, []byte("\x00\xff")); err == nil {
				t.Error("garbage is accepted")
			}
		})
	}
}

// A file in UTF-16 is refused with what to do, but where the format's programs read it.
func TestUTF16(t *testing.T) {
	for _, name := range Names() {
		format, _ := Named(name)
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, mark := range []string{"", "\ufeff"} {
				var src []byte
				for _, unit := range utf16.Encode([]rune(mark + samples[name])) {
					src = order.AppendUint16(src, unit)
				}
				_, err := format.Parse(resource.Keys{}, src)
				switch {
				case name == "ios-strings":
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
				case err == nil || name != "properties" && err.Error() != "1:1: the file is UTF-16; save it as UTF-8":
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// big makes a file of a format of some 10 MB by repeating entries.
func big(name string) []byte {
	var b bytes.Buffer
	texts := []string{"Save", "The file could not be saved. Try again later.", "Einstellungen für Übersetzer",
		"保存できませんでした", "{count, plural, one {# file} other {# files}} were removed"}
	start, end := "", ""
	entry := func(i int, text string) {}
	switch name {
	case "json", "arb":
		start, end = "{\n", "\n}\n"
		entry = func(i int, text string) {
			fmt.Fprintf(&b, "%s  \"section%d.message%d\": \"%s\"", []string{",\n", ""}[min(1, 1/(i+1))], i/10, i%10,
				text)
		}
	case "structured-json":
		start, end = "{\n  \"s\": {\n    \"a\": \"\"", "\n  }\n}\n"
		entry = func(i int, text string) {
			if i%10 == 0 {
				fmt.Fprintf(&b, "\n  },\n  \"section%d\": {\n    \"message0\": \"%s\"", i/10, text)
			} else {
				fmt.Fprintf(&b, ",\n    \"message%d\": \"%s\"", i%10, text)
			}
		}
	case "yaml":
		entry = func(i int, text string) { fmt.Fprintf(&b, "section%d.message%d: \"%s\"\n", i/10, i%10, text) }
	case "structured-yaml":
		entry = func(i int, text string) {
			if i%10 == 0 {
				fmt.Fprintf(&b, "section%d:\n", i/10)
			}
			if i%5 == 4 {
				text = "\"" + text + "\""
			}
			fmt.Fprintf(&b, "  message%d: %s\n", i%10, text)
		}
	case "ios-strings":
		entry = func(i int, text string) {
			fmt.Fprintf(&b, "/* Shown in section %d */\n\"section%d.message%d\" = \"%s\";\n\n", i/10, i/10, i%10, text)
		}
	case "properties":
		entry = func(i int, text string) {
			fmt.Fprintf(&b, "# Shown in section %d\nsection%d.message%d=%s\n\n", i/10, i/10, i%10, text)
		}
	case "po":
		start = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n"
		entry = func(i int, text string) {
			fmt.Fprintf(&b, "#: section%d.c:%d\nmsgid \"section%d.message%d\"\nmsgstr \"%s\"\n\n",
				i/10, i%10, i/10, i%10, text)
		}
	case "xliff":
		start, end = "<xliff version=\"1.2\"><file source-language=\"en\"><body>\n", "</body></file></xliff>\n"
		entry = func(i int, text string) {
			fmt.Fprintf(&b,
				"      <trans-unit id=\"section%d.message%d\">\n        <source>%s</source>\n        <target>%s</target>\n      </trans-unit>\n", i/10, i%10, text, text)
		}
	case "resx":
		start, end = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<root>\n", "</root>\n"
		entry = func(i int, text string) {
			fmt.Fprintf(&b,
				"  <data name=\"section%d.message%d\" xml:space=\"preserve\">\n    <value>%s</value>\n  </data>\n",
				i/10, i%10, text)
		}
	case "android-xml":
		start, end = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<resources>\n", "</resources>\n"
		entry = func(i int, text string) {
			fmt.Fprintf(&b, "    <string name=\"section%d_message%d\">%s</string>\n", i/10, i%10, text)
		}
	case "stringsdict":
		start, end = "<plist version=\"1.0\">\n<dict>\n", "</dict>\n</plist>\n"
		entry = func(i int, text string) {
			fmt.Fprintf(&b, "\t<key>section%d.message%d</key>\n\t<dict>\n\t\t<key>NSStringLocalizedFormatKey</key>\n"+
				"\t\t<string>%%#@count@</string>\n\t\t<key>count</key>\n\t\t<dict>\n"+
				"\t\t\t<key>NSStringFormatSpecTypeKey</key>\n\t\t\t<string>NSStringPluralRuleType</string>\n"+
				"\t\t\t<key>one</key>\n\t\t\t<string>%s</string>\n\t\t\t<key>other</key>\n\t\t\t<string>%s</string>\n"+
				"\t\t</dict>\n\t</dict>\n", i/10, i%10, text, text)
		}
	case "xcstrings":
		start, end = "{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {", "\n  },\n  \"version\" : \"1.0\"\n}"
		entry = func(i int, text string) {
			fmt.Fprintf(&b, "%s\n    \"section%d.message%d\" : {\n      \"localizations\" : {\n        \"en\" : {\n"+
				"          \"stringUnit\" : {\n            \"state\" : \"translated\",\n            \"value\" : \"%s\"\n"+
				"          }\n        }\n      }\n    }", []string{",", ""}[min(1, 1/(i+1))], i/10, i%10, text)
		}
	case "locjson":
		start, end = "{\n    \"units\": [", "\n    ]\n}\n"
		entry = func(i int, text string) {
			fmt.Fprintf(&b,
				"%s\n        {\n            \"key\": \"section%d.message%d\",\n            \"source\": [\"%s\"]\n        }",
				[]string{",", ""}[min(1, 1/(i+1))], i/10, i%10, text)
		}
	}
	b.WriteString(start)
	for i := 0; b.Len() < 10<<20 && i < 100_000; i++ { // as many entries as a file may have, and no more
		before := b.Len()
		if entry(i, texts[i%len(texts)]); b.Len() == before {
			panic("no entry is known of the format " + name)
		}
	}
	b.WriteString(end)
	return b.Bytes()
}

func everyFormat(b *testing.B, do func(b *testing.B, format Format, src []byte)) {
	for _, name := range Names() {
		format, _ := Named(name)
		b.Run(name, func(b *testing.B) {
			src := big(name)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			do(b, format, src)
		})
	}
}

func parse(b *testing.B, format Format, src []byte) *resource.File {
	f, err := format.Parse(resource.Keys{}, src)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// BenchmarkScan is the grammar alone, BenchmarkParse with the check for UTF-8, BenchmarkRewrite parses and changes one
// value in a thousand entries, BenchmarkFloor is what SHA-256 takes for the same bytes.
func BenchmarkScan(b *testing.B) {
	everyFormat(b, func(b *testing.B, format Format, src []byte) {
		s := string(src)
		for b.Loop() {
			if _, err := format.Grammar.Scan(s); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	everyFormat(b, func(b *testing.B, format Format, src []byte) {
		for b.Loop() {
			parse(b, format, src)
		}
	})
}

func BenchmarkRewrite(b *testing.B) {
	everyFormat(b, func(b *testing.B, format Format, src []byte) {
		f := parse(b, format, src)
		var edits []resource.Edit
		n := 0
		for e := range f.Entries() {
			if n++; n%1000 == 0 {
				edits = append(edits, resource.Edit{Op: resource.Set, Key: e.Key, Form: e.Form, Text: "another text"})
			}
		}
		for b.Loop() {
			if _, refused := parse(b, format, src).Rewrite(edits, nil); len(refused) > 0 {
				b.Fatal(refused)
			}
		}
	})
}

func BenchmarkFloor(b *testing.B) {
	everyFormat(b, func(b *testing.B, _ Format, src []byte) {
		for b.Loop() {
			sha256.Sum256(src)
		}
	})
}
