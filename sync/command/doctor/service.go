package doctor

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/terminal"
	"github.com/locsync/locsync/sync/web"
)

// errAsleep: the embedded service lives in the daemon, or for as long as a command needs it.
var errAsleep = errors.New("the embedded service is in no process now; the daemon and the commands start it")

// connectEmbedded makes the client of the embedded service that a daemon has. Without a daemon it is not started: that
// would write into its folder.
func connectEmbedded(ctx context.Context, d *doctor, p *process.Process) error {
	daemon, err := web.ServiceTransport(ctx, p.Dir)
	if errors.Is(err, web.ErrNoDaemon) {
		return errAsleep
	}
	if err == nil {
		_, err = p.ConnectThrough(daemon)
	}
	return err
}

// contact makes that call. The error is why none was made.
func (d *doctor) contact(ctx context.Context) (contacted, error) {
	if d.o.Offline {
		return contacted{}, errOffline
	}
	p, err := d.service.get(ctx)
	if err != nil {
		return contacted{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.limit())
	defer cancel()
	met, err := p.Client.Contact(service.As(ctx, service.Asked))
	return contacted{p.Client, met, err}, nil
}

// reach is a client of a service that answers and accepts who we are. Where there is none, the probe of the address
// says why, and others have nothing to ask.
func reach(ctx context.Context, d *doctor, n *notes, check string) *service.Client {
	c, err := d.contacted.get(ctx)
	switch {
	case err == nil && c.err != nil:
		n.skip(check, "the service does not answer as it should")
	case err == nil:
		return c.client
	}
	return nil
}

func probesOfService(d *doctor) []probe {
	const area = "service"
	probes := []probe{{area, "", "address", d.probeAddress}}
	for _, p := range d.cfg.Projects {
		probes = append(probes, probe{area, p.Name, "project", func(ctx context.Context, n *notes) {
			probeProject(ctx, d, n, p.Name)
		}})
	}
	if !d.cfg.Service.Embedded() {
		probes = append(probes, probe{area, "", "callback", d.probeCallback})
	}
	return probes
}

// probeAddress goes the way to the service once: name, connection, certificate, credentials, clock.
func (d *doctor) probeAddress(ctx context.Context, n *notes) {
	c, err := d.contacted.get(ctx)
	switch {
	case errors.Is(err, errOffline):
		n.skip("address", err.Error())
		return
	case errors.Is(err, errAsleep):
		n.ok("address", "%v", err)
		return
	case err != nil:
		n.failed("address", err, "correct [service]")
		return
	}
	met, err := c.met, c.err
	tellAddress(d, n, met, err)
	if met.Certificate != nil {
		tellCertificate(d, n, *met.Certificate)
	}
	if met.RoundTrip == 0 {
		return
	}
	tellCredentials(d, n, met, err)
	switch {
	case !met.Told:
		n.ok("clock", "the service tells no time")
	case met.Ahead.Abs() > clockSlack:
		n.warn("clock", "set the clock of this machine, or let it be set (timedatectl set-ntp true)",
			"the service's is %s %s this machine's", terminal.Span(met.Ahead.Abs()), sooner(met.Ahead))
	default:
		n.ok("clock", "the service's and this machine's agree")
	}
	tellBudget(d, n, c.client.Budget())
}

const (
	clockSlack = 30 * time.Second // the service tells its time in whole seconds, and the answer was on its way
	slowAnswer = 2 * time.Second
	soonEnds   = 14 * 24 * time.Hour
)

func sooner(ahead time.Duration) string {
	if ahead > 0 {
		return "ahead of"
	}
	return "behind"
}

// tellAddress says how far the way to the service went.
func tellAddress(d *doctor, n *notes, met service.Contact, err error) {
	if d.cfg.Service.Embedded() {
		n.ok("address", "the embedded service answers, in the daemon")
		return
	}
	peer := met.Peer
	if proxy := proxyOf(met.Address); proxy != "" {
		peer += ", the proxy of the environment"
	}
	var unknown *net.DNSError
	switch {
	case met.RoundTrip > 0 && met.RoundTrip < slowAnswer:
		n.ok("address", "%s (%s) answers in %s", met.Address, peer, rounded(met.RoundTrip))
	case met.RoundTrip > 0:
		n.warn("address", "where it stays so, pulls and pushes take long; look at the way there",
			"%s (%s) takes %s to answer", met.Address, peer, rounded(met.RoundTrip))
	case errors.As(err, &unknown):
		n.fault("address", report.ExitLater, "correct service.url, or look whether the network and its name server work",
			"the name %q cannot be resolved: %v", unknown.Name, unknown.Err)
	case met.Certificate != nil:
		n.fault("address", report.ExitWrong, "correct service.url, renew the certificate at the service, or let "+
			"this machine "+
			"trust who signed it", "%s (%s) does not prove who it is: %v", met.Address, peer, reason(err))
	case met.Peer != "":
		n.fault("address", report.ExitLater, "look whether that is the service's address, http or https, and whether "+
			"the service "+
			"is up", "%s (%s) takes the connection and does not answer: %v", met.Address, peer, reason(err))
	default:
		n.fault("address", report.ExitLater, "look whether the service is up, and whether a firewall or a missing proxy "+
			"(HTTPS_PROXY) is in the way", "%s does not take a connection: %v", met.Address, reason(err))
	}
	if u, perr := url.Parse(met.Address); perr == nil && u.Scheme == "http" && !bound.Loopback(u.Hostname()) {
		n.warn("address", "use https, if the service has it", "over http everybody on the way can read the API key")
	}
}

// reason is what is at the bottom of an error of the service.
func reason(err error) error {
	var e *service.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err
	}
	return err
}

// proxyOf is the proxy that the environment names for an address; "" for none.
func proxyOf(address string) string {
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return ""
	}
	proxy, err := http.ProxyFromEnvironment(req)
	if err != nil || proxy == nil {
		return ""
	}
	return proxy.Host
}

func tellCertificate(d *doctor, n *notes, c service.Certificate) {
	left := c.Expires.Sub(d.now())
	switch {
	case left <= 0:
		n.fault("certificate", report.ExitLater, "renew it at the service; where it is not that old, set the clock of "+
			"this machine",
			"it ended %s, %s", terminal.Ago(c.Expires, d.now()), report.InUTC(c.Expires))
	case left < soonEnds:
		n.warn("certificate", "renew it at the service", "it ends %s, %s", terminal.Ago(c.Expires, d.now()),
			report.InUTC(c.Expires))
	default:
		n.ok("certificate", "good for %s, signed by %s", terminal.Span(left), c.Issuer)
	}
}

func tellCredentials(d *doctor, n *notes, met service.Contact, err error) {
	var rejected *service.Error
	switch {
	case errors.As(err, &rejected) && rejected.Account == "" && errors.Is(err, service.ErrAuth):
		n.skip("credentials", "there is no API key to try")
	case errors.Is(err, service.ErrAuth):
		n.failed("credentials", err, "check service.account_id and the API key")
	case err != nil:
		n.failed("credentials", err, "try again later; where it stays so, ask who runs the service")
	case met.Account.Name != "" || met.Account.ID != "":
		n.ok("credentials", "accepted, for the account %s", terminal.OrNone(met.Account.Name))
	default:
		n.ok("credentials", "accepted")
	}
}

func tellBudget(d *doctor, n *notes, b service.Budget) {
	const do = "let LOCSYNC_BUDGET_DIR name a folder that all locsync processes of this account can write to"
	switch {
	case d.cfg.Service.Embedded():
	case b.Folder == "":
		n.warn("budget", do, "requests are counted in this process alone: beside another one the service sees more than %g "+
			"a second", d.cfg.Service.RequestsPerSecond)
	case !b.Shared:
		n.warn("budget", do, "requests are counted in %s, for this user alone: beside another user's the service sees more "+
			"than %g a second", b.Folder, d.cfg.Service.RequestsPerSecond)
	default:
		n.ok("budget", "%g requests a second, counted in %s", d.cfg.Service.RequestsPerSecond, b.Folder)
	}
}

// probeProject asks whether the service has the project with its languages, and its forge the repository.
func probeProject(ctx context.Context, d *doctor, n *notes, name string) {
	client := reach(ctx, d, n, "project")
	if client == nil {
		return
	}
	// of remote repositories: their forges are known by their addresses
	clones, err := d.scratchFolder("clones")
	if err != nil {
		n.failed("project", err, noScratch)
		return
	}
	e := engine.New(engine.Parts{Config: d.cfg, Log: zap.NewNop(), Service: client, Clones: clones})
	problems := e.CheckProjectOnline(service.As(ctx, service.Asked), name)
	for _, err := range problems {
		if engine.Permanent(err) {
			n.fault("project", report.ExitWrong, "locsync project plan shows how the two differ, and locsync "+
				"project apply adds "+
				"languages", "%v", err)
		} else {
			n.failed("project", err, "try again later; where it stays so, ask who runs the service")
		}
	}
	if len(problems) == 0 {
		n.ok("project", "the service has it, with all its languages")
	}
}

// probeCallback compares the registered address for notifications with the configured one, as project plan does.
func (d *doctor) probeCallback(ctx context.Context, n *notes) {
	if d.cfg.Daemon.PublicURL == "" {
		n.ok("callback", "none is wanted (daemon.public_url): the service is asked on schedule only")
		return
	}
	client := reach(ctx, d, n, "callback")
	if client == nil {
		return
	}
	want, err := process.Callback(d.cfg)
	if err != nil {
		n.failed("callback", err, "locsync project plan")
		return
	}
	have, err := client.Callbacks().Read(service.As(ctx, service.Asked))
	switch {
	case err != nil && !errors.Is(err, service.ErrNotFound):
		n.failed("callback", err, "locsync project plan")
	case have.URL != want.URL:
		n.warn("callback", "locsync project apply", "the service's notifications go to %s, and not to %s",
			terminal.OrNone(have.URL), want.URL)
	case !slices.Equal(have.AdditionalHeaders, want.AdditionalHeaders):
		n.warn("callback", "locsync project apply", "the service's notifications go to %s with other headers, and not with "+
			"the configured %s", have.URL, d.cfg.Daemon.CallbackHeader)
	default:
		n.ok("callback", "the service's notifications go to %s/callback; whether that reaches the daemon from outside is "+
			"not tried", d.cfg.Daemon.PublicURL)
	}
}
