package forge

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// Comment leaves one comment of ours at a request, which says what body says (Markdown): one that is there is given
// the new text, whatever people wrote below it stays. An empty body makes no comment; one that is there says otherwise
// then. It is right to call again.
func Comment(ctx context.Context, f Forge, number int, body, otherwise string) (Did, error) {
	custom := f.custom()
	var ours comment
	err := f.comments(ctx, number, func(c comment) bool {
		if strings.HasPrefix(strings.TrimSpace(c.body), strings.TrimSpace(custom.begin)) { // not one that quotes it
			ours = c
		}
		return ours.id != ""
	})
	if err != nil || ours.id == "" && body == "" {
		return Kept, err
	}
	if body == "" {
		body = otherwise
	}
	_, body = custom.fit("", body)
	if ours.id == "" {
		return Made, f.say(ctx, number, ours, custom.section(body))
	}
	text, whole := custom.replaceSection(ours.body, body)
	if !whole {
		text = custom.section(body) // a person took its end away
	}
	if text == ours.body {
		return Kept, nil
	}
	return Updated, f.say(ctx, number, ours, text)
}

// Mark sets the state of a request's commit.
func Mark(ctx context.Context, f Forge, number int, commit string, s Status) error {
	s.Title = cutShort(strings.Join(strings.Fields(s.Title), " "), mostOfStatus)
	return f.mark(ctx, number, commit, s)
}

// mostOfStatus is what every forge takes of a status' title: GitHub 140 characters.
const mostOfStatus = 140

// What is said where a call fails.
const (
	opRead   = "read the request's comments"
	opWrite  = "comment on the request"
	opStatus = "set the request's status"
)

// note is a comment as GitHub, Gitea and GitLab show it.
type note struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
}

// notes are the comments of a list that has pages.
func notes(ctx context.Context, c *caller, path string, query url.Values, size int, visit func(comment) bool) error {
	return pages(ctx, c, opRead, path, query, size, func(n note) bool {
		return visit(comment{id: fmt.Sprint(n.ID), body: n.Body})
	})
}

// put makes something at a path, or changes what is there below it.
func put(ctx context.Context, c *caller, method, path string, body any) error {
	_, err := c.call(ctx, opWrite, method, path, nil, body, nil)
	return err
}
