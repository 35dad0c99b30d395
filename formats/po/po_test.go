package po

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/sync/text/plural"
)

// hard are texts that the format finds difficult to spell.
var hard = []string{" ", "  two", "\t", "two\nlines", "\\n", `"quoted" 'it''s'`, "{0:N2} é א 😀", "C:\\new\\",
	"a\rb\a\b\v\f", "\u00a0\u2028\ufeff",
	"a line that is so long that it is broken, since it has far more than eighty letters, and so msgcat breaks it",
	"#~ msgid", "%(name)s %d%%"}

const head = `# A language.
# Somebody, 2026.
msgid ""
msgstr ""
"Project-Id-Version: app 1.0\n"
"Language: ru\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && "
"n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\n"
`

// edges are cases with the text that the key k has.
var edges = []struct{ name, src, want string }{
	{"plain", head + "\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"no header", "msgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"header alone", head, ""},
	{"comments alone", "# A file\n", ""},
	{"references and flags", head +
		"\n#. For translators\n#: app/views.py:12 app/models.py:3\n#, python-format\nmsgid \"k\"\nmsgstr \"Text %s\"\n",
		"Text %s"},
	{"translators' comment", head + "\n# mine\n#. theirs\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"lines", head + "\nmsgid \"k\"\nmsgstr \"\"\n\"one \"\n\"two\\n\"\n\"three\"\n", "one two\nthree"},
	{"escapes", head + "\nmsgid \"k\"\nmsgstr \"\\t\\\"a\\\" \\\\ \\101\\x42\"\n", "\t\"a\" \\ AB"},
	{"escapes of bytes", head + "\nmsgid \"k\"\nmsgstr \"Gr\\303\\266\\xc3\"\n\"\\237e \\342\\202\\254\"\n", "Größe €"},
	{"context", head + "\nmsgctxt \"menu\"\nmsgid \"k\"\nmsgstr \"in the menu\"\n\nmsgid \"k\"\nmsgstr \"Text\"\n",
		"Text"},
	{"plural", head +
		"\nmsgid \"k\"\nmsgstr \"Text\"\n\n#, c-format\nmsgid \"%d file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"%d файл\"\nmsgstr[1] \"%d файла\"\nmsgstr[2] \"%d файлов\"\n", "Text"},
	{"plural without one", head +
		"\nmsgid \"%d file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"%d файл\"\nmsgstr[1] \"\"\nmsgstr[2] \"\"\n\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"fuzzy", head +
		"\n#, fuzzy, python-format\n#| msgid \"old\"\nmsgid \"k %s\"\nmsgstr \"old %s\"\n\nmsgid \"k\"\nmsgstr \"Text\"\n",
		"Text"},
	{"fuzzy alone", head +
		"\n#: a.c:1\n#, fuzzy\n#| msgctxt \"x\"\n#| msgid \"old\"\n#| \"er\"\nmsgid \"other\"\nmsgstr \"old\"\n\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"fuzzy plural", head +
		"\n#, fuzzy\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\nmsgstr[1] \"y\"\nmsgstr[2] \"z\"\n\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"obsolete",
		head + "\nmsgid \"k\"\nmsgstr \"Text\"\n\n#, fuzzy\n#~| msgid \"older\"\n#~ msgid \"old\"\n#~ msgstr \"alt\"\n",
		"Text"},
	{"obsolete between", head + "\n#~ msgid \"old\"\n#~ msgstr \"alt\"\n\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"no blank lines",
		"msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\nmsgid \"j\"\nmsgstr \"x\"\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"windows line ends", strings.ReplaceAll(head+"\nmsgid \"k\"\nmsgstr \"Text\"\n\nmsgid \"j\"\nmsgstr \"\"\n", "\n",
		"\r\n"), "Text"},
	{"mark", "\xef\xbb\xbf" + head + "\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"no final line end", head + "\nmsgid \"k\"\nmsgstr \"Text\"", "Text"},
	{"empty", head + "\nmsgid \"k\"\nmsgstr \"\"\n", ""},
	{"line breaks at the ends", head + "\nmsgid \"\\nj\\n\"\nmsgstr \"\\nx\\n\"\n\nmsgid \"k\"\nmsgstr \"Text\"\n",
		"Text"},
	{"long lines", head + "\nmsgid \"j\"\nmsgstr \"" + strings.Repeat("many words ", 12) +
		"\"\n\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"long msgid", head +
		"\nmsgid \"\"\n\"A text that is its own key, and is so long that it is on two lines, as gettext \"\n\"does it\"\nmsgstr \"Text\"\n\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"indented", head + "\n  msgctxt \"a\"\n  msgid \"k\"\n  msgstr \"in\"\n\nmsgid \"k\"\n\tmsgstr   \"Text\"\n",
		"Text"},
	{"name twice", head + "\nmsgid \"k\"\nmsgstr \"first\"\n\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"blank line below comments",
		head + "\n# Section\n\n#, fuzzy\n\nmsgid \"j\"\nmsgstr \"x\"\n\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
	{"no spaces", head + "\nmsgid\"k\"\nmsgstr\"Text\"\n", "Text"},
	{"another script", head + "\nmsgid \"ключ\"\nmsgstr \"текст\"\n\nmsgid \"k\"\nmsgstr \"テキスト 😀\"\n", "テキスト 😀"},
	{"no formula", "msgid \"k\"\nmsgid_plural \"ks\"\nmsgstr[0] \"a\"\nmsgstr[1] \"b\"\n", ""},
	{"formula of fewer", strings.Replace(head, "nplurals=3", "nplurals=2", 1) +
		"\nmsgid \"j\"\nmsgid_plural \"ks\"\nmsgstr[0] \"a\"\nmsgstr[1] \"b\"\nmsgstr[2] \"c\"\n\nmsgid \"k\"\nmsgstr \"Text\"\n", "Text"},
}

func strict(g resource.Grammar, src []byte, texts ...string) resourcetest.Case {
	return resourcetest.Case{Grammar: g, Src: src, NewTexts: texts,
		Refuses: resourcetest.Rules("this text is in the program", "in this format, an empty text",
			"which msgfmt refuses", "there is no", "has no numbers for it"),
		Undone: func(*resource.File, string) bool { return false }} // what goes becomes obsolete
}

func TestLaws(t *testing.T) {
	for _, g := range []resource.Grammar{Translations, Source} {
		for _, c := range edges {
			t.Run(fmt.Sprint(c.name, " ", g == Source), func(t *testing.T) {
				laws := strict(g, []byte(c.src), hard...)
				laws.Any = g == Source // which is only read
				f := resourcetest.Check(t, laws)
				if f == nil {
					t.Fatal("refused")
				}
				want := c.want
				if g == Source && want == "" && strings.Contains(c.src, "msgid \"k\"\nmsgstr") {
					want = "k" // as the program has it
				}
				if e, _ := f.Lookup("k", ""); e.Text != want {
					t.Errorf("k is %q, want %q", e.Text, want)
				}
			})
		}
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
		for _, g := range []resource.Grammar{Translations, Source} {
			c := strict(g, src, hard[len(src)%len(hard)])
			c.Any = true
			resourcetest.Check(t, c)
		}
	}))
}

func parse(t testing.TB, g resource.Grammar, src string) *resource.File {
	t.Helper()
	f, err := resource.Parse(g, resource.Keys{}, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func set(key, form, text string) resource.Edit {
	return resource.Edit{Op: resource.Set, Key: key, Form: form, Text: text}
}

// New texts are wrapped as msgcat does it: what is written is what msgcat makes of it.
func TestMsgcat(t *testing.T) {
	msgcat, err := exec.LookPath("msgcat")
	if err != nil {
		t.Skip("no msgcat here")
	}
	words := []string{"a", "text", "with", "words,", "longer-words", "(and)", "signs:",
		"https://example.org/path/to?x=1", "é", "слово", "日本語の文章", "%(name)s",
		"\"quoted\"", "back\\slash", "tab\there", "two\nlines", "<b>bold</b>", "3.14", "{0}", "—",
		"it's", "über", "x=y", "100%"}
	r := rand.New(rand.NewPCG(1, 2))
	var src strings.Builder
	src.WriteString(head)
	var edits []resource.Edit
	for i := range 500 {
		key := fmt.Sprintf("key %d", i)
		fmt.Fprintf(&src, "\nmsgid \"%s\"\nmsgstr \"\"\n", key)
		var text strings.Builder
		for range 1 + r.IntN(30) {
			text.WriteString(words[r.IntN(len(words))] + []string{" ", " ", " ", "", "\n"}[r.IntN(50)%5%(1+r.IntN(5))])
		}
		edits = append(edits, set(key, "", strings.Trim(text.String(), "\n")))
	}
	out, refused := parse(t, Translations, src.String()).Rewrite(edits, nil)
	if len(refused) > 0 {
		t.Fatal(refused[0])
	}
	cmd := exec.Command(msgcat, "--no-location", "-")
	cmd.Stdin = bytes.NewReader(out)
	want, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := strings.Split(string(out), "\n\n"), strings.Split(string(want), "\n\n")
	differ := 0
	for i := range ours {
		if i < len(theirs) && strings.TrimSpace(ours[i]) != strings.TrimSpace(theirs[i]) {
			if differ++; differ < 8 {
				t.Logf("ours\n%s\nmsgcat's\n%s", ours[i], theirs[i])
			}
		}
	}
	if differ > 0 || len(ours) != len(theirs) {
		t.Errorf("%d of %d entries differ", differ, len(ours))
	}
}

// Of every language with a formula, each category of whole numbers has an index, and no index has none.
func TestFormulas(t *testing.T) {
	for _, language := range []string{"de", "fr", "pt-BR", "ja", "ru", "uk", "be", "sr", "hr", "bs", "cs", "sk", "pl",
		"lt", "lv", "ro", "sl", "ga", "cy", "ar", "mt", "he",
		"gd", "mk", "is", "zh-Hans", "tr", "hu", "el", "fa", "es", "it", "hi", "vi", "ko", "id", "th"} {
		formula := formulaOf(language)
		if formula == "" {
			t.Errorf("%s has no formula", language)
			continue
		}
		count, _, err := parsed(formula)
		if err != nil {
			t.Errorf("%s: %v", language, err)
		}
		got := make(map[string]bool)
		for at, form := range slotsOf(formula, language).forms {
			if (form > 0) != (at < count) {
				t.Errorf("%s: msgstr[%d] is for category %d of %s", language, at, form, formula)
			} else if form > 0 {
				got[plural.Order[form-1]] = true
			}
		}
		for _, c := range plural.Categories(language) {
			if !c.Rare && !got[c.Name] {
				t.Errorf("%s: no msgstr is for %q by %s", language, c.Name, formula)
			}
		}
	}
}
