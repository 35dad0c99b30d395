package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Whatever a crash leaves of the end of a delivery, and of its beginning, the next pull makes of it what an undisturbed one would have.
func TestDeliveryEndsInPieces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B"}`, "locales/en/two.json": `{"c": "C"}`})
	bare := w.bare()
	w.configure(w.config)
	w.pushes(push.Options{})
	w.final("de", "a", "A1", "c", "C1")
	w.pulls(pull.Options{})
	w.final("de", "a", "A2", "b", "B2", "c", "C2")
	w.final("fr", "a", "A3", "c", "C3")
	gittest.Hook(t, bare, "pre-receive", "exit 1")
	if _, err := w.Pull(t.Context(), pull.Options{}); err == nil {
		t.Fatal("the remote refuses nothing")
	}
	var home, cfg = w.home, w.Config
	remembered := func(before func(p *pass.Branch, d ledger.Delivery), arrived bool) string {
		w.home = t.TempDir()
		w.check(os.CopyFS(w.home, os.DirFS(home)))
		w.restart(cfg)
		p := w.projects[0].branch
		d, ok, err := ledger.Deliveries.Get(p.Ledger, p.StateName(), "l10n")
		if w.check(err); !ok || len(d.Files) != 4 {
			t.Fatalf("the delivery is %+v", d)
		}
		before(p, d)
		w.check(pull.Unstage(t.Context(), p, d, arrived))
		if _, ok, _ := ledger.Deliveries.Get(p.Ledger, p.StateName(), "l10n"); ok {
			t.Error("the delivery does not end")
		}
		var all strings.Builder
		for _, kind := range []ledger.TargetMarks{ledger.Merged, ledger.Known, ledger.Filler, ledger.Made, ledger.Outdated, pass.LookAt("l10n").Kind()} {
			slots, err := kind.Slots(p.Ledger, p.StateName())
			w.check(err)
			for _, slot := range slots {
				marks, err := p.Ledger.Marks(slot)
				w.check(err)
				staged, err := p.Ledger.Marks(slot.Stage(true))
				w.check(err)
				fmt.Fprintln(&all, slot, marks, staged)
			}
		}
		return all.String()
	}
	whole := make(map[bool]string)
	for _, arrived := range []bool{true, false} {
		whole[arrived] = remembered(func(*pass.Branch, ledger.Delivery) {}, arrived)
		for cut := range 6 {
			got := remembered(func(p *pass.Branch, d ledger.Delivery) {
				steps := pull.Unstaging(p, d, arrived)
				for _, step := range steps[:min(cut, len(steps))] {
					w.check(p.Ledger.Update(func(tx ledger.Writer) error { _, err := step(tx); return err }))
				}
			}, arrived)
			if got != whole[arrived] {
				t.Errorf("arrived %v, cut after %d steps:\n%s\nwant\n%s", arrived, cut, got, whole[arrived])
			}
		}
	}
	if whole[true] == whole[false] {
		t.Error("a commit that has arrived changes nothing")
	}
	half := remembered(func(p *pass.Branch, d ledger.Delivery) { // staged as far as to the last file
		last := pull.Unstaging(p, d, false)[3]
		w.check(p.Ledger.Update(func(tx ledger.Writer) error { _, err := last(tx); return err }))
	}, false)
	if half != whole[false] {
		t.Errorf("of a delivery that is half staged\n%s\nstays, want\n%s", half, whole[false])
	}
}

// The disk is full after a part of a delivery was staged, and its commit is delivered later. What that brought is no change of anyone's in the
// repository: a translator's next text is no conflict.
func TestDeliveryIsHalfStaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A"}`, "locales/en/two.json": `{"c": "C"}`})
	bare := w.bare()
	w.configure(w.config)
	w.pushes(push.Options{})
	w.final("de", "a", "A1", "c", "C1")
	w.pulls(pull.Options{})
	w.final("de", "a", "A2", "c", "C2")
	gittest.Hook(t, bare, "pre-receive", "exit 1")
	before := make(map[ledger.Slot]catalog.Marks)
	p := w.projects[0].branch
	two := func(kind ledger.TargetMarks) ledger.Slot { return kind.Of(p.StateName(), "locales/de/two.json", "de") }
	for _, kind := range []ledger.TargetMarks{ledger.Merged, ledger.Known, pass.LookAt("l10n").Kind()} {
		marks, err := w.store.Marks(two(kind))
		w.check(err)
		before[two(kind)] = marks
	}
	if _, err := w.Pull(t.Context(), pull.Options{}); err == nil {
		t.Fatal("the remote refuses nothing")
	}
	for slot, marks := range before { // as they were when the second file was to be staged
		w.check(w.store.SetMarks(slot, marks))
		w.check(w.store.Update(func(tx ledger.Writer) error { return tx.DropMarks(slot.Stage(true)) }))
	}
	d, _, err := ledger.Deliveries.Get(w.store, p.StateName(), "l10n")
	w.check(err)
	d.Staged = false
	w.check(ledger.Deliveries.Put(w.store, p.StateName(), "l10n", d))
	gittest.Hook(t, bare, "pre-receive", "exit 0")
	w.pulls(pull.Options{})
	w.has("origin/l10n", "locales/de/two.json", `{"c": "C2"}`)
	w.final("de", "a", "A3", "c", "C3")
	w.clean(push.Options{})
	w.holds("main", "de", "a", "A3", "c", "C3")
	if again := w.pulls(pull.Options{}); len(again.Problems) > 0 {
		t.Errorf("%v", again.Problems)
	}
	w.has("origin/l10n", "locales/de/two.json", `{"c": "C3"}`)
}
