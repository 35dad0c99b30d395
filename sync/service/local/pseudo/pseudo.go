// Package pseudo makes up translations, so that a program can be seen in a language before it is translated.
//
// Its law: what a program reads in a text, rather than a person, stays byte for byte: placeholders, markup, escapes,
// and the grammar of ICU messages. It is pure, and knows nothing of keys or documents.
package pseudo

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/locsync/locsync/sync/text/plural"
)

// Text writes a text so that a reader sees at once that it went through translation and into which language, while
// the program that shows it works as before: "Hello {name}" is "[de Ĥéļļö {name}]". Letters get accents;
// placeholders, markup, entities, escapes, links and the grammar of ICU messages stay byte for byte, as does white
// space at the ends. The branches of a plural or select are translated each on its own, so that the message stays one
// argument; a plural gets the branches that the language needs. A text without anything but white space stays as it
// is.
func Text(source, language string) string {
	body := strings.TrimFunc(source, unicode.IsSpace)
	if body == "" {
		return source
	}
	before, after, _ := strings.Cut(source, body)
	if a, ok := branching(body); ok && a.To == len(body) {
		return before + pseudoArgument(body, a, language, 0) + after
	}
	return before + "[" + language + " " + accented(body, language, 0) + "]" + after
}

// branching reads the argument with branches that s begins with.
func branching(s string) (plural.Argument, bool) {
	if !strings.HasPrefix(s, "{") {
		return plural.Argument{}, false
	}
	a, err := plural.ParseArgument(s)
	return a, err == nil && len(a.Branches) > 0
}

// pseudoDepth bounds the nesting of ICU arguments that is looked into; what is nested deeper stays as it is.
const pseudoDepth = 20

// pseudoArgument translates the branches of an ICU argument.
func pseudoArgument(s string, a plural.Argument, language string, depth int) string {
	if depth == pseudoDepth {
		return s[:a.To]
	}
	var b strings.Builder
	at := 0
	for _, br := range a.Branches {
		inner := s[br.From:br.To]
		if strings.TrimSpace(inner) != "" && depth == 0 {
			inner = "[" + language + " " + accented(inner, language, depth+1) + "]"
		} else {
			inner = accented(inner, language, depth+1)
		}
		before := s[at:br.From]
		if br.Selector == plural.Other {
			head := strings.LastIndex(before, plural.Other)
			for _, more := range lacking(a, language) {
				before = before[:head] + more + " {" + inner + "} " + before[head:]
				head += len(more) + len(" {} ") + len(inner)
			}
		}
		b.WriteString(before + inner)
		at = br.To
	}
	b.WriteString(s[at:a.To])
	return b.String()
}

// lacking are the categories that a language needs and a plural argument lacks. One that has "other" alone does
// without on purpose.
func lacking(a plural.Argument, language string) []string {
	categories := plural.Categories
	switch {
	case a.Type == "selectordinal":
		categories = plural.Ordinals
	case a.Type != "plural":
		return nil
	}
	var lacks []string
	for _, c := range categories(language) {
		if !c.Rare && len(a.Branches) > 1 && !slices.ContainsFunc(a.Branches,
			func(b plural.Branch) bool { return b.Selector == c.Name }) {
			lacks = append(lacks, c.Name)
		}
	}
	return lacks
}

// untouchable is what a program reads in a text, rather than a person. The order matters: of two that begin at one
// place the first wins.
var untouchable = regexp.MustCompile(strings.Join([]string{
	`<!--.*?-->`, `<!\[CDATA\[`, `\]\]>`,
	`</?[A-Za-z][^<>]*>`,                       // markup
	`&[A-Za-z0-9#]+;`,                          // entities
	`https?://[^\s<>"')\]]+`,                   // links
	`\$t\([^()]*\)`,                            // references between texts (i18next)
	`@:?[\w.]*[\w]`,                            // references between texts (vue), mentions
	`\$?\{\{[^{}]*\}\}`,                        // {{name}}
	`[$%#]\{[^{}]*\}`,                          // ${name} %{name} #{name}
	`%\([^()]*\)[#0 +-]*\d*(?:\.\d+)?[A-Za-z]`, // %(name)s
	`%(?:\d+\$)?[#0 +,(-]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|q|L|z|t|j)?(?:[tT])?[A-Za-z@%]`, // printf
	`\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{4,8}|x[0-9A-Fa-f]{2}|.)`,                                    // escapes
	`__\w+__`, `:[a-z_]+\b`, // __name__ :name
}, "|"))

// untouchableSigns are the characters one of which every untouchable has; most texts have none, and are spared the
// search.
const untouchableSigns = `<&$@{%\:_]`

// accented puts accents on the letters of a text that is not inside anything a program reads.
func accented(s, language string, depth int) string {
	var b strings.Builder
	if !strings.ContainsAny(s, untouchableSigns) {
		letters(&b, s)
		return b.String()
	}
	for s != "" {
		at := untouchable.FindStringIndex(s)
		brace := strings.IndexByte(s, '{')
		if brace >= 0 && (at == nil || brace < at[0]) {
			letters(&b, s[:brace])
			size, ok := plural.Braces(s[brace:])
			if !ok {
				b.WriteString(s[brace:]) // braces that do not match: what the rest is cannot be known
				return b.String()
			}
			if a, ok := branching(s[brace : brace+size]); ok && a.To == size {
				b.WriteString(pseudoArgument(s[brace:], a, language, depth+1))
			} else {
				b.WriteString(s[brace : brace+size])
			}
			s = s[brace+size:]
			continue
		}
		if at == nil {
			letters(&b, s)
			break
		}
		letters(&b, s[:at[0]])
		b.WriteString(s[at[0]:at[1]])
		s = s[at[1]:]
	}
	return b.String()
}

// accents has an accented letter for each letter of ASCII.
var accents = func() (table [128]rune) {
	plain := []rune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	for i, accent := range []rune("áƀçđéƒğĥíĵķļɱñöþɋŕšţüṽŵẋýžÁƁÇĐÉƑĞĤÍĴĶĻṀÑÖÞɊŔŠŢÜṼŴẊÝŽ") {
		table[plain[i]] = accent
	}
	return table
}()

func letters(b *strings.Builder, s string) {
	b.Grow(len(s) + len(s)/2)
	for _, r := range s {
		if r < 128 && accents[r] != 0 {
			r = accents[r]
		}
		b.WriteRune(r)
	}
}
