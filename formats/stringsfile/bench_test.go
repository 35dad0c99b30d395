package stringsfile

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"howett.net/plist"

	"github.com/locsync/locsync/formats/resource"
)

// large is 10 MB as genstrings writes it: a comment, a pair and a blank line for each entry.
var large = func() string {
	var b strings.Builder
	for i := 0; b.Len() < 10<<20; i++ {
		text := "The transfer of “%@” is complete, and %d files of it were checked."
		if i%10 == 3 {
			text = `Remove \"%@\" from the list?\nThis cannot be undone.`
		}
		fmt.Fprintf(&b, "/* Alert number %d: what the user has done */\n\"alert.transfer.%d.message\" = \"%s\";\n\n", i%97, i, text)
	}
	return b.String()
}()

func bytesOf(b *testing.B, src string) []byte {
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	return []byte(src)
}

func BenchmarkScan(b *testing.B) {
	bytesOf(b, large)
	for b.Loop() {
		if _, err := Grammar.Scan(large); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkEntries(b *testing.B, src []byte) {
	for b.Loop() {
		f, err := resource.Parse(Grammar, resource.Keys{}, src)
		if err != nil {
			b.Fatal(err)
		}
		for e := range f.Entries() {
			if e.Key == "" {
				b.Fatal("no key")
			}
		}
	}
}

func BenchmarkParseEntries(b *testing.B) { benchmarkEntries(b, bytesOf(b, large)) }

func BenchmarkParseEntriesUTF16(b *testing.B) {
	benchmarkEntries(b, bytesOf(b, string(littleEndian.encode(littleEndian.mark, large[:strings.LastIndex(large[:5<<20], "\n\n")]))))
}

func BenchmarkDecodeUTF16(b *testing.B) {
	src := bytesOf(b, string(littleEndian.encode(littleEndian.mark, large[:5<<20])))
	for b.Loop() {
		if _, _, err := Grammar.(resource.Decoder).Decode(src); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkEdits(b *testing.B, n int) {
	src := bytesOf(b, large)
	var edits []resource.Edit
	for i := range n {
		edits = append(edits, set(fmt.Sprintf("alert.transfer.%d.message", i*50), "Передача завершена"))
	}
	for b.Loop() {
		f, err := resource.Parse(Grammar, resource.Keys{}, src)
		if err != nil {
			b.Fatal(err)
		}
		if _, refused, err := f.Rewrite(edits, nil); err != nil || len(refused) > 0 {
			b.Fatal(refused, err)
		}
	}
}

func BenchmarkEditOne(b *testing.B)      { benchmarkEdits(b, 1) }
func BenchmarkEditThousand(b *testing.B) { benchmarkEdits(b, 1000) }

func BenchmarkFloorSHA256(b *testing.B) {
	src := bytesOf(b, large)
	for b.Loop() {
		sha256.Sum256(src)
	}
}

func BenchmarkFloorPlist(b *testing.B) {
	src := bytesOf(b, large)
	for b.Loop() {
		var values map[string]string
		if _, err := plist.Unmarshal(src, &values); err != nil {
			b.Fatal(err)
		}
	}
}
