package position

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// Every value that the TOML library reads has a line of its own in ours, with its key on it.
func FuzzLines(f *testing.F) {
	files, _ := filepath.Glob("../testdata/*.toml")
	for _, file := range append(files, "../../../config.example.toml") {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	for _, text := range []string{
		"a.b.c = 1\n[a.x]\ny = [ # comment\n 1,\n 2\n]\n",
		"[[a]]\n[[a.b]]\nx=1\n[[a.b]]\n[a.b.c]\ny=2\n[[a]]\n[a.b]\nz=3",
		"a = \"\"\"\n[x]\ny = 1\n\"\"\"\nb = '''\nc = 1'''\nd = \"\\\"#\\\\\" # e = 1\nf = '#'\n",
		"a = {b = [{c = 1}, {d = {e = 2}}], \"f.g\" = 3}\nt = 1979-05-27 07:32:00\n\"h i\" = 1\n\"\" = 2\n",
		"\ufeffa = 1\r\n[b]\r\nc = \"\"\"\"x\"\"\"\"\r\nd = ''''x''''\r\n",
		"a = [\n  # only a comment\n]\nb = [[], [1], [[2]]]\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := Scan(text) // also on what is not TOML: it must end
		lines := d.Lines
		var tree map[string]any
		if len(text) > 1<<16 || d.TooMuch != "" || toml.Unmarshal([]byte(text), &tree) != nil {
			return
		}
		source := strings.Split(text, "\n")
		walk("", tree, func(path, key string) {
			line, ok := lines[path]
			if !ok {
				t.Fatalf("%s has no line in %q: %v", path, text, lines)
			}
			if key != "" && isPlainKey(key) && !strings.Contains(source[line-1], key) && !strings.Contains(source[line-1], `\`) {
				t.Fatalf("%s is said to stand on line %d of %q", path, line, text)
			}
		})
	})
}

func isPlainKey(key string) bool { return !strings.HasPrefix(Key(key), `"`) }

func walk(path string, v any, visit func(path, key string)) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			at := Join(path, Key(key))
			visit(at, key)
			walk(at, inner, visit)
		}
	case []map[string]any:
		for i, inner := range v {
			at := path + "[" + strconv.Itoa(i) + "]"
			visit(at, "")
			walk(at, inner, visit)
		}
	case []any:
		for i, inner := range v {
			at := path + "[" + strconv.Itoa(i) + "]"
			visit(at, "")
			walk(at, inner, visit)
		}
	}
}
