package inspect

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/report"
)

// aged is a repository whose texts have a history.
type aged struct {
	*world
	n int
}

func newAged(tb testing.TB) *aged {
	return &aged{world: newWorld(tb, settings+"[[project.files]]\nsource = \"en/*.json\"\noutput = \"{LANGUAGE}/{NAME}.json\"\n",
		map[string]string{"README": "x\n"})}
}

// writes writes files in the working tree: pairs of name and keys with texts, as JSON.
func (a *aged) writes(files ...string) {
	a.Helper()
	for i := 0; i < len(files); i += 2 {
		gittest.Write(a, a.dir, map[string]string{files[i]: files[i+1] + "\n"})
	}
}

// commits is writes and a commit.
func (a *aged) commits(message string, files ...string) {
	a.Helper()
	a.writes(files...)
	a.n++
	gittest.Git(a, a.dir, "add", "-A")
	gittest.Git(a, a.dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("%d\n\n%s", a.n, message))
}

// stale are the stale translations, as "file key".
func (a *aged) stale(o Options) (all []string) {
	a.Helper()
	o.Stale, o.StaleFile = true, StaleFile(filepath.Join(a.dir, "locsync.toml"))
	for _, p := range a.inspects(o).Problems {
		if p.Code == report.CodeStale {
			all = append(all, strings.TrimSpace(p.File+" "+p.Key))
		}
	}
	return all
}

func (a *aged) is(want ...string) {
	a.Helper()
	if got := a.stale(Options{}); !slices.Equal(got, want) {
		a.Errorf("stale are %q, want %q", got, want)
	}
}

func TestStale(t *testing.T) {
	gittest.Need(t)
	both := func(t *testing.T) *aged {
		a := newAged(t)
		a.commits("", "en/a.json", `{"k": "One", "l": "Two", "m": "Three"}`)
		a.commits("", "de/a.json", `{"k": "Eins", "l": "Zwei", "m": "Drei"}`)
		return a
	}
	changed := func(t *testing.T) *aged {
		a := both(t)
		a.commits("", "en/a.json", `{"k": "One and a half", "l": "Two", "m": "Three"}`)
		return a
	}
	t.Run("the source changed, then the translation", func(t *testing.T) {
		a := changed(t)
		a.is("de/a.json k")
		a.commits("", "de/a.json", `{"k": "Anderthalb", "l": "Zwei", "m": "Drei"}`)
		a.is()
	})
	t.Run("both in one commit, a new key, a reformatting", func(t *testing.T) {
		a := both(t)
		a.commits("", "en/a.json", `{"k": "Uno", "l": "Two", "m": "Three"}`, "de/a.json", `{"k": "Ains", "l": "Zwei", "m": "Drei"}`)
		a.commits("", "de/a.json", `{"k": "Ains", "l": "Zwei", "m": "Drei", "n": "Vier"}`)
		a.commits("", "en/a.json", "{\n\"n\": \"Four\",\n\"l\": \"Two\", \"k\": \"Uno\", \"m\": \"Three\"}")
		a.is()
	})
	t.Run("keys and files get other names", func(t *testing.T) {
		a := changed(t)
		a.commits("", "en/b.json", `{"new": "One and a half", "l": "Two", "m": "Three"}`,
			"de/b.json", `{"new": "Eins", "l": "Zwei", "m": "Drei"}`)
		gittest.Git(t, a.dir, "rm", "-q", "en/a.json", "de/a.json")
		gittest.Git(t, a.dir, "commit", "-q", "--amend", "--no-edit")
		a.is("de/b.json new")
	})
	t.Run("keys move to another file", func(t *testing.T) {
		a := changed(t)
		a.commits("", "en/b.json", `{"x": "X"}`, "de/b.json", `{"x": "X"}`, "fr/a.json", `{"k": "Un"}`, "fr/b.json", "{}")
		a.is("de/a.json k")
		a.commits("", "en/a.json", `{"l": "Two", "m": "Three"}`, "en/b.json", `{"x": "X", "new": "One and a half"}`,
			"de/a.json", `{"l": "Zwei", "m": "Drei"}`, "de/b.json", `{"x": "X", "new": "Eins"}`,
			"fr/a.json", "{}", "fr/b.json", `{"new": "Un"}`)
		a.is("de/b.json new")
		a.commits("", "en/c.json", `{"new": "One and a half"}`, "en/b.json", `{"x": "X"}`,
			"de/c.json", `{"new": "Eins"}`, "de/b.json", `{"x": "X"}`)
		a.is("de/c.json new") // a file is split
		gittest.Git(t, a.dir, "rm", "-q", "en/c.json", "de/c.json")
		a.commits("", "en/a.json", `{"l": "Two", "m": "Three", "k": "One and a half"}`,
			"de/a.json", `{"l": "Zwei", "m": "Drei", "k": "Eins"}`)
		a.is("de/a.json k")
	})
	t.Run("a text of another language that goes is no earlier one", func(t *testing.T) {
		a := changed(t)
		a.commits("", "fr/a.json", `{"k": "OK"}`, "de/a.json", `{"l": "Zwei", "m": "Drei"}`)
		a.commits("", "en/a.json", `{"k": "One more", "l": "Two", "m": "Three"}`)
		a.commits("", "fr/a.json", "{}", "de/a.json", `{"k": "OK", "l": "Zwei", "m": "Drei"}`)
		a.is()
	})
	t.Run("files get another extension of their format", func(t *testing.T) {
		project := func(extension string) string {
			return settings + "[[project.files]]\nformat = \"structured-yaml\"\nsource = \"en." + extension +
				"\"\noutput = \"{LANGUAGE}." + extension + "\"\n"
		}
		a := &aged{world: newWorld(t, project("yaml"), map[string]string{"README": "x\n"})}
		a.commits("", "en.yml", "en:\n  a:\n    k: One", "de.yml", "de:\n  a:\n    k: Eins")
		a.commits("", "en.yml", "en:\n  a:\n    k: One and a half")
		gittest.Git(t, a.dir, "mv", "en.yml", "en.yaml")
		gittest.Git(t, a.dir, "mv", "de.yml", "de.yaml")
		a.commits("")
		a.is("de.yaml a/k")
	})
	t.Run("a merge brings an older translation", func(t *testing.T) {
		a := both(t)
		gittest.Git(t, a.dir, "checkout", "-q", "-b", "l10n")
		a.commits("", "de/a.json", `{"k": "EINS", "l": "Zwei", "m": "Drei"}`)
		gittest.Git(t, a.dir, "checkout", "-q", "main")
		a.commits("", "en/a.json", `{"k": "One and a half", "l": "Two", "m": "Three"}`)
		gittest.Git(t, a.dir, "merge", "-q", "--no-edit", "l10n")
		a.is("de/a.json k")
	})
	t.Run("a source text that changes and changes back", func(t *testing.T) {
		a := changed(t)
		gittest.Git(t, a.dir, "revert", "--no-edit", "HEAD")
		a.is() // who translated this very text translated it
		a.commits("", "de/a.json", `{"k": "Eins.", "l": "Zwei", "m": "Drei"}`)
		a.writes("en/a.json", `{"k": "One and a half", "l": "Two", "m": "Three"}`)
		a.is("de/a.json k")
		a.writes("en/a.json", `{"k": "One", "l": "Two", "m": "Three"}`)
		a.commits("", "en/a.json", `{"k": "Uno", "l": "Two", "m": "Three"}`)
		a.writes("en/a.json", `{"k": "One", "l": "Two", "m": "Three"}`)
		a.is()
	})
	t.Run("a branch that is squashed, and one that is picked from", func(t *testing.T) {
		for _, brings := range [][]string{{"merge", "--squash", "l10n"}, {"cherry-pick", "--no-commit", "l10n"}} {
			a := both(t)
			gittest.Git(t, a.dir, "checkout", "-q", "-b", "l10n")
			a.commits("", "en/a.json", `{"k": "One and a half", "l": "Two", "m": "Three"}`)
			gittest.Git(t, a.dir, "checkout", "-q", "main")
			gittest.Git(t, a.dir, brings...)
			a.commits("the same change in another commit")
			gittest.Git(t, a.dir, "checkout", "-q", "l10n")
			a.commits("", "de/a.json", `{"k": "Anderthalb", "l": "Zwei", "m": "Drei"}`)
			gittest.Git(t, a.dir, "checkout", "-q", "main")
			a.is("de/a.json k")
			gittest.Git(t, a.dir, "merge", "-q", "--no-edit", "l10n")
			a.is()
		}
	})
	t.Run("what is not committed", func(t *testing.T) {
		a := both(t)
		a.writes("en/a.json", `{"k": "One!", "l": "Two", "m": "Three"}`)
		a.is("de/a.json k")
		a.writes("de/a.json", `{"k": "Eins!", "l": "Zwei", "m": "Drei"}`)
		a.is()
	})
	t.Run("a commit that says that the meaning stayed", func(t *testing.T) {
		a := both(t)
		a.commits("Locsync-Same-Meaning: k", "en/a.json", `{"k": "One.", "l": "Two!", "m": "Three"}`)
		a.is("de/a.json l")
	})
	t.Run("a change that is accepted, until the next", func(t *testing.T) {
		a := changed(t)
		o := Options{Stale: true, StaleFile: filepath.Join(a.dir, "locsync-stale.json")}
		result := report.CheckReport{Projects: []report.ProjectCheck{a.inspects(o)}}
		if err := AcceptStale(o.StaleFile, &result, []string{"nothing"}); err == nil {
			t.Error("a key without a stale translation is accepted")
		}
		a.check(AcceptStale(o.StaleFile, &result, []string{"k"}))
		if left := result.Projects[0].Problems; len(left) > 0 {
			t.Errorf("%v", left)
		}
		a.is()
		gittest.Git(t, a.dir, "mv", "en/a.json", "en/b.json")
		gittest.Git(t, a.dir, "mv", "de/a.json", "de/b.json")
		a.commits("")
		a.is()
		a.commits("", "en/b.json", `{"new": "One and a half", "l": "Two", "m": "Three"}`,
			"de/b.json", `{"new": "Eins", "l": "Zwei", "m": "Drei"}`)
		a.is()
		a.commits("", "en/b.json", `{"new": "One, once more", "l": "Two", "m": "Three"}`)
		a.is("de/b.json new")
	})
	t.Run("an accepted change of a key counts for no other one", func(t *testing.T) {
		a := both(t)
		a.commits("", "en/a.json", `{"k": "More", "l": "More", "m": "Three"}`)
		o := Options{Stale: true, StaleFile: filepath.Join(a.dir, "locsync-stale.json")}
		result := report.CheckReport{Projects: []report.ProjectCheck{a.inspects(o)}}
		a.check(AcceptStale(o.StaleFile, &result, []string{"k"}))
		a.is("de/a.json l")
	})
	t.Run("a plural of which a form is blank", func(t *testing.T) {
		a := &aged{world: newWorld(t, settings+"[[project.files]]\nsource = \"en/*.xml\"\noutput = \"{LANGUAGE}/{NAME}.xml\"\n",
			map[string]string{"README": "x\n"})}
		plural := func(one, other string) string {
			return "<resources><plurals name=\"k\"><item quantity=\"one\">" + one + "</item><item quantity=\"other\">" + other +
				"</item></plurals></resources>"
		}
		a.commits("", "en/a.xml", plural("%d file", "%d files"), "de/a.xml", plural("", "%d Dateien"))
		a.commits("", "en/a.xml", plural("%d document", "%d documents"))
		a.is("de/a.xml k")
	})
	t.Run("levels, and a shallow clone", func(t *testing.T) {
		a := changed(t)
		a.commits("", "en/a.json", `{"k": "One and a half", "l": "Two again", "m": "Three"}`)
		a.cfg.Check.Stale = "off"
		a.is()
		a.cfg.Check.Stale = "error"
		a.dir = gittest.Clone(t, "file://"+a.dir, "--depth=2")
		if got := a.stale(Options{}); !slices.Equal(got, []string{"", "de/a.json l"}) { // the first says what is not known
			t.Errorf("%q", got)
		}
	})
}

// A key from the repository runs nothing in a command that is shown, and is named by none that would mean another one.
func TestAcceptanceNamesTheKey(t *testing.T) {
	const lacks = "no command on one line can name the key "
	for key, want := range map[string]string{
		"menu.open": "if the change kept its meaning, run locsync check --accept-stale menu.open, or write " +
			"Locsync-Same-Meaning: menu.open into the message of the commit",
		"$(touch /tmp/x)": "if the change kept its meaning, run locsync check --accept-stale '$(touch /tmp/x)', or write " +
			"Locsync-Same-Meaning: $(touch /tmp/x) into the message of the commit",
		" a":       "if the change kept its meaning, run locsync check --accept-stale ' a'",
		"":         "if the change kept its meaning, run locsync check --accept-stale ''",
		"a\nb":     lacks + "`\"a\\nb\"`, to accept the change",
		"`\x1b[m`": lacks + "``\"`\\x1b[m`\"``, to accept the change",
	} {
		if got := acceptance(key); got != want {
			t.Errorf("%q: %s, want %s", key, got, want)
		}
	}
}

// In a history without branches a translation is stale where its source text changed later.
func TestStaleInAnyHistory(t *testing.T) {
	gittest.Need(t)
	rapid.Check(t, func(rt *rapid.T) {
		a := newAged(t)
		source, german := map[string]string{}, map[string]string{}
		changedAt, translatedAt := map[string]int{}, map[string]int{} // the source text: 0 where it is the first
		for n := range rapid.IntRange(1, 8).Draw(rt, "commits") {
			before := maps.Clone(source)
			for range rapid.IntRange(1, 4).Draw(rt, "changes") {
				key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "key")
				text := fmt.Sprintf("%s%d", key, rapid.IntRange(0, 9).Draw(rt, "text")+10*n) // new at each commit
				switch rapid.SampledFrom([]string{"source", "german", "gone"}).Draw(rt, "what") {
				case "source":
					source[key] = text
				case "german":
					german[key], translatedAt[key] = text, n+1
				case "gone":
					delete(source, key)
					delete(german, key)
				}
			}
			for key, text := range source {
				if was, had := before[key]; !had {
					changedAt[key] = 0
				} else if was != text {
					changedAt[key] = n + 1
				}
			}
			write := func(texts map[string]string) string {
				out, err := json.Marshal(texts)
				a.check(err)
				return string(out)
			}
			a.commits("", "en/a.json", write(source), "de/a.json", write(german))
		}
		var want []string
		for _, key := range []string{"a", "b", "c"} {
			_, lives := source[key]
			_, translated := german[key]
			if lives && translated && changedAt[key] > translatedAt[key] {
				want = append(want, "de/a.json "+key)
			}
		}
		if got := a.stale(Options{}); !slices.Equal(got, want) {
			rt.Fatalf("stale are %q, want %q:\n%s", got, want, gittest.Git(t, a.dir, "log", "-p", "--reverse"))
		}
	})
}
