package gitops

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// A line that breaks, or goes silent, after any part of the conversation, in either direction: the error says nothing
// that is not known (no lost lease, no refusal, no wrong key), both repositories are sound, and the next pass ends with the
// one commit (G2, G5, G9). Both ways to speak ssh, against a real sshd.
func TestLinesThatBreak(t *testing.T) {
	t.Parallel()
	for client, git := range clients {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			s := gittest.SSH(t, false, "ed25519")
			dir, bare := overSSH(t, s, s.Command(s.KnownHosts(t, s.Known("ed25519")), s.UserKey))
			r := open(t, dir, Options{Remote: "origin", Git: git})
			hasty := open(t, dir, Options{Remote: "origin", Git: git, Timeout: 1500 * time.Millisecond})
			push(t, r, commitOn(t, r, at(t, r, "whole", ""), "whole", files("a", "whole")))
			to, from := s.Passed()
			breaks := map[string]gittest.Break{
				"in the pack":           {ToServer: to * 95 / 100},
				"in the answer":         {FromServer: from - 100},
				"silence in the answer": {FromServer: from - 100, Hang: true},
			}
			if git == NoGit { // our own code to the bone, OpenSSH's where it matters
				breaks["in the handshake"] = gittest.Break{FromServer: from * 4 / 10}
				breaks["in the listing"] = gittest.Break{FromServer: from * 8 / 10}
				breaks["silence in the listing"] = gittest.Break{FromServer: from * 8 / 10, Hang: true}
				breaks["silence in the pack"] = gittest.Break{ToServer: to * 95 / 100, Hang: true}
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
		})
	}
}

// The same while reading: what was not fetched whole is not there, and the next look has it.
func TestFetchesThatBreak(t *testing.T) {
	t.Parallel()
	s := gittest.SSH(t, false, "ed25519")
	known := s.KnownHosts(t, s.Known("ed25519"))
	dir, bare := overSSH(t, s, s.Command(known, s.UserKey))
	other := gittest.Clone(t, bare)
	for client, git := range clients {
		r := open(t, dir, Options{Remote: "origin", Git: git})
		more := func(n string) string {
			hash := gittest.Commit(t, other, n, map[string]string{"x": client + n + strings.Repeat("filler ", 3000)})
			gittest.Git(t, other, "push", "-q")
			return hash
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
			if err == nil && tip.Hash() != want || errors.Is(err, ErrNoBranch) || errors.Is(err, ErrAuth) || errors.Is(err, ErrUntrusted) {
				t.Errorf("%s, %d bytes: %v", client, part, err)
			}
			gittest.Sound(t, dir)
			if tip := at(t, r, "main", ""); tip.Hash() != want {
				t.Errorf("%s, %d bytes: the tip is %s, not %s", client, part, tip.Hash(), want)
			}
		}
	}
}
