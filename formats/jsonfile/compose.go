package jsonfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/messages"
	"github.com/locsync/locsync/formats/resource"
)

// Compose writes a JSON object of the entries, or an array when they have no names: two spaces, one entry a line. JSON
// has no comments, so that notes are not written.
func (grammar) Compose(top []resource.New) ([]byte, error) {
	root := resource.New{Kind: resource.Map, Children: top}
	if isItems(top) {
		root.Kind = resource.List
	}
	if at := slices.IndexFunc(top, func(n resource.New) bool { return isNewMetadata(&n) }); at >= 0 {
		return nil, fmt.Errorf("key %q: %w", top[at].Name, errMetadata)
	}
	if height(&root) > resource.MaxDepth {
		return nil, fmt.Errorf("a key of more than %d parts", resource.MaxDepth)
	}
	var out strings.Builder
	w := writer{plain: true}
	if err := w.children(&out, &root, Lines{Line: "\n", Colon: ": ", Gap: " ", Unit: "  "}); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return []byte(out.String()), nil
}

// isItems reports whether entries are the items of an array: none has a name. A single one may also be an object's
// under the empty name; its model knows.
func isItems(top []resource.New) bool {
	for i := range top {
		if top[i].Name != "" {
			return false
		}
	}
	if len(top) == 1 {
		m := top[0].Like
		return m != nil && m.File.Node(int(m.File.Node(m.Node).Parent)).Kind == resource.List
	}
	return len(top) > 1
}

// writer spells new entries.
type writer struct {
	spelling Spelling
	plain    bool // every container has one entry a line
	like     *resource.File
	maps     int // a neighbour that is an object and not empty, for its shape; 0 when there is none
	lists    int // a neighbour that is an array
	context  int // what the messages beside the new ones have beside their text

	commented *resource.Node // a neighbour that is a message with a comment: its object is the Value here; or nil
}

// What writer.context can be.
const (
	noMessages = iota
	bareMessages
	describedMessages
)

// neighbours looks at the entries next to a gap for examples of containers.
func (w *writer) neighbours(f *resource.File, at resource.Gap) {
	w.like = f
	in := f.Node(at.In)
	near := []int{at.After, at.In + 1}
	if at.After > 0 {
		near = append(near, int(f.Node(at.After).End))
	}
	for _, i := range near {
		if i > 0 && i < int(in.End) && isCommented(f.Node(i)) && w.commented == nil {
			w.commented = &resource.Node{Kind: resource.Map, Value: objectOf(f.Source(), f.Node(i))}
		}
		if i < 1 || i >= int(in.End) || f.Node(i).Kind <= resource.Other || int(f.Node(i).End) == i+1 {
			continue
		}
		n := f.Node(i)
		switch {
		case n.Kind == resource.Map && w.maps == 0:
			w.maps = i
		case n.Kind == resource.List && w.lists == 0:
			w.lists = i
		}
		// in a message file, and in one without descriptions
		if w.context != describedMessages && int(n.End) == i+2 && messages.IsText(f.Name(i+1)) {
			w.context = bareMessages
			if note := f.Node(i + 1).Note.Of(f.Source()); n.Style&messageEntry != 0 && note != "" && note[0] != '/' {
				w.context = describedMessages
			}
		}
	}
}

// entry writes one entry, with its name unless it is an item of a List.
func (w *writer) entry(out *strings.Builder, n *resource.New, l Lines, item bool) error {
	if !item {
		name, err := quoteName(w.spelling, n.Name)
		if err != nil {
			return err
		}
		out.WriteString(name)
		out.WriteString(l.Colon)
	}
	switch n.Kind {
	case resource.Text:
		if w.commented != nil && !item && n.Like != nil && isCommented(n.Like.File.Node(n.Like.Node)) {
			return w.message(out, n, l)
		}
		out.WriteString(w.spelling.Quote(n.Text))
		return nil
	case resource.Null, resource.Other:
		if n.Like == nil {
			return errors.New("a value that is not text has no model to be copied from")
		}
		m := n.Like.File
		out.WriteString(Transplant(m.Source(), m.Node(n.Like.Node).Value, l))
		return nil
	case resource.Map, resource.List:
		if !w.plain && isMessageLike(n) {
			return w.message(out, n, l)
		}
		return w.children(out, n, l)
	}
	return errors.New("JSON has no plural forms; give each form a key of its own or write an ICU message")
}

// children writes an object or array of new entries in the layout l of its siblings.
func (w *writer) children(out *strings.Builder, n *resource.New, l Lines) error {
	return w.container(out, n, l, len(n.Children), func(i int, inner Lines) error {
		return w.entry(out, &n.Children[i], inner, n.Kind == resource.List)
	})
}

// container writes the brackets, commas and white space of n entries, and calls each for the entries.
func (w *writer) container(
	out *strings.Builder, n *resource.New, l Lines, count int, each func(i int, inner Lines) error,
) error {
	brackets := "[]"
	if n.Kind == resource.Map {
		brackets = "{}"
	}
	out.WriteByte(brackets[0])
	inner, pad := l.In(), ""
	src, like := w.shape(n)
	if !w.plain && l.Line != "" && like != nil && !strings.ContainsAny(like.Value.Of(src), "\r\n") {
		inner.Line = ""
		if inside := like.Value.Of(src); len(inside) > 2 && inside[1] == ' ' && inside[len(inside)-2] == ' ' {
			pad = " "
		}
		if inner.Gap == "" {
			inner.Gap = blankBehind(inner.Colon)
		}
	}
	out.WriteString(pad)
	for i := range count {
		if i > 0 {
			out.WriteByte(',')
			if inner.Line == "" {
				out.WriteString(inner.Gap)
			}
		}
		out.WriteString(inner.Line)
		if err := each(i, inner); err != nil {
			return err
		}
	}
	if count > 0 && inner.Line != "" {
		out.WriteString(l.Line)
	}
	out.WriteString(pad)
	out.WriteByte(brackets[1])
	return nil
}

// shape returns the container whose shape, on one line or on several, a new one takes: the neighbour's, else the
// model's.
func (w *writer) shape(n *resource.New) (src string, like *resource.Node) {
	i := w.maps
	if n.Kind == resource.List {
		i = w.lists
	}
	if n.Kind == resource.Map && w.commented != nil {
		return w.like.Source(), w.commented
	}
	if i > 0 {
		return w.like.Source(), w.like.Node(i)
	}
	if n.Like == nil {
		return "", nil
	}
	m := n.Like.File.Node(n.Like.Node)
	if m.Kind != n.Kind || int(m.End) == n.Like.Node+1 {
		return "", nil
	}
	return n.Like.File.Source(), m
}

// isMessageLike reports whether n is a message whose model is one in a message file.
func isMessageLike(n *resource.New) bool {
	return messages.IsNew(n) && n.Like != nil && n.Like.File.Node(n.Like.Node).Style&messageEntry != 0 && n.Like.Node > 0
}

// isCommented reports whether a leaf is a message with a comment, which is under its own name.
func isCommented(n *resource.Node) bool {
	return n.Kind <= resource.Other && n.Style&messageEntry != 0 && n.Parent == 0
}

// objectOf is the object of a message: its value, where the node is not that of the text in it.
func objectOf(src string, n *resource.Node) resource.Span {
	if !isCommented(n) {
		return n.Value
	}
	_, _, at, _ := readGap(src, int(n.Name.End), nil)
	_, _, at, _ = readGap(src, at+1, nil) // behind the colon
	return resource.At(at, int(n.Whole.End))
}

// message writes a message with what the model has beside its text: the placeholders always, because the text is broken
// without them; the description unless the messages beside it do without. A new message with a comment is one where its
// neighbours are such, else a string, as VS Code's translated files have them.
func (w *writer) message(out *strings.Builder, n *resource.New, l Lines) error {
	src, text := n.Like.File.Source(), n.Text
	if n.Kind == resource.Map {
		text = n.Children[0].Text
	}
	at := objectOf(src, n.Like.File.Node(n.Like.Node))
	object := at.Of(src)
	layout, err := Scan(object, JSONC)
	if err != nil {
		return fmt.Errorf("read the source's message: %w", err)
	}
	type part struct {
		name string
		raw  resource.Span // in src
	}
	var parts []part
	for i := 1; i < len(layout.Nodes); i = int(layout.Nodes[i].End) {
		m := &layout.Nodes[i]
		name := (grammar{}).Name(object, m)
		if slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			continue
		}
		if m.Kind == resource.Other && !isString(object, m) { // it is about the source's text
			continue
		}
		if w.context == bareMessages && (name == "description" || name == "comment") {
			continue
		}
		parts = append(parts, part{name, resource.Span{Start: at.Start + m.Value.Start, End: at.Start + m.Value.End}})
	}
	model := &resource.New{Kind: resource.Map, Like: n.Like}
	return w.container(out, model, l, len(parts), func(i int, inner Lines) error {
		if messages.IsText(parts[i].name) {
			return w.entry(out, &resource.New{Kind: resource.Text, Name: parts[i].name, Text: text}, inner, false)
		}
		out.WriteString(`"` + parts[i].name + `"` + inner.Colon + Transplant(src, parts[i].raw, inner))
		return nil
	})
}

// Transplant returns the value at a span of another file, with the line ends and the indentation of its new place, each
// level of it too. No string of it spans lines.
func Transplant(src string, at resource.Span, l Lines) string {
	raw := at.Of(src)
	if l.Line == "" || !strings.ContainsAny(raw, "\r\n") {
		return raw
	}
	old, unit := Indentation(src, int(at.Start)), ""
	var out strings.Builder
	for i, line := range strings.FieldsFunc(raw, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if i > 0 {
			out.WriteString(l.Line)
			line = strings.TrimPrefix(line, old)
			if unit == "" { // the first line that is deeper shows by how much
				unit = line[:len(line)-len(strings.TrimLeft(line, " \t"))]
			}
			for unit != "" && l.Unit != "" && strings.HasPrefix(line, unit) {
				out.WriteString(l.Unit)
				line = line[len(unit):]
			}
		}
		out.WriteString(line)
	}
	return out.String()
}
