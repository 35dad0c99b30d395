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
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// Texts are matched, not names: where source texts moved to keys that others left, translations go along, and no key
// shows the translation of another sentence.
func TestNamesPassedAlong(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	type texts = map[string]string
	before := texts{"a": "Apple", "b": "Bread", "c": "Cake", "d": "Door"}
	for name, now := range map[string]struct{ source, want texts }{
		"a chain": {texts{"b": "Apple", "e": "Bread", "c": "Cake", "d": "Door"},
			texts{"b": "Apfel", "e": "Brot", "c": "Kuchen", "d": "Tuer"}},
		"a chain of all": {texts{"b": "Apple", "c": "Bread", "d": "Cake", "e": "Door"},
			texts{"b": "Apfel", "c": "Brot", "d": "Kuchen", "e": "Tuer"}},
		"a new first one": {texts{"a": "New", "b": "Apple", "c": "Bread", "d": "Cake", "e": "Door"},
			texts{"b": "Apfel", "c": "Brot", "d": "Kuchen", "e": "Tuer"}},
		"two change places": {texts{"a": "Bread", "b": "Apple", "c": "Cake", "d": "Door"},
			texts{"a": "Brot", "b": "Apfel", "c": "Kuchen", "d": "Tuer"}},
		"the first one leaves": {texts{"a": "Bread", "b": "Cake", "c": "Door"},
			texts{"a": "Brot", "b": "Kuchen", "c": "Tuer"}},
		"over one that went": {texts{"b": "Apple", "c": "Cake", "d": "Door"},
			texts{"b": "Apfel", "c": "Kuchen", "d": "Tuer"}},
	} {
		for _, state := range []string{"draft", "final"} {
			for _, first := range []string{"sync", "pull", "with its translations", "fresh"} {
				t.Run(fmt.Sprintf("%s, %s, %s", name, state, first), func(t *testing.T) {
					t.Parallel()
					completion := service.CompletionState(state)
					project := fmt.Sprintf(cloneProject, state, state)
					w := newWorld(t, project, map[string]string{enApp: jsonText(before), deApp: jsonText(texts{"a": "Apfel"})})
					w.bare()
					w.configure(project)
					w.clean(push.Options{})
					w.translate("main", "de", completion, "b", "Brot", "c", "Kuchen", "d", "Tuer")
					w.pulls(pull.Options{})
					w.git("fetch", "-q")
					w.git("merge", "-q", "--no-edit", "origin/l10n")
					w.git("push", "-q", "origin", "main")
					w.sends()
					w.write(enApp, jsonText(now.source))
					if first == "with its translations" {
						w.write(deApp, jsonText(now.want))
					}
					w.commit()
					w.git("push", "-q", "origin", "main")
					switch first {
					case "pull":
						w.pulls(pull.Options{})
					case "fresh":
						w.loseState()
					}
					if p := w.pushes(push.Options{}); len(p.Problems) > 0 {
						t.Errorf("problems: %v", p.Problems)
					}
					w.pulls(pull.Options{})
					w.git("fetch", "-q")
					w.git("merge", "-q", "--no-edit", "origin/l10n")
					has := make(texts)
					w.check(json.Unmarshal([]byte(w.show("main", deApp)), &has))
					if !maps.Equal(has, now.want) {
						t.Errorf("with the branch main has %v, want %v", has, now.want)
					}
					at := w.atLeast("main", "de", completion)
					for key, want := range now.want {
						if at[key] != want {
							t.Errorf("the service has %q for %s, want %q", at[key], key, want)
						}
					}
					w.sends()
					if p := w.pulls(pull.Options{}); p.Commit != "" || len(p.Problems) > 0 {
						t.Errorf("a second pull makes %+v", p)
					}
				})
			}
		}
	}
}

// The forms of a plural are one key at the service, in one text: what a key had before is known there, too.
func TestPluralsPassedAlong(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	type texts = map[string]string
	plurals := func(of texts) string {
		forms := make(texts)
		for key, word := range of {
			forms[key+"_one"], forms[key+"_other"] = "{{count}} "+word, "{{count}} "+word+"s"
		}
		return jsonText(forms)
	}
	before, german := texts{"a": "apple", "b": "bread", "c": "cake"}, texts{"a": "Apfel", "b": "Brot", "c": "Kuchen"}
	for name, now := range map[string]struct{ source, want texts }{
		"the first one leaves": {texts{"a": "bread", "b": "cake"}, texts{"a": "Brot", "b": "Kuchen"}},
		"a new first one": {texts{"a": "new", "b": "apple", "c": "bread", "d": "cake"},
			texts{"b": "Apfel", "c": "Brot", "d": "Kuchen"}},
		"two change places": {texts{"a": "bread", "b": "apple", "c": "cake"},
			texts{"a": "Brot", "b": "Apfel", "c": "Kuchen"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			project := fmt.Sprintf(cloneProject, "draft", "draft")
			w := newWorld(t, project, map[string]string{enApp: plurals(before), deApp: plurals(german)})
			w.clean(push.Options{})
			w.pulls(pull.Options{})
			w.write(enApp, plurals(now.source))
			w.commit()
			p := w.pushes(push.Options{})
			if len(p.Problems) > 0 {
				t.Errorf("problems: %v", p.Problems)
			}
			for i, r := range p.Renamed {
				same := func(o report.Renamed) bool { return o.From == r.From && o.To == r.To }
				if slices.ContainsFunc(p.Renamed[:i], same) {
					t.Errorf("it is said twice that %s is now %s", r.From, r.To)
				}
			}
			w.pulls(pull.Options{})
			if got, want := w.show("l10n", deApp), strings.TrimSpace(plurals(now.want)); got != want {
				t.Errorf("the branch has %s, want %s", got, want)
			}
		})
	}
}

// A key that got another text has no translation of that yet: what the service has under it, does not follow that text
// to a further key, and does not come to the branch.
func TestPassedAlongAgain(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	type texts = map[string]string
	pulled, late := texts{"a": "Apfel", "b": "Brot", "c": "Kuchen"}, texts{"a": "Apfel 2", "b": "Brot 2", "c": "Kuchen 2"}
	first := texts{"a": "New", "b": "Apple", "c": "Bread", "d": "Cake"}
	second := texts{"a": "Newer", "b": "New", "c": "Apple", "d": "Bread", "e": "Cake"}
	places := texts{"a": "Bread", "b": "Apple", "c": "Cake"}
	for name, now := range map[string]struct {
		pulled, late texts // what translators write before a pull, and after it
		sources      []texts
		pulls        bool // after each push
		want         texts
	}{
		"two new ones": {pulled, nil, []texts{first, second}, true, texts{"c": "Apfel", "d": "Brot", "e": "Kuchen"}},
		"two new ones before a pull": {pulled, nil, []texts{first, second}, false,
			texts{"c": "Apfel", "d": "Brot", "e": "Kuchen"}},
		"never pulled": {nil, late, []texts{first}, false, texts{"b": "Apfel 2", "c": "Brot 2", "d": "Kuchen 2"}},
		"corrected":    {pulled, late, []texts{first}, false, texts{"b": "Apfel 2", "c": "Brot 2", "d": "Kuchen 2"}},
		"two corrected": {pulled, late, []texts{first, second}, false,
			texts{"c": "Apfel 2", "d": "Brot 2", "e": "Kuchen 2"}},
		"translated alike": {texts{"a": "Backwerk", "b": "Backwerk", "c": "Kuchen"}, nil, []texts{places}, false,
			texts{"a": "Backwerk", "b": "Backwerk", "c": "Kuchen"}},
		"translated alike, and a new one": {texts{"a": "Backwerk", "b": "Backwerk", "c": "Kuchen"}, nil, []texts{first}, true,
			texts{"b": "Backwerk", "c": "Backwerk", "d": "Kuchen"}},
		"back where it was": {pulled, nil, []texts{places, {"a": "Apple", "c": "Cake"}}, true,
			texts{"a": "Apfel", "c": "Kuchen"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, fmt.Sprintf(cloneProject, "draft", "draft"),
				map[string]string{enApp: jsonText(texts{"a": "Apple", "b": "Bread", "c": "Cake"})})
			w.pushes(push.Options{})
			for _, written := range []texts{now.pulled, now.late} {
				for key, text := range written {
					w.translate("main", "de", service.Draft, key, text)
				}
				if maps.Equal(written, now.pulled) {
					w.pulls(pull.Options{})
				}
			}
			for _, source := range now.sources {
				w.write(enApp, jsonText(source))
				w.commit()
				w.pushes(push.Options{})
				if now.pulls {
					w.pulls(pull.Options{})
				}
			}
			w.pulls(pull.Options{})
			w.sends()
			w.pulls(pull.Options{})
			has := make(texts)
			w.check(json.Unmarshal([]byte(w.show("l10n", deApp)), &has))
			if !maps.Equal(has, now.want) {
				t.Errorf("the branch has %v, want %v", has, now.want)
			}
		})
	}
}
