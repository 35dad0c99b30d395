package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
)

// unsure is an error after which the update may have happened: the answer was lost, or says both things.
type unsure struct{ err error }

func (e *unsure) Error() string { return e.err.Error() }
func (e *unsure) Unwrap() error { return e.err }

// errNoPushOptions is a remote without the capability push-options.
var errNoPushOptions = errors.New("the remote takes no push options")

// Update is one reference to move at the remote.
type Update struct {
	Ref     string
	Old, To object.Name // Old zero: the reference must not exist
	Options []string    // what the remote's hooks get besides, one line each
}

// Answer is what the remote said to an update.
type Answer struct {
	Said          []string // what it printed
	Offer         string   // the address for a pull or merge request that it printed; "" when it printed none
	NoPushOptions bool     // it takes no push options: those that were given did not reach it
}

// Send pushes to where commits are delivered, and when the answer is in doubt asks what happened: a lost answer, a lock
// that was held, a lease that was lost.
func Send(ctx context.Context, r *repository.Repository, u Update) (a Answer, err error) {
	defer outcome.Tell(r.Options.Done, outcome.Push, time.Now(), &err)
	if err := checkOptions(u.Options); err != nil {
		return a, err
	}
	to, err := To(r)
	if err != nil {
		return a, err
	}
	r.Listed.Store(nil)
	err = to.patiently(ctx, func() (err error) {
		a, err = to.send(ctx, u)
		return err
	})
	return a, err
}

// send is Send, once.
func (m *Remote) send(ctx context.Context, u Update) (a Answer, err error) {
	for attempt := 0; ; attempt++ {
		said, err := m.push(ctx, u)
		if errors.Is(err, errNoPushOptions) {
			u.Options, a.NoPushOptions = nil, true
			said, err = m.push(ctx, u)
		}
		a.Said, a.Offer = said, offered(said)
		var doubt *unsure
		if !errors.As(err, &doubt) {
			return a, err
		}
		if ctx.Err() != nil {
			return a, doubt.err // the next listing tells, in the next pass
		}
		adv, lerr := m.list(ctx)
		if lerr != nil {
			return a, fmt.Errorf("%w (and asking what happened: %w)", doubt.err, lerr)
		}
		switch now := adv.refs[u.Ref]; {
		case now == u.To:
			return a, nil
		case now != u.Old:
			return a, &ref.Moved{Name: u.Ref, Want: u.Old, Have: now}
		}
		// Nothing happened. A refusal that names no lost lease is final; a lock or a broken connection is worth one more
		// try.
		if attempt > 0 {
			return a, doubt.err
		}
	}
}

// push moves one reference with the old value as its lease. A value other than u.Old is ErrMoved, u.To already there
// is success; a refusal is *Refused. Where u has options and the remote takes none, errDeaf, and nothing has
// happened. Hooks of this side do not run, as for any plumbing.
func (m *Remote) push(ctx context.Context, u Update) ([]string, error) {
	// each thread of its own would count as memory
	args := []string{"-c", "pack.threads=1", "push", "--porcelain", "--progress", "--no-verify", "--no-follow-tags",
		"--recurse-submodules=no",
		"--no-signed",
		"--force-with-lease=" + u.Ref + ":" + u.Old.Text()}
	for _, o := range u.Options {
		args = append(args, "--push-option="+o)
	}
	args = append(m.noMirror(), append(args, m.name, u.To.String()+":"+u.Ref)...)
	_, folder := LocalPath(m.Address)
	call := run.Call{Args: args, Write: true, Remote: true, Hooks: folder}
	out, stderr, err := m.repo.RunBoth(ctx, m.Configured(ctx, call))
	status, found := porcelainStatus(string(out), u.Ref)
	said := remoteLines(stderr)
	code := httpStatus(stderr)
	switch {
	case err == nil:
		return said, nil
	case len(u.Options) > 0 && strings.Contains(stderr, "does not support push options"):
		return said, errNoPushOptions
	case !found && refusedByStatus(code):
		return said, &outcome.Refused{Ref: u.Ref, Status: strings.TrimSpace(fmt.Sprint(code, " ", http.StatusText(code))),
			Said: said}
	case !found:
		return said, &unsure{m.explain(err)}
	case strings.Contains(status, "stale info"), strings.Contains(status, "fetch first"), strings.Contains(status,
		"non-fast-forward"):
		return said, &ref.Moved{Name: u.Ref, Want: u.Old}
	case perhapsMoved(status):
		return said, &unsure{&outcome.Refused{Ref: u.Ref, Status: status, Said: said}}
	}
	return said, &outcome.Refused{Ref: u.Ref, Status: status, Said: said}
}

// noMirror lets a remote that mirrors everything be given one branch.
func (m *Remote) noMirror() []string {
	if key := "remote." + m.repo.Options.Remote + ".mirror"; m.repo.Settings.Bool(key, false) {
		return []string{"-c", key + "=false"}
	}
	return nil
}

// perhapsMoved says whether a status may mean a lost lease as well as a lock that is held, or a clash of names: old
// servers have the same words for all of them, and new ones different words for the first.
func perhapsMoved(status string) bool {
	return slices.ContainsFunc([]string{"failed to update ref", "cannot lock", "remote failure",
		"incorrect old value", "reference already exists", "reference does not exist"},
		func(words string) bool { return strings.Contains(status, words) })
}

// porcelainStatus reads the line that refuses one reference: "!\t<from>:<to>\t[remote rejected] (reason)". A line of
// success ("*\t…\t[new branch]") above a push that failed is none: the connection broke after the report, and whether
// the branch moved is for the next listing to tell.
func porcelainStatus(out, ref string) (string, bool) {
	for line := range strings.Lines(out) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if len(parts) != 3 || parts[0] != "!" || !strings.HasSuffix(parts[1], ":"+ref) {
			continue
		}
		status := parts[2]
		if i := strings.LastIndex(status, "("); i >= 0 {
			status = strings.TrimSuffix(status[i+1:], ")")
		}
		return status, true
	}
	return "", false
}

// remoteLines are the lines that the other side printed.
func remoteLines(stderr string) []string {
	var said []string
	for line := range strings.Lines(stderr) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "remote:"); ok && strings.TrimSpace(text) != "" {
			said = append(said, strings.TrimSpace(text))
		}
	}
	return said
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

// offered is the first address in, or right below, a line about a pull or merge request: GitHub, GitLab,
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
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsFunc(word,
		func(c rune) bool { return !unicode.IsPrint(c) }) {
		return ""
	}
	u.User = nil
	return u.String()
}
