package jsonfile

import (
	"github.com/locsync/locsync/formats/resource"
)

// message is what the parts of a message object say.
type message struct {
	text      int           // the node of its text, 0 when the object is no message
	context   resource.Span // the description or comment for translators
	described bool          // anything beside the text is there
	commented bool          // and that is nothing but a comment, as VS Code has it
}

// messageOf reads the object i as a message: a text (or a place for one) named message, its context, and nothing else
// that could be a text.
func messageOf(src string, nodes []resource.Node, i int) message {
	var m message
	if nodes[i].Kind != resource.Map {
		return m
	}
	text, chrome := 0, false
	for c := i + 1; c < int(nodes[i].End); c = int(nodes[c].End) {
		part := &nodes[c]
		switch (grammar{}).Name(src, part) {
		case "message":
			if !isString(src, part) && part.Kind != resource.Null {
				return message{}
			}
			text = c
			continue
		case "description":
			if !isString(src, part) {
				return message{}
			}
			m.context, chrome = part.Value, true
		case "comment":
			if !isStrings(src, nodes, c) {
				return message{}
			}
			if m.context.Len() == 0 {
				m.context = part.Value
			}
		case "placeholders":
			if part.Kind != resource.Map {
				return message{}
			}
			chrome = true
		default:
			if part.Kind != resource.Other || isString(src, part) {
				return message{}
			}
			continue
		}
		m.described = true
	}
	m.text, m.commented = text, m.described && !chrome
	return m
}

func isString(src string, n *resource.Node) bool { return src[n.Value.Start] == '"' }

// isStrings reports whether node i is a string or a list of nothing else.
func isStrings(src string, nodes []resource.Node, i int) bool {
	if nodes[i].Kind != resource.List {
		return isString(src, &nodes[i])
	}
	for c := i + 1; c < int(nodes[i].End); c++ {
		if !isString(src, &nodes[c]) {
			return false
		}
	}
	return true
}

// isMessageFile reports whether all outermost entries are strings and messages, and one message has more than its text.
func isMessageFile(src string, nodes []resource.Node) bool {
	if nodes[0].Kind != resource.Map {
		return false
	}
	file := false
	for i := 1; i < len(nodes); i = int(nodes[i].End) {
		if nodes[i].Kind == resource.Text || isString(src, &nodes[i]) {
			continue
		}
		m := messageOf(src, nodes, i)
		if m.text == 0 {
			return false
		}
		file = file || m.described
	}
	return file
}

// HideDescriptions takes all nodes of a message file's messages out of the layout but the messages themselves, and gives these their context as note. A
// message with a comment becomes a text under its own name.
func (grammar) HideDescriptions(src string, l *resource.Layout) {
	nodes := l.Nodes
	if !isMessageFile(src, nodes) {
		return
	}
	nodes[0].Style |= messageEntry
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
		m, whole := messageOf(src, nodes, i), nodes[i]
		if m.text == 0 {
			keep(i, 0)
			i = end
			continue
		}
		if m.context.Len() == 0 || m.commented && whole.Note.Len() > 0 {
			m.context = whole.Note
		}
		if m.commented {
			n := keep(m.text, 0)
			n.Name, n.Whole, n.Note = whole.Name, whole.Whole, m.context
			n.Style = n.Style&valueEscaped | whole.Style&nameEscaped | messageEntry
			i = end
			continue
		}
		top := to
		keep(i, 0).Style |= messageEntry
		for c := i + 1; c < end; {
			next := int(nodes[c].End)
			if (grammar{}).Name(src, &nodes[c]) == "message" {
				keep(c, top).Note = m.context
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
