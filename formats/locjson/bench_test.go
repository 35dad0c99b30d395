package locjson

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

// big is a canonical file of some 10 MB.
func big() []byte {
	var b strings.Builder
	b.WriteString("{\n    \"units\": [")
	for i := 0; b.Len() < 10<<20; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n        {\n            \"key\": \"section%d.message%d\",\n            \"properties\": {\n                \"comments\": [\"Shown below the form\"]\n            },\n            \"source\": ", i/10, i%10)
		if i%3 == 0 {
			b.WriteString("[\n                \"The file could not be saved because the folder \",\n                \"is not there anymore.\"\n            ]")
		} else {
			b.WriteString("[\"Einstellungen für Übersetzer\"]")
		}
		b.WriteString("\n        }")
	}
	b.WriteString("\n    ]\n}\n")
	return []byte(b.String())
}

func bench(b *testing.B, do func(src []byte)) {
	src := big()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		do(src)
	}
}

func BenchmarkScan(b *testing.B) {
	s := string(big())
	bench(b, func([]byte) {
		if _, err := Grammar.Scan(s); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkParseEntries(b *testing.B) {
	bench(b, func(src []byte) {
		n := 0
		for e := range parse(b, string(src)).Entries() {
			n += len(e.Text)
		}
	})
}

func benchmarkEdits(b *testing.B, count int) {
	f := parse(b, string(big()))
	var edits []resource.Edit
	for i := 1; len(edits) < count; i += f.Len() / count {
		edits = append(edits, resource.Edit{Op: resource.Set, Key: f.Name(i), Text: "a new text"})
	}
	bench(b, func(src []byte) {
		f, err := resource.Parse(Grammar, resource.Keys{}, src)
		if err != nil {
			b.Fatal(err)
		}
		if _, refused, err := f.Rewrite(edits, nil); err != nil || len(refused) > 0 {
			b.Fatal(refused, err)
		}
	})
}

func BenchmarkEditOne(b *testing.B)      { benchmarkEdits(b, 1) }
func BenchmarkEditThousand(b *testing.B) { benchmarkEdits(b, 1000) }
func BenchmarkFloorSHA256(b *testing.B)  { bench(b, func(src []byte) { sha256.Sum256(src) }) }
func BenchmarkFloorJSONAny(b *testing.B) {
	bench(b, func(src []byte) {
		var v any
		if err := json.Unmarshal(src, &v); err != nil {
			b.Fatal(err)
		}
	})
}
