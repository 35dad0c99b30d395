package engine

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// The law of every row of the table: a repository's texts go to the service with their comments and forms, also with
// forms that the source language lacks; of what comes back, a translator's change changes the bytes of its value.
func TestRoundTripOfEveryFormat(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, name := range formats.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row, _ := formats.Named(name)
			newTrip(t, row).andBack()
		})
	}
}

// trip is a project of one file in one format.
type trip struct {
	*world
	row    formats.Format
	bundle *bundle.Bundle
	source *resource.File
}

func newTrip(t *testing.T, row formats.Format) *trip {
	flat, _ := formats.Named(row.Flat())
	path := "l10n/en/Texts" + flat.Extensions[0]
	project := "source_language = \"en\"\ntarget_languages = [\"de\", \"ru\"]\n[project.pull]\nremote = \"\"\n" +
		fmt.Sprintf("[[project.files]]\nsource = %q\nformat = %q\n", path, row.Name)
	if !row.Multilingual() {
		project += "output = \"l10n/{LANGUAGE}/{NAME}.{EXT}\"\n"
	}
	english := englishIn(t, row)
	w := newWorld(t, project, map[string]string{path: string(english)})
	bundles, problems, err := bundle.Find(os.DirFS(w.dir), &w.Config.Projects[0])
	if err != nil || len(problems) > 0 || len(bundles) != 1 {
		t.Fatal(err, problems, len(bundles))
	}
	tr := &trip{world: w, row: row, bundle: bundles[0]}
	tr.source, err = tr.bundle.Parse(english, tr.bundle.Source)
	w.check(err)
	return tr
}

// englishIn is a source file: texts, one of them with a comment, and a plural, which is a message where the format has
// no forms, or where those are keys.
func englishIn(t *testing.T, row formats.Format) []byte {
	texts := []resource.Entry{{Key: "title", Text: "Title", Note: "Above the list"}, {Key: "free", Text: "Free text"}}
	forms := []resource.Entry{{Key: "notes", Form: "one", Text: "one note"},
		{Key: "notes", Form: "other", Text: "many notes"}}
	if row.Name == "stringsdict" { // forms are those of a variable
		forms[0].Key, forms[1].Key = "notes|==|n", "notes|==|n"
	}
	message := []resource.Entry{{Key: "sheets", Text: sheets}}
	isForm := func(u catalog.Unit) bool { return u.Form != "" }
	for _, all := range [][]resource.Entry{slices.Concat(texts, forms), slices.Concat(texts, forms, message)} {
		body, err := row.Compose(resource.Keys{}, nil, all)
		if err != nil {
			continue
		}
		f, err := row.Parse(resource.Keys{}, body)
		got := bundle.Texts(f)
		if err == nil && len(got) == len(all) && slices.ContainsFunc(got, isForm) == (len(all) == 4) {
			return body
		}
	}
	body, err := row.Compose(resource.Keys{}, nil, slices.Concat(texts, message))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

const sheets = "{count, plural, one {one sheet} other {many sheets}}"

var (
	german = map[string]string{
		"Title": "Titel", "Free text": "Freier Text", "one note": "ein Zettel", "many notes": "viele Zettel",
		sheets: "{count, plural, one {ein Blatt} other {viele Blätter}}",
	}
	russian = map[string]string{
		"Title": "Название", "Free text": "Свободный текст", "one note": "заметка", "many notes": "заметок всего",
		"few": "заметки", "many": "заметок",
		sheets: "{count, plural, one {лист} few {листа} many {листов} other {листы}}",
	}
)

// in are the texts of the source in a language, with the forms that it has besides.
func (tr *trip) in(texts map[string]string) (all []catalog.Change) {
	for _, u := range bundle.Texts(tr.source) {
		whole := texts["many"] != "" && u.Form == "other" && tr.row.Programs.Whole // no whole number is in it
		if !whole {
			all = append(all, catalog.Change{Op: catalog.Added, Name: u.Name, Text: texts[u.Text]})
		}
		for _, category := range []string{"few", "many"} {
			if texts[category] != "" && u.Form == "other" {
				more := catalog.Name{Key: u.Key, Form: category}
				all = append(all, catalog.Change{Op: catalog.Added, Name: more, Text: texts[category]})
			}
		}
	}
	return all
}

// translated puts the translations into the repository, each file as a pull would write it.
func (tr *trip) translated() {
	tr.tb.Helper()
	for i, l := range tr.Config.Projects[0].Targets() {
		var old *resource.File
		path := tr.bundle.Target(l)
		if tr.row.Multilingual() {
			old = tr.parsed(path, l)
		}
		out, refused, err := bundle.Render(tr.bundle, tr.source, old, l, tr.in([]map[string]string{german, russian}[i]))
		if err != nil || len(refused) > 0 {
			tr.tb.Fatal(err, refused)
		}
		tr.write(path, string(out))
	}
	tr.commit()
}

func (tr *trip) worktree(path string) string {
	tr.tb.Helper()
	src, err := os.ReadFile(tr.dir + "/" + path)
	tr.check(err)
	return string(src)
}

func (tr *trip) andBack() {
	tr.tb.Helper()
	tr.translated()
	tr.clean(push.Options{Translations: true})
	tr.arrived()
	tr.brings()
	edits := 0
	for _, edit := range []struct{ language, old, new string }{
		{"de", "Freier Text", "Anderer Text"}, {"ru", "заметки", "записки"}, {"de", "ein Zettel", "ein Stück"},
		{"ru", "{листа}", "{листочка}"}, {"de", "ein Blatt", "ein Bogen"},
	} {
		l := tr.Config.Projects[0].Targets()[slices.Index([]string{"de", "ru"}, edit.language)]
		if tr.edited(l, edit.old, edit.new) {
			edits++
		}
	}
	if edits < 3 { // a text, and forms in two languages
		tr.tb.Errorf("only %d edits were made", edits)
	}
}

// arrived checks what was sent of the source, and what the service has of the translations.
func (tr *trip) arrived() {
	tr.tb.Helper()
	var english catalog.Catalog
	for _, r := range tr.wire.take("import") {
		for _, body := range r.files {
			if r.query.Get("language") != "en" {
				continue
			}
			f, err := tr.row.Sent().Parse(resource.Keys{}, []byte(body))
			tr.check(err)
			english = append(english, bundle.Texts(f)...)
		}
	}
	for _, u := range bundle.Texts(tr.source) {
		at := slices.IndexFunc(english, func(s catalog.Unit) bool {
			return s.Key == u.Key && (u.Form == s.Form && u.Text == s.Text || u.Form != "" && strings.Contains(s.Text, u.Text))
		})
		if at < 0 || u.Note != "" && english[at].Note != u.Note {
			tr.tb.Errorf("of %+v was sent %+v", u, english)
		}
	}
	for i, language := range []string{"de", "ru"} {
		have := strings.Join(slices.Collect(maps.Values(tr.at("main", language))), "\n")
		for _, c := range tr.in([]map[string]string{german, russian}[i]) {
			if !strings.Contains(have, c.Text) {
				tr.tb.Errorf("the service has in %s, without %q:\n%s", language, c.Text, have)
			}
		}
	}
}

// edited is a translator's change of one text, or of one form of it.
func (tr *trip) edited(l config.Language, old, text string) bool {
	tr.tb.Helper()
	path := tr.bundle.Target(l)
	before := tr.parsed(path, l)
	if !tr.translates(l, old, text) {
		return false // it is in the other spelling of plurals
	}
	tr.brings(fmt.Sprintf("%s (%s): +0 ~1 -0", path, l.Code))
	tr.git("merge", "-q", "l10n")
	after := tr.parsed(path, l)
	for e := range before.Entries() {
		was, is := before.Source(), after.Source()
		value := before.Node(e.Node).Value
		if !strings.Contains(e.Text, old) {
			continue
		}
		if !strings.HasPrefix(is, was[:value.Start]) || !strings.HasSuffix(is, was[value.End:]) {
			tr.tb.Errorf("%s for %s changed more than its value:\n%s", text, old, is)
		}
		e.Text = strings.Replace(e.Text, old, text, 1)
		if now, _ := after.Lookup(e.Key, e.Form); now.Text != e.Text {
			tr.tb.Errorf("%q is now %q", e.Text, now.Text)
		}
	}
	tr.sends()
	tr.brings()
	return true
}

// translates uploads a key whose text has changed, with all of its forms; false where no text is to change.
func (tr *trip) translates(l config.Language, old, text string) bool {
	tr.tb.Helper()
	format := tr.row.Exchanged()
	changed := ""
	var entries []resource.Entry
	for name, value := range tr.spelled(format.Name, "main", l.Code, service.Draft) {
		key, form, _ := strings.Cut(name, "#")
		if strings.Contains(value, old) {
			changed, value = key, strings.Replace(value, old, text, 1)
		}
		entries = append(entries, resource.Entry{Key: key, Form: form, Kind: resource.Text, Text: value})
	}
	entries = slices.DeleteFunc(entries, func(e resource.Entry) bool { return e.Key != changed })
	if len(entries) == 0 {
		return false
	}
	body, err := format.Compose(resource.Keys{}, nil, entries)
	tr.check(err)
	tr.translateFile(service.Format(format.Name), "main", l.Code, "translator", string(body))
	return true
}

func (tr *trip) parsed(path string, l config.Language) *resource.File {
	tr.tb.Helper()
	f, err := tr.bundle.Parse([]byte(tr.worktree(path)), l)
	tr.check(err)
	return f
}
