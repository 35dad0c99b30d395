package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// A pull that finds somebody's translation on the branch rings for a push, and only for one that would look at it: else it rang at every pull.
func TestPullTriggersAPush(t *testing.T) {
	t.Parallel()
	edited := "{\n  \"c\": \"Käselaib\"\n}\n"
	pulls := func(w *world, branch string) pull.Report {
		reports, err := pullAll(t.Context(), w.Engine, pull.Options{})
		w.check(err)
		for _, p := range reports {
			if p.Branch == branch {
				return p
			}
		}
		t.Fatalf("no pull for %s: %+v", branch, reports)
		return pull.Report{}
	}
	t.Run("of the branch that is checked out", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, lineSettings, map[string]string{appFile: mainText})
		w.clean(push.Options{})
		w.git("checkout", "-q", "-b", "feature/x")
		w.write(appFile, featText)
		w.commit()
		w.clean(push.Options{})
		w.translate("feature/x", "de", service.Final, "c", "Käse")
		pulls(w, "l10n/feature/x")
		w.git("checkout", "-q", "main")
		w.commitOn("l10n/feature/x", appDE, edited)
		for range 2 {
			if pulls(w, "l10n/feature/x").Unsent {
				t.Fatal("rings for a push of main, which does not look at feature/x")
			}
			w.sends()
		}
		w.git("checkout", "-q", "feature/x")
		if !pulls(w, "l10n/feature/x").Unsent {
			t.Fatal("does not ring for the push that looks")
		}
		w.reports(w.clean(push.Options{Near: true}), appDE+" (de): c") // nothing changed here since the last push for this branch
		if pulls(w, "l10n/feature/x").Unsent {
			t.Fatal("rings after everything was sent")
		}
	})
	for name, change := range map[string]string{
		"no pushes":         "[project.push]\nenabled = false\n",
		"no translations":   "[project.push]\ntranslations = false\n",
		"not of any branch": "[project.push]\nbranches = [\"release\"]\n",
		"":                  "",
	} {
		t.Run(strings.TrimPrefix("with "+name, "with "), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+jsonFiles, map[string]string{appFile: featText})
			w.clean(push.Options{})
			w.translate("main", "de", service.Final, "c", "Käse")
			w.pulls(pull.Options{})
			w.configure(settings + change + jsonFiles)
			w.commitOn("l10n", appDE, edited)
			for range 2 {
				if rings := pulls(w, "l10n").Unsent; rings != (name == "") {
					t.Fatalf("rings: %v", rings)
				}
			}
			if got := compact(w.show("l10n", appDE)); got != compact(edited) {
				t.Fatal(got)
			}
		})
	}
}
