package engine

import (
	"errors"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/service"
)

// soonest is of the failures of a pass's lines, or its only failure, the one that a repetition may end first: a branch
// that waits for a person keeps no other one waiting.
func soonest(err error) error {
	lines, several := err.(interface{ Unwrap() []error })
	if !several {
		return err
	}
	for _, line := range lines.Unwrap() {
		if !Permanent(line) && !errors.Is(line, gitops.ErrRefused) {
			return line
		}
	}
	return err
}

// Permanent reports whether an error stays until the configuration, the credentials or the repository change.
func Permanent(err error) bool {
	return errors.As(err, new(*failure.UsageError)) || errors.As(err, new(*ledger.NewerError)) ||
		errors.Is(err, service.ErrAuth) || errors.Is(err, service.ErrRefused) && !errors.Is(err, service.ErrExportFailed)
}

// backoff says when a pass that failed is tried again.
type backoff struct {
	at   time.Time
	wait time.Duration
}

const (
	retryFirst = 5 * time.Second
	retryMost  = time.Minute
	retrySlow  = 10 * time.Minute
)

func (b *backoff) reset() { *b = backoff{} }

func (b *backoff) due(now time.Time) bool { return !b.at.IsZero() && !now.Before(b.at) }

func (b *backoff) soon(now time.Time) { b.at = now.Add(time.Second) }

func (b *backoff) slow(now time.Time) { b.at = now.Add(retrySlow) }

// failed waits longer each time that a repetition failed. A pass that something else woke before the repetition was
// due does not put that off; and where the service or the git server says how long to wait, or the client lets nothing
// through until then, that counts.
func (b *backoff) failed(now time.Time, err error) {
	if now.Before(b.at) {
		return
	}
	b.wait = min(max(2*b.wait, retryFirst), retryMost)
	b.at = now.Add(b.wait)
	if e, ok := errors.AsType[*service.Error](err); ok && e.RetryAfter > 0 {
		b.at = now.Add(e.RetryAfter)
	}
}
