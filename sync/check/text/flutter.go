package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// flutterReader is the message parser of flutter gen-l10n: words are cut out first, where each brace leads from text to
// code or back, and then read by a grammar.
type flutterReader struct {
	tokens []flutterToken
	at     int
	args   []Argument
	fault  string
}

type flutterToken struct {
	kind byte // '"' text, 'w' word, '0' number, 0 the end; else the sign itself
	text string
}

func readFlutter(s string, _ Options) Text         { return flutter(s, false) }
func readFlutterEscaping(s string, _ Options) Text { return flutter(s, true) }

func flutter(s string, escaping bool) Text {
	r := flutterReader{}
	r.cut(s, escaping)
	r.message()
	if r.fault == "" && r.at < len(r.tokens) {
		r.fail()
	}
	if r.fault != "" {
		return Text{Faults: []string{r.fault}}
	}
	return Text{Arguments: r.args}
}

func (r *flutterReader) cut(s string, escaping bool) {
	isBlank := func(c rune) bool { return unicode.IsSpace(c) && c != 0x85 || c == 0xfeff }
	inWord := func(c rune) bool { return c < 0x80 && (isWord(byte(c)) || c == '|') }
	stop := "{}"
	if escaping {
		stop = "{}'"
	}
	for code := false; s != ""; {
		kind, n := s[0], 1
		switch {
		case kind == '{' || kind == '}':
			code = !code
		case code && strings.TrimLeftFunc(s, isBlank) != s:
			s = strings.TrimLeftFunc(s, isBlank)
			continue
		case code && isDigit(kind):
			kind, n = '0', span(s, 0, digits)
		case code && inWord(rune(kind)):
			kind, n = 'w', len(s)-len(strings.TrimLeftFunc(s, inWord))
		case code && strings.IndexByte(",=:", kind) < 0:
			r.fault = fmt.Sprintf("%q is not expected in braces", Excerpt(s))
			return
		case code:
		case escaping && kind == '\'':
			kind, n = '"', 2+strings.IndexByte(s[1:], '\'')
			if n == 1 {
				r.fault = "an apostrophe is not closed; with use-escaping two stand for one"
				return
			}
		default:
			kind, n = '"', strings.IndexAny(s, stop)
			if n < 0 {
				n = len(s)
			}
		}
		r.tokens, s = append(r.tokens, flutterToken{kind, s[:n]}), s[n:]
	}
}

func (r *flutterReader) fail() {
	if r.fault != "" {
		return
	}
	r.fault = "it ends within braces"
	if r.at < len(r.tokens) {
		var around strings.Builder
		for _, t := range r.tokens[r.at:min(len(r.tokens), r.at+3)] {
			around.WriteString(t.text)
		}
		r.fault = fmt.Sprintf("its braces cannot be read at %q", Excerpt(around.String()))
	}
}

func (r *flutterReader) peek() flutterToken {
	if r.at >= len(r.tokens) {
		return flutterToken{}
	}
	return r.tokens[r.at]
}

// expect takes a token of this kind.
func (r *flutterReader) expect(kind byte) string {
	t := r.peek()
	if r.fault != "" || t.kind != kind {
		r.fail()
		return ""
	}
	r.at++
	return t.text
}

// message reads text and arguments, up to what is neither.
func (r *flutterReader) message() {
	for r.fault == "" {
		switch r.peek().kind {
		case '"':
			r.at++
		case '{':
			r.argument()
		default:
			return
		}
	}
}

func (r *flutterReader) argument() {
	r.expect('{')
	name := r.expect('w')
	arg := Argument{Name: name, Spelled: "{" + name + "}"}
	if r.peek().kind == ',' {
		r.at++
		arg.Type = r.expect('w')
	}
	if r.fault == "" {
		r.args = append(r.args, arg)
	}
	switch arg.Type {
	case "":
	case "plural", "select":
		r.expect(',')
		r.branches(arg)
	case "date", "time":
		r.expect(',')
		r.expect(':')
		r.expect(':')
		r.expect('w')
	default:
		r.fail()
	}
	r.expect('}')
}

func (r *flutterReader) branches(arg Argument) {
	other := false
	for r.fault == "" && r.peek().kind != '}' {
		word := ""
		switch t := r.peek(); {
		case t.kind == '=' && arg.Type == "plural":
			r.at++
			word = "=" + r.expect('0')
		case t.kind == '0' && arg.Type == "select":
			r.at++
			word = t.text
		default:
			word = r.expect('w')
		}
		known := []string{"=0", "=1", "=2", "zero", "one", "two", "few", "many", "other"}
		if r.fault == "" && arg.Type == "plural" && !slices.Contains(known, word) {
			r.fault = fmt.Sprintf("gen-l10n has no plural case %q; it has =0, =1, =2, zero, one, two, few, many and other", word)
		}
		other = other || word == "other"
		r.expect('{')
		r.message()
		r.expect('}')
	}
	if r.fault == "" && !other {
		r.fault = fmt.Sprintf(`{%s} has no branch "other"`, arg.Name)
	}
}
