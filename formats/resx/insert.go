package resx

import (
	"errors"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/xmlscan"
)

// unit is by how much Visual Studio indents.
const unit = "  "

// Insert writes entries on lines of their own, as their neighbours have them.
func (grammar) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	if at.In != 0 {
		return resource.Splice{}, errors.New("an entry of this format holds one text and nothing below it")
	}
	g := gapAt(f, at)
	var out strings.Builder
	out.WriteString(g.Head)
	for _, n := range add {
		out.WriteString(g.Pre)
		if err := write(&out, n, g.Indent, g.Newline); err != nil {
			return resource.Splice{}, err
		}
		out.WriteString(g.Post)
	}
	out.WriteString(g.Tail)
	return resource.Splice{At: g.At, Text: out.String()}, nil
}

// gapAt finds where entries go: behind a sibling, before the first entry, or in a file without any at its end, where
// they are behind the headers.
func gapAt(f *resource.File, at resource.Gap) xmlscan.Gap {
	src := f.Source()
	if at.After > 0 {
		return xmlscan.Behind(src, f.Node(at.After))
	}
	if f.Len() > 1 {
		return xmlscan.Before(src, f.Node(1))
	}
	root := f.Node(0)
	newline := resource.Newline(src)
	if root.Style&closed != 0 {
		start := int(root.Whole.End) - len("/>")
		start = len(strings.TrimRight(src[:start], xmlscan.Spaces))
		return xmlscan.Gap{At: resource.At(start, int(root.Whole.End)), Head: ">" + newline, Pre: unit, Post: newline,
			Tail: "</root>", Indent: unit, Newline: newline}
	}
	end := strings.LastIndex(src[:root.Whole.End], "</")
	g := xmlscan.Gap{At: resource.At(end, end), Pre: unit, Post: newline, Indent: unit, Newline: newline}
	if line, first := xmlscan.LineStart(src, end); first {
		g.At = resource.At(line, line)
	} else {
		g.Head = newline
	}
	return g
}

// write spells one entry; on one line where newline is "".
func write(out *strings.Builder, n resource.New, indent, newline string) error {
	switch n.Kind {
	case resource.Text:
	case resource.Other:
		if n.Like == nil {
			return errors.New("typed data cannot be written without its model")
		}
		out.WriteString(n.Like.File.Node(n.Like.Node).Whole.Of(n.Like.File.Source()))
		return nil
	case resource.Forms:
		return errors.New("this format has no plural forms; keep them in a file of a format that has")
	default:
		return errors.New("an entry of this format holds one text and nothing below it; give the key a name of its own")
	}
	if strings.HasPrefix(n.Name, designer) {
		return errors.New("a name that begins with >> is the designer's, and no text; give the key another name")
	}
	name, err := spelledName(n.Name, '"')
	if err != nil {
		return err
	}
	at := newline
	if at == "" {
		at = "\n"
	}
	text, err := xmlscan.Spelled(n.Text, "", at)
	if err != nil {
		return err
	}
	note, err := xmlscan.Spelled(n.Note, "", at)
	if err != nil {
		note = "" // a comment with characters that XML does not have
	}
	line := newline + indent
	if newline == "" {
		line = ""
	}
	inner := line
	if newline != "" {
		inner += unit
	}
	out.WriteString("<data name=" + name + ` xml:space="preserve">` + inner + "<value>" + text + "</value>")
	if note != "" {
		out.WriteString(inner + "<comment>" + note + "</comment>")
	}
	out.WriteString(line + "</data>")
	return nil
}

// head is what a file begins with: the headers, without which no reader takes it.
const head = `<?xml version="1.0" encoding="utf-8"?>
<root>
  <resheader name="resmimetype">
    <value>text/microsoft-resx</value>
  </resheader>
  <resheader name="version">
    <value>2.0</value>
  </resheader>
  <resheader name="reader">
    <value>System.Resources.ResXResourceReader, System.Windows.Forms, Version=4.0.0.0, ` +
	`Culture=neutral, PublicKeyToken=b77a5c561934e089</value>
  </resheader>
  <resheader name="writer">
    <value>System.Resources.ResXResourceWriter, System.Windows.Forms, Version=4.0.0.0, ` +
	`Culture=neutral, PublicKeyToken=b77a5c561934e089</value>
  </resheader>
`

// Compose writes the headers and the entries.
func (grammar) Compose(top []resource.New) ([]byte, error) {
	var out strings.Builder
	out.WriteString(head)
	for _, n := range top {
		out.WriteString(unit)
		if err := write(&out, n, unit, "\n"); err != nil {
			return nil, err
		}
		out.WriteString("\n")
	}
	out.WriteString("</root>\n")
	return []byte(out.String()), nil
}
