package gitops

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/content"
	"github.com/locsync/locsync/gitops/gittest"
)

// Law: the tree of a commit is the one that git makes of the same files.
func TestTreesAreGitsTrees(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	r := open(t, dir, Options{})
	judge := t.TempDir()
	gittest.Git(t, judge, "init", "-q", ".")
	name := rapid.StringMatching(`[a-c]{1,2}(-x|\.y|0)?(/[a-c]{1,2}){0,3}`)
	rapid.Check(t, func(rt *rapid.T) {
		now := map[string]string{}
		tip := at(t, r, "main", "")
		for n, content := range sample {
			now[n] = content
		}
		for range rapid.IntRange(1, 3).Draw(rt, "commits") {
			change := map[string][]byte{}
			for range rapid.IntRange(1, 8).Draw(rt, "changes") {
				n := name.Draw(rt, "name")
				if rapid.Bool().Draw(rt, "old") {
					n = rapid.SampledFrom(sortedKeys(now)).Draw(rt, "which")
				}
				change[n] = []byte(rapid.StringN(0, 3, 9).Draw(rt, "content"))
				if rapid.IntRange(0, 2).Draw(rt, "delete") == 0 {
					change[n] = nil
				}
			}
			e, changes, err := tip.files.Plan(t.Context(), change)
			var bad *BadPaths
			if errors.As(err, &bad) { // a file where a folder is, or the other way round
				for _, p := range bad.Paths {
					delete(change, p.Path)
				}
				if e, changes, err = tip.files.Plan(t.Context(), change); err != nil {
					rt.Fatalf("without the bad paths it still fails: %v", err)
				}
			} else if err != nil {
				rt.Fatal(err)
			}
			root, err := e.Apply(changes)
			if err != nil {
				rt.Fatal(err)
			}
			for n, content := range change {
				if delete(now, n); content != nil {
					now[n] = string(content)
				}
			}
			if want := gitTree(t, judge, now); want != root.String() {
				rt.Fatalf("the tree is %s, git's of %v is %s", root, sortedKeys(now), want)
			}
			extra := maps.Clone(e.Objects)
			maps.Copy(extra, tip.files.FS.Extra)
			tip = &Tip{repo: r.repo, parents: tip.parents, files: content.New(r.repo, root, time.Time{}, extra)}
			if len(now) == 0 {
				return
			}
		}
	})
}

// gitTree lets git write the tree of some files.
func gitTree(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	old, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range old {
		if e.Name() != ".git" {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	gittest.Write(t, dir, files)
	gittest.Git(t, dir, "add", "-A")
	return gittest.Git(t, dir, "write-tree")
}

func TestSameInputSameCommit(t *testing.T) {
	t.Parallel()
	made := map[string]bool{}
	for range 2 {
		dir := gittest.Init(t, sample)
		r := open(t, dir, Options{})
		c := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("b", "1", "a", "2", "c/d", "3"))
		made[c.Hash()] = true
	}
	if len(made) != 1 {
		t.Errorf("two commits: %v", made)
	}
}

func TestWhatACommitSays(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	r := open(t, dir, Options{})
	msg := Message{Text: "Übersetzungen\r\n\n\nBody\x00\n\n" + Trailer + ": app\n\n",
		Author: Person{"Bot <x>\n", "bot@\nexample.org>"},
		When:   when.In(time.FixedZone("", 5400))}
	c := must[*Tip](t)(r.Commit(t.Context(), at(t, r, "main", ""), "main", files("x", "y"), msg))
	push(t, r, c)
	if got := gittest.Git(t, dir, "log", "-1", "--format=%an|%ae|%cn|%ai|%ci|%s|%(trailers:key="+Trailer+",valueonly)",
		c.Hash()); got !=
		"Bot x|bot@example.org|Bot x|2026-11-21 13:30:00 +0130|2026-11-21 13:30:00 +0130|Übersetzungen|app" {
		t.Errorf("git reads %q", got)
	}
	gittest.Sound(t, dir)

	// A clock that went back: one second after the parent.
	msg.When = when.Add(-time.Hour)
	next := must[*Tip](t)(r.Commit(t.Context(), at(t, r, "main", ""), "main", files("x", "z"), msg))
	if got := next.When().Sub(c.When()); got != time.Second {
		t.Errorf("the child is %s younger", got)
	}
}

func TestOnePackPerCommit(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	r := open(t, dir, Options{})
	for i := range 3 {
		c := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", fmt.Sprint(i), "b/c", fmt.Sprint(i)))
		push(t, r, c)
	}
	packs, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*"))
	if len(packs) != 6 {
		t.Errorf("three commits left %v", packs)
	}
	for _, p := range packs {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm() != 0o444 {
			t.Errorf("%s has mode %s", p, info.Mode())
		}
	}
	loose, _ := filepath.Glob(filepath.Join(dir, ".git/objects/??/*"))
	before := len(loose)
	if _, err := r.Commit(t.Context(), at(t, r, "l10n", ""), "l10n", files("a", "2"), message("none")); !errors.Is(err,
		ErrNothing) {
		t.Error(err)
	}
	loose, _ = filepath.Glob(filepath.Join(dir, ".git/objects/??/*"))
	again, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*"))
	if len(loose) != before || len(again) != len(packs) {
		t.Error("nothing to commit left an object")
	}
}

// Paths that would do harm are refused together, by name, and nothing is written.
func TestBadPathsAreRefusedTogether(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	for link, to := range map[string]string{"link": "locales", "one.json": "README.md"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	sub := gittest.Init(t, sample)
	gittest.Git(t, dir, "submodule", "add", "-q", sub, "module")
	gittest.Commit(t, dir, "more",
		map[string]string{".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\nlatin/* working-tree-encoding=ISO-8859-1\n"})
	r := open(t, dir, Options{})
	tip := at(t, r, "main", "")
	why := map[string]string{
		"../x": "clean path", ".git/hooks/post-checkout": "git's own folder", "link/de/app.json": "link is a symbolic link", "one.json": "symbolic link",
		"module/x": "submodule", "locales": "is a folder", "README.md/x": "is a file",
		"a.bin":   `filter=lfs applies to it ("*.bin filter=lfs`,
		"latin/x": "no encoding but those of Unicode", "new": "differs", "NEW": "letter case",
		"con": "device", "n/x": "", "n": "",
	}
	bad := map[string][]byte{}
	for name := range why {
		bad[name] = []byte("x")
	}
	count := func() int {
		all, _ := filepath.Glob(filepath.Join(dir, ".git/objects/*/*"))
		return len(all)
	}
	before := count()
	_, err := r.Commit(t.Context(), tip, "main", bad, message("bad"))
	var refused *BadPaths
	if !errors.As(err, &refused) || !errors.Is(err, ErrPath) {
		t.Fatal(err)
	}
	if count() != before {
		t.Error("objects were written")
	}
	found := map[string]string{}
	for _, p := range refused.Paths {
		found[p.Path] = p.Why
		if !strings.Contains(p.Why, why[p.Path]) && why[p.Path] != "differs" {
			t.Errorf("%s: %s", p.Path, p.Why)
		}
		if why[p.Path] != "" && p.Path != "NEW" && p.Path != "new" && tip.Writable(p.Path) == nil {
			t.Errorf("%s is writable", p.Path)
		}
	}
	for name := range why {
		if _, ok := found[name]; !ok && !slices.Contains([]string{"new", "NEW", "n", "n/x"}, name) {
			t.Errorf("%s passed", name)
		}
	}
	for _, twin := range [][2]string{{"new", "NEW"}, {"n", "n/x"}} {
		if (found[twin[0]] == "") == (found[twin[1]] == "") {
			t.Errorf("of %v one should be refused: %q %q", twin, found[twin[0]], found[twin[1]])
		}
	}
	for name := range found {
		delete(bad, name)
	}
	if _, err := r.Commit(t.Context(), tip, "main", bad, message("good")); err != nil {
		t.Errorf("without the bad paths: %v", err)
	}
}

func TestModesStay(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	gittest.Git(t, dir, "update-index", "--chmod=+x", "scripts/run.sh")
	gittest.Git(t, dir, "commit", "-q", "-m", "x")
	r := open(t, dir, Options{})
	c := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("scripts/run.sh", "new", "scripts/other.sh", "new"))
	if got := gittest.Git(t, dir, "ls-tree", c.Hash(), "scripts/"); !strings.Contains(got, "100755 blob") ||
		!strings.Contains(got, "100644 blob") {
		t.Error(got)
	}
}

// Law: with any attributes, over any old content, we store the line ends that git stores.
func TestLineEndsAreGits(t *testing.T) {
	t.Parallel()
	rules := []string{"", "* text", "* text=auto", "* -text", "*.json text eol=crlf", "* binary", "*.json eol=lf",
		"* text=auto\n*.json -text", "*.json !text eol=lf", "* text\nl10n/*.json -text",
		"* -text\n/l10n/a.json text=auto",
		"* text\n**/a.json -text", "l10n/ -text\nl10n/** text"}
	const given = "a\r\nc\r\n"
	for _, auto := range []string{"false", "true", "input"} {
		dir := gittest.Init(t, nil)
		gittest.Git(t, dir, "config", "core.autocrlf", auto)
		gittest.Git(t, dir, "config", "core.safecrlf", "false")
		names := map[string]string{}
		all := map[string][]byte{}
		blobs := map[string]string{}
		var index strings.Builder
		for i, rule := range rules {
			for j, old := range []string{"", "a\nb\n", "a\r\nb\r\n"} {
				folder := fmt.Sprintf("%d-%d", i, j)
				name := folder + "/l10n/a.json"
				names[name] = fmt.Sprintf("autocrlf=%s %q over %q", auto, rule, old)
				all[name] = []byte(given)
				gittest.Write(t, dir, map[string]string{folder + "/.gitattributes": rule + "\n"})
				if old != "" { // as it lies there, whatever the attributes say
					if blobs[old] == "" {
						gittest.Write(t, dir, map[string]string{"old": old})
						blobs[old] = gittest.Git(t, dir, "hash-object", "-w", "--no-filters", "old")
						os.Remove(filepath.Join(dir, "old"))
					}
					fmt.Fprintf(&index, "100644 %s\t%s\n", blobs[old], name)
				}
			}
		}
		gittest.Git(t, dir, "add", "-A")
		cmd := exec.Command("git", "update-index", "--index-info")
		cmd.Dir, cmd.Env, cmd.Stdin = dir, gittest.Environ(), strings.NewReader(index.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		gittest.Git(t, dir, "commit", "-q", "-m", "x")
		r := open(t, dir, Options{})
		_, changes, err := at(t, r, "main", "").files.Plan(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		stored := map[string]string{}
		for _, c := range changes {
			stored[c.Path] = c.Blob.String()
		}
		// What git would store: `git add` of the same bytes over the same old files.
		for name := range all {
			gittest.Write(t, dir, map[string]string{name: given})
		}
		gittest.Git(t, dir, "add", "-A")
		compared := 0
		for line := range strings.Lines(gittest.Git(t, dir, "ls-files", "-s", "*/l10n/a.json")) {
			fields := strings.Fields(line)
			if stored[fields[3]] != fields[1] {
				t.Errorf("%s: not the blob that git stores", names[fields[3]])
			}
			compared++
		}
		if compared != len(all) {
			t.Errorf("%d of %d were compared", compared, len(all))
		}
	}
}
