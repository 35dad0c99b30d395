package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"go.etcd.io/bbolt"
)

// A dry run for several branches leaves all that is remembered as it is, whatever there is to find: lines, folders without a file of ours, texts to send and to
// bring, a branch that is gone.
func TestDryRunOfLinesRemembersNothing(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{appFile: mainText, "src/deep/er/code.go": "package er\n"})
	w.git("branch", "feature/x")
	w.configure(strings.NewReplacer(`branches = ["main", "feature/*"]`, "source = \"main\"\nbranches = [\"feature/*\"]", `"locales/en/*.json"`, `"**/en/*.json"`,
		`"locales/{LANGUAGE}`, `"{DIR}/{LANGUAGE}`).Replace(lineSettings))
	remembered := func() string {
		t.Helper()
		src, err := os.ReadFile(filepath.Join(w.home, "state.db"))
		w.check(err)
		file := filepath.Join(t.TempDir(), "copy.db")
		w.check(os.WriteFile(file, src, 0o600))
		db, err := bbolt.Open(file, 0o600, nil)
		w.check(err)
		defer db.Close()
		var b strings.Builder
		w.check(db.View(func(tx *bbolt.Tx) error {
			return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
				return bucket.ForEach(func(key, value []byte) error {
					fmt.Fprintf(&b, "%s %q %q\n", name, key, value)
					return nil
				})
			})
		}))
		return b.String()
	}
	rehearse := func(when string) {
		t.Helper()
		before, refs := remembered(), w.git("for-each-ref")
		pushed, err := w.Push(t.Context(), push.Options{DryRun: true})
		w.check(err)
		if remembered() != before {
			t.Errorf("%s: a dry push is remembered", when)
		}
		pulled, err := w.Pull(t.Context(), pull.Options{DryRun: true})
		w.check(err)
		if remembered() != before || w.git("for-each-ref") != refs {
			t.Errorf("%s: a dry pull is remembered: %s\nbefore: %s", when, remembered(), before)
		}
		if len(pushed.Projects) == 0 || len(pushed.Projects) != len(pulled.Projects) {
			t.Errorf("%s: %+v, %+v", when, pushed, pulled)
		}
	}
	rehearse("nothing was ever pushed")
	_, err := w.Push(t.Context(), push.Options{})
	w.check(err)
	w.translate("main", "de", service.Final, "a", "Apfel")
	w.commitOn("feature/x", appFile, featText)
	rehearse("there is something to send and to bring")
	_, err = w.Push(t.Context(), push.Options{})
	w.check(err)
	_, err = w.Pull(t.Context(), pull.Options{})
	w.check(err)
	w.git("branch", "-D", "feature/x")
	rehearse("a branch is gone")
}
