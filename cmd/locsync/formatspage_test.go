package main

import (
	"fmt"
	"strings"

	"github.com/locsync/locsync/formats"
)

// formatsPage is the page of the manual about the formats, in Markdown: a section for each row, of what the row says.
func formatsPage() string {
	var b strings.Builder
	b.WriteString("# Formats of resource files\n\n" +
		"`format` of `[[project.files]]` is one of these names. `init` finds the right one, and where it is absent the\n" +
		"extension of `source` says it. Whatever the format, bytes that no edit is about stay as they are.\n" +
		"What is not carried, `check` names, too, where files of the project have it.\n")
	for _, name := range formats.Names() {
		f, _ := formats.Named(name)
		fmt.Fprintf(&b, "\n## %s\n\n%s", f.Name, f.Kind)
		if len(f.Extensions) > 0 {
			fmt.Fprintf(&b, " (`%s`)", strings.Join(f.Extensions, "`, `"))
		}
		b.WriteString(". " + travels(f) + "\n\n")
		b.WriteString(filled(f.Notes.Kept, pageWidth) + "\n\n")
		if len(f.Notes.Lost) == 0 {
			b.WriteString("All of it is carried.\n")
			continue
		}
		lost := "Not carried:"
		for _, loss := range f.Notes.Lost {
			lost += " " + loss.What
		}
		b.WriteString(filled(lost, pageWidth) + "\n")
	}
	return b.String()
}

// pageWidth is the length of the page's lines in bytes.
const pageWidth = 118

// travels says in which formats the texts go to the service and come back.
func travels(f formats.Format) string {
	sent, exchanged := f.Sent().Name, f.Exchanged().Name
	switch {
	case sent == f.Name && exchanged == f.Name:
		return "Texts travel in this format."
	case sent == f.Name:
		return fmt.Sprintf("Source texts travel in this format, translations as `%s`.", exchanged)
	}
	return fmt.Sprintf("Source texts travel as `%s`, translations as `%s`.", sent, exchanged)
}

// filled breaks a paragraph into lines.
func filled(text string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, line), "\n")
}
