package editor

import (
	"context"

	"github.com/locsync/locsync/sync/service/local/segment"
	"golang.org/x/sync/semaphore"
)

// mostKept is the memory that the documents take which calls keep until they are stored, in bytes.
const mostKept = 96 << 20

// keptSegment is what a segment takes of it, and leastSegment how short one is in a file, in bytes.
const (
	keptSegment  = 200
	leastSegment = 4
)

// The memory of all documents of the process: those that are being taken apart, and those that calls keep.
var (
	parsing = semaphore.NewWeighted(segment.MaxWeight)
	kept    = semaphore.NewWeighted(mostKept)
)

// Parse takes a file apart as segment.Parse does, once the others that are being taken apart leave enough memory, or
// not where ctx ends before. It waits for nothing else, so that it can be called within a transaction.
func Parse(ctx context.Context, name string, src []byte, o segment.Options) (*segment.Document, error) {
	weight := min(segment.Weight(name, src), segment.MaxWeight) // one that is heavier is refused
	if err := parsing.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	defer parsing.Release(weight)
	return segment.Parse(ctx, name, src, o)
}

// Reserve waits until the documents that other calls keep leave memory for those of files of so many bytes, or until
// ctx ends. It comes before a transaction: those that keep documents wait for one.
func Reserve(ctx context.Context, size int) (release func(), err error) {
	weight := min(int64(size)+int64(min(size/leastSegment, segment.MaxSegments))*keptSegment, mostKept)
	if err := kept.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return func() { kept.Release(weight) }, nil
}
