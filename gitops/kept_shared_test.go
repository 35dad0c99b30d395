package gitops

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/run"
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

// What is listed with the reference answers who reads the branches next, once; other branches, and a second reader, ask
// the remote.
func TestBranchesAreListedWithAKeptReference(t *testing.T) {
	gittest.Need(t)
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	gittest.Git(t, dir, "remote", "set-url", "origin", bare)
	repo := open(t, dir, Options{Remote: "origin"})
	asked := 0
	ctx := run.Tracing(t.Context(), func(c run.Command) func(time.Duration, error) {
		if slices.Contains(c.Args, "ls-remote") {
			asked++
		}
		return func(time.Duration, error) {}
	})
	read := func(branch, base string) {
		if _, err := repo.At(ctx, branch, base); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range []struct {
		kept  Kept
		reads func()
		want  int
	}{
		{repo.Kept("app", KeepRef).ListedWith("l10n", "main"), func() { read("l10n", "main") }, 1},
		{repo.Kept("app", KeepRef).ListedWith("l10n", ""), func() { read("l10n", "") }, 1},
		{repo.Kept("app", KeepRef).ListedWith("l10n", "main"), func() { read("l10n", "main"); read("l10n", "main") }, 2},
		{repo.Kept("app", KeepRef).ListedWith("l10n", "main"), func() { read("other", "main") }, 2},
		{repo.Kept("app", KeepRef), func() { read("l10n", "main") }, 2},
	} {
		asked = 0
		if _, err := c.kept.There(ctx); err != nil {
			t.Fatal(err)
		}
		c.reads()
		if asked != c.want {
			t.Errorf("%d: the remote was asked %d times, want %d", i, asked, c.want)
		}
	}
}
