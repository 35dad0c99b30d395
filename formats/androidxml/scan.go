package androidxml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// refuse makes the error for the file that cannot be read at an offset.
func refuse(offset int, format string, args ...any) error {
	return &resource.SyntaxError{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// Scan finds the entries of <resources>. Everything else is only checked for being well-formed.
func (g grammar) Scan(src string) (*resource.Layout, error) {
	s := scanner{src: src, dialect: g.dialect}
	return s.scan()
}

func (s *scanner) scan() (*resource.Layout, error) {
	src := s.src
	s.nodes = make([]resource.Node, 1, 16+len(src)/perNode(src))
	all := resource.At(0, len(src))
	s.nodes[0] = resource.Node{Parent: -1, Kind: resource.Map, Whole: all, Value: all}
	if isBlank(src) {
		s.nodes[0].End = 1
		return &resource.Layout{Nodes: s.nodes}, nil
	}
	at, err := s.prolog()
	if err != nil {
		return nil, err
	}
	end, err := s.root(at)
	if err != nil {
		return nil, err
	}
	if err := s.epilog(end); err != nil {
		return nil, err
	}
	s.nodes[0].End = int32(len(s.nodes))
	return &resource.Layout{Nodes: s.nodes, Warnings: s.warnings}, nil
}

// isBlank reports whether a file holds nothing but white space and perhaps a byte order mark.
func isBlank(src string) bool {
	return strings.Trim(strings.TrimPrefix(src, byteOrderMark), spaces) == ""
}

// perNode estimates the bytes between two entries by looking at the beginning of the file.
func perNode(src string) int {
	head := src[:min(len(src), 16<<10)]
	return max(len(head)/(1+strings.Count(head, "</")), 12) * 15 / 16
}

// dialect is how the program that reads a file turns values into texts.
type dialect struct {
	decode func(raw string) string                              // the text of a value
	plain  func(raw string) string                              // the same, of one that was not seen to need it
	refers func(raw string, seen class) bool                    // a value without markup is a reference, not a text
	minds  func(raw string, seen class) []string                // what the program minds, for warnings
	guard  func(at position, r rune, end bool) (spelled string) // of what would not be itself there; "" for others
	quotes bool                                                 // " around a value do not belong to its text
	strict bool                                                 // it refuses a file for what it minds
}

// position is what the compiler's string builder knows at a point of a value.
type position struct {
	spans  bool // the value has inline markup
	inside bool // a quote is open
	begun  bool // there was a character
	spaced bool // the last one was a space that is not escaped
}

// scanner is one pass over a file.
type scanner struct {
	src      string
	dialect  *dialect // nil where no values are asked about
	nodes    []resource.Node
	warnings []resource.Warning
	tag      tag      // the start tag that was read last
	open     []string // names of the elements around the present place
	names    namespaces
	entities entities
	node     int  // that warnings are about
	tagged   int  // warnings before the start tag that was read last
	locked   bool // the root says translatable="false"
	nameless bool // there was a warning about a missing name

	others  []resource.Node // the other resources, with their comments,
	collect bool            // where they are asked for
}

// add appends the node whose start tag was read last. Warnings of that tag become the node's.
func (s *scanner) add(n resource.Node) int {
	i := len(s.nodes)
	s.nodes = append(s.nodes, n)
	for k := s.tagged; k < len(s.warnings); k++ {
		s.warnings[k].Node = i
	}
	s.node = i
	return i
}

func (s *scanner) warn(node int, format string, args ...any) {
	s.warnings = append(s.warnings, resource.Warning{Node: node, Msg: fmt.Sprintf(format, args...)})
}

// refuses is warn, for what the build tools refuse the file for.
func (s *scanner) refuses(node int, format string, args ...any) {
	s.warn(node, format, args...)
	s.warnings[len(s.warnings)-1].Fails = true
}

// root reads the root element at the offset of its <.
func (s *scanner) root(at int) (end int, err error) {
	end, err = s.startTag(at)
	if err != nil {
		return 0, err
	}
	if s.tag.name != "resources" {
		return 0, refuse(at, "the root element is <%s>, not <resources>: this is not a file of Android string resources",
			s.tag.name)
	}
	if a, ok := s.tag.attribute("translatable"); ok {
		s.locked = isFalse(a.text(s.src))
	}
	if s.locked {
		s.nodes[0].Style |= styleLocked
	}
	if s.tag.closed {
		s.nodes[0].Style |= styleClosed
	} else if end, err = s.children(end, &container{}); err != nil {
		return 0, err
	}
	s.nodes[0].Whole = resource.At(at, end)
	s.nodes[0].Value = s.nodes[0].Whole
	return end, nil
}

// comments is the comment block that the next entry may own: on lines of its own, directly above.
type comments struct{ start, end int }

// container is the element whose children are being read: the root, plurals or an array.
type container struct {
	node  int
	items int   // of an array so far
	style uint8 // of its node
}

// children reads the content of a container, end tag included.
func (s *scanner) children(at int, in *container) (int, error) {
	src := s.src
	var above comments
	for {
		gap := at
		for at < len(src) && isSpace(src[at]) {
			at++
		}
		if at == len(src) {
			return 0, s.unclosed()
		}
		if src[at] != '<' {
			end, _, err := s.characters(at)
			if err != nil {
				return 0, err
			}
			end = at + len(strings.TrimRight(src[at:end], spaces)) // a comment on the next line may be an entry's
			if in.node == 0 {
				s.warn(0, "text directly inside <resources>, which Android's resource compiler refuses; "+
					"take it out, or put back the tag or comment sign that is missing")
				s.warnings[len(s.warnings)-1].At = at
			}
			at, above = end, comments{}
			continue
		}
		if len(s.nodes) > resource.MaxEntries {
			return 0, refuse(at, "more than %d entries", resource.MaxEntries)
		}
		var err error
		switch next(src, at+1) {
		case '/':
			return s.endTag(at)
		case '!':
			start := at
			if at, err = s.comment(at); err != nil {
				return 0, err
			}
			above = above.with(src, gap, start, at)
		case '?':
			at, err = s.instruction(at)
			above = comments{}
		default:
			if above.end > 0 && strings.Count(src[gap:at], "\n") > 1 {
				above = comments{}
			}
			switch end := s.usual(at, above, in); {
			case end > 0:
				at = end
			case in.node == 0:
				at, err = s.resource(at, above)
			default:
				at, err = s.item(at, above, in)
			}
			above = comments{}
		}
		if err != nil {
			return 0, err
		}
	}
}

// with adds a comment to the block. gap is where the white space before it begins.
func (c comments) with(src string, gap, start, end int) comments {
	lines := strings.Count(src[gap:start], "\n")
	switch {
	case strings.HasPrefix(strings.TrimLeft(src[start+4:end], spaces), "<"): // commented-out code is not a note
		return comments{}
	case c.end == gap && c.end > 0 && lines <= 1:
		return comments{c.start, end}
	case lines > 0:
		return comments{start, end}
	}
	return comments{} // behind something else on its line
}

func next(src string, at int) byte {
	if at < len(src) {
		return src[at]
	}
	return 0
}

func (s *scanner) unclosed() error {
	return refuse(len(s.src), "the file ends inside <%s>: its end tag is missing", s.open[len(s.open)-1])
}

// How the elements begin and end that nearly all leaves of a file are.
const (
	usualString, usualStringEnd = `<string name="`, `</string>`
	usualItem, usualItemEnd     = `<item quantity="`, `</item>`
)

// usual reads a leaf as nearly all of a file are written, <string name="..."> or <item quantity="..."> with nothing but
// characters in it, and returns 0 for anything else, be it right or wrong.
func (s *scanner) usual(at int, above comments, in *container) (end int) {
	src, opening, closing := s.src, usualString, usualStringEnd
	if in.node > 0 {
		opening, closing = usualItem, usualItemEnd
	}
	if s.locked || !strings.HasPrefix(src[at:], opening) || in.style&^styleProduct != 0 {
		return 0
	}
	name := at + len(opening)
	n := strings.IndexByte(src[name:], '"')
	if n <= 0 || n > resource.MaxName || next(src, name+n+1) != '>' || classesOf(src[name:name+n]) != 0 ||
		in.node > 0 && !slices.Contains(quantities, src[name:name+n]) {
		return 0
	}
	start := name + n + 2
	n = strings.IndexByte(src[start:], '<')
	if n <= 0 || !strings.HasPrefix(src[start+n:], closing) {
		return 0
	}
	stop := start + n
	seen := classesOf(src[start:stop])
	suspect := seen&(seenAmp|seenSuspect|seenBracket) != 0
	if suspect && s.checked(start, stop, seen) != nil || s.dialect.refers(src[start:stop], seen) {
		return 0
	}
	i := len(s.nodes)
	s.nodes = append(s.nodes, resource.Node{
		Parent: int32(in.node), End: int32(i + 1), Kind: resource.Text, Name: resource.At(name-1, start-1),
		Value: resource.At(start, stop), Whole: resource.At(at, stop+len(closing)),
		Note: resource.At(above.start, above.end),
	})
	if seen != 0 {
		s.nodes[i].Style = s.judge(i, src[start:stop], seen)
	}
	return stop + len(closing)
}

// resource reads one child of <resources>.
func (s *scanner) resource(at int, above comments) (int, error) {
	end, err := s.startTag(at)
	if err != nil {
		return 0, err
	}
	kind := s.tag.name
	if kind == "item" {
		if a, ok := s.tag.attribute("type"); ok && a.text(s.src) == "string" {
			kind = "string"
		}
	}
	if kind != "string" && kind != "plurals" && kind != "string-array" {
		return s.other(at, end, above)
	}
	name, ok := s.tag.attribute("name")
	if !ok || name.end == name.start {
		if !s.nameless {
			s.nameless = true
			s.refuses(0, "a <%s> has no name, so it cannot be translated", s.tag.name)
		}
		return s.skip(end)
	}
	if name.end-name.start > resource.MaxName {
		return 0, refuse(name.start, "a name of more than %d KiB", resource.MaxName>>10)
	}
	n := resource.Node{Kind: resource.Text, Note: resource.At(above.start, above.end)}
	n.Name = resource.At(name.start-1, name.end+1)
	if a, ok := s.tag.attribute("product"); ok && !isDefault(attributeText(a.text(s.src))) {
		n.Style |= styleProduct
	}
	if a, ok := s.tag.attribute("translatable"); s.locked || ok && isFalse(a.text(s.src)) {
		n.Style |= styleLocked
	}
	if kind == "string" {
		return s.leaf(at, end, n)
	}
	return s.forms(at, end, n, kind == "string-array")
}

// kinds are the elements that <resources> may have beside texts, as the compiler knows them.
var kinds = strings.Fields("add-resource anim animator array attr bool color configVarying declare-styleable " +
	"dimen drawable eat-comment font fraction id integer integer-array interpolator item java-symbol layout " +
	"macro menu mipmap navigation overlayable public public-group raw skip staging-public-group " +
	"staging-public-group-final style styleable symbol transition xml")

// other passes over a resource of another kind. <eat-comment/> is none: it ends a section's heading for the
// documentation tools.
func (s *scanner) other(at, end int, above comments) (int, error) {
	kind := s.tag.name
	if s.dialect.strict && !strings.Contains(kind, ":") && !slices.Contains(kinds, kind) {
		s.warnings = append(s.warnings, resource.Warning{At: at, Fails: true, Msg: fmt.Sprintf(
			"Android knows no resources <%s>, and the build tools refuse the file; correct its name", kind)})
	}
	end, err := s.skip(end)
	if s.collect && kind != "eat-comment" {
		s.others = append(s.others, resource.Node{Whole: resource.At(at, end), Note: resource.At(above.start, above.end)})
	}
	return end, err
}

// isFalse reads a boolean attribute as the compiler does.
func isFalse(value string) bool { return strings.EqualFold(strings.Trim(value, spaces), "false") }

// forms reads plurals or a string-array whose start tag was read.
func (s *scanner) forms(at, end int, n resource.Node, array bool) (int, error) {
	n.Kind = resource.Forms
	if array {
		n.Style |= styleArray
	}
	i := s.add(n)
	if s.tag.closed {
		s.nodes[i].Style |= styleClosed
	} else {
		var err error
		if end, err = s.children(end, &container{node: i, style: n.Style}); err != nil {
			return 0, err
		}
	}
	s.nodes[i].Whole = resource.At(at, end)
	s.nodes[i].Value = s.nodes[i].Whole
	s.nodes[i].End = int32(len(s.nodes))
	s.node = 0
	if !array && !s.isComplete(i) {
		s.warn(i, "the quantity other is missing, and the app ends where it is asked for a number of no other quantity; "+
			"add it")
	}
	return end, nil
}

// isComplete reports whether plurals have an item for other, which Android takes where no other one fits. Languages
// with few or many may need none for whole numbers: whether theirs are enough is not known here. Without any item there
// is nothing to complete, and plurals that are not translatable are not looked at.
func (s *scanner) isComplete(plurals int) bool {
	items := s.nodes[plurals+1:]
	return len(items) == 0 || s.nodes[plurals].Style&styleLocked != 0 ||
		slices.ContainsFunc(items, func(n resource.Node) bool {
			return slices.Contains([]string{"other", "few", "many"}, s.src[n.Name.Start+1:n.Name.End-1])
		})
}

// item reads one child of plurals or of a string-array.
func (s *scanner) item(at int, above comments, in *container) (int, error) {
	end, err := s.startTag(at)
	if err != nil {
		return 0, err
	}
	if s.tag.name != "item" {
		s.warn(in.node, "<%s> among its items is left out", s.tag.name)
		return s.skip(end)
	}
	n := resource.Node{Parent: int32(in.node), Style: in.style & styleLocked, Note: resource.At(above.start, above.end)}
	if in.style&styleArray != 0 {
		n.Style |= styleCounted
		n.Name = resource.At(in.items, in.items)
		in.items++
		return s.leaf(at, end, n)
	}
	quantity, ok := s.tag.attribute("quantity")
	if !ok {
		s.refuses(in.node, "an item has no quantity, so it cannot be translated")
		return s.skip(end)
	}
	if q := quantity.text(s.src); !slices.Contains(quantities, q) {
		s.refuses(in.node, "the build tools know no quantity %q", q)
	}
	n.Name = resource.At(quantity.start-1, quantity.end+1)
	return s.leaf(at, end, n)
}

// leaf reads the value of an element whose start tag was read, from at to end.
func (s *scanner) leaf(at, end int, n resource.Node) (int, error) {
	i := s.add(n)
	value := resource.At(end-2, end)
	style := n.Style | styleClosed
	kind := resource.Text
	if !s.tag.closed {
		start := end
		stop, seen, err := s.content(start)
		if err != nil {
			return 0, err
		}
		if end, err = s.endTag(stop); err != nil {
			return 0, err
		}
		style = n.Style | s.judge(i, s.src[start:stop], seen)
		value = resource.At(start, stop)
		if style&styleMarkup == 0 && s.dialect.refers(s.src[start:stop], seen) {
			kind = resource.Other
		}
	}
	if style&styleLocked != 0 {
		kind = resource.Other
	}
	p := &s.nodes[i]
	p.Kind, p.Style, p.Value, p.Whole, p.End = kind, style, value, resource.At(at, end), int32(i+1)
	s.node = int(p.Parent)
	return end, nil
}

// judge derives the style bits of a value from what was seen in it, and warns of what its readers mind.
func (s *scanner) judge(node int, raw string, seen class) (style uint8) {
	if seen&(seenAmp|seenQuote|seenBackslash|seenOdd|seenInner|seenMarkup) != 0 {
		style |= styleSpecial
	}
	if seen&seenMarkup != 0 {
		style |= styleMarkup
	}
	if seen&(seenBackslash|seenApostrophe|seenAmp) != 0 {
		for _, minded := range s.dialect.minds(raw, seen) {
			s.warn(node, "%s", minded)
			s.warnings[len(s.warnings)-1].Fails = s.dialect.strict
		}
	}
	return style
}

// skip passes over the rest of an element whose start tag was read.
func (s *scanner) skip(end int) (int, error) {
	if s.tag.closed {
		return end, nil
	}
	stop, _, err := s.content(end)
	if err != nil {
		return 0, err
	}
	return s.endTag(stop)
}
