package yamlfile

import (
	"errors"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// writer writes new entries next to those of a file.
type writer struct {
	f        *resource.File // nil when there is none to follow
	lineFeed string
	ended    bool  // the file ends in a line end
	end      int   // the line of the file that what is written comes behind; the file's end where that makes no difference
	name     uint8 // plain, single or double: how names around are spelled; 0 when there are none
	value    uint8 // and values
	bare     bool  // messages around have no description
	out      strings.Builder
}

func (w *writer) splice(from, to int) resource.Splice {
	return resource.Splice{At: resource.At(from, to), Text: w.out.String()}
}

// line starts another line in column col.
func (w *writer) line(col int) {
	w.out.WriteString(w.lineFeed)
	for range col {
		w.out.WriteByte(' ')
	}
}

// neighbours looks around a gap for the quotes that names and values have there: the nearest ones before it, else
// behind it.
func (w *writer) neighbours(at resource.Gap) {
	w.bare = bareMessages(w.f, at)
	const far = 32
	from := at.In
	if at.After >= 0 {
		from = int(w.f.Node(at.After).End) - 1
	}
	for i := from; i > 0 && i > from-far && (w.name == 0 || w.value == 0); i-- {
		w.look(i)
	}
	for i := from + 1; i < w.f.Len() && i < from+far && (w.name == 0 || w.value == 0); i++ {
		w.look(i)
	}
}

func (w *writer) look(i int) {
	n := w.f.Node(i)
	if w.name == 0 && n.Name.Len() > 0 {
		w.name = quotes(w.f.Source()[n.Name.Start])
	}
	if w.value == 0 && n.Kind == resource.Text && n.Style <= doubleEscaped {
		w.value = quotes(w.f.Source()[n.Value.Start])
	}
}

func quotes(first byte) uint8 {
	switch first {
	case '\'':
		return single
	case '"':
		return double
	}
	return plain
}

// blockEntries writes entries or items in column col, where the first one begins at the end of what is written.
func (w *writer) blockEntries(add []resource.New, col int, items bool) error {
	for i, n := range add {
		if i > 0 {
			w.line(col)
		}
		w.note(n.Note, col)
		var err error
		if items {
			err = w.blockItem(n, col)
		} else {
			err = w.blockEntry(n, col)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) blockItem(n resource.New, col int) error {
	w.out.WriteByte('-')
	if n.Kind > resource.Other && len(n.Children) > 0 {
		w.out.WriteByte(' ')
		return w.blockEntries(n.Children, col+2, n.Kind == resource.List)
	}
	return w.blockValue(n, col)
}

// longestName is the longest that a name may be spelled in front of a colon (section 7.4.2). Longer ones become
// explicit keys.
const longestName = 1000

func (w *writer) blockEntry(n resource.New, col int) error {
	n, err := w.described(n)
	if err != nil {
		return err
	}
	name, err := w.nameOf(n, false)
	if err != nil {
		return err
	}
	if len(name) > longestName {
		w.out.WriteString("? " + name)
		w.line(col)
	} else {
		w.out.WriteString(name)
	}
	w.out.WriteByte(':')
	if n.Kind > resource.Other && len(n.Children) > 0 {
		kind := n.Kind
		if kind != resource.List {
			kind = resource.Map
		}
		col += w.step(kind, n.Like)
		w.line(col)
		return w.blockEntries(n.Children, col, kind == resource.List)
	}
	return w.blockValue(n, col)
}

// blockValue writes a leaf, or an empty collection, behind its indicator.
func (w *writer) blockValue(n resource.New, outer int) error {
	if n.Kind == resource.Text {
		if spelled, ok := w.asBlock(n, outer); ok {
			w.out.WriteString(" " + spelled)
			return nil
		}
	}
	spelled, err := w.inline(n, false)
	if err != nil {
		return err
	}
	if spelled != "" {
		w.out.WriteString(" " + spelled)
	}
	return nil
}

// asBlock writes a text as a block scalar where the entry that it is modelled on has one: neighbours cannot tell.
func (w *writer) asBlock(n resource.New, outer int) (string, bool) {
	if n.Like == nil || w.f == nil || deeperCommentBehind(w.f.Source(), w.end, outer) {
		return "", false
	}
	m := n.Like.File.Node(n.Like.Node)
	if ref := m.Ref; ref != 0 {
		m = n.Like.File.Node(int(ref))
	}
	if m.Kind != resource.Text || !isBlockText(m.Style) {
		return "", false
	}
	if last := n.Text[strings.LastIndexByte(n.Text, '\n')+1:]; !w.ended && strings.Trim(last, " \t") == "" {
		return "", false // it might come to end the file
	}
	b := blockParts{folded: m.Style >= folded, chomp: '-'}
	next := followingIn(w.f.Source()[w.end:])
	next.nothing, next.blank = false, true // another entry or a last line end may follow
	return spellBlock(b, outer, n.Text, next, w.lineFeed)
}

// inline writes a value on one line: a leaf, an empty collection, or in a flow collection any value.
func (w *writer) inline(n resource.New, inFlow bool) (string, error) {
	switch n.Kind {
	case resource.Text:
		return w.textOf(n, inFlow), nil
	case resource.Null, resource.Other:
		return raw(n, inFlow)
	}
	open, closing := "{", "}"
	if n.Kind == resource.List {
		open, closing = "[", "]"
	}
	if len(n.Children) == 0 {
		if n.Like != nil {
			if m := n.Like.File.Node(n.Like.Node); m.Style == alias || m.Style == sealed {
				return "", errors.New("a part of it would be copied from an alias or a merge key; write that one here first")
			}
		}
		return open + closing, nil
	}
	inner := writer{f: w.f, lineFeed: w.lineFeed, name: w.name, value: w.value, bare: w.bare}
	inner.out.WriteString(open)
	for i, c := range n.Children {
		if i > 0 {
			inner.out.WriteString(", ")
		}
		if err := inner.flowEntry(c, n.Kind == resource.List); err != nil {
			return "", err
		}
	}
	return inner.out.String() + closing, nil
}

func (w *writer) flowEntry(n resource.New, item bool) error {
	n, err := w.described(n)
	if err != nil {
		return err
	}
	value, err := w.inline(n, true)
	if err != nil {
		return err
	}
	if !item {
		name, err := w.nameOf(n, true)
		if err != nil {
			return err
		}
		if len(name) > longestName {
			return errors.New("the name is too long for a flow collection; make it a block mapping first")
		}
		w.out.WriteString(name + ": ")
	}
	w.out.WriteString(value)
	return nil
}

// textOf writes a text in the quotes of its model, else of the neighbours, else in none.
func (w *writer) textOf(n resource.New, inFlow bool) string {
	style := w.value
	if n.Like != nil {
		m := n.Like.File.Node(n.Like.Node)
		if m.Kind == resource.Text && m.Style <= doubleEscaped {
			style = quotes(n.Like.File.Source()[m.Value.Start])
		}
	}
	switch {
	case style == single:
		if spelled, ok := spellSingle(n.Text); ok {
			return spelled
		}
	case style != double && isPlain(n.Text, inFlow):
		return n.Text
	}
	return spellDouble(n.Text, false)
}

// nameOf writes a name in the quotes of the neighbours. One that needs quotes between plain ones is spelled as its
// model spells it, which may be without (404, yes).
func (w *writer) nameOf(n resource.New, inFlow bool) (string, error) {
	style := w.name
	if n.Like != nil && (style == 0 || style == plain && !isPlain(n.Name, inFlow)) {
		m := n.Like.File.Node(n.Like.Node)
		old := m.Name.Of(n.Like.File.Source())
		if old != "" {
			style = quotes(old[0])
		}
		if style == plain && old == n.Name && (!inFlow || isFlow(n.Like.File.Node(int(m.Parent)))) && m.Style != sealed {
			return old, nil
		}
	}
	if style == 0 {
		style = plain
	}
	return spellName(n.Name, style, inFlow)
}

// raw is the model's value as it is spelled, with its tag, for entries that are not text.
func raw(n resource.New, inFlow bool) (string, error) {
	if n.Like == nil {
		return "null", nil
	}
	f := n.Like.File
	m := f.Node(n.Like.Node)
	if m.Ref != 0 {
		m = f.Node(int(m.Ref))
	}
	value, ok := spelledWithTag(f.Source(), m)
	if !ok || inFlow && !isFlow(f.Node(int(m.Parent))) && strings.ContainsAny(value, ",[]{}:") {
		return "", errors.New("the value that it is to be copied from is spelled as it cannot be here")
	}
	if value == "" && inFlow {
		return "null", nil
	}
	return value, nil
}

// note writes a comment for translators, each line above what follows in column col.
func (w *writer) note(text string, col int) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.Map(func(r rune) rune {
			if needsEscape(r) {
				return ' '
			}
			return r
		}, line)
		w.out.WriteString(strings.TrimRight("# "+line, " \t"))
		w.line(col)
	}
}

// step is how far the entries of a mapping (kind Map) or sequence (List) are indented inside a mapping, as the file
// does it first, or the model's; two columns where neither has any.
func (w *writer) step(kind resource.Kind, like *resource.Model) int {
	files := []*resource.File{w.f}
	if like != nil {
		files = append(files, like.File)
	}
	for _, f := range files {
		if f == nil {
			continue
		}
		if step, ok := stepIn(f, kind); ok {
			return step
		}
	}
	return 2
}

func stepIn(f *resource.File, kind resource.Kind) (int, bool) {
	const far = 10000
	src := f.Source()
	for i := 1; i < min(f.Len(), far); i++ {
		n := f.Node(i)
		if n.Kind != kind || n.Style != block && n.Style != message || int(n.End) == i+1 ||
			f.Node(int(n.Parent)).Kind != resource.Map {
			continue
		}
		step := column(src, int(f.Node(i+1).Whole.Start)) - column(src, int(n.Whole.Start))
		if step > 0 || kind == resource.List && step == 0 {
			return step, true
		}
	}
	return 0, false
}
