package notify

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
)

// TestFaultInAMessage: a fault in one message is logged with its project, and the others reach their receiver.
func TestFaultInAMessage(t *testing.T) {
	store, err := boltledger.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	core, logs := observer.New(zap.ErrorLevel)
	defer zap.ReplaceGlobals(zap.New(core))()
	var posted []string
	r := NewReceiver("https://hooks.example.com", "json", zap.New(core))
	r.client.Transport = answers(func(q *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(q.Body)
		if posted = append(posted, string(body)); strings.Contains(string(body), "first") {
			panic("it cannot be posted")
		}
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
	})
	now := app(conflicts())
	now.Projects = append(now.Projects, now.Projects[0])
	now.Projects[0].Name, now.Projects[1].Name = "first", "second"
	for _, keys := range [][]string{{}, {"new"}, {"new"}} {
		for i := range now.Projects {
			now.Projects[i].Conflicts = nil
			conflicts(keys...)(&now.Projects[i])
		}
		if err := r.Tell(t.Context(), store, now, tuesday); err != nil {
			t.Fatal(err)
		}
	}
	if all := strings.Join(posted, "\n"); len(posted) != 2 || !strings.Contains(all, "second: 1 new conflict") {
		t.Errorf("posted %q", posted)
	}
	if logs.FilterMessage("a fault of locsync itself").Len() != 1 ||
		logs.FilterMessage("a message for people could not be posted, and is given up").Len() != 1 {
		t.Errorf("log %v, want the stack once", logs.All())
	}
}
