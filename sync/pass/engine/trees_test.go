package engine

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
)

// A commit whose tree git could not have made fails push, pull, status and check by name, whatever pushes read from and
// whether the source is found by its name or by a pattern. Nothing counts as removed, and the next good commit goes on.
func TestCommitsThatCannotBeRead(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, source := range []string{"main", "worktree"} {
		for _, pattern := range []string{"locales/en/app.json", "locales/en/*.json", "**/en/app.json"} {
			w := newWorld(t, settings+fmt.Sprintf("[project.push]\nsource = %q\n[[project.files]]\nsource = %q\n"+
				"output = \"locales/{LANGUAGE}/app.json\"\n", source, pattern), map[string]string{
				"locales/en/app.json": `{"a": "A", "b": "B"}`, "locales/de/app.json": `{"a": "Ah"}`})
			w.clean(push.Options{})
			w.translate("main", "de", "final", "b", "Be")

			good := w.git("rev-parse", "main")
			hash, err := hex.DecodeString(w.git("rev-parse", "main:locales"))
			w.check(err)
			entries := "40000 ..\x00" + string(hash) + "40000 locales\x00" + string(hash)
			tree := gittest.Input(t, w.dir, []byte(entries), "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
			w.git("update-ref", "refs/heads/main", w.git("commit-tree", "-p", good, "-m", "hostile", tree))

			_, sent := w.Push(t.Context(), push.Options{})
			_, got := w.Pull(t.Context(), pull.Options{})
			for what, err := range map[string]error{"push": sent, "pull": got} {
				reads := what == "pull" || source == "main"
				if reads != strings.Contains(fmt.Sprint(err), "damaged tree") {
					t.Errorf("source %s, %s: the %s said %v", source, pattern, what, err)
				}
			}
			status := w.Status(t.Context()).Projects[0]
			check, err := w.Check(t.Context(), inspect.Options{})
			if err != nil || status.Removed > 0 {
				t.Errorf("source %s, %s: %v, %d removed", source, pattern, err, status.Removed)
			}
			if source == "main" {
				w.problem(status.Problems, "damaged tree")
				w.problem(check.Projects[0].Problems, "damaged tree")
			}

			w.git("update-ref", "refs/heads/main", good)
			w.clean(push.Options{})
			w.pulls(pull.Options{})
			if got := compact(w.show("l10n", "locales/de/app.json")); got != `{"a": "Ah", "b": "Be"}` {
				t.Errorf("source %s, %s: %s", source, pattern, got)
			}
			w.close()
		}
	}
}
