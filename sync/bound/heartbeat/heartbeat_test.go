package heartbeat

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

const step = 5 * time.Minute

// The law: of parts that say this and that, and of times that go by, exactly those hang that were silent for longer
// than they said and a step; from the beginning those of which nothing has worked yet.
func TestLaw(t *testing.T) {
	type act struct {
		What, Part string
		For        int64
	}
	long := rapid.OneOf(rapid.Int64Range(0, int64(2*time.Hour)),
		rapid.SampledFrom([]int64{0, int64(step), int64(Forever)}), rapid.Int64())
	acts := rapid.SliceOf(rapid.Custom(func(t *rapid.T) act {
		return act{rapid.SampledFrom([]string{"begin", "try", "work", "expect", "end", "pass", "pass"}).Draw(t, "what"),
			rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "part"), long.Draw(t, "for")}
	}))
	type model struct {
		heart     *Part
		last, due time.Time
		first     *bool // nil: it has worked from the beginning
	}
	strangers := 0
	rapid.Check(t, func(rt *rapid.T) {
		all, wrong := acts.Draw(rt, "acts"), ""
		synctest.Test(t, func(*testing.T) {
			set, parts := New(step), map[string]*model{}
			for _, a := range all {
				p, now := parts[a.Part], time.Now()
				switch {
				case a.What == "pass":
					time.Sleep(time.Duration(min(max(a.For, 0), int64(3*time.Hour))))
				case a.What == "begin" && p == nil:
					parts[a.Part] = &model{set.Begin(a.Part), now, now.Add(step), nil}
				case a.What == "try" && p == nil:
					first := true
					parts[a.Part] = &model{set.Try(a.Part, func() bool { return !first }), now, now.Add(step), &first}
				case p == nil:
				case a.What == "expect":
					p.heart.Expect(time.Duration(a.For))
					p.last, p.due = now, now.Add(step+time.Duration(min(max(a.For, 0), 1<<60)))
				case a.What == "work" && p.first != nil:
					*p.first = false
				case a.What == "end":
					p.heart.End()
					delete(parts, a.Part)
				}
				got := map[string]Still{}
				for _, s := range set.Hanging() {
					got[s.Part] = s
				}
				for part, p := range parts {
					still, hangs := got[part]
					if now := time.Now(); hangs != now.After(p.due) || hangs && (still.For != now.Sub(p.last) ||
						still.First != (p.first != nil && *p.first)) {
						wrong = fmt.Sprintf("after %+v %s hangs: %v, %+v; its last sign was %s ago, the next was due %s ago", a, part, hangs, still, now.Sub(p.last), now.Sub(p.due))
						return
					}
					delete(got, part)
				}
				strangers += len(got) // that hang
			}
		})
		if wrong != "" || strangers > 0 {
			rt.Fatal(wrong, strangers)
		}
	})
}

// What a person reads names the part that began first first, and how long it has been still.
func TestWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := New(step)
		set.Begin("one")
		two := set.Begin("two")
		time.Sleep(time.Second)
		three := set.Begin("three")
		three.Rest()
		time.Sleep(step)
		two.Beat()
		time.Sleep(step + 1600*time.Millisecond)
		var said []string
		for _, s := range set.Hanging() {
			said = append(said, s.String())
		}
		if want := []string{"one has not moved for 10m3s", "two has not moved for 5m2s"}; !slices.Equal(said, want) {
			t.Errorf("%q, want %q", said, want)
		}
	})
}

// A part without a set, and a context without a part, beat without effect.
func TestHeartbeatWithoutAPart(t *testing.T) {
	var set *Set
	h := set.Begin("part")
	h.Beat()
	h.Rest()
	h.End()
	if h != nil || set.Hanging() != nil || From(t.Context()) != nil || From(With(t.Context(), nil)) != nil {
		t.Error("there is a heart")
	}
	mine := New(step).Begin("part")
	if From(context.WithoutCancel(With(t.Context(), mine))) != mine {
		t.Error("it got lost on the way")
	}
	mine.Expect(time.Duration(math.MinInt64))
	if len(mine.set.Hanging()) != 0 {
		t.Error("a silence that makes no sense is an end")
	}
}

// Few parts wait as long as they want to, together; of thousands each waits longer, so that the process wakes no more
// often.
func TestNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := New(step)
		part := set.Begin("one")
		for n, want := range map[int]time.Duration{1: 10 * time.Second, 2000: 10 * time.Second, 10_000: 50 * time.Second} {
			for len(set.parts) < n {
				set.Begin("another")
			}
			set.parts = set.parts[:n]
			time.Sleep(part.Next(10 * time.Second)) // to a whole multiple
			time.Sleep(time.Second)
			if got := part.Next(10 * time.Second); got != want-time.Second {
				t.Errorf("of %d parts one waits %s, want %s", n, got, want-time.Second)
			}
		}
	})
}

func BenchmarkBeat(b *testing.B) {
	h := New(step).Begin("part")
	for b.Loop() {
		h.Beat()
	}
}
