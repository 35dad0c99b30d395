// Package local is the embedded translation service: the service interface over HTTP, stored in one folder, so that the whole loop runs on
// a machine without an account anywhere, and so that tests meet the real protocol.
//
// Its law: what was answered is stored. A call that changed something, or started a job, is answered after it is on the disk; a job that
// a crash cut off goes on where it was, and counts nothing twice. The other half of the law: a call that is refused has changed
// nothing, and its answer names the parameter or member that is at fault.
//
// What the interface leaves open is decided in one place each: the parameters in imports.go and exports.go, conflicts and states in
// importing.go, paths in template.go; of documents, what a segment is in package segment, which is pure, what becomes of a translation in desk.go, and
// what a match is in matching.go. It does not translate: a translation comes in by an import, from a translation memory, or is made up by the
// pseudo-translation that stands for an engine.
//
// # What is stored
//
// service.db is a bbolt database with these buckets:
//
//	projects   identifier -> project (JSON). All accounts of the folder; a process serves one of them
//	keys       identifier of a project
//	             name of a collection
//	               collection -> its targets and counts (JSON)
//	               index      kind and key -> number
//	               rows       number -> key, source text, labels (rows.go)
//	               in:de      number -> translation into German, and so on
//	jobs       identifier -> job (JSON), until it expires
//	queue      number -> identifier of a job that has not ended
//	uploads    identifier/n -> the n-th file of an import that has not ended
//	expiry     time, identifier -> nothing: when a job is forgotten
//	callbacks  account -> its registration, the notifications that are to be delivered, the last errors (callbacks.go)
//	glossaries account -> identifier -> a glossary and its units (glossaries.go)
//	storage    account -> path -> record of a stored file (storage.go)
//	documents, documentsOf, documentTexts, translations (documents.go), memories (memories.go), tasks (tasks.go), statistics (statistics.go)
//
// Beside it, results/ has one file for each export that ended, and files/ one for each file of the storage. An import reads and writes the
// rows of its own keys only, whatever else the collection has. Pseudo-translations are not stored: they are made when an export asks for them.
//
// # What is told to others
//
// A change that the interface notifies of is stored together with the notification (deliveries.go), which goes out when the change is on the
// disk: at least once, in no order, until the receiver took it or eight more attempts failed.
//
// # What is bounded
//
// Every body has a limit (multipart.go), all bodies in memory together have one, and files of the storage go to the disk as they come. What
// unfolds (archives, workbooks, nested documents) is measured before it is unfolded. What cannot be taken is refused with the place where it became
// too much; a fault inside a call is that call's 500 and nobody else's.
package local

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/service/wire"
)

// Options say whom the service serves, and how it behaves.
type Options struct {
	// AccountID is the user name of HTTP Basic, and the account whose projects are served. Empty: "local".
	AccountID string
	// Keys are the passwords of HTTP Basic; any of them opens the door. None: no authentication is asked for, which is for a service that
	// nobody else can reach.
	Keys []string
	// AccountType is "company" (also when empty) or "personal". A personal account may not use the interface: every call gives 403.
	AccountType string
	// RateLimit is how many calls are answered within any second; more give 429. Below 1: one call in 1/RateLimit seconds. 0: no limit.
	RateLimit float64
	// Pseudo gives every key that is imported from now on, and every segment of a document, a pseudo-translation, in state final, in every
	// language that has no better one.
	Pseudo bool
	// Trial makes pseudo-translations of keys drafts, and leaves them out of a project that has any translation: they show how the loop works and are never
	// taken for somebody's work.
	Trial bool
	// JobDelay is how long a job takes at least: half of it pending, half of it in progress.
	JobDelay time.Duration
	// CallbackRetry is the delay before a notification that could not be delivered is sent again; it doubles each time. 0: 30 seconds.
	CallbackRetry time.Duration
	// Transport carries notifications; nil: http.DefaultTransport.
	Transport http.RoundTripper
	// Now is the clock, read by several goroutines; nil: time.Now.
	Now func() time.Time
	// Faults, when set, is asked about every call what is to go wrong with it. For tests.
	Faults func(r *http.Request) Fault
	// Logger; nil: none.
	Logger *zap.Logger
}

// Service is the embedded translation service. It is an http.Handler and safe for use by several goroutines.
type Service struct {
	o         Options
	server    *apiServer
	store     *store
	jobs      *runner
	callbacks *callbackSender
	projects  *projectsService
	table     map[string]methods // everything that is served, by path
}

const personalAccount = "personal"

// Open opens the service's folder, making it when it is missing, and goes on with the jobs that are in it. One process at a time can have a
// folder open; a second one gets an error that says so.
func Open(dir string, o Options) (*Service, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	st, err := openStore(dir, o.AccountID, o.Now)
	if err != nil {
		return nil, err
	}
	s, err := open(dir, o, st)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the translation service in %s: %w", dir, err), st.close())
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
func open(dir string, o Options, st *store) (*Service, error) {
	jobs, err := newRunner(st, filepath.Join(dir, "results"), o.JobDelay, o.Logger)
	if err != nil {
		return nil, err
	}
	imports, exports, work := jobs.newQueue(1), jobs.newQueue(2), jobs.newQueue(1)
	glossaries, err := newGlossaryService(st, jobs, imports, exports)
	if err != nil {
		return nil, err
	}
	files, err := newFilesService(st, filepath.Join(dir, "files"))
	if err != nil {
		return nil, err
	}
	callbacks, err := newCallbackSender(st, o.Transport, o.CallbackRetry, o.Logger)
	if err != nil {
		return nil, err
	}
	keys := newKeysService(st, jobs, imports, exports, pseudoMode{On: o.Pseudo, Trial: o.Trial}, o.Logger)
	documents := newDocumentsService(st, jobs, work, o.Pseudo)
	statistics := newStatisticsService(st, jobs, work)
	projects := newProjectsService(st, documents, o.Trial)
	s := &Service{o: o, store: st, jobs: jobs, callbacks: callbacks, projects: projects, table: map[string]methods{}}
	s.server = newServer(apiOptions{
		Account: o.AccountID, Keys: o.Keys, Personal: o.AccountType == personalAccount, RateLimit: o.RateLimit, Now: o.Now, Faults: o.Faults, Logger: o.Logger,
	})
	for _, part := range []map[string]methods{
		s.ownRoutes(), jobs.routes(), callbacks.routes(), projects.routes(), keys.routes(), documents.routes(), statistics.routes(),
		newTasksService(st).routes(), newMemoryService(st).routes(), glossaries.routes(), files.routes(),
	} {
		maps.Copy(s.table, part)
	}
	s.server.handle(wire.Prefix, s.table)
	s.server.handle(wire.ResultPrefix, map[string]methods{wire.PathImportResult: s.table[wire.PathImportResult]})
	if err := jobs.open(); err != nil {
		return nil, err
	}
	callbacks.open()
	return s, nil
}

// ServeHTTP answers a call.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.server.ServeHTTP(w, r) }

// Close stops the work on jobs, which the next Open takes up again, and closes the folder. Calls must have ended before.
func (s *Service) Close() error {
	s.jobs.close()
	s.callbacks.close()
	return s.store.close()
}

// EnsureProject makes a localization project with this identifier when there is none; one that is there gets the target languages that it
// lacks, also in all of its collections, and keeps everything else. It is an error when the project is another account's, translates documents, or
// has another source language.
func (s *Service) EnsureProject(id, name, source string, targets []string) error {
	return s.projects.ensure(id, name, source, targets)
}
