package gitops

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"github.com/locsync/locsync/gitops/run"
)

// What a remote does with a branch beyond having it: it prints the address where a pull or merge request can be made
// or seen, hands push options to its hooks, and some take a commit for a branch without moving it.

// Address is the remote's address for pushes as git's configuration gives it (with insteadOf followed), without
// password; "" when there is no remote.
func (r *Repo) Address() string {
	if r.o.Remote == "" {
		return ""
	}
	to := r.set.pushURLs(r.o.Remote)
	if len(to) == 0 {
		return ""
	}
	return run.Redact(to[0])
}

// Propose pushes a tip to refs/for/<base>, where a server that knows the AGit flow (Gitea, Forgejo) makes a pull
// request of it, or finds the one of the same topic, without a branch and without moving base. The options say which
// topic and title. What the server prints is in Said and Offer.
//
// Errors are those of Push. A server that knows no AGit flow makes a plain reference of that name.
func (r *Repo) Propose(ctx context.Context, tip *Tip, base string, options ...string) (PushResult, error) {
	ctx, end := r.watch(ctx)
	defer end()
	result := PushResult{Commit: tip.Hash(), Remote: r.o.Remote}
	u := update{ref: "refs/for/" + base, to: tip.commit, options: options}
	err := checkOptions(options)
	if err == nil {
		err = r.send(ctx, u, &result)
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

// offered is the first address that stands in, or right below, a line about a pull or merge request: GitHub, GitLab,
// Gitea, Forgejo and Bitbucket print one in this way after a push.
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
