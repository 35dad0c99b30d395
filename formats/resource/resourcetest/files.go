package resourcetest

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Real is one file of the corpus of real resource files: public products' files, byte for byte.
type Real struct {
	Name     string // path below the corpus
	Repo     string // where it is from: the product,
	Path     string // its path there
	Commit   string // and the version
	Language string // as its manifest has it; "source" for the source language
	Format   string
	Expect   string // edit, edit-jsonc, edit-dup, edit-lenient or refuse
	Src      []byte
}

// All says whether all tests are wanted (LOCSYNC_ALL_TESTS in the environment, as in .ci/run), and not a part of them.
func All() bool { return os.Getenv("LOCSYNC_ALL_TESTS") != "" }

// Long skips a test that takes about a second, unless all are wanted.
func Long(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("takes long; runs with LOCSYNC_ALL_TESTS=1")
	}
}

// Corpus returns the real files of one format; of them tests get every fifth where not all are wanted. They are not
// part of the project: LOCSYNC_CORPUS names their folder (default: shared/corpus beside the repository). Where there is
// none the test is skipped.
func Corpus(t testing.TB, format string) []Real {
	t.Helper()
	files := WholeCorpus(t, format)
	if _, test := t.(*testing.T); !test || All() {
		return files
	}
	var some []Real
	for i := 4; i < len(files); i += 5 {
		some = append(some, files[i])
	}
	return some
}

// WholeCorpus is all of Corpus, for tests that hold files against one another.
func WholeCorpus(t testing.TB, format string) []Real {
	t.Helper()
	dir := os.Getenv("LOCSYNC_CORPUS")
	if dir == "" {
		dir = filepath.Join(repository(t), "..", "shared", "corpus")
	}
	rows, err := table(filepath.Join(dir, "MANIFEST.tsv"))
	if err != nil {
		t.Skipf("no corpus of real files here (set LOCSYNC_CORPUS to its folder): %v", err)
	}
	var files []Real
	for _, row := range rows {
		if row["format"] != format {
			continue
		}
		src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(row["file"])))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, Real{
			row["file"], row["repo"], row["path"], row["commit"], row["language"], row["format"], row["expect"], src,
		})
	}
	if len(files) == 0 {
		t.Fatalf("the corpus has no file of format %s", format)
	}
	return files
}

// table reads a file of tab-separated rows whose first row has the column names.
func table(path string) ([]map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []map[string]string
	var head []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		if head == nil {
			head = cells
			continue
		}
		row := make(map[string]string, len(head))
		for i, name := range head {
			if i < len(cells) {
				row[name] = cells[i]
			}
		}
		rows = append(rows, row)
	}
	return rows, lines.Err()
}

// repository walks up to the folder that has go.mod.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = filepath.Dir(dir)
	}
}

// Edge is one of the edge cases that a grammar keeps in testdata/edge, with its row of testdata/edge/INDEX.tsv.
type Edge struct {
	File, Quirk, Value, Expect, Behaviour string
	Src                                   []byte
}

// Edges returns the edge cases below testdata/edge of the calling test.
func Edges(t testing.TB) []Edge {
	t.Helper()
	dir := filepath.Join("testdata", "edge")
	rows, err := table(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var edges []Edge
	for _, row := range rows {
		src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(row["file"])))
		if err != nil {
			t.Fatal(err)
		}
		edges = append(edges, Edge{
			row["file"], row["quirk"], row["value of k (JSON)"], row["expect"], row["right behaviour"], src,
		})
	}
	return edges
}
