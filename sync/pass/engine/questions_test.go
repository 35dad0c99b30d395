package engine

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// ourService answers what our own service does beside the interface, and passes on all else.
type ourService struct {
	writers   func(of []wire.KeysOf) []string
	questions []wire.Question
	asked     []string // the last elements of paths
}

func (s *ourService) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.Contains(r.URL.Path, "/v1/locsync/") {
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			answer.Header.Set(wire.HeaderOwn, "archive questions writers")
		}
		return answer, err
	}
	s.asked = append(s.asked, path.Base(r.URL.Path))
	var said any = s.questions
	if strings.HasSuffix(r.URL.Path, "/writers") {
		var of []wire.KeysOf
		if err := json.NewDecoder(r.Body).Decode(&of); err != nil {
			return nil, err
		}
		said = s.writers(of)
	}
	answer := httptest.NewRecorder()
	answer.Header().Set(wire.HeaderOwn, "archive")
	err := json.NewEncoder(answer).Encode(said)
	return answer.Result(), err
}

// What translators ask is a warning of pulls, which the status tells until a pull finds it answered.
func TestQuestionsOfTranslators(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B"}`})
	w.clean(push.Options{})
	ours := &ourService{questions: []wire.Question{{Collection: "main", Key: "b", Language: "de", By: "Ben", Text: "B as in bee?"},
		{Collection: "main", Key: "gone", Language: "de", By: "Ben", Text: "Where?"}}}
	c, err := service.New(service.Options{BaseURL: w.server.URL, AccountID: "account", APIKey: worldKey,
		Transport: ours})
	w.check(err)
	defer c.Close()
	w.Engine = New(Parts{Config: w.Config, Service: c, State: w.store, Log: zap.NewNop()})
	warned := func() string {
		var lines []string
		for _, p := range w.Engine.Status(t.Context()).Projects[0].Problems {
			if p.Code == report.CodeQuestion {
				lines = append(lines, p.String())
			}
		}
		return strings.Join(lines, "\n")
	}
	w.pulls(pull.Options{})
	w.Engine.Status(t.Context())
	const want = `locales/en/app.json: warning: "b" (de): Ben asks "B as in bee?"; ` +
		"answer on the page for translators, and mark the question as answered there"
	if got := warned(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if past := w.Engine.Status(t.Context()).Projects[0].LastPull; past.Result != report.ResultOK {
		t.Errorf("the pull is %s", past.Result)
	}
	ours.questions = nil
	w.pulls(pull.Options{})
	if got := warned(); got != "" {
		t.Errorf("after the answer: %q", got)
	}
}
