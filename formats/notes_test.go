package formats

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

// The page of each format says what becomes of comments for translators, and of plural forms.
func TestNotesSayWhatIsCarried(t *testing.T) {
	for _, format := range table {
		notes, sent := strings.ToLower(format.Notes), format.Sent()
		body, err := sent.Compose(resource.Keys{}, nil, []resource.Entry{{Key: "title", Text: "Title", Note: "For you"}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := sent.Parse(resource.Keys{}, body)
		if err != nil {
			t.Fatal(err)
		}
		e, _ := f.Lookup("title", "")
		none := strings.Contains(notes, "no comments for translators")
		if e.Note == "" != none || !none && !strings.Contains(notes, "comment") && !strings.Contains(notes, "notes go") {
			t.Errorf("%s: what is sent has the comment %q, and its notes are %q", format.Name, e.Note, format.Notes)
		}
		if !strings.Contains(notes, "plural") {
			t.Errorf("%s: its notes do not say what becomes of plural forms", format.Name)
		}
	}
}
