package oracle_test

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// A file of translations that is laid out like its source is proven, whatever part of the texts it has; and not when a
// source text was left in it, or a translation is missing.
func TestProvesNewFiles(t *testing.T) {
	t.Parallel()
	files := 0
	for _, f := range some(t) {
		r := random(f.name)
		format, _ := formats.Named(f.rule.Format)
		root, _ := f.Root()
		b := &bundle.Bundle{Format: format, Source: config.Language{Code: "en", Path: root}}
		source, err := b.Parse(f.Bytes(), b.Source)
		if err != nil {
			t.Fatal(err)
		}
		var given []catalog.Change
		var made []oracle.Change
		texts := bundle.Texts(source)
		for _, u := range texts {
			if r.IntN(4) > 0 && !inList.MatchString(u.Key) {
				given = append(given, catalog.Change{Op: catalog.Added, Name: u.Name, Text: "übersetzt: " + u.Text})
			}
		}
		if len(given) == 0 {
			continue
		}
		into := config.Language{Code: "xx", Path: "xx"}
		out, refused, err := bundle.Render(b, source, nil, into, given)
		if err != nil {
			t.Logf("%s: not rendered: %v", f.name, err)
			continue
		}
		left := make(map[catalog.Name]bool)
		for _, c := range refused {
			left[c.Name] = true
		}
		for _, c := range given {
			if !left[c.Name] {
				made = append(made, oracle.Change{Key: c.Key, Form: c.Form, Text: c.Text})
			}
		}
		rule, target := f.rule, f.rule
		rule.Roots, target.Roots = []string{root}, []string{"xx"}
		files++
		if err := rule.ProveNew(f.Bytes(), out, made, target); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		if len(made) == 0 || len(out) > 10_000 {
			continue
		}
		if err := rule.ProveNew(f.Bytes(), out, made[1:], target); err == nil {
			t.Errorf("%s: %q was not asked for, and is not found", f.name, made[0].Key)
		}
		if err := rule.ProveNew(f.Bytes(), out, append(made, oracle.Change{Key: "not there", Text: "x"}),
			target); err == nil {
			t.Errorf("%s: a translation is missing, and that is not found", f.name)
		}
	}
	t.Logf("%d new files", files)
}

// A new file of Angular's says its own language, and nothing else about it is another.
func TestProvesNewLocale(t *testing.T) {
	t.Parallel()
	const source = `{"$schema": "S", "locale": "en-US", "translations": {"1": "A", "locale": "L"}}`
	rule, into := oracle.Rule{Format: "structured-json", Roots: []string{"en"}}, oracle.Rule{Format: "structured-json",
		Roots: []string{"pt_BR", "pt-BR"}}
	made := []oracle.Change{{Key: "translations/1", Text: "AA"}, {Key: "translations/locale", Text: "LL"}}
	for after, right := range map[string]bool{
		`{"$schema": "S", "locale": "pt_BR", "translations": {"1": "AA", "locale": "LL"}}`: true,
		`{"$schema": "S", "locale": "en-US", "translations": {"1": "AA", "locale": "LL"}}`: false,
		`{"$schema": "S", "locale": "pt-BR", "translations": {"1": "AA", "locale": "LL"}}`: false,
		`{"$schema": "T", "locale": "pt_BR", "translations": {"1": "AA", "locale": "LL"}}`: false,
		`{"$schema": "S", "translations": {"1": "AA", "locale": "LL"}}`:                    false,
	} {
		if err := rule.ProveNew([]byte(source), []byte(after), made, into); (err == nil) != right {
			t.Errorf("%s: %v", after, err)
		}
	}
}

const units = "\ufeff" + `{
    "properties": {"version": 1},
    "units": [
        {
            "key": "a",
            "properties": {"comments": ["note"]},
            "source": ["One ", "text"],
            "target": ["Ein Text"]
        },
        {
            "key": "b", "source": "Two"
        }
    ]
}
`

// LocJSON: no file of the corpus has it.
func TestProvesUnits(t *testing.T) {
	t.Parallel()
	f, ok := parse(t, oracle.Rule{Format: "locjson"}, "units", []byte(units))
	if !ok {
		t.Fatal("refused")
	}
	if n := agree(t, f); n != 2 {
		t.Fatalf("%d entries were compared", n)
	}
	for _, edits := range [][]resource.Edit{
		{{Op: resource.Set, Key: "a",
			Text: "Another text, long enough that it is split into more than one piece, at a space"}},
		{{Op: resource.Set, Key: "b", Text: "two\nlines"}},
		{{Op: resource.Remove, Key: "a"}},
		{{Op: resource.Remove, Key: "a"}, {Op: resource.Remove, Key: "b"}},
		{{Op: resource.Set, Key: "c", Text: "Three"}, {Op: resource.Set, Key: "d", Text: ""},
			{Op: resource.Set, Key: "b", Text: "2"}},
	} {
		out, refused := f.Rewrite(edits, nil)
		if len(refused) > 0 {
			t.Fatal(refused)
		}
		made := changes(edits, nil)
		if err := f.rule.Prove([]byte(units), out, made); err != nil {
			t.Errorf("%v: %v\n%s", edits, err, out)
		}
		for from, to := range map[string]string{`"note"`: `"Note"`, `"Ein Text"`: `"Ein"`,
			`"version": 1`: `"version": 2`, `"key": "b"`: `"key":  "b"`} {
			spoiled := strings.Replace(string(out), from, to, 1)
			if spoiled == string(out) {
				continue
			}
			if err := f.rule.Prove([]byte(units), []byte(spoiled), made); err == nil &&
				!(len(made) > 2 || made[0].Gone) {
				t.Errorf("%v: %s became %s, which is not found", edits, from, to)
			}
		}
	}
}

const messages = `{
  "@@locale": "en",
  "a": "One",
  "@a": {"description": "note", "placeholders": {"n": {"type": "int"}}},
  "b": "Two",
  "@b": {"description": "another"},
  "c": "Three"
}
`

// ARB: attributes go with their message and never else, and no new file has them.
func TestProvesMessages(t *testing.T) {
	t.Parallel()
	f, ok := parse(t, oracle.Rule{Format: "arb"}, "messages", []byte(messages))
	if !ok {
		t.Fatal("refused")
	}
	if n := agree(t, f); n != 3 {
		t.Fatalf("%d entries were compared", n)
	}
	for _, edits := range [][]resource.Edit{
		{{Op: resource.Set, Key: "a", Text: "Another"}},
		{{Op: resource.Remove, Key: "a"}},
		{{Op: resource.Remove, Key: "c"}, {Op: resource.Remove, Key: "b"}},
		{{Op: resource.Set, Key: "d", Text: ""}, {Op: resource.Set, Key: "b", Text: "2"}},
	} {
		out, refused := f.Rewrite(edits, nil)
		if len(refused) > 0 {
			t.Fatal(refused)
		}
		made := changes(edits, nil)
		if err := f.rule.Prove([]byte(messages), out, made); err != nil {
			t.Errorf("%v: %v\n%s", edits, err, out)
		}
		for from, to := range map[string]string{
			`"@b": {"description": "another"},`: "", `"note"`: `"Note"`, `"locale"`: `"Locale"`, `"int"`: `"num"`,
		} {
			spoiled := strings.Replace(string(out), from, to, 1)
			if spoiled == string(out) {
				continue
			}
			if err := f.rule.Prove([]byte(messages), []byte(spoiled), made); err == nil {
				t.Errorf("%v: %s became %s, which is not found", edits, from, to)
			}
		}
	}
	out, _ := f.Fresh([]resource.Edit{{Op: resource.Set, Key: "b", Text: "Zwei"}})
	made := []oracle.Change{{Key: "b", Text: "Zwei"}}
	if err := f.rule.ProveNew([]byte(messages), out, made, f.rule); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

const properties = "# licence\n\n# note\na = One\nb : Two \\\n    more\n\nc Dr\\u00e9i\n"

// Java's properties: every byte but a value's is compared, comments and lines that go on included.
func TestProvesProperties(t *testing.T) {
	t.Parallel()
	for _, src := range []string{properties, strings.Replace(properties, "note", "n\xf6te", 1),
		strings.ReplaceAll(properties, "\n", "\r\n")} {
		f, ok := parse(t, oracle.Rule{Format: "properties"}, "properties", []byte(src))
		if !ok {
			t.Fatal("refused")
		}
		if n := agree(t, f); n != 3 {
			t.Fatalf("%d entries were compared", n)
		}
		for _, edits := range [][]resource.Edit{
			{{Op: resource.Set, Key: "a", Text: " Another\n"}},
			{{Op: resource.Set, Key: "c", Text: "é"}},
			{{Op: resource.Remove, Key: "b"}},
			{{Op: resource.Set, Key: "d=", Text: ""}, {Op: resource.Set, Key: "b", Text: "2"}},
		} {
			out, refused := f.Rewrite(edits, nil)
			if len(refused) > 0 {
				t.Fatal(refused)
			}
			made := changes(edits, nil)
			if err := f.rule.Prove([]byte(src), out, made); err != nil {
				t.Errorf("%v: %v\n%s", edits, err, out)
			}
			for from, to := range map[string]string{"licence": "license", "# n": "! n", "a =": "a=",
				"c Dr": "c  Dr", "u00e9i": "u00c9i"} {
				spoiled := strings.Replace(string(out), from, to, 1)
				if spoiled == string(out) {
					continue
				}
				if err := f.rule.Prove([]byte(src), []byte(spoiled), made); err == nil &&
					!(made[0].Gone && from == "c Dr") {
					t.Errorf("%v: %s became %s, which is not found", edits, from, to)
				}
			}
		}
		out, _ := f.Fresh([]resource.Edit{{Op: resource.Set, Key: "b", Text: "Zwei"}})
		if err := f.rule.ProveNew([]byte(src), out, []oracle.Change{{Key: "b", Text: "Zwei"}}, f.rule); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// What a proof says is for people: the key, what is wrong, and where.
func ExampleRule_Prove() {
	rule := oracle.Rule{Format: "structured-json"}
	before := `{"a": {"b": "x", "n": 1}, "c": "z"}`
	change := []oracle.Change{{Key: "a/b", Text: "y"}}
	for _, after := range []string{
		`{"a": {"b": "y", "n": 1}, "c": "z"}`,
		`{"a": {"b": "y\\", "n": 1}, "c": "z"}`,
		`{"a": {"b": "y", "n": 2}, "c": "z"}`,
		`{"a": {"b": "y", "n": 1}}`,
		`{"a": {"b": "y", "n": 1}, "c": "z", "d": ""}`,
		`{"a": {"b": "y", "n": 1},  "c": "z"}`,
		`{"a": {"b": "y", "n": 1}, "c": "z"`,
	} {
		fmt.Println(rule.Prove([]byte(before), []byte(after), change))
	}
	// Output:
	// <nil>
	// "a/b": would read "y\\", not "y"
	// "a/n": would read the value 2, not the value 1
	// "c": would be gone
	// "d": would appear out of nowhere
	// bytes behind "a/n", before "c" would differ where no entry does
	// the file as it would be written cannot be read a second time: encoding/json: unexpected EOF
}

// FuzzRead: any bytes are read or refused, in every format, and a file is always proven to be itself.
func FuzzRead(f *testing.F) {
	for _, e := range edges(f) {
		if len(e.Bytes()) < 2000 {
			f.Add(e.rule.Format, e.Bytes())
		}
	}
	f.Add("locjson", []byte(units))
	f.Add("arb", []byte(messages))
	f.Add("properties", []byte(properties))
	f.Fuzz(func(t *testing.T, format string, src []byte) {
		rule := oracle.Rule{Format: format, Roots: []string{"en"}}
		leaves, err := rule.Read(src)
		if err != nil {
			return
		}
		for _, l := range leaves {
			if l.Keyed && l.Kind == oracle.Empty {
				t.Fatalf("an empty container under the key %q", l.Key)
			}
		}
		if err := rule.Prove(src, src, nil); err != nil {
			t.Fatal(err)
		}
	})
}

// No file asks for more memory or time than its bytes are worth.
func TestMemoryIsBoundedByTheFile(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	entities := "<!DOCTYPE resources [<!ENTITY a \"aaaaaaaaaa\">"
	for c := 'b'; c < 'z'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9))
		entities += fmt.Sprintf("<!ENTITY %c \"%s\">", c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
	}
	for _, c := range []struct {
		format, src string
		leaves      int // -1: refused
	}{
		{"structured-yaml", bomb, 9 + 24*9},
		{"android-xml", entities + "]>\n<resources><string name=\"k\">&y;</string></resources>", 1},
		{"structured-json", strings.Repeat("[", 1000) + strings.Repeat("]", 1000), 1},
		{"structured-json", strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), -1},
		{"structured-json", strings.Repeat("[", 5000) + strings.Repeat("1,", 10_000) + "1" + strings.Repeat("]", 5000),
			-1},
		{"structured-yaml", strings.Repeat("[", 50_000), -1},
		{"ios-strings", "k = " + strings.Repeat("(", 50_000) + strings.Repeat(")", 50_000) + ";", 1},
		{"android-xml", "<resources><string name=\"k\">" + strings.Repeat("<b>", 50_000) + strings.Repeat("</b>",
			50_000) + "</string></resources>", 1},
	} {
		leaves, err := oracle.Rule{Format: c.format}.Read([]byte(c.src))
		if (err != nil) != (c.leaves < 0) || err == nil && len(leaves) != c.leaves {
			t.Errorf("%s, %.40s: %d leaves, %v", c.format, c.src, len(leaves), err)
		}
	}
}

// FuzzProve: whatever both readers can read, one edit of it is proven.
func FuzzProve(f *testing.F) {
	for _, e := range edges(f) {
		if len(e.Bytes()) < 1000 {
			f.Add(e.rule.Format, e.Bytes(), uint8(0), false)
			f.Add(e.rule.Format, e.Bytes(), uint8(1), true)
		}
	}
	f.Add("structured-yaml", []byte("s:\n- a\n- b: 1\n  c: d\ns:\n- ak: x\nplain: oldword\n"), uint8(0), true)
	f.Fuzz(func(t *testing.T, format string, src []byte, which uint8, gone bool) {
		if _, ok := formats.Named(format); !ok || format == "locjson" {
			return
		}
		x, ok := parse(t, oracle.Rule{Format: format}, format, src)
		if !ok {
			return
		}
		if _, err := x.rule.Read(src); err != nil {
			return
		}
		var texts []resource.Entry
		for e := range x.Entries() {
			if e.Kind == resource.Text {
				texts = append(texts, e)
			}
		}
		if len(texts) == 0 {
			return
		}
		e := texts[int(which)%len(texts)]
		edit := resource.Edit{Op: resource.Set, Key: e.Key, Form: e.Form, Text: "new word"}
		if gone {
			edit = resource.Edit{Op: resource.Remove, Key: e.Key, Form: e.Form}
		}
		out, refused := x.Rewrite([]resource.Edit{edit}, nil)
		if len(refused) > 0 {
			return
		}
		if _, ok := parse(t, x.rule, format, out); !ok {
			return // the grammars' own tests look for that
		}
		if err := x.rule.Prove(src, out, changes([]resource.Edit{edit}, nil)); err != nil && !listTwice(x.Entries()) {
			t.Fatalf("%s, %+v: %v\n%q\n%q", format, edit, err, src, out)
		}
	})
}

// listTwice reports whether the items of one path do not come in their order: the file has a list twice, and an edit by
// which one of the two goes is refused.
func listTwice(entries iter.Seq[resource.Entry]) bool {
	last := make(map[string]int)
	for e := range entries {
		parts := strings.Split(e.Key, "/")
		for n, part := range parts {
			item, err := strconv.Atoi(part)
			if err != nil {
				continue
			}
			list := strings.Join(parts[:n], "/")
			if before, ok := last[list]; ok && (item < before || item == before && n == len(parts)-1) {
				return true
			}
			last[list] = item
		}
	}
	return false
}
