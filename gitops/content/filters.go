package content

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/remote"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
	"github.com/locsync/locsync/gitops/tree"
)

// Content filters (git LFS, git-crypt and what people make themselves) are programs that git's configuration names.
// Only git runs them. It takes the attributes of a path from the working tree, which may be on another branch; so it
// is given a working tree of our own for the moment, with nothing in it but the .gitattributes of the tree that is
// read or written.

// driver says whether git's configuration knows a filter, and whether it does anything when a file is stored (or read).
func driver(set repository.Settings, name string, storing bool) bool {
	does := "smudge"
	if storing {
		does = "clean"
	}
	return set.Has("filter."+name+".process") || set.Has("filter."+name+"."+does)
}

// runnable says why a filter cannot be applied to files that are stored; nil when it can.
func (t *Files) runnable(filter, line string) error {
	var try string
	switch {
	case driver(t.repo.Settings, filter, true):
		return nil
	case filter == "lfs":
		try = "install git-lfs and run git lfs install, or take the file out of that pattern"
	default:
		try = fmt.Sprintf("set filter.%s.clean in git's configuration, or take the file out of that pattern", filter)
	}
	return tree.Refuse("filter=%s applies to it (%s), which cannot be run here; %s", filter, line, try)
}

// clean gives what git stores for files by their attributes, and why it stores none for some of them.
func (t *Files) clean(ctx context.Context, files []destination) (stored map[string][]byte,
	refused map[string]string, err error) {
	stored, refused = map[string][]byte{}, map[string]string{}
	if len(files) == 0 {
		return stored, refused, nil
	}
	var names []string
	for _, d := range files {
		names = append(names, d.Path)
	}
	w, err := t.Workbench(names)
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the content filters: %w", err)
	}
	defer w.Close()
	for _, d := range files {
		if err := t.layOut(w, d); err != nil {
			return nil, nil, fmt.Errorf("prepare the content filters: %w", err)
		}
	}
	err = t.cleanWith(ctx, w, files, stored)
	var failed *run.Error
	if !errors.As(err, &failed) {
		return stored, refused, err
	}
	for _, d := range files { // one of them; git stops there
		err := t.cleanWith(ctx, w, []destination{d}, stored)
		if errors.As(err, &failed) {
			refused[d.Path] = "its content filter failed: " + run.LastLines(failed.Stderr, 3)
		} else if err != nil {
			return nil, nil, err
		}
	}
	return stored, refused, nil
}

// layOut puts a file where git takes it from. It is in UTF-8 already, whatever it is in a working tree.
func (t *Files) layOut(w Workbench, d destination) error {
	if d.how.utf8 {
		folder := path.Dir(d.Path)
		content, err := t.attributesFile(folder)
		if err != nil {
			return err
		}
		own := slices.Concat(content, []byte("\n* -working-tree-encoding\n"))
		if err := w.write(path.Join(folder, ".gitattributes"), own); err != nil {
			return err
		}
	}
	return w.write(d.Path, d.data)
}

// cleanWith has git add files to an index that has them as they are in the tree: line ends that are there already may
// stay.
func (t *Files) cleanWith(ctx context.Context, w Workbench, files []destination, stored map[string][]byte) error {
	var old, names strings.Builder
	wanted := map[string]bool{}
	for _, d := range files {
		if wanted[d.Path] = true; d.Entry.Mode != 0 {
			fmt.Fprintf(&old, "%o %s\t%s\x00", d.Entry.Mode, d.Entry.Hash, d.Path)
		}
		names.WriteString(d.Path + "\x00")
	}
	if _, err := w.Run(ctx, []byte(old.String()), "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	if _, err := w.Run(ctx, []byte(names.String()), "-c", "core.safecrlf=false", "-c", "core.looseCompression=0",
		"update-index", "--add", "-z", "--stdin"); err != nil {
		return err
	}
	out, err := w.Run(ctx, nil, "ls-files", "-s", "-z")
	if err != nil {
		return err
	}
	objects, err := w.Made()
	if err != nil {
		return err
	}
	for item := range strings.SplitSeq(string(out), "\x00") { // mode, name, stage, path
		about, name, _ := strings.Cut(item, "\t")
		if !wanted[name] {
			continue
		}
		h, ok := object.Parse(strings.Fields(about)[1])
		if !ok {
			return fmt.Errorf("git ls-files printed %q", item)
		}
		o, made := objects[h]
		if stored[name] = o.Data; made {
			continue
		}
		if stored[name], err = t.FS.Stored(h); err != nil { // the repository has it
			return err
		}
	}
	return nil
}

// lfsPointer is how a file begins that stands for one at an LFS server.
var lfsPointer = []byte("version https://git-lfs.github.com/spec/")

// smudged gives a file as people see it, from what is stored for it.
func (t *Files) smudged(name string, h object.Name, stored []byte) ([]byte, error) {
	pointer := bytes.HasPrefix(stored, lfsPointer)
	if !pointer && !t.repo.Settings.HasFilters() {
		return stored, nil // nothing that could change it
	}
	ctx, end := t.repo.WatchRead()
	defer end()
	filter, err := t.filterOf(ctx, name)
	if err != nil {
		return nil, err
	}
	switch {
	case filter == "":
		return stored, nil
	case !driver(t.repo.Settings, filter, false):
		if !pointer {
			return stored, nil // as git reads it
		}
		return nil, fmt.Errorf("filter=%s applies to it (%s), and reading it without git-lfs is %w; install git-lfs "+
			"and run git lfs install", filter, t.line(name, filter), ref.ErrUnsupported)
	case t.FS.Extra[h].Kind == object.Blob:
		return stored, nil // the outcome of a merge: it went through no filter
	}
	w, err := t.Workbench([]string{name})
	if err != nil {
		return nil, fmt.Errorf("prepare the content filter: %w", err)
	}
	defer w.Close()
	data, err := w.Run(ctx, nil, "cat-file", "--filters", "--path="+name, h.String())
	if err != nil {
		return nil, fmt.Errorf("filter=%s applies to it (%s): %w", filter, t.line(name, filter), err)
	}
	return data, nil
}

// Upload brings the content of new LFS files to the remote's LFS server, which has to have it before the
// commit of an update. It does what the pre-push hook of LFS does and runs no other hook. There are commits that the
// remote has.
func Upload(ctx context.Context, repo *repository.Repository, u remote.Update, there []object.Name) error {
	if !driver(repo.Settings, "lfs", true) {
		return nil
	}
	before := u.Old
	if before.IsZero() && len(there) > 0 {
		before = there[0]
	}
	needed, err := touchesLFS(ctx, repo, before, u.To)
	if err != nil || !needed {
		return err
	}
	to, err := remote.To(repo)
	if err != nil {
		return err
	}
	_, err = repo.Run(ctx, to.Configured(ctx, run.Call{Remote: true, LFS: repo.LFSProgress(),
		Args:  []string{"lfs", "pre-push", repo.Options.Remote, to.Address},
		Stdin: fmt.Appendf(nil, "%s %s %s %s\n", u.Ref, u.To, u.Ref, cmp.Or(u.Old.Text(), repo.Objects.Format.Zeros()))}))
	if err != nil {
		return fmt.Errorf("upload what git LFS stores: %w", err)
	}
	return nil
}

// touchesLFS says whether a commit has a file that LFS stores, and that another commit has otherwise.
func touchesLFS(ctx context.Context, repo *repository.Repository, before, after object.Name) (bool, error) {
	var trees [2]object.Name
	for i, h := range []object.Name{before, after} {
		if h == before && !repo.Objects.Has(h) {
			continue
		}
		c, err := repo.History.Commit(h)
		if err != nil {
			return false, err
		}
		trees[i] = c.Tree
	}
	pairs, err := tree.Compare(ctx, repo.Objects.Entries, repo.Objects.Entries, trees[0], trees[1])
	if err != nil {
		return false, err
	}
	var paths []string
	for _, p := range pairs {
		if p.New.IsFile() {
			paths = append(paths, p.Path)
		}
	}
	all, err := New(repo, trees[1], time.Time{}, nil).attributesOf(ctx, paths, "lfs")
	for _, a := range all {
		if a.value("filter") == "lfs" {
			return true, nil
		}
	}
	return false, err
}
