package gitops

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/history"
)

// The commits of a project are those with its trailer, of any author, and no others; since a commit, those that it
// does not have.
func TestOurs(t *testing.T) {
	dir := gittest.Init(t, map[string]string{"a": "1\n"})
	at := func(n int, message string) string {
		gittest.Write(t, dir, map[string]string{"a": fmt.Sprintln(n)})
		gittest.Git(t, dir, "commit", "-q", "-a", "-m", message)
		return gittest.Git(t, dir, "rev-parse", "HEAD")
	}
	first := at(2, "one\n\n"+Trailer+": app")
	at(3, "by a person")
	at(4, "of another project\n\n"+Trailer+": other")
	at(5, "a word about it\n\n"+Trailer+": app\n\nin the middle")
	last := at(6, "two\n\n"+Trailer+": app")
	repo, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	tip, err := repo.At(t.Context(), "main", "main")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		since string
		most  int
		want  string
	}{{"", 9, first + " " + last}, {"", 1, last}, {first, 9, last}, {last, 9,
		""}, {"0123456789012345678901234567890123456789", 9, first + " " + last}} {
		made, err := Ours(t.Context(), repo, tip, c.since, "app", c.most)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, m := range made {
			if i > 0 {
				got += " "
			}
			got += m.Commit
			if len(m.Parents) != 1 {
				t.Errorf("%+v", m)
			}
		}
		if got != c.want {
			t.Errorf("since %q: %s, want %s", c.since, got, c.want)
		}
	}
	before, err := repo.AtCommit(first)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := before.ReadFile("a"); err != nil || string(b) != "2\n" {
		t.Errorf("%q %v", b, err)
	}
}

// A shallow clone knows the commits of a project that it was made without, of a branch that is there and of one that is
// to start from base. Where there is no remote to ask, those that it has count.
func TestOursInAShallowClone(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"a": "1\n"})
	first := gittest.Commit(t, dir, "one\n\n"+Trailer+": app", map[string]string{"a": "2\n"})
	gittest.Commit(t, dir, "by a person", map[string]string{"a": "3\n"})
	last := gittest.Commit(t, dir, "two\n\n"+Trailer+": app", map[string]string{"a": "4\n"})
	bare := gittest.Bare(t, dir)
	for _, c := range []struct {
		branch, remote, since, want string
		shallow                     bool
	}{
		{branch: "main", remote: "origin", want: first + " " + last},
		{branch: "l10n", remote: "origin", want: first + " " + last},
		{branch: "main", remote: "origin", since: last, shallow: true},
		{branch: "main", shallow: true},
	} {
		clone := gittest.Clone(t, "file://"+bare, "--depth=1")
		r := open(t, clone, Options{Remote: c.remote})
		made := must[[]Made](t)(Ours(t.Context(), r, at(t, r, c.branch, "main"), c.since, "app", 9))
		got := ""
		for _, m := range made {
			got += " " + m.Commit
		}
		if got = strings.TrimSpace(got); got != c.want {
			t.Errorf("%s of remote %q: %q, want %q", c.branch, c.remote, got, c.want)
		}
		if r.repo.History.Shallow() != c.shallow {
			t.Errorf("%s of remote %q since %q: shallow is %v", c.branch, c.remote, c.since, !c.shallow)
		}
	}
}

// Commits of ours are found however many others are between, and however git is told to read trailers.
func TestOursInALongHistory(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := gittest.Init(t, nil)
	var in strings.Builder
	for i := range history.Most + 3 {
		text := "x"
		if i == 1 || i == history.Most {
			text = "made\n\n" + Trailer + ": app"
		}
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata %d\n%s\n",
			1700000000+i, len(text), text)
	}
	gittest.FastImport(t, dir, []byte(in.String()))
	r := open(t, dir, Options{})
	gittest.Git(t, dir, "config", "trailer.separators", "=")
	gittest.Git(t, dir, "config", "core.commentChar", "L")
	made := must[[]Made](t)(Ours(t.Context(), r, at(t, r, "main", ""), "", "app", 9))
	want := strings.Fields(gittest.Git(t, dir, "rev-parse", fmt.Sprintf("main~%d", history.Most+1), "main~2"))
	if len(made) != 2 || made[0].Commit != want[0] || made[1].Commit != want[1] {
		t.Errorf("%+v, want %s", made, want)
	}
}
