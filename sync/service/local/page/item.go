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
	At      position
	Row     *store.Row
	Code    string             // of the language
	Is      *store.Translation // nil: not translated
	Offered *store.Translation // that conflicts with it; nil: none
	// Suggested is what a person suggests in place of a confirmed text; nil: none
	Suggested *store.Translation
	Comments  []store.Comment
	Questions int          // of them that wait for an answer
	source    string       // the source language
	terms     *terms.Terms // of the project's glossaries; nil: it has none
	checks    check.Settings

	k       *store.Keyspace // of its collection
	stored  *store.Row      // row as the store has it, whose texts are messages where message is not nil
	message *keys.Message
}

// item reads a key of a collection.
func (o *opened) item(collection string, k *store.Keyspace, n []byte, r *store.Row) (item, error) {
	it := item{At: position{collection, store.RowNumber(n)}, Row: r, Code: o.Language, k: k, stored: r,
		source: o.project.Source}
	if o.checks != nil {
		it.checks = o.checks(o.project.ID, collection, r.Key)
	}
	var err error
	it.terms, err = o.glossaries()
	if err != nil {
		return it, err
	}
	it.Is, err = k.Translation(o.Language, n)
	if err == nil {
		it.Offered, err = k.Offered(o.Language, n)
	}
	if err == nil {
		it.Suggested, err = k.Suggested(o.Language, n)
	}
	if err == nil {
		it.Comments, err = k.Comments(n)
	}
	for _, c := range it.Comments {
		if c.Open() {
			it.Questions++
		}
	}
	it.takeApart()
	return it, err
}

// n is the number of a key in its collection, as it is stored.
func (it item) n() []byte { return store.Number(it.At.Row) }

// version tells what is stored of a key from everything else that may be: a form carries the one that its writer saw.
func (it item) version() string {
	var b strings.Builder
	add := func(texts []store.Text) {
		for _, t := range texts {
			b.WriteString(strconv.Quote(t.Form) + strconv.Quote(t.Value))
		}
		b.WriteByte('|')
	}
	add(it.Row.Texts)
	for _, t := range []*store.Translation{it.Is, it.Offered} {
		if t != nil {
			b.WriteString(strconv.FormatInt(t.Changed, 10) + string(t.State.Word()))
			add(t.Texts)
		}
		b.WriteByte(';')
	}
	if it.Suggested != nil {
		b.WriteString(strconv.FormatInt(it.Suggested.Changed, 10))
		add(it.Suggested.Texts)
	}
	return store.Digest(b.String())
}

// forms are the plural forms that a translation has fields for: those that the language needs, and those that are
// there; a single text has one without a name.
func (it item) forms() []string {
	if !it.Row.Plural {
		return []string{""}
	}
	var forms []string
	for _, c := range it.categories() {
		if !c.Rare || c.Name == plural.Other {
			forms = append(forms, c.Name)
		}
	}
	have := it.Row.Texts
	if it.Is != nil {
		have = it.Is.Texts
	}
	if len(forms) > 0 && it.Is == nil {
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
func (it item) sourceOf(form string) string { return keys.SourceOf(it.Row.Texts, form) }

// examine makes the checks that pulls make, on texts for this key.
func (it item) examine(texts []store.Text) (all []findings.Finding) {
	add := func(form string, found []check.Finding) {
		for _, f := range found {
			all = append(all, findings.Of(form, f))
		}
	}
	var sources, have, of []string
	if it.Row.Plural {
		for _, t := range it.Row.Texts {
			sources, of = append(sources, t.Value), append(of, t.Form)
		}
	}
	for _, t := range texts {
		if it.Row.Plural {
			have = append(have, t.Form)
		}
		add(t.Form, check.Translation(check.Input{Programs: it.programs(), Key: it.Row.Key, Form: t.Form,
			Source: it.sourceOf(t.Form), Translation: t.Value, Note: it.Row.Note, Forms: sources, Language: it.Code,
			SourceLanguage: it.source, Terms: it.termsIn(it.sourceOf(t.Form)), Skip: it.checks.Skip, Level: it.checks.Level}))
	}
	if it.Row.Plural {
		add("", check.Forms(check.Plural{Source: of, Forms: have, Language: it.Code, SourceLanguage: it.source,
			Skip: it.checks.Skip, Falls: it.programs().Suffixes,
			Ordinal: it.message != nil && it.message.Kind == plural.Ordinal}))
	}
	return all
}

// blank reports whether a text has only blanks where its source has more.
func (it item) blank(t store.Text) bool {
	return strings.TrimSpace(t.Value) == "" && strings.TrimSpace(it.sourceOf(t.Form)) != ""
}

// holds reports whether pulls hold a text back for what a check has found.
func holds(f findings.Finding) bool { return f.Holds }

// takes reports whether new texts of a key may be stored unread by their field.
func (it item) takes(texts []store.Text) bool {
	return len(texts) > 0 && it.Offered == nil && it.Suggested == nil && !slices.ContainsFunc(texts, it.blank) &&
		keys.Refusal(it.Row.Key, it.Row.Format, texts) == "" && !slices.ContainsFunc(it.examine(texts), holds)
}

// termsIn are the terms of a source text that the glossaries have in the language, or else the configuration.
func (it item) termsIn(source string) *check.Terms {
	if it.terms == nil {
		return it.checks.Terms
	}
	words := make(map[string][]string)
	all := check.Terms{Translate: map[string]map[string][]string{it.Code: words}}
	if configured := it.checks.Terms; configured != nil {
		all.Keep = configured.Keep
		maps.Copy(words, configured.Translate[it.Code])
	}
	for spelled, target := range it.terms.Translations(source) {
		words[strings.ToLower(spelled)] = []string{target}
	}
	return &all
}

// programs are those that read the format that the source text came in; of what was imported before formats were
// stored, those of the plainest.
func (it item) programs() programs.Programs {
	format, known := formats.Named(string(it.Row.Format))
	if !known {
		format, _ = formats.Named(string(wire.FormatJSON))
	}
	return format.Programs
}

// shows tells whether a scope shows a key. Checks, which take longest, are made of what is found alone.
func (p scope) shows(it item) bool { return p.finds(it) && filterOf(p.Show).shows(it) }

// finds tells whether a key, its source text or its translation has what is searched for, in any case.
func (p scope) finds(it item) bool {
	if p.Q == "" || contains(it.Row.Key, p.Q) {
		return true
	}
	in := func(texts []store.Text) bool {
		return slices.ContainsFunc(texts, func(t store.Text) bool { return contains(t.Value, p.Q) })
	}
	return in(it.Row.Texts) || it.Is != nil && in(it.Is.Texts)
}

func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// was is the source text that the translation was written for, where the source has another by now.
func (it item) was() []store.Text {
	if it.Is == nil {
		return nil
	}
	if it.message != nil {
		if forms, ok := it.message.Forms(it.Is.Source); ok {
			return forms
		}
	}
	return it.Is.Source
}

// texts are those that are stored; none where it is not translated.
func (it item) texts() []store.Text {
	if it.Is == nil {
		return nil
	}
	return it.Is.Texts
}

// signed are the pieces of a text that has characters which show nothing; nil where it has none.
func (it item) signed(text string) []marks.Piece {
	all := it.pieces(text)
	if !slices.ContainsFunc(all, func(p marks.Piece) bool { return p.Kind == marks.Sign }) {
		return nil
	}
	return all
}

// Rejected reports whether a reviewer wants another text.
func (it item) Rejected() bool { return it.Is != nil && it.Is.Rejected != store.Rejection{} }

// Outdated reports whether the source text has changed since it was translated.
func (it item) Outdated() bool { return it.Is != nil && len(it.Is.Source) > 0 }

// Failing is what the first check says that the translation fails; nil: it fails none.
func (it item) Failing() *findings.Finding {
	if it.Is == nil {
		return nil
	}
	found := it.examine(it.Is.Texts)
	if len(found) == 0 {
		return nil
	}
	return &found[0]
}

// Source and Text are the beginnings of a key's texts.
func (it item) Source() string { return shortened(it.Row.Texts) }
func (it item) Text() string   { return shortened(it.texts()) }

// states are those of translations, in order, as the page names them.
var states = []string{showDraft, showConfirmed, showFinal}

// State is a key's state in words.
func (it item) State() string {
	if it.Is == nil {
		return showUntranslated
	}
	return states[min(it.Is.State, store.Final)]
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
