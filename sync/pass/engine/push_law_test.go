package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"pgregory.net/rapid"
)

// life is what people do to a product: keys and texts of a few files, edited on three sides in any order, with passes in between.
type life struct {
	*world
	t     *rapid.T
	files map[string]map[string]string // source files: key -> text
	n     int
}

func (l *life) text(side string) string {
	l.n++
	return fmt.Sprintf("%s text %d", side, l.n)
}

func (l *life) key() string {
	return rapid.SampledFrom([]string{"k1", "k2", "k3", "k4"}).Draw(l.t, "key")
}

func jsonOf(texts map[string]string) string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		lines = append(lines, fmt.Sprintf("  %q: %q", key, texts[key]))
	}
	return "{\n" + strings.Join(lines, ",\n") + "\n}\n"
}

func textsOf(t testing.TB, file string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for line := range strings.Lines(file) {
		key, text, ok := strings.Cut(strings.Trim(line, " ,\n"), ": ")
		if ok {
			texts[strings.Trim(key, `"`)] = strings.Trim(text, `"`)
		}
	}
	return texts
}

func (l *life) source() {
	for name, texts := range l.files {
		path := "locales/en/" + name
		if texts == nil {
			_, _ = gittest.TryGit(l.tb, l.dir, "rm", "-q", "-f", path, "locales/de/"+name)
			delete(l.files, name)
			continue
		}
		l.write(path, jsonOf(texts))
	}
}

func (l *life) here(name string) map[string]string {
	return textsOf(l.tb, l.show("main", "locales/de/"+name))
}

// ops are named so that a failing life can be read.
func (l *life) ops() map[string]func(*rapid.T) {
	file := func() string { return slices.Sorted(maps.Keys(l.files))[0] }
	return map[string]func(*rapid.T){
		"edit source": func(*rapid.T) {
			l.files[file()][l.key()] = l.text("source")
			l.source()
			l.commit()
		},
		"delete key": func(*rapid.T) {
			delete(l.files[file()], l.key())
			l.source()
			gittest.TryGit(l.tb, l.dir, "commit", "-aqm", "a key less")
		},
		"edit translation": func(*rapid.T) {
			texts := l.here(file())
			texts[l.key()] = l.text("hand")
			l.write("locales/de/"+file(), jsonOf(texts))
			l.commit()
		},
		"edit branch": func(*rapid.T) {
			if out, err := gittest.TryGit(l.tb, l.dir, "show", "l10n:locales/de/"+file()); err == nil {
				texts := textsOf(l.tb, out)
				texts[l.key()] = l.text("branch")
				l.commitOn("l10n", "locales/de/"+file(), jsonOf(texts))
			}
		},
		"translate": func(*rapid.T) {
			key := l.key()
			if _, ok := l.at("main", "en")[key]; ok {
				l.translate("main", "de", service.Final, key, l.text("service"))
			}
		},
		"merge": func(*rapid.T) {
			if _, err := gittest.TryGit(l.tb, l.dir, "rev-parse", "-q", "--verify", "l10n"); err == nil {
				gittest.TryGit(l.tb, l.dir, "merge", "-q", "-X", "theirs", "l10n")
				if out := l.git("status", "--porcelain", "-uno"); out != "" {
					l.git("merge", "--abort")
				}
			}
		},
		"push":    func(*rapid.T) { l.pushes(push.Options{}) },
		"pull":    func(*rapid.T) { l.pulls(pull.Options{}) },
		"restart": func(*rapid.T) { l.restart(l.Config) },
	}
}

// undecided reports whether a status has two texts of a key on which both sides never agreed, and which wait for a decision.
func undecided(s report.ProjectStatus, path, key, ours, theirs string) bool {
	return slices.ContainsFunc(s.Conflicts, func(c report.Conflict) bool {
		return c.Open && c.File == path && c.Key == key && c.Ours[""] == ours && c.Theirs[""] == theirs
	})
}

// Whatever people do on three sides: after a push and a pull each side is in sync. The service has every source text as it is; a translation that
// was final at the service is on the branch, or differs from one on which both never agreed, and that waits for a decision; the same passes again
// send nothing and commit nothing.
func TestPushLaw(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		l := &life{t: rt, files: map[string]map[string]string{"a.json": {"k1": "one", "k2": "two"}}}
		l.world = newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n"+jsonFiles, map[string]string{"locales/en/a.json": jsonOf(l.files["a.json"])})
		l.pushes(push.Options{})
		ops := l.ops()
		names := slices.Sorted(maps.Keys(ops))
		var did []string
		for range rapid.IntRange(3, 10).Draw(rt, "length") {
			name := rapid.SampledFrom(names).Draw(rt, "op")
			did = append(did, name)
			ops[name](rt)
		}
		l.pushes(push.Options{})
		l.pulls(pull.Options{})
		l.pushes(push.Options{})
		l.pulls(pull.Options{})
		l.pushes(push.Options{}) // asks once more what the service says about conflicts that stand
		l.wire.take("")
		p := l.pushes(push.Options{})
		for _, problem := range p.Problems {
			if !strings.Contains(problem.Remedy, "push --ours --key "+problem.Key) {
				rt.Fatalf("after %v: %v", did, problem)
			}
		}
		if requests := l.wire.take(""); len(requests) > 0 || len(p.Files) > 0 {
			rt.Fatalf("after %v: a push found %v", did, p.Files)
		}
		if q := l.pulls(pull.Options{}); q.Commit != "" {
			rt.Fatalf("after %v: a pull made commit %s: %v", did, q.Commit, q.Files)
		}
		status := l.Status(t.Context()).Projects[0]
		en := l.at("main", "en")
		translated := l.atLeast("main", "de", service.Final)
		branch := map[string]string{}
		for name, texts := range l.files {
			at := "l10n"
			_, none := gittest.TryGit(t, l.dir, "rev-parse", "-q", "--verify", at)
			if _, ahead := gittest.TryGit(t, l.dir, "merge-base", "--is-ancestor", at, "main"); none != nil || ahead == nil {
				at = "main" // base has it all; the branch takes that in with its next commit
			}
			maps.Copy(branch, textsOf(t, l.show(at, "locales/de/"+name)))
			for key, text := range texts {
				if en[key] != text {
					rt.Fatalf("after %v: the service has %q for %s, want %q", did, en[key], key, text)
				}
				if text, ok := translated[key]; ok && text != branch[key] && !undecided(status, "locales/de/"+name, key, branch[key], text) {
					rt.Fatalf("after %v: the service has the translation %q for %s, the branch %q", did, translated[key], key, branch[key])
				}
			}
			for key, text := range branch {
				// What a person wrote for a key that the source never had stays.
				if _, living := texts[key]; !living && !strings.HasPrefix(text, "hand ") && !strings.HasPrefix(text, "branch ") {
					rt.Fatalf("after %v: the branch has %s, which the source has not", did, key)
				}
			}
		}
		if status.Pending != 0 {
			rt.Fatalf("after %v: %d pending", did, status.Pending)
		}
	})
}
