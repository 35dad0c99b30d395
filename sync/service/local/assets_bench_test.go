package local

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
)

// A glossary of ten thousand concepts in three languages, from the call to the end of its task, and out again as a
// workbook.
func BenchmarkGlossary(b *testing.B) {
	var csv strings.Builder
	csv.WriteString("en,de,fr\n")
	const concepts = 10_000
	for i := range concepts {
		fmt.Fprintf(&csv, "term %d,Begriff %d,terme %d\n", i, i, i)
	}
	s := serve(b, Options{})
	id := s.defaultGlossary().ID
	b.Run("import", func(b *testing.B) {
		s.t = b
		for b.Loop() {
			if state := s.importGlossary(id, true, file{"a.csv", csv.String()}); state != wire.TaskStateCompleted {
				b.Fatal(state)
			}
		}
		b.ReportMetric(float64(concepts*b.N)/b.Elapsed().Seconds(), "concepts/s")
	})
	b.Run("export", func(b *testing.B) {
		s.t = b
		for b.Loop() {
			s.exportGlossary(id).want(b, 200, nil)
		}
		b.ReportMetric(float64(concepts*b.N)/b.Elapsed().Seconds(), "concepts/s")
	})
}

// A file into the storage; the floor is the same bytes written to the disk without a call.
func BenchmarkStorage(b *testing.B) {
	s := serve(b, Options{})
	const size = 32 << 20
	b.Run("put", func(b *testing.B) {
		s.t = b
		b.SetBytes(size)
		for b.Loop() {
			s.call("PUT", wire.Prefix+wire.PathStorageFile+"large", "", io.LimitReader(zeros{}, size)).want(b, 201, nil)
		}
	})
	b.Run("floor", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			f, err := os.Create(filepath.Join(s.dir, "floor"))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(f, io.LimitReader(zeros{}, size)); err != nil {
				b.Fatal(err)
			}
			f.Close()
			os.Remove(f.Name())
		}
	})
}
