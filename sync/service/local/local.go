// Package local is the embedded translation service: the service interface over HTTP, stored in one folder, so that
// the whole loop runs on a machine without an account anywhere, and so that tests meet the real protocol.
//
// Its law: what was answered is stored. A call that changed something, or started a job, is answered after it is on
// the disk; a job that a crash cut off goes on where it was, and counts nothing twice. The other half of the law: a
// call that is refused has changed nothing, and its answer names the parameter or member that is at fault.
//
// Here the parts are put together, and the calls answered that belong to none of them. How calls are read is in api,
// what is stored in store, what takes time in jobs. Keys (import, export), documents (with editor, statistics,
// tasks), memory, glossary, files, projects and callbacks have the calls on what they are called by, page the one for
// people; none of them imports this package. It does not translate: a translation comes in by an import, from a person,
// from a translation memory or an engine elsewhere (machine), or is made up by the pseudo-translation that stands for
// an engine.
//
// A change that the interface notifies of is stored together with the notification, which goes out when the change is
// on the disk: at least once, in no order, until the receiver took it or eight more attempts failed.
//
// Every body has a limit (api), all bodies in memory together have one, and files of the storage go to the disk as
// they come. What unfolds (archives, workbooks, nested documents) is measured before it is unfolded. What cannot be
// taken is refused with the position where it became too much; a fault inside a call is that call's 500 and no
// other's.
package local

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/backup"
	"github.com/locsync/locsync/sync/service/local/callbacks"
	"github.com/locsync/locsync/sync/service/local/clients"
	"github.com/locsync/locsync/sync/service/local/documents"
	"github.com/locsync/locsync/sync/service/local/files"
	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/local/glossary"
	"github.com/locsync/locsync/sync/service/local/jobs"
	"github.com/locsync/locsync/sync/service/local/keys"
	"github.com/locsync/locsync/sync/service/local/machine"
	"github.com/locsync/locsync/sync/service/local/mail"
	"github.com/locsync/locsync/sync/service/local/memory"
	"github.com/locsync/locsync/sync/service/local/news"
	"github.com/locsync/locsync/sync/service/local/openid"
	"github.com/locsync/locsync/sync/service/local/page"
	"github.com/locsync/locsync/sync/service/local/projects"
	"github.com/locsync/locsync/sync/service/local/statistics"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/tasks"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
)

// Options say whom the service serves, and how it behaves.
type Options struct {
	// AccountID is the user name of HTTP Basic, and the account whose projects are served. Empty: "local".
	AccountID string
	// Keys are the passwords of HTTP Basic; any of them is accepted. None: no authentication is asked for, which is for a
	// service that only its user can reach.
	Keys []string
	// AccountType is "company" (also when empty) or "personal". A personal account may not use the interface: every call
	// gives 403.
	AccountType string
	// RateLimit is how many calls are answered within any second; more give 429. Below 1: one call in 1/RateLimit
	// seconds. 0: no limit.
	RateLimit float64
	// Pseudo gives every key that is imported from now on, and every segment of a document, a pseudo-translation, in
	// state final, in every language that has no better one.
	Pseudo bool
	// Trial makes pseudo-translations of keys drafts, and leaves them out of a project that has any translation: they
	// show how the loop works and are never taken for the work of a translator.
	Trial bool
	// JobDelay is how long a job takes at least: half of it pending, half of it in progress.
	JobDelay time.Duration
	// Late is how long exports do not show what an import has changed after it was completed.
	Late time.Duration
	// Balance is what the account has for machine translation, in words.
	Balance int
	// CallbackRetry is the delay before a notification that could not be delivered is sent again; it doubles each time.
	// 0: 30 seconds.
	CallbackRetry time.Duration
	// Transport carries notifications; nil: http.DefaultTransport.
	Transport http.RoundTripper
	// Now is the clock, read by several goroutines; nil: time.Now.
	Now func() time.Time
	// Faults, when set, is asked about every call what is to go wrong with it. For tests.
	Faults func(r *http.Request) Fault
	// Saved, when set, is told of each project in which a person has changed a text on the page, or asked the developers,
	// and whether all keys are final in the text's language since.
	Saved func(project string, complete bool)
	// Checks, when set, are what is configured for a key of a project, by its identifier, and a collection.
	Checks page.Checks
	// Logger; nil: none.
	Logger *zap.Logger
}

// Fault is what a test wants to go wrong with one call.
type Fault = api.Fault

// Service is the embedded translation service. It is an http.Handler and safe for use by several goroutines.
type Service struct {
	o         Options
	server    *api.Server
	store     *store.Store
	jobs      *jobs.Runner
	callbacks *callbacks.Sender
	projects  *projects.Service
	engines   *machine.Engines
	page      *page.Service
	news      *news.Service
	table     map[string]api.Methods // everything that is served, by path
	copying   sync.Mutex             // held while a backup is made: each is as large as the database
}

const personalAccount = "personal"

// SettingsError is of a file of settings in the folder: only a change of that file ends it.
type SettingsError struct{ err error }

func (e *SettingsError) Error() string { return e.err.Error() }

// Unwrap is the cause.
func (e *SettingsError) Unwrap() error { return e.err }

// Open opens the service's folder, making it when it is missing, and goes on with the jobs that are in it. One
// process at a time can have a folder open; a second one gets an error that says so.
func Open(dir string, o Options) (*Service, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	if err := backup.Finish(dir); err != nil {
		return nil, err
	}
	st, err := store.Open(dir, o.AccountID, o.Now)
	if errors.Is(err, folder.ErrMoved) {
		return nil, &SettingsError{err}
	}
	if err != nil {
		return nil, err
	}
	s, err := open(dir, o, st)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the translation service in %s: %w", dir, err), st.Close())
	}
	return s, nil
}

// complete checks options and fills in what is not set.
func (o *Options) complete() error {
	if o.AccountID == "" {
		o.AccountID = "local"
	}
	if !slices.Contains([]string{"", "company", personalAccount}, o.AccountType) {
		return fmt.Errorf("account type %q: give company or %s", o.AccountType, personalAccount)
	}
	if slices.Contains(o.Keys, "") {
		return errors.New("an API key is empty: leave it out, or give it a value")
	}
	if !(o.RateLimit >= 0) {
		return fmt.Errorf("rate limit %v: give a number of calls per second, or 0 for none", o.RateLimit)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	return nil
}

// open puts the parts of the service together and sets them to work.
func open(dir string, o Options, st *store.Store) (*Service, error) {
	jobs, err := jobs.New(st, filepath.Join(dir, store.ResultsFolder), o.JobDelay, o.Logger)
	if err != nil {
		return nil, err
	}
	imports, exports, work := jobs.NewQueue(1), jobs.NewQueue(2), jobs.NewQueue(1)
	glossaries, err := glossary.New(st, jobs, imports, exports)
	if err != nil {
		return nil, err
	}
	files, err := files.New(st, filepath.Join(dir, store.FilesFolder))
	if err != nil {
		return nil, err
	}
	callbacks, err := callbacks.New(st, o.Transport, o.CallbackRetry, o.Logger)
	if err != nil {
		return nil, err
	}
	keys := keys.New(st, jobs, imports, exports, keys.Pseudo{On: o.Pseudo, Trial: o.Trial}, o.Late, o.Logger)
	engines, err := machine.Read(dir)
	if err != nil {
		return nil, &SettingsError{err}
	}
	documents := documents.New(st, jobs, work, o.Pseudo, engines, o.Logger)
	statistics := statistics.New(st, jobs, work)
	projects, err := projects.New(st, documents, o.Trial, dir)
	if err != nil {
		return nil, &SettingsError{err}
	}
	clients := clients.New(st, keys)
	s := &Service{o: o, store: st, jobs: jobs, callbacks: callbacks, projects: projects, engines: engines,
		table: map[string]api.Methods{}}
	s.server = api.New(api.Options{
		Account: o.AccountID, Keys: o.Keys, Personal: o.AccountType == personalAccount, RateLimit: o.RateLimit, Now: o.Now,
		Faults: o.Faults, Logger: o.Logger,
	})
	for _, part := range []map[string]api.Methods{
		s.ownRoutes(), jobs.Routes(), callbacks.Routes(), projects.Routes(), keys.Routes(), documents.Routes(),
		statistics.Routes(),
		tasks.New(st).Routes(), memory.New(st).Routes(), glossaries.Routes(), files.Routes(),
		clients.Routes(),
	} {
		maps.Copy(s.table, part)
	}
	export := s.table[wire.PathExport]
	export["POST"] = clients.Offering(export["POST"])
	s.server.Handle(wire.Prefix, s.table)
	server, err := mail.Read(dir)
	if err != nil {
		return nil, &SettingsError{err}
	}
	provider, err := openid.Read(dir, o.Now)
	if err != nil {
		return nil, &SettingsError{err}
	}
	s.news = news.New(st, server, page.Path, o.Logger)
	s.page = page.New(page.Options{Store: st, Within: s.server.Within(), Saved: o.Saved, Checks: o.Checks,
		Engines: engines, News: s.news, OpenID: provider, Logger: o.Logger})
	result := s.table[wire.PathImportResult]
	s.server.Handle(wire.ResultPrefix, map[string]api.Methods{wire.PathImportResult: result,
		wire.PathImportResultV2: result})
	if err := jobs.Open(); err != nil {
		return nil, err
	}
	callbacks.Open()
	s.news.Open()
	return s, nil
}

// ServeHTTP answers a call.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.server.ServeHTTP(w, r) }

// Page is where people translate in a browser. It is served below page.Path.
func (s *Service) Page() *page.Service { return s.page }

// Close stops the work on jobs, which the next Open takes up again, and closes the folder. Calls must have ended
// before.
func (s *Service) Close() error {
	s.stop()
	return s.store.Close()
}

// stop ends all work that no call waits for.
func (s *Service) stop() {
	s.jobs.Close()
	s.callbacks.Close()
	s.news.Close()
}

// Wanted is a localization project that is to be there.
type Wanted = projects.Wanted

// EnsureProjects makes the localization projects of which there is none with the identifier; those that are there get
// the target languages that they lack, also in all of their collections, and keep everything else. It is an error when
// a project is another account's, translates documents, or has another source language; nothing is changed then.
func (s *Service) EnsureProjects(all ...Wanted) error { return s.projects.Ensure(all...) }

// EnsureProject is EnsureProjects for one.
func (s *Service) EnsureProject(id, name, source string, targets []string) error {
	return s.EnsureProjects(Wanted{ID: id, Name: name, Source: source, Targets: targets})
}
