package segment

import (
	"regexp"
	"unicode"
)

// Count is the size of a text.
type Count struct {
	Words             int
	CharsWithSpaces   int
	CharsWithoutSpace int
}

// Add sums sizes up.
func (c *Count) Add(o Count) {
	c.Words += o.Words
	c.CharsWithSpaces += o.CharsWithSpaces
	c.CharsWithoutSpace += o.CharsWithoutSpace
}

// Size counts a segment's words and characters; markup is neither. A word is a run of letters, digits and marks, with
// apostrophes, hyphens, points and the like between two of them: "don't", "3.14", "e-mail" are one word each. Of
// Chinese and Japanese each character is a word. Thai, Lao, Khmer and Burmese put no spaces between words of several
// letters: without a dictionary every lettersOfAWord of them, or what is left of them in a run, are counted as one.
func (s *Segment) Size() Count {
	text := s.Text
	if s.Markup != Plain {
		text = visible(text, s.Markup)
	}
	var c Count
	inWord, joiner := false, false
	letters := 0 // of the run of letters without spaces that goes on
	for _, r := range text {
		c.CharsWithSpaces++
		if !unicode.IsSpace(r) {
			c.CharsWithoutSpace++
		}
		if unspaced(r) {
			if unicode.IsLetter(r) {
				if letters%lettersOfAWord == 0 {
					c.Words++
				}
				letters++
			}
			inWord, joiner = false, false
			continue
		}
		letters = 0
		switch {
		case alone(r):
			c.Words++
			inWord, joiner = false, false
		case wordRune(r):
			if !inWord {
				c.Words++
			}
			inWord, joiner = true, false
		case inWord && !joiner && joins(r):
			joiner = true
		default:
			inWord, joiner = false, false
		}
	}
	return c
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// alone are the characters that are words.
func alone(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) && unicode.IsLetter(r)
}

// unspaced are the characters of alphabets whose words have no spaces between them.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && !unicode.IsDigit(r) &&
		!unicode.IsPunct(r)
}

// lettersOfAWord is how many letters, marks not counted, a word of such an alphabet has on average.
const lettersOfAWord = 4

// joins are the signs that may stand within a word.
func joins(r rune) bool {
	switch r {
	case '\'', '’', '-', '‑', '.', ',', '_', '·', '\u200d':
		return true
	}
	return false
}

var (
	tagOrEntity     = regexp.MustCompile(`<!--.*?-->|</?[A-Za-z][^<>]*>|&[A-Za-z0-9#]+;`)
	markdownTargets = regexp.MustCompile("\\]\\([^()]*\\)|<https?://[^<>]*>|</?[A-Za-z][^<>]*>|[*`[\\]~]")
)

// visible is a text without its markup. It is for counting and comparing only.
func visible(text string, m Markup) string {
	if m == Tags {
		return tagOrEntity.ReplaceAllStringFunc(text, func(s string) string {
			if s[0] == '&' {
				return "&"
			}
			return ""
		})
	}
	return markdownTargets.ReplaceAllString(text, "")
}

// translatable tells whether there is anything to translate in a text.
func translatable(text string, m Markup) bool {
	if m != Plain {
		text = visible(text, m)
	}
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return true
		}
	}
	return false
}
