package budget

import (
	"context"
	"sync"
	"time"
)

// slotMemory keeps the slots of one process, on the process's monotonic clock.
type slotMemory struct {
	mu      sync.Mutex
	content []byte
	start   time.Time
}

func newSlotMemory() *slotMemory {
	// An hour back, so that a time of 0 can mean "never".
	return &slotMemory{start: time.Now().Add(-time.Hour)}
}

func (m *slotMemory) Update(ctx context.Context, _ string, change func(time.Duration, []byte) []byte) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.content = change(time.Since(m.start), m.content)
	return nil
}
