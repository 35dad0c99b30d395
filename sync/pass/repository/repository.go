// Package repository opens the repository of a project for passes and for views: a working tree or bare repository on
// this machine, or a clone of one that is elsewhere.
//
// Its law: nothing waits for good. The first contact with a repository is made once, on a goroutine of its own, and
// what needs it before it has ended gets an error after a while. A damaged clone is made again; a commit that waited in
// it is computed once more.
package repository

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"go.uber.org/zap"
)

// Options are what a Repository works with besides its project.
type Options struct {
	Clones string // the folder for clones of remote repositories; "" where there are none
	// Claim, when not nil, is asked for the sole use of a repository on this machine, whose common git folder it gets.
	Claim func(ctx context.Context, p *config.Project, commonDir string) error
	// Done, when not nil, is told what was asked of git remotes and of every commit (see gitops.Options.Done).
	Done func(op, outcome string, took time.Duration)
	// Tell is told that a clone was made again.
	Tell func(report.Event)
}

// Repository is that of a project. Its methods may be called from any goroutine, but for Mended, which is for the pass
// that runs.
type Repository struct {
	Options
	branch  *pass.Branch // the project's, never a line's
	contact *Contact
	sound   time.Time // until when a clone is not checked again, because it was seen to be whole
	origin  origin
}

// New is the repository of a project. Nothing is opened yet.
func New(p *pass.Branch, contact *Contact, o Options) *Repository {
	return &Repository{Options: o, branch: p, contact: contact}
}

// Path is where the repository is, on this machine.
func (r *Repository) Path() string { return r.branch.Config.Resolve(r.branch.Project.Repository) }

// Open is the repository as passes use it. Without the remote of the default name it is used as it is; any
// other name that is missing is a mistake.
func (r *Repository) Open(ctx context.Context) (*gitops.Repo, error) {
	repo, err := r.with(ctx, r.branch.Project.Pull.Remote, r.branch.Project.Pull.Remote == "origin")
	if err != nil || r.Claim == nil || r.branch.Project.Cloned() {
		return repo, err
	}
	if err := r.Claim(ctx, r.branch.Project, repo.Facts().CommonDir); err != nil {
		return nil, errors.Join(&failure.UsageError{Err: err}, repo.Close())
	}
	return repo, nil
}

// With opens the repository with a remote; "" keeps everything local.
func (r *Repository) With(ctx context.Context, remote string) (*gitops.Repo, error) {
	return r.with(ctx, remote, false)
}

func (r *Repository) with(ctx context.Context, remote string, optional bool) (*gitops.Repo, error) {
	o := gitops.Options{Remote: remote, Optional: optional, Now: r.branch.Now, Trust: r.branch.Project.TrustOwner,
		Done: r.Done, Alive: heartbeat.From(ctx).Beat,
		Signing: gitops.Signing{Never: r.branch.Project.Pull.Sign == "never",
			KeyFile: r.branch.Config.Resolve(r.branch.Project.Pull.SigningKeyFile)}}
	switch {
	case r.branch.Project.Cloned() && remote == "":
		return r.peekClone(ctx)
	case r.branch.Project.Cloned():
		return r.openClone(ctx, o)
	}
	if err := r.contact.answered(ctx); err != nil {
		return nil, err
	}
	repo, err := gitops.Open(ctx, r.Path(), o)
	if errors.Is(err, gitops.ErrGit) {
		return nil, &failure.UsageError{Err: err}
	}
	if errors.Is(err, gitops.ErrNotRepo) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, gitops.ErrOwner) ||
		errors.Is(err, gitops.ErrUnsupported) {
		err = &failure.UsageError{Err: r.branch.Project.Blame("repository", err)}
	}
	if err == nil && remote != "" && remote != "origin" && !repo.HasRemote(remote) {
		err = &failure.UsageError{Err: r.branch.Project.Problem("pull.remote",
			"no remote is called %q; git -C %s remote add %s ADDRESS, or name another one here", remote, r.Path(), remote)}
		return nil, errors.Join(err, repo.Close())
	}
	return repo, err
}

// OpenToRead opens the repository to read what is there and what was seen last at its remote, without asking that.
func (r *Repository) OpenToRead(ctx context.Context) (*gitops.Repo, error) {
	if !r.branch.Project.Cloned() {
		if repo, err := r.with(ctx, r.branch.Project.Pull.Remote, true); err == nil {
			return repo, nil
		}
	}
	return r.With(ctx, "")
}

// Close closes what was opened.
func (r *Repository) Close(repo *gitops.Repo) {
	if err := repo.Close(); err != nil {
		r.branch.Log.Warn("cannot close the repository", zap.Error(err))
	}
}
