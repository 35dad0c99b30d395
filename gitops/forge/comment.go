package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Comment leaves one comment of ours at a request, which says what body says (Markdown): one that is there is given
// the new text, whatever people wrote below it stays. An empty body makes no comment; one that is there says otherwise
// then. It is right to call again.
//
// Ours is what the token's account wrote: a stranger may write a comment that begins as ours do. Where the forge does
// not tell the account, ours is what may be edited.
func Comment(ctx context.Context, f Forge, number int, body, otherwise string) (Did, error) {
	custom := f.custom()
	all, err := ownComments(ctx, f, number)
	if err != nil {
		return Kept, err
	}
	_, said := custom.fit("", cmp.Or(body, otherwise))
	for _, ours := range all {
		text, whole := custom.replaceSection(ours.body, said)
		if !whole {
			text = custom.section(said) // a person took its end away
		}
		if text == ours.body {
			return Kept, nil
		}
		err := f.say(ctx, number, ours, text)
		if !refuses(err) {
			return Updated, err
		}
	}
	if body == "" {
		return Kept, nil
	}
	return Made, f.say(ctx, number, comment{}, custom.section(said))
}

// ownComments are the comments of a request that begin as ours do and may be ours.
func ownComments(ctx context.Context, f Forge, number int) (all []comment, err error) {
	begin := strings.TrimSpace(f.custom().begin)
	err = f.comments(ctx, number, func(c comment) bool {
		if strings.HasPrefix(strings.TrimSpace(c.body), begin) { // not one that quotes it
			all = append(all, c)
		}
		return false
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	user, err := f.user(ctx)
	return slices.DeleteFunc(all, func(c comment) bool { return user != c.user && (user != "" || c.foreign) }), err
}

// Mark sets the state of a request's commit.
func Mark(ctx context.Context, f Forge, number int, commit string, s Status) error {
	s.Title = cutShort(strings.Join(strings.Fields(s.Title), " "), mostOfStatus)
	return f.mark(ctx, number, commit, s)
}

// mostOfStatus is what every forge takes of a status' title: GitHub 140 characters.
const mostOfStatus = 140

// note is a comment as GitHub, Gitea and GitLab show it.
type note struct {
	ID   int64   `json:"id"`
	Body string  `json:"body"`
	User account `json:"user"`
	Own  account `json:"author"` // at GitLab
}

// account is who writes comments at GitHub, Gitea and GitLab.
type account struct {
	ID   int64  `json:"id"`
	Type string `json:"type"` // at GitHub: User, Bot, Organization
}

// name is an account as comment.user has it.
func (a account) name() string {
	if a.ID == 0 {
		return ""
	}
	return fmt.Sprint(a.ID)
}

func (n note) comment() comment {
	return comment{id: fmt.Sprint(n.ID), body: n.Body, user: cmp.Or(n.User.name(), n.Own.name())}
}

// userOf asks a forge for the token's account. Tokens of jobs, of Apps and of few scopes may not ask.
func userOf[T any](ctx context.Context, c *caller, path string, query url.Values, to *T) (http.Header, error) {
	header, err := c.call(ctx, opUser, http.MethodGet, path, query, nil, to)
	if refuses(err) || errors.Is(err, ErrInvalid) {
		return nil, nil
	}
	return header, err
}

// refuses reports whether a forge does not do this one thing for a token with which the comments were read: for a
// comment of another's and for what few tokens may ask, Bitbucket answers 401.
func refuses(err error) bool {
	return errors.Is(err, ErrForbidden) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrToken)
}

// accountOf is userOf at GitHub, Gitea and GitLab.
func accountOf(ctx context.Context, c *caller) (string, error) {
	var a account
	_, err := userOf(ctx, c, "/user", nil, &a)
	return a.name(), err
}

// put makes something at a path, or changes what is there below it.
func put(ctx context.Context, c *caller, method, path string, body any) error {
	_, err := c.call(ctx, opWrite, method, path, nil, body, nil)
	return err
}
