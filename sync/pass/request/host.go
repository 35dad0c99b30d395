package request

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/config/secret"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger"
)

// hostOptions say how to reach the repository's git host. The token is read each time, so that a new one counts at
// once.
func (b *Branch) hostOptions(ctx context.Context) (forge.Options, error) {
	token, err := b.Config.ForgeToken(b.Project, os.Getenv, secret.ReadFile)
	if err != nil {
		return forge.Options{}, err
	}
	cfg := &b.Project.Pull.Request
	address, repository := cfg.URL, cfg.Repository
	if address == "" || repository == "" {
		guessed, name, err := forge.Locate(b.Repo.Address())
		if err != nil {
			return forge.Options{}, err
		}
		address, repository = cmp.Or(address, guessed), cmp.Or(repository, name)
	}
	return forge.Options{Kind: cfg.Kind, URL: address, Repository: repository, Token: token.Reveal(),
		AppID: cfg.AppID, UserAgent: "locsync", Now: b.Now,
		Alive: heartbeat.From(ctx).Beat}, nil
}

// account is whom a git host counts calls for.
func account(o forge.Options) string {
	host := o.URL
	if u, err := url.Parse(o.URL); err == nil {
		host = u.Host
	}
	return ledger.Digest(fmt.Appendf(nil, "%q", []string{o.Kind, host, o.Token}))
}

// hostWaits is why the git host must not be called now; nil when it may be.
func (b *Branch) hostWaits(o forge.Options) error {
	wait, _, err := ledger.Forges.Get(b.Ledger, ledger.AllProjects, account(o))
	if err == nil && b.Now().Before(wait.Until) {
		err = errors.New(wait.Why)
	}
	return err
}

// waitForHost remembers when the git host may be called again, where a failure says so, and adds that to it.
func (b *Branch) waitForHost(o forge.Options, failure error) error {
	e, ok := errors.AsType[*forge.Error](failure)
	if !ok || !e.Until.After(b.Now()) {
		return failure
	}
	failure = fmt.Errorf("%w until %s", failure, e.Until.UTC().Format("15:04 MST"))
	return errors.Join(failure, ledger.Forges.Put(b.Ledger, ledger.AllProjects, account(o),
		ledger.ForgeWait{Until: e.Until, Why: failure.Error()}))
}

// Check asks the git host for the branch's request, which takes a token that is accepted and a repository that is
// there.
func (b *Branch) Check(ctx context.Context) error {
	base := b.Project.Pull.Base
	if base == "" {
		var err error
		if base, err = b.Repo.Branches.Base(); err != nil {
			return err
		}
	}
	o, err := b.hostOptions(ctx)
	var f forge.Forge
	if err == nil {
		f, err = forge.New(o)
	}
	if err == nil {
		_, err = f.Find(ctx, b.Project.Pull.Branch, base)
	}
	if e, ok := errors.AsType[*forge.Error](err); err != nil && !(ok && e.Temporary()) && ctx.Err() == nil {
		err = &failure.UsageError{Err: b.Project.Problem("pull.request.kind", "%v", err)}
	}
	return err
}
