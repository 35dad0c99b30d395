package engine

import (
	"testing"
	"time"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service/own"
	"github.com/locsync/locsync/sync/service/wire"
)

// A key that another repository had archived, and that this one has, is noticed by the next pull, also where that asks
// only for what changed, and sent again.
func TestKeyThatAnotherRepositoryLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B"}`})
	now := time.Now()
	w.now = func() time.Time { return now }
	w.probeFrom = 1
	w.restart(w.Config)
	w.clean(push.Options{})
	w.pulls(pull.Options{})
	for range 2 {
		now = now.Add(time.Hour)
		w.pulls(pull.Options{})
		w.asks("nothing new", pull.Options{}, "since")
		_, err := own.Archive(t.Context(), w.client, w.id, wire.KeysOf{Collection: "main", Keys: []string{"b"}})
		w.check(err)
		w.asks("a key is gone", pull.Options{}, "since", "all")
		if got := w.clean(push.Options{}).Keys; got != 1 {
			t.Errorf("%d keys are sent again, want 1", got)
		}
	}
}
