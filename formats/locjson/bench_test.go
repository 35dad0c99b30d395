package locjson

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// big is a canonical file of some size.
func big(size int) []byte {
	var b strings.Builder
	b.WriteString("{\n    \"units\": [")
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b,
			"\n        {\n            \"key\": \"section%d.message%d\",\n            \"properties\": {\n                \"comments\": [\"Shown below the form\"]\n            },\n            \"source\": ", i/10, i%10)
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

const large = 10 << 20

func benchCase() resourcetest.Case { return resourcetest.Case{Grammar: Grammar, Src: big(large)} }

func BenchmarkUnits(b *testing.B)   { resourcetest.BenchScan(b, benchCase()) }
func BenchmarkMemory(b *testing.B)  { resourcetest.BenchMemory(b, benchCase()) }
func BenchmarkDecades(b *testing.B) { resourcetest.BenchDecades(b, benchCase(), big) }

func BenchmarkEditThousand(b *testing.B) {
	src := big(large)
	f := parse(b, string(src))
	var edits []resource.Edit
	for i := 1; len(edits) < 1000; i += f.Len() / 1000 {
		edits = append(edits, resource.Edit{Op: resource.Set, Key: f.Name(i), Text: "a new text"})
	}
	resourcetest.Bench(b, src, func() {
		if _, refused := parse(b, string(src)).Rewrite(edits, nil); len(refused) > 0 {
			b.Fatal(refused)
		}
	})
}

func BenchmarkFloorJSONAny(b *testing.B) {
	src := big(large)
	resourcetest.Bench(b, src, func() {
		var v any
		if err := json.Unmarshal(src, &v); err != nil {
			b.Fatal(err)
		}
	})
}
