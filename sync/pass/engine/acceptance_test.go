package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Bookkeeping that is interrupted ends after the piece that it is at, keeps what it did, and can be made again.
func TestAcceptanceIsInterruptedBetweenBatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
	p := w.projects[0]
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := 0
	var steps []pass.StateStep
	for range 5 {
		steps = append(steps, func(tx ledger.Writer) (int, error) {
			done++
			if done == 2 {
				cancel()
			}
			return pass.PieceWeight, tx.SetMarks(ledger.Slot{Scope: "app", Kind: "step", Path: fmt.Sprint(done)}, catalog.Marks{})
		})
	}
	finished := false
	last := func(ledger.Writer) error { finished = true; return nil }
	if err := p.branch.Memory().InPieces(ctx, steps, last); !errors.Is(err, context.Canceled) || finished {
		t.Fatalf("it ended with %v, finished %v", err, finished)
	}
	if slots, err := w.store.Slots(ledger.Slot{Scope: "app", Kind: "step"}); err != nil || len(slots) != 2 {
		t.Errorf("%d steps are kept, want 2: %v", len(slots), err)
	}
	if err := p.branch.Memory().InPieces(t.Context(), steps, last); err != nil || !finished {
		t.Errorf("it ended with %v, finished %v", err, finished)
	}
}
