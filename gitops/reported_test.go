package gitops

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/ref"
)

// told collects what Options.Done is told.
type told struct {
	mu  sync.Mutex
	all []string
}

func (d *told) done(op, outcome string, took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if took <= 0 {
		outcome += " in no time"
	}
	d.all = append(d.all, op+" "+outcome)
}

// took is what it was told since the last time.
func (d *told) took() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer func() { d.all = nil }()
	return strings.Join(d.all, ", ")
}

// Whatever the remote is spoken to by, each operation is told of once, with how it ended.
func TestDoneIsTold(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, remote := range map[string]func(bare string) string{
		"a folder": func(bare string) string { return bare },
		"http":     func(bare string) string { return gittest.Serve(t, bare, gittest.Options{}) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := gittest.Init(t, sample)
			gittest.Git(t, dir, "remote", "set-url", "origin", remote(gittest.Bare(t, dir)))
			var heard told
			r := open(t, dir, Options{Remote: "origin", Done: heard.done})
			want := func(what, want string) {
				t.Helper()
				if got := heard.took(); got != want {
					t.Errorf("%s: told %q, want %q", what, got, want)
				}
			}
			tip := at(t, r, "l10n", "main")
			want("a fetch", "fetch ok")
			if _, _, err := r.Branches.List(t.Context()); err != nil {
				t.Fatal(err)
			}
			want("a listing", "list ok")
			if _, err := r.Commit(t.Context(), tip, "l10n", nil, message("none")); !errors.Is(err, ErrNothing) {
				t.Fatal(err)
			}
			want("an empty commit", "commit nothing")
			made := commitOn(t, r, tip, "l10n", files("de.json", `{"a": "B"}`))
			want("a commit", "commit ok")
			push(t, r, made)
			want("a push", "push ok")
			stale := commitOn(t, r, tip, "l10n", files("de.json", `{"a": "C"}`))
			heard.took()
			if _, err := r.Push(t.Context(), stale); !errors.Is(err, ErrMoved) {
				t.Fatal(err)
			}
			want("a push that comes too late", "push moved")
		})
	}
}

// What a remote says decides the word, and nothing of what it says is in it.
func TestDoneTellsFailures(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{http.StatusUnauthorized: "fetch auth",
		http.StatusServiceUnavailable: "fetch unavailable", http.StatusTeapot: "fetch failed"} {
		dir := answering(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "secret words", status) })
		var heard told
		r := open(t, dir, Options{Remote: "origin", Done: heard.done})
		if _, err := r.At(t.Context(), "l10n", "main"); err == nil {
			t.Fatal("no error")
		}
		if got := heard.took(); got != want {
			t.Errorf("%d: told %q, want %q", status, got, want)
		}
	}
}

// Every error that callers branch on has one word, and there are no more of them than are documented.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	words := []string{"ok", "nothing", "moved", "busy", "refused", "auth", "untrusted",
		"unavailable", "interrupted", "failed"}
	for _, err := range []error{nil, ErrNothing, errWaits, &ref.Moved{Name: "x"}, ErrBusy, &Refused{Ref: "secret"},
		ErrAuth, ErrUntrusted, &Unavailable{Status: 503}, errors.New("secret")} {
		if err != nil {
			err = fmt.Errorf("push: %w", err)
		}
		if got := outcome.Of(err); !slices.Contains(words, got) {
			t.Errorf("%v is %q", err, got)
		}
	}
}
