package yamlfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/messages"
	"github.com/locsync/locsync/formats/resource"
)

// HideDescriptions takes all nodes of a message file's messages out of the layout but the texts, and gives these
// their description as note. A text's Whole is all that its mapping holds, of two of one name up to the first one's
// end and from there: what is hidden there is no gap between entries. Nothing may point at anything in such a file.
func (g grammar) HideDescriptions(src string, l *resource.Layout) {
	nodes := l.Nodes
	spelling := messages.Spelling{
		Nodes:  nodes,
		Name:   func(n *resource.Node) string { return g.Name(src, n) },
		String: func(n *resource.Node) bool { return n.Kind == resource.Text },
	}
	pointing := func(n resource.Node) bool { return n.Ref != 0 || n.Style == alias || n.Style == sealed }
	if slices.ContainsFunc(nodes, pointing) || !spelling.Hides() {
		return
	}
	spelling.Hide(l, func(i int, m messages.Message) (entry, text func(n *resource.Node)) {
		whole, note := nodes[i+1].Whole, nodes[i].Note
		var last resource.Span
		for c := i + 1; c < int(nodes[i].End); c = int(nodes[c].End) {
			whole.End = nodes[c].Whole.End
			if messages.IsText(spelling.Name(&nodes[c])) {
				last = nodes[c].Whole
			}
		}
		if m.Description != 0 {
			note = nodes[m.Description].Value
		}
		return func(n *resource.Node) { n.Style += message - block }, func(n *resource.Node) {
			own := n.Whole
			n.Whole = whole
			if own != last {
				n.Whole.End, whole.Start = own.End, own.End
			}
			if m.Description != 0 || n.Note.Len() == 0 {
				n.Note = note
			}
		}
	})
	l.Nodes[0].Meta = true // it is a message file
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
		style += uint8(keyColumn(src, int(n.Note.Start)) + indicated)
	}
	return unblock(src, n.Note, style)
}

// keyColumn is the column of the key whose value begins at i, maybe on a later line, behind comments. Before it are
// items of lists.
func keyColumn(src string, i int) int {
	begin := lineStart(src, i)
	before := strings.TrimSpace(src[begin:i])
	for begin > 0 && (before == "" || before[0] == '#') {
		i = begin - 1
		begin = lineStart(src, i)
		before = strings.TrimSpace(src[begin:i])
	}
	for at := begin; ; at++ {
		isItem := src[at] == '-' && at+1 < i && isBlank(src[at+1])
		if !isItem && src[at] != ' ' {
			return at - begin
		}
	}
}

func isMessage(n *resource.Node) bool { return n.Style == message || n.Style == messageFlow }

// onlyMessages refuses what a message file has no place for.
func onlyMessages(f *resource.File, in int, add []resource.New) error {
	for c := 1; f.Node(0).Meta && c < f.Len(); c = int(f.Node(c).End) {
		if isMessage(f.Node(c)) { // and so are all others that have no text
			return messages.Insertable(in, add)
		}
	}
	return messages.Tellable(f, in, add)
}

// bareMessages reports whether the message next to a gap has no description.
func bareMessages(f *resource.File, at resource.Gap) bool {
	near := at.After
	if near < 0 {
		near = at.In + 1
	}
	if near <= 0 || near+1 >= int(f.Node(at.In).End) || int(f.Node(near).End) != near+2 ||
		!messages.IsText(f.Name(near+1)) {
		return false
	}
	return !isDescription(f.Source(), f.Node(near+1).Note)
}

// described returns a new message with what the model has beside its text: the placeholders, because the text is
// broken without them, and the description unless the messages around do without.
func (w *writer) described(n resource.New) (resource.New, error) {
	if w.f == nil || n.Like == nil || !messages.IsNew(&n) || !isMessage(n.Like.File.Node(n.Like.Node)) {
		return n, nil
	}
	src, m := n.Like.File.Source(), n.Like.File.Node(n.Like.Node)
	raw := m.Value.Of(src)
	if m.Style == message {
		inside := n.Like.File.Node(n.Like.Node + 1).Whole
		raw = strings.Repeat(" ", column(src, int(inside.Start))) + inside.Of(src)
	}
	f, err := resource.ParseWhole(Grammar, []byte(raw+lineFeed(src, 0)))
	if err != nil {
		return n, fmt.Errorf("read the source's message: %w", err)
	}
	text, parts := n.Children[0], []resource.New(nil)
	text.Note = ""
	for c := range f.Children(0) {
		switch name := f.Name(c); {
		case messages.IsText(name):
			parts = append(parts, text)
		case name == messages.Description:
			if !w.bare {
				parts = append(parts, copyOf(f, c))
			}
		case name == messages.Placeholders:
			parts = append(parts, copyOf(f, c))
		}
	}
	n.Children = parts
	return n, nil
}

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

func (grammar) Own(f *resource.File, i int) bool { return i > 0 && f.Node(i).Meta }
