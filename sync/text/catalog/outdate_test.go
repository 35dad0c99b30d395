package catalog

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// sight is one key as a pull finds it, pull after pull, with what Outdate and Merge remember between them.
type sight struct {
	remembered    Fresh
	base, stood   Marks
	source, ours  string
	theirs, ahead string
	blank         bool
}

// pull merges and returns how many keys were outdated.
func (s *sight) pull() int {
	one := func(text string) Catalog {
		if text == none {
			return nil
		}
		return plain("k", text)
	}
	source := plain("k", s.source)
	fresh := Outdate(Made{For: s.remembered.For, Outdated: s.remembered.Outdated, Base: s.base, Stood: s.stood, Source: Digests(source.Marks()),
		Service: Digests(one(s.ahead).Marks()), Ours: one(s.ours), Theirs: one(s.theirs), Blank: s.blank})
	in := Three{Base: s.base, Source: source, Ours: one(s.ours), Theirs: one(s.theirs)}
	if s.blank {
		in.Outdated = fresh.Now
	}
	m := Merge(in)
	for _, c := range m.Changes {
		s.ours = c.Text
		if c.Op == Removed {
			s.ours = none
		}
	}
	s.remembered, s.base, s.stood = fresh, m.Agreed, one(s.ours).Marks()
	return fresh.Keys
}

func TestOutdate(t *testing.T) {
	type step struct{ source, ours, theirs, ahead, want string } // "" leaves things as they are; want is what stands with blank
	keys := 0
	for _, c := range []struct {
		name  string
		steps []step
		keep  string // what is in the end with keep
	}{
		{"a source that changes takes the translation with it, until a newer comes", []step{{"A1", none, "T1", "", "T1"}, {"A2", "", "", "", none}, {"", "", "", "", none}, {"", "", "T2", "", "T2"}, {"", "", "", "", "T2"}}, "T2"},
		{"a source that changes back", []step{{"A1", none, "T1", "", "T1"}, {"A2", "", "", "", none}, {"A1", "", "", "", "T1"}}, "T1"},
		{"taken back and confirmed anew", []step{{"A1", none, "T1", "", "T1"}, {"A2", "", none, "", none}, {"", "", none, "", none}, {"", "", "T1", "", "T1"}}, "T1"},
		{"changed together with its source", []step{{"A1", none, "T1", "", "T1"}, {"A2", "T2", "", "", "T2"}, {"", "", "T2", "", "T2"}}, "T2"},
		{"written by hand while it waits", []step{{"A1", none, "T1", "", "T1"}, {"A2", "", "", "", none}, {"", "T2", "", "", "T2"}, {"", "", "", "", "T2"}}, "T2"},
		{"only the repository has one", []step{{"A1", "T1", none, "", "T1"}, {"A2", "", "", "", none}, {"", "", "T1", "", "T1"}}, "T1"},
		{"first contact with a changed source", []step{{"A2", "T1", "T1", "", "T1"}, {"", "", "", "", "T1"}}, "T1"},
		{"twice changed", []step{{"A1", none, "T1", "", "T1"}, {"A2", "", "", "", none}, {"A3", "", "", "", none}, {"", "", "T3", "", "T3"}}, "T3"},
		{"made for the service's newer source, which comes here later", []step{{"A1", none, "T1", "A1", "T1"}, {"", "", "", "A2", "T1"}, {"", "", "T2", "", "T2"}, {"A2", "", "", "", "T2"}}, "T2"},
	} {
		for _, blank := range []bool{true, false} {
			s := &sight{ours: none, theirs: none, ahead: none, blank: blank}
			for i, step := range c.steps {
				for at, text := range map[*string]string{&s.source: step.source, &s.ours: step.ours, &s.theirs: step.theirs, &s.ahead: step.ahead} {
					if text != "" {
						*at = text
					}
				}
				keys += s.pull()
				if blank && s.ours != step.want {
					t.Errorf("%s, step %d: %q stands, want %q", c.name, i, s.ours, step.want)
				}
			}
			if !blank && s.ours != c.keep {
				t.Errorf("%s: %q stands with keep, want %q", c.name, s.ours, c.keep)
			}
		}
	}
	if keys == 0 {
		t.Error("nothing was counted")
	}
}

// Whatever happens, a translation only goes when its source text has changed since it was first there; and one that nobody had before always stands.
func TestOutdateLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &sight{source: "A0", ours: none, theirs: none, ahead: none, blank: true}
		madeFor := map[string]string{} // translation -> the source text at its first pull
		n := 0
		for range rapid.IntRange(1, 12).Draw(t, "pulls") {
			switch rapid.SampledFrom([]string{"source", "old source", "ours", "theirs", "service forgets", "nothing"}).Draw(t, "what") {
			case "source":
				n++
				s.source = fmt.Sprint("A", n)
			case "old source":
				s.source = "A0"
			case "ours":
				n++
				s.ours = fmt.Sprint("O", n)
			case "theirs":
				n++
				s.theirs = fmt.Sprint("T", n)
			case "service forgets":
				s.theirs = none
			}
			before, theirs := s.ours, s.theirs
			if before != none && theirs != none && before != theirs {
				madeFor[before] = s.source // neither side's is agreed on: that the other one differs counts as a text that came
			}
			s.pull()
			if before != none && s.ours == none && madeFor[before] == s.source {
				t.Fatalf("%q went though its source text is what it was made for", before)
			}
			for _, text := range []string{before, theirs} {
				if _, old := madeFor[text]; text != none && !old {
					madeFor[text] = s.source
					if s.ours == none {
						t.Fatalf("%q is new and does not stand", text)
					}
				}
			}
			if again := s.ours; s.pull() >= 0 && s.ours != again {
				t.Fatalf("a second pull makes %q of %q", s.ours, again)
			}
		}
	})
}
