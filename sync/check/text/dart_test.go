package text

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/programs"
)

// rules are the grammar of gen-l10n's messages: each rule is the ways in which it can be read. Words in quotes are signs
// and keywords; text, word and number are what dartTokens makes of the rest.
var rules = map[string]string{
	"message": `text message | argument message | ""`,
	"argument": `"{" word "}" | "{" word "," "plural" "," cases "}" | "{" word "," "select" "," branches "}" | ` +
		`"{" word "," "date" "," ":" ":" word "}" | "{" word "," "time" "," ":" ":" word "}"`,
	"cases":    `case cases | case`,
	"case":     `word "{" message "}" | "=" number "{" message "}" | "other" "{" message "}"`,
	"branches": `branch branches | branch`,
	"branch":   `word "{" message "}" | number "{" message "}" | "other" "{" message "}"`,
}

// dartToken is a sign, a keyword or one of text, word and number, with its spelling.
type dartToken struct{ kind, spelled string }

var (
	dartText    = map[bool]*regexp.Regexp{false: regexp.MustCompile(`^[^{}]+`), true: regexp.MustCompile(`^(?:'[^']*'|[^{}']+)`)}
	dartSpace   = regexp.MustCompile(`^[\s\v\x{feff}\p{Z}]+`)
	dartCode    = regexp.MustCompile(`^(?:[0-9]+|[,=:]|[a-zA-Z0-9|_]+)`)
	dartKeyword = regexp.MustCompile(`^(?:[,=:]|plural|select|other|date|time)$`)
	dartNumber  = regexp.MustCompile(`^[0-9]+$`)
	dartCases   = regexp.MustCompile(`^(?:zero|one|two|few|many)$`)
)

// dartTokens cuts a message; false where nothing fits.
func dartTokens(s string, escaping bool) (all []dartToken, ok bool) {
	for code := false; s != ""; {
		found := ""
		switch {
		case s[0] == '{' || s[0] == '}':
			found = s[:1]
			all = append(all, dartToken{found, found})
			code = !code
		case !code:
			found = dartText[escaping].FindString(s)
			all = append(all, dartToken{"text", found})
		case dartSpace.MatchString(s):
			found = dartSpace.FindString(s)
		default:
			found = dartCode.FindString(s)
			kind := "word"
			switch {
			case dartNumber.MatchString(found):
				kind = "number"
			case dartKeyword.MatchString(found) && (len(found) == 1 || all[len(all)-1].kind != "{"):
				kind = found
			}
			all = append(all, dartToken{kind, found})
		}
		if found == "" {
			return nil, false
		}
		s = s[len(found):]
	}
	return all, true
}

// derive is where a rule can end that begins at a token.
func derive(rule string, tokens []dartToken, from int) (ends []int) {
	for way := range strings.SplitSeq(rules[rule], " | ") {
		reached := []int{from}
		for _, part := range strings.Fields(way) {
			var next []int
			for _, at := range reached {
				switch kind := strings.Trim(part, `"`); {
				case rules[part] != "":
					next = append(next, derive(part, tokens, at)...)
				case kind == "":
					next = append(next, at)
				case at < len(tokens) && tokens[at].kind == kind:
					next = append(next, at+1)
				}
			}
			reached = next
		}
		ends = append(ends, reached...)
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}

// sound sees to what gen-l10n asks of branches beside its grammar: there is "other", and a plural has no words but
// those of CLDR.
func sound(tokens []dartToken) bool {
	type choice struct{ plural, other bool }
	open := []*choice{} // by brace; nil for those that have no branches
	for i, token := range tokens {
		switch token.kind {
		case "{":
			of := (*choice)(nil)
			if i+3 < len(tokens) && (tokens[i+3].kind == "plural" || tokens[i+3].kind == "select") && tokens[i+2].kind == "," {
				of = &choice{plural: tokens[i+3].kind == "plural"}
			}
			if n := len(open); n > 0 && open[n-1] != nil {
				before := tokens[i-1]
				open[n-1].other = open[n-1].other || before.kind == "other"
				cased := before.kind == "word" && dartCases.MatchString(before.spelled) ||
					before.kind == "number" && strings.Contains("0 1 2", before.spelled)
				if open[n-1].plural && before.kind != "other" && !cased {
					return false
				}
			}
			open = append(open, of)
		case "}":
			if n := len(open); n == 0 || open[n-1] != nil && !open[n-1].other {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return true
}

// The reader of Flutter's messages takes what the grammar derives, which is read here from its rules alone.
func TestFlutter(t *testing.T) {
	pieces := []string{"a", " ", "{n}", "{ name }", "{n, plural, one{x} other{{n} y}}", "{n,plural,=0{a}=1{b}other{c}}",
		"{n, plural, =3{x} other{y}}", "{g, select, male{he} other{they}}", "{g, select, 1{he} other{{n}}}", "{g, select, male{he}}",
		"{d, date, ::yMd}", "{d, time, ::jm}", "{d, date}", "{plural}", "{plural, plural, other{x}}", "{other}", "{n, select,\u00a0other{x}}",
		"{", "}", "{}", "()", "'", "''", "'{'", "{n, plural, few{{d, date, ::yMd}} other{}}", "{n, number}", "{a-b}", "{a|b}", "é", ",",
		"{n, plural, one{{g, select, a{b} other{c}}} other{d}}", "{n,\u2028plural, other{x}}"}
	for escaping, r := range map[bool]programs.Reader{false: programs.Flutter, true: programs.FlutterEscaping} {
		texts := samples(t, pieces, 4)
		answers := make([]found, len(texts))
		for i, s := range texts {
			tokens, ok := dartTokens(s, escaping)
			if !ok || !slices.Contains(derive("message", tokens, 0), len(tokens)) || !sound(tokens) {
				answers[i].Refused = "the grammar"
				continue
			}
			for j, token := range tokens {
				if j > 0 && token.kind == "word" && tokens[j-1].kind == "{" {
					answers[i].Names = append(answers[i].Names, token.spelled)
				}
			}
		}
		compare(t, texts, answers, func(s string) Text { return Read(r, s, Options{}) })
	}
}

// slangWays are the expressions of slang for what it fills in, by how it is set up; one with a backslash is text.
var (
	slangWays = map[programs.Reader]*regexp.Regexp{
		programs.Slang:       regexp.MustCompile(`(?s)\\\$|\$(\w+)|\$\{(.*?)\}`),
		programs.SlangBraces: regexp.MustCompile(`(?s)\\\{|\{()(.*?)\}`),
		programs.SlangDouble: regexp.MustCompile(`(?s)\\\{\{|\{\{()(.*?)\}\}`),
	}
	slangLinks = regexp.MustCompile(`\\@:|@:(?:(\w[\w|.]*\w|\w)|\{(\w[\w|.]*\w|\w)\})`)
	dartName   = regexp.MustCompile(`^\s*([a-zA-Z_]\w*)\s*(?:[:(]|$)`)
	loneDollar = regexp.MustCompile(`\$[^ ]`)
)

// The reader of slang's texts finds what its expressions find, first what is filled in and then links, and refuses what
// is no Dart.
func TestSlang(t *testing.T) {
	pieces := []string{"a", " ", "$name", "${name}", "${d: yMd}", "${tap(here)}", "{name}", "{ name }", "{n: int}", "{{name}}", "{{ n }}",
		`\$`, `\{`, `\{{`, `\@:a`, "@:a.b", "@:{a.b}", "@:a|x", "@", ":", "$", "$5", "{", "}", "{}", "}}", "é", "$é", "(", ".", "{a-b}",
		"{{}}", "{{a-b}}", "{{5}}"}
	for r, way := range slangWays {
		texts := samples(t, pieces, 5)
		answers := make([]found, len(texts))
		for i, s := range texts {
			rest := way.ReplaceAllStringFunc(s, func(match string) string {
				of := way.FindStringSubmatch(match)
				if match[0] == '\\' {
					return "\x00"
				}
				if name := dartName.FindStringSubmatch(of[1] + of[2]); name == nil {
					answers[i].Refused = "Dart"
				} else {
					answers[i].Names = append(answers[i].Names, name[1])
				}
				return "\x00"
			})
			for _, link := range slangLinks.FindAllStringSubmatch(rest, -1) {
				if key := link[1] + link[2]; key != "" {
					answers[i].Names = append(answers[i].Names, "@:"+key)
				}
			}
			if r == programs.Slang && loneDollar.MatchString(rest) {
				answers[i].Refused = "Dart"
			}
		}
		compare(t, texts, answers, func(s string) Text { return Read(r, s, Options{}) })
	}
}
