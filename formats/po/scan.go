package po

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/text/plural"
)

// Scan finds the entries.
func (g grammar) Scan(src string) (*resource.Layout, error) {
	s := scanner{src: src, source: g.source}
	all := resource.At(0, len(src))
	s.nodes = append(make([]resource.Node, 0, 1+strings.Count(src, "\nmsgid ")),
		resource.Node{Parent: -1, Kind: resource.Map, Whole: all})
	s.begin()
	for s.at < len(src) {
		if err := s.line(); err != nil {
			return nil, err
		}
	}
	if err := s.finish(len(src)); err != nil {
		return nil, err
	}
	s.nodes[0].End = int32(len(s.nodes))
	if s.header == "" && len(s.nodes) > 1 && !s.source {
		s.warns(resource.Warning{}, "it has no header, so that msgfmt -c refuses the file; write an entry with an empty "+
			"msgid, with Content-Type and Plural-Forms")
	}
	return &resource.Layout{Nodes: s.nodes, Warnings: s.warnings}, nil
}

// part is what a keyword has: its strings, from the first quote to behind the last one.
type part struct {
	keyword int // where it begins
	strings resource.Span
	index   int // of msgstr[index]
}

type scanner struct {
	src      string
	source   bool
	at       int
	nodes    []resource.Node
	warnings []resource.Warning
	header   string
	slots    *slots // once a plural was met
	formless bool   // it was told that the header has no Plural-Forms
	entry    entry  // that is being read
}

type entry struct {
	start           int // of the comments directly above it; -1 for none
	note            resource.Span
	attached        bool // these are about the entry, whatever is between them
	fuzzy           bool
	context, id     part
	more            part // msgid_plural
	texts           []part
	now             *part // gets further strings
	idEnds, lastEnd int
}

func refuse(at int, format string, args ...any) error {
	return &resource.SyntaxError{Offset: at, Msg: fmt.Sprintf(format, args...)}
}

// begin forgets the entry.
func (s *scanner) begin() {
	s.entry.start, s.entry.note, s.entry.now, s.entry.texts = -1, resource.Span{}, nil, s.entry.texts[:0]
	s.entry.attached, s.entry.fuzzy = false, false
	s.entry.context, s.entry.id, s.entry.more = part{keyword: -1}, part{keyword: -1}, part{keyword: -1}
}

// line reads the line at s.at.
func (s *scanner) line() error {
	start, end := s.at, len(s.src)
	if n := strings.IndexByte(s.src[s.at:], '\n'); n >= 0 {
		end = s.at + n
	}
	s.at = min(end+1, len(s.src))
	line := strings.Trim(s.src[start:end], " \t\r\f\v")
	if line == "" {
		if s.entry.id.keyword < 0 && s.entry.context.keyword < 0 && !s.entry.attached {
			s.entry.start = -1 // a comment about several entries
		}
		return nil
	}
	if line[0] == '#' {
		if s.entry.id.keyword >= 0 || s.entry.context.keyword >= 0 {
			if err := s.finish(start); err != nil {
				return err
			}
		}
		s.comment(start, end, line)
		return nil
	}
	quoted := start + strings.Index(s.src[start:end], line)
	if line[0] != '"' {
		if s.entry.now != nil && len(s.entry.texts) > 0 && !strings.HasPrefix(line, "msgstr") {
			if err := s.finish(start); err != nil {
				return err
			}
		}
		size, err := s.keyword(quoted, line)
		if err != nil {
			return err
		}
		line = line[size:]
		quoted += size + len(line)
		line = strings.TrimLeft(line, " \t")
		quoted -= len(line)
	}
	return s.quoted(quoted, line)
}

// comment reads a line that begins with #.
func (s *scanner) comment(start, end int, line string) {
	if strings.HasPrefix(line, "#~") { // obsolete, with what is above it
		s.begin()
		return
	}
	if s.entry.start < 0 {
		s.entry.start = start
	}
	s.entry.attached = s.entry.attached || len(line) > 1 && strings.IndexByte(".:,|", line[1]) >= 0
	switch {
	case strings.HasPrefix(line, "#."):
		if s.entry.note.Len() == 0 {
			s.entry.note.Start = uint32(start)
		}
		s.entry.note.End = uint32(end)
	case strings.HasPrefix(line, "#,"):
		for flag := range strings.SplitSeq(line[len("#,"):], ",") {
			s.entry.fuzzy = s.entry.fuzzy || strings.TrimSpace(flag) == "fuzzy"
		}
	}
}

// keyword reads the word that a line begins with, and returns its length.
func (s *scanner) keyword(at int, line string) (size int, err error) {
	size = strings.IndexAny(line, " \t\"")
	if size < 0 {
		size = len(line)
	}
	switch word := line[:size]; {
	case word == "msgctxt" && s.entry.context.keyword < 0 && s.entry.id.keyword < 0:
		s.entry.now = &s.entry.context
	case word == "msgid" && s.entry.id.keyword < 0:
		s.entry.now = &s.entry.id
	case word == "msgid_plural" && s.entry.id.keyword >= 0 && s.entry.more.keyword < 0 && len(s.entry.texts) == 0:
		s.entry.now = &s.entry.more
	case word == "msgstr" && s.entry.id.keyword >= 0 && s.entry.more.keyword < 0 && len(s.entry.texts) == 0:
		s.entry.texts = append(s.entry.texts, part{})
		s.entry.now = &s.entry.texts[0]
	case strings.HasPrefix(word, "msgstr[") && s.entry.more.keyword >= 0:
		index := len(s.entry.texts)
		if word != fmt.Sprintf("msgstr[%d]", index) || index >= mostForms {
			return 0, refuse(at, "%.40s where msgstr[%d] is to be", word, index)
		}
		s.entry.texts = append(s.entry.texts, part{index: index})
		s.entry.now = &s.entry.texts[index]
	default:
		return 0, refuse(at, "%.40q is nothing that can be here in a PO file", line)
	}
	s.entry.now.keyword, s.entry.now.strings = at, resource.Span{}
	return size, nil
}

// mostForms is how many forms a plural may have.
const mostForms = 6

// quoted reads a string, which is all of a line.
func (s *scanner) quoted(at int, line string) error {
	if s.entry.now == nil {
		return refuse(at, "a string without a keyword above it")
	}
	if line == "" || line[0] != '"' {
		return refuse(at, "a string in quotes is to be here")
	}
	for i := 1; ; {
		n := strings.IndexAny(line[i:], `"\`)
		if n < 0 {
			return refuse(at, "a string that does not end on its line")
		}
		i += n
		if line[i] == '"' {
			if i != len(line)-1 {
				return refuse(at+i+1, "something behind a string; each is alone on its line")
			}
			break
		}
		_, size, ok := escape(line[i:])
		if !ok {
			return refuse(at+i, "an escape that is not read here; write the character itself")
		}
		i += size
	}
	end := at + len(line)
	if s.entry.now.strings.Len() == 0 {
		s.entry.now.strings.Start = uint32(at)
	}
	s.entry.now.strings.End = uint32(end)
	s.entry.lastEnd = end
	if s.entry.now == &s.entry.id {
		s.entry.idEnds = end
	}
	if len(line) > lineWidth && s.nodes[0].Style&wide == 0 && s.header != "" &&
		utf8.RuneCountInString(line) > lineWidth && strings.Contains(strings.TrimRight(line, "\" "), " ") {
		s.nodes[0].Style |= wide
	}
	return nil
}

// finish makes nodes of the entry that was read.
func (s *scanner) finish(at int) error {
	defer s.begin()
	if s.entry.id.keyword < 0 && s.entry.context.keyword < 0 {
		return nil
	}
	if s.entry.id.keyword < 0 || len(s.entry.texts) == 0 {
		return refuse(min(at, len(s.src)), "the entry above has no msgid, or no msgstr")
	}
	for _, p := range s.entry.texts {
		if p.strings.Len() == 0 {
			return refuse(p.keyword, "a keyword without a string")
		}
	}
	if s.entry.id.strings.Len() == 0 {
		return refuse(s.entry.id.keyword, "a keyword without a string")
	}
	for _, p := range append(s.entry.texts, s.entry.id, s.entry.context, s.entry.more) {
		if !utf8.ValidString(unquoted(p.strings.Of(s.src))) {
			return refuse(int(p.strings.Start), "escapes of bytes that are not UTF-8 together")
		}
	}
	start := s.entry.id.keyword
	if s.entry.context.keyword >= 0 {
		start = s.entry.context.keyword
	}
	n := resource.Node{Kind: resource.Text, Name: resource.At(start, s.entry.idEnds), Note: s.entry.note}
	n.Whole = resource.At(start, s.entry.lastEnd)
	if s.entry.start >= 0 {
		n.Whole.Start = uint32(s.entry.start)
	}
	id := unquoted(s.entry.id.strings.Of(s.src))
	if id == "" && s.entry.context.keyword < 0 {
		return s.head(n)
	}
	if n.Name.Len() > resource.MaxName {
		return refuse(start, "a msgid that is too long")
	}
	if len(s.nodes)+len(s.entry.texts) > resource.MaxEntries {
		return refuse(start, "too many entries for one file")
	}
	if s.entry.fuzzy {
		n.Style = fuzzy
	}
	own := false // it has a text of its own
	for _, p := range s.entry.texts {
		own = own || unquoted(p.strings.Of(s.src)) != "" && !s.entry.fuzzy
	}
	if s.entry.more.keyword >= 0 {
		s.plural(n, own)
		return nil
	}
	n.Value = s.entry.texts[0].strings
	s.leaf(n, s.source && !own, s.entry.id)
	return nil
}

// leaf adds a text: as it is, or of a template what the program has.
func (s *scanner) leaf(n resource.Node, program bool, id part) {
	switch {
	case program:
		n.Value = id.strings
		n.Style |= template
	case n.Style&fuzzy != 0, unquoted(n.Value.Of(s.src)) == "":
		n.Kind = resource.Null
	}
	n.End = int32(len(s.nodes) + 1)
	s.nodes = append(s.nodes, n)
}

// plural adds the forms of a plural.
func (s *scanner) plural(n resource.Node, own bool) {
	at := int32(len(s.nodes))
	of := n
	of.Kind, of.Value = resource.Forms, resource.At(s.entry.texts[0].keyword, s.entry.lastEnd)
	s.nodes = append(s.nodes, of)
	add := func(p part, style uint8, program bool, id part) {
		whole := resource.At(p.keyword, int(p.strings.End))
		form := resource.Node{Parent: at, Kind: resource.Text, Style: style | n.Style, Whole: whole, Value: p.strings}
		if program {
			form.Name = resource.At(id.keyword+1, id.keyword+2)
			form.Whole = resource.At(id.keyword, int(id.strings.End))
		} else {
			digits := p.keyword + len("msgstr[")
			form.Name = resource.At(digits, digits+1)
		}
		s.leaf(form, program, id)
	}
	if s.source && !own {
		add(s.entry.texts[0], placeOf(plural.One), true, s.entry.id)
		add(s.entry.texts[0], placeOf(plural.Other), true, s.entry.more)
	} else {
		if s.slots == nil {
			found := slotsOf(field(s.header, "Plural-Forms"), field(s.header, "Language"))
			s.slots = &found
		}
		if own && !s.source {
			s.counted(at)
		}
		for _, p := range s.entry.texts {
			form := s.slots.forms[p.index]
			if form > 0 {
				add(p, form, false, s.entry.id)
			}
			if form > 0 || s.slots.same[p.index] != p.index {
				continue
			}
			s.warnings = append(s.warnings, resource.Warning{Node: int(at), Left: true, At: p.keyword,
				Msg: fmt.Sprintf("msgstr[%d] is for no numbers by the Plural-Forms of the header, so it cannot be "+
					"translated; correct the header", p.index)})
		}
	}
	s.nodes[at].End = int32(len(s.nodes))
}

// warns enters what msgfmt -c refuses the file for. Without a header, or Plural-Forms, a program reads it all the same.
func (s *scanner) warns(w resource.Warning, format string, args ...any) {
	w.Msg = fmt.Sprintf(format, args...)
	s.warnings = append(s.warnings, w)
}

// counted sees to it that a translated plural has the forms that the header says.
func (s *scanner) counted(node int32) {
	first, n := s.entry.texts[0].keyword, len(s.entry.texts)
	switch header := field(s.header, "Plural-Forms"); {
	case s.header == "": // which is told
	case header == "" && !s.formless:
		s.formless = true
		s.warns(resource.Warning{Node: int(node), At: first}, "it has forms of a plural, and the header has no "+
			"Plural-Forms, so that msgfmt -c refuses the file; write them there, such as nplurals=2; plural=(n != 1);")
	case header != "" && n != s.slots.count:
		s.warns(resource.Warning{Node: int(node), At: first, Fails: true}, "it has %d forms of a plural, and the header "+
			"says nplurals=%d, so that msgfmt -c refuses the file; write as many", n, s.slots.count)
	}
}

// head reads the header: the first entry without a msgid.
func (s *scanner) head(n resource.Node) error {
	if s.header != "" || s.entry.more.keyword >= 0 || len(s.nodes) > 1 {
		return refuse(int(n.Whole.Start), "an entry with an empty msgid, which is the header and has to be first")
	}
	s.header = unquoted(s.entry.texts[0].strings.Of(s.src)) + "\n"
	s.nodes[0].Value = n.Whole
	if why := unusable(field(s.header, "Plural-Forms")); why != "" && !s.source {
		s.warns(resource.Warning{At: int(n.Whole.Start), Fails: true}, "the Plural-Forms of the header %s", why)
	}
	_, charset, has := strings.Cut(field(s.header, "Content-Type"), "charset=")
	switch charset = strings.ToUpper(strings.TrimSpace(charset)); {
	case !has, charset == "UTF-8", charset == "UTF8", charset == "CHARSET", charset == "":
	case charset == "ASCII" || charset == "US-ASCII":
		if i := strings.IndexFunc(s.src, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
			return refuse(i, "the header says that the file is %s, which it is not; write charset=UTF-8", charset)
		}
	default:
		return refuse(int(s.entry.texts[0].strings.Start), "the header says that the file is in %s; convert it with "+
			"msgconv --to-code=UTF-8", charset)
	}
	return nil
}

// field is a field of the header; empty where there is none.
func field(header, name string) string {
	for line := range strings.Lines(header) {
		if key, value, is := strings.Cut(line, ":"); is && strings.EqualFold(key, name) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
