package history

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/run"
)

// The lines of SameMeaning count anywhere in a message, as those of squashed commits; and no message breaks a log.
func TestKeysThatMessagesName(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, nil)
	git, err := run.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	objects := object.Open(filepath.Join(dir, ".git/objects"), object.SHA1, git)
	t.Cleanup(func() { objects.Close() })
	messages := []struct {
		text string
		want []string
	}{
		{"Fix\n\nLocsync-Same-Meaning: a\nLocsync-Same-Meaning: b\n", []string{"a", "b"}},
		{"Squashed (#1)\n\n* Fix typo\n\nLocsync-Same-Meaning: a\n\n* Another commit\n\nCo-authored-by: A <a@b>\n",
			[]string{"a"}},
		{"Fix\n\nlocsync-same-meaning : a b\r\nLocsync-Same-Meaning:\nLocsync-Same-Meanings: c\n", []string{"a b"}},
		{"Fix\n\nWrite Locsync-Same-Meaning: a\n Locsync-Same-Meaning: b\nLocsync-Same-Meaning", nil},
		{"Locsync-Same-Meaning: a\n" + strings.Repeat("x", 3*mostField) + "\nLocsync-Same-Meaning: b\n", []string{"a"}},
		{"Locsync-Same-Meaning: a\n\x00\x00:\x00\n", []string{"a"}},
		{"", nil},
	}
	var in strings.Builder
	for i, m := range messages {
		fmt.Fprintf(&in, "commit refs/heads/log\ncommitter A <a@b> %d +0000\ndata %d\n%s\n", 1700000000+i, len(m.text),
			m.text)
		fmt.Fprintf(&in, "M 100644 inline a.json\ndata %d\n%d\n", len(fmt.Sprint(i)), i)
	}
	gittest.FastImport(t, dir, []byte(in.String()))
	tip, _ := object.Parse(gittest.Git(t, dir, "rev-parse", "log"))
	graph := &Graph{Life: t.Context(), Git: git, Dir: filepath.Join(dir, ".git"), Objects: objects}
	commits, err := graph.Log(t.Context(), tip, func(string) bool { return true })
	if err != nil || len(commits) != len(messages) {
		t.Fatal(len(commits), err)
	}
	slices.Reverse(commits)
	for i, m := range messages {
		if got := commits[i]; !slices.Equal(got.Same, m.want) || len(got.Changes) != 1 || got.When != int64(1700000000+i) {
			t.Errorf("%.60q: %q, want %q, with %v", m.text, got.Same, m.want, got.Changes)
		}
	}
}
