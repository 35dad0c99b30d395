package gitops

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/gittest"
)

func never(string) bool { return false }

// Law: common ancestors, containment and "what one has and others lack" are those that git names, on any graph and with
// any clocks.
func TestHistoryIsGits(t *testing.T) {
	t.Parallel()
	dir, r := bareRefs(t)
	commits(t, dir, 1) // the empty tree
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
			fmt.Fprintf(&in, "reset refs/heads/g%d-%d\ncommit refs/heads/g%d-%d\nmark :%d\ncommitter A <a@b> %d +0000\ndata 3\nc%02d", n, i, n, i, i+1, when, i)
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
		fastImport(t, dir, in.Bytes())
		all := make([]hash, size)
		for i := range all {
			all[i], _, _ = r.read(fmt.Sprintf("refs/heads/g%d-%d", n, i))
		}
		pick := rapid.SampledFrom(all)
		for range 4 {
			a, b := pick.Draw(rt, "a"), pick.Draw(rt, "b")
			out, _ := gittest.TryGit(t, dir, "merge-base", "--all", a.String(), b.String())
			want := strings.Fields(out)
			got, err := r.mergeBases(a, b)
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
			if in, _ := r.contains(a, b); in != (err == nil) {
				rt.Fatalf("%s contains %s: %v", a, b, in)
			}
			commits, err := r.ahead(a, []hash{b})
			if err != nil {
				rt.Fatal(err)
			}
			have := map[string]bool{}
			for _, c := range commits {
				have[c.hash.String()] = true
			}
			for _, name := range strings.Fields(gittest.Git(t, dir, "rev-list", a.String(), "^"+b.String())) {
				if !have[name] {
					rt.Fatalf("%s is in %s and not in %s, and was not named", name, a, b)
				}
			}
		}
	})
}

// Law: where Merge joins two sides, the tree is the one that git makes; where git finds a conflict, so does Merge.
func TestMergesAreGits(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	if _, err := gittest.TryGit(t, dir, "merge-tree", "--write-tree", "HEAD", "HEAD"); err != nil {
		t.Skip("this git cannot merge without a working tree")
	}
	r := open(t, dir, Options{})
	names := []string{"a", "b", "d/a", "d/b", "d/e/a", "f/a", "d/e", "b/x"}
	content := rapid.Custom(func(rt *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"1", "2"}), 9, 9).Draw(rt, "lines")
		for i := range lines {
			if i%4 != 0 {
				lines[i] = fmt.Sprint("line ", i) // so that some changes of lines lie far enough from each other
			}
		}
		return strings.Join(lines, "\n") + "\n"
	})
	tree := rapid.MapOfN(rapid.SampledFrom(names), content, 1, 6)
	states := map[State]int{}
	rapid.Check(t, func(rt *rapid.T) {
		var in bytes.Buffer
		write := func(mark int, from string, files map[string]string) {
			fmt.Fprintf(&in, "commit refs/heads/m%d\nmark :%d\ncommitter A <a@b> %d +0000\ndata 1\nx\n%sdeleteall\n", mark, mark, 1700000000+mark, from)
			for _, name := range sortedKeys(files) {
				if files[name] != "" && !slices.ContainsFunc(sortedKeys(files), func(o string) bool { return strings.HasPrefix(o, name+"/") }) {
					text := strings.ReplaceAll(files[name], "\n", " "+name+"\n") // no two files alike: git would see renames
					fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
				}
			}
		}
		edit := func(files map[string]string, label string) map[string]string {
			edited := map[string]string{}
			for k, v := range files {
				edited[k] = v
			}
			for k, v := range rapid.MapOfN(rapid.OneOf(rapid.SampledFrom(names), rapid.SampledFrom(sortedKeys(files))), rapid.OneOf(content, rapid.Just("")), 1, 4).Draw(rt, label) {
				edited[k] = v
			}
			return edited
		}
		start := tree.Draw(rt, "start")
		in.WriteString("reset refs/heads/m1\n")
		write(1, "", start)
		in.WriteString("reset refs/heads/m2\n")
		write(2, "from :1\n", edit(start, "branch"))
		in.WriteString("reset refs/heads/m3\n")
		write(3, "from :1\n", edit(start, "base"))
		fastImport(t, dir, in.Bytes())

		branch, base := at(t, r, "m2", "m2"), at(t, r, "m3", "m3")
		m, err := r.Merge(t.Context(), branch, base, never)
		if err != nil {
			rt.Fatal(err)
		}
		states[m.State]++
		out, gerr := gittest.TryGit(t, dir, "merge-tree", "--write-tree", "m2", "m3")
		if (m.State == Behind) != (gerr != nil) {
			rt.Fatalf("%s %v, git: %v\n%s", m.State, m.Conflicts, gerr, out)
		}
		if m.State == Joined && m.Tip.tree.String() != out {
			rt.Fatalf("merged tree %s, git's %s", m.Tip.tree, out)
		}
	})
	if states[Joined] == 0 {
		t.Errorf("too few cases: %v", states)
	}
}

func TestBranchTakesInBase(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	r := open(t, dir, Options{Remote: "origin"})
	merge := func() (*Tip, *Merged) {
		t.Helper()
		tip := at(t, r, "l10n", "")
		return tip, must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(), func(p string) bool { return strings.HasPrefix(p, "locales/de") }))
	}
	onMain := func(message string, f map[string]string) string {
		h := gittest.Commit(t, dir, message, f)
		gittest.Git(t, dir, "push", "-q", "origin", "main")
		return h
	}
	deliver := func(tip *Tip) {
		t.Helper()
		if result := push(t, r, tip); !result.Pushed || result.Local != Moved {
			t.Fatalf("%+v", result)
		}
		gittest.Sound(t, dir)
		gittest.Sound(t, bare)
		if got := gittest.Git(t, bare, "rev-parse", "l10n"); got != tip.Hash() {
			t.Errorf("the remote has %s", got)
		}
	}

	// Nothing to take in.
	_, m := merge()
	if m.State != UpToDate {
		t.Fatalf("%s", m.State)
	}
	deliver(commitOn(t, r, m.Tip, "l10n", files("locales/de/app.json", "v1\n")))

	// The branch was merged: it has nothing of its own and goes forward with base.
	gittest.Git(t, dir, "merge", "-q", "--no-ff", "-m", "merge l10n", "l10n")
	main := onMain("more", map[string]string{"src": "1"})
	_, m = merge()
	if m.State != FastForward || m.Tip.Hash() != main || m.Tip.Branch() != "l10n" {
		t.Fatalf("%s %s", m.State, m.Tip.Hash())
	}
	made := commitOn(t, r, m.Tip, "l10n", files("locales/de/app.json", "v2\n"))
	deliver(made)
	if got := gittest.Git(t, dir, "rev-parse", "l10n^"); got != main {
		t.Errorf("its parent is %s", got)
	}

	// A fast-forward can be delivered without a commit.
	gittest.Git(t, dir, "merge", "-q", "--ff-only", "l10n")
	onMain("even more", map[string]string{"src": "2"})
	_, m = merge()
	deliver(m.Tip)

	// Both have something: one commit with both parents.
	deliver(commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("locales/de/app.json", "v3\n")))
	main = onMain("other file", map[string]string{"src": "3", "new": "n"})
	tip, m := merge()
	if m.State != Joined || m.Tip.Hash() != "" || len(m.Contested) != 0 {
		t.Fatalf("%s %q %v", m.State, m.Tip.Hash(), m.Contested)
	}
	for commit, want := range map[string]bool{main: true, tip.Hash(): true, made.Hash(): true, strings.Repeat("1", 40): false, "": false} {
		if in, err := m.Tip.Contains(commit); in != want || err != nil {
			t.Errorf("the merge contains %q: %v, %v", commit, in, err)
		}
	}
	if in, err := tip.Contains(main); in || err != nil {
		t.Errorf("the branch contains what it lacks: %v, %v", in, err)
	}
	if got := must[[]byte](t)(m.Tip.ReadFile("src")); string(got) != "3" {
		t.Errorf("merged src is %q", got)
	}
	if got := must[[]byte](t)(m.Tip.ReadFile("locales/de/app.json")); string(got) != "v3\n" {
		t.Errorf("merged de is %q", got)
	}
	if _, err := r.Push(t.Context(), m.Tip); err == nil {
		t.Error("a merge that is not committed was pushed")
	}
	made = commitOn(t, r, m.Tip, "l10n", files("locales/de/app.json", "v4\n"))
	deliver(made)
	if got := gittest.Git(t, dir, "log", "-1", "--format=%P", "l10n"); got != tip.Hash()+" "+main {
		t.Errorf("its parents are %s", got)
	}

	// A file of ours that both changed: ours to settle; until then base's version stands.
	onMain("de by hand", map[string]string{"locales/de/app.json": "by hand\n", "src": "4"})
	_, m = merge()
	if m.State != Joined || len(m.Contested) != 1 {
		t.Fatalf("%s %v", m.State, m.Contested)
	}
	c := m.Contested[0]
	if c.Path != "locales/de/app.json" || string(c.Ancestor) != "v3\n" && string(c.Ancestor) != "v2\n" || string(c.Branch) != "v4\n" || string(c.Base) != "by hand\n" {
		t.Errorf("%s: %q %q %q", c.Path, c.Ancestor, c.Branch, c.Base)
	}
	if got := must[[]byte](t)(m.Tip.ReadFile("locales/de/app.json")); string(got) != "by hand\n" {
		t.Errorf("before it is settled: %q", got)
	}
	deliver(commitOn(t, r, m.Tip, "l10n", files("locales/de/app.json", "v4 by hand\n")))

	// A conflict in somebody else's file: the branch stays behind, and can still be committed to.
	deliver(commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("src", "ours")))
	onMain("src", map[string]string{"src": "theirs"})
	tip, m = merge()
	if m.State != Behind || !slices.Equal(m.Conflicts, []string{"src"}) || m.Tip.Hash() != tip.Hash() || m.Note == "" {
		t.Fatalf("%s %v %q", m.State, m.Conflicts, m.Note)
	}
	deliver(commitOn(t, r, m.Tip, "l10n", files("locales/de/app.json", "v5\n")))
}

func TestMergeWithoutCommonHistory(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	gittest.Git(t, dir, "checkout", "-q", "--orphan", "other")
	gittest.Commit(t, dir, "root", map[string]string{"x": "y"})
	r := open(t, dir, Options{})
	m := must[*Merged](t)(r.Merge(t.Context(), at(t, r, "other", "other"), at(t, r, "main", "main"), never))
	if m.State != Behind || !strings.Contains(m.Note, "no common history") {
		t.Errorf("%s %q", m.State, m.Note)
	}
}

func TestChangedAndDiff(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	gittest.Git(t, dir, "config", "core.abbrev", "40")
	r := open(t, dir, Options{})
	tip := at(t, r, "l10n", "")
	change := map[string][]byte{"locales/de/app.json": []byte("{\n  \"a\": \"B\"\n}\n"), "locales/fr/app.json": []byte("{}"), "locales/de/deep/x.js": nil, "bin": {0, 1, 2}}
	preview := must[Preview](t)(r.Preview(t.Context(), tip, change))
	made := commitOn(t, r, tip, "l10n", change)
	want := strings.Fields(gittest.Git(t, dir, "diff", "--name-only", tip.Hash(), made.Hash()))
	got := must[[]string](t)(r.Changed(t.Context(), tip.Hash(), made.Hash()))
	slices.Sort(want)
	if !slices.Equal(got, want) || !slices.Equal(preview.Changed, want) {
		t.Errorf("changed %v, preview %v, git %v", got, preview.Changed, want)
	}
	blobs := must[map[string]string](t)(r.ChangedTo(t.Context(), tip.Hash(), made.Hash()))
	for _, path := range got {
		if want, _ := gittest.TryGit(t, dir, "rev-parse", "--verify", "--quiet", made.Hash()+":"+path); blobs[path] != want {
			t.Errorf("%s is %q then, want %q", path, blobs[path], want)
		}
	}
	if len(blobs) != len(got) {
		t.Errorf("%v, want those of %v", blobs, got)
	}
	if all := must[[]string](t)(r.Changed(t.Context(), "", tip.Hash())); len(all) != len(sample) {
		t.Errorf("from nothing: %v", all)
	}
	if git := gittest.Git(t, dir, "diff", "--no-renames", tip.Hash(), made.Hash()); strings.TrimSpace(preview.Diff) != git {
		t.Errorf("our diff:\n%s\ngit's:\n%s", preview.Diff, git)
	}
	if strings.Contains(gittest.Git(t, dir, "count-objects", "-v"), "in-pack: 0") {
		t.Error("the commit has no pack")
	}
}

func TestPreviewWritesNothing(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	r := open(t, dir, Options{})
	tip := at(t, r, "l10n", "")
	before := gittest.Git(t, dir, "count-objects", "-v")
	if p := must[Preview](t)(r.Preview(t.Context(), tip, files("x", "y"))); !strings.Contains(p.Diff, "+y") {
		t.Error(p.Diff)
	}
	if after := gittest.Git(t, dir, "count-objects", "-v"); after != before {
		t.Errorf("objects appeared:\n%s\n%s", before, after)
	}
	if waiting := must[*Tip](t)(r.Pending("l10n")); waiting != nil {
		t.Error("a commit waits")
	}
}
