package resource_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// What one edit of a large file costs: reading it, reading it and cutting in the new text, and the same with the proof
// that Rewrite always makes.
func BenchmarkOneEdit(b *testing.B) {
	var text strings.Builder
	text.WriteString("{\n  \"first\": \"x\"")
	for i := 0; text.Len() < 10<<20; i++ {
		fmt.Fprintf(&text, ",\n  \"section%d.message%d\": \"The file could not be saved. Try again later.\"", i/10,
			i%10)
	}
	text.WriteString("\n}\n")
	src := []byte(text.String())
	edits := []resource.Edit{{Op: resource.Set, Key: "section5000.message5", Text: "a new text"}}
	b.Run("parse", func(b *testing.B) {
		resourcetest.Bench(b, src, func() { parse(b, jsonfile.Grammar, src) })
	})
	b.Run("unproven", func(b *testing.B) {
		resourcetest.Bench(b, src, func() {
			if _, err := parse(b, jsonfile.Grammar, src).Unproven(edits); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("proven", func(b *testing.B) {
		resourcetest.Bench(b, src, func() {
			if _, refused := parse(b, jsonfile.Grammar, src).Rewrite(edits, nil); len(refused) > 0 {
				b.Fatal(refused)
			}
		})
	})
}
