package xcstrings

import (
	"errors"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/resource"
)

// members calls yield with the name and the value of each member of the object at the start of a span. What was not
// read as JSON before may be anything: it ends where it is none.
func members(src string, in resource.Span, yield func(name, value resource.Span) bool) {
	end := int(in.End)
	at := blank(src, int(in.Start)+1, end)
	for at < end && src[at] == '"' {
		name := resource.At(at, skip(src, at, end))
		if at = blank(src, int(name.End), end); at >= end || src[at] != ':' {
			return
		}
		at = blank(src, at+1, end)
		value := resource.At(at, skip(src, at, end))
		if !yield(name, value) {
			return
		}
		if at = blank(src, int(value.End), end); at >= end || src[at] != ',' {
			return
		}
		at = blank(src, at+1, end)
	}
}

// member is the value of an object's member, the last of several.
func member(src string, in resource.Span, called string) (found resource.Span, ok bool) {
	members(src, in, func(name, value resource.Span) bool {
		raw := name.Of(src)
		if len(raw) < len(`""`) {
			return true
		}
		if raw[1:len(raw)-1] == called || strings.Contains(raw, `\`) && jsonfile.Unquote(raw) == called {
			found, ok = value, true
		}
		return true
	})
	return found, ok
}

func blank(src string, at, end int) int {
	for at < end && strings.IndexByte(" \t\r\n", src[at]) >= 0 {
		at++
	}
	return at
}

// skip returns where the value at an offset ends.
func skip(src string, at, end int) int {
	depth := 0
	for at < end {
		switch src[at] {
		case '"':
			for at++; at < end && src[at] != '"'; at++ {
				if src[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return at
			}
		case ',', ' ', '\t', '\r', '\n', ':':
			if depth == 0 {
				return at
			}
		default:
			if depth == 0 { // a number or a word
				at++
				continue
			}
		}
		if at++; depth == 0 {
			return min(at, end)
		}
	}
	return end
}

// object is one that is to be written.
type object []pair

type pair struct {
	name  string
	value any // an object, or a string as it is spelled
}

// writer spells what is new.
type writer struct {
	spelling jsonfile.Spelling
	lines    jsonfile.Lines // of the members of an object
}

// write spells a value that belongs to a member of the layout's level, sorted.
func (w writer) write(value any) string {
	all, is := value.(object)
	if !is {
		return value.(string)
	}
	slices.SortStableFunc(all, func(a, b pair) int { return compare(a.name, b.name) })
	in := w
	in.lines = w.lines.In()
	var out []string
	for _, p := range all {
		out = append(out, w.spelling.Quote(p.name)+w.lines.Colon+in.write(p.value))
	}
	gap := w.lines.Gap
	if in.lines.Line != "" {
		gap = in.lines.Line
		return "{" + gap + strings.Join(out, ","+gap) + w.lines.Line + "}"
	}
	return "{" + strings.Join(out, ","+gap) + "}"
}

// unit is a string unit.
func (w writer) unit(text string) object {
	return object{{"stringUnit", object{{"state", translated}, {"value", w.spelling.Quote(text)}}}}
}

// localization is what a new entry has in a language.
func (w writer) localization(n *resource.New) (object, error) {
	if n.Kind == resource.Text {
		return w.unit(n.Text), nil
	}
	if n.Kind != resource.Map && n.Kind != resource.Forms {
		return nil, errNoKey
	}
	var of, all object
	in := "plural"
	for i := range n.Children {
		c := &n.Children[i]
		below, err := w.localization(c)
		if err != nil {
			return nil, err
		}
		name, isDevice := strings.CutPrefix(c.Name, "device.")
		switch {
		case n.Kind == resource.Forms && (!isCategory(c.Name) || c.Kind != resource.Text),
			n.Kind == resource.Map && !isDevice:
			return nil, errNoKey
		case isDevice:
			in = "device"
		}
		all = append(all, pair{name, below})
	}
	of = object{{"variations", object{{in, all}}}}
	return of, nil
}

// entry spells a key that no program has: Xcode leaves it alone.
func (w writer) entry(language string, n *resource.New) (string, error) {
	if n.Name == "" {
		return "", errors.New("a catalog has no texts without a key")
	}
	loc, err := w.localization(n)
	if err != nil {
		return "", err
	}
	all := object{{"extractionState", `"manual"`}, {"localizations", object{{language, loc}}}}
	if n.Note != "" {
		all = append(all, pair{"comment", w.spelling.Quote(n.Note)})
	}
	return w.spelling.Quote(n.Name) + w.lines.Colon + w.write(all), nil
}

// edited is the object of one key, which edits change one after the other.
type edited struct {
	writer   // of the object's own members
	was, now string
	at       int    // where it is in the file
	end      string // the line end; "" where all is on one line
}

func topOf(f *resource.File, i int) int {
	for f.Node(i).Parent > 0 {
		i = int(f.Node(i).Parent)
	}
	return i
}

// entryOf is the key that a node is, or belongs to.
func entryOf(f *resource.File, i int) *edited {
	src, n := f.Source(), f.Node(topOf(f, i))
	at := int(n.Name.End)
	at = blank(src, at, len(src)) + 1
	at = blank(src, at, len(src))
	e := &edited{was: src[at:n.Whole.End], at: at}
	e.now = e.was
	e.spelling = jsonfile.SpellingOf(f.Node(0), "")
	e.lines.Colon = src[n.Name.End:at]
	front := strings.TrimRight(src[:n.Whole.Start], " \t")
	switch {
	case strings.HasSuffix(front, "\r\n"):
		e.end = "\r\n"
	case strings.HasSuffix(front, "\n"):
		e.end = "\n"
	default:
		return e
	}
	indent := jsonfile.Indentation(src, int(n.Whole.Start))
	e.lines.Unit = "  "
	if unit, ok := strings.CutPrefix(indent, jsonfile.Indentation(src, int(f.Node(0).Value.Start))); ok && unit != "" {
		e.lines.Unit = unit
	}
	e.lines.Line = e.end + indent
	return e
}

// changed makes the changes, and is the splice of them.
func (e *edited) changed(do func() error) (resource.Splice, error) {
	if err := do(); err != nil {
		return resource.Splice{}, err
	}
	from := 0
	for from < len(e.was) && from < len(e.now) && e.was[from] == e.now[from] {
		from++
	}
	for from > 0 && e.was[from-1] >= 0x80 { // no character is cut
		from--
	}
	to := 0
	for to < len(e.was)-from && to < len(e.now)-from && e.was[len(e.was)-1-to] == e.now[len(e.now)-1-to] {
		to++
	}
	return resource.Splice{At: resource.At(e.at+from, e.at+len(e.was)-to), Text: e.now[from : len(e.now)-to]}, nil
}

// named is a member of the object that is edited.
type named struct {
	name        string
	whole, text resource.Span
}

func (e *edited) members(at int) (all []named) {
	members(e.now, resource.At(at, len(e.now)), func(name, value resource.Span) bool {
		whole := resource.Span{Start: name.Start, End: value.End}
		all = append(all, named{jsonfile.Unquote(name.Of(e.now)), whole, value})
		return true
	})
	return all
}

// find is a member of the object at an offset, the last of several; -1 for none. Languages may be in another case.
func find(all []named, name string) int {
	found := -1
	for i, m := range all {
		if m.name == name || found < 0 && strings.EqualFold(m.name, name) {
			found = i
		}
	}
	return found
}

// has reports whether a language has this member.
func (e *edited) has(language, part string) bool {
	at := 0
	for _, name := range []string{"localizations", language, part} {
		if e.now[at] != '{' {
			return false
		}
		all := e.members(at)
		k := find(all, name)
		if k < 0 {
			return false
		}
		at = int(all[k].text.Start)
	}
	return true
}

// level is the writer of what is below so many objects.
func (e *edited) level(depth int) writer {
	w := e.writer
	for range depth {
		w.lines = w.lines.In()
	}
	return w
}

// put gives what is at the end of a path this value, and makes what is missing above it.
func (e *edited) put(value any, path ...string) error {
	at := 0
	for depth, name := range path {
		all := e.members(at)
		k := find(all, name)
		if k < 0 {
			for i := len(path) - 1; i > depth; i-- {
				value = object{{path[i], value}}
			}
			e.insert(at, depth, all, name, value)
			return nil
		}
		at = int(all[k].text.Start)
		if depth == len(path)-1 {
			e.now = e.now[:at] + e.level(depth+1).write(value) + e.now[all[k].text.End:]
			return nil
		}
		if e.now[at] != '{' {
			return errOther
		}
	}
	return nil
}

// insert adds a member to the object at an offset, in Xcode's order.
func (e *edited) insert(at, depth int, all []named, name string, value any) {
	w := e.level(depth + 1)
	line, gap := w.lines.Line, w.lines.Line
	if len(all) > 0 {
		lead := e.now[at+1 : all[0].whole.Start]
		if !strings.Contains(lead, "\n") { // it is on one line
			w.lines.Line, line, gap = "", "", ""
			if len(all) > 1 {
				between := e.now[all[0].whole.End:all[1].whole.Start]
				gap = between[strings.IndexByte(between, ',')+1:]
			}
			w.lines.Gap = gap
		} else {
			line, gap = lead, lead
		}
	}
	written := w.spelling.Quote(name) + w.lines.Colon + w.write(value)
	next := slices.IndexFunc(all, func(m named) bool { return compare(m.name, name) > 0 })
	switch {
	case len(all) == 0:
		end := at + strings.IndexByte(e.now[at:], '}')
		e.now = e.now[:at+1] + line + written + e.level(depth).lines.Line + e.now[end:]
	case next >= 0:
		to := int(all[next].whole.Start)
		e.now = e.now[:to] + written + "," + gap + e.now[to:]
	default:
		from := int(all[len(all)-1].whole.End)
		e.now = e.now[:from] + "," + gap + written + e.now[from:]
	}
}

// take takes out what is at the end of a path, with the objects above it that lose their last member.
func (e *edited) take(path ...string) {
	at, depth := 0, 0
	var all []named
	k := -1
	for ; depth < len(path); depth++ {
		if e.now[at] != '{' {
			return
		}
		all = e.members(at)
		if k = find(all, path[depth]); k < 0 {
			return
		}
		if depth < len(path)-1 {
			at = int(all[k].text.Start)
		}
	}
	m := all[k].whole
	switch {
	case len(all) == 1 && len(path) > 1:
		e.take(path[:len(path)-1]...)
	case len(all) == 1:
		end := int(m.End) + strings.IndexByte(e.now[m.End:], '}')
		e.now = e.now[:at+1] + e.end + e.lines.Line + e.now[end:] // as Xcode spells an object without members
	case k < len(all)-1:
		e.now = e.now[:m.Start] + e.now[all[k+1].whole.Start:]
	default:
		e.now = e.now[:all[k-1].whole.End] + e.now[m.End:]
	}
}

// part is where a text is below its localization.
func (e *edited) part(f *resource.File, i int) []string {
	n := f.Node(i)
	if n.Parent == 0 {
		return nil
	}
	up := int(n.Parent)
	if f.Node(up).Kind == resource.Forms {
		return append(e.part(f, up), "variations", "plural", f.Name(i))
	}
	if n.Style&ofNode == beside {
		return []string{"stringUnit"}
	}
	return partOf(f.Name(i))
}

// add adds a new entry to a container of this kind, which is at a path.
func (e *edited) add(path []string, language string, in resource.Kind, n *resource.New) error {
	below := func(names ...string) []string { return append(slices.Clone(path), names...) }
	switch {
	case in == resource.Absent && n.Kind == resource.Text:
		e.take(below("variations")...)
		return e.text(n.Text, path)
	case in == resource.Forms && n.Kind == resource.Text && isCategory(n.Name):
		e.take(below("stringUnit")...)
		return e.text(n.Text, below("variations", "plural", n.Name))
	case in != resource.Map:
		return errNoKey
	case n.Name == "string" && n.Kind == resource.Text:
		return e.text(n.Text, path)
	}
	part := partOf(n.Name)
	if part == nil {
		return errNoKey
	}
	if part[0] == "variations" {
		e.take(below("stringUnit")...)
	} else if err := e.copied(language, part); err != nil {
		return err
	}
	if n.Kind == resource.Text && part[0] == "variations" {
		return e.text(n.Text, below(part...))
	}
	for i := range n.Children {
		if err := e.add(below(part...), language, resource.Forms, &n.Children[i]); err != nil {
			return err
		}
	}
	return nil
}

// text gives what is at a path a unit with a text.
func (e *edited) text(text string, path []string) error {
	u := e.unit(text)
	return e.put(u[0].value, append(slices.Clone(path), u[0].name)...)
}

// copied gives a substitution what it has in another language beside its texts: which argument it is, and how that is
// spelled.
func (e *edited) copied(language string, part []string) error {
	all, ok := member(e.now, resource.At(0, len(e.now)), "localizations")
	if !ok {
		return nil
	}
	for _, of := range e.members(int(all.Start)) {
		parts, ok := member(e.now, of.text, part[0])
		if !ok || strings.EqualFold(of.name, language) {
			continue
		}
		model, ok := member(e.now, parts, part[1])
		if !ok {
			continue
		}
		for _, name := range []string{"argNum", "formatSpecifier"} {
			if value, ok := member(e.now, model, name); ok {
				path := append([]string{"localizations", language}, part...)
				if err := e.put(value.Of(e.now), append(path, name)...); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return nil
}
