package gitops

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// A line that breaks, or goes silent, after any part of the conversation, in either direction: the error says nothing
// that is not known (no lost lease, no refusal, no wrong key), both repositories are sound, and the next pass ends with
// the one commit (G2, G5, G9). Against a real sshd.
func TestLinesThatBreak(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	s := gittest.SSH(t, false, "ed25519")
	dir, bare := overSSH(t, s, s.Command(s.KnownHosts(t, s.Known("ed25519")), s.UserKey))
	r := open(t, dir, Options{Remote: "origin"})
	hasty := open(t, dir, Options{Remote: "origin", Silence: 1500 * time.Millisecond})
	push(t, r, commitOn(t, r, at(t, r, "whole", ""), "whole", files("a", "whole")))
	to, from := s.Passed()
	breaks := map[string]gittest.Break{
		"in the pack":           {ToServer: to * 95 / 100},
		"in the answer":         {FromServer: from - 100},
		"silence in the answer": {FromServer: from - 100, Hang: true},
		"in the listing":        {FromServer: from * 8 / 10},
		"silence in the pack":   {ToServer: to * 95 / 100, Hang: true},
	}
	for name, broken := range breaks {
		branch := strings.ReplaceAll(name, " ", "-")
		made := commitOn(t, r, at(t, r, branch, ""), branch, files("a", branch))
		s.Broken(broken)
		by := r
		if broken.Hang {
			by = hasty
		}
		waiting := must[*Tip](t)(by.Pending(branch))
		_, err := by.Push(t.Context(), waiting)
		s.Broken(gittest.Break{})
		for _, wrong := range []error{ErrMoved, ErrRefused, ErrAuth, ErrUntrusted, ErrNoRemote, ErrNoBranch} {
			if errors.Is(err, wrong) {
				t.Errorf("%s: a broken line is not %v", name, err)
			}
		}
		gittest.Sound(t, dir)
		if _, err := pass(t, r, branch, files("a", branch)); err != nil {
			t.Errorf("%s, the second time: %v", name, err)
		}
		if got := gittest.Git(t, bare, "log", "--format=%H", "main.."+branch); got != made.Hash() {
			t.Errorf("%s: the remote has %q, not %s", name, got, made.Hash())
		}
		if waits := must[*Tip](t)(r.Pending(branch)); waits != nil {
			t.Errorf("%s: the commit still waits", name)
		}
	}
	s.Passed() // the servers have ended
	gittest.Sound(t, bare)
}

// The same while reading: what was not fetched whole is not there, and the next look has it.
func TestFetchesThatBreak(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	s := gittest.SSH(t, false, "ed25519")
	known := s.KnownHosts(t, s.Known("ed25519"))
	dir, bare := overSSH(t, s, s.Command(known, s.UserKey))
	r := open(t, dir, Options{Remote: "origin"})
	more := func(n string) string {
		return gittest.CommitTo(t, bare, "main", map[string]string{"x": n + strings.Repeat("filler ", 3000)})
	}
	more("measured")
	at(t, r, "main", "")
	_, fetched := s.Passed()
	at(t, r, "main", "")
	_, listed := s.Passed()
	for _, part := range []int{listed - 300, fetched * 9 / 10} {
		want := more(fmt.Sprint(part))
		s.Broken(gittest.Break{FromServer: part})
		tip, err := r.At(t.Context(), "main", "")
		s.Broken(gittest.Break{})
		if err == nil && tip.Hash() != want || errors.Is(err, ErrNoBranch) || errors.Is(err, ErrAuth) ||
			errors.Is(err, ErrUntrusted) {
			t.Errorf("%d bytes: %v", part, err)
		}
		gittest.Sound(t, dir)
		if tip := at(t, r, "main", ""); tip.Hash() != want {
			t.Errorf("%d bytes: the tip is %s, not %s", part, tip.Hash(), want)
		}
	}
}

// Whatever happens to one request, before or after git did its work, trying again leads to one commit at the remote,
// and a repository that is sound in between.
func TestFaultsOnTheWay(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	faults := map[string]gittest.Fault{
		"502":                   {Status: 502},
		"429":                   {Status: 429},
		"cut before":            {Cut: true},
		"cut after":             {LoseReply: true},
		"cut in the reply, 1":   {CutReply: 1},
		"cut in the reply, 20":  {CutReply: 20},
		"cut in the reply, 100": {CutReply: 100},
		"cut at the end":        {CutReply: -1},
		"nothing said, before":  {Empty: true},
		"nothing said, after":   {Empty: true, LoseReply: true},
		"silence in the reply":  {CutReply: 20, HangReply: true},
		"silence at the end":    {CutReply: -1, HangReply: true},
	}
	kinds := map[string]func(*http.Request) bool{"fetch list": gittest.IsFetchList, "fetch": gittest.IsFetch,
		"push list": gittest.IsPushList, "push": gittest.IsPush}
	for what, kind := range kinds {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := serve(t, gittest.Options{})
			r := open(t, s.dir, Options{Remote: "origin"})
			hasty := open(t, s.dir, Options{Remote: "origin", Silence: 1500 * time.Millisecond})
			for name, f := range faults {
				branch := "l10n/" + strings.ReplaceAll(strings.ReplaceAll(name, " ", "-"), ",", "")
				main := gittest.CommitTo(t, s.bare, "main",
					map[string]string{"more": what + name}) // something to fetch
				s.once(kind, f)
				by := r
				if f.HangReply {
					by = hasty
				}
				made, err := pass(t, by, branch, files("a", branch))
				gittest.Sound(t, s.dir)
				if errors.Is(err, ErrMoved) || errors.Is(err, ErrRefused) || errors.Is(err, ErrAuth) ||
					errors.Is(err, ErrNoBranch) ||
					err != nil && what == "push" && !f.HangReply {
					t.Fatalf("%s: a broken connection is not %v", name, err)
				}
				if err != nil {
					if made, err = pass(t, r, branch, files("a", branch)); err != nil {
						t.Fatalf("%s, the second time: %v", name, err)
					}
				}
				if got := gittest.Git(t, s.bare, "log", "--format=%H", branch); !strings.HasPrefix(got,
					made.Hash()+"\n"+main) {
					t.Errorf("%s: the remote has\n%s\nnot %s on %s", name, got, made.Hash(), main)
				}
				if waiting := must[*Tip](t)(r.Pending(branch)); waiting != nil {
					t.Errorf("%s: the commit still waits", name)
				}
			}
			gittest.Sound(t, s.bare)
		})
	}
}

// pass is what a pull does: deliver what waits; else make a commit and deliver that. The branch's tip when there is
// nothing to do.
func pass(t testing.TB, r *Repo, branch string, f map[string][]byte) (*Tip, error) {
	waiting, err := r.Pending(branch)
	if err != nil {
		return nil, err
	}
	if waiting != nil {
		_, err = r.Push(t.Context(), waiting)
		return waiting, err
	}
	tip, err := r.At(t.Context(), branch, "")
	if err != nil {
		return nil, err
	}
	made, err := r.Commit(t.Context(), tip, branch, f, message("x"))
	if errors.Is(err, ErrNothing) {
		return tip, nil
	}
	if err != nil {
		return nil, err
	}
	_, err = r.Push(t.Context(), made)
	return made, err
}

// Slow at any point: the call ends by its deadline.
func TestDeadlines(t *testing.T) {
	for what, kind := range map[string]func(*http.Request) bool{"list": gittest.IsFetchList,
		"push list": gittest.IsPushList, "push": gittest.IsPush} {
		t.Run(what, func(t *testing.T) {
			s := serve(t, gittest.Options{})
			quick := open(t, s.dir, Options{Remote: "origin"})
			made := commitOn(t, quick, at(t, quick, "l10n", ""), "l10n", files("a", "1"))
			s.always(kind, gittest.Fault{Delay: time.Minute})
			r := open(t, s.dir, Options{Remote: "origin", Silence: 300 * time.Millisecond})
			start := time.Now()
			_, err := r.At(t.Context(), "l10n", "")
			if what != "list" {
				_, err = r.Push(t.Context(), made)
				if err == nil {
					waiting := must[*Tip](t)(r.Pending("l10n"))
					_, err = r.Push(t.Context(), waiting)
				}
			}
			if took := time.Since(start); err == nil || took > 10*time.Second {
				t.Errorf("%v after %s", err, took)
			}
		})
	}
}

// Whatever a call waits for, it ends with its time: a credential helper, a hook at the other end, a
// signer, a proxy that says nothing (G9).
func TestCallsEnd(t *testing.T) {
	t.Parallel()
	const hang = "exec sleep 60"
	silent := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { silent.Close() })
	cases := map[string]func(t *testing.T, s *served) Options{
		"credential helper": func(t *testing.T, s *served) Options {
			gittest.Git(t, s.dir, "remote", "set-url", "origin",
				gittest.Serve(t, s.bare, gittest.Options{User: "ada", Password: "pw"}))
			gittest.Git(t, s.dir, "config", "credential.helper", "!f() { "+hang+"; }; f")
			return Options{Remote: "origin"}
		},
		"hook at the other end": func(t *testing.T, s *served) Options {
			gittest.Git(t, s.dir, "remote", "set-url", "origin", s.bare)
			gittest.Hook(t, s.bare, "pre-receive", hang)
			return Options{Remote: "origin"}
		},
		"signer": func(t *testing.T, s *served) Options {
			gittest.Write(t, s.dir, map[string]string{".git/hang": "#!/bin/sh\n" + hang + "\n"})
			if err := os.Chmod(filepath.Join(s.dir, ".git/hang"), 0o777); err != nil {
				t.Fatal(err)
			}
			gittest.Git(t, s.dir, "config", "commit.gpgSign", "true")
			gittest.Git(t, s.dir, "config", "gpg.program", filepath.Join(s.dir, ".git/hang"))
			gittest.Git(t, s.dir, "config", "user.signingKey", "x")
			return Options{}
		},
		"a proxy that says nothing": func(t *testing.T, s *served) Options {
			gittest.Git(t, s.dir, "config", "http.proxy", "http://"+silent.Addr().String())
			return Options{Remote: "origin"}
		},
		"git:// that says nothing": func(t *testing.T, s *served) Options {
			gittest.Git(t, s.dir, "remote", "set-url", "origin", "git://"+silent.Addr().String()+"/x.git")
			return Options{Remote: "origin"}
		},
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, gittest.Options{})
			r := open(t, s.dir, prepare(t, s))
			r.repo.Options.Silence = time.Second // of each call from here on
			done := make(chan error, 1)
			go func() {
				tip, err := r.At(t.Context(), "l10n", "main")
				if err == nil {
					tip, err = r.Commit(t.Context(), tip, "l10n", files("a", "1"), message("x"))
				}
				if err == nil {
					_, err = r.Push(t.Context(), tip)
				}
				done <- err
			}()
			select {
			case err := <-done:
				silent, ok := errors.AsType[*Silent](err)
				if !ok || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v", err)
				} else if name == "hook at the other end" && silent.Last == "" {
					t.Errorf("not how far the push was: %v", err)
				}
			case <-time.After(30 * time.Second):
				t.Error("it does not end")
			}
		})
	}
}
