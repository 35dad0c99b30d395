package oracle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
)

// manyParts is a catalog that is proven in several parts. Each second key has no translation, each third one no text.
func manyParts() string {
	var all []string
	for i := range 900 {
		entry, text := "{}", `{ "stringUnit" : { "state" : "translated", "value" : "Text" } }`
		switch {
		case i%6 == 1:
			entry = `{ "localizations" : { "de" : ` + text + `, "fr" : ` + text + ` } }`
		case i%3 > 0:
			entry = `{ "localizations" : { "fr" : ` + text + ` } }`
		}
		all = append(all, fmt.Sprintf(`    "key %03d" : %s`, i, entry))
	}
	return "{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {\n" + strings.Join(all, ",\n") +
		"\n  },\n  \"version\" : \"1.0\"\n}\n"
}

// What the grammar writes into a catalog is proven, wherever it is cut.
func TestProvesCatalogsInParts(t *testing.T) {
	t.Parallel()
	format, _ := formats.Named("xcstrings")
	src := []byte(manyParts())
	set := func(keys ...int) (edits []resource.Edit) {
		for _, i := range keys {
			edits = append(edits, resource.Edit{Op: resource.Set, Key: fmt.Sprintf("key %03d", i), Text: "Neu"})
		}
		return edits
	}
	remove := func(keys ...int) []resource.Edit {
		edits := set(keys...)
		for i := range edits {
			edits[i].Op, edits[i].Text = resource.Remove, ""
		}
		return edits
	}
	every := make([]int, 900)
	for i := range every {
		every[i] = i
	}
	for name, c := range map[string]struct {
		language string
		edits    []resource.Edit
	}{
		"nothing": {"de", nil}, "all": {"de", set(every...)}, "new language": {"it", set(every...)},
		"some": {"de", set(0, 255, 256, 257, 512, 899)}, "translations go": {"de", remove(1, 253, 259, 895)},
		"source": {"", set(0, 255, 256, 899)},
	} {
		f, err := format.Parse(resource.Keys{Language: c.language}, src)
		if err != nil {
			t.Fatal(err)
		}
		out, refused := f.Rewrite(c.edits, nil)
		if len(refused) > 0 {
			t.Fatalf("%s: %v", name, refused)
		}
		rule, made := oracle.Rule{Format: "xcstrings", Language: c.language}, changes(c.edits, nil)
		if err := rule.Prove(src, out, made); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i, change := range made { // one that was made, and not asked for
			left := append(append([]oracle.Change(nil), made[:i]...), made[i+1:]...)
			if i%300 == 0 && rule.Prove(src, out, left) == nil {
				t.Errorf("%s: %v is not missed", name, change)
			}
		}
		for _, key := range []string{"key 256x", "strings"} {
			if rule.Prove(src, out, append(made, oracle.Change{Key: key, Text: "x"})) == nil {
				t.Errorf("%s: it has no %q", name, key)
			}
		}
	}
}

// Keys may come and go on both sides of a cut.
func TestProvesKeysBesideCuts(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(manyParts(), "\n")
	rule := oracle.Rule{Format: "xcstrings"}
	for _, i := range []int{3, 257, 258, 259, 260, 514, 515, 516, 901} {
		entry := `    "new" : { "localizations" : { "en" : { "stringUnit" : { "value" : "New" } } } },` + "\n"
		more := []byte(strings.Join(append(append(lines[:i:i], entry), lines[i:]...), ""))
		src := []byte(strings.Join(lines, ""))
		come, goes := oracle.Change{Key: "new", Text: "New"}, oracle.Change{Key: "new", Gone: true}
		if err := rule.Prove(src, more, []oracle.Change{come}); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		if err := rule.Prove(more, src, []oracle.Change{goes}); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		if rule.Prove(src, more, nil) == nil || rule.Prove(more, src, nil) == nil ||
			rule.Prove(src, src, []oracle.Change{come}) == nil {
			t.Errorf("%d: it is proven without its change", i)
		}
	}
}

// A fault is found in each part of a catalog, and between two.
func TestFindsFaultsInParts(t *testing.T) {
	t.Parallel()
	src := manyParts()
	lines := strings.SplitAfter(src, "\n")
	rule := oracle.Rule{Format: "xcstrings", Language: "de"}
	wrong := func(what string, after []string) {
		t.Helper()
		if out := strings.Join(after, ""); out != src && rule.Prove([]byte(src), []byte(out), nil) == nil {
			t.Errorf("%s is not found", what)
		}
	}
	for i := 3; i < len(lines)-5; i++ { // the lines of the keys but the last
		if near := (i - 3) % 256; near > 1 && near < 255 {
			continue
		}
		before, line, rest := lines[:i:i], lines[i], lines[i+1:]
		wrong("a key that goes", append(before, rest...))
		wrong("a key twice", append(append(before, line, line), rest...))
		wrong("a key that is new", append(append(before, `    "new" : {},`+"\n", line), rest...))
		wrong("an order", append(append(before, rest[0], line), rest[1:]...))
		wrong("white space before a name", append(append(before, " "+line), rest...))
		wrong("white space behind an entry", append(append(before, line[:len(line)-2]+" ,\n"), rest...))
		wrong("a name", append(append(before, strings.Replace(line, "key", "Key", 1)), rest...))
		wrong("a text", append(append(before, strings.Replace(line, "Text", "Test", 1)), rest...))
		wrong("another state", append(append(before, strings.Replace(line, "translated", "new", 1)), rest...))
		moved := append(append([]string(nil), before...), rest[:len(rest)-5]...)
		wrong("a key elsewhere", append(append(moved, line), rest[len(rest)-5:]...))
	}
	for name, pair := range map[string][2]string{
		"the source language": {`"sourceLanguage" : "en"`, `"sourceLanguage" : "de"`},
		"the version":         {`"1.0"`, `"1.1"`}, "strings": {`"strings"`, `"texts"`}, "the end": {"\n}\n", "\n}"},
	} {
		wrong(name, []string{strings.Replace(src, pair[0], pair[1], 1)})
	}
	for _, out := range []string{"", "{}", src + "x", src[:len(src)-3], src[:len(src)/2]} {
		wrong("an end", []string{out})
	}
}

// manyLanguages is a catalog of few entries in several languages, each value on lines of its own.
func manyLanguages(languages []string, entries int) string {
	var all []string
	for i := range entries {
		var texts []string
		for _, l := range languages {
			texts = append(texts, fmt.Sprintf("        %q : {\n          \"stringUnit\" : {\n            \"state\" : \"translated\",\n"+
				"            \"value\" : \"Text %s of number %d\"\n          }\n        }", l, l, i))
		}
		all = append(all, fmt.Sprintf("    \"key %04d\" : {\n      \"localizations\" : {\n%s\n      }\n    }", i,
			strings.Join(texts, ",\n")))
	}
	return "{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {\n" + strings.Join(all, ",\n") +
		"\n  },\n  \"version\" : \"1.0\"\n}\n"
}

// What other languages have is compared as bytes: whatever differs there is found, beside edits that were asked for.
func TestFindsFaultsInOtherLanguages(t *testing.T) {
	t.Parallel()
	src := manyLanguages([]string{"cs", "da", "de", "en", "fr", "it", "pt-BR"}, 3)
	format, _ := formats.Named("xcstrings")
	f, err := format.Parse(resource.Keys{Language: "de"}, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	edits := []resource.Edit{{Op: resource.Set, Key: "key 0000", Text: "Neu"}, {Op: resource.Remove, Key: "key 0001"}}
	out, _ := f.Rewrite(edits, nil)
	rule, made := oracle.Rule{Format: "xcstrings", Language: "de"}, changes(edits, nil)
	if err := rule.Prove([]byte(src), out, made); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(out), "\n")
	wrong := func(what string, after ...string) {
		t.Helper()
		if got := strings.Join(after, ""); got != string(out) && rule.Prove([]byte(src), []byte(got), made) == nil {
			t.Errorf("%s is not found", what)
		}
	}
	for i, line := range lines {
		before, rest := strings.Join(lines[:i], ""), strings.Join(lines[i+1:], "")
		for _, l := range []string{"cs", "da", "fr", "it", "pt-BR"} {
			wrong("a text", before, strings.Replace(line, "Text "+l, "Other", 1), rest)
			wrong("another language", before, strings.Replace(line, `"`+l+`" :`, `"es" :`, 1), rest)
		}
		wrong("a state", before, strings.Replace(line, "translated", "new", 1), rest)
		if strings.Contains(line, `"Text it`) { // it is beside nothing that changes
			wrong("a blank", before, " "+line, rest)
		}
		wrong("a line that goes", before, rest)
		if strings.HasPrefix(line, `        "`) && i+6 < len(lines) {
			wrong("a language that goes", before, strings.Join(lines[i+6:], ""))
			wrong("a language that is there twice", before, strings.Join(lines[i:i+6], ""), line, rest)
			if i+12 < len(lines) {
				next := strings.Join(lines[i+6:i+12], "")
				wrong("an order", before, next, strings.Join(lines[i:i+6], ""), strings.Join(lines[i+12:], ""))
			}
		}
	}
}
