// Package xliff is the grammar of XLIFF 1.2 and 2, as Angular's and Symfony's programs use it.
//
// Its law: package resource's, with what is beside a text: an edit changes the target that it names, and brings the
// unit's source up to date with the source file; a state that says that there is no translation becomes "translated".
//
// An entry is a <trans-unit>, or in version 2 a <unit> of one segment. Its key is the id; in Symfony's files the
// resname (name), or else the source. There are two grammars of each:
//
//	Translations  the text is the target. A unit without one is Null, and so is one whose state says that it is not
//	              translated: "needs-translation", or "new" or in version 2 "initial" where the target is a copy of
//	              the source. A target that someone has written and left in these states is a text
//	Source        the text is the target, where there is one, as in Symfony's files. Else it is the source, which
//	              is in the program, so it cannot be set
//
// In what Xcode exports an id counts within its <file>, and the key is the file's original in front of the id:
// "App/en.lproj/InfoPlist.strings␄CFBundleName".
//
// Inline codes (<x/>, <g>, <ph>, <pc>) are in a text as they are spelled; all else is characters. A text that looks as
// if it had a code, and has none, is Other. Notes are notes. A new entry is the source file's, with its notes.
//
// Removing a new entry restores the bytes that were there before, but where the file had no entry.
package xliff

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/xmlscan"
)

// The grammars: of files in general, and of Symfony's.
var (
	Source              resource.Grammar = grammar{source: true}
	Translations        resource.Grammar = grammar{}
	SymfonySource       resource.Grammar = grammar{source: true, symfony: true}
	SymfonyTranslations resource.Grammar = grammar{symfony: true}
)

type grammar struct{ source, symfony bool }

// Bits of Node.Style.
const (
	program  uint8 = 1 << iota // the text is the source: the program's
	absent                     // there is no target: the value is where it goes
	closed                     // <target/>: the value is the "/>"
	bySource                   // the name is the source
)

// version2 is the root's Style in files of version 2.
const version2 uint8 = 1

// Decode passes UTF-8 through.
func (grammar) Decode(src []byte) (string, func(string) []byte, error) { return xmlscan.Decode(src) }

// Name is the id, or what Symfony takes.
func (grammar) Name(src string, n *resource.Node) string {
	switch {
	case n.Style&bySource != 0:
		text, _ := decoded(n.Name.Of(src))
		return text
	case n.Name.Len() < 2:
		return ""
	}
	return xmlscan.Decoded(src[n.Name.Start+1 : n.Name.End-1])
}

// Text is the target, or the source.
func (grammar) Text(src string, n *resource.Node) string {
	if n.Style&(absent|closed) != 0 {
		return ""
	}
	text, _ := decoded(n.Value.Of(src))
	return text
}

// Note is the notes of a unit.
func (grammar) Note(src string, n *resource.Node) string {
	whole := "<notes>" + n.Note.Of(src) + "</notes>"
	s := xmlscan.New(whole)
	var notes []string
	in := ""
	for {
		t, err := s.Next()
		if err != nil || t.Kind == xmlscan.Nothing {
			return strings.Join(notes, "\n")
		}
		switch {
		case t.Kind == xmlscan.Start && t.Name == "note":
			in = "note"
		case t.Kind == xmlscan.End:
			in = ""
		case t.Kind == xmlscan.Characters && in != "":
			if text := strings.TrimSpace(xmlscan.Decoded(t.At.Of(whole))); text != "" {
				notes = append(notes, text)
			}
		}
	}
}

// Comment returns where the comment at an offset ends.
func (grammar) Comment(src string, at int) int { return xmlscan.CommentEnd(src, at) }

// Scan finds the units.
func (g grammar) Scan(src string) (*resource.Layout, error) {
	s := scanner{of: g, src: src, xml: xmlscan.New(src)}
	all, apart := resource.At(0, len(src)), g.apart(src)
	s.nodes = append(make([]resource.Node, 0, 1+strings.Count(src, "unit ")),
		resource.Node{Parent: -1, Kind: resource.Map, Value: all, Whole: all})
	for {
		t, err := s.xml.Next()
		if err != nil {
			return nil, err
		}
		if t.Kind == xmlscan.Nothing {
			s.nodes[0].End = int32(len(s.nodes))
			return &resource.Layout{Nodes: s.nodes, Warnings: s.warnings}, nil
		}
		if t.Kind == xmlscan.End {
			s.ended(t)
		}
		if t.Kind != xmlscan.Start {
			continue
		}
		if apart && s.rooted && t.Name == "file" && s.file == 0 {
			err = s.opened(t)
		}
		if err == nil {
			err = s.element(t)
		}
		if err != nil {
			return nil, err
		}
	}
}

type scanner struct {
	of       grammar
	src      string
	xml      *xmlscan.Scanner
	rooted   bool
	file     int  // the node of the <file> around, where ids count within that
	angular  bool // it is a file of Angular's, whose units are told by their ids
	nodes    []resource.Node
	warnings []resource.Warning
}

// element reads what begins with a start tag: goes into what may hold units, and passes over the rest.
func (s *scanner) element(t *xmlscan.Token) error {
	switch {
	case !s.rooted && t.Name != "xliff":
		return &resource.SyntaxError{Offset: int(t.At.Start), Msg: "the root element is <" + t.Name +
			">, not <xliff>: this is not an XLIFF file"}
	case t.Name == "xliff":
		s.rooted = true
		if version, _, _ := t.Attribute(s.src, "version"); strings.HasPrefix(version, "2") {
			s.nodes[0].Style = version2
		}
	case t.Name == "file":
		original, _, _ := t.Attribute(s.src, "original")
		s.angular = original == "ng2.template" || original == "ng.template"
	case t.Name == "body", t.Name == "group":
	case t.Name == "unit":
		s.nodes[0].Style = version2
		return s.unit(t)
	case t.Name == "trans-unit":
		return s.unit(t)
	default:
		_, err := s.xml.Skip()
		return err
	}
	return nil
}

// unit reads an entry whose start tag was read.
func (s *scanner) unit(t *xmlscan.Token) error {
	if len(s.nodes) > resource.MaxEntries {
		return &resource.SyntaxError{Offset: int(t.At.Start), Msg: "too many entries for one file"}
	}
	_, id, named := t.Attribute(s.src, "id")
	if s.of.symfony && !s.angular {
		resname, at, has := symfonys(t, s.src)
		id, named = at, has && resname != ""
	}
	translate, _, _ := t.Attribute(s.src, "translate")
	u, err := read(s.src, s.xml, t)
	if err != nil {
		return err
	}
	if !u.hasSource {
		u.source, u.behind = resource.At(int(u.whole.End), int(u.whole.End)), int(u.whole.End)
	}
	n := resource.Node{Kind: resource.Text, Name: id, Whole: u.whole, Note: u.note, Parent: int32(s.file),
		End: int32(len(s.nodes) + 1)}
	if s.of.symfony && !s.angular && !named && u.hasSource {
		n.Name, n.Style, named = u.source, bySource, true
	}
	if !named {
		s.warnings = append(s.warnings, resource.Warning{Msg: "a unit has no name, so it cannot be translated"})
		return nil
	}
	if n.Name.Len() > resource.MaxName {
		return &resource.SyntaxError{Offset: int(u.whole.Start), Msg: "a name that is too long"}
	}
	s.texts(&n, u)
	why := ""
	if _, plain := decoded(n.Value.Of(s.src)); n.Style&(absent|closed) == 0 && !plain {
		why = "its text has elements other than inline codes, or characters that look like one, so it is left alone"
	}
	if u.segments > 1 || !u.hasSource {
		why = "it is not of one source and one target, so it is left alone"
	}
	if why != "" || translate == "no" {
		n.Kind = resource.Other
	}
	if why != "" {
		s.warnings = append(s.warnings, resource.Warning{Node: len(s.nodes), Msg: why, Left: true})
	}
	s.nodes = append(s.nodes, n)
	return nil
}

// symfonys is the name that Symfony takes: resname, in version 2 name.
func symfonys(t *xmlscan.Token, src string) (string, resource.Span, bool) {
	attribute := "resname"
	if t.Name == "unit" {
		attribute = "name"
	}
	return t.Attribute(src, attribute)
}

// texts decides which of the two is the text of a node.
func (s *scanner) texts(n *resource.Node, u unit) {
	n.Value = u.target
	switch {
	case !u.hasTarget:
		n.Value, n.Style = resource.At(u.behind, u.behind), n.Style|absent
	case u.closed:
		n.Style |= closed
	}
	text := ""
	if u.hasTarget && !u.closed {
		text = u.target.Of(s.src)
	}
	switch has := text != "" && !u.waits(s.src); {
	case has:
	case s.of.source:
		n.Value, n.Style = u.source, n.Style&bySource|program
	default:
		n.Kind = resource.Null
	}
}

// unit is the parts of an entry.
type unit struct {
	whole, note          resource.Span
	source, target       resource.Span // contents
	state                resource.Span // the value of the attribute, with its quotes
	behind               int           // the source's end tag
	hasSource, hasTarget bool
	closed               bool // <target/>
	sourceClosed         bool // <source/>
	segments             int
}

// first reports whether the state is one of those that come before "translated".
func (u unit) first(src string) bool {
	state := strings.Trim(u.state.Of(src), `"'`)
	return state == "new" || state == "needs-translation" || state == "initial" && u.segments > 0
}

// waits reports whether the state says that there is no translation. A target without a state is one.
func (u unit) waits(src string) bool {
	if !u.first(src) || strings.Trim(u.state.Of(src), `"'`) == "needs-translation" {
		return u.first(src)
	}
	source, plain := decoded(u.source.Of(src))
	target, plainly := decoded(u.target.Of(src))
	return plain && plainly && source == target
}

// read reads a unit whose start tag was read.
func read(src string, xml *xmlscan.Scanner, start *xmlscan.Token) (u unit, err error) {
	u.whole = start.At
	if start.Closed {
		return u, nil
	}
	for depth := xml.Depth(); xml.Depth() >= depth; {
		t, err := xml.Next()
		if err != nil {
			return u, err
		}
		if t.Kind == xmlscan.End {
			u.whole.End = t.At.End
		}
		if t.Kind != xmlscan.Start {
			continue
		}
		if t.Name == "notes" {
			continue
		}
		_, state, stated := t.Attribute(src, "state")
		if t.Name == "segment" {
			u.segments++
			u.state = state
			continue
		}
		name, from, empty := t.Name, t.At, t.Closed
		end, err := xml.Skip()
		if err != nil {
			return u, err
		}
		content := resource.At(int(from.End), max(int(from.End), strings.LastIndex(src[:end], "</")))
		if empty {
			content = resource.At(int(from.End)-len("/>"), int(from.End))
		}
		switch {
		case name == "source" && u.hasSource, name == "target" && u.hasTarget:
			u.segments = 2
		case name == "source":
			u.hasSource, u.source, u.behind = true, content, end
			if empty {
				u.source, u.sourceClosed = resource.At(int(from.Start), int(from.Start)), true
			}
		case name == "target":
			u.hasTarget, u.target, u.closed = true, content, empty
			if stated {
				u.state = state
			}
		case name == "note":
			if u.note.Len() == 0 {
				u.note.Start = from.Start
			}
			u.note.End = uint32(end)
		}
	}
	return u, nil
}

// unitOf reads the parts of a node.
func unitOf(src string, n *resource.Node) unit {
	s := xmlscan.New(src[:n.Whole.End])
	s.Seek(int(n.Whole.Start))
	t, err := s.Next()
	if err != nil {
		return unit{}
	}
	u, _ := read(src, s, t)
	return u
}
