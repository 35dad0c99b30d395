package rewrite

import (
	"testing"

	"github.com/locsync/locsync/sync/config/position"
)

// What is not where its line says it was is left alone, and all else stays byte by byte.
func TestWithoutTable(t *testing.T) {
	t.Parallel()
	const a, b = "[[project]]\nname = \"a\"\n", "[[project]]\nname = \"b\"\n"
	for name, c := range map[string]struct{ text, read, want string }{ // read: as it was when the lines were found
		"the first":                 {a + "\n" + b, "", b},
		"its comments":              {"x = 1\n\n# about a\n" + a + "\n# about b\n" + b, "", "x = 1\n\n# about b\n" + b},
		"comments of the file":      {"# ours\n" + a + "\n" + b, "", "# ours\n\n" + b},
		"a byte order mark":         {"\ufeff" + a + b, "", "\ufeff" + b},
		"tables of another between": {a + "[daemon]\n[project.pull]\n", "", ""},
		"a shorter text":            {"x = 1\n", "x = 1\n\n\n" + a, ""},
		"another line":              {"x = 1\ny = 2\n", "x = 1\n" + a, ""},
		"no such table":             {b, "x = 1\n", ""},
		"the only one, in one line": {"project = [{name = \"a\"}]\n", "", ""},
	} {
		read := c.read
		if read == "" {
			read = c.text
		}
		got, ok := WithoutTable([]byte(c.text), position.Scan(read).Lines, "project[0]")
		if string(got) != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q %v, want %q", name, got, ok, c.want)
		}
	}
}
