package check

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/sync/config/languages"
)

// harmless looks for what the program takes and people do not.
func (p *pair) harmless() {
	if strings.TrimSpace(p.text) == "" {
		if strings.ContainsFunc(p.source, isWordy) { // a sign between numbers may be a blank
			p.kind(Blank, "it is blank")
		}
		return
	}
	if p.text == p.source {
		if all, small := wordsOf(p.source); p.foreign() && all > 2 && small > 1 {
			p.kind(Same, "it is the source text")
		}
		return
	}
	p.addresses()
	p.numbersIn()
	p.ends()
	p.length()
	if !p.lookAlike() {
		p.scripts()
	}
	for _, wrong := range p.in.Terms.wrong(p.source, p.text, p.in.Language) {
		p.kind(TermKind, wrong.Format, wrong.Values...)
	}
}

func isWordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// foreign reports whether source and translation are in two languages, and not in two kinds of one.
func (p *pair) foreign() bool {
	return p.in.Language != "" && p.in.SourceLanguage != "" && baseOf(p.in.Language) != baseOf(p.in.SourceLanguage)
}

func baseOf(code string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(code), "_", "-"), "-")
	return base
}

// wordsOf counts the words of a text, and those of them that are not names: that begin with a small letter.
func wordsOf(s string) (all, small int) {
	for word := range strings.FieldsSeq(s) {
		all++
		first, size := utf8.DecodeRuneInString(word)
		if unicode.IsLower(first) && len(word) > size && !strings.ContainsAny(word, "{}<>%$@/=_\\") {
			small++
		}
	}
	return all, small
}

// Sentence reports whether a text is long enough to tell that it is a language's: five words of it at least.
func Sentence(s string) bool {
	all, small := wordsOf(s)
	return all >= 5 && small >= 3
}

// near are languages that have sentences in common.
var near = [][]string{{"nb", "nn", "no", "da", "sv"}, {"hr", "bs", "sr", "sh", "sl", "cnr"}, {"pt", "gl", "es"},
	{"id", "ms"},
	{"cs", "sk"}, {"mk", "bg"}, {"ru", "be", "uk"}, {"zh", "yue"}, {"nl", "af", "fy", "li", "vls", "zea"},
	{"de", "gsw", "lb", "nds"},
	{"fi", "et"}, {"ca", "oc", "es"}, {"hi", "mr", "ne"}, {"tr", "az"}, {"fa", "prs"}}

// Apart reports whether two languages have no sentences in common, so that one under the other's name is a mistake.
func Apart(a, b string) bool {
	a, b = baseOf(a), baseOf(b)
	return a != b && !slices.ContainsFunc(near, func(group []string) bool {
		return slices.Contains(group, a) && slices.Contains(group, b)
	})
}

// address is one with a scheme and a host.
var address = regexp.MustCompile(`(?i)\b(https?|ftp|wss?)://([\pL\pN.-]+)`)

// asExample is what a source has before an address that is only an example.
var asExample = regexp.MustCompile(`(?i)(?:\be\.? ?g\.?|\bexamples?)[\s,:;("'“‘]*$`)

// addresses compares hosts and schemes. A subdomain of a host of the source's is that host: de.wikipedia.org. Where the
// source's addresses are examples, a translation may have as many others.
func (p *pair) addresses() {
	if !strings.Contains(p.text, "://") {
		return
	}
	schemes := make(map[string]bool)
	hosts := make(map[string]bool) // and whether it is only an example
	given := address.FindAllStringSubmatchIndex(p.source, -1)
	for _, at := range given {
		host := domain(p.source[at[4]:at[5]])
		schemes[strings.ToLower(p.source[at[2]:at[3]])] = true
		hosts[host] = hosts[host] || asExample.MatchString(p.source[:at[0]])
	}
	found := address.FindAllStringSubmatch(p.text, -1)
	if len(found) <= len(given) && !slices.Contains(slices.Collect(maps.Values(hosts)), false) {
		return
	}
	isOfSource := func(host string) bool { _, is := hosts[host]; return is }
	for _, m := range found {
		scheme, host := strings.ToLower(m[1]), domain(m[2])
		of, _, _ := strings.Cut(host, "-") // an ending of the language: localhost-on
		switch {
		case host == "": // "https://..."
		case slices.ContainsFunc(p.broken, func(tag string) bool { return strings.Contains(tag, m[0]) }):
		case !isOfSource(host) && !isOfSource(of):
			p.kind(URL, "it leads to %s, which the source does not", m[0])
			return
		case !schemes[scheme] && scheme != "https":
			p.kind(URL, "it leads to %s, and the source to another scheme", m[0])
			return
		}
	}
}

// domain is the end of a host that says whose it is.
func domain(host string) string {
	parts := strings.Split(strings.ToLower(strings.Trim(host, ".-")), ".")
	keep := 2
	if n := len(parts); n > 2 && len(parts[n-1]) == 2 && len(parts[n-2]) <= 3 {
		keep = 3 // co.uk
	}
	return strings.Join(parts[max(0, len(parts)-keep):], ".")
}

// numbersIn looks for the numbers of the source. Thousands may be apart by any sign, and digits be those of any script.
// One digit, and numbers that telephones and accounts have, are not asked for. A few words may say a number in words.
func (p *pair) numbersIn() {
	if !strings.ContainsAny(p.source, "0123456789") || p.level(Number) == Off {
		return
	}
	have := slices.DeleteFunc(numbersOf(p.text, true), func(number string) bool { return len(number) < 2 })
	words, _ := wordsOf(p.source)
	for _, number := range numbersOf(p.source, false) {
		asked := len(number) > 1 && len(number) < 7 && (len(have) > 0 || words > 4)
		if asked && !slices.Contains(have, number) && !strings.Contains(p.text, number) {
			p.kind(Number, "it does not have the number %s of the source", number)
			return
		}
	}
}

// ordinal is how English ends a number of an order.
var ordinal = regexp.MustCompile(`^(?:st|nd|rd|th)\b`)

// between are the signs that numbers may have between digits.
const between = ".,' \u00a0\u202f\u2009’٫٬"

// numbersOf are the numbers of a text, in plain digits, without what separates them. Groups of three are thousands, and
// what one sign parts is a fraction; other groups are a version, a date or a list, whose parts are numbers. With
// apart, all parts are numbers, too, and without it 10th is a word.
func numbersOf(s string, apart bool) (all []string) {
	var groups []string
	var last []byte
	end := func() {
		if len(last) == 0 {
			return
		}
		groups = append(groups, string(last))
		thousands := true
		for _, group := range groups[1:] {
			thousands = thousands && len(group) == 3
		}
		if thousands || apart || len(groups) == 2 {
			all = append(all, strings.Join(groups, ""))
		}
		if len(groups) > 1 && (apart || !thousands && len(groups) > 2) {
			all = append(all, groups...)
		}
		groups, last = groups[:0], last[:0]
	}
	for i := 0; i < len(s); {
		if size := noNumber(s[i:]); size > 0 {
			if len(last) > 0 && !apart && ordinal.MatchString(s[i:]) {
				groups, last = groups[:0], last[:0]
			}
			end()
			i += size
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		next, _ := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsDigit(r):
			last = append(last, byte('0'+digitOf(r)))
		case len(last) > 0 && unicode.IsDigit(next) && strings.ContainsRune(between, r):
			groups, last = append(groups, string(last)), last[:0]
		default:
			end()
		}
	}
	end()
	return all
}

// noNumber is the length of what a text begins with and may have digits that are not a number to people: a placeholder,
// a tag, a conversion of printf, a reference, an escape, an address, a name such as UTF8 or v1.2; 0 for none.
func noNumber(s string) int {
	enclosed := func(end byte) int {
		n := strings.IndexByte(s, end)
		if n < 0 || strings.IndexByte(s[1:n], s[0]) >= 0 {
			return 0
		}
		return n + 1
	}
	word := func(at int, signs string) int {
		for at < len(s) && (isLetter(s[at]) || strings.IndexByte(signs, s[at]) >= 0) {
			at++
		}
		return at
	}
	const digits = "0123456789"
	switch c := s[0]; {
	case c == '{':
		return enclosed('}')
	case c == '<':
		return enclosed('>')
	case c == '%':
		at := 1
		for at < len(s) && strings.IndexByte(digits+"$.", s[at]) >= 0 {
			at++
		}
		if r, size := utf8.DecodeRuneInString(s[at:]); unicode.IsLetter(r) {
			return at + size
		}
	case c == '&':
		if at := word(1, digits+"_#"); at > 1 && at < len(s) && s[at] == ';' {
			return at + 1
		}
	case c == '\\' && len(s) > 5 && s[1] == 'u':
		return 6
	case strings.HasPrefix(s, "http://"), strings.HasPrefix(s, "https://"):
		if at := strings.IndexFunc(s, unicode.IsSpace); at > 0 {
			return at
		}
		return len(s)
	case isLetter(c) || c == '_':
		letters := word(0, "_")
		at := word(letters, digits+"_")
		for at > letters && at+1 < len(s) && s[at] == '.' && isDigit(s[at+1]) {
			at = word(at+1, digits)
		}
		return at
	}
	return 0
}

// digitOf is the value of a digit: those of a script follow one another from a zero.
func digitOf(r rune) int {
	zero := r
	for unicode.IsDigit(zero-1) && r-zero < 9 {
		zero--
	}
	return int(r - zero)
}

// enders are the signs that end a sentence, by what they mean.
var enders = map[rune]rune{
	':': ':', '：': ':', '፡': ':', '?': '?', '？': '?', '؟': '?', '՞': '?', '፧': '?', '!': '!',
	'！': '!', '՜': '!', '…': '…',
	'.': '.', '。': '.', '．': '.', '।': '.', '۔': '.', '։': '.', '።': '.', '។': '.', '᙮': '.', '။': '.',
}

// withoutPoints are languages that do not end sentences with a point, withoutSigns those that have no signs there, or
// have them inside of words, as Armenian.
var (
	withoutPoints = []string{"zh", "ja", "ko", "yue"}
	withoutSigns  = []string{"th", "lo", "my", "km", "bo", "dz", "hy", "hyw"}
)

// abbreviated is a short last word with a point, which ends no sentence.
var abbreviated = regexp.MustCompile(`(?:^|[^\pL\pM.])(?:[\pL\pM]{1,4}\.)+\s*$`)

// ends compares white space and punctuation at the ends.
func (p *pair) ends() {
	named := slices.ContainsFunc(p.findings, func(f Finding) bool { return f.Check == Ends })
	if named || p.level(Ends) == Off {
		return
	}
	space := func(s string) (before, behind string) {
		return s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsSpace))], s[len(strings.TrimRightFunc(s, unicode.IsSpace)):]
	}
	wasBefore, wasBehind := space(p.source)
	before, behind := space(p.text)
	collapsed := p.in.Programs.Reader.HasElements() &&
		!strings.Contains(wasBefore+wasBehind+before+behind, "\u00a0")
	switch {
	case collapsed: // in the page that an XLIFF is made of
	case (wasBefore == "") != (before == "") || strings.Count(wasBefore, "\n") != strings.Count(before, "\n"):
		p.kind(Ends, "it begins with other blanks or line breaks than the source")
		return
	case (wasBehind == "") != (behind == "") || strings.Count(wasBehind, "\n") != strings.Count(behind, "\n"):
		p.kind(Ends, "it ends with other blanks or line breaks than the source")
		return
	}
	was, is := enderOf(p.source), enderOf(p.text)
	points := was == '.' || is == '.'
	base := baseOf(p.in.Language)
	free := points && (slices.Contains(withoutPoints, base) || was == '…' || is == '…' ||
		was == 0 && abbreviated.MatchString(p.text) || is == 0 && abbreviated.MatchString(p.source))
	if was == is || free || slices.Contains(withoutSigns, base) || base == "el" && was == '?' {
		return
	}
	switch {
	case was == 0:
		p.kind(Ends, "it ends with %q, and the source does not", is)
	case is == 0:
		p.kind(Ends, "the source ends with %q, and it does not", was)
	default:
		p.kind(Ends, "it ends with %q, and the source with %q", is, was)
	}
}

// lines compares the line breaks at the ends as gettext's tools do: one that the other text does not have makes msgfmt
// refuse the file.
func (p *pair) lines() {
	if p.level(Ends) == Off {
		return
	}
	switch {
	case strings.HasPrefix(p.source, "\n") != strings.HasPrefix(p.text, "\n"):
		p.found(Ends, "only one of source and translation begins with a line break, and msgfmt -c refuses the file")
	case strings.HasSuffix(p.source, "\n") != strings.HasSuffix(p.text, "\n"):
		p.found(Ends, "only one of source and translation ends with a line break, and msgfmt -c refuses the file")
	}
}

// enderOf is the sign that ends a text, behind which brackets, quotes and tags may be.
func enderOf(s string) rune {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	if strings.HasSuffix(s, "...") {
		return '…'
	}
	r, _ := utf8.DecodeLastRuneInString(s)
	return enders[r]
}

// scripts looks for letters of a script that neither the language nor the source has. Latin is everybody's.
func (p *pair) scripts() {
	if isPlain(p.text) || p.in.Language == "" || p.level(Script) == Off {
		return
	}
	var own []string
	last := ""
	for _, r := range p.text {
		if r < 0x370 || !unicode.IsLetter(r) {
			continue
		}
		of := languages.ScriptOf(r)
		if of == "" || of == "Latn" || of == last {
			continue
		}
		last = of
		if own == nil {
			own = languages.Letters(p.in.Language)
			if own == nil {
				return // how it is written is not known
			}
		}
		if slices.Contains(own, of) || strings.ContainsFunc(p.source, func(o rune) bool {
			return o >= 0x370 && languages.ScriptOf(o) == of
		}) {
			continue
		}
		p.kind(Script, "it has %q, a letter of a script (%s) that the language is not written in", r, of)
		return
	}
}

// conversionLetters are conversions of printf, whose letters belong to no word, and withPalochka are languages whose
// letter of that name people write as a Latin I.
var (
	conversionLetters = regexp.MustCompile(`%[\d$.l]*[a-zA-Z@]`)
	withPalochka      = []string{"inh", "ce", "av", "ady", "kbd", "lez", "lbe", "dar", "tab", "abq"}
)

// alike are letters of other alphabets that look like Latin ones.
var alike = func() map[rune]bool {
	all := make(map[rune]bool)
	for _, r := range "аеорсухіјѕԁһАВЕКМНОРСТХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧο" {
		all[r] = true
	}
	return all
}()

// lookAlike finds words with Latin letters and letters of another alphabet that look the same.
func (p *pair) lookAlike() bool {
	if isPlain(p.text) {
		return false
	}
	latin, other := false, rune(0)
	var before rune
	text := p.text + " "
	if strings.Contains(text, "%") {
		text = conversionLetters.ReplaceAllString(text, " ")
	}
	palochka := slices.Contains(withPalochka, baseOf(p.in.Language))
	for i, r := range text {
		switch {
		case r == 'I' && palochka:
		case r < 0x80 && isLetter(byte(r)):
			latin = true
		case r >= 0x370 && alike[r]:
			other = r
		case r == 0x200b && unicode.Is(unicode.Latin, before):
			next, _ := utf8.DecodeRuneInString(text[i+len("\u200b"):])
			if unicode.Is(unicode.Latin, next) && !strings.ContainsRune(p.source, r) {
				p.kind(Hidden, "it has a zero width space inside of a word")
				return true
			}
		case !unicode.IsLetter(r) && !unicode.IsMark(r):
			latin, other = false, 0
		default: // a letter that does not look like another: the word is what it seems
			if !unicode.Is(unicode.Latin, r) {
				latin = false
			}
		}
		if latin && other != 0 && !strings.ContainsRune(p.source, other) {
			p.kind(Hidden, "it has %q (U+%04X), which looks like a Latin letter, in a word with Latin letters",
				other, other)
			return true
		}
		before = r
	}
	return false
}

// limit is how a comment says what a text may be long: "max. 20 characters", "maxLength: 20", "at most 20 chars".
var limit = regexp.MustCompile(`(?i)\b(?:max(?:imum|imal|\.)?(?:[ _-]?(?:length|len|chars|characters))?|at most|` +
	`up to|no more than|limit(?:ed)?(?: to)?)[ :=]*(?:of |is )?(\d{1,4})\s*(chars?\b|characters?\b|letters\b|$|[.,;)\n])`)

// MaxLength is how many characters the flags or the comment of a text allow; 0 where they say nothing.
func MaxLength(flags, note string) int {
	most, by := programs.Value(flags, programs.MaxLength)
	if !by && note != "" {
		if m := limit.FindStringSubmatch(note); m != nil {
			most = m[1]
		}
	}
	n, _ := strconv.Atoi(most)
	return n
}

// length compares a text with the length that its file or its comment allows.
func (p *pair) length() {
	most := MaxLength(p.in.Flags, p.in.Note)
	if most <= 0 || p.level(Length) == Off {
		return
	}
	n := 0
	for _, r := range p.text {
		if !unicode.IsMark(r) {
			n++
		}
	}
	if n > most {
		p.kind(Length, "it has %d characters, and its comment or property allows %d", n, most)
	}
}
