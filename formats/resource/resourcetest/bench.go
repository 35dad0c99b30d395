package resourcetest

import (
	"crypto/sha256"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/locsync/locsync/formats/resource"
)

// Bench times work over src, and beside each round SHA-256 of the same bytes, which is what any program that looks at
// them pays. The quickest round of each counts (best-MB/s, sha256-MB/s): the mean says how busy the machine was.
func Bench(b *testing.B, src []byte, work func()) {
	b.Helper()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	best, floor := time.Duration(1<<63-1), time.Duration(1<<63-1)
	for b.Loop() {
		start := time.Now()
		work()
		best = min(best, time.Since(start))
		b.StopTimer()
		start = time.Now()
		sha256.Sum256(src)
		floor = min(floor, time.Since(start))
		b.StartTimer()
	}
	rate := func(d time.Duration) float64 { return float64(len(src)) / float64(max(d, 1)) * 1e3 }
	b.ReportMetric(rate(best), "best-MB/s")
	b.ReportMetric(rate(floor), "sha256-MB/s")
}

// BenchScan times Scan alone, Parse, Parse with a visit of every entry, and one edit: Parse and Rewrite, which reads
// what it wrote once more. An edit without that proof would be the Parse and a copy of the bytes.
func BenchScan(b *testing.B, c Case) {
	text := string(c.Src)
	if d, ok := c.Grammar.(resource.Decoder); ok {
		text, _, _ = d.Decode(c.Src)
	}
	fail := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("scan", func(b *testing.B) {
		Bench(b, c.Src, func() {
			_, err := c.Grammar.Scan(text)
			fail(err)
		})
	})
	b.Run("parse", func(b *testing.B) {
		Bench(b, c.Src, func() {
			_, err := resource.Parse(c.Grammar, c.Keys, c.Src)
			fail(err)
		})
	})
	b.Run("entries", func(b *testing.B) {
		Bench(b, c.Src, func() {
			f, err := resource.Parse(c.Grammar, c.Keys, c.Src)
			fail(err)
			n := 0
			for e := range f.Entries() {
				n += len(e.Text)
			}
		})
	})
	for _, op := range []string{"set", "insert", "remove"} {
		b.Run("edit/"+op, func(b *testing.B) {
			f, err := resource.Parse(c.Grammar, c.Keys, c.Src)
			fail(err)
			at := f.Len() / 2
			for f.Node(at).Kind != resource.Text || f.Node(int(f.Node(at).Parent)).Kind != resource.Map {
				at++
			}
			edit := resource.Edit{Op: resource.Set, Key: f.KeyOf(at), Text: "a new text"}
			switch op {
			case "insert":
				edit.Key += " too"
			case "remove":
				edit.Op = resource.Remove
			}
			Bench(b, c.Src, func() {
				f, err := resource.Parse(c.Grammar, c.Keys, c.Src)
				fail(err)
				_, refusals := f.Rewrite([]resource.Edit{edit}, nil)
				if len(refusals) > 0 {
					b.Fatal(refusals)
				}
			})
		})
	}
}

// BenchMemory reports what Parse holds in memory beside the file, as a multiple of it (x-file).
func BenchMemory(b *testing.B, c Case) {
	var before, after runtime.MemStats
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // all that is taken counts, not what is left of it
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		if _, err := resource.Parse(c.Grammar, c.Keys, c.Src); err != nil {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&after)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(c.Src)), "x-file")
}

// BenchDecades times Parse from 1 KB to 10 MB, and to 100 MB unless -short is given, so that the rates show whether
// time is linear.
func BenchDecades(b *testing.B, c Case, input func(size int) []byte) {
	for _, d := range []struct {
		name string
		size int
	}{
		{"1KB", 1 << 10}, {"10KB", 10 << 10}, {"100KB", 100 << 10},
		{"1MB", 1 << 20}, {"10MB", 10 << 20}, {"100MB", 100 << 20},
	} {
		b.Run(d.name, func(b *testing.B) {
			if d.size > 10<<20 && testing.Short() {
				b.Skip("large; run without -short")
			}
			src := input(d.size)
			Bench(b, src, func() {
				if _, err := resource.Parse(c.Grammar, c.Keys, src); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
