package page

import (
	"slices"

	"github.com/locsync/locsync/sync/service/local/keys"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/text/plural"
)

// takeApart makes forms of a key whose texts are messages of one plural. Where one of them says more than forms can,
// all stay as they are.
func (it *item) takeApart() {
	it.message = keys.MessageOf(it.Row)
	if it.message == nil {
		return
	}
	row := *it.Row
	row.Plural = true
	row.Texts, _ = it.message.Forms(it.Row.Texts)
	is, offered, suggested := it.Is, it.Offered, it.Suggested
	for _, t := range []**store.Translation{&is, &offered, &suggested} {
		if *t == nil {
			continue
		}
		forms, ok := it.message.Forms((*t).Texts)
		if !ok {
			it.message = nil
			return
		}
		apart := **t
		apart.Texts = forms
		*t = &apart
	}
	it.Row, it.Is, it.Offered, it.Suggested = &row, is, offered, suggested
}

// categories are those that the plural has in the item's language: with "zero", which programs read in every language
// where plurals are keys, where the source has it.
func (it item) categories() []plural.Category {
	categories := plural.Categories(it.Code)
	if it.message != nil && it.message.Kind == plural.Ordinal {
		categories = plural.Ordinals(it.Code)
	}
	if it.message != nil && keys.TextOf(it.Row.Texts, plural.Zero) != "" && !plural.Has(categories, plural.Zero) {
		categories = slices.Insert(slices.Clone(categories), 0, plural.Category{Name: plural.Zero})
	}
	return categories
}
