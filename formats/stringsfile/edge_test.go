package stringsfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// Each edge case keeps its expectation, the text of k, and every byte but those of the one word that is set; what its
// row says about the right behaviour beyond that is in quirks.
func TestEdges(t *testing.T) {
	edges := resourcetest.Edges(t)
	if len(edges) < 41 {
		t.Fatalf("%d edge cases, want all 41", len(edges))
	}
	seen := make(map[string]bool)
	for _, e := range edges {
		t.Run(e.File, func(t *testing.T) {
			name := strings.TrimSuffix(e.File, ".strings")
			seen[name] = true
			f, err := resource.Parse(Grammar, resource.Keys{}, e.Src)
			if e.Expect == "refuse" || e.File == "utf16-lone.strings" {
				refused(t, e, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			check(t, e.Src)
			agree(t, f)
			if e.Value != "" {
				var want string
				if err := json.Unmarshal([]byte(e.Value), &want); err != nil {
					t.Fatal(err)
				}
				if got, _ := f.Lookup("k", ""); got.Text != want {
					t.Errorf("k is %q, want %q", got.Text, want)
				}
			}
			for _, as := range encodings { // also where the file has another encoding
				if old := as("oldword"); bytes.Contains(e.Src, old) {
					want := bytes.Replace(e.Src, old, as("newword"), 1)
					if got := rewritten(t, f, nil, set("plain", "newword")); string(got) != string(want) {
						t.Errorf("set plain:\n%q, want\n%q", got, want)
					}
				}
			}
			if q := quirks[name]; q != nil {
				q(t, f)
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(quirks)) {
		if !seen[name] {
			t.Errorf("no edge case %s", name)
		}
	}
}

var refusals = map[string]string{
	"missing-semicolon.strings": "1:10: missing ; behind the value",
	"unterminated.strings":      "2:2: missing ; behind the value, unless a quote is missing: it began 1 lines above",
	"open-comment.strings":      "1:1: a comment that does not end; close it with */",
	"utf16-odd.strings":         "4:1: UTF-16 with an odd number of bytes: part of the file is missing or too much",
	"utf16-lone.strings":        "1:8: half a surrogate pair, which is not a character; remove it in an editor that shows it",
	"xml-plist.strings":         "1:1: XML where Apple's text format should be; convert it with plutil, or give the file the format it has",
	"binary-plist.strings":      "1:1: a compiled property list, which is not a text; keep the .strings text that it was made from, or convert it with plutil",
}

func refused(t *testing.T, e resourcetest.Edge, err error) {
	t.Helper()
	if err == nil || err.Error() != refusals[e.File] {
		t.Errorf("refused with %q, want %q", err, refusals[e.File])
	}
	if err != nil && !strings.Contains(err.Error(), ":") {
		t.Errorf("no place in %q", err)
	}
}

func set(key, text string) resource.Edit {
	return resource.Edit{Op: resource.Set, Key: key, Text: text}
}

func remove(key string) resource.Edit { return resource.Edit{Op: resource.Remove, Key: key} }

func rewritten(t testing.TB, f, like *resource.File, edits ...resource.Edit) []byte {
	t.Helper()
	out, refused := f.Rewrite(edits, like)
	if len(refused) > 0 {
		t.Fatal(refused)
	}
	return out
}

func entry(t testing.TB, f *resource.File, key string) resource.Entry {
	t.Helper()
	e, ok := f.Lookup(key, "")
	if !ok {
		t.Fatalf("no entry %q", key)
	}
	return e
}

func noted(want string) func(*testing.T, *resource.File) {
	return func(t *testing.T, f *resource.File) {
		if got := entry(t, f, "k").Note; got != want {
			t.Errorf("the note of k is %q, want %q", got, want)
		}
	}
}

// becomes checks the whole text after edits.
func becomes(want string, edits ...resource.Edit) func(*testing.T, *resource.File) {
	return func(t *testing.T, f *resource.File) {
		g, err := resource.Parse(Grammar, resource.Keys{}, rewritten(t, f, nil, edits...))
		if err != nil {
			t.Fatal(err)
		}
		if g.Source() != want {
			t.Errorf("becomes\n%q, want\n%q", g.Source(), want)
		}
	}
}

func all(checks ...func(*testing.T, *resource.File)) func(*testing.T, *resource.File) {
	return func(t *testing.T, f *resource.File) {
		for _, c := range checks {
			c(t, f)
		}
	}
}

func entries(want ...string) func(*testing.T, *resource.File) {
	return func(t *testing.T, f *resource.File) {
		var got []string
		for e := range f.Entries() {
			got = append(got, fmt.Sprintf("%s=%s/%d", e.Key, e.Text, e.Kind))
		}
		if !slices.Equal(got, want) {
			t.Errorf("entries %q, want %q", got, want)
		}
	}
}

func warns(part string) func(*testing.T, *resource.File) {
	return func(t *testing.T, f *resource.File) {
		w := f.Warnings()
		if len(w) != 1 || !strings.Contains(w[0].Msg, part) || f.Name(w[0].Node) != "k" {
			t.Errorf("warnings %v, want one of %q on k", w, part)
		}
	}
}

func keepsEncoding(head string, as func(string) []byte) func(*testing.T, *resource.File) {
	return func(t *testing.T, f *resource.File) {
		out := rewritten(t, f, nil, set("k", "א😀"), set("n", "new"), remove("plain"))
		if want := as("/* c */\n\"k\" = \"א😀\";\n\"n\" = \"new\";\n"); string(out) != string(want) ||
			!strings.HasPrefix(string(out), head) {
			t.Errorf("becomes %q, want %q", out, want)
		}
	}
}

var quirks = map[string]func(*testing.T, *resource.File){
	"simple": all(noted("c"), becomes("\"plain\" = \"oldword\";\n", remove("k"))),
	"line-comment-tail": all(noted("tail"), becomes("\"j\" = \"y\"; // tail 2\n\"plain\" = \"oldword\";\n",
		remove("k"))),
	"block-comment-tail": all(noted("tail"), becomes("\"plain\" = \"oldword\";\n", remove("k"))),
	"comment-in-gaps": all(noted("d"),
		becomes("\"k\" /* a */ = /* b */ \"z\" /* c */ ; // d\n\"plain\" = \"oldword\";\n", set("k", "z"))),
	"nested-comment":     noted("a /* b"),
	"comment-like-value": noted(""),
	"unquoted": all(
		becomes("k = y/2;\nkey_2.a-b/c = \"y z\";\n\"plain\" = \"oldword\";\n", set("k", "y/2")),
		becomes("k = \"two words\";\nkey_2.a-b/c = \"y\";\n\"plain\" = \"oldword\";\n",
			set("k", "two words"), set("key_2.a-b/c", "y"))),
	"single-quoted":     becomes("'k' = 'don\\'t \"say\"';\n\"plain\" = \"oldword\";\n", set("k", `don't "say"`)),
	"key-only":          becomes("\"k\" = \"text\";\n\"plain\" = \"oldword\";\n", set("k", "text")),
	"escapes":           becomes("\"k\" = \"a\\nb\\\\ c\\'d\";\n\"plain\" = \"oldword\";\n", set("k", "a\nb\\ c'd")),
	"u-escape":          becomes("\"k\" = \"x\\U00e9\\Ud83d\\Ude00\";\n\"plain\" = \"oldword\";\n", set("k", "xé😀")),
	"u-escape-small":    all(entries("k=u00e9/1", "plain=oldword/1"), warns(`\u`)),
	"backslash-newline": becomes("\"k\" = \"c\\\nd\\te\";\n\"plain\" = \"oldword\";\n", set("k", "c\nd\te")),
	"octal":             becomes("\"k\" = \"B\\n\";\n\"plain\" = \"oldword\";\n", set("k", "B\n")),
	"multi-line":        becomes("\"k\" = \"one\ntwo\\r\";\n\"plain\" = \"oldword\";\n", set("k", "one\ntwo\r")),
	"no-space": all(
		becomes("\"k\"=\"x\";\"j\"=\"y\";\n\"plain\" = \"oldword\";\n\"n\" = \"new\";\n", set("n", "new")),
		becomes("\"j\"=\"y\";\n\"plain\" = \"oldword\";\n", remove("k")),
		becomes("\"k\"=\"x\";\n\"plain\" = \"oldword\";\n", remove("j"))),
	"odd-space": becomes("  \"k\"   =\n\t\"x y\"  ;\n\"plain\" = \"oldword\";\n", set("k", "x y")),
	"blank-lines": all(
		becomes("\n\n\"k\" = \"x\";\n\n\n\"plain\" = \"oldword\";\n\n\n\"n\" = \"new\";\n", set("n", "new")),
		becomes("\n\n\"plain\" = \"oldword\";\n", remove("k"))),
	"dup-keys": func(t *testing.T, f *resource.File) {
		entries("k=one/1", "k=two/1", "plain=oldword/1")(t, f)
		if d := f.Duplicates(); len(d) != 1 || d[0] != [2]int{1, 2} {
			t.Errorf("duplicates %v", d)
		}
		becomes("\"k\" = \"one\";\n\"k\" = \"2\";\n\"plain\" = \"oldword\";\n", set("k", "2"))(t, f)
		becomes("\"plain\" = \"oldword\";\n", remove("k"))(t, f)
	},
	"empty-value": all(entries("k=/1", "plain=oldword/1"),
		becomes("\"k\" = \"x\";\n\"plain\" = \"oldword\";\n", set("k", "x"))),
	"braces": all(
		becomes("{\n\"k\" = \"x\";\n\"plain\" = \"oldword\";\n\"n\" = \"new\";\n}\n", set("n", "new")),
		becomes("{\n}\n", remove("k"), remove("plain"))),
	"nested-values": all(entries("a=/3", "d=/3", "k=x/1", "plain=oldword/1"),
		becomes("\"a\" = (1, 2);\n\"k\" = \"x\";\n\"plain\" = \"oldword\";\n", remove("d"))),
	"placeholders":  entries("k %@ %1$d=%1$@ %%/1", "plain=oldword/1"),
	"emoji":         becomes("\"k\" = \"א😀\";\n\"plain\" = \"oldword\";\n", set("k", "א😀")),
	"utf8-bom":      keepsEncoding(utf8Mark, encodings["utf-8 marked"]),
	"utf16le-bom":   keepsEncoding("\xff\xfe/\x00", encodings["utf-16le marked"]),
	"utf16be-bom":   keepsEncoding("\xfe\xff\x00/", encodings["utf-16be marked"]),
	"utf16le-nobom": keepsEncoding("/\x00", encodings["utf-16le"]),
	"crlf": becomes("/* c */\r\n\"k\" = \"é😀\";\r\n\"plain\" = \"oldword\";\r\n\"n\" = \"new\";\r\n",
		set("n", "new")),
	"cr-only": becomes("/* c */\r\"k\" = \"é😀\";\r\"plain\" = \"oldword\";\r\"n\" = \"new\";\r", set("n", "new")),
	"no-final-newline": becomes("/* c */\n\"k\" = \"é😀\";\n\"plain\" = \"oldword\";\n\"n\" = \"new\";",
		set("n", "new")),
	"empty-file":   all(entries(), becomes("\"n\" = \"new\";\n", set("n", "new"))),
	"only-comment": all(entries(), becomes("/* nothing here */\n\n\"n\" = \"new\";\n", set("n", "new"))),
}
