package engine

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
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/heartbeat"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"go.uber.org/zap"
)

// A project whose repository is elsewhere has a clone of it under Parts.Clones (see gitops.OpenClone), which every
// pass opens and fetches. A damaged one is made again; a commit that waited in it is then computed once more.

// cloneDir is where the clone is. Another address is another clone.
func (p *project) cloneDir() string {
	sum := sha256.Sum256([]byte(p.branch.Project.Name + "\x00" + p.branch.Project.Repository))
	return filepath.Join(p.engine.Clones, hex.EncodeToString(sum[:8])+".git")
}

// openClone opens the clone for a pass, and makes it where there is none, or none that could be opened.
func (p *project) openClone(ctx context.Context, o gitops.Options) (*gitops.Repo, error) {
	if p.engine.Clones == "" {
		return nil, &failure.UsageError{Err: fmt.Errorf("there is no folder for a clone of the repository of project %q; "+
			"set state_dir", p.branch.Project.Name)}
	}
	address, user, password := p.branch.Project.Address()
	o.Username, o.Password = user, password.Reveal()
	if _, err := os.Stat(p.cloneDir()); errors.Is(err, fs.ErrNotExist) {
		p.branch.Say("cloning the repository")
	}
	repo, err := gitops.OpenClone(ctx, p.cloneDir(), address, o)
	if errors.Is(err, gitops.ErrDamaged) {
		p.branch.Log.Warn("the clone cannot be opened; it is made again", zap.Error(err))
		if err := gitops.RemoveClone(p.cloneDir()); err != nil {
			return nil, err
		}
		if repo, err = gitops.OpenClone(ctx, p.cloneDir(), address, o); err == nil {
			p.tellRemade()
		}
	}
	return repo, pass.UsageError(err)
}

// peekClone opens the clone to look at what was fetched last. It is not made for that.
func (p *project) peekClone(ctx context.Context) (*gitops.Repo, error) {
	if _, err := os.Stat(p.cloneDir()); errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("the repository was not cloned yet; the next push or pull does it")
	}
	return gitops.Open(ctx, p.cloneDir(),
		gitops.Options{Remote: gitops.CloneRemote, Now: p.branch.Now, Alive: heartbeat.From(ctx).Beat})
}

// verifyShare is for how many times its duration a check of a clone holds, when passes fail: it reads the whole
// history.
const verifyShare = 100

// mended repairs what a failed pass of a clone may have failed for, and reports whether it is worth another try.
func (p *project) mended(ctx context.Context, failure error) bool {
	if failure == nil || ctx.Err() != nil || !p.branch.Project.Cloned() || errors.As(failure, new(*service.Error)) ||
		errors.Is(failure, gitops.ErrAuth) || errors.Is(failure, gitops.ErrRefused) {
		return false
	}
	p, err := p.open(ctx)
	if err != nil {
		return false
	}
	if errors.Is(failure, gitops.ErrNoBranch) {
		defer p.close()
		changed, err := p.branch.Repo.Clone.RefreshHead(ctx)
		return err == nil && changed && p.branch.Project.Push.Source == ""
	}
	defer p.close()
	begin := p.branch.Now()
	if begin.Before(p.sound) {
		return false // it is something else: the remote is down
	}
	if err = p.branch.Repo.Clone.Verify(ctx); !errors.Is(err, gitops.ErrDamaged) {
		if end := p.branch.Now(); err == nil {
			p.sound = end.Add(verifyShare * end.Sub(begin))
		}
		return false
	}
	p.branch.Log.Warn("the clone is damaged; it is made again", zap.Error(err))
	if err := gitops.RemoveClone(p.cloneDir()); err != nil {
		p.branch.Log.Error("make the clone again", zap.Error(err))
		return false
	}
	p.tellRemade()
	return true
}

func (p *project) tellRemade() {
	p.tellNow(report.Event{What: "clone", Result: report.ResultOK,
		Text: "The clone of the repository was damaged, and is made again."})
}

// maintainEvery is how often git tidies a clone.
const maintainEvery = 6 * time.Hour

// maintain tidies the clone, when that is due. A pass does not fail for it.
func (p *project) maintain(ctx context.Context) {
	if !p.branch.Project.Cloned() {
		return
	}
	last, ok, err := ledger.Times.Get(p.branch.Ledger, p.branch.ProjectName(), ledger.TimeMaintenance)
	if age := p.branch.Now().Sub(last); err == nil && ok && age >= 0 && age < maintainEvery {
		return
	}
	if err == nil {
		p.branch.Say("tidying the clone")
		err = p.branch.Repo.Clone.Maintain(ctx)
	}
	if err == nil {
		err = ledger.Times.Put(p.branch.Ledger, p.branch.ProjectName(), ledger.TimeMaintenance, p.branch.Now().UTC())
	}
	if err != nil && ctx.Err() == nil {
		p.branch.Log.Warn("maintain the clone", zap.Error(err))
	}
}

// sourced is the project with the branch that its pushes read: the default one of a clone whose configuration names
// none.
func (p *project) sourced(repo *gitops.Repo) (*project, error) {
	if p.branch.Project.Push.Source != "" {
		return p, nil
	}
	head, _, err := repo.Head()
	if err != nil {
		return nil, err
	}
	return p.with(p.branch.Project.From(head), repo), nil
}
