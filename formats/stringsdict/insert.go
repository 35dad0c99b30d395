package stringsdict

import (
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/xmlscan"
)

// Insert writes keys and values on lines of their own, as their neighbours have them.
func (grammar) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	src, in := f.Source(), f.Node(at.In)
	g := gapAt(f, at)
	w := writer{newline: g.Newline, indent: g.Indent, unit: unitOf(f)}
	w.between = w.newline + w.indent
	if beside := at.After; beside > 0 || int(in.End) > at.In+1 {
		w.between = betweenOf(src, f.Node(max(beside, at.In+1)), w.between)
	}
	e := target{f: f, at: at}
	if in.Kind == resource.Map && at.In > 0 { // the file has no format, and would be read for each of its new keys
		e.span, e.has = find(src, in, formatKey)
	}
	var out strings.Builder
	out.WriteString(g.Head)
	for k := range add {
		one := w
		if err := e.write(&one, &add[k]); err != nil {
			return resource.Splice{}, err
		}
		if one.out.Len() > 0 {
			out.WriteString(g.Pre + one.out.String() + g.Post)
		}
	}
	out.WriteString(g.Tail)
	if in.Kind != resource.Map || at.In == 0 || !e.has {
		return resource.Splice{At: g.At, Text: out.String()}, nil
	}
	return e.withFormat(g.At, out.String())
}

// target is where new parts come: the file, an entry of it, or a variable.
type target struct {
	f    *resource.File
	at   resource.Gap
	span resource.Span // of its format
	has  bool
	text *string  // another format, as spelled
	more []string // variables that come
}

// write spells one new part.
func (e *target) write(w *writer, n *resource.New) error {
	switch in := e.f.Node(e.at.In); {
	case n.Kind == resource.Other && n.Like != nil:
		w.out.WriteString(n.Like.File.Node(n.Like.Node).Whole.Of(n.Like.File.Source()))
		return nil
	case in.Kind == resource.Forms:
		return w.form(n)
	case e.at.In == 0:
		w.note(n.Note)
		return w.entry(n)
	case n.Kind == resource.Forms:
		e.more = append(e.more, n.Name)
		return w.variable(n)
	case n.Kind != resource.Text || n.Name != formatKey:
		return errShape
	case !e.has:
		return w.format(n)
	case e.at.After > 0 && e.f.Node(e.at.After).Whole.Start > e.span.Start:
		return errMoved
	}
	spelled, err := spell(n.Text, "", resource.Newline(e.f.Source()), true)
	e.text = &spelled
	return err
}

// withFormat is the splice of what comes at a gap and of the format that goes with it.
func (e *target) withFormat(gap resource.Span, out string) (resource.Splice, error) {
	src := e.f.Source()
	now := e.span.Of(src)
	if all, only := references(now); e.text != nil {
		now = *e.text
	} else if only {
		for _, name := range e.more {
			if !slices.ContainsFunc(all, func(r string) bool { return nameOf(r) == name }) {
				all = append(all, "%#@"+name+"@")
			}
		}
		spelled, err := xmlscan.Spelled(strings.Join(all, " "), "", "\n")
		if err != nil {
			return resource.Splice{}, err
		}
		now = spelled
	}
	switch old := e.span.Of(src); {
	case old == now:
		return resource.Splice{At: gap, Text: out}, nil
	case e.span.Start >= gap.End:
		return resource.Splice{At: resource.Span{Start: gap.Start, End: e.span.End},
			Text: out + src[gap.End:e.span.Start] + now}, nil
	}
	return resource.Splice{At: resource.Span{Start: e.span.Start, End: gap.End},
		Text: now + src[e.span.End:gap.Start] + out}, nil
}

// gapAt finds where new parts go: behind a sibling, before the first one, or at the end of a container without any,
// above the comments there, which would become notes of what comes.
func gapAt(f *resource.File, at resource.Gap) xmlscan.Gap {
	src, in := f.Source(), *f.Node(at.In)
	sibling := func(i int) *resource.Node {
		n := *f.Node(i)
		if n.Note.Start < in.Whole.Start {
			n.Note = resource.Span{}
		}
		return &n
	}
	switch {
	case at.After > 0:
		return xmlscan.Behind(src, sibling(at.After))
	case int(in.End) > at.In+1:
		return xmlscan.Before(src, sibling(at.In+1))
	}
	newline, indent := resource.Newline(src), xmlscan.IndentOf(src, int(in.Value.Start))
	g := xmlscan.Gap{Pre: indent + unitOf(f), Post: newline, Indent: indent + unitOf(f), Newline: newline}
	if in.Style&closed != 0 {
		start := len(strings.TrimRight(src[:int(in.Value.End)-len("/>")], xmlscan.Spaces))
		g.At, g.Head, g.Tail = resource.At(start, int(in.Value.End)), ">"+newline, indent+"</dict>"
		return g
	}
	if tail, alone := xmlscan.LineTail(src, contentEnd(src, &in)); alone {
		below := xmlscan.AfterBreak(src, tail)
		g.At = resource.At(below, below)
		return g
	}
	end := strings.LastIndex(src[:in.Value.End], "</")
	g.At, g.Head = resource.At(end, end), newline
	return g
}

// unitOf is by how much a file is indented.
func unitOf(f *resource.File) string {
	if f.Len() > 1 {
		src, root := f.Source(), f.Node(0)
		if line, first := xmlscan.LineStart(src, int(f.Node(1).Whole.Start)); first {
			outer := xmlscan.IndentOf(src, int(root.Value.Start))
			unit, deeper := strings.CutPrefix(src[line:f.Node(1).Whole.Start], outer)
			if deeper && unit != "" {
				return unit
			}
		}
	}
	return "\t"
}

// betweenOf is what is between the key and the text of a sibling.
func betweenOf(src string, n *resource.Node, otherwise string) string {
	rest := src[n.Name.End:n.Whole.End]
	rest = rest[strings.IndexByte(rest, '>')+1:]
	blank := rest[:len(rest)-len(strings.TrimLeft(rest, xmlscan.Spaces))]
	if n.Kind == resource.Text && !strings.Contains(blank, "\n") {
		return blank
	}
	return otherwise
}

// writer spells new parts, on one line where newline is "".
type writer struct {
	out                   strings.Builder
	newline, indent, unit string
	between               string // a key and its text
}

// in is the writer of what is in a dictionary.
func (w *writer) in() *writer {
	inner := &writer{newline: w.newline, indent: w.indent + w.unit, unit: w.unit}
	if w.newline == "" {
		inner.indent, inner.unit = "", ""
	}
	inner.between = inner.line()
	return inner
}

func (w *writer) line() string { return w.newline + w.indent }

// note writes a comment, where it can be one.
func (w *writer) note(text string) {
	if text == "" || w.newline == "" || strings.Contains(text, "--") || strings.HasSuffix(text, "-") ||
		xmlscan.Writable(text) != nil {
		return
	}
	w.out.WriteString("<!-- " + strings.ReplaceAll(text, "\n", w.newline) + " -->" + w.line())
}

func (w *writer) key(name, between string) error {
	spelled, err := spelledName(name)
	w.out.WriteString("<key>" + spelled + "</key>" + between)
	return err
}

// string writes a key with its text as spelled.
func (w *writer) string(name, spelled string) error {
	err := w.key(name, w.between)
	w.out.WriteString("<string>" + spelled + "</string>")
	return err
}

// text writes a key with a text.
func (w *writer) text(n *resource.New, inFormat bool) error {
	newline := w.newline
	if newline == "" {
		newline = "\n"
	}
	spelled, err := spell(n.Text, "", newline, inFormat)
	if err != nil {
		return err
	}
	return w.string(n.Name, spelled)
}

func (w *writer) format(n *resource.New) error { return w.text(n, true) }

// form writes a text of a plural category.
func (w *writer) form(n *resource.New) error {
	if n.Kind != resource.Text || !slices.Contains(categories, n.Name) {
		return errShape
	}
	return w.text(n, false)
}

// dict writes a key with a dictionary.
func (w *writer) dict(name string, parts []func(in *writer) error) error {
	if err := w.key(name, w.line()); err != nil {
		return err
	}
	w.out.WriteString("<dict>")
	for _, part := range parts {
		in := w.in()
		w.out.WriteString(in.line())
		if err := part(in); err != nil {
			return err
		}
		w.out.WriteString(in.out.String())
	}
	w.out.WriteString(w.line() + "</dict>")
	return nil
}

// entry writes an outermost key.
func (w *writer) entry(n *resource.New) error {
	if n.Kind == resource.Text {
		return w.text(n, false)
	}
	if n.Kind != resource.Map {
		return errShape
	}
	var parts []func(*writer) error
	var names []string
	has := false
	for i := range n.Children {
		c := &n.Children[i]
		switch {
		case c.Kind == resource.Forms:
			names = append(names, c.Name)
			parts = append(parts, func(in *writer) error { return in.variable(c) })
		case c.Kind == resource.Text && c.Name == formatKey:
			has = true
			parts = append(parts, func(in *writer) error { return in.format(c) })
		default:
			return errShape
		}
	}
	switch {
	case len(names) == 0:
		return errAlone
	case !has:
		text, err := plain(n.Like, names)
		if err != nil {
			return err
		}
		parts = slices.Insert(parts, 0, func(in *writer) error { return in.string(formatKey, text) })
	}
	return w.dict(n.Name, parts)
}

// plain is a text with nothing to translate: the model's, or the variables one behind the other.
func plain(like *resource.Model, names []string) (spelled string, err error) {
	if like != nil {
		at, _ := find(like.File.Source(), like.File.Node(like.Node), formatKey)
		all, only := references(at.Of(like.File.Source()))
		other := func(reference string) bool { return !slices.Contains(names, nameOf(reference)) }
		if only && len(all) > 0 && !slices.ContainsFunc(all, other) {
			return at.Of(like.File.Source()), nil
		}
	}
	text := "%#@" + strings.Join(names, "@ %#@") + "@"
	if strings.ContainsAny(strings.Join(names, ""), "@%<&> ") {
		return "", errShape
	}
	return xmlscan.Spelled(text, "", "\n")
}

var specifier = regexp.MustCompile(`%(?:\d+\$)?[-+ 0#']*\d*(?:\.\d+)?((?:hh|h|ll|l|q|z|t|j|L)?[diouxXeEfFgGaA])`)

// variable writes one with its forms. It takes the kind of argument that its model takes, or that its texts say.
func (w *writer) variable(n *resource.New) error {
	kind := "d"
	for _, c := range n.Children {
		if found := specifier.FindStringSubmatch(c.Text); found != nil {
			kind = found[1]
		}
	}
	if n.Like != nil {
		model := n.Like.File.Node(n.Like.Node)
		if at, has := find(n.Like.File.Source(), model, valueKey); has {
			kind, _ = xmlscan.Content(at.Of(n.Like.File.Source()))
		}
	}
	parts := []func(*writer) error{
		func(in *writer) error { return in.string(specKey, pluralRule) },
		func(in *writer) error { return in.string(valueKey, kind) },
	}
	for i := range n.Children {
		parts = append(parts, func(in *writer) error { return in.form(&n.Children[i]) })
	}
	return w.dict(n.Name, parts)
}

// head and tail are around the entries of a new file, as Xcode writes them.
const (
	head = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
`
	tail = "</dict>\n</plist>\n"
)

// Compose writes entries as Xcode does.
func (grammar) Compose(top []resource.New) ([]byte, error) {
	var out strings.Builder
	out.WriteString(head)
	for i := range top {
		w := &writer{newline: "\n", indent: "\t", unit: "\t", between: "\n\t"}
		out.WriteString(w.indent)
		w.note(top[i].Note)
		if err := w.entry(&top[i]); err != nil {
			return nil, err
		}
		out.WriteString(w.out.String() + "\n")
	}
	out.WriteString(tail)
	return []byte(out.String()), nil
}
