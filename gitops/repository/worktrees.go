package repository

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/locsync/locsync/sync/bound"
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
		dotGit, err := readState(w.GitDir, "gitdir")
		if err != nil {
			return nil, err
		}
		if len(dotGit) == 0 {
			continue // half made, or half removed
		}
		at := strings.TrimRight(string(dotGit), "\r\n")
		if !filepath.IsAbs(at) {
			at = filepath.Join(w.GitDir, at)
		}
		w.Path = filepath.Dir(at)
		list = append(list, w)
	}
	var holding []Worktree
	for _, w := range list {
		holds, err := r.holds(w.GitDir, "refs/heads/"+branch)
		if err != nil {
			return nil, err
		}
		if holds {
			holding = append(holding, w)
		}
	}
	return holding, nil
}

// readState reads a small file of a git folder; what cannot be read says nothing.
func readState(gitDir, name string) ([]byte, error) {
	content, err := bound.ReadFile(filepath.Join(gitDir, name), 1<<20)
	if !bound.Is(err) {
		err = nil
	}
	return content, err
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
func (r *Repository) holds(gitDir, ref string) (bool, error) {
	if head, _, err := r.Refs.Head(gitDir); err == nil && head == ref {
		return true, nil
	}
	for _, file := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "rebase-merge/update-refs",
		bisected} {
		content, err := readState(gitDir, file)
		if err != nil {
			return false, err
		}
		for line := range strings.Lines(string(content)) {
			line = strings.TrimSpace(strings.TrimPrefix(line, "ref:"))
			if line == ref || file == bisected && "refs/heads/"+line == ref {
				return true, nil
			}
		}
	}
	return false, nil
}

const bisected = "BISECT_START"
