package yamlfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// messageOf reads the mapping i as a message: a text (or a place for one) named message, its description and
// placeholders, and nothing else that could be a text. The text is 0 when it is none.
func messageOf(src string, nodes []resource.Node, i int) (text, description int, described bool) {
	if nodes[i].Kind != resource.Map || nodes[i].Style != block && nodes[i].Style != flow {
		return 0, 0, false
	}
	for c := i + 1; c < int(nodes[i].End); c = int(nodes[c].End) {
		kind := nodes[c].Kind
		switch name := (grammar{}).Name(src, &nodes[c]); {
		case name == "message" && (kind == resource.Text || kind == resource.Null):
			text = c
		case name == "description" && kind == resource.Text:
			description, described = c, true
		case name == "placeholders" && kind == resource.Map:
			described = true
		case name == "message", name == "description", name == "placeholders", kind != resource.Other:
			return 0, 0, false
		}
	}
	return text, description, described
}

// isMessageFile reports whether all outermost entries are texts and messages, one message has more than its text,
// and nothing points at anything.
func isMessageFile(src string, nodes []resource.Node) bool {
	file := false
	for i := 1; i < len(nodes) && nodes[0].Kind == resource.Map; i = int(nodes[i].End) {
		if nodes[i].Kind == resource.Text {
			continue
		}
		text, _, described := messageOf(src, nodes, i)
		if text == 0 {
			return false
		}
		file = file || described
	}
	return file && !slices.ContainsFunc(nodes, func(n resource.Node) bool {
		return n.Ref != 0 || n.Style == alias || n.Style == sealed
	})
}

// HideDescriptions takes all nodes of a message file's messages out of the layout but the texts, and gives these
// their description as note. A text's Whole is all that its mapping holds: what is hidden there is no gap between
// entries.
func (grammar) HideDescriptions(src string, l *resource.Layout) {
	nodes := l.Nodes
	if !isMessageFile(src, nodes) {
		return
	}
	moved := make(map[int]int, len(l.Warnings)) // new index of the nodes with warnings
	for _, w := range l.Warnings {
		moved[w.Node] = -1
	}
	to := 1
	keep := func(i, parent int) *resource.Node {
		if _, ok := moved[i]; ok {
			moved[i] = to
		}
		n := &nodes[to]
		*n = nodes[i]
		n.Parent, n.End = int32(parent), int32(to+1)
		to++
		return n
	}
	for i := 1; i < len(nodes); {
		end := int(nodes[i].End)
		_, description, _ := messageOf(src, nodes, i)
		whole, note, last := nodes[min(i+1, len(nodes)-1)].Whole, nodes[i].Note, nodes[i]
		for c := i + 1; c < end; c = int(nodes[c].End) {
			last = nodes[c]
		}
		whole.End = last.Whole.End
		if description != 0 {
			note = nodes[description].Value
		}
		top, isMessage := to, nodes[i].Kind == resource.Map
		if n := keep(i, 0); isMessage {
			n.Style += message - block
		}
		for c := i + 1; c < end; {
			next := int(nodes[c].End)
			if (grammar{}).Name(src, &nodes[c]) == "message" {
				n := keep(c, top)
				n.Whole = whole
				if description != 0 || n.Note.Len() == 0 {
					n.Note = note
				}
			}
			c = next
		}
		nodes[top].End = int32(to)
		i = end
	}
	nodes[0].End = int32(to)
	l.Nodes = nodes[:to]
	warnings := l.Warnings[:0]
	for _, w := range l.Warnings {
		if w.Node = moved[w.Node]; w.Node >= 0 {
			warnings = append(warnings, w)
		}
	}
	l.Warnings = warnings
}

// isDescription reports whether a note is a message's description, not a comment.
func isDescription(src string, note resource.Span) bool {
	return note.Len() > 0 && src[note.Start] != '#'
}

// describe decodes the description of a message.
func describe(src string, n *resource.Node) string {
	raw := n.Note.Of(src)
	if raw[0] != '|' && raw[0] != '>' {
		return decodeName(raw)
	}
	s := scanner{src: src}
	style, indicated, _, _ := s.blockHeader(int(n.Note.Start))
	if indicated > 0 {
		style += uint8(column(src, int(n.Whole.Start)) + indicated)
	}
	return unblock(src, n.Note, style)
}

func isMessage(n *resource.Node) bool { return n.Style == message || n.Style == messageFlow }

// wholeMessages puts the mappings of messages in the place of their texts.
func wholeMessages(f *resource.File, gone []int) []int {
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

// onlyMessages refuses what a message file has no place for.
func onlyMessages(f *resource.File, in int, add []resource.New) error {
	file := false
	for c := range f.Children(0) {
		if f.Node(c).Kind > resource.Other { // all others are as the first one
			file = isMessage(f.Node(c))
			break
		}
	}
	for i := range add {
		if n := &add[i]; file && (in != 0 || n.Kind != resource.Text && !isNewMessage(n)) {
			return errors.New("this is a message file, which holds texts and mappings with one message each; " +
				"give the entry such a place in the source file")
		}
	}
	return nil
}

func isNewMessage(n *resource.New) bool {
	return n.Kind == resource.Map && len(n.Children) == 1 && n.Children[0].Name == "message" && n.Children[0].Kind == resource.Text
}

// bareMessages reports whether the message next to a place has no description.
func bareMessages(f *resource.File, at resource.Place) bool {
	near := at.After
	if near < 0 {
		near = at.In + 1
	}
	if near <= 0 || near+1 >= int(f.Node(at.In).End) || int(f.Node(near).End) != near+2 || f.Name(near+1) != "message" {
		return false
	}
	return !isDescription(f.Source(), f.Node(near+1).Note)
}

// described returns a new message with what the model has beside its text: the placeholders, because the text is
// broken without them, and the description unless the messages around do without.
func (w *writer) described(n resource.New) (resource.New, error) {
	if w.f == nil || n.Like == nil || !isNewMessage(&n) || !isMessage(n.Like.File.Node(n.Like.Node)) {
		return n, nil
	}
	src, m := n.Like.File.Source(), n.Like.File.Node(n.Like.Node)
	raw := m.Value.Of(src)
	if m.Style == message {
		inside := n.Like.File.Node(n.Like.Node + 1).Whole
		raw = strings.Repeat(" ", column(src, int(inside.Start))) + inside.Of(src)
	}
	f, err := resource.Parse(plainGrammar{Grammar}, resource.Keys{}, []byte(raw+lineFeed(src, 0)))
	if err != nil {
		return n, fmt.Errorf("read the source's message: %w", err)
	}
	text, parts := n.Children[0], []resource.New(nil)
	text.Note = ""
	for c := range f.Children(0) {
		switch f.Name(c) {
		case "message":
			parts = append(parts, text)
		case "description":
			if !w.bare {
				parts = append(parts, copyOf(f, c))
			}
		case "placeholders":
			parts = append(parts, copyOf(f, c))
		}
	}
	n.Children = parts
	return n, nil
}

// plainGrammar reads a mapping without taking it for a message file.
type plainGrammar struct{ resource.Grammar }

// copyOf is node i of a file as a new entry.
func copyOf(f *resource.File, i int) resource.New {
	n := resource.New{Kind: f.Node(i).Kind, Name: f.Name(i), Like: &resource.Model{File: f, Node: i}}
	if n.Kind == resource.Text {
		n.Text = f.Text(i)
	}
	for c := range f.Children(i) {
		n.Children = append(n.Children, copyOf(f, c))
	}
	return n
}
