package segment

import (
	"bytes"
	"cmp"
	"context"
	"strconv"
	"strings"
)

// parsePO takes a gettext file apart: a segment for each message with the translation that it brings along, and for
// each form of a plural. Translations are written into msgstr; the mark of a fuzzy one goes then, since programs pass
// over messages with it. The header and obsolete messages are not segments.
func parsePO(ctx context.Context, src []byte, _ Options) (*Document, error) {
	r := &poReader{d: &Document{src: src}}
	at := 0
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		at = 3
	}
	for at < len(src) {
		end := len(src)
		if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if err := cmp.Or(ctx.Err(), r.line(at, end)); err != nil {
			return nil, err
		}
		at = end
	}
	if err := r.message(len(src)); err != nil {
		return nil, err
	}
	return r.d, nil
}

// poText is one of the texts of a message: quoted strings on one line or several.
type poText struct {
	lines    []string
	from, to int // from the first quote to behind the last one
}

func (t *poText) text() string { return strings.Join(t.lines, "") }

type poReader struct {
	d *Document

	// the message that is being read
	texts map[string]*poText // by keyword
	forms []*poText          // of msgstr, or msgstr[0] and so on
	now   *poText
	notes []string
	flags stretch // the line with the mark of a fuzzy translation
}

// line reads one line of the file.
func (r *poReader) line(from, to int) error {
	line := strings.TrimSpace(string(r.d.src[from:to]))
	switch {
	case line == "":
		return r.message(from)
	case strings.HasPrefix(line, "#~"):
		return r.message(from)
	case line[0] == '#':
		if len(r.forms) > 0 {
			if err := r.message(from); err != nil {
				return err
			}
		}
		if strings.HasPrefix(line, "#.") {
			r.notes = append(r.notes, strings.TrimSpace(line[2:]))
		}
		if strings.HasPrefix(line, "#,") && poFlag(line, "fuzzy") {
			r.flags = stretch{from, to}
		}
		return nil
	}
	keyword, rest, _ := strings.Cut(line, `"`)
	keyword = strings.TrimSpace(keyword)
	opens := from + bytes.IndexByte(r.d.src[from:to], '"')
	text, ok := poString(`"` + rest)
	if !ok || opens < from {
		return syntaxError(r.d.src, from, "neither a comment nor a keyword with a quoted text")
	}
	if keyword == "" {
		if r.now == nil {
			return syntaxError(r.d.src, from, "a text without a keyword")
		}
	} else {
		if err := r.begin(keyword, from); err != nil {
			return err
		}
		r.now.from = opens
	}
	r.now.lines = append(r.now.lines, text)
	r.now.to = from + len(strings.TrimRight(string(r.d.src[from:to]), " \t\r\n"))
	return nil
}

// begin begins a text of the message, or of the next one.
func (r *poReader) begin(keyword string, at int) error {
	if (keyword == "msgid" || keyword == "msgctxt") && len(r.forms) > 0 {
		if err := r.message(at); err != nil {
			return err
		}
	}
	if r.texts == nil {
		r.texts = make(map[string]*poText)
	}
	r.now = &poText{}
	switch {
	case keyword == "msgid", keyword == "msgctxt", keyword == "msgid_plural":
		if r.texts[keyword] != nil {
			return syntaxError(r.d.src, at, "a second %s of one message", keyword)
		}
		r.texts[keyword] = r.now
	case keyword == "msgstr", keyword == "msgstr["+strconv.Itoa(len(r.forms))+"]":
		if r.texts["msgid"] == nil {
			return syntaxError(r.d.src, at, "%s without a msgid before it", keyword)
		}
		r.forms = append(r.forms, r.now)
	default:
		return syntaxError(r.d.src, at, "%q cannot be here", keyword)
	}
	return nil
}

// message ends the message that is being read.
func (r *poReader) message(at int) error {
	defer func() { *r = poReader{d: r.d} }()
	id := r.texts["msgid"]
	switch {
	case id == nil && r.texts == nil:
		return nil
	case id == nil || len(r.forms) == 0:
		return syntaxError(r.d.src, at, "a message without msgid or msgstr")
	case id.text() == "" && r.texts["msgctxt"] == nil:
		r.header(r.forms[0].text())
		return nil
	}
	for i, form := range r.forms {
		s := Segment{Text: id.text(), Target: form.text(), Note: strings.Join(r.notes, " ")}
		if c := r.texts["msgctxt"]; c != nil {
			s.Key = c.text()
		}
		if plural := r.texts["msgid_plural"]; plural != nil && i > 0 {
			s.Text = plural.text()
		}
		if r.texts["msgid_plural"] != nil {
			s.Key += "[" + strconv.Itoa(i) + "]"
		}
		if s.Target != "" && r.flags.to == 0 {
			s.State = Translated
		}
		from := form.from
		before := ""
		if i == 0 && r.flags.to > 0 {
			from = r.flags.from
			before = withoutFlag(string(r.d.src[r.flags.from:r.flags.to])) + string(r.d.src[r.flags.to:form.from])
		}
		r.d.add(from, form.to, s, func(text string) (string, error) { return before + poQuoted(text), nil })
	}
	return nil
}

// header reads the language of the translations.
func (r *poReader) header(text string) {
	for line := range strings.Lines(text) {
		if language, found := strings.CutPrefix(line, "Language:"); found {
			r.d.language = strings.TrimSpace(language)
		}
	}
}

// poFlag tells whether a line of flags has one.
func poFlag(line, flag string) bool {
	for f := range strings.SplitSeq(line[2:], ",") {
		if strings.TrimSpace(f) == flag {
			return true
		}
	}
	return false
}

// withoutFlag is a line of flags without the mark of a fuzzy translation; it is nothing when it had no other.
func withoutFlag(line string) string {
	var left []string
	for f := range strings.SplitSeq(strings.TrimSpace(line)[2:], ",") {
		if f = strings.TrimSpace(f); f != "fuzzy" && f != "" {
			left = append(left, f)
		}
	}
	if len(left) == 0 {
		return ""
	}
	return "#, " + strings.Join(left, ", ") + line[len(strings.TrimRight(line, "\r\n")):]
}

var poSigns = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', '\\': '\\',
	'"': '"'}

// poString reads a quoted string.
func poString(quoted string) (text string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(quoted); i++ {
		switch c := quoted[i]; c {
		case '"':
			return b.String(), strings.TrimSpace(quoted[i+1:]) == ""
		case '\\':
			if i++; i == len(quoted) {
				return "", false
			}
			sign, known := poSigns[quoted[i]]
			if !known {
				return "", false
			}
			b.WriteByte(sign)
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

var poEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\a", `\a`, "\b", `\b`,
	"\f", `\f`, "\v", `\v`)

// poQuoted spells a text: on one line, or, where it has several, each on its own behind an empty one.
func poQuoted(text string) string {
	if i := strings.IndexByte(text, '\n'); i < 0 || i == len(text)-1 {
		return `"` + poEscapes.Replace(text) + `"`
	}
	var b strings.Builder
	b.WriteString(`""`)
	for line := range strings.Lines(text) {
		b.WriteString("\n\"" + poEscapes.Replace(line) + `"`)
	}
	return b.String()
}
