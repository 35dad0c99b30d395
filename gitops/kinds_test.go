package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// kind is a repository that git makes, cloned from origin.
type kindOfRepo struct {
	name  string
	make  func(t *testing.T, origin string) (dir string)
	facts func(Facts) bool
}

func kindsOfRepos() []kindOfRepo {
	clone := func(options ...string) func(*testing.T, string) string {
		return func(t *testing.T, o string) string { return gittest.Clone(t, o, options...) }
	}
	config := func(pairs ...string) func(*testing.T, string) string {
		return func(t *testing.T, o string) string {
			dir := gittest.Clone(t, o)
			for i := 0; i < len(pairs); i += 2 {
				gittest.Git(t, dir, "config", pairs[i], pairs[i+1])
			}
			return dir
		}
	}
	tree := func(f Facts) bool { return f.WorkTree != "" && !f.Bare && !f.Shallow && !f.Partial }
	endsIn := func(end string) func(Facts) bool {
		return func(f Facts) bool { return strings.HasSuffix(f.WorkTree, end) && !f.Bare }
	}
	bare := func(f Facts) bool { return f.Bare && f.WorkTree == "" }
	link := func(t *testing.T, main, o string) (dir string) {
		dir = filepath.Join(t.TempDir(), "linked")
		side := fmt.Sprintf("side-%d", strings.Count(gittest.Git(t, o, "for-each-ref"),
			"\n")) // that the remote does not have
		gittest.Git(t, main, "worktree", "add", "-q", "-b", side, dir)
		return dir
	}
	promise := func(t *testing.T, o string) {
		gittest.Git(t, o, "config", "uploadpack.allowFilter", "true")
		gittest.Git(t, o, "config", "uploadpack.allowAnySHA1InWant", "true")
	}
	return []kindOfRepo{
		{name: "plain", make: clone(), facts: tree},
		{name: "a folder inside", make: func(t *testing.T, o string) string {
			return filepath.Join(gittest.Clone(t, o), "locales", "de")
		}, facts: endsIn("clone")},
		{name: "the git folder", make: func(t *testing.T, o string) string {
			return filepath.Join(gittest.Clone(t, o), ".git")
		}, facts: endsIn("clone")},
		{name: "bare", make: func(t *testing.T, o string) string {
			dir := gittest.Clone(t, o, "--bare")
			gittest.Git(t, dir, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
			return dir
		}, facts: bare},
		{name: "mirror", make: clone("--mirror"), facts: bare},
		{name: "one branch", make: clone("--single-branch"), facts: tree},
		{name: "separate git folder", make: func(t *testing.T, o string) string {
			return gittest.Clone(t, o, "--separate-git-dir", filepath.Join(t.TempDir(), "g"))
		}, facts: func(f Facts) bool { return strings.HasSuffix(f.GitDir, "/g") && endsIn("clone")(f) }},
		{name: "linked worktree", make: func(t *testing.T, o string) string { return link(t, gittest.Clone(t, o), o) },
			facts: func(f Facts) bool { return f.GitDir != f.CommonDir && endsIn("linked")(f) }},
		{name: "linked worktree of a bare repository", make: func(t *testing.T, o string) string {
			return link(t, gittest.Clone(t, o, "--bare"), o)
		}, facts: endsIn("linked")},
		{name: "submodule", make: func(t *testing.T, o string) string {
			outer := gittest.Init(t, sample)
			gittest.Git(t, outer, "submodule", "add", "-q", o, "inner")
			return filepath.Join(outer, "inner")
		}, facts: endsIn("inner")},
		{name: "shared", make: clone("--shared"), facts: tree},
		{name: "with a reference", make: func(t *testing.T, o string) string {
			return gittest.Clone(t, "file://"+o, "--reference", gittest.Clone(t, o, "--bare"))
		}, facts: tree},
		{name: "sparse", make: func(t *testing.T, o string) string {
			dir := gittest.Clone(t, o)
			gittest.Git(t, dir, "sparse-checkout", "set", "scripts")
			return dir
		}, facts: tree},
		{name: "once sparse", make: func(t *testing.T, o string) string {
			dir := gittest.Clone(t, o)
			gittest.Git(t, dir, "sparse-checkout", "set", "scripts")
			gittest.Git(t, dir, "sparse-checkout", "disable")
			return dir
		}, facts: tree},
		{name: "settings of one worktree", make: config("core.repositoryFormatVersion", "1",
			"extensions.worktreeConfig", "false"), facts: tree},
		{name: "precious objects", make: config("core.repositoryFormatVersion", "1",
			"extensions.preciousObjects", "true"), facts: tree},
		{name: "shallow", make: func(t *testing.T, o string) string {
			return gittest.Clone(t, "file://"+o, "--depth=1")
		},
			facts: func(f Facts) bool { return f.Shallow }},
		{name: "partial", make: func(t *testing.T, o string) string {
			promise(t, o)
			return gittest.Clone(t, "file://"+o, "--filter=blob:none")
		}, facts: func(f Facts) bool { return f.Partial }},
		{name: "partial and bare", make: func(t *testing.T, o string) string {
			promise(t, o)
			return gittest.Clone(t, "file://"+o, "--filter=blob:none", "--bare")
		}, facts: func(f Facts) bool { return f.Partial && f.Bare }},
	}
}

// Law: in every kind of repository the whole journey works: the tip is the remote's and
// reads as the files there, a commit arrives, the tree that has the branch checked out follows, what people see is as
// it was, and git finds nothing to say.
func TestKindsOfRepositories(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	source := gittest.Init(t, sample)
	origin := gittest.Bare(t, source)
	n := 0
	for _, k := range kindsOfRepos() {
		t.Run(k.name, func(t *testing.T) {
			dir := k.make(t, origin)
			r := open(t, dir, Options{Remote: "origin"})
			if !k.facts(r.Facts()) {
				t.Errorf("%+v", r.Facts())
			}
			n++
			content := fmt.Sprintf("by somebody %d\n", n)
			theirs := gittest.CommitTo(t, origin, "main", map[string]string{"third": content,
				"locales/de/app.json": content})
			gittest.Git(t, source, "pull", "-q", "--ff-only", "origin", "main")

			branch := fmt.Sprintf("l10n-%d", n)
			tip, err := r.At(t.Context(), branch, "main")
			if err != nil {
				t.Fatal(err)
			}
			if tip.Hash() != theirs || !tip.New() {
				t.Errorf("the tip is %s, new %v", tip.Hash(), tip.New())
			}
			reads(t, tip, source)

			before := seen(t, r)
			made := commitOn(t, r, tip, branch, map[string][]byte{"locales/de/app.json": []byte("new\n"),
				"locales/fr/x": []byte("y"), "third": nil})
			if result := push(t, r, made); !result.Pushed || result.Local != Moved {
				t.Errorf("%+v", result)
			}
			if got := gittest.Git(t, origin, "rev-parse", branch); got != made.Hash() {
				t.Errorf("the remote has %s", got)
			}
			if tip := at(t, r, branch, "main"); tip.Hash() != made.Hash() || tip.Note() != "" {
				t.Errorf("%s %q", tip.Hash(), tip.Note())
			}
			if after := seen(t, r); after != before {
				t.Errorf("people see\n%s\nand saw\n%s", after, before)
			}
			follows(t, r, k, content)
			gittest.Sound(t, dir)
		})
	}
	gittest.Sound(t, origin)
}

// reads compares a tip with a working tree.
func reads(t *testing.T, tip *Tip, dir string) {
	t.Helper()
	n := 0
	err := fs.WalkDir(tip, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n++
		got, err := tip.ReadFile(name)
		if want := must[[]byte](t)(os.ReadFile(filepath.Join(dir, name))); string(got) != string(want) {
			t.Errorf("%s reads %q, not %q", name, got, want)
		}
		return err
	})
	if want := len(strings.Fields(gittest.Git(t, dir, "ls-files"))); err != nil || n != want {
		t.Errorf("%d files of %d, %v", n, want, err)
	}
}

// seen is what people see of a repository: HEAD, index and working tree.
func seen(t *testing.T, r *Repo) string {
	t.Helper()
	head := string(must[[]byte](t)(os.ReadFile(filepath.Join(r.Facts().GitDir, "HEAD"))))
	if r.Facts().Bare {
		return head
	}
	return head + gittest.Git(t, r.Facts().WorkTree, "status", "--porcelain") + gittest.Git(t,
		r.Facts().WorkTree, "ls-files", "-sv")
}

// follows commits to the branch that is checked out: its tree goes along where git can move it.
func follows(t *testing.T, r *Repo, k kindOfRepo, content string) {
	t.Helper()
	current, _, err := r.Head()
	if err != nil || current == "" {
		t.Fatal(current, err)
	}
	made := commitOn(t, r, at(t, r, current, "main"), current, files("locales/de/app.json",
		content+"again\n", "scripts/new", content))
	result := push(t, r, made)
	want := map[bool]Local{true: Moved, false: Followed}[r.Facts().Bare]
	if !result.Pushed || result.Local != want {
		t.Errorf("%+v", result)
	}
	if want != Followed {
		return
	}
	if got := string(must[[]byte](t)(os.ReadFile(filepath.Join(r.Facts().WorkTree, "scripts/new")))); got != content {
		t.Errorf("the tree has %q", got)
	}
	if out := gittest.Git(t, r.Facts().WorkTree, "status", "--porcelain"); out != "" {
		t.Errorf("git status: %s", out)
	}
	if _, err := os.Lstat(filepath.Join(r.Facts().WorkTree,
		"locales/de/app.json")); (k.name == "sparse") != errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file outside of what is checked out: %v", err)
	}
}

// A blob that a partial clone left out is fetched by git, together with those beside it, or is ErrUnfetched: never a
// file that does not exist, and never one that a commit takes for deleted.
func TestPromisedBlobs(t *testing.T) {
	t.Parallel()
	content := map[string]string{"README.md": "hello\n", "other/a.txt": "x\n"}
	for _, language := range []string{"de", "fr", "it", "pl"} {
		for _, file := range []string{"app", "web"} {
			content["l10n/"+language+"/"+file+".json"] = "{\"" + file + "\": \"" + language + "\"}\n"
		}
	}
	source := gittest.Init(t, content)
	origin := gittest.Bare(t, source)
	gittest.Git(t, origin, "config", "uploadpack.allowFilter", "true")
	gittest.Git(t, origin, "config", "uploadpack.allowAnySHA1InWant", "true")
	dir := gittest.Clone(t, "file://"+origin, "--filter=blob:none", "--no-checkout")
	missing := func() int {
		return strings.Count("\n"+gittest.Git(t, dir, "rev-list", "--objects", "--missing=print", "main"), "\n?")
	}
	all := missing()

	writer := open(t, dir, Options{})
	with := at(t, writer, "main", "")
	if _, err := with.Stat("README.md"); err != nil {
		t.Error(err)
	}
	made := commitOn(t, writer, with, "main", files("l10n/de/app.json", "{}\n")) // needs no old content
	if got := gittest.Git(t, dir, "ls-tree", "-r", "--name-only",
		made.Hash()); len(strings.Fields(got)) != len(content) {
		t.Errorf("the commit has\n%s", got)
	}
	if err := writer.Drop("main"); err != nil {
		t.Fatal(err)
	}

	if got, err := with.ReadFile("README.md"); string(got) != content["README.md"] {
		t.Errorf("%q %v", got, err)
	}
	if now := missing(); now != all-1 {
		t.Errorf("%d blobs were missing, now %d", all, now)
	}
	if got, err := with.ReadFile("l10n/de/app.json"); string(got) != content["l10n/de/app.json"] {
		t.Errorf("%q %v", got, err)
	}
	if now := missing(); now != all-2 {
		t.Errorf("%d blobs were missing, now %d", all, now)
	}
	always := func(string) bool { return true }
	isJSON := func(name string) bool { return strings.HasSuffix(name, ".json") }
	if err := with.Prefetch(t.Context(), always, isJSON); err != nil {
		t.Error(err)
	}
	if now := missing(); now != 1 { // the text file
		t.Errorf("%d blobs are missing, so the other languages were not brought along", now)
	}
	if err := os.RemoveAll(origin); err != nil {
		t.Fatal(err)
	}
	if _, err := with.ReadFile("other/a.txt"); !errors.Is(err, ErrUnfetched) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without its remote: %v", err)
	}
	if got, err := with.ReadFile("l10n/fr/web.json"); string(got) != content["l10n/fr/web.json"] {
		t.Errorf("%q %v", got, err)
	}
}
