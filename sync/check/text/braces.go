package text

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pattern reads texts whose arguments begin with a sign and are what an expression says: its first group that is there
// names one. A match without a group is a sign that is escaped.
type pattern struct {
	signs   string
	find    *regexp.Regexp // from the sign on
	fault   string         // in words, for a sign that begins nothing; "" where it is text
	numbers bool           // names are numbers
}

func (p pattern) read(s string, _ Options) (t Text) {
	for at := strings.IndexAny(s, p.signs); at >= 0 && at < len(s); {
		m, length, group := p.find.FindStringSubmatchIndex(s[at:]), 1, 1
		if m == nil && p.fault != "" {
			return Text{Faults: []string{fmt.Sprintf(p.fault, Excerpt(s[at:]))}}
		}
		for 2*group < len(m) && m[2*group] < 0 {
			group++
		}
		if m != nil {
			length = m[1]
		}
		if 2*group < len(m) {
			name := s[at+m[2*group] : at+m[2*group+1]]
			if p.numbers {
				name = cmp.Or(strings.TrimLeft(name, "0"), "0")
			}
			t.Arguments = append(t.Arguments, Argument{Name: name, Spelled: s[at : at+length]})
		}
		at += length
		next := strings.IndexAny(s[at:], p.signs)
		if next < 0 {
			break
		}
		at += next
	}
	return t
}

const (
	path = `(?:` + word + `|\d+)(?:\.` + word + `|\[(?:` + word + `|\d+)\])*` // name.part[0]
	spec = `\{\{|\{` + path + `\}|(?:[\x00-z|-\x7f]?[<>=^])?[+\- ]?#?0?\d*(?:\.\d*)?[bcdoxXneEfFgG%]?`

	noItem = "%q cannot be a placeholder: a { is followed by a number; write {{ or }} for a brace"
)

var (
	// composite is .NET's String.Format: {0}, {1,-5:N2}, {{ and }}. csharp is the same as msgfmt judges it: without
	// blanks, and with braces in formats.
	composite = pattern{"{}", regexp.MustCompile(`^(?:\{(?:\{|(\d+) *(?:, *-?\d+ *)?(?::[^{}]*)?\})|\}\})`), noItem, true}
	csharp    = pattern{"{}", regexp.MustCompile(`^(?:\{(?:\{|(\d+)(?:,-?\d+)?(?::[^}]*)?\})|\}\})`), noItem, true}
	// pythonBrace is Python's str.format, as msgfmt judges it: braces that only close are text.
	pythonBrace = pattern{"{", regexp.MustCompile(`^\{(?:\{|(` + path + `(?::(?:` + spec + `))?)\})`),
		"%q cannot be a placeholder; write {{ for a brace", false}
	// perlBrace is Locale::TextDomain's {name}. What is spelled otherwise is text.
	perlBrace = pattern{"{", regexp.MustCompile(`^\{(` + word + `)\}`), "", false}
	qt        = pattern{"%", regexp.MustCompile(`^%L?(\d\d?)`), "", true}
	qtPlural  = pattern{"%", regexp.MustCompile(`^%L?(n)`), "", false}
	kde       = pattern{"%", regexp.MustCompile(`^%([1-9]\d*)`), "", false}
	// oneDigit is that of Smalltalk and YCP: %1 to %9, and %% for a sign.
	oneDigit = pattern{"%", regexp.MustCompile(`^%(?:([1-9])|%)`), noSign, false}
	// shell is envsubst.
	shell = pattern{"$", regexp.MustCompile(`^\$(?:(` + word + `)|\{(` + word + `)\})`),
		"the $ of %q begins no $NAME or ${NAME}", false}
	// tilde is the plain directives of Scheme and Lisp: ~a, ~d. A text with others is not judged.
	tilde = pattern{"~", regexp.MustCompile(`^~(?:([asdboxcASDBOXC])|[%~&\n])`), "%q is an unknown directive", false}
)

// readQt is QString::arg: %1, %L12.
func readQt(s string, o Options) Text {
	t := qt.read(s, o)
	typ := "single digit"
	if slices.ContainsFunc(t.Arguments, func(a Argument) bool { return len(a.Spelled) > len("%1") }) {
		typ = "wide"
	}
	for i := range t.Arguments {
		t.Arguments[i].Type = typ
	}
	return t
}

// readKDE is ki18n's %1: the numbers of a text are 1 to n, but for one.
func readKDE(s string, o Options) Text {
	t := kde.read(s, o)
	numbers := make(map[string]bool)
	for _, a := range t.Arguments {
		numbers[a.Name] = true
	}
	if most := rank(t.Arguments) - 1; most > len(numbers)+1 {
		return Text{Faults: []string{fmt.Sprintf("it has %%%d, and leaves out more than one of the arguments below", most)}}
	}
	return t
}

// readKUIT is KDE's with markup, which XML has to take. An ampersand may be one.
func readKUIT(s string, o Options) Text {
	const root = "kuit"
	marked := strings.NewReplacer("&", "&amp;", ":", "ʔ").Replace(s) // names have any number of colons here
	d := xml.NewDecoder(strings.NewReader("<" + root + ">" + marked + "</" + root + ">"))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return readKDE(s, o)
		}
		if err != nil {
			return Text{Faults: []string{"its markup cannot be read: a tag is not closed, or closes nothing"}}
		}
	}
}

// readTilde counts the directives.
func readTilde(s string, o Options) Text {
	t := tilde.read(s, o)
	types := map[string]string{"a": "any", "s": "any", "c": "char"}
	for i, a := range t.Arguments {
		t.Arguments[i].Name, t.Arguments[i].Type = strconv.Itoa(i+1), cmp.Or(types[strings.ToLower(a.Name)], "integer")
	}
	return t
}

// readRuby is Ruby's format: flags, number, name, width and precision in almost any order.
func readRuby(s string, _ Options) Text {
	return rubyDialect.readEach(s, (*printfReader).rubyDirective)
}

var rubyDialect = (&dialect{numbering: exclusive, leading: true, letters: map[string]string{"": "%\n",
	"any": "s{", "escaped": "p", "char": "c", "integer": "diuoxXbB", "float": "fgGeEaA"}}).prepared()

// emptyName is the name of %{} and %<>s, which are arguments, too. A name in braces has no }, and one in angle brackets
// no >, so it is never written.
const emptyName = ">}"

// rubyDirective reads one directive.
func (r *printfReader) rubyDirective() {
	start, number, name, amounts := r.at, 0, "", []int{}
	width, precision := false, false
	r.at++
	for r.fault == "" {
		c := at(r.s, r.at)
		switch {
		case strings.IndexByte(" #+-0", c) >= 0 && c != 0:
			if width || precision {
				r.fail("%q: a flag is behind the width", Excerpt(r.s[start:]))
			}
			r.at++
		case c == '<':
			end := strings.IndexByte(r.s[r.at:], '>')
			if end < 0 || name != "" || number > 0 || len(amounts) > 0 {
				r.fail("%q: its name does not end, or is not its only argument", Excerpt(r.s[start:]))
				return
			}
			name = cmp.Or(r.s[r.at+1:r.at+end], emptyName)
			r.at += end + 1
		case isDigit(c):
			n := span(r.s, r.at, digits)
			if at(r.s, r.at+n) == '$' {
				if number > 0 || name != "" {
					r.fail("%q has two arguments", Excerpt(r.s[start:]))
				}
				number, _ = strconv.Atoi(r.s[r.at : r.at+n])
				r.at++
			} else {
				if width || precision {
					r.fail("%q has two widths", Excerpt(r.s[start:]))
				}
				width = true
			}
			r.at += n
		case c == '*', c == '.' && at(r.s, r.at+1) == '*':
			if c == '.' {
				r.at++
				precision = true
			} else if width || precision {
				r.fail("%q has two widths", Excerpt(r.s[start:]))
			}
			width = width || c == '*'
			r.at++
			amounts = append(amounts, r.dollar())
			if name != "" {
				r.fail("%q fills in by name and in order", Excerpt(r.s[start:]))
			}
		case c == '.':
			if precision {
				r.fail("%q has two precisions", Excerpt(r.s[start:]))
			}
			precision = true
			r.at++
			r.at += span(r.s, r.at, digits)
		default:
			r.rubyEnd(start, number, name, amounts)
			return
		}
	}
}

// rubyEnd reads the letter of a directive, and enters its arguments.
func (r *printfReader) rubyEnd(start, number int, name string, amounts []int) {
	c := at(r.s, r.at)
	if c == 0 || c >= 128 || !r.known[c] {
		r.fail(noSign, Excerpt(r.s[start:]))
		return
	}
	typ := r.types[c]
	r.at++
	if c == '{' {
		end := strings.IndexByte(r.s[r.at:], '}')
		if end < 0 || name != "" || number > 0 || len(amounts) > 0 {
			r.fail("%q: its name does not end, or is not its only argument", Excerpt(r.s[start:]))
			return
		}
		name = cmp.Or(r.s[r.at:r.at+end], emptyName)
		r.at += end + 1
	}
	for _, amount := range amounts {
		r.add("", amount, "integer", start)
	}
	if typ != "" {
		r.add(name, number, typ, start)
		return
	}
	if number > 0 && r.named+r.counted > 0 || name != "" && r.numbered+r.counted > 0 {
		r.fail(mixedFault)
	}
	if name != "" { // it is looked up, though it fills in nothing
		r.named++
	}
}

// readBoost is boost::format: %1%, %|spec|, and printf's directives.
func readBoost(s string, o Options) Text { return boostDialect.read(s, o) }

var boostDialect = (&dialect{numbering: exclusive, flags: " +-#0'_=hl", star: true, bare: true, anyType: "any",
	sizes:  func(s string) (int, string) { return span(s, 0, "hlL"), "" },
	before: boostBefore, after: boostAfter,
	letters: map[string]string{"": "tTn", "char": "cC", "any": "sS|", "integer": "idouxX", "float": "eEfgG",
		"pointer": "p"}}).prepared()

// boostBefore reads %1% and the bar of %|spec|.
func boostBefore(r *printfReader) (done, ok bool) {
	n := span(r.s, r.at, digits)
	if n > 0 && r.s[r.at] != '0' && at(r.s, r.at+n) == '%' {
		number, _ := strconv.Atoi(r.s[r.at : r.at+n])
		start := r.at - 1
		r.at += n + 1
		r.add("", number, "any", start)
		return true, true
	}
	if at(r.s, r.at) == '|' {
		r.at++
	}
	return false, true
}

func boostAfter(r *printfReader, d *directive) string {
	barred := at(r.s, d.start+1) == '|'
	switch {
	case d.letter == '|' && !barred:
		return "a | ends what none began"
	case d.letter == '|':
		return ""
	case d.letter == 'T':
		if r.at >= len(r.s) {
			return "the character that fills is missing"
		}
		r.at++
	}
	if barred {
		if at(r.s, r.at) != '|' {
			return "it begins with | and does not end with it"
		}
		r.at++
	}
	return ""
}
