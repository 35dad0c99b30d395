package repository

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Worktree is a working tree of a repository, and its git folder.
type Worktree struct{ Path, GitDir string }

// Holding gives the working trees, the main one and the linked ones, that have a branch checked out, or are rebasing
// or bisecting it.
func (r *Repository) Holding(branch string) ([]Worktree, error) {
	var list []Worktree
	if main := r.mainTree(); main != "" {
		list = append(list, Worktree{Path: main, GitDir: r.Facts.CommonDir})
	}
	linked, err := os.ReadDir(filepath.Join(r.Facts.CommonDir, "worktrees"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, e := range linked {
		w := Worktree{GitDir: filepath.Join(r.Facts.CommonDir, "worktrees", e.Name())}
		dotGit, err := os.ReadFile(filepath.Join(w.GitDir, "gitdir"))
		if err != nil {
			continue // half made, or half removed
		}
		at := strings.TrimRight(string(dotGit), "\r\n")
		if !filepath.IsAbs(at) {
			at = filepath.Join(w.GitDir, at)
		}
		w.Path = filepath.Dir(at)
		list = append(list, w)
	}
	return slices.DeleteFunc(list, func(w Worktree) bool { return !r.holds(w.GitDir, "refs/heads/"+branch) }), nil
}

// mainTree is the main working tree, also when this repository was opened at a linked one; "" in a bare repository.
func (r *Repository) mainTree() string {
	common, beside := r.Facts.CommonDir, ""
	if r.Facts.GitDir == common && r.Facts.WorkTree != "" {
		return r.Facts.WorkTree
	}
	if filepath.Base(common) == ".git" {
		beside = filepath.Dir(common)
	}
	tree := cmp.Or(configuredTree(r.Settings, common), beside)
	if r.Settings.Bool("core.bare", tree == "") {
		return ""
	}
	return tree
}

// holds reads what a working tree has checked out. During a rebase or bisect HEAD is detached and the branch's name
// waits in a file; rebase --update-refs has three lines for each branch that it moves at its end.
func (r *Repository) holds(gitDir, ref string) bool {
	if head, _, err := r.Refs.Head(gitDir); err == nil && head == ref {
		return true
	}
	for _, file := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "rebase-merge/update-refs",
		bisected} {
		content, _ := os.ReadFile(filepath.Join(gitDir, file))
		for line := range strings.Lines(string(content)) {
			line = strings.TrimSpace(strings.TrimPrefix(line, "ref:"))
			if line == ref || file == bisected && "refs/heads/"+line == ref {
				return true
			}
		}
	}
	return false
}

const bisected = "BISECT_START"
