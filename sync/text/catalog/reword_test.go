package catalog

import (
	"testing"

	"pgregory.net/rapid"
)

func TestReword(t *testing.T) {
	for _, c := range []struct {
		name                      string
		ours, theirs, base        string
		behind                    bool
		want                      string // what stands
		conflicts, held, agreedOn int
	}{
		{name: "the source decides which keys there are", ours: none, theirs: "B", base: "B", want: none},
		{name: "the service lacks it", ours: "A", theirs: none, base: "A", want: "A"},
		{name: "the same, as known", ours: "A", theirs: "A", base: "A", want: "A"},
		{name: "the same, newly", ours: "B", theirs: "B", base: "A", want: "B", agreedOn: 1},
		{name: "a blank", ours: "A", theirs: "", base: "A", want: "A", held: 1},
		{name: "first contact", ours: "A", theirs: "B", base: none, want: "A"},
		{name: "only the service", ours: "A", theirs: "B", base: "A", want: "B"},
		{name: "a blank in the repository is a text", ours: "", theirs: "B", base: "", want: "B"},
		{name: "only the repository", ours: "B", theirs: "A", base: "A", want: "B"},
		{name: "both", ours: "B", theirs: "C", base: "A", want: "B", conflicts: 1},
		{name: "older than the base", ours: "A", theirs: "B", base: "B", behind: true, want: "B"},
		{name: "older than the base, and changed again", ours: "A", theirs: "C", base: "B", behind: true, want: "C"},
	} {
		one := func(text string) Catalog {
			if text == none {
				return nil
			}
			return plain("k", text)
		}
		n := Name{Key: "k"}
		out := Reword(Wording{Base: one(c.base).Marks(), Behind: map[Name]bool{n: c.behind}, Ours: one(c.ours), Theirs: one(c.theirs)})
		got := c.ours
		for _, change := range out.Changes {
			got = change.Text
		}
		if got != c.want || len(out.Conflicts) != c.conflicts || len(out.Held) != c.held || len(out.Agreed) != c.agreedOn {
			t.Errorf("%s: %+v", c.name, out)
		}
	}
}

// Whatever both sides have: names are never added, removed or blanked; a text that the repository alone changed stands; and once the outcome is written and
// agreed on, the same again changes nothing.
func TestRewordLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := func(label string) Catalog {
			var c Catalog
			for _, key := range []string{"a", "b", "c"} {
				if text := rapid.SampledFrom([]string{none, "", "1", "2", "3"}).Draw(t, label+key); text != none {
					c = append(c, plain(key, text)...)
				}
			}
			return c
		}
		in := Wording{Base: some("base").Marks(), Ours: some("ours"), Theirs: some("theirs")}
		out := Reword(in)
		index := in.Ours.Index()
		after := append(Catalog(nil), in.Ours...)
		for _, c := range out.Changes {
			at, there := index[c.Name]
			if !there || c.Op != Changed || c.Text == "" || !in.Base.Has(c.Name, in.Ours[at].Text) {
				t.Fatalf("%+v", c)
			}
			after[at].Text = c.Text
			in.Base[c.Name] = MarkOf(c.Text)
		}
		for _, n := range out.Agreed {
			in.Base[n] = MarkOf(after[index[n]].Text)
		}
		in.Ours = after
		if again := Reword(in); len(again.Changes) > 0 || len(again.Agreed) > 0 || len(again.Conflicts) != len(out.Conflicts) {
			t.Fatalf("%+v, and again %+v", out, again)
		}
	})
}
