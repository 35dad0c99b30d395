package check

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Terms are words with one translation, or with none: they stay as they are.
type Terms struct {
	Keep      []string                       // as spelled
	Translate map[string]map[string][]string // by language, of each term, in small letters, what may stand for it
}

// wrong are the terms of a source that its translation does not have as they must be.
func (t *Terms) wrong(source, text, language string) (all []string) {
	if t == nil {
		return nil
	}
	for _, term := range t.Keep {
		if hasWord(source, term) && !strings.Contains(text, term) {
			all = append(all, fmt.Sprintf("the term %q must stay as it is", term))
		}
	}
	lowerSource, lower := "", ""
	for term, allowed := range t.Translate[language] {
		if lowerSource == "" {
			lowerSource, lower = strings.ToLower(source), strings.ToLower(text)
		}
		if !hasWord(lowerSource, term) {
			continue
		}
		found := false
		for _, word := range allowed {
			found = found || strings.Contains(lower, strings.ToLower(word))
		}
		if !found {
			all = append(all, fmt.Sprintf("the term %q is to be translated by %q", term, strings.Join(allowed, `" or "`)))
		}
	}
	return all
}

// hasWord reports whether a text has a word, not inside of another.
func hasWord(s, word string) bool {
	for at := 0; word != ""; {
		i := strings.Index(s[at:], word)
		if i < 0 {
			break
		}
		before, _ := utf8.DecodeLastRuneInString(s[:at+i])
		behind, _ := utf8.DecodeRuneInString(s[at+i+len(word):])
		if !unicode.IsLetter(before) && !unicode.IsDigit(before) && !unicode.IsLetter(behind) && !unicode.IsDigit(behind) {
			return true
		}
		at += i + len(word)
	}
	return false
}
