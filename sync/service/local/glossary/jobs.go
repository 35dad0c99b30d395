package glossary

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// startGlossaryImport answers POST /v1/glossary/import.
func (s *Service) startGlossaryImport(c *api.Call) error {
	id, err := s.glossaryParameter(c)
	if err != nil {
		return err
	}
	clear, err := c.Params.Flag(wire.QueryClearBeforeImport)
	if err != nil {
		return err
	}
	name, body, err := glossaryFile(c)
	if err != nil {
		return err
	}
	table, err := readGlossaryFile(c.Request.Context(), name, body)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(table)
	if err != nil {
		return err
	}
	j := &store.Job{Work: store.Work{GlossaryImport: &store.GlossaryImport{Glossary: id, Clear: clear}}}
	if err := s.jobs.Start(j, [][]byte{raw}, nil); err != nil {
		return err
	}
	return c.Answer(http.StatusOK, j.ID)
}

// glossaryParameter reads the parameter that names a glossary of this account.
func (s *Service) glossaryParameter(c *api.Call) (id string, err error) {
	word, given, err := c.Params.Word(wire.QueryGlossaryID)
	if err != nil || !given {
		return "", cmp.Or(err, api.Invalid(wire.QueryGlossaryID, "is missing; GET %s lists the glossaries",
			wire.Prefix+wire.PathGlossaries))
	}
	err = s.store.View(func(tx *store.Tx) error {
		g, err := store.GlossaryIn(tx, wire.QueryGlossaryID, word)
		if err == nil {
			id = g.ID
		}
		return err
	})
	return id, err
}

// multipartOverhead is what the parts of a body need beside their contents: the limit of a glossary's file is one of
// the file, not of the body.
const multipartOverhead = 64 << 10

// glossaryFile takes the one file out of the body.
func glossaryFile(c *api.Call) (name string, body []byte, err error) {
	if err := c.Bound(wire.MaxGlossaryImport+multipartOverhead, true); err != nil {
		return "", nil, err
	}
	parts, err := api.ReadParts(c.Request)
	if err != nil {
		return "", nil, err
	}
	switch uploaded := api.Files(parts); {
	case len(uploaded) == 0:
		return "", nil, api.Invalid(wire.PartFile,
			"the body has no file; send multipart/form-data with the glossary as a part that has a file name")
	case len(uploaded) > 1:
		return "", nil, api.Invalid(wire.PartFile, "the body has %d files; send one", len(uploaded))
	case len(uploaded[0].Body) > wire.MaxGlossaryImport:
		return "", nil, &http.MaxBytesError{Limit: wire.MaxGlossaryImport}
	default:
		return uploaded[0].File, uploaded[0].Body, nil
	}
}

// runGlossaryImport brings a table into its glossary and ends the job, in one transaction.
func (s *Service) runGlossaryImport(_ context.Context, j *store.Job) error {
	return s.store.Update(func(tx *store.Tx) error {
		var table glossaryTable
		if err := json.Unmarshal(store.Upload(tx, j, 0), &table); err != nil {
			return err
		}
		g, err := store.GlossaryIn(tx, wire.QueryGlossaryID, j.GlossaryImport.Glossary)
		if err != nil {
			return err
		}
		if j.GlossaryImport.Clear {
			if err := store.ClearUnits(tx, g); err != nil {
				return err
			}
			g.Languages, g.Notes, g.Units = nil, nil, 0
		}
		g.Languages, g.Notes = api.Union(g.Languages, table.Languages), api.Union(g.Notes, table.Notes)
		for i := range table.Units {
			added, err := store.AddUnit(tx, g, &table.Units[i])
			if err != nil {
				return err
			}
			if added {
				g.Units++
			}
		}
		if err := store.PutGlossary(tx, g); err != nil {
			return err
		}
		return store.Finish(tx, j, wire.Completed)
	})
}

// glossaryImportState answers GET /v1/glossary/importTaskState/{taskId} with one word.
func (s *Service) glossaryImportState(c *api.Call) error {
	j, err := s.jobs.Find(c.PathValue(wire.TaskID), store.KindGlossaryImport)
	if err != nil {
		return err
	}
	state := wire.TaskStatePending
	switch {
	case j.Status == wire.Completed:
		state = wire.TaskStateCompleted
	case j.Status == wire.Failed:
		state = wire.TaskStateFailed
	case s.jobs.IsRunning(j):
		state = wire.TaskStateInProgress
	}
	return c.Answer(http.StatusOK, state)
}

// startGlossaryExport answers POST /v1/glossary/export.
func (s *Service) startGlossaryExport(c *api.Call) error {
	id, err := s.glossaryParameter(c)
	if err != nil {
		return err
	}
	j := &store.Job{Work: store.Work{GlossaryExport: &store.GlossaryExport{Glossary: id}}}
	if err := s.jobs.Start(j, nil, nil); err != nil {
		return err
	}
	return c.Answer(http.StatusOK, j.ID)
}

// runGlossaryExport writes the workbook of a glossary and ends the job.
func (s *Service) runGlossaryExport(_ context.Context, j *store.Job) error {
	result, err := s.jobs.NewResult(j.ID)
	if err != nil {
		return err
	}
	defer result.Drop()
	err = s.store.View(func(tx *store.Tx) error {
		g, err := store.GlossaryIn(tx, wire.QueryGlossaryID, j.GlossaryExport.Glossary)
		if err != nil {
			return err
		}
		j.Result = &store.ResultFile{Name: api.FileName(g.Name) + ".xlsx", ContentType: workbookType}
		return writeWorkbook(result.File, g, func(do func(u *store.GlossaryUnit) error) error {
			return store.EachUnit(tx, g, do)
		})
	})
	if err != nil {
		return err
	}
	if err := result.Keep(); err != nil {
		return err
	}
	return s.store.Update(func(tx *store.Tx) error { return store.Finish(tx, j, wire.Completed) })
}

// glossaryExports answers GET /v1/glossary/export/pendingTasks: the exports that can be asked for, ready or not.
func (s *Service) glossaryExports(c *api.Call) error {
	var found []*store.Job
	err := s.store.View(func(tx *store.Tx) error {
		return store.EachJob(tx, func(j *store.Job) error {
			if j.Kind() == store.KindGlossaryExport && j.Account == tx.Account() && j.Status != wire.Failed {
				found = append(found, j)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b *store.Job) int { return int(min(max(a.Created-b.Created, -1), 1)) })
	out := []wire.GlossaryExport{}
	for _, j := range found {
		out = append(out, wire.GlossaryExport{ID: j.ID, GlossaryID: j.GlossaryExport.Glossary,
			Completed: j.Status == wire.Completed})
	}
	return c.Answer(http.StatusOK, out)
}

// downloadGlossary answers GET /v1/glossary/export/{taskId}: the workbook, as often as it is asked for. While it is
// not ready that is a 400, unlike the 204 of other exports; an export that failed is a 500.
func (s *Service) downloadGlossary(c *api.Call) error {
	j, err := s.jobs.Find(c.PathValue(wire.TaskID), store.KindGlossaryExport)
	if err != nil {
		return err
	}
	switch j.Status {
	case wire.Failed:
		return api.Refuse(http.StatusInternalServerError, "the export failed: %s", j.Failure)
	case wire.Completed:
	default:
		return api.Refuse(http.StatusBadRequest, "the export is not ready yet; ask again in a moment")
	}
	f, err := os.Open(s.jobs.ResultPath(j.ID))
	if err != nil {
		return err
	}
	defer f.Close()
	return c.File(f, j.Result.ContentType, j.Result.Name)
}
