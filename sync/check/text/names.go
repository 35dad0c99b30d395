package text

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// readExtension is the message of a browser extension: $NAME$ is a placeholder of the entry, $1 what the program
// passes, and of dollars side by side the program shows one less. Chrome loads no extension in which a name is not
// defined.
func readExtension(s string, o Options) (t Text) {
	shown := -1 // the last dollar that is one
	for i := strings.IndexByte(s, '$'); i >= 0 && i < len(s); i++ {
		if s[i] != '$' {
			continue
		}
		n := 0
		for c := at(s, i+1); isWord(c) || c == '@'; c = at(s, i+1+n) {
			n++
		}
		switch {
		case n > 0 && at(s, i+1+n) == '$':
			name, spelled := strings.ToLower(s[i+1:i+1+n]), s[i:i+n+2]
			if o.Names != nil && !slices.Contains(o.Names, name) {
				return Text{Faults: []string{fmt.Sprintf("%s is not defined in the placeholders of the entry; "+
					"write $$ for a dollar", spelled)}}
			}
			t.Arguments = append(t.Arguments, Argument{Name: name, Spelled: spelled})
			i += n + 1
		case shown >= 0 && shown == i-1, at(s, i+1) == '$':
			shown = i
		case at(s, i+1) >= '1' && at(s, i+1) <= '9' && !isAmount(s[i+2:]):
			t.Arguments = append(t.Arguments, Argument{Name: s[i+1 : i+2], Spelled: s[i : i+2]})
		case t.Unshown == "":
			t.Unshown = Excerpt(s[i:])
		}
	}
	return t
}

// isAmount reports whether a text goes on behind $1 as an amount of money does, $10 or $1.50, of which Chrome shows 0
// and .50.
func isAmount(s string) bool {
	return isDigit(at(s, 0)) || s != "" && strings.IndexByte(".,", s[0]) >= 0 && isDigit(at(s, 1))
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
// {{name}}. Behind the name may be a type or a format, {name: int}, and in rich texts the words that it takes,
// {link(more)}. @:key is another text. A backslash takes the meaning from what follows. What is left of it becomes
// Dart.
type slang struct {
	// find finds the key of another text, by its first two groups, what is between open and end, and of Dart a plain name
	// and a $ that begins none.
	find             *regexp.Regexp
	open, end, plain string // a name is told between plain and end
}

// slangKey is the key of another text.
const slangKey = `(\w[\w|.]*\w|\w)`

var (
	dart = slang{regexp.MustCompile(`\\[$@]|@:(?:` + slangKey + `|\{` + slangKey + `\})|\$\{([^}]*)\}|\$(` + word +
		`)|(\$[^ ])`), "${", "", "$"}
	braces       = slang{regexp.MustCompile(`\\[{@]|@:` + slangKey + `|()\{([^}]*)\}`), "{", "}", "{"}
	doubleBraces = slang{regexp.MustCompile(`\\(?:\{\{|@)|@:(?:` + slangKey + `|\{` + slangKey +
		`\})|\{\{((?s).*?)\}\}`), "{{", "}}", "{{"}
)

func (l slang) read(s string, _ Options) (t Text) {
	for _, m := range l.find.FindAllStringSubmatch(s, -1) {
		name, spelled := "", "@:"+m[1]+m[2]
		switch {
		case m[0][0] == '\\':
			continue
		case m[0][0] == '@':
			name = spelled
		case strings.HasPrefix(m[0], l.open):
			name, _, _ = strings.Cut(m[3], ":")
			name, _, _ = strings.Cut(name, "(")
			name = strings.TrimSpace(name)
			if n := words(name, 0); n == 0 || n < len(name) {
				return Text{Faults: []string{fmt.Sprintf("%q is not a name in Dart", m[0])}}
			}
			spelled = l.plain + name + l.end
		case m[5] != "":
			return Text{Faults: []string{fmt.Sprintf(`the $ of %q begins no name; write \$ for a dollar`, m[0])}}
		default:
			name, spelled = m[4], m[0]
		}
		t.Arguments = append(t.Arguments, Argument{Name: name, Spelled: spelled})
	}
	return t
}
