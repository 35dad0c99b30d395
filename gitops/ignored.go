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
	"strings"

	"github.com/locsync/locsync/gitops/run"
)

// Ignored says which paths git passes over in the working tree because of a pattern, and which: `"*.json" in
// .gitignore:3`. Files that the index has are not passed over, whatever a pattern says. What cannot be told is in no
// answer: without a working tree there is none.
func (r *Repo) Ignored(ctx context.Context, paths []string) (map[string]string, error) {
	within := r.withinTree(paths)
	ctx, end := r.watch(ctx)
	defer end()
	// git compares each path that it is asked for with its whole index: that is left for the few that patterns match.
	matched, err := r.matchedByPatterns(ctx, within, "--no-index")
	if err != nil {
		return nil, err
	}
	return r.matchedByPatterns(ctx, slices.Sorted(maps.Keys(matched)))
}

// matchedByPatterns is git check-ignore: by path, what keeps git from seeing it.
func (r *Repo) matchedByPatterns(ctx context.Context, paths []string, options ...string) (map[string]string, error) {
	found := map[string]string{}
	if len(paths) == 0 {
		return found, nil
	}
	out, err := r.git.Run(ctx, run.Call{
		Dir:   r.facts.WorkTree,
		Args:  append([]string{"check-ignore", "-v", "-z", "--stdin"}, options...),
		Stdin: []byte(strings.Join(paths, "\x00") + "\x00"),
		Env:   []string{"GIT_DIR=" + r.facts.GitDir, "GIT_WORK_TREE=" + r.facts.WorkTree},
	})
	var failed *run.Error
	if errors.As(err, &failed) && failed.Exit == 1 {
		return found, nil // none of them
	}
	if err != nil {
		return nil, fmt.Errorf("ask git what it ignores in %s: %w", r.facts.WorkTree, err)
	}
	// source, line, pattern, path; a pattern with ! in front is the reason why a path is not ignored
	for f := strings.Split(string(out), "\x00"); len(f) >= 4; f = f[4:] {
		if !strings.HasPrefix(f[2], "!") {
			found[f[3]] = fmt.Sprintf("%q in %s:%s", f[2], f[0], f[1])
		}
	}
	return found, nil
}

// withinTree leaves out what leads through a link or into another repository: git asks for none of them in one
// question with others.
func (r *Repo) withinTree(paths []string) []string {
	if r.facts.WorkTree == "" {
		return nil
	}
	leaves := map[string]bool{".": false} // by folder
	var out func(folder string) bool
	out = func(folder string) bool {
		known, ok := leaves[folder]
		if !ok {
			at := filepath.Join(r.facts.WorkTree, filepath.FromSlash(folder))
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
