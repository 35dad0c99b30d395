package engine

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/passtest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
)

// BenchmarkFreshClone makes a pass with nothing to do in a clone of depth 1 that has no state, of 25 files with 1,000
// keys in 20 languages. Beside it: git's fetch, and each file read once.
func BenchmarkFreshClone(b *testing.B) {
	languages := strings.Fields("de fr es it ja nl pl ru uk cs da sv fi el hu ko pt ro tr zh")
	files := make(map[string]string)
	for i := range 25 {
		for _, l := range append([]string{"en"}, languages...) {
			text := strings.ReplaceAll(passtest.JSONFile(1000, l, i), "screen.", fmt.Sprintf("screen%d.", i))
			files[fmt.Sprintf("locales/%s/file%d.json", l, i)] = text
		}
	}
	u := universeOf(b, fmt.Sprintf(`
source_language = "en"
target_languages = ["%s"]
[project.pull]
completion_state = "draft"
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
`, strings.Join(languages, `", "`)), files, nil, 0)
	u.ready()
	if _, err := u.Push(b.Context(), push.Options{Translations: true}); err != nil {
		b.Fatal(err)
	}
	if _, err := u.Pull(b.Context(), pull.Options{}); err != nil {
		b.Fatal(err)
	}
	u.fresh = []string{"--depth=1"}
	for _, of := range []struct {
		name string
		run  func() error
	}{
		{"git", func() error {
			gittest.Git(b, u.dir, "fetch", "-q", "--depth=1", "origin")
			names := gittest.Git(b, u.dir, "ls-tree", "-r", "--format=%(objectname)", "HEAD")
			read := exec.CommandContext(b.Context(), "git", "-C", u.dir, "cat-file", "--batch")
			read.Stdin = strings.NewReader(names)
			var all bytes.Buffer
			read.Stdout = &all
			return read.Run()
		}},
		{"sync", func() error {
			r, err := u.Sync(b.Context(), push.Options{}, pull.Options{})
			if err == nil && (len(r.Push.Projects[0].Files) > 0 || r.Pull.Projects[0].Commit != "") {
				err = fmt.Errorf("something was sent or committed: %+v", r)
			}
			return err
		}},
	} {
		b.Run(of.name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				u.ready()
				b.StartTimer()
				if err := of.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
