package xliff

import (
	"errors"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/xmlscan"
)

// Set replaces the content of the target, or makes one.
func (grammar) Set(f *resource.File, i int, text string) (resource.Splice, error) {
	src, n := f.Source(), f.Node(i)
	switch {
	case n.Style&program != 0:
		return resource.Splice{}, errors.New("this text is in the program, which this file is from; change it there")
	case n.Kind == resource.Other:
		return resource.Splice{}, errors.New("this unit is not translated here")
	case text == "":
		return resource.Splice{}, errors.New("in this format, an empty text says that there is no translation")
	}
	newline := resource.Newline(src)
	old := ""
	if n.Style&(absent|closed) == 0 {
		old = n.Value.Of(src)
	}
	content, err := spelled(text, old, newline)
	switch {
	case err != nil:
		return resource.Splice{}, err
	case n.Style&closed != 0:
		content = ">" + content + "</target>"
	case n.Style&absent != 0:
		content = ahead(src, n) + "<target>" + content + "</target>"
	}
	return resource.Splice{At: n.Value, Text: content}, nil
}

// ahead is the white space in front of a new target: as in front of the source.
func ahead(src string, n *resource.Node) string {
	start := strings.LastIndex(src[:n.Value.Start], "<source")
	line, first := xmlscan.LineStart(src, start)
	if !first {
		return ""
	}
	return resource.Newline(src) + src[line:start]
}

// Beside brings the source up to date, and a state that says that there is no translation.
func (grammar) Beside(f *resource.File, i int, _ map[int]string, like *resource.Model) []resource.Splice {
	src, n := f.Source(), f.Node(i)
	u := unitOf(src, n)
	var splices []resource.Splice
	if like != nil && n.Style&bySource == 0 && !u.sourceClosed {
		from := like.File.Source()
		is := unitOf(from, like.File.Node(like.Node))
		now, _ := decoded(u.source.Of(src))
		if text, plain := decoded(is.source.Of(from)); plain && is.hasSource && text != now {
			content := strings.ReplaceAll(is.source.Of(from), "\r\n", "\n")
			content = strings.ReplaceAll(content, "\n", resource.Newline(src))
			splices = append(splices, resource.Splice{At: u.source, Text: content})
		}
	}
	if u.first(src) {
		splices = append(splices, resource.Splice{At: u.state, Text: `"translated"`})
	}
	return splices
}

// unitIndent is by how much a new entry without a model is indented.
const unitIndent = "      "

// Insert writes units on lines of their own, as their neighbours have them.
func (g grammar) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	if f.Node(at.In).Kind != resource.Map {
		return resource.Splice{}, errShape
	}
	gap, err := gapAt(f, at)
	if err != nil {
		return resource.Splice{}, err
	}
	var out strings.Builder
	out.WriteString(gap.Head)
	second := f.Node(0).Style&version2 != 0
	for _, n := range add {
		entry, err := "", errors.New("in what Xcode exports, the key has the original of a <file> in front of the id; add it")
		switch {
		case n.Kind == resource.Map && at.In == 0 && filed(f):
			entry, err = g.file(f, n, gap.Indent, gap.Newline)
		case at.In > 0 || !filed(f):
			entry, err = g.entry(n, second, gap.Indent, gap.Newline)
		}
		if err != nil {
			return resource.Splice{}, err
		}
		out.WriteString(gap.Pre + entry + gap.Post)
	}
	out.WriteString(gap.Tail)
	return resource.Splice{At: gap.At, Text: out.String()}, nil
}

// filed reports whether the entries of a document are in files.
func filed(f *resource.File) bool { return f.Len() > 1 && f.Node(1).Kind == resource.Map }

// gapAt finds where entries go: behind a sibling, before the first one, or where there is none at the end of the body.
func gapAt(f *resource.File, at resource.Gap) (xmlscan.Gap, error) {
	src, in := f.Source(), f.Node(at.In)
	switch {
	case at.After > 0:
		return xmlscan.Behind(src, &resource.Node{Whole: f.Node(at.After).Whole}), nil
	case int(in.End) > at.In+1:
		return xmlscan.Before(src, &resource.Node{Whole: f.Node(at.In + 1).Whole}), nil
	}
	inside := in.Value.Of(src)
	end := strings.LastIndex(inside, "</body>")
	if end < 0 && !strings.Contains(inside, "<body") {
		end = strings.LastIndex(inside, "</file>")
	}
	if end < 0 {
		return xmlscan.Gap{}, errors.New("the file has no <body> that entries could be written into; write one")
	}
	end += int(in.Value.Start)
	newline := resource.Newline(src)
	line, first := xmlscan.LineStart(src, end)
	indent := src[line:end] + "  "
	if !first {
		return xmlscan.Gap{At: resource.At(end, end), Indent: unitIndent}, nil
	}
	return xmlscan.Gap{At: resource.At(line, line), Pre: indent, Post: newline, Indent: indent, Newline: newline}, nil
}

var errShape = errors.New("an entry of this format holds one text and nothing below it")

// entry spells a unit: what its model has, with the target behind the source. On one line where newline is "".
func (g grammar) entry(n resource.New, second bool, indent, newline string) (string, error) {
	switch {
	case n.Kind == resource.Other && n.Like != nil:
		return n.Like.File.Node(n.Like.Node).Whole.Of(n.Like.File.Source()), nil
	case n.Kind == resource.Forms:
		return "", errors.New("this format has no plural forms, but those of a message inside of a text")
	case n.Kind != resource.Text:
		return "", errShape
	case n.Text == "":
		return "", errors.New("in this format, an empty text says that there is no translation")
	case n.Name == "":
		return "", errors.New("an entry needs a name")
	}
	at := newline
	if at == "" {
		at = "\n"
	}
	content, err := spelled(n.Text, "", at)
	if err != nil {
		return "", err
	}
	if n.Like != nil && unitOf(n.Like.File.Source(), n.Like.File.Node(n.Like.Node)).hasSource {
		return likeModel(n.Like, content, indent, newline), nil
	}
	name, err := xmlscan.AttributeValue(n.Name, '"')
	if err != nil {
		return "", err
	}
	if len(name) > resource.MaxName {
		return "", errors.New("the name is too long")
	}
	id, err := xmlscan.Spelled(n.Name, "", at)
	if err != nil {
		return "", err
	}
	line := newline + indent
	if newline == "" {
		line = ""
	}
	return g.plain(name, id, content, second, line), nil
}

// plain is a unit without a model; line is what its lines begin with, "" where it is on one.
func (g grammar) plain(name, source, target string, second bool, line string) string {
	deeper := line
	if line != "" {
		deeper += "  "
	}
	attribute := "id=" + name
	switch {
	case g.symfony && second:
		attribute += " name=" + name
	case g.symfony:
		attribute += " resname=" + name
	}
	if !second {
		return "<trans-unit " + attribute + ">" + deeper + "<source>" + source + "</source>" + deeper +
			"<target>" + target + "</target>" + line + "</trans-unit>"
	}
	inner := deeper
	if deeper != "" {
		inner += "  "
	}
	return "<unit " + attribute + ">" + deeper + "<segment>" + inner + "<source>" + source + "</source>" + inner +
		"<target>" + target + "</target>" + deeper + "</segment>" + line + "</unit>"
}

// likeModel is the unit of a source file with a target.
func likeModel(like *resource.Model, content, indent, newline string) string {
	src, n := like.File.Source(), like.File.Node(like.Node)
	u := unitOf(src, n)
	space := ""
	start := strings.LastIndex(src[:u.behind], "<source")
	if line, first := xmlscan.LineStart(src, start); first {
		space = "\n" + src[line:start]
	}
	from, to := elementOf(src, u)
	out := src[u.whole.Start:u.behind] + space + "<target>" + content + "</target>"
	out += src[u.behind:from] + src[to:u.whole.End]
	out = strings.ReplaceAll(out, "\r\n", "\n")
	if newline != "" {
		line, _ := xmlscan.LineStart(src, int(u.whole.Start))
		out = strings.ReplaceAll(out, "\n"+src[line:u.whole.Start], "\n"+indent)
		out = strings.ReplaceAll(out, "\n", newline)
	}
	return out
}

// elementOf is the target of a unit with the white space in front of it; nothing behind the source where there is none.
func elementOf(src string, u unit) (from, to int) {
	if !u.hasTarget {
		return u.behind, u.behind
	}
	from = strings.LastIndex(src[:u.target.Start], "<target")
	from = len(strings.TrimRight(src[:from], xmlscan.Spaces))
	to = int(u.target.End)
	if !u.closed {
		to += strings.IndexByte(src[to:], '>') + 1
	}
	return max(from, u.behind), to
}

// Rename changes the id, or Symfony's name, in the quotes that it has.
func (grammar) Rename(f *resource.File, i int, name string) (resource.Splice, error) {
	n := f.Node(i)
	if n.Kind == resource.Map {
		return resource.Splice{}, errors.New("the files of an export are named by Xcode; " +
			"rename it in the project, and export again")
	}
	if n.Style&bySource != 0 {
		return resource.Splice{}, errors.New("the name of this entry is its source text")
	}
	text, err := xmlscan.AttributeValue(name, f.Source()[n.Name.Start])
	return resource.Splice{At: n.Name, Text: text}, err
}

// Remove takes units out: whole lines where nothing else is on them.
func (grammar) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	nodes := make([]resource.Node, len(gone))
	for k, i := range gone {
		nodes[k] = resource.Node{Whole: f.Node(i).Whole}
	}
	return xmlscan.Removal(f.Source(), nodes), nil
}

// Compose writes a file of version 1.2.
func (g grammar) Compose(top []resource.New) ([]byte, error) {
	var out strings.Builder
	out.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file source-language="en" datatype="plaintext" original="texts">
    <body>
`)
	for _, n := range top {
		n.Like = nil
		if n.Kind == resource.Map {
			return nil, errShape
		}
		entry, err := g.entry(n, false, unitIndent, "\n")
		if err != nil {
			return nil, err
		}
		out.WriteString(unitIndent + entry + "\n")
	}
	out.WriteString("    </body>\n  </file>\n</xliff>\n")
	return []byte(out.String()), nil
}

// Blank makes a file of translations without any of a source: it says its language, and has no targets.
func Blank(source []byte, language string) ([]byte, error) {
	f, err := resource.Parse(Translations, resource.Keys{}, source)
	if err != nil {
		return nil, err
	}
	src := f.Source()
	var out strings.Builder
	out.Write(source[:len(source)-len(src)]) // a byte order mark
	at := 0
	s := xmlscan.New(src)
	for {
		t, err := s.Next()
		if err != nil || t.Kind == xmlscan.Nothing {
			out.WriteString(src[at:])
			return []byte(out.String()), err
		}
		if t.Kind != xmlscan.Start {
			continue
		}
		for _, says := range []struct{ element, from, to string }{
			{"file", "source-language", "target-language"}, {"xliff", "srcLang", "trgLang"}} {
			_, from, has := t.Attribute(src, says.from)
			_, to, there := t.Attribute(src, says.to)
			switch {
			case t.Name != says.element || !has:
			case there:
				out.WriteString(src[at:to.Start] + `"` + language + `"`)
				at = int(to.End)
			default:
				out.WriteString(src[at:from.End] + " " + says.to + `="` + language + `"`)
				at = int(from.End)
			}
		}
		if t.Name == "trans-unit" || t.Name == "unit" {
			u, err := read(src, s, t)
			if err != nil {
				return nil, err
			}
			from, to := elementOf(src, u)
			out.WriteString(src[at:max(at, from)])
			at = max(at, to)
		}
	}
}
