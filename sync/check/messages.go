package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What is in a text beside placeholders, in the syntax of some message libraries: calls of MediaWiki's functions
// (https://www.mediawiki.org/wiki/Help:Magic_words#Localization), its parameters, and the intervals of Symfony
// (https://symfony.com/doc/current/components/translation/usage.html) and Laravel.

var (
	// wikiCall begins a call that chooses or bends words of the message's own language: {{PLURAL:$1|...}},
	// {{GRAMMAR:dative|...}}.
	wikiCall = regexp.MustCompile(`^\{\{\s*#?[\pL_]+\s*:(\s*\$[0-9]+)?`)
	// parameter is what MediaWiki and Chrome fill in by place. $1.50, $10 and $5m are amounts of money.
	parameter = regexp.MustCompile(`\$[1-9]\b(?:[.,]?\pN|\pL)?`)
	// interval is what a form begins with: {1}, {2,3}, ]1,Inf[, [20,*].
	interval = regexp.MustCompile(`^\s*(?:(\{\s*-?[0-9.]+\s*\})|\{\s*-?[0-9.]+(?:\s*,\s*-?[0-9.]+)+\s*\}|` +
		`[\[\]]\s*(?:-Inf|\*|-?[0-9.]+)\s*,\s*(?:\+?Inf|\*|-?[0-9.]+)\s*[\[\]])`)
)

// call passes over the beginning of a call, up to the words that it chooses among: placeholders may be there.
func (r *nameReader) call() bool {
	rest := r.s[r.at:]
	if !strings.HasPrefix(rest, "{{") {
		return false
	}
	size := len(wikiCall.FindString(rest[:min(len(rest), 120)]))
	if size == 0 {
		return false
	}
	inside, _, _ := strings.Cut(rest[size:], "}}")
	if !strings.Contains(inside, "|") && !strings.Contains(inside, "{{") && !strings.Contains(rest[:size], "$") {
		return false // {{int:other-message}}, {{name:format}}
	}
	r.at += size
	return true
}

// isWiki reports whether a text calls such a function. What else MediaWiki knows by a name then, {{SITENAME}}, is the
// same in all messages, and a language may do without.
func isWiki(s string) bool {
	r := nameReader{s: s}
	for strings.Contains(s[r.at:], "{{") {
		r.at += strings.Index(s[r.at:], "{{")
		if r.call() {
			return true
		}
		r.at += len("{{")
	}
	return false
}

// isOfWiki reports whether a name in a text with such calls is MediaWiki's: a variable in capitals ({{SITENAME}}),
// which every message has, or a function ({{formatnum:99}}), which a language may do without.
func isOfWiki(n name) bool { return strings.HasPrefix(n.spelled, "{{") }

// parameters warns of a $1 that is missing. Another one than the source's may be meant, as a message has parameters
// that English does not use. What only chooses words is not shown, so that a language may need no such choice.
func (p *pair) parameters() {
	have, use := parametersIn(p.source, false), parametersIn(p.text, false)
	if !slices.Contains(have, "$1") || strings.Count(p.text, "$") > len(use) || p.number.mayDrop {
		return // an amount of money, or the number of a plural
	}
	var lacks []string
	for _, sign := range parametersIn(p.source, true) {
		if !slices.Contains(lacks, sign) && !slices.Contains(use, sign) {
			lacks = append(lacks, sign)
		}
	}
	p.differs(true, Names, lacks, nil)
}

// parametersIn are the $1 of a text; shown leaves out those that only choose words.
func parametersIn(s string, shown bool) []string {
	var signs []string
	for _, at := range parameter.FindAllStringIndex(s, -1) {
		sign := s[at[0]:at[1]]
		if len(sign) != 2 || at[0] > 0 && (isLetter(s[at[0]-1]) || isDigit(s[at[0]-1]) || s[at[0]-1] == '$') {
			continue
		}
		open := strings.LastIndex(s[:at[0]], "{{")
		if shown && open >= 0 && len(wikiCall.FindString(s[open:])) == at[1]-open {
			continue
		}
		signs = append(signs, sign)
	}
	return signs
}

// withoutIntervals takes the intervals off the forms of a text. A number alone in braces may be a placeholder: it is an
// interval where another form has one of several numbers, or where the forms count up, each with words behind it.
func withoutIntervals(s string) string {
	if !strings.Contains(s, "|") {
		return s
	}
	parts := strings.Split(s, "|")
	sure, counting, last := false, true, -1.0
	for i, part := range parts {
		at := interval.FindStringSubmatchIndex(part)
		switch {
		case at == nil:
			counting = counting && i == len(parts)-1
		case at[2] < 0:
			sure = true
		default:
			n, err := strconv.ParseFloat(strings.Trim(part[at[2]:at[3]], "{} "), 64)
			counting = counting && err == nil && n > last && strings.TrimSpace(part[at[3]:]) != ""
			last = n
		}
	}
	if last < 0 && !sure || !sure && !counting {
		return s
	}
	for i, part := range parts {
		parts[i] = strings.TrimPrefix(part, interval.FindString(part))
	}
	return strings.Join(parts, "|")
}
