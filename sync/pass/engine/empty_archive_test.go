package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// An export without a file says nothing about the translations: the pull fails for now, and takes nothing out.
func TestPullOfAnEmptyExport(t *testing.T) {
	gittest.Need(t)
	t.Parallel()
	w := abc(t, localOnly, nil)
	w.final("de", "a", "Ä", "b", "Bé")
	w.pulls(pull.Options{})
	for name, answer := range map[string][]byte{"an archive without entries": zipped(t), "no byte": {}} {
		w.replies(t, func([]byte) []byte { return answer })
		result, err := w.Pull(t.Context(), pull.Options{})
		if !errors.Is(err, service.ErrUnusable) || result.Projects[0].Commit != "" {
			t.Errorf("%s: %v, %+v", name, err, result)
		}
	}
}

// Entries that fit no file of the configuration are one line.
func TestStrayEntriesAreSummedUp(t *testing.T) {
	gittest.Need(t)
	t.Parallel()
	w := abc(t, localOnly, nil)
	entries := []string{"locales/de/a.json", `{"a": "Ä"}`}
	for _, language := range strings.Fields("cs da el es fi hu it") {
		entries = append(entries, "locales/"+language+"/a.json", `{"a": "x"}`)
	}
	w.replies(t, func([]byte) []byte { return zipped(t, entries...) })
	p := w.pulls(pull.Options{})
	var strays []report.Problem
	for _, problem := range p.Problems {
		if problem.Code == report.CodeArchive {
			strays = append(strays, problem)
		}
	}
	if len(strays) != 1 || !strings.Contains(strays[0].Problem, "7 entries") ||
		!strings.Contains(strays[0].Problem, "locales/cs/a.json") || !strings.Contains(strays[0].Problem, "2 more") {
		t.Errorf("problems %v", strays)
	}
}
