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

	"github.com/locsync/locsync/sync/config"
)

// Identity says in one word what the passes of a configuration do: with the same word they read, send and write the same. The file it stands in, its
// comments, and how the daemon listens and watches are no part of it, nor is the password.
func Identity(cfg *config.Config) string {
	sum := sha256.New()
	for i := range cfg.Projects {
		fmt.Fprintln(sum, meaning(cfg, &cfg.Projects[i]))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// meaning is everything that a project's passes take from the configuration, relative paths resolved.
func meaning(cfg *config.Config, p *config.Project) string {
	service, own := cfg.Service, *p
	service.APIKeyFile = absolute(cfg, service.APIKeyFile)
	own.Repository, own.Pull.SigningKeyFile = "", "" // as they are meant, below
	text, err := json.Marshal(struct {
		Service    config.Service
		Repository string
		SigningKey string
		Schedule   string
		Project    config.Project
	}{service, absolute(cfg, p.Repository), absolute(cfg, p.Pull.SigningKeyFile), p.Pull.Schedule.String(), own})
	if err != nil { // it is made of texts, numbers and lists of them
		panic(fmt.Errorf("describe project %q: %w", p.Name, err))
	}
	return string(text)
}

// absolute is a path of the configuration as it means the same in every process, whatever folder that stands in.
func absolute(cfg *config.Config, path string) string {
	if path == "" {
		return ""
	}
	path = cfg.Resolve(path)
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}

// Reconfigured is the engine of another configuration. Projects whose configuration and parts are the same are the same in both engines: where they run,
// they go on undisturbed. A project that changed waits for a pass of its former self before it begins one of its own.
func (e *Engine) Reconfigured(parts Parts) *Engine {
	next := New(parts)
	next.run, next.ended, next.changes = e.run, e.ended, e.changes // it is one process
	for name, turn := range e.turns {
		if _, there := next.turns[name]; !there { // it may come back
			next.turns[name] = turn
		}
	}
	for i, p := range next.projects {
		if turn := e.turns[p.cfg.Name]; turn != nil {
			p.mu, next.turns[p.cfg.Name] = turn, turn
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
		d := p.Config.Daemon
		return fmt.Sprint(d.Debounce, d.MaxDelay, d.Rescan)
	}
	return before.cfg.Name == p.cfg.Name && before.Service == p.Service && before.State == p.State &&
		watched(before) == watched(p) && meaning(before.Config, before.cfg) == meaning(p.Config, p.cfg)
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
		r.all.Go(func() { p.watch(own) })
		r.all.Go(func() { p.loop(own) })
	}
}
