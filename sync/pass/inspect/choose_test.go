package inspect

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/config"
)

// Which projects files are of is told from what was seen last, unless that leaves something open.
func TestChoose(t *testing.T) {
	unread := errors.New("unread")
	for name, c := range map[string]struct {
		settings  string // of the second project
		patterns  []string
		last, now Listing // of that one
		looks     int
		meant     []string
		globs     []string
		says      string
	}{
		"path": {patterns: []string{"a/en.json"}, looks: 1, meant: []string{"one"}},
		"another unread": {patterns: []string{"a/*.json"}, last: Listing{Err: unread}, looks: 1, meant: []string{"one"},
			globs: []string{"a/*.json"}},
		"new at the remote": {patterns: []string{"b/en.json"}, now: Listing{Files: []string{"b/en.json"}}, looks: 2,
			meant: []string{"two"}},
		"of none": {patterns: []string{"a/en.json", "b/em.json"}, looks: 2,
			says: "no project pushes a file \"b/em.json\""},
		"of one unread": {patterns: []string{"b/*"}, last: Listing{Err: unread}, now: Listing{Err: unread}, looks: 2,
			says: "unread"},
		"a path that may be of it": {patterns: []string{"b/en.json"}, last: Listing{Err: unread}, now: Listing{Err: unread},
			looks: 2,
			meant: []string{"two"}},
		"of another line": {settings: "pull.branch = \"t/{BRANCH}\"\npush.source = \"main\"\npush.branches = [\"*\"]\n",
			patterns: []string{"b/en.json"}, looks: 1, meant: []string{"two"}},
		"not cloned yet": {settings: "repository = \"https://git.example/x.git\"\npull.branch = \"t/{BRANCH}\"\n",
			patterns: []string{"a/*"}, last: Listing{Err: unread},
			now: Listing{Err: unread}, looks: 2, meant: []string{"one", "two"}, globs: []string{"a/*"}},
	} {
		text := ""
		for _, project := range []struct{ name, folder, settings string }{{"one", "a", ""}, {"two", "b", c.settings}} {
			text += "[[project]]\nname = \"" + project.name +
				"\"\nid = \"11111111-2222-3333-4444-555555555555\"\nsource_language = \"en\"\n" +
				"target_languages = [\"de\"]\n" + project.settings + "[[project.files]]\nsource = \"" + project.folder +
				"/*en.json\"\noutput = \"" +
				project.folder + "/{LANGUAGE}.json\"\n"
			if project.settings != "" {
				text += "collection = \"{BRANCH}\"\n"
			}
		}
		cfg, err := config.Parse(filepath.Join(t.TempDir(), "locsync.toml"), []byte(text))
		if err != nil {
			t.Fatal(name, err)
		}
		looks := 0
		meant, globs, err := Choose(c.patterns, func(now bool) []Listing {
			looks++
			two := c.last
			if now {
				two = c.now
			}
			two.Project = &cfg.Projects[1]
			return []Listing{{Project: &cfg.Projects[0], Files: []string{"a/en.json"}}, two}
		})
		var names []string
		for _, p := range meant {
			names = append(names, p.Name)
		}
		switch {
		case looks != c.looks:
			t.Errorf("%s: looked %d times", name, looks)
		case c.says != "":
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil, !slices.Equal(names, c.meant), !slices.Equal(globs, c.globs):
			t.Errorf("%s: %v %v, %v", name, names, globs, err)
		}
	}
}
