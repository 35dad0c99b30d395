package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/run"
)

// The local branch after a commit was delivered, and the working trees that may have it checked out.
//
// Moving a branch under a working tree makes the next `commit -a` there undo the move without a word. So: checked out
// nowhere, the reference is swapped. Checked out in one clean tree, git itself fast-forwards it, with index and files,
// under its own locks. Else nothing is moved, and the result says why.

// worktree is a working tree of a repository and what it holds.
type worktree struct {
	path   string // "" for a bare repository itself
	gitDir string
	refs   []string // checked out, or being rebased or bisected
	busy   string
}

func (w worktree) holds(ref string) bool {
	for _, r := range w.refs {
		if r == ref {
			return true
		}
	}
	return false
}

// worktreesOf looks at the main working tree (main "" when bare) and every linked one.
func worktreesOf(refs ref.Store, common, main string) ([]worktree, error) {
	var list []worktree
	if main != "" {
		list = append(list, worktree{path: main, gitDir: common})
	}
	linked, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, e := range linked {
		w := worktree{gitDir: filepath.Join(common, "worktrees", e.Name())}
		dotGit, err := os.ReadFile(filepath.Join(w.gitDir, "gitdir"))
		if err != nil {
			continue // half made, or half removed
		}
		at := strings.TrimRight(string(dotGit), "\r\n")
		if !filepath.IsAbs(at) {
			at = filepath.Join(w.gitDir, at)
		}
		w.path = filepath.Dir(at)
		list = append(list, w)
	}
	for i := range list {
		list[i].look(refs)
	}
	return list, nil
}

// look reads what the tree has checked out. During a rebase HEAD is detached and the branch's name waits in a file.
func (w *worktree) look(refs ref.Store) {
	if head, _, err := refs.Head(w.gitDir); err == nil && strings.HasPrefix(head, "refs/heads/") {
		w.refs = append(w.refs, head)
	}
	for _, file := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"} {
		content, err := os.ReadFile(filepath.Join(w.gitDir, file))
		if err != nil {
			continue
		}
		line := strings.TrimSpace(string(content))
		if target, ok := strings.CutPrefix(line, "ref:"); ok {
			line = strings.TrimSpace(target)
		}
		if file == "BISECT_START" && !strings.HasPrefix(line, "refs/") {
			line = "refs/heads/" + line
		}
		if strings.HasPrefix(line, "refs/heads/") {
			w.refs = append(w.refs, line)
		}
	}
	w.refs = append(w.refs, updatedByRebase(w.gitDir)...)
	w.busy = busyIn(w.gitDir)
}

// updatedByRebase are the branches that a rebase --update-refs in progress moves at its end: three lines for each, the
// first of which names it.
func updatedByRebase(gitDir string) (refs []string) {
	content, err := os.ReadFile(filepath.Join(gitDir, "rebase-merge", "update-refs"))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "refs/heads/") {
			refs = append(refs, line)
		}
	}
	return refs
}

// mainTree is the main working tree, also when this repository was opened at a linked one.
func (r *Repo) mainTree() string {
	if r.facts.Bare || r.set.bool("core.bare", false) {
		return ""
	}
	if r.facts.GitDir == r.facts.CommonDir {
		return r.facts.WorkTree
	}
	if tree := r.set.get("core.worktree"); tree != "" {
		if !filepath.IsAbs(tree) {
			tree = filepath.Join(r.facts.CommonDir, tree)
		}
		return filepath.Clean(tree)
	}
	return filepath.Dir(r.facts.CommonDir)
}

// CheckedOut gives the working trees that have a branch checked out, or are rebasing or bisecting it.
func (r *Repo) CheckedOut(branch string) ([]string, error) {
	trees, err := worktreesOf(r.refs, r.common, r.mainTree())
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, w := range trees {
		if w.holds("refs/heads/" + branch) {
			paths = append(paths, w.path)
		}
	}
	return paths, nil
}

// Local says what became of the local branch.
type Local int

const (
	Left     Local = iota // it stays where it is; Why says why
	Moved                 // the reference moved, or was made
	Followed              // git fast-forwarded the working tree that has it checked out
)

func (l Local) String() string { return [...]string{"left", "moved", "followed"}[l] }

// advance moves the local branch from now (zero: absent) to a tip that contains it.
func (r *Repo) advance(ctx context.Context, branch string, now hash, to *Tip, why string) (Local, error) {
	name := "refs/heads/" + branch
	trees, err := worktreesOf(r.refs, r.common, r.mainTree())
	if err != nil {
		return Left, err
	}
	var holding []worktree
	for _, w := range trees {
		if w.holds(name) {
			holding = append(holding, w)
		}
	}
	switch {
	case len(holding) == 0:
		err := r.refs.Swap(ctx, name, now, to.commit, why)
		if errors.Is(err, ErrMoved) {
			return Left, leave(ErrMoved, "it moved at the same time")
		}
		var clash *ref.Clash
		for _, cause := range []error{ErrBusy, ErrUnsupported} {
			if errors.Is(err, cause) {
				return Left, leave(cause, "%v", err)
			}
		}
		if errors.As(err, &clash) {
			return Left, leave(ErrUnsupported, "%v", err)
		}
		if err != nil {
			return Left, err
		}
		return Moved, nil
	case len(holding) > 1:
		return Left, leave(ErrBusy, "it is checked out in %s and %s", holding[0].path, holding[1].path)
	}
	return r.follow(ctx, holding[0], to)
}

// left is a branch that was not moved: no failure, and its cause is one of the outcomes.
type left struct {
	cause error
	why   string
}

func (l *left) Error() string { return l.why }
func (l *left) Unwrap() error { return l.cause }

func leave(cause error, format string, args ...any) error {
	return &left{cause, fmt.Sprintf(format, args...)}
}

// inTheWay names a file of the working tree that git does not know and that the tip would bring. git would refuse as
// well, but only after it wrote ORIG_HEAD.
func (r *Repo) inTheWay(ctx context.Context, w worktree, to *Tip) (string, error) {
	_, head, err := readHead(w.gitDir, r.refs)
	if err != nil || head.IsZero() {
		return "", err
	}
	before, err := r.tipAt("", head)
	if err != nil {
		return "", err
	}
	pairs, err := compareTrees(ctx, before.entriesOf, to.entriesOf, before.tree, to.tree)
	if err != nil {
		return "", err
	}
	goes := map[string]bool{}
	for _, p := range pairs {
		if p.new.Mode == 0 {
			goes[p.path] = true
		}
	}
	for _, p := range pairs {
		if p.old.Mode != 0 {
			continue
		}
		for at := path.Dir(p.path); at != "."; at = path.Dir(at) {
			info, err := os.Lstat(filepath.Join(w.path, filepath.FromSlash(at)))
			if err == nil && !info.IsDir() && !goes[at] {
				return at, nil // a file where a folder is to be
			}
		}
		if _, err := os.Lstat(filepath.Join(w.path, filepath.FromSlash(p.path))); err == nil {
			return p.path, nil
		}
	}
	return "", nil
}

// follow lets git fast-forward a clean working tree. Between our look at HEAD and git's there are some milliseconds in
// which somebody may check out another branch, and git would fast-forward that one if it could; no lock of git's spans
// both looks.
func (r *Repo) follow(ctx context.Context, w worktree, to *Tip) (Local, error) {
	if w.busy != "" {
		return Left, leave(ErrBusy, "%s is in the middle of a %s", w.path, w.busy)
	}
	if _, err := os.Stat(w.path); err != nil {
		return Left, leave(ErrBusy, "it is checked out in %s, which is gone; git worktree prune forgets it", w.path)
	}
	here := func(c run.Call) run.Call {
		c.Dir, c.Objects = w.path, filepath.Join(r.common, "objects") // a partial clone fetches what it checks out
		c.Env = append(c.Env, "GIT_DIR="+w.gitDir, "GIT_WORK_TREE="+w.path)
		return c
	}
	status, err := r.git.Run(ctx, here(run.Call{Args: []string{"status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty"}}))
	if err != nil {
		return Left, fmt.Errorf("look whether %s is clean: %w", w.path, err)
	}
	if len(status) > 0 {
		return Left, leave(ErrDirty, "it is checked out in %s, which has changes that are not committed", w.path)
	}
	if name, err := r.inTheWay(ctx, w, to); err != nil {
		return Left, err
	} else if name != "" {
		return Left, leave(ErrDirty, "it is checked out in %s, where the untracked file %s is in the way", w.path, name)
	}
	_, err = r.git.Run(ctx, here(run.Call{
		Args:  []string{"-c", "advice.diverging=false", "merge", "--ff-only", "--no-verify-signatures", "--no-stat", "--progress", to.Hash()},
		Write: true,
		LFS:   r.lfsProgress(),
		Env:   []string{"GIT_REFLOG_ACTION=locsync"},
	}))
	var refused *run.Error
	if errors.As(err, &refused) {
		cause := ErrDirty
		if strings.Contains(refused.Stderr, ".lock") {
			cause = ErrBusy
		}
		return Left, leave(cause, "it is checked out in %s, and git does not move it: %s", w.path, run.LastLines(refused.Stderr, 4))
	}
	if err != nil {
		return Left, err
	}
	return Followed, nil
}
