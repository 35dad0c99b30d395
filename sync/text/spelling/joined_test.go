package spelling

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
)

// textsOf are texts, from "key=text" lines.
func textsOf(lines ...string) (texts catalog.Catalog) {
	for _, line := range lines {
		key, text, _ := strings.Cut(line, "=")
		texts = append(texts, catalog.Unit{Name: catalog.Name{Key: key}, Text: text})
	}
	return texts
}

// What is a plural and what only looks like one.
func TestJoin(t *testing.T) {
	for name, c := range map[string]struct {
		language string
		texts    []string
		want     []string
	}{
		"i18next": {"en", []string{"cart_one={{count}} item", "cart_other={{count}} items"}, []string{"cart"}},
		"nested, with a context": {"en", []string{"a/friend_male_one=A friend", "a/friend_male_other={{count}} friends",
			"a/friend_male=A friend of his"}, []string{"a/friend_male_other"}},
		"without a number":  {"en", []string{"p_one=Person", "p_other=People"}, []string{"p"}},
		"zero beside other": {"en", []string{"p_zero=No files", "p_other={{count}} files"}, []string{"p"}},
		"ordinals": {"en", []string{"n_ordinal_one={{count}}st", "n_ordinal_two={{count}}nd",
			"n_ordinal_few={{count}}rd", "n_ordinal_other={{count}}th"}, []string{"n_ordinal"}},
		"Rails":         {"en", []string{"f/one=a", "f/other=b"}, []string{"f"}},
		"dots":          {"en", []string{"f.one=%{count} a", "f.other=%{count} b"}, []string{"f"}},
		"version three": {"en", []string{"day={{count}} day", "day_plural={{count}} days"}, []string{"day"}},
		"Japanese":      {"ja", []string{"f_other={{count}}個"}, []string{"f"}},
		"Polish": {"pl", []string{"f_one=plik", "f_few={{count}} pliki", "f_many={{count}} plików",
			"f_other={{count}} pliku"}, []string{"f"}},
		"words": {"en", []string{"step_one=First", "step_two=Second", "step_three=Third",
			"step_other=First of others"}, nil},
		"words without a third": {"en", []string{"step_one=Begin", "step_two=Begin again", "step_other=Begin at last"}, nil},
		"other alone":           {"en", []string{"gender_other=Other", "gender_male=Male"}, nil},
		"Japanese, a word":      {"ja", []string{"gender_other=その他"}, nil},
		"one alone":             {"en", []string{"f_one={{count}} file"}, nil},
		"nothing in common":     {"en", []string{"choice_one=Yes", "choice_other=No"}, nil},
		"a map of other names":  {"en", []string{"m/one=a", "m/other=b", "m/save=c"}, nil},
		"a map of maps":         {"en", []string{"m/one/x=a", "m/other=b"}, nil},
		"a plural word":         {"en", []string{"form_plural=Forms", "form=Send"}, nil},
		"words of Rails":        {"en", []string{"user=User", "user_plural=Users", "n=%{count} day", "n_plural=days"}, nil},
		"version three, one pair with a number": {"en", []string{"user=User", "user_plural=Users", "n={{count}} day",
			"n_plural={{count}} days"}, []string{"n", "user"}},
	} {
		separator := ""
		if strings.Contains(c.texts[0], "/") {
			separator = "/"
		}
		j := Join(textsOf(c.texts...), separator, c.language)
		if got := j.Keys(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Taking apart and spelling are inverse, in the source's file and in a translation's.
func TestJoinedKeysComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var texts catalog.Catalog
		for _, base := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "a/b", "b_male", "c.d", "e_ordinal"}),
			1, 5, rapid.ID[string]).Draw(t, "bases") {
			sign := rapid.SampledFrom([]string{"_", "/", "."}).Draw(t, "sign")
			for _, category := range rapid.SliceOfNDistinct(rapid.SampledFrom(plural.Order), 1, 6, rapid.ID[string]).Draw(t,
				"categories") {
				texts = append(texts, catalog.Unit{Name: catalog.Name{Key: base + sign + category}, Text: "{{count}} " + base})
			}
		}
		language := rapid.SampledFrom([]string{"en", "ja", "ar"}).Draw(t, "language")
		for _, j := range []*Joined{Join(texts, "/", language), Join(texts, "/", "en").In(language, texts)} {
			seen := make(map[catalog.Name]string)
			for _, u := range texts {
				of, form := j.Form(u.Key)
				if form == "" {
					of = u.Key
				} else if key, ok := j.Spelled(of, form); !ok || key != u.Key {
					t.Fatalf("%q is %q [%s], which is spelled %q, %v", u.Key, of, form, key, ok)
				}
				if other, twice := seen[catalog.Name{Key: of, Form: form}]; twice {
					t.Fatalf("%q and %q are both %q [%s]", u.Key, other, of, form)
				}
				seen[catalog.Name{Key: of, Form: form}] = u.Key
			}
		}
	})
}

// A joined file has the texts of the file, and an edit under a joined name changes the bytes that the same edit changes
// under the file's own name.
func TestJoinedFiles(t *testing.T) {
	const src = "{\n  \"x\": { \"f_one\": \"{{count}} file\", \"f_other\": \"{{count}} files\" },\n" +
		"  \"save\": \"Save\",\n  \"step_one\": \"Go\",\n  \"step_other\": \"End\"\n}\n"
	plain, err := resource.Parse(jsonfile.Grammar, resource.Keys{Structured: true}, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var texts catalog.Catalog
	for e := range plain.Entries() {
		texts = append(texts, catalog.Unit{Name: catalog.Name{Key: e.Key}, Text: e.Text})
	}
	joined := plain.Join(Join(texts, "/", "en"))
	var names []string
	for e := range joined.Entries() {
		names = append(names, e.Key+" "+e.Form)
		if got, ok := joined.Lookup(e.Key, e.Form); !ok || got.Text != e.Text || joined.KeyOf(got.Node) != e.Key {
			t.Errorf("%q is looked up as %+v", e.Key, got)
		}
	}
	if want := []string{"x/f one", "x/f other", "save ", "step_one ", "step_other "}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if _, ok := joined.Lookup("x/f_one", ""); ok {
		t.Error("a form is found under a name of its own, too")
	}
	changed := func(e resource.Entry) bool { return e.Form == "one" }
	if got := joined.Together(changed); len(got) != 2 {
		t.Errorf("one form travels as %+v", got)
	}
	if !joined.Present().Has("x/f") {
		t.Error("the plural is not present")
	}
	for _, c := range [][2]resource.Edit{
		{{Op: resource.Set, Key: "x/f", Form: "few", Text: "{{count}} few"}, {Op: resource.Set, Key: "x/f_few",
			Text: "{{count}} few"}},
		{{Op: resource.Set, Key: "x/f", Form: "other", Text: "X"}, {Op: resource.Set, Key: "x/f_other", Text: "X"}},
		{{Op: resource.Remove, Key: "x/f", Form: "one"}, {Op: resource.Remove, Key: "x/f_one"}},
	} {
		got, refused := joined.Rewrite([]resource.Edit{c[0]}, plain)
		want, _ := plain.Rewrite([]resource.Edit{c[1]}, plain)
		if string(got) != string(want) || len(refused) > 0 || string(want) == src {
			t.Errorf("%+v: %s, want %s; %v", c[0], got, want, refused)
		}
		fresh, _ := joined.Fresh([]resource.Edit{c[0]})
		wanted, _ := plain.Fresh([]resource.Edit{c[1]})
		if string(fresh) != string(wanted) {
			t.Errorf("new, %+v: %s, want %s", c[0], fresh, wanted)
		}
	}
}
