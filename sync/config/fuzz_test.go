package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		if strings.Count(err.Error(), "\n") > 10*mostTold {
			t.Fatalf("%d lines are told", strings.Count(err.Error(), "\n"))
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
