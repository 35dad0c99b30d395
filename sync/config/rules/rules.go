// Package rules is what [[project.pretranslation]] says: what texts are translated from before people translate them,
// and which of that counts as confirmed.
//
// Its law: what a rule does not say stays as the service has it. It asks nothing of the service.
package rules

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Rule is one source of translations, or one judgement of those that are there. Rules are followed in their order.
type Rule struct {
	// Kind is tm (translation memories), mt (machine translation), numbers (texts of numbers alone stay as they are), tqs
	// (a score of quality confirms) or lqa (an assessment of quality confirms).
	Kind string `toml:"kind"`
	// Threshold is of tm the least match in percent (50 to 102), of tqs the least score (1 to 100).
	Threshold float64 `toml:"threshold"`
	// MinWords is how many words a text has at least that the rule is for.
	MinWords float64 `toml:"min_words"`
	// Memory is of tm the identifier of the one translation memory that is asked.
	Memory string `toml:"memory"`
	// Profile is of lqa the identifier of the service's profile.
	Profile string `toml:"profile"`
	// Confirm is the stage of the workflow at which such a translation counts as confirmed, such as translation or
	// editing; or never.
	Confirm string `toml:"confirm"`
}

// Never is the Confirm of translations that count as drafts.
const Never = "never"

// Kinds are the words that Kind may be.
var Kinds = []string{"tm", "mt", "numbers", "tqs", "lqa"}

// Check reports what is wrong with rules: the number of the rule, and its key.
func Check(all []Rule, report func(i int, key, problem string)) {
	for i, r := range all {
		if key, problem := r.wrong(); problem != "" {
			report(i, key, problem)
		}
	}
}

// wrong is the first thing that is wrong with a rule; "" where nothing is.
func (r *Rule) wrong() (key, problem string) {
	within := func(least, most float64) bool {
		return r.Threshold == 0 || r.Threshold == math.Trunc(r.Threshold) && r.Threshold >= least && r.Threshold <= most
	}
	switch {
	case !slices.Contains(Kinds, r.Kind):
		return "kind", fmt.Sprintf("must be one of %s, not %q", strings.Join(Kinds, ", "), r.Kind)
	case r.Threshold != 0 && r.Kind != "tm" && r.Kind != "tqs":
		return "threshold", "is for rules of the kinds tm and tqs"
	case r.Kind == "tm" && !within(50, 102):
		return "threshold", fmt.Sprintf("must be a whole number from 50 to 102, not %v", r.Threshold)
	case r.Kind == "tqs" && !within(1, 100):
		return "threshold", fmt.Sprintf("must be a whole number from 1 to 100, not %v", r.Threshold)
	case r.MinWords != math.Trunc(r.MinWords) || r.MinWords < 0 || r.MinWords > 1000:
		return "min_words", fmt.Sprintf("must be a whole number up to 1000, not %v", r.MinWords)
	case r.Memory != "" && r.Kind != "tm":
		return "memory", "is for rules of the kind tm"
	case r.Profile != "" && r.Kind != "lqa":
		return "profile", "is for rules of the kind lqa"
	case strings.ContainsFunc(r.Memory+r.Profile+r.Confirm, func(c rune) bool { return c <= ' ' }):
		return "kind", "the rule's memory, profile and confirm must not hold blanks"
	}
	return "", ""
}
