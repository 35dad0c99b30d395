package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/terminal"
	"github.com/locsync/locsync/sync/web"
)

// daemonPatience is how long the daemon may take to answer.
const daemonPatience = 3 * time.Second

func probesOfDaemon(d *doctor) []probe {
	probes := []probe{{"daemon", "", "daemon", d.probeDaemon}}
	if d.cfg != nil {
		probes = append(probes, probe{"daemon", "", "address", d.probeListen}, probe{"daemon", "", "others", d.probeOthers})
	}
	return probes
}

// askDaemon asks the daemon how things stand, which tells whether there is one, works, and has this configuration.
func (d *doctor) askDaemon(ctx context.Context) (report.Status, error) {
	dir, err := d.stateDir.get(ctx)
	if err != nil {
		return report.Status{}, fmt.Errorf("%w: %w", web.ErrNoDaemon, err)
	}
	identity := ""
	if d.cfg != nil {
		identity = engine.Identity(d.cfg)
	}
	ctx, cancel := context.WithTimeout(ctx, min(daemonPatience, d.limit()))
	defer cancel()
	answer, err := web.Ask(ctx, dir, web.Request{Action: "status", Identity: identity}, nil)
	if errors.Is(err, context.DeadlineExceeded) {
		err = web.ErrHangs
	}
	return answer.Status, err
}

func (d *doctor) probeDaemon(ctx context.Context, n *notes) {
	dir, err := d.stateDir.get(ctx)
	if err != nil {
		n.skip("daemon", "where its state is cannot be told")
		return
	}
	status, err := d.daemon.get(ctx)
	holder := boltledger.Claimed(dir)
	who := "a process"
	if holder != nil && holder.PID != 0 {
		who = fmt.Sprintf("process %d, since %s,", holder.PID, report.InUTC(holder.Since))
	}
	var other *web.Mismatch
	switch {
	case err == nil:
		n.ok("daemon", "it runs, %s", strings.TrimSuffix(who, ","))
		tellWatching(d, n, status)
	case errors.As(err, &other):
		n.warn("daemon", "have it read its configuration again (systemctl reload, or SIGHUP), or use its configuration",
			"process %d runs with another configuration, %s", other.PID, other.File)
	case errors.Is(err, web.ErrHangs):
		n.fault("daemon", report.ExitLater, "look at its log, and restart it", "%s does not answer",
			strings.TrimSuffix(who, ","))
	case holder != nil && errors.Is(err, web.ErrNoDaemon):
		n.warn("daemon", "where it is a command, wait until it ends; otherwise end it",
			"%s has the state and does not answer as a daemon", who)
	case errors.Is(err, web.ErrNoDaemon):
		n.ok("daemon", "not running; `locsync run` starts it")
	default:
		n.failed("daemon", err, "look at its log, and restart it")
	}
}

// tellWatching says how a daemon notices changes.
func tellWatching(d *doctor, n *notes, s report.Status) {
	for _, p := range s.Projects {
		switch w := p.Watch; {
		case w == nil:
		case w.Why != "":
			n.warn("watching", "file events, above, say what would help", "%s: files are compared every few seconds: %s",
				p.Name, w.Why)
		case w.Overflows > 0 || w.Unannounced > 0:
			n.ok("watching", "%s: %s by events; events were lost %s, and %s found what no event had announced", p.Name,
				terminal.Count(w.Watches, "folder"), report.Counted(w.Overflows, "time", "times"),
				terminal.Count(w.Unannounced, "full look"))
		default:
			n.ok("watching", "%s: %s by events, of which none was lost", p.Name, terminal.Count(w.Watches, "folder"))
		}
	}
}

// probeListen looks at the daemon's address: whose it is, whether it answers, and what it waits for.
func (d *doctor) probeListen(ctx context.Context, n *notes) {
	listen := d.cfg.Daemon.Listen
	if listen == "" {
		n.ok("address", `none (daemon.listen = ""): no status page, metrics, webhooks and callbacks`)
		return
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		n.fault("address", report.ExitWrong, "write it as host:port", "daemon.listen is %q", listen)
		return
	}
	if ip := net.ParseIP(host); host != "" && host != "localhost" && (ip == nil || !ip.IsLoopback()) || host == "" {
		n.warn("address", "let it listen on 127.0.0.1 behind a proxy that asks who they are, if that is not meant",
			"everybody who reaches %s can read the status page", listen)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	at := net.JoinHostPort(host, port)
	_, err = d.daemon.get(ctx)
	running := !errors.Is(err, web.ErrNoDaemon)
	code, said, err := get(ctx, d, "http://"+at+"/readyz")
	var dial *net.OpError
	switch {
	case !running && errors.As(err, &dial) && dial.Op == "dial":
		n.ok("address", "%s is free for the daemon", at)
	case !running && err != nil:
		n.warn("address", "choose another address in daemon.listen, or end the other program",
			"at %s something else takes connections: a daemon could not listen there", at)
	case err != nil:
		n.fault("address", report.ExitLater, "look at its log; where daemon.listen was changed, restart it or send SIGHUP",
			"the daemon does not answer at %s: %v", at, err)
	case !running:
		n.warn("address", "choose another address in daemon.listen, or end the other program",
			"at %s something else answers (%d): a daemon could not listen there", at, code)
	case code == http.StatusOK && said == "ready":
		n.ok("address", "http://%s answers, and is ready", at)
		probeVersion(ctx, d, n, at)
	case code == http.StatusServiceUnavailable:
		n.fault("address", report.ExitLater, "repair that; the daemon tries again by itself",
			"http://%s answers, and is not ready: %s", at, said)
	default:
		n.fault("address", report.ExitLater, "look whose address that is; where daemon.listen was changed, restart "+
			"the daemon or "+
			"send SIGHUP", "at %s something else answers (%d)", at, code)
	}
}

// RunningVersion finds the version in a daemon's metrics.
var RunningVersion = regexp.MustCompile(`(?m)^locsync_build_info\{[^}]*version="([^"]*)"`)

// probeVersion compares the daemon's program with this one: an update does not reach a daemon that goes on running.
func probeVersion(ctx context.Context, d *doctor, n *notes, at string) {
	_, metrics, err := get(ctx, d, "http://"+at+"/metrics")
	if err != nil {
		return // that it answers was seen a moment ago
	}
	if found := RunningVersion.FindStringSubmatch(metrics); found != nil && found[1] != d.o.Program.Version {
		n.warn("version", "restart the daemon (systemctl restart locsync)", "the daemon is locsync %s, and this is %s",
			found[1], d.o.Program.Version)
	}
}

// get makes a request at this machine; nothing that is set for others (proxies) counts.
func get(ctx context.Context, d *doctor, address string) (code int, said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, min(daemonPatience, d.limit()))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := (&http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, strings.TrimSpace(string(text)), err
}

// probeOthers looks for daemons with other states that keep the same projects in sync: each would take the other's
// commits for a person's changes.
func (d *doctor) probeOthers(ctx context.Context, n *notes) {
	dir, err := d.stateDir.get(ctx)
	if err != nil {
		n.skip("others", "where the state is cannot be told")
		return
	}
	others := process.OtherDaemons(ctx, d.cfg, dir)
	for _, other := range others {
		n.fault("others", report.ExitWrong, "stop that one, or use its configuration for both",
			"another daemon keeps project %q in sync already: %s", other.Project, other.Holder)
	}
	if len(others) == 0 {
		n.ok("others", "no other daemon works for the same projects here")
	}
}
