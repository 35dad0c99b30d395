package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// disputed is one case of TestConflictsOfPlurals: what became of the two forms of a key, in turn.
type disputed struct {
	key        string
	person     [2]bool   // the forms that a person wrote in the working tree,
	translator [2]bool   // those that a translator wrote at the service, neither having seen the other's,
	then       [2]string // and what the person did after that
}

var disputedForms = [2]string{"one", "other"}

func (d disputed) String() string {
	return fmt.Sprintf("%s (person %v, translator %v, then %v)", d.key, d.person, d.translator, d.then)
}

func (d disputed) text(form int, who string) string {
	return fmt.Sprintf("%s %s %s.", d.key, disputedForms[form], who)
}

// texts are the key's, as they were when everybody was in sync or as somebody has written them since.
func (d disputed) texts(who string, wrote [2]bool) (texts [2]string) {
	for i := range texts {
		if texts[i] = d.text(i, "first"); wrote[i] {
			texts[i] = d.text(i, who)
		}
	}
	return texts
}

// after are the key's texts in the working tree in the end.
func (d disputed) after() [2]string {
	texts := d.texts("person", d.person)
	for i, then := range d.then {
		switch then {
		case "writes another":
			texts[i] = d.text(i, "again")
		case "takes theirs":
			texts[i] = d.texts("translator", d.translator)[i]
		case "takes it back":
			texts[i] = d.text(i, "first")
		}
	}
	return texts
}

// keeps reports whether a text that both wrote still stands in the working tree as the person wrote it first.
func (d disputed) keeps() bool {
	for i := range d.then {
		if d.person[i] && d.translator[i] && d.then[i] == "keeps" {
			return true
		}
	}
	return false
}

func disputedFile(all []disputed, texts func(disputed) [2]string) string {
	var b strings.Builder
	b.WriteString("<resources>\n")
	for _, d := range all {
		fmt.Fprintf(&b, "    <plurals name=%q>\n", d.key)
		for i, text := range texts(d) {
			fmt.Fprintf(&b, "        <item quantity=%q>%s</item>\n", disputedForms[i], text)
		}
		b.WriteString("    </plurals>\n")
	}
	return b.String() + "</resources>\n"
}

// Both sides change a plural, and the person goes on: all that can happen to two forms, with a pull before that or not.
//
//   - Every text that gives way is named, once for each time that it does: the service's in the push that overwrites them, those that lose in a conflict.
//   - A text that both wrote and that stands as it lost does not go over the service's, and keeps its key from being sent.
//   - Where none stands any more, and a pull has merged the service's texts, what the person has now is newer, and is sent.
//   - A conflict has its key as it is now, and costs no request while that stays so.
func TestConflictsOfPlurals(t *testing.T) {
	t.Parallel()
	var all []disputed
	does := []string{"keeps", "writes another", "takes theirs", "takes it back"}
	both := [2]bool{true, true}
	for _, wrote := range [][2][2]bool{{both, both}, {both, {false, true}}, {{false, true}, both}, {{false, true}, {false, true}}} {
		for _, one := range does {
			for _, other := range does {
				all = append(all, disputed{fmt.Sprintf("p%02d", len(all)), wrote[0], wrote[1], [2]string{one, other}})
			}
		}
	}
	for name, pulled := range map[string]bool{"pulled": true, "not pulled": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			livesThroughDisputes(t, all, pulled)
		})
	}
}

const disputedPath = "res/values-de/strings.xml"

// disputedWorld has everybody in sync about the keys.
func disputedWorld(t *testing.T, all []disputed) *world {
	t.Helper()
	source := disputedFile(all, func(d disputed) [2]string { return [2]string{d.key, d.key + "s"} })
	w := newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\nguard = 1\n[[project.files]]\nsource = \"res/values/strings.xml\"\noutput = \"res/values-{LOCALE:ANDROID}/strings.xml\"\n",
		map[string]string{"res/values/strings.xml": source})
	w.pushes(push.Options{})
	w.translateForms(disputedFile(all, func(d disputed) [2]string { return d.texts("", [2]bool{}) }))
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.sends()
	return w
}

// translateDisputed is the translator.
func (w *world) translateDisputed(all []disputed) {
	w.tb.Helper()
	w.translateForms(disputedFile(all, func(d disputed) [2]string { return d.texts("translator", d.translator) }))
}

// translateForms is translate of an Android file.
func (w *world) translateForms(file string) {
	w.tb.Helper()
	w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "de", Format: "android-xml", CompletionState: service.Final, Conflicts: service.Overwrite,
		Files: []service.Upload{{Name: "x.xml", Body: []byte(file)}}})
}

func livesThroughDisputes(t *testing.T, all []disputed, pulled bool) {
	w := disputedWorld(t, all)
	log := w.logged()
	w.write(disputedPath, disputedFile(all, func(d disputed) [2]string { return d.texts("person", d.person) }))
	w.translateDisputed(all)
	if p := w.pushes(push.Options{}); len(p.Problems) != len(all) || p.Requests > 0 || len(p.Replaced) > 0 {
		t.Fatalf("%d problems of %d, %d requests, replaced %v", len(p.Problems), len(all), p.Requests, p.Replaced)
	}
	first := overridden(log)
	if pulled {
		w.pulls(pull.Options{})
	}
	if said := overridden(log); len(said) > 0 {
		t.Fatalf("the pull says %v", said)
	}
	w.write(disputedPath, disputedFile(all, disputed.after))
	p := w.pushes(push.Options{})
	second := overridden(log)
	w.pulls(pull.Options{})
	w.pushes(push.Options{}) // asks once more about conflicts that no pull had merged yet
	third := overridden(log)
	w.wire.take("")
	w.sends()
	w.silent()

	there := w.spelled("android-xml", "main", "de", service.Final)
	conflicts := make(map[string]report.Conflict)
	for _, c := range w.Status(t.Context()).Projects[0].Conflicts {
		conflicts[c.Key] = c
	}
	for _, d := range all {
		here, theirs := d.after(), d.texts("translator", d.translator)
		c, waits := conflicts[d.key]
		now := [2]string{there[d.key+"#one"], there[d.key+"#other"]}
		if d.keeps() && (!waits || now != theirs) || pulled && waits != d.keeps() {
			t.Errorf("%s: waits %v, the service has %q", d, waits, now)
		}
		if waits && [2]string{c.Ours["one"], c.Ours["other"]} != here {
			t.Errorf("%s: the conflict has %q, the working tree %q", d, c.Ours, here)
		}
		for i := range now {
			if changed := d.person[i] || here[i] != d.text(i, "first"); pulled && !d.keeps() && changed && now[i] != here[i] {
				t.Errorf("%s: the service has %q, the working tree %q", d, now, here)
			}
			if n := names(p.Replaced, theirs[i]); d.translator[i] && n != map[bool]int{true: 1}[now[i] != theirs[i]] {
				t.Errorf("%s: %q at the service, and %q is said to give way %d times", d, now[i], theirs[i], n)
			}
			for _, mine := range []string{d.texts("person", d.person)[i], here[i]} {
				if mine != d.text(i, "first") && mine != now[i] && mine != theirs[i] && names(slices.Concat(first, second, third), mine) == 0 {
					t.Errorf("%s: %q is lost", d, mine)
				}
			}
		}
	}
	if len(first) != len(all) || len(third) > 0 && pulled {
		t.Errorf("%d, then %d texts are said to give way; in a push that finds nothing new %v", len(first), len(second), third)
	}
	if len(slices.Collect(maps.Keys(conflicts))) == 0 {
		t.Error("nothing is in conflict")
	}
}

// names is how many problems name a text.
func names(problems []report.Problem, text string) (n int) {
	for _, p := range problems {
		if strings.Contains(p.Problem, text) {
			n++
		}
	}
	return n
}
