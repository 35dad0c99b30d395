package pass

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/text/catalog"
)

func TestDivider(t *testing.T) {
	texts := func(keys string) (all catalog.Catalog) {
		for key := range strings.FieldsSeq(keys) {
			all = append(all, catalog.Unit{Name: catalog.Name{Key: key}, Text: key})
		}
		return all
	}
	one, other := texts("b a free c b"), texts("c other a")
	owned := func(key string) bool { return len(key) == 1 }
	var d Divider
	for _, row := range []struct {
		of         catalog.Catalog
		keys, want string
	}{
		{nil, "a", ""},
		{one, "a", "a free"},
		{one, "b missing", "b free b"}, // in their order, each that is there
		{one, "free", "free"},          // a key that no file has comes once
		{other, "a c", "c other a"},    // another answer is read anew
		{one, "", "free"},
	} {
		var got []string
		for _, u := range d.Texts(row.of, owned, texts(row.keys).Keys()) {
			got = append(got, u.Key)
		}
		if all := strings.Join(got, " "); all != row.want {
			t.Errorf("of %d texts for %q: %q, want %q", len(row.of), row.keys, all, row.want)
		}
	}
}

func TestKeysOf(t *testing.T) {
	name := func(key string) catalog.Name { return catalog.Name{Key: key, Form: "few"} }
	keys := KeysOf(catalog.Catalog{{Name: name("text")}}, []map[string]bool{{"source": true}, nil},
		catalog.Marks{name("known"): {}}, nil)
	if len(keys) != 3 || !keys["text"] || !keys["source"] || !keys["known"] {
		t.Errorf("%v", keys)
	}
}
