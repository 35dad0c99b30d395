package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"pgregory.net/rapid"
)

// twoWorlds see the same work, in French. In the second one all passes are whole. In the first one some are of a part
// that has that work, and passes of other parts come between them.
type twoWorlds struct {
	t      *testing.T
	rt     *rapid.T
	worlds [2]*world
	told   string
	n      int
	pushes bool // are of parts, else pulls

	replaced string              // what reports of the first one named as replaced at the service
	names    map[string]string   // of the files, as they are called by now
	keys     map[string][]string // of these files
	source   map[string]string   // texts by key
	crossed  map[string]bool     // keys that went from one part to another
	reworded map[string]bool
	lost     bool              // the state, which passes of other parts begin anew earlier than there would be others
	last     map[string]string // texts that were written last in French, by key
	texts    []string          // that were ever written
}

func newTwoWorlds(t *testing.T, rt *rapid.T) *twoWorlds {
	p := &twoWorlds{t: t, rt: rt, names: make(map[string]string), source: make(map[string]string),
		last: make(map[string]string), crossed: make(map[string]bool), reworded: make(map[string]bool),
		keys: map[string][]string{"a": {"a", "b"}, "b": {"c"}, "y": {"x"}, "z": {"y", "z"}}}
	files := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(p.keys)) {
		p.names[name] = name
		for _, key := range p.keys[name] {
			p.source[key] = "Text of " + key
			p.last[key] = "fr 0 " + key
			p.texts = append(p.texts, p.last[key])
		}
		files[p.path("en", name)] = p.text(name)
	}
	for i := range p.worlds {
		w := newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\n"+jsonFiles,
			files)
		p.worlds[i] = w
		w.pushes(push.Options{})
		for _, language := range []string{"de", "fr"} {
			for key := range p.source {
				w.final(language, key, language+" 0 "+key)
			}
		}
		w.pulls(pull.Options{})
		w.git("merge", "-q", "l10n")
	}
	return p
}

// text is a source file as it is now.
func (p *twoWorlds) text(file string) string {
	texts := make(map[string]string)
	for _, key := range p.keys[file] {
		texts[key] = p.source[key]
	}
	return flat(texts)
}

func (p *twoWorlds) path(language, file string) string {
	return "locales/" + language + "/" + p.names[file] + ".json"
}

func (p *twoWorlds) tell(problems []report.Problem) { p.told += fmt.Sprint(problems) }

// push makes a whole push in a world.
func (p *twoWorlds) push(w *world) {
	done := w.pushes(push.Options{})
	p.tell(done.Problems)
	if w == p.worlds[0] {
		p.replaced += fmt.Sprint(done.Replaced)
	}
}

// each does something in both worlds.
func (p *twoWorlds) each(f func(w *world)) {
	for _, w := range p.worlds {
		f(w)
	}
}

// in reports whether both worlds have a branch.
func (p *twoWorlds) in(branch string) bool {
	for _, w := range p.worlds {
		if _, err := gittest.TryGit(p.t, w.dir, "rev-parse", "-q", "--verify", branch); err != nil {
			return false
		}
	}
	return true
}

// edit changes a translation on a branch where it has one.
func (p *twoWorlds) edit(branch, file, key, text string) {
	if !p.in(branch) {
		return
	}
	p.each(func(w *world) {
		texts := parseFlat(p.rt, w.show(branch, p.path("fr", file)))
		if texts[key] == "" || texts[key] == text {
			return
		}
		texts[key], p.last[key] = text, text
		if branch == "main" {
			w.write(p.path("fr", file), flat(texts))
			w.commit()
		} else {
			w.commitOn(branch, p.path("fr", file), flat(texts))
		}
	})
}

// work is one step of people in both worlds.
func (p *twoWorlds) work(step string) {
	file := rapid.SampledFrom([]string{"a", "a", "b", "z", "y"}).Draw(p.rt, "file")
	if len(p.keys[file]) == 0 {
		return
	}
	key, before := rapid.SampledFrom(p.keys[file]).Draw(p.rt, "key"), map[string]string{}
	for f := range p.names {
		before[f] = p.path("en", f)
	}
	switch step {
	case "translate":
		text := fmt.Sprint("fr ", p.n)
		p.texts = append(p.texts, text)
		if p.worlds[0].at("main", "en")[key] != "" && p.worlds[1].at("main", "en")[key] != "" {
			p.each(func(w *world) { w.final("fr", key, text) })
			p.last[key] = text
		}
	case "edit", "edit on l10n": // also back to an earlier text
		text := rapid.SampledFrom(append(slices.Clone(p.texts), fmt.Sprint("fr ", p.n))).Draw(p.rt, "text")
		p.texts = append(p.texts, text)
		p.edit(map[string]string{"edit": "main", "edit on l10n": "l10n"}[step], file, key, text)
	case "reword": // also back
		p.reworded[key] = true
		p.source[key] = fmt.Sprint("Text of ", strings.TrimRight(key, "'"), []string{"", " 2"}[p.n%2])
	case "rename":
		p.keys[file][slices.Index(p.keys[file], key)] = key + "'"
		p.crossed[key+"'"], p.reworded[key+"'"] = p.crossed[key], p.reworded[key]
		p.source[key+"'"], p.last[key+"'"] = p.source[key], p.last[key]
	case "far": // to another file
		to := rapid.SampledFrom([]string{"a", "b", "y", "z"}).Draw(p.rt, "to")
		p.keys[file] = slices.DeleteFunc(p.keys[file], func(k string) bool { return k == key })
		p.keys[to] = append(p.keys[to], key)
		p.crossed[key] = p.crossed[key] || (file < "m") != (to < "m")
	case "move":
		p.names[file] += "m"
	case "merge", "squash":
		p.each(func(w *world) {
			if !p.in("l10n") {
				return
			}
			args := map[string][]string{"merge": {"--no-edit"}, "squash": {"--squash"}}[step]
			if _, err := gittest.TryGit(p.t, w.dir, append([]string{"merge", "-q"}, append(args, "l10n")...)...); err != nil {
				w.git("reset", "-q", "--hard")
			} else if w.git("status", "--porcelain") != "" {
				w.commit()
			}
		})
	case "anew":
		if p.in("l10n") {
			p.each((*world).startOver)
		}
	case "deleted":
		if p.in("l10n") {
			p.each(func(w *world) { w.git("branch", "-D", "l10n") })
		}
	case "lose":
		p.each((*world).lose)
		p.lost = true
	}
	for f := range p.names {
		p.each(func(w *world) {
			if before[f] != p.path("en", f) {
				w.git("mv", before[f], p.path("en", f))
			}
			if w.write(p.path("en", f), p.text(f)); w.git("status", "--porcelain") != "" {
				w.commit()
			}
		})
	}
}

var partSteps = []string{"translate", "translate", "edit", "edit", "edit on l10n", "reword", "rename", "far", "move",
	"merge", "squash", "anew", "deleted", "lose", "switch", "push", "pull", "pull"}

// run draws the work, and has both sides end with whole passes: then they have the same, or the difference is named.
// pass makes a push or a pull, of the part that has the work or of another one.
func (p *twoWorlds) run(pass func(w *world, kind string, other bool)) {
	other := func(when string) {
		if kind := rapid.SampledFrom([]string{"", "push", "pull"}).Draw(p.rt, when); kind != "" {
			p.n++
			pass(p.worlds[0], kind, true)
		}
	}
	for range rapid.IntRange(4, 12).Draw(p.rt, "steps") {
		p.n++
		other("another part before")
		switch step := rapid.SampledFrom(partSteps).Draw(p.rt, "step"); step {
		case "push", "pull":
			pass(p.worlds[0], step, false)
			if step == "push" {
				p.push(p.worlds[1])
			} else {
				p.tell(p.worlds[1].pulls(pull.Options{}).Problems)
			}
		case "switch": // an old commit is checked out and pushed, perhaps with an edit that is taken back
			file, edits := rapid.SampledFrom([]string{"a", "z"}).Draw(p.rt, "file"), rapid.Bool().Draw(p.rt, "edits")
			text := fmt.Sprint("fr ", p.n)
			p.each(func(w *world) {
				if _, err := gittest.TryGit(p.t, w.dir, "checkout", "-q", "main~2"); err != nil {
					return
				}
				texts := parseFlat(p.rt, w.show("HEAD", p.path("fr", file)))
				if edits && len(texts) > 0 && !(p.pushes && p.lost) {
					for key := range texts {
						texts[key] = text + key
					}
					w.write(p.path("fr", file), flat(texts))
					p.push(w)
					w.git("checkout", "-q", "--", ".")
				}
				p.push(w)
				w.git("checkout", "-q", "main")
			})
		default:
			p.work(step)
		}
		other("another part after")
	}
	var sent, source [2]map[string]string
	here := [2]map[string]string{{}, {}}
	for i, w := range p.worlds {
		for range 2 {
			p.push(w)
			p.tell(w.pulls(pull.Options{}).Problems)
		}
		sent[i], source[i] = w.atLeast("main", "fr", service.Final), w.at("main", "en")
		if _, err := gittest.TryGit(p.t, w.dir, "rev-parse", "-q", "--verify", "l10n"); err == nil {
			w.git("merge", "-q", "--no-edit", "l10n")
		}
		for f, keys := range p.keys { // a key that moved may stay in the file that it was in
			texts := parseFlat(p.rt, w.show("main", p.path("fr", f)))
			for _, key := range keys {
				if text, is := texts[key]; is {
					here[i][key] = text
				}
			}
		}
	}
	for i, sides := range [][2]map[string]string{source, sent, here} {
		for _, key := range slices.Concat(p.keys["a"], p.keys["b"], p.keys["y"], p.keys["z"]) {
			if apart := p.crossed[key] || !slices.Contains(slices.Concat(p.keys["a"], p.keys["b"]), key); i > 0 && p.pushes &&
				apart && p.reworded[key] {
				continue // a text that the other world did not send may have cost its translation
			}
			one, two := sides[0][key], sides[1][key]
			// What a pass in between saved, others may lose.
			named := one != "" && two != "" && (strings.Contains(p.told, one) && strings.Contains(p.told, two) ||
				strings.Contains(p.replaced, fmt.Sprintf("service's %q is replaced", two)))
			if one != two && !named && (one == "" || one != p.last[key]) {
				p.rt.Fatalf("%s: with parts %v and %v at the service, %v here; with whole passes %v and %v, %v", key,
					source[0], sent[0], here[0], source[1], sent[1], here[1])
			}
		}
	}
}

// Pulls of one language change nothing in another one.
func TestPullsOfALanguage(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := newTwoWorlds(t, rt)
		p.run(func(w *world, kind string, other bool) {
			switch {
			case kind == "push" && !other:
				p.push(w)
			case kind == "pull" && other:
				if w.at("main", "en")["a"] != "" {
					w.final("de", "a", fmt.Sprint("de ", p.n))
				}
				p.tell(w.pulls(pull.Options{Languages: []string{"de"}}).Problems)
			case kind == "pull":
				p.tell(w.pulls(pull.Options{Languages: []string{"fr"}}).Problems)
			}
		})
	})
}

// Pushes of some files change nothing in others, and what moved between them is not lost.
func TestPushesOfAFile(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := newTwoWorlds(t, rt)
		p.pushes = true
		p.run(func(w *world, kind string, other bool) {
			switch {
			case kind == "push":
				part := map[bool]string{true: "[yz]", false: "[ab]"}[other]
				p.tell(w.pushes(push.Options{Files: []string{"locales/*/" + part + "*.json"}}).Problems)
			case !other:
				p.tell(w.pulls(pull.Options{}).Problems)
			}
		})
	})
}

// What people bring back is noticed by the push after a pull of another language, and older texts of a branch that such
// a pull made anew are no change.
func TestPullOfAnotherLanguage(t *testing.T) {
	gittest.Long(t)
	german := pull.Options{Languages: []string{"de"}}
	for name, gone := range map[string]func(w *world){
		"brought back": nil,
		"made anew":    (*world).startOver,
		"deleted":      func(w *world) { w.git("branch", "-D", "l10n") },
		"deleted for good": func(w *world) {
			w.git("branch", "-D", "l10n")
			w.git("reflog", "expire", "--expire=now", "--all")
			w.git("gc", "-q", "--prune=now")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := deAndFr(t)
			if w.final("de", "a", "Apfel 3"); gone == nil {
				w.commitOn("l10n", "locales/fr/a.json", "{\n  \"a\": \"Pomme 1\"\n}\n")
				w.pulls(german)
				w.sends("locales/fr/a.json (fr): a")
				w.holds("main", "fr", "a", "Pomme 1")
				return
			}
			gone(w)
			w.pulls(german)
			w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"Apfel 3\"\n}")
			w.reports(w.pushes(push.Options{}))
			w.holds("main", "fr", "a", "Pomme 2")
			if name == "deleted for good" {
				return // a pull of all takes the base's text for one that was brought back, as it does without a part
			}
			w.pulls(pull.Options{})
			w.has("l10n", "locales/fr/a.json", "{\n  \"a\": \"Pomme 2\"\n}")
		})
	}
}

// A pull of a language leaves what waits in others, and the schedule does not count it.
func TestPullOfALanguageIsNoWholeOne(t *testing.T) {
	t.Parallel()
	w := abc(t, localOnly, nil)
	w.final("de", "a", "Apfel")
	w.final("fr", "a", "Pomme")
	german := pull.Options{Languages: []string{"de"}}
	if p := w.pulls(german); len(p.Files) != 1 || p.Files[0].Path != "locales/de/a.json" {
		t.Errorf("%+v", p.Files)
	}
	if s := w.Status(t.Context()).Projects[0]; s.LastPull != nil {
		t.Errorf("the status says that a pull was made: %+v", s.LastPull)
	}
	name := w.projects[0].branch.StateName()
	if _, began, err := ledger.Times.Get(w.store, name, ledger.TimeSchedule); err != nil || began {
		t.Error("the schedule goes on from it")
	}
	w.git("merge", "-q", "l10n")
	w.write("locales/fr/a.json", "{\n  \"a\": \"Pomme de terre\"\n}\n")
	w.commit()
	if p := w.pulls(german); p.Commit != "" {
		t.Errorf("a commit for another language: %+v", p)
	}
	if p := w.pulls(pull.Options{}); len(p.Problems) == 0 {
		t.Error("what differs in French is not told by the pull of all")
	}
}

// A branch that goes back to where a whole pull saw it lacks what a pull of some languages has brought since: the next
// whole pull brings it.
func TestBranchSetBackBehindAPullOfALanguage(t *testing.T) {
	t.Parallel()
	for _, o := range []pull.Options{{}, {Languages: []string{"de"}}} {
		w := abc(t, localOnly, nil)
		w.probeFrom, w.projects[0].branch.ProbeFrom = 1, 1
		w.final("de", "a", "Apfel")
		w.pulls(pull.Options{})
		w.pulls(pull.Options{})
		at := w.git("rev-parse", "l10n")
		w.final("de", "b", "Birne")
		w.pulls(o)
		w.git("branch", "-f", "l10n", at)
		w.pulls(pull.Options{})
		if got := w.show("l10n", "locales/de/a.json"); !strings.Contains(got, "Birne") {
			t.Errorf("%v: %s", o.Languages, got)
		}
	}
}

// A push of other files sees that a file moved, and takes no texts along: when the file moves on, its translations go
// where it is then, those of a renamed key, too.
func TestAFileMovesOnAfterAPushOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[project.pull]\nremote = \"\"\n"+jsonFiles, map[string]string{
		"locales/en/a.json": flat(map[string]string{"a": "Apple", "b": "Pear"}),
		"locales/en/y.json": flat(map[string]string{"y": "Yes"})})
	w.pushes(push.Options{})
	for key, text := range map[string]string{"a": "Apfel", "b": "Birne", "y": "Ja"} {
		w.final("de", key, text)
	}
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.git("mv", "locales/en/a.json", "locales/en/fruit.json")
	w.commit()
	w.pushes(push.Options{Files: []string{"locales/en/y.json"}})
	w.git("rm", "-q", "locales/en/fruit.json")
	w.write("locales/en/fruits.json", flat(map[string]string{"apple": "Apple", "b": "Pear"}))
	w.commit()
	w.pushes(push.Options{})
	w.pulls(pull.Options{})
	w.has("l10n", "locales/de/fruits.json", strings.TrimSpace(flat(map[string]string{"apple": "Apfel", "b": "Birne"})))
}
