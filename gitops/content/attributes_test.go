package content

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/repository"
	"pgregory.net/rapid"
)

func open(t *testing.T, dir string) *repository.Repository {
	t.Helper()
	r, err := repository.Open(t.Context(), dir, repository.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Objects.Close() })
	return r
}

func TestAttributesOfAllPlaces(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{
		".gitattributes":      "*.json text\n[attr]lfs filter=lfs\n",
		"l10n/.gitattributes": "*.json -text\nbig.json lfs\n",
		"l10n/a.json":         "x", "b.json": "x",
	})
	r := open(t, dir)
	_, main, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	commit, err := r.History.Commit(main)
	if err != nil {
		t.Fatal(err)
	}
	attributesOf := func(name string) attributes {
		all, err := New(r, commit.Tree, time.Time{}, nil).attributesOf(t.Context(), []string{name}, asked...)
		if err != nil {
			t.Fatal(err)
		}
		return all[name]
	}
	tip := New(r, commit.Tree, time.Time{}, nil)
	how := func(name string) (storing, error) {
		return tip.rule(name, attributesOf(name))
	}
	_, err = how("l10n/big.json")
	if err == nil || !strings.Contains(err.Error(), `"big.json lfs" in l10n/.gitattributes:2`) {
		t.Errorf("a macro of the top folder: %v", err)
	}
	store := func(name string) string {
		t.Helper()
		e, changes, err := New(r, commit.Tree, time.Time{}, nil).Plan(t.Context(),
			map[string][]byte{name: []byte("x\r\n")})
		if err != nil {
			t.Fatal(err)
		}
		return string(e.Objects[changes[0].Blob].Data)
	}
	for name, want := range map[string]string{"b.json": "x\n", "l10n/a.json": "x\r\n", "l10n/x/y.json": "x\r\n",
		"c.txt": "x\r\n"} {
		if got := store(name); got != want {
			t.Errorf("nearest file first: %s is stored as %q", name, got)
		}
	}
	gittest.Write(t, dir, map[string]string{".git/info/attributes": "l10n/a.json text\n"})
	if got := store("l10n/a.json"); got != "x\n" {
		t.Errorf("info/attributes is strongest: %q", got)
	}
}

// Law: our attributes of a path are those that git check-attr names.
func TestAttributesAreGits(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, nil)
	word := rapid.SampledFrom([]string{"filter=f", "-filter", "!filter", "filter=g", "working-tree-encoding=UTF-8", "x",
		"-x", "m", "-m", "!m", "x=1", "-x=1", "=", "é"})
	pattern := rapid.StringMatching(`!?/?(a|b|\*|\?|\*\*|[ab]\*|\[ab\]|\[!a\]|\\a|\[\[:alpha:\]\]|\*\*a){1,2}(/(a|b|\*|\*\*|a\*)){0,2}/?`)
	line := rapid.Custom(func(rt *rapid.T) string {
		p := pattern.Draw(rt, "pattern")
		switch rapid.IntRange(0, 8).Draw(rt, "kind") {
		case 0:
			p = "[attr]m"
		case 1:
			p = `"` + strings.ReplaceAll(p, `\`, `\\`) + `"`
		}
		return p + " " + strings.Join(rapid.SliceOfN(word, 1, 3).Draw(rt, "words"), " ")
	})
	lines := rapid.Custom(func(rt *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 0, 4).Draw(rt, "lines"), "\n") + "\n"
	})
	paths := []string{"a", "b", "ab", "a/b", "a/a", "a/b/a", "b/a/b", "a/b/a/b", "ba/a"}
	r := open(t, dir)
	rapid.Check(t, func(rt *rapid.T) {
		files := map[string]string{".gitattributes": lines.Draw(rt, "top"), "a/b/.gitattributes": lines.Draw(rt, "a/b"),
			".git/info/attributes": lines.Draw(rt, "info")}
		gittest.Write(t, dir, files)
		gittest.Git(t, dir, "add", "-A")
		tree, _ := object.Parse(gittest.Git(t, dir, "write-tree"))
		ours, err := New(r, tree, time.Time{}, nil).attributesOf(t.Context(), paths, asked...)
		if err != nil {
			rt.Fatal(err)
		}
		out, _ := gittest.TryGit(t, dir, append([]string{"check-attr", "filter", "working-tree-encoding", "--"},
			paths...)...)
		compared := 0
		for l := range strings.Lines(out) {
			f := strings.SplitN(strings.TrimSpace(l), ": ", 3)
			if len(f) != 3 || !slices.Contains(paths, f[0]) {
				continue // a warning about a line
			}
			if got := cmp.Or(ours[f[0]][f[1]], "unspecified"); got != f[2] {
				rt.Fatalf("%s of %s is %q, git says %q", f[1], f[0], got, f[2])
			}
			compared++
		}
		if compared != 2*len(paths) {
			rt.Fatalf("compared %d:\n%s", compared, out)
		}
	})
}
