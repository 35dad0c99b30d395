package jsonfile

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// big is a file of some size: sections of texts, some with escapes, some beyond ASCII.
func big(flat bool, size int) []byte {
	texts := []string{
		"Save", "The file could not be saved. Try again later.", `Say \"hello\" to {name}`, "Einstellungen für Übersetzer", "保存できませんでした",
		"{count, plural, one {# file} other {# files}} were removed from the folder you chose", "Line one\\nline two",
	}
	var b strings.Builder
	b.WriteString("{\n")
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteString(",\n")
		}
		if flat {
			fmt.Fprintf(&b, "  \"section%d.message%d\": \"%s\"", i/10, i%10, texts[i%len(texts)])
			continue
		}
		fmt.Fprintf(&b, "  \"section%d\": {\n", i)
		for j := range 10 {
			fmt.Fprintf(&b, "    \"message%d\": \"%s\"%s\n", j, texts[(i+j)%len(texts)], []string{",", ""}[j/9])
		}
		b.WriteString("  }")
	}
	b.WriteString("\n}\n")
	return []byte(b.String())
}

const large = 10 << 20

func benchCase(keys resource.Keys) resourcetest.Case {
	return resourcetest.Case{Grammar: Grammar, Keys: keys, Src: big(!keys.Structured, large)}
}

func BenchmarkFlat(b *testing.B)         { resourcetest.BenchScan(b, benchCase(flat)) }
func BenchmarkNested(b *testing.B)       { resourcetest.BenchScan(b, benchCase(nested)) }
func BenchmarkMemoryFlat(b *testing.B)   { resourcetest.BenchMemory(b, benchCase(flat)) }
func BenchmarkMemoryNested(b *testing.B) { resourcetest.BenchMemory(b, benchCase(nested)) }
func BenchmarkDecades(b *testing.B) {
	resourcetest.BenchDecades(b, resourcetest.Case{Grammar: Grammar, Keys: nested},
		func(size int) []byte { return big(false, size) })
}

func BenchmarkEditThousand(b *testing.B) {
	c := benchCase(nested)
	f := parse(b, nested, string(c.Src))
	var edits []resource.Edit
	for i := 50; len(edits) < 1000; i += f.Len()/1000 - 1 {
		for f.Node(i).Kind != resource.Text {
			i++
		}
		edits = append(edits, resource.Edit{Op: resource.Set, Key: f.KeyOf(i), Text: "a new text"})
	}
	resourcetest.Bench(b, c.Src, func() {
		if _, refused := parse(b, nested, string(c.Src)).Rewrite(edits, nil); len(refused) > 0 {
			b.Fatal(refused)
		}
	})
}

func BenchmarkFloorJSONValid(b *testing.B) {
	src := big(false, large)
	resourcetest.Bench(b, src, func() { json.Valid(src) })
}
