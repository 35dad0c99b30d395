package store

import (
	"slices"

	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
)

// Snapshot is the statistics of a project as they were when they were built. It is in the bucket statistics, under
// the project's identifier. The first question for it begins to build it; so does one after documents came, changed
// or went.
type Snapshot struct {
	Job       string             `json:"job,omitempty"`       // that is building the next one
	Built     bool               `json:"built,omitempty"`     // it has been built once
	Revision  int                `json:"revision"`            // of the project's documents then
	Documents []DocumentSnapshot `json:"documents,omitempty"` // one for each document and language
}

type DocumentSnapshot struct {
	ID       string                               `json:"id"`
	Name     string                               `json:"name"`
	Language string                               `json:"language"`
	Counts   map[wire.StatisticsName]SampledCount `json:"counts"`
}

type SampledCount struct {
	Segments int `json:"n"`
	segment.Count
}

func (n *SampledCount) Add(o SampledCount) {
	n.Segments += o.Segments
	n.Count.Add(o.Count)
}

// In are the documents of one language.
func (have *Snapshot) In(code string) []DocumentSnapshot {
	return slices.DeleteFunc(slices.Clone(have.Documents), func(d DocumentSnapshot) bool { return d.Language != code })
}

// SnapshotOf are the statistics of a project, nil where they were not asked for yet.
func SnapshotOf(tx *Tx, projectID string) (*Snapshot, error) {
	have, _, err := getRecord[Snapshot](tx.bucket(bucketStatistics), projectID)
	return have, err
}

func PutSnapshot(tx *Tx, projectID string, have *Snapshot) error {
	return putRecord(tx.bucket(bucketStatistics), projectID, have)
}
