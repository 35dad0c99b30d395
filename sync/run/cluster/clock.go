package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"go.uber.org/zap"
)

// Ages in the database (how long a process has been silent, whether a lease is over) are told by its clock. When that
// is set, all are wrong until every process has renewed what is its own. So each process compares the database's clock
// with its own running time, and takes nothing over for a while after they have parted. The one that leads sees to it
// that what is due is due after as long as before.

// clock is what a process knows of the database's clock.
type clock struct {
	mu              sync.Mutex
	there           time.Time     // what it said last
	asked, answered time.Time     // between which times that was
	trusted         time.Time     // when ages count again; zero: at once
	asleep          time.Duration // for how long this machine had slept by then
	set             time.Duration // by how much it was set, and what is due was not
	since           time.Time     // what it said at the earliest after that
}

// saw notes what the database's clock said in an answer that was asked for at a time.
func (c *clock) saw(there, asked time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, slept := time.Now(), sleepTime()-c.asleep
	c.asleep += slept
	parted := func(from, to time.Time) bool { return there.Before(from) || there.After(to) }
	if from, to := c.expected(asked, now); !c.there.IsZero() && parted(from, to) {
		c.trusted = now.Add(leaseFor)
		from, to = from.Add(slept), to.Add(slept) // where this machine slept, the clock was not set
		if parted(from, to) {
			c.set += there.Sub(from.Add(to.Sub(from) / 2))
			c.since = there.Add(-now.Sub(c.asked) - slept)
		}
	}
	c.there, c.asked, c.answered = there, asked, now
}

// expected is what the clock says between two times, unless it was set.
func (c *clock) expected(from, to time.Time) (earliest, latest time.Time) {
	return c.there.Add(from.Sub(c.answered) - clockTrust), c.there.Add(to.Sub(c.asked) + clockTrust)
}

// ages are the times of the database's clock at which its ages count, for a question that is asked now. They are equal
// where none does.
func (c *clock) ages() (from, to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	switch {
	case c.there.IsZero(): // this process is new: what it finds is all that it knows
		return time.Time{}, now.AddDate(100, 0, 0)
	case now.Before(c.trusted):
		return c.there, c.there
	}
	return c.expected(now, now.Add(beatEvery)) // a lease that is renewed has longer than that, and clockTrust
}

// correct has what is due be due after as long as before the clock was set, where this process leads. A row that was
// changed since then is by the new clock already. So is one that a try has moved whose answer was lost: it is not moved
// twice. Where the clock was set back, a row that was changed just that long before is taken for one; see sooner.
func (c *clock) correct(ctx context.Context, leads bool, of *leases) error {
	c.mu.Lock()
	set, since := c.set, c.since
	c.set = 0
	c.mu.Unlock()
	if set == 0 || !leads {
		return nil
	}
	if _, err := of.db.Pool().Exec(ctx, `UPDATE locsync.passes
		SET due = due + $1, quiet = quiet + $1, unknown = unknown + $1, changed = clock_timestamp()
		WHERE NOT changed BETWEEN $2 AND clock_timestamp()`, set, since); err != nil {
		c.mu.Lock()
		c.set += set
		c.mu.Unlock()
		return fmt.Errorf("set what is due to the database's clock: %w", err)
	}
	of.log.Info("the database's clock was set; what is due is due after as long as before", zap.Duration("by", set))
	return nil
}

// later puts a job off: the queue adds the pause to this machine's clock, and hands the job out by the database's.
func (c *clock) later(pause time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	ahead := c.there.Sub(c.answered.Round(0))
	if c.there.IsZero() || ahead.Abs() < clockTrust {
		ahead = 0
	}
	return river.JobSnooze(max(0, pause+ahead)) // a job that sleeps too long is brought forward
}
