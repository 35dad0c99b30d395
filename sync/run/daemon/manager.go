package daemon

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/terminal"
)

// HangsAfter is the longest that a part of the daemon may be silent without having said so: what gitops does tells as
// long as it moves, is given up when it has not moved for DefaultSilence (and an eighth of it at most), and then has a
// moment to end. A variable for tests.
var HangsAfter = gitops.DefaultSilence + time.Minute

const (
	// beatsEvery is how often the heartbeats are checked, where no watchdog says how often it wants to hear.
	beatsEvery = 20 * time.Second
	// statusPause is the least time between two status lines.
	statusPause = time.Second
	// statusMost is how long a status line may be: it is one line of systemctl status.
	statusMost = 300
)

// manager tells the service manager, systemd, how the daemon is: that it is ready, what it does, and, where the unit
// has a watchdog, that all parts of it move. When one hangs it falls silent, and systemd ends the daemon, which prints
// where every goroutine is, and starts it again. Without a service manager it tells the log only.
//
// A part that hangs from the beginning (see heartbeat.Set.Try) keeps it from nothing: that is a project on a mount
// which does not answer, this start did not cure it, and another one would interrupt those that work. So one hang costs
// one start, and systemd's limit of starts has nothing to bound: parts that have to be started anew every few minutes
// do work in between, and giving up would end that as well.
type manager struct {
	log   *zap.Logger
	beats *heartbeat.Set
	tell  func(state string)

	doing   func() string          // what the daemon does, in a line
	changed func() <-chan struct{} // closed when that may be another one next (see engine.Changed)

	every time.Duration
	pings bool          // a watchdog waits for them
	rung  chan struct{} // one slot: the line is to be told again

	mu            sync.Mutex    // held while something is told
	hang, curable hangDebouncer // of parts that hang, and of those among them that a new start may cure
	said          string        // the last status line
}

func newManager(log *zap.Logger, beats *heartbeat.Set, doing func() string, changed func() <-chan struct{}) *manager {
	m := &manager{log: log, beats: beats, doing: doing, changed: changed, every: beatsEvery, rung: make(chan struct{},
		1), tell: func(state string) { notifySystemd(log, state) }}
	switch patience, err := daemon.SdWatchdogEnabled(true); { // it is not for the programs that this one starts
	case err != nil:
		log.Warn("watchdog notification failed", zap.Error(err))
	case patience > 0:
		m.every, m.pings = patience/3, true
	}
	return m
}

// notifySystemd tells the service manager, where there is one.
func notifySystemd(log *zap.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("cannot notify systemd", zap.Error(err))
	}
}

func (m *manager) ready() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.said = m.line()
	m.tell(daemon.SdNotifyReady + "\nSTATUS=" + m.said)
}

func (m *manager) reloading() {
	m.tell(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
}

func (m *manager) stopping() { m.tell(daemon.SdNotifyStopping + "\nSTATUS=ending") }

// ring says that the line may be another one, for a reason that the engine does not know. It never blocks.
func (m *manager) ring() {
	select {
	case m.rung <- struct{}{}:
	default:
	}
}

// run checks the heartbeats, and tells what the daemon does when it has changed, until ctx ends.
func (m *manager) run(ctx context.Context) {
	m.look()
	m.ring()
	checks := time.NewTicker(m.every)
	defer checks.Stop()
	rung, pause, changed := m.rung, (<-chan time.Time)(nil), m.changed()
	for {
		select {
		case <-ctx.Done():
			return
		case <-checks.C:
			m.look()
		case <-changed:
			changed = nil // until it is read
			m.ring()
		case <-rung:
			changed = m.changed()
			m.say()
			rung, pause = nil, time.After(statusPause)
		case <-pause:
			rung, pause = m.rung, nil
		}
	}
}

// look pings unless a part hangs. It takes two checks that agree: where the whole process or machine stood still, every
// part was late at the first one.
func (m *manager) look() {
	m.mu.Lock()
	defer m.mu.Unlock()
	hanging := m.beats.Hanging()
	began, ended := m.hang.look(len(hanging) > 0)
	curable, _ := m.curable.look(slices.ContainsFunc(hanging, func(s heartbeat.Still) bool { return !s.First }))
	next := "no watchdog is set, so the daemon is not started again"
	if m.pings {
		next = "the watchdog is not told any more that it works, and starts it again"
	}
	switch {
	case curable:
		m.log.Error("the daemon hangs; "+next, zap.Stringers("parts", hanging))
	case began:
		m.log.Error("a part of the daemon hangs from the beginning, which starting it again would not cure; the others go on",
			zap.Stringers("parts", hanging))
	case ended:
		m.log.Warn("every part of the daemon moves again")
	}
	if began || curable || ended {
		m.ring()
	}
	if m.pings && !m.curable.sure {
		m.tell(daemon.SdNotifyWatchdog)
	}
}

// hangDebouncer becomes sure at the second look in a row that finds something.
type hangDebouncer struct{ doubt, sure bool }

// look tells whether it has become sure with this look, and whether it is not any more.
func (s *hangDebouncer) look(found bool) (began, ended bool) {
	was := s.sure
	s.sure = found && (s.doubt || s.sure)
	s.doubt = found
	return s.sure && !was, was && !s.sure
}

// say tells what the daemon does, where that is not what was told last.
func (m *manager) say() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if line := m.line(); line != m.said {
		m.said = line
		m.tell("STATUS=" + line)
	}
}

// line is what the daemon does, fit for a line.
func (m *manager) line() string {
	line := m.doing()
	if hanging := m.beats.Hanging(); m.hang.sure && len(hanging) > 0 {
		line = hanging[0].Part + " hangs; " + line
	}
	line = strings.ReplaceAll(report.Printable(line), "\n", " ")
	if runes := []rune(line); len(runes) > statusMost {
		line = string(runes[:statusMost]) + "…"
	}
	return line
}

// summary is what an engine does, or else how it left its projects.
func summary(e *engine.Engine) string {
	if doing := e.Doing(""); doing.What != "" {
		return doing.Project + ": " + doing.String()
	}
	all := e.LastStatus().Projects
	if len(e.Config.Projects) == 0 {
		return report.NoProject
	}
	if len(all) == 0 {
		return "looking at the projects for the first time"
	}
	if len(all) == 1 {
		return all[0].Name + ": " + all[0].State
	}
	var troubled []string
	for _, p := range all {
		failed := func(past *report.Past) bool { return past != nil && past.Result == report.ResultFailed }
		if p.Pending > 0 || len(p.Problems) > 0 || failed(p.LastPush) || failed(p.LastPull) {
			troubled = append(troubled, p.Name+": "+p.State)
		}
	}
	if len(troubled) == 0 {
		return terminal.Count(len(all), "project") + ", everything is pushed"
	}
	return terminal.Count(len(all), "project") + "; " + strings.Join(troubled, "; ")
}
