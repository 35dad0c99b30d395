package gitops

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// when is the time of the commits that tests make.
var when = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func open(t testing.TB, dir string, o Options) *Repo {
	t.Helper()
	r, err := Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func message(text string) Message {
	return Message{Text: text + "\n\n" + Trailer + ": app", Author: Person{"locsync", "locsync@localhost"}, When: when}
}

func files(pairs ...string) map[string][]byte {
	m := map[string][]byte{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = []byte(pairs[i+1])
	}
	return m
}

// must unwraps a call that has to work.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func at(t testing.TB, r *Repo, branch, base string) *Tip {
	t.Helper()
	return must[*Tip](t)(r.At(t.Context(), branch, base))
}

func commitOn(t testing.TB, r *Repo, tip *Tip, branch string, f map[string][]byte) *Tip {
	t.Helper()
	return must[*Tip](t)(r.Commit(t.Context(), tip, branch, f, message("Update translations")))
}

func push(t testing.TB, r *Repo, tip *Tip) PushResult {
	t.Helper()
	return must[PushResult](t)(r.Push(t.Context(), tip))
}

// snapshot is everything that must not change under people's hands: the working tree's bytes and times, the index,
// HEAD.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			if rel == ".git" {
				for _, name := range []string{"HEAD", "index", "config", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD"} {
					content, err := os.ReadFile(filepath.Join(path, name))
					all[".git/"+name] = string(content)
					if err != nil {
						all[".git/"+name] = "absent"
					}
				}
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content, _ := os.ReadFile(path)
		all[rel] = info.Mode().String() + info.ModTime().String() + string(content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(t testing.TB, before, after map[string]string) {
	t.Helper()
	for name, was := range before {
		if after[name] != was {
			t.Errorf("%s changed", name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			t.Errorf("%s appeared", name)
		}
	}
}

var sample = map[string]string{
	"README.md":            "hello\n",
	"locales/en/app.json":  "{\n  \"a\": \"A\"\n}\n",
	"locales/de/app.json":  "{\n  \"a\": \"Ä\"\n}\n",
	"scripts/run.sh":       "#!/bin/sh\n",
	"locales/de/deep/x.js": "x\n",
}

// The whole loop against each kind of remote, judged by git: the commit is where it belongs, the tree of the user is
// untouched, and the repository is sound.
func TestLoop(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"local", "folder", "file URL", "folder with hooks", "http",
		"http with password", "http with helper"} {
		t.Run(kind, func(t *testing.T) {
			dir := gittest.Init(t, sample)
			gittest.Write(t, dir, map[string]string{"README.md": "changed, not committed\n", "untracked.txt": "mine\n"})
			o := Options{Remote: "origin", Silence: time.Minute}
			bare := gittest.Bare(t, dir)
			switch kind {
			case "local":
				o.Remote = ""
			case "file URL":
				gittest.Git(t, dir, "remote", "set-url", "origin", "file://"+bare)
			case "folder with hooks":
				gittest.Hook(t, bare, "pre-receive", "echo welcome >&2")
			case "http":
				gittest.Git(t, dir, "remote", "set-url", "origin", gittest.Serve(t, bare, gittest.Options{}))
			case "http with password":
				address := gittest.Serve(t, bare, gittest.Options{User: "ada", Password: "s3cret/@"})
				gittest.Git(t, dir, "remote", "set-url", "origin",
					strings.Replace(address, "://", "://ada:s3cret%2F%40@", 1))
			case "http with helper":
				gittest.Git(t, dir, "remote", "set-url", "origin",
					gittest.Serve(t, bare, gittest.Options{User: "ada", Password: "pw"}))
				gittest.Git(t, dir, "config", "credential.helper", `!f() { echo username=ada; echo password=pw; }; f`)
			}
			before := snapshot(t, dir)
			r := open(t, dir, o)

			tip := at(t, r, "l10n", "")
			if !tip.New() || tip.Branch() != "l10n" {
				t.Fatalf("New %v, Branch %q", tip.New(), tip.Branch())
			}
			if err := fstest.TestFS(tip, "README.md", "locales/en/app.json", "locales/de/deep/x.js"); err != nil {
				t.Error(err)
			}
			made := commitOn(t, r, tip, "l10n", files("locales/de/app.json", "{\n  \"a\": \"B\"\n}\n",
				"locales/fr/app.json", "{}\n"))
			if waiting := must[*Tip](t)(r.Pending("l10n")); waiting == nil || waiting.Hash() != made.Hash() {
				t.Fatalf("the commit does not wait: %v", waiting)
			}
			result := push(t, r, made)
			if result.Local != Moved || result.Pushed != (o.Remote != "") || result.Commit != made.Hash() {
				t.Errorf("%+v", result)
			}
			if kind == "folder with hooks" && strings.Join(result.Said, "|") != "welcome" {
				t.Errorf("the hook said %q", result.Said)
			}
			if waiting := must[*Tip](t)(r.Pending("l10n")); waiting != nil {
				t.Error("the commit still waits")
			}

			// Once more, on the branch that is there now.
			tip = at(t, r, "l10n", "")
			if tip.New() || tip.Hash() != made.Hash() || tip.Note() != "" {
				t.Fatalf("%v %s %q", tip.New(), tip.Hash(), tip.Note())
			}
			if _, err := r.Commit(t.Context(), tip, "l10n", files("locales/fr/app.json", "{}\n"),
				message("none")); !errors.Is(err, ErrNothing) {
				t.Errorf("the same content again: %v", err)
			}
			second := commitOn(t, r, tip, "l10n", map[string][]byte{"locales/fr/app.json": []byte("{\"b\":1}\n"),
				"locales/de/deep/x.js": nil})
			push(t, r, second)

			same(t, before, snapshot(t, dir))
			want := gittest.Git(t, dir, "log", "--format=%H", "l10n")
			if lines := strings.Split(want, "\n"); len(lines) != 3 ||
				lines[0] != second.Hash() || lines[1] != made.Hash() {
				t.Errorf("the branch is\n%s", want)
			}
			if got := gittest.Git(t, dir, "show", "l10n:locales/fr/app.json"); got != `{"b":1}` {
				t.Errorf("fr is %q", got)
			}
			if out := gittest.Git(t, dir, "ls-tree", "-r", "--name-only", "l10n",
				"locales/de"); out != "locales/de/app.json" {
				t.Errorf("de has %q", out)
			}
			gittest.Sound(t, dir)
			if o.Remote != "" {
				gittest.Sound(t, bare)
				if got := gittest.Git(t, bare, "rev-parse", "l10n"); got != second.Hash() {
					t.Errorf("the remote has %s", got)
				}
				if got := gittest.Git(t, dir, "rev-parse", "origin/l10n"); got != second.Hash() {
					t.Errorf("tracked is %s", got)
				}
			}
			if out := gittest.Git(t, dir, "for-each-ref", "refs/locsync"); out != "" {
				t.Errorf("left behind: %s", out)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.keep")); len(left) > 0 {
				t.Errorf("reservations are left: %v", left)
			}
		})
	}
}

// What people do meanwhile is built upon, and nothing of theirs is lost (G4, G5).
func TestMovedRemote(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	r := open(t, dir, Options{Remote: "origin"})
	first := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("locales/fr/app.json", "{}\n"))
	push(t, r, first)

	tip := at(t, r, "l10n", "")
	made := commitOn(t, r, tip, "l10n", files("locales/fr/app.json", "{\"x\":1}\n"))
	other := gittest.Clone(t, bare, "-b", "l10n")
	theirs := gittest.Commit(t, other, "by hand", map[string]string{"locales/fr/extra.json": "{}\n"})
	gittest.Git(t, other, "push", "-q", "origin", "l10n")

	if _, err := r.Push(t.Context(), made); !errors.Is(err, ErrMoved) {
		t.Fatalf("the remote moved, and Push said %v", err)
	}
	if _, err := r.Commit(t.Context(), tip, "l10n", files("a", "b"), message("x")); !errors.Is(err, ErrMoved) {
		t.Fatalf("a second commit beside the one that waits: %v", err)
	}
	if err := r.Drop("l10n"); err != nil {
		t.Fatal(err)
	}
	tip = at(t, r, "l10n", "")
	if tip.Hash() != theirs {
		t.Fatalf("the tip is %s, not %s", tip.Hash(), theirs)
	}
	made = commitOn(t, r, tip, "l10n", files("locales/fr/app.json", "{\"x\":1}\n"))
	if result := push(t, r, made); !result.Pushed || result.Local != Moved {
		t.Errorf("%+v", result)
	}
	gittest.Git(t, bare, "merge-base", "--is-ancestor", theirs, "l10n")
	gittest.Sound(t, dir)
	gittest.Sound(t, bare)
}

// A crash after the commit leaves it to the next process, which needs nothing but the repository.
func TestPendingIsDeliveredByAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	r := open(t, dir, Options{Remote: "origin"})
	made := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("locales/fr/app.json", "{}\n"))

	gittest.Git(t, dir, "gc", "-q", "--prune=now")
	next := open(t, dir, Options{Remote: "origin"})
	waiting := must[*Tip](t)(next.Pending("l10n"))
	if waiting == nil || waiting.Hash() != made.Hash() {
		t.Fatal("the commit does not wait")
	}
	push(t, next, waiting)
	if got := gittest.Git(t, bare, "rev-parse", "l10n"); got != made.Hash() {
		t.Errorf("the remote has %s", got)
	}
	if again, err := next.Push(t.Context(), waiting); err != nil || !again.Pushed {
		t.Errorf("pushing what arrived: %+v, %v", again, err)
	}
	gittest.Sound(t, bare)
}

func TestContextEndsACall(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	slow := gittest.Serve(t, bare, gittest.Options{Fault: nil})
	gittest.Git(t, dir, "remote", "set-url", "origin", slow)
	r := open(t, dir, Options{Remote: "origin"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.At(ctx, "main", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("At: %v", err)
	}
}
