package catalog

import "slices"

// Claim is a text that would replace another one under a name: at the service, on a branch or in a file.
type Claim struct {
	New, Present string

	Met    bool // the two sides have agreed on a text before
	Agreed Mark // which, the last time

	// Past are texts that the name had where the new text comes from, the oldest first. Those before the new text are what
	// its writer has had; where it is not among them, all are.
	Past []Mark
}

// Youngest is the claim of a text that was written after all of its past, though it may have been there before.
func (c Claim) Youngest() Claim {
	mark := MarkOf(c.New)
	c.Past = slices.DeleteFunc(slices.Clone(c.Past), func(m Mark) bool { return m == mark })
	return c
}

// Outcome is what becomes of a claim. Of several forms of one key the greatest counts.
type Outcome int

const (
	Alike    Outcome = iota // both texts are the same
	Replaces                // the writer of the new text has had the present one
	Unmet                   // the two sides never agreed on a text, and each has one of its own
	Older                   // the new text is the agreed one, and the present one was written after it
	Both                    // each side has written a text since they agreed
)

// Decide is the one law of replacements: a text is replaced only by one whose writer has had it. Source texts,
// translations, renames, moves, branches and decisions of people go through it. The first row that fits counts; n and p
// are texts, "any" includes none.
//
//	new  present  past         agreed  outcome
//	n    n        any          any     alike
//	n    p        p before n   any     replaces
//	n    p        any          p       replaces
//	n    p        any          none    unmet
//	n    p        any          n       older
//	n    p        any          other   both
//
// Whether a blank, or a text that was only filled in, is a text at all, its callers know.
func Decide(c Claim) Outcome {
	if c.New == c.Present {
		return Alike
	}
	present := MarkOf(c.Present)
	at, now := slices.Index(c.Past, present), slices.Index(c.Past, MarkOf(c.New))
	switch {
	case c.Met && c.Agreed == present, at >= 0 && (now < 0 || at < now):
		return Replaces
	case !c.Met:
		return Unmet
	case c.Agreed == MarkOf(c.New):
		return Older
	}
	return Both
}
