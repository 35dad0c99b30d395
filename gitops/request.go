package gitops

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
)

// What a remote does with a branch beyond having it: it prints the address where a pull or merge request can be made or seen, hands push
// options to its hooks, and some take a commit for a branch without moving it.

// Address is the remote's address for pushes as git's configuration gives it (with insteadOf followed), without password; "" when there is no
// remote.
func (r *Repo) Address() string {
	if r.o.Remote == "" {
		return ""
	}
	return redact(r.set.remoteURL(r.o.Remote, true))
}

// Propose pushes a tip to refs/for/<base>, where a server that knows the AGit flow (Gitea, Forgejo) makes a pull request of it, or finds the
// one of the same topic, without a branch and without moving base. The options say which topic and title. What the server prints is in Said
// and Offer.
//
// Errors are those of Push. A server that knows no AGit flow makes a plain reference of that name.
func (r *Repo) Propose(ctx context.Context, tip *Tip, base string, options ...string) (PushResult, error) {
	ctx, end := r.watch(ctx)
	defer end()
	result := PushResult{Commit: tip.Hash(), Remote: r.o.Remote}
	u := update{ref: "refs/for/" + base, to: tip.commit, options: options}
	u.pack = func(w io.Writer, have []hash) (hash, []indexed, error) {
		return r.encodeMissing(w, tip.commit, append(have, tip.there...))
	}
	err := checkOptions(options)
	if err == nil {
		err = r.pushRemote(ctx, u, &result)
	}
	if err != nil {
		return result, fmt.Errorf("propose %s for %s: %w", tip.branch, base, err)
	}
	result.Pushed = true
	return result, nil
}

// checkOptions refuses what the protocol has no place for.
func checkOptions(options []string) error {
	for _, o := range options {
		if strings.ContainsAny(o, "\n\x00") || len(o) > 65000 {
			return fmt.Errorf("the push option %.40q cannot be sent: an option is one line of at most 65000 bytes", o)
		}
	}
	return nil
}

// offered is the first address that stands in, or right below, a line about a pull or merge request: GitHub, GitLab, Gitea, Forgejo and
// Bitbucket print one in this way after a push.
func offered(said []string) string {
	below := false
	for _, line := range said {
		low := strings.ToLower(line)
		about := strings.Contains(low, "pull request") || strings.Contains(low, "merge request")
		if about || below {
			for word := range strings.FieldsSeq(line) {
				if address := webAddress(word); address != "" {
					return address
				}
			}
		}
		below = about || below && strings.TrimSpace(line) == ""
	}
	return ""
}

// webAddress is a word as an address that may be shown and opened; "" when it is none.
func webAddress(word string) string {
	u, err := url.Parse(word)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsFunc(word, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return ""
	}
	u.User = nil
	return u.String()
}

// A server runs its post-receive hook after its report on the update, so the address comes behind what the library reads. Over http the whole
// answer is therefore kept, and read once more for what was printed.

// maxHeard bounds the answer to a push; what lies beyond is the library's alone.
const maxHeard = 1 << 20

// heard is the answer to a push. The library's goroutine writes it, and may go on after the deadline.
type heard struct {
	mu     sync.Mutex
	answer []byte
}

type heardKey struct{}

// hear gives the context of one push, whose answer is kept.
func hear(ctx context.Context) (context.Context, *heard) {
	h := new(heard)
	return context.WithValue(ctx, heardKey{}, h), h
}

// printed is what the server printed. An answer that ends early has printed what it has.
func (h *heard) printed() *bytes.Buffer {
	h.mu.Lock()
	defer h.mu.Unlock()
	lines := new(bytes.Buffer)
	demuxer := sideband.NewDemuxer(sideband.Sideband64k, bytes.NewReader(h.answer))
	demuxer.Progress = lines
	_, _ = io.Copy(io.Discard, &plainReader{demuxer})
	return lines
}

// hearing keeps the answers to pushes.
type hearing struct{ http.RoundTripper }

func (t hearing) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	h, listening := r.Context().Value(heardKey{}).(*heard)
	if err != nil || !listening || r.Method != http.MethodPost {
		return resp, err
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxHeard))
	h.mu.Lock()
	h.answer = answer
	h.mu.Unlock()
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = broken{err}
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(answer), rest), resp.Body}
	return resp, nil
}

// CloseIdleConnections passes the wish on.
func (t hearing) CloseIdleConnections() {
	(&http.Client{Transport: t.RoundTripper}).CloseIdleConnections()
}

// broken is the rest of an answer that was cut off.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
