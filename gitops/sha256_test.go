package gitops

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// A repository whose objects have SHA-256 names is read, committed to, merged in and delivered from like any other, in
// each of its kinds.
func TestSHA256(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, k := range kindsOfRepos() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			origin := gittest.Bare(t, gittest.InitAs(t, "sha256", sample))
			dir := sha256Kind(t, k, origin)
			r := open(t, dir, Options{Remote: "origin"})
			if !k.facts(r.Facts()) {
				t.Errorf("%+v", r.Facts())
			}
			journeySHA256(t, r, origin)
			gittest.Sound(t, dir)
			gittest.Sound(t, origin)
		})
	}
}

// sha256Kind makes a kind of repository; the one that has a repository of another format around it cannot be.
func sha256Kind(t *testing.T, k kindOfRepo, origin string) string {
	if k.name == "submodule" {
		t.Skip("git adds no submodule of another format")
	}
	return k.make(t, origin)
}

// journeySHA256 delivers a commit, takes in what a person pushed meanwhile, and delivers again.
func journeySHA256(t *testing.T, r *Repo, origin string) {
	t.Helper()
	person := gittest.Clone(t, origin)
	tip := at(t, r, "l10n", "main")
	reads(t, tip, person)
	made := commitOn(t, r, tip, "l10n", map[string][]byte{"locales/de/app.json": []byte("new\n"),
		"locales/fr/x": []byte("y")})
	if result := push(t, r, made); !result.Pushed || result.Local != Moved || len(result.Commit) != 64 {
		t.Errorf("%+v", result)
	}
	theirs := gittest.Commit(t, person, "theirs", map[string]string{"third": "theirs\n",
		"locales/de/app.json": "theirs\n"})
	gittest.Git(t, person, "push", "-q", "origin", "main")
	tip = at(t, r, "l10n", "main")
	if tip.Hash() != made.Hash() || tip.Base().Hash() != theirs {
		t.Errorf("the tips are %s and %s, not %s and %s", tip.Hash(), tip.Base().Hash(), made.Hash(), theirs)
	}
	merged := must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(),
		func(path string) bool { return path == "locales/de/app.json" }))
	if merged.State != Joined || len(merged.Contested) != 1 {
		t.Fatalf("%+v", merged)
	}
	joined := commitOn(t, r, merged.Tip, "l10n", files("locales/de/app.json", "both\n"))
	push(t, r, joined)
	gittest.Git(t, person, "fetch", "-q", "origin")
	for path, want := range map[string]string{"third": "theirs", "locales/de/app.json": "both", "locales/fr/x": "y"} {
		if got := gittest.Git(t, person, "show", "origin/l10n:"+path); got != want {
			t.Errorf("%s is %q, not %q", path, got, want)
		}
	}
	if in, err := at(t, r, "l10n", "main").Contains(theirs); err != nil || !in {
		t.Errorf("%s is not in the history: %v", theirs, err)
	}
	if changed := must[[]string](t)(r.History.Changed(t.Context(), theirs, joined.Hash())); strings.Join(changed,
		" ") != "locales/de/app.json locales/fr/x" {
		t.Errorf("changed: %v", changed)
	}
}

// A clone of our own takes the format of its remote, and leaves blobs out there as well.
func TestSHA256Clone(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	bare := gittest.Bare(t, gittest.InitAs(t, "sha256", sample))
	gittest.Git(t, bare, "config", "uploadpack.allowFilter", "true")
	gittest.Git(t, bare, "config", "uploadpack.allowAnySHA1InWant", "true")
	dir := filepath.Join(t.TempDir(), "clone.git")
	r := must[*Repo](t)(OpenClone(t.Context(), dir, gittest.Serve(t, bare, gittest.Options{}), Options{}))
	t.Cleanup(func() { r.Close() })
	at(t, r, "main", "")
	if missing := gittest.Git(t, dir, "rev-list", "--objects", "--missing=print",
		"refs/remotes/origin/main"); !strings.Contains(missing, "?") {
		t.Error("nothing was left out")
	}
	journeySHA256(t, r, bare)
	if err := r.Clone.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	gittest.Sound(t, bare)
}

// A signature is in the header that git reads in such a repository, and reference logs hold names of one length.
func TestSHA256SignedAndLogged(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed")
	}
	dir := gittest.InitAs(t, "sha256", sample)
	key := filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := open(t, dir, Options{Signing: Signing{KeyFile: key}})
	made := commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("a", "1"))
	push(t, r, made)
	gittest.Write(t, dir, map[string]string{"signers": "locsync@localhost " +
		string(must[[]byte](t)(os.ReadFile(key+".pub")))})
	gittest.Git(t, dir, "-c", "gpg.ssh.allowedSignersFile="+filepath.Join(dir, "signers"), "verify-commit", made.Hash())
	if got := gittest.Git(t, dir, "rev-parse", "l10n@{0}"); got != made.Hash() {
		t.Errorf("the log ends with %s", got)
	}
	gittest.Sound(t, dir)
}

// A repository that keeps its references as a reftable works where git knows such.
func TestReftable(t *testing.T) {
	t.Parallel()
	if out, err := gittest.TryGit(t, t.TempDir(), "init", "-q", "--ref-format=reftable", "."); err != nil {
		t.Skipf("this git makes no reftable: %.60s", out)
	}
	origin := gittest.Bare(t, gittest.Init(t, sample))
	dir := gittest.Clone(t, origin, "--ref-format=reftable")
	r := open(t, dir, Options{Remote: "origin"})
	made := commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("locales/de/app.json", "new\n"))
	if result := push(t, r, made); !result.Pushed || result.Local != Moved {
		t.Errorf("%+v", result)
	}
	if got := gittest.Git(t, dir, "rev-parse", "l10n"); got != made.Hash() {
		t.Errorf("the local branch is at %s", got)
	}
	made = commitOn(t, r, at(t, r, "main", ""), "main", files("a", "1"))
	if result := push(t, r, made); !result.Pushed || result.Local != Followed {
		t.Errorf("%+v", result)
	}
	if left := gittest.Git(t, dir, "for-each-ref", "refs/locsync"); left != "" {
		t.Errorf("left in the outbox: %s", left)
	}
	gittest.Sound(t, dir)
	gittest.Sound(t, origin)
}

// References that git moves, in a repository that every git can make: commit, delivery and checked-out tree are as
// ever.
func TestReferencesByGit(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	origin := gittest.Bare(t, gittest.InitAs(t, "sha256", sample))
	r := open(t, gittest.Clone(t, origin), Options{Remote: "origin"})
	r.repo.Refs.ByGit = true
	journeySHA256(t, r, origin)
	follows(t, r, kindOfRepo{}, "by git")
	gittest.Sound(t, r.repo.Facts.GitDir)
	gittest.Sound(t, origin)
}
