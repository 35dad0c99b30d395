// Package messages is the shape of message files, in whatever grammar: browser extensions have them in JSON and YAML,
// VS Code and FormatJS in JSON. An outermost entry is a text, or a message: a map of a text "message" (FormatJS:
// "defaultMessage") beside nothing but what describes it for translators ("description", "placeholders", "comment"),
// and numbers and booleans. One message of a file is described.
//
// Messages with plural forms, as go-i18n has them, are maps of strings under the names of the forms, beside a
// "description" and a "hash", which are not texts.
//
// The package finds them in the nodes of a grammar, and leaves in a layout what people translate. How a message is
// written is the grammar's business.
package messages

import (
	"errors"

	"github.com/locsync/locsync/formats/resource"
)

// The names in a message.
const (
	Description  = "description"
	Comment      = "comment"
	Placeholders = "placeholders"
)

// IsText reports whether a name in a message is that of its text.
func IsText(name string) bool { return name == "message" || name == "defaultMessage" }

// Spelling is what a grammar knows of its nodes.
type Spelling struct {
	Nodes    []resource.Node
	Name     func(n *resource.Node) string
	String   func(n *resource.Node) bool // it is a string, which a grammar may not take for a text
	Comments bool                        // messages may have a "comment", a string or a list of them
}

// Message is what the parts of a message say.
type Message struct {
	Text        int  // the node of its text, 0 when it is not a message
	Description int  // the node of the description, or comment, for translators; 0 when there is none
	Described   bool // anything beside the text is there
	Commented   bool // and that is nothing but a comment, as VS Code has it
}

// Of reads the node i as a message.
func (s *Spelling) Of(i int) Message {
	var m Message
	if s.Nodes[i].Kind != resource.Map {
		return m
	}
	text, chrome := 0, false
	for c := i + 1; c < int(s.Nodes[i].End); c = int(s.Nodes[c].End) {
		part, fits := &s.Nodes[c], false
		switch name := s.Name(part); {
		case IsText(name):
			text, fits = c, s.String(part) || part.Kind == resource.Null
		case name == Description:
			m.Description, chrome, m.Described, fits = c, true, true, s.String(part)
		case name == Comment && s.Comments:
			if m.Description == 0 {
				m.Description = c
			}
			m.Described, fits = true, s.strings(c)
		case name == Placeholders:
			chrome, m.Described, fits = true, true, part.Kind == resource.Map
		default:
			fits = part.Kind == resource.Other && !s.String(part)
		}
		if !fits {
			return Message{}
		}
	}
	m.Text, m.Commented = text, m.Described && !chrome
	return m
}

// strings reports whether node i is a string or a list of nothing else.
func (s *Spelling) strings(i int) bool {
	if s.Nodes[i].Kind != resource.List {
		return s.String(&s.Nodes[i])
	}
	for c := i + 1; c < int(s.Nodes[i].End); c++ {
		if !s.String(&s.Nodes[c]) {
			return false
		}
	}
	return true
}

// File reports whether all outermost entries are strings and messages, and one message has more than its text.
func (s *Spelling) File() bool {
	described := false
	for i := 1; i < len(s.Nodes) && s.Nodes[0].Kind == resource.Map; i = int(s.Nodes[i].End) {
		if s.Nodes[i].Kind == resource.Text || s.String(&s.Nodes[i]) {
			continue
		}
		m := s.Of(i)
		if m.Text == 0 {
			return false
		}
		described = described || m.Described
	}
	return described
}

// Hide takes all nodes of the messages of a message file out of its layout but the texts. see is called for each
// message while its nodes are whole. What it returns changes the nodes that stay: that of the message, or nil where its
// text is to be an entry by itself, and those of its texts.
func (s *Spelling) Hide(l *resource.Layout, see func(i int, m Message) (whole, text func(n *resource.Node))) {
	moved := make(map[int]int, len(l.Warnings)) // new index of the nodes with warnings
	for _, w := range l.Warnings {
		moved[w.Node] = -1
	}
	to := 1
	keep := func(i, parent int) *resource.Node {
		if _, ok := moved[i]; ok {
			moved[i] = to
		}
		n := &s.Nodes[to]
		*n = s.Nodes[i]
		n.Parent, n.End = int32(parent), int32(to+1)
		to++
		return n
	}
	for i := 1; i < len(s.Nodes); {
		end, top := int(s.Nodes[i].End), to
		m := s.Of(i)
		if m.Text == 0 {
			keep(i, 0)
			i = end
			continue
		}
		whole, text := see(i, m)
		if whole == nil {
			text(keep(m.Text, 0))
			i = end
			continue
		}
		whole(keep(i, 0))
		for c := i + 1; c < end; {
			next := int(s.Nodes[c].End)
			if IsText(s.Name(&s.Nodes[c])) {
				text(keep(c, top))
			}
			c = next
		}
		s.Nodes[top].End = int32(to)
		i = end
	}
	s.Nodes[0].End = int32(to)
	l.Nodes = s.Nodes[:to]
	warnings := l.Warnings[:0]
	for _, w := range l.Warnings {
		if w.Node = moved[w.Node]; w.Node >= 0 {
			warnings = append(warnings, w)
		}
	}
	l.Warnings = warnings
}

// IsNew reports whether an entry that is to be written is a message.
func IsNew(n *resource.New) bool {
	text := n.Kind == resource.Map && len(n.Children) == 1 && n.Children[0].Kind == resource.Text
	return text && IsText(n.Children[0].Name)
}

var errOnlyMessages = errors.New("this is a message file, which holds texts and groups with one message each; " +
	"move the entry to one of these in the source file")

// Insertable refuses what a message file has no place for in one of its containers.
func Insertable(in int, add []resource.New) error {
	for i := range add {
		if n := &add[i]; in != 0 || n.Kind != resource.Text && !IsNew(n) {
			return errOnlyMessages
		}
	}
	return nil
}

// Whole puts the entries of messages instead of their texts, in a list of entries that are to go.
func Whole(f *resource.File, gone []int, isMessage func(n *resource.Node) bool) []int {
	whole := make([]int, 0, len(gone))
	for _, i := range gone {
		if up := int(f.Node(i).Parent); up > 0 && isMessage(f.Node(up)) {
			i = up
		}
		if n := len(whole); n == 0 || whole[n-1] != i {
			whole = append(whole, i)
		}
	}
	return whole
}
