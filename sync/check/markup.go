package check

import (
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/check/text"
)

// tag is one tag of a text.
type tag struct {
	name     string // as written, in lower case where HTML knows it
	spelled  string
	end      bool // </b>
	complete bool // <b/>, or HTML's <br> and the like
}

// styling are the tags that change how text looks and nothing else: a translation may use them as it likes, if it
// closes them. xliff:g is among them, as the resource compiler takes it out; what is inside is checked as what it
// is.
var styling = []string{
	"b", "i", "u", "s", "em", "strong", "small", "big", "sub", "sup", "strike", "del", "ins", "tt", "mark", "span", "font",
	"p", "br", "div", "center", "li", "ul", "ol", "hr", "wbr", "bdi", "bdo", "abbr", "q", "cite", "nobr", "blockquote",
	"h1", "h2", "h3", "h4", "h5", "h6", "html", "head", "body", "code", "kbd", "samp", "var", "dfn", "pre", "xliff:g"}

// isStyling reports whether a tag as spelled is one of these.
func isStyling(spelled string) bool {
	t, _ := tagAt(strings.TrimPrefix(spelled, "<"))
	return slices.Contains(styling, t.name)
}

// standing are the tags of HTML that need no end.
var standing = []string{
	"br", "hr", "wbr", "img", "input", "p", "li", "dt", "dd", "tr", "td", "th", "option", "html", "head", "body",
}

// active are tags that do something where they stand, so that a translation must not bring them.
var active = []string{
	"a", "script", "iframe", "object", "embed", "style", "link", "meta", "form", "input", "button", "svg", "img", "video",
	"base",
}

// link is an <a> that leads to a page, and runs nothing.
var link = regexp.MustCompile(`(?i)^<a(?:\s+(?:href=["']?(?:(?:https?:|mailto:|[/#%{$])[^\s"'<>]*|[^\s"'<>:&]*)["']?|` +
	`(?:target|rel|title|class)=(?:"[^"]*"|'[^']*')))+\s*>$`)

// tagsIn finds the tags of a text.
func tagsIn(s string) []tag {
	var all []tag
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '<')
		if i < 0 || len(all) > maxNames {
			return all
		}
		at += i + 1
		t, size := tagAt(s[at:])
		if size > 0 && text.Macro(s[at-1:]) == 0 {
			t.spelled = s[at-1 : at+size]
			all = append(all, t)
			at += size
		}
	}
}

// tagAt reads a tag behind its opening sign; size 0 says that it is none.
func tagAt(s string) (t tag, size int) {
	at := 0
	if strings.HasPrefix(s, "/") {
		t.end = true
		at = 1
	}
	from := at
	for at < len(s) && (isLetter(s[at]) || isDigit(s[at]) || at > from && strings.IndexByte("_-:.", s[at]) >= 0) {
		at++
	}
	if t.name = s[from:at]; t.name == "" || at >= len(s) || strings.IndexByte(" \t\r\n/>", s[at]) < 0 {
		return t, 0
	}
	// A component of the program can be called <Link>, so that only tags which are HTML for sure may be in any case.
	lower := strings.ToLower(t.name)
	if slices.Contains(styling, lower) || slices.Contains(standing, lower) || lower == "a" {
		t.name = lower
	}
	for quote := byte(0); at < len(s); at++ {
		switch c := s[at]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			return t, 0
		case c == '>':
			attributes := s[from+len(t.name) : at]
			t.complete = !t.end && (strings.HasSuffix(attributes, "/") || slices.Contains(standing, t.name))
			return t, at + 1
		}
	}
	return t, 0
}

// unclosed is a finding of the tag that does not close, or closes nothing; nil when all do.
func unclosed(tags []tag) *Finding {
	wrong := func(format string, values ...any) *Finding {
		f := say(Markup, format, values...)
		return &f
	}
	var open []tag
	for _, t := range tags {
		switch {
		case t.complete:
		case !t.end:
			open = append(open, t)
		case slices.Contains(standing, t.name):
		case len(open) == 0 || open[len(open)-1].name != t.name:
			if len(open) > 0 {
				return wrong("the tag %s is not closed before %s", open[len(open)-1].spelled, t.spelled)
			}
			return wrong("the tag %s closes nothing", t.spelled)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return wrong("the tag %s is not closed", open[len(open)-1].spelled)
	}
	return nil
}

// markup compares the tags. A source whose own tags do not close has none: <file> in a usage text is a word.
func (p *pair) markup() {
	have, use := tagsIn(p.source), tagsIn(p.text)
	if len(have) > maxNames || len(use) > maxNames || unclosed(have) != nil {
		return
	}
	if len(have) > 0 {
		if wrong := unclosed(use); wrong != nil {
			p.add(*wrong)
			return
		}
	}
	foreign := func(t tag) bool { return !slices.Contains(styling, t.name) && t.name != "a" }
	told := len(p.findings) > 0 // by a reader that knows tags
	if wrong := unclosed(use); len(have) == 0 && wrong != nil && !told && !slices.ContainsFunc(use, foreign) {
		wrong.Warning = true
		p.add(*wrong)
	}
	var lacks, extra []string
	for _, t := range have {
		missing := !t.end && !slices.Contains(styling, t.name) && !slices.ContainsFunc(use, t.same) && !p.lostIn(t.spelled)
		if missing && !slices.Contains(lacks, t.spelled) {
			lacks = append(lacks, t.spelled)
		}
	}
	components := slices.ContainsFunc(have, func(t tag) bool { return !slices.Contains(styling, t.name) })
	for _, t := range use {
		known := components && !slices.Contains(styling, t.name) || slices.Contains(active, strings.ToLower(t.name))
		if !t.end && known && !slices.ContainsFunc(have, t.same) && !slices.Contains(extra, t.spelled) {
			extra = append(extra, t.spelled)
		}
	}
	warns := false
	if len(lacks) == 0 && !slices.ContainsFunc(extra, func(spelled string) bool { return !link.MatchString(spelled) }) {
		warns = true // a reader of that language is led somewhere, which the program shows, or spells out
	} else {
		p.broken = extra
	}
	p.differs(warns, Markup, lacks, extra)
}

// same reports whether two tags do the same to the program.
func (t tag) same(o tag) bool { return t.name == o.name && t.end == o.end }
