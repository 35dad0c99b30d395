package pass

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/own"
	"github.com/locsync/locsync/sync/service/wire"
)

// mostQuestions is how many questions of translators a status has.
const mostQuestions = 50

// Questions are what translators ask the developers about the keys of a tree, as warnings.
func (p *Branch) Questions(ctx context.Context, t *tree.Tree) (problems []report.Problem, err error) {
	all, err := own.Questions(ctx, p.Service, p.Project.ID)
	if err != nil {
		return nil, fmt.Errorf("ask for the questions of translators: %w", err)
	}
	slices.SortStableFunc(all, func(a, b wire.Question) int { return strings.Compare(a.Key, b.Key) })
	for _, q := range all[:min(len(all), mostQuestions)] {
		of := slices.IndexFunc(t.Sources, func(s *tree.Source) bool {
			return s.Collection == q.Collection && s.MayHave(q.Key)
		})
		if of < 0 {
			continue // of a key that another branch has, or that is about to go
		}
		problems = append(problems, report.Problem{Code: report.CodeQuestion, Severity: report.Warning,
			File: t.Sources[of].Path, Key: q.Key, Language: q.Language, Problem: fmt.Sprintf("%s asks %q", q.By, q.Text),
			Remedy: "answer on the page for translators, and mark the question as answered there"})
	}
	return problems, nil
}
