package engine

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"go.uber.org/zap"
)

// Of a pass that a command asked for and a loop that waits for its turn, it is the pass that is told to hang; afterwards the loop moves again.
func TestLocksAndHeartbeats(t *testing.T) {
	t.Parallel()
	set := heartbeat.New(0) // what does not rest or sleep hangs
	e := New(Parts{Config: configured(t, t.TempDir(), "", "", "a", "b"), Log: zap.NewNop(), Beats: set})
	hanging := func() string {
		var parts []string
		for _, still := range set.Hanging() {
			parts = append(parts, still.Part)
		}
		return strings.Join(parts, ", ")
	}
	a, b := e.projects[0], e.projects[1]
	_, done, err := a.lock(t.Context(), "pull")
	if err != nil {
		t.Fatal(err)
	}
	const command = `the pull of project "a" that a command asked for`
	if got := hanging(); got != command {
		t.Errorf("hanging: %s", got)
	}
	for what, ask := range map[string]func() error{
		"push": func() error { _, err := e.Push(t.Context(), push.Options{Project: "a"}); return err },
		"pull": func() error { _, err := e.Pull(t.Context(), pull.Options{Project: "a"}); return err },
	} {
		if err := ask(); err == nil || !strings.Contains(err.Error(), command+" has not moved for") || Permanent(err) {
			t.Errorf("a %s that would wait for one that hangs: %v", what, err)
		}
	}
	loop := set.Begin("loop")
	_, other, err := b.lock(beats(t.Context(), loop), "push") // another project is locked by no pass
	if err != nil {
		t.Fatal(err)
	}
	other()
	if got := hanging(); got != command+", loop" {
		t.Errorf("hanging: %s", got)
	}
	has := make(chan func())
	go func() {
		ctx, done, err := a.lock(beats(t.Context(), loop), "push")
		if err != nil {
			t.Error(err)
		}
		if heartbeat.From(ctx) != loop {
			t.Error("a loop's pass does not beat with the loop's heartbeat")
		}
		has <- done
	}()
	for end := time.Now().Add(10 * time.Second); hanging() != command; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("hanging while the loop waits: %s", hanging())
		}
	}
	done()
	done = <-has
	if a.mu.blocked() == nil || b.mu.blocked() != nil {
		t.Error("a loop that hangs in its turn keeps nobody waiting, or another one does")
	}
	if got := hanging(); got != "loop" {
		t.Errorf("hanging when the loop has its turn: %s", got)
	}
	done()
	if err := a.mu.blocked(); err != nil {
		t.Errorf("when the turn is over: %v", err)
	}
}

// Who waits for a turn already is told, too, when the one that has it begins to hang; who is told to end waits no longer, and leaves nothing behind: neither a turn, nor
// a user of the service.
func TestWaitingForTheLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		const step = 6 * time.Minute
		users := 0
		p := New(Parts{Config: configured(t, dir, "", "", "a"), Log: zap.NewNop(), Beats: heartbeat.New(step), Using: func() func() {
			users++
			return func() { users-- }
		}}).projects[0]
		_, done, err := p.lock(t.Context(), "pull")
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		report, err := p.push(t.Context(), push.Options{})
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "hangs") || took < step || took > step+2*holderPollInterval {
			t.Errorf("a command that waits for a turn which does not come, after %s: %v", took, err)
		}
		if len(report) != 1 || report[0].Name != "a" || report[0].Error != err.Error() {
			t.Errorf("its report: %+v", report)
		}
		soon, cancel := context.WithTimeout(beats(t.Context(), p.Beats.Begin("loop")), time.Hour)
		defer cancel()
		began = time.Now()
		if _, _, err := p.lock(soon, "push"); err == nil || time.Since(began) != time.Hour {
			t.Errorf("a loop that is told to end while it waits, after %s: %v", time.Since(began), err)
		}
		if users != 1 {
			t.Errorf("%d users of the service, of which one is left", users)
		}
		done()
		_, done, err = p.lock(t.Context(), "push")
		if err != nil || users != 1 {
			t.Errorf("when the turn is free: %v, %d users", err, users)
		}
		done()
	})
}

// Loops and watchers with nothing to do say how long they sleep, and stop saying so when they end. Who waits for news of
// what they do is woken when it changes.
func TestHeartbeatsAtRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[project.pull]\nschedule = \"0 0 1 1 *\"\n"+jsonFiles, map[string]string{enApp: `{"a": "A"}`})
	parts := w.Parts
	parts.Beats = heartbeat.New(0)
	e := New(parts)
	ctx, cancel := context.WithCancel(t.Context())
	if e.projects[0].proven.Load() {
		t.Error("a project without a pass has worked")
	}
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	told := func(what string) {
		t.Helper()
		changed := e.Changed()
		for ; e.Doing("").What != "" || len(e.LastStatus().Projects) == 0 || e.LastStatus().Projects[0].Pending > 0; changed = e.Changed() {
			select {
			case <-changed:
			case <-time.After(20 * time.Second):
				t.Fatalf("%s: nobody tells; %+v, %+v", what, e.Doing(""), e.LastStatus())
			}
		}
	}
	told("the first push")
	if !e.projects[0].proven.Load() {
		t.Error("a project that ended a pass has never worked")
	}
	for end := time.Now().Add(10 * time.Second); len(parts.Beats.Hanging()) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("they do not rest: %v", parts.Beats.Hanging())
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if still := parts.Beats.Hanging(); len(still) > 0 {
		t.Errorf("their heartbeats outlive them: %v", still)
	}
}
