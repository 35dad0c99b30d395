package text

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// readExtension is the message of a browser extension: $NAME$ is a placeholder of the entry, $1 what the program
// passes. Chrome loads no extension in which one is not defined.
func readExtension(s string, o Options) (t Text) {
	for i := 0; i < len(s); i++ {
		if s[i] != '$' {
			continue
		}
		end := strings.IndexByte(s[i+1:], '$')
		name := ""
		if end > 0 {
			name = s[i+1 : i+1+end]
		}
		named := name != "" && strings.IndexFunc(name, func(c rune) bool {
			return c >= 0x80 || !isWord(byte(c)) && c != '@'
		}) < 0
		switch {
		case end == 0: // $$ is a dollar
			i++
		case named:
			spelled, lower := s[i:i+end+2], strings.ToLower(name)
			if o.Names != nil && !slices.Contains(o.Names, lower) && !strings.HasPrefix(lower, "@@") {
				return Text{Faults: []string{fmt.Sprintf("%s is not defined in the placeholders of the entry; "+
					"write $$ for a dollar", spelled)}}
			}
			t.Arguments = append(t.Arguments, Argument{Name: lower, Spelled: spelled})
			i += end + 1
		case isDigit(at(s, i+1)) && at(s, i+1) != '0' && !isDigit(at(s, i+2)) && !isAmount(s[i+2:]):
			t.Arguments = append(t.Arguments, Argument{Name: s[i+1 : i+2], Spelled: s[i : i+2]})
			i++
		}
	}
	return t
}

// isAmount reports whether a text goes on behind $1 as an amount of money does.
func isAmount(s string) bool {
	return s != "" && strings.IndexByte(".,", s[0]) >= 0 && isDigit(at(s, 1))
}

// escaped and unescaped are what i18next fills in: it takes those with a dash first.
var (
	unescaped = regexp.MustCompile(`\{\{-([^\n\r\x{2028}\x{2029}]+?)\}\}`)
	escaped   = regexp.MustCompile(`\{\{([^\n\r\x{2028}\x{2029}]+?)\}\}`)
)

// nested is another message's text in one of i18next.
var nested = regexp.MustCompile(`\$t\(([^()]+)\)`)

// readI18next is i18next: {{name}}, {{- name}}, {{name, format}}. $t(key) is another message's text.
func readI18next(s string, _ Options) (t Text) {
	for _, placeholder := range []*regexp.Regexp{unescaped, escaped} {
		for _, m := range placeholder.FindAllStringSubmatch(s, -1) {
			name, _, _ := strings.Cut(m[1], ",")
			name = strings.TrimSpace(name)
			t.Arguments = append(t.Arguments, Argument{Name: name, Spelled: "{{" + name + "}}"})
		}
		s = placeholder.ReplaceAllLiteralString(s, "x")
	}
	for _, m := range nested.FindAllStringSubmatch(s, -1) {
		key, _, _ := strings.Cut(m[1], ",")
		key = "$t(" + strings.TrimSpace(key) + ")"
		t.Arguments = append(t.Arguments, Argument{Name: key, Spelled: key})
	}
	return t
}

// readLaravel is Laravel's :name, which may have a capital, or be in capitals. Of a translation, whose program passes
// known names, the longest of those counts, wherever its letters are.
func readLaravel(s string, o Options) (t Text) {
	spelled := make(map[string]string) // the name of each spelling
	for _, name := range o.Names {
		for _, variant := range []string{capital(name), strings.ToUpper(name), name} {
			spelled[variant] = name
		}
	}
	for i := 0; i < len(s); i++ {
		if s[i] != ':' {
			continue
		}
		name, n := "", 0
		for variant, of := range spelled {
			if len(variant) > n && strings.HasPrefix(s[i+1:], variant) {
				name, n = of, len(variant)
			}
		}
		if o.Names == nil && (i == 0 || !isWord(s[i-1]) && s[i-1] != ':') {
			n = words(s, i+1)
			name = keyOf(s[i+1 : i+1+n])
		}
		if n > 0 {
			t.Arguments = append(t.Arguments, Argument{Name: name, Spelled: s[i : i+1+n]})
			i += n
		}
	}
	return t
}

// capital is a word with a capital.
func capital(word string) string {
	return strings.ToUpper(word[:min(1, len(word))]) + word[min(1, len(word)):]
}

// keyOf is the name that a word of a source text fills in.
func keyOf(word string) string {
	lower := strings.ToLower(word)
	if word == strings.ToUpper(word) || word == capital(lower) {
		return lower
	}
	return strings.ToLower(word[:min(1, len(word))]) + word[min(1, len(word)):]
}

// slang reads the texts of slang, which has three ways to spell an argument: $name and ${name}, as Dart, {name}, or
// {{name}}. A type or a format may be behind the name: {name: int}. @:key is another text.
type slang struct{ open, end string }

var (
	dart         = slang{"${", "}"}
	braces       = slang{"{", "}"}
	doubleBraces = slang{"{{", "}}"}

	slangLink = regexp.MustCompile(`@:(?:(\w[\w|.]*\w|\w)|\{(\w[\w|.]*\w|\w)\})`)
)

func (l slang) read(s string, _ Options) (t Text) {
	found := func(name, spelled string) { t.Arguments = append(t.Arguments, Argument{Name: name, Spelled: spelled}) }
	for i := 0; i < len(s); i++ {
		rest := s[i:]
		link := slangLink.FindStringSubmatch(rest)
		switch end := strings.Index(rest, l.end); {
		case s[i] == '\\':
			i++
		case link != nil && strings.HasPrefix(rest, link[0]):
			key := "@:" + link[1] + link[2]
			found(key, key)
			i += len(link[0]) - 1
		case end >= len(l.open) && strings.HasPrefix(rest, l.open):
			name, _, _ := strings.Cut(rest[len(l.open):end], ":")
			name = strings.TrimSpace(name)
			found(name, l.spelled(name))
			i += end + len(l.end) - 1
		case l == dart && s[i] == '$' && words(s, i+1) > 0:
			name := s[i+1 : i+1+words(s, i+1)]
			found(name, l.spelled(name))
			i += len(name)
		}
	}
	return t
}

func (l slang) spelled(name string) string {
	if l == dart {
		return "$" + name
	}
	return l.open + name + l.end
}
