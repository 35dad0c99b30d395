package text

import (
	"fmt"
	"slices"
	"strings"
)

// inlineElements are those of XLIFF 1.2 and 2.0 that stand for something in the program's text, with the attributes
// that they are matched by, the first that is there.
var inlineElements = map[string][]string{
	"x": {"id"}, "g": {"id"}, "bx": {"id"}, "ex": {"id"}, "it": {"id"}, "bpt": {"id"}, "ept": {"id"},
	"ph": {"equiv", "id"}, "pc": {"equivStart", "id"}, "sc": {"equiv", "id"}, "ec": {"equiv", "startRef", "id"},
}

// noAttribute are elements that need none: they annotate, or are a character.
var annotations = []string{"mrk", "sub", "cp", "sm", "em"}

// readInline is a text of XLIFF: its inline elements, by name and identifier.
func readInline(s string, _ Options) (t Text) {
	for {
		from := strings.IndexByte(s, '<')
		if from < 0 {
			return t
		}
		e, n := elementAt(s[from:])
		if n == 0 {
			s = s[from+1:]
			continue
		}
		spelled := s[from : from+n]
		s = s[from+n:]
		by, is := inlineElements[e.name]
		if !is || e.end {
			continue
		}
		id := ""
		for _, attribute := range by {
			if id == "" {
				id = e.attributes[attribute]
			}
		}
		if id == "" {
			return Text{Faults: []string{fmt.Sprintf("%s has no %s", spelled, by[0])}}
		}
		t.Tags = append(t.Tags, Tag{Name: strings.Join([]string{e.name, id, e.attributes["equivEnd"]}, " "),
			Spelled: spelled})
	}
}

// readAngular is a text of XLIFF whose single braces begin a plural or select; {{ begins an interpolation, or text.
func readAngular(s string, o Options) Text {
	t, r := readInline(s, o), icuReader{s: outside(s, "\x00")}
	for len(t.Faults) == 0 && r.at < len(r.s) {
		switch {
		case strings.HasPrefix(r.s[r.at:], "{{"):
			inside, _, _ := strings.Cut(r.s[r.at:], "\x00") // at an element, too, it ends
			if n := strings.Index(inside, "}}"); n >= 0 {
				inside = inside[:n]
			}
			r.at += len(inside)
		case r.s[r.at] != '{':
			r.at++
		default:
			start := r.s[r.at:]
			r.argument(0, false)
			last := len(r.args) - 1
			if r.fault != "" || !isPlural(r.args[last].Type) && r.args[last].Type != "select" {
				return Text{Faults: []string{fmt.Sprintf("the { of %q begins no sound plural or select, and Angular then "+
					"refuses the whole file", Excerpt(start))}}
			}
		}
	}
	return t
}

// Outside is a text of XLIFF without the inline elements, what is between their ends included.
func Outside(s string) string { return outside(s, "") }

// outside is the same with a mark for each element.
func outside(s, mark string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	var out strings.Builder
	for {
		from := strings.IndexByte(s, '<')
		if from < 0 {
			out.WriteString(s)
			return out.String()
		}
		e, n := elementAt(s[from:])
		if _, is := inlineElements[e.name]; n == 0 || !is && !slices.Contains(annotations, e.name) {
			n = 0
		}
		out.WriteString(s[:from])
		if n == 0 {
			out.WriteByte('<')
			n = 1
		} else {
			out.WriteString(mark)
		}
		s = s[from+n:]
	}
}

type element struct {
	name       string
	end        bool
	attributes map[string]string
}

// elementAt reads the start or the end of an element; 0 where there is none.
func elementAt(s string) (e element, length int) {
	i := 1
	if at(s, i) == '/' {
		e.end = true
		i++
	}
	n := words(s, i)
	e.name = s[i : i+n]
	for i += n; n > 0 && i < len(s); {
		i += span(s, i, " \t\r\n")
		switch {
		case at(s, i) == '>':
			return e, i + 1
		case strings.HasPrefix(s[i:], "/>"):
			return e, i + 2
		}
		equals := strings.IndexByte(s[i:], '=')
		if equals <= 0 {
			return e, 0
		}
		name, quote := strings.TrimSpace(s[i:i+equals]), at(s, i+equals+1)
		if quote != '"' && quote != '\'' || strings.ContainsAny(name, "<>/ ") {
			return e, 0
		}
		from := i + equals + 2
		end := strings.IndexByte(s[from:], quote)
		if end < 0 {
			return e, 0
		}
		if e.attributes == nil {
			e.attributes = make(map[string]string)
		}
		e.attributes[name] = s[from : from+end]
		i = from + end + 1
		if next := at(s, i); next != '>' && next != '/' && span(s, i, " \t\r\n") == 0 {
			return e, 0
		}
	}
	return e, 0
}
