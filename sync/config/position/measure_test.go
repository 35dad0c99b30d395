package position

import (
	"os"
	"strings"
	"testing"
)

func TestTooMuch(t *testing.T) {
	example, err := os.ReadFile("../../../config.example.toml")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		src  string
		line int // 0: it is not too much
	}{
		"the example":   {string(example), 0},
		"nested":        {"a = 1\nx = " + strings.Repeat("[", 33) + strings.Repeat("]", 33), 2},
		"nested enough": {"x = " + strings.Repeat("[", 32) + strings.Repeat("]", 32), 0},
		"tables":        {"x = " + strings.Repeat("{a=", 33) + "1" + strings.Repeat("}", 33), 1},
		"a long key":    {"\n\n" + strings.Repeat("a.", 32) + "a = 1", 3},
		"a long header": {"[" + strings.Repeat("a.", 32) + "a]", 1},
		"many floats":   {"x = [" + strings.Repeat("1.5, ", 1000) + "]", 0},
		"many keys":     {strings.Repeat("a = 1\n", mostParts+1), mostParts + 1},
		"long paths": {"[" + strings.Repeat("a", 500) + "." + strings.Repeat("b", 492) + "]\nkeys = 1\nlong_key = 2\n",
			3},
		"many elements":   {"x = [" + strings.Repeat("1,\n", mostParts+1) + "]", mostParts - 1},
		"a text":          {`x = "` + strings.Repeat(`[.\"`, 1000) + `"`, 0},
		"a literal text":  {`x = '` + strings.Repeat(`[.\`, 1000) + `'`, 0},
		"a long text":     {"x = \"\"\"\n" + strings.Repeat("[\n", 1000) + "\"\"\"\ny = " + strings.Repeat("[", 33), 1003},
		"a comment":       {"# " + strings.Repeat("[.", 1000) + "\n", 0},
		"an open text":    {"x = \"abc\ny = " + strings.Repeat("[", 33), 2},
		"an escaped text": {`x = "\\"` + "\ny = " + strings.Repeat("[", 33), 2},
	} {
		if d := Scan(c.src); d.Line != c.line || (d.TooMuch == "") != (c.line == 0) {
			t.Errorf("%s: line %d, %q", name, d.Line, d.TooMuch)
		}
	}
}

// The measuring ends.
func FuzzTooMuch(f *testing.F) {
	f.Add("x = [[1, {a.b = \"\\\"\"}]] # [\n'''")
	f.Fuzz(func(t *testing.T, src string) {
		if d := Scan(src); (d.TooMuch == "") != (d.Line == 0) || d.Line > 1+strings.Count(src, "\n") {
			t.Errorf("line %d, %q", d.Line, d.TooMuch)
		}
	})
}
