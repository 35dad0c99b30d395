package jsonfile

import (
	"github.com/locsync/locsync/formats/messages"
	"github.com/locsync/locsync/formats/resource"
)

func isString(src string, n *resource.Node) bool { return src[n.Value.Start] == '"' }

// HideDescriptions takes all nodes of a message file's messages out of the layout but the messages themselves, and
// gives these their context as note. A message with a comment becomes a text under its own name.
func (g grammar) HideDescriptions(src string, l *resource.Layout) {
	nodes := l.Nodes
	spelling := messages.Spelling{
		Nodes:    nodes,
		Name:     func(n *resource.Node) string { return g.Name(src, n) },
		String:   func(n *resource.Node) bool { return isString(src, n) },
		Comments: true,
	}
	spelling.MarkSettings()
	if !spelling.Hides() {
		return
	}
	nodes[0].Style |= messageEntry
	spelling.Hide(l, func(i int, m messages.Message) (entry, text func(n *resource.Node)) {
		whole, note := nodes[i], nodes[i].Note
		if m.Description != 0 && !(m.Commented && note.Len() > 0) {
			note = nodes[m.Description].Value
		}
		if !m.Commented {
			return func(n *resource.Node) { n.Style |= messageEntry }, func(n *resource.Node) { n.Note = note }
		}
		return nil, func(n *resource.Node) {
			n.Name, n.Whole, n.Note = whole.Name, whole.Whole, note
			n.Style = n.Style&valueEscaped | whole.Style&nameEscaped | messageEntry
		}
	})
}
