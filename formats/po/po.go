// Package po is the grammar of gettext's files: PO, and the templates that programs' texts are extracted to, POT.
//
// Its law: package resource's, with what is beside a text: an edit changes the msgstr that it names, and takes the mark
// "fuzzy" and the former msgid (#|) of that entry away. Obsolete entries (#~), comments and the header stay.
//
// The key of an entry is its msgid, behind its msgctxt and a ␄ (U+2404) where it has one. There are two grammars:
//
//	Translations  the text is msgstr. An entry without one, or a fuzzy one, is Null, as a
//	              program passes over it
//	Source        the text is msgstr, where the entry has one, as in a PO of the source language. Else it is the
//	              msgid, and msgid_plural for the form "other": that is in the program, so it cannot be set
//
// The msgstr of a plural are forms of one key, by plural categories: which one has which index, the formula of the
// header says, evaluated (see categoriesOf). Extracted comments (#.) are notes. A new entry is the source file's, with
// its comments and flags. New texts are wrapped as msgcat does, in a file whose lines are not longer.
//
// A translated entry that is removed becomes a fuzzy one of a new msgid that is like its own, else obsolete, as by
// msgmerge.
package po

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/text/plural"
)

// The grammars.
var (
	Source       resource.Grammar = grammar{source: true}
	Translations resource.Grammar = grammar{}
)

type grammar struct{ source bool }

// Bits of Node.Style. Of a form, the low bits are the index of its category in plural.Order plus one.
const (
	formMask uint8 = 0x0f
	template uint8 = 0x10 // the text is in the program: the value is the msgid's
	fuzzy    uint8 = 0x20 // of the entry: it has the mark
	wide     uint8 = 0x40 // of the root: lines are not wrapped
)

// letters are those of the names of encodings.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:."

// between is what is between msgctxt and msgid in a key: the sign for the character that is there in compiled catalogs.
const between = "␄"

// Decode passes UTF-8 through, without a byte order mark. Another encoding is refused by the name that the header has.
func (grammar) Decode(src []byte) (string, func(string) []byte, error) {
	const mark = "\xef\xbb\xbf"
	text := unsafe.String(unsafe.SliceData(src), len(src))
	if at := strings.Index(text, "charset="); at >= 0 && !utf8.ValidString(text) {
		rest := text[at+len("charset="):]
		name := rest[:len(rest)-len(strings.TrimLeft(rest, letters))]
		if coded := strings.ToUpper(name); coded != "" && coded != "UTF-8" && coded != "UTF8" && coded != "CHARSET" {
			return "", nil, refuse(at, "the header says that the file is in %s; convert it with msgconv --to-code=UTF-8", name)
		}
	}
	if rest, marked := strings.CutPrefix(text, mark); marked {
		return rest, func(s string) []byte { return []byte(mark + s) }, nil
	}
	return text, nil, nil
}

// Name is the key of an entry, or the category of a form.
func (grammar) Name(src string, n *resource.Node) string {
	spelled := n.Name.Of(src)
	if spelled == "" {
		return ""
	}
	if n.Style&formMask > 0 {
		return plural.Order[n.Style&formMask-1]
	}
	context, id := divided(spelled)
	if context == "" {
		return unquoted(id)
	}
	return unquoted(context) + between + unquoted(id)
}

// divided are the parts of a name as spelled: msgctxt, which may be absent, and msgid.
func divided(spelled string) (context, id string) {
	if !strings.HasPrefix(spelled, "msgctxt") {
		return "", spelled
	}
	at := 0
	for line := range strings.Lines(spelled) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t\r\f\v"), "msgid") {
			break
		}
		at += len(line)
	}
	return spelled[:at], spelled[at:]
}

// Text is the msgstr; of a template the msgid.
func (grammar) Text(src string, n *resource.Node) string { return unquoted(n.Value.Of(src)) }

// Note is the extracted comments.
func (grammar) Note(src string, n *resource.Node) string {
	var lines []string
	for line := range strings.Lines(n.Note.Of(src)) {
		if text, is := strings.CutPrefix(line, "#."); is {
			lines = append(lines, strings.TrimSpace(text))
		}
	}
	return strings.Join(lines, "\n")
}

// Flags are what is behind "#," above an entry.
func (grammar) Flags(f *resource.File, i int) string {
	src, n := f.Source(), f.Node(i)
	if n.Style&formMask > 0 {
		n = f.Node(int(n.Parent))
	}
	flags := ""
	for above := src[n.Whole.Start:max(n.Name.Start, n.Whole.Start)]; above != ""; {
		line, rest, _ := strings.Cut(above, "\n")
		if said, is := strings.CutPrefix(strings.TrimSpace(line), "#,"); is {
			flags = strings.TrimPrefix(flags+","+said, ",")
		}
		above = rest
	}
	return strings.TrimSpace(flags)
}

// Comment returns where the comment line at an offset ends.
func (grammar) Comment(src string, at int) int {
	if src[at] != '#' || at > 0 && src[at-1] != '\n' {
		return at
	}
	if n := strings.IndexAny(src[at:], "\r\n"); n >= 0 {
		return at + n
	}
	return len(src)
}

// KeepsGaps says that entries without a text are in a new file, too, as msginit writes them.
func (grammar) KeepsGaps() bool { return true }

// unquoted joins the strings of a keyword: what is between quotes, with escapes read.
func unquoted(spelled string) string {
	open := strings.IndexByte(spelled, '"')
	if open < 0 {
		return ""
	}
	spelled = spelled[open+1:]
	if end := strings.IndexByte(spelled, '"'); end == len(spelled)-1 && strings.IndexByte(spelled, '\\') < 0 {
		return spelled[:end] // most are of one line, with nothing to read
	}
	var out strings.Builder
	for inside := true; spelled != ""; {
		n := strings.IndexAny(spelled, `"\`)
		if n < 0 {
			break
		}
		if inside {
			out.WriteString(spelled[:n])
		}
		if spelled[n] == '"' {
			inside, spelled = !inside, spelled[n+1:]
			continue
		}
		c, size, _ := escape(spelled[n:])
		out.WriteByte(c)
		spelled = spelled[n+size:]
	}
	return out.String()
}

// escape reads the escape that a text begins with, which may be one byte of a character; ok is false where gettext has
// no such one.
func escape(text string) (c byte, size int, ok bool) {
	if len(text) < 2 {
		return 0, len(text), false
	}
	if i := strings.IndexByte(`abfnrtv"\`, text[1]); i >= 0 {
		return "\a\b\f\n\r\t\v\"\\"[i], 2, true
	}
	base, digits := 8, 1
	if text[1] == 'x' {
		base, digits = 16, 2
	}
	value, at := 0, digits
	for at < len(text) && (base == 16 || at < digits+3) {
		d := strings.IndexByte("0123456789abcdef", text[at]|0x20)
		if text[at] < '0' || d < 0 || d >= base {
			break
		}
		value = min(value*base+d, 1<<10)
		at++
	}
	return byte(value), at, at > digits && value > 0 && value <= 0xff
}
