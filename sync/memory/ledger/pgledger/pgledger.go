// Package pgledger is a ledger in PostgreSQL, which the processes of a cluster share.
//
// Its law: what a call has returned without error for is committed, and a write is made under the lease that its
// project had when it was decided, or not at all. A lease has a number, its epoch, that grows with each one that is
// given for the project. Each Update of a project begins with locking the row of the lease and comparing the epoch, so
// the Updates of a project are made one after the other, and a process that was stopped and wakes up changes nothing.
//
// No transaction is open over a request, a file that is read, or a call of git: one that idles is ended by the server.
// All times are the server's; what time it is here does not matter.
//
// # In the database
//
// All is in the schema "locsync", beside the tables of the queue:
//
//	version    one row: the number of the schema
//	marks      scope, kind, path, language or collection -> marks as catalog.Marks.Encode writes them
//	records    scope, kind, id                           -> JSON
//	leases     project -> epoch, who has it, until when
//	passes     project, push or pull -> when it is due and who asked for it
//	budgets    account -> when requests left
//	processes  process -> where it runs, when it was last heard of
//
// marks and records are addressed by a digest of their key, because a key may be longer than what an index takes. Their
// parts are bytes: they may contain a zero, which a text cannot.
//
// The schema only goes forward. It is brought to the present one when a process starts, by one process at a time. A
// later one than this program knows is refused. The package gives no leases and runs no queue: package cluster does.
package pgledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/locsync/locsync/sync/memory/ledger"
)

// Database is the connections of a process to the database of its cluster.
type Database struct {
	pool    *pgxpool.Pool
	target  string                 // what it was connected to
	address atomic.Pointer[string] // what the next connection is made with
}

const (
	// Patience is how long the database may take to answer one question.
	Patience = 15 * time.Second
	// connectPatience is how long it may take to accept a connection.
	connectPatience = 5 * time.Second
	// idlePatience is after how long the server ends a transaction whose process was stopped, so that its locks go.
	idlePatience = 10 * time.Second
	// transactionPatience is how long a transaction may take in all.
	transactionPatience = time.Minute
)

// errPooled is why the statements that one process has prepared are met by another one.
var errPooled = errors.New("a pooler before it gives connections to several processes in turn; locsync needs " +
	"sessions (pool_mode = session in PgBouncer), because it listens, prepares statements and sets limits of time")

// ofOthers are the errors of a statement that another session prepared, and of one that it did not.
var ofOthers = []string{"42P05", "26000"}

// Connect connects a process, by its name, to the database at an address, and brings the schema to the present one. A
// *ledger.NewerError tells of a database that a newer locsync has written.
func Connect(ctx context.Context, address, name string) (*Database, error) {
	d, err := connect(ctx, address, name)
	if said, is := errors.AsType[*pgconn.PgError](err); is && slices.Contains(ofOthers, said.Code) {
		err = fmt.Errorf("%w: %w", errPooled, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open the cluster's database: %w", err)
	}
	return d, nil
}

func connect(ctx context.Context, address, name string) (*Database, error) {
	c, err := parse(address)
	if err != nil {
		return nil, err
	}
	d := &Database{target: target(c)}
	d.address.Store(&address)
	c.BeforeConnect = func(_ context.Context, with *pgx.ConnConfig) error {
		now, err := parse(*d.address.Load()) // also the files that it names
		if err != nil {
			return err
		}
		*with = *now.ConnConfig
		with.RuntimeParams["application_name"] = name
		with.RuntimeParams["timezone"] = "UTC"
		with.ConnectTimeout = connectPatience
		return nil
	}
	// PgBouncer knows these as statements only, not as parameters of a new connection.
	limits := "SET statement_timeout = " + milliseconds(Patience) +
		"; SET idle_in_transaction_session_timeout = " + milliseconds(idlePatience)
	c.AfterConnect = func(ctx context.Context, made *pgx.Conn) error {
		_, err := made.PgConn().Exec(ctx, limits).ReadAll()
		return err
	}
	if d.pool, err = pgxpool.NewWithConfig(ctx, c); err != nil {
		return nil, err
	}
	if err := d.migrate(ctx); err != nil {
		d.pool.Close()
		return nil, err
	}
	return d, nil
}

func parse(address string) (*pgxpool.Config, error) {
	c, err := pgxpool.ParseConfig(address)
	if file, is := errors.AsType[*fs.PathError](err); is {
		return nil, fmt.Errorf("read a file that the address of the database names: %w", file)
	}
	if err != nil {
		return nil, errors.New("the address of the database is not one of PostgreSQL: it begins with postgres:// and " +
			"names host, database and user") // pgx's own words may contain the password
	}
	return c, nil
}

// errElsewhere is why an address is not changed to while the process runs.
var errElsewhere = errors.New("the address of the cluster's database names another host, database or size of the " +
	"pool, which takes a restart of each process; user, password and TLS may change without one")

// Readdress prepares to make new connections with another address of the same database, as it is given when its
// password is changed; what it returns begins with that.
func (d *Database) Readdress(address string) (begin func(), err error) {
	next, err := parse(address)
	if err != nil {
		return nil, err
	}
	if d.target != target(next) {
		return nil, errElsewhere
	}
	return func() { d.address.Store(&address) }, nil
}

// target is what an address says of the database itself, and of the pool.
func target(c *pgxpool.Config) string {
	hosts := []string{net.JoinHostPort(c.ConnConfig.Host, fmt.Sprint(c.ConnConfig.Port))}
	for _, f := range c.ConnConfig.Fallbacks {
		hosts = append(hosts, net.JoinHostPort(f.Host, fmt.Sprint(f.Port)))
	}
	return fmt.Sprint(slices.Compact(hosts), c.ConnConfig.Database, c.MaxConns, c.MinConns, c.MinIdleConns,
		c.MaxConnLifetime, c.MaxConnLifetimeJitter, c.MaxConnIdleTime, c.HealthCheckPeriod)
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// Close ends the connections.
func (d *Database) Close() error {
	d.pool.Close()
	return nil
}

// Pool is the connections themselves, for the queue and the leases.
func (d *Database) Pool() *pgxpool.Pool { return d.pool }

// Away reports whether an error means that the database could not be asked, or did not answer: it may later.
func Away(err error) bool {
	if errors.Is(err, pgx.ErrNoRows) || errors.As(err, new(*ledger.LeaseError)) ||
		errors.As(err, new(*ledger.NewerError)) {
		return false
	}
	said, answered := errors.AsType[*pgconn.PgError](err)
	if !answered {
		return err != nil
	}
	switch said.Code[:2] {
	case "08", "28", "53", "57", "25": // connection, password, resources, the operator, a transaction that idled
		return true
	}
	return false
}
