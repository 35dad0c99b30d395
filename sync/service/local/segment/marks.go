package segment

import (
	"context"
	"fmt"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// maxMarkdownSteps is how many marks and bytes the reader may go back and forth over to pair inline marks, in all
// blocks of a document together: about a second.
const maxMarkdownSteps = 100_000_000

// marksRead is under this key in the reader's context.
var marksRead = parser.NewContextKey()

// markdownMarks counts what the reader does to pair the marks of emphasis and code. It compares each mark that may
// close with all open ones before it in the block.
type markdownMarks struct {
	ctx   context.Context
	block ast.Node
	open  []*parser.Delimiter // of the block, without the pairs that are next to each other
	steps int
	wrong error // why the rest of the document is not read
}

// countedMarks is a reader of inline marks whose work is counted.
type countedMarks struct{ reader parser.InlineParser }

// Trigger implements parser.InlineParser.
func (c countedMarks) Trigger() []byte { return c.reader.Trigger() }

// Parse implements parser.InlineParser. Once there was too much, marks are text.
func (c countedMarks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	m := pc.Get(marksRead).(*markdownMarks)
	if m.wrong != nil {
		return nil
	}
	if m.block != parent {
		m.block, m.open = parent, m.open[:0]
	}
	_, at := block.Position()
	n := c.reader.Parse(parent, block, pc)
	switch n := n.(type) {
	case *parser.Delimiter:
		m.delimiter(n)
	case *ast.Text: // a mark of code without another one: the reader went to the end of the block
		m.steps += parent.Lines().At(parent.Lines().Len()-1).Stop - at.Start
	}
	switch err := m.ctx.Err(); {
	case err != nil:
		m.wrong = err
	case m.steps > maxMarkdownSteps:
		line, _ := position(block.Source(), at.Start)
		m.wrong = fmt.Errorf("line %d: pairing the marks * _ ~ ` up to it takes more than %d steps; cut its paragraph "+
			"into smaller ones, or write a backslash before marks that are text", line, maxMarkdownSteps)
	}
	return n
}

// delimiter counts what a mark of emphasis is compared with. Two of one length next to each other are a pair at once.
func (m *markdownMarks) delimiter(d *parser.Delimiter) {
	if last := len(m.open) - 1; d.CanClose && last >= 0 {
		if o := m.open[last]; o.CanOpen && o.Char == d.Char && o.Length == d.Length {
			m.open = m.open[:last]
			m.steps++
			return
		}
		m.steps += len(m.open)
	}
	m.open = append(m.open, d)
}
