// Package budget is the right to make requests: never more than so many in any window of one second, for all
// clients of an account in this process and, through a file, for all its processes on this host, or through a Keeper,
// for those of several machines. The rules are in slots.go; the others say where the slots are kept.
//
// It knows no service and makes no request. What a request waits for is told through its callbacks.
package budget

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// Budget hands out the right to make one request. It is one object per account and host.
type Budget struct {
	account string               // a hash, which tells nothing
	keepers []Keeper             // the best one first; the last one's errors are those of a claim
	warn    func(string)         // told of a keeper that is left
	far     bool                 // the keeper's clock goes on while this machine is stopped
	lines   [ranks]chan struct{} // each holds the caller whose turn it is; others of that rank wait in order

	mu    sync.Mutex
	used  int       // the keeper that worked last; -1: none yet
	again time.Time // when the best one is tried again
}

// Keeper keeps the slots of accounts for several clients of a budget.
type Keeper interface {
	// Update calls change with the keeper's own time and the content that an account has, nil for none, and stores what
	// that returns. Where another Update came between, change is called again. An error means that nothing was stored.
	Update(ctx context.Context, account string, change func(now time.Duration, content []byte) []byte) error
}

// Options say whose budget it is, and who shares it.
type Options struct {
	Origin, Account string // requests are counted for an account at a service
	// Dir is the folder of the file through which processes share the budget; it exists.
	Dir string
	// Host, without a Dir, shares it with all processes of this host, through a folder that every user may
	// write to, and where that cannot be had, through one of this user's. Without either, the budget holds in
	// this process only.
	Host bool
	// Keeper, when not nil, shares it with processes of other machines, in place of Dir and Host.
	Keeper Keeper
	Warn   func(string) // told, in a sentence, when the budget cannot be shared as it should
}

// Open is the budget of an account. Each call makes one of its own: the clients of one process share one object.
func Open(o Options) *Budget {
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	var keepers []Keeper
	switch {
	case o.Keeper != nil:
		keepers = []Keeper{o.Keeper}
	case o.Dir != "":
		keepers = []Keeper{&slotFile{dir: o.Dir, patience: lockWait}}
	case o.Host:
		keepers = hostKeepers(sharedFolder(sharedFolders), userFolder(), o.Warn)
	default:
		keepers = []Keeper{newSlotMemory()}
	}
	b := newBudget(o, keepers...)
	b.far = o.Keeper != nil
	return b
}

func newBudget(o Options, keepers ...Keeper) *Budget {
	sum := sha256.Sum256([]byte(o.Origin + "\n" + o.Account))
	b := &Budget{account: hex.EncodeToString(sum[:12]), keepers: keepers, warn: o.Warn, used: -1}
	for i := range b.lines {
		b.lines[i] = make(chan struct{}, 1)
	}
	return b
}

// Folder is where the slots are kept now, "" in this process alone, and whether other users of this host count
// theirs there, too. It is known after a request.
func (b *Budget) Folder() (dir string, shared bool) {
	if file, ok := b.keepers[b.inUse()].(*slotFile); ok {
		return file.dir, !file.ofUser
	}
	return "", false
}

// Forever is the silence of a request that waits until another one of this process has left.
const Forever = time.Duration(math.MaxInt64)

// Request is what the budget is asked for.
type Request struct {
	Rank    Priority
	Poll    bool                        // it looks at a job
	Waits   func(pause time.Duration)   // nil, or told of each pause before the request may leave
	Silence func(silence time.Duration) // nil, or told before each wait how long it may last, and 0 after it
}

// Claim waits until one request may leave, and gives the ticket under which its end is to be reported.
func (b *Budget) Claim(ctx context.Context, p Pace, r Request) (Ticket, error) {
	silent := func(silence time.Duration) {
		if r.Silence != nil {
			r.Silence(silence)
		}
	}
	came := time.Now()
	line := b.lines[r.Rank]
	silent(Forever) // the request before this one tells for itself
	select {
	case line <- struct{}{}:
	case <-ctx.Done():
		return Ticket{}, context.Cause(ctx)
	}
	defer func() { <-line }()
	for {
		var t Ticket
		var wait time.Duration
		rank := r.Rank.risen(time.Since(came))
		silent(lockWait)
		asked := time.Now()
		err := b.update(ctx, func(now time.Duration, s *slots) { t, wait = s.claim(now, p, rank, r.Poll) })
		if b.far {
			t.lapses = asked.Add(ticketLife)
		}
		silent(0)
		if err != nil && b.far {
			err = fmt.Errorf("no request is made outside of the budget: %w", err)
		}
		if err != nil || wait == 0 {
			return t, err
		}
		if time.Since(came) > starved && b.starve() {
			came = time.Now()
		}
		if r.Waits != nil {
			r.Waits(wait)
		}
		wait = min(wait, riseAfter)
		silent(wait)
		if err := Sleep(ctx, wait); err != nil {
			return Ticket{}, err
		}
	}
}

// Settle reports that the request has reached the service (it answered) or never will. It works though
// the call's context has ended; when it cannot, the slot settles by itself after settleCap.
func (b *Budget) Settle(ctx context.Context, t Ticket) error {
	return b.report(ctx, func(now time.Duration, s *slots) { s.settle(now, t) })
}

// Answered reports the answer: limited after a 429, which pauses everything for at least retryAfter and
// lowers the rate, else one that was let through.
func (b *Budget) Answered(ctx context.Context, t Ticket, p Pace, limited bool, retryAfter time.Duration) error {
	jitter := rand.Float64()
	return b.report(ctx, func(now time.Duration, s *slots) {
		s.settle(now, t)
		if limited {
			s.limited(now, t, p, retryAfter, jitter)
		} else {
			s.admitted(t)
		}
	})
}

func (b *Budget) report(ctx context.Context, change func(now time.Duration, s *slots)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return b.update(ctx, change)
}

const (
	keeperRetry = time.Minute  // after which a better keeper is tried again
	starved     = 3 * MaxPause // no honest pause is so long; another user writes a new one all the time
	distrust    = time.Hour
)

var errStarved = fmt.Errorf("the request budget that is shared with other users let nothing through for %v; it is not "+
	"used for %v", starved, distrust)

// update changes the slots at the best keeper that works.
func (b *Budget) update(ctx context.Context, change func(now time.Duration, s *slots)) error {
	for at := b.first(); ; at++ {
		err := b.keepers[at].Update(ctx, b.account, func(now time.Duration, content []byte) []byte {
			s := decode(content, now)
			if b.moved(at) {
				s.begin(now) // what left through the other keeper is not known here
			}
			change(now, &s)
			return s.encode()
		})
		if err == nil || ctx.Err() != nil || !b.leave(at, keeperRetry, err) {
			return err
		}
	}
}

// first is the keeper to try first: the one in use, and now and then the best one.
func (b *Budget) first() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used > 0 && time.Now().After(b.again) {
		return 0
	}
	return max(b.used, 0)
}

// moved notes that a keeper is used, and reports whether another one was before.
func (b *Budget) moved(to int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	moved := b.used >= 0 && to != b.used
	b.used = to
	return moved
}

// leave does without a keeper for a while, and says why where it was in use. It reports false where there is no other.
func (b *Budget) leave(at int, away time.Duration, why error) bool {
	if at == len(b.keepers)-1 {
		return false
	}
	b.mu.Lock()
	inUse := b.used <= at
	b.again = time.Now().Add(away)
	b.mu.Unlock()
	if inUse {
		b.warn(why.Error())
	}
	return true
}

// starve leaves the keeper in use, where a request has waited for longer than honest users make it wait: those that
// left before have arrived.
func (b *Budget) starve() (left bool) {
	at := b.inUse()
	left = b.leave(at, distrust, errStarved)
	if left {
		b.moved(at + 1)
	}
	return left
}

// inUse is the keeper that worked last.
func (b *Budget) inUse() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(b.used, 0)
}

// Sleep waits for d or for the end of ctx, whose cause it returns.
func Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil || d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
