package engine

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"pgregory.net/rapid"
)

// rehearsed runs a pass as a dry run and then for real, and compares what both say and what was done. What only one of them can know is left out: commits,
// and the requests, since a dry run starts no import and asks for everything.
func (l *life) rehearsedPush(o push.Options) {
	l.tb.Helper()
	before := l.ours()
	o.DryRun = true
	dry := l.pushes(o)
	if got := l.ours(); got != before {
		l.t.Fatalf("a dry run changed the repository:\n%s\nbefore:\n%s", got, before)
	}
	o.DryRun = false
	done := l.pushes(o)
	for _, f := range dry.Files {
		there := l.at("main", f.Language)
		var keys []string
		for _, v := range f.Changes {
			keys = append(keys, v.Key)
			if v.New == nil || there[v.Key] != *v.New {
				l.t.Fatalf("the dry run said %s of %s (%s) becomes %+v; the service has %q", v.Key, f.Path, f.Language, v, there[v.Key])
			}
		}
		if !slices.Equal(keys, f.Keys) {
			l.t.Fatalf("values of %q are told, of the keys %q", keys, f.Keys)
		}
	}
	for i := range dry.Files {
		dry.Files[i].Changes = nil
	}
	dry.Calls, done.Calls = 0, 0
	l.alike(dry, done)
}

func (l *life) rehearsedPull(o pull.Options) {
	l.tb.Helper()
	before, onBase, refs := make(map[string]map[string]string), make(map[string]map[string]string), l.ours()
	o.DryRun = true
	dry := l.pulls(o)
	if got := l.ours(); got != refs {
		l.t.Fatalf("a dry run changed the repository:\n%s\nbefore:\n%s", got, refs)
	}
	tip := l.tip()
	_, err := gittest.TryGit(l.tb, l.dir, "merge-base", "--is-ancestor", "main", tip)
	behind := err != nil
	for _, f := range dry.Files {
		before[f.Path] = textsOf(l.tb, l.show(tip, f.Path))
		if behind {
			onBase[f.Path] = textsOf(l.tb, l.show("main", f.Path))
		}
	}
	was := func(texts map[string]string, v report.Value) bool {
		old, had := texts[v.Key]
		return had == (v.Old != nil) && (!had || old == *v.Old)
	}
	o.DryRun = false
	done := l.pulls(o)
	for i, f := range dry.Files {
		texts, counts := before[f.Path], report.PulledFile{Path: f.Path, Language: f.Language}
		for _, v := range f.Changes {
			if !was(texts, v) && !(behind && was(onBase[f.Path], v)) { // a branch that lies behind takes in what somebody changed on base, and the pull begins with that
				l.t.Fatalf("the dry run said %s of %s was %+v; it was %q", v.Key, f.Path, v, texts[v.Key])
			}
			switch {
			case v.New == nil:
				delete(texts, v.Key)
				counts.Removed++
			case v.Old == nil:
				texts[v.Key] = *v.New
				counts.Added++
			default:
				texts[v.Key] = *v.New
				counts.Changed++
			}
		}
		after := textsOf(l.tb, l.show(l.tip(), f.Path))
		if behind { // what base alone has comes with its merge, and is no change of the pull
			told := func(key string) bool {
				return slices.ContainsFunc(f.Changes, func(v report.Value) bool { return v.Key == key })
			}
			for key, text := range onBase[f.Path] {
				if !told(key) && after[key] == text {
					texts[key] = text
				}
			}
		}
		if !maps.Equal(after, texts) {
			l.t.Fatalf("the dry run said %s becomes %v; it is %v", f.Path, texts, after)
		}
		dry.Files[i].Changes = nil
		if f := dry.Files[i]; f.Added != counts.Added || f.Changed != counts.Changed || f.Removed != counts.Removed {
			l.t.Fatalf("%+v is told of values that are %+v", f, counts)
		}
	}
	dry.Calls, dry.Requests, dry.Diff = 0, 0, ""
	done.Calls, done.Requests, done.Commit, done.Pushed = 0, 0, "", false
	l.alike(dry, done)
}

// ours is all that a dry run must leave alone here.
func (l *life) ours() string {
	return l.git("for-each-ref") + l.git("status", "--porcelain") + l.git("rev-parse", "HEAD")
}

// tip is where translations stand: the branch, or base where there is none yet.
func (l *life) tip() string {
	if _, err := gittest.TryGit(l.tb, l.dir, "rev-parse", "-q", "--verify", "l10n"); err != nil {
		return "main"
	}
	return "l10n"
}

// alike compares two reports by what scripts see.
func (l *life) alike(dry, done any) {
	l.tb.Helper()
	text := func(v any) string {
		data, err := json.MarshalIndent(v, "", " ")
		l.check(err)
		return string(data)
	}
	if a, b := text(dry), text(done); a != b {
		l.t.Fatalf("the dry run says\n%s\nand the real one\n%s", a, b)
	}
}

// Whatever people do, a dry run tells what the same pass then does, value by value, and changes nothing.
func TestDryRunLaw(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		l := &life{t: rt, files: map[string]map[string]string{"a.json": {"k1": "one", "k2": "two", "k3": "three"}}}
		l.world = newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n"+jsonFiles, map[string]string{"locales/en/a.json": jsonOf(l.files["a.json"])})
		l.rehearsedPush(push.Options{})
		ops := l.ops()
		ops["push"] = func(rt *rapid.T) {
			part := rapid.SampledFrom([][]string{nil, nil, {"locales/en/*.json"}, {"locales/de/*.json"}}).Draw(rt, "part")
			l.rehearsedPush(push.Options{All: rapid.Bool().Draw(rt, "all"), Translations: rapid.Bool().Draw(rt, "translations"),
				Files: part})
		}
		ops["pull"] = func(rt *rapid.T) { l.rehearsedPull(pull.Options{Full: rapid.Bool().Draw(rt, "full")}) }
		ops["rename key"] = func(*rapid.T) {
			texts := l.files["a.json"]
			for _, key := range slices.Sorted(maps.Keys(texts)) {
				if !strings.HasPrefix(key, "new") {
					texts["new"+key] = texts[key]
					delete(texts, key)
					break
				}
			}
			l.source()
			gittest.TryGit(l.tb, l.dir, "commit", "-aqm", "another name")
		}
		names := slices.Sorted(maps.Keys(ops))
		for range rapid.IntRange(2, 6).Draw(rt, "length") {
			ops[rapid.SampledFrom(names).Draw(rt, "op")](rt)
		}
		l.rehearsedPush(push.Options{})
		l.rehearsedPull(pull.Options{})
	})
}
