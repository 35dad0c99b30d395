package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// A daemon of another version than the program's is told of.
func TestDoctorOfTheDaemonsVersion(t *testing.T) {
	for running, warned := range map[string]bool{"1.2.3": false, "0.0.1": true} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/readyz" {
				fmt.Fprintln(w, "ready")
				return
			}
			fmt.Fprintf(w, "# TYPE locsync_build_info gauge\nlocsync_build_info{go=\"go1\",version=%q} 1\n", running)
		}))
		d := &doctor{cfg: config.Default(), o: Options{Limit: 10 * time.Second,
			Program: report.Build{Version: "1.2.3"}},
			daemon: newFact(func() (report.Status, error) { return report.Status{}, nil })}
		d.cfg.Daemon.Listen = s.Listener.Addr().String()
		n := &notes{}
		d.probeListen(t.Context(), n)
		found := n.close()
		if last := found[len(found)-1]; found[0].Level != report.LevelOK ||
			(last.Check == "version" && last.Level == report.LevelWarning) != warned {
			t.Errorf("%s: %+v", running, found)
		}
		s.Close()
	}
}

// What is told of the way to the service, as far as no service here can show it.
func TestDoctorDescribesTheConnection(t *testing.T) {
	d := &doctor{cfg: config.Default(), now: time.Now}
	d.cfg.Service.URL = "http://service.example"
	for name, x := range map[string]struct {
		tell func(n *notes)
		want string
	}{
		"slow": {func(n *notes) {
			tellAddress(d, n, service.Contact{Address: "https://a.example",
				Peer: "1.2.3.4:443", RoundTrip: 3 * time.Second},
				nil)
		}, "address warning takes 3s"},
		"http": {func(n *notes) {
			tellAddress(d, n, service.Contact{Address: "http://a.example", Peer: "1.2.3.4:80", RoundTrip: 1}, nil)
		}, "address warning can read the API key"},
		"silent": {func(n *notes) {
			tellAddress(d, n, service.Contact{Address: "http://127.0.0.1", Peer: "127.0.0.1:80"}, errors.New("cut"))
		}, "address fault does not answer: cut"},
		"soon too old": {func(n *notes) {
			tellCertificate(d, n, service.Certificate{Expires: time.Now().Add(72*time.Hour + time.Minute)})
		}, "certificate warning ends in 3 days"},
		"good for long": {func(n *notes) {
			tellCertificate(d, n, service.Certificate{Expires: time.Now().Add(1000 * time.Hour)})
		}, "certificate ok good for 41 days"},
		"alone": {func(n *notes) { tellBudget(d, n, service.Budget{}) }, "budget warning this process alone"},
		"one user's": {func(n *notes) { tellBudget(d, n, service.Budget{Folder: "/home/u"}) },
			"budget warning this user alone"},
		"everybody's": {func(n *notes) { tellBudget(d, n, service.Budget{Folder: "/run/lock", Shared: true}) },
			"budget ok /run/lock"},
		"polling": {func(n *notes) {
			tellWatching(d, n, report.Status{Projects: []report.ProjectStatus{{Name: "app",
				Process: report.Process{Watch: &report.Watching{Mode: "poll", Why: "it is NFS"}}}}})
		}, "watching warning it is NFS"},
	} {
		n := &notes{}
		x.tell(n)
		found := n.close()
		last := found[len(found)-1]
		part := strings.SplitN(x.want, " ", 3)
		if last.Check != part[0] || last.Level != part[1] || !strings.Contains(last.Found, part[2]) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// What hangs is named, and holds up nothing that does not; the end comes in time, in the order of the probes.
func TestExamineEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		free := make(chan struct{})
		found, hung := examine(t.Context(), time.Minute, []probe{
			{"a", "", "slow", func(ctx context.Context, n *notes) { <-ctx.Done(); n.ok("slow", "said at the end") }},
			{"b", "p", "deaf", func(_ context.Context, n *notes) {
				n.ok("first", "before")
				<-free
				n.ok("late", "after")
			}},
			{"c", "", "deaf too", func(context.Context, *notes) { <-free }},
			{"d", "", "quick", func(_ context.Context, n *notes) { n.skip("quick", "no need") }},
		})
		if took := time.Since(began); took > 75*time.Second || !hung {
			t.Errorf("it took %v, hung: %t", took, hung)
		}
		close(free)
		synctest.Wait()
		var got []string
		for _, f := range found {
			got = append(got, f.Area+f.Project+" "+f.Check+" "+f.Level)
		}
		if all := strings.Join(got,
			", "); all != "a slow ok, bp first ok, bp deaf fault, c deaf too fault, d quick skipped" {
			t.Error(all)
		}
		if outcome(found) != report.ExitLater {
			t.Errorf("exit code %d", outcome(found))
		}
	})
}

// The limits that a test cannot reach: a full disk, a clock before the program was built.
func TestDoctorOfLimits(t *testing.T) {
	for free, want := range map[int64]string{5 << 20: report.LevelFault, 50 << 20: report.LevelWarning,
		500 << 20: report.LevelOK} {
		d, n := &doctor{freeSpace: func(string) (int64, bool) { return free, true }}, &notes{}
		probeDisk(d, n, t.TempDir())
		found := n.close()
		if last := found[len(found)-1]; last.Check != "disk" || last.Level != want {
			t.Errorf("%d bytes: %+v", free, last)
		}
	}
	d, n := &doctor{now: func() time.Time { return time.Unix(0, 0) }, built: time.Unix(1, 0),
		getenv: func(string) string { return "" }}, &notes{}
	d.probeProgram(t.Context(), n)
	for _, f := range n.close() {
		if f.Check == "clock" && f.Level != report.LevelWarning {
			t.Errorf("%+v", f)
		}
	}
}

// A release is compared with the newest one, by its numbers. Where that is not known, where it is turned off, and of a
// program that was built from source, nothing is wrong.
func TestNewestRelease(t *testing.T) {
	newest, asked := "v1.10.0", 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path != "/latest" {
			t.Errorf("%s is asked for", r.URL.Path)
		}
		w.Header().Set("Location", "https://example.com/releases/tag/"+newest)
		w.WriteHeader(http.StatusFound)
	}))
	defer server.Close()
	probe := func(version, releases string, offline bool) string {
		d, n := &doctor{o: Options{Program: report.Build{Version: version}, Offline: offline},
			getenv: func(string) string { return releases }}, &notes{}
		d.probeRelease(t.Context(), n)
		said := ""
		for _, f := range n.close() {
			said += f.Level + ": " + f.Found
		}
		return said
	}
	for version, want := range map[string]string{"1.9.2": "warning: locsync v1.10.0 is released",
		"1.10.0": "ok: there is none newer", "1.11.0": "ok: there is none newer", "devel": "",
		"v0.0.0-20261201": "warning: locsync v1.10.0 is released"} {
		if got := probe(version, server.URL, false); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
	before := asked
	if got := probe("1.0.0", "none", false) + probe("1.0.0", server.URL, true); got != "" || asked != before {
		t.Errorf("turned off: %q, and %d requests", got, asked-before)
	}
	if got := probe("1.0.0", "http://127.0.0.1:1", false); !strings.HasPrefix(got, report.LevelSkipped) {
		t.Errorf("without an answer: %q", got)
	}
	newest = "none"
	if got := probe("1.0.0", server.URL, false); !strings.HasPrefix(got, report.LevelSkipped) {
		t.Errorf("without a release: %q", got)
	}
}

// An error's last words are what to do, unless there are none.
func TestFaultOf(t *testing.T) {
	for _, x := range []struct {
		err       error
		found, do string
		code      int
	}{
		{errors.New("it is down; try later"), "it is down", "try later", report.ExitLater},
		{errors.New("it is down"), "it is down", "look", report.ExitLater},
		{errors.New("one; two: three"), "one; two: three", "look", report.ExitLater},
		{fmt.Errorf("x: %w; add a key", gitops.ErrAuth), "x: " + gitops.ErrAuth.Error(), "add a key", report.ExitWrong},
		{wrongUse(errors.New("y")), "y", "look", report.ExitWrong},
	} {
		if f := faultOf("c", x.err, "look"); f.Found != x.found || f.Do != x.do || f.Code != x.code {
			t.Errorf("%v: %+v", x.err, f)
		}
	}
}
