package check

import (
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/check/text"
	"github.com/locsync/locsync/sync/text/plural"
)

// name is one placeholder that is filled in by name.
type name struct {
	spelled string // with its signs, without formats and blanks, so that equal ones are equal strings
	key     string // what is between the signs
}

// maxNames is how many placeholders or tags a text may have to be checked; beyond that it is not a text of an
// interface.
const maxNames = 200

// namesIn finds the placeholders of a text, each once. percents is whether %name% is one.
func namesIn(s string, percents bool) []name { return readNames(s, percents).names }

func readNames(s string, percents bool) nameReader {
	r := nameReader{s: s}
	percents = percents && !isDateFormat(s)
	for r.at < len(s) && len(r.names) <= maxNames {
		i := strings.IndexAny(s[r.at:], "{%$")
		if i < 0 {
			break
		}
		r.at += i
		switch {
		case r.call():
		case r.take("{{{", "}}}"), r.take("{{-", "}}"), r.take("{{", "}}"):
		case r.take("%{", "}"), r.take("${", "}"), r.take("$t(", ")"):
		case r.take("%(", ")"), r.take("%<", ">"):
		case r.take("{", "}"):
		case percents && r.take("%", "%"):
		default:
			r.at++
		}
	}
	return r
}

type nameReader struct {
	s     string
	at    int
	names []name
	spans []Span // of all of them, each as often as it is there
}

// take reads a placeholder between these signs, if one is here.
func (r *nameReader) take(open, end string) bool {
	rest, ok := strings.CutPrefix(r.s[r.at:], open)
	if !ok || open == "%<" && text.Macro(r.s[r.at+1:]) > 0 {
		return false
	}
	key, size := keyUpTo(rest, end, open == "%{" || open == "${")
	if size == 0 {
		return false
	}
	begin := r.at
	r.at += len(open) + size
	defer func() { r.spans = append(r.spans, Span{begin, r.at}) }()
	switch open {
	case "%(", "%<":
		end += r.conversion()
	case "{{{", "{{-": // the same without escaping
		open, end = "{{", "}}"
	}
	n := name{open + key + end, key}
	if !slices.Contains(r.names, n) {
		r.names = append(r.names, n)
	}
	return true
}

// conversion reads what printf has behind a name: the letter, in its plainest spelling; empty when there is none.
func (r *nameReader) conversion() string {
	at := r.at
	for at < len(r.s) && strings.IndexByte("-+#0123456789.", r.s[at]) >= 0 {
		at++
	}
	if at == len(r.s) || !isLetter(r.s[at]) {
		return ""
	}
	r.at = at + 1
	switch c := r.s[at]; c {
	case 'i', 'u', 'd':
		return "d"
	case 'e', 'g', 'f':
		return "f"
	case 'r', 's':
		return "s"
	default:
		return string(c)
	}
}

// keyUpTo reads a placeholder's key up to its closing sign; size is how many bytes both have, 0 when this is none. What
// follows a comma, a bar or a colon is a format.
func keyUpTo(s, end string, tight bool) (key string, size int) {
	i := strings.Index(s[:min(len(s), 120)], end)
	if i <= 0 {
		return "", 0
	}
	key = s[:i]
	signs := "_.-[]$"
	if end == "%" {
		signs = "_."
		if len(key) < 2 || !isLetter(key[0]) || len(key) == 2 && isHex(key[0]) && isHex(key[1]) {
			return "", 0 // %C3%A4 is a letter of an address
		}
	} else {
		if c := strings.IndexAny(key, ",|:"); c > 0 {
			if strings.HasPrefix(key[c:], ": ") {
				return "", 0 // {key: value} is an example of code
			}
			key = key[:c]
		}
		// Blanks go with a name; a program that wants a number, or a sign before the brace, takes none.
		if trimmed := strings.Trim(key, " "); trimmed != key {
			if tight || strings.Trim(trimmed, "0123456789") == "" {
				return "", 0
			}
			key = trimmed
		}
	}
	for j := range len(key) {
		if c := key[j]; !isLetter(c) && !isDigit(c) && c < 0x80 && strings.IndexByte(signs, c) < 0 {
			return "", 0
		}
	}
	if key == "" {
		return "", 0
	}
	return key, i + len(end)
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// A text that speaks of braces ("between { and }") has no name there, nor has its translation ("entre { et }").
var (
	spokenOf     = regexp.MustCompile(`\{ (and|or|to) \}`)
	wordInBraces = regexp.MustCompile(`\{ [^{}\s]+ \}`)
)

// names compares the placeholders that are filled in by name.
func (p *pair) names() {
	in := p.in
	percents := in.Programs.Named
	rails := in.Programs.Rails && (strings.Contains(in.Key, "errors") || strings.Contains(in.Key, "helpers"))
	source, translation := withoutIntervals(p.source), withoutIntervals(p.text)
	if spokenOf.MatchString(source) {
		source, translation = wordInBraces.ReplaceAllString(source, ""), wordInBraces.ReplaceAllString(translation, "")
	}
	have, use := namesIn(source, percents), namesIn(translation, percents)
	if len(have) > maxNames || len(use) > maxNames {
		return
	}
	known := slices.Clone(have) // what the program fills in
	for _, form := range in.Forms {
		known = append(known, namesIn(withoutIntervals(form), percents)...)
	}
	if plural.IsCategory(in.Form) && percents { // Rails and i18next choose the form by it
		known = append(known, name{"%{count}", "count"}, name{"{{count}}", "count"})
	}
	p.respelled(use, known)
	if strings.Contains(p.source, formsApart) && strings.Contains(p.text, formsApart) {
		have, use = sameNumber(have, use)
	}
	lacks := slices.DeleteFunc(slices.Clone(have), func(n name) bool { return slices.Contains(use, n) })
	extra := slices.DeleteFunc(slices.Clone(use), func(n name) bool {
		// A word of another script is not a name that a program has, unless it is where one is missing.
		return slices.Contains(known, n) || rails && isOptional(n) || len(lacks) == 0 && !isPlain(n.key)
	})
	if rails && len(extra) == 0 {
		lacks = slices.DeleteFunc(lacks, isOptional)
	}
	wiki := isWiki(p.source) || isWiki(p.text)
	if wiki {
		lacks = slices.DeleteFunc(lacks, func(n name) bool { return isOfWiki(n) && n.key != strings.ToUpper(n.key) })
		extra = slices.DeleteFunc(extra, isOfWiki)
	}
	torn := len(have) > 0 && unpaired(source) == 0 && unpaired(translation) != 0
	if !torn && p.aboutNumber(have, lacks, extra) {
		return
	}
	report, warns := p.found, !percents || wiki
	// In Android and .strings printf fills in: these are the program's own, or words.
	if warns {
		report = p.warned
	}
	named := spellingsOf(lacks)
	if len(lacks) == 0 && len(extra) > 0 && strings.Contains(p.source, "{}") && !strings.Contains(p.text, "{}") {
		named = []string{"{}"} // it was given a name
	} else {
		p.nameless(report)
	}
	p.differs(warns, Names, named, spellingsOf(extra))
	if percents {
		p.parameters()
	}
	if torn && len(lacks)+len(extra) == 0 {
		report(Names, "its braces do not pair")
	}
}

// respelled takes names for those that the source has with another sign before them: a sign of currency or per cent
// came to stand before a brace, or went from there to where its language has it.
func (p *pair) respelled(use, known []name) {
	for i, n := range use {
		plain := name{"{" + n.key + "}", n.key}
		if (n.spelled[0] == '%' || n.spelled[0] == '$') && !slices.Contains(known, n) && slices.Contains(known, plain) {
			use[i] = plain
		}
	}
	if !p.hasLooseDollar() {
		return
	}
	for i, n := range use {
		of := name{"${" + n.key + "}", n.key}
		if n.spelled == "{"+n.key+"}" && !slices.Contains(known, n) && slices.Contains(known, of) {
			use[i] = of
		}
	}
}

// aboutNumber deals with the form of a plural that differs from its source in nothing but the number, or in what there
// is none of.
func (p *pair) aboutNumber(have, lacks, extra []name) bool {
	isNumber := func(n name, all int) bool { return isCountName(n.key) || all == 1 && !p.number.guessed }
	switch {
	case len(extra) == 1 && len(lacks) == 0:
		return p.number.mayAdd && isNumber(extra[0], len(have)+1)
	case len(extra) > 0 || len(lacks) == 0:
		return false
	case p.number.isZero:
		return true
	case !p.number.form || len(lacks) > 1 || !isNumber(lacks[0], len(have)):
		return false
	case !p.number.mayDrop:
		p.warned(Names, "it leaves out the number %s, which the source has", lacks[0].spelled)
	}
	return true
}

// hasLooseDollar reports whether the translation has a dollar sign that belongs to no placeholder.
func (p *pair) hasLooseDollar() bool {
	return strings.Count(p.text, "$") > strings.Count(p.text, "${")+strings.Count(p.text, "$t(")
}

// formsApart is what is between the forms of a plural that vue-i18n has in one text.
const formsApart = " | "

// sameNumber takes out of the placeholders of a text with vue-i18n's plural forms what passes for the number. The
// program passes it as n and as count, so a form may say it by either name, whether the source says it or not; but
// where the source does, the translation must.
func sameNumber(have, use []name) (_, _ []name) {
	number := func(n name) bool { return n.spelled == "{n}" || n.spelled == "{count}" }
	if slices.ContainsFunc(use, number) {
		have = slices.DeleteFunc(slices.Clone(have), number)
	}
	return have, slices.DeleteFunc(slices.Clone(use), number)
}

// nameless compares {}, which is filled in with one value after the other.
func (p *pair) nameless(report func(check, format string, values ...any)) {
	have, use := strings.Count(p.source, "{}"), strings.Count(p.text, "{}")
	if have == 0 || have == use || p.number.mayDrop && have == use+1 {
		return
	}
	report(Names, "it has {} %s where the source has it %s", times(use), times(have))
}

func times(n int) any {
	switch n {
	case 0:
		return Word("nowhere")
	case 1:
		return Word("once")
	}
	return say(Names, "%d times", n)
}

// unpaired is how many more braces are opened than closed.
func unpaired(s string) int {
	return strings.Count(s, "{") - strings.Count(s, "}")
}

// isOptional reports whether a placeholder is one that Rails offers in all messages about models, so that each language
// says it or not, whatever English does.
func isOptional(n name) bool {
	return n.spelled == "%{attribute}" || n.spelled == "%{model}" || n.spelled == "%{value}"
}

// isCountName reports whether a placeholder is named like the number that plural forms are chosen by.
func isCountName(key string) bool {
	names := []string{"count", "n", "num", "number", "total", "quantity", "smart_count", "0"}
	return slices.Contains(names, strings.ToLower(key))
}

func spellingsOf(names []name) []string {
	var all []string
	for _, n := range names {
		all = append(all, n.spelled)
	}
	return all
}

// differs reports what a translation lacks and what it has too much.
func (p *pair) differs(warning bool, check string, lacks, extra []string) {
	var f Finding
	switch {
	case len(lacks) > 0 && len(extra) > 0:
		f = say(check, "it has %s where the source has %s", List(extra), List(lacks))
	case len(lacks) > 0:
		f = say(check, "it lacks %s, which the source has", List(lacks))
	case len(extra) > 0:
		f = say(check, "it has %s, which the source does not have", List(extra))
	default:
		return
	}
	f.Warning, f.Lacking, f.Unknown = warning, lacks, extra
	p.add(f)
}

// argument is one of java.text.MessageFormat: {0}, {1,number,#.##}.
var argument = regexp.MustCompile(`\{\s*\d+\s*[,}]`)

// apostrophes warns of a single one in a text with arguments: Java's MessageFormat shows none there, and what follows
// up to the next one as it is written. Where the source has one as well, the program reads its texts in another way.
func (p *pair) apostrophes() {
	if argument.MatchString(p.source) && !single(p.source) && single(p.text) {
		p.warned(Names, "a single apostrophe is not shown, and arguments behind it are not filled in, "+
			"if the program reads texts with java.text.MessageFormat; write two for one")
	}
}

// single reports whether an apostrophe is neither doubled nor one of two around braces.
func single(s string) bool {
	for {
		_, rest, found := strings.Cut(s, "'")
		if !found {
			return false
		}
		end := strings.IndexByte(rest, '\'')
		if end < 0 || end > 0 && !strings.ContainsAny(rest[:1]+rest[end-1:end], "{}") {
			return true
		}
		s = rest[end+1:]
	}
}
