package config

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// Whatever the bytes, Parse ends and does not panic, and each problem has a line of the file.
func FuzzParse(f *testing.F) {
	f.Add([]byte(smallest))
	for _, pattern := range []string{"testdata/*.toml", exampleFile} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Add([]byte("project = [{name = 'a', files = [{source='x', output = 1}]},\n{pull = {schedule = '@every 1s'}}]"))
	f.Add([]byte("service.url = \"\"\"x\\\n y\"\"\"\n'daemon' . \"li\\u0073ten\" = '''\n''''\nproject = [1, [2, {a=1}]]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("x.toml", data)
		if err == nil {
			checkWhole(t, c)
			return
		}
		ps, ok := errors.AsType[Problems](err)
		if !ok || len(ps) == 0 {
			t.Fatalf("got %v", err)
		}
		count := strings.Count(string(data), "\n") + 2
		for i, p := range ps {
			if p.Line < 1 || p.Line > count || p.File != "x.toml" || p.Message == "" {
				t.Fatalf("%+v lacks its place in %d lines", p, count)
			}
			if i > 0 && ps[i-1].Line > p.Line {
				t.Fatalf("%v comes before %v", ps[i-1], p)
			}
		}
	})
}

// checkWhole asserts what other packages rely on in a configuration that was accepted.
func checkWhole(t *testing.T, c *Config) {
	if len(c.Projects) == 0 || c.Service.RequestsPerSecond <= 0 {
		t.Fatalf("%+v is not whole", c)
	}
	for _, p := range c.Projects {
		if p.Name == "" || p.Pull.Schedule.IsZero() || len(p.Files) == 0 || len(p.Targets()) == 0 {
			t.Fatalf("%+v is not whole", p)
		}
		for i := range p.Files {
			f := &p.Files[i]
			s, ok := f.sample()
			if f.Template().IsZero() || f.Format == "" || !ok {
				continue
			}
			seen := map[string]bool{}
			for _, l := range p.Targets() {
				path := f.Template().For(s).Path(l, "x")
				if UnsafePath(path) != "" || seen[Fold(path)] {
					t.Fatalf("%s yields %s", f.Output, path)
				}
				seen[Fold(path)] = true
			}
		}
	}
}

// Every value that the TOML library reads has a line of its own in ours, and its key stands there.
func FuzzLines(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.toml")
	for _, file := range append(files, exampleFile) {
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
		lines := scanLines(text) // also on what is not TOML: it must end
		var tree map[string]any
		if len(text) > 1<<16 || toml.Unmarshal([]byte(text), &tree) != nil {
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

func isPlainKey(key string) bool { return !strings.HasPrefix(pathKey(key), `"`) }

func walk(path string, v any, visit func(path, key string)) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			at := join(path, pathKey(key))
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

// A template is read without a panic, and one that is accepted yields, for any source, a path that is
// either safe or named as unsafe.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"locales/{LANGUAGE}/{NAME}.json", "{DIR}/values-{LOCALE:ANDROID}/{NAME}.{EXT}", "{LABEL:file}", "../{LANGUAGE}", "{", "}{"} {
		f.Add(text, "a", "json", "x/y", "main.json")
	}
	f.Fuzz(func(t *testing.T, text, name, ext, dir, labelText string) {
		tm, err := ParseTemplate(text)
		if err != nil {
			return
		}
		if tm.String() != text {
			t.Fatalf("%q reads as %q", text, tm.String())
		}
		filled := tm.For(Source{Name: name, Ext: ext, Dir: dir})
		if filled.HasSource() {
			t.Fatalf("%q leaves placeholders of the source", text)
		}
		entry := filled.Entry(someLanguages[1], labelText)
		if l, matched, ok := filled.Match(entry, someLanguages); ok {
			path := filled.Path(l, matched)
			if filled.HasLabel() && (UnsafePath(path) != "" || strings.Contains("/"+matched, "/.")) {
				t.Fatalf("%q lets %q through", text, path)
			}
		}
		tm.Glob(someLanguages[2])
	})
}
