package local

import (
	"net/http"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/terms"
	"github.com/locsync/locsync/sync/service/wire"
)

// The terms of a project's glossaries are used where they occur: a text that is a term is translated by it, and in a
// text that a machine translates they are what the glossary says, but in tags, code and placeholders.
func TestGlossariesAreUsed(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de")
	id := s.defaultGlossary().ID
	if state := s.importGlossary(id, false, file{"terms.csv",
		"en,de\nDoor,Pforte\nfront door,Haustür\nHandle,Klinke\n"}); state != wire.TaskState(wire.Completed) {
		t.Fatalf("the import ended as %q", state)
	}
	s.call("PUT", wire.Prefix+"/v1/project/"+p+"/glossaries", "application/json", strings.NewReader(`["`+id+`"]`)).
		want(t, http.StatusNoContent, nil)
	s.post("/v1/project/"+p+"/mt", `[{"id":"engine:Pseudo","languages":["de"]}]`).want(t, 204, nil)
	s.attached(p, s.memory("tm", "en", "de"))
	s.pretranslated(p, `{"ruleType":"tM","order":1,"minThreshold":100},{"ruleType":"MT","order":2}`)
	for body, want := range map[string][2]string{ // what is in the translation, and what is not
		"Door\n":                                  {"Pforte\n", "["},
		"The front door has a handle.\n":          {"Haustür", "Pforte"},
		"The front door has another HANDLE.\n":    {"Klinke", "HANDLE"},
		"Indoors there are doors, outdoors none.": {"[de ", "Pforte"},
	} {
		d := s.added(p, "", file{"a.txt", body})[0].ID
		s.untilPretranslated(p)
		got := string(s.exportDocuments("", d).body)
		if !strings.Contains(got, want[0]) || strings.Contains(got, want[1]) {
			t.Errorf("%q became %q", body, got)
		}
		s.call("DELETE", wire.Prefix+"/v1/document?documentIds="+d, "", nil).want(t, http.StatusNoContent, nil)
	}
	d := s.added(p, "", file{"a.md", "Close the [door](door/a.md), or `door --close`.\n"})[0].ID
	s.untilPretranslated(p)
	if got := string(s.exportDocuments("", d).body); strings.Count(got, "Pforte") != 1 ||
		!strings.Contains(got, "](door/a.md)") {
		t.Errorf("%s", got)
	}
}

// Terms are found as whole words, the longest first.
func TestTermsOfATextAreFound(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de-AT")
	id := s.defaultGlossary().ID
	s.importGlossary(id, false, file{"terms.csv", "en,de\nopen source,Quelloffen\nsource,Quelle\nfée d'eau,Nixe\n"})
	s.call("PUT", wire.Prefix+"/v1/project/"+p+"/glossaries", "application/json", strings.NewReader(`["`+id+`"]`)).
		want(t, http.StatusNoContent, nil)
	err := s.s.store.View(func(tx *store.Tx) error {
		project, err := store.ProjectIn(tx, p)
		if err != nil {
			return err
		}
		terms, err := terms.Of(tx, project, "de-AT")
		if err != nil {
			return err
		}
		for text, want := range map[string]string{
			"The Open Source of this source.": "Open Source=Quelloffen source=Quelle",
			"Resources, opensource":           "",
			"La Fée d'eau!":                   "Fée d'eau=Nixe",
			"":                                "",
		} {
			var got []string
			for _, f := range terms.In(text) {
				got = append(got, text[f.From:f.To]+"="+f.Target)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%q has %q, want %q", text, got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
