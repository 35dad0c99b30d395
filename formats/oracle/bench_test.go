package oracle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
)

// large makes a file of a format with about a megabyte of ordinary entries.
func large(format string) []byte {
	const entries = 12_000
	var b strings.Builder
	open, close, line := "", "", ""
	switch format {
	case "structured-json":
		open, close, line = "{\n  \"group\": {\n", "    \"last\": \"x\"\n  }\n}\n", "    \"key_%d\": \"A text of ordinary length, number %d, with {name} in it\",\n"
	case "structured-yaml":
		open, line = "en:\n", "  key_%d: A text of ordinary length, number %d, with %%{name} in it\n"
	case "ios-strings":
		line = "/* A comment */\n\"key_%d\" = \"A text of ordinary length, number %d, with %%@ in it\";\n"
	case "android-xml":
		open, close, line = "<resources>\n", "</resources>\n", "    <string name=\"key_%d\">A text of ordinary length, number %d, with %%s in it</string>\n"
	}
	b.WriteString(open)
	for i := range entries {
		fmt.Fprintf(&b, line, i, i)
	}
	b.WriteString(close)
	return []byte(b.String())
}

// BenchmarkProve: the proof of one edit in a file of a megabyte, beside the scan that every pass makes of it. Only
// files that are about to be written are proven.
func BenchmarkProve(b *testing.B) {
	for _, name := range []string{"structured-json", "structured-yaml", "ios-strings", "android-xml"} {
		src := large(name)
		rule := oracle.Rule{Format: name, Roots: []string{"en"}}
		format, _ := formats.Named(name)
		keys := resource.Keys{Roots: rule.Roots}
		f, err := format.Parse(keys, src)
		if err != nil {
			b.Fatal(err)
		}
		key := "key_6000"
		if name == "structured-json" {
			key = "group/" + key
		}
		out, refused := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: key, Text: "another text"}}, nil)
		if len(refused) > 0 {
			b.Fatal(refused)
		}
		b.Run(name+"/scan", func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if _, err := format.Parse(keys, src); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/prove", func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if err := rule.Prove(src, out, []oracle.Change{{Key: key, Text: "another text"}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkProveCatalog: the proof of one edit in a string catalog of nine megabytes in 40 languages. A pull makes it
// for each language.
func BenchmarkProveCatalog(b *testing.B) {
	languages := []string{"de", "en"}
	for i := range 38 {
		languages = append(languages, fmt.Sprintf("x%c%c", 'a'+i/26, 'a'+i%26))
	}
	src := []byte(manyLanguages(languages, 1300))
	format, _ := formats.Named("xcstrings")
	f, err := format.Parse(resource.Keys{Language: "de"}, src)
	if err != nil {
		b.Fatal(err)
	}
	out, _ := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: "key 0600", Text: "another text"}}, nil)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		rule := oracle.Rule{Format: "xcstrings", Language: "de"}
		if err := rule.Prove(src, out, []oracle.Change{{Key: "key 0600", Text: "another text"}}); err != nil {
			b.Fatal(err)
		}
	}
}
