package engine

import (
	"fmt"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
)

// A clone that lies behind main does not put its source text over a later one of main's, with a state as without one:
// an edit is named beside main's, an old text stays where it is. On main again it goes on.
func TestACloneThatIsBehind(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"kept", "lost"} {
		for _, fetched := range []bool{true, false} {
			t.Run(fmt.Sprint(state, " fetched ", fetched), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "T-1", "b": "B"}`})
				bare := w.bare()
				w.configure(w.config)
				w.edit(enApp, `{"a": "T0", "b": "B"}`)
				a, b := w.newPlace(bare), w.newPlace(bare)
				w.edit(enApp, `{"a": "T1", "b": "B"}`)
				w.syncs()
				w.holds("main", "en", "a", "T1")
				w.in(a)
				if fetched {
					w.git("fetch", "-q")
				}
				lose := func() {
					if state == "lost" {
						w.lose()
					}
				}
				lose()
				w.write(enApp, `{"a": "T2", "b": "B, edited"}`)
				for range 2 {
					dry := w.pushes(push.Options{DryRun: true})
					p := w.pushes(push.Options{})
					w.problem(p.Problems, `"T1", which branch main has later than this tree`, `"T2"`)
					w.problem(dry.Problems, `"T1", which branch main has later than this tree`, `"T2"`)
					w.holds("main", "en", "a", "T1", "b", "B, edited")
					w.pulls(pull.Options{})
				}
				w.git("checkout", "-q", "-f", "origin/main~1")
				if fetched { // an old branch is checked out
					w.git("checkout", "-q", "-f", "origin/main~2")
				}
				lose()
				for range 2 {
					w.clean(push.Options{})
					w.pulls(pull.Options{})
					w.holds("main", "en", "a", "T1")
				}
				w.git("checkout", "-q", "main")
				w.git("merge", "-q", "--ff-only", "origin/main")
				w.write(enApp, `{"a": "T3", "b": "B"}`)
				w.clean(push.Options{})
				w.holds("main", "en", "a", "T3", "b", "B")
				w.in(b)
				w.clean(push.Options{})
				gittest.Sound(t, w.dir)
			})
		}
	}
}
