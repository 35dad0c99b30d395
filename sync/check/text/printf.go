package text

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numbering is how the arguments of a printf are counted.
type numbering uint8

const (
	inOrder   numbering = iota // one after the other; there are no numbers
	exclusive                  // %1$s, in a text where all have numbers
	mixed                      // %1$s beside %s, which count by themselves
	setting                    // %1$s, from where %s counts on
)

// dialect is how one printf spells what it fills in, in order: number or name, flags, width, precision, size, letter.
type dialect struct {
	numbering
	flags    string
	star     bool              // width and precision may be arguments
	letters  map[string]string // by type, the letters; of "" those that take no argument
	sizes    func(s string) (length int, size string)
	sized    string // types whose size counts
	anyType  string // goes with all types
	gapless  bool   // what has a number has all numbers below
	bare     bool   // %% is that alone, without flags
	decimals bool   // digits follow a precision's dot
	leading  bool   // a number may begin with 0, which is then refused
	colon    bool   // %0:s, in place of %1$s
	before   func(r *printfReader) (done, ok bool)
	after    func(r *printfReader, d *directive) string
	python   bool // %(name)s
	padding  bool // an apostrophe and any character are a flag
	vectors  bool // %vd: the numbers of a version, with an argument between them for %*vd

	types [128]string // of letters, by type
	known [128]bool
}

// directive is one of a text, while it is read.
type directive struct {
	start            int
	number           int
	name             string
	hasName          bool
	flags            string
	width, precision bool
	zeroPrecision    bool
	vector           bool
	letter           byte
	typ              string
}

func (d *dialect) prepared() *dialect {
	for typ, letters := range d.letters {
		for i := range len(letters) {
			d.types[letters[i]], d.known[letters[i]] = typ, true
		}
	}
	return d
}

// printfReader reads one text.
type printfReader struct {
	*dialect
	s        string
	at       int
	args     []Argument
	numbered int // how many arguments have a number
	counted  int // how many have none
	named    int
	last     int // number of the argument before
	fault    string
}

const mixedFault = "it has placeholders with a number and without one, which its program does not take together"

func (d *dialect) read(s string, _ Options) Text {
	return d.readEach(s, (*printfReader).directive)
}

// readEach reads a text, each directive by a function.
func (d *dialect) readEach(s string, directive func(*printfReader)) Text {
	r := printfReader{dialect: d, s: s}
	for r.fault == "" {
		i := strings.IndexByte(s[r.at:], '%')
		if i < 0 {
			break
		}
		r.at += i
		directive(&r)
	}
	return r.finish()
}

func (r *printfReader) fail(format string, args ...any) {
	if r.fault == "" {
		r.fault = fmt.Sprintf(format, args...)
	}
}

// add enters an argument. number 0: the next one.
func (r *printfReader) add(name string, number int, typ string, start int) {
	spelled := r.s[start:min(r.at, len(r.s))]
	switch {
	case name != "":
		if r.numbered+r.counted > 0 {
			r.fail("it fills in by name and in order, which its program does not take together")
		}
		r.named++
		r.args = append(r.args, Argument{name, typ, spelled})
		return
	case r.named > 0:
		r.fail("it fills in by name and in order, which its program does not take together")
	case number == 0 && r.numbering == setting:
		r.last++
		number = r.last
	case number == 0:
		if r.numbering == exclusive && r.numbered > 0 {
			r.fail(mixedFault)
		}
		r.counted++
		number = r.counted
	default:
		if r.numbering == exclusive && r.counted > 0 {
			r.fail(mixedFault)
		}
		r.numbered++
	}
	r.last = number
	r.args = append(r.args, Argument{strconv.Itoa(number), typ, spelled})
}

// dollar reads the number of an argument, %1$; 0 where there is none.
func (r *printfReader) dollar() int {
	n := span(r.s, r.at, digits)
	if r.colon && at(r.s, r.at+n) == ':' {
		number, _ := strconv.Atoi("0" + r.s[r.at:r.at+n])
		r.at += n + 1
		return number + 1
	}
	if n == 0 || at(r.s, r.at+n) != '$' || r.numbering == inOrder || r.colon || r.s[r.at] == '0' && !r.leading {
		return 0
	}
	number, err := strconv.Atoi(r.s[r.at : r.at+n])
	if err != nil || number == 0 {
		r.fail("%s has no argument: numbers begin at 1", r.s[r.at-1:r.at+n+1])
	}
	r.at += n + 1
	return number
}

// amount reads a width or a precision: digits, or an argument.
func (r *printfReader) amount(start int) (is bool) {
	if at(r.s, r.at) == '*' && r.star {
		r.at++
		number := 0
		if r.numbering != setting && !r.colon { // there a width is the next argument
			number = r.dollar()
		}
		r.add("", number, "integer", start)
		return true
	}
	n := span(r.s, r.at, digits)
	r.at += n
	return n > 0
}

func (r *printfReader) directive() {
	d := directive{start: r.at}
	r.at++
	if r.before != nil {
		done, ok := r.before(r)
		if done || !ok {
			return
		}
	}
	if r.bare && r.at == d.start+1 && at(r.s, r.at) == '%' {
		r.at++
		return
	}
	if r.python && at(r.s, r.at) == '(' && !r.parenthesis(&d) {
		return
	}
	d.number = r.dollar()
	if r.numbering == setting && d.number > 0 {
		r.last, d.number = d.number-1, 0
	}
	from := r.at
	for {
		r.at += span(r.s, r.at, r.flags)
		if !r.padding || at(r.s, r.at) != '\'' {
			break
		}
		r.at = min(r.at+2, len(r.s))
	}
	d.flags = r.s[from:r.at]
	if r.vectors && r.vector() {
		d.vector = true
		r.add("", d.number, "vector", d.start)
	}
	d.width = !(d.vector && at(r.s, r.at) == '0') && r.amount(d.start)
	if at(r.s, r.at) == '.' {
		r.at++
		from = r.at
		d.precision = true
		if !r.amount(d.start) && r.decimals {
			r.fail("%q cannot be a placeholder: a number is missing behind its dot", Excerpt(r.s[d.start:]))
			return
		}
		d.zeroPrecision = r.at > from && strings.Trim(r.s[from:r.at], "0") == ""
	}
	size := ""
	if r.sizes != nil {
		n := 0
		n, size = r.sizes(r.s[r.at:])
		r.at += n
	}
	d.letter = at(r.s, r.at)
	if d.letter >= 128 || d.letter == 0 || !r.known[d.letter] {
		if typ, n := r.macro(); n > 0 {
			r.at += n
			r.add("", d.number, typ, d.start)
			return
		}
		r.fail(noSign, Excerpt(r.s[d.start:]))
		return
	}
	r.at++
	d.typ = r.types[d.letter]
	if size != "" && slices.Contains(strings.Fields(r.sized), d.typ) {
		d.typ += " " + size
	}
	if r.after != nil {
		if wrong := r.after(r, &d); wrong != "" {
			r.fail("%q: %s", Excerpt(r.s[d.start:]), wrong)
			return
		}
	}
	if (d.typ != "" || d.hasName) && !d.vector {
		r.add(d.name, d.number, d.typ, d.start)
	}
}

// vector reads Perl's v, or *v, behind the flags.
func (r *printfReader) vector() bool {
	if at(r.s, r.at) == 'v' {
		r.at++
		return true
	}
	before := *r
	if at(r.s, r.at) != '*' {
		return false
	}
	start := r.at
	r.at++
	number := r.dollar()
	if at(r.s, r.at) != 'v' {
		*r = before
		return false
	}
	r.at++
	r.add("", number, "vector", start)
	return true
}

// parenthesis reads Python's (name), with parentheses inside that pair.
func (r *printfReader) parenthesis(d *directive) bool {
	depth := 0
	for i := r.at; i < len(r.s); i++ {
		switch r.s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				d.name, d.hasName = r.s[r.at:i+1], true
				r.at = i + 1
				return true
			}
		}
	}
	r.fail("the name that begins at %q does not end", Excerpt(r.s[d.start:]))
	return false
}

// inttypes are the macros of inttypes.h as gettext has them between per cent sign and argument: %<PRIu64>.
var inttypes = regexp.MustCompile(`^<PRI([diouxX])((?:LEAST|FAST)?(?:8|16|32|64)|MAX|PTR)>`)

// Macro is the length of such a macro at the start of a text; 0 where there is none.
func Macro(s string) int {
	if at(s, 0) != '<' {
		return 0
	}
	return len(inttypes.FindString(s))
}

// macro reads one.
func (r *printfReader) macro() (typ string, length int) {
	rest := r.s[min(r.at, len(r.s)):]
	if r.sizes == nil || r.sized == "" || Macro(rest) == 0 {
		return "", 0
	}
	m := inttypes.FindStringSubmatch(rest)
	kind, size := "unsigned", m[2]
	if m[1] == "d" || m[1] == "i" {
		kind = "integer"
	}
	if size == "MAX" {
		size = "j"
	}
	return kind + " " + size, len(m[0])
}

// finish sees to what only the whole text shows: two types for one argument, and gaps between numbers.
func (r *printfReader) finish() Text {
	for i, a := range r.args {
		if r.named > 0 && a.Type == "" {
			continue
		}
		for _, o := range r.args[:i] {
			if o.Name == a.Name && o.Type != a.Type && (r.anyType == "" || o.Type != r.anyType && a.Type != r.anyType) {
				r.fail("%s and %s take one argument for two types", o.Spelled, a.Spelled)
			}
		}
	}
	if r.gapless && r.fault == "" {
		r.fault = gapIn(r.args)
	}
	if r.fault != "" {
		return Text{Faults: []string{r.fault}}
	}
	if r.anyType != "" {
		r.args = narrowed(r.args, r.anyType)
	}
	return Text{Arguments: r.args}
}

// narrowed gives every argument the one type that is not any.
func narrowed(args []Argument, anyType string) []Argument {
	for i, a := range args {
		for _, o := range args {
			if o.Name == a.Name && a.Type == anyType && o.Type != anyType {
				args[i].Type = o.Type
			}
		}
	}
	return args
}

func gapIn(args []Argument) string {
	have := make(map[int]bool, len(args))
	for _, a := range args {
		if n, err := strconv.Atoi(a.Name); err == nil {
			have[n] = true
		}
	}
	for _, a := range args {
		if n, err := strconv.Atoi(a.Name); err == nil && n > len(have) {
			return fmt.Sprintf("it has %s, and does not have all arguments below that, which its program needs", a.Spelled)
		}
	}
	return ""
}

// typeName is a type in words.
func typeName(typ string) string {
	kind, size, _ := strings.Cut(typ, " ")
	word, is := map[string]string{
		"integer": "a whole number", "unsigned": "a whole number without sign", "float": "a number with decimals",
		"char": "a character", "string": "text", "object": "an object", "date": "a date", "any": "anything",
		"pointer": "a pointer", "count": "a pointer to a count", "escaped": "text that it quotes",
		"": "nothing", "vector": "a vector", "choice": "a number", "number": "a number",
	}[kind]
	if !is {
		word = kind
	}
	if size != "" {
		word += " of size " + size
	}
	return word
}

// cSize reads the sizes of C: h, hh, l, ll, L, q, j, z, Z, t, in whatever order.
func cSize(s string) (length int, size string) {
	for length < len(s) {
		switch s[length] {
		case 'h':
			if size == "h" || size == "hh" {
				size = "hh"
			} else {
				size = "h"
			}
		case 'l':
			if size == "l" || size == "ll" {
				size = "ll"
			} else {
				size = "l"
			}
		case 'L', 'q':
			size = "ll"
		case 'j':
			size = "j"
		case 'z', 'Z':
			size = "z"
		case 't':
			size = "t"
		default:
			return length, size
		}
		length++
	}
	return length, size
}

// cTypes mends what sizes mean to letters of C: text and characters are wide or not, and numbers with decimals long or
// not.
func cTypes(_ *printfReader, d *directive) string {
	kind, size, _ := strings.Cut(d.typ, " ")
	wide := size == "l" || size == "ll"
	switch {
	case d.letter == 'C', d.letter == 'c' && wide:
		d.typ = "char wide"
	case d.letter == 'S', d.letter == 's' && wide:
		d.typ = "string wide"
	case kind == "char" || kind == "string" || kind == "float" && size != "ll":
		d.typ = kind
	}
	return ""
}

// tclSize reads the sizes of Tcl, of which l says nothing.
func tclSize(s string) (int, string) {
	n := min(1, span(s, 0, "hl"))
	return n, strings.TrimPrefix(s[:n], "l")
}

func oneOf(letters string) func(s string) (int, string) {
	return func(s string) (int, string) { return min(1, span(s, 0, letters)), "" }
}

// perlSize reads the sizes of Perl.
func perlSize(s string) (int, string) {
	for _, size := range []string{"h=h", "ll=ll", "l=l", "L=ll", "q=ll", "V=V", "I64=ll", "I32=", "I=P"} {
		spelled, means, _ := strings.Cut(size, "=")
		if strings.HasPrefix(s, spelled) {
			return len(spelled), means
		}
	}
	return 0, ""
}

func perlTypes(_ *printfReader, d *directive) string {
	kind, size, _ := strings.Cut(d.typ, " ")
	switch {
	case strings.IndexByte("DUO", d.letter) >= 0:
		d.typ = kind + " V"
	case kind == "float" && (size == "h" || size == "l"):
		return "its size does not go with its letter"
	}
	return ""
}

// javaRule is what the letters of java.util.Formatter do not take.
func javaRule(r *printfReader, d *directive) string {
	refused := map[string]string{"": "#0 +,(.", "string": "0 +,(", "char": "#0 +,(.", "date": "#0 +,(."}
	bad, is := refused[d.typ]
	switch {
	case d.letter == 'n':
		bad = "#0- +,(.w"
	case d.letter == 'd':
		bad = "#."
	case d.typ == "integer":
		bad = ",."
	case d.letter|0x20 == 'a':
		bad = ",("
	case !is:
		bad = ""
	}
	has := d.flags
	if d.precision {
		has += "."
	}
	if d.width {
		has += "w"
	}
	if i := strings.IndexAny(has, bad); i >= 0 && bad != "" {
		return "its letter does not go with what is before it"
	}
	if d.typ == "date" {
		if strings.IndexByte("HIklMSLNpzZsQBbhAaCYyjmdeRTrDFc", at(r.s, r.at)) < 0 || r.at >= len(r.s) {
			return "its program knows no such date"
		}
		r.at++
	}
	return ""
}

// javaLast reads %<s, which is the argument before once more.
func javaLast(r *printfReader) (done, ok bool) {
	if at(r.s, r.at) != '<' {
		return false, true
	}
	if r.last == 0 {
		r.fail("%q: there is no argument before it", Excerpt(r.s[r.at-1:]))
		return false, false
	}
	start, last := r.at-1, r.last
	r.at++
	inner := *r.dialect
	inner.before, inner.numbering = nil, inOrder
	one := printfReader{dialect: &inner, s: r.s, at: r.at - 1, last: r.last}
	one.directive()
	if one.fault != "" {
		r.fault = one.fault
		return false, false
	}
	r.at = one.at
	if len(one.args) > 0 {
		r.add("", last, one.args[0].Type, start)
	}
	return true, true
}

// gccRule is what the letters of GCC, and of its Fortran, take before them. %m and %C fill in something of their own.
func gccRule(r *printfReader, d *directive) string {
	long, wide := strings.Count(d.flags, "l"), strings.Count(d.flags, "w")
	number := d.typ == "integer" || d.typ == "unsigned"
	fortran := !r.star
	switch {
	case d.width, d.precision && (d.letter != 's' || fortran), fortran && (long > 1 || long > 0 && !number),
		!fortran && d.typ == "" && r.at > d.start+2, long > 2, wide > 1, long > 0 && wide > 0,
		slices.ContainsFunc([]string{"q", "+", "#"}, func(flag string) bool { return strings.Count(d.flags, flag) > 1 }):
		return "its letter does not go with what is before it"
	case d.letter == 'm' || d.letter == 'C' && fortran:
		r.args = append(r.args, Argument{Name: own + string(d.letter), Spelled: r.s[d.start:r.at]})
	case number && d.flags != "":
		d.typ = strings.TrimSpace(d.typ + " " + strings.Repeat("l", long) + strings.Repeat("w", wide))
	}
	return ""
}

// own begins the names of what no program passes.
const own = "%"

// pascalRule knows that there is one flag, and that it is there once.
func pascalRule(_ *printfReader, d *directive) string {
	if len(d.flags) > 1 {
		return "its letter does not go with what is before it"
	}
	return ""
}

// pythonTypes knows that a precision of 0 shows nothing of a text.
func pythonTypes(r *printfReader, d *directive) string {
	if d.typ == "string" && d.zeroPrecision {
		d.typ = "any"
	}
	if d.letter == '%' && !d.hasName {
		d.typ = ""
	}
	return ""
}
