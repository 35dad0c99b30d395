package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// aProject is a [[project]] with a name.
func aProject(name string) string {
	return "[[project]]\nname = \"" + name + "\"\nrepository = \"" + name + "\"\nsource_language = \"en\"\n" +
		"target_languages = [\"de\"]\n[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\n"
}

// tree writes files below a new folder, and returns the path of locsync.toml in it.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, FileName)
}

func TestIncluded(t *testing.T) {
	file := tree(t, map[string]string{
		FileName:                "include = [\"projects/*.toml\", \"teams/*/locsync.toml\"]\n" + aProject("main"),
		"projects/b.toml":       strings.Replace(aProject("b"), "[[project.files]]", "[project.pull]\nsigning_key_file = \"key\"\n[project.pull.request]\ntoken_file = \"/token\"\n[[project.files]]", 1),
		"projects/a.toml":       aProject("a1") + aProject("a2"),
		"projects/.#a.toml":     "the lock of an editor",
		"projects/other.txt":    "something else",
		"teams/x/locsync.toml":  strings.Replace(aProject("x"), `"x"`+"\nsource", `"https://git.example.com/x.git"`+"\nsource", 1),
		"teams/x/projects.toml": "not matched",
	})
	c, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range c.Projects {
		where, err := filepath.Rel(filepath.Dir(file), p.File())
		if err != nil {
			t.Fatal(err)
		}
		repository := p.Repository
		if !p.Cloned() {
			if repository, err = filepath.Rel(filepath.Dir(file), c.Resolve(p.Repository)); err != nil {
				t.Fatal(err)
			}
		}
		got = append(got, p.Name+" of "+filepath.ToSlash(where)+" in "+filepath.ToSlash(repository))
	}
	want := "main of locsync.toml in main, a1 of projects/a.toml in projects/a1, a2 of projects/a.toml in projects/a2, " +
		"b of projects/b.toml in projects/b, x of teams/x/locsync.toml in https://git.example.com/x.git"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("got %s\nwant %s", text, want)
	}
	p := c.Project("b")
	if key := c.Resolve(p.Pull.SigningKeyFile); key != filepath.Join(filepath.Dir(file), "projects", "key") {
		t.Error(key)
	}
	if p.Pull.Request.TokenFile != "/token" {
		t.Error(p.Pull.Request.TokenFile)
	}
}

// Everything that is wrong in several files is told at once, each with its file, line and key.
func TestProblemsOfIncludedFiles(t *testing.T) {
	file := tree(t, map[string]string{
		FileName: "include = [\"projects/*.toml\", \"none/*.toml\", \"a/**/b\"]\n[daemon]\nlisten = 3\n" +
			aProject("twice"),
		"projects/1.toml": "[service]\nurl = \"embedded\"\n" + aProject("one") + "colour = \"red\"\n",
		"projects/2.toml": aProject("twice"),
		"projects/3.toml": "[[project\n",
		"projects/4.toml": "# nothing yet\n",
		"projects/5.toml": strings.Replace(aProject("five"), "repository = \"five\"", "repository = \"../twice\"", 1),
	})
	_, err := Load(file)
	problems, ok := errors.AsType[Problems](err)
	if !ok {
		t.Fatal(err)
	}
	want := []string{
		`locsync.toml:1: include: "none/*.toml" matches no file in a folder that is there`,
		`locsync.toml:1: include: "a/**/b" is not a pattern`,
		`locsync.toml:3: daemon.listen: must be a text`,
		`projects/1.toml:1: service: belongs to `,
		`projects/1.toml:11: project.files.colour: unknown key`,
		`projects/2.toml:2: project.name: "twice" is the name of another project too, on line 4 of `,
		`projects/3.toml:2:10: not valid TOML`,
		`projects/4.toml:1: project: there is no [[project]] in this file`,
		`projects/5.toml:8: project.files.output: "{LANGUAGE}.json": the [[project.files]] on line 9 of `,
	}
	for i, p := range problems {
		if got := filepath.ToSlash(p.Error()); i >= len(want) || !strings.Contains(got, want[i]) {
			t.Errorf("%d: %s", i, got)
		}
	}
	if len(problems) != len(want) {
		t.Errorf("%d problems, want %d", len(problems), len(want))
	}
}

// Where everything can be read a good pattern matches what filepath.Glob matches, whatever its parts are.
func TestMatchesAreThoseOfGlob(t *testing.T) {
	file := tree(t, map[string]string{FileName: "", "a/a": "", "a/b/a": "", "a/b/ab": "", "a/.h/a": "", "b/*": "",
		"b/[a]/x": "", "ab": "", "*": ""})
	dir := filepath.Dir(file)
	part := rapid.SampledFrom([]string{"a", "b", "ab", "x", "*", "?", "a*", "[ab]", "[^a]", `\*`, `\[a\]`, `\a`, ".h",
		"[", `\`, "[a", "locsync*"})
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "parts"), "/")
		if rapid.Bool().Draw(t, "absolute") {
			pattern = dir + "/" + pattern
		}
		want, werr := filepath.Glob(wholePattern(file, pattern))
		for i, path := range want {
			want[i] = filepath.Clean(path)
		}
		want = slices.DeleteFunc(want, func(path string) bool {
			return strings.HasPrefix(filepath.Base(path), ".") || path == file
		})
		got, err := matchFiles(file, pattern)
		slices.Sort(want)
		slices.Sort(got.Paths)
		if err == nil && (werr != nil || !slices.Equal(got.Paths, want)) ||
			err != nil && !errors.Is(err, filepath.ErrBadPattern) {
			t.Fatalf("%q: %q, %v, want %q, %v", pattern, got.Paths, err, want, werr)
		}
	})
}

// A pattern may match nothing only where its folder is empty: everything else may be a mistake, or a folder whose
// projects must not be dropped.
func TestPatternsWithoutFiles(t *testing.T) {
	file := tree(t, map[string]string{FileName: "", "empty/.keep": "", "empty/folder/.keep": "", "projects/app.toml": aProject("app"), "teams/x/.keep": ""})
	dir := filepath.Dir(file)
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Skip("no links here:", err)
	}
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o100); err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]string{
		"empty/*.toml":         "",
		"teams/*/*.toml":       "",
		"projects/*.toml":      "",
		"none/*.toml":          "matches no file in a folder that is there",
		"none/*/*.toml":        "matches no file in a folder that is there",
		"empty/app.toml":       "matches no file in a folder that is there",
		"projects/other.toml":  "matches no file in a folder that is there",
		"teams/*/locsync.toml": "matches no file in a folder that is there",
		"projects/*.tmol":      "matches no file, also not " + filepath.Join(dir, "projects", "app.toml"),
		"projects/app.toml/*":  "matches no file in a folder that is there",
		"loop/*.toml":          "cannot be read: ",
		"loop/x/*.toml":        "cannot be read: ",
		"loop/*/*.toml":        "cannot be read: ",
		"loop/app.toml":        "cannot be read: ",
		"closed/*.toml":        "cannot be read: ",
	} {
		if pattern == "closed/*.toml" && os.Geteuid() == 0 {
			want = "" // root reads everything
		}
		if err := os.WriteFile(file, []byte(fmt.Sprintf("include = [%q]\n", pattern)), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Load(file)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}

// A file that is not included for sure is not followed where a text alone is read.
func TestParseIncludesNothing(t *testing.T) {
	ps := problemsOf(t, "include = [\"projects/*.toml\"]\n"+smallest)
	if len(ps) != 1 || ps[0].Key != "include" {
		t.Errorf("got %v", ps)
	}
}

func TestOwnerOfIncludedFile(t *testing.T) {
	file := tree(t, map[string]string{FileName: "include = [\"p/*.toml\"]\n", "p/a.toml": aProject("a")})
	if err := os.Chown(filepath.Join(filepath.Dir(file), "p/a.toml"), 12345, 12345); err != nil {
		t.Skip("only root makes files of others:", err)
	}
	if _, err := Load(file); os.Geteuid() == 0 && os.Getenv("SUDO_UID") == "" && !errors.Is(err, ErrOwner) {
		t.Errorf("got %v", err)
	}
	if _, err := Load(file, Accept(func(string) bool { return true })); err != nil {
		t.Error(err)
	}
}

// Watched notices every file that is written, comes or goes, also by a pattern that is new, and nothing else.
func TestWatched(t *testing.T) {
	file := tree(t, map[string]string{FileName: aProject("main"), "p/a.toml": aProject("a")})
	dir := filepath.Dir(file)
	w := Watch(file)
	at := time.Now()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Second)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	changed := func(what string, want bool) {
		t.Helper()
		if w.Changed() != want || w.Changed() {
			t.Errorf("%s: is not noticed as it is to be, or twice", what)
		}
	}
	changed("nothing", false)
	write("p/a.toml", "# not included")
	changed("a file that is not included", false)
	write(FileName, "include = [\"p/*.toml\"]\n"+aProject("main"))
	changed("the main file", true)
	write("p/a.toml", aProject("a"))
	changed("an included file", true)
	write("p/b.toml", aProject("b"))
	changed("a new file", true)
	if err := os.Remove(filepath.Join(dir, "p/a.toml")); err != nil {
		t.Fatal(err)
	}
	changed("a file that went", true)
	write(FileName, "include = [\"p/")
	changed("a main file that cannot be read", true)
	write("p/b.toml", aProject("c"))
	changed("an included file meanwhile", false)
}

// A folder that cannot be read is noticed, and its projects are not dropped.
func TestWatchedFolderBreaks(t *testing.T) {
	file := tree(t, map[string]string{FileName: "include = [\"p/*.toml\"]\n", "p/.keep": ""})
	folder := filepath.Join(filepath.Dir(file), "p")
	w := Watch(file)
	if err := errors.Join(os.Rename(folder, folder+"q"), os.Symlink("p", folder)); err != nil {
		t.Skip("no links here:", err)
	}
	if !w.Changed() || w.Changed() {
		t.Error("a folder that cannot be read is not noticed, or twice")
	}
	if _, err := Load(file); err == nil {
		t.Error("it counts as empty")
	}
	if err := errors.Join(os.Remove(folder), os.Rename(folder+"q", folder)); err != nil {
		t.Fatal(err)
	}
	if !w.Changed() {
		t.Error("it is not noticed that the folder can be read again")
	}
	if _, err := Load(file); err != nil {
		t.Error(err)
	}
}

func TestNoProjectOfNone(t *testing.T) {
	if text := new(Config).NoProject("app").Error(); !strings.Contains(text, "no project is configured yet; locsync project add") {
		t.Error(text)
	}
}

func TestNoProjectOfMany(t *testing.T) {
	c, err := Load(manyProjects(t, 100))
	if err != nil {
		t.Fatal(err)
	}
	if text := c.NoProject("another").Error(); !strings.HasSuffix(text, "p00018, p00019 and 80 more") {
		t.Error(text)
	}
}
