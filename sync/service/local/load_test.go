package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// loadClients is how many programs import at once.
const loadClients = 8

// BenchmarkLoad has eight clients import 1,000 new keys each, again and again, over HTTP and with every import durable,
// while another one exports all the time, into a project that has as many keys as it says. It states what a client
// waits for the answer to its import (call), and until the import is completed (done), as median and 99th percentile;
// how many keys a second go in; and the process's memory: on its own heap, and resident with the database's pages.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{0, 1_000_000} {
		b.Run(fmt.Sprintf("into=%d", n), func(b *testing.B) {
			q := filled(b, n, Options{})
			q.small(b)
			h := httptest.NewServer(q.s)
			defer h.Close()
			load := &load{url: h.URL, project: q.project, left: int64(b.N)}
			stop := make(chan struct{})
			var exporter, clients sync.WaitGroup
			exporter.Go(func() { load.export(b, stop) })
			b.ResetTimer()
			began := time.Now()
			for range loadClients {
				clients.Go(func() { load.work(b) })
			}
			clients.Wait()
			took := time.Since(began)
			b.StopTimer()
			close(stop)
			exporter.Wait()
			load.report(b, took)
		})
	}
}

// small gives the project a second collection of 1,000 keys, which the exports are of.
func (q *quick) small(b *testing.B) {
	b.Helper()
	if r := q.imported(b, "?language=en&collection=exported", keysFile("small", 1000)); r.Status != wire.Completed {
		b.Fatalf("%+v", r)
	}
}

type load struct {
	url, project string
	left         int64
	serial       atomic.Int64
	exports      atomic.Int64

	mu         sync.Mutex
	call, done []time.Duration
}

// work is one client: it imports while there is something left.
func (l *load) work(b *testing.B) {
	for atomic.AddInt64(&l.left, -1) >= 0 {
		contentType, body := multipartOf(b, keysFile(fmt.Sprint("load", l.serial.Add(1)), 1000))
		began := time.Now()
		var id string
		if err := l.ask("POST", "/v2/project/"+l.project+"/import?language=en", contentType, body, &id); err != nil {
			b.Error(err)
			return
		}
		called := time.Since(began)
		var r wire.ImportResult
		for !r.Status.Ended() {
			if err := l.ask("GET", "/v1/project/import-result/"+id, "", nil, &r); err != nil {
				b.Error(err)
				return
			}
			time.Sleep(time.Millisecond)
		}
		if r.Status != wire.Completed || r.KeysCreated != 1000 {
			b.Errorf("%+v", r)
			return
		}
		l.mu.Lock()
		l.call, l.done = append(l.call, called), append(l.done, time.Since(began))
		l.mu.Unlock()
	}
}

// export exports the small collection until stop is closed.
func (l *load) export(b *testing.B, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		var id string
		if err := l.ask("POST", "/v2/project/"+l.project+"/export?languages=en&collections=exported", "", nil,
			&id); err != nil {
			b.Error(err)
			return
		}
		for {
			var got map[string]string
			err := l.ask("GET", "/v1/document/export/"+id, "", nil, &got)
			if err == nil && len(got) == 1000 {
				break
			}
			if err != io.EOF {
				b.Errorf("%v, %d keys", err, len(got))
				return
			}
			time.Sleep(time.Millisecond)
		}
		l.exports.Add(1)
	}
}

// ask makes a call; an answer without a body is io.EOF.
func (l *load) ask(method, path, contentType string, body []byte, out any) error {
	r, err := http.NewRequest(method, l.url+wire.Prefix+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if a.StatusCode > 204 {
		return fmt.Errorf("%s: %s", path, a.Status)
	}
	return json.NewDecoder(a.Body).Decode(out)
}

func (l *load) report(b *testing.B, took time.Duration) {
	if b.Failed() || len(l.call) == 0 {
		return
	}
	for name, all := range map[string][]time.Duration{"call": l.call, "done": l.done} {
		slices.Sort(all)
		for _, percent := range []int{50, 99} {
			at := all[min(len(all)-1, len(all)*percent/100)]
			b.ReportMetric(float64(at.Microseconds())/1000, fmt.Sprintf("ms-%s-p%d", name, percent))
		}
	}
	b.ReportMetric(float64(len(l.call))*1000/took.Seconds(), "keys/s")
	b.ReportMetric(float64(l.exports.Load())/took.Seconds(), "exports/s")
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MB-heap")
	b.ReportMetric(resident(), "MB-resident")
}

// resident is how much memory the process has, pages of the database included; 0 where the system does not say.
func resident() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			if err == nil {
				return float64(kb) / 1024
			}
		}
	}
	return 0
}
