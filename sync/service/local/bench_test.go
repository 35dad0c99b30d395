package local

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
)

// keysFile is a flat JSON file of n keys that begin with prefix.
func keysFile(prefix string, n int) file {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%s.section%d.key%d":"The text number %d of the product"`, prefix, i%97, i, i)
	}
	b.WriteByte('}')
	return file{"a.json", b.String()}
}

// filled is a service whose main collection has n keys.
func filled(b *testing.B, n int, o Options) *quick {
	b.Helper()
	if n > 0 && testing.Short() {
		b.Skip("a big collection")
	}
	q := openQuick(b, o, "de", "fr", "ja")
	for done := 0; done < n; done += 100_000 {
		if r := q.imported(b, "?language=en", keysFile(fmt.Sprint("old", done), 100_000)); r.KeysCreated != 100_000 {
			b.Fatalf("%+v", r)
		}
	}
	q.s.store.SetDurable(true)
	b.ResetTimer()
	return q
}

// BenchmarkImport imports 1,000 keys, from the call to the end of the job, durably: new ones, and changed texts of ones
// that are there.
func BenchmarkImport(b *testing.B) {
	for _, n := range []int{0, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("new/into=%d", n), func(b *testing.B) {
			q := filled(b, n, Options{})
			i := 0
			for b.Loop() {
				i++
				if r := q.imported(b, "?language=en", keysFile(fmt.Sprint("new", i), 1000)); r.KeysCreated != 1000 {
					b.Fatalf("%+v", r)
				}
			}
		})
		if n == 0 {
			continue
		}
		b.Run(fmt.Sprintf("changed/into=%d", n), func(b *testing.B) {
			q := filled(b, n, Options{})
			i := 0
			for b.Loop() {
				i++
				f := keysFile("old0", 1000)
				f.body = strings.ReplaceAll(f.body, "product", fmt.Sprint("product ", i))
				if r := q.imported(b, "?language=en&overwrite-conflicting-values", f); r.KeysUpdated != 1000 {
					b.Fatalf("%+v", r)
				}
			}
		})
	}
}

// BenchmarkImportOne imports a single key: what a push of one edit costs the service.
func BenchmarkImportOne(b *testing.B) {
	q := filled(b, 0, Options{})
	i := 0
	for b.Loop() {
		i++
		if r := q.imported(b, "?language=en", keysFile(fmt.Sprint("new", i), 1)); r.Status != wire.Completed {
			b.Fatalf("%+v", r)
		}
	}
}

// BenchmarkExport exports a collection in three languages that are pseudo-translated.
func BenchmarkExport(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			q := filled(b, n, Options{Pseudo: true})
			for b.Loop() {
				if a := q.exported(b, "?languages=de,fr,ja"); a.status != 200 {
					b.Fatalf("%s", a.body)
				}
			}
		})
	}
}
