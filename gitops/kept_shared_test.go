package gitops

import (
	"fmt"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// Two commits of a reference share the youngest one that both go on from.
func TestSharedKept(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"a": "1"})
	repo, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	kept := repo.Kept("app", KeepHere)
	old := ""
	write := func(after string) string {
		t.Helper()
		content := Content{Folder: "x", Files: map[string][]byte{"n": fmt.Append(nil, after, old)}, Message: "m"}
		commit, err := kept.Write(t.Context(), after, old, content)
		if err != nil {
			t.Fatal(err)
		}
		old = commit
		return commit
	}
	first := write("")
	second := write(first)
	third := write(second)
	other := write(second)
	stranger := write("")
	for _, c := range []struct{ one, other, want string }{
		{first, first, first}, {first, third, first}, {third, first, first}, {third, other, second}, {other, third, second},
		{third, stranger, ""}, {"", third, ""}, {"", "", ""},
	} {
		got, err := kept.Shared(c.one, c.other)
		if err != nil || got != c.want {
			t.Errorf("%.7s and %.7s share %.7s (%v), want %.7s", c.one, c.other, got, err, c.want)
		}
	}
}
