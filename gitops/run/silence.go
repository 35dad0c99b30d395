package run

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A call may take as long as it moves, and is given up when nothing of it has moved for the Silence of its watch: a
// first fetch over a slow line is hours of work, and begins from its beginning each time. What moves: the streams of
// the git program, which with --progress says something about once a second; the packs that it writes; the file in
// which git LFS tells of large ones; and objects that are read here.

// DefaultSilence is for how long, where nothing else is given. It is longer than what servers and programs are known
// to be silent for: a hook that runs tests, a server that repacks before it answers.
const DefaultSilence = 3 * time.Minute

// Silent is a call that was given up because nothing of it moved. It is a context.DeadlineExceeded.
type Silent struct {
	For  time.Duration
	Last string // the last progress that the git program told of; "" when it told none
}

func (e *Silent) Error() string {
	last := ""
	if e.Last != "" {
		last = fmt.Sprintf(" after %.120q", e.Last)
	}
	return fmt.Sprintf("nothing moved for %s%s, so it was given up; "+
		"look what it waits for: a remote that answers no more, a program that asks for something",
		e.For.Round(time.Second/10), last)
}

func (e *Silent) Is(target error) bool { return target == context.DeadlineExceeded }

// endless is a call that was given up because it went on too long. It is a context.DeadlineExceeded.
type endless struct{ after time.Duration }

func (e *endless) Error() string {
	return fmt.Sprintf("it went on for %s without an end, so it was given up; "+
		"look what the remote, or a hook of it, does", e.after)
}

func (e *endless) Is(target error) bool { return target == context.DeadlineExceeded }

// stallTimer watches over one call.
type stallTimer struct {
	limit  time.Duration
	alive  func()
	cancel context.CancelCauseFunc
	count  atomic.Int64 // of what moved and says so

	mu    sync.Mutex // below: of look, which a timer calls, and of the call that begins and ends what is looked at
	timer *time.Timer
	signs []*func() int64 // of what moves and does not say so; each gives another number then
	was   int64
	since time.Time // of the last movement that was seen
	ended bool
}

type stallKey struct{}

// Moved says that the call of a context moves.
func Moved(ctx context.Context) {
	if v, ok := ctx.Value(stallKey{}).(*stallTimer); ok {
		v.count.Add(1)
	}
}

// Watch says how a call is watched: for how long it may be silent, and who is told that it moves.
type Watch struct {
	Silence time.Duration
	Alive   func()
}

// Begin makes the context of a call, which ends with end or by silence. Within another call it is a part of that one.
func (w Watch) Begin(ctx context.Context, signs ...func() int64) (_ context.Context, end func()) {
	w.Alive()
	if _, within := ctx.Value(stallKey{}).(*stallTimer); within {
		Moved(ctx)
		return ctx, w.Alive
	}
	v := &stallTimer{limit: w.Silence, alive: w.Alive, since: time.Now()}
	ctx, v.cancel = context.WithCancelCause(context.WithValue(ctx, stallKey{}, v))
	for _, sign := range signs {
		v.signs = append(v.signs, &sign)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.was = v.sum()
	v.timer = time.AfterFunc(v.pace(), v.look)
	return ctx, func() {
		v.mu.Lock()
		v.ended = true
		v.timer.Stop()
		v.mu.Unlock()
		v.cancel(nil)
		w.Alive()
	}
}

// Shorten lowers for how long the call of a context may be silent, until restore.
func Shorten(ctx context.Context, most time.Duration) (restore func()) {
	v, ok := ctx.Value(stallKey{}).(*stallTimer)
	if !ok {
		return func() {}
	}
	set := func(limit time.Duration) (before time.Duration) {
		v.mu.Lock()
		defer v.mu.Unlock()
		before, v.limit = v.limit, limit
		if !v.ended {
			v.since = time.Now()
			v.timer.Reset(v.pace())
		}
		return before
	}
	v.mu.Lock()
	most = min(most, v.limit)
	v.mu.Unlock()
	before := set(most)
	return func() { set(before) }
}

// pace is how often is looked: a silence is noticed an eighth too late at most.
func (v *stallTimer) pace() time.Duration { return max(v.limit/8, time.Millisecond) }

// sum is a number that stays the same only while nothing moves. The caller holds mu.
func (v *stallTimer) sum() int64 {
	sum := v.count.Load()
	for _, sign := range v.signs {
		sum += (*sign)()
	}
	return sum
}

// look tells that the call is alive where it has moved, and ends it where it has not for too long.
func (v *stallTimer) look() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended {
		return
	}
	now := time.Now()
	if sum := v.sum(); sum != v.was {
		v.was, v.since = sum, now
		v.alive()
	}
	if silent := now.Sub(v.since); silent >= v.limit {
		v.ended = true
		v.cancel(&Silent{For: silent})
		return
	}
	v.timer.Reset(v.pace())
}

// seeing adds a sign to the call of a context for as long as stop is not called.
func seeing(ctx context.Context, sign func() int64) (stop func()) {
	v, ok := ctx.Value(stallKey{}).(*stallTimer)
	if !ok {
		return func() {}
	}
	change := func(do func()) {
		v.mu.Lock()
		defer v.mu.Unlock()
		before := v.sum()
		do()
		v.was += v.sum() - before // a change of what is measured does not count as movement
	}
	change(func() { v.signs = append(v.signs, &sign) })
	return func() {
		change(func() { v.signs = slices.DeleteFunc(v.signs, func(s *func() int64) bool { return s == &sign }) })
	}
}

// packsGrow gives the bytes of the packs that git is writing in a folder of objects.
func packsGrow(objects string) func() int64 {
	return func() int64 {
		var size int64
		for _, e := range UnfinishedPacks(objects) {
			if info, err := e.Info(); err == nil {
				size += info.Size() + 1
			}
		}
		return size
	}
}

// UnfinishedPacks are the files in which git writes packs and what belongs to them.
func UnfinishedPacks(objects string) []fs.DirEntry {
	entries, _ := os.ReadDir(filepath.Join(objects, "pack"))
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), "tmp_") && !strings.HasPrefix(e.Name(), ".tmp-")
	})
}

// removeCut removes the packs that were cut where they reached a size, and says whether there were any: git does not.
func removeCut(objects string, size int64) (cut bool) {
	for _, e := range UnfinishedPacks(objects) {
		if info, err := e.Info(); err == nil && info.Size() >= size {
			cut = true
			_ = os.Remove(filepath.Join(objects, "pack", e.Name())) // git gc does it, too, in two weeks
		}
	}
	return cut
}

// fileGrows gives the size of a file.
func fileGrows(name string) func() int64 {
	return func() int64 {
		info, err := os.Stat(name)
		if err != nil {
			return 0
		}
		return info.Size()
	}
}

// movingWriter tells of the bytes that pass.
type movingWriter struct {
	ctx context.Context
	w   io.Writer
}

func (m movingWriter) Write(b []byte) (int, error) {
	n, err := m.w.Write(b)
	if n > 0 {
		Moved(m.ctx)
	}
	return n, err
}
