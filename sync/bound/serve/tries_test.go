package serve

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"io"
)

// As many tries as may are taken at once, and one more after each wait; one that was right is given back.
func TestTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := Tries[string]{AtOnce: 3, Every: 10 * time.Second}
		take := func(key string, want time.Duration) {
			t.Helper()
			if wait := tries.Take(key, time.Now()); wait != want {
				t.Errorf("%s waits for %s, want %s", key, wait, want)
			}
		}
		for range 3 {
			take("a", 0)
		}
		take("a", 10*time.Second)
		take("b", 0)
		time.Sleep(4 * time.Second)
		take("a", 6*time.Second)
		time.Sleep(6 * time.Second)
		take("a", 0)
		take("a", 10*time.Second)
		tries.Return("a")
		take("a", 0)
		time.Sleep(time.Hour)
		for range 3 {
			take("a", 0)
		}
		take("a", 10*time.Second)
		for i := range 3 * maxKeys {
			take(fmt.Sprint("other", i), 0)
		}
		if n := len(tries.free); n > maxKeys {
			t.Errorf("%d are remembered", n)
		}
	})
}

// What bodies hold is bounded together, and given back.
func TestMemory(t *testing.T) {
	m := Memory{Most: 10}
	one, release := m.Keep(io.NopCloser(strings.NewReader("1234567890")))
	two, give := m.Keep(io.NopCloser(strings.NewReader("1")))
	if b, err := io.ReadAll(one); len(b) != 10 || err != ErrFull {
		t.Errorf("%q %v", b, err)
	}
	if _, err := io.ReadAll(two); err != ErrFull {
		t.Errorf("beyond it: %v", err)
	}
	release()
	if b, err := io.ReadAll(two); string(b) != "1" || err != nil {
		t.Errorf("afterwards: %q %v", b, err)
	}
	give()
	give()
	if m.Held() != 0 {
		t.Errorf("%d bytes are held", m.Held())
	}
}
