package yamlfile

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile/answers"
)

// Scan reads a file in one pass: lines of block collections by their columns, flow collections by their brackets.
func (grammar) Scan(src string) (*resource.Layout, error) {
	return scan(src, false)
}

func scan(src string, noFastPath bool) (*resource.Layout, error) {
	breaks, err := survey(src)
	if err != nil {
		return nil, err
	}
	lines := strings.Count(src, "\n") + 6*strings.Count(src, "[") // a node a line, some in lists
	s := scanner{src: src, noFastPath: noFastPath, nodes: make([]resource.Node, 1, 2+min(lines, len(src)/12))}
	s.nodes[0] = resource.Node{Parent: -1, Kind: resource.Map}
	if err := s.documents(); err != nil {
		return nil, err
	}
	if breaks {
		if err := checkBreaks(&s); err != nil {
			return nil, err
		}
	}
	root := &s.nodes[0]
	root.End = int32(len(s.nodes))
	root.Whole = resource.At(0, len(src))
	s.forgiveRoot()
	s.warnings = append(s.warnings, answers.Settle(src, s.nodes, s.answers)...)
	return &resource.Layout{Nodes: s.nodes, Warnings: s.warnings}, nil
}

// scanner is one reading of a file.
type scanner struct {
	src        string
	nodes      []resource.Node
	warnings   []resource.Warning
	warned     []resource.Readers // of a name that is a word to them
	noFastPath bool               // without quick: for tests

	// The content line that is next: where its content begins and in which column; -1 at a document mark and at the
	// end. Above it may stand a comment in the same column.
	pos, col int
	above    resource.Span

	levels  []level // open block collections, outermost first; the first is a stand-in around the document
	braces  int     // open flow collections
	crossed int     // where the line starts that the flow collection has come to; -1 while it is on its first line
	last    int     // where the last value ended

	anchors map[string]anchor
	answers []int // nodes of plain yes, no, on and off
}

// level is an open block collection.
type level struct {
	node int32
	col  int
	list bool
	seal bool // what is in it is not listed
}

// anchor is what a name represents. Nodes that are not listed cannot be pointed at.
type anchor struct {
	node   int
	hidden bool
}

func (s *scanner) top() *level { return &s.levels[len(s.levels)-1] }

// at is the byte at offset i, 0 at the end. No file holds a 0.
func (s *scanner) at(i int) byte {
	if i < len(s.src) {
		return s.src[i]
	}
	return 0
}

// documents reads the stream. Only the first document may come without "---", or one behind "...".
func (s *scanner) documents() error {
	if strings.HasPrefix(s.src, byteOrderMark) {
		s.pos = len(byteOrderMark)
	}
	bare, filled, spot := true, false, -1
	for {
		if err := s.next(); err != nil {
			return err
		}
		if !filled && spot < 0 && (s.pos == len(s.src) || s.at(s.pos) == '.' && s.col < 0) {
			spot = s.pos // where the first entry would go
		}
		switch {
		case s.pos == len(s.src):
			if !filled {
				s.nodes[0].Value = resource.At(spot, spot)
			}
			return nil
		case s.col < 0 && s.src[s.pos] == '.':
			if err := s.restIsEmpty(s.pos+3, "a document end mark"); err != nil {
				return err
			}
			_, s.pos = lineEnd(s.src, s.pos)
			bare = true
			continue
		case s.col == 0 && s.src[s.pos] == '%' && bare:
			if err := s.directive(); err != nil {
				return err
			}
		}
		if s.col >= 0 && !bare {
			return refuse(s.pos, "this does not belong to the mapping or sequence above it")
		}
		bare = false
		found, err := s.document(filled)
		if err != nil {
			return err
		}
		filled = filled || found
		if !filled && spot < 0 {
			spot = s.pos
		}
	}
}

// directive reads %YAML and goes to the "---" that has to follow.
func (s *scanner) directive() error {
	version, found := strings.CutPrefix(s.src[s.pos:], "%YAML")
	if !found || version == "" || !isBlank(version[0]) {
		return refuse(s.pos, "a directive other than %%YAML; take it out and write tags in full")
	}
	version = strings.TrimLeft(version, " \t")
	if !strings.HasPrefix(version, "1.1") && !strings.HasPrefix(version, "1.2") {
		return refuse(s.pos, "a YAML version other than 1.1 and 1.2")
	}
	if err := s.restIsEmpty(len(s.src)-len(version)+3, "a directive"); err != nil {
		return err
	}
	at := s.pos
	_, s.pos = lineEnd(s.src, s.pos)
	if err := s.next(); err != nil {
		return err
	}
	if s.col >= 0 || s.at(s.pos) != '-' {
		return refuse(at, "a directive without \"---\" behind it")
	}
	return nil
}

// document reads one document up to the next document mark or the end, and reports whether it holds anything. another
// says that one before it does.
func (s *scanner) document(another bool) (bool, error) {
	s.anchors = nil
	s.levels = append(s.levels[:0], level{col: -1, list: true})
	if s.col < 0 {
		p := skipBlanks(s.src, s.pos+3)
		if c := s.at(p); c == '{' || c == '[' {
			s.pos, s.col = p, p
		} else if err := s.restIsEmpty(s.pos+3, "a document start mark"); err != nil {
			return false, err
		} else {
			_, s.pos = lineEnd(s.src, s.pos)
			if err := s.next(); err != nil || s.col < 0 {
				return false, err
			}
		}
	}
	root, start := &s.nodes[0], s.pos
	single := root.Kind != resource.Map || root.Style != block
	if err := s.value(0, s.col, properties{}); err != nil {
		return false, err
	}
	if root = &s.nodes[0]; another && (single || root.Kind != resource.Map || root.Style != block) {
		return false, refuse(start, "another document; several may be in a file only if all are block mappings")
	}
	return true, s.blocks()
}

// restIsEmpty refuses a line on which more than a comment follows offset i.
func (s *scanner) restIsEmpty(i int, what string) error {
	p := skipBlanks(s.src, i)
	if isBreakAt(s.src, p) || s.src[p] == '#' && p > i {
		return nil
	}
	return refuse(p, "%s with something behind it on its line", what)
}

// next goes from the start of a line to the next content. Comments right above it in its column are noted.
func (s *scanner) next() error {
	src, p := s.src, s.pos
	s.above = resource.Span{}
	if len(s.nodes) > resource.MaxEntries {
		return refuse(p, "more than %d entries", resource.MaxEntries)
	}
	noted := -1 // column of the comment block right above, -1 for none
	for p < len(src) {
		start := p
		for p < len(src) && src[p] == ' ' {
			p++
		}
		if p == len(src) {
			break
		}
		switch src[p] {
		case '\n':
			p++
			noted = -1
			continue
		case '\r':
			p += 2
			noted = -1
			continue
		case '\t':
			q := skipBlanks(src, p)
			if q < len(src) && src[q] != '#' && !isBreakAt(src, q) {
				return refuse(p, "a tab as indentation; YAML takes spaces only")
			}
			_, p = lineEnd(src, q)
			noted = -1
			continue
		case '#':
			end, after := lineEnd(src, p)
			if noted != p-start {
				noted = p - start
				s.above.Start = uint32(p)
			}
			s.above.End = uint32(end)
			p = after
			continue
		}
		s.pos, s.col = p, p-start
		if noted != s.col {
			s.above = resource.Span{}
		}
		if s.col == 0 && (src[p] == '-' || src[p] == '.') && markAt(src, p) {
			s.col = -1
		}
		return nil
	}
	s.pos, s.col = len(src), -1
	return nil
}

// toNextLine leaves the line of offset i for the next content line. The rest of the line is a comment at most,
// which becomes the note of node n where it has none; i is right behind the last thing read.
func (s *scanner) toNextLine(n, i int) error {
	p := skipBlanks(s.src, i)
	end, after := p, p
	switch c := s.at(p); {
	case c == '\n':
		after++
	case c == 0:
	case c == '\r':
		after += 2
	case c == '#' && p > i:
		end, after = lineEnd(s.src, p)
		if node := &s.nodes[n]; node.Note.Len() == 0 {
			node.Note = resource.At(p, end)
		}
	case c == '#':
		return refuse(p, "a comment without a space before it")
	default:
		return refuse(p, "something behind the end of a value; put the value in quotes or on a line of its own")
	}
	s.pos = after
	return s.next()
}

// blocks reads content lines until the document ends, closing collections as lines come back to the left.
func (s *scanner) blocks() error {
	for {
		top := s.top()
		for s.col < top.col || s.col == top.col && top.list && !s.isDash(s.pos) && top.col >= 0 {
			if err := s.close(); err != nil {
				return err
			}
			top = s.top()
		}
		if top.col < 0 {
			if s.col >= 0 {
				return refuse(s.pos, "this does not belong to the mapping or sequence above it")
			}
			return nil
		}
		if s.col != top.col {
			return refuse(s.pos, "indented by %d, where %d or less is expected", s.col, top.col)
		}
		var err error
		if at := s.pos; top.list {
			err = s.item()
		} else if err = s.quick(); err == nil && s.pos == at {
			err = s.entry()
		}
		if err != nil {
			return err
		}
	}
}

// open starts a block collection as the value of node n, at the content that is next.
func (s *scanner) open(n, col int, kind resource.Kind) error {
	if len(s.levels)+s.braces > resource.MaxDepth {
		return refuse(s.pos, "more than %d collections inside one another", resource.MaxDepth)
	}
	node := &s.nodes[n]
	if n != 0 || node.Style == 0 { // of several documents the first
		node.Value.Start = uint32(s.pos)
	}
	node.Kind, node.Style = kind, block
	s.levels = append(s.levels, level{node: int32(n), col: col, list: kind == resource.List})
	return nil
}

// close ends the innermost block collection.
func (s *scanner) close() error {
	l := s.top()
	n := &s.nodes[l.node]
	n.End = int32(len(s.nodes))
	n.Value.End, n.Whole.End = uint32(s.last), uint32(s.last)
	seal, node := l.seal, int(l.node)
	s.levels = s.levels[:len(s.levels)-1]
	if seal {
		return s.seal(node)
	}
	return nil
}

// add appends a node below parent that starts at offset i.
func (s *scanner) add(parent int32, i int) int {
	s.nodes = append(s.nodes, resource.Node{Parent: parent, Whole: resource.Span{Start: uint32(i)}, Note: s.above})
	return len(s.nodes) - 1
}

// leaf completes node n as a scalar.
func (s *scanner) leaf(n int, kind resource.Kind, style uint8, from, to int) error {
	if n == 0 {
		return refuse(from, "a single value; a resource file is a mapping or a sequence")
	}
	node := &s.nodes[n]
	node.Kind, node.Style, node.End = kind, style, int32(n+1)
	node.Value, node.Whole.End = resource.At(from, to), uint32(to)
	s.last = to
	return nil
}

// isDash reports a sequence item's dash at offset i.
func (s *scanner) isDash(i int) bool { return s.at(i) == '-' && isSpaceAt(s.src, i+1) }

// item reads "- value".
func (s *scanner) item() error {
	n := s.add(s.top().node, s.pos)
	return s.behind(n, s.pos+1, true)
}

// behind reads the value of node n behind an indicator that ends at offset i. compact says that a block collection may
// start on the same line.
func (s *scanner) behind(n, i int, compact bool) error {
	s.last = i
	p := skipSpaces(s.src, i)
	col := -1
	if compact && s.at(p) != '\t' {
		col = s.col + p - s.pos
		s.col = col
	}
	p = skipBlanks(s.src, p)
	if isBreakAt(s.src, p) || s.src[p] == '#' {
		return s.below(n, i, properties{})
	}
	s.pos, s.above = p, resource.Span{}
	return s.value(n, col, properties{})
}

// below reads the value of node n that has to be on the following lines, or is empty. i is behind what the node has
// on this line.
func (s *scanner) below(n, i int, p properties) error {
	if err := s.toNextLine(n, i); err != nil {
		return err
	}
	top := s.top()
	switch {
	case s.col > top.col:
		return s.value(n, s.col, p)
	case s.col >= 0 && s.col == top.col && !top.list && s.isDash(s.pos):
		if err := s.open(n, s.col, resource.List); err != nil {
			return err
		}
		return s.item()
	}
	return s.nothing(n, i, p)
}

// nothing completes node n as an empty value at offset i.
func (s *scanner) nothing(n, i int, p properties) error {
	switch p.tag {
	case tagString:
		return s.leaf(n, resource.Text, empty, i, i)
	case tagOther:
		return s.leaf(n, resource.Other, tagged, i, i)
	case tagPlain: // null to some readers, "" to others
		return s.leaf(n, resource.Other, empty, i, i)
	}
	return s.leaf(n, resource.Null, empty, i, i)
}

// value reads the value of node n, which is next. col is its column where a block collection may start here, else -1.
func (s *scanner) value(n, col int, p properties) error {
	i := s.pos
	switch c := s.at(i); c {
	case '&', '!':
		return s.propertiesAndValue(n, col, p)
	case '*':
		if p != (properties{}) {
			return refuse(i, "an alias with an anchor or a tag")
		}
		to, err := s.alias(n, i)
		if err != nil {
			return err
		}
		return s.toNextLine(n, to)
	case '|', '>':
		return s.blockText(n, i, p)
	case '[', '{':
		s.crossed = -1
		to, err := s.flowCollection(n, i)
		if err != nil {
			return err
		}
		return s.toNextLine(n, to)
	case '"', '\'':
		to, style, err := s.quoted(i)
		if err != nil {
			return err
		}
		if colon := skipBlanks(s.src, to); col >= 0 && s.at(colon) == ':' && isSpaceAt(s.src, colon+1) {
			return s.openMap(n, col)
		}
		if err := s.scalar(n, resource.Text, style, i, to, p); err != nil {
			return err
		}
		return s.toNextLine(n, to)
	case '-', '?':
		if !isSpaceAt(s.src, i+1) {
			break
		}
		if col < 0 {
			return refuse(i, "a %q that does not begin its line", c)
		}
		if c == '?' {
			return s.openMap(n, col)
		}
		if err := s.open(n, col, resource.List); err != nil {
			return err
		}
		return s.item()
	}
	if err := s.plainStart(i, false); err != nil {
		return err
	}
	if col >= 0 {
		if _, colon := s.plainKey(i); colon >= 0 {
			return s.openMap(n, col)
		}
	}
	return s.plainValue(n, i, p)
}

func (s *scanner) openMap(n, col int) error {
	if err := s.open(n, col, resource.Map); err != nil {
		return err
	}
	return s.entry()
}
