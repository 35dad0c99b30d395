package androidxml

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// made is a file of some size in the proportions of real ones: mostly plain texts, some escapes, quotes, markup,
// comments, plurals.
func made(size int) []byte {
	var b strings.Builder
	b.WriteString(header + "\n<resources xmlns:xliff=\"" + xliffURI + "\">\n")
	for i := 0; b.Len() < size; i++ {
		switch i % 16 {
		case 3:
			fmt.Fprintf(&b, "    <!-- What the button %d says. [CHAR LIMIT=20] -->\n", i)
		case 5:
			fmt.Fprintf(&b,
				"    <string name=\"escaped_%d\">Don\\'t lose \\\"this\\\" &amp; that\\nSecond line</string>\n", i)
		case 7:
			fmt.Fprintf(&b,
				"    <string name=\"markup_%d\">Tap <b>Save</b> to keep <xliff:g id=\"n\">%%1$d</xliff:g> changes</string>\n", i)
		case 11:
			fmt.Fprintf(&b,
				"    <plurals name=\"plural_%d\">\n        <item quantity=\"one\">%%d file</item>\n        <item quantity=\"other\">%%d files</item>\n    </plurals>\n", i)
		case 13:
			fmt.Fprintf(&b, "    <string name=\"quoted_%d\">\"  Übersicht   der Änderungen \"</string>\n", i)
		default:
			fmt.Fprintf(&b,
				"    <string name=\"plain_text_%d\">The quick brown fox jumps over the lazy dog %d times.</string>\n",
				i, i)
		}
	}
	b.WriteString("</resources>\n")
	return []byte(b.String())
}

var big = sync.OnceValue(func() []byte { return made(10 << 20) })

func Benchmark(b *testing.B)       { resourcetest.BenchScan(b, strict(big())) }
func BenchmarkMemory(b *testing.B) { resourcetest.BenchMemory(b, strict(big())) }
func BenchmarkDecades(b *testing.B) {
	resourcetest.BenchDecades(b, strict(nil), made)
}

func benchmarkEdits(b *testing.B, edits []resource.Edit) {
	resourcetest.Bench(b, big(), func() {
		f, err := resource.Parse(Grammar, resource.Keys{}, big())
		if err != nil {
			b.Fatal(err)
		}
		if _, refused := f.Rewrite(edits, nil); len(refused) > 0 {
			b.Fatal(refused)
		}
	})
}

func BenchmarkEditThousand(b *testing.B) {
	var edits []resource.Edit
	for i := range 1000 {
		edits = append(edits, resource.Edit{Op: resource.Set, Key: fmt.Sprint("plain_text_", i*16),
			Text: "Tippe auf <b>Sichern</b>, es ist's wert"})
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

func BenchmarkFloorEncodingXML(b *testing.B) {
	resourcetest.Bench(b, big(), func() {
		d := xml.NewDecoder(bytes.NewReader(big()))
		for {
			if _, err := d.RawToken(); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	})
}
