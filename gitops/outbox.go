package gitops

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/repository"
)

// encodeOutbox writes the tag object that the outbox reference points at: the commit, and the lease that Push needs
// after a restart. In the reference's own object both change in one move.
//
//	object <commit> / type commit / tag <branch> / tagger …
//
//	remote: <name, empty for this repository>
//	lease: <commit, empty when the branch must not exist>
//	<a line that no other has>
func encodeOutbox(commit hash, branch string, l lease, who Person, when time.Time) []byte {
	return fmt.Appendf(nil, "object %s\ntype commit\ntag %s\ntagger %s\n\nremote: %s\nlease: %s\n%s\n",
		commit, strings.ReplaceAll(branch, "/", "-"), who.at(when), l.remote, l.at.Text(), rand.Text())
}

func parseOutbox(b []byte) (commit hash, l lease, err error) {
	for line := range strings.Lines(string(b)) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "object":
			commit, _ = object.Parse(rest)
		case "remote:":
			l.remote = rest
		case "lease:":
			l.at, _ = object.Parse(rest)
		}
	}
	if commit.IsZero() {
		err = errors.New("it is not a tag of a commit")
	}
	return commit, l, err
}

// Pending gives the commit that was made for a branch and not delivered yet, to be given to Push; nil when there is
// none.
func (r *Repo) Pending(branch string) (*Tip, error) {
	tip, _, err := r.pending(branch)
	return tip, err
}

func (r *Repo) pending(branch string) (tip *Tip, note hash, err error) {
	name := repository.Outbox(branch)
	note, ok, err := r.repo.Refs.Read(name)
	if err != nil || !ok {
		return nil, note, err
	}
	data, err := r.repo.Objects.ReadAs(object.Tag, note)
	var c hash
	var l lease
	if err == nil {
		c, l, err = parseOutbox(data)
	}
	if err == nil {
		tip, err = tipAt(r.repo, branch, c)
	}
	if err != nil {
		return nil, note, fmt.Errorf("read the commit that waits in %s: %w", name, err)
	}
	tip.lease = l
	return tip, note, nil
}

// Drop forgets the commit that waits for a branch, because it must be computed again on another tip. Nothing happens
// when none waits.
func (r *Repo) Drop(branch string) error {
	ctx, end := r.repo.Watch(context.Background())
	defer end()
	note, ok, err := r.repo.Refs.Read(repository.Outbox(branch))
	if err == nil && ok {
		err = r.repo.Refs.Swap(ctx, repository.Outbox(branch), note, hash{}, "")
	}
	if err != nil {
		return fmt.Errorf("drop the commit that waits for %s: %w", branch, outcome.WithRemedy(err))
	}
	return nil
}
