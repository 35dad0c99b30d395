package check

import (
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/sync/check/text"
)

// Span is a part of a text, from one byte to another.
type Span struct{ From, To int }

// Protected are the parts of a text that a translation keeps as they are, in order: placeholders and tags.
func Protected(s string, of programs.Programs) []Span {
	var all []Span
	spelled := make(map[string]bool)
	if text.Known(of.Reader) {
		read := text.Read(of.Reader, s, text.Options{})
		for _, a := range read.Arguments {
			spelled[a.Spelled] = true
		}
		for _, t := range read.Tags {
			spelled[t.Spelled] = true
		}
	} else {
		all = conversionsIn(s, of.Printf)
		if !IsMessage(s) {
			all = append(all, readNames(s, of.Named).spans...)
		}
		for _, sign := range append(parametersIn(s, false), "{}") {
			spelled[sign] = true
		}
	}
	if tags := tagsIn(s); unclosed(tags) == nil {
		for _, t := range tags {
			spelled[t.spelled] = true
		}
	}
	for part := range spelled {
		if len(all) < maxNames {
			all = append(all, occurrences(s, part)...)
		}
	}
	slices.SortFunc(all, func(a, b Span) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return b.To - a.To // of those that begin together, the longest
	})
	end := 0
	return slices.DeleteFunc(all, func(p Span) bool {
		if p.From < end {
			return true
		}
		end = p.To
		return false
	})
}

// conversionsIn are the placeholders of printf.
func conversionsIn(s string, d programs.Printf) (all []Span) {
	if d == programs.None || isDateFormat(s) {
		return nil
	}
	for at := 0; len(all) < maxNames; {
		i := strings.IndexByte(s[at:], '%')
		if i < 0 {
			break
		}
		at += i
		c, ok := conversionAt(s, at, d)
		if ok && !c.unsure {
			all = append(all, Span{at, at + len(c.spelled)})
			at += len(c.spelled)
		} else {
			at++
		}
	}
	return all
}

// occurrences are the first of a part in a text.
func occurrences(s, part string) (all []Span) {
	for at := 0; part != "" && len(all) < maxNames; {
		i := strings.Index(s[at:], part)
		if i < 0 {
			break
		}
		all = append(all, Span{at + i, at + i + len(part)})
		at += i + len(part)
	}
	return all
}
