package jsonfile

import (
	"github.com/locsync/locsync/formats/resource"
)

// isMessage reports whether the object i is a message: a text (or a place for one) named message, and nothing else but its context. context is the description
// or comment for translators, described whether anything beside the message is there.
func isMessage(src string, nodes []resource.Node, i int) (ok bool, context resource.Span, described bool) {
	n := &nodes[i]
	if n.Kind != resource.Map {
		return false, context, false
	}
	for c := i + 1; c < int(n.End); c = int(nodes[c].End) {
		part := &nodes[c]
		switch (grammar{}).Name(src, part) {
		case "message":
			if !isString(src, part) && part.Kind != resource.Null {
				return false, context, false
			}
			ok = true
			continue
		case "description":
			if !isString(src, part) {
				return false, context, false
			}
			context = part.Value
		case "comment":
			if !isStrings(src, nodes, c) {
				return false, context, false
			}
			if context.Len() == 0 {
				context = part.Value
			}
		case "placeholders":
			if part.Kind != resource.Map {
				return false, context, false
			}
		default:
			return false, context, false
		}
		described = true
	}
	return ok, context, described
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
		ok, _, described := isMessage(src, nodes, i)
		if !ok {
			return false
		}
		file = file || described
	}
	return file
}

// hideMessageParts takes all nodes of a message file's messages out of the layout but the messages themselves, and gives these their context as note.
func hideMessageParts(src string, l *resource.Layout) {
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
	keep := func(i, parent int) int {
		if _, ok := moved[i]; ok {
			moved[i] = to
		}
		nodes[to] = nodes[i]
		nodes[to].Parent, nodes[to].End = int32(parent), int32(to+1)
		to++
		return to - 1
	}
	for i := 1; i < len(nodes); {
		end := int(nodes[i].End)
		_, context, _ := isMessage(src, nodes, i)
		top := keep(i, 0)
		for c := i + 1; c < end; {
			next := int(nodes[c].End)
			if (grammar{}).Name(src, &nodes[c]) == "message" {
				nodes[top].Style |= messageEntry
				m := keep(c, top)
				nodes[m].Note = context
				if context.Len() == 0 {
					nodes[m].Note = nodes[top].Note
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
