package gitops

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/gittest"
)

func never(string) bool { return false }

// Law: where Merge joins two sides, the tree is the one that git makes, and where git finds a conflict, so does Merge:
// in histories with merges in both directions, reverts, renames, and several best common ancestors.
func TestMergesAreGits(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := gittest.Init(t, sample)
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
	states, several := map[State]int{}, 0
	law := func(rt *rapid.T) {
		var in bytes.Buffer
		var all []map[string]string // the files of each commit
		write := func(branch int, parents []int, files map[string]string) int {
			all = append(all, files)
			fmt.Fprintf(&in, "commit refs/heads/m%d\nmark :%d\ncommitter A <a@b> %d +0000\ndata 1\nx\n", branch,
				len(all), 1700000000+len(all))
			for i, p := range parents {
				fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[i], p)
			}
			in.WriteString("deleteall\n")
			for _, name := range sortedKeys(files) {
				if files[name] != "" && !slices.ContainsFunc(sortedKeys(files),
					func(o string) bool { return strings.HasPrefix(o, name+"/") }) {
					fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(files[name]), files[name])
				}
			}
			return len(all)
		}
		edited := func(files map[string]string) map[string]string {
			files = maps.Clone(files)
			for k, v := range rapid.MapOfN(rapid.SampledFrom(names), rapid.OneOf(content, rapid.Just("")), 1,
				3).Draw(rt, "edits") {
				files[k] = v
			}
			return files
		}
		in.WriteString("reset refs/heads/m0\n")
		first := write(0, nil, rapid.MapOfN(rapid.SampledFrom(names), content, 1, 6).Draw(rt, "start"))
		heads := [2]int{first, first}
		fmt.Fprintf(&in, "reset refs/heads/m1\nfrom :1\n\nreset refs/heads/m0\nfrom :1\n\n")
		for range rapid.IntRange(2, 9).Draw(rt, "steps") {
			side := rapid.IntRange(0, 1).Draw(rt, "side")
			mine, theirs := heads[side], heads[1-side]
			switch rapid.SampledFrom([]string{"edit", "edit", "revert", "merge", "cross"}).Draw(rt, "step") {
			case "edit":
				heads[side] = write(side, []int{mine}, edited(all[mine-1]))
			case "revert":
				heads[side] = write(side, []int{mine}, all[rapid.IntRange(0, len(all)-1).Draw(rt, "to")])
			case "merge":
				heads[side] = write(side, []int{mine, theirs}, edited(all[theirs-1]))
			case "cross":
				heads = [2]int{write(0, []int{heads[0], heads[1]}, all[heads[0]-1]),
					write(1, []int{heads[1], heads[0]}, edited(all[heads[0]-1]))}
			}
		}
		fastImport(t, dir, in.Bytes())

		branch, base := at(t, r, "m0", "m0"), at(t, r, "m1", "m1")
		m, err := r.Merge(t.Context(), branch, base, never)
		if err != nil {
			rt.Fatal(err)
		}
		states[m.State]++
		if bases, err := r.repo.History.Bases(branch.commit, base.commit); err == nil && len(bases) > 1 {
			several++
		}
		out, gerr := gittest.TryGit(t, dir, "merge-tree", "--write-tree", "m0", "m1")
		if (m.State == Behind) != (gerr != nil) {
			rt.Fatalf("%s %v, git: %v\n%s", m.State, m.Conflicts, gerr, out)
		}
		if m.State == Joined && m.Tip.root().String() != out {
			rt.Fatalf("merged tree %s, git's %s", m.Tip.root(), out)
		}
		ours := must[*Merged](t)(r.Merge(t.Context(), branch, base, func(string) bool { return true }))
		for _, c := range ours.Contested {
			if equal(c.Branch, c.Base) || equal(c.Ancestor, c.Branch) || equal(c.Ancestor, c.Base) ||
				strings.Contains(c.Path, "~") {
				rt.Errorf("not contested: %q", c)
			}
			if got, _ := ours.Tip.ReadFile(c.Path); !bytes.Equal(got, c.Base) {
				rt.Errorf("%s has %q, base %q", c.Path, got, c.Base)
			}
		}
	}
	for tries := 0; tries < 5 && (states[Joined] == 0 || states[Behind] == 0 || several == 0); tries++ {
		rapid.Check(t, law) // few draws conflict
	}
	if states[Joined] == 0 || states[Behind] == 0 || several == 0 {
		t.Errorf("too few cases: %v, %d with several ancestors", states, several)
	}
}

// A person merged the branch while it took base in, and then took the change back: what was taken back stays so, and a
// file of the caller's that the branch never edited is not contested.
func TestARevertIsNotUndone(t *testing.T) {
	t.Parallel()
	lines := func(ten string) string { return "1\n2\n3\n4\n5\n6\n7\n8\n9\n" + ten + "\n" }
	for name, path := range map[string]string{"source code": "src/f", "a file of the caller": "locales/en/app.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, map[string]string{path: lines("10"), "other": "o"})
			r := open(t, dir, Options{})
			first := commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("locales/de/app.json", "1"))
			push(t, r, first)
			gittest.Commit(t, dir, "ten", map[string]string{path: lines("ten")}) // M1
			gittest.Git(t, dir, "branch", "before")
			gittest.Git(t, dir, "merge", "-q", "--no-ff", "-m", "merge l10n", "l10n") // M2
			merged := gittest.Git(t, dir, "rev-parse", "main")
			gittest.Git(t, dir, "reset", "-q", "--hard", "before")
			tip := at(t, r, "l10n", "main")
			m := must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(), never))
			push(t, r, commitOn(t, r, m.Tip, "l10n", files("locales/de/app.json", "2"))) // L2
			gittest.Git(t, dir, "reset", "-q", "--hard", merged)
			gittest.Commit(t, dir, "back", map[string]string{path: lines("10")}) // M3
			tip = at(t, r, "l10n", "main")
			if n := len(must[[]hash](t)(r.repo.History.Bases(tip.commit, tip.Base().commit))); n != 2 {
				t.Fatalf("%d common ancestors", n)
			}
			m = must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(),
				func(p string) bool { return strings.HasPrefix(p, "locales/") }))
			if m.State != Joined || len(m.Contested) != 0 {
				t.Fatalf("%s %v %v %q", m.State, m.Conflicts, m.Contested, m.Note)
			}
			if got := string(must[[]byte](t)(m.Tip.ReadFile(path))); got != lines("10") {
				t.Errorf("the merge has %q", got)
			}
			push(t, r, commitOn(t, r, m.Tip, "l10n", files("locales/de/app.json", "3")))
			gittest.Sound(t, dir)
		})
	}
}

// What git's merge knows besides lines: attributes, drivers, renames of files and folders, submodules.
func TestMergesFollowTheRepository(t *testing.T) {
	t.Parallel()
	text := func(a, b string) string { return a + "\n2\n3\n4\n5\n6\n7\n8\n" + b + "\n" }
	module := gittest.Init(t, sample)
	later := gittest.Commit(t, module, "later", map[string]string{"x": "y"})
	last := gittest.Commit(t, module, "last", map[string]string{"x": "z"})
	for name, c := range map[string]struct {
		attributes, config string
		change             func(t *testing.T, dir string, base bool)
		state              State
		path, want         string
	}{
		"-merge": {attributes: "lock.txt -merge", state: Behind},
		"union":  {attributes: "lock.txt merge=union", state: Joined, path: "lock.txt", want: text("L10N", "MAIN")},
		"a driver": {attributes: "lock.txt merge=mine", config: "merge.mine.driver=echo by the driver > %A",
			state: Joined, path: "lock.txt", want: "by the driver\n"},
		"renamed": {change: func(t *testing.T, dir string, base bool) {
			if base {
				gittest.Git(t, dir, "mv", "lock.txt", "moved.txt")
				return
			}
			gittest.Write(t, dir, map[string]string{"lock.txt": text("L10N", "9")})
		}, state: Joined, path: "moved.txt", want: text("L10N", "9")},
		"a folder is renamed": {change: func(t *testing.T, dir string, base bool) {
			if base {
				gittest.Git(t, dir, "mv", "old", "new")
				return
			}
			gittest.Write(t, dir, map[string]string{"old/one": text("L10N", "9")})
		}, state: Joined, path: "new/one", want: text("L10N", "9")},
		"a submodule goes forward": {change: func(t *testing.T, dir string, base bool) {
			if base {
				gittest.Git(t, filepath.Join(dir, "module"), "checkout", "-q", later)
			}
		}, state: Joined, path: "lock.txt", want: text("1", "9")},
		"a submodule goes forward on both sides": {change: func(t *testing.T, dir string, base bool) {
			gittest.Git(t, filepath.Join(dir, "module"), "checkout", "-q",
				map[bool]string{false: later, true: last}[base])
		}, state: Joined, path: "lock.txt", want: text("1", "9")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, map[string]string{"lock.txt": text("1", "9"), ".gitattributes": c.attributes + "\n",
				"README.md": "r",
				"old/one":   text("1", "9"), "old/two": "2\n", "old/three": "3\n"})
			gittest.Git(t, dir, "submodule", "add", "-q", module, "module")
			gittest.Git(t, filepath.Join(dir, "module"), "checkout", "-q", later+"^")
			gittest.Commit(t, dir, "module", nil)
			if key, value, ok := strings.Cut(c.config, "="); ok {
				gittest.Git(t, dir, "config", key, value)
			}
			change := c.change
			if change == nil {
				change = func(t *testing.T, dir string, base bool) {
					gittest.Write(t, dir, map[string]string{"lock.txt": map[bool]string{true: text("1", "MAIN"),
						false: text("L10N", "9")}[base]})
				}
			}
			gittest.Git(t, dir, "checkout", "-q", "-b", "l10n")
			change(t, dir, false)
			gittest.Commit(t, dir, "branch", map[string]string{"of branch": "x"})
			gittest.Git(t, dir, "checkout", "-q", "main")
			gittest.Git(t, dir, "submodule", "update", "-q")
			change(t, dir, true)
			gittest.Commit(t, dir, "base", map[string]string{"of base": "x"})
			gittest.Git(t, dir, "checkout", "-q", "--detach")
			r := open(t, dir, Options{})
			tip := at(t, r, "l10n", "main")
			m := must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(), never))
			if m.State != c.state {
				t.Fatalf("%s %v", m.State, m.Conflicts)
			}
			if c.state == Behind {
				return
			}
			if got := string(must[[]byte](t)(m.Tip.ReadFile(c.path))); got != c.want {
				t.Errorf("%s is %q", c.path, got)
			}
			made := commitOn(t, r, m.Tip, "l10n", nil)
			gittest.Git(t, dir, "checkout", "-q", "-b", "theirs", tip.Hash())
			gittest.Git(t, dir, "merge", "-q", "-m", "by git", "main")
			if got := gittest.Git(t, dir, "rev-parse", "theirs^{tree}"); got != made.root().String() {
				t.Errorf("the tree is not git's:\n%s", gittest.Git(t, dir, "diff", "--stat", "theirs", made.Hash()))
			}
			gittest.Sound(t, dir)
		})
	}
}

// A file of the caller's that both sides changed is the caller's to merge, whatever it is called and whatever
// attributes say, also where git could merge its lines; the others of its folder are git's.
func TestFilesOfTheCallerAreNotMergedByLines(t *testing.T) {
	t.Parallel()
	lines := func(first, last string) string { return first + "\n2\n3\n4\n5\n6\n7\n8\n" + last + "\n" }
	names := []string{"de.json", "l/de.json", "l/[a]*?.json", "l/q\"uote.json", "l/!no",
		"l/#x", "l/ b.json ", "l/é.json",
		"l/new\nline", `l/back\slash`}
	first := map[string]string{".gitattributes": "* merge=union\n", "l/.gitattributes": "*.json text",
		"l/deep/de.json": lines("1", "9")}
	for _, name := range names {
		first[name] = lines("1", "9")
	}
	dir := gittest.Init(t, first)
	change := func(branch, one, nine string) {
		files := map[string]string{"l/deep/de.json": lines(one, nine)}
		for _, name := range names {
			files[name] = lines(one, nine)
		}
		gittest.CommitTo(t, dir, branch, files)
	}
	gittest.Git(t, dir, "branch", "l10n")
	gittest.Git(t, dir, "checkout", "-q", "--detach")
	change("l10n", "L10N", "9")
	change("main", "1", "MAIN")
	r := open(t, dir, Options{})
	tip := at(t, r, "l10n", "main")
	m := must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(), func(p string) bool { return p != "l/deep/de.json" }))
	if m.State != Joined || len(m.Contested) != len(names) {
		t.Fatalf("%s %q, %d contested", m.State, m.Note, len(m.Contested))
	}
	for _, c := range m.Contested {
		if !slices.Contains(names, c.Path) || string(c.Ancestor) != lines("1", "9") ||
			string(c.Branch) != lines("L10N", "9") || string(c.Base) != lines("1", "MAIN") {
			t.Errorf("%q", c)
		}
	}
	if got := string(must[[]byte](t)(m.Tip.ReadFile("l/deep/de.json"))); got != lines("L10N", "MAIN") {
		t.Errorf("git's is %q", got)
	}

	// The repository's own attributes are stronger than any that could be set for one merge.
	gittest.Write(t, filepath.Join(dir, ".git"), map[string]string{"info/attributes": "de.json merge=union\n"})
	m = must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(), func(p string) bool { return p != "l/deep/de.json" }))
	if m.State != Behind || !strings.Contains(m.Note, ".git/info/attributes") || !strings.Contains(m.Note, "de.json") {
		t.Errorf("%s %q", m.State, m.Note)
	}
	gittest.Write(t, filepath.Join(dir, ".git"), map[string]string{"info/attributes": "* text=auto\n"})
	m = must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(), func(p string) bool { return p != "l/deep/de.json" }))
	if m.State != Joined || len(m.Contested) != len(names) {
		t.Errorf("%s %q", m.State, m.Note)
	}
}

// A new file of the caller's in a folder that base renames goes along; git proposes that, and waits for a person.
func TestNewFilesFollowARenamedFolder(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"old/one": "1\n2\n3\n", "old/two": "4\n5\n6\n", "other": "x"})
	gittest.Git(t, dir, "checkout", "-q", "-b", "l10n")
	gittest.Commit(t, dir, "new", map[string]string{"old/three": "7\n"})
	gittest.Git(t, dir, "checkout", "-q", "main")
	gittest.Git(t, dir, "mv", "old", "new")
	gittest.Commit(t, dir, "renamed", nil)
	r := open(t, dir, Options{})
	tip := at(t, r, "l10n", "main")
	m := must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(), func(string) bool { return true }))
	if got, err := m.Tip.ReadFile("new/three"); m.State != Joined || string(got) != "7\n" {
		t.Errorf("%s: %q, %v", m.State, got, err)
	}
}

// A shallow clone that does not see where two branches meet is deepened.
func TestShallowCloneDeepensItself(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	clone := gittest.Clone(t, "file://"+bare, "--depth=1")
	r := open(t, clone, Options{Remote: "origin"})
	push(t, r, commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("a", "1")))
	for i := range 3 {
		gittest.Commit(t, dir, "more", map[string]string{"x": fmt.Sprint(i)})
	}
	gittest.Git(t, dir, "push", "-q", "origin", "main")
	other := open(t, gittest.Clone(t, "file://"+bare, "--depth=1", "--no-single-branch"), Options{Remote: "origin"})
	tip := at(t, other, "l10n", "main")
	m := must[*Merged](t)(other.Merge(t.Context(), tip, tip.Base(), never))
	if m.State != Joined {
		t.Fatalf("%s: %s", m.State, m.Note)
	}
	push(t, other, commitOn(t, other, m.Tip, "l10n", files("a", "2")))
	gittest.Sound(t, other.repo.Facts.WorkTree)
	gittest.Sound(t, bare)
}

func TestBranchTakesInBase(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	r := open(t, dir, Options{Remote: "origin"})
	merge := func() (*Tip, *Merged) {
		t.Helper()
		tip := at(t, r, "l10n", "")
		return tip, must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(),
			func(p string) bool { return strings.HasPrefix(p, "locales/de") }))
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
	for commit, want := range map[string]bool{main: true, tip.Hash(): true, made.Hash(): true,
		strings.Repeat("1", 40): false, "": false} {
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
	if c.Path != "locales/de/app.json" || string(c.Ancestor) != "v3\n" && string(c.Ancestor) != "v2\n" ||
		string(c.Branch) != "v4\n" || string(c.Base) != "by hand\n" {
		t.Errorf("%s: %q %q %q", c.Path, c.Ancestor, c.Branch, c.Base)
	}
	if got := must[[]byte](t)(m.Tip.ReadFile("locales/de/app.json")); string(got) != "by hand\n" {
		t.Errorf("before it is settled: %q", got)
	}
	deliver(commitOn(t, r, m.Tip, "l10n", files("locales/de/app.json", "v4 by hand\n")))

	// A conflict in a file that is not ours: the branch stays behind, and can still be committed to.
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

// equal says whether two versions of a file are one; nil is none.
func equal(one, two []byte) bool { return bytes.Equal(one, two) && (one == nil) == (two == nil) }

func fastImport(t testing.TB, dir string, stream []byte) {
	t.Helper()
	gittest.FastImport(t, dir, stream)
}
