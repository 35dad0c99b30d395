package yamlfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// Insert adds entries in the column and the quotes of their neighbours: in a block collection on lines of their own
// behind the neighbour's last line, or before the comment above the first one; in a flow collection between its
// brackets, separated as the others are. An empty collection, {} or [], becomes a block one unless it is inside a
// flow collection. What has no value, or a null without a tag, becomes a block mapping likewise.
func (grammar) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	in := f.Node(at.In)
	w := writer{f: f, lineFeed: lineFeed(f.Source(), 0), ended: strings.HasSuffix(f.Source(), "\n"), end: len(f.Source())}
	if err := w.room(at.In, add); err != nil {
		return resource.Splice{}, err
	}
	w.neighbours(at)
	if err := onlyMessages(f, at.In, add); err != nil {
		return resource.Splice{}, err
	}
	switch {
	case in.Style == alias:
		return resource.Splice{}, errors.New("the entry around it repeats another one by an alias; " +
			"write that one out there first")
	case in.Style == sealed:
		return resource.Splice{}, errors.New("what is around it is a merge key or belongs to a key that is a collection, " +
			"which are left alone")
	case in.Style == pair:
		return resource.Splice{}, errors.New("the mapping around it is a pair without braces; put braces around it first")
	case in.Style == flow && int(in.End) == at.In+1 && w.opens(at.In):
		return w.openEmpty(at.In, add)
	case in.Style == flow:
		return w.intoFlow(at, add)
	case in.Kind == resource.Null:
		return w.intoNothing(at.In, add)
	case int(in.End) == at.In+1:
		return w.firstOfFile(add)
	}
	return w.intoBlock(at, add)
}

// room refuses entries that would lie deeper than files are read.
func (w *writer) room(in int, add []resource.New) error {
	depth := 0
	for i := in; i >= 0; i = int(w.f.Node(i).Parent) {
		depth++
	}
	if depth+height(add) > resource.MaxDepth {
		return fmt.Errorf("it would stand inside more than %d collections", resource.MaxDepth)
	}
	return nil
}

func height(add []resource.New) int {
	most := 0
	for _, n := range add {
		if n.Kind > resource.Other {
			most = max(most, 1+height(n.Children))
		}
	}
	return most
}

// intoBlock adds to a block collection that has entries.
func (w *writer) intoBlock(at resource.Gap, add []resource.New) (resource.Splice, error) {
	src := w.f.Source()
	next := at.After
	if next < 0 {
		next = at.In + 1
	}
	n := w.f.Node(next)
	col := column(src, int(n.Whole.Start))
	if at.After < 0 {
		i := start(n)
		w.lineFeed = lineFeed(src, i)
		if err := w.blockEntries(add, col, isList(w.f, at.In)); err != nil {
			return resource.Splice{}, err
		}
		w.line(col)
		return w.splice(i, i), nil
	}
	if err := w.endsOpen(next); err != nil {
		return resource.Splice{}, err
	}
	end, below := lineEnd(src, int(n.Whole.End))
	if last := deeperComments(src, below, col); last > below {
		end = len(strings.TrimSuffix(strings.TrimSuffix(src[:last], "\n"), "\r"))
	}
	w.lineFeed, w.end = lineFeed(src, end), end
	w.line(col)
	if err := w.blockEntries(add, col, isList(w.f, at.In)); err != nil {
		return resource.Splice{}, err
	}
	return w.splice(end, end), nil
}

func isList(f *resource.File, i int) bool { return f.Node(i).Kind == resource.List }

// endsOpen refuses to write behind a block text at the end of a file without a last line end: that line end would
// become part of the text.
func (w *writer) endsOpen(i int) error {
	src := w.f.Source()
	last := w.f.Node(int(w.f.Node(i).End) - 1)
	if strings.HasSuffix(src, "\n") || int(last.Whole.End) < len(src) {
		return nil
	}
	takes := mayEndInText(src, last)
	if b, ok := blockOf(src, last); ok {
		takes = b.chomp != '-'
	}
	if takes {
		return errors.New("it would stand behind a block text that ends the file without a line end; " +
			"give the file a last line end first")
	}
	return nil
}

// intoFlow adds between the brackets of a flow collection.
func (w *writer) intoFlow(at resource.Gap, add []resource.New) (resource.Splice, error) {
	in := w.f.Node(at.In)
	separator := w.separator(at)
	i := int(in.Value.Start) + 1
	switch {
	case at.After >= 0:
		if i = int(w.f.Node(at.After).Whole.End); endsInColon(w.f, at.After) { // which needs a space behind it
			if src := w.f.Source(); isBlank(src[i]) && src[i+1] != '#' {
				i++
			} else {
				w.out.WriteByte(' ')
			}
		}
	case int(in.End) > at.In+1:
		i = int(w.f.Node(at.In + 1).Whole.Start)
	}
	for i, n := range add {
		if i > 0 || at.After >= 0 {
			w.out.WriteString(separator)
		}
		if err := w.flowEntry(n, isList(w.f, at.In)); err != nil {
			return resource.Splice{}, err
		}
	}
	if at.After < 0 && int(in.End) > at.In+1 {
		w.out.WriteString(separator)
	}
	return w.splice(i, i), nil
}

// endsInColon reports whether the last thing of an entry of a flow collection is a value that is not there.
func endsInColon(f *resource.File, i int) bool {
	n := f.Node(i)
	last := f.Node(int(n.End) - 1)
	return last.Style == empty && last.Whole.End == n.Whole.End && f.Source()[n.Whole.End-1] == ':'
}

// separator is what is between the neighbours of a gap in a flow collection, if it is nothing but a comma and
// white space.
func (w *writer) separator(at resource.Gap) string {
	src := w.f.Source()
	before, last := -1, -1
	for c := range w.f.Children(at.In) {
		before, last = last, c
		if before >= 0 && before >= at.After {
			break
		}
	}
	gap := ""
	switch {
	case before >= 0:
		gap = src[w.f.Node(before).Whole.End:w.f.Node(last).Whole.Start]
	case last >= 0: // only one: as far from the bracket
		if open := src[w.f.Node(at.In).Value.Start+1 : w.f.Node(last).Whole.Start]; strings.IndexByte(open, '\n') >= 0 {
			gap = "," + open
		}
	}
	comma := strings.IndexByte(gap, ',')
	if comma < 0 || len(gap) == comma+1 || strings.Trim(gap[:comma]+gap[comma+1:], " \t\r\n") != "" {
		return ", "
	}
	return gap[comma:]
}

// opens reports whether an empty flow collection can become a block one.
func (w *writer) opens(i int) bool {
	src, n := w.f.Source(), w.f.Node(i)
	if strings.Trim(src[n.Value.Start+1:n.Value.End-1], " \t") != "" {
		return false
	}
	if n.Parent >= 0 && isFlow(w.f.Node(int(n.Parent))) {
		return false
	}
	return true
}

// openEmpty replaces {} or [] by entries.
func (w *writer) openEmpty(i int, add []resource.New) (resource.Splice, error) {
	src, n := w.f.Source(), w.f.Node(i)
	from, to := int(n.Value.Start), int(n.Value.End)
	end, _ := lineEnd(src, to)
	rest := strings.TrimRight(src[to:end], " \t")
	w.lineFeed, w.end = lineFeed(src, from), end
	ownLine := startsLine(src, from)
	compact := n.Parent >= 0 && isList(w.f, int(n.Parent)) && strings.Trim(src[int(n.Whole.Start)+1:from], " ") == ""
	if rest == "" && (ownLine || compact) {
		err := w.blockEntries(add, column(src, from), n.Kind == resource.List)
		return w.splice(from, to), err
	}
	if ownLine { // with a comment behind it, which goes in front
		col := column(src, from)
		w.out.WriteString(strings.TrimLeft(rest, " \t"))
		w.line(col)
		err := w.blockEntries(add, col, n.Kind == resource.List)
		return w.splice(from, end), err
	}
	for from > 0 && isBlank(src[from-1]) {
		from--
	}
	col := 0
	if n.Parent >= 0 {
		col = w.childColumn(i, n.Kind, add)
	}
	w.out.WriteString(rest)
	w.line(col)
	err := w.blockEntries(add, col, n.Kind == resource.List)
	return w.splice(from, end), err
}

// intoNothing writes the first entries of a mapping that is nothing but a name so far, or null: a Rails root without
// texts.
func (w *writer) intoNothing(i int, add []resource.New) (resource.Splice, error) {
	src, n := w.f.Source(), w.f.Node(i)
	at, to, head := int(n.Value.Start), int(n.Value.End), ""
	switch n.Style {
	case empty:
	case emptyFlow:
		head = ":"
	case emptyExplicit:
		head = lineFeed(src, at) + strings.Repeat(" ", column(src, int(n.Whole.Start))) + ":"
	case plain:
		at = len(strings.TrimRight(src[:at], " \t\r\n"))
	default:
		return resource.Splice{}, errors.New("there is a value without entries where it would stand; take that out first")
	}
	if isFlow(w.f.Node(int(n.Parent))) {
		spelled, err := w.inline(resource.New{Kind: resource.Map, Children: add}, true)
		w.out.WriteString(head + " " + spelled)
		return w.splice(at, to), err
	}
	end, _ := lineEnd(src, to)
	w.out.WriteString(head + src[to:end])
	w.lineFeed, w.end = lineFeed(src, to), end
	col := w.childColumn(i, resource.Map, add)
	w.line(col)
	err := w.blockEntries(add, col, false)
	return w.splice(at, end), err
}

// childColumn is where the entries of node i go as a block collection, on lines of their own.
func (w *writer) childColumn(i int, kind resource.Kind, add []resource.New) int {
	n := w.f.Node(i)
	col := column(w.f.Source(), int(n.Whole.Start))
	if isList(w.f, int(n.Parent)) {
		return col + 2
	}
	return col + w.step(kind, add[0].Like)
}

// firstOfFile writes entries into a file that has none: behind its comments, before a document mark that ends it.
func (w *writer) firstOfFile(add []resource.New) (resource.Splice, error) {
	src := w.f.Source()
	i := int(w.f.Node(0).Value.Start)
	open := i > 0 && src[i-1] != '\n' && src[:i] != byteOrderMark // on a last line without a line end
	if open {
		w.line(0)
	}
	if last := strings.TrimRight(src[:i], "\r\n"); last != "" && strings.Count(src[len(last):i], "\n") <= 1 {
		if p := skipBlanks(src, lineStart(src, len(last))); p < len(last) && src[p] == '#' {
			w.line(0) // a comment on the file, not on its first entry
		}
	}
	if err := w.blockEntries(add, 0, areItems(add)); err != nil {
		return resource.Splice{}, err
	}
	if !open {
		w.line(0)
	}
	return w.splice(i, i), nil
}

// areItems reports whether entries without a collection around them are all the items of their model's list.
func areItems(add []resource.New) bool {
	for i, n := range add {
		if n.Like == nil || n.Name != "" && n.Name != strconv.Itoa(i) {
			return false
		}
		if up := n.Like.File.Node(n.Like.Node).Parent; up < 0 || !isList(n.Like.File, int(up)) {
			return false
		}
	}
	return len(add) > 0
}
