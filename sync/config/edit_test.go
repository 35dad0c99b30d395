package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func addition(name string) Addition {
	return Addition{Name: name, Repository: "https://git.example.com/" + name + ".git", SourceLanguage: "en",
		TargetLanguages: []string{"de", "pt-BR"}, Files: []AdditionFiles{{Source: "l/en.json", Output: "l/{LANGUAGE}.json"}}}
}

func written(t interface{ Fatal(...any) }, e Edit) {
	var err error
	if e.Text == nil {
		err = os.Remove(e.File)
	} else if err = os.MkdirAll(filepath.Dir(e.File), 0o755); err == nil {
		err = os.WriteFile(e.File, e.Text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What is added and removed again leaves every byte as it was, whatever is around it.
func TestAddAndRemoveAreOpposites(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, FileName)
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end of lines")
		text := rapid.SampledFrom([]string{"", "# Ours.\n", "# Ours.\n\nstate_dir = \"s\" # there\n", "\ufeff"}).Draw(t, "head")
		count := rapid.IntRange(1, 4).Draw(t, "projects")
		for i := range count {
			text += rapid.SampledFrom([]string{"", "\n", "\n\n", "# about the next\n", "\n# about the next\n# two lines\n"}).Draw(t,
				"before")
			text += aProject(fmt.Sprint("p", i))
			text += rapid.SampledFrom([]string{"", "labels = [\n  \"a\", # one\n]\n", "[project.pull]\nguard = 1\n",
				"[project.pull]\ncommit_message = \"\"\"\n[[project]]\n# no table\n\"\"\"\n"}).Draw(t, "more")
		}
		text = strings.ReplaceAll(text+rapid.SampledFrom([]string{"", "\n", "\n# vim: ft=toml\n"}).Draw(t, "tail"), "\n", end)
		written(t, Edit{File: file, Text: []byte(text)})
		added, c, err := Add(file, addition("new"))
		if err != nil {
			t.Fatal(err)
		}
		if added.File != file || !strings.HasPrefix(string(added.Text), text) || c.Project("new") == nil {
			t.Fatalf("%q became %q", text, added.Text)
		}
		written(t, added)
		removed, c, err := Remove(file, "new")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimRight(string(removed.Text), "\r\n"); got != strings.TrimRight(text, "\r\n") ||
			c.Project("new") != nil {
			t.Fatalf("%q became %q", text, removed.Text)
		}
		text = string(removed.Text)
		written(t, removed)
		gone := fmt.Sprint("p", rapid.IntRange(0, count-1).Draw(t, "gone"))
		removed, c, err = Remove(file, gone)
		if count == 1 {
			if err == nil {
				t.Fatal("a configuration without projects is valid")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.Project(gone) != nil || len(c.Projects) != count-1 {
			t.Fatalf("%d projects are left", len(c.Projects))
		}
		text = strings.TrimPrefix(text, "\ufeff")
		rest := strings.TrimPrefix(string(removed.Text), "\ufeff") // every line of it was there, in this order
		at := text
		for line := range strings.Lines(rest) {
			_, after, found := strings.Cut(at, line)
			if !found {
				t.Fatalf("%q is not in %q", line, text)
			}
			at = after
		}
		if strings.Count(text, "vim:") != strings.Count(rest, "vim:") || strings.Count(text, "# Ours") != strings.Count(rest, "# Ours") {
			t.Fatalf("a comment of the file is lost: %q", rest)
		}
	})
}

// With include a project has a file of its own, whose name the pattern matches; its repository is relative to it.
func TestAddBelowInclude(t *testing.T) {
	file := tree(t, map[string]string{FileName: "include = [\"*/x.toml\", \"projects/locsync-*.toml\"]\n" + aProject("main"),
		"a/x.toml": aProject("x")})
	t.Chdir(filepath.Dir(file))
	a := addition("Team A/app: web")
	a.Repository = "checkouts/app"
	added, c, err := Add(file, a)
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(filepath.Dir(file), "projects", "locsync-Team-A-app--web.toml")
	if added.File != own || !added.New || c.Project(a.Name) == nil ||
		c.Resolve(c.Project(a.Name).Repository) != filepath.Join(filepath.Dir(file), "checkouts/app") {
		t.Errorf("got %+v", added)
	}
	written(t, added)
	if _, _, err := Add(file, a); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("got %v", err)
	}
	if _, _, err := Add(file, addition("main")); err == nil || !strings.Contains(err.Error(), "another project") {
		t.Errorf("got %v", err)
	}
	removed, _, err := Remove(file, "x")
	if err == nil || !strings.Contains(err.Error(), "matches no file") {
		t.Errorf("the last file of a pattern: %+v, %v", removed, err)
	}
	if _, _, err := Remove(file, "mian"); err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("got %v", err)
	}
}

// Tables of a project that are apart are left to people.
func TestRemoveOfScatteredTables(t *testing.T) {
	file := tree(t, map[string]string{FileName: aProject("a") + "[daemon]\nlisten = \"\"\n[project.pull]\nguard = 1\n" +
		aProject("b")})
	if removed, _, err := Remove(file, "a"); err == nil || !strings.Contains(err.Error(), "by hand") {
		t.Errorf("%q, %v", removed.Text, err)
	}
	if removed, _, err := Remove(file, "b"); err != nil || strings.Contains(string(removed.Text), `"b"`) {
		t.Errorf("%q, %v", removed.Text, err)
	}
}
