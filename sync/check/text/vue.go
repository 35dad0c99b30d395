package text

import (
	"fmt"
	"strconv"
	"strings"
)

// readVue is vue-i18n 9 and later: {name}, {0}, {'literal'}, @:linked, and | between forms.
func readVue(s string, _ Options) Text {
	r := vueReader{s: s, forms: 1}
	for r.fault == "" && r.at < len(s) {
		r.token()
	}
	if r.fault == "" && r.forms > 1 && r.items == 0 {
		r.empty()
	}
	if r.fault != "" {
		return Text{Faults: []string{r.fault}}
	}
	t := Text{Arguments: r.args}
	if r.forms > 1 {
		t.Forms = r.forms
	}
	return t
}

type vueReader struct {
	s     string
	at    int
	args  []Argument
	forms int
	items int // of the form that is read
	fault string
}

func (r *vueReader) empty() {
	r.fault = "a form between | has no text; write {'|'} for a bar that is meant as one"
}

func (r *vueReader) spaces() int { return span(r.s, r.at, " \n") }

// token reads a placeholder, a link, a bar or a piece of text.
func (r *vueReader) token() {
	switch n := r.spaces(); {
	case at(r.s, r.at+n) == '|':
		if r.items == 0 {
			r.empty()
		}
		r.at += n + 1
		r.at += r.spaces()
		r.forms++
		r.items = 0
	case r.s[r.at] == '{':
		r.placeholder()
	case r.s[r.at] == '}':
		r.fault = "a } has no {; write {'}'} for a brace"
	case r.s[r.at] == '@':
		r.linked()
	default:
		r.text()
	}
}

// text reads up to what means something.
func (r *vueReader) text() {
	from := r.at
	for r.at < len(r.s) {
		c := r.s[r.at]
		n := r.spaces()
		switch {
		case c == '\\' && strings.IndexByte(`{}@|\`, at(r.s, r.at+1)) >= 0 && r.at+1 < len(r.s):
			r.at++
		case strings.IndexByte("{}@|", c) >= 0, n > 0 && at(r.s, r.at+n) == '|':
			if r.at > from {
				r.items++
			}
			return
		}
		r.at++
	}
	r.items++
}

// placeholder reads {name}, {0} or {'literal'}.
func (r *vueReader) placeholder() {
	start := r.at
	r.at++
	r.at += r.spaces()
	if r.at == len(r.s) {
		return // a brace at the very end is taken, and not shown
	}
	from, literal := r.at, false
	switch c := at(r.s, r.at); {
	case isLetter(c) || c == '_':
		for r.at < len(r.s) && (isWord(r.s[r.at]) || r.s[r.at] == '$' || r.s[r.at] == '-') {
			r.at++
		}
	case isDigit(c), c == '-' && isDigit(at(r.s, r.at+1)):
		r.at++
		r.at += span(r.s, r.at, digits)
	case c == '\'':
		literal = true
		if !r.literal() {
			r.fault = fmt.Sprintf("the literal %q does not end", Excerpt(r.s[start:]))
			return
		}
	default:
		r.fault = fmt.Sprintf("%q cannot be a placeholder; write {'{'} for a brace", Excerpt(r.s[start:]))
		return
	}
	name, before := r.s[from:r.at], r.at
	r.at += r.spaces()
	ends := r.at == len(r.s) && (literal || r.at > before) // and is taken, as a brace is
	if at(r.s, r.at) != '}' && !ends {
		r.fault = fmt.Sprintf("%q is not closed, or has more than a name; write {'{'} for a brace", Excerpt(r.s[start:]))
		return
	}
	r.at = min(r.at+1, len(r.s))
	r.items++
	if n, err := strconv.Atoi(name); err == nil {
		name = strconv.Itoa(n)
	}
	if !literal {
		r.args = append(r.args, Argument{Name: name, Spelled: r.s[start:r.at]})
	}
}

// literal reads what is between apostrophes.
func (r *vueReader) literal() bool {
	for r.at++; r.at < len(r.s); r.at++ {
		switch r.s[r.at] {
		case '\'':
			r.at++
			return true
		case '\n':
			return false
		case '\\':
			r.at++
			n := map[byte]int{'\\': 0, '\'': 0, 'u': 4, 'U': 6}
			more, is := n[at(r.s, r.at)]
			if !is || span(r.s, r.at+1, "0123456789abcdefABCDEF") < more {
				return false
			}
			r.at += more
		}
	}
	return false
}

// linked reads @:key, @.modifier:key and @:{name}.
func (r *vueReader) linked() {
	start := r.at
	r.at++
	if at(r.s, r.at) == '.' {
		r.at++
		n := 0
		for c := at(r.s, r.at+n); isWord(c) || c == '$' && n > 0; c = at(r.s, r.at+n) {
			n++
		}
		if n == 0 || isDigit(at(r.s, r.at)) {
			r.unlinked(start)
			return
		}
		r.at += n
	}
	if at(r.s, r.at) != ':' {
		r.unlinked(start)
		return
	}
	r.at++
	if c := at(r.s, r.at); c == '{' {
		if n := span(r.s, r.at+1, " \n"); r.at+1+n == len(r.s) {
			r.unlinked(start)
			return
		}
		r.placeholder()
		return
	}
	n := strings.IndexAny(r.s[r.at:]+" ", "{@|() ")
	if c := at(r.s, r.at); n == 0 && c != '(' && c != ')' || strings.IndexByte(":.\n", c) >= 0 {
		r.unlinked(start)
		return
	}
	link := "@:" + r.s[r.at:r.at+n]
	r.args = append(r.args, Argument{Name: link, Spelled: link})
	r.at += n
	r.items++
}

func (r *vueReader) unlinked(start int) {
	r.fault = fmt.Sprintf("the @ of %q would be taken for a link to another message; write {'@'}", Excerpt(r.s[start:]))
}
