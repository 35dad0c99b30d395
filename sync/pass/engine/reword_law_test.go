package engine

import (
	"fmt"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"pgregory.net/rapid"
)

// Whatever people write in the source file and copy editors at the service, in whatever order passes and merges come: a merge of the branch never
// conflicts, no text comes back that somebody had replaced, and when everything is merged both sides have the same and nothing more happens.
func TestSourcePullLaw(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	keys := []string{"a", "b", "c"}
	rapid.Check(t, func(rt *rapid.T) {
		text := map[string]string{"a": "source", "b": "source", "c": "source"} // in the working tree
		w := newWorld(t, withSource+jsonFiles, map[string]string{enA: flat(text)})
		w.clean(push.Options{})
		byHand, byEditor := map[string]string{}, map[string]string{} // the last of each
		merge := func(how string) {
			w.pulls(pull.Options{})
			if w.git("branch", "--list", "l10n") == "" {
				return
			}
			if out, err := gittest.TryGit(t, w.dir, "merge", "-q", how, "l10n"); err != nil {
				rt.Fatalf("the branch does not merge: %s", out)
			}
			if w.git("status", "--porcelain", "--untracked-files=no") != "" {
				w.commit()
			}
			text = parseFlat(rt, w.show("main", enA))
		}
		for n := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			key := rapid.SampledFrom(keys).Draw(rt, "key")
			switch what := rapid.SampledFrom([]string{"hand", "editor", "editor", "push", "pull", "--no-edit", "--squash"}).Draw(rt, "what"); what {
			case "hand":
				byHand[key] = fmt.Sprint("hand ", n)
				text[key] = byHand[key]
				w.write(enA, flat(text))
				w.commit()
			case "editor":
				byEditor[key] = fmt.Sprint("editor ", n)
				w.translate("main", "en", service.Draft, key, byEditor[key])
			case "push":
				w.pushes(push.Options{})
			case "pull":
				w.pulls(pull.Options{})
			default:
				merge(what)
			}
		}
		for range 2 {
			w.pushes(push.Options{})
			merge("--no-edit")
		}
		w.sends()
		w.brings()
		have := w.at("main", "en")
		for _, key := range keys {
			last := text[key] == byHand[key] || text[key] == byEditor[key] || byHand[key] == "" && byEditor[key] == "" && text[key] == "source"
			if text[key] == "" || text[key] != have[key] || !last {
				rt.Fatalf("%s is %q in the repository and %q at the service; last written were %q and %q", key, text[key], have[key], byHand[key], byEditor[key])
			}
		}
	})
}
