package pgledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/locsync/locsync/sync/memory/ledger"
)

// Schema is where all tables are, those of the queue too.
const Schema = "locsync"

// migrationLock is the number of the lock under which one process at a time changes the schema.
const migrationLock = 0x6c6f6373796e63

// migrations are the steps from an empty database to the present schema. A step that was released is never changed.
var migrations = []string{
	`CREATE TABLE locsync.marks (
		digest bytea PRIMARY KEY, scope bytea NOT NULL, kind bytea NOT NULL, path bytea NOT NULL, part bytea NOT NULL,
		content bytea NOT NULL);
	CREATE INDEX marks_by_kind ON locsync.marks (scope, kind);
	CREATE TABLE locsync.records (
		digest bytea PRIMARY KEY, scope bytea NOT NULL, kind bytea NOT NULL, id bytea NOT NULL, content bytea NOT NULL);
	CREATE INDEX records_by_kind ON locsync.records (scope, kind);
	CREATE TABLE locsync.leases (
		project text PRIMARY KEY, epoch bigint NOT NULL, holder text NOT NULL, pass text NOT NULL,
		since timestamptz NOT NULL, until timestamptz NOT NULL, changed timestamptz NOT NULL);
	CREATE INDEX leases_by_change ON locsync.leases (changed);
	CREATE TABLE locsync.passes (
		project text NOT NULL, pass text NOT NULL, due timestamptz, asked boolean NOT NULL DEFAULT false,
		noticed boolean NOT NULL DEFAULT false, quiet timestamptz, wait interval NOT NULL DEFAULT '0',
		made bigint NOT NULL DEFAULT 0, job bigint, unknown timestamptz,
		changed timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (project, pass));
	CREATE INDEX passes_by_change ON locsync.passes (changed);
	CREATE INDEX passes_asked ON locsync.passes (project, pass) WHERE asked OR noticed;
	CREATE TABLE locsync.budgets (
		account text PRIMARY KEY, version bigint NOT NULL, ahead interval NOT NULL, at timestamptz NOT NULL,
		content bytea NOT NULL) WITH (fillfactor = 50);
	ALTER TABLE locsync.budgets ALTER content SET STORAGE MAIN;
	CREATE TABLE locsync.processes (
		id text PRIMARY KEY, host text NOT NULL, pid integer NOT NULL, since timestamptz NOT NULL,
		seen timestamptz NOT NULL)`,
}

// migrate brings the schema to the present one, or waits until another process has done so.
func (d *Database) migrate(ctx context.Context) error {
	return Migrating(ctx, d.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS locsync;
			CREATE TABLE IF NOT EXISTS locsync.version (version integer NOT NULL)`); err != nil {
			return err
		}
		var have int
		err := tx.QueryRow(ctx, "SELECT version FROM locsync.version").Scan(&have)
		if errors.Is(err, pgx.ErrNoRows) {
			_, err = tx.Exec(ctx, "INSERT INTO locsync.version VALUES (0)")
		}
		if err != nil {
			return err
		}
		if have > len(migrations) {
			return &ledger.NewerError{Format: have, Known: len(migrations), Own: "a database of its own"}
		}
		for at, step := range migrations[have:] {
			if _, err := tx.Exec(ctx, step); err != nil {
				return fmt.Errorf("change the schema to version %d: %w", have+at+1, err)
			}
		}
		_, err = tx.Exec(ctx, "UPDATE locsync.version SET version = $1", len(migrations))
		return err
	})
}

// Migrating runs a change of the schema, whole or not at all, while no other process makes one.
func Migrating(ctx context.Context, pool *pgxpool.Pool, change func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
			return err
		}
		return change(tx)
	})
}

// Found is what Examine finds in a database.
type Found struct {
	Version   int  // of the schema; 0 where there is none yet
	MayMake   bool // the role may make the schema
	Processes int  // that were heard of in the last minute
}

// Examine looks at a database without changing it. A *ledger.NewerError tells of one that a newer locsync has written.
func Examine(ctx context.Context, address string) (f Found, err error) {
	c, err := parse(address)
	if err != nil {
		return f, err
	}
	c.ConnConfig.ConnectTimeout = connectPatience
	db, err := pgx.ConnectConfig(ctx, c.ConnConfig)
	if err != nil {
		return f, err
	}
	defer db.Close(context.WithoutCancel(ctx))
	made := false
	err = db.QueryRow(ctx, `SELECT to_regclass('locsync.processes') IS NOT NULL,
		has_database_privilege(current_database(), 'CREATE')`).Scan(&made, &f.MayMake)
	if err != nil || !made {
		return f, err
	}
	err = db.QueryRow(ctx, `SELECT version, (SELECT count(*) FROM locsync.processes WHERE seen > now() - '1 min'::interval)
		FROM locsync.version`).Scan(&f.Version, &f.Processes)
	if err == nil && f.Version > len(migrations) {
		err = &ledger.NewerError{Format: f.Version, Known: len(migrations), Own: "a database of its own"}
	}
	return f, err
}
