package daemon

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/locsync/locsync/sync/bound/heartbeat"
)

// heard is what a service manager was told, and when.
type heard struct {
	start time.Time
	said  []string
	at    []time.Duration
}

func (h *heard) tell(state string) {
	h.said, h.at = append(h.said, state), append(h.at, time.Since(h.start))
}

// times are when something was told.
func (h *heard) times(state string) []time.Duration {
	var at []time.Duration
	for i, said := range h.said {
		if said == state {
			at = append(at, h.at[i])
		}
	}
	return at
}

// managed runs f, in fake time, beside a manager whose watchdog waits for a minute.
func managed(t *testing.T, f func(t *testing.T, beats *heartbeat.Set, h *heard, m *manager,
	logs *observer.ObservedLogs)) {
	synctest.Test(t, func(t *testing.T) {
		h := &heard{start: time.Now()}
		core, logs := observer.New(zap.InfoLevel)
		beats := heartbeat.New(HangsAfter)
		m := &manager{log: zap.New(core), beats: beats, doing: func() string { return "" },
			changed: func() <-chan struct{} { return nil }, tell: h.tell, every: 20 * time.Second, pings: true,
			rung: make(chan struct{}, 1)}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go m.run(ctx)
		f(t, beats, h, m, logs)
	})
}

// pass lets time go by, and everybody finish what is due then.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// gaps checks that pings came all the time between two moments, and returns the last of them.
func (h *heard) gaps(t *testing.T, from, to time.Duration) time.Duration {
	t.Helper()
	last := from
	for _, at := range h.times("WATCHDOG=1") {
		if at < from || at > to {
			continue
		}
		if at-last > time.Minute/2 {
			t.Errorf("no ping between %s and %s", last, at)
		}
		last = at
	}
	return last
}

// A part that works in small steps, sleeps long, or waits for half an hour because it said that it would, keeps the
// pings coming.
func TestPingsWhileAllMoves(t *testing.T) {
	managed(t, func(t *testing.T, beats *heartbeat.Set, h *heard, _ *manager, logs *observer.ObservedLogs) {
		for range 3 {
			go func() {
				part := beats.Begin("part")
				for range 100 { // work
					time.Sleep(HangsAfter / 2)
					part.Beat()
				}
				for range 4 { // wait
					part.Expect(30 * time.Minute)
					time.Sleep(30*time.Minute + HangsAfter/2)
				}
				part.End()
			}()
		}
		const long = 8 * time.Hour
		pass(long)
		if last := h.gaps(t, 0, long); long-last > time.Minute/2 {
			t.Errorf("the last ping was %s after the start", last)
		}
		if logs.Len() > 0 {
			t.Errorf("it complains: %v", logs.All())
		}
	})
}

// Where one part of many stops in the middle of a step the pings end, soon after the longest that a step may take; the
// log and the status say which part it is, once; and they come again when it moves.
func TestNoPingsWhileOneHangs(t *testing.T) {
	managed(t, func(t *testing.T, beats *heartbeat.Set, h *heard, _ *manager, logs *observer.ObservedLogs) {
		well, ill := beats.Begin("the well part"), beats.Begin("the ill part")
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			for tick := time.NewTicker(time.Second); ; {
				select {
				case <-tick.C:
					well.Beat()
				case <-stop:
					return
				}
			}
		}()
		for range 60 {
			time.Sleep(time.Minute)
			ill.Beat()
		}
		const stopped, wakes = time.Hour, 2 * time.Hour
		pass(wakes - time.Since(h.start))
		last := h.gaps(t, 0, wakes)
		if lasted := last - stopped; lasted < HangsAfter-time.Minute || lasted > HangsAfter+40*time.Second {
			t.Errorf("the last ping was %s after the part stopped; it may take %s", lasted, HangsAfter)
		}
		if errs := logs.FilterLevelExact(zap.ErrorLevel).All(); len(errs) != 1 || !strings.Contains(errs[0].Message,
			"the daemon hangs") || len(errs[0].Context) != 1 {
			t.Errorf("logged: %v", logs.All())
		}
		if i := slices.IndexFunc(h.said, func(s string) bool {
			return strings.HasPrefix(s, "STATUS=the ill part hangs")
		}); i < 0 {
			t.Errorf("the status does not say so: %q", h.said)
		}
		ill.Rest()
		pass(time.Minute)
		if again := h.times("WATCHDOG=1"); again[len(again)-1] < wakes {
			t.Errorf("it moves again, and the last ping was at %s", again[len(again)-1])
		}
		if warned := logs.FilterLevelExact(zap.WarnLevel).Len(); warned != 1 {
			t.Errorf("logged: %v", logs.All())
		}
		if last := h.said[len(h.said)-1]; last != "WATCHDOG=1" || !slices.Contains(h.said, "STATUS=") {
			t.Errorf("the status says still that it hangs: %q", h.said)
		}
	})
}

// A part that hangs from the beginning is told of, and is no reason to end the daemon, however long it lasts; one that
// has worked is, beside it as well.
func TestPingsWhileOneNeverBegan(t *testing.T) {
	managed(t, func(t *testing.T, beats *heartbeat.Set, h *heard, _ *manager, logs *observer.ObservedLogs) {
		worked := false
		beats.Try("the silent part", func() bool { return worked })
		const long = 5 * time.Hour
		pass(long)
		if last := h.gaps(t, 0, long); long-last > time.Minute/2 {
			t.Errorf("the last ping was %s after the start", last)
		}
		if i := slices.IndexFunc(h.said, func(s string) bool {
			return strings.HasPrefix(s, "STATUS=the silent part hangs")
		}); i < 0 {
			t.Errorf("the status does not say so: %q", h.said)
		}
		if errs := logs.All(); len(errs) != 1 || !strings.Contains(errs[0].Message, "hangs from the beginning") {
			t.Errorf("logged: %v", errs)
		}
		beats.Begin("the ill part")
		pass(2 * HangsAfter)
		if last := h.gaps(t, long, long+HangsAfter+40*time.Second); last < long+HangsAfter-time.Minute {
			t.Errorf("the pings end at %s", last)
		}
		if n := len(h.times("WATCHDOG=1")); n > 0 && h.times("WATCHDOG=1")[n-1] > long+HangsAfter+40*time.Second {
			t.Errorf("pings go on to %s", h.times("WATCHDOG=1")[n-1])
		}
		if errs := logs.All(); len(errs) != 2 || !strings.Contains(errs[1].Message,
			"the daemon hangs; the watchdog is not told") {
			t.Errorf("logged: %v", errs)
		}
	})
}

// A part that was late at one look only, like all of them when the machine stood still, is no reason to fall silent.
func TestLateOnceKeepsPinging(t *testing.T) {
	managed(t, func(t *testing.T, beats *heartbeat.Set, h *heard, m *manager, logs *observer.ObservedLogs) {
		part := beats.Begin("part")
		for range 10 {
			pass(HangsAfter + m.every/2) // there is one look in it after it is due
			part.Beat()
		}
		h.gaps(t, 0, time.Since(h.start))
		if logs.Len() > 0 {
			t.Errorf("it complains: %v", logs.All())
		}
	})
}

// The status line is told when it has changed, at most once a second, and in the end it is the last one; one line, and
// no longer than a line.
func TestStatusLine(t *testing.T) {
	managed(t, func(t *testing.T, _ *heartbeat.Set, h *heard, m *manager, _ *observer.ObservedLogs) {
		synctest.Wait()
		var line atomic.Value
		line.Store("first")
		m.doing = func() string { return line.Load().(string) }
		for i := range 5000 {
			line.Store(strings.Repeat("ä\n", i%211) + "\x1b[31m")
			m.ring()
			pass(time.Millisecond)
		}
		line.Store("last")
		m.ring()
		pass(2 * statusPause)
		var last time.Duration
		n := 0
		for i, said := range h.said {
			if !strings.HasPrefix(said, "STATUS=") {
				continue
			}
			if n++; n > 1 && h.at[i]-last < statusPause {
				t.Errorf("told twice within %s", h.at[i]-last)
			}
			if last = h.at[i]; strings.ContainsAny(said, "\n\x1b") || len([]rune(said)) > statusMost+len("STATUS=…") {
				t.Errorf("it is not a line: %q", said)
			}
		}
		if got := len(h.times("STATUS=last")); n < 4 || n > 8 || got != 1 {
			t.Errorf("told %d status lines in seven seconds, the last one %d times: %q", n, got, h.said)
		}
		before := len(h.said)
		m.ring()
		pass(10 * time.Second)
		if len(h.said) != before {
			t.Errorf("told again, though nothing has changed: %q", h.said[before:])
		}
	})
}
