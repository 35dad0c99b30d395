package repository

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass"
	"go.uber.org/zap"
)

// Only a contact that was begun and has not ended goes on in another configuration.
func TestInheritedContacts(t *testing.T) {
	t.Parallel()
	before := make(Contacts)
	began := time.Now()
	idle, hangs, answered := before.With("idle"), before.With("hangs"), before.With("answered")
	hangs.since.Store(&began)
	answered.since.Store(&began)
	close(answered.done)
	after := make(Contacts)
	after.Inherit(before)
	for _, contact := range []*Contact{idle, hangs, answered} {
		if goesOn := after.With(contact.repository) == contact; goesOn != (contact == hangs) {
			t.Errorf("%s: goes on %v", contact.repository, goesOn)
		}
	}
}

// The origin is kept for a while, and then read again.
func TestOrigin(t *testing.T) {
	gittest.Need(t)
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q", "-b", "main")
	gittest.Commit(t, dir, "first", map[string]string{"README": "a repository"})
	gittest.Git(t, dir, "remote", "add", "origin", "https://git.example.com/acme/app.git")
	cfg := &config.Config{File: filepath.Join(dir, "locsync.toml")}
	project := &config.Project{Name: "app", Repository: dir}
	project.Pull.Remote = "origin"
	branch := &pass.Branch{Config: cfg, Project: project, Now: time.Now, Log: zap.NewNop()}
	r := New(branch, make(Contacts).With(dir), Options{})
	has := func(address string) {
		t.Helper()
		if got, heads, err := r.Origin(t.Context()); err != nil || got != address || heads[0] != "main" {
			t.Errorf("%s, %v, %v; want %s", got, heads, err, address)
		}
	}
	has("https://git.example.com/acme/app.git")
	r.origin.until = time.Now().Add(time.Hour)
	gittest.Git(t, dir, "remote", "set-url", "origin", "https://git.example.com/acme/other.git")
	has("https://git.example.com/acme/app.git")
	r.origin.until = time.Now()
	has("https://git.example.com/acme/other.git")
}
