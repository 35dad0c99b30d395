package xliff

import (
	"errors"
	"regexp"
	"strings"

	"github.com/locsync/locsync/formats/xmlscan"
)

// code is the tag of an inline code of either version. The markers sm and em, of which the latter is HTML's, too, are
// empty and have an attribute.
var code = regexp.MustCompile(`^(?:</?(?:g|x|bx|ex|ph|it|bpt|ept|mrk|sub|pc|sc|ec|cp)(?:` + attribute + `)*\s*/?>` +
	`|<(?:sm|em)(?:` + attribute + `)+\s*/>)`)

const attribute = `\s+[A-Za-z_:][\w:.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*')`

// decoded is the text of a content: inline codes as spelled, all else as characters. plain is false where it has other
// elements, or characters that look like a code.
func decoded(raw string) (text string, plain bool) {
	if strings.IndexByte(raw, '<') < 0 && strings.IndexByte(raw, '&') < 0 {
		return xmlscan.Decoded(raw), true
	}
	var out strings.Builder
	plain = true
	characters := func(s string) {
		from := out.Len()
		out.WriteString(s)
		for at := 0; plain; at++ {
			n := strings.IndexByte(s[at:], '<')
			if n < 0 {
				break
			}
			at += n
			plain = code.FindString(out.String()[from+at:]) == ""
		}
	}
	for raw != "" {
		n := strings.IndexByte(raw, '<')
		if n < 0 {
			n = len(raw)
		}
		characters(xmlscan.Decoded(raw[:n]))
		raw = raw[n:]
		switch {
		case raw == "":
		case strings.HasPrefix(raw, "<![CDATA["):
			inside, rest, _ := strings.Cut(raw[len("<![CDATA["):], "]]>")
			characters(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(inside))
			raw = rest
		case strings.HasPrefix(raw, "<!--"):
			_, raw, _ = strings.Cut(raw[len("<!--"):], "-->")
		default:
			tag := code.FindString(raw)
			if tag == "" {
				return "", false
			}
			out.WriteString(tag)
			raw = raw[len(tag):]
		}
	}
	return out.String(), plain
}

// spelled is a text as content. Where old, what was there, is one CDATA section, it is one again if it has no codes.
func spelled(text, old, newline string) (string, error) {
	var out, part strings.Builder
	codes := false
	write := func() error {
		s, err := xmlscan.Spelled(part.String(), "", newline)
		out.WriteString(s)
		part.Reset()
		return err
	}
	for text := text; text != ""; {
		n := strings.IndexByte(text, '<')
		if n < 0 {
			n = len(text)
		}
		part.WriteString(text[:n])
		text = text[n:]
		tag := code.FindString(text)
		switch {
		case tag != "":
			codes = true
			if err := write(); err != nil {
				return "", err
			}
			out.WriteString(tag)
			text = text[len(tag):]
		case text != "":
			part.WriteByte('<')
			text = text[1:]
		}
	}
	if err := write(); err != nil {
		return "", err
	}
	if !codes {
		return xmlscan.Spelled(text, old, newline)
	}
	s := xmlscan.New("<t>" + out.String() + "</t>")
	for {
		t, err := s.Next()
		if err != nil {
			return "", errors.New("its inline codes are not well-formed: each that begins has to end, " +
				"inside of the one around it")
		}
		if t.Kind == xmlscan.Nothing {
			return out.String(), nil
		}
	}
}
