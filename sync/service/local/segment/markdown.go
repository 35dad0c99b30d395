package segment

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown is the reader: CommonMark with tables, strikethrough, task lists and footnotes. The work of those that pair
// marks is counted.
var markdown = goldmark.New(goldmark.WithParser(parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	parser.WithInlineParsers(
		util.Prioritized(countedMarks{parser.NewCodeSpanParser()}, 100),
		util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
		util.Prioritized(countedMarks{parser.NewEmphasisParser()}, 500),
		util.Prioritized(countedMarks{extension.NewStrikethroughParser()}, 500)))),
	goldmark.WithExtensions(extension.Table, extension.TaskList, extension.Footnote))

// parseMarkdown takes Markdown apart: the sentences of paragraphs, headings, list items and table cells, with their
// inline markup as the file spells it. Code blocks, HTML blocks, link definitions and the front matter are not
// segments. A sentence that runs over several lines is one line in its segment; the file keeps its line breaks until
// the sentence is translated.
func parseMarkdown(ctx context.Context, src []byte, o Options) (*Document, error) {
	body := frontMatter(src)
	r := &markdownReader{d: &Document{src: src}, src: src, rules: rulesOf(o.Source)}
	plain := bytes.Clone(src)
	for i := range body { // the reader has to see offsets of the whole file
		if plain[i] != '\n' {
			plain[i] = ' '
		}
	}
	lines := r.unixLines(plain)
	if err := checkMarkdown(lines); err != nil {
		return nil, err
	}
	marks := &markdownMarks{ctx: ctx}
	pc := parser.NewContext()
	pc.Set(marksRead, marks)
	root := markdown.Parser().Parse(text.NewReader(lines), parser.WithContext(pc))
	if marks.wrong != nil {
		return nil, marks.wrong
	}
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		switch n.Kind() {
		case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading, extensionast.KindTableCell:
			r.block(n)
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	r.d.sort() // the reader gathers footnotes at the end
	return r.d, nil
}

// The reader takes a time that grows with the square or the cube of these; within them it is a few seconds at the most.
const (
	maxMarkdownDepth = 200
	maxMarkdownCells = 1_000_000 // of tables, with those that rows lack
	maxMarkdownLinks = 10_000    // definitions
	maxMarkdownOpen  = 1000      // brackets inside one another
	maxMarkdownScan  = 10 << 20  // bytes of links' addresses, those of one inside another counted again
)

// checkMarkdown refuses what would keep the reader busy for minutes.
func checkMarkdown(src []byte) error {
	var number, cells, links, rows, columns, open, scanned int
	for line := range bytes.Lines(src) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) == 0 {
			rows, columns, open = 0, 0, 0
			continue
		}
		if open = bracketsOpen(open, line); open > maxMarkdownOpen {
			return fmt.Errorf("line %d: more than %d brackets inside one another", number, maxMarkdownOpen)
		}
		if scanned += addressBytes(line, maxMarkdownScan-scanned); scanned > maxMarkdownScan {
			return fmt.Errorf("line %d: the addresses of links have no end", number)
		}
		if markdownDepth(line) > maxMarkdownDepth {
			return fmt.Errorf("line %d: more than %d lists and quotations inside one another", number, maxMarkdownDepth)
		}
		// The lines up to the next blank one may be the rows of a table, each with as many cells as the widest of them.
		rows++
		before := (rows - 1) * columns
		columns = max(columns, bytes.Count(line, []byte("|")))
		if cells += rows*columns - before; cells > maxMarkdownCells {
			return fmt.Errorf("line %d: tables with more than %d cells; cut them into smaller ones", number, maxMarkdownCells)
		}
		trimmed := bytes.TrimLeft(line, " ")
		if bytes.HasPrefix(trimmed, []byte("[")) && bytes.Contains(trimmed, []byte("]:")) {
			if links++; links > maxMarkdownLinks {
				return fmt.Errorf("line %d: more than %d link definitions", number, maxMarkdownLinks)
			}
		}
	}
	return nil
}

// bracketsOpen is how many brackets are open at most up to the end of a line, or, where it is within the bound, how
// many are open behind it. open were before it.
func bracketsOpen(open int, line []byte) int {
	for _, c := range line {
		switch c {
		case '[':
			if open++; open > maxMarkdownOpen {
				return open
			}
		case ']':
			open = max(open-1, 0)
		}
	}
	return open
}

// addressBytes is how many bytes of a line the reader looks at for the addresses of links; it counts no further than to
// one above most.
func addressBytes(line []byte, most int) (n int) {
	for at := 0; ; {
		begin := bytes.Index(line[at:], []byte("]("))
		if begin < 0 {
			return n
		}
		at += begin + len("](")
		ends, depth := []byte(" \t"), 0
		if at < len(line) && line[at] == '<' {
			ends = []byte(">")
		}
		for _, c := range line[at:] {
			if n++; n > most {
				return n
			}
			if c == '(' {
				depth++
			}
			if c == ')' && ends[0] != '>' {
				depth--
			}
			if depth < 0 || bytes.IndexByte(ends, c) >= 0 {
				break
			}
		}
	}
}

// markdownDepth is how many lists and quotations a line may be inside of: two columns of white space for each, and the
// marks that it begins with.
func markdownDepth(line []byte) int {
	columns, marks := 0, 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ':
			columns++
		case c == '\t':
			columns += 4
		case c == '>', bytes.IndexByte([]byte("-+*.)"), c) >= 0 && i+1 < len(line) && line[i+1] == ' ':
			marks++
		case c < '0' || c > '9':
			return columns/2 + marks
		}
	}
	return columns/2 + marks
}

var frontMatterPattern = regexp.MustCompile(`\A(?:\xef\xbb\xbf)?(?:---[ \t]*\r?\n(?s:.*?)\n(?:---|\.\.\.)|` +
	`\+\+\+[ \t]*\r?\n(?s:.*?)\n\+\+\+)[ \t]*(?:\r?\n|\z)`)

// frontMatter is the length of the metadata that the file begins with, or of its byte order mark.
func frontMatter(src []byte) int {
	if at := frontMatterPattern.FindIndex(src); at != nil {
		return at[1]
	}
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		return 3
	}
	return 0
}

type markdownReader struct {
	d     *Document
	src   []byte
	rules rules
	gone  []int // where a carriage return was left out: the offsets of the line feeds behind, as the library sees them
}

// unixLines ends lines as the library reads them, at line feeds alone: CommonMark ends them at a carriage return, too.
func (r *markdownReader) unixLines(src []byte) []byte {
	if bytes.IndexByte(src, '\r') < 0 {
		return src
	}
	out := make([]byte, 0, len(src))
	for i, c := range src {
		if c == '\r' && i+1 < len(src) && src[i+1] == '\n' {
			r.gone = append(r.gone, len(out))
			continue
		}
		if c == '\r' {
			c = '\n'
		}
		out = append(out, c)
	}
	return out
}

// at is the offset in the file of one that the library gives.
func (r *markdownReader) at(offset int) int {
	n, found := slices.BinarySearch(r.gone, offset)
	if found {
		n++
	}
	return offset + n
}

// run is a part of a block between two hard line breaks.
type run struct{ from, to int }

// block makes segments of one block that holds inline text.
func (r *markdownReader) block(n ast.Node) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return
	}
	from, to := r.at(lines.At(0).Start), r.at(lines.At(lines.Len()-1).Stop)
	masked := bytes.Clone(r.src[from:to])
	starts := map[int]bool{}
	for i := range lines.Len() {
		starts[r.at(lines.At(i).Start)] = true
		if i > 0 { // what precedes a line, like the sign of a quotation, is not text
			for at := r.at(lines.At(i - 1).Stop); at < r.at(lines.At(i).Start); at++ {
				masked[at-from] = ' '
			}
		}
	}
	whole := r.protected(n, string(masked), from, to)
	allowed := func(offset int) func(int) bool {
		return func(at int) bool {
			at += offset
			// the first that begins at or after it
			behind, _ := slices.BinarySearchFunc(whole, at, func(p run, at int) int { return p.from - at })
			return behind == 0 || at >= whole[behind-1].to
		}
	}
	for _, part := range r.runs(n, from, to) {
		piece := string(masked[part.from-from : part.to-from])
		for _, p := range r.rules.pieces(piece, allowed(part.from)) {
			a, b := part.from+p[0], part.from+p[1]
			guarded := starts[a] && n.Kind() != ast.KindHeading
			r.add(a, b, piece[p[0]:p[1]], guarded, n.Kind() == extensionast.KindTableCell)
		}
	}
}

// protected are the stretches of a block that are more than text, like a link: a sentence is not cut inside one.
func (r *markdownReader) protected(n ast.Node, masked string, from, to int) []run {
	var out []run
	end := from
	open := false
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			open = true
			continue
		}
		if open {
			out = append(out, run{end, r.at(t.Segment.Start)})
		}
		open = false
		end = r.at(t.Segment.Stop)
		end += spaces(masked[end-from:])
	}
	if open {
		out = append(out, run{end, to})
	}
	return out
}

// runs cuts a block at its hard line breaks.
func (r *markdownReader) runs(n ast.Node, from, to int) []run {
	var out []run
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok && t.HardLineBreak() && r.at(t.Segment.Stop) > from {
			out = append(out, run{from, r.at(t.Segment.Stop)})
			from = r.at(t.Segment.Stop)
		}
	}
	return append(out, run{from, to})
}

var (
	brokenLine    = regexp.MustCompile(`[ \t]*(?:[\r\n\f\v][ \t]*)+`) // what spellLine joins
	markdownSigns = "\\`*_[]<>&~|!#$^{}"
)

func (r *markdownReader) add(from, to int, raw string, guarded, cell bool) {
	for strings.HasPrefix(raw, "\\\n") || strings.HasPrefix(raw, "\\\r") { // what is left of a hard line break
		n := 1 + spaces(raw[1:])
		from, raw = from+n, raw[n:]
	}
	s := Segment{Text: brokenLine.ReplaceAllString(raw, " ")}
	if strings.ContainsAny(s.Text, markdownSigns) {
		s.Markup = Markdown
	}
	line := raw
	if end := strings.IndexAny(raw, "\r\n"); end >= 0 {
		line = raw[:end]
	}
	if sign := blockSigns.FindString(line); sign != "" && len(sign) < len(strings.TrimSpace(line)) {
		guarded = false // "14." in the middle of a paragraph is not a list, nor in its translation
	}
	r.d.add(from, to, s, spellMarkdown(s.Markup == Markdown, guarded, cell))
}

var (
	markdownEscapes = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]",
		"<", "\\<", "&", "\\&", "~", "\\~", "|", "\\|")
	blockSigns = regexp.MustCompile("^(?:#{1,6}(?:[ \t]|$)|[-+*](?:[ \t]|$)|>|\\d+[.)](?:[ \t]|$)|=+[ \t]*$|-+[ \t]*$|" +
		"`{3}|~{3}|\\[[^\\]]*\\]:)")
)

// spellMarkdown writes a translation where a paragraph's text is: on one line, and, where it begins a line, with a
// backslash before what would make a heading, a list or a quotation of it.
func spellMarkdown(markup, guarded, cell bool) func(string) (string, error) {
	return func(text string) (string, error) {
		text, _ = spellLine(text)
		switch {
		case !markup:
			text = markdownEscapes.Replace(text)
		case cell:
			text = unescapedPipe.ReplaceAllString(text, `$1\|`)
		}
		text = strings.TrimSpace(text)
		if at := blockSigns.FindStringIndex(text); guarded && at != nil {
			digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
			text = text[:digits] + `\` + text[digits:]
		}
		return text, nil
	}
}

var unescapedPipe = regexp.MustCompile(`((?:^|[^\\])(?:\\\\)*)\|`)
