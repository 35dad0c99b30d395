package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/pgledger"
)

const (
	// budgetPatience is how long a request that is made under no lease waits for a database that is away.
	budgetPatience = 25 * time.Second
	// budgetRetry is how often the database is asked again.
	budgetRetry = 250 * time.Millisecond
)

// beginning is before every time in a budget; those are counted from it.
var beginning = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// Update is budget.Keeper's. No lock is held while change runs, so that a process which is stopped keeps no other one
// waiting: what was read is replaced where it is still what is there.
//
// Time is the database's and never goes back: where its clock was set back, "ahead" makes up for it.
func (c *Cluster) Update(ctx context.Context, account string, change func(time.Duration, []byte) []byte) error {
	ctx, cancel := context.WithTimeout(ctx, budgetPatience)
	defer cancel()
	for {
		done, err := c.update(ctx, account, change)
		switch {
		case done:
			return nil
		case err != nil && (!pgledger.Away(err) || ctx.Err() != nil):
			return errors.Join(err, context.Cause(ctx))
		case err != nil:
			c.noted(err)
			select {
			case <-ctx.Done():
			case <-time.After(budgetRetry):
			}
		}
	}
}

func (c *Cluster) update(ctx context.Context, account string, change func(time.Duration, []byte) []byte) (bool, error) {
	var version int64
	var now time.Time
	var ahead time.Duration
	var content []byte
	err := c.db.Pool().QueryRow(ctx, `SELECT version, content, greatest(clock.now + ahead, at),
			ahead + greatest('0', at - (clock.now + ahead))
		FROM locsync.budgets, (SELECT clock_timestamp() AS now) AS clock WHERE account = $1`, account).
		Scan(&version, &content, &now, &ahead)
	if errors.Is(err, pgx.ErrNoRows) {
		err = c.db.Pool().QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now)
	}
	if err != nil {
		return false, err
	}
	content = change(now.Sub(beginning), content)
	l := leaseOf(ctx)
	if l == nil {
		l = &lease{}
	}
	var there bool
	err = c.db.Pool().QueryRow(ctx, `WITH allowed AS (
			SELECT $6 = '' OR EXISTS (SELECT FROM locsync.leases WHERE project = $6 AND epoch = $7) AS yes),
		kept AS (
			INSERT INTO locsync.budgets AS b SELECT $1, 1, $3, $4, $5 FROM allowed WHERE yes
			ON CONFLICT (account) DO UPDATE SET version = b.version + 1, ahead = $3, at = $4, content = $5
				WHERE b.version = $2 RETURNING version)
		SELECT yes, EXISTS (SELECT FROM kept WHERE version = $2 + 1) FROM allowed`,
		account, version, ahead, now, content, l.project, l.epoch).Scan(new(bool), &there)
	if err == nil && !there && l.project != "" {
		err = c.stillHeld(ctx, l)
	}
	return there, err
}

// stillHeld returns a *ledger.LeaseError where a lease is another process's now.
func (c *Cluster) stillHeld(ctx context.Context, l *lease) error {
	var epoch int64
	err := c.db.Pool().QueryRow(ctx, "SELECT epoch FROM locsync.leases WHERE project = $1", l.project).Scan(&epoch)
	if err == nil && epoch != l.epoch {
		return &ledger.LeaseError{Project: l.project, Err: errTaken}
	}
	return err
}
