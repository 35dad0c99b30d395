package text

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// icuDialect is how one library reads ICU messages.
type icuDialect struct {
	tags   bool // <b>...</b> is markup of the message
	types  []string
	quotes string // what an apostrophe before it begins to quote, beside # in plurals
	strict bool   // numbers and names as ICU has them
}

var (
	formatJS   = icuDialect{tags: true, types: []string{"number", "date", "time"}, quotes: "{}<>"}
	i18nextICU = icuDialect{types: formatJS.types, quotes: formatJS.quotes}
	icu4c      = icuDialect{types: []string{"number", "date", "time", "spellout", "ordinal", "duration", "choice"},
		quotes: "{}", strict: true}
)

func (d icuDialect) read(s string, _ Options) Text {
	r := icuReader{icuDialect: d, s: s}
	r.message(0, "", false)
	if r.fault == "" && r.at < len(s) {
		r.fail("%q is not expected", Excerpt(s[r.at:]))
	}
	if d.strict {
		r.conflicts()
	}
	if r.fault != "" {
		return Text{Faults: []string{r.fault}}
	}
	return Text{Arguments: r.args, Tags: r.found}
}

// conflicts looks for a numbered argument that ICU is to take for two types of value.
func (r *icuReader) conflicts() {
	values := make(map[string]string)
	for _, a := range r.args {
		value := cmp.Or(valueOf(a.Type), "text")
		if was := values[a.Name]; was != "" && was != value && isDigit(a.Name[0]) {
			r.fail("%s is %s in one place, and %s in another", a.Spelled, was, value)
		}
		values[a.Name] = value
	}
}

// icuReader reads one message; a fault ends it.
type icuReader struct {
	icuDialect
	s     string
	at    int
	args  []Argument
	found []Tag
	fault string
}

func (r *icuReader) fail(format string, args ...any) {
	if r.fault == "" {
		r.fault = fmt.Sprintf(format, args...)
	}
	r.at = len(r.s)
}

func (r *icuReader) space() {
	for r.at < len(r.s) {
		c, n := utf8.DecodeRuneInString(r.s[r.at:])
		if !unicode.Is(unicode.Pattern_White_Space, c) {
			return
		}
		r.at += n
	}
}

// identifier reads up to white space or a sign of a pattern's syntax.
func (r *icuReader) identifier() string {
	from := r.at
	for r.at < len(r.s) {
		c, n := utf8.DecodeRuneInString(r.s[r.at:])
		if unicode.In(c, unicode.Pattern_White_Space, unicode.Pattern_Syntax) || unicode.IsSpace(c) && !r.strict {
			break
		}
		r.at += n
	}
	return r.s[from:r.at]
}

func isPlural(kind string) bool { return kind == "plural" || kind == "selectordinal" }

// message reads up to the end, or to what ends the branch or tag that it is in.
func (r *icuReader) message(depth int, in string, inTag bool) {
	const deepest = 100
	if depth > deepest {
		r.fail("it is nested too deeply")
	}
	for r.at < len(r.s) {
		switch c := r.s[r.at]; {
		case c == '{':
			r.argument(depth, inTag)
		case c == '}' && depth > 0:
			return
		case c == '<' && r.tags && at(r.s, r.at+1) == '/':
			if !inTag {
				r.fail("%q closes nothing", Excerpt(r.s[r.at:]))
			}
			return
		case c == '<' && r.tags && isLetter(at(r.s, r.at+1)):
			r.tag(depth, in)
		case c == '\'':
			r.quotation(in)
		default:
			r.at++
		}
	}
}

// quotation passes over an apostrophe, and over what it quotes.
func (r *icuReader) quotation(in string) {
	next := at(r.s, r.at+1)
	switch {
	case next == '\'':
		r.at += 2
		return
	case r.at+1 >= len(r.s) || strings.IndexByte(r.quotes, next) < 0 && !(next == '#' && isPlural(in)):
		r.at++
		return
	}
	for r.at += 2; r.at < len(r.s); r.at++ {
		if r.s[r.at] != '\'' {
			continue
		}
		if at(r.s, r.at+1) != '\'' {
			r.at++
			return
		}
		r.at++
	}
}

// icuTag is the start or the end of a tag: its name, and how it ends.
var icuTag = regexp.MustCompile(`^</?([-.\w\x{b7}\x{c0}-\x{d6}\x{d8}-\x{f6}\x{f8}-\x{37d}\x{37f}-\x{1fff}` +
	`\x{200c}\x{200d}\x{203f}\x{2040}\x{2070}-\x{218f}\x{2c00}-\x{2fef}\x{3001}-\x{d7ff}\x{f900}-\x{fdcf}` +
	`\x{fdf0}-\x{fffd}\x{10000}-\x{effff}]*)[\t-\r \x{85}\x{200e}\x{200f}\x{2028}\x{2029}]*(/?>)?`)

func (r *icuReader) tag(depth int, in string) {
	start := icuTag.FindStringSubmatch(r.s[r.at:])
	spelled, name := start[0], start[1]
	if start[2] == "" {
		r.fail("%q is a tag that its program does not take: only <name>, without attributes", Excerpt(r.s[r.at:]))
		return
	}
	r.at += len(spelled)
	if start[2] == "/>" {
		return // shown as it is
	}
	r.found = append(r.found, Tag{name, spelled})
	r.message(depth+1, in, true)
	end := icuTag.FindStringSubmatch(r.s[r.at:])
	switch {
	case end == nil || !strings.HasPrefix(end[0], "</"):
		r.fail("the tag <%s> is not closed", name)
	case end[1] != name:
		r.fail("the tag <%s> is not closed before </%s>", name, end[1])
	case end[2] != ">":
		r.fail("the end of the tag <%s> is not closed", name)
	default:
		r.at += len(end[0])
	}
}

func (r *icuReader) argument(depth int, inTag bool) {
	start := r.at
	r.at++
	r.space()
	name := r.identifier()
	r.space()
	arg := Argument{Name: name, Spelled: "{" + name + "}"}
	switch c := at(r.s, r.at); {
	case r.strict && len(name) > 1 && name[0] == '0' && span(name, 0, digits) == len(name):
		r.fail("{%s} has a number with a zero in front", name)
		return
	case name == "" || r.at >= len(r.s):
		r.fail("%q cannot be an argument, or is not closed; write '{' for a brace", Excerpt(r.s[start:]))
		return
	case c == '}':
		r.at++
		r.args = append(r.args, arg)
		return
	case c != ',':
		r.fail("%q cannot be an argument: a comma or } is missing behind %s", Excerpt(r.s[start:]), name)
		return
	}
	r.at++
	r.space()
	arg.Type = r.identifier()
	if r.strict {
		arg.Type = strings.ToLower(arg.Type)
	}
	r.space()
	switch {
	case isPlural(arg.Type) || arg.Type == "select":
		r.args = append(r.args, arg)
		r.branches(arg, depth, inTag)
		return
	case !slices.Contains(r.types, arg.Type):
		r.fail("{%s, %s} has no type that its program knows", name, arg.Type)
		return
	}
	r.style(arg)
	r.args = append(r.args, arg)
}

// style reads the format of an argument and its closing brace.
func (r *icuReader) style(arg Argument) {
	if at(r.s, r.at) == '}' {
		r.at++
		return
	}
	if at(r.s, r.at) != ',' {
		r.fail("{%s, %s} is not closed", arg.Name, arg.Type)
		return
	}
	r.at++
	from, depth := r.at, 0
	for ; r.at < len(r.s); r.at++ {
		switch r.s[r.at] {
		case '\'':
			end := strings.IndexByte(r.s[r.at+1:], '\'')
			if end < 0 {
				r.fail("an apostrophe in the format of {%s} is not closed", arg.Name)
				return
			}
			r.at += end + 1
		case '{':
			depth++
		case '}':
			depth--
			if depth >= 0 && r.strict { // FormatJS counts them, and then ends at the first all the same
				continue
			}
			if style := strings.TrimSpace(r.s[from:r.at]); !r.strict && (style == "" || !isSkeleton(style, arg.Type)) {
				r.fail("{%s, %s,} has no format that its program knows", arg.Name, arg.Type)
				return
			}
			r.at++
			return
		}
	}
	r.fail("{%s, %s is not closed", arg.Name, arg.Type)
}

// dateField is a field of a skeleton of dates that FormatJS may not know, outside of a quotation.
var (
	dateField = regexp.MustCompile(`[Eec]{1,6}|[Qq]{1,5}|[yYur]+|U{1,5}|D{1,3}|F|[abB]{1,5}|w{1,2}|W|[zZOvVxX]{1,4}`)
	quotation = regexp.MustCompile(`'[^']*'`)
)

// noStem is a word of a skeleton of numbers that FormatJS fails with, and exponent what may begin with E.
var (
	noStem = regexp.MustCompile(`//|/$|^(?:[+]|#+)?[rs]?(?:/|$)|^measure-unit$|^integer-width(?:$|/.*/|/(?:.*[^*0])?0)|` +
		`^\.(?:0+\*?|#+|0+#+)/(?:.*/|(?:[+]|#+)?[rs]?$)`)
	exponent = regexp.MustCompile(`^EE?(?:\+[!?])?0+(?:/|$)`)
)

// isSkeleton reports whether FormatJS can read a format as a skeleton of ICU's, where it begins as one.
func isSkeleton(style, kind string) bool {
	skeleton, is := strings.CutPrefix(style, "::")
	if !is {
		return true
	}
	if kind != "number" {
		fields := dateField.FindAllString(quotation.ReplaceAllString(skeleton, ""), -1)
		return strings.TrimSpace(skeleton) != "" && !slices.ContainsFunc(fields, func(field string) bool {
			short := strings.IndexByte("ec", field[0]) >= 0 && len(field) < 4
			return short || strings.IndexByte("YurUQqDFbBwWZOvVxX", field[0]) >= 0
		})
	}
	words := strings.Fields(skeleton)
	return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool {
		return !exponent.MatchString(word) && strings.HasPrefix(word, "E") || noStem.MatchString(word)
	})
}

// number reads a whole number; ICU takes decimals.
func (r *icuReader) number() bool {
	from := r.at
	if r.strict {
		r.at += span(r.s, r.at, digits+"+-.eE")
		_, err := strconv.ParseFloat(r.s[from:r.at], 64)
		return err == nil
	}
	r.at += min(1, span(r.s, r.at, "+-"))
	n := span(r.s, r.at, digits)
	r.at += n
	return n > 0
}

// branches reads the branches of a plural or select, and its closing brace.
func (r *icuReader) branches(arg Argument, depth int, inTag bool) {
	if at(r.s, r.at) != ',' {
		r.fail("{%s, %s} has no branches", arg.Name, arg.Type)
		return
	}
	r.at++
	r.space()
	seen := make(map[string]bool)
	word := r.identifier()
	if arg.Type != "select" && word == "offset" && (!r.strict || at(r.s, r.at) == ':') {
		if at(r.s, r.at) != ':' {
			r.fail("{%s} has an offset without a number", arg.Name)
			return
		}
		r.at++
		r.space()
		if !r.number() {
			r.fail("{%s} has an offset without a number", arg.Name)
			return
		}
		r.space()
		word = r.identifier()
	}
	for r.fault == "" {
		if word == "" && arg.Type != "select" && at(r.s, r.at) == '=' {
			from := r.at
			r.at++
			if !r.number() {
				r.fail("a branch of {%s} has no number behind =", arg.Name)
				return
			}
			word = r.s[from:r.at]
		}
		if word == "" {
			break
		}
		if seen[word] && !r.strict {
			r.fail("the branch %q of {%s} is there twice", word, arg.Name)
			return
		}
		seen[word] = true
		r.space()
		if at(r.s, r.at) != '{' {
			r.fail("the branch %q of {%s} has no text in braces", word, arg.Name)
			return
		}
		r.at++
		r.message(depth+1, arg.Type, inTag)
		if at(r.s, r.at) != '}' {
			r.fail("the branch %q of {%s} is not closed", word, arg.Name)
			return
		}
		r.at++
		r.space()
		word = r.identifier()
	}
	switch {
	case at(r.s, r.at) != '}':
		r.fail("{%s, %s is not closed", arg.Name, arg.Type)
	case !seen["other"]:
		r.fail(`{%s} has no branch "other"`, arg.Name)
	default:
		r.at++
	}
}
