package text

import (
	"fmt"
	"regexp"
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

var (
	vueLiteral = `'(?:[^'\\\n]|\\[\\']|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{6})*'`
	// vuePlaceholder is {name}, {0} or {'literal'}. At the very end of a text some may go without their brace, and a
	// brace alone is taken, and not shown.
	vuePlaceholder = regexp.MustCompile(`^\{[ \n]*(?:$|([A-Za-z_][\w$-]*|-?\d+)(?:\}|[ \n]+(?:\}|$))|(` +
		vueLiteral + `)[ \n]*(?:\}|$))`)
	vueLink = regexp.MustCompile(`^@(?:\.[A-Za-z_][\w$]*)?:`)
	vueKey  = regexp.MustCompile(`^[^{@|() :.\n][^{@|() ]*`)
)

// placeholder reads one.
func (r *vueReader) placeholder() {
	m := vuePlaceholder.FindStringSubmatch(r.s[r.at:])
	if m == nil {
		r.fault = fmt.Sprintf("%q cannot be a placeholder, or is not closed; write {'{'} for a brace", Excerpt(r.s[r.at:]))
		return
	}
	r.at += len(m[0])
	name := m[1]
	if name+m[2] != "" {
		r.items++
	}
	if n, err := strconv.Atoi(name); err == nil {
		name = strconv.Itoa(n)
	}
	if name != "" {
		r.args = append(r.args, Argument{Name: name, Spelled: m[0]})
	}
}

// linked reads @:key, @.modifier:key and @:{name}.
func (r *vueReader) linked() {
	start := r.at
	link := vueLink.FindString(r.s[start:])
	r.at += len(link)
	rest := r.s[r.at:]
	key := vueKey.FindString(rest)
	switch c := at(rest, 0); {
	case link == "", key == "" && c != '{' && c != '(' && c != ')', strings.Trim(rest, " \n") == "{":
		r.unlinked(start)
	case c == '{':
		r.placeholder()
	default:
		r.args = append(r.args, Argument{Name: "@:" + key, Spelled: "@:" + key})
		r.at += len(key)
		r.items++
	}
}

func (r *vueReader) unlinked(start int) {
	r.fault = fmt.Sprintf("the @ of %q would be taken for a link to another message; write {'@'}", Excerpt(r.s[start:]))
}
