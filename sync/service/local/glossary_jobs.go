package local

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"

	"github.com/locsync/locsync/sync/service/wire"
)

// glossaryImport is a table of terms on its way into a glossary. The file was read when the call was answered, so that what is wrong with it is said
// there and nothing of it is stored; the table waits as the job's upload.
type glossaryImport struct {
	Glossary string `json:"glossary"`
	Clear    bool   `json:"clear,omitempty"`
}

// glossaryExport is the workbook of a glossary on its way out.
type glossaryExport struct {
	Glossary string `json:"glossary"`
}

// startGlossaryImport answers POST /v1/glossary/import.
func (s *glossaryService) startGlossaryImport(c *call) error {
	id, err := s.glossaryParameter(c)
	if err != nil {
		return err
	}
	clear, err := c.params.flag(wire.QueryClearBeforeImport)
	if err != nil {
		return err
	}
	name, body, err := glossaryFile(c)
	if err != nil {
		return err
	}
	table, err := readGlossaryFile(name, body)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(table)
	if err != nil {
		return err
	}
	j := &job{work: work{GlossaryImport: &glossaryImport{Glossary: id, Clear: clear}}}
	if err := s.jobs.start(j, [][]byte{raw}, nil); err != nil {
		return err
	}
	return c.json(http.StatusOK, j.ID)
}

// glossaryParameter reads the parameter that names a glossary of this account.
func (s *glossaryService) glossaryParameter(c *call) (id string, err error) {
	word, given, err := c.params.word(wire.QueryGlossaryID)
	if err != nil || !given {
		return "", orElse(err, invalid(wire.QueryGlossaryID, "is missing; GET %s lists the glossaries", wire.Prefix+wire.PathGlossaries))
	}
	err = s.store.view(func(tx *Tx) error {
		g, err := glossaryIn(tx, wire.QueryGlossaryID, word)
		if err == nil {
			id = g.ID
		}
		return err
	})
	return id, err
}

// multipartOverhead is what the parts of a body need beside their contents: the limit of a glossary's file is one of the file, not of the body.
const multipartOverhead = 64 << 10

// glossaryFile takes the one file out of the body.
func glossaryFile(c *call) (name string, body []byte, err error) {
	if err := c.bound(wire.MaxGlossaryImport+multipartOverhead, true); err != nil {
		return "", nil, err
	}
	parts, err := readParts(c.Request)
	if err != nil {
		return "", nil, err
	}
	switch uploaded := files(parts); {
	case len(uploaded) == 0:
		return "", nil, invalid(wire.PartFile, "the body has no file; send multipart/form-data with the glossary as a part that has a file name")
	case len(uploaded) > 1:
		return "", nil, invalid(wire.PartFile, "the body has %d files; send one", len(uploaded))
	case len(uploaded[0].body) > wire.MaxGlossaryImport:
		return "", nil, &http.MaxBytesError{Limit: wire.MaxGlossaryImport}
	default:
		return uploaded[0].file, uploaded[0].body, nil
	}
}

// runGlossaryImport brings a table into its glossary and ends the job, in one transaction.
func (s *glossaryService) runGlossaryImport(_ context.Context, j *job) error {
	return s.store.update(func(tx *Tx) error {
		var table glossaryTable
		if err := json.Unmarshal(upload(tx, j, 0), &table); err != nil {
			return err
		}
		g, err := glossaryIn(tx, wire.QueryGlossaryID, j.GlossaryImport.Glossary)
		if err != nil {
			return err
		}
		if j.GlossaryImport.Clear {
			if err := clearUnits(tx, g); err != nil {
				return err
			}
			g.Languages, g.Notes, g.Units = nil, nil, 0
		}
		g.Languages, g.Notes = union(g.Languages, table.Languages), union(g.Notes, table.Notes)
		for i := range table.Units {
			added, err := addUnit(tx, g, &table.Units[i])
			if err != nil {
				return err
			}
			if added {
				g.Units++
			}
		}
		if err := putGlossary(tx, g); err != nil {
			return err
		}
		return finish(tx, j, wire.Completed)
	})
}

// glossaryImportState answers GET /v1/glossary/importTaskState/{taskId} with one word.
func (s *glossaryService) glossaryImportState(c *call) error {
	j, err := s.jobs.find(c.pathValue(wire.TaskID), kindGlossaryImport)
	if err != nil {
		return err
	}
	state := wire.TaskStatePending
	switch {
	case j.Status == wire.Completed:
		state = wire.TaskStateCompleted
	case j.Status == wire.Failed:
		state = wire.TaskStateFailed
	case s.jobs.isRunning(j):
		state = wire.TaskStateInProgress
	}
	return c.json(http.StatusOK, state)
}

// startGlossaryExport answers POST /v1/glossary/export.
func (s *glossaryService) startGlossaryExport(c *call) error {
	id, err := s.glossaryParameter(c)
	if err != nil {
		return err
	}
	j := &job{work: work{GlossaryExport: &glossaryExport{Glossary: id}}}
	if err := s.jobs.start(j, nil, nil); err != nil {
		return err
	}
	return c.json(http.StatusOK, j.ID)
}

// runGlossaryExport writes the workbook of a glossary and ends the job.
func (s *glossaryService) runGlossaryExport(_ context.Context, j *job) error {
	result, err := s.jobs.newResult(j.ID)
	if err != nil {
		return err
	}
	defer result.drop()
	err = s.store.view(func(tx *Tx) error {
		g, err := glossaryIn(tx, wire.QueryGlossaryID, j.GlossaryExport.Glossary)
		if err != nil {
			return err
		}
		j.Result = &resultFile{Name: fileName(g.Name) + ".xlsx", ContentType: workbookType}
		return writeWorkbook(result.file, g, func(do func(u *glossaryUnit) error) error {
			return eachUnit(tx, g, do)
		})
	})
	if err != nil {
		return err
	}
	if err := result.keep(); err != nil {
		return err
	}
	return s.store.update(func(tx *Tx) error { return finish(tx, j, wire.Completed) })
}

// glossaryExports answers GET /v1/glossary/export/pendingTasks: the exports that can be asked for, ready or not.
func (s *glossaryService) glossaryExports(c *call) error {
	var found []*job
	err := s.store.view(func(tx *Tx) error {
		return eachJob(tx, func(j *job) error {
			if j.kind() == kindGlossaryExport && j.Account == tx.account() && j.Status != wire.Failed {
				found = append(found, j)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b *job) int { return int(min(max(a.Created-b.Created, -1), 1)) })
	out := []wire.GlossaryExport{}
	for _, j := range found {
		out = append(out, wire.GlossaryExport{ID: j.ID, GlossaryID: j.GlossaryExport.Glossary, Completed: j.Status == wire.Completed})
	}
	return c.json(http.StatusOK, out)
}

// downloadGlossary answers GET /v1/glossary/export/{taskId}: the workbook, as often as it is asked for. While it is not ready that is a 400, unlike the 204
// of other exports; an export that failed is a 500.
func (s *glossaryService) downloadGlossary(c *call) error {
	j, err := s.jobs.find(c.pathValue(wire.TaskID), kindGlossaryExport)
	if err != nil {
		return err
	}
	switch j.Status {
	case wire.Failed:
		return refuse(http.StatusInternalServerError, "the export failed: %s", j.Failure)
	case wire.Completed:
	default:
		return refuse(http.StatusBadRequest, "the export is not ready yet; ask again in a moment")
	}
	f, err := os.Open(s.jobs.resultPath(j.ID))
	if err != nil {
		return err
	}
	defer f.Close()
	return c.file(f, j.Result.ContentType, j.Result.Name)
}
