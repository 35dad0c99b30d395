package segment

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A gettext file brings its translations along, and takes others; a fuzzy one is none that is confirmed, and no fuzzy
// one when it was translated.
func TestGettext(t *testing.T) {
	d := parse(t, "a.po", []byte(poSample))
	if d.TargetLanguage() != "de" {
		t.Errorf("the language is %q", d.TargetLanguage())
	}
	want := []Segment{
		{Text: `One "two"`, Note: "What it says", Target: `Eins "zwei"`, State: Translated},
		{Text: "Two\nlines\n"},
		{Key: "[0]", Text: "%d file", Target: "%d Datei", State: Translated},
		{Key: "[1]", Text: "%d files", Target: "%d Dateien", State: Translated},
		{Key: "menu", Text: "Open"},
		{Text: "Fuzzy one", Target: "Unscharf"},
	}
	for i, s := range d.Segments() {
		if i >= len(want) || s != want[i] {
			t.Errorf("%d: %+v", i, s)
		}
	}
	out, err := d.Render("de", func(i int) (string, bool) {
		return []string{"", "Zwei\nZeilen \"hier\"\n", "", "", "Öffnen\t\\", "Scharf"}[i], i == 1 || i > 3
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"msgstr \"\"\n\"Zwei\\n\"\n\"Zeilen \\\"hier\\\"\\n\"\n", `msgstr "Öffnen\t\\"`,
		"#, c-format\nmsgid \"Fuzzy one\"\nmsgstr \"Scharf\"\n", "#~ msgid \"Old\""} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	again := parse(t, "a.po", out)
	if s := again.Segments(); s[1].Target != "Zwei\nZeilen \"hier\"\n" || s[5].State != Translated {
		t.Errorf("%+v", s)
	}
	for src, says := range map[string]string{
		"msgid \"a\nmsgstr \"b\"\n": "1:1", "msgstr \"b\"\n": "without a msgid", "msgid \"a\"\n\n": "msgstr",
		"msgid \"a\"\nmsgid \"b\"\n": "second", "\"a\"\n": "without a keyword", "what \"a\"\n": "cannot be here",
		"msgid \"a\\q\"\n": "1:1", "msgid \"a\"\nmsgstr[1] \"\"\n": "cannot be here",
	} {
		if _, err := Parse(t.Context(), "a.po", []byte(src), Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", src, err)
		}
	}
}

func TestLawsOfGettext(t *testing.T) {
	lines := []string{"msgid \"One\"", "msgid \"\"", "msgstr \"Eins\"", "msgstr \"\"",
		"msgid_plural \"Ones\"", "msgctxt \"c\"",
		"msgstr[0] \"A\"", "msgstr[1] \"\"", "\"more\\n\"", "\"\\\"\\\\\"", "", "#, fuzzy",
		"#,fuzzy, c-format", "#. note", "# x",
		"#~ msgid \"old\"", "msgstr\t\"é\"  "}
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 20).Draw(t, "lines"), end)
		law(t, "a.po", []byte(src))
	})
}
