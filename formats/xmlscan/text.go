package xmlscan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// isCharacter reports whether XML has a character (Char in XML 1.0).
func isCharacter(r rune) bool {
	return r >= ' ' && r != 0xfffe && r != 0xffff || r == '\t' || r == '\n' || r == '\r'
}

// references are those that need no declaration.
var references = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"', "apos": '\''}

// reference reads the one that a text begins with; size is 0 where that is none.
func reference(text string) (r rune, size int) {
	const longest = 12
	end := strings.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 {
		return 0, 0
	}
	name := text[1:end]
	if r, has := references[name]; has {
		return r, end + 1
	}
	digits, is := strings.CutPrefix(name, "#")
	base := 10
	if hex, isHex := strings.CutPrefix(digits, "x"); isHex {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 31)
	if !is || err != nil || n > utf8.MaxRune || n >= 0xd800 && n < 0xe000 || !isCharacter(rune(n)) {
		return 0, 0
	}
	return rune(n), end + 1
}

// Decoded is the text of characters as spelled: line ends are one \n, references are read. It shares memory with the
// spelling where it is the same.
func Decoded(spelled string) string {
	if !strings.ContainsAny(spelled, "&\r") {
		return spelled
	}
	var out strings.Builder
	out.Grow(len(spelled))
	for i := 0; i < len(spelled); {
		switch c := spelled[i]; c {
		case '&':
			r, size := reference(spelled[i:])
			out.WriteRune(r)
			i += max(size, 1)
		case '\r':
			out.WriteByte('\n')
			if i++; i < len(spelled) && spelled[i] == '\n' {
				i++
			}
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.String()
}

// CommentEnd is where the comment at an offset ends; the offset itself where none does.
func CommentEnd(src string, at int) int {
	if rest, is := strings.CutPrefix(src[at:], "<!--"); is {
		if n := strings.Index(rest, "-->"); n >= 0 {
			return at + len("<!--") + n + len("-->")
		}
	}
	return at
}

// Content is the text of an element's content: characters and CDATA sections, without comments. plain is false where
// it has tags or instructions.
func Content(raw string) (text string, plain bool) {
	if strings.IndexByte(raw, '<') < 0 {
		return Decoded(raw), true
	}
	var out strings.Builder
	for raw != "" {
		n := strings.IndexByte(raw, '<')
		if n < 0 {
			n = len(raw)
		}
		out.WriteString(Decoded(raw[:n]))
		raw = raw[n:]
		switch {
		case raw == "":
		case strings.HasPrefix(raw, "<![CDATA["):
			inside, rest, _ := strings.Cut(raw[len("<![CDATA["):], "]]>")
			out.WriteString(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(inside))
			raw = rest
		case strings.HasPrefix(raw, "<!--"):
			_, raw, _ = strings.Cut(raw[len("<!--"):], "-->")
		default:
			return "", false
		}
	}
	return out.String(), true
}

// Writable refuses a text with a character that XML does not have.
func Writable(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("the text is not valid UTF-8")
	}
	for _, r := range text {
		if !isCharacter(r) {
			return fmt.Errorf("it has the character U+%04X, which XML does not have", r)
		}
	}
	return nil
}

var (
	inContent = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#xD;")
	inDouble  = strings.NewReplacer(`"`, "&quot;", "&", "&amp;", "<", "&lt;", "\n", "&#10;", "\t", "&#9;", "\r", "&#13;")
	inSingle  = strings.NewReplacer(`'`, "&apos;", "&", "&amp;", "<", "&lt;", "\n", "&#10;", "\t", "&#9;", "\r", "&#13;")
)

// Spelled is a text as content, in a file with these line ends. Where old, the content that was there, is one CDATA
// section, the new one is, too, if it can be.
func Spelled(text, old, newline string) (string, error) {
	if err := Writable(text); err != nil {
		return "", err
	}
	if strings.HasPrefix(old, "<![CDATA[") && strings.Index(old, "]]>") == len(old)-len("]]>") &&
		!strings.Contains(text, "]]>") && !strings.Contains(text, "\r") {
		return "<![CDATA[" + strings.ReplaceAll(text, "\n", newline) + "]]>", nil
	}
	return strings.ReplaceAll(inContent.Replace(text), "\n", newline), nil
}

// AttributeValue is a text as an attribute's value, in these quotes.
func AttributeValue(text string, quote byte) (string, error) {
	if err := Writable(text); err != nil {
		return "", err
	}
	escape := inDouble
	if quote == '\'' {
		escape = inSingle
	}
	return string(quote) + escape.Replace(text) + string(quote), nil
}
