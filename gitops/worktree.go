package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/content"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
	"github.com/locsync/locsync/gitops/tree"
)

// Checkout is what tells whether git has touched the working tree between two readings: HEAD, and the index, which
// every checkout, reset, stash or merge writes anew. The commit alone does not: a branch that is checked out and left
// again is back where it was, and files that were read meanwhile are the other branch's.
type Checkout struct {
	Branch string // "" when HEAD is detached
	Commit string

	index fs.FileInfo // nil when there is none
	at    time.Time
}

// Checkout reads HEAD and the state of the index of the working tree.
func (r *Repo) Checkout() (Checkout, error) {
	branch, commit, err := r.Head()
	if err != nil {
		return Checkout{}, err
	}
	index, err := os.Stat(filepath.Join(r.repo.Facts.GitDir, "index"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Checkout{}, fmt.Errorf("look at the index: %w", err)
	}
	if err != nil {
		index = nil
	}
	return Checkout{branch, commit, index, time.Now()}, nil
}

// Same reports whether git has written nothing between two readings.
func (l Checkout) Same(other Checkout) bool {
	if l.Branch != other.Branch || l.Commit != other.Commit || (l.index == nil) != (other.index == nil) {
		return false
	}
	return l.index == nil || os.SameFile(l.index, other.index) && l.index.Size() == other.index.Size() &&
		l.index.ModTime().Equal(other.index.ModTime())
}

// rest is how long the index must be left alone before HEAD can be believed: a checkout writes the index, lets go of
// its lock, and only then moves HEAD.
const rest = 100 * time.Millisecond

// Fresh is how much longer to wait until what was seen can be believed; 0 when git has been quiet.
func (l Checkout) Fresh() time.Duration {
	if l.index == nil {
		return 0
	}
	age := l.at.Sub(l.index.ModTime())
	if age < 0 || age >= rest { // a time ahead of the clock says nothing
		return 0
	}
	return rest - age
}

// Ignored says which paths git passes over in the working tree because of a pattern, and which: `"*.json" in
// .gitignore:3`. Files that the index has are not passed over, whatever a pattern says. What cannot be told is in no
// answer: without a working tree there is none.
func (r *Repo) Ignored(ctx context.Context, paths []string) (map[string]string, error) {
	if r.repo.Facts.WorkTree == "" {
		return nil, nil
	}
	ctx, end := r.repo.Watch(ctx)
	defer end()
	// git compares each path that it is asked for with its whole index: that is left for the few that patterns match.
	matched, err := matchedByPatterns(ctx, r.repo, withinTree(r.repo.Facts.WorkTree, paths), "--no-index")
	if err != nil {
		return nil, err
	}
	return matchedByPatterns(ctx, r.repo, slices.Sorted(maps.Keys(matched)))
}

// matchedByPatterns is git check-ignore: by path, what keeps git from seeing it.
func matchedByPatterns(ctx context.Context, r *repository.Repository, paths []string,
	options ...string) (map[string]string, error) {
	found := map[string]string{}
	if len(paths) == 0 {
		return found, nil
	}
	out, err := r.RunHere(ctx, run.Call{
		Args:  append([]string{"check-ignore", "-v", "-z", "--stdin"}, options...),
		Stdin: []byte(strings.Join(paths, "\x00") + "\x00"),
	})
	if failed, is := errors.AsType[*run.Error](err); is && failed.Exit == 1 {
		return found, nil // none of them
	}
	if err != nil {
		return nil, fmt.Errorf("ask git what it ignores in %s: %w", r.Facts.WorkTree, err)
	}
	// source, line, pattern, path; a pattern with ! in front is the reason why a path is not ignored
	for f := strings.Split(string(out), "\x00"); len(f) >= 4; f = f[4:] {
		if !strings.HasPrefix(f[2], "!") {
			found[f[3]] = fmt.Sprintf("%q in %s:%s", f[2], f[0], f[1])
		}
	}
	return found, nil
}

// withinTree leaves out what leads through a link or into another repository: git answers for none where it is asked
// for one of them.
func withinTree(worktree string, paths []string) []string {
	leaves := map[string]bool{".": false} // by folder
	var out func(folder string) bool
	out = func(folder string) bool {
		known, ok := leaves[folder]
		if !ok {
			at := filepath.Join(worktree, filepath.FromSlash(folder))
			info, err := os.Lstat(at)
			_, inner := os.Lstat(filepath.Join(at, ".git"))
			known = err == nil && info.Mode()&fs.ModeSymlink != 0 || inner == nil || out(path.Dir(folder))
			leaves[folder] = known
		}
		return known
	}
	var within []string
	for _, name := range paths {
		if fs.ValidPath(name) && name != "." && !out(path.Dir(name)) {
			within = append(within, name)
		}
	}
	return within
}

// Listed names the files of the working tree as git sees them: those that it tracks (the ones of a sparse checkout
// that are not on the disk, submodules and links included), and others that no pattern of .gitignore and its like
// passes over. Without a working tree there are none.
func (r *Repo) Listed(ctx context.Context) (tracked, others []string, err error) {
	if r.repo.Facts.WorkTree == "" {
		return nil, nil, nil
	}
	ctx, end := r.repo.Watch(ctx)
	defer end()
	ask := func(which ...string) ([]string, error) {
		out, err := r.repo.RunHere(ctx, run.Call{Args: append([]string{"ls-files", "-z"}, which...)})
		if err != nil {
			return nil, fmt.Errorf("ask git which files there are in %s: %w", r.repo.Facts.WorkTree, err)
		}
		names := strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 })
		return slices.Compact(names), nil // a file in conflict is named once for each side
	}
	if tracked, err = ask("--cached"); err == nil {
		others, err = ask("--others", "--exclude-standard")
	}
	return tracked, others, err
}

// Renamed are the files that have another name than in a commit, with the one that they had there, as git diff tells:
// in another commit or, for "", in the working tree, as far as git tracks its files.
func (r *Repo) Renamed(ctx context.Context, since, commit string) (map[string]string, error) {
	ctx, end := r.repo.Watch(ctx)
	defer end()
	args := []string{"diff", "--raw", "-z", "--find-renames", "--diff-filter=R", "-O/dev/null", "--no-relative",
		"--ignore-submodules=all", since}
	ask := r.repo.RunHere
	if commit != "" {
		args, ask = append(args, commit), r.repo.Run
	}
	out, err := ask(ctx, run.Call{Args: append(args, "--")})
	if err != nil {
		return nil, fmt.Errorf("ask git which files have another name than in %.12s: %w", since, err)
	}
	renamed := make(map[string]string)
	for f := strings.Split(string(out), "\x00"); len(f) > 3; f = f[3:] { // what it is, the name before, and the one now
		renamed[f[2]] = f[1]
	}
	return renamed, nil
}

// leftOut are the files of the index that a sparse checkout does not write into the working tree. They are not gone.
func (r *Repo) leftOut() (fs.FS, error) {
	ctx, end := r.repo.WatchRead()
	defer end()
	out, err := r.repo.RunHere(ctx, run.Call{Args: []string{"ls-files", "-z", "-t", "--stage"}})
	if err != nil {
		return nil, err
	}
	none := content.New(r.repo, hash{}, time.Time{}, nil)
	edit, changes := tree.NewEdit(none.FS), []tree.Change(nil)
	for entry := range strings.SplitSeq(string(out), "\x00") { // S 100644 hash 0<tab>path
		about, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(about)
		// Attributes say how the files below them are stored.
		if len(fields) != 4 || fields[0] != "S" && path.Base(name) != ".gitattributes" || fields[3] != "0" {
			continue
		}
		mode, err := strconv.ParseUint(fields[1], 8, 32)
		blob, ok := object.Parse(fields[2])
		if err != nil || !ok {
			return nil, fmt.Errorf("git ls-files says %q", entry)
		}
		changes = append(changes, tree.Change{Path: name, Mode: uint32(mode), Blob: blob})
	}
	root, err := edit.Apply(changes)
	if err != nil {
		return nil, err
	}
	return content.New(r.repo, root, time.Time{}, edit.Objects).FS, nil
}
