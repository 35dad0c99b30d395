package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// unused are the words and phrases that texts for people do without, as sentences have them. Where a group of one
// matches, it is good English: "there is no daemon", "is no longer", "stands for"; or a name: [project.gate]. So are
// "has not answered", "takes place" and "in turn", and look, place and turn as verbs: as nouns they follow an
// article or a possessive.
var unused = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:nobody|somebody|whoever|anybody)\b`),
	regexp.MustCompile(`(?i)\b(?:stands|lies)\b( for\b)?`),
	regexp.MustCompile(`(?i)\bstand (?:in|at|on|under|below|there|between)\b`),
	regexp.MustCompile(`(?i)\b(?:give|gives|gave|given|giving) way\b`),
	regexp.MustCompile(`(?i)\b(?:has|have|had) not(?:$|\s*[.,;:)]|\s+(?:a|an|the|any|and|or|to|its|their)\b)`),
	regexp.MustCompile(`(?i)\b(there )?(?:is|are|was|were) no\b( longer\b| more\b)?`),
	regexp.MustCompile(`(?i)\bof a person's\b`),
	regexp.MustCompile(`(?i)(project\.)?\b(?:houses?|doors?|desks?|bells?|diary|diaries|hearts?|gates?)\b`),
	regexp.MustCompile(`(?i)\b(?:a|an|the|its|their|our|another|first|last|next|two) (?:looks?|places?|rooms?|turns?)\b`),
}

// unusedNames end names of types, fields, constants and variables: what functions do may be to look or to place.
var unusedNames = []string{"look", "place", "house", "room", "door", "desk", "bell", "gate", "turn", "diary", "heart"}

// unusedWords are those that a text has, each with what is around it.
func unusedWords(text string) (found []string) {
	text = strings.Join(strings.Fields(text), " ")
	for _, word := range unused {
		for _, at := range word.FindAllStringSubmatchIndex(text, -1) {
			if slices.IndexFunc(at[2:], func(i int) bool { return i >= 0 }) < 0 {
				found = append(found, text[max(0, at[0]-30):min(len(text), at[1]+30)])
			}
		}
	}
	return found
}

func TestUnusedWords(t *testing.T) {
	for text, want := range map[string]int{
		"nobody is asked": 1, "Somebody else's": 1, "it stands in the address": 1, "it lies there": 1, "standing": 0,
		"formats that the service has not.": 1, "has not answered since": 0, "it has not the file": 1, "is no file": 1,
		"there is no file": 0, "it is no longer\nthere": 0, "a look at\nthe files": 1, "look at the files": 0,
		"in turn": 0, "{DIR} stands for folders": 0, "takes place": 0, "the place that": 1, "rings a bell": 1,
		"heartbeat": 0, "gives way": 1,
	} {
		if got := unusedWords(text); len(got) != want {
			t.Errorf("%q: %q, not %d", text, got, want)
		}
	}
}

// TestWords holds what every package says: the words of unused in texts of several words (messages), in comments, and
// at the end of names, tests left out. A number only falls; one that is not in testdata/words.txt is 0.
func TestWords(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the whole program")
	}
	t.Parallel()
	ceilings := readNumbers(t, "testdata/words.txt")
	files := packageFiles(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for what, found := range wordsOf(t, files[name]) {
			key := name + " " + what
			ceiling := ceilings[key]
			delete(ceilings, key)
			switch {
			case len(found) > ceiling:
				t.Errorf("%s: %d words that are not used, and its ceiling is %d:\n\t%s", key, len(found), ceiling,
					strings.Join(found, "\n\t"))
			case len(found) < ceiling-max(2, ceiling/20) || len(found) == 0 && ceiling > 0:
				t.Errorf("%s: %d; lower its ceiling of %d in testdata/words.txt", key, len(found), ceiling)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(ceilings)) {
		t.Errorf("%s: there is no such package or measure; remove it from testdata/words.txt", key)
	}
}

// wordsOf are the unused words of a package's production code, each with file and line.
func wordsOf(t *testing.T, files []string) map[string][]string {
	t.Helper()
	found := map[string][]string{"messages": nil, "comments": nil, "names": nil}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || isGenerator(t, file) {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		add := func(what string, at token.Pos, words ...string) {
			for _, word := range words {
				position := fset.Position(at)
				line := fmt.Sprintf("%s:%d: %s", filepath.Base(file), position.Line, word)
				found[what] = append(found[what], line)
			}
		}
		for _, group := range f.Comments {
			add("comments", group.Pos(), unusedWords(group.Text())...)
		}
		tags := make(map[ast.Node]bool)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				tags[n.Tag] = true
			case *ast.BasicLit, *ast.BinaryExpr:
				if tags[n] {
					return false
				}
				if text, whole := literal(n.(ast.Expr)); whole {
					if strings.Contains(text, " ") {
						add("messages", n.Pos(), unusedWords(text)...)
					}
					return false
				}
			}
			return true
		})
		for _, ident := range declared(f) {
			if slices.Contains(unusedNames, lastWord(ident.Name)) {
				add("names", ident.Pos(), ident.Name)
			}
		}
	}
	return found
}

// literal is the text of a string constant, or of several that are joined.
func literal(e ast.Expr) (text string, whole bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		left, whole := literal(e.X)
		if right, also := literal(e.Y); whole && also && e.Op == token.ADD {
			return left + right, true
		}
	}
	return "", false
}

// declared are the names of a file's types, fields, parameters, constants and variables.
func declared(f *ast.File) (names []*ast.Ident) {
	add := func(e ast.Expr) {
		if ident, is := e.(*ast.Ident); is {
			names = append(names, ident)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			add(n.Name)
		case *ast.ValueSpec:
			names = append(names, n.Names...)
		case *ast.Field:
			if _, method := n.Type.(*ast.FuncType); !method {
				names = append(names, n.Names...)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for i, left := range n.Lhs {
					if i < len(n.Rhs) {
						if _, function := n.Rhs[i].(*ast.FuncLit); function {
							continue
						}
					}
					add(left)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key)
				add(n.Value)
			}
		}
		return true
	})
	return names
}

// lastWord is the last word of a name in camel case, in the singular and in small letters.
func lastWord(name string) string {
	at := strings.LastIndexFunc(name, unicode.IsUpper)
	return strings.TrimSuffix(strings.ToLower(name[max(at, 0):]), "s")
}

// TestWordsOfPages: what people read outside of the program has none of the unused words.
func TestWordsOfPages(t *testing.T) {
	pages := append(pagesForPeople(t), filepath.Join("..", "..", "config.example.toml"))
	for _, pattern := range []string{"systemd/*.service", "systemd/*.yml", "systemd/*/*.service", "systemd/container/*",
		"systemd/package/[^nw]*", "systemd/package/n*.yaml", "systemd/package/*/*", ".github/actions/*/*", ".gitlab/*",
		".pre-commit-hooks.yaml"} {
		more, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil || len(more) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		pages = append(pages, more...)
	}
	comment, member := regexp.MustCompile(`(?m)^\s*#+ ?`), regexp.MustCompile("`[a-z_]+`") // of JSON: a name
	for _, page := range pages {
		text := member.ReplaceAllString(comment.ReplaceAllString(readPage(t, page), ""), "")
		for paragraph := range strings.SplitSeq(text, "\n\n") {
			for _, word := range unusedWords(paragraph) {
				t.Errorf("%s: a word that is not used: %q", page, word)
			}
		}
	}
}
