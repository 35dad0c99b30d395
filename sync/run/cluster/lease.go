package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/pgledger"
)

// lease is the right of this process to the passes of a project.
type lease struct {
	project string
	epoch   int64
	made    int64 // the number of the pass, of its kind
	lose    context.CancelCauseFunc
	ends    *time.Timer // where the database does not answer
}

// leases are those of this process, and the ledgers that are written under them.
type leases struct {
	db      *pgledger.Database
	process string
	log     *zap.Logger
	clock   clock

	mu      sync.Mutex
	ledgers map[string]*pgledger.Store
	held    map[string]*lease // by project
}

func (s *leases) ledger(project string) *pgledger.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ledgers[project] == nil {
		s.ledgers[project] = s.db.Of(project)
	}
	return s.ledgers[project]
}

type leaseKey struct{}

// leaseOf is the lease under which something is done; nil for none.
func leaseOf(ctx context.Context) *lease {
	l, _ := ctx.Value(leaseKey{}).(*lease)
	return l
}

var (
	errTaken  = errors.New("another process has taken the project over, because this one was silent for too long")
	errSilent = fmt.Errorf("the cluster's database has not answered for %v", leaseFor)
	errHeld   = errors.New("another process makes a pass of it")
)

// takeEvery is how often a command tries to get a lease that another process has.
const takeEvery = 500 * time.Millisecond

// Hold is engine.Cluster's. A job does not wait: it is put off.
func (c *Cluster) Hold(ctx context.Context, project, passOf string) (context.Context, func(), error) {
	for {
		var err error
		if c.using() == nil { // no beats compare the clock
			err = c.leases.look(ctx)
		}
		asked := time.Now()
		var l *lease
		if err == nil {
			l, err = c.leases.take(ctx, project, passOf)
		}
		switch {
		case err != nil:
			return ctx, nil, &ledger.LeaseError{Project: project, Err: err}
		case l != nil:
			held, done := c.leases.hold(ctx, l, asked)
			if c.using() == nil {
				done = c.leases.kept(held, done)
			}
			return held, done, nil
		case attemptOf(ctx) != nil:
			return ctx, nil, &ledger.LeaseError{Project: project, Err: errHeld}
		}
		select {
		case <-ctx.Done():
			return ctx, nil, ctx.Err()
		case <-time.After(takeEvery):
		}
	}
}

// kept has the leases of a command renewed until done; the beats of a process that takes part renew all of its own.
func (s *leases) kept(held context.Context, done func()) func() {
	ctx, stop := context.WithCancel(held)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		fault.Keep(ctx, "the lease of a command", func() {
			tick := time.NewTicker(beatEvery)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				ctx, cancel := context.WithTimeout(ctx, leaseFor/2)
				err := s.present(ctx)
				cancel()
				if err != nil {
					s.log.Debug("renew a lease; it ends when that fails for too long", zap.Error(err))
				}
			}
		})
	})
	return func() {
		stop()
		renewing.Wait()
		done()
	}
}

// look reads the database's clock.
func (s *leases) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaseFor)
	defer cancel()
	asked, there := time.Now(), time.Time{}
	if err := s.db.Pool().QueryRow(ctx, "SELECT clock_timestamp()").Scan(&there); err != nil {
		return fmt.Errorf("read the database's clock: %w", err)
	}
	s.clock.saw(there, asked)
	return nil
}

// take gets a lease, and notes that the pass of a job answers everything that was asked for so far: a command's need
// not. It is nil where another process has it.
func (s *leases) take(ctx context.Context, project, passOf string) (*lease, error) {
	ctx, cancel := context.WithTimeout(ctx, leaseFor)
	defer cancel()
	l := &lease{project: project}
	from, to := s.clock.ages()
	err := s.db.Pool().QueryRow(ctx, `WITH lease AS (
			INSERT INTO locsync.leases AS l
			VALUES ($1, 1, $2, $3, clock_timestamp(), clock_timestamp() + $4, clock_timestamp())
			ON CONFLICT (project) DO UPDATE SET epoch = l.epoch + 1, holder = $2, pass = $3, since = clock_timestamp(),
				until = clock_timestamp() + $4, changed = clock_timestamp()
				WHERE l.until = '-infinity' OR NOT l.until BETWEEN clock_timestamp() AND clock_timestamp() + $8
					AND clock_timestamp() BETWEEN $6 AND $7
			RETURNING epoch),
		answered AS (
			UPDATE locsync.passes SET asked = asked AND NOT $5, noticed = noticed AND NOT $5, made = made + 1
			WHERE project = $1 AND pass = $3 AND EXISTS (SELECT FROM lease) RETURNING made)
		SELECT epoch, COALESCE((SELECT made FROM answered), 0) FROM lease`,
		project, s.process, passOf, leaseFor, attemptOf(ctx) != nil, from, to, leaseMost).Scan(&l.epoch, &l.made)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get the lease: %w", err)
	}
	return l, nil
}

// hold keeps a lease until done.
func (s *leases) hold(ctx context.Context, l *lease, asked time.Time) (context.Context, func()) {
	held, lose := context.WithCancelCause(context.WithValue(ctx, leaseKey{}, l))
	l.lose = lose
	l.ends = time.AfterFunc(leaseFor-time.Since(asked), func() {
		lose(&ledger.LeaseError{Project: l.project, Err: errSilent})
	})
	s.ledger(l.project).Under(l.epoch)
	if a := attemptOf(ctx); a != nil {
		a.made = l.made
	}
	s.mu.Lock()
	s.held[l.project] = l
	s.mu.Unlock()
	return held, func() {
		s.mu.Lock()
		delete(s.held, l.project)
		s.mu.Unlock()
		l.ends.Stop()
		s.ledger(l.project).Under(0)
		lose(nil)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if _, err := s.db.Pool().Exec(ctx, `UPDATE locsync.leases SET until = '-infinity', holder = '',
			changed = clock_timestamp() WHERE project = $1 AND epoch = $2`, l.project, l.epoch); err != nil {
			s.log.Debug("give a lease back; it ends by itself", zap.String("project", l.project), zap.Error(err))
		}
	}
}

// present renews the row of this process and its leases.
func (s *leases) present(ctx context.Context) error {
	host, _ := os.Hostname()
	asked, there := time.Now(), time.Time{}
	err := s.db.Pool().QueryRow(ctx, `INSERT INTO locsync.processes
		VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp())
		ON CONFLICT (id) DO UPDATE SET seen = clock_timestamp() RETURNING seen`, s.process, host, os.Getpid()).
		Scan(&there)
	if err != nil {
		return fmt.Errorf("renew the row of this process: %w", err)
	}
	s.clock.saw(there, asked)
	return s.renew(ctx)
}

// renew prolongs all leases of this process, and gives up the passes of those that are another one's now. One that a
// write to the ledger has locked is ours as long as the write takes, and is prolonged after it.
func (s *leases) renew(ctx context.Context) error {
	s.mu.Lock()
	held := make(map[string]*lease, len(s.held))
	var projects []string
	var epochs []int64
	for project, l := range s.held {
		held[project] = l
		projects, epochs = append(projects, project), append(epochs, l.epoch)
	}
	s.mu.Unlock()
	if len(projects) == 0 {
		return nil
	}
	asked := time.Now()
	rows, err := s.db.Pool().Query(ctx, `WITH mine AS (
			SELECT * FROM unnest($1::text[], $2::bigint[]) AS m (project, epoch)),
		free AS (
			SELECT l.project FROM locsync.leases l JOIN mine USING (project, epoch) WHERE l.holder = $4
			FOR UPDATE OF l SKIP LOCKED),
		renewed AS (
			UPDATE locsync.leases l SET until = clock_timestamp() + $3 FROM free WHERE l.project = free.project)
		SELECT l.project FROM locsync.leases l JOIN mine USING (project, epoch) WHERE l.holder = $4`,
		projects, epochs, leaseFor, s.process)
	if err != nil {
		return fmt.Errorf("renew leases: %w", err)
	}
	kept, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("renew leases: %w", err)
	}
	for _, project := range kept {
		held[project].ends.Reset(leaseFor - time.Since(asked))
		delete(held, project)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for project, l := range held {
		if s.held[project] == l { // else it was given back meanwhile
			l.lose(&ledger.LeaseError{Project: project, Err: errTaken})
		}
	}
	return nil
}
