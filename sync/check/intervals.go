package check

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/check/text"
	"github.com/locsync/locsync/sync/text/plural"
)

// numbers are those that a form of Symfony or Laravel is for, by the interval that it begins with.
type numbers struct {
	some             []float64 // {1,2}; nil for an interval
	least, most      float64
	noLeast, andMost bool // the ends themselves do not belong to it, or do
}

func (n numbers) has(x float64) bool {
	if n.some != nil {
		return slices.Contains(n.some, x)
	}
	return (x > n.least || x == n.least && !n.noLeast) && (x < n.most || x == n.most && n.andMost)
}

// intervalsOf are the numbers of the forms that begin with an interval, and the other forms.
func intervalsOf(s string) (all []numbers, others []string) {
	for form := range strings.SplitSeq(s, "|") {
		begin := strings.TrimSpace(interval.FindString(form))
		if begin == "" {
			others = append(others, strings.TrimSpace(form))
			continue
		}
		inside := strings.Split(begin[1:len(begin)-1], ",")
		value := func(i int, none float64) float64 {
			n, err := strconv.ParseFloat(strings.TrimSpace(inside[i]), 64)
			if err != nil {
				return none
			}
			return n
		}
		if begin[0] == '{' {
			var some []float64
			for i := range inside {
				some = append(some, value(i, math.Inf(1)))
			}
			all = append(all, numbers{some: some})
			continue
		}
		all = append(all, numbers{least: value(0, math.Inf(-1)), most: value(1, math.Inf(1)), noLeast: begin[0] == ']',
			andMost: strings.HasSuffix(begin, "]")})
	}
	return all, others
}

// intervals looks for numbers that the source has a form for and the translation has none: Symfony raises an exception
// there, and Laravel shows another form. Forms without an interval are for the language's plural forms.
func (p *pair) intervals() {
	have, others := intervalsOf(p.source)
	use, rest := intervalsOf(p.text)
	if len(have) < 2 || len(others) > 0 || len(use) == 0 {
		return
	}
	if len(rest) > 0 {
		categories := slices.DeleteFunc(slices.Clone(plural.Categories(p.in.Language)),
			func(c plural.Category) bool { return c.Rare })
		if len(categories) > 0 && len(rest) != len(categories) {
			p.found(Names, "the form %q begins with no interval that the program takes, as the source's do",
				text.Excerpt(rest[0]))
		}
		return
	}
	for _, x := range ends(slices.Concat(have, use)) {
		of := func(n numbers) bool { return n.has(x) }
		if slices.ContainsFunc(have, of) && !slices.ContainsFunc(use, of) {
			p.found(Names, "it has no form for the number %v, which the source has one for", x)
			return
		}
	}
}

// ends are the numbers at which one of these begins or ends, with their neighbours.
func ends(all []numbers) (at []float64) {
	for _, n := range all {
		for _, x := range append(slices.Clone(n.some), n.least, n.most) {
			if !math.IsInf(x, 0) {
				at = append(at, x-1, x, x+1)
			}
		}
	}
	at = append(at, 1e6)
	slices.Sort(at)
	return slices.DeleteFunc(slices.Compact(at), func(x float64) bool { return x < 0 })
}
