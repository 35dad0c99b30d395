package engine

import (
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// ourService is what a service of ours tells beside the interface.
type ourService struct {
	writers   func(language string, keys []string) []string
	questions func() []wire.Question
}

func (t ourService) Writers(_, _, language string, keys []string) ([]string, error) {
	return t.writers(language, keys), nil
}

func (t ourService) Archive(string, string, []string) error { return nil }

func (t ourService) Questions(string) ([]wire.Question, error) {
	if t.questions == nil {
		return nil, nil
	}
	return t.questions(), nil
}

// What translators ask is a warning of pulls, which the status tells until a pull finds it answered.
func TestQuestionsOfTranslators(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B"}`})
	w.clean(push.Options{})
	asked := []wire.Question{{Collection: "main", Key: "b", Language: "de", By: "Ben", Text: "B as in bee?"},
		{Collection: "main", Key: "gone", Language: "de", By: "Ben", Text: "Where?"}}
	c, err := service.New(service.Options{BaseURL: w.server.URL, AccountID: "account", APIKey: worldKey,
		Own: ourService{questions: func() []wire.Question { return asked }}})
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
	asked = nil
	w.pulls(pull.Options{})
	if got := warned(); got != "" {
		t.Errorf("after the answer: %q", got)
	}
}
