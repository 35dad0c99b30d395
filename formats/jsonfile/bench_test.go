package jsonfile

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

// big is a file of some 10 MB: sections of texts, some with escapes, some beyond ASCII.
func big(flat bool) []byte {
	texts := []string{
		"Save", "The file could not be saved. Try again later.", `Say \"hello\" to {name}`, "Einstellungen für Übersetzer", "保存できませんでした",
		"{count, plural, one {# file} other {# files}} were removed from the folder you chose", "Line one\\nline two",
	}
	var b strings.Builder
	b.WriteString("{\n")
	for i := 0; b.Len() < 10<<20; i++ {
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

func each(b *testing.B, do func(b *testing.B, keys resource.Keys, src []byte)) {
	for name, keys := range map[string]resource.Keys{"flat": flat, "nested": nested} {
		src := big(!keys.Structured)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			do(b, keys, src)
		})
	}
}

func BenchmarkScan(b *testing.B) {
	each(b, func(b *testing.B, _ resource.Keys, src []byte) {
		s := string(src)
		for b.Loop() {
			if _, err := Grammar.Scan(s); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkParseEntries(b *testing.B) {
	each(b, func(b *testing.B, keys resource.Keys, src []byte) {
		for b.Loop() {
			f, err := resource.Parse(Grammar, keys, src)
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for e := range f.Entries() {
				n += len(e.Text)
			}
		}
	})
}

func benchmarkEdits(b *testing.B, count int) {
	each(b, func(b *testing.B, keys resource.Keys, src []byte) {
		f, err := resource.Parse(Grammar, keys, src)
		if err != nil {
			b.Fatal(err)
		}
		var edits []resource.Edit
		step := f.Len()/count - 1
		for i := step / 2; len(edits) < count; i += step {
			for f.Node(i).Kind != resource.Text {
				i++
			}
			edits = append(edits, resource.Edit{Op: resource.Set, Key: f.KeyOf(i), Text: "a new text"})
		}
		for b.Loop() {
			f, err := resource.Parse(Grammar, keys, src)
			if err != nil {
				b.Fatal(err)
			}
			if out, refused, err := f.Rewrite(edits, nil); err != nil || len(refused) > 0 || len(out) == 0 {
				b.Fatal(refused, err)
			}
		}
	})
}

func BenchmarkEditOne(b *testing.B)      { benchmarkEdits(b, 1) }
func BenchmarkEditThousand(b *testing.B) { benchmarkEdits(b, 1000) }

// The floors: what any program that reads the same bytes pays.

func BenchmarkFloorSHA256(b *testing.B) {
	each(b, func(b *testing.B, _ resource.Keys, src []byte) {
		for b.Loop() {
			sha256.Sum256(src)
		}
	})
}

func BenchmarkFloorJSONValid(b *testing.B) {
	each(b, func(b *testing.B, _ resource.Keys, src []byte) {
		for b.Loop() {
			json.Valid(src)
		}
	})
}

func BenchmarkFloorJSONTokens(b *testing.B) {
	each(b, func(b *testing.B, _ resource.Keys, src []byte) {
		for b.Loop() {
			d := json.NewDecoder(strings.NewReader(string(src)))
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				}
			}
		}
	})
}
