package catalog

import (
	"maps"
	"slices"
)

// Move is a file's texts that left one place and are in another.
type Move struct{ From, To string }

// Moves finds which of the files that came a file that went has become: the one that has most of its texts, at least
// half of them, when no other file that came has as many and no other that went has as many of those. A text under the
// same key counts twice. What could be more than one file's successor is ambiguous, not a move: its candidates are in
// doubt, by the file that went.
func Moves(went, came map[string]Marks) (moves []Move, doubt map[string][]string) {
	score := make(map[Move]int)
	best := make(map[string]int)
	for to, now := range came {
		texts := make(map[Mark]bool, len(now))
		for _, m := range now {
			texts[m] = true
		}
		for from, before := range went {
			points, same := 0, 0
			for n, m := range before {
				switch {
				case now[n] == m:
					points, same = points+2, same+1
				case texts[m]:
					points, same = points+1, same+1
				}
			}
			if same == 0 || 2*same < len(before) {
				continue
			}
			score[Move{from, to}] = points
			best["<"+from], best[">"+to] = max(best["<"+from], points), max(best[">"+to], points)
		}
	}
	first := make(map[string][]string) // the candidates that are as good as any
	rivals := make(map[string]int)
	for m, points := range score {
		if points == best["<"+m.From] {
			first[m.From] = append(first[m.From], m.To)
		}
		if points == best[">"+m.To] {
			rivals[m.To]++
		}
	}
	for _, from := range slices.Sorted(maps.Keys(first)) {
		to := first[from]
		slices.Sort(to)
		m := Move{from, to[0]}
		switch {
		case len(to) == 1 && score[m] == best[">"+m.To] && rivals[m.To] == 1:
			moves = append(moves, m)
		case len(to) > 1 || score[m] == best[">"+m.To]:
			if doubt == nil {
				doubt = make(map[string][]string)
			}
			doubt[from] = to
		}
	}
	return moves, doubt
}
