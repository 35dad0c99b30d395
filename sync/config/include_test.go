package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
		`locsync.toml:1: include: "none/*.toml" names no folder`,
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

func TestNoProjectOfMany(t *testing.T) {
	c, err := Load(manyProjects(t, 100))
	if err != nil {
		t.Fatal(err)
	}
	if text := c.NoProject("another").Error(); !strings.HasSuffix(text, "p00018, p00019 and 80 more") {
		t.Error(text)
	}
}
