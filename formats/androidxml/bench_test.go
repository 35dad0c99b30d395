package androidxml

import (
	"bytes"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

// big is a made-up file of 10 MB in the proportions of real ones: mostly plain texts, some escapes, quotes, markup, comments,
// plurals.
var big = sync.OnceValue(func() []byte {
	var b strings.Builder
	b.WriteString(header + "\n<resources xmlns:xliff=\"" + xliffURI + "\">\n")
	for i := 0; b.Len() < 10<<20; i++ {
		switch i % 16 {
		case 3:
			fmt.Fprintf(&b, "    <!-- What the button %d says. [CHAR LIMIT=20] -->\n", i)
		case 5:
			fmt.Fprintf(&b, "    <string name=\"escaped_%d\">Don\\'t lose \\\"this\\\" &amp; that\\nSecond line</string>\n", i)
		case 7:
			fmt.Fprintf(&b, "    <string name=\"markup_%d\">Tap <b>Save</b> to keep <xliff:g id=\"n\">%%1$d</xliff:g> changes</string>\n", i)
		case 11:
			fmt.Fprintf(&b, "    <plurals name=\"plural_%d\">\n        <item quantity=\"one\">%%d file</item>\n        <item quantity=\"other\">%%d files</item>\n    </plurals>\n", i)
		case 13:
			fmt.Fprintf(&b, "    <string name=\"quoted_%d\">\"  Übersicht   der Änderungen \"</string>\n", i)
		default:
			fmt.Fprintf(&b, "    <string name=\"plain_text_%d\">The quick brown fox jumps over the lazy dog %d times.</string>\n", i, i)
		}
	}
	b.WriteString("</resources>\n")
	return []byte(b.String())
})

func BenchmarkScan(b *testing.B) {
	src := string(big())
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Grammar.Scan(src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseEntries(b *testing.B) {
	src := big()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		f, err := resource.Parse(Grammar, resource.Keys{}, src)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for e := range f.Entries() {
			n += len(e.Text)
		}
		if n == 0 {
			b.Fatal("no text")
		}
	}
}

func benchmarkEdits(b *testing.B, edits []resource.Edit) {
	src := big()
	f, err := resource.Parse(Grammar, resource.Keys{}, src)
	if err != nil {
		b.Fatal(err)
	}
	f.Lookup("", "")
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if out, refused, err := f.Rewrite(edits, nil); err != nil || len(refused) > 0 || len(out) == len(src) {
			b.Fatal(refused, err)
		}
	}
}

func BenchmarkEditOne(b *testing.B) {
	benchmarkEdits(b, []resource.Edit{{Op: resource.Set, Key: "plain_text_4000", Text: "Der Fuchs"}})
}

func BenchmarkEditThousand(b *testing.B) {
	var edits []resource.Edit
	for i := range 1000 {
		edits = append(edits, resource.Edit{Op: resource.Set, Key: fmt.Sprint("plain_text_", i*16), Text: "Tippe auf <b>Sichern</b>, es ist's wert"})
	}
	benchmarkEdits(b, edits)
}

func BenchmarkInsertThousand(b *testing.B) {
	var edits []resource.Edit
	for i := range 1000 {
		edits = append(edits, resource.Edit{Op: resource.Set, Key: fmt.Sprint("new_", i), Text: "Der Fuchs"})
	}
	benchmarkEdits(b, edits)
}

func BenchmarkFloorSHA256(b *testing.B) {
	src := big()
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		sha256.Sum256(src)
	}
}

func BenchmarkFloorEncodingXML(b *testing.B) {
	src := big()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		d := xml.NewDecoder(bytes.NewReader(src))
		for {
			if _, err := d.RawToken(); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
}
