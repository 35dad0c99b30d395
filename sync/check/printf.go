package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/sync/check/text"
)

// class is what kind of argument a conversion takes.
type class uint8

const (
	none     class = iota // %%, Java's %n
	anything              // Java's %s, %b, %h convert every argument to text
	integer
	float
	date
	object
	pointer
)

var className = [...]string{
	anything: "text", integer: "a whole number", float: "a number with decimals", date: "a date", object: "an object",
	pointer: "a C string",
}

// classOf holds, by dialect and letter, the class of a conversion plus one; 0 where there is no such conversion.
var classOf = func() (t [programs.Families][128]class) {
	for d, letters := range [programs.Families]map[class]string{
		programs.Java:  {none: "%n", anything: "sSbBhH", integer: "doxXcC", float: "eEfgGaA", date: "tT"},
		programs.Apple: {none: "%", integer: "dDiuUxXoOcC", float: "fFeEgGaA", object: "@", pointer: "sSp"},
		programs.C:     {none: "%", anything: "s@", integer: "diu", float: "f"},
	} {
		for c, l := range letters {
			for i := range l {
				t[d][l[i]] = c + 1
			}
		}
	}
	return t
}()

// takes reports whether a conversion of class b can have the argument that the source gives to one of class a.
func takes(d programs.Printf, a, b class) bool {
	return a == b || d == programs.C || d == programs.Java && b == anything
}

// conversion is one placeholder of a printf format.
type conversion struct {
	spelled string
	arg     int // counts from 1; 0 for the next one, until conversions has counted
	class   class
	unsure  bool // it may be something else: %d in %description%, %s in %-stop, %'s
}

// conversions reads the placeholders of a text that take an argument. stray is the first per cent sign that begins
// none; empty when there is no such sign. What is unsure is a placeholder where it is spelled like one of the source's;
// in a source, for which that is nil, it takes no place.
func conversions(s string, d programs.Printf, isOne func(conversion) bool) (all []conversion, stray string) {
	next := 1
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '%')
		if i < 0 {
			return all, stray
		}
		at += i
		c, ok := conversionAt(s, at, d)
		if ok && c.unsure && isOne != nil {
			c.unsure, ok = false, isOne(c)
		}
		switch {
		case !ok:
			if stray == "" {
				stray = text.Excerpt(s[at:])
			}
			at++
			continue
		case c.class != none && c.arg == 0 && !c.unsure:
			c.arg = next
			next++
			fallthrough
		case c.class != none:
			all = append(all, c)
		}
		at += len(c.spelled)
	}
}

// beforeLetter is what a conversion has before its size and letter: number, flags, width and precision. A space is a
// flag as well, but "50 % de" is not meant so. An apostrophe is C's, and a ( is left out: "100%(...)".
var beforeLetter = regexp.MustCompile(`^%(?:(0*[1-9]\d*)\$)?([-+#0,']*)(\d*)(\.\d*)?`)

// longestPrefix is how many bytes of it are looked at.
const longestPrefix = 24

// conversionAt reads the placeholder at a per cent sign.
func conversionAt(s string, start int, d programs.Printf) (c conversion, ok bool) {
	if d == programs.Apple && strings.HasPrefix(s[start:], "%arg") { // of Xcode's substitutions
		return conversion{spelled: "%arg", class: integer}, true
	}
	m := beforeLetter.FindStringSubmatch(s[start:min(len(s), start+longestPrefix)])
	rest, flags, width, precision, java := s[start+len(m[0]):], m[2], m[3], m[4], d == programs.Java
	c.arg, _ = strconv.Atoi(m[1])
	if n := text.Macro(rest); n > 0 && !java {
		c.class, c.spelled = integer, m[0]+rest[:n]
		return c, true
	}
	if !java {
		rest = strings.TrimLeft(rest, "hlqLzjt")
	}
	if rest == "" || rest[0] >= 128 || classOf[d][rest[0]] == 0 {
		return c, false
	}
	letter, at := rest[0], len(s)-len(rest)+1
	padded := width == "" && strings.ContainsAny(flags, "-0") // which java.util.Formatter refuses, as a point alone
	if java && (padded || precision == "." || !takesFlags(letter, flags, precision)) {
		return c, false
	}
	c.class = classOf[d][letter] - 1
	if c.class == date {
		if at >= len(s) || !isLetter(s[at]) {
			return c, false
		}
		at++
	}
	c.spelled = s[start:at]
	word := at < len(s) && isLetter(s[at])
	plain := len(c.spelled) == 2
	switch {
	case letter == '%' && !plain,
		len(c.spelled) == 3 && isDigit(c.spelled[1]) && letter >= 'A' && letter <= 'F', // %2F in an address
		plain && word && letter != '%' && start > 0 && isDigit(s[start-1]):             // 50%off
		return c, false
	}
	formatted := strings.ContainsAny(c.spelled, "$.") || c.spelled[1] == '0'
	c.unsure = d == programs.C && c.class != none && (word && !formatted || strings.Contains(c.spelled, "'"))
	return c, true
}

// javaFlags are those that java.util.Formatter takes with a conversion; of others it raises an exception.
var javaFlags = map[byte]string{'d': "-+0,", 'o': "-#0", 'x': "-#0", 'e': "-#+0", 'f': "-#+0,", 'g': "-+0,",
	'a': "-#+0"}

// takesFlags reports whether a conversion of Java takes flags, and a precision.
func takesFlags(letter byte, flags, precision string) bool {
	lower := letter | 0x20
	taken, known := javaFlags[lower]
	if !known {
		taken = "-"
	}
	whole := strings.IndexByte("doxctn%", lower) >= 0
	return strings.Trim(flags, taken) == "" && (precision == "" || !whole)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// isDateFormat reports whether a text is one of strftime, whose letters every language picks for itself. The end of
// %name% begins none.
func isDateFormat(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		if key, size := keyUpTo(s[i+1:], "%", false); len(key) > 2 && isLetter(key[len(key)-1]) {
			i += size
			continue
		}
		c := s[i+1]
		if strings.IndexByte("-^0_", c) >= 0 && i+2 < len(s) {
			c = s[i+2]
		}
		if strings.IndexByte("YymBbHMSAapPIjZzelkh", c) >= 0 && (i+2 >= len(s) || !isLetter(s[i+2]) || !isLetter(c)) {
			return true
		}
	}
	return false
}

// printf compares the arguments that the translation takes with those that the program passes, as far as the source
// tells.
func (p *pair) printf(d programs.Printf) {
	if d == programs.C && (isDateFormat(p.source) || isDateFormat(p.text)) {
		return
	}
	all, sourceStray := conversions(p.source, d, nil)
	if d == programs.Apple && len(all) == 0 && sourceStray != "" {
		return // "% of screen" goes through no printf
	}
	spelled := make(map[string]bool) // and whether it is unsure
	for _, c := range all {
		spelled[c.spelled] = spelled[c.spelled] || c.unsure
	}
	use, stray := conversions(p.text, d, func(c conversion) bool { _, ok := spelled[c.spelled]; return ok })
	have := slices.DeleteFunc(slices.Clone(all), func(c conversion) bool { return c.unsure })
	passed := make(map[int][]conversion) // by place, one of each class
	pass := func(all []conversion) {
		for _, c := range all {
			if !c.unsure && !slices.ContainsFunc(passed[c.arg], func(o conversion) bool { return o.class == c.class }) {
				passed[c.arg] = append(passed[c.arg], c)
			}
		}
	}
	pass(have)
	for _, form := range p.in.Forms {
		of, _ := conversions(form, d, nil)
		pass(of)
	}
	var extra, lacks []conversion
	used, wrong := make(map[int]bool), false
	for _, c := range use {
		of := passed[c.arg]
		if len(of) == 0 && !used[c.arg] && !spelled[c.spelled] {
			extra = append(extra, c)
		} else if len(of) > 0 && !slices.ContainsFunc(of, func(o conversion) bool { return takes(d, o.class, c.class) }) {
			p.found(Printf, "%s takes %s, but the program passes %s there, as the source's %s says",
				c.spelled, Word(className[c.class]), Word(className[of[0].class]), of[0].spelled)
			wrong = true
		}
		used[c.arg] = true
	}
	for _, c := range have {
		if !used[c.arg] {
			lacks = append(lacks, c)
			used[c.arg] = true
		}
	}
	if len(extra) == 0 && p.number.isZero {
		lacks = nil
	}
	number := p.number.form && len(extra) == 0 && len(lacks) == 1 && mayBeCount(lacks[0], have)
	switch {
	case wrong: // what is at the wrong place is lacking at its own
	case len(extra) == 1 && len(lacks) == 0 && p.number.mayAdd, number && p.number.mayDrop:
	case number:
		p.warned(Printf, "it leaves out the number %s, which the source has", spellings(lacks))
	case len(extra) > 0:
		p.passesNothing(Printf, spellings(extra))
	case len(lacks) > 0:
		for _, c := range lacks {
			p.lost = append(p.lost, c.spelled)
		}
		f := say(Printf, "it lacks %s, which the source has", spellings(lacks))
		f.Lacking = spellings(lacks)
		p.add(f)
	case len(have) > 0 && sourceStray == "" && stray != "":
		p.found(Printf, "the %% of %q would be taken for a placeholder; write %%%%", stray)
	}
}

// passesNothing reports placeholders that the source does not have.
func (p *pair) passesNothing(check string, extra List) {
	f := say(check,
		"it has %s, for which the program passes nothing, as the source has no such placeholder", extra)
	f.Unknown = extra
	p.add(f)
}

// positions looks for placeholders without a position where the resource compiler wants one. It looks at texts, and not
// at items of arrays and plurals.
func (p *pair) positions() {
	free := p.in.Form != "" || strings.Contains(p.in.Flags, programs.Unchecked)
	if why := text.Substitutions(p.text); why != "" && !free && len(p.findings) == 0 {
		p.refused(Printf, why)
	}
}

// mayBeCount reports whether a placeholder can be the number of a plural form: a whole number, or one that is not
// beside one.
func mayBeCount(c conversion, have []conversion) bool {
	return c.class == integer || !slices.ContainsFunc(have, func(c conversion) bool { return c.class == integer })
}

func spellings(cs []conversion) (names List) {
	for _, c := range cs {
		names = append(names, c.spelled)
	}
	return names
}
