package pass

import (
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/request"
)

// mergeRequest is the request to merge the branch.
func (p *Branch) MergeRequest(repo *gitops.Repo) *request.Branch {
	return &request.Branch{Config: p.Config, Project: p.Project, Ledger: p.Ledger, Scope: p.StateName(), Repo: repo, Now: p.Now,
		Log: p.Log, Announce: p.Announce, Problems: new([]report.Problem)}
}
