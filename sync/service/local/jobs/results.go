package jobs

import (
	"net/http"
	"os"
	"path/filepath"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// result is the file of an export's bytes: written under another name, and only complete and durable under its own.
type result struct {
	File    *os.File
	path    string
	durable bool
}

func (r *Runner) ResultPath(id string) string { return filepath.Join(r.results, id) }

func (r *Runner) NewResult(id string) (*result, error) {
	f, err := os.OpenFile(r.ResultPath(id)+".part", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &result{f, r.ResultPath(id), r.store.Durable()}, nil
}

func (r *result) Keep() error {
	if r.durable {
		if err := r.File.Sync(); err != nil {
			return err
		}
	}
	if err := r.File.Close(); err != nil {
		return err
	}
	if err := os.Rename(r.File.Name(), r.path); err != nil || !r.durable {
		return err
	}
	return folder.Sync(filepath.Dir(r.path))
}

// Drop removes what keep did not keep.
func (r *result) Drop() {
	r.File.Close()
	os.Remove(r.File.Name())
}

// dropResults removes results that can no longer be asked for.
func (r *Runner) dropResults(ids []string) {
	for _, id := range ids {
		r.store.Discard(r.ResultPath(id))
	}
}

// sweepResults removes, at start, results without a job: what a crash left between two steps.
func (r *Runner) sweepResults() error {
	known := map[string]bool{}
	err := r.store.View(func(tx *store.Tx) error {
		return store.EachJob(tx, func(j *store.Job) error {
			known[j.ID] = true
			return nil
		})
	})
	if err != nil {
		return err
	}
	return folder.Sweep(r.results, known)
}

// Routes are the calls that are answered here, by path.
func (r *Runner) Routes() map[string]api.Methods {
	return map[string]api.Methods{
		wire.PathDownload: {"GET": r.download},
	}
}

// download answers GET /v1/document/export/{exportId}: 204 while the export is not ready, the file once it is, as
// often as it is asked for; 404 for an unknown or forgotten identifier, 422 for an export that failed.
func (r *Runner) download(c *api.Call) error {
	j, err := r.Find(c.PathValue(wire.ExportID), store.KindExport, store.KindDocumentExport)
	if err != nil {
		return err
	}
	switch j.Status {
	case wire.Failed:
		return api.Refuse(http.StatusUnprocessableEntity, "the export failed: %s", j.Failure)
	case wire.Completed:
	default:
		return c.Empty(http.StatusNoContent)
	}
	f, err := os.Open(r.ResultPath(j.ID))
	if err != nil {
		return err
	}
	defer f.Close()
	return c.File(f, j.Result.ContentType, j.Result.Name)
}
