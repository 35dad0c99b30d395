//go:build soak && linux

package local

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// A project of a million keys, into which 200 clients import 1,000 new keys each at once, while 100 export: all is
// accepted, none waits much longer than the others, and the memory stays small. Then the same, and the process is
// killed meanwhile: nothing that was accepted is lost.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	s, kill := child(t, dir)
	p := s.create("en", "de", "fr", "ja")
	for i := range 10 {
		if r := s.completed(p, "?language=en", keysFile(fmt.Sprint("old", i), 100_000)); r.KeysCreated != 100_000 {
			t.Fatalf("%+v", r)
		}
	}
	s.completed(p, "?language=en&collection=exported", keysFile("small", 1000))
	calm := s.storm(p, "calm", nil)
	if len(calm.imports) != 200 || len(calm.exports) != 100 {
		t.Errorf("%d imports and %d exports of 200 and 100 were accepted", len(calm.imports), len(calm.exports))
	}
	for name, all := range map[string][]time.Duration{"accepted": calm.called, "completed": calm.done} {
		slices.Sort(all)
		p50, p99 := all[len(all)/2], all[len(all)*99/100]
		t.Logf("an import is %s after %v, 99 of 100 after %v (%.1f times)", name, p50, p99, float64(p99)/float64(p50))
		if p99 > 3*p50 {
			t.Errorf("99 of 100 imports are %s after %v, half of them after %v", name, p99, p50)
		}
	}
	t.Logf("memory: %d MB at most, of which %d MB are its own", calm.resident, calm.anonymous)
	if calm.anonymous > 100 {
		t.Errorf("it takes %d MB", calm.anonymous)
	}
	s.holds(t, p, calm)
	for round := range 5 {
		killed := s.storm(p, fmt.Sprint("killed", round), kill)
		s, kill = child(t, dir)
		t.Logf("round %d: %d imports and %d exports were accepted before the kill", round,
			len(killed.imports), len(killed.exports))
		s.holds(t, p, killed)
	}
}

// outcome is what became of many calls at once.
type outcome struct {
	mu                  sync.Mutex
	imports, exports    []string
	called, done        []time.Duration
	resident, anonymous int // MB, the most that was seen
}

// storm makes all calls at once; kill, when it is given, ends the process at some moment.
func (s *server) storm(p, prefix string, kill func()) *outcome {
	s.t.Helper()
	var o outcome
	var all, watch sync.WaitGroup
	ended := make(chan struct{})
	watch.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(20 * time.Millisecond):
				resident, anonymous := s.memorySize()
				o.resident, o.anonymous = max(o.resident, resident), max(o.anonymous, anonymous)
			}
		}
	})
	for i := range 200 {
		contentType, body := multipartOf(s.t, keysFile(fmt.Sprint(prefix, i), 1000))
		all.Go(func() {
			began := time.Now()
			var id string
			if !post(s, "/v2/project/"+p+"/import?language=en", contentType, body, &id) {
				return
			}
			called := time.Since(began)
			for kill == nil {
				var r wire.ImportResult
				if try(s, "GET", "/v1/project/import-result/"+id, "", nil, &r) && r.Status.Ended() {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			o.imports = append(o.imports, id)
			o.called, o.done = append(o.called, called), append(o.done, time.Since(began))
		})
	}
	for range 100 {
		all.Go(func() {
			var id string
			if post(s, "/v2/project/"+p+"/export?languages=en&collections=exported", "", nil, &id) {
				o.mu.Lock()
				defer o.mu.Unlock()
				o.exports = append(o.exports, id)
			}
		})
	}
	if kill != nil {
		time.Sleep(time.Duration(50+rand.IntN(800)) * time.Millisecond)
		kill()
	}
	all.Wait()
	close(ended)
	watch.Wait()
	return &o
}

// holds checks that all that was accepted is carried out.
func (s *server) holds(t *testing.T, p string, o *outcome) {
	t.Helper()
	for _, id := range o.imports {
		if r := s.result(id); r.Status != wire.Completed || r.KeysCreated != 1000 || r.KeyValuesNotChanged != 0 {
			t.Errorf("an import: %+v", r)
		}
	}
	for _, id := range o.exports {
		if a := s.downloaded(id); a.status != 200 || strings.Count(string(a.body), `"small.`) != 1000 {
			t.Errorf("an export: %d, %d bytes", a.status, len(a.body))
		}
	}
}

// memorySize is what the service's process takes: all of it, with pages of the database, and its own.
func (s *server) memorySize() (resident, anonymous int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kb, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
		switch name {
		case "VmRSS":
			resident = kb / 1024
		case "RssAnon":
			anonymous = kb / 1024
		}
	}
	return resident, anonymous
}
