package local

import (
	"fmt"
	"slices"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// A parameter that has no effect, because it is misspelled or another call's, is named in the log; those that a call
// knows are not, however they are spelled.
func TestParametersWithoutEffectAreNamed(t *testing.T) {
	core, logged := observer.New(zap.WarnLevel)
	s := serve(t, Options{Logger: zap.New(core)})
	p := s.create("en", "de")
	for query, want := range map[string]string{
		"?language=en&format=json&collection=main":                                      "[]",
		"?Language=en&overwrite-conflicting-values=1&labels[]=a&completion-state=final": "[]",
		"?language=en&colection=other&targetlanguage=de":                                "[colection targetlanguage]",
	} {
		logged.TakeAll()
		s.completed(p, query, file{"a.json", `{"a":"A"}`})
		var names []string
		for _, e := range logged.TakeAll() {
			for _, name := range e.ContextMap()["parameters"].([]any) {
				names = append(names, name.(string))
			}
		}
		slices.Sort(names)
		if fmt.Sprint(names) != want {
			t.Errorf("%s: named %v, want %s", query, names, want)
		}
	}
	logged.TakeAll()
	s.get("/v1/project/"+p+"?bogus=1").want(t, 200, nil)
	s.get("/v1/project/" + "?bogus=1")
	if n := logged.Len(); n != 1 {
		t.Errorf("%d warnings, want one of the call that was answered", n)
	}
}
