// Package resx is the grammar of .NET's resource files, .resx: XML of System.Resources.ResXResourceReader.
//
// Its law is package resource's: what is not edited keeps every byte; an edit changes the bytes of the value that it
// names.
//
// A text is the <value> of a <data> whose name is the key; its <comment> is the note. A <data> with a type or a
// mimetype (an image, a file, a point), or a name that begins with >> (the control's class, parent and order in the
// designer of Windows Forms), is Kind Other, and in no file of another language, as a program takes it from the neutral
// one. The type System.String is a text's. <resheader>, <metadata>, <assembly> and the schema have no nodes; their
// bytes stay. Of two entries
// with one name the last counts.
//
// A text has the white space that the file has, with line ends as one \n. CDATA stays CDATA. What XML has no character
// for is refused. A new entry is written as Visual Studio does it, indented as its neighbours are:
//
//	<data name="Key" xml:space="preserve">
//	  <value>Text</value>
//	  <comment>For translators</comment>
//	</data>
//
// There are no plural forms in this format. Removing a new entry restores the bytes that were there before, but where
// <root/> was opened, or had no line of its own for its end tag.
package resx

import (
	"errors"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/xmlscan"
)

// Grammar reads and writes .resx.
var Grammar resource.Grammar = grammar{}

type grammar struct{}

const (
	designer = ">>"             // names begin with it that say how the designer of Windows Forms made a control
	text     = "System.String," // the type of a text, where one is given
)

// A bit of Node.Style.
const closed uint8 = 1 // <value/>, or of the root <root/>: the value span is the "/>"

// Decode passes UTF-8 through.
func (grammar) Decode(src []byte) (string, func(string) []byte, error) { return xmlscan.Decode(src) }

// Name is the name attribute.
func (grammar) Name(src string, n *resource.Node) string {
	if n.Name.Len() < 2 {
		return ""
	}
	return xmlscan.Decoded(src[n.Name.Start+1 : n.Name.End-1])
}

// Text is the content of <value>.
func (grammar) Text(src string, n *resource.Node) string {
	if n.Style&closed != 0 {
		return ""
	}
	text, _ := xmlscan.Content(n.Value.Of(src))
	return text
}

// Note is the content of <comment>.
func (grammar) Note(src string, n *resource.Node) string {
	text, _ := xmlscan.Content(n.Note.Of(src))
	return strings.TrimSpace(text)
}

// Comment returns where the comment at an offset ends.
func (grammar) Comment(src string, at int) int { return xmlscan.CommentEnd(src, at) }

// Annotates says that new entries get the comments of their models.
func (grammar) Annotates() bool { return true }

// Own reports typed data: satellite files hold texts only, and all else is taken from the neutral one.
func (grammar) Own(f *resource.File, i int) bool { return f.Node(i).Kind == resource.Other }

// Scan finds the entries.
func (grammar) Scan(src string) (*resource.Layout, error) {
	s := scanner{src: src, xml: xmlscan.New(src)}
	all := resource.At(0, len(src))
	s.nodes = append(make([]resource.Node, 0, 1+strings.Count(src, "<data")),
		resource.Node{Parent: -1, Kind: resource.Map, Value: all, Whole: all})
	if err := s.root(); err != nil {
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

func refuse(at resource.Span, msg string) error {
	return &resource.SyntaxError{Offset: int(at.Start), Msg: msg}
}

// root reads the file: its root, and what is directly in it.
func (s *scanner) root() error {
	for {
		t, err := s.xml.Next()
		if err != nil || t.Kind == xmlscan.Nothing {
			return err
		}
		switch {
		case t.Kind == xmlscan.End:
			s.nodes[0].Whole.End, s.nodes[0].Value.End = t.At.End, t.At.End
		case t.Kind != xmlscan.Start:
		case s.xml.Depth() == 0, s.xml.Depth() == 1 && !t.Closed:
			if t.Name != "root" {
				return refuse(t.At, "the root element is <"+t.Name+">, not <root>: this is not a .resx file")
			}
			s.nodes[0].Whole, s.nodes[0].Value = t.At, t.At
			if t.Closed {
				s.nodes[0].Style |= closed
			}
		case t.Name == "data":
			err = s.data(t)
		default:
			_, err = s.xml.Skip()
		}
		if err != nil {
			return err
		}
	}
}

// data reads an entry whose start tag was read.
func (s *scanner) data(t *xmlscan.Token) error {
	if len(s.nodes) > resource.MaxEntries {
		return refuse(t.At, "too many entries for one file")
	}
	none := resource.At(int(t.At.End), int(t.At.End)) // where there is no <value>
	n := resource.Node{Kind: resource.Other, Whole: t.At, Value: none, End: int32(len(s.nodes) + 1)}
	_, name, named := t.Attribute(s.src, "name")
	if named && name.Len() > resource.MaxName {
		return refuse(name, "a name that is too long")
	}
	_, kind, typed := t.Attribute(s.src, "type")
	typed = typed && !strings.HasPrefix(xmlscan.Decoded(strings.Trim(kind.Of(s.src), `"'`)), text)
	_, _, encoded := t.Attribute(s.src, "mimetype")
	n.Name = name
	has := false
	if !t.Closed {
		var err error
		if has, err = s.inside(&n); err != nil {
			return err
		}
	}
	if !named {
		s.warn(0, "a <data> has no name, so it cannot be translated")
		return nil
	}
	s.nodes = append(s.nodes, n)
	i := len(s.nodes) - 1
	switch _, plain := xmlscan.Content(n.Value.Of(s.src)); {
	case typed || encoded, named && strings.HasPrefix(xmlscan.Decoded(strings.Trim(name.Of(s.src), `"'`)), designer):
	case !has:
		s.warn(i, "it has no <value>, so it cannot be translated; add one")
	case n.Style&closed != 0 || plain:
		s.nodes[i].Kind = resource.Text
	default:
		s.warn(i, "its <value> has tags in it, so it is left alone; write &lt; for <")
	}
	return nil
}

func (s *scanner) warn(node int, msg string) {
	s.warnings = append(s.warnings, resource.Warning{Node: node, Msg: msg, Left: node > 0})
}

// inside reads what is in an entry, its end tag included.
func (s *scanner) inside(n *resource.Node) (has bool, err error) {
	for {
		t, err := s.xml.Next()
		if err != nil {
			return false, err
		}
		if t.Kind == xmlscan.End {
			n.Whole.End = t.At.End
			return has, nil
		}
		if t.Kind != xmlscan.Start {
			continue
		}
		name, start, empty := t.Name, t.At, t.Closed
		end, err := s.xml.Skip()
		if err != nil {
			return false, err
		}
		content := resource.At(int(start.End), strings.LastIndex(s.src[:end], "</"))
		if empty {
			content = resource.At(int(start.End)-len("/>"), int(start.End))
		}
		switch {
		case name == "value" && !has:
			has, n.Value = true, content
			if empty {
				n.Style |= closed
			}
		case name == "comment" && !empty:
			n.Note = content
		}
	}
}

// Set replaces the content of <value>.
func (grammar) Set(f *resource.File, i int, text string) (resource.Splice, error) {
	src, n := f.Source(), f.Node(i)
	if n.Kind != resource.Text {
		return resource.Splice{}, errors.New("its value is typed data, which only its program changes")
	}
	old := ""
	if n.Style&closed == 0 {
		old = n.Value.Of(src)
	}
	spelled, err := xmlscan.Spelled(text, old, resource.Newline(src))
	if err != nil {
		return resource.Splice{}, err
	}
	if n.Style&closed != 0 && spelled != "" {
		spelled = ">" + spelled + "</value>"
	} else if n.Style&closed != 0 {
		spelled = "/>"
	}
	return resource.Splice{At: n.Value, Text: spelled}, nil
}

// Rename changes the name attribute, in the quotes that it has.
func (grammar) Rename(f *resource.File, i int, name string) (resource.Splice, error) {
	n := f.Node(i)
	if n.Kind == resource.Map {
		return resource.Splice{}, errors.New("the root of this format has no name")
	}
	spelled, err := spelledName(name, f.Source()[n.Name.Start])
	return resource.Splice{At: n.Name, Text: spelled}, err
}

func spelledName(name string, quote byte) (string, error) {
	spelled, err := xmlscan.AttributeValue(name, quote)
	if err == nil && len(spelled) > resource.MaxName {
		err = errors.New("the name is too long")
	}
	return spelled, err
}

// Remove takes entries out: whole lines where nothing else is on them.
func (grammar) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	return xmlscan.Removed(f, gone), nil
}
