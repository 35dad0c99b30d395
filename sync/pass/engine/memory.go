package engine

import (
	"io/fs"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/branches"
)

// memoryOf is what a project remembers, for a pass. The embedded service has its data where the state is: what was
// agreed on with it is worth nothing without them.
func memoryOf(p *pass.Branch, repo *gitops.Repo, dry bool) *memory.Memory {
	if p.Config.Service.Embedded() {
		return nil
	}
	s := p.Config.Service
	kept := repo.Kept(p.Project.Name, gitops.Keeping(p.Project.Memory))
	if !p.Project.PerBranch() {
		kept = kept.ListedWith(p.Project.Pull.Branch, p.Project.Pull.Base)
	}
	return &memory.Memory{Ledger: p.Ledger, Project: p.ProjectName(), Called: p.Project.Name,
		Subject: ledger.Digest([]byte(s.URL + "\x00" + p.Project.ID))[:12],
		Kept:    kept, Log: p.Log, Now: p.Now, Dry: dry}
}

// linesOf are the lines of a project with the commits that their texts are read from.
func linesOf(p *pass.Branch, repo *gitops.Repo, kept gitops.Kept) ([]memory.Line, error) {
	whole, err := branches.Sourced(p, repo)
	if err != nil {
		return nil, err
	}
	if !whole.Project.PerBranch() {
		line, err := lineOf(whole.Project, "", repo, kept)
		return []memory.Line{line}, err
	}
	lines := []memory.Line{{}} // what is of all lines
	records, err := ledger.Lines.List(p.Ledger, p.ProjectName())
	if err != nil {
		return nil, err
	}
	for _, record := range records {
		cfg, err := p.Project.On(record.Base)
		if err != nil { // the configuration has changed: what was remembered stays
			lines = append(lines, memory.Line{Base: record.Base})
			continue
		}
		line, err := lineOf(cfg, record.Base, repo, kept)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func lineOf(cfg *config.Project, base string, repo *gitops.Repo, kept gitops.Kept) (memory.Line, error) {
	line := memory.Line{Base: base}
	from := cfg.Pull.Base
	var err error
	if from == "" {
		from, err = repo.Branches.Base()
		if err != nil {
			return line, err
		}
	}
	if cfg.Push.Source != config.Worktree {
		from = cfg.Push.Source
	}
	line.Branch, err = kept.Published(cfg.Pull.Branch)
	if err != nil {
		return line, err
	}
	line.Source, err = kept.Published(from)
	if err != nil {
		return line, err
	}
	var all []fs.FS
	for _, commit := range []string{line.Branch, line.Source} {
		if commit == "" {
			continue
		}
		tip, err := repo.AtCommit(commit)
		if err != nil {
			return line, err
		}
		all = append(all, tip)
	}
	line.Layout, err = memory.LayoutOf(cfg, all...)
	return line, err
}
