package page

import (
	"slices"

	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/text/plural"
)

// message is the plural argument that all of a key's text is: its branches are forms to people, and one text in the
// store.
type message struct {
	argument string
	kind     plural.Kind
}

// messageOf is that of a source text; nil where it is another text, or one that forms could not say.
func messageOf(row *store.Row) *message {
	if row.Plural || len(row.Texts) != 1 {
		return nil
	}
	for _, kind := range []plural.Kind{plural.Cardinal, plural.Ordinal} {
		if argument, _, ok := plural.Split(row.Texts[0].Value, kind, ""); ok {
			return &message{argument, kind}
		}
	}
	return nil
}

// forms are the branches of a stored text; false where it cannot be taken apart.
func (m *message) forms(texts []store.Text) ([]store.Text, bool) {
	if len(texts) != 1 {
		return nil, false
	}
	_, forms, ok := plural.Split(texts[0].Value, m.kind, "")
	all := make([]store.Text, len(forms))
	for i, f := range forms {
		all[i] = store.Text{Form: f.Category, Value: f.Text}
	}
	return all, ok
}

// stored is the text that forms are in the store.
func (m *message) stored(texts []store.Text) []store.Text {
	forms := make([]plural.Form, len(texts))
	for i, t := range texts {
		forms[i] = plural.Form{Category: t.Form, Text: t.Value}
	}
	plural.Sort(forms)
	return []store.Text{{Value: plural.Join(m.argument, m.kind, forms)}}
}

// takeApart makes forms of a key whose texts are messages of one plural. Where one of them says more than forms can,
// all stay as they are.
func (it *item) takeApart() {
	it.message = messageOf(it.row)
	if it.message == nil {
		return
	}
	row := *it.row
	row.Plural = true
	row.Texts, _ = it.message.forms(it.row.Texts)
	is, offered := it.is, it.offered
	for _, t := range []**store.Translation{&is, &offered} {
		if *t == nil {
			continue
		}
		forms, ok := it.message.forms((*t).Texts)
		if !ok {
			it.message = nil
			return
		}
		apart := **t
		apart.Texts = forms
		*t = &apart
	}
	it.row, it.is, it.offered = &row, is, offered
}

// categories are those that the plural has in the item's language: with "zero", which programs read in every language
// where plurals are keys, where the source has it.
func (it item) categories() []plural.Category {
	categories := plural.Categories(it.code)
	if it.message != nil && it.message.kind == plural.Ordinal {
		categories = plural.Ordinals(it.code)
	}
	if it.message != nil && textOf(it.row.Texts, plural.Zero) != "" && !plural.Has(categories, plural.Zero) {
		categories = slices.Insert(slices.Clone(categories), 0, plural.Category{Name: plural.Zero})
	}
	return categories
}
