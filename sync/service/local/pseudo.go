package local

import (
	"regexp"
	"strings"
	"unicode"
)

// pseudoTexts is the pseudo-translation of a key's texts.
func pseudoTexts(texts []text, language string) []text {
	out := make([]text, len(texts))
	for i, t := range texts {
		out[i] = text{t.form, pseudo(t.value, language)}
	}
	return out
}

// pseudo writes a text so that a reader sees at once that it went through translation and into which language, while the program that
// shows it works as before: "Hello {name}" is "[de Ĥéļļö {name}]". Letters get accents; placeholders, markup, entities, escapes, links and the
// grammar of ICU messages stay byte for byte, as does white space at the ends. The branches of a plural or select are
// translated each on its own, so that the message stays one argument. A text without anything but white space stays as it is.
func pseudo(source, language string) string {
	body := strings.TrimFunc(source, unicode.IsSpace)
	if body == "" {
		return source
	}
	before, after, _ := strings.Cut(source, body)
	if a, ok := icuArgument(body); ok && a.kind != "" && a.end == len(body) {
		return before + pseudoArgument(body, a, language, 0) + after
	}
	return before + "[" + language + " " + accented(body, language, 0) + "]" + after
}

// pseudoDepth bounds the nesting of ICU arguments that is looked into; what lies deeper stays as it is.
const pseudoDepth = 20

// pseudoArgument translates the branches of an ICU argument.
func pseudoArgument(s string, a argument, language string, depth int) string {
	if depth == pseudoDepth {
		return s[:a.end]
	}
	var b strings.Builder
	at := 0
	for _, br := range a.branches {
		b.WriteString(s[at:br.from])
		inner := s[br.from:br.to]
		if strings.TrimSpace(inner) != "" && depth == 0 {
			inner = "[" + language + " " + accented(inner, language, depth+1) + "]"
		} else {
			inner = accented(inner, language, depth+1)
		}
		b.WriteString(inner)
		at = br.to
	}
	b.WriteString(s[at:a.end])
	return b.String()
}

// untouchable is what a program reads in a text, rather than a person. The order matters: of two that begin at one place the first wins.
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

// untouchableSigns are the characters one of which every untouchable has; most texts have none, and are spared the search.
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
			a, ok := icuArgument(s[brace:])
			switch {
			case !ok:
				b.WriteString(s[brace:]) // braces that do not match: nobody knows what the rest is
				return b.String()
			case a.kind != "":
				b.WriteString(pseudoArgument(s[brace:], a, language, depth+1))
			default:
				b.WriteString(s[brace : brace+a.end])
			}
			s = s[brace+a.end:]
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
