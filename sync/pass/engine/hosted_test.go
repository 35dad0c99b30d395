package engine

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
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
		now = now.Add(time.Minute)
		w.asks("nothing new", pull.Options{}, "since")
		_, err := own.Archive(t.Context(), w.client, w.id, wire.KeysOf{Collection: "main", Keys: []string{"b"}})
		w.check(err)
		now = now.Add(time.Minute)
		w.asks("a key is gone", pull.Options{}, "since", "all")
		if got := w.clean(push.Options{}).Keys; got != 1 {
			t.Errorf("%d keys are sent again, want 1", got)
		}
	}
}

// older is the way to a service that another one, or an older one of ours, takes the place of.
type older struct {
	is    bool
	asked int // for what it does not know
}

func (o *older) RoundTrip(r *http.Request) (*http.Response, error) {
	ours := strings.Contains(r.URL.Path, "/locsync/")
	if ours && o.is {
		o.asked++
		r.URL.Path = "/nothing"
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && o.is {
		answer.Header.Del(wire.HeaderOwn)
	}
	return answer, err
}

// A service that is not ours any more sees one request of ours, at the most, and nothing fails.
func TestServiceThatIsNotOursAnyMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B", "c": "C"}`})
	way := &older{}
	begin := func() { // as a process that has asked nothing yet
		c, err := service.New(service.Options{BaseURL: w.server.URL, AccountID: "account", APIKey: worldKey, Transport: way})
		w.check(err)
		t.Cleanup(c.Close)
		w.Engine = New(Parts{Config: w.Config, Service: c, State: w.store, Log: zap.NewNop()})
	}
	begin()
	w.clean(push.Options{})
	way.is = true
	for i, left := range []string{`{"a": "A", "b": "B"}`, `{"a": "A"}`, `{}`} {
		begin()
		w.write("locales/en/app.json", left)
		w.commit()
		w.pushes(push.Options{})
		w.pulls(pull.Options{})
		if way.asked != 1 {
			t.Errorf("after push %d it was asked %d times", i, way.asked)
		}
	}
}
