package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// What projects cost in which nothing happens, with three daemons: requests, transactions of the database and processor
// time for each pass. The guide to operations reckons with these figures.
func TestClusterCost(t *testing.T) {
	if !soaking && os.Getenv("LOCSYNC_CLUSTER_COST") == "" {
		t.Skip("measures for a minute and asserts little; LOCSYNC_CLUSTER_COST=1 runs it")
	}
	const projects, measured = 20, time.Minute
	w := newClusterWorld(t, projects, 200, "@every 10s")
	for range 3 {
		w.start()
	}
	w.guardWrites()
	w.until(2*guard, "everything is pushed", func() bool {
		return w.all(func(p report.ProjectStatus) bool { return p.LastPush.Keys == 2 && p.LastPull != nil })
	})
	time.Sleep(15 * time.Second) // the first pulls compare everything
	passes, requests, queries, work := w.costs()
	time.Sleep(measured)
	p, r, q, c := w.costs()
	passes, requests, queries, work = p-passes, r-requests, q-queries, c-work
	if passes == 0 {
		t.Fatal("no pass was made")
	}
	share := func(n float64) string { return fmt.Sprintf("%.2f", n/float64(passes)) }
	t.Logf("%d passes in %v: for each %s requests, %s transactions, %s s of processor time, git included",
		passes, measured, share(float64(requests)), share(float64(queries)), share(work))
	w.holds()
}

// costs are the passes, requests and transactions so far, and the seconds of processor time of all daemons and the git
// programs that they have ended.
func (w *clusterWorld) costs() (passes, requests, queries int, work float64) {
	w.t.Helper()
	w.check(w.db.QueryRow(w.t.Context(), "SELECT sum(made) FROM locsync.passes").Scan(&passes))
	w.check(w.db.QueryRow(w.t.Context(), "SELECT xact_commit FROM pg_stat_database WHERE datname = 'locsync'").
		Scan(&queries))
	w.mu.Lock()
	requests = len(w.arrived)
	w.mu.Unlock()
	for _, d := range w.daemons {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", d.cmd.Process.Pid))
		w.check(err)
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		for _, at := range []int{11, 12, 13, 14} { // user and system, own and children's, in hundredths
			n, err := strconv.Atoi(fields[at])
			w.check(err)
			work += float64(n) / 100
		}
	}
	return passes, requests, queries, work
}
