package outcome

import (
	"context"
	"errors"
	"time"

	"github.com/locsync/locsync/gitops/ref"
)

// What Options.Done is told of: each takes the time that people wonder about.
const (
	List   = "list"   // the remote's branches were asked for
	Fetch  = "fetch"  // the same, and what was new of them brought here
	Blobs  = "blobs"  // what a partial clone had left out was brought
	Commit = "commit" // a commit, or a chain of them, was made and stored
	Push   = "push"   // an update was sent to the remote, and its answer understood
)

// Tell tells how an operation ended that began then: deferred with the address of the error that the caller is about to
// return.
func Tell(done func(op, outcome string, took time.Duration), op string, began time.Time, err *error) {
	if done != nil {
		done(op, Of(*err), time.Since(began))
	}
}

// Of says in one word how an operation ended. There are as many words as lines here, whatever a remote says.
func Of(err error) string {
	for _, known := range []struct {
		err  error
		word string
	}{
		{nil, "ok"},
		{ErrNothing, "nothing"},
		{ref.ErrMoved, "moved"},
		{ref.ErrBusy, "busy"},
		{ErrRefused, "refused"},
		{ErrAuth, "auth"},
		{ErrUntrusted, "untrusted"},
		{ErrUnavailable, "unavailable"},
		{context.Canceled, "interrupted"},
	} {
		if errors.Is(err, known.err) {
			return known.word
		}
	}
	return "failed"
}
