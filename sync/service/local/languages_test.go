package local

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/locsync/locsync/sync/service/local/api"
)

// Every well-formed language tag works from the project to the export, and comes back as it was written; in any case
// where the table has it.
func TestAnyLanguage(t *testing.T) {
	s := serve(t, Options{})
	targets := []string{"az-AZ", "zh", "zh-CN", "ckb", "gsw", "nds-NL", "sr-CS", "en-001", "isv-Latn", "cbk-zam",
		"ca-valencia", "x-pirate", "PT-br"}
	p := s.create("en", targets...)
	s.completed(p, "?language=en", file{"a.json", `{"k":"v"}`})
	numbers := map[string]string{"0": "no language"}
	for _, code := range targets {
		s.completed(p, "?language="+code+"&completion-state=final", file{"a.json", fmt.Sprintf(`{"k":"in %s"}`, code)})
		sameJSON(t, s.one(p, "?languages="+code+"&skip-incomplete-keys"), fmt.Sprintf(`{"k":"in %s"}`, code))
		n := api.LanguageNumber(code)
		if _, err := strconv.ParseInt(n, 10, 32); err != nil || numbers[n] != "" {
			t.Errorf("%s has the number %s, as %q: %v", code, n, numbers[n], err)
		}
		numbers[n] = code
	}
	archive := s.many(p, "?skip-incomplete-keys&output-file-path-template=%7BLANGUAGE%7D.json")
	for _, code := range targets[:len(targets)-1] {
		if archive[code+".json"] == "" {
			t.Errorf("no file for %s in %v", code, archive)
		}
	}
	if archive["pt-BR.json"] == "" {
		t.Errorf("pt-BR is not spelled as the table has it: %v", archive)
	}
}
