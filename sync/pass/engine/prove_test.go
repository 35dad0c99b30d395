package engine

import (
	"bytes"
	"errors"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// faulty puts a grammar with a fault in the place of the real ones: what it writes into files whose path holds the language goes through spoil. It is for tests
// that are not parallel.
func faulty(t *testing.T, language string, spoil func(out []byte) []byte) (mend func()) {
	t.Helper()
	real := pull.Render
	pull.Render = func(b *bundle.Bundle, like, old *resource.File, l config.Language, changes []catalog.Change) ([]byte, []bundle.Refused, error) {
		out, refused, err := real(b, like, old, l, changes)
		if l.Code == language && err == nil {
			out = spoil(out)
		}
		return out, refused, err
	}
	mend = func() { pull.Render = real }
	t.Cleanup(mend)
	return mend
}

// A file that did not become what it was to become is not written: not by a pull that changes it, nor by one that makes it. It is named, nothing is remembered of
// it, the other files go on, and once the fault is repaired the next pull writes it.
func TestPullHoldsBackWhatCannotBeProven(t *testing.T) {
	w := newWorld(t, localOnly+`
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`, map[string]string{"en.json": `{"a": "A", "b": "B"}`, "de.json": `{"a": "Ä", "b": "Beh"}`})
	w.clean(push.Options{Translations: true})
	w.brings()
	w.translate("main", "de", service.Final, "a", "Neu")
	w.translate("main", "fr", service.Final, "a", "Nouveau")
	mend := faulty(t, "de", func(out []byte) []byte { return bytes.Replace(out, []byte("Beh"), []byte("Bah"), 1) })
	p := w.pulls(pull.Options{})
	w.gains(p, "fr.json (fr): +1 ~0 -0")
	w.problem(p.Problems, "de.json", `"b"`, `would read "Bah", not "Beh"`, "left as it is")
	w.has("l10n", "fr.json", `{"a": "Nouveau"}`)
	if got := w.show("l10n", "de.json"); got != `{"a": "Ä", "b": "Beh"}` {
		t.Errorf("the branch has %s", got)
	}
	mend()
	w.brings("de.json (de): +0 ~1 -0")
	w.has("l10n", "de.json", `{"a": "Neu", "b": "Beh"}`)

	w.translate("main", "fr", service.Final, "a", "Encore")
	mend = faulty(t, "fr", func(out []byte) []byte { return append(out, ' ') }) // one byte too many, where no entry is
	p = w.pulls(pull.Options{})
	w.gains(p)
	w.problem(p.Problems, "fr.json", "bytes behind")
	mend()
	w.brings("fr.json (fr): +0 ~1 -0")
}

func TestPullHoldsBackANewFile(t *testing.T) {
	w := newWorld(t, localOnly+`
[[project.files]]
source = "en.yml"
output = "{LANGUAGE}.yml"
format = "structured-yaml"
`, map[string]string{"en.yml": "en:\n  a: A\n  b: \"B\" # note\n"})
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "a", "Ä")
	mend := faulty(t, "de", func(out []byte) []byte { return append(out, "  b: B\n"...) }) // a source text is left in it
	p := w.pulls(pull.Options{})
	w.gains(p)
	w.problem(p.Problems, "de.yml", `"b"`, "a fault of locsync")
	mend()
	w.brings("de.yml (de): +1 ~0 -0")
	w.has("l10n", "de.yml", "de:\n  a: Ä")
}

// What the independent reader cannot read is not vouched for.
func TestPullHoldsBackWhatCannotBeReadTwice(t *testing.T) {
	w := newWorld(t, localOnly+`
[[project.files]]
source = "en.strings"
output = "{LANGUAGE}.strings"
`, map[string]string{"en.strings": "\"a\" = \"A\";\n", "de.strings": "\"a\" = \"Ä\";\n"})
	w.clean(push.Options{Translations: true})
	w.brings()
	w.translateFile("ios-strings", "main", "de", "x.strings", "\"a\" = \"Neu\";\n")
	faulty(t, "de", func(out []byte) []byte { return bytes.Replace(out, []byte(";"), nil, 1) })
	p := w.pulls(pull.Options{})
	w.gains(p)
	w.problem(p.Problems, "de.strings", "cannot be read a second time")
}

// A file that branch and base both changed and that cannot be joined soundly leaves the branch behind: neither side's texts are lost.
func TestPullHoldsBackAJoinedFile(t *testing.T) {
	w := abc(t, localOnly, nil)
	w.final("de", "a", "A1", "b", "B1")
	w.brings("locales/de/a.json (de): +2 ~0 -0")
	w.git("merge", "-q", "--ff-only", "l10n")
	w.final("de", "b", "B2")
	w.brings("locales/de/a.json (de): +0 ~1 -0")
	w.write("locales/de/a.json", "{\n  \"a\": \"A person\",\n  \"b\": \"B1\"\n}\n", "code.txt", "1")
	w.commit()
	w.final("fr", "a", "F")
	mend := faulty(t, "de", func(out []byte) []byte { return bytes.Replace(out, []byte("person"), []byte("nobody"), 1) })
	p := w.pulls(pull.Options{})
	w.gains(p, "locales/fr/a.json (fr): +1 ~0 -0")
	w.problem(p.Problems, "locales/de/a.json", `"a"`, "nobody")
	w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"A1\",\n  \"b\": \"B2\"\n}")
	mend()
	w.final("fr", "b", "G")
	w.brings("locales/fr/a.json (fr): +1 ~0 -0")
	w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"A person\",\n  \"b\": \"B2\"\n}")
}

// A file that cannot be rendered at all is left as it is, and the report says why.
func TestPullLeavesWhatCannotBeRendered(t *testing.T) {
	w := abc(t, localOnly, nil)
	w.final("de", "a", "A1")
	sound := pull.Render
	t.Cleanup(func() { pull.Render = sound })
	pull.Render = func(*bundle.Bundle, *resource.File, *resource.File, config.Language, []catalog.Change) ([]byte, []bundle.Refused, error) {
		return nil, nil, errors.New("too deep")
	}
	p := w.pulls(pull.Options{})
	w.gains(p)
	w.problem(p.Problems, "locales/de/a.json: (de): is left as it is: too deep")
	pull.Render = sound
	w.brings("locales/de/a.json (de): +1 ~0 -0")
}
