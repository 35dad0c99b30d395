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
		if got, err := c.WithID(c.Project("app"), id, false); err != nil || got != begin+after+rest {
			t.Errorf("%v, %q, want %q", err, got, begin+after+rest)
		}
		if err := os.WriteFile(file, []byte("# cut\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := c.WithID(c.Project("app"), id, false); err == nil {
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
	if _, err := c.WithID(c.Project("app"), id, false); err == nil || !strings.Contains(err.Error(), "write id = ") {
		t.Errorf("%v", err)
	}
}

// The identifier of the project for documents is in a section of its own, and not a byte besides.
func TestWithDocumentsID(t *testing.T) {
	const id = "11111111-2222-3333-4444-555555555555"
	begin := "[[project]]\nname = \"app\"\nsource_language = \"en\"\ntarget_languages = [\n  \"de\",\n]\n\n"
	files := "# our files\n[[project.files]]\nsource = \"en/*.json\"\noutput = \"{LANGUAGE}/{NAME}.json\"\n"
	for before, after := range map[string]string{
		files:                                             "[project.documents]\nid = \"" + id + "\"\n\n" + files,
		files + "[project.documents]\n":                   files + "[project.documents]\nid = \"" + id + "\"\n",
		"[project.documents] # x\n" + files:               "[project.documents] # x\nid = \"" + id + "\"\n" + files,
		"documents.id = \"\" # none\n" + files:            "documents.id = \"\" # none\n" + files,
		"[project.documents]\nid = \"\" # none\n" + files: "[project.documents]\nid = \"" + id + "\" # none\n" + files,
	} {
		file := filepath.Join(t.TempDir(), FileName)
		if err := os.WriteFile(file, []byte(begin+before), 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := LoadForCreate(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.WithID(c.Project("app"), id, true)
		if before == after {
			if err == nil {
				t.Errorf("%q: %q", before, got)
			}
			continue
		}
		if err != nil || got != begin+after {
			t.Errorf("%q: %v, %q, want %q", before, err, got, begin+after)
			continue
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		if c, err := LoadForCreate(file); err != nil || c.Projects[0].Documents.ID != id {
			t.Errorf("%q: %v", got, err)
		}
	}
}

// What [project.documents] may say.
func TestDocumentsSection(t *testing.T) {
	const rest = "[[project]]\nname = \"app\"\nid = \"11111111-2222-3333-4444-555555555555\"\nsource_language = \"en\"\n" +
		"target_languages = [\"de\"]\n[[project.files]]\nsource = \"en/*.json\"\noutput = \"{LANGUAGE}/{NAME}.json\"\n" +
		"[project.documents]\n"
	for text, wrong := range map[string]string{
		"id = \"21111111-2222-3333-4444-555555555555\"\noutput = \"docs/{PATH}\"\n": "",
		"":             "",
		"id = \"7\"\n": "36 characters",
		"id = \"11111111-2222-3333-4444-555555555555\"\n": "one for documents is another",
		"output = \"\"\n":   "template",
		"files = [\"x\"]\n": "files",
	} {
		_, err := Parse(FileName, []byte(rest+text))
		if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
