package properties

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
	if _, sound := decoded(n.Name.Of(f.Source())); !sound {
		return resource.Splice{}, errors.New("the key has half a surrogate pair in it; mend it in the file")
	}
	separator := f.Source()[n.Name.End:n.Value.Start]
	spelled := separate(separator, habitOf(f, i).spell(text, false))
	if separator == "" {
		spelled = separatorNear(f, i) + spelled
	}
	return resource.Splice{At: n.Value, Text: spelled}, nil
}

// separate gives a sign that would separate key and text a backslash, where white space does that.
func separate(separator, spelled string) string {
	signed := separator == "" || strings.ContainsAny(separator, "=:")
	if !signed && spelled != "" && strings.IndexByte("=:", spelled[0]) >= 0 {
		return `\` + spelled
	}
	return spelled
}

// separatorNear is what the nearest entry has between its key and its text.
func separatorNear(f *resource.File, i int) string {
	for d := 0; d <= resource.Reach; d++ {
		for _, j := range [2]int{i - d, i + d} {
			if j < 1 || j >= f.Len() || f.Node(j).Value.Len() == 0 {
				continue
			}
			n := f.Node(j)
			s := f.Source()[n.Name.End:n.Value.Start]
			if strings.ContainsAny(s, "=:") && strings.Trim(s, " \t=:") == "" {
				return s
			}
		}
	}
	return "="
}

// Insert writes entries where at says, spelled as the file's, else as their model's.
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
		h, separator := fileHabit(f), "="
		switch like := n.Like; {
		case f.Len() > 1:
			separator = separatorNear(f, max(at.After, 1))
		case like != nil:
			separator = separatorNear(like.File, like.Node)
		}
		if n.Like != nil && h.style&(raw|escaped|narrow) == 0 && !isLatin1(n.Like.File) {
			h.style |= n.Like.File.Node(0).Style & (raw | escaped | upper)
		}
		if n.Note != "" {
			out.WriteString(h.commented(n.Note, s.eol+s.indent))
		}
		if err := write(&out, n, h, separator); err != nil {
			return resource.Splice{}, err
		}
	}
	out.WriteString(s.tail)
	return resource.Splice{At: resource.At(s.at, s.at), Text: out.String()}, nil
}

// write spells one entry.
func write(out *strings.Builder, n resource.New, h habit, separator string) error {
	name := h.spell(n.Name, true)
	if len(name) > resource.MaxName {
		return fmt.Errorf("the key is longer than %d KiB", resource.MaxName>>10)
	}
	value := ""
	switch {
	case n.Kind == resource.Text:
		value = h.spell(n.Text, false)
	case n.Kind == resource.Other && n.Like != nil:
		value = n.Like.File.Node(n.Like.Node).Value.Of(n.Like.File.Source())
	case n.Kind == resource.Forms:
		return errors.New("this format has no plural forms; keep them in a file of a format that has")
	default:
		return errors.New("an entry of this format holds one text and nothing below it; give the key a name of its own")
	}
	out.WriteString(name)
	out.WriteString(separator)
	out.WriteString(value)
	return nil
}

// Rename changes the key.
func (grammar) Rename(f *resource.File, i int, name string) (resource.Splice, error) {
	n := f.Node(i)
	if n.Kind == resource.Map {
		return resource.Splice{}, errors.New("the outermost entries of this format have no name above them")
	}
	spelled := fileHabit(f).spell(name, true)
	if len(spelled) > resource.MaxName {
		return resource.Splice{}, fmt.Errorf("the key is longer than %d KiB", resource.MaxName>>10)
	}
	if name == "" && !strings.ContainsAny(f.Source()[n.Name.End:n.Value.Start], "=:") {
		return resource.Splice{}, errors.New("a key without a character needs = or : behind it; write it in the file")
	}
	return resource.Splice{At: n.Name, Text: spelled}, nil
}

// Compose writes one entry a line, in ASCII, with each note above its entry.
func (grammar) Compose(top []resource.New) ([]byte, error) {
	var out strings.Builder
	for _, n := range top {
		if n.Note != "" {
			out.WriteString(habit{}.commented(n.Note, "\n"))
		}
		if err := write(&out, n, habit{}, "="); err != nil {
			return nil, fmt.Errorf("key %q: %w", n.Name, err)
		}
		out.WriteByte('\n')
	}
	return []byte(out.String()), nil
}
