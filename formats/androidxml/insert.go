package androidxml

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/xmlscan"
)

// Insert writes new entries on lines of their own, as their neighbours have them; on a line that holds several entries,
// behind the one before.
func (g grammar) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	if f.Node(at.In).Style&styleLocked != 0 {
		return resource.Splice{}, errLocked
	}
	if err := fits(f, at.In, add); err != nil {
		return resource.Splice{}, err
	}
	var like *resource.Model
	if len(add) > 0 {
		like = add[0].Like
	}
	gap := gapAt(f, at, like)
	b := builder{dialect: g.dialect, scope: scopeOf(f.Source(), f.Node(at.In)), newline: gap.Newline, quote: '"'}
	if gap.Newline != "" && slices.ContainsFunc(add, func(n resource.New) bool { return n.Kind == resource.Forms }) {
		b.unit = unitOf(f, like, gap.Indent)
	}
	b.follow(f, at)
	var out strings.Builder
	out.WriteString(gap.Head)
	for i := range add {
		if gap.Newline != "" {
			b.note(&out, add[i].Note, gap.Indent)
		}
		out.WriteString(gap.Pre)
		var err error
		if f.Node(at.In).Kind == resource.Forms {
			err = b.leaf(&out, &add[i], "item")
		} else {
			err = b.entry(&out, &add[i], gap.Indent)
		}
		if err != nil {
			return resource.Splice{}, err
		}
		out.WriteString(gap.Post)
	}
	out.WriteString(gap.Tail)
	return resource.Splice{At: gap.At, Text: out.String()}, nil
}

// Annotates says that new entries get the comments of their models.
func (grammar) Annotates() bool { return true }

// fits refuses entries that the container cannot hold.
func fits(f *resource.File, in int, add []resource.New) error {
	box := f.Node(in)
	for _, n := range add {
		switch array := box.Style&styleArray != 0; {
		case box.Kind == resource.Map:
			continue
		case n.Kind != resource.Text && n.Kind != resource.Other:
			return errors.New("an item holds a single text")
		case array && !isIndex(n.Name):
			return fmt.Errorf("%q: the items of a string-array are counted from 0", n.Name)
		case !array && isIndex(n.Name):
			return errors.New("the entry is plurals here, and a string-array in the source")
		}
	}
	return nil
}

func isIndex(name string) bool { return name != "" && name[0] >= '0' && name[0] <= '9' }

// gapAt finds the gap at a position.
func gapAt(f *resource.File, at resource.Gap, like *resource.Model) xmlscan.Gap {
	src := f.Source()
	if at.In == 0 && isBlank(src) {
		nl := newlineOf(src, like)
		mark := ""
		if strings.HasPrefix(src, byteOrderMark) {
			mark = byteOrderMark
		}
		return xmlscan.Gap{At: resource.At(len(mark), len(src)), Head: header + nl + "<resources>" + nl,
			Pre: defaultIndent, Post: nl, Tail: "</resources>" + nl, Indent: defaultIndent, Newline: nl}
	}
	if at.After >= 0 {
		return xmlscan.Behind(src, f.Node(at.After))
	}
	for first := range f.Children(at.In) {
		return xmlscan.Before(src, f.Node(first))
	}
	return inside(f, at.In, like)
}

const defaultIndent = "    "

// inside is the gap in a container without entries: behind the last element that is none, else at the beginning.
func inside(f *resource.File, in int, like *resource.Model) xmlscan.Gap {
	src, n := f.Source(), f.Node(in)
	base := xmlscan.IndentOf(src, int(n.Whole.Start))
	nl := newlineOf(src, like)
	indent := base + childIndent(f, in, like)
	s := scanner{src: src, entities: entities{open: true}}
	content, _ := s.startTag(int(n.Whole.Start))
	if s.tag.closed {
		start := len(strings.TrimRight(src[:content-2], spaces))
		return xmlscan.Gap{At: resource.At(start, content), Head: ">" + nl, Pre: indent, Post: nl,
			Tail: base + "</" + s.tag.name + ">", Indent: indent, Newline: nl}
	}
	end := strings.LastIndex(src[:n.Whole.End], "</")
	last := lastEnd(src, content, end)
	if last > content {
		indent = xmlscan.IndentOf(src, last)
	}
	if tail, alone := xmlscan.LineTail(src, last); alone && tail < end {
		line := xmlscan.AfterBreak(src, tail)
		nl = src[tail:line]
		if k := xmlscan.Blanks(src[line:]); last == content && strings.HasPrefix(src[line+k:], "<!--") {
			indent = src[line : line+k]
		}
		return xmlscan.Gap{At: resource.At(line, line), Pre: indent, Post: nl, Indent: indent, Newline: nl}
	}
	return xmlscan.Gap{At: resource.At(end, end), Head: nl, Pre: indent, Post: nl, Tail: base, Indent: indent, Newline: nl}
}

// lastEnd is where the last thing ends that is between content and end and is neither white space nor a comment;
// content when there is none. It is looked for from the end, so that it takes the same time in a file of any size.
func lastEnd(src string, content, end int) int {
	for {
		end = content + len(strings.TrimRight(src[content:end], spaces))
		if !strings.HasSuffix(src[content:end], "-->") {
			return end
		}
		start := content + strings.LastIndex(src[content:end], "<!--")
		if start < content || start+4+strings.Index(src[start+4:], "-->")+3 != end { // a text that looks like it
			return end
		}
		end = start
	}
}

// newlineOf is the line break of a file, else of the model's.
func newlineOf(src string, like *resource.Model) string {
	if like != nil && !strings.Contains(src, "\n") {
		src = like.File.Source()
	}
	return resource.Newline(src)
}

// childIndent is by how much the children of a container without any are indented.
func childIndent(f *resource.File, in int, like *resource.Model) string {
	if in > 0 {
		return unitOf(f, like, xmlscan.IndentOf(f.Source(), int(f.Node(in).Whole.Start)))
	}
	if like == nil {
		return defaultIndent
	}
	src, n := like.File.Source(), like.File.Node(like.Node)
	if _, first := xmlscan.LineStart(src, int(n.Whole.Start)); !first {
		return defaultIndent
	}
	return xmlscan.IndentOf(src, int(n.Whole.Start))
}

// unitOf is by how much items are indented against their element: as in this file, else as in the model's, else as much
// again as the element itself.
func unitOf(f *resource.File, like *resource.Model, indent string) string {
	unit, ok := itemUnit(f)
	if !ok && like != nil {
		unit, ok = itemUnit(like.File)
	}
	switch {
	case ok:
		return unit
	case indent != "":
		return indent
	}
	return defaultIndent
}

func itemUnit(f *resource.File) (string, bool) {
	src := f.Source()
	for c := range f.Children(0) {
		n := f.Node(c)
		if n.Kind != resource.Forms || int(n.End) == c+1 {
			continue
		}
		outer := xmlscan.IndentOf(src, int(n.Whole.Start))
		item := int(f.Node(c + 1).Whole.Start)
		_, first := xmlscan.LineStart(src, item)
		unit, deeper := strings.CutPrefix(xmlscan.IndentOf(src, item), outer)
		return unit, first && deeper
	}
	return "", false
}

// follow takes from the neighbours of a gap what new entries should look like: quotes of attributes, quotes around
// texts.
func (b *builder) follow(f *resource.File, at resource.Gap) {
	src := f.Source()
	from := at.After
	if from < 0 {
		from = at.In
	} else {
		from = int(f.Node(from).End) - 1
	}
	seen, quoted := 0, 0
	for i := from; i > 0 && i > from-12 && seen < 4; i-- {
		b.neighbour(src, f.Node(i), &seen, &quoted)
	}
	for i := from + 1; i < f.Len() && i < from+12 && seen < 4; i++ {
		b.neighbour(src, f.Node(i), &seen, &quoted)
	}
	if seen > 0 {
		b.known, b.quoted = true, seen == quoted
	}
}

func (b *builder) neighbour(src string, n *resource.Node, seen, quoted *int) {
	if n.Name.Len() > 0 && *seen == 0 {
		b.quote = src[n.Name.Start]
	}
	if raw := valueOf(src, n); n.Kind == resource.Text && raw != "" && len(raw) < 4<<10 {
		*seen++
		if isQuoted(raw) {
			*quoted++
		}
	}
}
