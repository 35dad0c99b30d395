package oracle

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// logical is a line with those that it goes on with, and where each of its bytes is.
type logical struct {
	chars   []byte
	offsets []int
	end     int
}

const propertyBlanks = " \t\f"

// read reads the line that starts at an offset and returns where the next one does. Nothing is read where that is blank
// or a comment.
func (l *logical) read(src string, at int) int {
	for {
		line := src[at:]
		size := len(line)
		if n := strings.IndexAny(line, "\r\n"); n >= 0 {
			line, size = line[:n], n+1
			if strings.HasPrefix(src[at+n:], "\r\n") {
				size++
			}
		}
		content := strings.TrimLeft(line, propertyBlanks)
		if len(l.chars) == 0 && content != "" && (content[0] == '#' || content[0] == '!') {
			return at + size
		}
		l.end = at + len(line)
		joins := (len(content)-len(strings.TrimRight(content, `\`)))%2 == 1
		from := l.end - len(content)
		if joins {
			content = content[:len(content)-1]
		}
		for i := range len(content) {
			l.chars, l.offsets = append(l.chars, content[i]), append(l.offsets, from+i)
		}
		if at += size; !joins || at == len(src) {
			return at
		}
		l.end = at + len(src[at:]) - len(strings.TrimLeft(src[at:], propertyBlanks))
	}
}

// cut finds where the key ends and where the text begins.
func (l *logical) cut() (key, value int) {
	signs := 0
	for ; key < len(l.chars) && strings.IndexByte(propertyBlanks+"=:", l.chars[key]) < 0; key++ {
		if l.chars[key] == '\\' {
			key++
		}
	}
	key = min(key, len(l.chars))
	for value = key; value < len(l.chars); value++ {
		if c := l.chars[value]; c == '=' || c == ':' {
			if signs++; signs > 1 {
				break
			}
		} else if strings.IndexByte(propertyBlanks, c) < 0 {
			break
		}
	}
	return key, value
}

// javaText reads escapes; sound says that no half of a surrogate pair is left.
func javaText(spelled []byte) (text string, sound bool, err error) {
	var units []uint16
	for s := string(spelled); s != ""; {
		r, size := utf8.DecodeRuneInString(s)
		if r == '\\' && len(s) > 1 {
			r, size = utf8.DecodeRuneInString(s[1:])
			size++
			switch r {
			case 'u':
				n, err := strconv.ParseUint(s[2:min(6, len(s))], 16, 16)
				if err != nil || len(s) < 6 {
					return "", false, errors.New(`malformed \uxxxx encoding`)
				}
				units = append(units, uint16(n))
				s = s[6:]
				continue
			case 't', 'n', 'r', 'f':
				r = map[rune]rune{'t': '\t', 'n': '\n', 'r': '\r', 'f': '\f'}[r]
			}
		}
		units = utf16.AppendRune(units, r)
		s = s[size:]
	}
	text = string(utf16.Decode(units))
	return text, slices.Equal(utf16.Encode([]rune(text)), units), nil
}
