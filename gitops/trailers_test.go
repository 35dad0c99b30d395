package gitops

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// Trailers of ours are in one block with those that a message ends with, as git reads them.
func TestWithTrailers(t *testing.T) {
	gittest.Need(t)
	const ours = "Locsync-Project: app"
	for name, c := range map[string]struct{ text, want string }{
		"a subject":              {"Update", "Update\n\n" + ours + "\n"},
		"a body":                 {"Update\n\nde, fr\n", "Update\n\nde, fr\n\n" + ours + "\n"},
		"trailers":               {"Update\n\nSigned-off-by: A <a@b.c>\nRefs: #1\n", "Update\n\nSigned-off-by: A <a@b.c>\nRefs: #1\n" + ours + "\n"},
		"a subject like one":     {"locales: update", "locales: update\n\n" + ours + "\n"},
		"a body with a colon":    {"Update\n\nnote: x\nand more", "Update\n\nnote: x\nand more\n\n" + ours + "\n"},
		"blank lines at the end": {"Update\n\nRefs: #1\n\n\n", "Update\n\nRefs: #1\n" + ours + "\n"},
	} {
		got := WithTrailers(c.text, ours)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		parse := exec.Command("git", "interpret-trailers", "--parse")
		parse.Stdin = strings.NewReader(got)
		out, err := parse.Output()
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Count(c.text, "Signed-off") + strings.Count(c.text, "Refs") + 1; strings.Count(string(out), "\n") != want {
			t.Errorf("%s: git reads %q", name, out)
		}
	}
}
