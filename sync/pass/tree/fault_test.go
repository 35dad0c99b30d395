package tree

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
)

// faultyFS is a tree of files of which one ends in a fault when it is read.
type faultyFS struct {
	fstest.MapFS
	file string
}

func (f faultyFS) Open(name string) (fs.File, error) {
	if name == f.file {
		panic("it cannot be read")
	}
	return f.MapFS.Open(name)
}

func (f faultyFS) ReadFile(name string) ([]byte, error) {
	if name == f.file {
		panic("it cannot be read")
	}
	return f.MapFS.ReadFile(name)
}

// TestFaultInOneFile: a fault is a problem of its file, with the stack in the log, and all other files are read.
func TestFaultInOneFile(t *testing.T) {
	core, logs := observer.New(zapcore.ErrorLevel)
	defer zap.ReplaceGlobals(zap.New(core))()
	c, err := config.Parse("locsync.toml", []byte(`
[[project]]
name = "app"
source_language = "en"
target_languages = ["de"]
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
`))
	if err != nil {
		t.Fatal(err)
	}
	one := &fstest.MapFile{Data: []byte(`{"k":"x"}`)}
	files := faultyFS{fstest.MapFS{"en/a.json": one, "en/b.json": one, "en/c.json": one}, "en/b.json"}
	found, err := Find(files, &c.Projects[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Problems) != 1 || found.Problems[0].Code != report.CodeFault || found.Problems[0].File != "en/b.json" ||
		found.Problems[0].Remedy == "" {
		t.Errorf("problems %v, want the fault of b.json", found.Problems)
	}
	for _, s := range found.Sources {
		if s.Broken() != (s.Path == "en/b.json") {
			t.Errorf("%s: broken %v", s.Path, s.Broken())
		}
	}
	if all := logs.All(); len(all) != 1 || !strings.Contains(all[0].ContextMap()["stack"].(string), "faultyFS") {
		t.Errorf("log %v, want the stack once", all)
	}
}
