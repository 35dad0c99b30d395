package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/locsync/locsync/gitops/gittest"
)

// inEncoding is a text as it lies in a working tree.
func inEncoding(name, s string) string {
	units := utf16.Encode([]rune(s))
	var b strings.Builder
	switch name {
	case "UTF-16":
		units = append([]uint16{0xfeff}, units...)
	case "UTF-16LE-BOM":
		for _, u := range append([]uint16{0xfeff}, units...) {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
		return b.String()
	case "UTF-16BE":
	default:
		return s
	}
	for _, u := range units {
		b.Write([]byte{byte(u >> 8), byte(u)})
	}
	return b.String()
}

// Law: what we store of a text is the blob that git makes of the file that people have of it.
func TestContentIsStoredAsGitStoresIt(t *testing.T) {
	t.Parallel()
	texts := []string{"", "plain\n", "ä → 😀\r\n", "$Id$", "a $Id: 1234 $ b $Id: x\ny$ $Id:$ $Id $ $$Id: z$\r\n",
		"$Id: ä", "hello nopq\n"}
	cases := []struct{ words, encoding string }{
		{"ident", ""}, {"ident text", ""}, {"-ident text", ""}, {"working-tree-encoding=UTF-8",
			""}, {"working-tree-encoding=UTF-16", "UTF-16"}, {"text working-tree-encoding=UTF-16LE-BOM",
			"UTF-16LE-BOM"},
		{"working-tree-encoding=utf-16be ident eol=lf", "UTF-16BE"}, {"filter=turn", ""}, {"filter=turn ident text",
			""}, {"filter=turn working-tree-encoding=UTF-16", "UTF-16"}, {"filter", ""}, {"-filter ident", ""},
	}
	dir := gittest.Init(t, sample)
	gittest.Git(t, dir, "config", "filter.turn.clean", "tr a-z n-za-m")
	gittest.Git(t, dir, "config", "core.safecrlf", "false")
	ours, theirs, attributes := map[string][]byte{}, map[string]string{}, map[string]string{}
	for i, c := range cases {
		attributes[fmt.Sprintf("%d/.gitattributes", i)] = "*.txt " + c.words + "\n"
		for j, text := range texts {
			name := fmt.Sprintf("%d/sub/%d.txt", i, j)
			theirs[name] = inEncoding(c.encoding, text)
			ours[name] = []byte(text)
			if strings.Contains(c.words, "filter=turn") { // git has to be given what people see
				ours[name] = []byte(theirs[name])
			}
		}
	}
	gittest.Commit(t, dir, "attributes", attributes)
	tip := at(t, open(t, dir, Options{}), "main", "")
	_, changes, err := tip.files.Plan(t.Context(), ours)
	if err != nil {
		t.Fatal(err)
	}
	gittest.Write(t, dir, theirs)
	gittest.Git(t, dir, "add", "-A")
	stored := map[string]string{}
	for line := range strings.Lines(gittest.Git(t, dir, "ls-files", "-s", "*.txt") + "\n") {
		fields := strings.Fields(line)
		stored[fields[3]] = fields[1]
	}
	if len(changes) != len(cases)*len(texts) || len(stored) != len(changes) {
		t.Fatalf("%d changes, %d files in the index", len(changes), len(stored))
	}
	for _, c := range changes {
		if c.Blob.String() != stored[c.Path] {
			t.Errorf("%s (%s, %q) is not the blob that git stores", c.Path,
				attributes[filepath.Dir(filepath.Dir(c.Path))+"/.gitattributes"], ours[c.Path])
		}
	}
}

// A filter of the branch that is written to runs, whatever the working tree says; what it stored reads as people see
// it, and where it cannot run the file is refused with the line that says so.
func TestFilters(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := gittest.Init(t, sample)
	gittest.Bare(t, dir)
	gittest.Git(t, dir, "config", "filter.turn.clean", "tr a-z n-za-m")
	gittest.Git(t, dir, "config", "filter.turn.smudge", "tr a-z n-za-m")
	gittest.Git(t, dir, "config", "filter.broken.clean", "echo it is broken >&2; exit 3")
	gittest.Git(t, dir, "config", "filter.broken.required", "true")
	gittest.Git(t, dir, "checkout", "-q", "-b", "l10n")
	gittest.Commit(t, dir, "turned",
		map[string]string{".gitattributes": "# filters\n*.turned filter=turn\n*.bad filter=broken\n*.new filter=unknown\n",
			"a.turned": "abc\n"})
	gittest.Git(t, dir, "push", "-q", "origin", "l10n")
	gittest.Git(t, dir, "checkout", "-q", "main")
	linked := filepath.Join(t.TempDir(), "linked")
	gittest.Git(t, dir, "worktree", "add", "-q", linked, "l10n")
	before := snapshot(t, dir)

	r := open(t, dir, Options{Remote: "origin"})
	tip := at(t, r, "l10n", "")
	if got := string(must[[]byte](t)(tip.ReadFile("a.turned"))); got != "abc\n" {
		t.Errorf("it reads %q", got)
	}
	if _, err := r.Commit(t.Context(), tip, "l10n", files("a.turned", "abc\n"), message("x")); !errors.Is(err,
		ErrNothing) {
		t.Errorf("the same content: %v", err)
	}
	content := map[string][]byte{"a.turned": []byte("xyz\n"), "deep/er/b.turned": []byte("new\n"), "c.bad": []byte("c"),
		"d.new": []byte("d"), "plain.txt": []byte("p")}
	_, err := r.Commit(t.Context(), tip, "l10n", content, message("x"))
	var bad *BadPaths
	if !errors.As(err, &bad) || len(bad.Paths) != 2 {
		t.Fatalf("%v", err)
	}
	for name, why := range map[string][]string{"c.bad": {"it is broken", ".gitattributes:3"},
		"d.new": {"filter=unknown", "filter.unknown.clean", ".gitattributes:4"}} {
		for _, w := range why {
			if !strings.Contains(bad.Error(), w) {
				t.Errorf("%s: %v does not name %s", name, bad, w)
			}
		}
		delete(content, name)
	}
	made := commitOn(t, r, tip, "l10n", content)
	if result := push(t, r, made); result.Local != Followed || !result.Pushed {
		t.Errorf("%+v", result)
	}
	for name, want := range map[string]string{"a.turned": "klm", "deep/er/b.turned": "arj", "plain.txt": "p"} {
		if got := gittest.Git(t, dir, "cat-file", "blob", made.Hash()+":"+name); got != want {
			t.Errorf("%s is stored as %q", name, got)
		}
		if got := string(must[[]byte](t)(os.ReadFile(filepath.Join(linked, name)))); got != string(content[name]) {
			t.Errorf("%s is %q in the tree that followed", name, got)
		}
		if got := string(must[[]byte](t)(made.ReadFile(name))); got != string(content[name]) {
			t.Errorf("%s reads %q", name, got)
		}
	}
	if out := gittest.Git(t, linked, "status", "--porcelain"); out != "" {
		t.Errorf("git status: %s", out)
	}
	same(t, before, snapshot(t, dir))
	gittest.Sound(t, dir)
}

// lfs makes a repository with files at LFS and its remote, with the real git-lfs.
func lfs(t *testing.T) (dir, bare string) {
	t.Helper()
	if _, err := exec.LookPath("git-lfs"); err != nil {
		t.Skip("no git-lfs")
	}
	dir = gittest.Init(t, sample)
	gittest.Git(t, dir, "lfs", "install", "--local")
	gittest.Commit(t, dir, "lfs",
		map[string]string{".gitattributes": "l10n/*.json filter=lfs diff=lfs merge=lfs -text\n",
			"l10n/de.json": "{\"a\": \"A\"}\n"})
	bare = filepath.Join(t.TempDir(), "origin.git")
	gittest.Git(t, dir, "init", "-q", "--bare", bare)
	gittest.Git(t, dir, "remote", "add", "origin", "file://"+bare)
	gittest.Git(t, dir, "push", "-q", "origin", "main")
	return dir, bare
}

// LFS files read as people see them, are stored as pointers, and their content is at the server before the commit is.
func TestLFS(t *testing.T) {
	t.Parallel()
	dir, bare := lfs(t)
	r := open(t, dir, Options{Remote: "origin"})
	tip := at(t, r, "l10n", "main")
	if got := string(must[[]byte](t)(tip.ReadFile("l10n/de.json"))); got != "{\"a\": \"A\"}\n" {
		t.Errorf("it reads %q", got)
	}
	made := commitOn(t, r, tip, "l10n", files("l10n/de.json", "{\"a\": \"Ä\"}\n", "l10n/fr.json",
		"{}\n", "README.md", "new\n"))
	if result := push(t, r, made); !result.Pushed {
		t.Errorf("%+v", result)
	}
	if got := gittest.Git(t, bare, "cat-file", "blob", "l10n:l10n/de.json"); !strings.HasPrefix(got, lfsPointer) {
		t.Errorf("it is stored as %q", got)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	gittest.Git(t, dir, "-c", "filter.lfs.smudge=git-lfs smudge -- %f", "-c",
		"filter.lfs.process=git-lfs filter-process", "-c", "filter.lfs.required=true",
		"clone", "-q", "-b", "l10n", "file://"+bare, clone)
	if got := string(must[[]byte](t)(os.ReadFile(filepath.Join(clone, "l10n/de.json")))); got != "{\"a\": \"Ä\"}\n" {
		t.Errorf("others get %q", got)
	}
	gittest.Git(t, dir, "lfs", "fsck", "l10n")
	gittest.Sound(t, dir)

	// The content cannot be delivered: no commit points to nothing.
	made = commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("l10n/de.json", "{\"a\": \"lost\"}\n"))
	if err := os.RemoveAll(filepath.Join(dir, ".git/lfs/objects")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Push(t.Context(), made); err == nil || !strings.Contains(err.Error(), "LFS") {
		t.Errorf("%v", err)
	}
	if got := gittest.Git(t, bare, "rev-parse", "l10n"); got == made.Hash() {
		t.Error("the commit arrived without its content")
	}
}

// Where git-lfs is not set up, a pointer is neither read as a text nor written over.
func TestLFSThatIsNotSetUp(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{".gitattributes": "*.json filter=lfs -text\n", "l10n/de.json": lfsPointer +
		"v1\noid sha256:0\nsize 3\n", "l10n/fr.json": "{}\n"})
	tip := at(t, open(t, dir, Options{}), "main", "")
	if _, err := tip.ReadFile("l10n/de.json"); !errors.Is(err, ErrUnsupported) || errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "git lfs install") {
		t.Errorf("%v", err)
	}
	if got, err := tip.ReadFile("l10n/fr.json"); string(got) != "{}\n" { // as git reads it
		t.Errorf("%q %v", got, err)
	}
	if err := tip.Writable("l10n/de.json"); !errors.Is(err, ErrPath) ||
		!strings.Contains(err.Error(), ".gitattributes:1") {
		t.Errorf("%v", err)
	}
}

// lfsPointer is how a file begins that stands for one at an LFS server.
const lfsPointer = "version https://git-lfs.github.com/spec/"
