package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locsync/locsync/gitops/gittest"
)

// limits are what every package keeps. A package above one of them has its number in ceilings.
var limits = map[string]int{
	"lines":      4000, // in a package
	"file cycle": 6,    // files of a package that refer to each other in a circle
	"embedded":   5,    // methods of a type that a struct embeds
	"columns":    120,  // runes of one line; counts the lines that are longer
}

// TestCeilings holds the size and the tangle of every package. A ceiling only falls: lower it in the commit that lowers
// the number.
func TestCeilings(t *testing.T) {
	if !gittest.All() {
		t.Skip("takes seconds; runs with LOCSYNC_ALL_TESTS=1")
	}
	if testing.Short() {
		t.Skip("type-checks the whole program")
	}
	t.Parallel()
	ceilings := readNumbers(t, "testdata/ceilings.txt")
	for _, p := range loadPackages(t) {
		measured := measure(t, p)
		for what, limit := range limits {
			if what == "columns" {
				limit = 0
			}
			name, number := p.name()+" "+what, measured[what]
			ceiling, above := ceilings[name]
			delete(ceilings, name)
			switch {
			case !above && number > limit:
				t.Errorf("%s: %d, and the limit is %d", name, number, limit)
			case above && number <= limit:
				t.Errorf("%s: %d is within the limit of %d; remove it from testdata/ceilings.txt", name, number, limit)
			case above && number > ceiling:
				t.Errorf("%s: %d, and its ceiling is %d", name, number, ceiling)
			case above && number < ceiling-max(2, ceiling/20):
				t.Errorf("%s: %d; lower its ceiling of %d in testdata/ceilings.txt", name, number, ceiling)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ceilings)) {
		t.Errorf("%s: there is no such package or measure; remove it from testdata/ceilings.txt", name)
	}
}

// readNumbers reads lines of "package measure...: number".
func readNumbers(t *testing.T, file string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	numbers := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		name, value, found := strings.Cut(strings.TrimSpace(line), ": ")
		var number int
		if _, err := fmt.Sscan(value, &number); !found || err != nil {
			t.Fatalf("%s: %q is not \"package measure: number\"", file, line)
		}
		numbers[name] = number
	}
	return numbers
}

// goPackage is what `go list -json -export` tells of a package.
type goPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

func (p goPackage) name() string { return strings.TrimPrefix(p.ImportPath, module) }

// exportFiles are the export files of all packages that the program is built of, by import path.
var exportFiles = make(map[string]string)

func loadPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var ours []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exportFiles[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module) && len(p.GoFiles) > 0 {
			ours = append(ours, p)
		}
	}
	if len(ours) < 10 {
		t.Fatalf("only %d packages of the program were found", len(ours))
	}
	return ours
}

// measure gives the number of each limit for a package, without its tests.
func measure(t *testing.T, p goPackage) map[string]int {
	t.Helper()
	fset := token.NewFileSet()
	found := make(map[string]int)
	raise := func(what string, number int) { found[what] = max(found[what], number) }
	var files []*ast.File
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range strings.Lines(string(text)) {
			lines++
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 120 {
				found["columns"]++
			}
		}
		found["lines"] += lines
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exportFiles[path])
	})}
	pkg, err := conf.Check(p.ImportPath, fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	measureTypes(pkg, raise)
	raise("file cycle", largestCycle(references(fset, pkg, info)))
	return found
}

// measureTypes looks at the named types that a package declares.
func measureTypes(pkg *types.Package, raise func(string, int)) {
	for _, name := range pkg.Scope().Names() {
		decl, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || decl.IsAlias() {
			continue
		}
		if s, ok := decl.Type().Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				if f.Embedded() {
					raise("embedded", methodsOf(f.Type()))
				}
			}
		}
	}
}

func methodsOf(typ types.Type) int {
	if _, isInterface := typ.Underlying().(*types.Interface); !isInterface {
		if _, isPointer := typ.(*types.Pointer); !isPointer {
			typ = types.NewPointer(typ)
		}
	}
	return types.NewMethodSet(typ).Len()
}

// references tells for each file of a package which others declare what it uses: package-level names, methods and
// fields.
func references(fset *token.FileSet, pkg *types.Package, info *types.Info) map[string]map[string]bool {
	refs := make(map[string]map[string]bool)
	for ident, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		from, to := fset.Position(ident.Pos()).Filename, fset.Position(object.Pos()).Filename
		if from == to {
			continue
		}
		if refs[from] == nil {
			refs[from] = make(map[string]bool)
		}
		refs[from][to] = true
	}
	return refs
}

// largestCycle is the size of the largest strongly connected component, 0 where there is no cycle (Tarjan's algorithm).
func largestCycle(refs map[string]map[string]bool) int {
	index, low, onStack := make(map[string]int), make(map[string]int), make(map[string]bool)
	var stack []string
	largest := 0
	var visit func(string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack, onStack[v] = append(stack, v), true
		for w := range refs[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if onStack[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		for _, w := range stack[at:] {
			onStack[w] = false
		}
		if size := len(stack) - at; size > 1 {
			largest = max(largest, size)
		}
		stack = stack[:at]
	}
	for v := range refs {
		if index[v] == 0 {
			visit(v)
		}
	}
	return largest
}

func TestLargestCycle(t *testing.T) {
	refs := map[string]map[string]bool{
		"a": {"b": true}, "b": {"c": true}, "c": {"a": true, "d": true},
		"d": {"e": true}, "e": {"d": true}, "f": {"a": true},
	}
	if got := largestCycle(refs); got != 3 {
		t.Errorf("largest cycle: %d, not 3", got)
	}
	if got := largestCycle(map[string]map[string]bool{"a": {"b": true}, "b": {"c": true}}); got != 0 {
		t.Errorf("largest cycle of a chain: %d, not 0", got)
	}
}
