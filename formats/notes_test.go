package formats

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

// The page of each format says what becomes of comments for translators, and of plural forms.
func TestNotesSayWhatIsCarried(t *testing.T) {
	for _, format := range table {
		notes, sent := strings.ToLower(format.Notes.Kept), format.Sent()
		for _, loss := range format.Notes.Lost {
			notes += " " + strings.ToLower(loss.What)
		}
		body, err := sent.Compose(resource.Keys{}, nil,
			[]resource.Entry{{Key: "title", Text: "Title", Note: "For you"}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := sent.Parse(resource.Keys{}, body)
		if err != nil {
			t.Fatal(err)
		}
		e, _ := f.Lookup("title", "")
		none := strings.Contains(notes, "comments for translators are not sent")
		if e.Note == "" != none || !none && !strings.Contains(notes, "comment") &&
			!strings.Contains(notes, "notes go") {
			t.Errorf("%s: what is sent has the comment %q, and its notes are %q", format.Name, e.Note, notes)
		}
		if !strings.Contains(notes, "plural") {
			t.Errorf("%s: its notes do not say what becomes of plural forms", format.Name)
		}
	}
}

// Each row says what it cannot carry, and a file's losses are those that it has a sign of.
func TestLosses(t *testing.T) {
	with := map[string]string{
		"json":            "{\n  // For you\n  \"a\": \"A\"\n}\n",
		"structured-json": `{"a": {"message": "A", "description": "For you"}}`,
		"locjson":         samples["locjson"],
		"arb":             `{"a": "{n}", "@a": {"placeholders": {"n": {"type": "int"}}}}`,
		"po":              "\n#: a.c:1\nmsgid \"a\"\nmsgstr \"A\"\n",
		"xliff": `<xliff version="1.2"><file source-language="en"><body><trans-unit id="a"><source>A</source>` +
			`<target state="final">A</target></trans-unit></body></file></xliff>`,
		"xcstrings": `{"sourceLanguage" : "en", "strings" : {"a" : {"localizations" : {"de" : {"stringUnit" : ` +
			`{"state" : "needs_review", "value" : "A"}}}}}, "version" : "1.0"}`,
		"resx": `<root><data name="a"><value>A</value></data><data name="b" type="System.Int32"><value>1</value></data></root>`,
	}
	for _, format := range table {
		if len(format.Notes.Lost) == 0 != strings.HasSuffix(format.Name, "yaml") {
			t.Errorf("%s loses %v", format.Name, format.Notes.Lost)
		}
		for src, want := range map[string]bool{samples[format.Name]: format.Name == "locjson",
			with[format.Name]: true} {
			if src == "" {
				continue
			}
			f, err := format.Parse(resource.Keys{}, []byte(src))
			if err != nil {
				t.Fatalf("%s: %v", format.Name, err)
			}
			if lost := format.Losses(f); (len(lost) > 0) != want {
				t.Errorf("%s: %q of\n%s", format.Name, lost, src)
			}
		}
	}
}
