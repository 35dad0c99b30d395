package words_test

import (
	"bytes"
	"encoding/json"
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

	"github.com/locsync/locsync/sync/service/local/marks"
	"github.com/locsync/locsync/sync/service/local/page/layout"
	"github.com/locsync/locsync/sync/service/local/words"
)

// spoken are the packages whose texts people read on the page, in feeds and in mails.
var spoken = []string{"../page", "../people", "../news", "../openid", "../findings", "../audit", "."}

// reason is how what a check has found is worded.
var reason = regexp.MustCompile(`^(it|the|a|only one|\{%s\}) \S+ \S+ `)

// sentence is how a text for people begins and goes on; single words are texts where they are titles and choices.
var sentence = regexp.MustCompile(`^(%[sdq]|[A-Z0-9]).* |^[A-Z][a-z]+\.$`)

// unspoken are literals that look so, and are read by programs or in logs.
var unspoken = regexp.MustCompile(`Content-Security|UTC$|^(GET|POST) |^Co-|: want |^List-`)

// literals are the texts in the source of a package: those that people read, and those that are like some.
func literals(t *testing.T, dir string, like *regexp.Regexp) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		add := func(e ast.Expr, single bool) {
			if text, ok := folded(e); ok && (single || like.MatchString(text)) && !unspoken.MatchString(text) {
				all = append(all, text)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr: // of loggers and errors
				if f, is := n.Fun.(*ast.SelectorExpr); is && slices.Contains([]string{"Warn", "Error", "Errorf", "New", "MustCompile"},
					f.Sel.Name) {
					return false
				}
				if f, is := n.Fun.(*ast.SelectorExpr); is && (f.Sel.Name == "Text" || f.Sel.Name == "Say") && len(n.Args) > 0 {
					add(n.Args[0], true)
				} else if is && f.Sel.Name == "Refuse" {
					add(n.Args[1], true)
				}
			case *ast.KeyValueExpr:
				if k, is := n.Key.(*ast.Ident); is {
					add(n.Value, slices.Contains([]string{"Title", "Button"}, k.Name))
				}
			case *ast.CompositeLit:
				for _, e := range n.Elts { // choices of a list
					if c, is := e.(*ast.CompositeLit); is && like == sentence && len(c.Elts) == 2 && c.Type == nil {
						add(c.Elts[1], true)
					}
				}
			case *ast.BinaryExpr:
				if _, whole := folded(n); whole {
					add(n, false)
					return false
				}
			case *ast.BasicLit:
				add(n, false)
			}
			return true
		})
	}
	return all
}

// folded is the value of a literal, or of several that are joined.
func folded(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, ok := folded(e.X)
		right, also := folded(e.Y)
		return left + right, ok && also
	}
	return "", false
}

// values are words that are stored, or tell one choice from others, and that pages show.
var values = []string{"untranslated", "draft", "confirmed", "final", "translator", "reviewer", "manager", "A browser",
	"it is blank", "space", "line break", "control character", "there is no project %s",
	"the project %s belongs to another account", "the body cannot be read: %v",
	"This service has moved to another folder and is served from there soon. Nothing is stored until then.",
	"nowhere", "once", "%d times", "text", "a whole number", "a number with decimals", "a date", "an object", "a C string",
	"the plural lacks the form %s, which the language %s needs for {%s}",
	"the plural lacks the forms %s, which the language %s needs for {%s}"}

// asked are texts that templates ask for by name.
var asked = regexp.MustCompile(`[( ]t "([^"]+)"`)

func read(t *testing.T, code string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(code + ".json")
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	if err := json.Unmarshal(text, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// Every text that people read is in the resource files, and these have no others. LOCSYNC_UPDATE=1 writes the English
// one.
func TestTextsAreInTheFiles(t *testing.T) {
	want := make(map[string]string)
	for _, text := range append(words.Texts(layout.Source), values...) {
		want[text] = text
	}
	for _, found := range asked.FindAllStringSubmatch(layout.Source, -1) {
		want[found[1]] = found[1]
	}
	for _, dir := range spoken {
		for _, text := range literals(t, dir, sentence) {
			want[text] = text
		}
	}
	for _, text := range literals(t, "../../../check", reason) {
		want[text] = text
	}
	for r := range rune(0x10000) {
		if name, is := marks.NameOf(r); is {
			want[name] = name
		}
	}
	if os.Getenv("LOCSYNC_UPDATE") != "" {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(want); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("en.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range words.All() {
		has := read(t, l.Code)
		for _, text := range slices.Sorted(maps.Keys(want)) {
			if has[text] == "" {
				t.Errorf("%s.json lacks %q", l.Code, text)
			}
		}
		for _, text := range slices.Sorted(maps.Keys(has)) {
			if want[text] == "" {
				t.Errorf("%s.json has %q, which no page says", l.Code, text)
			}
		}
	}
	for english, text := range read(t, "en") {
		if english != text {
			t.Errorf("en.json: %q is %q", english, text)
		}
	}
}

var placeholders = regexp.MustCompile(`\{\d+\}|%(\[\d+\])?[a-z%]`)

// A translation has the placeholders of its text, and those of fmt in their order or with numbers.
func TestPlaceholdersAgree(t *testing.T) {
	for _, l := range words.All() {
		for english, text := range read(t, l.Code) {
			want, got := placeholders.FindAllString(english, -1), placeholders.FindAllString(text, -1)
			if strings.Contains(english, "{0}") || strings.Contains(text, "%[") {
				slices.Sort(want)
				slices.Sort(got)
			}
			if strings.Contains(text, "%[") {
				for i := range want {
					want[i] = "%[" + strconv.Itoa(i+1) + "]" + want[i][1:]
				}
			}
			if !slices.Equal(want, got) {
				t.Errorf("%s.json: %q has %v, and %q has %v", l.Code, text, got, english, want)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct{ chosen, accepted, want string }{
		{"", "", "en"}, {"de", "fr", "de"}, {"xx", "fr-CA,fr;q=0.9,en;q=0.8", "fr"}, {"", "de-AT", "de"},
		{"", "ja,pl;q=0.5", "en"}, {"", "ja, de;q=0.1", "de"}, {"", ";;;=,", "en"}, {"", strings.Repeat("de,", 9999), "en"},
		{"", "en-GB,de;q=0.9", "en"},
	} {
		if got := words.Choose(c.chosen, c.accepted).Code; got != c.want {
			t.Errorf("%q, %.40q: %s, not %s", c.chosen, c.accepted, got, c.want)
		}
	}
}

// What a page says is found and replaced, and nothing else of its source.
func TestTexts(t *testing.T) {
	source := `{{define "x"}}<p class="y" title="Go {{.N}}">Hello <bdi>{{.Name}}</bdi>, {{.N}} of <time datetime="{{stamp .}}">` +
		`{{when .}}</time>{{if .A}} and more{{end}}</p>{{.Only}} {{template "z" .}}<i aria-label="Close">{{t .W}}</i>{{end}}`
	want := []string{"Go {0}", "Hello {0}, {1} of {2}", "and more", "Close"}
	if got := words.Texts(source); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, l := range words.All() {
		if got := l.Page(source); got != source {
			t.Errorf("%s:\n%s", l.Code, got)
		}
	}
}
