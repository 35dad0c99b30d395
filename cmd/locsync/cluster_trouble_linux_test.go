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
// started again: two passes of a project never have an effect at once, the budget is kept, and nothing is lost.
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
	scheduled := 2 * time.Duration(max(30, projects*3)) * time.Second // two schedules, or what the budget takes for all
	w.until(scheduled, "everything is pushed", func() bool {
		return w.all(func(p report.ProjectStatus) bool { return p.LastPush != nil && p.LastPush.Keys == 2 })
	})
	for round := range rounds {
		for number, trouble := range []func(){w.killed, w.stopped, w.restarted, w.cut} {
			text := fmt.Sprintf("Text %d.%d", round, number)
			p := w.projects[(round*4+number)%len(w.projects)]
			w.translate(p, text)
			trouble()
			w.until(scheduled, "a translation arrives: "+text, func() bool { return w.translated(p, text) })
		}
	}
	for i, p := range w.projects {
		w.edit(p, fmt.Sprint("edited ", i))
	}
	w.until(scheduled+time.Minute, "every edit is pushed", func() bool {
		return w.all(func(p report.ProjectStatus) bool { return p.LastPush.Keys == 1 && p.Pending == 0 })
	})
	w.holds()
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

// stopped stops a daemon for longer than its leases last, and wakes it up.
func (w *clusterWorld) stopped() {
	d := w.busy()
	w.check(d.cmd.Process.Signal(syscall.SIGSTOP))
	time.Sleep(25 * time.Second)
	w.check(d.cmd.Process.Signal(syscall.SIGCONT))
}

// restarted has the database fail for some seconds.
func (w *clusterWorld) restarted() {
	w.server.Stop()
	time.Sleep(3 * time.Second)
	w.check(w.server.Start())
}

// cut cuts a daemon off from the database for longer than its leases last.
func (w *clusterWorld) cut() {
	d := w.busy()
	d.line.sever()
	time.Sleep(25 * time.Second)
	if w.get(d, "/readyz", nil) == 200 {
		w.t.Error("a daemon without its database says that it is ready")
	}
	d.line.mend()
	w.until(guard, "the daemon takes part again", func() bool { return w.get(d, "/readyz", nil) == 200 })
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
