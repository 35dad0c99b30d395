package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/report"
)

// Every problem that the code makes has a code, and every code is documented.
func TestCodesOfProblems(t *testing.T) {
	documented := make(map[string]bool)
	for _, c := range report.Codes {
		if documented[c.Code] || c.Meaning == "" || c.Severity != report.Error && c.Severity != report.Warning {
			t.Errorf("%+v", c)
		}
		documented[c.Code] = true
	}
	var table strings.Builder
	for _, c := range report.Codes {
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", c.Code, c.Severity, c.Meaning)
	}
	if page := readPage(t, filepath.Join("docs", "json.md")); !strings.HasSuffix(page, "|\n"+table.String()) {
		t.Errorf("docs/json.md does not end with the table of codes, which is\n%s", table.String())
	}
	for _, name := range check.All {
		if !documented[name] {
			t.Errorf("the check %s is not in the table of codes", name)
		}
	}
	made := 0
	for pkg, files := range packageFiles(t) {
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") ||
				strings.HasSuffix(file, "check_text.go") { // prints parts of problems
				continue
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if pkg == "sync/report" {
				constantCodes(t, f, documented)
			}
			for _, decl := range f.Decls {
				if fn, is := decl.(*ast.FuncDecl); !is || !ofInspection(fn) {
					made += problemsIn(t, set, decl, pkg == "sync/report")
				}
			}
		}
	}
	if made < 40 {
		t.Errorf("only %d problems are made; this looks in the wrong place", made)
	}
}

// constantCodes fails where a constant that is named like a code is not in the table.
func constantCodes(t *testing.T, f *ast.File, documented map[string]bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		v, is := n.(*ast.ValueSpec)
		if !is || len(v.Values) != 1 || !strings.HasPrefix(v.Names[0].Name, "Code") {
			return true
		}
		if lit, is := v.Values[0].(*ast.BasicLit); is {
			if code, err := strconv.Unquote(lit.Value); err != nil || !documented[code] {
				t.Errorf("%s = %s is not in the table of codes", v.Names[0].Name, lit.Value)
			}
		}
		return true
	})
}

// ofInspection reports whether a function is a method of the inspection, which gives its problems their codes when it
// adds them.
func ofInspection(fn *ast.FuncDecl) bool {
	if fn.Recv == nil {
		return false
	}
	star, is := fn.Recv.List[0].Type.(*ast.StarExpr)
	if !is {
		return false
	}
	name, is := star.X.(*ast.Ident)
	return is && name.Name == "inspection"
}

// problemsIn counts the problems with words that a declaration makes, and fails for those without a code.
func problemsIn(t *testing.T, set *token.FileSet, decl ast.Decl, inReport bool) (made int) {
	ast.Inspect(decl, func(n ast.Node) bool {
		lit, is := n.(*ast.CompositeLit)
		if !is {
			return true
		}
		list, _ := lit.Type.(*ast.ArrayType)
		switch {
		case list != nil && isProblem(list.Elt, inReport):
			for _, e := range lit.Elts {
				if one, is := e.(*ast.CompositeLit); is && one.Type == nil {
					made += coded(t, set, one)
				}
			}
		case isProblem(lit.Type, inReport):
			made += coded(t, set, lit)
		}
		return true
	})
	return made
}

func isProblem(typ ast.Expr, inReport bool) bool {
	switch typ := typ.(type) {
	case *ast.SelectorExpr:
		x, is := typ.X.(*ast.Ident)
		return is && x.Name == "report" && typ.Sel.Name == "Problem"
	case *ast.Ident:
		return inReport && typ.Name == "Problem"
	}
	return false
}

func coded(t *testing.T, set *token.FileSet, lit *ast.CompositeLit) int {
	var members []string
	for _, e := range lit.Elts {
		if kv, is := e.(*ast.KeyValueExpr); is {
			members = append(members, kv.Key.(*ast.Ident).Name)
		}
	}
	if !slices.Contains(members, "Problem") {
		return 0
	}
	if !slices.Contains(members, "Code") {
		t.Errorf("%s: a problem without a code", set.Position(lit.Pos()))
	}
	return 1
}
