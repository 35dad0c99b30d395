package po

import (
	"fmt"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/text/plural"
)

// Forms are the categories of the forms of a plural by index, "" where there is none, by what a header says.
func Forms(pluralForms, language string) []string {
	var names []string
	for _, form := range slotsOf(pluralForms, language).forms {
		name := ""
		if form > 0 {
			name = plural.Order[form-1]
		}
		names = append(names, name)
	}
	return names
}

// Forms are those of the msgstr of a plural, by what the header says.
func (g grammar) Forms(f *resource.File) []string {
	if g.source {
		return nil // of a template they are the program's
	}
	header := header(f) + "\n"
	return Forms(field(header, "Plural-Forms"), field(header, "Language"))
}

// Blank makes a file of translations without any of a source: with the header's Language and Plural-Forms of the
// language, without obsolete entries.
func Blank(source []byte, language string) ([]byte, error) {
	f, err := resource.Parse(Translations, resource.Keys{}, source)
	if err != nil {
		return nil, err
	}
	src, newline := f.Source(), resource.Newline(f.Source())
	formula := formulaOf(language)
	if formula == "" {
		formula = field(header(f)+"\n", "Plural-Forms")
	}
	count, _, err := parsed(formula)
	if err != nil {
		count, formula = 2, "nplurals=2; plural=(n != 1);"
	}
	var out strings.Builder
	if encoding := len(source) - len(src); encoding > 0 && f.Len() > 0 {
		out.Write(source[:encoding]) // a byte order mark
	}
	at := 0
	if head := f.Node(0).Value; head.Len() > 0 {
		out.WriteString(living(src[:head.Start]) + headOf(head.Of(src), header(f), language, formula, newline))
		at = int(head.End)
	} else {
		_, text, _ := strings.Cut(plainest, "msgstr")
		out.WriteString(strings.ReplaceAll(headOf(plainest, unquoted(text), language, formula, "\n"), "\n", newline))
		out.WriteString(newline + newline)
	}
	for i := range f.Children(0) {
		n := f.Node(i)
		out.WriteString(living(src[at:n.Whole.Start]) + settled(src[n.Whole.Start:n.Name.Start]))
		if n.Kind == resource.Forms {
			out.WriteString(src[n.Name.Start:n.Value.Start])
			for index := range count {
				if index > 0 {
					out.WriteString(newline)
				}
				fmt.Fprintf(&out, `msgstr[%d] ""`, index)
			}
		} else {
			out.WriteString(src[n.Name.Start:n.Value.Start] + `""`)
		}
		at = int(n.Whole.End)
	}
	rest := strings.TrimRight(living(src[at:]), " \t\r\n")
	out.WriteString(rest + newline)
	return []byte(out.String()), nil
}

// living is what is between entries without obsolete ones.
func living(between string) string {
	if !strings.Contains(between, "#~") {
		return between
	}
	var out strings.Builder
	blank := false
	for line := range strings.Lines(between) {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "# ") && text != "#" || blank && text == "" {
			continue
		}
		blank = text == "" && out.Len() > 0
		out.WriteString(line)
	}
	return out.String()
}

// headOf is a header, as spelled, with other fields for the language.
func headOf(spelledHead, text, language, formula, newline string) string {
	top, _, _ := strings.Cut(spelledHead, "msgstr")
	fields := []struct{ name, value string }{{"Language", language}, {"Plural-Forms", formula}}
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(line, "\n"))
	}
	for _, f := range fields {
		at := -1
		for i, line := range lines {
			if name, _, is := strings.Cut(line, ":"); is && strings.EqualFold(name, f.name) {
				at = i
			}
		}
		line := f.name + ": " + f.value
		switch {
		case at >= 0:
			lines[at] = line
		case f.name == "Language" && len(lines) > 0:
			lines = insertBefore(lines, "MIME-Version", line)
		default:
			lines = append(lines, line)
		}
	}
	for i, line := range lines {
		lines[i] = strings.Replace(line, "charset=CHARSET", "charset=UTF-8", 1)
		lines[i] = strings.Replace(lines[i], "Encoding: ENCODING", "Encoding: 8bit", 1)
	}
	return settled(top) + "msgstr " + spelled("msgstr", strings.Join(lines, "\n")+"\n", newline, false)
}

// insertBefore puts a line in front of the one of a field, or at the end.
func insertBefore(lines []string, field, line string) []string {
	for i, l := range lines {
		if strings.HasPrefix(l, field+":") {
			return append(lines[:i], append([]string{line}, lines[i:]...)...)
		}
	}
	return append(lines, line)
}
