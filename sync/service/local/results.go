package local

import (
	"os"
	"path/filepath"
)

// result is the file of an export's bytes: written under another name, and only complete and durable under its own.
type result struct {
	file    *os.File
	path    string
	durable bool
}

func (r *runner) resultPath(id string) string { return filepath.Join(r.results, id) }

func (r *runner) newResult(id string) (*result, error) {
	f, err := os.OpenFile(r.resultPath(id)+".part", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &result{f, r.resultPath(id), r.store.durable()}, nil
}

func (r *result) keep() error {
	if r.durable {
		if err := r.file.Sync(); err != nil {
			return err
		}
	}
	if err := r.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(r.file.Name(), r.path); err != nil || !r.durable {
		return err
	}
	return syncFolder(filepath.Dir(r.path))
}

// drop removes what keep did not keep.
func (r *result) drop() {
	r.file.Close()
	os.Remove(r.file.Name())
}

// dropResults removes results that nobody can ask for any more.
func (r *runner) dropResults(ids []string) {
	for _, id := range ids {
		os.Remove(r.resultPath(id))
	}
}

// sweepResults removes, at start, results without a job: what a crash left between two steps.
func (r *runner) sweepResults() error {
	known := map[string]bool{}
	err := r.store.view(func(tx *Tx) error {
		return eachJob(tx, func(j *job) error {
			known[j.ID] = true
			return nil
		})
	})
	if err != nil {
		return err
	}
	return sweep(r.results, known)
}

// sweep removes the files of a folder that nothing stored speaks of.
func sweep(folder string, known map[string]bool) error {
	present, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range present {
		if !known[e.Name()] {
			os.Remove(filepath.Join(folder, e.Name()))
		}
	}
	return nil
}
