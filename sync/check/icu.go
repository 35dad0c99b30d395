package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// message is what an ICU message format says about its arguments.
type message struct {
	types    map[string]string   // of each argument: plural, select, ..., or empty for a plain one
	branches map[string][]string // of each select argument: its words
	complex  bool                // some argument has branches
}

// maxNesting is how deep branches may stand inside one another; no message of people's comes near.
const maxNesting = 20

// icu compares two ICU messages; false says that the source is none, or nothing but plain arguments, which names compares.
func (p *pair) icu() bool {
	if !strings.Contains(p.source, "{") || !strings.Contains(p.source, ",") {
		return false
	}
	source, err := parseMessage(p.source)
	if err != "" || !source.complex {
		return false
	}
	text, err := parseMessage(p.text)
	if err != "" {
		p.found("icu", "it is not a sound ICU message: "+err)
		return true
	}
	var lacks, extra, forms []string
	for _, arg := range slices.Sorted(maps.Keys(source.types)) {
		kind, ok := text.types[arg]
		switch {
		case !ok:
			lacks = append(lacks, "{"+arg+"}")
		case kind != source.types[arg] && isBranching(source.types[arg]) && isBranching(kind):
			forms = append(forms, fmt.Sprintf("{%s} is a %s in the source and a %s here", arg, source.types[arg], kind))
		}
	}
	for _, arg := range slices.Sorted(maps.Keys(text.types)) {
		if _, ok := source.types[arg]; !ok {
			extra = append(extra, "{"+arg+"}")
		}
	}
	p.differs("icu", lacks, extra)
	for _, f := range forms {
		p.found("icu", f)
	}
	for _, arg := range slices.Sorted(maps.Keys(text.branches)) {
		for _, word := range text.branches[arg] {
			if known := source.branches[arg]; known != nil && !slices.Contains(known, word) {
				p.found("icu", fmt.Sprintf("the branch %q of {%s} can never be chosen: the source has %s", word, arg, listed(known)))
			}
		}
	}
	return true
}

func isBranching(kind string) bool {
	return kind == "plural" || kind == "select" || kind == "selectordinal"
}

// parseMessage reads an ICU message; err says in words what is wrong with it.
func parseMessage(s string) (m message, err string) {
	r := messageReader{s: s, m: message{types: make(map[string]string), branches: make(map[string][]string)}}
	r.text(0, false)
	return r.m, r.err
}

type messageReader struct {
	s   string
	at  int
	m   message
	err string
}

func (r *messageReader) fail(format string, args ...any) {
	if r.err == "" {
		r.err = fmt.Sprintf(format, args...)
	}
	r.at = len(r.s)
}

// text reads up to the end, or with nested to the brace that closes the branch, which it leaves.
func (r *messageReader) text(depth int, nested bool) {
	if depth > maxNesting {
		r.fail("its branches are nested too deeply")
	}
	for r.at < len(r.s) {
		switch c := r.s[r.at]; {
		case c == '\'':
			r.quoted()
		case c == '{':
			r.argument(depth)
		case c == '}' && nested:
			return
		case c == '}':
			r.fail("a } has no {")
		default:
			r.at++
		}
	}
	if nested {
		r.fail("a { is not closed")
	}
}

// quoted passes over an apostrophe: two are one, and before a brace it hides all up to the next one.
func (r *messageReader) quoted() {
	rest := r.s[r.at+1:]
	if rest != "" && (rest[0] == '{' || rest[0] == '}' || rest[0] == '#' || rest[0] == '|') {
		end := strings.IndexByte(rest, '\'')
		if end < 0 {
			r.at = len(r.s)
			return
		}
		r.at += end + 2
		return
	}
	r.at++
	if strings.HasPrefix(rest, "'") {
		r.at++
	}
}

func (r *messageReader) space() {
	for r.at < len(r.s) && strings.IndexByte(" \t\r\n", r.s[r.at]) >= 0 {
		r.at++
	}
}

// word reads up to a brace, a comma or space.
func (r *messageReader) word() string {
	r.space()
	from := r.at
	for r.at < len(r.s) && strings.IndexByte("{}, \t\r\n'", r.s[r.at]) < 0 {
		r.at++
	}
	w := r.s[from:r.at]
	r.space()
	return w
}

// argument reads {name}, {name, type, style} or {name, plural, ...}.
func (r *messageReader) argument(depth int) {
	r.at++
	name := r.word()
	if name == "" || r.at >= len(r.s) {
		r.fail("a { has no name or is not closed")
		return
	}
	kind := ""
	if r.s[r.at] == ',' {
		r.at++
		kind = r.word()
	}
	if old, ok := r.m.types[name]; !ok || !isBranching(old) {
		r.m.types[name] = kind
	}
	if isBranching(kind) {
		if r.at >= len(r.s) || r.s[r.at] != ',' {
			r.fail("{%s, %s} has no branches", name, kind)
			return
		}
		r.at++
		r.m.complex = true
		r.branchesOf(name, kind, depth)
		return
	}
	for r.at < len(r.s) && r.s[r.at] != '}' { // a style
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

func (r *messageReader) branchesOf(name, kind string, depth int) {
	hasOther := false
	for {
		word := r.word()
		if strings.HasPrefix(word, "offset:") && kind != "select" {
			if word == "offset:" {
				r.word()
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
			r.fail("a branch of {%s} has no name or no text", name)
			return
		}
		if kind != "select" && !isCategory(word) {
			r.fail("%q is no plural category; those are zero, one, two, few, many, other and =1", word)
			return
		}
		if kind == "select" && !slices.Contains(r.m.branches[name], word) {
			r.m.branches[name] = append(r.m.branches[name], word)
		}
		hasOther = hasOther || word == "other"
		r.at++
		r.text(depth+1, true)
		if r.at < len(r.s) {
			r.at++
		}
	}
	if !hasOther {
		r.fail(`{%s} has no branch "other"`, name)
	}
}

func isCategory(word string) bool {
	if n, ok := strings.CutPrefix(word, "="); ok {
		return n != "" && strings.Trim(n, "0123456789") == ""
	}
	return slices.Contains([]string{"zero", "one", "two", "few", "many", "other"}, word)
}
