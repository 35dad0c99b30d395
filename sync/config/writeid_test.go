package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The identifier of one project is another one, and not a byte besides.
func TestWithID(t *testing.T) {
	const id, other = "11111111-2222-3333-4444-555555555555", "00000000-0000-0000-0000-000000000000"
	begin := "# first\r\n[[project]]\r\n  name = \"app\"  # ours\r\n"
	rest := "  source_language = \"en\"\r\n  target_languages = [\"de\"]\r\n[[project.files]]\r\nsource = \"en/*.json\"\r\n" +
		"output = \"{LANGUAGE}/{NAME}.json\"\r\n[[project]]\r\nname = \"web\"\r\nid = \"" + other + "\"\r\nsource_language = \"en\"\r\n" +
		"target_languages = [\"de\"]\r\n[[project.files]]\r\nsource = \"web/en.json\"\r\noutput = \"web/{LANGUAGE}.json\""
	for before, after := range map[string]string{
		"  id='" + other + "'\t# there\r\n": "  id=\"" + id + "\"\t# there\r\n",
		"":                                  "  id = \"" + id + "\"\r\n",
	} {
		file := filepath.Join(t.TempDir(), FileName)
		if err := os.WriteFile(file, []byte(begin+before+rest), 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := LoadForCreate(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.WithID(c.Project("app"), id); err != nil || got != begin+after+rest {
			t.Errorf("%v, %q, want %q", err, got, begin+after+rest)
		}
		if err := os.WriteFile(file, []byte("# cut\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := c.WithID(c.Project("app"), id); err == nil {
			t.Errorf("a file that was cut since: %q", got)
		}
	}
	// A project on one line is left to people.
	inline := "project = [{name = \"app\", source_language = \"en\", target_languages = [\"de\"], " +
		"files = [{source = \"en/*.json\", output = \"{LANGUAGE}/{NAME}.json\"}]}]\n"
	file := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(file, []byte(inline), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := LoadForCreate(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.WithID(c.Project("app"), id); err == nil || !strings.Contains(err.Error(), "write id = ") {
		t.Errorf("%v", err)
	}
}
