package check

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Terms are words with one translation, or with none: they stay as they are.
type Terms struct {
	Keep      []string                       // as spelled
	Translate map[string]map[string][]string // by language, of each term, in small letters, what may stand for it
}

// Term is one that a text has.
type Term struct {
	Word     string
	Allowed  []string // what may stand for it
	Verbatim bool     // it must stay as it is
}

// In are the terms of a source text in a language, in the order of their letters.
func (t *Terms) In(source, language string) (all []Term) {
	if t == nil {
		return nil
	}
	for _, word := range t.Keep {
		if hasWord(source, word) {
			all = append(all, Term{word, []string{word}, true})
		}
	}
	lower := strings.ToLower(source)
	for _, word := range slices.Sorted(maps.Keys(t.Translate[language])) {
		if hasWord(lower, word) {
			all = append(all, Term{word, t.Translate[language][word], false})
		}
	}
	return all
}

// wrong are the terms of a source that its translation does not have as they must be.
func (t *Terms) wrong(source, text, language string) (all []Finding) {
	for _, term := range t.In(source, language) {
		found := func(word string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(word)) }
		switch {
		case term.Verbatim && !strings.Contains(text, term.Word):
			all = append(all, say(TermKind, "the term %q must stay as it is", term.Word))
		case !term.Verbatim && !slices.ContainsFunc(term.Allowed, found):
			all = append(all, say(TermKind, "the term %q is to be translated by %s", term.Word,
				strings.Join(quoted(term.Allowed), " / ")))
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
