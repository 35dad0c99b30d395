package oracle

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// strip is a stretch of text, or a tag.
type strip struct{ tag, text string }

// spanTag is a tag that is inline markup to the resource compiler. Elements with a prefix are transparent.
var spanTag = regexp.MustCompile(`^</?[^\s/>:]+[\s/>]`)

// refersTo is a value that is a reference to another resource.
var refersTo = regexp.MustCompile(`^(@(null|empty)|` +
	`@\+?\*?([\pL_][\pL\pM\pN_.-]*:)?[\pL_][\pL\pM\pN_.-]*/[\pL_][\pL\pM\pN_.-]*|` +
	`\?\+?\*?([\pL_][\pL\pM\pN_.-]*:)?(attr/)?[\pL_][\pL\pM\pN_.-]*)$`)

// compiled turns a value into its text, as Android's resource compiler does (AAPT2): cut into stretches of text between
// tags, both ends trimmed unless there is inline markup, then white space, quotes and escapes.
func compiled(strips []strip) (text string, reference bool) {
	styled, tagged := false, false
	var stretches []int
	raw := ""
	for i, s := range strips {
		if s.tag != "" {
			tagged = true
			styled = styled || spanTag.MatchString(s.tag)
			continue
		}
		raw += s.text
		if s.text != "" {
			stretches = append(stretches, i)
		}
	}
	if !tagged && refersTo.MatchString(strings.Trim(raw, " \t\r\n")) {
		return "", true
	}
	if !styled && len(stretches) > 0 {
		first, last := &strips[stretches[0]], &strips[stretches[len(stretches)-1]]
		first.text = strings.TrimLeft(first.text, " \t\r\n")
		last.text = strings.TrimRight(last.text, " \t\r\n")
	}
	b := textBuilder{}
	for _, s := range strips {
		if s.tag == "" {
			b.add([]rune(s.text))
			continue
		}
		b.out.WriteString(s.tag)
		if spanTag.MatchString(s.tag) {
			b.quoted, b.spaced = false, false
		}
	}
	return b.out.String(), false
}

// textBuilder is the compiler's string builder.
type textBuilder struct {
	out            strings.Builder
	quoted, spaced bool
}

func (b *textBuilder) add(text []rune) {
	for i := 0; i < len(text); i++ {
		r := text[i]
		if !b.quoted && strings.ContainsRune(" \t\r\n", r) {
			if !b.spaced {
				b.out.WriteByte(' ')
			}
			b.spaced = true
			continue
		}
		b.spaced = false
		switch {
		case r == '"':
			b.quoted = !b.quoted
		case r == '\\' && i+1 == len(text): // dropped
		case r == '\\':
			i++
			switch text[i] {
			case 'n':
				b.out.WriteByte('\n')
			case 't':
				b.out.WriteByte('\t')
			case 'u':
				i += b.unicode(text[i+1:])
			default:
				b.out.WriteRune(text[i])
			}
		default:
			b.out.WriteRune(r)
		}
	}
}

// unicode writes what follows \u and returns how much of it that was. What is not a character stays as written.
func (b *textBuilder) unicode(text []rune) int {
	one, ok := fourDigits(text)
	if !ok {
		b.out.WriteString(`\u`)
		return 0
	}
	if utf16.IsSurrogate(one) {
		if len(text) > 5 && text[4] == '\\' && text[5] == 'u' {
			two, ok := fourDigits(text[6:])
			if r := utf16.DecodeRune(one, two); ok && r != 0xFFFD {
				b.out.WriteRune(r)
				return 10
			}
		}
		b.out.WriteString(`\u`)
		return 0
	}
	b.out.WriteRune(one)
	return 4
}

func fourDigits(text []rune) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[:4]), 16, 16)
	return rune(n), err == nil && !strings.ContainsAny(string(text[:4]), "+-_")
}
