// Package spell finds the word that was meant where people typed another one, and lists words in a sentence.
//
// Its law: a word that is known is never told to be another one.
//
// It knows no words of its own.
package spell

import "strings"

// Meant ends a refusal of a word: with the one of the known words that was probably meant, else with all of them.
func Meant(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "use " + Either(known)
}

// Either is "a, b or c".
func Either(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// Nearest is the one of the known words that was most likely meant, or "".
func Nearest(word string, known []string) string {
	best, least := "", len(word)/3+1
	for _, k := range known {
		if len(word) >= 3 && strings.HasPrefix(k, word) {
			return k
		}
		if n := distance(strings.ToLower(word), strings.ToLower(k)); n <= least && n < len(k) {
			if best == "" || n < least {
				best, least = k, n
			}
		}
	}
	return best
}

// distance counts the letters that must be added, dropped, replaced or swapped with their neighbour to
// make one word of the other.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return len(a) + len(b) // no word of ours: not worth the table
	}
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
