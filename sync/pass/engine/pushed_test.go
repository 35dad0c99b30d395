package engine

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// A thousand events are judged by a look or two at the repository, not by a thousand starts of git.
func TestEventsShareAPass(t *testing.T) {
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A"}`})
	gittest.Git(t, w.dir, "remote", "add", "origin", "https://git.example.com/acme/app.git")
	git, err := exec.LookPath("git")
	w.check(err)
	bin := t.TempDir()
	count := filepath.Join(bin, "count")
	gittest.Executable(t, filepath.Join(bin, "git"), fmt.Appendf(nil, "#!/bin/sh\necho >> %s\nexec %s \"$@\"\n", count, git))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	starts := func() int {
		text, err := os.ReadFile(count)
		w.check(err)
		return bytes.Count(text, []byte("\n"))
	}
	for i := range 1000 {
		if woken := w.PushedTo(t.Context(), PushEvent{Repository: "acme/app", Branch: "main"}, "test"); len(woken) != 1 {
			t.Fatalf("event %d wakes %v", i, woken)
		}
		if woken := w.PushedTo(t.Context(), PushEvent{Repository: "acme/other", Branch: "main"}, "test"); len(woken) != 0 {
			t.Fatalf("event %d wakes %v", i, woken)
		}
	}
	if got := starts(); got == 0 || got > 20 {
		t.Errorf("git was started %d times", got)
	}
}
