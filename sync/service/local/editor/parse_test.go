package editor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/locsync/locsync/sync/service/local/segment"
)

// Documents that are taken apart at once take a memory that is bounded over all of them; one that waits for it does so
// until its context ends.
func TestDocumentsAtOnceAreBounded(t *testing.T) {
	src := []byte(strings.Repeat("*a ", 10_000))
	weight := segment.Weight("a.md", src)
	synctest.Test(t, func(t *testing.T) {
		if !parsing.TryAcquire(segment.MaxWeight - weight + 1) {
			t.Fatal("something is being taken apart")
		}
		ctx, end := context.WithCancel(t.Context())
		results := make(chan error)
		parse := func(ctx context.Context) {
			_, err := Parse(ctx, "a.md", src, segment.Options{})
			results <- err
		}
		go parse(ctx)
		synctest.Wait()
		end()
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Errorf("it did not wait: %v", err)
		}
		go parse(t.Context())
		synctest.Wait()
		parsing.Release(segment.MaxWeight - weight + 1)
		if err := <-results; err != nil {
			t.Error(err)
		}
	})
}

// Documents that calls keep take a bounded memory, and one call alone is never refused.
func TestKeptDocumentsAreBounded(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	release, err := Reserve(t.Context(), segment.MaxBytes)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Reserve(ended, segment.MaxBytes)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("two of the largest are kept: %v", err)
		second()
	}
	release()
	if release, err = Reserve(t.Context(), 2*segment.MaxBytes); err != nil {
		t.Fatal(err)
	}
	release()
}
