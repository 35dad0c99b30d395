package catalog

import (
	"fmt"
	"slices"
	"testing"
)

// The rows of the law, all of them: each new, present and agreed text with each past of up to three texts. What is to
// come out is said in the words of the promise: who has had which text.
func TestDecide(t *testing.T) {
	texts := []string{"", "a", "b", "c"}
	var pasts [][]string
	for _, one := range append([]string{none}, texts...) {
		for _, two := range append([]string{none}, texts...) {
			for _, three := range append([]string{none}, texts...) {
				past := slices.DeleteFunc([]string{one, two, three}, func(text string) bool { return text == none })
				if len(slices.Compact(slices.Sorted(slices.Values(past)))) == len(past) {
					pasts = append(pasts, past)
				}
			}
		}
	}
	met := make(map[Outcome]int)
	for _, now := range texts {
		for _, present := range texts {
			for _, agreed := range append([]string{none}, texts...) {
				for _, past := range pasts {
					c := Claim{New: now, Present: present, Met: agreed != none}
					if c.Met {
						c.Agreed = MarkOf(agreed)
					}
					had := map[string]bool{agreed: c.Met} // by the writer of the new text
					written := slices.Contains(past, now)
					for _, text := range past {
						c.Past = append(c.Past, MarkOf(text))
						written = written && text != now // up to there, in a past that has it
						had[text] = had[text] || written || !slices.Contains(past, now)
					}
					want := Both
					switch {
					case now == present:
						want = Alike
					case had[present]:
						want = Replaces
					case !c.Met:
						want = Unmet
					case agreed == now:
						want = Older
					}
					got := Decide(c)
					met[got]++
					if got != want {
						t.Errorf("new %q, present %q, agreed %q, past %q: %d, want %d", now, present, agreed, past, got, want)
					}
				}
			}
		}
	}
	if len(met) != 5 {
		t.Errorf("not every outcome was met: %v", fmt.Sprint(met))
	}
}

// What its writer never had is kept: no outcome replaces a text that is neither agreed on nor in the past.
func TestDecideKeepsTheUnseen(t *testing.T) {
	for _, agreed := range []string{none, "a", "b"} {
		c := Claim{New: "b", Present: "unseen", Met: agreed != none, Past: []Mark{MarkOf("a"), MarkOf("b")}}
		if c.Met {
			c.Agreed = MarkOf(agreed)
		}
		if Decide(c) == Replaces {
			t.Errorf("agreed on %q", agreed)
		}
	}
}
