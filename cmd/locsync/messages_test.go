package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// message is a text that people read, as the source has it: with its verbs.
type message struct {
	pkg, kind, text string
	file            string
	line            int
}

func (m message) String() string { return m.pkg + "\t" + m.kind + "\t" + strconv.Quote(m.text) }

// The kinds of messages.
const (
	errorMessage   = "error"
	logMessage     = "log"
	problemMessage = "problem"
	eventMessage   = "event"
)

// TestMessages holds the catalogue of messages: the errors, log lines, problems and events of all packages are those of
// testdata/messages.txt, so that a review sees every change of one. LOCSYNC_UPDATE=1 writes the file.
func TestMessages(t *testing.T) {
	t.Parallel()
	catalogue := filepath.Join("testdata", "messages.txt")
	var lines []string
	for _, m := range messagesOf(t) {
		lines = append(lines, m.String())
	}
	slices.Sort(lines)
	text := strings.Join(slices.Compact(lines), "\n") + "\n"
	if os.Getenv("LOCSYNC_UPDATE") != "" {
		if err := os.WriteFile(catalogue, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := readPage(t, catalogue)
	if text == want {
		return
	}
	had, has := strings.Split(want, "\n"), strings.Split(text, "\n")
	for _, line := range has {
		if _, known := slices.BinarySearch(had, line); !known && line != "" {
			t.Errorf("not in %s: %s", catalogue, line)
		}
	}
	for _, line := range had {
		if _, known := slices.BinarySearch(has, line); !known && line != "" {
			t.Errorf("in %s, but not in the program: %s", catalogue, line)
		}
	}
	t.Error("read what changed, then run this test with LOCSYNC_UPDATE=1")
}

// properNames begin messages in capitals though they are ordinary words.
var properNames = regexp.MustCompile(`^(Git|GitHub|GitLab|Gitea|Forgejo|Bitbucket|Azure|Rails|Android|Markdown|Java|` +
	`Windows|Linux|Kubernetes|Flutter|Angular|Prometheus|Slack|Teams|Unicode|Latin|English|Basic)\b`)

// Errors, log lines and problems have one form: they begin in small letters, as they are parts of a line, and end
// without a full stop. An event is a sentence or two.
func TestFormOfMessages(t *testing.T) {
	t.Parallel()
	counted := map[string]int{}
	for _, m := range messagesOf(t) {
		counted[m.kind]++
		if m.kind == eventMessage {
			continue
		}
		at := fmt.Sprintf("%s:%d: the %s %q", m.file, m.line, m.kind, m.text)
		first, size := utf8.DecodeRuneInString(m.text)
		second, _ := utf8.DecodeRuneInString(m.text[size:])
		if unicode.IsUpper(first) && unicode.IsLower(second) && !properNames.MatchString(m.text) {
			t.Errorf("%s begins with a capital letter", at)
		}
		if strings.HasSuffix(m.text, ".") && !strings.HasSuffix(m.text, "...") || strings.HasSuffix(m.text, "!") {
			t.Errorf("%s ends with a full stop", at)
		}
		if strings.HasSuffix(m.text, " ") && m.kind == logMessage || strings.Contains(m.text, "  ") {
			t.Errorf("%s has a space too many", at)
		}
	}
	for _, kind := range []string{errorMessage, logMessage, problemMessage, eventMessage} {
		if counted[kind] < 10 {
			t.Errorf("only %d messages of the kind %s were found", counted[kind], kind)
		}
	}
}

// messagesOf are the messages of all packages but test kits.
func messagesOf(t *testing.T) (all []message) {
	t.Helper()
	files := packageFiles(t)
	for _, pkg := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(pkg, "test") || pkg == "formats/oracle" {
			continue
		}
		for _, file := range files[pkg] {
			if strings.HasSuffix(file, "_test.go") || isGenerator(t, file) {
				continue
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			add := func(kind string, of ast.Expr) {
				if text := wordsOfExpr(of); text != "" {
					at := set.Position(of.Pos())
					all = append(all, message{pkg, kind, text, filepath.ToSlash(at.Filename), at.Line})
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if kind, arg := kindOfCall(n); kind != "" && arg < len(n.Args) {
						add(kind, n.Args[arg])
					}
				case *ast.CompositeLit:
					fieldsOf(n, add)
				}
				return true
			})
		}
	}
	slices.SortFunc(all, func(a, b message) int { return cmp.Or(cmp.Compare(a.file, b.file), a.line-b.line) })
	return all
}

// kindOfCall is the kind of message that a call makes, and which argument has it.
func kindOfCall(call *ast.CallExpr) (kind string, arg int) {
	fun, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return "", 0
	}
	x, _ := fun.X.(*ast.Ident)
	switch name := fun.Sel.Name; {
	case x != nil && x.Name == "fmt" && name == "Errorf", x != nil && x.Name == "errors" && name == "New":
		return errorMessage, 0
	case slices.Contains([]string{"Debug", "Info", "Warn", "Error", "DPanic", "Fatal"}, name) &&
		(x == nil || x.Name != "t"):
		return logMessage, 0
	}
	return "", 0
}

// fieldsOf adds the messages of a problem or an event.
func fieldsOf(lit *ast.CompositeLit, add func(string, ast.Expr)) {
	members := make(map[string]ast.Expr)
	for _, e := range lit.Elts {
		if kv, is := e.(*ast.KeyValueExpr); is {
			if key, is := kv.Key.(*ast.Ident); is {
				members[key.Name] = kv.Value
			}
		}
	}
	if value, has := members["Problem"]; has {
		add(problemMessage, value)
	}
	if value, has := members["Text"]; has && members["Result"] != nil {
		add(eventMessage, value)
	}
}

// wordsOfExpr is the text of an expression: its constants, with an ellipsis for each other part; "" where nothing is
// constant.
func wordsOfExpr(e ast.Expr) string {
	text := ""
	switch e := e.(type) {
	case *ast.ParenExpr:
		return wordsOfExpr(e.X)
	case *ast.BasicLit:
		if whole, ok := literal(e); ok {
			return whole
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, right := wordsOfExpr(e.X), wordsOfExpr(e.Y)
			if left != "" || right != "" {
				text = cmp.Or(left, "…") + cmp.Or(right, "…")
			}
		}
	case *ast.CallExpr: // fmt.Sprintf
		if fun, is := e.Fun.(*ast.SelectorExpr); is && fun.Sel.Name == "Sprintf" && len(e.Args) > 0 {
			return wordsOfExpr(e.Args[0])
		}
	}
	return text
}
