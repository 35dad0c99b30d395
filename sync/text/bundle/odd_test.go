package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is odd about one file is a problem of that file: no way to read one ends the search.
func TestOddFilesAreNamed(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	long := strings.Repeat("x", 240)
	for name, text := range map[string]string{"en/app.json": "{}", "en/a\nb.json": "{}", "en/" + long + ".json": "{}",
		".GIT/en/c.json": "{}", "taken": ""} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Skip(err) // not a name for this file system
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "linked")); err != nil {
		t.Skip(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	p := project(t,
		"[[project.files]]\nsource = \"**/en/*.json\"\noutput = \"{DIR}/linked/{NAME}.messages.{LANGUAGE}.json\"\n")
	bundles, problems, err := Find(root.FS(), p)
	if err != nil || len(bundles) != 1 || len(problems) != 3 {
		t.Fatalf("%d bundles, %v, %v", len(bundles), problems, err)
	}
	for _, p := range problems {
		if p.Configuration || !strings.Contains(p.Problem, "rename the file") || strings.Contains(p.String(), "\n") {
			t.Errorf("%+v", p)
		}
	}
	b, l := bundles[0], p.Targets()[0]
	if f, problem, err := b.Read(root.FS(), b.Target(l), l); f != nil || problem == nil || err != nil {
		t.Errorf("behind a link: %v, %v", problem, err)
	}
	if f, problem, err := b.Read(root.FS(), "taken/app.json", l); f != nil || problem != nil || err != nil {
		t.Errorf("below a file: %v, %v", problem, err)
	}
}
