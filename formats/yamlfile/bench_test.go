package yamlfile_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile"
)

// large is 10 MB as applications have them: sections of plain and quoted texts, some comments, lists and block texts.
func large() []byte { return sized(10 << 20) }

func sized(size int) []byte {
	var b bytes.Buffer
	b.WriteString("# The application's texts\nen:\n")
	for s := 0; b.Len() < size; s++ {
		fmt.Fprintf(&b, "  section_%d:\n", s)
		for k := range 40 {
			switch k % 10 {
			case 0:
				fmt.Fprintf(&b,
					"    # shown on the button of dialog %d\n    quoted_%d: \"Save %%{count} files\\nin folder %d\"\n",
					k, k, s)
			case 1, 2:
				fmt.Fprintf(&b, "    single_%d: 'Couldn''t open %%{name}, please try again'\n", k)
			case 3:
				fmt.Fprintf(&b, "    block_%d: |\n      The first line of a text\n      and the second\n", k)
			case 4:
				fmt.Fprintf(&b, "    list_%d: [Monday, Tuesday, 'Wednesday', Thursday]\n", k)
			default:
				fmt.Fprintf(&b, "    label_%d: A plain text of some words in section %d\n", k, s)
			}
		}
	}
	return b.Bytes()
}

func parse(t testing.TB, src []byte) *resource.File {
	t.Helper()
	f, err := resource.Parse(yamlfile.Grammar, structured, src)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func BenchmarkScan(b *testing.B) {
	src := string(large())
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := yamlfile.Grammar.Scan(src); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScanCyrillic is the same structure with texts of two bytes a letter.
func BenchmarkScanCyrillic(b *testing.B) {
	src := strings.NewReplacer("plain text of some words", "простой текст из нескольких слов", "please try again",
		"пожалуйста, попробуйте ещё раз").Replace(string(large()))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := yamlfile.Grammar.Scan(src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseEntries(b *testing.B) {
	src := large()
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		n := 0
		for e := range parse(b, src).Entries() {
			n += len(e.Text)
		}
		if n == 0 {
			b.Fatal("no texts")
		}
	}
}

// BenchmarkDecades parses files of 1 KB to 10 MB, and of 100 MB with LOCSYNC_BENCH_LARGE set: time and memory grow with
// the size. heap/file is what parsing allocates, the file's own bytes included, in multiples of the file.
func BenchmarkDecades(b *testing.B) {
	sizes := []int{1 << 10, 10 << 10, 100 << 10, 1 << 20, 10 << 20}
	if os.Getenv("LOCSYNC_BENCH_LARGE") != "" {
		sizes = append(sizes, 100<<20)
	}
	for _, size := range sizes {
		b.Run(fmt.Sprint(size>>10, "KB"), func(b *testing.B) {
			src := sized(size)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				parse(b, src)
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(1+float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(len(src)), "heap/file")
		})
	}
}

func benchmarkEdits(b *testing.B, count int) {
	src := large()
	var edits []resource.Edit
	for i := range count {
		edits = append(edits, resource.Edit{Op: resource.Set, Key: fmt.Sprintf("en/section_%d/label_%d", i, 5+i%5),
			Text: "changed: to this"})
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		out, refused := parse(b, src).Rewrite(edits, nil)
		if len(refused) > 0 || len(out) == len(src) {
			b.Fatal(refused, len(out))
		}
	}
}

func BenchmarkEditOne(b *testing.B)      { benchmarkEdits(b, 1) }
func BenchmarkEditThousand(b *testing.B) { benchmarkEdits(b, 1000) }

func BenchmarkInsertThousand(b *testing.B) {
	src := large()
	var edits []resource.Edit
	for i := range 1000 {
		edits = append(edits, resource.Edit{Op: resource.Set, Key: fmt.Sprintf("en/section_%d/new", i),
			Text: "new text"})
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		out, refused := parse(b, src).Rewrite(edits, nil)
		if len(refused) > 0 || len(out) == len(src) {
			b.Fatal(refused, len(out))
		}
	}
}

func BenchmarkFloorSHA256(b *testing.B) {
	src := large()
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		sha256.Sum256(src)
	}
}

// BenchmarkPeerNodes is what go.yaml.in/yaml/v4 needs for its nodes.
func BenchmarkPeerNodes(b *testing.B) {
	src := large()
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		var doc yaml.Node
		if err := yaml.Unmarshal(src, &doc); err != nil {
			b.Fatal(err)
		}
	}
}
