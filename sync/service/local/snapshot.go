package local

import (
	"slices"

	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
)

// snapshot is the statistics of a project as they were when they were built. It lies in the bucket statistics, under the project's
// identifier. The first question for it begins to build it; so does one after documents came, changed or went.
type snapshot struct {
	Job       string             `json:"job,omitempty"`       // that is building the next one
	Built     bool               `json:"built,omitempty"`     // it has been built once
	Revision  int                `json:"revision"`            // of the project's documents then
	Documents []documentSnapshot `json:"documents,omitempty"` // one for each document and language
}

type documentSnapshot struct {
	ID       string                               `json:"id"`
	Name     string                               `json:"name"`
	Language string                               `json:"language"`
	Counts   map[wire.StatisticsName]sampledCount `json:"counts"`
}

type sampledCount struct {
	Segments int `json:"n"`
	segment.Count
}

func (n *sampledCount) add(o sampledCount) {
	n.Segments += o.Segments
	n.Count.Add(o.Count)
}

// in are the documents of one language.
func (have *snapshot) in(code string) []documentSnapshot {
	return slices.DeleteFunc(slices.Clone(have.Documents), func(d documentSnapshot) bool { return d.Language != code })
}

// snapshotOf are the statistics of a project, nil where they were not asked for yet.
func snapshotOf(tx *Tx, projectID string) (*snapshot, error) {
	have, _, err := getRecord[snapshot](tx.bucket(bucketStatistics), projectID)
	return have, err
}

func putSnapshot(tx *Tx, projectID string, have *snapshot) error {
	return putRecord(tx.bucket(bucketStatistics), projectID, have)
}
