package yamlfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// Set gives leaf i another text in the spelling it has, or in double quotes where that cannot hold it. Anchor, tag and
// comment stay. The only leaves that cannot be set are those whose tag says that they are not text.
func (grammar) Set(f *resource.File, i int, text string) (resource.Splice, error) {
	src, n := f.Source(), f.Node(i)
	old := n.Value.Of(src)
	inFlow := isFlow(f.Node(int(n.Parent)))
	spelled, ok := "", false
	switch n.Style {
	case tagged:
		return resource.Splice{}, errors.New("its tag says that it is not a text; take the tag out of the file first")
	case single, singleEscaped:
		spelled, ok = spellSingle(text)
	case doubleEscaped:
		spelled, ok = respellDouble(old, text), true
	case double:
	default:
		if isBlockText(n.Style) {
			b := readBlock(src, n.Value, n.Style)
			outer := column(src, int(n.Whole.Start))
			if spelled, ok = spellBlock(b, outer, text, followingIn(src[n.Value.End:]), lineFeed(src, int(n.Value.Start))); !ok {
				spelled, ok = spellDouble(text, false)+b.rest, true
			}
			break
		}
		spelled, ok = text, isPlain(text, inFlow)
	}
	if !ok {
		spelled = spellDouble(text, false)
	}
	switch n.Style {
	case empty:
		spelled = " " + spelled
	case emptyFlow:
		spelled = ": " + spelled
	case emptyExplicit:
		at := int(n.Whole.Start)
		spelled = lineFeed(src, at) + strings.Repeat(" ", column(src, at)) + ": " + spelled
	}
	return resource.Splice{At: n.Value, Text: spelled}, nil
}

// Rename gives node i another name in the quotes of the old one; a plain one gets double quotes where readers could
// misread it.
func (grammar) Rename(f *resource.File, i int, name string) (resource.Splice, error) {
	n := f.Node(i)
	old := n.Name.Of(f.Source())
	if old == "" || old[0] == '[' || old[0] == '{' {
		return resource.Splice{}, errors.New("it has no name that could be another one")
	}
	style := uint8(plain)
	switch old[0] {
	case '\'':
		style = single
	case '"':
		style = double
	}
	spelled, err := spellName(name, style, isFlow(f.Node(int(n.Parent))))
	if err != nil {
		return resource.Splice{}, err
	}
	return resource.Splice{At: n.Name, Text: spelled}, nil
}

// spellName writes a name in this style if that can hold it, else in double quotes.
func spellName(name string, style uint8, inFlow bool) (string, error) {
	spelled, ok := name, style == plain && isPlain(name, inFlow)
	if style == single {
		spelled, ok = spellSingle(name)
	}
	if !ok {
		spelled = spellDouble(name, false)
	}
	if len(spelled) > resource.MaxName {
		return "", fmt.Errorf("the name is longer than %d bytes", resource.MaxName)
	}
	return spelled, nil
}

func isFlow(n *resource.Node) bool {
	return n.Style == flow || n.Style == pair || n.Style == messageFlow
}

// lineFeed is the line end of the line that offset i is in; on a last line without one that of the first line.
func lineFeed(src string, i int) string {
	end, next := lineEnd(src, i)
	if end == next {
		end, next = lineEnd(src, 0)
	}
	if end == next {
		return "\n"
	}
	return src[end:next]
}

// noteAbove reports whether the note of a node is above it.
func noteAbove(n *resource.Node) bool {
	return n.Note.Len() > 0 && n.Note.End <= n.Whole.Start
}

// start is where a node begins with the comment above it.
func start(n *resource.Node) int {
	if noteAbove(n) {
		return int(n.Note.Start)
	}
	return int(n.Whole.Start)
}

// startsLine reports whether only spaces are before offset i on its line.
func startsLine(src string, i int) bool {
	return skipSpaces(src, lineStart(src, i)) >= i
}

// deeperComments skips the lines behind offset i, a line start, that hold nothing but a comment in a column beyond
// col.
func deeperComments(src string, i, col int) int {
	for i < len(src) {
		p := skipSpaces(src, i)
		if p >= len(src) || src[p] != '#' || p-i <= col {
			break
		}
		_, i = lineEnd(src, p)
	}
	return i
}

// deeperCommentBehind reports whether the first thing below the line of offset i, blank lines aside, is a comment in a
// column beyond col: a block scalar that ended there would go on with it.
func deeperCommentBehind(src string, i, col int) bool {
	for _, i = lineEnd(src, i); i < len(src); _, i = lineEnd(src, i) {
		if p := skipBlanks(src, i); !isBreakAt(src, p) {
			return src[p] == '#' && p-i > col
		}
	}
	return false
}
