package stringsfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// Set replaces the value, or puts one behind a key alone.
func (grammar) Set(f *resource.File, i int, text string) (resource.Splice, error) {
	n := f.Node(i)
	if n.Kind == resource.Map {
		return resource.Splice{}, errors.New("this is the whole file, which cannot hold a text itself")
	}
	if n.Kind == resource.Other && strayEscape(n.Name.Of(f.Source())) != "" {
		return resource.Splice{}, fmt.Errorf("the key has %s in it, which is not a character; mend it in the file",
			strayEscape(n.Name.Of(f.Source())))
	}
	old := n.Value.Of(f.Source())
	if n.Value.Len() == 0 {
		old = n.Name.Of(f.Source())
	}
	h := habitOf(old)
	if !h.known && !isASCII(text) {
		near := neighboursHabit(f, i)
		h.visible, h.invisible = near.visible, near.invisible
	}
	quote := byte('"')
	if old[0] == '\'' {
		quote = '\''
	}
	spelled := quoted(text, quote, h)
	switch {
	case n.Value.Len() == 0:
		spelled = styleNear(f, i).equals + spelled
	case class[old[0]] == bare && bareable(text):
		spelled = text
	}
	return resource.Splice{At: n.Value, Text: spelled}, nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// neighboursHabit is the habit of the nearest text that shows one for characters beyond ASCII.
func neighboursHabit(f *resource.File, i int) habit {
	for d := 1; d <= resource.Reach; d++ {
		for _, j := range [2]int{i - d, i + d} {
			if j < 1 || j >= f.Len() || f.Node(j).Kind != resource.Text {
				continue
			}
			if h := habitOf(f.Node(j).Value.Of(f.Source())); h.known {
				return h
			}
		}
	}
	return habit{}
}

// style is how an entry is written around its texts.
type style struct {
	quote  byte   // of the key; 0 for none
	value  byte   // quote of the value
	equals string // between key and value
	end    string // behind the value
}

var plain = style{quote: '"', value: '"', equals: " = ", end: ";"}

// styleNear copies the entry i, or where that is a key alone, the nearest one that is not.
func styleNear(f *resource.File, i int) style {
	st := plain
	if i < 1 || i >= f.Len() {
		return st
	}
	src := f.Source()
	switch q := f.Node(i).Name.Of(src)[0]; {
	case q == '\'':
		st.quote = q
	case q != '"':
		st.quote = 0
	}
	for d := 0; d <= resource.Reach; d++ {
		for _, j := range [2]int{i - d, i + d} {
			if j < 1 || j >= f.Len() || f.Node(j).Value.Len() == 0 {
				continue
			}
			n := f.Node(j)
			if src[n.Value.Start] == '\'' {
				st.value = '\''
			}
			if between := src[n.Name.End:n.Value.Start]; isOnly(between, " \t=") {
				st.equals = between
			}
			if between := src[n.Whole.End:semicolon(f, j)]; isOnly(between, " \t") {
				st.end = between + ";"
			}
			return st
		}
	}
	return st
}

func isOnly(s, chars string) bool { return strings.Trim(s, chars) == "" }

// Insert writes entries into the gap, each in the style of its neighbour, else of its model.
func (grammar) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	if at.In != 0 {
		return resource.Splice{}, errors.New("an entry of this format holds one text and nothing below it")
	}
	var model *resource.Model
	if len(add) > 0 {
		model = add[0].Like
	}
	s := spotAt(f, at.After, model)
	var out strings.Builder
	for i, n := range add {
		if i == 0 {
			out.WriteString(s.lead)
		} else {
			out.WriteString(s.between)
		}
		if line := lastLine(s.between); n.Note != "" && line != "" {
			out.WriteString(commented(n.Note, line) + line)
		}
		st, h := plain, habit{}
		if s.like > 0 {
			st = styleNear(f, s.like)
			if !isASCII(n.Text) || !isASCII(n.Name) {
				h = neighboursHabit(f, s.like)
				h = habit{visible: h.visible, invisible: h.invisible}
			}
		} else if n.Like != nil {
			st = styleNear(n.Like.File, n.Like.Node)
		}
		if err := write(&out, n, st, h); err != nil {
			return resource.Splice{}, err
		}
	}
	out.WriteString(s.tail)
	return resource.Splice{At: resource.At(s.at, s.at), Text: out.String()}, nil
}

// Annotates says that new entries get the comments of their models.
func (grammar) Annotates() bool { return true }

// lastLine is the last line end of a separator and the indentation behind it; nothing where there is none.
func lastLine(s string) string {
	at := strings.LastIndexAny(s, "\r\n")
	if at > 0 && s[at-1] == '\r' && s[at] == '\n' {
		at--
	}
	if at < 0 {
		return ""
	}
	return s[at:]
}

// write spells one entry.
func write(out *strings.Builder, n resource.New, st style, h habit) error {
	name := n.Name
	switch {
	case st.quote != 0:
		name = quoted(name, st.quote, h)
	case !bareable(name):
		name = quoted(name, '"', h)
	}
	if len(name) > resource.MaxName {
		return fmt.Errorf("the key is longer than %d KiB", resource.MaxName>>10)
	}
	value := ""
	switch {
	case n.Kind == resource.Text:
		value = quoted(n.Text, st.value, h)
	case (n.Kind == resource.Null || n.Kind == resource.Other) && n.Like != nil:
		if value = n.Like.File.Node(n.Like.Node).Value.Of(n.Like.File.Source()); value == "" {
			return errors.New("the entry that it is modelled on has no value")
		}
	case n.Kind == resource.Forms:
		return errors.New("this format has no plural forms; keep them in a file of a format that has")
	default:
		return errors.New("an entry of this format holds one text and nothing below it; give the key a name of its own")
	}
	out.WriteString(name)
	out.WriteString(st.equals)
	out.WriteString(value)
	out.WriteString(st.end)
	return nil
}

// Rename changes the key; a key alone keeps its text by getting one.
func (grammar) Rename(f *resource.File, i int, name string) (resource.Splice, error) {
	n := f.Node(i)
	if n.Kind == resource.Map {
		return resource.Splice{}, errors.New("the outermost entries of this format have no name above them")
	}
	src := f.Source()
	old := n.Name.Of(src)
	spelled := name
	switch {
	case old[0] == '\'':
		spelled = quoted(name, '\'', habitOf(old))
	case old[0] == '"' || !bareable(name):
		spelled = quoted(name, '"', habitOf(old))
	}
	if len(spelled) > resource.MaxName {
		return resource.Splice{}, fmt.Errorf("the key is longer than %d KiB", resource.MaxName>>10)
	}
	if n.Value.Len() == 0 {
		st := styleNear(f, i)
		if class[old[0]] == bare {
			old = quoted(old, st.value, habit{})
		}
		spelled += st.equals + old
	}
	return resource.Splice{At: n.Name, Text: spelled}, nil
}

// Compose writes UTF-8 with one entry a line; where entries have notes, each note above its entry and a blank line
// between entries.
func (grammar) Compose(top []resource.New) ([]byte, error) {
	noted := false
	for _, n := range top {
		noted = noted || n.Note != ""
	}
	var out strings.Builder
	for i, n := range top {
		if noted && i > 0 {
			out.WriteByte('\n')
		}
		if n.Note != "" {
			out.WriteString(commented(n.Note, "\n"))
			out.WriteByte('\n')
		}
		if err := write(&out, n, plain, habit{}); err != nil {
			return nil, fmt.Errorf("key %q: %w", n.Name, err)
		}
		out.WriteByte('\n')
	}
	return []byte(out.String()), nil
}
