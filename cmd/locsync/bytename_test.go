package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/report"
)

// A source file whose name is not UTF-8 is one problem, with its name and what to do; everything else is pushed and
// pulled, by each command that reads the files, from the working tree and from a branch.
func TestNameThatIsNotUTF8(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, from := range []string{"worktree", "main"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, map[string]string{
				"locales/en/app.json": `{"a": "A"}`, "locales/en/m\xfcll.json": `{"b": "B"}`, "locales/de/app.json": `{}`,
				"locsync.toml": fmt.Sprintf(`[service]
url = "embedded"
[daemon]
listen = ""
[[project]]
name = "app"
id = "00000000-0000-0000-0000-000000000000"
source_language = "en"
target_languages = ["de"]
[project.push]
source = %q
[project.pull]
base = "main"
completion_state = "draft"
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
`, from),
			})
			bare := gittest.Bare(t, dir)
			for _, command := range []string{"check", "push", "pull", "sync", "status"} {
				var printed json.RawMessage
				locsyncIn(t, dir, map[bool]int{true: report.ExitDone, false: report.ExitPartial}[command == "status"],
					&printed,
					command)
				for _, word := range []string{"m\\ufffdll.json", "not UTF-8", `"remedy": "rename it"`} {
					if command != "status" && !strings.Contains(string(printed), word) {
						t.Errorf("%s does not say %s:\n%s", command, word, printed)
					}
				}
			}
			if got := gittest.Git(t, bare, "show", "l10n:locales/de/app.json"); !strings.Contains(got, `"a"`) {
				t.Errorf("the other file is %s", got)
			}
			if got := gittest.Git(t, bare, "-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "l10n",
				"locales/en/"); !strings.Contains(got, "m\xfcll.json") {
				t.Errorf("the branch lost the file: %q", got)
			}
			gittest.Sound(t, dir)
			gittest.Sound(t, filepath.Clean(bare))
		})
	}
}
