package repository

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"go.uber.org/zap"
)

// A project whose repository is elsewhere has a clone of it under Options.Clones (see gitops.OpenClone), which every
// pass opens and fetches. A damaged one is made again; a commit that waited in it is then computed once more.

// cloneDir is where the clone is. Another address is another clone.
func (r *Repository) cloneDir() string {
	sum := sha256.Sum256([]byte(r.branch.Project.Name + "\x00" + r.branch.Project.Repository))
	return filepath.Join(r.Clones, hex.EncodeToString(sum[:8])+".git")
}

// openClone opens the clone for a pass, and makes it where there is none, or none that could be opened.
func (r *Repository) openClone(ctx context.Context, o gitops.Options) (*gitops.Repo, error) {
	if r.Clones == "" {
		return nil, &failure.UsageError{Err: fmt.Errorf("there is no folder for a clone of the repository of project %q; "+
			"set state_dir", r.branch.Project.Name)}
	}
	address, user, password := r.branch.Project.Address()
	o.Username, o.Password = user, password.Reveal()
	if _, err := os.Stat(r.cloneDir()); errors.Is(err, fs.ErrNotExist) {
		r.branch.Say("cloning the repository")
	}
	done := cacheOf(r.Clones).use(r.cloneDir())
	repo, err := gitops.OpenClone(ctx, r.cloneDir(), address, o)
	if errors.Is(err, gitops.ErrDamaged) {
		r.branch.Log.Warn("the clone cannot be opened; it is made again", zap.Error(err))
		if err := gitops.RemoveClone(r.cloneDir()); err != nil {
			return nil, err
		}
		if repo, err = gitops.OpenClone(ctx, r.cloneDir(), address, o); err == nil {
			r.tellRemade()
		}
	}
	if err != nil {
		done()
		return nil, pass.UsageError(err)
	}
	repo.OnClose(done)
	cacheOf(r.Clones).touch(r.cloneDir(), r.branch.Now())
	return repo, nil
}

// peekClone opens the clone to look at what was fetched last. It is not made for that.
func (r *Repository) peekClone(ctx context.Context) (*gitops.Repo, error) {
	if _, err := os.Stat(r.cloneDir()); errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("the repository was not cloned yet; the next push or pull does it")
	}
	done := cacheOf(r.Clones).use(r.cloneDir())
	repo, err := gitops.Open(ctx, r.cloneDir(),
		gitops.Options{Remote: gitops.CloneRemote, Now: r.branch.Now, Alive: heartbeat.From(ctx).Beat})
	if err != nil {
		done()
		return nil, err
	}
	repo.OnClose(done)
	return repo, nil
}

// verifyShare is for how many times its duration a check of a clone holds, when passes fail: it reads the whole
// history.
const verifyShare = 100

// Repair repairs what a failed pass of a clone may have failed for, and reports whether it is worth another try.
func (r *Repository) Repair(ctx context.Context, failure error) bool {
	if failure == nil || ctx.Err() != nil || !r.branch.Project.Cloned() || errors.As(failure, new(*service.Error)) ||
		errors.Is(failure, gitops.ErrAuth) || errors.Is(failure, gitops.ErrRefused) {
		return false
	}
	repo, err := r.Open(ctx)
	if err != nil {
		return false
	}
	defer r.Close(repo)
	if errors.Is(failure, gitops.ErrNoBranch) {
		changed, err := repo.Clone.RefreshHead(ctx)
		return err == nil && changed && r.branch.Project.Push.Source == ""
	}
	begin := r.branch.Now()
	if begin.Before(r.sound) {
		return false // it is something else: the remote is down
	}
	if err = repo.Clone.Verify(ctx); !errors.Is(err, gitops.ErrDamaged) {
		if end := r.branch.Now(); err == nil {
			r.sound = end.Add(verifyShare * end.Sub(begin))
		}
		return false
	}
	r.branch.Log.Warn("the clone is damaged; it is made again", zap.Error(err))
	if err := gitops.RemoveClone(r.cloneDir()); err != nil {
		r.branch.Log.Error("cannot make the clone again", zap.Error(err))
		return false
	}
	r.tellRemade()
	return true
}

func (r *Repository) tellRemade() {
	r.Tell(report.Event{What: "clone", Result: report.ResultOK,
		Text: "The clone of the repository was damaged, and is made again."})
}

// maintainEvery is how often git tidies a clone.
const maintainEvery = 6 * time.Hour

// Maintain tidies the clone of a pass, when that is due. A pass does not fail for it.
func (r *Repository) Maintain(ctx context.Context, repo *gitops.Repo) {
	if !r.branch.Project.Cloned() {
		return
	}
	last, ok, err := ledger.Times.Get(r.branch.Ledger, r.branch.ProjectName(), ledger.TimeMaintenance)
	if age := r.branch.Now().Sub(last); err == nil && ok && age >= 0 && age < maintainEvery {
		return
	}
	if err == nil {
		r.branch.Say("tidying the clone")
		err = repo.Clone.Maintain(ctx)
	}
	if err == nil {
		err = ledger.Times.Put(r.branch.Ledger, r.branch.ProjectName(), ledger.TimeMaintenance, r.branch.Now().UTC())
	}
	if err != nil && ctx.Err() == nil {
		r.branch.Log.Warn("cannot maintain the clone", zap.Error(err))
	}
}
