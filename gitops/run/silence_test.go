package run

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// Law: a call ends by silence if and only if nothing of it moves for as long as Silence, however it moves and however
// long it takes. While it moves it says so more often than that; while it does not, it says nothing; and after its end
// it says nothing either.
func TestSilence(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pauses := rapid.SliceOfN(rapid.IntRange(1, 870), 0, 30).Draw(rt, "pauses") // thousandths of Silence
		how := rapid.SliceOfN(rapid.IntRange(0, 3), len(pauses), len(pauses)).Draw(rt, "how")
		ends := rapid.Bool().Draw(rt, "ends")
		synctest.Test(t, func(t *testing.T) {
			const silence = time.Minute
			var told, outside, added int64
			o := Watch{Silence: silence, Alive: func() { atomic.AddInt64(&told, 1) }}
			ctx, end := o.Begin(t.Context(), func() int64 { return atomic.LoadInt64(&outside) })
			stop := seeing(ctx, func() int64 { return atomic.LoadInt64(&added) })
			heard := func() int64 { return atomic.SwapInt64(&told, 0) }
			heard()
			for i, thousandths := range pauses {
				switch how[i] {
				case 0:
					Moved(ctx)
				case 1:
					atomic.AddInt64(&outside, 5)
				case 2:
					atomic.AddInt64(&added, 1)
				case 3:
					_, within := o.Begin(ctx) // a part of it
					within()
				}
				heard()
				time.Sleep(silence/7 + silence*time.Duration(thousandths)/1000*6/7)
				if heard() != 1 {
					t.Fatalf("after %d of %v: %v, or told not once that it moves", i, pauses, context.Cause(ctx))
				}
			}
			stop()
			if ends {
				end()
				heard()
				Moved(ctx)
				time.Sleep(3 * silence)
				if heard() != 0 || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
					t.Errorf("%v, or told after the end", context.Cause(ctx))
				}
				return
			}
			defer end()
			time.Sleep(silence * 5 / 4)
			if err, ok := errors.AsType[*Silent](context.Cause(ctx)); !ok ||
				!errors.Is(err, context.DeadlineExceeded) || err.For < silence ||
				err.For > silence*5/4 || heard() != 0 {
				t.Errorf("%v, or told while it hung", context.Cause(ctx))
			}
		})
	})
}

// Law: what git says is told from its progress whatever the pieces are that it comes in.
func TestWords(t *testing.T) {
	const said = "remote: Enumerating objects: 153, done.        \nremote: Counting objects:  50% (76/153)        \rremote: Counting objects: 100% (153/153), done.        \n" +
		"remote: the hook says: Coverage: 45% (45/100)\nReceiving objects:   0% (1/153)\rReceiving objects:  64% (98/153), 487.98 KiB | 88.00 KiB/s\r" +
		"remote: Total 153 (delta 0), reused 153 (delta 0), pack-reused 0        \nDelta compression using up to 2 threads\nssh: connect to host x port 22: Connection refused\r\n" +
		"remote: of Windows        \rremote: \nremote: Resolving deltas: 100% (1/1)        \rremote: \nremote: Exit code: 3\nReceiving objects:  65% (99/153), 488.00 KiB | 88.00 KiB/s\rfatal: early EOF"
	const kept = "remote: the hook says: Coverage: 45% (45/100)\nssh: connect to host x port 22: Connection refused\nremote: of Windows        \nremote: Exit code: 3\nfatal: early EOF"
	rapid.Check(t, func(rt *rapid.T) {
		w := new(words)
		for rest := said; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "bytes")
			_, _ = io.WriteString(w, rest[:n])
			rest = rest[n:]
		}
		if got := w.String(); got != kept {
			rt.Errorf("%q", got)
		}
		if w.last != "Receiving objects:  65% (99/153), 488.00 KiB | 88.00 KiB/s" {
			rt.Errorf("%q", w.last)
		}
	})
	w := new(words)
	for range 3 {
		_, _ = w.Write(bytes.Repeat([]byte("x"), mostWords))
	}
	if n := len(w.String()); n > 2*mostWords {
		t.Errorf("%d bytes are kept of a hook that does not stop", n)
	}
}
