package bundle

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/config"
)

// families are the pieces that files of formats are made of, by what their grammars have in common: whole members and
// halves of them, so that what a fuzzer puts together is often nearly a file, with keys twice and odd values.
var families = map[string][]string{
	"json": {
		`{`, `}`, `[`, `]`, `,`, `:`, ` `, "\n", `"a"`, `"b"`, `"a":"x",`, `"a":5,`, `"a":1`, `"a":{"b":"x"},`,
		`"a":{"b":5}`, `"a":null,`, `"a":true,`, `"a":[`, `"x"`, `""`, `"\u1"`, `"\u`, `"\`, `"\ud800"`, `"\u0061":`, `5`,
		`-`, `null`, `"@a":{`, `"@@locale":"en",`, `"a_one":"x",`, `"a_other":`, `"description":`, `"message":`,
		`"defaultMessage":`, `// c` + "\n", `/*`, `"strings":{`, `"sourceLanguage":"en",`, `"localizations":{`, `"en":{`,
		`"de":{`, `"stringUnit":{`, `"state":"new",`, `"value":"x"`, `"variations":{`, `"plural":{`, `"device":{`,
		`"one":{`, `"substitutions":{`, `"extractionState":"stale"`, `"shouldTranslate":false,`, `"units":[`, `"key":"a",`,
		`"source":["x"],`, `"target":[`, `"properties":{`, `"metadata":{`, "\ufeff", "\x00", "\xff", "ä",
	},
	"yaml": {
		"\n", "\n  ", "\n    ", "a: x", "a: 5", "a:", "b: ", "- ", "- x", "&a ", "*a", "<<: *a", "<<: [*a, *a]", "!t ",
		"!!str ", "{", "}", "[", "]", ", ", ": ", "? ", "|", ">", "|2-", "\"", "\"\\u1", "\"\\", "'", "''", "#c", " #",
		"---\n", "...\n", "%YAML 1.1\n", "en:", "de:", "\t", "one: x", "other: y", "~", "null", "\r\n", "\ufeff", "\x00",
		"\xff", "ä",
	},
	"xml": {
		"<", ">", "/>", "</", " ", "\n", "<resources>", "</resources>", `<string name="a">`, "</string>", "x", "&amp;",
		"&#", "&#0;", "&#x110000;", "&e;", "<![CDATA[", "]]>", "<!--", "-->", `<plurals name="a">`, "</plurals>",
		`<item quantity="one">`, "</item>", `<string-array name="a">`, "</string-array>", "<item>",
		`<data name="a" xml:space="preserve">`, `<data name="a" type="t">`, "</data>", "<value>", "</value>", "<root>",
		"</root>", "<comment>", "</comment>", "<value/>", "<?xml version=\"1.0\"?>", "<!DOCTYPE a [", "<!ENTITY e \"&e;\">",
		"]>", `<xliff version="1.2">`, `<xliff version="2.0">`, "</xliff>", `<file original="a" source-language="en">`,
		"</file>", "<body>", "</body>", `<trans-unit id="a">`, `<trans-unit id="a" resname="b">`, "</trans-unit>",
		"<source>", "</source>", "<source/>", "<target>", "</target>", "<target/>", `<target state="new">`,
		`<unit id="a" name="b">`, "</unit>", "<segment>", `<segment state="initial">`, "</segment>", "<note>", "</note>",
		"<notes>", "</notes>", `<x id="1"/>`, `<g id="1">`, "</g>", `<tool tool-id="com.apple.dt.xcode"/>`, "<header>",
		"</header>", "<plist version=\"1.0\">", "</plist>", "<dict>", "</dict>", "<dict/>", "<key>a</key>", "<key>", "</key>",
		"<string>", "<string/>", "<key>NSStringLocalizedFormatKey</key>", "<string>%#@v@</string>", "<key>v</key>",
		"<key>NSStringFormatSpecTypeKey</key>", "<string>NSStringPluralRuleType</string>",
		"<key>NSStringFormatValueTypeKey</key>", "<string>d</string>", "<key>one</key>", "<key>other</key>", "<integer>",
		"%1$s", "\\'", "\\u1", "\\", "\"", "@string/a", "?", "\ufeff", "\x00", "\xff", "ä",
	},
	"lines": {
		"\n", "\r\n", "\r", " ", "\t", "a", "b", "=", ":", " = ", "x", `"a"`, `"a" = "x";`, `"a" = "y";`, "a = x;", ";", "\"",
		"/*", "*/", "//", "#", "!", "\\", "\\u1", "\\u", "\\U12", "\\ud800", "\\\n", "{", "}", "(", ")", "<", "msgid \"a\"\n",
		"msgid \"\"\n", "msgstr \"\"\n", "msgstr \"x\"\n", "msgstr[0] \"x\"\n", "msgstr[99999999999] \"x\"\n", "msgstr[",
		"msgid_plural \"as\"\n", "msgctxt \"c\"\n", "msgctxt \"\"\n", "#, fuzzy\n", "#~ ", "#| ", "#. c\n", "#: f\n", "\"",
		"\"Plural-Forms: nplurals=2; plural=n != 1;\\n\"\n", "\"Plural-Forms: nplurals=", "999999999", "; plural=", "n%0", "n?",
		"((((", "))))", "||", "\"Content-Type: text/plain; charset=", "UTF-8", "\\n\"\n", "domain \"d\"\n", "a.b=", "\x00",
		"\xff", "\ufeff", "\xfe\xff", "ä",
	},
}

// familyOf is which pieces a format's files are made of.
func familyOf(name string) []string {
	switch strings.TrimPrefix(name, "structured-") {
	case "json", "arb", "locjson", "xcstrings":
		return families["json"]
	case "yaml":
		return families["yaml"]
	case "android-xml", "resx", "xliff", "stringsdict":
		return families["xml"]
	}
	return families["lines"]
}

// repeats are how often pieces come that a program has many of.
var repeats = []int{2, 40, 500, 3000}

// assembled is the file that a program makes of pieces: each byte is one; 255 and what follows it repeats one.
func assembled(pieces []string, program []byte) string {
	var out strings.Builder
	for i := 0; i < len(program); i++ {
		if program[i] == 255 && i+2 < len(program) {
			out.WriteString(strings.Repeat(pieces[int(program[i+1])%len(pieces)],
				repeats[int(program[i+2])%len(repeats)]))
			i += 2
			continue
		}
		out.WriteString(pieces[int(program[i])%len(pieces)])
	}
	return out.String()
}

// bundlesOf are bundles of all formats and their dialects.
func bundlesOf(t testing.TB) (all []*Bundle) {
	t.Helper()
	for _, name := range formats.Names() {
		for _, folder := range []string{"", "translations/", "composeResources/"} {
			format, _ := formats.Named(name)
			if folder != "" && format.At(folder+"f").Reader() == format.Reader() {
				continue
			}
			template, err := config.ParseTemplate("out/{LANGUAGE}")
			if err != nil {
				t.Fatal(err)
			}
			b := &Bundle{Path: folder + "en", Format: format.At(folder + "f"), Output: template,
				Source: config.Language{Code: "en", Path: "en"}}
			if format.Structured {
				b.Separator = "/"
			}
			all = append(all, b)
		}
	}
	return all
}

// survives does with the bytes of a file all that a pass and a check do, as a source and as a translation. Whatever is
// wrong with them is an error or a problem.
func survives(t testing.TB, b *Bundle, src []byte) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("%s: %q: %v\n%s", b.Format.Name, src, p, debug.Stack())
		}
	}()
	began := time.Now()
	source, target := b.Source, config.Language{Code: "de", Path: "de"}
	for _, l := range []config.Language{source, target} {
		f, err := b.Parse(slices.Clone(src), l)
		if err != nil {
			continue
		}
		texts := Texts(f)
		Unsent(b, f)
		Findings(f, "f", l)
		Warnings(b, f, "f", l)
		f.Nested()
		if b.Format.Multilingual() {
			b.Format.Languages(f.Bytes())
		}
		_, _ = b.Format.Translated(f, "de")
		_, _, _ = b.Format.Blank(f, "de")
		_, _ = f.RenameRoot("de")
		edits := []resource.Edit{{Op: resource.Set, Key: "new", Text: "x"}, {Op: resource.Set, Key: "a", Text: "y"}}
		for i, u := range texts {
			e := resource.Edit{Op: resource.Set, Key: u.Key, Form: u.Form, Text: u.Text + "z"}
			if i%3 == 1 {
				e.Op = resource.Remove
			}
			edits = append(edits, e)
			f.Lookup(u.Key, u.Form)
			if len(edits) > 40 {
				break
			}
		}
		for _, like := range []*resource.File{nil, f} {
			f.Rewrite(edits, like)
		}
		f.Fresh(edits)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Fatalf("%s: %d bytes take %v", b.Format.Name, len(src), took)
	}
}

// TestFileEndsNothing has the files that ended the daemon: a key twice, once as a text and once as another value, and
// an escape that is cut in a file that was not known to be JSON yet.
func TestFileEndsNothing(t *testing.T) {
	for _, src := range []string{
		`{"a":"x","a":5}`, `{"a":5,"a":"x"}`, `{"a":1,"a":"x"}`, `{"a":{"b":"x"},"a":{"b":5}}`, `{"a":"x","a":null}`,
		`{"strings":{"Old":{},"Old":{"extractionState":"stale"}}}`, `{"strings":{"a":{}},"\u1":1}`,
		`{"strings":{"a":{}},"\`, `{"strings":{"a":{}},"`, `{"strings":{"a":{}},"sourceLanguage":"\u`,
		`{"@a":{"description":5},"@a":{"description":"x"},"a":"x","a":1}`,
		"a: x\na: 5\n", "en:\n  a: x\n  a: [1]\n",
		`<resources><string name="a">x</string><string name="a"><item/></string></resources>`,
		`<root><data name="a"><value>x</value></data><data name="a" type="t"><value>y</value></data></root>`,
		"\"a\" = \"x\";\n\"a\" = (1);\n",
	} {
		for _, b := range bundlesOf(t) {
			survives(t, b, []byte(src))
		}
	}
	b := bundlesOf(t)[0]
	f, err := b.Parse([]byte(`{"a":"x","b":"1","a":5,"b":"2"}`), b.Source)
	if err != nil {
		t.Fatal(err)
	}
	if got := Unsent(b, f); len(got) != 1 || got["b"] == "" {
		t.Errorf("clashes %v, want b alone: a number is no text", got)
	}
	if got := Warnings(b, f, "f", b.Source); len(got) != 2 {
		t.Errorf("warnings %v, want both keys named", got)
	}
}

func FuzzBytes(f *testing.F) {
	for i := range bundlesOf(f) {
		for _, src := range []string{"", "{}", `{"a":"x","a":5}`, "a: x\n", `<resources/>`, "msgid \"\"\nmsgstr \"\"\n"} {
			f.Add(uint8(i), []byte(src))
		}
	}
	bundles := bundlesOf(f)
	f.Fuzz(func(t *testing.T, format uint8, src []byte) {
		if len(src) < 8<<10 {
			survives(t, bundles[int(format)%len(bundles)], src)
		}
	})
}

func FuzzPieces(f *testing.F) {
	bundles := bundlesOf(f)
	for i, b := range bundles {
		f.Add(uint8(i), []byte{0, 1, 2, 3, 255, 0, 3})
		for k := range len(familyOf(b.Format.Name)) / 8 {
			f.Add(uint8(i), []byte{byte(8 * k), byte(8*k + 1), byte(8*k + 2), byte(8*k + 3), byte(8*k + 4), byte(8*k + 5)})
		}
	}
	f.Fuzz(func(t *testing.T, format uint8, program []byte) {
		b := bundles[int(format)%len(bundles)]
		if src := assembled(familyOf(b.Format.Name), program); len(program) < 200 && len(src) < 100<<10 {
			survives(t, b, []byte(src))
		}
	})
}

// TestPieces is FuzzPieces for programs that are the same in every run.
func TestPieces(t *testing.T) {
	bundles := bundlesOf(t)
	state := uint32(1)
	random := func(n int) int {
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		return int(state % uint32(n))
	}
	for _, b := range bundles {
		pieces := familyOf(b.Format.Name)
		for range 400 {
			program := make([]byte, 2+random(24))
			for i := range program {
				program[i] = byte(random(len(pieces)))
			}
			survives(t, b, []byte(assembled(pieces, program)))
		}
	}
}
