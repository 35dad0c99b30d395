package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service/local/store"
)

// Match is what a memory has for a text. Percent is 50 to 99 for one that is much the same, 100 for the very text,
// 101 for the very text with a neighbour or the key the same, 102 with both neighbours.
type Match struct {
	Percent int
	Text    string
	Source  string // of the unit, where several are found
}

// Bounds of the search for texts that are much the same.
const (
	minMatch = 50 // percent
	// entries of the index that are read for one word: of a word that is everywhere, the texts of the nearest lengths
	postingsPerStem = 300
	candidates      = 12 // texts that are compared as a whole
	// pairs of words, or characters, of two texts: longer ones are found when they are the same only
	mostPairs = 16 << 20
)

// FindMatch finds the best translation of a text into a language, or a match of 0 percent. Threshold is the least
// percentage that is of use; above 99 no similar texts are looked for.
func FindMatch(m *store.Memory, source string, at store.Surroundings, code string, threshold int) (best Match,
	err error) {
	if code = m.Language(code); code == "" {
		return Match{}, nil
	}
	var changed int64
	err = m.EachExact(source, func(_ []byte, u *store.MemoryUnit) {
		t, ok := u.Targets[code]
		percent := 100 + likeness(u.Context, at)
		if ok && (percent > best.Percent || percent == best.Percent && t.Changed >= changed) {
			best, changed = Match{Percent: percent, Text: t.Text}, t.Changed
		}
	})
	if err != nil || best.Percent > 0 || threshold > 99 {
		return best, err
	}
	similar, err := similarUnits(context.Background(), m, source)
	if err != nil {
		return Match{}, err
	}
	for _, u := range similar {
		t, ok := u.Targets[code]
		if !ok {
			continue
		}
		if percent := similarity(source, u.Source, max(threshold, minMatch, best.Percent+1)); percent > best.Percent {
			best = Match{Percent: percent, Text: t.Text}
		}
	}
	return best, nil
}

// likeness is 2 when both neighbours are the same, 1 when one of them or the key is.
func likeness(c, o store.Surroundings) int {
	before := c.Before != "" && c.Before == o.Before
	after := c.After != "" && c.After == o.After
	switch {
	case before && after:
		return 2
	case before || after || c.Key != "" && c.Key == o.Key:
		return 1
	}
	return 0
}

// similarUnits are the units that share the most words with a text.
func similarUnits(ctx context.Context, m *store.Memory, source string) ([]*store.MemoryUnit, error) {
	stems, count := store.StemsOf(source)
	hits := scores[uint64]{}
	p := m.Postings()
	for _, stem := range stems {
		if ctx.Err() != nil {
			break
		}
		var having []uint64
		for n := range nearest(count) {
			if having = p.Append(having, stem, n, postingsPerStem); len(having) == postingsPerStem {
				break
			}
		}
		hits.add(having)
	}
	var out []*store.MemoryUnit
	for _, n := range hits.best() {
		u, err := m.UnitOf(n)
		if err != nil {
			return nil, err
		}
		if u != nil {
			out = append(out, u)
		}
	}
	return out, nil
}

// nearest yields the word counts that a similar text may have, the nearest first: half as many to twice as many.
func nearest(count int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		if !yield(count) {
			return
		}
		for d := 1; d <= min(count, 100); d++ {
			if count-d >= (count+1)/2 && !yield(count-d) || !yield(count+d) {
				return
			}
		}
	}
}

// scores say how much texts share with the one that is looked for.
type scores[N cmp.Ordered] map[N]int

// add counts a word for the texts that have it: the fewer there are, the more it says about them.
func (s scores[N]) add(having []N) {
	for _, n := range having {
		s[n] += postingsPerStem / len(having)
	}
}

// best are the texts that share most, the younger ones first among equals.
func (s scores[N]) best() []N {
	all := slices.Collect(maps.Keys(s))
	slices.SortFunc(all, func(a, b N) int { return cmp.Or(s[b]-s[a], cmp.Compare(b, a)) })
	return all[:min(len(all), candidates)]
}

// similarity is how much of the longer of two texts is the same in the other, in percent: 100 less the characters
// that are to be changed, put in or taken out. Only the very same text has 100. Where it is less than least, it may
// come out as 0. Very long texts are compared by their words.
func similarity(a, b string, least int) int {
	if a == b {
		return 100
	}
	if len(a) > 2000 || len(b) > 2000 {
		return edits(strings.Fields(a), strings.Fields(b), least)
	}
	return edits([]rune(a), []rune(b), least)
}

func edits[T comparable](a, b []T, least int) int {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return 0
	}
	most := len(a) * (100 - least) / 100
	if len(a)-len(b) > most || len(a)*len(b) > mostPairs {
		return 0
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal, smallest := row[0], i+1
		row[0] = i + 1
		for j, y := range b {
			change := diagonal
			if x != y {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
			smallest = min(smallest, row[j+1])
		}
		if smallest > most {
			return 0
		}
	}
	return min(99, 100-(row[len(b)]*100+len(a)-1)/len(a))
}
