package po

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// former is an obsolete entry: one whose lines begin with #~.
type former struct {
	at                resource.Span // with the comments directly above it
	context, id       string        // as spelled
	contexted, filled bool          // it has a msgctxt; a msgstr
}

func (f *former) name() string {
	if !f.contexted {
		return unquoted(f.id)
	}
	return unquoted(f.context) + between + unquoted(f.id)
}

// Revive takes obsolete entries out whose msgid comes again. The text that they have is not the new entry's: it went
// with its msgid, and may be of the other kind.
func (grammar) Revive(f *resource.File, names map[string]bool) []resource.Splice {
	src := f.Source()
	if len(names) == 0 || !strings.Contains(src, "#~") {
		return nil
	}
	var splices []resource.Splice
	for _, e := range formers(src) {
		if names[e.name()] {
			start := len(strings.TrimRight(src[:e.at.Start], " \t\r\n"))
			splices = append(splices, resource.Splice{At: resource.At(start, int(e.at.End))})
		}
	}
	return splices
}

// formers finds the obsolete entries of a file.
func formers(src string) (all []former) {
	var now *former
	var part *string // gets further strings
	at, above := 0, -1
	for line := range strings.Lines(src) {
		start, text := at, strings.TrimSpace(line)
		at += len(line)
		words, is := strings.CutPrefix(text, "#~")
		if !is {
			now = nil
			if !strings.HasPrefix(text, "#") {
				above = -1
			} else if above < 0 {
				above = start
			}
			continue
		}
		words = strings.TrimSpace(words)
		if words == "" {
			continue
		}
		begins := words[0] == '|' || strings.HasPrefix(words, "msgctxt") || isID(words)
		if now == nil || begins && now.filled {
			if above < 0 {
				above = start
			}
			all = append(all, former{at: resource.At(above, above)})
			now, above, part = &all[len(all)-1], -1, nil
		}
		now.at.End = uint32(start + len(strings.TrimRight(line, " \t\r\n")))
		switch {
		case strings.HasPrefix(words, "msgctxt"):
			part, now.contexted = &now.context, true
		case isID(words):
			part = &now.id
		case words[0] != '"':
			part, now.filled = nil, now.filled || strings.HasPrefix(words, "msgstr")
		}
		if quoted := strings.IndexByte(words, '"'); part != nil && quoted >= 0 {
			*part += words[quoted:] + "\n"
		}
	}
	return all
}

func isID(words string) bool {
	rest, is := strings.CutPrefix(words, "msgid")
	return is && !strings.HasPrefix(rest, "_")
}
