package local

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestRowsAreStoredWhole(t *testing.T) {
	texts := rapid.SliceOf(rapid.Custom(func(t *rapid.T) text {
		return text{form: rapid.String().Draw(t, "form"), value: rapid.String().Draw(t, "value")}
	}))
	rapid.Check(t, func(t *rapid.T) {
		r := &row{
			key: rapid.String().Draw(t, "key"), plural: rapid.Bool().Draw(t, "plural"), pseudo: rapid.Bool().Draw(t, "pseudo"),
			changed: rapid.Int64Min(0).Draw(t, "changed"), texts: texts.Draw(t, "texts"), labels: rapid.SliceOf(rapid.String()).Draw(t, "labels"),
			note: rapid.String().Draw(t, "note"), lists: rapid.SliceOf(rapid.IntRange(0, 1<<20)).Draw(t, "lists"),
		}
		b := r.encode()
		got, err := decodeRow(b)
		if err != nil || got.key != r.key || got.plural != r.plural || got.pseudo != r.pseudo || got.changed != r.changed || !slices.Equal(got.texts, r.texts) ||
			!slices.Equal(got.labels, r.labels) || got.note != r.note || !slices.Equal(got.lists, r.lists) {
			t.Fatalf("%+v became %+v, %v", r, got, err)
		}
		if cut := rapid.IntRange(0, len(b)-1).Draw(t, "cut"); cut < len(b) {
			decodeRow(b[:cut]) // must not panic
		}
		tr := &translation{state(rapid.IntRange(0, 2).Draw(t, "state")), r.changed, r.texts}
		back, err := decodeTranslation(tr.encode())
		if err != nil || back.state != tr.state || back.changed != tr.changed || !slices.Equal(back.texts, tr.texts) {
			t.Fatalf("%+v became %+v, %v", tr, back, err)
		}
	})
}
