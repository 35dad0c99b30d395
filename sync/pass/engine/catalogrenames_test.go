package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
)

// stringsOf is a string catalog of entries.
func stringsOf(entries ...string) string {
	return "{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {\n    " + strings.Join(entries, ",\n    ") +
		"\n  },\n  \"version\" : \"1.0\"\n}\n"
}

// stringOf is one entry, in English and, unless it is empty, in German.
func stringOf(key, about, english, german string) string {
	unit := func(language, text string) string {
		return `"` + language + `" : { "stringUnit" : { "state" : "translated", "value" : "` + text + `" } }`
	}
	languages := []string{unit("en", english)}
	if german != "" {
		languages = append([]string{unit("de", german)}, languages...)
	}
	return `"` + key + `" : { ` + about + `"localizations" : { ` + strings.Join(languages, ", ") + " } }"
}

const catalogOfStrings = `
source_language = "en"
target_languages = ["de"]
[project.pull]
remote = ""
[[project.files]]
source = "App/Localizable.xcstrings"
`

// A key of a string catalog that is renamed keeps its translation: after its source text changed, and as Xcode renames
// it, which leaves the old key behind.
func TestRenamesInStringCatalogs(t *testing.T) {
	for name, c := range map[string]struct {
		edits []string // versions of the catalog, one after the other
	}{
		"renamed": {[]string{
			stringsOf(stringOf("b", "", "Bye", "Auf bald"), stringOf("c", "", "Hello", "")),
		}},
		"reworded, then renamed": {[]string{
			stringsOf(stringOf("a", "", "Hello there", "Hallo"), stringOf("b", "", "Bye", "Auf bald")),
			stringsOf(stringOf("b", "", "Bye", "Auf bald"), stringOf("c", "", "Hello there", "")),
		}},
		"by Xcode": {[]string{
			stringsOf(stringOf("a", `"extractionState" : "stale", `, "Hello", "Hallo"), stringOf("b", "", "Bye", "Auf bald"),
				stringOf("c", "", "Hello", "")),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, catalogOfStrings, map[string]string{"App/Localizable.xcstrings": stringsOf(
				stringOf("a", "", "Hello", "Hallo"), stringOf("b", "", "Bye", "Auf bald"))})
			w.takesAll(w.pushes(push.Options{Translations: true}))
			w.brings()
			for _, edit := range c.edits {
				w.write("App/Localizable.xcstrings", edit)
				w.commit()
				w.clean(push.Options{})
				w.pulls(pull.Options{})
			}
			_, got, _ := strings.Cut(w.show("l10n", "App/Localizable.xcstrings"), `"c"`)
			if !strings.Contains(got, "Hallo") {
				t.Errorf("the translation is lost:\n%s", got)
			}
			w.holds("main", "de", "c", "Hallo")
		})
	}
}

// A file with all languages is brought to the branch when one of its translations changed on base, not for a source text.
func TestStringCatalogOfBaseIsOnTheBranch(t *testing.T) {
	t.Parallel()
	const path = "App/Localizable.xcstrings"
	w := newWorld(t, catalogOfStrings, map[string]string{path: stringsOf(stringOf("a", "", "Hello", ""))})
	w.clean(push.Options{})
	w.final("de", "a", "Hallo")
	w.brings(path + " (de): +1 ~0 -0")
	w.git("merge", "-q", "--ff-only", "l10n")
	merged := w.git("rev-parse", "l10n")
	w.write(path, stringsOf(stringOf("a", "", "Hello there", "Hallo")))
	w.commit()
	w.clean(push.Options{})
	w.brings()
	if at := w.git("rev-parse", "l10n"); at != merged {
		t.Errorf("the branch moved to %s for a source text", at)
	}
	w.write(path, stringsOf(stringOf("a", "", "Hello there", "Hallo du")))
	w.commit()
	w.clean(push.Options{})
	w.brings()
	w.git("diff", "--quiet", "l10n", "main")
}
