package watch

import (
	"context"
	"time"
)

// debounce turns rings into looks: one when they have been quiet for a while, and at the latest so long
// after the first. A ring while files are read begins the next batch. It returns when ctx ends; a batch that has
// not settled then is dropped, because the next start reads everything first.
func debounce(ctx context.Context, rings <-chan struct{}, quiet, most time.Duration, look func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-rings:
		}
		deadline := time.NewTimer(most)
		lull := time.NewTimer(quiet)
		for settled := false; !settled; {
			select {
			case <-ctx.Done():
				deadline.Stop()
				lull.Stop()
				return
			case <-rings:
				lull.Reset(quiet)
			case <-lull.C:
				settled = true
			case <-deadline.C:
				settled = true
			}
		}
		deadline.Stop()
		lull.Stop()
		look()
	}
}
