package gitops

import (
	"context"
	"errors"
	"time"
)

// What Options.Done is told of: each takes the time that people wonder about.
const (
	opList   = "list"   // the remote's branches were asked for
	opFetch  = "fetch"  // the same, and what was new of them brought here
	opBlobs  = "blobs"  // what a partial clone had left out was brought
	opCommit = "commit" // a commit, or a chain of them, was made and stored
	opPush   = "push"   // an update was sent to the remote, and its answer understood
)

// done tells Options.Done how an operation ended that began then: deferred with the address of the error that the
// caller is about to return.
func (r *Repo) done(op string, began time.Time, err *error) {
	if r.o.Done != nil {
		r.o.Done(op, outcome(*err), time.Since(began))
	}
}

// outcome says in one word how an operation ended. There are as many words as lines here, whatever a remote says.
func outcome(err error) string {
	for _, known := range []struct {
		err  error
		word string
	}{
		{nil, "ok"},
		{ErrNothing, "nothing"},
		{ErrMoved, "moved"},
		{ErrBusy, "busy"},
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
