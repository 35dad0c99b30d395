package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/config"
)

// Identity says in one word what the passes of a configuration do: with the same word they read, send and write the
// same. The name of the file, its comments, the password, and how the daemon listens and watches are left out.
func Identity(cfg *config.Config) string {
	sum := sha256.New()
	for i := range cfg.Projects {
		fmt.Fprintln(sum, meaning(cfg, &cfg.Projects[i], real))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// meaning is everything that a project's passes take from the configuration, its paths as resolve has them.
func meaning(cfg *config.Config, p *config.Project, resolve func(string) string) string {
	absolute := func(path string) string {
		if path == "" {
			return ""
		}
		return resolve(cfg.Resolve(path))
	}
	service, own := cfg.Service, *p
	service.APIKeyFile = absolute(service.APIKeyFile)
	own.Repository, own.Pull.SigningKeyFile = "", "" // as they are meant, below
	text, err := json.Marshal(struct {
		Service    config.Service
		Repository string
		SigningKey string
		Schedule   string
		Project    config.Project
	}{service, absolute(p.Repository), absolute(p.Pull.SigningKeyFile), p.Pull.Schedule.String(), own})
	if err != nil { // it is made of texts, numbers and lists of them
		panic(fmt.Errorf("describe project %q: %w", p.Name, err))
	}
	return string(text)
}

// asWritten is a path as this process has it. It is not resolved: a reload is not to wait for a mount that does not
// answer.
func asWritten(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// linkPatience is how long resolving a path may take. One on a mount that does not answer stays as it is, here as in
// the other process.
const linkPatience = time.Second

// resolutions are the paths that are being resolved: each once, for all that ask, because on a mount that does not
// answer it keeps a thread.
var resolutions sync.Map

type resolution struct {
	began time.Time
	done  chan struct{}
	path  string // when it is done
}

// real is a path as it means the same in every process, whatever folder that runs in.
func real(path string) string {
	path = asWritten(path)
	mine := &resolution{began: time.Now(), done: make(chan struct{}), path: path}
	shared, under := resolutions.LoadOrStore(path, mine)
	r := shared.(*resolution)
	if !under {
		go func() {
			if resolved, err := filepath.EvalSymlinks(path); err == nil {
				r.path = resolved
			}
			resolutions.Delete(path)
			close(r.done)
		}()
	}
	late := time.NewTimer(linkPatience - time.Since(r.began))
	defer late.Stop()
	select {
	case <-r.done:
		return r.path
	case <-late.C:
		return path
	}
}

// Reconfigured is the engine of another configuration. Projects whose configuration and parts are the same are shared,
// and go on where they run. One that changed waits for a pass of its former self before it begins its own.
func (e *Engine) Reconfigured(parts Parts) *Engine {
	next := e.process.engine(parts.filled())
	for name, lock := range e.locks {
		if _, there := next.locks[name]; !there { // it may come back
			next.locks[name] = lock
		}
	}
	for repository, c := range e.contacts {
		if c.hangs() {
			next.contacts[repository] = c
		}
	}
	for i, p := range next.projects {
		p.contact = next.contactWith(p.repository())
		if lock := e.locks[p.branch.Project.Name]; lock != nil {
			p.mu, next.locks[p.branch.Project.Name] = lock, lock
		}
		if at := slices.IndexFunc(e.projects, p.goesOnAs); at >= 0 {
			next.projects[i] = e.projects[at]
		}
	}
	return next
}

// goesOnAs reports whether a project of an engine before does exactly what this one would do.
func (p *project) goesOnAs(before *project) bool {
	watched := func(p *project) string {
		d := p.branch.Config.Daemon
		return fmt.Sprint(d.Debounce, d.MaxDelay, d.Rescan)
	}
	return before.branch.Project.Name == p.branch.Project.Name && before.branch.Service == p.branch.Service &&
		before.branch.Ledger == p.branch.Ledger && watched(before) == watched(p) &&
		meaning(before.branch.Config, before.branch.Project, asWritten) ==
			meaning(p.branch.Config, p.branch.Project, asWritten)
}

// running is the projects whose loops run.
type running struct {
	all  sync.WaitGroup
	stop map[*project]context.CancelFunc
}

// become starts the loops of an engine's projects that do not run yet and stops all others.
func (r *running) become(ctx context.Context, e *Engine) {
	for p, stop := range r.stop {
		if !slices.Contains(e.projects, p) {
			stop()
			delete(r.stop, p)
		}
	}
	for _, p := range e.projects {
		if r.stop[p] != nil {
			continue
		}
		own, stop := context.WithCancel(ctx)
		r.stop[p] = stop
		used := p.engine.using()
		r.all.Go(func() {
			defer used()
			if p.reach(own) {
				r.all.Go(func() { p.watch(own) })
				p.loop(own)
			}
		})
	}
}
