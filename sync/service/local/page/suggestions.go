package page

import (
	"context"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/service/local/keys"
	"github.com/locsync/locsync/sync/service/local/marks"
	"github.com/locsync/locsync/sync/service/local/memory"
	"github.com/locsync/locsync/sync/service/local/store"
)

// Bounds of suggestions.
const (
	maxSuggestions = 5 // for one text
	maxMemories    = 20
	searchFor      = time.Second // texts that are much the same are looked for
)

// suggestion is a translation that a memory has for a text, or for one much like it.
type suggestion struct {
	Percent int
	Engine  string // that made it; empty: a memory has it
	Text    string
	Pieces  []marks.Piece
	Form    string
	Like    []marks.Piece // how the source text differs from the one that it translates; nil where it is the same
}

// suggestions come from the memories of the project.
func (o *opened) suggestions(ctx context.Context, it item) ([]suggestion, error) {
	ctx, end := context.WithTimeout(ctx, searchFor)
	defer end()
	var all []suggestion
	memories, err := o.memories()
	if err != nil {
		return nil, err
	}
	for _, form := range it.forms() {
		var some []suggestion
		for _, m := range memories {
			matches, err := memory.FindMatches(ctx, m, it.sourceOf(form), store.Surroundings{Key: it.Row.Key},
				o.Language, maxSuggestions)
			if err != nil {
				return nil, err
			}
			for _, match := range matches {
				own := func(t store.Text) bool { return t.Value == match.Text }
				has := keys.TextOf(it.texts(), form) != "" && slices.ContainsFunc(it.texts(), own) // in another form, too
				if has || slices.ContainsFunc(some, func(s suggestion) bool { return s.Text == match.Text }) {
					continue
				}
				one := suggestion{Percent: min(match.Percent, 100), Text: match.Text, Pieces: it.pieces(match.Text), Form: form}
				if source := it.sourceOf(form); match.Source != source {
					one.Like = marks.Difference(match.Source, source)
				}
				some = append(some, one)
			}
		}
		slices.SortStableFunc(some, func(a, b suggestion) int { return b.Percent - a.Percent })
		all = append(all, some[:min(len(some), maxSuggestions)]...)
	}
	return all, nil
}

// memories are those that are attached to the project and have the language.
func (o *opened) memories() ([]*store.Memory, error) {
	var all []*store.Memory
	for _, a := range o.project.Memories {
		if !a.Serves(o.Language) || len(all) == maxMemories {
			continue
		}
		m, err := store.OpenMemory(o.tx, a.ID)
		if err != nil {
			return nil, err
		}
		if m != nil && m.Language(o.Language) != "" {
			all = append(all, m)
		}
	}
	return all, nil
}

// remember notes a translation in the memory of the project.
func (o *opened) remember(it item, is *store.Translation) error {
	m, err := store.OwnMemory(o.tx, o.project)
	if err == nil {
		err = keys.Remember(m, o.Language, it.stored, is)
	}
	if err != nil {
		return err
	}
	return m.Flush()
}
