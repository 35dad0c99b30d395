package process

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/check/examine"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// The embedded service has one account, which is not reached from outside: it is called inside this process only.
const (
	embeddedURL     = "http://embedded.invalid"
	embeddedAccount = "embedded"
	embeddedKey     = service.APIKey("embedded")
)

// ServiceDir is where the embedded service of a state folder has its data.
func ServiceDir(state string) string { return filepath.Join(state, "service") }

// embedded is the embedded service of a process. A daemon closes it beside its other work, hence the lock.
type embedded struct {
	dir string // of the state
	log *zap.Logger

	saved  atomic.Pointer[Saved]         // is told when a person has changed a text; nil for none
	checks atomic.Pointer[config.Config] // that was connected last

	mu     sync.Mutex
	open   *inProcess // nil while it is not needed
	pageAt string     // where the page is served; "" for no address
	needed bool       // by the configuration that was connected last, or that is in use (see Leave)
}

// start opens the embedded service, where it is not open, and makes the configured projects in it.
func (e *embedded) start(cfg *config.Config) (*inProcess, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.needed = true
	e.checks.Store(cfg)
	if e.open == nil {
		svc, err := local.Open(ServiceDir(e.dir), local.Options{AccountID: embeddedAccount,
			Keys: []string{string(embeddedKey)}, Pseudo: true, Trial: true, Logger: e.log.Named("service"),
			Saved: e.hasSaved, Checks: e.settings})
		if err != nil {
			err = fmt.Errorf("start the embedded service: %w", err)
			if _, is := errors.AsType[*local.SettingsError](err); is {
				err = failure.Usage(err)
			}
			return nil, err
		}
		svc.Page().SetAddress(e.pageAt)
		e.open = serveInProcess(svc)
	}
	wanted := make([]local.Wanted, 0, len(cfg.Projects))
	for _, p := range cfg.Projects {
		wanted = append(wanted, local.Wanted{ID: p.ID, Name: p.Name, Source: p.SourceLanguage, Targets: p.TargetLanguages})
	}
	if err := e.open.service.EnsureProjects(wanted...); err != nil {
		return e.open, fmt.Errorf("the embedded service: %w", err)
	}
	return e.open, nil
}

// settings are what the configuration says of a key.
func (e *embedded) settings(project, collection, key string) check.Settings {
	projects := e.checks.Load().Projects
	for i := range projects {
		if projects[i].ID == project {
			return examine.Settings(&projects[i], collection, key)
		}
	}
	return check.Settings{}
}

func (e *embedded) hasSaved(project string, complete bool) {
	if saved := e.saved.Load(); saved != nil {
		(*saved)(project, complete)
	}
}

// Saved is told of a project, by its identifier, in which a person has changed a text on the page of the embedded
// service, and whether its language is complete by that.
type Saved func(project string, complete bool)

// TranslatedBy has saved told of each change.
func (p *Process) TranslatedBy(saved Saved) { p.embedded.saved.Store(&saved) }

// TranslationPage is the page of the embedded service, while that is open.
func (p *Process) TranslationPage() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		open := p.embedded.opened()
		if open == nil {
			http.Error(w, "the embedded service is not in use", http.StatusNotFound)
			return
		}
		defer open.use()()
		open.service.Page().ServeHTTP(w, r)
	})
}

// PageAt says where the page is served, for invitations.
func (p *Process) PageAt(address string) {
	e := p.embedded
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pageAt = address; e.open != nil {
		e.open.service.Page().SetAddress(address)
	}
}

// Invite makes an invitation to the page of the embedded service, which is open.
func (p *Process) Invite(name string) (link string, err error) {
	return p.embedded.opened().service.Page().InvitationURL(name, false)
}

func (e *embedded) opened() *inProcess {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.open
}

// shut closes the embedded service, where it is open.
func (e *embedded) shut() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.shutLocked()
}

// shutLocked is shut where the lock is held. Where the service is needed again, there is a new one, and a new client.
func (e *embedded) shutLocked() error {
	open := e.open
	if open == nil {
		return nil
	}
	if open.withdraw != nil {
		open.withdraw()
	}
	e.open = nil
	return open.Close()
}

// UsingEmbedded is for the engine of a configuration (see engine.Parts.Using); nil where that has another service.
func (p *Process) UsingEmbedded(cfg *config.Config) func() (done func()) {
	e := p.embedded
	e.mu.Lock()
	defer e.mu.Unlock()
	if !cfg.Service.Embedded() || e.open == nil {
		return nil
	}
	return e.open.use
}

// OfferEmbedded has the embedded service served to commands, where it is open and not served yet. What offer returns is
// called before the service is closed.
func (p *Process) OfferEmbedded(offer func(service http.Handler) (withdraw func())) {
	e := p.embedded
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open != nil && e.open.withdraw == nil {
		e.open.withdraw = offer(e.open.service.Commands())
	}
}

// Leave is told which configuration is in use. Where that does not need the embedded service that is open, it returns a
// function that closes it once it is not used any more: done tells that it is closed, or needed again.
func (p *Process) Leave(cfg *config.Config) (try func() (done bool, err error)) {
	e := p.embedded
	e.mu.Lock()
	defer e.mu.Unlock()
	e.needed = cfg.Service.Embedded()
	open := e.open
	if e.needed || open == nil || open.leaving {
		return nil
	}
	open.leaving = true
	return func() (bool, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		switch {
		case e.needed:
			open.leaving = false
			return true, nil
		case open.users.Load() > 0:
			return false, nil
		}
		return true, e.shutLocked()
	}
}
