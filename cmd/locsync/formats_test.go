package main

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/gitops/gittest"
)

var updatePages = flag.Bool("update", false, "write the pages that are made from the program")

// TestFormatsPage: the page of the manual about the formats is made from their rows.
func TestFormatsPage(t *testing.T) {
	const page = "docs/formats.md"
	if *updatePages {
		if err := os.WriteFile(page, []byte(formatsPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != formatsPage() {
		t.Errorf("%s is not what the rows say; write it with go test ./cmd/locsync -run TestFormatsPage -update", page)
	}
}

// ambiguous are names of formats that mean something else in a package, or that a sample or the interface spells.
var ambiguous = map[string][]string{
	"cmd/locsync":                {"json"},               // --json, --log-format, and the page about them
	"sync/config":                {"json"},               // a kind of [notify]
	"sync/command/demo":          nil,                    // the sample's files
	"sync/setup/discover":        {"po"},                 // a folder
	"sync/documents/document":    {"json", "properties"}, // JSON Schema
	"sync/documents/jsonschema":  {"properties"},
	"sync/run/notify":            {"json"},
	"sync/text/plural":           {"arb"},   // Standard Arabic
	"sync/service/local/machine": {"json"},  // what engines put before an answer
	"sync/service/local/segment": {"xliff"}, // the root of documents
	"sync/service/wire":          nil,       // the interface's own names
}

// TestFormatsAreNamedOnce: only the table of formats, and what it is made of, names a format.
func TestFormatsAreNamedOnce(t *testing.T) {
	gittest.Long(t)
	names, met := formats.Names(), 0
	for _, p := range loadPackages(t) {
		of := p.name()
		allowed, has := ambiguous[of]
		if of == "formats" || strings.HasPrefix(of, "formats/") || has && allowed == nil {
			continue
		}
		for _, file := range p.GoFiles {
			fset := token.NewFileSet()
			parsed, err := parser.ParseFile(fset, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				literal, is := n.(*ast.BasicLit)
				if !is || literal.Kind != token.STRING {
					return true
				}
				met++
				text, err := strconv.Unquote(literal.Value)
				if err == nil && slices.Contains(names, text) && !slices.Contains(allowed, text) {
					t.Errorf("%s names the format %s; ask a row for what it is to know",
						fset.Position(literal.Pos()), text)
				}
				return true
			})
		}
	}
	if met == 0 {
		t.Error("no text was read")
	}
}
