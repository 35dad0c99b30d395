package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

var (
	clusterSeed  = flag.Uint64("cluster.seed", 0, "what TestClusterTrouble draws from; 0 takes one from the clock")
	clusterLasts = flag.Duration("cluster.for", 0,
		"how long TestClusterTrouble makes trouble; 0: once, or half an hour")
)

// trouble is what three daemons go through while people write and translate.
type trouble struct {
	*clusterWorld
	rnd   *rand.Rand
	every time.Duration // two texts, one of each side, are written this often
	most  time.Duration // how long a text, and a project, may wait

	looked, wrote time.Time
	texts         int
	awaited       []awaited
	last          map[awaitedOf]string // what was written last
	pulled        map[string]pulled    // by project
	slowest       time.Duration        // text
	rarest        time.Duration        // time between two pulls of a project
	faults        map[string]int
}

// awaitedOf is a text of a project: of its source, which travels to the service, or a translation, which comes from it.
type awaitedOf struct {
	project     int
	translation bool
}

// awaited is a text that is under way.
type awaited struct {
	awaitedOf
	text  string
	since time.Time
}

// pulled is when a project was pulled last, by the database's clock and by this one, and which pass that was.
type pulled struct {
	there, here time.Time
	made        int64
}

// Three daemons share projects while they are killed, stopped and woken, cut off from the database, and the database is
// started again with another clock: two passes of a project never have an effect at once, the budget is kept, nothing
// is lost, and every text has arrived and every project was pulled within two schedules.
func TestClusterTrouble(t *testing.T) {
	if os.Getenv("LOCSYNC_ALL_TESTS") == "" && !soaking {
		t.Skip("takes minutes; LOCSYNC_ALL_TESTS=1 runs it")
	}
	projects, schedule, lasts, pause := 6, 15*time.Second, time.Duration(0), time.Second
	x := &trouble{every: 3 * time.Second, most: 2*schedule + guard, faults: make(map[string]int),
		last: make(map[awaitedOf]string), pulled: make(map[string]pulled)}
	if soaking {
		// A project in which nothing happens takes a request for each push and each pull: half of the budget in all.
		projects, schedule, lasts, pause = 200, 4*time.Minute, 30*time.Minute, time.Minute
		x.every, x.most = 15*time.Second, 2*schedule
	}
	if *clusterLasts > 0 {
		lasts = *clusterLasts
	}
	seed := *clusterSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-cluster.seed=%d", seed)
	x.rnd = rand.New(rand.NewPCG(seed, 0))
	x.clusterWorld = newClusterWorld(t, projects, 4, "@every "+schedule.String())
	if soaking {
		x.rescan = schedule.String()
	}
	x.start()
	x.guardWrites()
	x.start()
	x.start()
	begun := time.Now()
	x.until(x.most, "everything is pushed", func() bool {
		return x.all(func(p report.ProjectStatus) bool { return p.LastPush != nil && p.LastPush.Keys == 2 })
	})
	t.Logf("%d projects were pushed in %v", projects, time.Since(begun).Round(time.Second))
	x.meanwhile = x.goOn
	for begun = time.Now(); ; {
		kinds := []func(){x.killed, x.silenced, x.restarted}
		x.rnd.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
		for _, trouble := range kinds {
			trouble()
			x.calm(time.Duration(x.rnd.Int64N(int64(pause))))
		}
		if time.Since(begun) >= lasts {
			break
		}
	}
	x.every = time.Hour // nothing is written any more
	x.until(x.most, "every text arrives", func() bool { return len(x.awaited) == 0 })
	x.ends(time.Since(begun))
}

// calm lets some time pass in which nothing fails.
func (x *trouble) calm(lasts time.Duration) {
	end := time.Now().Add(lasts)
	x.until(lasts+guard, "some time passes", func() bool { return time.Now().After(end) })
}

// goOn writes texts, and sees whether those that are under way have arrived, and when projects were pulled.
func (x *trouble) goOn() {
	x.t.Helper()
	if time.Since(x.looked) < time.Second/2 {
		return
	}
	x.looked = time.Now()
	if time.Since(x.wrote) >= x.every {
		x.wrote = time.Now()
		x.write(awaitedOf{x.rnd.IntN(len(x.projects)), false})
		x.write(awaitedOf{x.rnd.IntN(len(x.projects)), true})
	}
	x.pulls()
	if len(x.awaited) == 0 {
		return
	}
	a := x.awaited[0] // they are seen in turn
	x.awaited = x.awaited[1:]
	took := time.Since(a.since)
	if strings.Contains(x.there(a.awaitedOf), a.text) {
		x.slowest = max(x.slowest, took)
		return
	}
	if took > x.most {
		x.t.Fatalf("%q of %s did not arrive in %v\n%s", a.text, x.projects[a.project].name, x.most, x.state())
	}
	x.awaited = append(x.awaited, a)
}

// write writes a text, where none of that project and side is under way.
func (x *trouble) write(of awaitedOf) {
	x.t.Helper()
	if slices.ContainsFunc(x.awaited, func(a awaited) bool { return a.awaitedOf == of }) {
		return
	}
	x.texts++
	a := awaited{of, fmt.Sprintf("Text %d.", x.texts), time.Now()}
	if of.translation {
		x.translate(x.projects[of.project], a.text)
	} else {
		x.edit(x.projects[of.project], a.text)
	}
	x.last[of] = a.text
	x.awaited = append(x.awaited, a)
}

// there is what the side has that a text travels to.
func (x *trouble) there(of awaitedOf) string {
	x.t.Helper()
	p := x.projects[of.project]
	if of.translation {
		return x.branch(p)
	}
	c, err := service.New(service.Options{BaseURL: x.service.URL, AccountID: "acc", APIKey: "secret",
		Transport: marked{http.DefaultTransport}})
	x.check(err)
	defer c.Close()
	ctx, cancel := context.WithTimeout(x.t.Context(), guard)
	defer cancel()
	id, err := c.Strings().StartExport(ctx, service.ExportRequest{Project: p.id, Languages: []string{"en"}})
	x.check(err)
	archive, err := c.Strings().Download(ctx, id, x.t.TempDir())
	x.check(err)
	defer archive.Close()
	content, err := io.ReadAll(archive.Content())
	x.check(err)
	return string(content)
}

// pulls sees which projects were pulled, and that none waits for too long.
func (x *trouble) pulls() {
	x.t.Helper()
	rows, err := x.db.Query(x.t.Context(), "SELECT project, changed, made FROM locsync.passes "+
		"WHERE pass = 'pull' AND wait = '0'")
	if err != nil {
		return // the database is away
	}
	var project string
	var at time.Time
	var made int64
	_, _ = pgx.ForEachRow(rows, []any{&project, &at, &made}, func() error {
		switch last := x.pulled[project]; {
		case last.there.IsZero():
			x.pulled[project] = pulled{at, time.Now(), made}
		case !last.there.Equal(at) && last.made != made: // else what is due was moved
			x.rarest = max(x.rarest, time.Since(last.here))
			x.pulled[project] = pulled{at, time.Now(), made}
		case time.Since(last.here) > x.most:
			x.t.Fatalf("%s was not pulled in %v\n%s", project, x.most, x.state())
		}
		return nil
	})
}

// ends checks what holds at the end, and tells what was measured.
func (x *trouble) ends(lasted time.Duration) {
	x.t.Helper()
	for of, text := range x.last {
		if there := x.there(of); !strings.Contains(there, text) {
			x.t.Errorf("%q of %s is lost: %s", text, x.projects[of.project].name, there)
		}
	}
	x.holds()
	var passes int
	x.check(x.db.QueryRow(x.t.Context(), "SELECT sum(made) FROM locsync.passes").Scan(&passes))
	x.t.Logf("%v: %d passes, %d texts, the slowest %v under way, %v between two pulls of a project at most; %v",
		lasted.Round(time.Second), passes, x.texts, x.slowest.Round(time.Second), x.rarest.Round(time.Second), x.faults)
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
func (x *trouble) killed() {
	x.faults["killed"]++
	d := x.busy()
	x.check(d.cmd.Process.Kill())
	_ = d.cmd.Wait()
	x.launch(d)
}

// silenced stops a daemon, and cuts another one off from the database, until their passes are the third one's; then
// they take part again.
func (x *trouble) silenced() {
	x.faults["silenced"]++
	stopped := x.busy()
	cut := x.daemons[(stopped.number+1)%len(x.daemons)]
	x.check(stopped.cmd.Process.Signal(syscall.SIGSTOP))
	cut.line.sever()
	for _, d := range []*clusterDaemon{stopped, cut} {
		x.until(2*guard, "what a silent daemon had is taken over", func() bool { return x.hasNothing(d) })
	}
	x.until(guard, "a daemon without its database is not ready", func() bool { return x.get(cut, "/readyz", nil) != 200 })
	x.check(stopped.cmd.Process.Signal(syscall.SIGCONT))
	cut.line.mend()
	x.until(guard, "the daemon takes part again", func() bool { return x.get(cut, "/readyz", nil) == 200 })
}

// hasNothing reports whether a daemon is silent, and has neither a lease nor a job. A time that is later than now was
// written before the database's clock went back.
func (w *clusterWorld) hasNothing(d *clusterDaemon) (is bool) {
	w.t.Helper()
	w.check(w.db.QueryRow(w.t.Context(), `SELECT NOT p.seen BETWEEN now() - interval '15 seconds' AND now()
		AND NOT EXISTS (SELECT FROM locsync.leases
			WHERE holder = p.id AND until BETWEEN now() AND now() + interval '25 seconds')
		AND NOT EXISTS (SELECT FROM locsync.river_job
			WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = p.id)
		FROM locsync.processes p WHERE p.pid = $1`, d.cmd.Process.Pid).Scan(&is))
	return is
}

// restarted has the database fail for some seconds, and come back with a clock that is five minutes off, the next time
// with the right one: it differs from those of all processes, and goes back.
func (x *trouble) restarted() {
	off := "+5m"
	if x.rnd.IntN(2) == 0 && soaking {
		off = "-5m"
	}
	x.faults["restarted "+off]++
	for _, clock := range []string{off, ""} {
		x.server.Stop()
		x.until(guard, "a daemon notices", func() bool { return x.get(x.daemons[0], "/readyz", nil) != 200 })
		x.server.Clock = clock
		x.check(x.server.Start())
		for _, d := range x.daemons {
			x.until(guard, "the daemon takes part again", func() bool { return x.get(d, "/readyz", nil) == 200 })
		}
		if clock != "" {
			x.t.Logf("the database's clock is off by %v", x.clockOff().Round(time.Second))
			x.asked()
		}
	}
}

// asked has a translation arrive that a daemon is told of.
func (x *trouble) asked() {
	p := x.projects[x.rnd.IntN(len(x.projects))]
	of := awaitedOf{slices.Index(x.projects, p), true}
	x.until(x.most, "nothing of the project is under way", func() bool {
		return !slices.ContainsFunc(x.awaited, func(a awaited) bool { return a.awaitedOf == of })
	})
	x.write(of)
	resp, err := asking.Post(x.daemons[x.rnd.IntN(len(x.daemons))].url+"/trigger?action=pull&project="+p.name, "", nil)
	x.check(err)
	resp.Body.Close()
	text := x.last[of]
	x.until(x.most, "a translation that was asked for arrives: "+text, func() bool { return x.translated(p, text) })
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
			err := w.db.QueryRow(w.t.Context(),
				`SELECT p.pid FROM locsync.leases l JOIN locsync.processes p ON p.id = l.holder
				WHERE l.project <> '' AND l.until > clock_timestamp() AND p.pid = $1 LIMIT 1`, d.cmd.Process.Pid).Scan(&pid)
			if err == nil {
				return d
			}
		}
	}
	return w.daemons[0]
}
