package engine

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
)

// What every report and status of every test of this package names is held to one law: a problem says which file and language it is about, why, and what
// to do. And at the end of a whole run each problem that the code can make has been made by some test.

var told = struct {
	sync.Mutex
	all map[string]bool
}{all: make(map[string]bool)}

// Push, Pull and Status are the engine's, with an eye on what they tell.
func (w *world) Push(ctx context.Context, o push.Options) (report.PushReport, error) {
	result, err := w.Engine.Push(ctx, o)
	for _, p := range result.Projects {
		w.lawful(p.Problems...)
		w.lawful(p.Orphaned...)
		w.lawful(p.Replaced...)
	}
	return result, err
}

func (w *world) Pull(ctx context.Context, o pull.Options) (report.PullReport, error) {
	result, err := w.Engine.Pull(ctx, o)
	for _, p := range result.Projects {
		w.lawful(p.Problems...)
	}
	return result, err
}

func (w *world) Status(ctx context.Context) report.Status {
	s := w.Engine.Status(ctx)
	for _, p := range s.Projects {
		w.lawful(p.Problems...)
		w.lawful(p.Orphaned...)
	}
	return s
}

// ofTheProject are problems that are about no file: of the branch, of the repository, of a wish.
var ofTheProject = regexp.MustCompile(`^(the local branch |has no conflict|open repository|the request to merge |the remote (takes no push options|does not take what was agreed on|has lost commits of branch)|no request is made|GitHub starts no checks |\S+: project\.(repository|pull\.request)|\S+ cannot take in |branch \S+ (is not at|cannot have a branch|is not translated)|HEAD names a commit|the repository was not cloned yet|look for \S+: |reading the files, begun at )`)

// ofNoLanguage are problems of files that are not known to have one.
var ofNoLanguage = regexp.MustCompile(`^(this entry|\d+ entries) of the service's archive|^is not written|` +
	`^has no conflict|^\d+ translations? waits? at the service|^no file of |^none of them `)

func (w *world) lawful(problems ...report.Problem) {
	w.tb.Helper()
	told.Lock()
	defer told.Unlock()
	for _, p := range problems {
		told.all[p.Problem] = true
		told.all[report.Problem{Problem: p.Problem, Remedy: p.Remedy}.String()] = true // where it is made as one sentence
		switch {
		case p.Problem == "":
			w.tb.Errorf("a problem says nothing: %+v", p)
		case p.File == "" && !ofTheProject.MatchString(p.Problem):
			w.tb.Errorf("a problem names no file: %s", p)
		case p.File != "" && p.Language == "" && !ofNoLanguage.MatchString(p.Problem):
			w.tb.Errorf("a problem names no language: %s", p)
		case p.Remedy == "" || strings.Contains(p.Problem, p.Remedy):
			w.tb.Errorf("a problem does not say what to do, or says it twice (%q): %s", p.Remedy, p)
		case p.Code == "" || p.Severity == "":
			w.tb.Errorf("a problem has no code or no severity: %+v", p)
		}
	}
}

// made is where the code makes a problem, and what its text looks like.
type made struct {
	at   string
	text *regexp.Regexp
}

// daughters are this package and those whose problems its passes tell.
var daughters = []string{".", "..", "../push", "../pull", "../tree", "../request", "../accepted",
	"../../check/examine"}

// problemsMade finds all places of these packages that make a problem. Places whose text comes from elsewhere altogether have no pattern, and are not among them.
func problemsMade() ([]made, error) {
	var files []string
	for _, dir := range daughters {
		found, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	var all []made
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if typ, ok := lit.Type.(*ast.SelectorExpr); !ok || typ.Sel.Name != "Problem" {
				return true
			}
			if isFaults(lit) {
				return true
			}
			for _, e := range lit.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok && kv.Key.(*ast.Ident).Name == "Problem" {
					if text := pattern(kv.Value); strings.Trim(text, ".*") != "" {
						all = append(all, made{set.Position(lit.Pos()).String(), regexp.MustCompile("(?s)^" + text + "$")})
					}
				}
			}
			return true
		})
	}
	return all, nil
}

// isFaults reports whether a problem is a fault of the program itself: no input makes one, and package tree injects it.
func isFaults(lit *ast.CompositeLit) bool {
	return slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		code, ok := kv.Value.(*ast.SelectorExpr)
		return ok && code.Sel.Name == "CodeFault"
	})
}

var verbs = regexp.MustCompile(`%[+#]?[.\d]*[a-z]`)

// pattern is a regular expression for what a text expression yields.
func pattern(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err != nil {
			return ".*"
		}
		return regexp.QuoteMeta(text)
	case *ast.BinaryExpr:
		return pattern(e.X) + pattern(e.Y)
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Sprintf" {
			return verbs.ReplaceAllString(pattern(e.Args[0]), ".*")
		}
	}
	return ".*"
}

// untold are the problems that no test has seen, of those that the code makes.
func untold() error {
	all, err := problemsMade()
	if err != nil {
		return err
	}
	if len(all) < 20 {
		return fmt.Errorf("only %d places make a problem; this looks in the wrong place", len(all))
	}
	var missing []string
	for _, m := range all {
		seen := false
		for text := range told.all {
			seen = seen || m.text.MatchString(text)
		}
		if !seen {
			missing = append(missing, fmt.Sprintf("%s: no test meets the problem %s", m.at, m.text))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s", strings.Join(missing, "\n"))
	}
	return nil
}

// wholeRun reports whether all tests of the package run, each of them at least once.
func wholeRun(given map[string]bool) bool {
	less := []string{"test.run", "test.skip", "test.short", "test.list", "test.fuzz", "test.bench"}
	return gittest.All() && !slices.ContainsFunc(less, func(f string) bool { return given[f] })
}

func exitOf(code int, given map[string]bool) int {
	if code != 0 || !wholeRun(given) {
		return code
	}
	if err := untold(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// The patterns are what their expressions yield.
func TestProblemPatterns(t *testing.T) {
	for expr, want := range map[string]string{
		`"a.b"`: `a\.b`, `"a " + x + " b"`: `a .* b`, `fmt.Sprintf("a %d of %q: " + "%s", n, k, s)`: `a .* of .*: .*`, `h.Reason`: `.*`,
	} {
		e, err := parser.ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := pattern(e); got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
	}
}

// Problems that nothing else here meets.
func TestRareProblems(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	t.Run("one text in the place of a plural of suffixes", func(t *testing.T) {
		w := newWorld(t, oneJSONFile+"format = \"structured-json\"\n", map[string]string{
			"en.json": `{"cart": {"item_one": "{{count}} item", "item_other": "{{count}} items"}}`, "ru.json": "{\n  \"cart\": {\n    \"item\": \"{{count}} шт.\"\n  }\n}\n"})
		w.pushes(push.Options{})
		w.brings()
		w.final("ru", "cart/item_one", "{{count}} штука")
		p := w.pulls(pull.Options{})
		w.problem(p.Problems, `ru.json: "cart/item_one" (ru)`, `the service lacks the form "other"`)
		w.gains(p)
	})
	t.Run("a conflict whose source file is gone", func(t *testing.T) {
		w := mergedWorld(t, settings+jsonFiles)
		w.write(deApp, de("A hand", "B de"))
		w.translate("main", "de", "final", "a", "A service")
		w.pushes(push.Options{})
		w.inConflict("a: A hand / A service")
		w.remove(enApp)
		w.write("locales/en/other.json", `{"x": "X"}`)
		p := w.pushes(push.Options{Ours: true})
		if !slices.ContainsFunc(p.Problems, func(p report.Problem) bool {
			return p.File == deApp && p.Key == "a" && strings.Contains(p.Problem, "its source file is not there any more")
		}) {
			t.Errorf("%v", p.Problems)
		}
		w.pushes(push.Options{Theirs: true})
		w.inConflict()
	})
	for name, side := range map[string]string{"branch": "as the branch has it", "base": "as base has it"} {
		t.Run("a file that both changed, and that does not parse on "+name, func(t *testing.T) {
			w := mergedWorld(t, settings+"[project.pull]\nremote = \"\"\n"+jsonFiles)
			broken := func(on string) string {
				if on == name {
					return `{"a": `
				}
				return de("A "+on, "B de")
			}
			w.commitOn("l10n", deApp, broken("branch"))
			w.write(deApp, broken("base"))
			w.commit()
			p := w.pulls(pull.Options{})
			if !slices.ContainsFunc(p.Problems, func(p report.Problem) bool {
				return p.File == deApp && p.Language == "de" && strings.Contains(p.Problem, side)
			}) {
				t.Errorf("%v", p.Problems)
			}
		})
	}
	t.Run("two collections that the service puts into one file", func(t *testing.T) {
		labelled := func(source, collection string) string {
			return "[[project.files]]\nsource = \"en/" + source + ".json\"\noutput = \"out/{LANGUAGE}/{LABEL:file}.json\"\nlabels = [\"file:same\"]\ncollection = \"" + collection + "\"\n"
		}
		w := newWorld(t, localOnly+labelled("one", "first")+labelled("two", "second"), map[string]string{"en/one.json": `{"a": "A"}`, "en/two.json": `{"b": "B"}`})
		w.pushes(push.Options{})
		w.translate("first", "de", "final", "a", "Ä")
		w.translate("second", "de", "final", "b", "Beh")
		p := w.pulls(pull.Options{})
		w.problem(p.Problems, "out/de/same.json: (de): is written by collection", "Give the two different outputs")
		w.gains(p, "out/de/same.json (de): +1 ~0 -0")
	})
}
