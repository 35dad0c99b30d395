package engine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// keptKinds are the kinds of all marks and records that are stored under a name.
func (w *world) keptKinds(name string) []string {
	w.tb.Helper()
	var kept []string
	w.check(w.store.View(func(tx ledger.Reader) error {
		for _, kind := range []string{"pushed", "removed", "sent", "delivered", "merged", "known", "source known", "source seen", "filler", "seen",
			"seen l10n/feature/x", "made", "outdated", "gone", "inherited", "former", "conflicts", "reconciled", "request", "jobs", "past", "looked",
			"unsent", "moves", "missing", "renames", "delivery"} {
			slots, err := tx.Slots(ledger.Slot{Scope: name, Kind: kind})
			if err != nil {
				return err
			}
			records := 0
			err = tx.Records(ledger.Key{Scope: name, Kind: kind}, func(string, []byte) error {
				records++
				return nil
			})
			if err != nil {
				return err
			}
			if len(slots)+records > 0 {
				kept = append(kept, kind)
			}
		}
		return nil
	}))
	return kept
}

// pullsAll is pulls, for all lines.
func (w *world) pullsAll() []report.ProjectPull {
	w.tb.Helper()
	result, err := w.Pull(w.tb.Context(), pull.Options{})
	w.check(err)
	return result.Projects
}

// What is remembered of a branch stays for a while after it is gone, for it may come back, and goes then. The status still says what nobody needs any more. A
// branch of that name that comes later begins anew: its keys are sent again, wherever the collections are by then, and its translations come back; no text of
// the earlier branch stands for one of the trunk.
func TestFinishedBranchIsForgotten(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, deleted := range map[string]bool{"collection kept": false, "collection deleted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, lineSettings, map[string]string{appFile: mainText})
			bare := gittest.Bare(t, w.dir)
			w.git("push", "-q", "origin", "main")
			w.configure(lineSettings)
			now := time.Now()
			w.Engine.Now = func() time.Time { return now }
			w.sends(appFile + " (en): a b")
			w.translate("main", "de", service.Final, "b", "Brot")
			w.git("checkout", "-q", "-b", "feature/x")
			w.write(appFile, featText)
			w.commit()
			w.git("push", "-q", "origin", "feature/x")
			w.sends(appFile + " (en): b c")
			w.translate("feature/x", "de", service.Final, "b", "Butter", "c", "Käse")
			w.pullsAll()
			if got := compact(gittest.Git(t, bare, "show", "l10n/feature/x:"+appDE)); got != `{ "b": "Butter", "c": "Käse" }` {
				t.Fatal(got)
			}
			line := w.projects[0].branch.ProjectName() + "#feature/x"
			before := w.keptKinds(line)
			if len(before) < 6 {
				t.Fatalf("only %q are remembered", before)
			}

			w.git("checkout", "-q", "main")
			w.git("push", "-q", "origin", ":feature/x", ":l10n/feature/x")
			w.git("branch", "-q", "-D", "feature/x", "l10n/feature/x")
			finished(t, w.pullsAll()[0].Finished, "feature/x")
			now = now.Add(29 * 24 * time.Hour)
			w.pullsAll()
			if kept := w.keptKinds(line); !slices.Equal(kept, before) {
				t.Fatalf("%q are remembered, before %q", kept, before)
			}
			now = now.Add(2 * 24 * time.Hour)
			for _, p := range w.pullsAll() {
				finished(t, p.Finished)
			}
			if kept := w.keptKinds(line); !slices.Equal(kept, []string{"former"}) {
				t.Fatalf("%q are remembered", kept)
			}
			s := w.Status(t.Context()).Projects[0]
			if l := s.Lines[0]; l.Base != "feature/x" || l.Finished == nil || !slices.Equal(l.Collections, []string{"feature/x"}) || s.Lines[1].Base != "main" {
				t.Fatalf("%+v", s.Lines)
			}

			w.git("checkout", "-q", "-b", "feature/x")
			w.write(appFile, strings.Replace(featText, "Butter", "Bread", 1)) // as main has it
			w.commit()
			w.git("push", "-q", "origin", "feature/x")
			if deleted {
				const other = "11111111-2222-3333-4444-666666666666"
				w.check(w.svc.EnsureProject(other, "app", "en", []string{"de", "fr"}))
				w.wire.redirect(w.id, other)
				w.translate("main", "en", service.Final, "a", "Apple", "b", "Bread")
			}
			w.sends(appFile + " (en): b c")
			w.only("feature/x", "en", "b", "Bread", "c", "Cheese")
			w.sends()
			if deleted {
				w.translate("feature/x", "de", service.Final, "c", "Käse")
			}
			w.pullsAll()
			got := textsOf(t, gittest.Git(t, bare, "show", "l10n/feature/x:"+appDE))
			if got["c"] != "Käse" || len(got) > 1 { // the service sets a translation back whose source text changes
				t.Fatalf("%v", got)
			}
			if s := w.Status(t.Context()).Projects[0]; s.Base != "feature/x" || s.Lines[0].Finished != nil {
				t.Fatalf("%+v", s.Lines)
			}
			finished(t, w.pullsAll()[0].Finished)
		})
	}
}

// A branch of the name of a forgotten one goes again before anything is pushed for it: what the first one left at the service is still named.
func TestFinishedBranchNamesLeftoversOfEarlierOnes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, lineSettings, map[string]string{appFile: mainText})
	gittest.Bare(t, w.dir)
	w.git("push", "-q", "origin", "main")
	w.configure(lineSettings)
	now := time.Now()
	w.Engine.Now = func() time.Time { return now }
	w.sends(appFile + " (en): a b")
	for life, pushed := range []bool{true, false} {
		w.git("checkout", "-q", "-b", "feature/x")
		w.write(appFile, featText)
		w.commit()
		w.git("push", "-q", "origin", "feature/x")
		if pushed {
			w.sends(appFile + " (en): b c")
		} else {
			finished(t, w.pullsAll()[0].Finished)
		}
		w.git("checkout", "-q", "main")
		w.git("push", "-q", "origin", ":feature/x")
		w.git("branch", "-q", "-D", "feature/x")
		gone := w.pullsAll()[0].Finished
		finished(t, gone, "feature/x")
		if !slices.Equal(gone[0].Collections, []string{"feature/x"}) {
			t.Fatalf("life %d left %q", life, gone[0].Collections)
		}
		now = now.Add(31 * 24 * time.Hour)
		w.pullsAll()
	}
	if s := w.Status(t.Context()).Projects[0]; !slices.Equal(s.Lines[0].Collections, []string{"feature/x"}) {
		t.Fatalf("%+v", s.Lines)
	}
}
