package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What [project.check] may say, and what is in a file of terms.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"terms.toml": "keep = [\"GitHub\"]\n[de]\n\"pull request\" = \"Pull-Request|Merge-Request\"\n",
		"terms.csv":  "term,de,fr\nGitHub,,\npull request,Pull-Request|Merge-Request,\n",
		"bad.csv":    "word,de\n", "bad.toml": "keep = 1\n", "bad.txt": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed := func(check string) (*Config, error) {
		return Parse(filepath.Join(dir, "locsync.toml"), []byte("[[project]]\nname = \"app\"\nsource_language = \"en\"\n"+
			"target_languages = [\"de\"]\n[project.check]\n"+check+"\n[[project.files]]\nsource = \"en.json\"\n"+
			"output = \"{LANGUAGE}.json\"\n"))
	}
	for _, name := range []string{"terms.toml", "terms.csv"} {
		c, err := parsed("url = \"warning\"\nsame = \"off\"\nterms = \"" + name + "\"")
		if err != nil {
			t.Fatal(err)
		}
		check := &c.Projects[0].Check
		words := check.Words()
		if check.Level("url") != "warning" || check.Level("same") != "off" || check.Level("ends") != "warning" ||
			strings.Join(words.Keep, " ") != "GitHub" ||
			strings.Join(words.Translate["de"]["pull request"], " ") != "Pull-Request Merge-Request" {
			t.Errorf("%s: %+v, %+v", name, check, words)
		}
	}
	for check, want := range map[string]string{
		`url = "warn"`:         "did you mean warning?",
		`uri = "off"`:          "url",
		`terms = "none.csv"`:   "no such file",
		`terms = "bad.csv"`:    "the first line",
		`terms = "bad.toml"`:   "neither keep",
		`terms = "bad.txt"`:    "must end in",
		`ends = true`:          "ends",
		`length = "error-ish"`: "is not allowed",

		`paths = { "a/**" = { same = "loud" } }`: "is not allowed",
		`paths = { "a/**" = { sama = "off" } }`:  "did you mean same?",
		`paths = { "a/**" = { terms = "off" } }`: "is not allowed",
		`paths = { "a/[" = { same = "off" } }`:   "is not a pattern",
		`paths = { "a/**" = "off" }`:             "a table of texts",
		`paths = "off"`:                          "a table of tables",
	} {
		if _, err := parsed(check); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", check, err, want)
		}
	}
}

// Of patterns that match the path of a file or of its source, the longest decides a kind's level.
func TestCheckPaths(t *testing.T) {
	c, err := Parse("locsync.toml", []byte("[[project]]\nname = \"app\"\nsource_language = \"en\"\n"+
		"target_languages = [\"de\"]\n[project.check]\nends = \"error\"\n[project.check.paths]\n"+
		"\"old/**\" = { same = \"off\", ends = \"warning\" }\n\"old/legal/*\" = { same = \"error\" }\n"+
		"[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	check := &c.Projects[0].Check
	for _, of := range []struct{ path, same, ends string }{
		{"de.json", "warning", "error"}, {"old/de.json", "off", "warning"}, {"old/legal/de.json", "error", "warning"},
		{"old/legal/a/de.json", "off", "warning"},
	} {
		if same, ends := check.LevelAt("same", "en.json", of.path), check.LevelAt("ends", "en.json", of.path); same != of.same ||
			ends != of.ends {
			t.Errorf("%s: %s and %s, want %s and %s", of.path, same, ends, of.same, of.ends)
		}
	}
}
