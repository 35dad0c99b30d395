package stringsdict

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/oracle/oracletest"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// hard are texts that the format finds difficult to spell.
var hard = []string{"", " ", "  two", "\t", "\n", "two\nlines", "two\r\nlines\n",
	"a & b < c > d", "]]>", `"quoted" 'it''s'`,
	"%#@n@", "%1$#@n@ %#@m@", "%#@n@%#@m@", "é א 😀", "<b>bold</b>", "&amp;", "\u00a0\u2028\ufeff", "<!-- no -->"}

// file is what Xcode begins and ends a file with, around entries.
func file(entries string) string { return head + entries + tail }

func read(t testing.TB, name string) string {
	t.Helper()
	src, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// entry has a format, and variables with what is in them.
func entry(name, format string, variables ...string) string {
	out := "\t<key>" + name + "</key>\n\t<dict>\n\t\t<key>" + formatKey + "</key>\n\t\t<string>" + format +
		"</string>\n"
	return out + strings.Join(variables, "") + "\t</dict>\n"
}

func variable(name string, forms ...string) string {
	out := "\t\t<key>" + name + "</key>\n\t\t<dict>\n\t\t\t<key>" + specKey + "</key>\n\t\t\t<string>" + pluralRule +
		"</string>\n\t\t\t<key>" + valueKey + "</key>\n\t\t\t<string>d</string>\n"
	for i := 0; i < len(forms); i += 2 {
		out += "\t\t\t<key>" + forms[i] + "</key>\n\t\t\t<string>" + forms[i+1] + "</string>\n"
	}
	return out + "\t\t</dict>\n"
}

func files(forms ...string) string { return entry("k", "%#@n@", variable("n", forms...)) }

const device = "\t<key>d</key>\n\t<dict>\n\t\t<key>NSStringDeviceSpecificRuleType</key>\n\t\t<dict>\n\t\t\t<key>mac</key>\n" +
	"\t\t\t<string>Click</string>\n\t\t</dict>\n\t</dict>\n"

const width = "\t<key>w</key>\n\t<dict>\n\t\t<key>NSStringVariableWidthRuleType</key>\n\t\t<dict>\n\t\t\t<key>20</key>\n" +
	"\t\t\t<string>Hi</string>\n\t\t</dict>\n\t</dict>\n"

// edges are cases with the texts that are in them.
var edges = []struct{ name, src, want string }{
	{"a plural", file(files("one", "%d file", "other", "%d files")), "k|==|n[one] = %d file; k|==|n[other] = %d files"},
	{"no entries", file(""), ""},
	{"no entries, and a comment", file("\t<!-- nothing yet -->\n"), ""},
	{"no entries, and comments", file("\n\t<!-- one -->\n\n\t<!-- two -->\n"), ""},
	{"a comment beside the end", "<plist><dict>\n\t<!-- nothing yet --></dict></plist>", ""},
	{"a comment beside the start", "<plist>\n<dict> <!-- nothing yet -->\n</dict></plist>", ""},
	{"an entry without variables, and a comment", file("\t<key>k</key>\n\t<dict>\n\t\t<!-- nothing yet -->\n\t</dict>\n"), ""},
	{"a format alone, and a comment", file("\t<key>k</key>\n\t<dict>\n\t\t<key>" + formatKey +
		"</key>\n\t\t<string>%#@n@</string>\n\t\t<!-- nothing yet -->\n\t</dict>\n"), ""},
	{"a closed dict", "<plist><dict/></plist>", ""},
	{"a closed entry", file("\t<key>k</key>\n\t<dict/>\n"), ""},
	{"a plain string", file("\t<key>k</key>\n\t<string>Text</string>\n"), "k[] = Text"},
	{"a text around the variable", file(entry("k", "%#@n@ found", variable("n", "other", "%d"))),
		"k|==|NSStringLocalizedFormatKey[] = %#@n@ found; k|==|n[other] = %d"},
	{"two variables", file(entry("k", "%#@a@ in %#@b@", variable("a", "other", "A"), variable("b", "other", "B"))),
		"k|==|NSStringLocalizedFormatKey[] = %#@a@ in %#@b@; k|==|a[other] = A; k|==|b[other] = B"},
	{"two variables and nothing else", file(entry("k", "%1$#@a@ %2$#@b@", variable("a", "other", "A"),
		variable("b", "other", "B"))),
		"k|==|a[other] = A; k|==|b[other] = B"},
	{"a format in CDATA", file(entry("k", "<![CDATA[%#@n@]]>", variable("n", "other", "x"))),
		"k|==|NSStringLocalizedFormatKey[] = %#@n@; k|==|n[other] = x"},
	{"the format last", file("\t<key>k</key>\n\t<dict>\n" + variable("n", "other", "x") + "\t\t<key>" + formatKey +
		"</key>\n\t\t<string>of %#@n@</string>\n\t</dict>\n"), "k|==|n[other] = x; k|==|NSStringLocalizedFormatKey[] = of %#@n@"},
	{"no format", file("\t<key>k</key>\n\t<dict>\n" + variable("n", "other", "x") + "\t</dict>\n"),
		"k|==|n[other] = x"},
	{"a variable in a variable", file(entry("k", "%#@a@", variable("a", "one", "%#@b@", "other", "x"),
		variable("b", "other", "B"))),
		"k|==|a[one] = %#@b@; k|==|a[other] = x; k|==|b[other] = B"},
	{"by device", file(device + files("other", "x")), "k|==|n[other] = x"},
	{"by width", file(files("other", "x") + width), "k|==|n[other] = x"},
	{"another type of variable", strings.Replace(file(files("other", "x")), pluralRule, "Other", 1), ""},
	{"a form that is a dict",
		file(files("one", "x</string>\n\t\t\t<key>other</key>\n\t\t\t<dict/>\n\t\t\t<key>x</key>\n\t\t\t<string>")),
		"k|==|n[one] = x"},
	{"the type behind the forms", file(entry("k", "%#@n@",
		"\t\t<key>n</key>\n\t\t<dict>\n\t\t\t<key>other</key>\n\t\t\t<string>x</string>\n"+
			"\t\t\t<key>"+specKey+"</key>\n\t\t\t<string>"+pluralRule+"</string>\n\t\t</dict>\n")), "k|==|n[other] = x"},
	{"all categories", file(files("other", "o", "many", "m", "few", "f", "two", "t", "one", "e", "zero", "z")),
		"k|==|n[other] = o; k|==|n[many] = m; k|==|n[few] = f; k|==|n[two] = t; k|==|n[one] = e; k|==|n[zero] = z"},
	{"not a category", file(files("lots", "x", "other", "y")), "k|==|n[other] = y"},
	{"a category twice", file(files("other", "x", "other", "y")), "k|==|n[other] = x; k|==|n[other] = y"},
	{"a key twice", file(files("other", "x") + files("other", "y")), "k|==|n[other] = x; k|==|n[other] = y"},
	{"an empty form", file(files("zero", "", "other", "y")), "k|==|n[zero] = ; k|==|n[other] = y"},
	{"a closed form", strings.Replace(file(files("zero", "", "other", "y")), "<string></string>", "<string/>", 1),
		"k|==|n[zero] = ; k|==|n[other] = y"},
	{"references", file(files("other", "&lt;b&gt; &amp; &#65;")), "k|==|n[other] = <b> & A"},
	{"CDATA", file(files("other", "<![CDATA[<b>%d</b> & more]]>")), "k|==|n[other] = <b>%d</b> & more"},
	{"a comment above", file("\t<!-- For you -->\n" + files("other", "x")), "k|==|n[other] = x # For you"},
	{"a comment of a section", file("\t<!-- Section -->\n\n" + files("other", "x")), "k|==|n[other] = x"},
	{"a comment in a form", file(files("other", "a<!-- b -->c")), "k|==|n[other] = ac"},
	{"on one line", "<plist version=\"1.0\"><dict><key>k</key><dict><key>" + formatKey +
		"</key><string>%#@n@</string><key>n</key><dict><key>" +
		specKey + "</key><string>" + pluralRule +
		"</string><key>other</key><string>x</string></dict></dict></dict></plist>", "k|==|n[other] = x"},
	{"a key and its text on one line", strings.NewReplacer("one</key>\n\t\t\t", "one</key> ",
		"other</key>\n\t\t\t", "other</key> ").
		Replace(file(files("one", "x", "other", "y"))), "k|==|n[one] = x; k|==|n[other] = y"},
	{"blanks for tabs", strings.ReplaceAll(file(files("other", "x")), "\t", "    "), "k|==|n[other] = x"},
	{"the outermost dict indented", strings.NewReplacer("<dict>\n\t<key>k",
		"  <dict>\n\t<key>k").Replace(file(files("other", "x"))),
		"k|==|n[other] = x"},
	{"Windows' line ends", strings.ReplaceAll(file(files("other", "a\nb")), "\n", "\r\n"), "k|==|n[other] = a\nb"},
	{"a mark", "\xef\xbb\xbf" + file(files("other", "x")), "k|==|n[other] = x"},
	{"no DOCTYPE", "<plist version=\"1.0\">\n<dict>\n" + files("other", "x") + "</dict>\n</plist>",
		"k|==|n[other] = x"},
	{"an old DOCTYPE", strings.Replace(file(files("other", "x")), "-//Apple//", "-//Apple Computer//", 1),
		"k|==|n[other] = x"},
	{"values of other types", file("\t<key>a</key>\n\t<array><string>x</string></array>\n\t<key>b</key>\n\t<true/>\n" +
		files("other", "x")),
		"k|==|n[other] = x"},
	{"a key with signs", strings.Replace(file(files("other", "x")), "<key>k<", "<key>%d &lt;files&gt; &amp; more<", 1),
		"%d <files> & more|==|n[other] = x"},
	{"an empty key", strings.Replace(file(files("other", "x")), "<key>k<", "<key><", 1), "|==|n[other] = x"},
}

// texts are those of a file, as edges have them.
func texts(f *resource.File) string {
	var all []string
	for e := range f.Entries() {
		if e.Kind == resource.Text {
			text := fmt.Sprintf("%s[%s] = %s", e.Key, e.Form, e.Text)
			if e.Note != "" {
				text += " # " + e.Note
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

func strict(src []byte, texts ...string) resourcetest.Case {
	return resourcetest.Case{Grammar: Grammar, Src: src, NewTexts: texts,
		Refuses: resourcetest.Rules("XML does not have", "is too long",
			"varies by device or width", "name its keys so"),
		Undone: func(f *resource.File, _ string) bool {
			if strings.Contains(strings.ReplaceAll(f.Source(), "\r\n", ""), "\r") {
				return false // lines that end in another way than those that are inserted
			}
			end := strings.LastIndex(f.Source(), "</dict>") // also behind one in a document type
			return f.Len() > 1 || f.Node(0).Style&closed == 0 && strings.HasSuffix(f.Source()[:max(end, 0)], "\n")
		}}
}

func TestLaws(t *testing.T) {
	cases := edges
	for _, name := range []string{"Localizable.stringsdict", "Forms.stringsdict"} {
		cases = append(cases, struct{ name, src, want string }{name, read(t, name), ""})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := resourcetest.Check(t, strict([]byte(c.src), hard...))
			if f == nil {
				_, err := resource.Parse(Grammar, resource.Keys{}, []byte(c.src))
				t.Fatal(err)
			}
			oracletest.Agree(t, f, oracle.Rule{Format: "stringsdict"})
			if got := texts(f); c.want != "" && got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

func FuzzLaws(f *testing.F) {
	resourcetest.Seeds(f)
	for _, c := range edges {
		f.Add([]byte(c.src))
	}
	f.Fuzz(resourcetest.Mutated(func(t *testing.T, src []byte) {
		if len(src) > 4<<10 {
			return
		}
		c := strict(src, hard[len(src)%len(hard)])
		c.Any = true
		f := resourcetest.Check(t, c)
		if f == nil {
			return
		}
		if _, err := (oracle.Rule{Format: "stringsdict"}).Read(f.Bytes()); err == nil {
			oracletest.Agree(t, f, oracle.Rule{Format: "stringsdict"})
		}
	}))
}

func parse(t testing.TB, src string) *resource.File {
	t.Helper()
	f, err := resource.Parse(Grammar, resource.Keys{}, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// set are edits of texts, each "key[form] = text".
func set(all ...string) (edits []resource.Edit) {
	for _, one := range all {
		name, text, has := strings.Cut(one, " = ")
		key, form, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		op := resource.Set
		if !has {
			op = resource.Remove
		}
		edits = append(edits, resource.Edit{Op: op, Key: key, Form: form, Text: text})
	}
	return edits
}

const around = "k|==|NSStringLocalizedFormatKey"

// What comes and goes is as in the source, and entries are complete.
func TestRewrite(t *testing.T) {
	one, two := "%d file", "%d files"
	source := files("one", one, "other", two)
	noted := "\t<!-- In the sidebar -->\n" + source
	texted := entry("k", "%#@n@ found", variable("n", "one", one, "other", two))
	pair := entry("k", "%#@a@ in %#@b@", variable("a", "other", "A"), variable("b", "other", "B"))
	for _, c := range []struct {
		name, source, src string
		edits             []resource.Edit
		want              string
	}{
		{"a new entry", source, "", set("k|==|n[one] = %d Datei", "k|==|n[other] = %d Dateien"),
			files("one", "%d Datei", "other", "%d Dateien")},
		{"with its comment", noted, "", set("k|==|n[other] = x"), "\t<!-- In the sidebar -->\n" + files("other", "x")},
		{"with the kind of its argument", strings.Replace(source, ">d<", ">lld<", 1), "", set("k|==|n[other] = x"),
			strings.Replace(files("other", "x"), ">d<", ">lld<", 1)},
		{"forms that the source lacks", source, source, set("k|==|n[few] = f", "k|==|n[many] = m", "k|==|n[zero] = z"),
			files("zero", "z", "one", one, "few", "f", "many", "m", "other", two)},
		{"a form goes", source, files("one", one, "few", "f", "other", two), set("k|==|n[few]"), source},
		{"all forms go", source, device + source, set("k|==|n[one]", "k|==|n[other]"), device},
		{"a new text around", texted, source, set(around + " = %#@n@ gefunden"), entry("k", "%#@n@ gefunden",
			variable("n", "one", one, "other", two))},
		{"the text around goes", texted, texted, set(around), source},
		{"a text that is only its variable", texted, texted, set(around + " = %#@n@"),
			entry("k", "<![CDATA[%#@n@]]>", variable("n", "one", one, "other", two))},
		{"no text around yet", pair, "", set("k|==|a[other] = A", "k|==|b[other] = B"),
			entry("k", "%#@a@ %#@b@", variable("a", "other", "A"), variable("b", "other", "B"))},
		{"a variable more", pair, entry("k", "%#@a@", variable("a", "other", "A")), set("k|==|b[other] = B"),
			entry("k", "%#@a@ %#@b@", variable("a", "other", "A"), variable("b", "other", "B"))},
		{"a variable less", pair, entry("k", "%#@a@ %#@b@", variable("a", "other", "A"), variable("b", "other", "B")),
			set("k|==|b[other]"),
			entry("k", "%#@a@", variable("a", "other", "A"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, refused := parse(t, file(c.src)).Rewrite(c.edits, parse(t, file(c.source)))
			if len(refused) > 0 || string(out) != file(c.want) {
				t.Errorf("%v\n%s\nwant\n%s", refused, out, file(c.want))
			}
			var made []oracle.Change
			for _, e := range c.edits {
				made = append(made, oracle.Change{Key: e.Key, Form: e.Form, Text: e.Text,
					Gone: e.Op == resource.Remove})
			}
			if err := (oracle.Rule{Format: "stringsdict"}).Prove([]byte(file(c.src)), out, made); err != nil {
				t.Errorf("the second reader: %v", err)
			}
		})
	}
}

// A text is not written without its variables, nor what the format has no shape for.
func TestRefusals(t *testing.T) {
	source := parse(t, file(entry("k", "%#@n@ found", variable("n", "other", "x"))))
	for edit, want := range map[string]string{
		around + " = %#@n@ gefunden":    errAlone.Error(),
		"k|==|x = y":                    errShape.Error(),
		"k[other] = y":                  errShape.Error(),
		"k|==|n[lots] = y":              errShape.Error(),
		"k|==|n|==|m[other] = y":        errShape.Error(),
		"k|==|n[other] = \x01":          "it has the character U+0001, which XML does not have",
		"k|==|x@y[other] = no variable": errShape.Error(),
	} {
		_, refused := parse(t, file("")).Rewrite(set(edit), source)
		if len(refused) != 1 || refused[0].Reason != want {
			t.Errorf("%s: %v, want %s", edit, refused, want)
		}
	}
}

// A new language has the variables and the categories of its language, and nothing by device or width.
func TestFresh(t *testing.T) {
	source := parse(t, read(t, "Localizable.stringsdict"))
	var edits []resource.Edit
	for e := range source.Entries() {
		if e.Kind == resource.Text && e.Form != "one" {
			edits = append(edits, resource.Edit{Op: resource.Set, Key: e.Key, Form: e.Form, Text: e.Text})
		}
	}
	out, refused := source.Fresh(edits)
	want := read(t, "fresh.stringsdict")
	if len(refused) > 0 || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", refused, out, want)
	}
	var made []oracle.Change
	for _, e := range edits {
		made = append(made, oracle.Change{Key: e.Key, Form: e.Form, Text: e.Text})
	}
	rule := oracle.Rule{Format: "stringsdict"}
	if err := rule.ProveNew(source.Bytes(), out, made, rule); err != nil {
		t.Errorf("the second reader: %v", err)
	}
}

func TestRefused(t *testing.T) {
	for src, want := range map[string]string{
		"":                            "1:1: there is no root element",
		"bplist00":                    "1:1: the file is a binary property list; write it as XML (plutil -convert xml1)",
		"<dict/>":                     "1:1: the root element is <dict>, not <plist>: this is not a property list",
		"<plist/>":                    "1:9: the property list has no <dict>",
		"<plist><array/></plist>":     "1:8: a property list of texts is one <dict>, and has no <array> beside it",
		"<plist>x<dict/></plist>":     "1:8: text outside of the <dict>",
		"<plist><dict>x</dict>":       "1:14: text between the keys and values of a <dict>",
		"<plist><dict><key>a</key>\n": "2:1: the file ends inside <dict>: its end tag is missing",
		"<plist><dict><key>a</key><key>b</key></dict></plist>": "1:26: the <key> before has no value",
		"<plist><dict><key>a</key></dict></plist>":             "1:26: the <key> before has no value",
		"<plist><dict><string/></dict></plist>":                "1:14: a <key> with a name is to be here",
		"<plist><dict><key/><true/></dict></plist>":            "1:14: a <key> with a name is to be here",
		"<plist><dict><key><b/></key><true/></dict></plist>":   "1:14: a <key> with tags in it",
		"<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><dict/></plist>": "1:17: the DOCTYPE declares something itself; " +
			"files with such a one are not read",
		"<!DOCTYPE plist \"a":                                               "1:17: a DOCTYPE that does not end",
		"<!DOCTYPE plist":                                                   "1:1: a DOCTYPE that does not end",
		"<plist><!DOCTYPE plist><dict/></plist>":                            "1:8: a DOCTYPE behind the beginning of the root element",
		"<!DOCTYPE plist><!DOCTYPE plist><plist/>":                          "1:17: a DOCTYPE, or a <! that begins no comment; files with one are not read",
		"<plist><dict><key>a</key><string>&x;</string></dict></plist>":      "1:34: a & that begins no reference that XML has; write &amp;",
		"<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><dict/></plist>": "1:1: the file says that it is UTF-16; save it as UTF-8 and declare that",
	} {
		if _, err := resource.Parse(Grammar, resource.Keys{}, []byte(src)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
	for src, want := range map[string]string{
		file(entry("k", "%#@m@ x", variable("n", "other",
			"x"))): "its NSStringLocalizedFormatKey names the variable m, which the entry does not have",
		file("\t<key>k</key>\n\t<string>a<b/></string>\n"): "its <string> has tags in it, so it is left alone; write &lt; for <",
	} {
		if w := parse(t, src).Warnings(); len(w) != 1 || w[0].Msg != want {
			t.Errorf("%s: %+v, want %s", src, w, want)
		}
	}
}

// What is composed reads back.
func TestCompose(t *testing.T) {
	f := parse(t, strings.Replace(read(t, "Localizable.stringsdict"), "\t<!-- Below the list of a folder -->\n", "", 1))
	var all []resource.Entry
	for e := range f.Entries() {
		if e.Kind == resource.Text {
			all = append(all, e)
		}
	}
	out, err := resource.Compose(Grammar, resource.Keys{Structured: true, Separator: separator}, f, all)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := texts(parse(t, string(out))), texts(f); strings.Join(slices.Sorted(strings.SplitSeq(got, "; ")),
		"\n") !=
		strings.Join(slices.Sorted(strings.SplitSeq(want, "; ")), "\n") {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// made is a file of some size.
func made(size int) []byte {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(entry(fmt.Sprintf("%%d transfers of %d", i), "%#@n@",
			variable("n", "one", "%d transfer to „%@“ is complete.",
				"other", "%d transfers to „%@“ are complete &amp; were checked.")))
	}
	return []byte(file(b.String()))
}

var large = sync.OnceValue(func() []byte { return made(10 << 20) })

func Benchmark(b *testing.B)       { resourcetest.BenchScan(b, strict(large())) }
func BenchmarkMemory(b *testing.B) { resourcetest.BenchMemory(b, strict(large())) }

// Reading takes time in proportion to the file, whatever is in it.
func TestLinear(t *testing.T) {
	for name, unit := range map[string]string{
		"entries": files("other",
			"x"), "texts": "<key>k</key><string>v</string>", "elements": "<a>", "comments": "<!---->",
		"references": "&amp;", "blank": "\n", "variables": "%#@n@ ", "open": "%#@n", "open tags": "<",
		"dictionaries": "<key>k</key><dict>",
	} {
		resourcetest.LinearCase(t, name, strict(nil), func(n int) []byte {
			return []byte(file(strings.Repeat(unit, n/len(unit)/8)))
		})
		resourcetest.LinearCase(t, name+" in a format", strict(nil), func(n int) []byte {
			return []byte(file(entry("k", strings.Repeat(unit, n/len(unit)/8))))
		})
	}
}

func TestShapes(t *testing.T) {
	resourcetest.Shapes{Grammar: Grammar, Entry: func(name, text string) string {
		return "\t<key>" + name + "</key>\n\t<string>" + text + "</string>\n"
	}, File: func(entries []string) string { return file(strings.Join(entries, "")) }}.Check(t)
}
