package stringsfile

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"howett.net/plist"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// made is a file of some size as genstrings writes it: a comment, a pair and a blank line for each entry.
func made(size int) []byte {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		text := "The transfer of “%@” is complete, and %d files of it were checked."
		if i%10 == 3 {
			text = `Remove \"%@\" from the list?\nThis cannot be undone.`
		}
		fmt.Fprintf(&b, "/* Alert number %d: what the user has done */\n\"alert.transfer.%d.message\" = \"%s\";\n\n",
			i%97, i, text)
	}
	return []byte(b.String())
}

func madeUTF16(size int) []byte {
	return littleEndian.encode(littleEndian.mark, string(made(size/2)))
}

var large = sync.OnceValue(func() []byte { return made(10 << 20) })

func Benchmark(b *testing.B)            { resourcetest.BenchScan(b, strict(large())) }
func BenchmarkUTF16(b *testing.B)       { resourcetest.BenchScan(b, strict(madeUTF16(10<<20))) }
func BenchmarkMemory(b *testing.B)      { resourcetest.BenchMemory(b, strict(large())) }
func BenchmarkMemoryUTF16(b *testing.B) { resourcetest.BenchMemory(b, strict(madeUTF16(10<<20))) }
func BenchmarkDecades(b *testing.B)     { resourcetest.BenchDecades(b, strict(nil), made) }

func BenchmarkDecadesUTF16(b *testing.B) { resourcetest.BenchDecades(b, strict(nil), madeUTF16) }

func BenchmarkEditThousand(b *testing.B) {
	var edits []resource.Edit
	for i := range 1000 {
		edits = append(edits, set(fmt.Sprintf("alert.transfer.%d.message", i*50), "Передача завершена"))
	}
	resourcetest.Bench(b, large(), func() {
		f, err := resource.Parse(Grammar, resource.Keys{}, large())
		if err != nil {
			b.Fatal(err)
		}
		if _, refused := f.Rewrite(edits, nil); len(refused) > 0 {
			b.Fatal(refused)
		}
	})
}

func BenchmarkFloorPlist(b *testing.B) {
	resourcetest.Bench(b, large(), func() {
		var values map[string]string
		if _, err := plist.Unmarshal(large(), &values); err != nil {
			b.Fatal(err)
		}
	})
}
