package local

import (
	"net/http"
	"slices"

	"github.com/locsync/locsync/sync/service/wire"
)

// statisticsService answers the calls about statistics and does their jobs.
type statisticsService struct {
	store *store
	jobs  *runner
}

func newStatisticsService(st *store, jobs *runner, q *queue) *statisticsService {
	s := &statisticsService{st, jobs}
	jobs.handle(kindStatistics, q, s.runStatistics, nil)
	return s
}

// routes are the calls that are answered here, by path.
func (s *statisticsService) routes() map[string]methods {
	return map[string]methods{
		wire.PathDocumentStatistics:      {"GET": s.documentStatistics},
		wire.PathProjectStatistics:       {"GET": s.projectStatistics},
		wire.PathProjectStatisticsV2:     {"GET": s.projectStatisticsV2},
		wire.PathProjectStatisticsBuild:  {"POST": s.rebuildStatistics},
		wire.PathFuzzyRepetitions:        {"PUT": s.setFuzzyRepetitions},
		wire.PathCompletedWorkStatistics: {"GET": s.completedWork},
	}
}

// projectStatistics answers GET /v1/project/{projectId}/statistics: the rows of each target language. 202 with a plain text while they are built.
func (s *statisticsService) projectStatistics(c *call) error {
	return s.answerStatistics(c, c.pathValue(wire.ProjectID), func(have *snapshot, p *project, onlyExact bool) any {
		out := wire.ProjectStatisticsV1{}
		for _, code := range p.Targets {
			out[code] = wire.LanguageStatistics{Statistics: statisticsRows(have.in(code), onlyExact)}
		}
		return out
	})
}

// projectStatisticsV2 answers GET /v2/project/{projectId}/statistics, which has the documents, too.
func (s *statisticsService) projectStatisticsV2(c *call) error {
	return s.answerStatistics(c, c.pathValue(wire.ProjectID), func(have *snapshot, p *project, onlyExact bool) any {
		out := wire.ProjectStatistics{}
		for _, code := range p.Targets {
			one := wire.LanguageStatistics{Language: code, Statistics: statisticsRows(have.in(code), onlyExact), Documents: []wire.DocumentStatistics{}}
			for _, d := range have.in(code) {
				one.Documents = append(one.Documents, wire.DocumentStatistics{Name: d.Name, Statistics: statisticsRows([]documentSnapshot{d}, onlyExact)})
			}
			out = append(out, one)
		}
		return out
	})
}

// documentStatistics answers GET /v1/document/statistics.
func (s *statisticsService) documentStatistics(c *call) error {
	var at selection
	err := s.store.view(func(tx *Tx) (err error) {
		at, err = documentParameter(tx, c.params, true)
		return err
	})
	if err != nil {
		return err
	}
	id := at.document.compositeID(at.codes[0])
	return s.answerStatistics(c, at.document.Project, func(have *snapshot, _ *project, onlyExact bool) any {
		of := slices.DeleteFunc(slices.Clone(have.Documents), func(d documentSnapshot) bool { return d.ID != id })
		return wire.DocumentStatistics{Name: at.document.name(), Statistics: statisticsRows(of, onlyExact)}
	})
}

func (s *statisticsService) answerStatistics(c *call, projectID string, answer func(have *snapshot, p *project, onlyExact bool) any) error {
	onlyExact, err := c.params.flag(wire.QueryOnlyExactMatches)
	if err != nil {
		return err
	}
	have, err := s.statisticsOf(projectID)
	if err == errBuilding {
		return building(c)
	}
	if err != nil {
		return err
	}
	p, err := s.store.project(projectID)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, answer(have, p, onlyExact))
}

// building answers 202 in plain words.
func building(c *call) error {
	c.writer.Header().Set("Content-Type", "text/plain; charset=utf-8")
	c.writer.WriteHeader(http.StatusAccepted)
	c.writer.Write([]byte(errBuilding.Error() + "\n"))
	return nil
}

// rebuildStatistics answers POST /v1/project/{projectId}/statistics/build: the statistics are built anew, with what is so by then.
func (s *statisticsService) rebuildStatistics(c *call) error {
	p, err := s.store.documentProject(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	if _, err := c.params.flag(wire.QueryOnlyExactMatches); err != nil {
		return err
	}
	if err := s.buildStatistics(p.ID); err != nil {
		return err
	}
	return building(c)
}

// setFuzzyRepetitions answers PUT /v1/project/{projectId}/fuzzyRepetitions: whether texts that are much like an earlier one of the project count as
// matches, from the next build on.
func (s *statisticsService) setFuzzyRepetitions(c *call) error {
	p, err := s.store.documentProject(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	on, err := fuzzyParameter(c)
	if err != nil {
		return err
	}
	err = s.store.change(p.ID, func(_ *Tx, p *project) error {
		p.FuzzyRepetitions = on
		return nil
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// fuzzyParameter reads the switch from the query, where the published description has it, or from a JSON body, which the service interface speaks of without
// showing it.
func fuzzyParameter(c *call) (bool, error) {
	if _, given := c.params.values(wire.QueryWithFuzzyMatches); given {
		return c.params.flag(wire.QueryWithFuzzyMatches)
	}
	raw, err := readBody(c, maxModel)
	if err != nil {
		return false, err
	}
	b, err := readMembers("body", raw)
	if err != nil || !b.has(wire.QueryWithFuzzyMatches) {
		return false, invalid(wire.QueryWithFuzzyMatches, "is missing; give true or false")
	}
	on := member[bool](b, wire.QueryWithFuzzyMatches)
	return on, b.err
}

// completedWork answers GET /v1/project/{projectId}/completedWorkStatistics: what the members of the team that a task is assigned to have
// confirmed of its documents.
func (s *statisticsService) completedWork(c *call) error {
	p, err := s.store.documentProject(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	out := []wire.CompletedWork{}
	err = s.store.view(func(tx *Tx) error {
		tasks, err := tasksOf(tx, p.ID)
		if err != nil {
			return err
		}
		for _, t := range tasks {
			stage := p.stageNumber(t.Stage)
			if stage == 0 {
				continue
			}
			work, err := workOf(tx, p, t, stage)
			if err != nil {
				return err
			}
			for _, a := range t.Assigned {
				work.Executive = wire.CompletedWorkExecutive{ID: a.User, SupplierType: "freelancer"}
				out = append(out, work)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out)
}

// workOf is what is confirmed of a task.
func workOf(tx *Tx, p *project, t *task, stage int) (wire.CompletedWork, error) {
	work := wire.CompletedWork{StageType: wire.StageType(p.Stages[stage-1].Type), StageNumber: stage, TargetLanguage: t.Language, Documents: []wire.DocumentStatistics{}}
	var total sampledCount
	row := func(n sampledCount) []wire.StatisticsRow {
		return []wire.StatisticsRow{statisticsRow(&n, wire.StatisticsTotal, &n, float64(n.Words))}
	}
	documents, err := documentsOf(tx, p.ID)
	for _, d := range documents {
		r := d.rendition(t.Language)
		if r == nil || stage > len(r.Stages) {
			continue
		}
		var n sampledCount
		n.Segments, n.Words = r.Stages[stage-1].Segments, r.Stages[stage-1].Words
		total.add(n)
		work.Documents = append(work.Documents, wire.DocumentStatistics{Name: d.name(), Statistics: row(n)})
	}
	work.Total = row(total)
	return work, err
}
