package engine

import (
	"fmt"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"pgregory.net/rapid"
)

// deAndFr is two languages that are translated, pulled and merged, and then translated and pulled again.
func deAndFr(t *testing.T) *world {
	w := abc(t, localOnly, nil)
	for _, n := range []string{"1", "2"} {
		w.final("de", "a", "Apfel "+n)
		w.final("fr", "a", "Pomme "+n)
		w.pulls(pull.Options{})
		if n == "1" {
			w.git("merge", "-q", "--squash", "l10n")
			w.commit()
			w.git("branch", "-D", "l10n")
			w.pulls(pull.Options{})
		}
	}
	w.write("code.txt", "x")
	w.commit()
	return w
}

// startOver makes the branch anew at the base, as a person would.
func (w *world) startOver() { w.git("branch", "-f", "l10n", "main") }

// deliverElsewhere commits a translation to the branch as another clone's pull would.
func (w *world) deliverElsewhere(language, text string) {
	w.tb.Helper()
	w.commitOn("l10n", "locales/"+language+"/a.json", text)
	w.git("checkout", "-q", "l10n")
	w.git("commit", "-q", "--amend", "-m", "translations\n\nLocsync-Project: app")
	w.git("checkout", "-q", "main")
}

// prunes forgets a commit that no branch has any more.
func (w *world) prunes(commit string) {
	w.tb.Helper()
	w.git("update-ref", "-d", "refs/locsync/app") // which keeps what it points to
	w.git("reflog", "expire", "--expire=now", "--all")
	w.git("gc", "-q", "--prune=now")
	if _, err := gittest.TryGit(w.tb, w.dir, "cat-file", "-e", commit); err == nil {
		w.tb.Fatal("the commit is there")
	}
}

// A branch that is made anew, by a person or another clone, has the older translations of its base. They are no
// change: the service's come over them, and none of them is sent.
func TestBranchRecreatedByOthers(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	text := func(a string) string { return "{\n  \"a\": \"" + a + "\"\n}" }
	for name, more := range map[string]func(w *world){
		"at the base":                         func(*world) {},
		"with one language, by another clone": func(w *world) { w.deliverElsewhere("de", text("Apfel 2")+"\n") },
		"with another file":                   func(w *world) { w.commitOn("l10n", "other.txt", "x") },
		"and its commits are gone":            func(w *world) { w.prunes(w.git("rev-parse", "l10n@{1}")) },
		"by the next pull, and its commits are gone": func(w *world) {
			was := w.git("rev-parse", "l10n@{1}")
			w.git("branch", "-D", "l10n")
			w.prunes(was)
		},
	} {
		for _, first := range []string{"pull", "push"} {
			t.Run(name+", then "+first, func(t *testing.T) {
				t.Parallel()
				w := deAndFr(t)
				w.startOver()
				more(w)
				if first == "push" {
					w.reports(w.pushes(push.Options{}))
				}
				if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
					t.Error(p.Problems)
				}
				w.has("l10n", "locales/fr/a.json", text("Pomme 2"))
				w.has("l10n", "locales/de/a.json", text("Apfel 2"))
				w.reports(w.pushes(push.Options{}))
				w.holds("main", "fr", "a", "Pomme 2")
				w.holds("main", "de", "a", "Apfel 2")
				if p := w.pulls(pull.Options{}); p.Commit != "" || len(p.Problems) > 0 {
					t.Errorf("%+v", p)
				}
			})
		}
	}
}

// What a person brings back on a branch stays, where the branch was only rebased: its own history has what was there.
func TestBringingBackOnARebasedBranch(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := deAndFr(t)
	w.git("checkout", "-q", "l10n")
	w.git("rebase", "-q", "main")
	w.git("checkout", "-q", "main")
	w.commitOn("l10n", "locales/fr/a.json", "{\n  \"a\": \"Pomme 1\"\n}\n")
	w.pulls(pull.Options{})
	w.sends("locales/fr/a.json (fr): a")
	w.holds("main", "fr", "a", "Pomme 1")
}

// What a person brings back on a branch stays also where what the branch had was squashed, and the branch was made anew
// after that: its own history has what was replaced, and the fork does not.
func TestBringingBackAfterASquash(t *testing.T) {
	gittest.Long(t)
	for _, later := range []string{"", "x"} {
		for _, first := range []string{"pull", "push"} {
			t.Run(first+later, func(t *testing.T) {
				t.Parallel()
				w := deAndFr(t)
				w.git("merge", "-q", "--squash", "l10n")
				w.commit()
				w.startOver()
				w.commitOn("l10n", "locales/fr/a.json", "{\n  \"a\": \"Pomme 1\"\n}\n")
				if later != "" {
					w.commitOn("l10n", "other.txt", later)
				}
				if first == "pull" {
					w.pulls(pull.Options{})
				}
				w.sends("locales/fr/a.json (fr): a")
				w.holds("main", "fr", "a", "Pomme 1")
				w.pulls(pull.Options{})
				w.has("l10n", "locales/fr/a.json", "{\n  \"a\": \"Pomme 1\"\n}")
			})
		}
	}
}

// A pull that writes nothing to a branch behind its base has read that branch: a push concludes nothing from it, and
// what is translated later comes.
func TestPullOfABranchBehindItsBase(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := deAndFr(t)
	w.write("locales/fr/a.json", "{\n  \"a\": \"Pomme 2\"\n}\n", "locales/de/a.json", "{\n  \"a\": \"Apfel 2\"\n}\n")
	w.commit()
	w.git("branch", "-f", "l10n", "main^")
	if p := w.pulls(pull.Options{}); p.Commit != "" || len(p.Problems) > 0 {
		t.Errorf("%+v", p)
	}
	w.reports(w.pushes(push.Options{}))
	w.final("fr", "a", "Pomme 3")
	if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
		t.Error(p.Problems)
	}
	w.has("l10n", "locales/fr/a.json", "{\n  \"a\": \"Pomme 3\"\n}")
}

// Where no translation is written in the repository, none is ever sent, and each pull brings what the service has,
// whatever becomes of the branch and of the state.
func TestOldTextsOfBranchesAreNoChange(t *testing.T) {
	gittest.Long(t)
	rapid.Check(t, func(rt *rapid.T) {
		w := abc(t, localOnly, nil)
		languages, n := []string{"de", "fr"}, 0
		has := map[string]map[string]string{"de": {}, "fr": {}}
		pushed := func() {
			for _, f := range w.pushes(push.Options{}).Files {
				if f.Language != "en" {
					rt.Fatalf("sent: %+v", f)
				}
			}
		}
		for range rapid.IntRange(4, 12).Draw(rt, "steps") {
			n++
			language := rapid.SampledFrom(languages).Draw(rt, "language")
			_, err := gittest.TryGit(t, w.dir, "rev-parse", "-q", "--verify", "l10n")
			switch step := rapid.SampledFrom([]string{"translate", "translate", "pull", "pull", "push", "merge", "squash",
				"anew", "elsewhere", "back", "code", "lose"}).Draw(rt, "step"); {
			case step == "translate":
				key, text := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "key"), fmt.Sprint(language, n)
				w.final(language, key, text)
				has[language][key] = text
			case step == "pull":
				w.pulls(pull.Options{})
			case step == "push":
				pushed()
			case step == "code":
				w.write(fmt.Sprint("code", n), "x")
				w.commit()
			case step == "lose":
				w.lose()
			case err != nil: // there is no branch
			case step == "merge":
				if _, err := gittest.TryGit(t, w.dir, "merge", "-q", "--no-edit", "l10n"); err != nil {
					w.git("merge", "--abort")
				}
			case step == "squash":
				if _, err := gittest.TryGit(t, w.dir, "merge", "-q", "--squash", "l10n"); err != nil {
					w.git("reset", "-q", "--hard")
				} else if w.git("status", "--porcelain") != "" {
					w.commit()
				}
			case step == "anew":
				w.startOver()
			case step == "elsewhere":
				w.startOver()
				here, text := w.show("l10n", "locales/"+language+"/a.json"), flat(has[language])
				if len(has[language]) > 0 && text != here+"\n" {
					w.deliverElsewhere(language, text)
				}
			case step == "back":
				w.git("branch", "-f", "l10n", w.git("merge-base", "main", "l10n"))
			}
		}
		w.pulls(pull.Options{})
		pushed()
		status := w.Status(t.Context()).Projects[0]
		for _, language := range languages {
			path := "locales/" + language + "/a.json"
			here := parseFlat(rt, w.show("l10n", path))
			for key, text := range has[language] {
				if here[key] != text && !undecided(status, path, key, here[key], text) {
					rt.Fatalf("%s of %s is %q on the branch and %q at the service", key, language, here[key], text)
				}
			}
		}
	})
}
