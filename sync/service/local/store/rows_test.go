package store

import (
	"slices"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
	"pgregory.net/rapid"
)

func TestRowsAreStoredWhole(t *testing.T) {
	texts := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Text {
		return Text{Form: rapid.String().Draw(t, "form"), Value: rapid.String().Draw(t, "value")}
	}))
	rapid.Check(t, func(t *rapid.T) {
		r := &Row{
			Key: rapid.String().Draw(t, "key"), Plural: rapid.Bool().Draw(t, "plural"), Pseudo: rapid.Bool().Draw(t,
				"pseudo"),
			Changed: rapid.Int64Min(0).Draw(t, "changed"), Texts: texts.Draw(t, "texts"),
			Labels: rapid.SliceOf(rapid.String()).Draw(t, "labels"),
			Note:   rapid.String().Draw(t, "note"), Lists: rapid.SliceOf(rapid.IntRange(0, 1<<20)).Draw(t, "lists"),
			Format: wire.Format(rapid.String().Draw(t, "format")), File: rapid.String().Draw(t, "file"),
		}
		b := r.encode()
		got, err := decodeRow(b)
		if err != nil || got.Key != r.Key || got.Plural != r.Plural ||
			got.Pseudo != r.Pseudo || got.Changed != r.Changed ||
			!slices.Equal(got.Texts, r.Texts) ||
			!slices.Equal(got.Labels, r.Labels) || got.Note != r.Note || !slices.Equal(got.Lists, r.Lists) ||
			got.Format != r.Format || got.File != r.File {
			t.Fatalf("%+v became %+v, %v", r, got, err)
		}
		if cut := rapid.IntRange(0, len(b)-1).Draw(t, "cut"); cut < len(b) {
			decodeRow(b[:cut]) // must not panic
		}
		tr := &Translation{State(rapid.IntRange(0, 2).Draw(t, "state")), r.Changed, r.Texts,
			rapid.String().Draw(t, "by"),
			Rejection{rapid.String().Draw(t, "reviewer"), rapid.String().Draw(t, "reason")},
			texts.Draw(t, "source")}
		back, err := decodeTranslation(tr.encode())
		if err != nil || back.State != tr.State || back.Changed != tr.Changed || !slices.Equal(back.Texts, tr.Texts) ||
			back.By != tr.By || back.Rejected != tr.Rejected || !slices.Equal(back.Source, tr.Source) {
			t.Fatalf("%+v became %+v, %v", tr, back, err)
		}
	})
}
