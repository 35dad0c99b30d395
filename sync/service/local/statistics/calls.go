// Package statistics counts the words of a project's documents: new ones, repetitions, and what a memory has for
// them.
//
// Its law: statistics are a picture of one moment, built as a job and stored whole; a change of the documents makes
// them out of date, and the next question builds them anew. It changes no document.
package statistics

import (
	"net/http"
	"slices"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/documents"
	"github.com/locsync/locsync/sync/service/local/jobs"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// Service answers the calls about statistics and does their jobs.
type Service struct {
	store *store.Store
	jobs  *jobs.Runner
}

func New(st *store.Store, jobs *jobs.Runner, q *jobs.Queue) *Service {
	s := &Service{st, jobs}
	jobs.Handle(store.KindStatistics, q, s.runStatistics, nil)
	return s
}

// Routes are the calls that are answered here, by path.
func (s *Service) Routes() map[string]api.Methods {
	return map[string]api.Methods{
		wire.PathDocumentStatistics:      {"GET": s.documentStatistics},
		wire.PathProjectStatistics:       {"GET": s.projectStatistics},
		wire.PathProjectStatisticsV2:     {"GET": s.projectStatisticsV2},
		wire.PathProjectStatisticsBuild:  {"POST": s.rebuildStatistics},
		wire.PathFuzzyRepetitions:        {"PUT": s.setFuzzyRepetitions},
		wire.PathCompletedWorkStatistics: {"GET": s.completedWork},
		wire.PathConfirmations:           {"GET": s.answerConfirmations},
	}
}

// projectStatistics answers GET /v1/project/{projectId}/statistics: the rows of each target language. 202 with a
// plain text while they are built.
func (s *Service) projectStatistics(c *api.Call) error {
	return s.answerStatistics(c, c.PathValue(wire.ProjectID), func(have *store.Snapshot, p *store.Project,
		onlyExact bool) any {
		out := wire.ProjectStatisticsV1{}
		for _, code := range p.Targets {
			out[code] = wire.LanguageStatistics{Statistics: statisticsRows(have.In(code), onlyExact)}
		}
		return out
	})
}

// projectStatisticsV2 answers GET /v2/project/{projectId}/statistics, which has the documents, too.
func (s *Service) projectStatisticsV2(c *api.Call) error {
	return s.answerStatistics(c, c.PathValue(wire.ProjectID), func(have *store.Snapshot, p *store.Project,
		onlyExact bool) any {
		out := wire.ProjectStatistics{}
		for _, code := range p.Targets {
			one := wire.LanguageStatistics{Language: code, Statistics: statisticsRows(have.In(code), onlyExact),
				Documents: []wire.DocumentStatistics{}}
			for _, d := range have.In(code) {
				one.Documents = append(one.Documents, wire.DocumentStatistics{Name: d.Name,
					Statistics: statisticsRows([]store.DocumentSnapshot{d}, onlyExact)})
			}
			out = append(out, one)
		}
		return out
	})
}

// documentStatistics answers GET /v1/document/statistics.
func (s *Service) documentStatistics(c *api.Call) error {
	at, err := store.Read(s.store, func(tx *store.Tx) (store.Selection, error) {
		return documents.DocumentParameter(tx, c.Params, true)
	})
	if err != nil {
		return err
	}
	id := at.Document.CompositeID(at.Codes[0])
	return s.answerStatistics(c, at.Document.Project, func(have *store.Snapshot, _ *store.Project, onlyExact bool) any {
		of := slices.DeleteFunc(slices.Clone(have.Documents), func(d store.DocumentSnapshot) bool { return d.ID != id })
		return wire.DocumentStatistics{Name: at.Document.Name(), Statistics: statisticsRows(of, onlyExact)}
	})
}

func (s *Service) answerStatistics(c *api.Call, projectID string, answer func(have *store.Snapshot, p *store.Project,
	onlyExact bool) any) error {
	onlyExact, err := c.Params.Flag(wire.QueryOnlyExactMatches)
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
	p, err := s.store.Project(projectID)
	if err != nil {
		return err
	}
	return c.Answer(http.StatusOK, answer(have, p, onlyExact))
}

// building answers 202 in plain words.
func building(c *api.Call) error {
	c.Writer.Header().Set("Content-Type", "text/plain; charset=utf-8")
	c.Writer.WriteHeader(http.StatusAccepted)
	c.Writer.Write([]byte(errBuilding.Error() + "\n"))
	return nil
}

// rebuildStatistics answers POST /v1/project/{projectId}/statistics/build: the statistics are built anew, with what
// is so by then.
func (s *Service) rebuildStatistics(c *api.Call) error {
	p, err := s.store.DocumentProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	if _, err := c.Params.Flag(wire.QueryOnlyExactMatches); err != nil {
		return err
	}
	if err := s.buildStatistics(p.ID); err != nil {
		return err
	}
	return building(c)
}

// setFuzzyRepetitions answers PUT /v1/project/{projectId}/fuzzyRepetitions: whether texts that are much like an
// earlier one of the project count as matches, from the next build on.
func (s *Service) setFuzzyRepetitions(c *api.Call) error {
	p, err := s.store.DocumentProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	on, err := fuzzyParameter(c)
	if err != nil {
		return err
	}
	err = s.store.Change(p.ID, func(_ *store.Tx, p *store.Project) error {
		p.FuzzyRepetitions = on
		return nil
	})
	return c.Done(err)
}

// fuzzyParameter reads the switch from the query, where the published description has it, or from a JSON body, which
// the service interface speaks of without showing it.
func fuzzyParameter(c *api.Call) (bool, error) {
	if _, given := c.Params.Values(wire.QueryWithFuzzyMatches); given {
		return c.Params.Flag(wire.QueryWithFuzzyMatches)
	}
	raw, err := api.ReadBody(c, api.MaxModel)
	if err != nil {
		return false, err
	}
	b, err := api.ReadMembers("body", raw)
	if err != nil || !b.Has(wire.QueryWithFuzzyMatches) {
		return false, api.Invalid(wire.QueryWithFuzzyMatches, "is missing; give true or false")
	}
	on := api.Member[bool](b, wire.QueryWithFuzzyMatches)
	return on, b.Err
}

// completedWork answers GET /v1/project/{projectId}/completedWorkStatistics: what the members of the team that a task
// is assigned to have confirmed of its documents.
func (s *Service) completedWork(c *api.Call) error {
	p, err := s.store.DocumentProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	out := []wire.CompletedWork{}
	err = s.store.View(func(tx *store.Tx) error {
		tasks, err := store.TasksOf(tx, p.ID)
		if err != nil {
			return err
		}
		for _, t := range tasks {
			stage := p.StageNumber(t.Stage)
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
	return c.Reply(out, err)
}

// workOf is what is confirmed of a task.
func workOf(tx *store.Tx, p *store.Project, t *store.Task, stage int) (wire.CompletedWork, error) {
	work := wire.CompletedWork{StageType: wire.StageType(p.Stages[stage-1].Type), StageNumber: stage,
		TargetLanguage: t.Language, Documents: []wire.DocumentStatistics{}}
	var total store.SampledCount
	row := func(n store.SampledCount) []wire.StatisticsRow {
		return []wire.StatisticsRow{statisticsRow(&n, wire.StatisticsTotal, &n, float64(n.Words))}
	}
	documents, err := store.DocumentsOf(tx, p.ID)
	for _, d := range documents {
		r := d.Rendition(t.Language)
		if r == nil || stage > len(r.Stages) {
			continue
		}
		var n store.SampledCount
		n.Segments, n.Words = r.Stages[stage-1].Segments, r.Stages[stage-1].Words
		total.Add(n)
		work.Documents = append(work.Documents, wire.DocumentStatistics{Name: d.Name(), Statistics: row(n)})
	}
	work.Total = row(total)
	return work, err
}
