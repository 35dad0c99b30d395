package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// opened is a store with one collection of one key.
func opened(t *testing.T, clock func() time.Time) *Store {
	t.Helper()
	st, err := Open(t.TempDir(), "me", clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	st.SetDurable(false)
	change(t, st, func(tx *Tx) error {
		if err := MakeCollection(tx, "p", "main", []string{"de"}); err != nil {
			return err
		}
		k, err := OpenCollection(tx, "p", "main")
		if err != nil {
			return err
		}
		row := &Row{Key: "k", Texts: []Text{{Value: "Save"}}, Lists: []int{1, 2}, Note: "note",
			Format: wire.FormatAndroidXML}
		if err := k.Add(row); err != nil {
			return err
		}
		return k.Save()
	})
	return st
}

func change(t *testing.T, st *Store, do func(tx *Tx) error) {
	t.Helper()
	if err := st.Update(do); err != nil {
		t.Fatal(err)
	}
}

// What a translation replaces is kept, the last first, with who wrote it; bounded by number and by size.
func TestPast(t *testing.T) {
	st := opened(t, time.Now)
	put := func(text, by string, at int64) {
		change(t, st, func(tx *Tx) error {
			k, err := OpenCollection(tx, "p", "main")
			if err != nil {
				return err
			}
			n, row, err := k.Find("k", false)
			if err != nil {
				return err
			}
			was, err := k.Translation("de", n)
			if err != nil {
				return err
			}
			is := &Translation{State: Final, Changed: at, Texts: []Text{{Value: text}}, By: by}
			if err := k.Translate("de", n, row, was, is); err != nil {
				return err
			}
			return k.Save()
		})
	}
	past := func() (all []string) {
		change(t, st, func(tx *Tx) error {
			k, _ := OpenCollection(tx, "p", "main")
			n, row, err := k.Find("k", false)
			if err != nil {
				return err
			}
			if row.Format != wire.FormatAndroidXML || row.Note != "note" || !slices.Equal(row.Lists, []int{1, 2}) {
				t.Errorf("the row is %+v", row)
			}
			list, err := k.Past("de", n)
			for _, one := range list {
				all = append(all, fmt.Sprint(one.By, " ", one.Changed, " ",
					one.Texts[0].Value[:min(9, len(one.Texts[0].Value))]))
			}
			return err
		})
		return all
	}
	put("eins", "", 1)
	if got := past(); got != nil {
		t.Errorf("the first one replaced %q", got)
	}
	put("zwei", "Anna", 2)
	put("drei", "Ben", 3)
	if got, want := past(), []string{"Anna 2 zwei", " 1 eins"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range 30 {
		put(fmt.Sprint("text ", i), "Anna", int64(10+i))
	}
	if got := past(); len(got) != maxPast || got[0] != "Anna 38 text 28" {
		t.Errorf("%d: %q", len(got), got)
	}
	put(strings.Repeat("x", maxPastBytes*2/3), "Anna", 50)
	put(strings.Repeat("y", maxPastBytes*2/3), "Anna", 51)
	put("klein", "Anna", 52)
	if got, want := past(), []string{"Anna 51 yyyyyyyyy"}; !slices.Equal(got, want) {
		t.Errorf("of large ones %q, want %q", got, want)
	}
	change(t, st, func(tx *Tx) error {
		k, _ := OpenCollection(tx, "p", "main")
		n, row, err := k.Find("k", false)
		if err != nil {
			return err
		}
		if err := k.SetOffered("de", n, &Translation{Texts: []Text{{Value: "anders"}}}); err != nil {
			return err
		}
		if err := k.Remove(n, row); err != nil {
			return err
		}
		list, err := k.Past("de", n)
		if offered, err := k.Offered("de", n); offered != nil || err != nil || list != nil {
			t.Errorf("of a key that is gone: %v, %v, %v", offered, list, err)
		}
		return err
	})
}

// Rows and translations of earlier versions end where their last field ended then.
func TestRowsOfEarlierVersions(t *testing.T) {
	row := &Row{Key: "k", Texts: []Text{{Value: "v"}}, Lists: []int{3}}
	b := row.encode()
	if old, err := decodeRow(b[:len(b)-1]); err != nil || old.Key != "k" || old.Lists[0] != 3 {
		t.Errorf("%+v %v", old, err)
	}
	tr := &Translation{State: Final, Changed: 7, Texts: []Text{{Value: "v"}}}
	if old, err := decodeTranslation(tr.encode()); err != nil || old.By != "" || old.State != Final {
		t.Errorf("%+v %v", old, err)
	}
}

// Invitations are used once and expire; a visit ends with its time, with a new password, and with its person.
func TestPeople(t *testing.T) {
	now := time.Unix(1e9, 0)
	st := opened(t, func() time.Time { return now })
	with := func(do func(p *People) error) {
		t.Helper()
		change(t, st, func(tx *Tx) error {
			p, err := OpenPeople(tx)
			if err != nil {
				return err
			}
			return do(p)
		})
	}
	signedIn := func() (in bool) {
		with(func(p *People) error {
			v, person, err := p.Visit("digest")
			in = v != nil && person.Name == "Anna"
			return err
		})
		return in
	}
	with(func(p *People) error { return p.Invite("word", &Invitation{Expires: now.UnixNano() + 10}) })
	with(func(p *People) error {
		if i, err := p.Invitation("word"); i == nil || err != nil {
			t.Errorf("the invitation is %v, %v", i, err)
		}
		return p.Put(&Person{Name: "Anna"})
	})
	with(func(p *People) error { return p.SignIn("digest", &Visit{Name: "Anna", Seen: now.UnixNano()}) })
	if !signedIn() {
		t.Error("not signed in")
	}
	now = now.Add(time.Second)
	with(func(p *People) error {
		if i, _ := p.Invitation("word"); i != nil {
			t.Error("an invitation did not expire")
		}
		if one, _ := p.Person("ANNA"); one == nil || one.Name != "Anna" {
			t.Errorf("by another case: %v", one)
		}
		return nil
	})
	now = now.Add(VisitIdle)
	if signedIn() {
		t.Error("a visit did not end with its time")
	}
	again := func(p *People) error { return p.SignIn("digest", &Visit{Name: "Anna", Seen: now.UnixNano()}) }
	with(again)
	with(func(p *People) error { return p.Put(&Person{Name: "anna"}) })
	with(func(p *People) error {
		if v, _, _ := p.Visit("digest"); v != nil {
			t.Error("a visit outlasted its password")
		}
		return again(p)
	})
	with(func(p *People) error { return p.Remove("ANNA", "Ben") })
	if signedIn() {
		t.Error("a visit outlasted its person")
	}
}
