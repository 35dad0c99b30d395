package boltledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/locsync/locsync/sync/memory/ledger"
)

// convert brings a store of format 1 to the present one, in one transaction: a crash leaves the old format whole.
//
// Format 1 has the collection of a source file under "language" where a job says what it has sent.
func convert(tx *bbolt.Tx) error {
	records := tx.Bucket(recordBucket)
	changed := make(map[string][]byte)
	err := records.ForEach(func(key, stored []byte) error {
		parts, err := splitKey(key, 3)
		if err != nil || parts[1] != ledger.Jobs.Kind() {
			return err
		}
		content, err := unseal(key, stored)
		if err != nil {
			return err
		}
		if content, err = convertJob(content); err != nil {
			return fmt.Errorf("convert job %s: %w", parts[2], err)
		}
		changed[string(key)] = seal(bytes.Clone(key), content)
		return nil
	})
	for key, value := range changed {
		if err == nil {
			err = records.Put([]byte(key), value)
		}
	}
	if err == nil {
		err = putFormat(tx)
	}
	if err != nil {
		return fmt.Errorf("convert to format %d: %w", ledger.Format, err)
	}
	return nil
}

func convertJob(content []byte) ([]byte, error) {
	var job ledger.Job
	var old struct {
		Files []struct {
			Memory struct{ Kinds []string }
		}
	}
	if err := errors.Join(json.Unmarshal(content, &job), json.Unmarshal(content, &old)); err != nil {
		return nil, err
	}
	for i := range job.Files {
		if m := &job.Files[i].Memory; slices.Contains(old.Files[i].Memory.Kinds, ledger.Pushed.Kind()) {
			m.Collection, m.Language, m.Kinds = m.Language, "", nil
		}
	}
	return json.Marshal(job)
}
