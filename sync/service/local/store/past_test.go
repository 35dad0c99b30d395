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
		return p.Put(&Person{Name: "Anna"}, "")
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
	with(func(p *People) error { return p.Put(&Person{Name: "anna"}, "") })
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

// Comments and suggestions of a key outlast the store, and its archive; they end with the key. The questions that wait
// are those of keys that are not archived.
func TestComments(t *testing.T) {
	dir := t.TempDir()
	st, err := Open(dir, "me", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { st.Close() }()
	with := func(do func(k *Keyspace) error) {
		t.Helper()
		change(t, st, func(tx *Tx) error {
			k, err := OpenCollection(tx, "p", "main")
			if err == nil {
				err = do(k)
			}
			if err == nil {
				err = k.Save()
			}
			return err
		})
	}
	asked := func() (texts []string) {
		with(func(k *Keyspace) error {
			return k.EachQuestion(func(r *Row, c Comment) error {
				texts = append(texts, r.Key+": "+c.Text)
				return nil
			})
		})
		return texts
	}
	change(t, st, func(tx *Tx) error { return MakeCollection(tx, "p", "main", []string{"de"}) })
	if got := asked(); got != nil {
		t.Errorf("before any: %q", got)
	}
	n := Number(1)
	with(func(k *Keyspace) error {
		r := &Row{Key: "k", Texts: []Text{{Value: "Save"}}}
		if err := k.Add(r); err != nil {
			return err
		}
		if err := k.Translate("de", n, r, nil, &Translation{State: Final, Texts: []Text{{Value: "Sichern"}}}); err != nil {
			return err
		}
		if err := k.SetSuggested("de", n, &Translation{By: "Ben", Texts: []Text{{Value: "Speichern"}}}); err != nil {
			return err
		}
		return k.PutComments(n, []Comment{{By: "Ben", Text: "first"}, {By: "Ben", Text: "What?", Question: true},
			{By: "Ben", Text: "Done?", Question: true, Answered: "Anna"}})
	})
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if st, err = Open(dir, "me", time.Now); err != nil {
		t.Fatal(err)
	}
	if got := asked(); !slices.Equal(got, []string{"k: What?"}) {
		t.Errorf("%q", got)
	}
	row := &Row{}
	with(func(k *Keyspace) (err error) {
		if row, err = k.At(n); err != nil {
			return err
		}
		return k.Archive(n, row)
	})
	if got := asked(); got != nil {
		t.Errorf("of an archived key: %q", got)
	}
	with(func(k *Keyspace) error {
		_, _, err := k.Restore("k", false)
		return err
	})
	with(func(k *Keyspace) error {
		is, err := k.Suggested("de", n)
		if err != nil || is == nil || is.By != "Ben" || is.Texts[0].Value != "Speichern" {
			t.Errorf("suggested: %+v %v", is, err)
		}
		all, err := k.Comments(n)
		if len(all) != 3 || all[2].Answered != "Anna" {
			t.Errorf("%+v %v", all, err)
		}
		return k.Remove(n, row)
	})
	with(func(k *Keyspace) error {
		all, err := k.Comments(n)
		is, serr := k.Suggested("de", n)
		if len(all) != 0 || is != nil || serr != nil {
			t.Errorf("of a key that is gone: %v %v %v", all, is, serr)
		}
		return err
	})
}

// A person has the highest role that is granted for a project and language; one of an earlier version reviews the
// projects that were named.
func TestRoleIn(t *testing.T) {
	mixed := &Person{Roles: []Grant{{Role: Translator}, {Role: Reviewer, Projects: []string{"a"}, Languages: []string{"de"}},
		{Role: Manager, Projects: []string{"b"}}}}
	narrowed := &Person{Roles: []Grant{{Role: Translator, Projects: []string{"a"}}, {Role: Reviewer, Projects: []string{"b"}}}}
	narrowed.narrow()
	mixed.narrow()
	if !slices.Equal(narrowed.Projects, []string{"a", "b"}) || mixed.Projects != nil {
		t.Errorf("an earlier version shows %q and %q", narrowed.Projects, mixed.Projects)
	}
	for _, c := range []struct {
		person            *Person
		project, language string
		want              Role
	}{
		{mixed, "a", "de", Reviewer}, {mixed, "a", "fr", Translator}, {mixed, "a", "", Reviewer}, {mixed, "b", "fr", Manager},
		{mixed, "c", "de", Translator}, {&Person{}, "a", "de", Reviewer}, {&Person{Manager: true}, "a", "de", Manager},
		{&Person{Projects: []string{"a"}}, "a", "de", Reviewer}, {&Person{Projects: []string{"a"}}, "b", "de", ""},
		{&Person{Roles: []Grant{{Role: Translator, Languages: []string{"fr"}}}}, "a", "de", ""},
	} {
		if got := c.person.RoleIn(c.project, c.language); got != c.want {
			t.Errorf("%+v in %s, %s: %q, want %q", c.person, c.project, c.language, got, c.want)
		}
	}
}
