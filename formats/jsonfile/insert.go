package jsonfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/locsync/locsync/formats/messages"
	"github.com/locsync/locsync/formats/resource"
)

// Lines is the layout that entries of a container have: what a new one among them is written with.
type Lines struct {
	Line  string // the line end and indentation in front of an entry; "" where the entries are on one line
	Gap   string // the white space behind a comma, where the next entry is on the same line
	Colon string // the colon with the white space around it
	Unit  string // one more level of indentation
}

// In is the layout one level deeper.
func (l Lines) In() Lines {
	if l.Line != "" {
		l.Line += l.Unit
	}
	return l
}

// Insert returns the splice that puts entries at one place. write spells them in the layout that the neighbours have,
// without commas. model is the file that the entries come from, for the layout where f gives no example; may be nil.
// unit is the indentation where model gives none either. f may be a file of any grammar, as for Remove.
func Insert(
	f *resource.File, at resource.Gap, model *resource.File, unit string, write func(Lines) ([]string, error),
) (resource.Splice, error) {
	p := placing{f: f, src: f.Source(), in: f.Node(at.In), model: model, unit: unit}
	p.bracket = int(p.in.Value.Start)
	first := at.In + 1
	if p.in.Kind == resource.Null {
		return p.intoNull(at.In, write)
	}
	if first >= int(p.in.End) {
		return p.intoEmpty(at.In, write)
	}
	if at.After < 0 {
		return p.before(at.In, first, write)
	}
	return p.behind(at, first, write)
}

// placing is one call of Insert.
type placing struct {
	f       *resource.File
	src     string
	in      *resource.Node
	bracket int // where the container opens
	model   *resource.File
	unit    string
}

// behind adds entries behind a sibling: behind the comment that belongs to it.
func (p *placing) behind(at resource.Gap, first int, write func(Lines) ([]string, error)) (resource.Splice, error) {
	s := p.f.Node(at.After)
	end := int(s.Whole.End)
	comma, tail := tail(p.src, end)
	next := int(s.End)
	last := next >= int(p.in.End)
	l := Lines{Colon: p.colon(at.In, at.After, first)}
	inline := false // the next entry is on the same line
	if !last {
		n, _ := lineEnds(p.src[tail:start(p.f.Node(next))])
		gap := p.src[tail:start(p.f.Node(next))]
		inline = n == 0 && isBlank(gap)
		l.Gap = gap
	}
	if !inline {
		neighbours := []int{at.After, first}
		if !last {
			neighbours = append(neighbours, next)
		}
		l.Line = p.line(neighbours...)
		l.Gap = p.gap(first, l.Colon)
		if l.Line == "" && (comma >= 0 && tail > comma+1 || comma < 0 && isLineComment(p.src[end:tail])) {
			l.Line = p.lineEnd() + Indentation(p.src, end) // a comment ends the line
		}
	}
	l.Unit = p.unitOf(l)
	entries, err := write(l)
	if err != nil {
		return resource.Splice{}, err
	}
	lead := l.Line
	if lead == "" {
		lead = l.Gap
	}
	switch text := lead + strings.Join(entries, ","+lead); {
	case comma >= 0:
		return resource.Splice{At: resource.At(tail, tail), Text: text + ","}, nil
	case l.Line == "":
		return resource.Splice{At: resource.At(tail, tail), Text: "," + text}, nil
	default:
		return resource.Splice{At: resource.At(end, tail), Text: "," + p.src[end:tail] + text}, nil
	}
}

func isLineComment(s string) bool {
	comments, _, _, _ := readGap(s, 0, nil)
	n := len(comments)
	return n > 0 && s[comments[n-1].start+1] == '/'
}

// before adds entries in front of the first one and of the comment above it.
func (p *placing) before(in, first int, write func(Lines) ([]string, error)) (resource.Splice, error) {
	at := start(p.f.Node(first))
	l := Lines{Colon: p.colon(in, first, first)}
	l.Line = p.line(first)
	l.Gap = p.gap(first, l.Colon)
	l.Unit = p.unitOf(l)
	entries, err := write(l)
	if err != nil {
		return resource.Splice{}, err
	}
	behind := l.Line
	if behind == "" {
		behind = l.Gap
	}
	return resource.Splice{At: resource.At(at, at), Text: strings.Join(entries, ","+behind) + "," + behind}, nil
}

// intoEmpty adds the first entries of a container. Comments in there stay, with a blank line behind those that could be
// taken for the new entry's.
func (p *placing) intoEmpty(in int, write func(Lines) ([]string, error)) (resource.Splice, error) {
	from, to := p.bracket+1, int(p.in.Value.End)-1
	comments, _, _, _ := readGap(p.src[:to], from, nil)
	l := p.emptyLines(in)
	if len(comments) > 0 && l.Line == "" {
		l.Line, l.Unit = p.lineEnd()+Indentation(p.src, p.bracket)+p.unit, p.unit
	}
	entries, err := write(l)
	if err != nil {
		return resource.Splice{}, err
	}
	if len(comments) == 0 {
		close := ""
		if l.Line != "" {
			close = p.lineEnd() + Indentation(p.src, p.bracket)
		}
		return resource.Splice{At: resource.At(from, to), Text: join(entries, l) + close}, nil
	}
	at := comments[len(comments)-1].end
	text := join(entries, l)
	if comments[len(comments)-1].newlines > 0 {
		text = p.lineEnd() + text
	}
	return resource.Splice{At: resource.At(at, at), Text: text}, nil
}

// intoNull replaces a null by an object with the first entries.
func (p *placing) intoNull(in int, write func(Lines) ([]string, error)) (resource.Splice, error) {
	l := p.emptyLines(in)
	entries, err := write(l)
	if err != nil {
		return resource.Splice{}, err
	}
	end := ""
	if l.Line != "" {
		end = p.lineEnd() + Indentation(p.src, p.bracket)
	}
	return resource.Splice{At: p.in.Value, Text: "{" + join(entries, l) + end + "}"}, nil
}

func join(entries []string, l Lines) string {
	if l.Line == "" {
		return strings.Join(entries, ","+l.Gap)
	}
	return l.Line + strings.Join(entries, ","+l.Line)
}

// emptyLines is the layout of the first entries in an empty container: that of the container's own siblings, else of
// the model, else one entry a line.
func (p *placing) emptyLines(in int) Lines {
	l := Lines{Colon: p.colon(in, in, in)}
	own := Indentation(p.src, p.bracket)
	if up := int(p.in.Parent); up >= 0 {
		l.Gap = p.gap(up+1, l.Colon)
		line, ok := lineStart(p.src, start(p.in))
		if !ok {
			return l
		}
		l.Line, l.Unit = line, p.unit
		outer := Indentation(p.src, int(p.f.Node(up).Value.Start))
		if unit, ok := strings.CutPrefix(own, outer); ok && unit != "" {
			l.Unit = unit
		}
		l.Line = p.lineEnd() + own + l.Unit
		return l
	}
	l.Unit = p.unit
	if own != "" {
		l.Unit = own
	} else if m := p.model; m != nil && m.Len() > 1 {
		line, ok := lineStart(m.Source(), start(m.Node(1)))
		if !ok {
			l.Gap = (&placing{f: m, src: m.Source()}).gap(1, l.Colon)
			return l
		}
		outer := Indentation(m.Source(), int(m.Node(0).Value.Start))
		if unit, ok := strings.CutPrefix(strings.TrimLeft(line, "\r\n"), outer); ok {
			l.Unit = unit
		}
	}
	l.Line = p.lineEnd() + own + l.Unit
	return l
}

// line is the line end and indentation of the first of the nodes that starts a line.
func (p *placing) line(nodes ...int) string {
	for _, i := range nodes {
		if line, ok := lineStart(p.src, start(p.f.Node(i))); ok {
			return line
		}
	}
	return ""
}

// lineStart returns the line end and indentation in front of at, if nothing else is there.
func lineStart(src string, at int) (string, bool) {
	from := at
	for from > 0 && (src[from-1] == ' ' || src[from-1] == '\t') {
		from--
	}
	switch {
	case from == 0:
		return "", false
	case src[from-1] == '\n' && from > 1 && src[from-2] == '\r':
		return src[from-2 : at], true
	case src[from-1] == '\n' || src[from-1] == '\r':
		return src[from-1 : at], true
	}
	return "", false
}

// maxLine bounds how far back the start of a line is looked for: minified files have one line only.
const maxLine = 4096

// Indentation is the white space at the start of the line that at is in.
func Indentation(src string, at int) string {
	from := at
	for from > 0 && at-from < maxLine && src[from-1] != '\n' && src[from-1] != '\r' {
		from--
	}
	if from == 0 && strings.HasPrefix(src, bom) {
		from = len(bom)
	}
	end := from
	for end < at && (src[end] == ' ' || src[end] == '\t') {
		end++
	}
	return src[from:end]
}

// lineEnd is the nearest line end: in front of the container, else behind it, else the model's first one, else \n. The
// search is bounded for files of one long line.
func (p *placing) lineEnd() string {
	around := p.src[max(0, p.bracket-maxLine):p.bracket]
	i := strings.LastIndexAny(around, "\r\n")
	if i < 0 {
		around = p.src[p.bracket:min(len(p.src), p.bracket+maxLine)]
		i = strings.IndexAny(around, "\r\n")
	}
	if i < 0 && p.model != nil {
		around = p.model.Source()[:min(len(p.model.Source()), maxLine)]
		i = strings.IndexAny(around, "\r\n")
	}
	switch {
	case i < 0:
		return "\n"
	case i > 0 && around[i-1:i+1] == "\r\n":
		return "\r\n"
	case strings.HasPrefix(around[i:], "\r\n"):
		return "\r\n"
	}
	return around[i : i+1]
}

// gap is the white space behind the comma between the first two entries of the container, if they are on one line;
// else that behind the colon, which tells minified files from others.
func (p *placing) gap(first int, colon string) string {
	a := p.f.Node(first)
	if next := int(a.End); next < int(p.f.Node(int(a.Parent)).End) {
		if _, end := tail(p.src, int(a.Whole.End)); end <= start(p.f.Node(next)) {
			if s := p.src[end:start(p.f.Node(next))]; strings.Trim(s, " \t") == "" {
				return s
			}
		}
	}
	return blankBehind(colon)
}

// blankBehind is what parts things on one line in a file with such colons.
func blankBehind(colon string) string {
	if strings.HasSuffix(colon, ":") {
		return ""
	}
	return " "
}

// colon is how names and values are parted: by a neighbour's example, else the nearest container's, else the model's.
func (p *placing) colon(in int, neighbours ...int) string {
	for _, i := range neighbours {
		if c, ok := colonOf(p.src, p.f.Node(i)); ok {
			return c
		}
		if i+1 < int(p.f.Node(i).End) { // the first thing in it
			if c, ok := colonOf(p.src, p.f.Node(i+1)); ok {
				return c
			}
		}
	}
	for ; in > 0; in = int(p.f.Node(in).Parent) {
		if c, ok := colonOf(p.src, p.f.Node(in)); ok {
			return c
		}
	}
	for _, f := range []*resource.File{p.f, p.model} {
		if f == nil {
			continue
		}
		for i := 1; i < min(f.Len(), 16); i++ {
			if c, ok := colonOf(f.Source(), f.Node(i)); ok {
				return c
			}
		}
	}
	before := strings.TrimRight(p.src[:p.bracket], " \t") // the container's own, where its name is not a node
	if name, ok := strings.CutSuffix(before, ":"); ok {
		return p.src[len(strings.TrimRight(name, " \t")):p.bracket]
	}
	return ": "
}

// colonOf returns what is between the name and the value of a node, when that is a colon on one line.
func colonOf(src string, n *resource.Node) (string, bool) {
	if n.Name.Len() == 0 || n.Value.Start < n.Name.End {
		return "", false
	}
	c := src[n.Name.End:n.Value.Start]
	return c, strings.Trim(c, " \t") == ":"
}

// unitOf is one level of indentation: what entries on lines of their own have more than the line that their container
// opens in.
func (p *placing) unitOf(l Lines) string {
	if l.Line == "" {
		return ""
	}
	outer := Indentation(p.src, p.bracket)
	unit, ok := strings.CutPrefix(strings.TrimLeft(l.Line, "\r\n"), outer)
	if !ok {
		return p.unit
	}
	return unit
}

// Insert writes the entries as their neighbours are written.
func (grammar) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	if err := insertable(f, at.In, add); err != nil {
		return resource.Splice{}, err
	}
	w := writer{spelling: SpellingOf(f.Node(0), "")}
	w.neighbours(f, at)
	var model *resource.File
	for _, n := range add {
		if n.Like != nil {
			model = n.Like.File
			break
		}
	}
	return Insert(f, at, model, "  ", func(l Lines) ([]string, error) {
		out := make([]string, len(add))
		for i := range add {
			var b strings.Builder
			if err := w.entry(&b, &add[i], l, f.Node(at.In).Kind == resource.List); err != nil {
				return nil, err
			}
			out[i] = b.String()
		}
		return out, nil
	})
}

// insertable refuses what would stand too deep, and what a message file has no place for.
func insertable(f *resource.File, in int, add []resource.New) error {
	depth := 0
	for i := in; i >= 0; i = int(f.Node(i).Parent) {
		depth++
	}
	for i := range add {
		if depth+height(&add[i]) > resource.MaxDepth {
			return fmt.Errorf("it would be in more than %d objects inside one another", resource.MaxDepth)
		}
		if in == 0 && f.Node(0).Kind == resource.Map && isNewMetadata(&add[i]) {
			return errMetadata
		}
	}
	if f.Node(0).Style&messageEntry != 0 {
		return messages.Insertable(in, add)
	}
	return errors.Join(messages.Unsettled(f, in, add), messages.Tellable(f, in, add))
}

func height(n *resource.New) int {
	h := 0
	for i := range n.Children {
		h = max(h, height(&n.Children[i]))
	}
	if n.Kind >= resource.Map {
		h++
	}
	return h
}
