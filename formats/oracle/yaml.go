package oracle

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

var version = regexp.MustCompile(`(?m)^(%YAML[ \t]+1\.)2`)

// standIn is what a byte order mark inside a text is handed over as: the reader loses some of them. It is as long as
// the mark.
const standIn = "\ue0fe"

// readYAML reads all documents of a YAML file.
func readYAML(src []byte) (*document, error) {
	if err := checkUTF8(src); err != nil {
		return nil, err
	}
	text := string(src)
	y := yamlReader{walk: walk{bytes: len(src)}, offset: len(text) - len(strings.TrimPrefix(text, mark))}
	y.src = text[y.offset:]
	if n := strings.Count(y.src, "\r"); n != strings.Count(y.src, "\r\n") {
		return nil, errors.New("a carriage return without a line feed, " +
			"which some readers take for a line end and some do not")
	}
	if strings.Contains(y.src, mark) && strings.Contains(y.src, standIn) {
		return nil, errors.New("both a byte order mark and U+E0FE stand inside the file")
	}
	y.marked = strings.Contains(y.src, mark)
	y.src = strings.ReplaceAll(y.src, mark, standIn)
	if strings.Contains(y.src, "%YAML") {
		y.src = version.ReplaceAllString(y.src, "${1}1")
	}
	y.lines = lineStarts(y.src)
	decoder := yaml.NewDecoder(strings.NewReader(y.src))
	for {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("yaml/v4: %w", err)
		}
		for _, top := range doc.Content {
			if top.Kind == yaml.ScalarNode && top.ShortTag() == "!!null" && top.Value == "" {
				continue
			}
			if top.Kind != yaml.MappingNode && top.Kind != yaml.SequenceNode {
				return nil, errors.New("a document is a single value")
			}
			if err := y.node(top); err != nil {
				return nil, err
			}
		}
	}
	return &document{text: text, leaves: y.leaves, sealed: y.lost, describes: !y.points}, nil
}

// doubtful is a plain scalar that some version of YAML takes for a boolean, a number or a date.
var doubtful = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null|~|<<|=` +
	`|[-+]?(0[xob][0-9a-f_]*|[0-9][0-9_,]*(:[0-9_]+)*(\.[0-9_]*)?(e[-+]?[0-9]+)?|\.[0-9_]*(e[-+]?[0-9]+)?|\.inf|\.nan)` +
	`|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([t \t][-+0-9:.z \t]*)?)$`)

// symbol is a plain scalar that Ruby takes for a name in its program.
var symbol = regexp.MustCompile(`^:[A-Za-z_][A-Za-z0-9_]*$`)

type yamlReader struct {
	walk
	src    string // prepared: the same length as the file behind its byte order mark
	offset int    // of src in the file
	lines  []int  // where each begins
	marked bool   // stand-ins are in it
	points bool   // something is an alias, a merge key, or has a collection as its key
	lost   bool   // a position was wrong
	leaves []Leaf
}

// lineStarts finds the lines as the reader counts them: by YAML 1.1, with three line ends more.
func lineStarts(s string) []int {
	starts := []int{0}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\n', s[i] == '\r' && (i+1 == len(s) || s[i+1] != '\n'):
			starts = append(starts, i+1)
		case s[i] == 0xc2 && strings.HasPrefix(s[i:], "\u0085"):
			starts = append(starts, i+2)
		case s[i] == 0xe2 && (strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029")):
			starts = append(starts, i+3)
		}
	}
	return starts
}

// at is the byte offset of a node in src; -1 where its line and column are none.
func (y *yamlReader) at(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(y.lines) {
		y.lost = true
		return -1
	}
	at := y.lines[n.Line-1]
	for range n.Column - 1 {
		if at >= len(y.src) {
			y.lost = true
			return -1
		}
		_, size := utf8.DecodeRuneInString(y.src[at:])
		at += size
	}
	return at
}

func (y *yamlReader) text(s string) string {
	if y.marked {
		return strings.ReplaceAll(s, standIn, mark)
	}
	return s
}

func (y *yamlReader) add(kind Kind, text string, n *yaml.Node) *Leaf {
	at := y.at(n)
	l := y.leaf(kind, y.text(text), at, at)
	if at >= 0 {
		l.at, l.end = at+y.offset, at+y.offset
	}
	y.leaves = append(y.leaves, l)
	return &y.leaves[len(y.leaves)-1]
}

// node reads a value. Aliases of collections, and what is under a key that is not a scalar, are not looked into.
func (y *yamlReader) node(n *yaml.Node) error {
	if err := y.tooLarge(); err != nil {
		return err
	}
	switch n.Kind {
	case yaml.MappingNode:
		if len(n.Content) == 0 && len(y.path) > 0 {
			y.add(Empty, "{}", n)
		}
		return y.pairs(n.Content)
	case yaml.SequenceNode:
		if len(n.Content) == 0 && len(y.path) > 0 {
			y.add(Empty, "[]", n)
		}
		for i, item := range n.Content {
			y.in(strconv.Itoa(i), true)
			if err := y.node(item); err != nil {
				return err
			}
			y.out()
		}
	case yaml.AliasNode:
		y.points = true
		l := y.add(Other, "*"+n.Value, n)
		if l.at >= 0 {
			l.end = l.at + 1 + len(n.Value)
		}
		if to := n.Alias; to != nil && to.Kind == yaml.ScalarNode {
			l.repeats = true
			l.Kind, l.Text = y.scalar(to)
		} else {
			l.closed = true
		}
	case yaml.ScalarNode:
		y.one(n)
	default:
		return fmt.Errorf("yaml/v4: a node of kind %v", n.Kind)
	}
	return nil
}

// pairs reads the keys and values of a mapping.
func (y *yamlReader) pairs(content []*yaml.Node) error {
	for k := 0; k+1 < len(content); k += 2 {
		key, value := content[k], content[k+1]
		y.points = y.points || key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge"
		if key.Kind != yaml.ScalarNode {
			y.in("\x00"+flat(key), false) // not a key that can be asked for
			l := y.add(Other, "", key)
			l.at, l.closed = -1, true
			y.out()
			continue
		}
		y.in(y.text(key.Value), false)
		if err := y.node(value); err != nil {
			return err
		}
		y.out()
	}
	return nil
}

// one reads a value that is a scalar.
func (y *yamlReader) one(n *yaml.Node) {
	kind, text := y.scalar(n)
	l := y.add(kind, text, n)
	block := n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	switch {
	case n.Value == "" && !block && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0:
		l.at, l.loose = -1, true // nothing is there, and where is the library's guess
	case l.at >= 0:
		start := y.properties(l.at - y.offset)
		if l.end = y.end(n, start) + y.offset; l.end < l.at {
			y.lost = true
			l.end = l.at
		}
		if kind == Text { // anchor and tag stay when there is another text
			l.at = start + y.offset
		}
		l.doubtful = kind == Text && l.at+len(n.Value) == l.end && len(n.Value) < 40 && doubtful.MatchString(n.Value)
		l.block = block
	}
}

// flat is a key that is a collection, in one line.
func flat(n *yaml.Node) string {
	out := n.Value
	for _, c := range n.Content {
		out += "\x00" + flat(c)
	}
	return out
}

func (y *yamlReader) scalar(n *yaml.Node) (Kind, string) {
	switch n.ShortTag() {
	case "!!str":
		if n.Style == 0 && symbol.MatchString(n.Value) {
			return Other, y.text(n.Value)
		}
		return Text, y.text(n.Value)
	case "!!null":
		return Null, y.text(n.Value)
	}
	return Other, n.Tag + " " + y.text(n.Value)
}

// properties passes over anchor and tag.
func (y *yamlReader) properties(at int) int {
	s := y.src
	for at < len(s) && (s[at] == '&' || s[at] == '!') {
		for at < len(s) && strings.IndexByte(" \t\r\n", s[at]) < 0 {
			at++
		}
		for at < len(s) && strings.IndexByte(" \t\r\n", s[at]) >= 0 {
			at++
		}
	}
	return at
}

// end finds where a scalar ends, white space behind it excluded: at its closing quote, or where all that its text says
// was said. -1 where the file does not say what the library has read there.
func (y *yamlReader) end(n *yaml.Node, at int) int {
	s := y.src
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return quotedEnd(s, at, '"', '\\')
	case n.Style&yaml.SingleQuotedStyle != 0:
		return quotedEnd(s, at, '\'', '\'')
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		eol := strings.IndexAny(s[at:], "\r\n")
		if eol < 0 {
			return len(s)
		}
		at += eol
	}
	return said(s, at, n.Value)
}

// quotedEnd is the offset behind a closing quote.
func quotedEnd(s string, at int, quote, escape byte) int {
	if at >= len(s) || s[at] != quote {
		return -1
	}
	for i := at + 1; i < len(s); i++ {
		switch {
		case s[i] == escape && escape != quote:
			i++
		case s[i] == quote && escape == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return -1
}

// said is the offset in s behind everything in text that is not white space.
func said(s string, at int, text string) int {
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(" \t\r\n", text[i]) >= 0 {
			continue
		}
		for at < len(s) && strings.IndexByte(" \t\r\n", s[at]) >= 0 {
			at++
		}
		if at >= len(s) || s[at] != text[i] {
			return -1
		}
		at++
	}
	return at
}
