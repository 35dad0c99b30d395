package pass

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
)

// Pushes may read source files that the base branch does not have, and never had: of the working tree, or of another
// branch. The service has translations of them, which a pull cannot write.

// unplacedFile is such a source file.
type unplacedFile struct {
	*bundle.Bundle
	keys        map[string]bool // that were pushed
	why, remedy string
}

// Unplaced names those that have translations at the service, with how many exports were asked for; or that the tree of
// a pull, which base is below, has no source file at all.
func (p *Branch) Unplaced(ctx context.Context, t *tree.Tree, base *gitops.Tip, languages []config.Language,
) (problems []report.Problem, asked int, err error) {
	files, err := p.findUnplaced(ctx, t, base)
	if err != nil || len(files) == 0 {
		return t.Nothing(p.Project, "branch "+base.Branch()), 0, err
	}
	var bundles []*bundle.Bundle
	for _, f := range files {
		bundles = append(bundles, f.Bundle)
	}
	var asks []ExportAsk
	for _, g := range bundle.Groups(bundles) {
		asks = append(asks, ExportAsk{Group: g, Languages: languages, Completion: p.Project.Pull.CompletionState})
	}
	present, err := p.ExportAll(ctx, asks)
	return countUnplaced(files, base.Branch(), present), len(asks), err
}

// findUnplaced finds them among the files that were pushed; t is the tree of a pull.
func (p *Branch) findUnplaced(ctx context.Context, t *tree.Tree, base *gitops.Tip) (files []unplacedFile, err error) {
	slots, err := ledger.Pushed.Slots(p.Ledger, p.StateName())
	if err != nil {
		return nil, err
	}
	for _, slot := range slots {
		b := bundle.Of(p.Project, slot.Path)
		has := func(s *tree.Source) bool { return s.Path == slot.Path }
		if b == nil || b.Collection != slot.Collection || slices.ContainsFunc(t.Sources, has) {
			continue
		}
		if had, err := p.Repo.History.Had(base.Hash(), slot.Path); err != nil || had {
			if err != nil {
				return nil, err
			}
			continue // it was deleted there
		}
		marks, err := p.Ledger.Marks(slot)
		if err != nil {
			return nil, err
		}
		f := unplacedFile{Bundle: b, keys: make(map[string]bool)}
		for n := range marks {
			f.keys[n.Key] = true
		}
		if f.why, f.remedy, err = p.whyUnplaced(ctx, slot.Path, base.Branch()); err != nil {
			return nil, err
		}
		if f.why != "" {
			files = append(files, f)
		}
	}
	return files, nil
}

// countUnplaced counts the translations of each file in what the service has of them all, and names those that have
// any.
func countUnplaced(files []unplacedFile, base string, present []*Exported) (problems []report.Problem) {
	waits := make(map[string]int)
	for _, x := range present {
		for _, target := range x.Targets(x.Group) {
			for _, f := range files {
				if slices.Contains(target.Sources, f.Bundle) {
					waits[f.Path] += len(target.Texts.Restrict(f.keys).Keys())
				}
			}
		}
	}
	for _, f := range files {
		if n := waits[f.Path]; n > 0 {
			problems = append(problems, report.Problem{Code: report.CodeUnplaced, File: f.Path,
				Problem: fmt.Sprintf("%s at the service: branch %s does not have this file, %s",
					report.Counted(n, "translation waits", "translations wait"), base, f.why), Remedy: f.remedy})
		}
	}
	return problems
}

// whyUnplaced says where a file is that base lacks, and what to do; "" where it is nowhere.
func (p *Branch) whyUnplaced(ctx context.Context, name, base string) (why, remedy string, err error) {
	repo := p.Repo
	head, commit, err := repo.Head()
	if err != nil {
		return "", "", err
	}
	fsys, err := repo.Worktree()
	if errors.Is(err, gitops.ErrUnsupported) {
		return p.onBranch(name, head, base)
	}
	if err != nil {
		return "", "", err
	}
	if _, err := fs.Stat(fsys, name); err != nil || p.Project.Push.Source != config.Worktree {
		return p.onBranch(name, p.Project.Push.Source, base)
	}
	for i := strings.Index(name, "/"); i >= 0; {
		folder := name[:i]
		info, err := fs.Lstat(fsys, folder)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "which is behind the symbolic link " + folder,
				"commit what the link leads to, or name its real path in source and output", nil
		}
		if _, err := os.Lstat(filepath.Join(repo.Facts().WorkTree, filepath.FromSlash(folder), ".git")); err == nil {
			return "which is in " + folder + ", a submodule or a repository of its own",
				"give that repository a project of its own", nil
		}
		next := strings.Index(name[i+1:], "/")
		if next < 0 {
			break
		}
		i += 1 + next
	}
	ignored, err := repo.Ignored(ctx, []string{name})
	if err != nil {
		return "", "", err
	}
	if pattern := ignored[name]; pattern != "" {
		return "which git ignores (" + pattern + ")", "take it out of that pattern, and commit it", nil
	}
	if why, remedy, err := p.onBranch(name, head, base); why != "" || err != nil {
		return why, remedy, err
	}
	if had, err := repo.History.Had(commit, name); had || err != nil {
		return "which is in the commit that is checked out, and on no branch", "bring that commit to " + base, err
	}
	add, _ := report.ShellWord(path.Clean(name))
	return "which is not committed", fmt.Sprintf("git add %s, commit it, and bring it to %s", add, base), nil
}

// onBranch finds a file on another branch: on one that is named first, if that has it.
func (p *Branch) onBranch(name, first, base string) (why, remedy string, err error) {
	branch, err := p.Repo.BranchWith(name, func(branch string) bool { return branch == first })
	if err == nil && branch == "" {
		branch, err = p.Repo.BranchWith(name, func(string) bool { return true })
	}
	switch {
	case err != nil || branch == "":
		return "", "", err
	case branch == base:
		word, _ := report.ShellWord(branch)
		return "which is on branch " + branch + " here and not at the remote",
			fmt.Sprintf("git push %s %s", p.Project.Pull.Remote, word), nil
	}
	return "which is on branch " + branch,
		fmt.Sprintf("merge %s into %s; with push.branches = [%q] it is sent only from there", branch, base, base), nil
}
