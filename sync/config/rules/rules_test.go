package rules

import (
	"fmt"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule Rule
		want string
	}{
		{Rule{Kind: "tm"}, ""},
		{Rule{Kind: "tm", Threshold: 75, MinWords: 2, Memory: "m", Confirm: "editing"}, ""},
		{Rule{Kind: "mt", MinWords: 3, Confirm: Never}, ""},
		{Rule{Kind: "numbers", Confirm: "translation"}, ""},
		{Rule{Kind: "tqs", Threshold: 80, Confirm: "editing"}, ""},
		{Rule{Kind: "lqa", Profile: "p"}, ""},
		{Rule{}, `kind must be one of tm, mt, numbers, tqs, lqa, not ""`},
		{Rule{Kind: "TM"}, `kind must be one of tm, mt, numbers, tqs, lqa, not "TM"`},
		{Rule{Kind: "mt", Threshold: 80}, "threshold is for rules of the kinds tm and tqs"},
		{Rule{Kind: "tm", Threshold: 49}, "threshold must be a whole number from 50 to 102, not 49"},
		{Rule{Kind: "tm", Threshold: 75.5}, "threshold must be a whole number from 50 to 102, not 75.5"},
		{Rule{Kind: "tqs", Threshold: 101}, "threshold must be a whole number from 1 to 100, not 101"},
		{Rule{Kind: "mt", MinWords: -1}, "min_words must be a whole number up to 1000, not -1"},
		{Rule{Kind: "mt", Memory: "m"}, "memory is for rules of the kind tm"},
		{Rule{Kind: "tm", Profile: "p"}, "profile is for rules of the kind lqa"},
		{Rule{Kind: "mt", Confirm: "a b"}, "kind the rule's memory, profile and confirm must not hold blanks"},
	} {
		got := ""
		Check([]Rule{{Kind: "mt"}, c.rule}, func(i int, key, problem string) { got += fmt.Sprint(key, " ", problem)[i-1:] })
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c.rule, got, c.want)
		}
	}
}
