package locjson

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/resource"
)

func sorted(splices []resource.Splice) []resource.Splice {
	byStart := func(a, b resource.Splice) int { return cmp.Compare(a.At.Start, b.At.Start) }
	return slices.SortedFunc(slices.Values(splices), byStart)
}

// unit is one unit as it is spelled.
type unit struct {
	src     string // of the file
	members []member
}

type member struct {
	name, value string
	at          resource.Span // of the value in src
	half        bool          // half of a surrogate pair is in it
}

// unitAt takes the unit of node i apart.
func unitAt(f *resource.File, i int) unit {
	u := unit{src: f.Source()}
	at := f.Node(i).Whole
	u.members = members(u.src, at)
	return u
}

// members takes the object at a span of src apart. It was read before, so that it is well-formed.
func members(src string, at resource.Span) []member {
	l, err := jsonfile.Scan(at.Of(src), jsonfile.Strict)
	if err != nil {
		return nil
	}
	var out []member
	for i := 1; i < len(l.Nodes); i = int(l.Nodes[i].End) {
		n := &l.Nodes[i]
		m := member{
			name: jsonfile.Unquote(n.Name.Of(at.Of(src))),
			at:   resource.Span{Start: at.Start + n.Value.Start, End: at.Start + n.Value.End},
		}
		m.value = m.at.Of(src)
		for c := i; c < int(n.End); c++ {
			m.half = m.half || l.Nodes[c].Kind == resource.Other
		}
		out = append(out, m)
	}
	return out
}

func (u unit) member(name string) (member, bool) {
	for _, m := range u.members {
		if m.name == name {
			return m, true
		}
	}
	return member{}, false
}

// limit is how many characters a piece of a text has at most, a newline counting as the two that spell it
// (specification, "units" block).
const limit = 50

// split cuts a text behind every newline and, behind a space, where a line has more than limit characters. A word that
// is longer is cut anywhere but before a combining mark.
func split(text string) []string {
	var pieces []string
	for line := range strings.SplitAfterSeq(text, "\n") {
		if line == "" && len(pieces) > 0 {
			break
		}
		for {
			n := cutAt(line)
			pieces = append(pieces, line[:n])
			if line = line[n:]; line == "" {
				break
			}
		}
	}
	return pieces
}

// cutAt returns how much of a line makes one piece.
func cutAt(line string) int {
	width, space, last := 0, 0, 0 // last is where the last character that is not a mark starts
	for i, r := range line {
		w := 1
		if r == '\n' {
			w = 2
		}
		if width+w > limit && i > 0 {
			switch {
			case space > 0:
				return space
			case last > 0 && unicode.Is(unicode.M, r):
				return last
			}
			return i
		}
		if !unicode.Is(unicode.M, r) {
			last = i
		}
		width += w
		if end := i + utf8.RuneLen(r); r == ' ' || r == '\t' {
			space = end
		}
	}
	return len(line)
}

// spellSource spells a text where the unit n has its source: as a single string where that is one; on one line when the
// old one stood on one line and has as many strings, or more; else one string a line.
func spellSource(f *resource.File, n *resource.Node, text string) string {
	src := f.Source()
	old := n.Value.Of(src)
	p := jsonfile.SpellingOf(f.Node(0), old)
	if old[0] == '"' {
		return p.Quote(text)
	}
	l := jsonfile.Lines{Gap: " "}
	if own, ok := lineOf(src, n); ok {
		l.Line, l.Unit = own, indent
		outer := jsonfile.Indentation(src, int(n.Whole.Start))
		if unit, ok := strings.CutPrefix(strings.TrimLeft(own, "\r\n"), outer); ok && unit != "" {
			l.Unit = unit
		}
	}
	return array(split(text), p, l, shapeOf(old))
}

// lineOf returns the line end and indentation of the line that a unit's source is on, when a line starts between
// the two.
func lineOf(src string, n *resource.Node) (string, bool) {
	before := src[n.Whole.Start:n.Value.Start]
	i := strings.LastIndexAny(before, "\r\n")
	if i < 0 {
		return "", false
	}
	end := before[i : i+1]
	if i > 0 && before[i-1:i+1] == "\r\n" {
		end = "\r\n"
	}
	return end + jsonfile.Indentation(src, int(n.Value.Start)), true
}

// shape is how an array of strings is laid out.
type shape struct {
	lines bool   // one string a line, even where there is only one
	flat  bool   // several strings on one line
	pad   string // inside the brackets, on one line
}

func shapeOf(old string) shape {
	var s shape
	if old == "" || old[0] != '[' {
		return s
	}
	if strings.ContainsAny(old, "\r\n") {
		s.lines = true
		return s
	}
	if len(old) > 2 && old[1] == ' ' && old[len(old)-2] == ' ' {
		s.pad = " "
	}
	for at := 1; at < len(old); at++ { // a comma between strings
		if old[at] == '"' {
			for at++; old[at] != '"'; at++ {
				if old[at] == '\\' {
					at++
				}
			}
		}
		s.flat = s.flat || old[at] == ','
	}
	return s
}

// array spells pieces as an array in the layout l of the member that it is the value of.
func array(pieces []string, p jsonfile.Spelling, l jsonfile.Lines, s shape) string {
	lines := l.Line != "" && (s.lines || len(pieces) > 1 && !s.flat)
	var out strings.Builder
	out.WriteByte('[')
	if !lines {
		out.WriteString(s.pad)
	}
	for i, piece := range pieces {
		if i > 0 {
			out.WriteByte(',')
		}
		switch {
		case lines:
			out.WriteString(l.In().Line)
		case i > 0:
			out.WriteString(l.Gap)
		}
		out.WriteString(p.Quote(piece))
	}
	if lines {
		out.WriteString(l.Line)
	} else {
		out.WriteString(s.pad)
	}
	out.WriteByte(']')
	return out.String()
}

var errNotText = errors.New("a unit holds one text; write plural forms as an ICU message or give each a key of its own")

// writer spells new units.
type writer struct {
	spelling jsonfile.Spelling
	shape    shape
	sorted   bool // members in alphabetical order, whatever the model's order is
	whole    bool // a unit whose text is the model's stays as it is, target included
	notes    bool // notes become comments where there is no model
}

// unit spells one unit in the layout l of its siblings. What the model has beside key, source and target is copied.
func (w writer) unit(n *resource.New, l jsonfile.Lines) (string, error) {
	if n.Kind != resource.Text {
		return "", errNotText
	}
	key, err := quoteKey(w.spelling, n.Name)
	if err != nil {
		return "", err
	}
	inner := l.In()
	text := array(split(n.Text), w.spelling, inner, w.shape)
	parts := []member{{name: "key", value: key}, {name: "source", value: text}}
	if n.Like != nil {
		parts = w.like(n, parts, inner)
	} else if w.notes && n.Note != "" {
		comments := array(strings.Split(n.Note, "\n"), w.spelling, inner.In(), w.shape)
		properties := "{" + inner.In().Line + `"comments"` + l.Colon + comments + inner.Line + "}"
		parts = append(parts, member{name: "properties", value: properties})
	}
	if w.sorted || n.Like == nil {
		slices.SortStableFunc(parts, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	}
	var out strings.Builder
	out.WriteByte('{')
	for i, m := range parts {
		if i > 0 {
			out.WriteByte(',')
			if inner.Line == "" {
				out.WriteString(l.Gap)
			}
		}
		out.WriteString(inner.Line + w.spelling.Quote(m.name) + l.Colon + m.value)
	}
	out.WriteString(l.Line + "}")
	return out.String(), nil
}

// like puts a new key and source into the members that the model has. A target stays only where the source stays too:
// it translates nothing else.
func (w writer) like(n *resource.New, fresh []member, inner jsonfile.Lines) []member {
	f := n.Like.File
	same := w.whole && f.Node(n.Like.Node).Kind == resource.Text && f.Text(n.Like.Node) == n.Text
	var parts []member
	for _, m := range unitAt(f, n.Like.Node).members {
		switch {
		case m.name == "key":
			m.value = fresh[0].value
		case m.name == "source" && !same:
			m.value = fresh[1].value
		case m.name == "target" && !same:
			continue
		default:
			m.value = jsonfile.Transplant(f.Source(), m.at, inner)
		}
		parts = append(parts, m)
	}
	return parts
}

// Insert adds units, each with what its model has beside key, source and target.
func (grammar) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	var model *resource.File
	for _, n := range add {
		if n.Like != nil {
			model = n.Like.File
			break
		}
	}
	w := writer{spelling: jsonfile.SpellingOf(f.Node(0), "")}
	for _, i := range []int{at.After, 1} {
		if i > 0 && i < f.Len() {
			w.shape = shapeOf(f.Node(i).Value.Of(f.Source()))
			break
		}
	}
	if f.Len() == 1 && model != nil && model.Len() > 1 {
		w.shape = shapeOf(model.Node(1).Value.Of(model.Source()))
	}
	units := func(l jsonfile.Lines) ([]string, error) {
		out := make([]string, len(add))
		for i := range add {
			var err error
			if out[i], err = w.unit(&add[i], l); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	if f.Node(0).Style&noUnits == 0 {
		return jsonfile.Insert(f, at, model, indent, units)
	}
	return withoutUnits(f, units)
}

// withoutUnits adds the units member that a file lacks.
func withoutUnits(f *resource.File, units func(jsonfile.Lines) ([]string, error)) (resource.Splice, error) {
	plain, err := resource.Parse(jsonfile.Grammar, resource.Keys{}, []byte(f.Source()))
	if err != nil {
		return resource.Splice{}, err
	}
	last := -1
	for i := range plain.Children(0) {
		last = i
	}
	end := resource.Gap{In: 0, After: last}
	return jsonfile.Insert(plain, end, nil, indent, func(l jsonfile.Lines) ([]string, error) {
		entries, err := units(l.In())
		if err != nil {
			return nil, err
		}
		inner := l.In().Line
		sep := "," + inner
		if inner == "" {
			sep = "," + l.Gap
		}
		return []string{`"units"` + l.Colon + "[" + inner + strings.Join(entries, sep) + l.Line + "]"}, nil
	})
}

// Compose writes the units in the specification's layout: four spaces, sorted members, \n. A unit whose text is its
// model's is written as the model has it, target included. The file's properties are the models' file's.
func (grammar) Compose(top []resource.New) ([]byte, error) {
	w := writer{sorted: true, whole: true, notes: true}
	l := jsonfile.Lines{Line: "\n" + indent + indent, Unit: indent, Colon: ": ", Gap: " "}
	var out strings.Builder
	out.WriteByte('{')
	if len(top) > 0 && top[0].Like != nil {
		out.WriteString(fileProperties(top[0].Like.File))
	}
	out.WriteString("\n" + indent + `"units": [`)
	for i := range top {
		if i > 0 {
			out.WriteByte(',')
		}
		text, err := w.unit(&top[i], l)
		if err != nil {
			return nil, err
		}
		out.WriteString(l.Line + text)
	}
	if len(top) > 0 {
		out.WriteString("\n" + indent)
	}
	out.WriteString("]\n}\n")
	return []byte(out.String()), nil
}

// fileProperties is the properties member of a file, spelled for Compose with its comma; "" when there is none.
func fileProperties(f *resource.File) string {
	src := f.Source()
	from := strings.IndexByte(src, '{')
	for _, m := range members(src, resource.At(from, len(src))) {
		if m.name == "properties" {
			line := "\n" + indent
			return line + `"properties": ` + jsonfile.Transplant(src, m.at, jsonfile.Lines{Line: line, Unit: indent}) + ","
		}
	}
	return ""
}
