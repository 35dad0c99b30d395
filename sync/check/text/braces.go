package text

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readComposite is .NET's String.Format: {0}, {1,-5:N2}, {{ and }}.
func readComposite(s string, _ Options) Text { return composite(s, " ", "{") }

// readCSharp is the same as msgfmt judges it: without blanks, and with braces in formats.
func readCSharp(s string, _ Options) Text { return composite(s, "", "") }

// composite reads a format, with what may be around the parts of an item, and what a format cannot have.
func composite(s, blank, not string) (t Text) {
	for i := 0; i < len(s); {
		switch {
		case s[i] != '{' && s[i] != '}':
			i++
		case at(s, i+1) == s[i]:
			i += 2
		case s[i] == '}':
			return Text{Faults: []string{"a } has no {; write }} for a brace"}}
		default:
			n := compositeItem(s[i:], blank, not)
			if n == 0 {
				return Text{Faults: []string{fmt.Sprintf("%q cannot be a placeholder: a { is followed by a number; write {{ for "+
					"a brace", excerpt(s[i:]))}}
			}
			number := s[i+1 : i+1+span(s, i+1, digits)]
			t.Arguments = append(t.Arguments, Argument{Name: plainNumber(number), Spelled: s[i : i+n]})
			i += n
		}
	}
	return t
}

// compositeItem is the length of an item; 0 where s begins with none.
func compositeItem(s, blank, not string) int {
	i := 1 + span(s, 1, digits)
	if i == 1 {
		return 0
	}
	i += span(s, i, blank)
	if at(s, i) == ',' {
		i++
		i += span(s, i, blank)
		if at(s, i) == '-' {
			i++
		}
		n := span(s, i, digits)
		if n == 0 {
			return 0
		}
		i += n
		i += span(s, i, blank)
	}
	if at(s, i) == ':' {
		for i < len(s) && s[i] != '}' && strings.IndexByte(not, s[i]) < 0 {
			i++
		}
	}
	if at(s, i) != '}' {
		return 0
	}
	return i + 1
}

// plainNumber is a number without zeros in front.
func plainNumber(s string) string {
	if short := strings.TrimLeft(s, "0"); short != "" {
		return short
	}
	return "0"
}

// readPythonBrace is Python's str.format, as msgfmt judges it: braces that only close are text.
func readPythonBrace(s string, _ Options) (t Text) {
	for i := 0; i < len(s); {
		if s[i] != '{' {
			i++
			continue
		}
		if at(s, i+1) == '{' {
			i += 2
			continue
		}
		n := pythonField(s[i:], true)
		if n == 0 {
			return Text{Faults: []string{fmt.Sprintf("%q cannot be a placeholder; write {{ for a brace", excerpt(s[i:]))}}
		}
		spelled := s[i : i+n]
		t.Arguments = append(t.Arguments, Argument{Name: spelled[1 : n-1], Spelled: spelled})
		i += n
	}
	return t
}

// pythonField is the length of a field of str.format, {name.part[0]:>10}; 0 where s begins with none.
func pythonField(s string, outer bool) int {
	i := 1
	n := words(s, i) + 0
	if n == 0 {
		n = span(s, i, digits)
	}
	if n == 0 {
		return 0
	}
	for i += n; ; {
		switch at(s, i) {
		case '.':
			n = words(s, i+1)
			if n == 0 {
				return 0
			}
			i += 1 + n
			continue
		case '[':
			n = max(words(s, i+1), span(s, i+1, digits))
			if n == 0 || at(s, i+1+n) != ']' {
				return 0
			}
			i += 2 + n
			continue
		case ':':
			n = pythonSpec(s[i+1:])
			if !outer || n < 0 {
				return 0
			}
			i += 1 + n
		}
		if at(s, i) != '}' {
			return 0
		}
		return i + 1
	}
}

// pythonSpec is the length of a format specification; -1 for none that can be read.
func pythonSpec(s string) int {
	if strings.HasPrefix(s, "{{") {
		return 2
	}
	if at(s, 0) == '{' {
		if n := pythonField(s, false); n > 0 {
			return n
		}
		return -1
	}
	i := 0
	if strings.IndexByte("<>=^", at(s, 1)) >= 0 && len(s) > 1 {
		i = 2
	} else if strings.IndexByte("<>=^", at(s, 0)) >= 0 && s != "" {
		i = 1
	}
	for _, optional := range []string{"+- ", "#", "0"} {
		i += min(1, span(s, i, optional))
	}
	i += span(s, i, digits)
	if at(s, i) == '.' {
		i++
		i += span(s, i, digits)
	}
	return i + min(1, span(s, i, "bcdoxXneEfFgG%"))
}

// readPerlBrace is Locale::TextDomain's {name}. What is spelled otherwise is text.
func readPerlBrace(s string, _ Options) (t Text) {
	for i := strings.IndexByte(s, '{'); i >= 0 && i < len(s); {
		if n := words(s, i+1); n > 0 && at(s, i+1+n) == '}' {
			t.Arguments = append(t.Arguments, Argument{Name: s[i+1 : i+1+n], Spelled: s[i : i+2+n]})
			i += n
		}
		next := strings.IndexByte(s[i+1:], '{')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return t
}

// readQt is QString::arg: %1, %L12.
func readQt(s string, _ Options) (t Text) {
	simple := true
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		from := i + 1
		if s[from] == 'L' {
			from++
		}
		n := min(2, span(s, from, digits))
		if n == 0 {
			continue
		}
		simple = simple && from == i+1 && n == 1
		t.Arguments = append(t.Arguments, Argument{Name: plainNumber(s[from : from+n]), Spelled: s[i : from+n]})
		i = from + n - 1
	}
	for i := range t.Arguments {
		t.Arguments[i].Type = map[bool]string{true: "single digit", false: "wide"}[simple]
	}
	return t
}

// readDigits is that of Smalltalk and YCP: %1 to %9, and %% for a sign.
func readDigits(s string, _ Options) (t Text) {
	for i := strings.IndexByte(s, '%'); i >= 0 && i < len(s); i++ {
		switch c := at(s, i+1); {
		case s[i] != '%':
			continue
		case c >= '1' && c <= '9':
			t.Arguments = append(t.Arguments, Argument{Name: s[i+1 : i+2], Spelled: s[i : i+2]})
		case c != '%':
			return Text{Faults: []string{fmt.Sprintf("the %% of %q would be taken for a placeholder; write %%%%",
				excerpt(s[i:]))}}
		}
		i++
	}
	return t
}

// readQtPlural is %n.
func readQtPlural(s string, _ Options) (t Text) {
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		from := i + 1
		if at(s, from) == 'L' {
			from++
		}
		if at(s, from) == 'n' {
			t.Arguments = append(t.Arguments, Argument{Name: "n", Spelled: s[i : from+1]})
			i = from
		}
	}
	return t
}

// readKDE is ki18n's %1: the numbers of a text are 1 to n, but for one.
func readKDE(s string, _ Options) (t Text) {
	numbers := make(map[int]bool)
	for i := 0; i+1 < len(s); i++ {
		n := span(s, i+1, digits)
		if s[i] != '%' || n == 0 || s[i+1] == '0' {
			continue
		}
		number, _ := strconv.Atoi(s[i+1 : i+1+n])
		numbers[number] = true
		t.Arguments = append(t.Arguments, Argument{Name: strconv.Itoa(number), Spelled: s[i : i+1+n]})
		i += n
	}
	for number := range numbers {
		if number > len(numbers)+1 {
			return Text{Faults: []string{fmt.Sprintf("it has %%%d, and leaves out more than one of the arguments below",
				number)}}
		}
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

// readShell is envsubst: $NAME and ${NAME}.
func readShell(s string, _ Options) (t Text) {
	for i := 0; i < len(s); i++ {
		if s[i] != '$' {
			continue
		}
		from, braced := i+1, at(s, i+1) == '{'
		if braced {
			from++
		}
		n := words(s, from)
		end := from + n
		if n == 0 || braced && at(s, end) != '}' {
			return Text{Faults: []string{fmt.Sprintf("the $ of %q begins no $NAME or ${NAME}", excerpt(s[i:]))}}
		}
		if braced {
			end++
		}
		t.Arguments = append(t.Arguments, Argument{Name: s[from : from+n], Spelled: s[i:end]})
		i = end - 1
	}
	return t
}

// readTilde is the plain directives of Scheme and Lisp: ~a, ~d. A text with others is not judged.
func readTilde(s string, _ Options) (t Text) {
	for i := 0; i < len(s); i++ {
		if s[i] != '~' {
			continue
		}
		i++
		typ, is := map[byte]string{'a': "any", 's': "any", 'd': "integer", 'b': "integer", 'o': "integer",
			'x': "integer", 'c': "char", '%': "", '~': "", '&': "", '\n': ""}[at(strings.ToLower(s), i)]
		if !is {
			return Text{Faults: []string{fmt.Sprintf("%q is an unknown directive", excerpt(s[i-1:]))}}
		}
		if typ != "" {
			number := strconv.Itoa(len(t.Arguments) + 1)
			t.Arguments = append(t.Arguments, Argument{Name: number, Type: typ, Spelled: s[i-1 : i+1]})
		}
	}
	return t
}

// readRuby is Ruby's format: flags, number, name, width and precision in almost any order.
func readRuby(s string, _ Options) Text {
	r := printfReader{dialect: rubyDialect, s: s}
	for r.fault == "" {
		i := strings.IndexByte(s[r.at:], '%')
		if i < 0 {
			break
		}
		r.at += i
		r.rubyDirective()
	}
	return r.finish()
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
				r.fail("%q: a flag is behind the width", excerpt(r.s[start:]))
			}
			r.at++
		case c == '<':
			end := strings.IndexByte(r.s[r.at:], '>')
			if end < 0 || name != "" || number > 0 || len(amounts) > 0 {
				r.fail("%q: its name does not end, or is not its only argument", excerpt(r.s[start:]))
				return
			}
			name = cmp.Or(r.s[r.at+1:r.at+end], emptyName)
			r.at += end + 1
		case isDigit(c):
			n := span(r.s, r.at, digits)
			if at(r.s, r.at+n) == '$' {
				if number > 0 || name != "" {
					r.fail("%q has two arguments", excerpt(r.s[start:]))
				}
				number, _ = strconv.Atoi(r.s[r.at : r.at+n])
				r.at++
			} else {
				if width || precision {
					r.fail("%q has two widths", excerpt(r.s[start:]))
				}
				width = true
			}
			r.at += n
		case c == '*', c == '.' && at(r.s, r.at+1) == '*':
			if c == '.' {
				r.at++
				precision = true
			} else if width || precision {
				r.fail("%q has two widths", excerpt(r.s[start:]))
			}
			width = width || c == '*'
			r.at++
			amounts = append(amounts, r.dollar())
			if name != "" {
				r.fail("%q fills in by name and in order", excerpt(r.s[start:]))
			}
		case c == '.':
			if precision {
				r.fail("%q has two precisions", excerpt(r.s[start:]))
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
		r.fail("the %% of %q would be taken for a placeholder; write %%%%", excerpt(r.s[start:]))
		return
	}
	typ := r.types[c]
	r.at++
	if c == '{' {
		end := strings.IndexByte(r.s[r.at:], '}')
		if end < 0 || name != "" || number > 0 || len(amounts) > 0 {
			r.fail("%q: its name does not end, or is not its only argument", excerpt(r.s[start:]))
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
