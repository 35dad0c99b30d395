package history

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/run"
)

// Law: common ancestors, containment and "what one has and others lack" are those that git names, on any graph and with
// any clocks.
func TestHistoryIsGits(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, nil)
	git, err := run.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	objects := object.Open(filepath.Join(dir, ".git/objects"), object.SHA1, git)
	t.Cleanup(func() { objects.Close() })
	r := &Graph{Life: t.Context(), Git: git, Dir: filepath.Join(dir, ".git"), Objects: objects}
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		var in bytes.Buffer
		size := rapid.IntRange(2, 14).Draw(rt, "commits")
		n++
		for i := range size {
			when := 1700000000 + int64(i)
			if rapid.IntRange(0, 9).Draw(rt, "skew") == 0 {
				when -= int64(rapid.IntRange(0, 20).Draw(rt, "by"))
			}
			fmt.Fprintf(&in,
				"reset refs/heads/g%d-%d\ncommit refs/heads/g%d-%d\nmark :%d\ncommitter A <a@b> %d +0000\ndata 3\nc%02d", n, i, n,
				i, i+1, when, i)
			in.WriteString("\n")
			if i > 0 && rapid.IntRange(0, 9).Draw(rt, "root") > 0 {
				parents := rapid.SliceOfNDistinct(rapid.IntRange(1, i), 1, 3, rapid.ID[int]).Draw(rt, "parents")
				fmt.Fprintf(&in, "from :%d\n", parents[0])
				for _, p := range parents[1:] {
					fmt.Fprintf(&in, "merge :%d\n", p)
				}
			}
			in.WriteString("\n")
		}
		gittest.FastImport(t, dir, in.Bytes())
		all := make([]object.Name, size)
		for i := range all {
			all[i], _ = object.Parse(gittest.Git(t, dir, "rev-parse", fmt.Sprintf("refs/heads/g%d-%d", n, i)))
		}
		pick := rapid.SampledFrom(all)
		for range 4 {
			a, b := pick.Draw(rt, "a"), pick.Draw(rt, "b")
			out, _ := gittest.TryGit(t, dir, "merge-base", "--all", a.String(), b.String())
			want := strings.Fields(out)
			got, err := r.Bases(a, b)
			if err != nil {
				rt.Fatal(err)
			}
			names := []string{}
			for _, h := range got {
				names = append(names, h.String())
			}
			slices.Sort(names)
			slices.Sort(want)
			if !slices.Equal(names, want) {
				rt.Fatalf("best common ancestors of %s and %s: %v, git says %v", a, b, names, want)
			}
			_, err = gittest.TryGit(t, dir, "merge-base", "--is-ancestor", b.String(), a.String())
			if in, _ := r.Contains(a, b); in != (err == nil) {
				rt.Fatalf("%s contains %s: %v", a, b, in)
			}
			commits, whole, err := r.Ahead(a, []object.Name{b}, Most)
			if err != nil || !whole {
				rt.Fatal(err)
			}
			var have []string
			for _, c := range commits {
				have = append(have, c.Hash.String())
				if read, err := r.Commit(c.Hash); err != nil || !slices.Equal(read.Parents, c.Parents) {
					rt.Fatalf("walked past %+v, read %+v, %v", c, read, err)
				}
			}
			if want := strings.Fields(gittest.Git(t, dir, "rev-list", a.String(), "^"+b.String())); !slices.Equal(have,
				want) {
				rt.Fatalf("in %s and not in %s are %v, git says %v", a, b, have, want)
			}
		}
	})
}

// longHistory is a repository whose branch main has some commits more than are read.
func longHistory(t *testing.T, git *run.Program) (g *Graph, tip, first object.Name) {
	t.Helper()
	dir := gittest.Init(t, nil)
	var in bytes.Buffer
	for i := range Most + 5 {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata 1\nx\n", 1700000000+i)
	}
	gittest.FastImport(t, dir, in.Bytes())
	objects := object.Open(filepath.Join(dir, ".git/objects"), object.SHA1, git)
	t.Cleanup(func() { objects.Close() })
	tip, _ = object.Parse(gittest.Git(t, dir, "rev-parse", "main"))
	first, _ = object.Parse(gittest.Git(t, dir, "rev-list", "--max-parents=0", "main"))
	return &Graph{Life: t.Context(), Git: git, Dir: filepath.Join(dir, ".git"), Objects: objects}, tip, first
}

// Of a long history the youngest commits are read, and it is told that these are not all.
func TestALongHistoryIsReadInPart(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	git, err := run.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	g, tip, first := longHistory(t, git)
	for _, c := range []struct{ most, read int }{{Most, Most}, {Most + 5, Most}, {3, 3}} {
		commits, whole, err := g.Ahead(tip, nil, c.most)
		if err != nil || len(commits) > c.read || whole {
			t.Fatalf("at most %d: %d commits, whole %v, %v", c.most, len(commits), whole, err)
		}
		if len(commits) == 0 || commits[0].Hash != tip {
			t.Errorf("at most %d: they do not begin with the youngest", c.most)
		}
	}
	if commits, whole, err := g.Ahead(first, nil, 1); err != nil || len(commits) != 1 || !whole {
		t.Errorf("exactly as many as are asked for: %d, whole %v, %v", len(commits), whole, err)
	}
}
