package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/bound/heartbeat"
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

// real is a path as it means the same in every process, whatever folder that runs in.
func real(path string) string {
	path = asWritten(path)
	resolve, _ := resolutions.LoadOrStore(path, sync.OnceValue(func() string {
		defer resolutions.Delete(path)
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			return resolved
		}
		return path
	}))
	if resolved, ok := heartbeat.Within(context.Background(), linkPatience, resolve.(func() string)); ok {
		return resolved
	}
	return path
}
