package imports

import (
	"testing"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/passtest"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// The service's own texts that follow a key are not remembered as sent from here. That it holds others is told as of
// all that is sent.
func TestConflictOfATextThatIsNotRemembered(t *testing.T) {
	t.Parallel()
	p := passtest.Branch(t, t.TempDir(), []string{"de"})
	r, batch := running(p), Batch{}
	text := func(key string) catalog.Unit { return catalog.Unit{Name: catalog.Name{Key: key}, Text: "A text"} }
	texts := catalog.Catalog{text("ours"), text("theirs")}
	to := ledger.Destination{Path: "de.json", Language: "de", Kinds: []ledger.TargetMarks{ledger.Known}}
	batch.Add(service.ImportRequest{Language: "de", Conflicts: service.Report}, bundle.Upload{Units: texts}, to, texts[:1], Over{})
	j, err := r.record(batch.All[0])
	if err != nil {
		t.Fatal(err)
	}
	held := map[string][]string{"ours": {"A"}, "theirs": {"B"}}
	if err := r.complete(t.Context(), j, service.ImportResult{Status: "completed", Conflicts: held}); err != nil {
		t.Fatal(err)
	}
	if len(r.Report.Problems) != 2 {
		t.Errorf("%v", r.Report.Problems)
	}
}
