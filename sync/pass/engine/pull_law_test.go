package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"pgregory.net/rapid"
)

// walk is a random story. Every text in it is new, so that it can be told who wrote it.
type walk struct {
	*world
	n       int
	written map[string]bool
}

func (w *walk) text(who string) string {
	w.n++
	text := fmt.Sprintf("%s %d", who, w.n)
	w.written[text] = true
	return text
}

func parseFlat(rt *rapid.T, src string) map[string]string {
	m := map[string]string{}
	if src != "" {
		if err := json.Unmarshal([]byte(src), &m); err != nil {
			rt.Fatalf("%v in %s", err, src)
		}
	}
	return m
}

func flat(m map[string]string) string {
	var lines []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		lines = append(lines, fmt.Sprintf("  %q: %q", k, m[k]))
	}
	return "{\n" + strings.Join(lines, ",\n") + "\n}\n"
}

// Random edits on all sides: a person on base, another on the branch, translators at the service, merges and squashes of the branch. After
// every pull the next one has nothing to do; in the end, after a sync, branch and service agree, or what they never agreed
// on waits for a decision, and no text that anybody wrote is lost to both git and the service.
func TestNothingIsLostWhateverPeopleDo(t *testing.T) {
	gittest.Long(t)
	keys := []string{"a", "b", "c"}
	rapid.Check(t, func(rt *rapid.T) {
		incomplete := rapid.SampledFrom([]string{"skip", "blank", "fallback"}).Draw(rt, "incomplete")
		wt := newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\nincomplete = \""+incomplete+"\"\n"+jsonFiles,
			map[string]string{"locales/en/a.json": flat(map[string]string{"a": "source a", "b": "source b", "c": "source c"})})
		w := &walk{world: wt, written: map[string]bool{}}
		w.pushes(push.Options{})
		sources := parseFlat(rt, w.show("main", "locales/en/a.json"))
		fillers := map[string]bool{"": true}
		for _, s := range sources {
			fillers[s] = true
		}
		edit := func(branch, who string) {
			m := parseFlat(rt, w.show(branch, "locales/de/a.json"))
			if len(m) == 0 {
				return
			}
			m[rapid.SampledFrom(keys).Draw(rt, "key")] = w.text(who)
			if branch == "main" {
				w.write("locales/de/a.json", flat(m))
				w.commit()
			} else {
				w.commitOn(branch, "locales/de/a.json", flat(m))
			}
		}
		branch := func() bool {
			_, err := gittest.TryGit(t, w.dir, "rev-parse", "-q", "--verify", "l10n")
			return err == nil
		}
		got := func() {
			w.pulls(pull.Options{})
			if p := w.pulls(pull.Options{}); p.Commit != "" {
				rt.Fatalf("a pull right after another made commit %s: %+v", p.Commit, p)
			}
		}
		for range rapid.IntRange(3, 9).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"translate", "translate", "base", "branch", "pull", "pull", "push", "merge", "squash", "source", "other"}).Draw(rt, "step") {
			case "translate":
				w.final("de", rapid.SampledFrom(keys).Draw(rt, "key"), w.text("translator"))
			case "base":
				edit("main", "base")
			case "branch":
				if branch() {
					edit("l10n", "branch")
				}
			case "pull":
				got()
			case "push":
				w.pushes(push.Options{})
			case "merge":
				if branch() {
					if _, err := gittest.TryGit(t, w.dir, "merge", "-q", "--no-edit", "l10n"); err != nil {
						w.git("merge", "--abort")
					}
				}
			case "squash":
				if branch() {
					if _, err := gittest.TryGit(t, w.dir, "merge", "-q", "--squash", "l10n"); err != nil {
						w.git("reset", "-q", "--hard")
					} else if w.git("status", "--porcelain") != "" {
						w.commit()
					}
				}
			case "source":
				key := rapid.SampledFrom(keys).Draw(rt, "key")
				sources[key] = fmt.Sprintf("source %s %d", key, w.n)
				fillers[sources[key]] = true
				w.n++
				w.write("locales/en/a.json", flat(sources))
				w.commit()
			case "other":
				w.n++
				w.write(fmt.Sprintf("code%d.txt", w.n), "x")
				w.commit()
			}
		}
		w.pushes(push.Options{})
		got()
		w.pushes(push.Options{})
		got()
		w.git("gc", "-q") // all that is reachable is in packs now
		w.wire.take("")
		if p := w.pushes(push.Options{}); p.Requests > 0 {
			rt.Fatalf("a push with nothing to do sent %+v", p.Files)
		}
		there := w.atLeast("main", "de", service.Final)
		here := parseFlat(rt, w.show("l10n", "locales/de/a.json"))
		status := w.Status(t.Context()).Projects[0]
		for _, k := range keys {
			waits := undecided(status, "locales/de/a.json", k, here[k], there[k])
			if there[k] != "" && here[k] != there[k] && !fillers[there[k]] && !waits {
				rt.Fatalf("%s is %q on the branch and %q at the service", k, here[k], there[k])
			}
		}
		all := fmt.Sprint(there) + w.git("log", "-p", "--all", "-m", "--format=")
		for text := range w.written {
			if strings.HasPrefix(text, "translator") {
				continue // a translator may have replaced it before anybody asked
			}
			if !strings.Contains(all, text) {
				rt.Fatalf("%q is lost", text)
			}
		}
		for k, text := range there {
			if fillers[text] && text != "" {
				rt.Fatalf("the filler %q was sent for %s", text, k)
			}
		}
		gittest.Sound(t, w.dir)
	})
}
