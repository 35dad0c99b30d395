package local

import (
	"slices"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// Who confirmed the words of keys, and how many no person looked at; by day, language, person and stage.
func TestConfirmations(t *testing.T) {
	at := clockAt(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC))
	s := serve(t, Options{Pseudo: true, Now: func() time.Time { return at.add(0) }})
	id := s.create("en", "de", "fr")
	s.completed(id, "?language=en&format=json", file{"a.json", `{"a": "One two three", "b": "Four five", "c": "Six"}`})
	at.add(24 * time.Hour)
	s.completed(id, "?language=de&format=json&completion-state=final", file{"b.json", `{"b": "Vier fünf"}`})
	for _, by := range []string{"Ann Lee", "Bo"} {
		err := s.s.store.Update(func(tx *store.Tx) error {
			people, err := store.OpenPeople(tx)
			if err != nil {
				return err
			}
			if err := people.Put(&store.Person{Name: by}, ""); err != nil {
				return err
			}
			k, err := store.OpenCollection(tx, id, "main")
			if err != nil {
				return err
			}
			n, r, err := k.Find("a", false)
			if err != nil {
				return err
			}
			was, err := k.Translation("de", n)
			if err != nil {
				return err
			}
			is := &store.Translation{State: store.Final, Changed: tx.Now(), Texts: []store.Text{{Value: by}}, By: by}
			if err := k.Translate("de", n, r, was, is); err != nil {
				return err
			}
			return k.Save()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	names := make(map[string]string)
	for _, m := range s.searchTeam(`{"skip": 0, "limit": 100}`) {
		names[m.ID] = m.FirstName + " " + m.LastName
	}
	type line struct {
		day, language, who string
		words              float64
		machine            bool
	}
	read := func(q string) (all []line) {
		var rows []wire.Confirmation
		s.get("/v2/segment-confirmation-statistics/"+id+q).want(t, 200, &rows)
		for _, r := range rows {
			all = append(all, line{r.Date[:10], r.Language, names[r.UserID], r.WordCounts.Total(), r.ByPretranslation})
		}
		slices.SortFunc(all, func(a, b line) int {
			return slices.Compare([]string{a.day, a.language, a.who}, []string{b.day, b.language, b.who})
		})
		return all
	}
	ann, bo := line{"2026-03-02", "de", "Ann Lee", 3, false}, line{"2026-03-02", "de", "Bo ", 3, false}
	imported := line{"2026-03-02", "de", "", 2, false}
	machine, french := line{"2026-03-01", "de", "", 1, true}, line{"2026-03-01", "fr", "", 6, true}
	for q, want := range map[string][]line{
		"":                         {machine, french, imported, ann, bo},
		"?targetLanguage=fr":       {french},
		"?from=2026-03-02":         {imported, ann, bo},
		"?to=2026-03-01T23:00:00Z": {machine, french},
		"?userId=" + store.PersonID(s.s.store.Account, "bo"): {bo},
	} {
		if got := read(q); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", q, got, want)
		}
	}
	s.get("/v2/segment-confirmation-statistics/" + id + "?from=soon").problem(t)
	if a := s.get("/v2/segment-confirmation-statistics/" + id + "?from=soon"); a.status != 400 {
		t.Errorf("%d", a.status)
	}
}
