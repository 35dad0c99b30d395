package local

import (
	"slices"
	"strings"
)

// categories are the plural categories in CLDR's order, which is the order in which a key's forms are kept.
var categories = []string{"zero", "one", "two", "few", "many", "other"}

// sortForms puts plural forms into CLDR's order.
func sortForms(texts []text) {
	slices.SortStableFunc(texts, func(a, b text) int { return slices.Index(categories, a.form) - slices.Index(categories, b.form) })
}

// inOneText is a key's text for formats that have one text for a key: its only one, or its plural forms as an ICU message.
func inOneText(texts []text) string {
	if len(texts) == 1 && texts[0].form == "" {
		return texts[0].value
	}
	var b strings.Builder
	b.WriteString("{count, plural,")
	for _, t := range texts {
		b.WriteString(" " + t.form + " {")
		quoteICU(&b, t.value)
		b.WriteByte('}')
	}
	b.WriteByte('}')
	return b.String()
}

// icuSigns are what means something in a plural branch of an ICU message.
const icuSigns = "{}#|"

// quoteICU writes a text so that an ICU message means it to the letter: its signs stand in apostrophes, and apostrophes are doubled. A
// quotation goes on over apostrophes, for two that meet would read as one apostrophe.
func quoteICU(b *strings.Builder, s string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		sign := strings.IndexByte(icuSigns, s[i]) >= 0
		if sign && !quoted || !sign && quoted && s[i] != '\'' {
			b.WriteByte('\'')
			quoted = sign
		}
		if s[i] == '\'' {
			b.WriteByte('\'')
		}
		b.WriteByte(s[i])
	}
	if quoted {
		b.WriteByte('\'')
	}
}

// inForms is the inverse of inOneText: the plural forms of a message that is one plural argument and nothing else, sorted; of any other
// text the form "other".
func inForms(message string) []text {
	other := []text{{"other", message}}
	branches, ok := pluralBranches(strings.TrimSpace(message))
	if !ok {
		return other
	}
	var texts []text
	seen := map[string]bool{}
	for _, br := range branches {
		if !slices.Contains(categories, br.form) || seen[br.form] {
			return other
		}
		value, ok := unquoteICU(br.value)
		if !ok {
			return other
		}
		seen[br.form] = true
		texts = append(texts, text{br.form, value})
	}
	if !seen["other"] {
		return other
	}
	sortForms(texts)
	return texts
}

// pluralBranches takes "{name, plural, one {..} other {..}}" apart, without a look into the branches.
func pluralBranches(s string) ([]text, bool) {
	argument, ok := icuArgument(s)
	if !ok || argument.end != len(s) || argument.kind != "plural" {
		return nil, false
	}
	var out []text
	for _, br := range argument.branches {
		out = append(out, text{br.selector, s[br.from:br.to]})
	}
	return out, len(out) > 0
}

// unquoteICU reads a branch that has no arguments of its own: quotations are dissolved. A # outside of them is the number, which a
// plural form has no other sign for, so it stays.
func unquoteICU(s string) (string, bool) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case strings.HasPrefix(s[i:], "''"):
			b.WriteByte('\'')
			i++
		case c == '\'' && quoted:
			quoted = false
		case c == '\'' && i+1 < len(s) && strings.IndexByte(icuSigns, s[i+1]) >= 0:
			quoted = true
		case !quoted && (c == '{' || c == '}'):
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), !quoted
}

// argument is one {...} of an ICU message.
type argument struct {
	kind     string // plural, select or selectordinal where it has branches; empty for all others
	end      int    // behind its closing brace
	branches []branch
}

// branch is one alternative of an argument: its text stands from from to to.
type branch struct {
	selector string
	from, to int
}

// icuArgument reads the argument that s begins with; ok is false where it begins with none, or the braces do not match.
func icuArgument(s string) (a argument, ok bool) {
	if s == "" || s[0] != '{' {
		return a, false
	}
	if a.end, ok = closingBrace(s); !ok {
		return a, false
	}
	name, rest, found := strings.Cut(s[1:a.end-1], ",")
	if !found || strings.ContainsAny(name, "{}'") {
		return a, true
	}
	kind, _, found := strings.Cut(rest, ",")
	kind = strings.TrimSpace(kind)
	if !found || kind != "plural" && kind != "select" && kind != "selectordinal" {
		return a, true
	}
	at := 1 + len(name) + 1 + strings.IndexByte(rest, ',') + 1
	for {
		open := strings.IndexByte(s[at:a.end-1], '{')
		if open < 0 {
			break
		}
		fields := strings.Fields(s[at : at+open]) // a selector; before the first one maybe offset:n
		size, ok := closingBrace(s[at+open:])
		if !ok || len(fields) == 0 || at+open+size > a.end-1 {
			return argument{end: a.end}, true
		}
		a.branches = append(a.branches, branch{fields[len(fields)-1], at + open + 1, at + open + size - 1})
		at += open + size
	}
	if strings.TrimSpace(s[at:a.end-1]) != "" || len(a.branches) == 0 {
		return argument{end: a.end}, true
	}
	a.kind = kind
	return a, true
}

// closingBrace returns the length of the {...} that s begins with. Braces in an apostrophe's quotation do not count.
func closingBrace(s string) (size int, ok bool) {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case strings.HasPrefix(s[i:], "''"):
			i++
		case c == '\'' && quoted:
			quoted = false
		case c == '\'' && i+1 < len(s) && strings.IndexByte(icuSigns, s[i+1]) >= 0:
			quoted = true
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return 0, false
}
