// Package forge makes and keeps a pull or merge request at GitHub, GitLab, Gitea or Forgejo, Bitbucket (Cloud and Data
// Center) and Azure DevOps, with the few calls that this takes.
//
// Its law: whatever fails, repeats or happens in between, there is at most one open request from a branch to its base,
// and none is made or opened again for what people have closed. Ensure is that law; the forges are what it needs of
// each.
//
// The forge is asked for what is there before anything is done, so a call whose answer was lost is found as done by the
// next one. Nothing is stored here, nothing is retried: an *Error says how long to wait and what to do, and the caller
// comes back with its next pass. A person's title, text and closing stand: only what locsync wrote itself is replaced
// (see section.go).
//
// The package knows no git, no translations, no configuration and no logger. The token is sent to the forge's own
// address and nowhere else, and is in no error.
package forge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// State is what became of a request.
type State string

const (
	Open   State = "open"
	Closed State = "closed" // by people, without being merged
	Merged State = "merged"
)

// Request is a pull or merge request as the forge has it.
type Request struct {
	Number int
	URL    string // for people
	State  State
	Title  string
	Body   string
	Labels []string
	Author string // at GitHub: the login of who made it

	Commit string    // of a request that is not open: what its branch had then; "" where the forge does not tell
	Ended  time.Time // when it was closed or merged
}

// Wanted is what a request is to say, and for which commit.
type Wanted struct {
	Head, Base string // branches of one repository
	Title      string
	Body       string
	Labels     []string

	RemoveBranch bool // with the merge, where a forge can be told (GitLab, Bitbucket Cloud)

	Commit  string // the tip of Head
	When    time.Time
	Content string // what Head has that Base lacks, as a digest; "" when it is not known
}

// Change is what Put is to make or change. With a number, empty fields stay as they are and labels are added.
type Change struct {
	Number       int // 0: a new request
	Head, Base   string
	Title, Body  string
	Labels       []string
	RemoveBranch bool
}

// Found are the requests of a branch: the one that is open, and the youngest of the others. nil: there is none.
type Found struct{ Open, Past *Request }

// Forge is one repository at a forge. Errors are *Error, or the context's.
type Forge interface {
	// Find looks for the requests from head to base, both branches of the repository itself: those from forks do not
	// count.
	Find(ctx context.Context, head, base string) (Found, error)
	// Put makes a request and gives it as it is then, or changes one. An error may come beside a request that was made:
	// then only its labels are missing.
	Put(ctx context.Context, c Change) (Request, error)
	// user is the account that the token's comments are of, as comment.user has it; "" where the forge does not tell.
	user(ctx context.Context) (string, error)
	// comments goes through the comments of a request, the oldest first where the forge has them so.
	comments(ctx context.Context, number int, visit func(comment) (enough bool)) error
	// say makes a comment, or gives one that is there another text.
	say(ctx context.Context, number int, old comment, body string) error
	// mark sets the state of a commit, or of the request whose last one it is.
	mark(ctx context.Context, number int, commit string, s Status) error
	// custom is what requests at this forge may have.
	custom() custom
}

// comment is one of a request. The zero value is one that is not there yet.
type comment struct {
	id, in  string // in: of the thread that has it, at Azure DevOps
	version int    // that Bitbucket Data Center counts
	user    string // who wrote it
	foreign bool   // by no account of the token's kind
	body    string
}

// Status is what a request's commit is marked with, beside those of other jobs.
type Status struct {
	Name   string // owner/name: a later status replaces one of the same name
	Passed bool
	Title  string // one line
	URL    string // for people; Bitbucket takes none without it
}

// word is a state in a forge's words.
func (s Status) word(passed, failed string) string {
	if s.Passed {
		return passed
	}
	return failed
}

// Memory is what Ensure said last about the branch; its zero value is always safe.
type Memory struct {
	Number  int    `json:"number"`
	Commit  string `json:"commit"`
	Content string `json:"content"`
	Title   string `json:"title"` // as it was put
}

// Did says what Ensure found or did.
type Did string

const (
	Made     Did = "made"
	Updated  Did = "updated"
	Kept     Did = "kept"     // it says what it should
	Declined Did = "declined" // people closed it, or merged it, as it is
)

// Outcome is the request that stands for the branch. With Declined it is not open.
type Outcome struct {
	Request
	Did
}

// Ensure leaves one open request from w.Head to w.Base that says what it should, unless people have closed or merged
// one for the same commit or content: then none is made until the branch has another. A request that a person has made
// is as good as ours, and keeps its title and text.
//
// On an error the outcome holds what is known. Calling again is always right.
func Ensure(ctx context.Context, f Forge, w Wanted, m Memory) (Outcome, error) {
	custom := f.custom()
	if w.Title, w.Body = custom.fit(w.Title, w.Body); w.Title == "" {
		w.Title = w.Head // no forge takes an empty one
	}
	if custom.unlabeled {
		w.Labels = nil
	}
	for attempt := 0; ; attempt++ {
		found, err := f.Find(ctx, w.Head, w.Base)
		switch {
		case err != nil:
			return Outcome{}, err
		case found.Open != nil:
			return update(ctx, f, *found.Open, w, m)
		case found.Past != nil && covers(*found.Past, w, m):
			return Outcome{*found.Past, Declined}, nil
		}
		made, err := f.Put(ctx, Change{Head: w.Head, Base: w.Base, Title: w.Title, Body: custom.section(w.Body),
			Labels: w.Labels, RemoveBranch: w.RemoveBranch})
		if errors.Is(err, ErrExists) && attempt == 0 {
			continue // another one was faster
		}
		return Outcome{made, Made}, err
	}
}

// update changes of an open request what is ours and differs.
func update(ctx context.Context, f Forge, r Request, w Wanted, m Memory) (Outcome, error) {
	c := Change{Number: r.Number}
	if m.Number == r.Number && r.Title == m.Title && r.Title != w.Title {
		c.Title = w.Title // else a person has changed it, or we do not know
	}
	if body, ours := f.custom().replaceSection(r.Body, w.Body); ours && body != r.Body {
		c.Body = body
	}
	for _, l := range w.Labels {
		if !slices.ContainsFunc(r.Labels, func(have string) bool { return strings.EqualFold(have, l) }) {
			c.Labels = append(c.Labels, l)
		}
	}
	if c.Title == "" && c.Body == "" && len(c.Labels) == 0 {
		return Outcome{r, Kept}, nil
	}
	if _, err := f.Put(ctx, c); err != nil {
		return Outcome{r, Updated}, err
	}
	if c.Title != "" {
		r.Title = c.Title
	}
	return Outcome{r, Updated}, nil
}

// covers reports whether a request that is not open any more was about this very commit, or one with the same content:
// people who close a request like to delete the branch with it, which is then made anew.
func covers(past Request, w Wanted, m Memory) bool {
	switch {
	case m.Number == past.Number && (m.Commit == w.Commit || m.Content != "" && m.Content == w.Content):
		return true
	case past.Commit != "":
		return strings.HasPrefix(w.Commit, past.Commit) // Bitbucket Cloud cuts it
	}
	return !w.When.After(past.Ended) // what was there when it ended
}

// Kinds are the forges that New knows.
var Kinds = []string{"github", "gitlab", "gitea", bitbucket, azureDevOps}

// New makes the client of one repository. It makes no request.
func New(o Options) (Forge, error) {
	if owner, name, ok := strings.Cut(o.Repository, "/"); !ok || owner == "" || name == "" {
		return nil, fmt.Errorf("%q is not a repository at a forge: write owner/name", o.Repository)
	}
	if o.AppID != "" && o.Kind != "github" {
		return nil, fmt.Errorf("an App's key is for GitHub only, and this is %s: give a token", o.Kind)
	}
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	switch o.Kind {
	case "github":
		return newGitHub(c, o.Repository)
	case "gitlab":
		return newGitLab(c, o.Repository)
	case "gitea":
		return newGitea(c, o.Repository)
	case bitbucket:
		return newBitbucket(c, o.Repository)
	case azureDevOps:
		return newAzure(c, o.Repository)
	}
	return nil, fmt.Errorf("%q is not the kind of a forge; one of %s", o.Kind, strings.Join(Kinds, ", "))
}

// made checks the answer to a call that made a request.
func (c *caller) made(op string, r *Request) (Request, error) {
	if r.Number <= 0 {
		return Request{}, c.strange(op, "it has no number")
	}
	return *r, nil
}
