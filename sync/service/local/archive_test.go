package local

import (
	"net/http"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
)

// A key that is archived is in no export and count. With its next import in the source language it is back, with the
// translations that it had, which are drafts where its text has changed.
func TestArchive(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"a.json", `{"a":"A","b":"B","c":"C"}`})
	s.completed(p, "?language=de&completion-state=final", file{"a.json", `{"a":"a!","b":"b!","c":"c!"}`})
	path := strings.Replace(wire.PathOwnArchive, "{projectId}", p, 1)
	archive := func(body string, want int) {
		t.Helper()
		if got := s.post(path, body); got.status != want {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	archive(`[{"collection": "main", "keys": ["b", "c", "none"]}]`, http.StatusNoContent)
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
	archive(`[{"collection": "other", "keys": ["a"]}]`, http.StatusNoContent) // that is not there
	archive(`{}`, http.StatusBadRequest)
	path = strings.Replace(path, p, "11111111-2222-3333-4444-555555555555", 1)
	archive(`[{"collection": "main", "keys": ["a"]}]`, http.StatusForbidden)
	sameJSON(t, s.one(p, "?languages=en"), `{"a":"A","b":"B","c":"C2"}`)
}
