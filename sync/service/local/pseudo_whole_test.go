package local

import (
	"strings"
	"testing"
)

// New keys have pseudo-translations, in every language, also one that joins later; an imported translation stands
// before them, and a new source text changes them.
func TestPseudoTranslations(t *testing.T) {
	dir := t.TempDir()
	plain, err := Open(dir, Options{AccountID: testAccount})
	if err != nil {
		t.Fatal(err)
	}
	const p = "0a0a0a0a-0000-4000-8000-00000000000a"
	if err := plain.EnsureProject(p, "app", "en", []string{"de"}); err != nil {
		t.Fatal(err)
	}
	in := server{t: t, s: plain}
	in.direct(p, "?language=en", file{"a.json", `{"early":"Early"}`})
	if err := plain.Close(); err != nil {
		t.Fatal(err)
	}

	s := serveIn(t, dir, Options{Pseudo: true})
	s.completed(p, "?language=en", file{"a.json", `{"hi":"Hi {name}","mine":"Mine","early":"Early"}`})
	s.completed(p, "?language=de", file{"a.json", `{"mine":"Meins"}`})
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys"), `{"hi":"[de Ĥí {name}]"}`)
	sameJSON(t, s.one(p, "?languages=de&completion-state=draft"),
		`{"hi":"[de Ĥí {name}]","mine":"Meins","early":"Early"}`)
	if err := s.s.EnsureProject(p, "renamed", "EN", []string{"de", "fr"}); err != nil {
		t.Fatal(err)
	}
	sameJSON(t, s.one(p, "?languages=fr&skip-incomplete-keys"), `{"hi":"[fr Ĥí {name}]","mine":"[fr Ṁíñé]"}`)
	if got := s.many(p, ""); len(got) != 2 {
		t.Errorf("the collection did not get the language: %v", got)
	}
	s.completed(p, "?language=en&overwrite-conflicting-values", file{"a.json", `{"hi":"Hello","mine":"Mine 2"}`})
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys&completion-state=draft"),
		`{"hi":"[de Ĥéļļö]","mine":"Meins"}`)
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys"), `{"hi":"[de Ĥéļļö]"}`)
	r := s.completed(p, "?language=de&completion-state=final", file{"a.json", `{"hi":"Hallo"}`})
	if r.KeysUpdated != 1 || len(r.ConflictingKeyValues) != 0 {
		t.Errorf("an import is no conflict with a pseudo-translation: %+v", r)
	}
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys"), `{"hi":"Hallo"}`)
	if err := s.s.EnsureProject(p, "app", "de", []string{"fr"}); err == nil {
		t.Error("EnsureProject took another source language")
	}
	if err := s.s.EnsureProject("x", "app", "de", []string{"fr"}); err == nil {
		t.Error("EnsureProject took a malformed identifier")
	}
	if err := s.s.EnsureProject("0a0a0a0a-0000-4000-8000-00000000000b", "app", "de", []string{"zh_CN"}); err == nil ||
		!strings.Contains(err.Error(), "zh-Hans-CN") {
		t.Errorf("EnsureProject: %v", err)
	}
}
