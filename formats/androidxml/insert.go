package androidxml

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// gap is where new entries go, and what is written around them.
type gap struct {
	at        resource.Span
	head      string // once before all
	pre, post string // around each
	tail      string // once behind all
	indent    string // of an entry that has its lines to itself
	newline   string // "" where everything is on one line
}

// Insert writes new entries on lines of their own, as their neighbours have them; on a line that holds several entries,
// behind the one before.
func (g grammar) Insert(f *resource.File, at resource.Place, add []resource.New) (resource.Splice, error) {
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
	b := builder{dialect: g.dialect, place: placeOf(f.Source(), f.Node(at.In)), newline: gap.newline, quote: '"'}
	if gap.newline != "" && slices.ContainsFunc(add, func(n resource.New) bool { return n.Kind == resource.Forms }) {
		b.unit = unitOf(f, like, gap.indent)
	}
	b.follow(f, at)
	var out strings.Builder
	out.WriteString(gap.head)
	for i := range add {
		if gap.newline != "" {
			b.note(&out, add[i].Note, gap.indent)
		}
		out.WriteString(gap.pre)
		var err error
		if f.Node(at.In).Kind == resource.Forms {
			err = b.leaf(&out, &add[i], "item")
		} else {
			err = b.entry(&out, &add[i], gap.indent)
		}
		if err != nil {
			return resource.Splice{}, err
		}
		out.WriteString(gap.post)
	}
	out.WriteString(gap.tail)
	return resource.Splice{At: gap.at, Text: out.String()}, nil
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

// gapAt finds the gap at a place.
func gapAt(f *resource.File, at resource.Place, like *resource.Model) gap {
	src := f.Source()
	if at.In == 0 && isBlank(src) {
		nl := newlineOf(src, like)
		mark := ""
		if strings.HasPrefix(src, byteOrderMark) {
			mark = byteOrderMark
		}
		return gap{at: resource.At(len(mark), len(src)), head: header + nl + "<resources>" + nl, pre: defaultIndent, post: nl,
			tail: "</resources>" + nl, indent: defaultIndent, newline: nl}
	}
	if at.After >= 0 {
		return behind(src, f.Node(at.After))
	}
	for first := range f.Children(at.In) {
		return before(src, f.Node(first))
	}
	return inside(f, at.In, like)
}

// behind is the gap after a sibling: the next line, or the same one when something else follows there.
func behind(src string, n *resource.Node) gap {
	end := int(n.Whole.End)
	tail, alone := lineTail(src, end)
	if !alone {
		space := src[end : end+blanks(src[end:])]
		return gap{at: resource.At(end, end), pre: space}
	}
	line := afterBreak(src, tail)
	indent := indentOf(src, int(n.Whole.Start))
	return gap{at: resource.At(line, line), pre: indent, post: src[tail:line], indent: indent, newline: src[tail:line]}
}

// before is the gap in front of the first child and its comment.
func before(src string, n *resource.Node) gap {
	start, _ := extent(src, n)
	line, first := lineStart(src, start)
	if !first || line == 0 {
		return gap{at: resource.At(start, start), post: src[line:start]}
	}
	nl := "\n"
	if strings.HasSuffix(src[:line], "\r\n") {
		nl = "\r\n"
	}
	indent := src[line:start]
	return gap{at: resource.At(line, line), pre: indent, post: nl, indent: indent, newline: nl}
}

const defaultIndent = "    "

// inside is the gap in a container without entries: behind the last element that is none, else at the beginning.
func inside(f *resource.File, in int, like *resource.Model) gap {
	src, n := f.Source(), f.Node(in)
	base := indentOf(src, int(n.Whole.Start))
	nl := newlineOf(src, like)
	indent := base + childIndent(f, in, like)
	s := scanner{src: src, entities: entities{open: true}}
	content, _ := s.startTag(int(n.Whole.Start))
	if s.tag.closed {
		start := len(strings.TrimRight(src[:content-2], spaces))
		return gap{at: resource.At(start, content), head: ">" + nl, pre: indent, post: nl,
			tail: base + "</" + s.tag.name + ">", indent: indent, newline: nl}
	}
	end := strings.LastIndex(src[:n.Whole.End], "</")
	last := lastEnd(src, content, end)
	if last > content {
		indent = indentOf(src, last)
	}
	if tail, alone := lineTail(src, last); alone && tail < end {
		line := afterBreak(src, tail)
		nl = src[tail:line]
		if k := blanks(src[line:]); last == content && strings.HasPrefix(src[line+k:], "<!--") {
			indent = src[line : line+k]
		}
		return gap{at: resource.At(line, line), pre: indent, post: nl, indent: indent, newline: nl}
	}
	return gap{at: resource.At(end, end), head: nl, pre: indent, post: nl, tail: base, indent: indent, newline: nl}
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
	at := strings.IndexByte(src, '\n')
	if at < 0 && like != nil {
		src = like.File.Source()
		at = strings.IndexByte(src, '\n')
	}
	if at > 0 && src[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// childIndent is by how much the children of a container without any are indented.
func childIndent(f *resource.File, in int, like *resource.Model) string {
	if in > 0 {
		return unitOf(f, like, indentOf(f.Source(), int(f.Node(in).Whole.Start)))
	}
	if like == nil {
		return defaultIndent
	}
	src, n := like.File.Source(), like.File.Node(like.Node)
	if _, first := lineStart(src, int(n.Whole.Start)); !first {
		return defaultIndent
	}
	return indentOf(src, int(n.Whole.Start))
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
		outer := indentOf(src, int(n.Whole.Start))
		item := int(f.Node(c + 1).Whole.Start)
		_, first := lineStart(src, item)
		unit, deeper := strings.CutPrefix(indentOf(src, item), outer)
		return unit, first && deeper
	}
	return "", false
}

// follow takes from the neighbours of a place what new entries should look like: quotes of attributes, quotes around
// texts.
func (b *builder) follow(f *resource.File, at resource.Place) {
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
