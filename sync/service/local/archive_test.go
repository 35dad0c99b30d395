package local

import (
	"testing"
)

// A key that is archived is in no export and count. With its next import in the source language it is back, with the
// translations that it had, which are drafts where its text has changed.
func TestArchive(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"a.json", `{"a":"A","b":"B","c":"C"}`})
	s.completed(p, "?language=de&completion-state=final", file{"a.json", `{"a":"a!","b":"b!","c":"c!"}`})
	if err := s.s.Archive(p, "main", []string{"b", "c", "none"}); err != nil {
		t.Fatal(err)
	}
	sameJSON(t, s.one(p, "?languages=en"), `{"a":"A"}`)
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys"), `{"a":"a!"}`)
	if r := s.completed(p, "?language=de", file{"a.json", `{"b":"x"}`}); r.KeysWithoutSource != 1 {
		t.Errorf("a translation brought an archived key back: %+v", r)
	}
	if r := s.completed(p, "?language=en", file{"a.json", `{"a":"A","b":"B","c":"C2"}`}); r.KeysCreated != 2 {
		t.Errorf("%+v", r)
	}
	sameJSON(t, s.one(p, "?languages=en"), `{"a":"A","b":"B","c":"C2"}`)
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys"), `{"a":"a!","b":"b!"}`)
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys&completion-state=draft"), `{"a":"a!","b":"b!","c":"c!"}`)
	if err := s.s.Archive(p, "other", []string{"a"}); err != nil {
		t.Errorf("a collection that is not there: %v", err)
	}
	sameJSON(t, s.one(p, "?languages=en"), `{"a":"A","b":"B","c":"C2"}`)
}
