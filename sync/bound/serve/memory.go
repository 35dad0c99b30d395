package serve

import (
	"errors"
	"io"
	"sync/atomic"
)

// ErrFull means that the bodies of all requests together take as much memory as they may.
var ErrFull = errors.New("too many large requests at once; send this one again later")

// Memory bounds what the bodies of all requests together hold in memory.
type Memory struct {
	Most int64
	held atomic.Int64
}

// Held is how many bytes are in memory.
func (m *Memory) Held() int64 { return m.held.Load() }

// Add counts other memory; a negative number gives it back.
func (m *Memory) Add(n int64) { m.held.Add(n) }

// Keep counts what is read of a body, until release.
func (m *Memory) Keep(body io.ReadCloser) (kept io.ReadCloser, release func()) {
	b := &keptBody{body: body, of: m}
	return b, func() { m.held.Add(-b.held.Swap(0)) }
}

type keptBody struct {
	body io.ReadCloser
	of   *Memory
	held atomic.Int64
}

func (b *keptBody) Close() error { return b.body.Close() }

func (b *keptBody) Read(p []byte) (int, error) {
	if b.of.held.Load() >= b.of.Most {
		return 0, ErrFull
	}
	n, err := b.body.Read(p)
	b.held.Add(int64(n))
	b.of.held.Add(int64(n))
	return n, err
}
