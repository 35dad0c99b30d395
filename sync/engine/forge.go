package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/heartbeat"
	"github.com/locsync/locsync/sync/ledger"
)

// forgeOptions say how to reach the repository's forge. The token is read each time, so that a new one counts at once.
func (p *project) forgeOptions(ctx context.Context, repo *gitops.Repo) (forge.Options, error) {
	token, err := p.Config.ForgeToken(p.cfg, os.Getenv, config.ReadSecretFile)
	if err != nil {
		return forge.Options{}, err
	}
	cfg := &p.cfg.Pull.Request
	address, repository := cfg.URL, cfg.Repository
	if address == "" || repository == "" {
		guessed, name, err := forge.Locate(repo.Address())
		if err != nil {
			return forge.Options{}, err
		}
		if address == "" {
			address = guessed
		}
		if repository == "" {
			repository = name
		}
	}
	return forge.Options{Kind: cfg.Kind, URL: address, Repository: repository, Token: token.Reveal(), UserAgent: "locsync", Now: p.Now,
		Alive: heartbeat.From(ctx).Beat}, nil
}

func forgeAccount(o forge.Options) string {
	host := o.URL
	if u, err := url.Parse(o.URL); err == nil {
		host = u.Host
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []string{o.Kind, host, o.Token}))
	return hex.EncodeToString(sum[:8])
}

// forgeWaits is why the forge must not be called now; nil when it may be.
func (p *project) forgeWaits(o forge.Options) error {
	wait, _, err := ledger.Forges.Get(p.State, ledger.AllProjects, forgeAccount(o))
	if err == nil && p.Now().Before(wait.Until) {
		err = errors.New(wait.Why)
	}
	return err
}

// waitForForge remembers when the forge may be called again, where a failure says so, and adds that to it.
func (p *project) waitForForge(o forge.Options, failure error) error {
	e, ok := errors.AsType[*forge.Error](failure)
	if !ok || !e.Until.After(p.Now()) {
		return failure
	}
	failure = fmt.Errorf("%w until %s", failure, e.Until.UTC().Format("15:04 MST"))
	return errors.Join(failure, ledger.Forges.Put(p.State, ledger.AllProjects, forgeAccount(o), ledger.ForgeWait{Until: e.Until, Why: failure.Error()}))
}

// checkForge asks the forge for the branch's request, which takes a token that is accepted and a repository that is there.
func (p *project) checkForge(ctx context.Context) error {
	if !p.cfg.Pull.Enabled || !p.cfg.Pull.Request.Forge() {
		return nil
	}
	repo, err := p.openWith(ctx, p.cfg.Pull.Remote)
	if err != nil {
		return err
	}
	defer repo.Close()
	line, err := p.current(repo)
	if errors.As(err, new(*failure.UsageError)) {
		line, err = p.on("HEAD", nil) // none is for now; the token and the repository are the same for all
	}
	if err != nil {
		return err
	}
	base := line.cfg.Pull.Base
	if base == "" {
		if base, err = repo.Branches.Base(); err != nil {
			return err
		}
	}
	o, err := p.forgeOptions(ctx, repo)
	var f forge.Forge
	if err == nil {
		f, err = forge.New(o)
	}
	if err == nil {
		_, err = f.Find(ctx, line.cfg.Pull.Branch, base)
	}
	if e, ok := errors.AsType[*forge.Error](err); err != nil && !(ok && e.Temporary()) && ctx.Err() == nil {
		err = &failure.UsageError{Err: p.cfg.Problem("pull.request.kind", "%v", err)}
	}
	return err
}
