package watch

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

func TestFoldersThatCanHoldAMatch(t *testing.T) {
	for _, c := range []struct{ pattern, reaches, not string }{
		{"locales/en/*.json", " locales locales/en", "locales/de locales/en/x src"},
		{"locales/**/*.json", " locales locales/a locales/a/b", "src locales/node_modules locales/a/.git"},
		{"**/en.yaml", " a a/b a/b/c", "node_modules a/vendor a/build/b .git .git/refs"},
		{"vendor/**/en.yaml", " vendor vendor/a", "a vendor/build vendor/node_modules"},
		{"app/build/res/*.xml", " app app/build app/build/res", "app/dist build"},
		{"{a,b/c}/*.json", " a b b/c", "c b/d a/x"},
		{"{a/{x,y},b}/e.json", " a a/x a/y b", "a/z x"},
		{"{vendor,a}/*.json", " vendor a", "b"},
		{"[a-c]?/*.json", " ax b1", "a d1"},
		{`v\*/x.json`, " v*", "vv"},
		{"en.json", "", "a"},
		{"src/main/res/values-{de,pt-rBR}/**", " src src/main/res/values-de/x", "src/main/res/values-fr"},
	} {
		p, err := newPatterns([]string{c.pattern})
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range strings.Split(c.reaches, " ") {
			if !p.reaches(folder) {
				t.Errorf("%s: %q is left out", c.pattern, folder)
			}
		}
		for _, folder := range strings.Fields(c.not) {
			if p.reaches(folder) {
				t.Errorf("%s: %q is watched", c.pattern, folder)
			}
		}
	}
}

func TestBadPatterns(t *testing.T) {
	for _, bad := range []string{"[", "/abs/*.json", "{a"} {
		if _, err := newPatterns([]string{"ok", bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// Whatever file a pattern matches, every folder above it is watched, unless one has a pruned name.
func TestEveryFolderAboveAMatchIsWatched(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "b", "*", "**", "a*", "[ab]", "{a,b}",
		"{a/b,c}", "?", "{a,{b,c}}", "build"})
	name := rapid.SampledFrom([]string{"a", "b", "c", "ab", "build"})
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(append(rapid.SliceOfN(part, 0, 4).Draw(t, "pattern"), "*.json"), "/")
		file := strings.Join(append(rapid.SliceOfN(name, 0, 5).Draw(t, "folders"), "x.json"), "/")
		p, err := newPatterns([]string{pattern})
		if err != nil {
			t.Fatal(err)
		}
		if ok, _ := doublestar.Match(pattern, file); ok != p.match(file) {
			t.Fatalf("%s and %s: match is %v", pattern, file, !ok)
		} else if !ok || strings.Contains("/"+file, "/build/") {
			return
		}
		for folder := path.Dir(file); ; folder = path.Dir(folder) {
			if folder == "." {
				folder = ""
			}
			if !p.reaches(folder) {
				t.Fatalf("%s matches %s and does not reach %q", pattern, file, folder)
			}
			if folder == "" {
				return
			}
		}
	})
}

// Writing alternatives out changes nothing about what is matched.
func TestAlternativesAreTheSamePattern(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "*", "{a,b}", "{a/b,c}", "{a,{b,c/d}}", "x{,y}", "[{]"})
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "pattern"), "/")
		file := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "x", "xy", "{"}), 1,
			5).Draw(t, "file"), "/")
		want, err := doublestar.Match(pattern, file)
		if err != nil {
			t.Skip()
		}
		got := slices.ContainsFunc(alternatives(pattern),
			func(plain string) bool { return doublestar.MatchUnvalidated(plain, file) })
		if got != want {
			t.Fatalf("%s and %s: %v, written out as %q: %v", pattern, file, want, alternatives(pattern), got)
		}
	})
}

func TestPatternsWithTooManyAlternatives(t *testing.T) {
	p, err := newPatterns([]string{strings.Repeat("{a,b}", 12) + "/x.json"})
	if err != nil || !p.reaches("anything/at/all") {
		t.Errorf("got %v; beyond the bound everything is watched", err)
	}
}

func TestNamesOfEditors(t *testing.T) {
	for _, name := range []string{"app.json~", "4913", ".app.json.swp", ".app.json.swx", ".#app.json", "#app.json#",
		"app.json___jb_tmp___", "app.json___jb_old___", ".goutputstream-ABC123", "app.json.kate-swp"} {
		if !temporary(name) {
			t.Errorf("%s counts as a file that matters", name)
		}
	}
	for _, name := range []string{"app.json", ".app.json", "4913.json", "a~b.json", "swp"} {
		if temporary(name) {
			t.Errorf("%s counts as temporary", name)
		}
	}
}
