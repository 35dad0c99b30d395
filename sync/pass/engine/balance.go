package engine

import (
	"context"
	"errors"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// balanceEvery is how old a balance may be.
const balanceEvery = time.Hour

// BalanceOf names whose balance a configuration is about; "" where it is of no account that pays for anything.
func BalanceOf(cfg *config.Config) string {
	if cfg.Service.Embedded() {
		return ""
	}
	return ledger.Digest([]byte(cfg.Service.URL + "\x00" + cfg.Service.AccountID))
}

// AskBalance asks the service for the account's balance where what is known is old. kept is false where the service
// does not tell it, which asking again does not change.
func AskBalance(ctx context.Context, e *Engine) (kept bool, err error) {
	id := BalanceOf(e.Config)
	before, _, err := ledger.Balances.Get(e.State, ledger.AllProjects, id)
	if err != nil || e.Now().Sub(before.At).Abs() < balanceEvery {
		return true, err
	}
	defer e.Using()()
	words, err := e.Service.Balance(service.As(ctx, service.Scheduled))
	if errors.Is(err, service.ErrNotFound) || errors.Is(err, service.ErrRefused) || errors.Is(err, service.ErrAuth) ||
		errors.Is(err, service.ErrUnusable) {
		return false, err
	}
	if err == nil {
		err = ledger.Balances.Put(e.State, ledger.AllProjects, id, ledger.Balance{At: e.Now().UTC(), Words: words})
	}
	if err == nil {
		err = e.State.View(e.recallBalance)
		e.ended.Add(1)
		e.changes.Send()
	}
	return true, err
}

// recallBalance takes over what is stored of the balance, for the status.
func (e *Engine) recallBalance(r ledger.Reader) error {
	b, known, err := ledger.Balances.Get(r, ledger.AllProjects, BalanceOf(e.Config))
	if err != nil || !known {
		return err
	}
	e.balance.Store(&report.Balance{Words: b.Words, At: b.At})
	return nil
}

// told is a status with what is told of all projects together.
func (e *Engine) told(projects []report.ProjectStatus) report.Status {
	s := report.Status{Projects: projects}
	if BalanceOf(e.Config) == "" {
		return s
	}
	if e.Cluster == nil && e.State != nil && e.balance.Load() == nil {
		_ = e.State.View(e.recallBalance) // a state that cannot be read is told of elsewhere
	}
	s.Balance = e.balance.Load()
	return s
}
