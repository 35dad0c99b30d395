package stringsdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/xmlscan"
)

// Scan finds the entries.
func (grammar) Scan(src string) (*resource.Layout, error) {
	s := newScanner(src)
	s.nodes = append(make([]resource.Node, 0, 1+strings.Count(src, "<key")), resource.Node{Parent: -1, Kind: resource.Map})
	if err := s.file(); err != nil {
		return nil, err
	}
	s.nodes[0].End = int32(len(s.nodes))
	return &resource.Layout{Nodes: s.nodes, Warnings: s.warnings}, nil
}

type scanner struct {
	src      string
	xml      *xmlscan.Scanner
	nodes    []resource.Node
	warnings []resource.Warning
}

func newScanner(src string) *scanner {
	s := &scanner{src: src, xml: xmlscan.New(src)}
	s.xml.Doctype = true
	return s
}

func refuse(at resource.Span, msg string, args ...any) error {
	return &resource.SyntaxError{Offset: int(at.Start), Msg: fmt.Sprintf(msg, args...)}
}

// file reads <plist>, with one <dict> in it.
func (s *scanner) file() error {
	found := false
	for {
		t, err := s.xml.Next()
		switch {
		case err != nil:
			return err
		case t.Kind == xmlscan.Nothing && !found:
			return refuse(t.At, "the property list has no <dict>")
		case t.Kind == xmlscan.Nothing:
			return nil
		case t.Kind != xmlscan.Start:
			if t.Kind == xmlscan.CDATA || t.Kind == xmlscan.Characters && strings.Trim(t.At.Of(s.src), xmlscan.Spaces) != "" {
				return refuse(t.At, "text outside of the <dict>")
			}
			continue
		case s.xml.Depth() == 0 || s.xml.Depth() == 1 && !t.Closed:
			if t.Name != "plist" {
				return refuse(t.At, "the root element is <%s>, not <plist>: this is not a property list", t.Name)
			}
			continue
		case t.Name != "dict" || found:
			return refuse(t.At, "a property list of texts is one <dict>, and has no <%s> beside it", t.Name)
		}
		found = true
		root := &s.nodes[0]
		root.Whole, root.Value = t.At, t.At
		if t.Closed {
			root.Style = closed
		}
		end, err := s.members(t.Closed, s.entry)
		if err != nil {
			return err
		}
		s.nodes[0].Whole.End, s.nodes[0].Value.End = uint32(end), uint32(end)
	}
}

// member is a <key> with its value, whose start tag was read last.
type member struct {
	name, note resource.Span
	start      resource.Span // the start tag of the value
	element    string
	closed     bool
	up         int // the node that it is in
}

// members reads those of the dictionary whose start tag was read last, its end tag included. read takes a value to its
// end.
func (s *scanner) members(closed bool, read func(m *member) (end int, err error)) (end int, err error) {
	if closed {
		return s.xml.Skip()
	}
	m, keyed := &member{}, false
	for {
		t, err := s.xml.Next()
		switch {
		case err != nil:
			return 0, err
		case t.Kind == xmlscan.Comment:
			if _, first := xmlscan.LineStart(s.src, int(t.At.Start)); first && !keyed {
				m.note = t.At
			}
		case t.Kind == xmlscan.CDATA, t.Kind == xmlscan.Characters && strings.Trim(t.At.Of(s.src), xmlscan.Spaces) != "":
			return 0, refuse(t.At, "text between the keys and values of a <dict>")
		case t.Kind == xmlscan.End && keyed, t.Kind == xmlscan.Start && keyed && t.Name == "key":
			return 0, refuse(t.At, "the <key> before has no value")
		case t.Kind == xmlscan.End:
			return int(t.At.End), nil
		case t.Kind != xmlscan.Start:
		case !keyed:
			if m.note.Len() > 0 && strings.Count(s.src[m.note.End:t.At.Start], "\n") > 1 {
				m.note = resource.Span{} // a blank line is between them
			}
			if m.name, err = s.key(t); err != nil {
				return 0, err
			}
			keyed = true
		default:
			m.start, m.element, m.closed = t.At, t.Name, t.Closed
			if _, err := read(m); err != nil {
				return 0, err
			}
			m, keyed = &member{}, false
		}
	}
}

// key reads a <key> whose start tag was read.
func (s *scanner) key(t *xmlscan.Token) (name resource.Span, err error) {
	at := t.At
	if t.Name != "key" || t.Closed {
		return name, refuse(at, "a <key> with a name is to be here")
	}
	if name, _, err = s.content(at, t.Closed); err != nil {
		return name, err
	}
	if _, plain := xmlscan.Content(name.Of(s.src)); !plain {
		return name, refuse(at, "a <key> with tags in it")
	}
	if name.Len() > resource.MaxName {
		return name, refuse(at, "a name that is too long")
	}
	return name, nil
}

// content is what is in the element whose start tag was read last, which is read to its end; "/>" of one without any.
func (s *scanner) content(start resource.Span, closed bool) (in resource.Span, end int, err error) {
	if end, err = s.xml.Skip(); err != nil {
		return in, 0, err
	}
	if closed {
		return resource.At(end-len("/>"), end), end, nil
	}
	return resource.At(int(start.End), strings.LastIndex(s.src[:end], "</")), end, nil
}

// add appends the node of a member.
func (s *scanner) add(m *member, kind resource.Kind, style uint8) (int, error) {
	if len(s.nodes) > resource.MaxEntries {
		return 0, refuse(m.start, "too many entries for one file")
	}
	if m.closed {
		style |= closed
	}
	i := len(s.nodes)
	whole := resource.Span{Start: m.name.Start - uint32(len("<key>")), End: m.start.End}
	if tag := strings.LastIndexByte(s.src[:m.name.Start], '<'); tag >= 0 { // <key > may have blanks
		whole.Start = uint32(tag)
	}
	s.nodes = append(s.nodes, resource.Node{Parent: int32(m.up), Kind: kind, Style: style, Name: m.name, Value: m.start,
		Whole: whole, Note: m.note})
	return i, nil
}

// end says where a node ends, with all that is in it.
func (s *scanner) end(i, end int) {
	n := &s.nodes[i]
	n.End, n.Whole.End = int32(len(s.nodes)), uint32(end)
	if n.Kind != resource.Text {
		n.Value.End = uint32(end)
	}
}

// leaf adds a text, or what is none.
func (s *scanner) leaf(m *member, style uint8) (end int, err error) {
	in, end, err := s.content(m.start, m.closed)
	if err != nil {
		return 0, err
	}
	kind := resource.Other
	_, plain := xmlscan.Content(in.Of(s.src))
	if m.element == "string" && (plain || m.closed) {
		kind = resource.Text
	}
	i, err := s.add(m, kind, style)
	if err != nil {
		return 0, err
	}
	if kind == resource.Text {
		s.nodes[i].Value = in
	} else if m.element == "string" {
		s.warnings = append(s.warnings, resource.Warning{Node: i, Left: true,
			Msg: "its <string> has tags in it, so it is left alone; write &lt; for <"})
	}
	s.end(i, end)
	return end, nil
}

// entry reads a member of the outermost dictionary.
func (s *scanner) entry(m *member) (end int, err error) {
	if m.element != "dict" {
		return s.leaf(m, 0)
	}
	i, err := s.add(m, resource.Map, 0)
	if err != nil {
		return 0, err
	}
	var names, named []string
	end, err = s.members(m.closed, func(v *member) (int, error) {
		name, _ := xmlscan.Content(v.name.Of(s.src))
		names = append(names, name)
		v.up = i
		if name == formatKey && v.element == "string" {
			return s.format(v, &named)
		}
		if v.element != "dict" {
			return s.leaf(v, 0)
		}
		if v.note.Len() == 0 {
			v.note = m.note
		}
		return s.variable(v)
	})
	if err != nil {
		return 0, err
	}
	s.end(i, end)
	for _, of := range named {
		if name := nameOf(of); !slices.Contains(names, name) {
			s.warnings = append(s.warnings, resource.Warning{Node: i,
				Msg: fmt.Sprintf("its %s names the variable %s, which the entry does not have", formatKey, name)})
			break
		}
	}
	return end, nil
}

// format reads the text that variables are in.
func (s *scanner) format(m *member, named *[]string) (end int, err error) {
	before := len(s.nodes)
	if end, err = s.leaf(m, format); err != nil {
		return 0, err
	}
	n := s.nodes[before]
	only := n.Style&closed != 0
	if !only {
		*named, only = references(n.Value.Of(s.src))
	}
	if only {
		s.nodes = s.nodes[:before]
	}
	return end, nil
}

// variable reads a member of an entry that is a dictionary.
func (s *scanner) variable(m *member) (end int, err error) {
	i, err := s.add(m, resource.Forms, 0)
	if err != nil {
		return 0, err
	}
	plural := false
	end, err = s.members(m.closed, func(c *member) (int, error) {
		name, _ := xmlscan.Content(c.name.Of(s.src))
		c.up = i
		if slices.Contains(categories, name) {
			c.note = resource.Span{}
			return s.leaf(c, 0)
		}
		in, end, err := s.content(c.start, c.closed)
		if name == specKey {
			rule, _ := xmlscan.Content(in.Of(s.src))
			plural = rule == pluralRule
		}
		return end, err
	})
	if err != nil {
		return 0, err
	}
	if !plural {
		s.nodes = s.nodes[:i+1]
		s.nodes[i].Kind = resource.Other
		s.warnings = slices.DeleteFunc(s.warnings, func(w resource.Warning) bool { return w.Node > i })
	}
	s.end(i, end)
	return end, nil
}

// find is the content of a text in a dictionary of a file that was read, the last of its name.
func find(src string, in *resource.Node, name string) (at resource.Span, has bool) {
	if in.Style&closed != 0 {
		return at, false
	}
	s := newScanner(src[:in.Value.End])
	s.xml.Seek(int(in.Value.Start))
	if _, err := s.xml.Next(); err != nil {
		return at, false
	}
	_, _ = s.members(false, func(m *member) (int, error) {
		content, end, err := s.content(m.start, m.closed)
		if called, _ := xmlscan.Content(m.name.Of(src)); called == name && m.element == "string" && !m.closed {
			at, has = content, true
		}
		return end, err
	})
	return at, has
}

// contentEnd is where the last member of a dictionary ends, or the start tag of one without any.
func contentEnd(src string, in *resource.Node) (end int) {
	s := newScanner(src[:in.Value.End])
	s.xml.Seek(int(in.Value.Start))
	start, err := s.xml.Next()
	if err != nil {
		return int(in.Value.Start)
	}
	end = int(start.At.End)
	_, _ = s.members(false, func(m *member) (int, error) {
		_, last, err := s.content(m.start, m.closed)
		end = last
		return last, err
	})
	return end
}
