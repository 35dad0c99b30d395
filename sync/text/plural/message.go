package plural

import (
	"fmt"
	"strings"
	"unicode"
)

// Message is an ICU message (the MessageFormat of ICU 4 and of the libraries that follow it: FormatJS, messageformat,
// Flutter's), as far as its arguments go: what is between them is text.
type Message struct {
	Arguments []Argument // in order; those inside branches are the branch's
}

// Argument is one {...} of a message.
type Argument struct {
	Name     string // a word or a number
	Type     string // plural, select, selectordinal, number, date, ...; empty for {name}
	From, To int    // where it is in the message, braces included
	Offset   string // of a plural, as spelled; empty for none
	Branches []Branch
}

// Branch is one alternative of a plural, select or selectordinal.
type Branch struct {
	Selector string // a category, a number like =0, or the word of a select
	From, To int    // where its text is, braces excluded
	Number   bool   // the text has a # that represents the argument's number
	Message         // the arguments inside
}

// Plurals are the plural arguments of a message and of its branches, in order.
func (m Message) Plurals() (all []Argument) {
	for _, a := range m.Arguments {
		if Plural(a.Type) {
			all = append(all, a)
		}
		for _, b := range a.Branches {
			all = append(all, b.Plurals()...)
		}
	}
	return all
}

// Lacks are the categories that a plural argument of a translation has no branch for, and its language needs. Nothing
// is asked for where the source's argument lacks what the source's language needs, or where an offset is counted off.
func (a Argument) Lacks(language string, source Argument, from string) []string {
	categories := Categories
	if a.Type == string(Ordinal) {
		categories = Ordinals
	}
	if a.Offset != "" || len(source.Branches) < 2 && from == "" ||
		len(Lacking(categories(from), source.selectors())) > 0 {
		return nil
	}
	return Lacking(categories(language), a.selectors())
}

func (a Argument) selectors() (all []string) {
	for _, b := range a.Branches {
		all = append(all, b.Selector)
	}
	return all
}

// Branching reports whether an argument of a type has branches.
func Branching(kind string) bool {
	return kind == "plural" || kind == "select" || kind == "selectordinal"
}

// Plural reports whether a type's branches are chosen by plural category.
func Plural(kind string) bool { return kind == "plural" || kind == "selectordinal" }

// maxNesting is how deep branches may be inside one another; no message of people's comes near.
const maxNesting = 20

// Parse reads a message. The error says in words what of ICU's grammar is not kept. Types are spelled in lower case, as
// all libraries take them; a branching argument must have a branch "other".
func Parse(message string) (Message, error) {
	r := reader{s: message}
	m := r.text("", 0)
	if r.err != nil {
		return Message{}, r.err
	}
	return m, nil
}

// ParseArgument reads the argument that s begins with, and nothing behind it.
func ParseArgument(s string) (Argument, error) {
	r := reader{s: s}
	if !strings.HasPrefix(s, "{") {
		r.fail("it does not begin with a {")
		return Argument{}, r.err
	}
	a := r.argument(0)
	return a, r.err
}

// reader reads a message from left to right; after an error at is the end.
type reader struct {
	s   string
	at  int
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	r.at = len(r.s)
}

// text reads up to the end or, in a branch of an argument of this type, up to the brace that closes it, which it
// leaves.
func (r *reader) text(in string, depth int) (m Message) {
	for r.at < len(r.s) {
		switch c := r.s[r.at]; {
		case c == '\'':
			r.at = quotation(r.s, r.at, in)
		case c == '{':
			m.Arguments = append(m.Arguments, r.argument(depth))
		case c == '}' && in != "":
			return m
		case c == '}':
			r.fail("a } has no {")
		default:
			r.at++
		}
	}
	if in != "" {
		r.fail("a { is not closed")
	}
	return m
}

// quotation passes over an apostrophe in the text of a branch of this type: two are one, and one before a brace, or
// before # in a plural's branch, hides everything up to the next single one.
func quotation(s string, at int, in string) int {
	at++
	if at < len(s) && s[at] == '\'' {
		return at + 1
	}
	if at == len(s) || !special(s[at], in) {
		return at
	}
	for at < len(s) {
		if s[at] != '\'' {
			at++
		} else if at++; at == len(s) || s[at] != '\'' {
			return at
		} else {
			at++
		}
	}
	return at
}

// special reports whether a character means something in the text of a branch of this type.
func special(c byte, in string) bool { return c == '{' || c == '}' || c == '#' && Plural(in) }

// space passes over white space of any kind: libraries take more or less of it.
func (r *reader) space() {
	r.at = len(r.s) - len(strings.TrimLeftFunc(r.s[r.at:], unicode.IsSpace))
}

// word reads up to a brace, a comma, an apostrophe or space.
func (r *reader) word() string {
	r.space()
	n := strings.IndexFunc(r.s[r.at:], func(c rune) bool { return strings.ContainsRune("{},'", c) || unicode.IsSpace(c) })
	if n < 0 {
		n = len(r.s) - r.at
	}
	w := r.s[r.at : r.at+n]
	r.at += n
	r.space()
	return w
}

// argument reads {name}, {name, type, style} or {name, plural, ...}.
func (r *reader) argument(depth int) (a Argument) {
	a.From = r.at
	r.at++
	if a.Name = r.word(); a.Name == "" || r.at >= len(r.s) {
		r.fail("a { has no name or is not closed")
		return a
	}
	if r.s[r.at] == ',' {
		r.at++
		a.Type = r.word()
	} else if r.s[r.at] != '}' {
		r.fail("a comma or } is missing behind {%s", a.Name)
		return a
	}
	if !Branching(a.Type) {
		r.style(a.Name)
	} else if r.at >= len(r.s) || r.s[r.at] != ',' {
		r.fail("{%s, %s} has no branches", a.Name, a.Type)
	} else {
		r.at++
		r.branches(&a, depth)
	}
	a.To = r.at
	return a
}

// style passes over the format of a simple argument and its closing brace.
func (r *reader) style(name string) {
	for r.at < len(r.s) && r.s[r.at] != '}' {
		if r.s[r.at] == '{' {
			r.fail("{%s has no type that can have branches", name)
			return
		}
		r.at++
	}
	if r.at >= len(r.s) {
		r.fail("a { is not closed")
		return
	}
	r.at++
}

// branches reads an argument's branches and its closing brace.
func (r *reader) branches(a *Argument, depth int) {
	if depth == maxNesting {
		r.fail("its branches are nested too deeply")
	}
	hasOther := false
	for r.err == nil {
		word := r.word()
		if offset, ok := strings.CutPrefix(word, "offset:"); ok && Plural(a.Type) && len(a.Branches) == 0 {
			if a.Offset = offset; offset == "" {
				a.Offset = r.word()
			}
			continue
		}
		if r.at >= len(r.s) {
			r.fail("a { is not closed")
			return
		}
		if word == "" && r.s[r.at] == '}' {
			r.at++
			break
		}
		if word == "" || r.s[r.at] != '{' {
			r.fail("a branch of {%s} has no name or no text", a.Name)
			return
		}
		if Plural(a.Type) && !IsCategory(word) && !isNumber(word) {
			r.fail("%q is not a plural category; those are zero, one, two, few, many, other and =1", word)
			return
		}
		hasOther = hasOther || word == Other
		a.Branches = append(a.Branches, r.branch(word, a.Type, depth))
	}
	if !hasOther {
		r.fail(`{%s} has no branch "other"`, a.Name)
	}
}

// branch reads a branch from its opening brace to behind its closing one.
func (r *reader) branch(selector, kind string, depth int) Branch {
	r.at++
	b := Branch{Selector: selector, From: r.at}
	b.Message = r.text(kind, depth+1)
	b.To = r.at
	if r.err != nil {
		return b
	}
	r.at++
	b.Number = Plural(kind) && hasNumber(r.s[b.From:b.To], b.From, b.Arguments, kind)
	return b
}

// hasNumber looks for a # in a branch's text, outside of quotations and of the arguments in it.
func hasNumber(text string, from int, inside []Argument, kind string) bool {
	if !strings.Contains(text, "#") {
		return false
	}
	for at := 0; at < len(text); {
		switch {
		case len(inside) > 0 && from+at == inside[0].From:
			at = inside[0].To - from
			inside = inside[1:]
		case text[at] == '\'':
			at = quotation(text, at, kind)
		case text[at] == '#':
			return true
		default:
			at++
		}
	}
	return false
}

// isNumber reports whether a selector is a number like =0.
func isNumber(word string) bool {
	n, ok := strings.CutPrefix(word, "=")
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

// Braces is the length of the {...} that s begins with, whatever is in it: braces that pair, but for quoted ones. ok is
// false where they do not.
func Braces(s string) (size int, ok bool) {
	if !strings.HasPrefix(s, "{") {
		return 0, false
	}
	depth := 0
	for at := 0; at < len(s); {
		switch s[at] {
		case '\'':
			at = quotation(s, at, "plural")
			continue
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at + 1, true
			}
		}
		at++
	}
	return 0, false
}
