package main

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// Three daemons share projects while they are killed, stopped and woken, cut off from the database, and the database is
// started again with another clock: two passes of a project never have an effect at once, the budget is kept, and nothing is lost.
func TestClusterTrouble(t *testing.T) {
	if os.Getenv("LOCSYNC_ALL_TESTS") == "" && !soaking {
		t.Skip("takes minutes; LOCSYNC_ALL_TESTS=1 runs it")
	}
	projects, rounds, schedule := 6, 1, "@every 15s"
	if soaking {
		projects, rounds, schedule = 200, 10, "@every 5m"
	}
	w := newClusterWorld(t, projects, 4, schedule)
	w.start()
	w.guardWrites()
	w.start()
	w.start()
	w.until(w.scheduled(), "everything is pushed", func() bool {
		return w.all(func(p report.ProjectStatus) bool { return p.LastPush != nil && p.LastPush.Keys == 2 })
	})
	for round := range rounds {
		for number, trouble := range []func(){w.killed, w.silenced, w.restarted} {
			text := fmt.Sprintf("Text %d.%d", round, number)
			p := w.projects[(round*3+number)%len(w.projects)]
			w.translate(p, text)
			trouble()
			w.until(w.scheduled(), "a translation arrives: "+text, func() bool { return w.translated(p, text) })
		}
	}
	for i, p := range w.projects {
		w.edit(p, fmt.Sprint("edited ", i))
	}
	w.until(w.scheduled()+time.Minute, "every edit is pushed", func() bool {
		return w.all(func(p report.ProjectStatus) bool { return p.LastPush.Keys == 1 && p.Pending == 0 })
	})
	w.holds()
}

// scheduled is two schedules, or what the budget takes for all projects.
func (w *clusterWorld) scheduled() time.Duration {
	return 2 * time.Duration(max(30, len(w.projects)*3)) * time.Second
}

// all reports whether every project is so, as some daemon tells.
func (w *clusterWorld) all(is func(report.ProjectStatus) bool) bool {
	for _, d := range w.daemons {
		var s report.Status
		if w.get(d, "/api/status", &s) == 0 || len(s.Projects) != len(w.projects) {
			continue
		}
		good := true
		for _, p := range s.Projects {
			good = good && p.LastPush != nil && is(p)
		}
		return good
	}
	return false
}

// killed kills a daemon while it works, and starts it again.
func (w *clusterWorld) killed() {
	d := w.busy()
	w.check(d.cmd.Process.Kill())
	_ = d.cmd.Wait()
	w.launch(d)
}

// silenced stops a daemon, and cuts another one off from the database, until their passes are the third one's; then
// they take part again.
func (w *clusterWorld) silenced() {
	stopped := w.busy()
	cut := w.daemons[(stopped.number+1)%len(w.daemons)]
	w.check(stopped.cmd.Process.Signal(syscall.SIGSTOP))
	cut.line.sever()
	for _, d := range []*clusterDaemon{stopped, cut} {
		w.until(2*guard, "what a silent daemon had is taken over", func() bool { return w.hasNothing(d) })
	}
	if w.get(cut, "/readyz", nil) == 200 {
		w.t.Error("a daemon without its database says that it is ready")
	}
	w.check(stopped.cmd.Process.Signal(syscall.SIGCONT))
	cut.line.mend()
	w.until(guard, "the daemon takes part again", func() bool { return w.get(cut, "/readyz", nil) == 200 })
}

// hasNothing reports whether a daemon is silent, and has neither a lease nor a job.
func (w *clusterWorld) hasNothing(d *clusterDaemon) (is bool) {
	w.t.Helper()
	w.check(w.db.QueryRow(w.t.Context(), `SELECT p.seen < clock_timestamp() - interval '15 seconds'
		AND NOT EXISTS (SELECT FROM locsync.leases WHERE holder = p.id AND until > clock_timestamp())
		AND NOT EXISTS (SELECT FROM locsync.river_job
			WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = p.id)
		FROM locsync.processes p WHERE p.pid = $1`, d.cmd.Process.Pid).Scan(&is))
	return is
}

// restarted has the database fail for some seconds, and come back with a clock that is five minutes off, the next time
// with the right one: it differs from those of all processes, and goes back.
func (w *clusterWorld) restarted() {
	for _, clock := range []string{"+5m", ""} {
		w.server.Stop()
		w.until(guard, "a daemon notices", func() bool { return w.get(w.daemons[0], "/readyz", nil) != 200 })
		w.server.Clock = clock
		w.check(w.server.Start())
		for _, d := range w.daemons {
			w.until(guard, "the daemon takes part again", func() bool { return w.get(d, "/readyz", nil) == 200 })
		}
		if clock == "" {
			return
		}
		w.t.Logf("the database's clock is off by %s: %v", clock, w.clockOff().Round(time.Second))
		text := "with another clock"
		w.translate(w.projects[0], text)
		w.until(w.scheduled(), "a translation arrives: "+text, func() bool { return w.translated(w.projects[0], text) })
	}
}

// clockOff is how far ahead the database's clock is.
func (w *clusterWorld) clockOff() time.Duration {
	w.t.Helper()
	var there time.Time
	w.check(w.db.QueryRow(w.t.Context(), "SELECT clock_timestamp()").Scan(&there))
	return time.Until(there)
}

// busy waits until a daemon makes a pass, and returns it; after a while, any.
func (w *clusterWorld) busy() *clusterDaemon {
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for _, d := range w.daemons {
			var pid int
			err := w.db.QueryRow(w.t.Context(), `SELECT p.pid FROM locsync.leases l JOIN locsync.processes p ON p.id = l.holder
				WHERE l.project <> '' AND l.until > clock_timestamp() AND p.pid = $1 LIMIT 1`, d.cmd.Process.Pid).Scan(&pid)
			if err == nil {
				return d
			}
		}
	}
	return w.daemons[0]
}
