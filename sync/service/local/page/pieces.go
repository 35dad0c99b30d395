package page

import (
	"slices"

	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/service/local/keys"
	"github.com/locsync/locsync/sync/service/local/marks"
	"github.com/locsync/locsync/sync/service/local/store"
)

// pieces are those of a text of a key.
func (it item) pieces(text string) []marks.Piece {
	return marks.Of(text, check.Protected(text, it.programs()))
}

// insertable is what a click puts into a translation.
type insertable struct{ Text, Name string }

// mostInsertable is how many are offered of one key.
const mostInsertable = 20

// Insertables are the placeholders, tags and characters without a sign of the source, and the no-break space.
func (it item) Insertables() (all []insertable) {
	add := func(text, name string) {
		known := slices.ContainsFunc(all, func(i insertable) bool { return i.Text == text })
		if !known && len(all) < mostInsertable {
			all = append(all, insertable{text, name})
		}
	}
	for _, t := range it.Row.Texts {
		for _, span := range check.Protected(t.Value, it.programs()) {
			add(t.Value[span.From:span.To], "")
		}
	}
	for _, t := range it.Row.Texts {
		for _, r := range t.Value {
			if name, is := marks.NameOf(r); is {
				add(string(r), name)
			}
		}
	}
	name, _ := marks.NameOf(marks.NoBreakSpace)
	add(string(marks.NoBreakSpace), name)
	return all
}

// shownText is a text of one form as people see it.
type shownText struct {
	Form   string
	Pieces []marks.Piece
}

// changes are new texts of a key as they differ from those that are stored.
func (it item) changes(texts []store.Text) (all []shownText) {
	for _, t := range texts {
		all = append(all, shownText{t.Form, marks.Difference(keys.TextOf(it.texts(), t.Form), t.Value)})
	}
	return all
}
