package content

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/remote"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
)

// Workbench is git's view of the repository with a working tree that holds the attributes for some paths. New objects
// go into a folder that is thrown away.
type Workbench struct {
	Env  []string // more for git
	repo *repository.Repository
	root string // tree, index and objects are in it
}

func (w Workbench) tree() string { return filepath.Join(w.root, "tree") }

func (w Workbench) objects() string { return filepath.Join(w.root, "objects") }

// Close takes it away.
func (w Workbench) Close() { _ = os.RemoveAll(w.root) }

// Workbench makes one. The caller closes it.
func (t *Files) Workbench(paths []string) (w Workbench, err error) {
	w = Workbench{repo: t.repo}
	if w.root, err = os.MkdirTemp("", "locsync-filter-"); err != nil {
		return w, err
	}
	files, err := t.attributeFiles(paths)
	for folder, content := range files {
		if content != nil && err == nil {
			err = w.write(path.Join(folder, ".gitattributes"), content)
		}
	}
	if err == nil {
		err = errors.Join(os.MkdirAll(w.tree(), 0o700), os.MkdirAll(w.objects(), 0o700))
	}
	if err != nil {
		w.Close()
	}
	return w, err
}

// KeepWhole makes git merge none of these files by lines: where both sides changed one it is a conflict.
func (t *Files) KeepWhole(w Workbench, names []string) error {
	lines := map[string]string{} // by folder
	for _, name := range names {
		lines[path.Dir(name)] += attributePattern(path.Base(name)) + " -merge\n"
	}
	for folder, own := range lines {
		content, err := t.attributesFile(folder)
		if err == nil {
			err = w.write(path.Join(folder, ".gitattributes"), slices.Concat(content, []byte("\n"+own)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// attributePattern is the pattern that matches one file in the folder of a .gitattributes.
func attributePattern(name string) string {
	pattern := strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(name)
	return `"/` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(pattern) + `"`
}

func (w Workbench) write(name string, content []byte) error {
	file := filepath.Join(w.tree(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}

// Run runs git there.
func (w Workbench) Run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return w.repo.Git.Run(ctx, remote.ForPromisor(ctx, w.repo, run.Call{Dir: w.tree(), Args: args, Stdin: stdin,
		LFS: filepath.Join(w.root, "progress"), Objects: w.objects(),
		Env: slices.Concat(w.Env, []string{
			"GIT_DIR=" + w.repo.Facts.GitDir, "GIT_WORK_TREE=" + w.tree(), "GIT_INDEX_FILE=" + filepath.Join(w.root, "index"),
			"GIT_OBJECT_DIRECTORY=" + w.objects(),
			"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quoteAlternate(w.repo.ObjectsDir())})}))
}

// quoteAlternate writes a path as an item of git's list of object folders, where a colon separates.
func quoteAlternate(p string) string {
	if !strings.ContainsAny(p, string(os.PathListSeparator)+`"`) {
		return p
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p) + `"`
}

// Made are the objects that git made there.
func (w Workbench) Made() (map[object.Name]object.Object, error) {
	store := object.Open(w.objects(), w.repo.Objects.Format, w.repo.Git)
	defer store.Close()
	return store.Loose()
}

// Put writes an object that is in memory only to where git looks for it.
func (w Workbench) Put(o object.Object) error {
	var b bytes.Buffer
	zip := zlib.NewWriter(&b)
	_, err := fmt.Fprintf(zip, "%s %d\x00%s", o.Kind, len(o.Data), o.Data)
	name := o.Name.String()
	folder := filepath.Join(w.objects(), name[:2])
	return errors.Join(err, zip.Close(), os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, name[2:]),
		b.Bytes(), 0o600))
}
