package repository

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/run"
)

// Errors of opening.
var (
	ErrNotRepo = errors.New("not a git repository")
	ErrOwner   = errors.New("the repository belongs to another user")
)

// found is where a repository's parts are.
type found struct {
	gitDir    string // HEAD, index, state of operations in progress
	commonDir string // objects, branches, configuration; gitDir unless this is a linked worktree
	workTree  string // the folder that holds .git; "" when the git folder itself was found
}

// find looks in dir and its parents, as git does: a .git folder, a .git file that names one (linked worktree,
// submodule, separate git dir), or a git folder itself. ErrNotRepo when there is none.
func find(dir string) (found, error) {
	start, err := filepath.Abs(dir)
	if err == nil {
		start, err = filepath.EvalSymlinks(start)
	}
	if err != nil {
		return found{}, err
	}
	for at := start; ; at = filepath.Dir(at) {
		dotGit := filepath.Join(at, ".git")
		if info, err := os.Stat(dotGit); err == nil {
			gitDir := dotGit
			if !info.IsDir() {
				if gitDir, err = readGitFile(dotGit); err != nil {
					return found{}, err
				}
			}
			if IsGitDir(gitDir) {
				return withCommonDir(found{gitDir: gitDir, workTree: at})
			}
		}
		if IsGitDir(at) {
			return withCommonDir(found{gitDir: at})
		}
		if at == filepath.Dir(at) {
			return found{}, fmt.Errorf("%s: %w; name a working tree or a bare repository, or run git init there", dir,
				ErrNotRepo)
		}
	}
}

// readGitFile follows a .git file: "gitdir: PATH", relative to the file.
func readGitFile(name string) (string, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(content), "\r\n"), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%s: %w: the file does not begin with \"gitdir: \"", name, ErrNotRepo)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(name), target)
	}
	if !IsGitDir(target) {
		return "", fmt.Errorf("%s: %w: it names %s, which is no git folder; git worktree repair may help", name, ErrNotRepo,
			target)
	}
	return filepath.Clean(target), nil
}

// IsGitDir is git's own test: HEAD, and objects and refs here or in the common dir.
func IsGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common := commonDirOf(dir)
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

func commonDirOf(gitDir string) string {
	content, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	common := strings.TrimRight(string(content), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	return filepath.Clean(common)
}

func withCommonDir(f found) (found, error) {
	resolved, err := filepath.EvalSymlinks(f.gitDir)
	if err != nil {
		return f, err
	}
	f.gitDir = resolved
	if f.commonDir, err = filepath.EvalSymlinks(commonDirOf(f.gitDir)); err != nil {
		return f, fmt.Errorf("%s: %w: its common folder is missing: %w", f.gitDir, ErrNotRepo, err)
	}
	return f, nil
}

// checkFormat refuses what would be misread: a later repository format, an extension that we do not know, references
// that this git does not know. A git program that does not know the format passes over what the repository says of
// itself; then its file is read to find out.
func checkFormat(ctx context.Context, git *run.Program, commonDir string, set Settings) (err error) {
	if len(set) == 0 {
		file := filepath.Join(commonDir, "config")
		if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if set, _, err = askSettings(ctx, git, run.Call{Args: []string{"config", "--file", file}}); err != nil {
			return err
		}
	}
	version := cmp.Or(set.Get("core.repositoryformatversion"), "0")
	if version != "0" && version != "1" {
		return fmt.Errorf("repository format version %s is %w; version 0 and 1 are", version, ref.ErrUnsupported)
	}
	if f := set.Get("extensions.objectformat"); f != "" && f != object.SHA1.String() && f != object.SHA256.String() {
		return fmt.Errorf("a repository with %s object names is %w", f, ref.ErrUnsupported)
	}
	if f := set.Get("extensions.refstorage"); f != "" && f != "files" {
		ask := run.Call{Args: []string{"for-each-ref", "--count=1"}, Env: []string{"GIT_DIR=" + commonDir}}
		if _, err := git.Run(ctx, ask); err != nil {
			return fmt.Errorf("references stored as %s are %w by this git; a newer one reads them: %w", f, ref.ErrUnsupported,
				err)
		}
	}
	if version == "0" {
		return nil // git reads no other extension there either
	}
	known := []string{"noop", "noop-v1", "worktreeconfig", "relativeworktrees", "preciousobjects", "partialclone",
		"objectformat", "refstorage", "compatobjectformat"}
	for key := range set {
		if name, ok := strings.CutPrefix(key, "extensions."); ok && !slices.Contains(known, name) {
			return fmt.Errorf("the repository extension %s is %w; a clone without it works", name, ref.ErrUnsupported)
		}
	}
	return nil
}

// checkOwner applies git's rule: the folder, its .git and the git folder are ours, or safe.directory in the user's or
// the system's configuration (never the repository's own) names the folder; then git is told that it is trusted.
func checkOwner(ctx context.Context, f found, git *run.Program, trust bool) error {
	owner := true
	for _, name := range []string{f.workTree, filepath.Join(f.workTree, ".git"), f.gitDir} {
		if f.workTree == "" && name != f.gitDir {
			continue
		}
		info, err := os.Lstat(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		owner = owner && (err != nil || !foreign(info))
	}
	if owner {
		return nil
	}
	where := cmp.Or(f.workTree, f.gitDir)
	if trust || Safe(ctx, git, where) {
		git.Trust = where
		return nil
	}
	return fmt.Errorf("%s: %w, and its configuration is code; if you trust it: trust_owner = true in the project, or "+
		"git config --global --add safe.directory %s", where, ErrOwner, where)
}

// Safe says whether safe.directory, in the user's or the system's configuration, names a folder.
func Safe(ctx context.Context, git *run.Program, dir string) bool {
	var all []string
	for _, scope := range []string{"--system", "--global"} {
		// Exit status 1 is "not set" and any other is a file we may not read: no permission either way.
		out, err := git.Run(ctx, run.Call{Args: []string{"config", scope, "-z", "--get-all", "safe.directory"}})
		if err == nil {
			all = append(all, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")...)
		}
	}
	return slices.ContainsFunc(afterEmpty(all), func(safe string) bool {
		under, ok := strings.CutSuffix(safe, "/*")
		return safe == "*" || ok && strings.HasPrefix(dir, under+"/") || filepath.Clean(safe) == dir
	})
}

// afterEmpty is what is left of a list in git's configuration, where an empty value starts it anew.
func afterEmpty(values []string) []string {
	if i := slices.Index(values, ""); i >= 0 {
		return afterEmpty(values[i+1:])
	}
	return values
}

// CommonDir finds the repository that a folder is in, as far as to know where its objects are.
func CommonDir(dir string) (string, error) {
	f, err := find(dir)
	return f.commonDir, err
}
