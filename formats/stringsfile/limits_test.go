package stringsfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

func TestLimits(t *testing.T) {
	nested := func(depth int, open, inner, end string) string { // containers with the file's own one
		return "k = " + strings.Repeat(open, depth-1) + inner + strings.Repeat(end, depth-1) + ";\nplain = oldword;\n"
	}
	for _, c := range []struct {
		name, src string
		refusal   string
	}{
		{"arrays at the limit", nested(resource.MaxDepth, "(", "", ")"), ""},
		{"arrays beyond it", nested(resource.MaxDepth+1, "(", "", ")"),
			"1:1004: more than 1000 containers inside one another"},
		{"dictionaries at the limit", nested(resource.MaxDepth, "{k=", "v", ";}"), ""},
		{"dictionaries beyond it", nested(resource.MaxDepth+1, "{k=", "v", ";}"),
			"1:3002: more than 1000 containers inside one another"},
		{"a hundred thousand open", "k = " + strings.Repeat("(", 100000),
			"1:1004: more than 1000 containers inside one another"},
		{"a key beyond the limit", `"` + strings.Repeat("k", resource.MaxName-1) + `" = "v";`,
			"1:1: a key of more than 64 KiB"},
		{"a value of 1 MB in many lines", `"k" = "` + strings.Repeat("long text 長い\n", 65000) + `";`, ""},
	} {
		f, err := resource.Parse(Grammar, resource.Keys{}, []byte(c.src))
		if c.refusal != "" {
			if err == nil || err.Error() != c.refusal {
				t.Errorf("%s: refused with %v, want %q", c.name, err, c.refusal)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		resourcetest.Check(t, resourcetest.Case{Grammar: Grammar, Src: f.Bytes()})
		agree(t, f)
	}
}

func TestRefusals(t *testing.T) {
	for src, want := range map[string]string{
		"\"k\" \"x\";":          "1:4: missing = or ; behind the key",
		"\"k\" = ;":             "1:7: ';' where a value should stand; put quotes around it",
		"\"k\" = ":              "1:7: the file ends where a value should stand",
		"k = x y;":              "1:6: missing ; behind the value",
		"k = é;":                "1:5: 'é' where a value should stand; put quotes around it",
		"{ k = x;":              "1:1: a brace that is not closed; close it with }",
		"k = x; }":              "1:8: a closing brace without an opening one",
		"{ k = x; } j = y;":     "1:12: something behind the closing brace; all entries stand inside",
		"k = (1 2);":            "1:8: missing , behind a value",
		"k = (1,, 2);":          "1:8: ',' where a value should stand; put quotes around it",
		"k = {x = y};":          "1:11: missing ; behind a value",
		"k = {x y;};":           "1:8: missing = or ; behind a key",
		"k = <0>;":              "1:7: data holds pairs of hexadecimal digits only",
		"k = <0g>;":             "1:7: data holds pairs of hexadecimal digits only",
		"k = <00":               "1:5: data that does not end; close it with >",
		"k = <*I5>;":            "1:6: data holds pairs of hexadecimal digits only",
		"k = x;\n\n/* c":        "3:1: a comment that does not end; close it with */",
		"k = (/*/);":            "1:6: a comment that does not end; close it with */",
		"\ufeff\ufeffk = x;":    "1:1: a second byte order mark; remove it",
		"k = \"a\x00b\";":       "1:7: a NUL character; this is not a text file, or the text needs \\U0000 there",
		"k = \"\xe9\";":         "1:6: not valid UTF-8",
		"\xff\xfe\x00\x00k\x00": "1:1: UTF-32, which Apple's tools do not read; save the file as UTF-8 or UTF-16",
		"<plist/>":              "1:1: XML where Apple's text format should be; convert it with plutil, or give the file the format it has",
		"(\"a\", \"b\")":        "1:1: '(' where a key should stand; put quotes around it",
		"\"k\" = \"x\";\r\"j\"": "2:4: missing = or ; behind the key",
	} {
		_, err := resource.Parse(Grammar, resource.Keys{}, []byte(src))
		if e, ok := err.(*resource.SyntaxError); !ok || e.Error() != want {
			t.Errorf("%q: refused with %v, want %q", src, err, want)
		}
	}
}

// Long keys, large texts, a million keys, and the depth that a value may have though it is no text.
func TestSizes(t *testing.T) {
	resourcetest.Long(t)
	s := resourcetest.Shapes{
		Grammar: Grammar, NameCost: 2,
		Entry: func(name, text string) string { return `"` + name + `" = "` + text + `";` },
		File:  func(entries []string) string { return strings.Join(entries, "\n") + "\n" },
		Deep:  func(n int) string { return "k = " + strings.Repeat("(", n-1) + "x" + strings.Repeat(")", n-1) + ";\n" },
	}
	s.Check(t)
	marked := s
	marked.Quick, marked.Entry = true, func(name, text string) string {
		return "'" + name + "'='" + text + "'; // note"
	}
	marked.File = func(entries []string) string { return "{\n\t" + strings.Join(entries, "\n\t") + "\n}" }
	t.Run("in braces", marked.Check)
}

// What a hostile file could make slow takes time in proportion to its size.
func TestNoQuadraticTime(t *testing.T) {
	resourcetest.Long(t)
	repeat := func(head, part, tail string) func(n int) []byte {
		return func(n int) []byte { return []byte(head + strings.Repeat(part, n) + tail) }
	}
	for name, input := range map[string]func(n int) []byte{
		"escapes before a far quote":  repeat(`k = "`, `\n`, `";`),
		"escaped quotes":              repeat(`k = "`, `\"`, `";`),
		"unclosed escapes":            repeat(`k = "`, `\"`, ""),
		"surrogates":                  repeat(`k = "`, `\Ud83d\Ude00`, `";`),
		"octal":                       repeat(`k = "`, `\376`, `";`),
		"backslashes between strings": repeat(`k = "\\";`, `'\'' = "\"";`, ""),
		"comments":                    repeat("", "/**/", "k;"),
		"comments behind an entry":    repeat("k;", "/**/", "\nj;"),
		"line comments":               repeat("", "//\n", "k;"),
		"comments above entries":      repeat("", "// a\n// b\n\n// c\nk;", ""),
		"blank lines":                 repeat("k;", "\n", "j;"),
		"line separators":             repeat("", "\u2028", "k;"),
		"semicolons in a comment":     repeat("/*", ";;;;", "*/ k;"),
		"one entry many times":        repeat("", `"k" = "x";`, ""),
		"entries on one line":         repeat("{", "k;/*c*/j;", "}"),
		"nested items":                repeat("k = (", "{a;},", ");"),
		"nested open":                 repeat("k = ", "(", ""),
		"data":                        repeat("k = <", "00 ", ">;"),
		"braces that close":           repeat("{k;", "}", ""),
		"nearly a second mark":        repeat("k;", "\ufeff", ""),
	} {
		resourcetest.LinearCase(t, name, resourcetest.Case{Grammar: Grammar}, input)
		resourcetest.LinearCase(t, name+" in UTF-16", resourcetest.Case{Grammar: Grammar},
			func(n int) []byte { return bigEndian.encode("", string(input(n))) })
	}
}

func TestThousandInserts(t *testing.T) {
	for _, src := range []string{"", "/* c */\n", "\"k\" = \"x\";\n", "{\n\t\"k\" = \"x\";\n}\n", "{k=x;}"} {
		f := parsed(t, src)
		var edits []resource.Edit
		for i := range 1000 {
			edits = append(edits, set(fmt.Sprintf("key %04d", i), fmt.Sprintf("text %d", i)))
		}
		out := rewritten(t, f, nil, edits...)
		g := parsed(t, string(out))
		if g.Len() != f.Len()+1000 {
			t.Fatalf("%q: %d entries", src, g.Len()-1)
		}
		for i, e := range edits {
			if at := f.Len() + i; g.Name(at) != e.Key || g.Text(at) != e.Text {
				t.Fatalf("%q: entry %d is %q", src, at, g.Name(at))
			}
			edits[i] = remove(e.Key)
		}
		if back := rewritten(t, g, nil, edits...); !bytes.Equal(back, []byte(src)) {
			t.Errorf("%q: removed again %q", src, back)
		}
	}
}

// Any text is encoded as unicode/utf16 does it, and decoded again.
func TestUTF16(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringN(8, 40, -1), rapid.StringMatching(`[a-z]{0,9}[é中😀]?[ -~]{0,20}`))
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		for _, o := range []struct {
			byteOrder
			order binary.AppendByteOrder
		}{{littleEndian, binary.LittleEndian}, {bigEndian, binary.BigEndian}} {
			want := []byte(o.mark)
			for _, unit := range utf16.Encode([]rune(s)) {
				want = o.order.AppendUint16(want, unit)
			}
			if got := o.encode(o.mark, s); !bytes.Equal(got, want) {
				t.Fatalf("%q is encoded to %q, want %q", s, got, want)
			}
			if back, _, err := o.decode(o.mark, want); err != nil || back != s {
				t.Fatalf("%q is decoded to %q, %v", s, back, err)
			}
		}
	})
}

// A file in UTF-16 without a mark that loses its first entry is still read as UTF-16; a list in ASCII never is.
func TestUnmarkedUTF16StaysReadable(t *testing.T) {
	for _, encoding := range []string{"utf-16le", "utf-16be"} {
		f, err := resource.Parse(Grammar, resource.Keys{}, encodings[encoding]("k;\u2029/* 中 */"))
		if err != nil {
			t.Fatal(err)
		}
		out := rewritten(t, f, nil, remove("k"))
		if want := encodings[encoding]("/* 中 */"); !bytes.Equal(out, want) {
			t.Errorf("%s: %q, want %q", encoding, out, want)
		}
	}
	_, err := resource.Parse(Grammar, resource.Keys{}, []byte("( a, b )"))
	if want := "1:1: '(' where a key should stand; put quotes around it"; err == nil || err.Error() != want {
		t.Errorf("a list: %v, want %s", err, want)
	}
}
