package po

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// Set replaces the strings of a msgstr.
func (grammar) Set(f *resource.File, i int, text string) (resource.Splice, error) {
	src, n := f.Source(), f.Node(i)
	switch {
	case n.Style&template != 0:
		return resource.Splice{}, errors.New("this text is in the program, which this file is from; change it there")
	}
	name := n
	if up := f.Node(int(n.Parent)); up.Kind == resource.Forms {
		name = up
	}
	if err := fits(text, idOf(name.Name.Of(src))); err != nil {
		return resource.Splice{}, err
	}
	keyword := "msgstr"
	if name != n {
		keyword = "msgstr[" + n.Name.Of(src) + "]"
	}
	written := spelled(keyword, text, resource.Newline(src), f.Node(0).Style&wide != 0)
	return resource.Splice{At: n.Value, Text: written}, nil
}

// idOf is the msgid of a name as spelled.
func idOf(name string) string {
	_, id := divided(name)
	return unquoted(id)
}

// fits refuses a translation that gettext's tools refuse.
func fits(text, id string) error {
	switch {
	case text == "":
		return errors.New("in this format, an empty text says that there is no translation")
	case strings.ContainsRune(text, 0):
		return errors.New("it has the character U+0000, at which programs end a text")
	case strings.HasPrefix(text, "\n") != strings.HasPrefix(id, "\n"),
		strings.HasSuffix(text, "\n") != strings.HasSuffix(id, "\n"):
		return errors.New("the msgid and the translation do not both begin, or do not both end, with a line break, " +
			"which msgfmt refuses")
	}
	return nil
}

// Beside takes the marks of an entry away that it has no translation, when it gets one, with what other forms had; and
// gives it the source file's msgid_plural.
func (grammar) Beside(f *resource.File, i int, texts map[int]string, like *resource.Model) []resource.Splice {
	src, n := f.Source(), f.Node(i)
	entry := n
	var splices []resource.Splice
	if up := f.Node(int(n.Parent)); up.Kind == resource.Forms {
		entry = up
		if n.Style&fuzzy != 0 {
			for c := range f.Children(int(n.Parent)) {
				if c != i && f.Node(c).Value.Len() > len(`""`) {
					splices = append(splices, resource.Splice{At: f.Node(c).Value, Text: `""`})
				}
			}
		}
		splices = append(splices, shared(f, int(n.Parent), texts)...)
		if now, has := pluralOf(src, entry); has && like != nil {
			theirs := like.File.Node(like.Node)
			if theirs.Kind != resource.Forms {
				theirs = like.File.Node(int(theirs.Parent))
			}
			is, known := pluralOf(like.File.Source(), theirs)
			if known && unquoted(now.Of(src)) != unquoted(is.Of(like.File.Source())) {
				text := strings.ReplaceAll(is.Of(like.File.Source()), "\r\n", "\n")
				text = strings.ReplaceAll(text, "\n", resource.Newline(src))
				splices = append(splices, resource.Splice{At: now, Text: text})
			}
		}
	}
	if n.Style&fuzzy != 0 {
		head := resource.At(int(entry.Whole.Start), int(entry.Name.Start))
		splices = append(splices, resource.Splice{At: head, Text: settled(head.Of(src))})
	}
	return splices
}

// shared gives the msgstr that have another one's text, too (see slots), what that one gets. In an entry that was fuzzy
// no former text stays.
func shared(f *resource.File, entry int, texts map[int]string) (splices []resource.Splice) {
	src, header := f.Source(), header(f)+"\n"
	of := slotsOf(field(header, "Plural-Forms"), field(header, "Language"))
	all := msgstrs(src, f.Node(entry).Value)
	for c := range f.Children(entry) {
		text, set := texts[c]
		own := slices.IndexFunc(all, func(at resource.Span) bool { return at == f.Node(c).Value })
		for index, at := range all {
			if index == own || of.same[index] != own {
				continue
			}
			keyword := fmt.Sprintf("msgstr[%d]", index)
			switch {
			case set:
				text := spelled(keyword, text, resource.Newline(src), f.Node(0).Style&wide != 0)
				splices = append(splices, resource.Splice{At: at, Text: text})
			case f.Node(c).Style&fuzzy != 0:
				splices = append(splices, resource.Splice{At: at, Text: `""`})
			}
		}
	}
	return splices
}

// msgstrs are the strings of each msgstr[index] of an entry.
func msgstrs(src string, at resource.Span) (all []resource.Span) {
	start := int(at.Start)
	for line := range strings.Lines(at.Of(src)) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t\r\f\v"), "msgstr[") {
			open := start + strings.IndexByte(line, '"')
			if !strings.Contains(line, `"`) {
				open = start + len(line)
			}
			all = append(all, resource.At(open, open))
		}
		if end := strings.LastIndexByte(line, '"'); end >= 0 && len(all) > 0 {
			last := &all[len(all)-1]
			if last.Len() == 0 {
				last.Start = uint32(start + strings.IndexByte(line, '"'))
			}
			last.End = uint32(start + end + 1)
		}
		start += len(line)
	}
	return all
}

// pluralOf is the strings of msgid_plural.
func pluralOf(src string, n *resource.Node) (at resource.Span, has bool) {
	if n.Kind != resource.Forms {
		return at, false
	}
	line, _, _ := strings.Cut(src[n.Name.End:n.Whole.End], "msgstr[")
	start := strings.IndexByte(line, '"')
	end := strings.LastIndexByte(line, '"')
	if start < 0 || end < start {
		return at, false
	}
	return resource.At(int(n.Name.End)+start, int(n.Name.End)+end+1), true
}

// settled is the comments of an entry without the mark of a fuzzy one and its former msgid.
func settled(comments string) string {
	var out strings.Builder
	for line := range strings.Lines(comments) {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "#|") {
			continue
		}
		flags, is := strings.CutPrefix(text, "#,")
		if !is || !strings.Contains(flags, "fuzzy") {
			out.WriteString(line)
			continue
		}
		var left []string
		for flag := range strings.SplitSeq(flags, ",") {
			if flag = strings.TrimSpace(flag); flag != "fuzzy" && flag != "" {
				left = append(left, flag)
			}
		}
		if len(left) > 0 {
			out.WriteString("#, " + strings.Join(left, ", ") + line[len(strings.TrimRight(line, "\r\n")):])
		}
	}
	return out.String()
}

// Insert writes entries, with a blank line between them.
func (grammar) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	if at.In != 0 {
		return resource.Splice{}, errors.New("by the Plural-Forms in the header of this file there is no such form; " +
			"correct it, or run msgmerge, where the language has it")
	}
	src, root := f.Source(), f.Node(0)
	newline := resource.Newline(src)
	var entries []string
	for _, n := range add {
		entry, err := entryOf(n, newline, root.Style&wide != 0, header(f))
		if err != nil {
			return resource.Splice{}, err
		}
		entries = append(entries, entry)
	}
	text := strings.Join(entries, newline+newline)
	switch {
	case at.After > 0:
		end := int(f.Node(at.After).Whole.End)
		return resource.Splice{At: resource.At(end, end), Text: newline + newline + text}, nil
	case f.Len() > 1:
		start := int(f.Node(1).Whole.Start)
		return resource.Splice{At: resource.At(start, start), Text: text + newline + newline}, nil
	case root.Value.Len() > 0:
		end := int(root.Value.End)
		return resource.Splice{At: resource.At(end, end), Text: newline + newline + text}, nil
	}
	end := len(strings.TrimRight(src, " \t\r\n"))
	if end > 0 {
		text = newline + newline + text
	}
	if end == len(src) {
		text += newline
	}
	return resource.Splice{At: resource.At(end, end), Text: text}, nil
}

// header is the text of a file's header.
func header(f *resource.File) string {
	_, text, _ := strings.Cut(f.Node(0).Value.Of(f.Source()), "msgstr")
	return unquoted(text)
}

// entryOf spells an entry: what its model has above msgstr, and its texts.
func entryOf(n resource.New, newline string, isWide bool, header string) (string, error) {
	if n.Kind != resource.Text && n.Kind != resource.Forms {
		return "", errors.New("an entry of this format holds one text, or the forms of a plural, and nothing below it")
	}
	top, id, err := above(n, newline, isWide)
	if err != nil {
		return "", err
	}
	if n.Kind == resource.Text {
		if err := fits(n.Text, id); err != nil {
			return "", err
		}
		return top + "msgstr " + spelled("msgstr", n.Text, newline, isWide), nil
	}
	of := slotsOf(field(header+"\n", "Plural-Forms"), field(header+"\n", "Language"))
	texts := make([]string, of.count)
	for _, form := range n.Children {
		at := slices.Index(of.forms[:of.count], placeOf(form.Name))
		if at < 0 || placeOf(form.Name) == 0 {
			return "", fmt.Errorf("by the Plural-Forms in the header of this file there is no form %q; correct it, "+
				"where the language has it", form.Name)
		}
		if err := fits(form.Text, id); err != nil {
			return "", err
		}
		texts[at] = form.Text
	}
	for index := range texts {
		text, keyword := texts[of.same[index]], fmt.Sprintf("msgstr[%d]", index)
		if index > 0 {
			top += newline
		}
		top += keyword + " " + spelled(keyword, text, newline, isWide)
	}
	return top, nil
}

// above is an entry up to its msgstr, and its msgid.
func above(n resource.New, newline string, isWide bool) (top, id string, err error) {
	if n.Like != nil {
		model, src := n.Like.File.Node(n.Like.Node), n.Like.File.Source()
		if model.Kind == n.Kind || model.Kind == resource.Null && n.Kind == resource.Text {
			name := model.Name.Of(src)
			head := settled(src[model.Whole.Start:model.Name.Start]) + name + newline
			if at, is := pluralOf(src, model); is {
				head += "msgid_plural " + at.Of(src) + newline
			}
			head = strings.ReplaceAll(strings.ReplaceAll(head, "\r\n", "\n"), "\n", newline)
			return head, idOf(name), nil
		}
	}
	id = n.Name
	var out strings.Builder
	if n.Like == nil && n.Note != "" {
		for line := range strings.Lines(n.Note) {
			out.WriteString("#. " + strings.TrimRight(line, "\r\n") + newline)
		}
	}
	if context, rest, contexted := strings.Cut(id, between); contexted {
		out.WriteString("msgctxt " + spelled("msgctxt", context, newline, isWide) + newline)
		id = rest
	}
	if err := named(n.Name, id); err != nil {
		return "", "", err
	}
	out.WriteString("msgid " + spelled("msgid", id, newline, isWide) + newline)
	if n.Kind == resource.Forms {
		out.WriteString("msgid_plural " + spelled("msgid_plural", id, newline, isWide) + newline)
	}
	return out.String(), id, nil
}

// named refuses what cannot be a key.
func named(key, id string) error {
	switch {
	case key == "":
		return errors.New("an entry without a msgid is the header")
	case strings.ContainsRune(key, 0):
		return errors.New("the key has the character U+0000, at which programs end a text")
	case len(key) > resource.MaxName/8:
		return errors.New("the key is too long")
	}
	return nil
}

// Rename changes msgctxt and msgid.
func (grammar) Rename(f *resource.File, i int, name string) (resource.Splice, error) {
	n := f.Node(i)
	if n.Parent != 0 {
		return resource.Splice{}, errors.New("only entries have names that can be changed")
	}
	id := name
	if _, rest, contexted := strings.Cut(name, between); contexted {
		id = rest
	}
	if err := named(name, id); err != nil {
		return resource.Splice{}, err
	}
	src := f.Source()
	top, _, err := above(resource.New{Kind: resource.Text, Name: name}, resource.Newline(src), f.Node(0).Style&wide != 0)
	return resource.Splice{At: n.Name, Text: strings.TrimRight(top, "\r\n")}, err
}

// Remove makes translated entries obsolete, as msgmerge does: it takes their texts for others that are like them.
// Entries without a text go, with the blank lines above them.
func (grammar) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	src := f.Source()
	splices := make([]resource.Splice, 0, len(gone))
	for _, i := range gone {
		n := f.Node(i)
		if n.Style&template != 0 && n.Parent != 0 {
			return nil, errors.New("the forms of this plural are in the program")
		}
		if n.Parent != 0 {
			splices = append(splices, resource.Splice{At: n.Value, Text: `""`})
			continue
		}
		if n.Style&template == 0 && translated(f, i) {
			splices = append(splices, resource.Splice{At: n.Whole, Text: obsolete(n.Whole.Of(src), resource.Newline(src))})
			continue
		}
		start := len(strings.TrimRight(src[:n.Whole.Start], " \t\r\n"))
		end := int(n.Whole.End)
		if k := len(splices) - 1; k >= 0 && int(splices[k].At.End) > start {
			start = int(splices[k].At.End)
		}
		if start == 0 {
			end = len(src) - len(strings.TrimLeft(src[end:], " \t\r\n"))
		}
		splices = append(splices, resource.Splice{At: resource.At(start, end)})
	}
	return splices, nil
}

// translated reports whether an entry has a text, also a fuzzy one.
func translated(f *resource.File, i int) bool {
	src, n := f.Source(), f.Node(i)
	if n.Kind != resource.Forms {
		return unquoted(n.Value.Of(src)) != ""
	}
	return slices.ContainsFunc(msgstrs(src, n.Value), func(at resource.Span) bool { return unquoted(at.Of(src)) != "" })
}

// obsolete spells an entry as one that the template does not have any more: without references and extracted comments.
func obsolete(entry, newline string) string {
	var lines []string
	for line := range strings.Lines(entry) {
		line = strings.Trim(line, " \t\r\n\f\v")
		switch {
		case line == "", strings.HasPrefix(line, "#."), strings.HasPrefix(line, "#:"):
		case strings.HasPrefix(line, "#|"):
			lines = append(lines, "#~"+line[1:])
		case strings.HasPrefix(line, "#"):
			lines = append(lines, line)
		default:
			lines = append(lines, "#~ "+line)
		}
	}
	return strings.Join(lines, newline)
}

// Compose writes a header and the entries.
func (grammar) Compose(top []resource.New) ([]byte, error) {
	var out strings.Builder
	out.WriteString(plainest)
	for _, n := range top {
		n.Like = nil
		entry, err := entryOf(n, "\n", false, "Plural-Forms: nplurals=2; plural=(n != 1);\n")
		if err != nil {
			return nil, err
		}
		out.WriteString("\n" + entry + "\n")
	}
	return []byte(out.String()), nil
}

// plainest is a header that says no more than it has to.
const plainest = `msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
`
