// Package manual turns the pages of the manual, which are Markdown, into text for a terminal. It knows what the pages
// use: headings, paragraphs, lists, tables, code and links.
package manual

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/locsync/locsync/sync/terminal"
)

// widestTerm is how wide the first column of a table may be; with more, what it says begins on a line of its own.
const widestTerm = 24

// Title is the heading that a page begins with.
func Title(page string) string {
	first, _, _ := strings.Cut(page, "\n")
	return strings.TrimPrefix(first, "# ")
}

// Page is a page of the manual, or a command, which has no address.
type Page struct{ Topic, Title, Text, URL string }

// Index is the manual as an llms.txt (https://llmstxt.org): what the program is, and each page with what is on it.
func Index(about string, pages, commands []Page) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# locsync\n\n> %s\n\n`locsync help TOPIC` prints a page, too, and `locsync help COMMAND` "+
		"tells all about a command.\n\n## Manual\n\n", strings.Join(strings.Fields(about), " "))
	for _, p := range pages {
		fmt.Fprintf(&out, "- [%s](%s): `locsync help %s`", p.Title, p.URL, p.Topic)
		if parts := headings(p.Text); len(parts) > 0 {
			fmt.Fprintf(&out, "; %s", strings.Join(parts, "; "))
		}
		out.WriteByte('\n')
	}
	out.WriteString("\n## Commands\n\n")
	for _, c := range commands {
		fmt.Fprintf(&out, "- `locsync %s`: %s\n", c.Topic, c.Title)
	}
	return out.String()
}

// headings are those of a page's parts.
func headings(page string) (all []string) {
	p := printer{source: []byte(page)}
	root := goldmark.New().Parser().Parse(text.NewReader(p.source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, is := n.(*ast.Heading); is && h.Level == 2 {
			all = append(all, p.inline(h))
		}
	}
	return all
}

// Skill is what coding agents are to do as a SKILL.md (https://agentskills.io).
func Skill(told string) string {
	return "---\nname: locsync\ndescription: Adds, translates and checks texts of this repository's resource files with " +
		"locsync. Use it whenever a change adds or changes text that users read, or translations are asked for.\n---\n\n" +
		"# Translations with locsync\n\n" + strings.TrimSpace(told) + "\n"
}

// Block is the first block of code below a heading of a page, as it is; "" where there is none.
func Block(page, heading string) string {
	_, rest, _ := strings.Cut(page, "\n## "+heading+"\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	_, rest, _ = strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(rest, "\n")
	block, _, _ := strings.Cut(rest, "\n```")
	return block
}

// Text is a page for a terminal of that many columns. Code is indented and never broken. topic names the help about
// another page of the manual, by the page's name without its extension.
func Text(page string, columns int, topic func(name string) string) string {
	p := printer{source: []byte(page), topic: topic}
	root := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(p.source))
	return strings.Join(p.blocks(root, columns), "\n\n")
}

type printer struct {
	source []byte
	topic  func(name string) string
}

// blocks are the blocks of a page or of an item, each without a line break at its end.
func (p *printer) blocks(of ast.Node, columns int) (blocks []string) {
	for n := of.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			words := p.inline(n)
			if n.Level > 1 {
				words = strings.ToUpper(words)
			}
			blocks = append(blocks, hanging("", words, columns))
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			blocks = append(blocks, p.code(n))
		case *ast.List:
			blocks = append(blocks, p.list(n, columns))
		case *table.Table:
			blocks = append(blocks, p.table(n, columns))
		default:
			blocks = append(blocks, hanging("", p.inline(n), columns))
		}
	}
	return blocks
}

func (p *printer) code(n ast.Node) string {
	var lines []string
	for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
		lines = append(lines, strings.TrimRight("  "+string(line.Value(p.source)), " \n"))
	}
	return strings.Join(lines, "\n")
}

func (p *printer) list(n *ast.List, columns int) string {
	number := n.Start
	var items []string
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		begin := "- "
		if n.IsOrdered() {
			begin = fmt.Sprintf("%d. ", number)
			number++
		}
		indent := strings.Repeat(" ", len(begin))
		body := strings.Join(p.blocks(item, columns-len(begin)), "\n")
		items = append(items, begin+strings.ReplaceAll(body, "\n", "\n"+indent))
	}
	return strings.Join(items, "\n")
}

// table lists the rows: the first cell, and right of it, or below it where it is long, the others. The header of a
// table is left out; the cells speak for themselves.
func (p *printer) table(n *table.Table, columns int) string {
	var rows [][2]string
	width := 0
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		if _, is := row.(*table.TableRow); !is {
			continue
		}
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, p.inline(cell))
		}
		last := len(cells) - 1
		rows = append(rows, [2]string{strings.Join(cells[:last], ", "), cells[last]})
		width = max(width, terminal.Columns(rows[len(rows)-1][0]))
	}
	var lines []string
	for _, row := range rows {
		if width > widestTerm {
			lines = append(lines, hanging("  ", row[0], columns), hanging("      ", row[1], columns))
			continue
		}
		blank := strings.Repeat(" ", width-terminal.Columns(row[0]))
		lines = append(lines, hanging("  "+row[0]+blank+"  ", row[1], columns))
	}
	return strings.Join(lines, "\n")
}

// inline is the text of a block in one line.
func (p *printer) inline(of ast.Node) string {
	var out strings.Builder
	for n := of.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			out.Write(n.Value(p.source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.String:
			out.Write(n.Value)
		case *ast.AutoLink:
			out.Write(n.URL(p.source))
		case *ast.Link:
			out.WriteString(p.inline(n) + p.target(string(n.Destination)))
		default: // code, emphasis
			out.WriteString(p.inline(n))
		}
	}
	return strings.NewReplacer(`\|`, "|", "\n", " ").Replace(out.String())
}

// target says where a link leads, in brackets; nothing for one within the page or to a file of the project.
func (p *printer) target(link string) string {
	if strings.Contains(link, "://") {
		return " (" + link + ")"
	}
	file, _, _ := strings.Cut(link, "#")
	if name, is := strings.CutSuffix(file, ".md"); is && path.Base(file) == file {
		if help := p.topic(name); help != "" {
			return " (" + help + ")"
		}
	}
	return ""
}

// hanging breaks a text into lines below each other, right of what the first one begins with.
func hanging(begin, text string, columns int) string {
	lines := terminal.Wrapped(cmp.Or(text, " "), columns-terminal.Columns(begin))
	return begin + strings.Join(lines, "\n"+strings.Repeat(" ", terminal.Columns(begin)))
}
