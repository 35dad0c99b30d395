// Package process opens what a process works with: the state or the cluster's database, the client of the service, the
// embedded service, the engine. Its law: a state belongs to one process at a time (see boltledger.Locked), and what was
// opened is closed in the opposite order. It runs no pass, prints nothing, and does not choose the configuration.
package process

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/secret"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/cluster"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/web"
)

// Options are what the one who opens a process decides.
type Options struct {
	Version  string // of this program, for the service
	Log      *zap.Logger
	Meter    *web.Meter         // is told of every request to the service; nil for none
	Progress func(report.Doing) // nil for none
	Patient  bool               // with a service that fails: nothing makes the work again later
}

// Process is what was opened. Engine and Store are nil after New.
type Process struct {
	Dir      string // of the state
	Engine   *engine.Engine
	Client   *service.Client
	Store    ledger.Store
	Cluster  *cluster.Cluster                  // nil where this process is alone
	ReadFile func(name string) ([]byte, error) // reads the file of a secret

	cfg   *config.Config
	o     Options
	close []io.Closer

	connected [sha256.Size]byte // a digest of what the client was made of,
	through   http.RoundTripper // and the embedded service that it calls; nil for another one
	embedded  *embedded
	closes    bool // Close closes the embedded service
}

// New is a process that has not opened anything yet.
func New(cfg *config.Config, dir string, o Options) *Process {
	return &Process{Dir: dir, ReadFile: secret.ReadFile, cfg: cfg, o: o,
		embedded: &embedded{dir: dir, log: o.Log}}
}

// Open opens the state and what works with it. A *boltledger.Locked error means that another process, most likely the
// daemon, has the state.
func Open(ctx context.Context, cfg *config.Config, o Options) (*Process, error) {
	dir, err := StateDir(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return New(cfg, dir, o).opened()
}

// OpenForDryRun is Open for a pass that changes nothing. One that would be the first to remember anything does that in
// a temporary folder, with an embedded service of its own. Clones are made for good all the same; they hold nothing but
// what the remote has, and take long.
func OpenForDryRun(ctx context.Context, cfg *config.Config, o Options) (*Process, error) {
	if slices.ContainsFunc(cfg.Projects, func(p config.Project) bool { return p.Cloned() }) {
		return Open(ctx, cfg, o)
	}
	if dir, err := StateDir(ctx, cfg); err != nil {
		return nil, err
	} else if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return Open(ctx, cfg, o)
	}
	dir, err := os.MkdirTemp("", "locsync-dry-run-")
	if err != nil {
		return nil, err
	}
	p := New(cfg, dir, o)
	p.close = append(p.close, closer(func() error { return os.RemoveAll(dir) }))
	return p.opened()
}

// opened opens what is kept in the process's folder, and what works with it.
func (p *Process) opened() (*Process, error) {
	if err := p.open(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Process) open() error {
	if err := p.openState(); err != nil {
		return err
	}
	if aside, why := p.Store.Rebuilt(); why != nil {
		p.o.Log.Warn("the state was damaged; it was moved aside and is rebuilt from the service and the branch",
			zap.String("moved_to", aside), zap.Error(why))
	}
	clearLeftovers(os.TempDir(), time.Now(), p.o.Log)
	if _, err := p.Connect(p.cfg); err != nil {
		return err
	}
	p.Engine = engine.New(p.Shared(engine.Parts{Config: p.cfg, Service: p.Client, State: p.Store, Log: p.o.Log,
		Progress: p.o.Progress, Clones: Clones(p.Dir)}))
	return nil
}

// openState opens what is remembered: a file, or a database that is shared with other processes. The folder is this
// process's alone in both cases, because clones are in it.
func (p *Process) openState() error {
	if !p.cfg.Clustered() {
		store, err := boltledger.Open(p.Dir)
		if err != nil {
			return err
		}
		p.Store = store
		p.close = append(p.close, store)
		return nil
	}
	claim, err := boltledger.TakeClaim(p.Dir, Absolute(p.Dir))
	if err != nil {
		return err
	}
	p.close = append(p.close, closer(func() error { claim.Release(); return nil }))
	if p.Cluster, err = Join(context.Background(), p.cfg, p.Dir, p.o.Log.Named("cluster")); err != nil {
		return err
	}
	p.Store = p.Cluster.Store()
	p.close = append(p.close, p.Cluster)
	return nil
}

// databasePatience is how long opening the cluster's database may take; another process may be changing its schema.
const databasePatience = time.Minute

// Join takes part in the cluster of a configuration; dir is where this process has its state, "" for one that only
// reads.
func Join(ctx context.Context, cfg *config.Config, dir string, log *zap.Logger) (*cluster.Cluster, error) {
	database, err := cfg.DatabaseURL(os.Getenv, secret.ReadFile)
	if err != nil {
		return nil, &failure.UsageError{Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, databasePatience)
	defer cancel()
	return cluster.Open(ctx, cluster.Options{Database: database.Reveal(), Folder: Absolute(dir), Log: log})
}

// Readdress prepares to reach the cluster's database as another configuration says; what it returns begins with that.
func (p *Process) Readdress(cfg *config.Config) (begin func(), err error) {
	if cfg.Clustered() != (p.Cluster != nil) {
		return nil, errors.New("[cluster] was added or taken away, which takes a restart of the daemon")
	}
	if p.Cluster == nil {
		return func() {}, nil
	}
	database, err := cfg.DatabaseURL(os.Getenv, p.ReadFile)
	if err != nil {
		return nil, &failure.UsageError{Err: err}
	}
	return p.Cluster.Readdress(database.Reveal())
}

// Shared adds to an engine's parts what this process shares with others.
func (p *Process) Shared(parts engine.Parts) engine.Parts {
	if p.Cluster != nil {
		parts.Cluster = p.Cluster
	}
	return parts
}

// Close closes in the opposite order of opening.
func (p *Process) Close() error {
	var errs []error
	for _, c := range slices.Backward(p.close) {
		errs = append(errs, c.Close())
	}
	p.close = nil
	return errors.Join(errs...)
}

// closer makes a function an io.Closer.
type closer func() error

func (c closer) Close() error { return c() }

// Reach makes the client of the configured service: through the daemon, where that has the embedded service open.
func (p *Process) Reach(ctx context.Context) (*service.Client, error) {
	if p.cfg.Service.Embedded() {
		if daemon, err := web.ServiceTransport(ctx, p.Dir); err == nil {
			return p.ConnectThrough(daemon)
		}
	}
	return p.Connect(p.cfg)
}

// Connect makes the client of a configuration's service; the one that there is, where it would be the same. The
// embedded service is started when it is needed first, and given the projects that it lacks.
func (p *Process) Connect(cfg *config.Config) (*service.Client, error) {
	o := service.Options{UserAgent: "locsync/" + p.o.Version}
	o.OnRequest = p.requested
	if p.o.Meter != nil {
		o.OnTurn = p.o.Meter.Turned
	}
	if cfg.Service.Embedded() {
		if !p.closes {
			p.closes, p.close = true, append(p.close, closer(p.embedded.shut))
		}
		started, err := p.embedded.start(cfg)
		if err != nil {
			return nil, err
		}
		o.BaseURL, o.AccountID, o.APIKey, o.Transport = embeddedURL, embeddedAccount, embeddedKey, started
		o.Own = true
	} else {
		key, err := APIKey(context.Background(), cfg, os.Getenv, p.ReadFile)
		if err != nil {
			return nil, &failure.UsageError{Err: err}
		}
		o.BaseURL, o.AccountID, o.APIKey = cfg.Service.URL, cfg.Service.AccountID, service.APIKey(key.Reveal())
		o.RequestsPerSecond, o.ShareOnHost = cfg.Service.RequestsPerSecond, true
		o.SlotDir = os.Getenv("LOCSYNC_BUDGET_DIR")
		o.Patience, o.GiveUp, err = p.patience()
		if err != nil {
			return nil, err
		}
		o.Warn = func(message string) { p.o.Log.Warn(message) }
		if p.Cluster != nil {
			o.Budget = p.Cluster
		}
	}
	made := sha256.Sum256(fmt.Appendf(nil, "%q", []any{o.BaseURL, o.AccountID, string(o.APIKey), o.RequestsPerSecond}))
	if p.Client != nil && p.connected == made && p.through == o.Transport {
		return p.Client, nil
	}
	p.connected, p.through = made, o.Transport
	return p.clientWith(o)
}

// fewAttempts is how long work of several calls goes on with a service that fails where people have no patience: some
// three attempts.
const fewAttempts = 4 * time.Second

// patience is how long calls go on while the service fails, and work of several calls.
func (p *Process) patience() (ofCalls, ofWork time.Duration, err error) {
	if !p.o.Patient {
		return 0, 0, nil
	}
	given, err := givenPatience()
	return given, cmp.Or(given, fewAttempts), err
}

// Patiently makes a context of a command, whose calls to git remotes go on as those to the service do.
func Patiently(ctx context.Context) (context.Context, error) {
	most, err := givenPatience()
	told := service.Telling(ctx)
	return gitops.Patient(ctx, most, func(w *gitops.Wait) {
		if w == nil {
			told(nil)
			return
		}
		told(&service.Wait{For: "the remote at " + w.Remote, Cause: w.Cause, Next: w.Next})
	}), err
}

func givenPatience() (time.Duration, error) {
	set := os.Getenv("LOCSYNC_PATIENCE")
	if set == "" {
		return service.Patience, nil
	}
	d, err := time.ParseDuration(set)
	if err != nil || d < 0 {
		return 0, &failure.UsageError{Err: fmt.Errorf(
			"LOCSYNC_PATIENCE in the environment: %q is not a duration such as 3m or 0s", set)}
	}
	return d, nil
}

// ConnectThrough makes the client of the embedded service that a daemon has open.
func (p *Process) ConnectThrough(daemon http.RoundTripper) (*service.Client, error) {
	return p.clientWith(service.Options{UserAgent: "locsync/" + p.o.Version,
		BaseURL: embeddedURL, AccountID: embeddedAccount, APIKey: embeddedKey, Transport: daemon, Own: true})
}

// ConnectWithoutKey makes a client that only finds out whether the service can be reached.
func (p *Process) ConnectWithoutKey() (*service.Client, error) {
	return p.clientWith(service.Options{UserAgent: "locsync/" + p.o.Version,
		BaseURL: p.cfg.Service.URL, RequestsPerSecond: p.cfg.Service.RequestsPerSecond})
}

func (p *Process) clientWith(o service.Options) (*service.Client, error) {
	client, err := service.New(o)
	if err != nil {
		return nil, &failure.UsageError{Err: err}
	}
	p.Client = client
	p.close = append(p.close, closer(func() error { client.Close(); return nil }))
	return client, nil
}

// requested logs a request, and counts it where the process has a meter.
func (p *Process) requested(r service.Request) {
	p.o.Log.Debug("request", zap.String("operation", r.Operation), zap.String("method", r.Method),
		zap.String("path", r.Path), zap.Int("status", r.Status), zap.Duration("took", r.Took))
	if p.o.Meter != nil {
		p.o.Meter.Requested(r.Operation, r.Status, r.Took)
	}
}
