package gitops

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// served is a repository whose origin is served over http, and how many requests of each kind were made.
type served struct {
	dir, bare string
	requests  atomic.Int64
	fault     atomic.Pointer[func(*http.Request, int) *gittest.Fault]
}

func serve(t *testing.T, o gittest.Options) *served {
	t.Helper()
	s := &served{dir: gittest.Init(t, sample)}
	s.bare = gittest.Bare(t, s.dir)
	o.Fault = func(r *http.Request, n int) *gittest.Fault {
		s.requests.Add(1)
		if f := s.fault.Load(); f != nil {
			return (*f)(r, n)
		}
		return nil
	}
	gittest.Git(t, s.dir, "remote", "set-url", "origin", gittest.Serve(t, s.bare, o))
	return s
}

// once makes one fault, for the first request of a kind.
func (s *served) once(kind func(*http.Request) bool, f gittest.Fault) {
	var used atomic.Bool
	fault := func(r *http.Request, _ int) *gittest.Fault {
		if kind(r) && used.CompareAndSwap(false, true) {
			return &f
		}
		return nil
	}
	s.fault.Store(&fault)
}

func (s *served) always(kind func(*http.Request) bool, f gittest.Fault) {
	fault := func(r *http.Request, _ int) *gittest.Fault {
		if kind(r) {
			return &f
		}
		return nil
	}
	s.fault.Store(&fault)
}

// Nothing changed: one request, no object, no reference (G6).
func TestNothingCostsOneRequest(t *testing.T) {
	t.Parallel()
	s := serve(t, gittest.Options{})
	r := open(t, s.dir, Options{Remote: "origin"})
	push(t, r, commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1")))
	state := func() string {
		return gittest.Git(t, s.dir, "count-objects", "-v") + gittest.Git(t, s.dir, "for-each-ref") + gittest.Git(t,
			s.bare, "count-objects", "-v")
	}
	before, made := state(), s.requests.Load()
	tip := at(t, r, "l10n", "")
	m := must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(), never))
	if _, err := r.Commit(t.Context(), m.Tip, "l10n", files("a", "1"), message("x")); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	if n := s.requests.Load() - made; n != 1 {
		t.Errorf("%d requests", n)
	}
	if state() != before {
		t.Error("something changed")
	}
}

// Something new costs one listing and what git fetch asks for; a push one listing and one upload.
func TestRequestsPerPass(t *testing.T) {
	t.Parallel()
	s := serve(t, gittest.Options{})
	r := open(t, s.dir, Options{Remote: "origin"})
	push(t, r, commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1")))
	other := gittest.Clone(t, s.bare, "-b", "l10n")
	gittest.Commit(t, other, "x", map[string]string{"b": "2"})
	gittest.Git(t, other, "push", "-q")
	made := s.requests.Load()
	tip := at(t, r, "l10n", "")
	if n := s.requests.Load() - made; n > 4 {
		t.Errorf("a fetch took %d requests", n)
	}
	made = s.requests.Load()
	push(t, r, commitOn(t, r, tip, "l10n", files("a", "2")))
	if n := s.requests.Load() - made; n != 2 {
		t.Errorf("a push took %d requests", n)
	}
	gittest.Sound(t, s.dir)
}

func TestAnswersThatNeedAPerson(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	t.Run("401", func(t *testing.T) {
		s := serve(t, gittest.Options{User: "ada", Password: "pw"})
		for _, o := range []Options{{Remote: "origin"}, {Remote: "origin", Username: "ada",
			Password: "secret-canary"}} {
			_, err := open(t, s.dir, o).At(t.Context(), "main", "")
			if !errors.Is(err, ErrAuth) || strings.Contains(err.Error(), "canary") {
				t.Errorf("%+v: %v", o, err)
			}
		}
		push(t, open(t, s.dir, Options{}), commitOn(t, open(t, s.dir, Options{}), at(t, open(t, s.dir, Options{}),
			"main", ""), "x", files("a", "b")))
		r := open(t, s.dir, Options{Remote: "origin", Username: "ada", Password: "pw"})
		if at(t, r, "main", "").Hash() == "" {
			t.Error("no tip")
		}
	})
	t.Run("a helper that is wrong is told so", func(t *testing.T) {
		s := serve(t, gittest.Options{User: "ada", Password: "pw"})
		log := filepath.Join(t.TempDir(), "log")
		gittest.Git(t, s.dir, "config", "credential.helper",
			`!f() { echo "$1" >> `+log+`; if [ "$1" = get ]; then echo username=ada; echo password=wrong; fi; }; f`)
		if _, err := open(t, s.dir, Options{Remote: "origin"}).At(t.Context(), "main", ""); !errors.Is(err, ErrAuth) {
			t.Errorf("%v", err)
		}
		if got := string(must[[]byte](t)(os.ReadFile(log))); got != "get\nerase\n" {
			t.Errorf("the helper heard %q", got)
		}
	})
	for status, want := range map[int]error{403: ErrAuth, 404: ErrNoRemote} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			s := serve(t, gittest.Options{})
			r := open(t, s.dir, Options{Remote: "origin"})
			made := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1"))
			for what, kind := range map[string]func(*http.Request) bool{"list": gittest.IsPushList,
				"push": gittest.IsPush} {
				s.always(kind, gittest.Fault{Status: status})
				if _, err := r.Push(t.Context(), made); !errors.Is(err, want) {
					t.Errorf("%d for %s: %v", status, what, err)
				}
			}
			if waiting := must[*Tip](t)(r.Pending("l10n")); waiting == nil {
				t.Error("the commit was forgotten")
			}
		})
	}
	t.Run("no such host", func(t *testing.T) {
		dir := gittest.Init(t, sample)
		gittest.Git(t, dir, "remote", "add", "origin", "http://user:canary@127.0.0.1:1/x.git")
		r := open(t, dir, Options{Remote: "origin"})
		_, err := r.At(t.Context(), "main", "")
		if err == nil || strings.Contains(err.Error(), "canary") ||
			strings.Contains(fmt.Sprintf("%+v", r.Facts()), "canary") {
			t.Errorf("%v", err)
		}
	})
	t.Run("no such remote", func(t *testing.T) {
		_, err := open(t, gittest.Init(t, sample), Options{Remote: "origin"}).At(t.Context(), "main", "")
		if !errors.Is(err, ErrNoRemote) || !strings.Contains(err.Error(), "git remote add") {
			t.Errorf("%v", err)
		}
	})
	t.Run("no such folder", func(t *testing.T) {
		dir := gittest.Init(t, sample)
		gittest.Git(t, dir, "remote", "add", "origin", filepath.Join(dir, "nowhere"))
		if _, err := open(t, dir, Options{Remote: "origin"}).At(t.Context(), "main", ""); !errors.Is(err, ErrNoRemote) {
			t.Errorf("%v", err)
		}
	})
}

func TestHeadersOfTheConfiguration(t *testing.T) {
	t.Parallel()
	var seen atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.Header.Get("Authorization") + r.Header.Get("X-Other"))
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer server.Close()
	dir := gittest.Init(t, sample)
	gittest.Git(t, dir, "remote", "add", "origin", server.URL+"/group/x.git")
	gittest.Git(t, dir, "config", "http."+server.URL+"/.extraheader", "AUTHORIZATION: basic token")
	gittest.Git(t, dir, "config", "http.https://example.org/.extraheader", "X-Other: leak")
	_, _ = open(t, dir, Options{Remote: "origin"}).At(t.Context(), "main", "")
	if got := seen.Load(); got != "basic token" {
		t.Errorf("sent %q", got)
	}
}

func TestRefusals(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, kind := range []string{"http", "folder", "relative folder"} {
		for hook, script := range map[string]string{
			"pre-receive": "echo translations are frozen >&2; echo until Monday >&2; exit 1",
			"update":      "echo not this branch >&2; exit 1",
		} {
			t.Run(kind+" "+hook, func(t *testing.T) {
				s := serve(t, gittest.Options{})
				if kind == "folder" {
					gittest.Git(t, s.dir, "remote", "set-url", "origin", s.bare)
				}
				if kind == "relative folder" {
					relative, err := filepath.Rel(s.dir, s.bare)
					if err != nil {
						t.Fatal(err)
					}
					gittest.Git(t, s.dir, "remote", "set-url", "origin", relative)
				}
				gittest.Hook(t, s.bare, hook, script)
				r := open(t, s.dir, Options{Remote: "origin"})
				made := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1"))
				_, err := r.Push(t.Context(), made)
				var refused *Refused
				if !errors.As(err, &refused) || !errors.Is(err, ErrRefused) || refused.Ref != "refs/heads/l10n" ||
					!strings.Contains(refused.Status, "hook declined") {
					t.Fatalf("%v", err)
				}
				if said := strings.Join(refused.Said, "|"); !strings.HasPrefix(said,
					map[string]string{"pre-receive": "translations are frozen|until Monday",
						"update": "not this branch"}[hook]) {
					t.Errorf("said %q", said)
				}
				if waiting := must[*Tip](t)(r.Pending("l10n")); waiting == nil {
					t.Error("the commit was forgotten")
				}
			})
		}
	}
}

// The server moves the branch itself between the listing and the update: the lease is lost, and that is ErrMoved.
func TestALeaseLostBetweenListAndUpdate(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"http", "folder"} {
		t.Run(kind, func(t *testing.T) {
			s := serve(t, gittest.Options{})
			if kind == "folder" {
				gittest.Git(t, s.dir, "remote", "set-url", "origin", s.bare)
			}
			r := open(t, s.dir, Options{Remote: "origin"})
			push(t, r, commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1")))
			made := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "2"))
			gittest.Hook(t, s.bare, "pre-receive",
				"unset GIT_QUARANTINE_PATH; git update-ref refs/heads/l10n refs/heads/main")
			if _, err := r.Push(t.Context(), made); !errors.Is(err, ErrMoved) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A lock that somebody holds at the server is no lost lease: it is tried once more, and then an error that may pass.
func TestALockAtTheServer(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, kind := range []string{"http", "folder"} {
		t.Run(kind, func(t *testing.T) {
			s := serve(t, gittest.Options{})
			if kind == "folder" {
				gittest.Git(t, s.dir, "remote", "set-url", "origin", s.bare)
			}
			r := open(t, s.dir, Options{Remote: "origin"})
			made := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1"))
			lock := filepath.Join(s.bare, "refs/heads/l10n.lock")
			gittest.Write(t, s.bare, map[string]string{"refs/heads/l10n.lock": ""})
			if _, err := r.Push(t.Context(), made); err == nil || errors.Is(err, ErrMoved) {
				t.Errorf("%v", err)
			}
			os.Remove(lock)
			if result := push(t, r, made); !result.Pushed {
				t.Errorf("%+v", result)
			}
		})
	}
}

// A remote that was rewound is built upon as it is; one whose branch was deleted gets a new one.
func TestRewoundAndDeletedRemote(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	s := serve(t, gittest.Options{})
	r := open(t, s.dir, Options{Remote: "origin"})
	first := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1"))
	push(t, r, first)
	second := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "2"))
	push(t, r, second)
	waiting := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "3"))

	gittest.Git(t, s.bare, "update-ref", "refs/heads/l10n", first.Hash())
	if _, err := r.Push(t.Context(), waiting); !errors.Is(err, ErrMoved) {
		t.Fatalf("a push onto a rewound branch: %v", err)
	}
	if err := r.Drop("l10n"); err != nil {
		t.Fatal(err)
	}
	// Our own commits are still here and descend from the remote's tip: they are ours, and built upon.
	if tip := at(t, r, "l10n", ""); tip.Hash() != second.Hash() {
		t.Errorf("the tip is %s", tip.Hash())
	}
	gittest.Git(t, s.dir, "branch", "-D", "l10n")
	tip := at(t, r, "l10n", "")
	if tip.Hash() != first.Hash() {
		t.Errorf("the tip is %s, not the rewound %s", tip.Hash(), first.Hash())
	}
	gittest.Git(t, s.bare, "update-ref", "-d", "refs/heads/l10n")
	if tip = at(t, r, "l10n", ""); !tip.New() {
		t.Errorf("the deleted branch has tip %s", tip.Hash())
	}
	push(t, r, commitOn(t, r, tip, "l10n", files("a", "4")))
	gittest.Sound(t, s.bare)
}

func TestBranchesThatAreNotThere(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	t.Run("no commit yet", func(t *testing.T) {
		_, err := open(t, gittest.Init(t, nil), Options{}).At(t.Context(), "l10n", "")
		if !errors.Is(err, ErrNoBranch) || !strings.Contains(err.Error(), "no commit yet") {
			t.Error(err)
		}
	})
	t.Run("detached", func(t *testing.T) {
		dir := gittest.Init(t, sample)
		gittest.Git(t, dir, "checkout", "-q", "--detach")
		_, err := open(t, dir, Options{}).At(t.Context(), "l10n", "")
		if !errors.Is(err, ErrNoBranch) || !strings.Contains(err.Error(), "set base") {
			t.Error(err)
		}
		if tip := at(t, open(t, dir, Options{}), "l10n", "main"); !tip.New() {
			t.Error("with a base it works")
		}
	})
	t.Run("base was never pushed", func(t *testing.T) {
		for _, kind := range []string{"folder", "http"} {
			dir := gittest.Init(t, sample)
			bare := filepath.Join(t.TempDir(), "o.git")
			gittest.Git(t, "", "init", "-q", "--bare", bare)
			address := bare
			if kind == "http" {
				address = gittest.Serve(t, bare, gittest.Options{})
			}
			gittest.Git(t, dir, "remote", "add", "origin", address)
			r := open(t, dir, Options{Remote: "origin"})
			_, err := r.At(t.Context(), "l10n", "")
			var missing *NoBranch
			if !errors.As(err, &missing) || !strings.Contains(err.Error(), "git push origin main") {
				t.Errorf("%s: %v", kind, err)
			}
			gittest.Git(t, dir, "push", "-q", bare, "main")
			push(t, r, commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1")))
			gittest.Sound(t, bare)
		}
	})
	t.Run("no commit yet, here and there", func(t *testing.T) {
		dir, bare := gittest.Init(t, nil), filepath.Join(t.TempDir(), "o.git")
		gittest.Git(t, "", "init", "-q", "--bare", bare)
		gittest.Git(t, dir, "remote", "add", "origin", bare)
		_, err := open(t, dir, Options{Remote: "origin"}).At(t.Context(), "l10n", "")
		if !errors.Is(err, ErrNoBranch) || !strings.Contains(err.Error(),
			"make the first one, then git push origin main") {
			t.Error(err)
		}
	})
	t.Run("base exists nowhere", func(t *testing.T) {
		_, err := open(t, gittest.Init(t, sample), Options{}).At(t.Context(), "l10n", "develop")
		if !errors.Is(err, ErrNoBranch) || !strings.Contains(err.Error(), `"develop"`) {
			t.Error(err)
		}
	})
}

// Commits that were kept local are published together when the repository gets a remote.
func TestALineOfCommitsIsPublished(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, kind := range []string{"folder", "http"} {
		t.Run(kind, func(t *testing.T) {
			s := serve(t, gittest.Options{})
			if kind == "folder" {
				gittest.Git(t, s.dir, "remote", "set-url", "origin", s.bare)
			}
			alone := open(t, s.dir, Options{})
			for i := range 3 {
				push(t, alone, commitOn(t, alone, at(t, alone, "l10n", ""), "l10n",
					files("a", fmt.Sprint(i), fmt.Sprint(i), "x")))
			}
			gittest.Git(t, s.dir, "gc", "-q", "--prune=now")
			r := open(t, s.dir, Options{Remote: "origin"})
			tip := at(t, r, "l10n", "")
			if tip.New() || tip.Note() != "" {
				t.Fatalf("new %v, %q", tip.New(), tip.Note())
			}
			made := commitOn(t, r, tip, "l10n", files("a", "last"))
			push(t, r, made)
			if got := gittest.Git(t, s.bare, "rev-list", "--count", "main..l10n"); got != "4" {
				t.Errorf("%s commits arrived", got)
			}
			gittest.Sound(t, s.bare)
		})
	}
}

// Somebody's commits that were never pushed are neither built upon nor moved, and the note says so.
func TestUnpublishedWorkIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := serve(t, gittest.Options{})
	r := open(t, s.dir, Options{Remote: "origin"})
	gittest.Git(t, s.dir, "checkout", "-q", "-b", "l10n")
	mine := gittest.Commit(t, s.dir, "mine", map[string]string{"mine": "x"})
	gittest.Git(t, s.dir, "checkout", "-q", "main")
	tip := at(t, r, "l10n", "")
	if !tip.New() || !strings.Contains(tip.Note(), "git push origin l10n") {
		t.Errorf("new %v, %q", tip.New(), tip.Note())
	}
	first := commitOn(t, r, tip, "l10n", files("a", "1"))
	if result := push(t, r, first); result.Local != Left || !errors.Is(result.Cause, ErrMoved) || !result.Pushed {
		t.Errorf("%+v", result)
	}
	tip = at(t, r, "l10n", "")
	if tip.Hash() != first.Hash() || !strings.Contains(tip.Note(), "diverged") {
		t.Errorf("%s %q", tip.Hash(), tip.Note())
	}
	gittest.Git(t, s.dir, "checkout", "-q", "l10n")
	gittest.Git(t, s.dir, "reset", "-q", "--hard", first.Hash())
	gittest.Commit(t, s.dir, "ahead", map[string]string{"mine": "x"})
	gittest.Git(t, s.dir, "checkout", "-q", "main")
	if tip = at(t, r, "l10n", ""); tip.Hash() != first.Hash() || !strings.Contains(tip.Note(),
		"ahead of origin by 1 commit") {
		t.Errorf("%s %q", tip.Hash(), tip.Note())
	}
	if out := gittest.Git(t, s.bare, "log", "--all", "--format=%H"); strings.Contains(out, mine) {
		t.Error("somebody's work was published")
	}
}

// A remote whose default branch was renamed: who builds on the old name is told the new one, and who names none builds
// on the new one.
func TestRenamedDefaultBranch(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, kind := range []string{"folder", "http"} {
		s := serve(t, gittest.Options{})
		if kind == "folder" {
			gittest.Git(t, s.dir, "remote", "set-url", "origin", s.bare)
		}
		r := open(t, s.dir, Options{Remote: "origin"})
		push(t, r, commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1")))
		gittest.Git(t, s.bare, "branch", "-m", "main", "trunk")
		gittest.Git(t, s.bare, "symbolic-ref", "HEAD", "refs/heads/trunk")
		if _, err := r.At(t.Context(), "other", "main"); !errors.Is(err, ErrNoBranch) ||
			!strings.Contains(err.Error(), "trunk: set base") {
			t.Errorf("%s: %v", kind, err)
		}
		if tip := at(t, r, "l10n", "main"); tip.Base() != nil || !strings.Contains(tip.Note(), "trunk: set base") {
			t.Errorf("%s: %q", kind, tip.Note())
		}
		for _, base := range []string{"", "trunk"} {
			if tip := at(t, r, "l10n", base); tip.Base() == nil || tip.Base().Branch() != "trunk" || tip.Note() != "" {
				t.Errorf("%s, base %q: %q", kind, base, tip.Note())
			}
		}
	}
}

// The remote is set back between the listing and the download: what was listed is not there any more, and the listing
// is taken again.
func TestRewoundBetweenListAndFetch(t *testing.T) {
	t.Parallel()
	s := serve(t, gittest.Options{})
	other := gittest.Clone(t, s.bare)
	first := gittest.Git(t, s.bare, "rev-parse", "main")
	gittest.Commit(t, other, "taken back", map[string]string{"x": "1"})
	gittest.Git(t, other, "push", "-q", "origin", "main")
	gittest.Git(t, other, "reset", "-q", "--hard", first)
	instead := gittest.Commit(t, other, "instead", map[string]string{"x": "2"})
	gittest.Git(t, other, "push", "-q", "origin", "HEAD:refs/heads/aside")
	var once atomic.Bool
	fault := func(r *http.Request, _ int) *gittest.Fault {
		if gittest.IsFetch(r) && once.CompareAndSwap(false, true) {
			gittest.Git(t, s.bare, "update-ref", "refs/heads/main", instead)
		}
		return nil
	}
	s.fault.Store(&fault)
	if tip := at(t, open(t, s.dir, Options{Remote: "origin"}), "main", ""); tip.Hash() != instead {
		t.Errorf("the tip is %s", tip.Hash())
	}
	if !once.Load() {
		t.Error("nothing was downloaded")
	}
}

// A branch whose name is a folder of another one's at the remote is refused, in the server's words, and kept.
func TestBranchNamesThatClashAtTheRemote(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, kind := range []string{"folder", "http"} {
		s := serve(t, gittest.Options{})
		if kind == "folder" {
			gittest.Git(t, s.dir, "remote", "set-url", "origin", s.bare)
		}
		gittest.Git(t, s.bare, "branch", "l10n/old", "main")
		r := open(t, s.dir, Options{Remote: "origin"})
		made := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1"))
		if _, err := r.Push(t.Context(), made); err == nil || errors.Is(err, ErrMoved) ||
			!strings.Contains(err.Error(), "l10n/old") {
			t.Errorf("%s: %v", kind, err)
		}
		gittest.Sound(t, s.bare)
	}
}

// Without a base by name the remote's default branch counts, whatever is checked out, published or not.
func TestBaseIsTheDefaultBranch(t *testing.T) {
	t.Parallel()
	for _, published := range []bool{true, false} {
		s := serve(t, gittest.Options{})
		main := gittest.Git(t, s.dir, "rev-parse", "main")
		gittest.Git(t, s.dir, "checkout", "-q", "-b", "feature")
		gittest.Commit(t, s.dir, "unfinished", map[string]string{"secret.txt": "x"})
		if published {
			gittest.Git(t, s.dir, "push", "-q", "origin", "feature")
		}
		r := open(t, s.dir, Options{Remote: "origin"})
		before := s.requests.Load()
		tip := at(t, r, "l10n", "")
		if !tip.New() || tip.Hash() != main || tip.Base().Branch() != "main" {
			t.Errorf("published %v: built on %s of %s", published, tip.Hash(), tip.Base().Branch())
		}
		if n := s.requests.Load() - before; n != 1 {
			t.Errorf("%d requests", n)
		}
		seen := must[*Tip](t)(r.Seen("l10n", ""))
		if seen.Base().Branch() != "main" {
			t.Errorf("seen on %s", seen.Base().Branch())
		}
	}
}
