package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/run"
)

// Content filters (git LFS, git-crypt and what people make themselves) are programs that git's configuration names.
// Only git runs them. It takes the attributes of a path from the working tree, which may be on another branch; so it
// is given a working tree of our own for the moment, with nothing in it but the .gitattributes of the tree that is
// read or written.

// driver says whether git's configuration knows a filter, and whether it does anything when a file is stored (or read).
func (r *Repo) driver(name string, storing bool) bool {
	does := "smudge"
	if storing {
		does = "clean"
	}
	return r.set.has("filter."+name+".process") || r.set.has("filter."+name+"."+does)
}

// runnable says why a filter cannot be applied to files that are stored; nil when it can.
func (r *Repo) runnable(filter, line string) error {
	var try string
	switch {
	case r.driver(filter, true):
		return nil
	case filter == "lfs":
		try = "install git-lfs and run git lfs install, or take the file out of that pattern"
	default:
		try = fmt.Sprintf("set filter.%s.clean in git's configuration, or take the file out of that pattern", filter)
	}
	return stop("filter=%s applies to it (%s), which cannot be run here; %s", filter, line, try)
}

// workbench is git's view of the repository with a working tree that holds the attributes for some paths.
type workbench struct {
	r    *Repo
	root string   // tree, index and objects are in it
	env  []string // more for git
}

func (w workbench) tree() string { return filepath.Join(w.root, "tree") }

func (w workbench) close() { _ = os.RemoveAll(w.root) }

// workbench makes one. The caller closes it.
func (t *Tip) workbench(paths []string) (w workbench, err error) {
	w = workbench{r: t.repo}
	if w.root, err = os.MkdirTemp("", "locsync-filter-"); err != nil {
		return w, err
	}
	seen := map[string]bool{}
	for _, name := range paths {
		for folder := path.Dir(name); !seen[folder] && err == nil; folder = path.Dir(folder) {
			seen[folder] = true
			var content []byte
			if content, err = t.attributesFile(folder); err == nil && content != nil {
				err = w.write(path.Join(folder, ".gitattributes"), content)
			}
		}
	}
	if err == nil {
		err = errors.Join(os.MkdirAll(w.tree(), 0o700), os.MkdirAll(filepath.Join(w.root, "objects"), 0o700))
	}
	if err != nil {
		w.close()
	}
	return w, err
}

func (w workbench) write(name string, content []byte) error {
	file := filepath.Join(w.tree(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}

// run runs git there. New objects go into a folder that is thrown away.
func (w workbench) run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return w.r.git.Run(ctx, run.Call{Dir: w.tree(), Args: args, Stdin: stdin, LFS: filepath.Join(w.root, "progress"), Objects: filepath.Join(w.root, "objects"), Env: append(append(w.r.promisorEnvironment(ctx), w.env...),
		"GIT_DIR="+w.r.facts.GitDir, "GIT_WORK_TREE="+w.tree(), "GIT_INDEX_FILE="+filepath.Join(w.root, "index"),
		"GIT_OBJECT_DIRECTORY="+filepath.Join(w.root, "objects"), "GIT_ALTERNATE_OBJECT_DIRECTORIES="+quoteAlternate(filepath.Join(w.r.common, "objects")))})
}

// quoteAlternate writes a path as an item of git's list of object folders, where a colon separates.
func quoteAlternate(p string) string {
	if !strings.ContainsAny(p, string(os.PathListSeparator)+`"`) {
		return p
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p) + `"`
}

// clean gives what git stores for files whose content passes a filter, and why it stores none for others of them.
func (t *Tip) clean(ctx context.Context, contents map[string][]byte) (stored map[string][]byte, refused map[string]string, err error) {
	stored, refused = map[string][]byte{}, map[string]string{}
	if len(contents) == 0 {
		return stored, refused, nil
	}
	names := sortedKeys(contents)
	w, err := t.workbench(names)
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the content filters: %w", err)
	}
	defer w.close()
	for _, name := range names {
		if err := w.write(name, contents[name]); err != nil {
			return nil, nil, fmt.Errorf("prepare the content filters: %w", err)
		}
	}
	err = t.cleanWith(ctx, w, names, stored)
	var failed *run.Error
	if !errors.As(err, &failed) {
		return stored, refused, err
	}
	for _, name := range names { // one of them; git stops there
		err := t.cleanWith(ctx, w, []string{name}, stored)
		if errors.As(err, &failed) {
			refused[name] = "its content filter failed: " + run.LastLines(failed.Stderr, 3)
		} else if err != nil {
			return nil, nil, err
		}
	}
	return stored, refused, nil
}

func (t *Tip) cleanWith(ctx context.Context, w workbench, names []string, stored map[string][]byte) error {
	out, err := w.run(ctx, []byte(strings.Join(names, "\n")+"\n"), "hash-object", "-w", "--stdin-paths")
	if err != nil {
		return err
	}
	lines := strings.Fields(string(out))
	if len(lines) != len(names) {
		return fmt.Errorf("git hash-object named %d objects for %d files", len(lines), len(names))
	}
	objects, err := object.Loose(filepath.Join(w.root, "objects"))
	if err != nil {
		return err
	}
	for i, name := range names {
		h, ok := object.Parse(lines[i])
		if !ok {
			return fmt.Errorf("git hash-object printed %q", lines[i])
		}
		o, made := objects[h]
		if stored[name] = o.Data; made {
			continue
		}
		if stored[name], err = t.blob(h); err != nil { // the repository has it
			return err
		}
	}
	return nil
}

// lfsPointer is how a file begins that stands for one at an LFS server.
var lfsPointer = []byte("version https://git-lfs.github.com/spec/")

// smudged gives a file as people see it, from what is stored for it.
func (t *Tip) smudged(name string, h hash, stored []byte) ([]byte, error) {
	r := t.repo
	pointer := bytes.HasPrefix(stored, lfsPointer)
	if !pointer && !r.filters {
		return stored, nil // nothing that could change it
	}
	ctx, end := r.watchRead()
	defer end()
	filter, err := t.filterOf(ctx, name)
	if err != nil {
		return nil, err
	}
	switch {
	case filter == "":
		return stored, nil
	case !r.driver(filter, false):
		if !pointer {
			return stored, nil // as git reads it
		}
		return nil, fmt.Errorf("filter=%s applies to it (%s), and reading it without git-lfs is %w; install git-lfs and run git lfs install",
			filter, t.line(name, filter), ErrUnsupported)
	case t.extra[h].Kind == object.Blob:
		return stored, nil // the outcome of a merge: it went through no filter
	}
	w, err := t.workbench([]string{name})
	if err != nil {
		return nil, fmt.Errorf("prepare the content filter: %w", err)
	}
	defer w.close()
	data, err := w.run(ctx, nil, "cat-file", "--filters", "--path="+name, h.String())
	if err != nil {
		return nil, fmt.Errorf("filter=%s applies to it (%s): %w", filter, t.line(name, filter), err)
	}
	return data, nil
}

// upload brings the content of new LFS files to the remote's LFS server, which has to have it before anybody sees the
// commit. It does what the pre-push hook of LFS does and runs no other hook.
func (r *Repo) upload(ctx context.Context, tip *Tip) error {
	if !r.driver("lfs", true) {
		return nil
	}
	commits, err := r.history.Ahead(tip.commit, append(tip.there, tip.lease.at))
	if err != nil {
		return err
	}
	needed := false
	for _, c := range commits {
		if needed, err = r.touchesLFS(ctx, c); err != nil {
			return err
		}
		if needed {
			break
		}
	}
	if !needed {
		return nil
	}
	ref := "refs/heads/" + tip.branch
	to, err := r.pushRemote()
	if err != nil {
		return err
	}
	_, err = r.runGit(ctx, run.Call{Args: []string{"lfs", "pre-push", r.o.Remote, to.address}, LFS: r.lfsProgress(), Env: to.environment(ctx),
		Stdin: fmt.Appendf(nil, "%s %s %s %s\n", ref, tip.commit, ref, or(tip.lease.at.Text(), r.objects.Format.Zeros()))})
	if err != nil {
		return fmt.Errorf("upload what git LFS stores: %w", err)
	}
	return nil
}

// lfsProgress is where git LFS tells how far it is, when it is not in a workbench; "" where no filter is configured.
func (r *Repo) lfsProgress() string {
	if !r.filters {
		return ""
	}
	return filepath.Join(r.common, ref.OurDir, "lfs-progress")
}

// touchesLFS says whether a commit brings a file that LFS stores.
func (r *Repo) touchesLFS(ctx context.Context, c *commit) (bool, error) {
	t := &Tip{repo: r, tree: c.Tree}
	var before hash
	if len(c.Parents) > 0 {
		parent, err := r.history.Commit(c.Parents[0])
		if err != nil {
			return false, err
		}
		before = parent.Tree
	}
	pairs, err := compareTrees(ctx, r.objects.Entries, r.objects.Entries, before, c.Tree)
	if err != nil {
		return false, err
	}
	var paths []string
	for _, p := range pairs {
		if p.new.IsFile() {
			paths = append(paths, p.path)
		}
	}
	all, err := t.attributesOf(ctx, paths, "lfs")
	for _, a := range all {
		if a.value("filter") == "lfs" {
			return true, nil
		}
	}
	return false, err
}

// identLine is what the attribute ident makes of $Id$ in a working tree.
var identLine = regexp.MustCompile(`\$Id:[^$\n]*\$`)
