// Package terms finds the terms of a project's glossaries in texts.
//
// Its law: a term is a whole word or several, in any case, and the longest one counts. It changes no glossary.
package terms

import (
	"strings"
	"unicode"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
)

// Terms are the terms of a project's glossaries that have one in a target language, too.
type Terms struct {
	targets map[string]string // the source term in lower case -> the target term
	words   int               // of the longest
}

// Term is a term in a text, from one byte to another.
type Term struct {
	From, To int
	Target   string
}

// Of reads the glossaries that are attached to a project. Where two have a term, the one attached first counts.
func Of(tx *store.Tx, p *store.Project, code string) (*Terms, error) {
	t := &Terms{targets: make(map[string]string)}
	for _, id := range p.Glossaries {
		g, err := store.GlossaryIn(tx, "glossary", id)
		if err != nil {
			return nil, err
		}
		err = store.EachUnit(tx, g, func(u *store.GlossaryUnit) error {
			source, target := term(u, p.Source), term(u, code)
			if _, known := t.targets[strings.ToLower(source)]; source == "" || target == "" || known {
				return nil
			}
			t.targets[strings.ToLower(source)] = target
			t.words = max(t.words, len(wordsOf(source)))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// term is the one of a unit in a language, or else in the same language of another or no region.
func term(u *store.GlossaryUnit, code string) string {
	if t := strings.TrimSpace(u.Terms[code]); t != "" {
		return t
	}
	for other, t := range u.Terms {
		if api.SameLanguage(other, code) && strings.TrimSpace(t) != "" {
			return strings.TrimSpace(t)
		}
	}
	return ""
}

// In finds the terms in a text, as whole words, the longest first; they do not overlap.
func (t *Terms) In(text string) (found []Term) {
	words := wordsOf(text)
	for i := 0; i < len(words); i++ {
		for n := min(t.words, len(words)-i); n > 0; n-- {
			from, to := words[i][0], words[i+n-1][1]
			if target, known := t.targets[strings.ToLower(text[from:to])]; known {
				found = append(found, Term{from, to, target})
				i += n - 1
				break
			}
		}
	}
	return found
}

// Translations are the terms in a text, as they are spelled there, each with its translation.
func (t *Terms) Translations(text string) map[string]string {
	all := make(map[string]string)
	for _, found := range t.In(text) {
		all[text[found.From:found.To]] = found.Target
	}
	return all
}

// Whole is the target term of a text that is a term.
func (t *Terms) Whole(text string) (target string, known bool) {
	target, known = t.targets[strings.ToLower(strings.TrimSpace(text))]
	return target, known
}

// wordsOf are the runs of letters, digits and marks of a text.
func wordsOf(text string) (words [][2]int) {
	open := false
	for i, r := range text {
		switch in := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r); {
		case in && !open:
			words, open = append(words, [2]int{i, len(text)}), true
		case !in && open:
			words[len(words)-1][1], open = i, false
		}
	}
	return words
}
