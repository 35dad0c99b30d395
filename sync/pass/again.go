package pass

import (
	"slices"

	"github.com/locsync/locsync/sync/report"
)

// scope is what a pass of the project is for.
func Scope(p *Branch) report.Scope { return report.Scope{Name: p.Project.Name, Base: p.Base} }

// noProblems is the outcome that a pass begins with.
func NoProblems() report.Outcome { return report.Outcome{Problems: []report.Problem{}} }

// union are the problems of two runs, each once.
func Union(first, second []report.Problem) []report.Problem {
	all := slices.Clone(first)
	for _, p := range second {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
