package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
)

// decisions has pushes carry out what people choose in conflicts on the page, one at a time and in the background: the
// page shows a conflict until it is decided.
type decisions struct {
	engine *engine.Engine
	ends   <-chan struct{}
	log    *zap.Logger

	mu sync.Mutex // held while one is carried out
}

// take begins to carry out a decision for a side, ours or theirs, in a conflict of a status. Texts that changed since a
// person saw them are not decided about. tell is called with what there is to say, at once and at the end.
func (d *decisions) take(c report.Conflict, project, side string, tell func(string)) {
	if !d.mu.TryLock() {
		tell("Another decision is being carried out; nothing was done. Try again in a moment.")
		return
	}
	tell("Decision taken; it is being carried out.")
	go func() {
		defer d.mu.Unlock()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() {
			select {
			case <-d.ends:
				cancel()
			case <-ctx.Done():
			}
		}()
		err := d.carry(ctx, push.Options{Project: project, Ours: side == "ours", Theirs: side == "theirs",
			Keys: []string{c.Key}, Languages: []string{c.Language}, Files: []string{c.File}})
		if err != nil {
			d.log.Error("cannot carry out a decision of the status page", zap.Error(err), zap.String("project", project))
			tell("The decision was not carried out; it can be taken again.")
			return
		}
		tell("Decided.")
	}()
}

// carry makes the push of a decision.
func (d *decisions) carry(ctx context.Context, o push.Options) (err error) {
	defer fault.Catch("a decision of the status page", &err)
	_, err = d.engine.Push(ctx, o)
	return err
}

// conflictOf is the conflict of a project with a fingerprint.
func conflictOf(status report.Status, project, seen string) (report.Conflict, bool) {
	for _, p := range status.Projects {
		for _, c := range p.Conflicts {
			if p.Name == project && fingerprint(c) == seen {
				return c, true
			}
		}
	}
	return report.Conflict{}, false
}

// fingerprint tells a conflict from others, and from itself with other texts.
func fingerprint(c report.Conflict) string {
	whole, _ := json.Marshal([]any{c.File, c.Language, c.Key, c.Ours, c.Theirs}) // which always have a form
	sum := sha256.Sum256(whole)
	return hex.EncodeToString(sum[:16])
}
