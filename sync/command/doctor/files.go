package doctor

import (
	"context"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/terminal"
)

// probeFiles reads every file as passes would, and asks of those that translations are written to whether they can be.
func (d *doctor) probeFiles(ctx context.Context, n *notes) {
	here := *d.cfg
	here.Projects = slices.DeleteFunc(slices.Clone(d.cfg.Projects), func(p config.Project) bool { return p.Cloned() })
	switch {
	case len(d.cfg.Projects) == 0:
		n.skip("files", "there is no project yet; `locsync project add` adds one")
		return
	case len(here.Projects) == 0:
		n.skip("files", "they are elsewhere; `locsync check` fetches and reads them")
		return
	case d.noRepository(ctx):
		n.skip("files", "the repository cannot be opened")
		return
	}
	result, err := engine.New(engine.Parts{Config: &here, Log: zap.NewNop()}).Check(ctx, inspect.Options{})
	if err != nil {
		n.failed("files", err, "locsync check")
		return
	}
	for _, p := range result.Projects {
		bad, odd, misfit := 0, 0, false
		for _, problem := range p.Problems {
			misfit = misfit || problem.Configuration
			if problem.Severity == report.Error {
				bad++
			} else {
				odd++
			}
		}
		told := fmt.Sprintf("%s: %s, %s in the source", p.Name, terminal.Count(len(p.Files), "file"),
			terminal.Count(p.Keys, "key"))
		switch {
		case misfit:
			n.fault("files", report.ExitWrong, "`locsync check` names the lines of the configuration",
				"%s; the configuration does not fit them", told)
		case bad > 0:
			n.fault("files", report.ExitPartial, "`locsync check` lists them with what to do",
				"%s, %s; those entries would be skipped",
				told, terminal.Count(bad, "error"))
		case len(p.Files) == 0:
			n.warn("files", "correct source in [[project.files]]", "%s: no file matches", p.Name)
		case odd > 0:
			n.warn("files", "`locsync check` lists them with what to do", "%s, %s", told, terminal.Count(odd, "warning"))
		default:
			n.ok("files", "%s, nothing wrong", told)
		}
	}
	probeFilters(ctx, d, n, result)
}

// probeFilters asks of the translations that are there whether git could store them: content filters (LFS) that cannot
// be run are the usual reason why not.
func probeFilters(ctx context.Context, d *doctor, n *notes, result report.CheckReport) {
	for _, c := range d.checkouts {
		repo, err := c.repo.get(ctx)
		if err != nil || c.cloned() != nil {
			continue
		}
		// no remote: nothing is fetched
		local, err := gitops.Open(ctx, c.dir, gitops.Options{Trust: c.projects[0].TrustOwner})
		if err != nil {
			continue // that is said already
		}
		head, _, err := repo.Head()
		if err == nil && head != "" {
			if tip, terr := local.At(ctx, head, head); terr == nil {
				n.add(filtersOf(tip, c, result))
			}
		}
		_ = local.Close()
	}
}

func filtersOf(tip *gitops.Tip, c *checkout, result report.CheckReport) report.Finding {
	read := 0
	for _, p := range result.Projects {
		if !slices.ContainsFunc(c.projects, func(mine *config.Project) bool { return mine.Name == p.Name }) {
			continue
		}
		for _, file := range p.Files {
			if _, err := tip.Lstat(file.Path); err != nil {
				continue
			}
			read++
			if err := tip.Writable(file.Path); err != nil {
				f := faultOf("filters", err, "take the file out of that pattern, or install what the filter needs")
				f.Code = report.ExitPartial
				return f
			}
		}
	}
	return report.Finding{Check: "filters", Level: report.LevelOK,
		Found: fmt.Sprintf("git could store %s as the attributes say", terminal.Count(read, "committed file"))}
}
