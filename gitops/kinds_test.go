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
	git   bool // cannot be done without the git program
	noGit bool // the git program of this machine cannot read it
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
		side := fmt.Sprintf("side-%d", strings.Count(gittest.Git(t, o, "for-each-ref"), "\n")) // that the remote does not have
		gittest.Git(t, main, "worktree", "add", "-q", "-b", side, dir)
		return dir
	}
	promise := func(t *testing.T, o string) {
		gittest.Git(t, o, "config", "uploadpack.allowFilter", "true")
		gittest.Git(t, o, "config", "uploadpack.allowAnySHA1InWant", "true")
	}
	return []kindOfRepo{
		{name: "plain", make: clone(), facts: tree},
		{name: "a folder inside", make: func(t *testing.T, o string) string { return filepath.Join(gittest.Clone(t, o), "locales", "de") }, facts: endsIn("clone")},
		{name: "the git folder", make: func(t *testing.T, o string) string { return filepath.Join(gittest.Clone(t, o), ".git") }, facts: endsIn("clone")},
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
		{name: "relative worktree", make: func(t *testing.T, o string) string { // as git 2.48 writes it
			main := gittest.Clone(t, o)
			dir := link(t, main, o)
			for file, to := range map[string]string{dir + "/.git": "gitdir: ", main + "/.git/worktrees/linked/gitdir": ""} {
				content := strings.TrimSpace(strings.TrimPrefix(string(must[[]byte](t)(os.ReadFile(file))), "gitdir: "))
				rel := must[string](t)(filepath.Rel(filepath.Dir(file), content))
				if err := os.WriteFile(file, []byte(to+rel+"\n"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			gittest.Git(t, main, "config", "core.repositoryFormatVersion", "1")
			gittest.Git(t, main, "config", "extensions.relativeWorktrees", "true")
			return dir
		}, facts: endsIn("linked"), noGit: true},
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
		{name: "settings of one worktree", make: config("core.repositoryFormatVersion", "1", "extensions.worktreeConfig", "false"), facts: tree},
		{name: "precious objects", make: config("core.repositoryFormatVersion", "1", "extensions.preciousObjects", "true"), facts: tree},
		{name: "shallow", make: func(t *testing.T, o string) string { return gittest.Clone(t, "file://"+o, "--depth=1") },
			facts: func(f Facts) bool { return f.Shallow }, git: true},
		{name: "partial", make: func(t *testing.T, o string) string {
			promise(t, o)
			return gittest.Clone(t, "file://"+o, "--filter=blob:none")
		}, facts: func(f Facts) bool { return f.Partial }, git: true},
		{name: "partial and bare", make: func(t *testing.T, o string) string {
			promise(t, o)
			return gittest.Clone(t, "file://"+o, "--filter=blob:none", "--bare")
		}, facts: func(f Facts) bool { return f.Partial && f.Bare }, git: true},
	}
}

// Law: in every kind of repository the whole journey works, with and without the git program: the tip is the remote's and
// reads as the files there, a commit arrives, the tree that has the branch checked out follows, what people see is as it was,
// and git finds nothing to say. Where it cannot work without the git program, the error says so.
func TestKindsOfRepositories(t *testing.T) {
	t.Parallel()
	source := gittest.Init(t, sample)
	origin := gittest.Bare(t, source)
	n := 0
	for _, k := range kindsOfRepos() {
		for _, git := range []string{"", NoGit} {
			if k.noGit && git == "" {
				continue
			}
			t.Run(k.name+" "+git, func(t *testing.T) {
				dir := k.make(t, origin)
				r := open(t, dir, Options{Remote: "origin", Git: git})
				if !k.facts(r.Facts()) {
					t.Errorf("%+v", r.Facts())
				}
				n++
				content := fmt.Sprintf("by somebody %d\n", n)
				gittest.Git(t, source, "pull", "-q", "--ff-only", "origin", "main")
				theirs := gittest.Commit(t, source, "x", map[string]string{"third": content, "locales/de/app.json": content})
				gittest.Git(t, source, "push", "-q", "origin", "main")

				branch := fmt.Sprintf("l10n-%d", n)
				tip, err := r.At(t.Context(), branch, "main")
				if k.git && git == NoGit {
					if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "git") {
						t.Errorf("%v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if tip.Hash() != theirs || !tip.New() {
					t.Errorf("the tip is %s, new %v", tip.Hash(), tip.New())
				}
				reads(t, tip, source)

				before := seen(t, r, k)
				made := commitOn(t, r, tip, branch, map[string][]byte{"locales/de/app.json": []byte("new\n"), "locales/fr/x": []byte("y"), "third": nil})
				if result := push(t, r, made); !result.Pushed || result.Local != Moved {
					t.Errorf("%+v", result)
				}
				if got := gittest.Git(t, origin, "rev-parse", branch); got != made.Hash() {
					t.Errorf("the remote has %s", got)
				}
				if tip := at(t, r, branch, "main"); tip.Hash() != made.Hash() || tip.Note() != "" {
					t.Errorf("%s %q", tip.Hash(), tip.Note())
				}
				if after := seen(t, r, k); after != before {
					t.Errorf("people see\n%s\nand saw\n%s", after, before)
				}
				follows(t, r, k, content)
				if !k.noGit {
					gittest.Sound(t, dir)
				}
			})
		}
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
func seen(t *testing.T, r *Repo, k kindOfRepo) string {
	t.Helper()
	head := string(must[[]byte](t)(os.ReadFile(filepath.Join(r.Facts().GitDir, "HEAD"))))
	if r.Facts().Bare || k.noGit {
		return head
	}
	return head + gittest.Git(t, r.Facts().WorkTree, "status", "--porcelain") + gittest.Git(t, r.Facts().WorkTree, "ls-files", "-sv")
}

// follows commits to the branch that is checked out: its tree goes along where git can move it.
func follows(t *testing.T, r *Repo, k kindOfRepo, content string) {
	t.Helper()
	current, _, err := r.Head()
	if err != nil || current == "" {
		t.Fatal(current, err)
	}
	made := commitOn(t, r, at(t, r, current, "main"), current, files("locales/de/app.json", content+"again\n", "scripts/new", content))
	result := push(t, r, made)
	want := map[bool]Local{true: Moved, false: Followed}[r.Facts().Bare]
	if r.git == nil && !r.Facts().Bare {
		want = Left
		if !errors.Is(result.Cause, ErrUnsupported) || !strings.Contains(result.Why, "git merge --ff-only") {
			t.Errorf("%+v", result)
		}
	}
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
	if _, err := os.Lstat(filepath.Join(r.Facts().WorkTree, "locales/de/app.json")); (k.name == "sparse") != errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file outside of what is checked out: %v", err)
	}
}

// A blob that a partial clone left out is fetched by git, together with those beside it, or is ErrUnfetched: never a file
// that does not exist, and never one that a commit takes for deleted.
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

	without := at(t, open(t, dir, Options{Git: NoGit}), "main", "")
	if _, err := without.ReadFile("README.md"); !errors.Is(err, ErrUnfetched) || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "install git") {
		t.Errorf("%v", err)
	}
	if _, err := without.Stat("README.md"); err != nil {
		t.Error(err)
	}
	made := commitOn(t, without.repo, without, "main", files("l10n/de/app.json", "{}\n")) // needs no old content
	if got := gittest.Git(t, dir, "ls-tree", "-r", "--name-only", made.Hash()); len(strings.Fields(got)) != len(content) {
		t.Errorf("the commit has\n%s", got)
	}
	if err := without.repo.Drop("main"); err != nil {
		t.Fatal(err)
	}

	with := at(t, open(t, dir, Options{}), "main", "")
	if got, err := with.ReadFile("README.md"); string(got) != content["README.md"] {
		t.Errorf("%q %v", got, err)
	}
	if now := missing(); now != all-1 {
		t.Errorf("%d blobs were missing, now %d", all, now)
	}
	if got, err := with.ReadFile("l10n/de/app.json"); string(got) != content["l10n/de/app.json"] {
		t.Errorf("%q %v", got, err)
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
