package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// effects are the types through which a plan could read or change something, and a clock or logger be had.
var effects = []string{"context.Context", "io/fs.FS", "os.File", "go.uber.org/zap.Logger",
	module + "sync/memory/ledger.Store", module + "sync/memory/ledger.Reader", module + "sync/memory/ledger.Writer",
	module + "sync/service.Client", module + "sync/pass.Branch", module + "sync/pass.Memory",
	module + "gitops.Repo", module + "gitops.Tip"}

// TestPlansArePure: of a pass, a file plan.go, or plan_*.go, decides only. It knows no clock, disk, network, logger or
// goroutine, and calls nothing of its package but other plans.
func TestPlansArePure(t *testing.T) {
	gittest.Long(t)
	if testing.Short() {
		t.Skip("type-checks the whole program")
	}
	plans := 0
	for _, p := range loadPackages(t) {
		if !strings.HasPrefix(p.name(), "sync/") || !slices.ContainsFunc(p.GoFiles, isPlan) {
			continue
		}
		fset := token.NewFileSet()
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue)}
		conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
			return os.Open(exportFiles[path])
		})}
		pkg, err := conf.Check(p.ImportPath, fset, files, info)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range p.GoFiles {
			if !isPlan(name) {
				continue
			}
			plans++
			checkClock(t, filepath.Join(p.Dir, name))
			for _, imported := range importsOf(t, filepath.Join(p.Dir, name)) {
				if slices.Contains(impure, imported) {
					t.Errorf("%s: %s imports %s, and plans are pure", p.name(), name, imported)
				}
			}
			ast.Inspect(files[i], func(n ast.Node) bool {
				if fault := impureIn(fset, pkg, info, n); fault != "" {
					t.Errorf("%s: %s, and plans are pure", fset.Position(n.Pos()), fault)
				}
				return true
			})
		}
	}
	if plans == 0 {
		t.Error("there is no plan")
	}
}

func isPlan(file string) bool {
	return file == "plan.go" || strings.HasPrefix(file, "plan_") && !strings.HasSuffix(file, "_test.go")
}

// impureIn says what an expression of a plan has to do with effects; "" for nothing.
func impureIn(fset *token.FileSet, pkg *types.Package, info *types.Info, n ast.Node) string {
	if ident, is := n.(*ast.Ident); is {
		f, is := info.Uses[ident].(*types.Func)
		if is && f.Pkg() == pkg && !isPlan(filepath.Base(fset.Position(f.Pos()).Filename)) {
			return ident.Name + " is called, which is no part of the plans"
		}
	}
	expr, is := n.(ast.Expr)
	if !is {
		return ""
	}
	typ := info.Types[expr].Type
	if pointer, is := typ.(*types.Pointer); is {
		typ = pointer.Elem()
	}
	if named, is := typ.(*types.Named); is && named.Obj().Pkg() != nil {
		if name := named.Obj().Pkg().Path() + "." + named.Obj().Name(); slices.Contains(effects, name) {
			return "here is a " + name
		}
	}
	return ""
}
