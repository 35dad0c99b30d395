package yamlfile

import (
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/messages"
	"github.com/locsync/locsync/formats/resource"
)

// Remove takes entries out: from a block collection their lines, with the comment in their column right above and the
// comments right below that are indented more; from a flow collection the entry with one comma. A collection that
// loses all its entries and stays becomes {} or []. Aliases of mappings, sequences and values other than texts that go
// are replaced by an empty one, or by the value. A message takes its mapping with it.
func (grammar) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	gone = messages.Whole(f, gone, isMessage)
	r := remover{f: f, src: f.Source(), gone: gone}
	done := make(map[int]bool)
	for _, i := range gone {
		if parent := int(f.Node(i).Parent); !done[parent] {
			done[parent] = true
			r.from(parent)
		}
	}
	r.lines()
	r.pointers()
	return r.splices, nil
}

type remover struct {
	f       *resource.File
	src     string
	gone    []int
	cuts    []cut // whole lines
	splices []resource.Splice
}

// cut is a run of lines that goes; first is the node that it begins with.
type cut struct{ from, to, first int }

func (r *remover) cut(from, to int, text string) {
	r.splices = append(r.splices, resource.Splice{At: resource.At(from, to), Text: text})
}

// isGone reports whether a child of a container that stays goes.
func (r *remover) isGone(i int) bool {
	_, found := slices.BinarySearch(r.gone, i)
	return found
}

// isInside reports whether a node goes, with or without others around it.
func (r *remover) isInside(i int) bool {
	at, found := slices.BinarySearch(r.gone, i)
	return found || at > 0 && i < int(r.f.Node(r.gone[at-1]).End)
}

// from removes what goes of one container.
func (r *remover) from(parent int) {
	n := r.f.Node(parent)
	var children []int
	left := 0
	for c := range r.f.Children(parent) {
		children = append(children, c)
		if !r.isGone(c) {
			left++
		}
	}
	switch {
	case n.Style == pair:
		r.cut(int(n.Value.Start), int(n.Value.End), "{}")
	case n.Style == flow:
		r.fromFlow(parent, children, left)
	case left == 0 && parent != 0:
		r.emptied(parent, children)
	default:
		r.fromBlock(children)
	}
}

// fromBlock removes the lines of entries. The first entry of a compact collection shares its line with an indicator:
// what follows it moves up.
func (r *remover) fromBlock(children []int) {
	i := 0
	if first := r.f.Node(children[0]); r.isGone(children[0]) && !startsLine(r.src, int(first.Whole.Start)) {
		for r.isGone(children[i]) {
			i++
		}
		r.cut(int(first.Whole.Start), start(r.f.Node(children[i])), "")
	}
	for ; i < len(children); i++ {
		if r.isGone(children[i]) {
			r.cutLines(children[i], children[i])
		}
	}
}

// cutLines marks the lines from one entry to another, of which the first begins its line.
func (r *remover) cutLines(first, last int) {
	a, b := r.f.Node(first), r.f.Node(last)
	_, to := lineEnd(r.src, int(b.Whole.End))
	to = deeperComments(r.src, to, column(r.src, int(a.Whole.Start)))
	r.cuts = append(r.cuts, cut{lineStart(r.src, start(a)), to, first})
}

// emptied writes {} or [] for a block collection that stays without entries.
func (r *remover) emptied(parent int, children []int) {
	n := r.f.Node(parent)
	brackets := "{}"
	if n.Kind == resource.List {
		brackets = "[]"
	}
	first, last := children[0], children[len(children)-1]
	if i := int(r.f.Node(first).Whole.Start); !startsLine(r.src, i) {
		r.cut(i, int(r.f.Node(last).Whole.End), brackets)
		return
	}
	head := r.head(parent, start(r.f.Node(first)))
	r.cut(head, head, " "+brackets)
	r.cutLines(first, last)
}

// head is where the indicator and the properties in front of a block collection end.
func (r *remover) head(parent, to int) int {
	n := r.f.Node(parent)
	i := int(n.Name.End)
	if n.Name.Len() == 0 {
		i = int(n.Whole.Start)
	}
	for end := i; ; {
		for i < to && (isBlank(r.src[i]) || isBreakAt(r.src, i)) {
			i++
		}
		switch {
		case i < to && r.src[i] == '#':
			i, _ = lineEnd(r.src, i)
			continue
		case i < to && strings.IndexByte(":-&!", r.src[i]) >= 0:
			for i < to && !isSpaceAt(r.src, i) {
				i++
			}
			end = i
			continue
		}
		return end
	}
}

// fromFlow removes entries of a flow collection, each with a comma: the one behind it, or for the last ones the one
// before. Comments stay.
func (r *remover) fromFlow(parent int, children []int, left int) {
	at := func(i int) *resource.Node { return r.f.Node(children[i]) }
	for i := 0; i < len(children); i++ {
		if !r.isGone(children[i]) {
			continue
		}
		j := i
		for j+1 < len(children) && r.isGone(children[j+1]) {
			j++
		}
		from, to := int(at(i).Whole.Start), int(at(j).Whole.End)
		comma := r.comma(to, int(r.f.Node(parent).Value.End))
		switch {
		case j+1 < len(children):
			next := int(at(j + 1).Whole.Start)
			if strings.IndexByte(r.src[to:next], '#') < 0 {
				to = next
			} else {
				to = comma
			}
		case left == 0:
			if comma > 0 {
				to = comma
			}
		default:
			before := int(at(i - 1).Whole.End)
			if strings.IndexByte(r.src[before:from], '#') < 0 {
				if from = before; endsInColon(r.f, children[i-1]) && isBlank(r.src[from]) {
					from++ // its colon keeps the space behind it
				}
			} else if comma > 0 {
				to = comma
			}
		}
		r.cut(from, to, "")
		i = j
	}
}

// comma finds the end of the comma behind offset i in a flow collection that ends at offset end; 0 when there is none.
func (r *remover) comma(i, end int) int {
	for i < end {
		switch c := r.src[i]; {
		case c == ',':
			return i + 1
		case c == '#':
			i, _ = lineEnd(r.src, i)
		case isBlank(c) || c == '\n' || c == '\r':
			i++
		default:
			return 0
		}
	}
	return 0
}

// lines turns the marked lines into splices. Where they are the last of a file without a last line end, the one before
// them goes instead. What they leave next to a block text must not become part of it.
func (r *remover) lines() {
	slices.SortFunc(r.cuts, func(a, b cut) int { return a.from - b.from })
	var text *resource.Node
	for i, before := 0, 0; i < len(r.cuts); {
		c := r.cuts[i]
		text = r.textBefore(c, text, before)
		for i++; ; i++ {
			if text != nil {
				c.to = r.belowBlock(c.to, text)
			}
			if i == len(r.cuts) || r.cuts[i].from > c.to {
				break
			}
			c.to = max(c.to, r.cuts[i].to)
		}
		unended := c.to == len(r.src) && !strings.HasSuffix(r.src, "\n")
		if unended && c.from > 0 && r.src[c.from-1] == '\n' && !r.keepsLineEnd(text) {
			c.from--
			if c.from > 0 && r.src[c.from-1] == '\r' {
				c.from--
			}
		}
		r.cut(c.from, c.to, "")
		before = c.to
	}
}

// textBefore is the block text that only blank lines separate from the cut, or what may hold one; nil when there is
// none. text is that of the cut before, which ended at offset end.
func (r *remover) textBefore(c cut, text *resource.Node, end int) *resource.Node {
	if n := r.f.Node(c.first - 1); !r.isInside(c.first - 1) {
		text = nil
		if mayEndInText(r.src, n) {
			text = n
			end, _ = lineEnd(r.src, int(n.Value.End))
		}
	}
	if text == nil || strings.Trim(r.src[end:c.from], " \r\n") != "" {
		return nil
	}
	return text
}

// mayEndInText reports whether a value is a block text, or is not looked into and may end in one.
func mayEndInText(src string, n *resource.Node) bool {
	if n.Style == sealed {
		return isBreakAt(src, int(n.Value.End)) && strings.ContainsAny(n.Value.Of(src), "|>")
	}
	_, ok := blockOf(src, n)
	return ok
}

// blockOf takes the block scalar of a node apart, also one that is not text by its tag.
func blockOf(src string, n *resource.Node) (b blockParts, ok bool) {
	style := n.Style
	if style == tagged && n.Value.Len() > 0 {
		switch header := n.Value.Of(src); header[0] {
		case '|':
			style = literal
		case '>':
			style = folded
		}
		if digit := strings.TrimLeft(n.Value.Of(src)[1:], "+-"); digit != "" && digit[0] >= '1' && digit[0] <= '9' {
			style += uint8(min(column(src, int(n.Whole.Start))+int(digit[0]-'0'), maxIndicated))
		}
	}
	if !isBlockText(style) {
		return b, false
	}
	return readBlock(src, n.Value, style), true
}

// belowBlock goes on over lines behind a cut that a block text above it would take in, or that may not be below it:
// blank ones where it keeps those, where their spaces count, or with tabs; and comments that are indented as it is, or
// more than the collection around it where it has no line of its own.
func (r *remover) belowBlock(i int, text *resource.Node) int {
	outer := column(r.src, int(text.Whole.Start))
	keeps, width := true, 0
	if b, ok := blockOf(r.src, text); ok {
		keeps, width = b.chomp == '+', b.width
	}
	for p := i; p < len(r.src); {
		q := skipBlanks(r.src, p)
		comment := q < len(r.src) && r.src[q] == '#' && q-p > outer && (width == 0 || q-p >= width)
		if !comment && !isBreakAt(r.src, q) {
			break
		}
		blanks := r.src[p:q]
		_, p = lineEnd(r.src, q)
		if comment || keeps || width > 0 && len(blanks) > width || strings.IndexByte(blanks, '\t') >= 0 {
			i = p
		}
	}
	return i
}

// keepsLineEnd reports whether the line end before a cut belongs to a text. It has to stay behind a line of spaces,
// too.
func (r *remover) keepsLineEnd(text *resource.Node) bool {
	if text == nil {
		return false
	}
	b, ok := blockOf(r.src, text)
	last := r.src[lineStart(r.src, int(text.Value.End)):text.Value.End]
	return !ok || b.chomp != '-' || last != "" && strings.Trim(last, " \t") == ""
}

// pointers replaces aliases that stay and whose anchors go. Those of texts are texts of their own already; a value
// that is not text and spelled over several lines becomes null.
func (r *remover) pointers() {
	for i := 1; i < r.f.Len(); i++ {
		n := r.f.Node(i)
		if n.Ref == 0 || n.Kind == resource.Text || !r.isInside(int(n.Ref)) || r.isInside(i) {
			continue
		}
		text := "{}"
		switch of := r.f.Node(int(n.Ref)); of.Kind {
		case resource.List:
			text = "[]"
		case resource.Null, resource.Other:
			var ok bool
			if text, ok = spelledWithTag(r.src, of); !ok || text == "" {
				text = "~"
			}
		}
		r.cut(int(n.Value.Start), int(n.Value.End), text)
	}
}

// spelledWithTag is a scalar with the tag in front of it, without its anchor; ok is false when it does not fit on a
// line.
func spelledWithTag(src string, n *resource.Node) (spelled string, ok bool) {
	spelled = n.Value.Of(src)
	for i := int(n.Value.Start); ; {
		end := len(strings.TrimRight(src[:i], " \t\r\n"))
		i = strings.LastIndexAny(src[:end], " \t\r\n[{,") + 1
		if i == end || src[i] != '!' && src[i] != '&' {
			break
		}
		if src[i] == '!' {
			spelled = strings.TrimRight(src[i:end]+" "+spelled, " ")
		}
	}
	isBlock := n.Value.Len() > 0 && strings.IndexByte("|>", src[n.Value.Start]) >= 0
	return spelled, strings.IndexByte(spelled, '\n') < 0 && !isBlock
}
