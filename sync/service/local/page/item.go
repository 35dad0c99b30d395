package page

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/service/local/findings"
	"github.com/locsync/locsync/sync/service/local/keys"
	"github.com/locsync/locsync/sync/service/local/marks"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/terms"
	"github.com/locsync/locsync/sync/service/wire"
	"github.com/locsync/locsync/sync/text/plural"
)

// item is one key in one language, as it is stored.
type item struct {
	at      position
	row     *store.Row
	is      *store.Translation // nil: not translated
	offered *store.Translation // that conflicts with it; nil: none
	// suggested is what a person suggests in place of a confirmed text; nil: none
	suggested *store.Translation
	comments  []store.Comment
	questions int    // of them that wait for an answer
	source    string // the source language
	code      string
	terms     *terms.Terms // of the project's glossaries; nil: it has none
	checks    check.Settings

	k       *store.Keyspace // of its collection
	stored  *store.Row      // row as the store has it, whose texts are messages where message is not nil
	message *keys.Message
}

// item reads a key of a collection.
func (o *opened) item(collection string, k *store.Keyspace, n []byte, r *store.Row) (item, error) {
	it := item{at: position{collection, store.RowNumber(n)}, row: r, k: k, stored: r,
		source: o.project.Source, code: o.Language}
	if o.checks != nil {
		it.checks = o.checks(o.project.ID, collection, r.Key)
	}
	var err error
	it.terms, err = o.glossaries()
	if err != nil {
		return it, err
	}
	if it.is, err = k.Translation(o.Language, n); err == nil {
		it.offered, err = k.Offered(o.Language, n)
	}
	if err == nil {
		it.suggested, err = k.Suggested(o.Language, n)
	}
	if err == nil {
		it.comments, err = k.Comments(n)
	}
	for _, c := range it.comments {
		if c.Open() {
			it.questions++
		}
	}
	it.takeApart()
	return it, err
}

// n is the number of a key in its collection, as it is stored.
func (it item) n() []byte { return store.Number(it.at.Row) }

// version tells what is stored of a key from everything else that may be: a form carries the one that its writer saw.
func (it item) version() string {
	var b strings.Builder
	add := func(texts []store.Text) {
		for _, t := range texts {
			b.WriteString(strconv.Quote(t.Form) + strconv.Quote(t.Value))
		}
		b.WriteByte('|')
	}
	add(it.row.Texts)
	for _, t := range []*store.Translation{it.is, it.offered} {
		if t != nil {
			b.WriteString(strconv.FormatInt(t.Changed, 10) + string(t.State.Word()))
			add(t.Texts)
		}
		b.WriteByte(';')
	}
	if it.suggested != nil {
		b.WriteString(strconv.FormatInt(it.suggested.Changed, 10))
		add(it.suggested.Texts)
	}
	return store.Digest(b.String())
}

// forms are the plural forms that a translation has fields for: those that the language needs, and those that are
// there; a single text has one without a name.
func (it item) forms() []string {
	if !it.row.Plural {
		return []string{""}
	}
	var forms []string
	for _, c := range it.categories() {
		if !c.Rare || c.Name == plural.Other {
			forms = append(forms, c.Name)
		}
	}
	have := it.row.Texts
	if it.is != nil {
		have = it.is.Texts
	}
	if len(forms) > 0 && it.is == nil {
		have = nil // the source's forms are those of another language
	}
	for _, t := range have {
		if !slices.Contains(forms, t.Form) {
			forms = append(forms, t.Form)
		}
	}
	slices.SortStableFunc(forms, plural.Compare)
	return forms
}

// sourceOf is the source text that a form translates.
func (it item) sourceOf(form string) string { return keys.SourceOf(it.row.Texts, form) }

// examine makes the checks that pulls make, on texts for this key.
func (it item) examine(texts []store.Text) (all []findings.Finding) {
	add := func(form string, found []check.Finding) {
		for _, f := range found {
			all = append(all, findings.Of(form, f))
		}
	}
	var sources, have, of []string
	if it.row.Plural {
		for _, t := range it.row.Texts {
			sources, of = append(sources, t.Value), append(of, t.Form)
		}
	}
	for _, t := range texts {
		if it.row.Plural {
			have = append(have, t.Form)
		}
		add(t.Form, check.Translation(check.Input{Programs: it.programs(), Key: it.row.Key, Form: t.Form,
			Source: it.sourceOf(t.Form), Translation: t.Value, Note: it.row.Note, Forms: sources, Language: it.code,
			SourceLanguage: it.source, Terms: it.termsIn(it.sourceOf(t.Form)), Skip: it.checks.Skip, Level: it.checks.Level}))
	}
	if it.row.Plural {
		add("", check.Forms(check.Plural{Source: of, Forms: have, Language: it.code, SourceLanguage: it.source,
			Skip: it.checks.Skip, Falls: it.programs().Suffixes,
			Ordinal: it.message != nil && it.message.Kind == plural.Ordinal}))
	}
	return all
}

// termsIn are the terms of a source text that the glossaries have in the language, or else the configuration.
func (it item) termsIn(source string) *check.Terms {
	if it.terms == nil {
		return it.checks.Terms
	}
	words := make(map[string][]string)
	all := check.Terms{Translate: map[string]map[string][]string{it.code: words}}
	if configured := it.checks.Terms; configured != nil {
		all.Keep = configured.Keep
		maps.Copy(words, configured.Translate[it.code])
	}
	for spelled, target := range it.terms.Translations(source) {
		words[strings.ToLower(spelled)] = []string{target}
	}
	return &all
}

// programs are those that read the format that the source text came in; of what was imported before formats were
// stored, those of the plainest.
func (it item) programs() programs.Programs {
	format, known := formats.Named(string(it.row.Format))
	if !known {
		format, _ = formats.Named(string(wire.FormatJSON))
	}
	return format.Programs
}

// shows tells whether a scope shows a key. Checks, which take longest, are made of what is found alone.
func (p scope) shows(it item) bool { return p.finds(it) && filterOf(p.Show).shows(it) }

// finds tells whether a key, its source text or its translation has what is searched for, in any case.
func (p scope) finds(it item) bool {
	if p.Q == "" || contains(it.row.Key, p.Q) {
		return true
	}
	in := func(texts []store.Text) bool {
		return slices.ContainsFunc(texts, func(t store.Text) bool { return contains(t.Value, p.Q) })
	}
	return in(it.row.Texts) || it.is != nil && in(it.is.Texts)
}

func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// was is the source text that the translation was written for, where the source has another by now.
func (it item) was() []store.Text {
	if it.is == nil {
		return nil
	}
	if it.message != nil {
		if forms, ok := it.message.Forms(it.is.Source); ok {
			return forms
		}
	}
	return it.is.Source
}

// texts are those that are stored; none where it is not translated.
func (it item) texts() []store.Text {
	if it.is == nil {
		return nil
	}
	return it.is.Texts
}

// signed are the pieces of a text that has characters which show nothing; nil where it has none.
func (it item) signed(text string) []marks.Piece {
	all := it.pieces(text)
	if !slices.ContainsFunc(all, func(p marks.Piece) bool { return p.Kind == marks.Sign }) {
		return nil
	}
	return all
}

func (it item) outdated() bool { return it.is != nil && len(it.is.Source) > 0 }

func (it item) rejected() bool { return it.is != nil && it.is.Rejected != store.Rejection{} }

// state is a key's state in words.
func (it item) state() string {
	switch {
	case it.is == nil:
		return "untranslated"
	case it.is.State == store.Draft:
		return showDraft
	case it.is.State == store.Intermediate:
		return showConfirmed
	}
	return showFinal
}

// shortened is the beginning of a text, or of the form that says most.
func shortened(texts []store.Text) string {
	const most = 200
	if len(texts) == 0 {
		return ""
	}
	text := texts[len(texts)-1].Value
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// joined is the first of two errors.
func joined(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}
