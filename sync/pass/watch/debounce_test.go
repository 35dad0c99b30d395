package watch

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// play rings at the given times and returns when looks happened, all counted from the start.
func play(t *testing.T, quiet, most time.Duration, rings []time.Duration, slow time.Duration) []time.Duration {
	var looks []time.Duration
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		bell := make(chan struct{}, 1)
		done := make(chan struct{})
		go func() {
			defer close(done)
			debounce(ctx, bell, quiet, most, func() {
				looks = append(looks, time.Since(start))
				time.Sleep(slow)
			})
		}()
		for _, at := range rings {
			time.Sleep(at - time.Since(start))
			select {
			case bell <- struct{}{}:
			default:
			}
		}
		time.Sleep(10 * (most + slow))
		cancel()
		<-done
	})
	return looks
}

func TestLooksWhenQuietAndNotTooLate(t *testing.T) {
	const quiet, most = 300 * time.Millisecond, 5 * time.Second
	ms := func(list ...int) (all []time.Duration) {
		for _, n := range list {
			all = append(all, time.Duration(n)*time.Millisecond)
		}
		return all
	}
	var steady []int
	for at := 0; at < 12_000; at += 100 {
		steady = append(steady, at)
	}
	for _, c := range []struct {
		name  string
		rings []time.Duration
		slow  time.Duration
		want  []time.Duration
	}{
		{"nothing happened", nil, 0, nil},
		{"one save", ms(1000), 0, ms(1300)},
		{"one save in many events", ms(0, 10, 50, 300, 599), 0, ms(899)},
		{"two saves", ms(0, 1000), 0, ms(300, 1300)},
		{"never quiet", ms(steady...), 0, ms(5000, 10_000, 12_200)}, // the last ring is at 11.9 s
		{"a change during a look", ms(0, 500), 2 * time.Second, ms(300, 2600)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := play(t, quiet, most, c.rings, c.slow); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// Every ring is followed by a look, not before it was quiet unless it waited long enough, and not later than
// the longest wait.
func TestSettleLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		quiet := time.Duration(rapid.IntRange(1, 50).Draw(rt, "quiet")) * 10 * time.Millisecond
		most := quiet + time.Duration(rapid.IntRange(0, 200).Draw(rt, "more"))*10*time.Millisecond
		var rings []time.Duration
		at := time.Duration(0)
		for _, gap := range rapid.SliceOfN(rapid.IntRange(1, 1500), 1, 40).Draw(rt, "gaps") {
			at += time.Duration(gap)*time.Millisecond + 17*time.Microsecond // never exactly when a timer ends
			rings = append(rings, at)
		}
		looks := play(t, quiet, most, rings, 0)
		for _, ring := range rings {
			i, _ := slices.BinarySearch(looks, ring)
			if i == len(looks) || looks[i] > ring+most {
				rt.Fatalf("no look within %v of the ring at %v: %v", most, ring, looks)
			}
		}
		from := time.Duration(0)
		for _, look := range looks {
			first, last := time.Duration(-1), time.Duration(-1)
			for _, ring := range rings {
				if ring > from && ring <= look {
					if first < 0 {
						first = ring
					}
					last = ring
				}
			}
			if first < 0 || look != last+quiet && look != first+most {
				rt.Fatalf("a look at %v after rings from %v to %v", look, first, last)
			}
			from = look
		}
	})
}

func TestSettleEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		bell := make(chan struct{}, 1)
		go debounce(ctx, bell, time.Hour, time.Hour, func() { t.Error("looked after the end") })
		bell <- struct{}{}
		synctest.Wait()
		cancel()
		synctest.Wait() // the bubble fails when the goroutine stays
	})
}
