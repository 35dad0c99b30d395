package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// TestFaultInAPass: a fault in a pass or a check is the failure of that project, with the stack in the log, and leaves
// nothing locked: the next pass is made.
func TestFaultInAPass(t *testing.T) {
	core, logs := observer.New(zapcore.ErrorLevel)
	defer zap.ReplaceGlobals(zap.New(core))()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"k":"Text"}`})
	w.Progress = func(report.Doing) { panic("progress went wrong") }
	sent, err := w.Push(t.Context(), push.Options{})
	isFault(t, "push", err)
	if len(sent.Projects) != 1 || sent.Projects[0].ErrorCode != report.FailedInternal {
		t.Errorf("report %+v, want the failure of the project", sent)
	}
	got, err := w.Pull(t.Context(), pull.Options{})
	isFault(t, "pull", err)
	if len(got.Projects) != 1 || got.Projects[0].ErrorCode != report.FailedInternal {
		t.Errorf("report %+v, want the failure of the project", got)
	}
	_, err = w.Check(t.Context(), inspect.Options{})
	isFault(t, "check", err)
	if n := logs.FilterMessage("a fault of locsync itself").Len(); n != 3 {
		t.Errorf("%d stacks in the log, want one for each fault", n)
	}
	w.Progress = nil
	if sent, err = w.Push(t.Context(), push.Options{}); err != nil || sent.Projects[0].Keys != 1 {
		t.Errorf("the next push: %+v %v", sent, err)
	}
}

// TestFaultInARequestOfOneProject: the online check of the other goes on, and the fault is named with its project.
func TestFaultInARequestOfOneProject(t *testing.T) {
	defer zap.ReplaceGlobals(zap.NewNop())()
	const other = "11111111-2222-3333-4444-666666666666"
	w := newWorld(t, settings+jsonFiles+"[[project]]\nname = \"other\"\nid = \""+other+"\"\n"+
		"repository = \".\"\n"+settings+"[[project.files]]\nsource = \"other/en.json\"\n"+
		"output = \"other/{LANGUAGE}.json\"\n", nil)
	asked := map[string]int{}
	c, err := service.New(service.Options{BaseURL: w.server.URL, AccountID: "account", APIKey: worldKey,
		OnRequest: func(r service.Request) {
			if asked[r.Path]++; strings.Contains(r.Path, w.id) {
				panic("the answer went wrong")
			}
		}})
	w.check(err)
	defer c.Close()
	w.Engine = New(Parts{Config: w.Config, Service: c, State: w.store, Log: zap.NewNop()})
	err = w.CheckOnline(t.Context())
	isFault(t, "check --online", err)
	if err == nil || !strings.Contains(err.Error(), `project "app"`) || strings.Contains(err.Error(), "other") {
		t.Errorf("%v names another project", err)
	}
	if len(asked) < 2 {
		t.Errorf("asked %v: the other project was not", asked)
	}
}

// TestFaultInASchedule: the loop of a project in which there was one begins again, and that of another one goes on.
func TestFaultInASchedule(t *testing.T) {
	core, logs := observer.New(zapcore.InfoLevel)
	defer zap.ReplaceGlobals(zap.New(core))()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"k":"Text"}`})
	faults := 0
	log := zap.New(core, zap.Hooks(func(e zapcore.Entry) error {
		if e.Message == "pushed" {
			if faults++; faults == 1 {
				panic("the schedule went wrong")
			}
		}
		return nil
	}))
	w.Engine = New(Parts{Config: w.Config, Service: w.Service, State: w.store, Log: log})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	until := func(what string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	stack := func() bool {
		said := logs.FilterMessage("a fault of locsync itself").All()
		return len(said) == 1 && strings.Contains(said[0].ContextMap()["in"].(string), "project app")
	}
	until("no fault is logged", stack)
	w.write("locales/en/a.json", `{"k":"Text","l":"More"}`)
	until("the loop did not begin again", func() bool { return logs.FilterMessage("pushed").Len() >= 2 })
	cancel()
	w.check(<-done)
}

func isFault(t *testing.T, doing string, err error) {
	t.Helper()
	if _, is := errors.AsType[*fault.Error](err); !is || Permanent(err) {
		t.Errorf("%s: %v, want a fault that may pass", doing, err)
	}
}
