package po

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/text/plural"
)

// slots say what the msgstr of a plural are for, by index.
type slots struct {
	count int              // by the header
	forms [mostForms]uint8 // the index of its category in plural.Order plus one, 0 for none
	same  [mostForms]int   // the index of the msgstr whose text it has, too; itself where it has a category
}

// slotsOf finds the category of each msgstr. A category is at the index that the formula has for a number of it. header
// is Plural-Forms, and language Language.
//
// "other" is at the index of most numbers that are in no other category; all others of those have its text, too, since
// a program shows an empty one as it is. A category of millions alone is at their index where no smaller number is.
// Other categories that gettext has no forms for, as for fractions, get an index that is left over: files of some
// services have one.
func slotsOf(header, language string) slots {
	count, choose, err := parsed(header)
	if err != nil {
		count, choose, _ = parsed("nplurals=2; plural=(n != 1);") // what gettext does without one
	}
	s := slots{count: count}
	language = strings.ReplaceAll(language, "_", "-")
	known := plural.Categories(language)
	small := make([]int, mostForms+1) // how many numbers are at each index
	for n := range 1000 {
		small[choose(n)]++
	}
	if len(known) == 0 {
		s.forms = unknown(count, choose)
	} else {
		s.put(known, language, choose, small)
	}
	s.share(small)
	return s
}

// put gives the categories of a language their indices.
func (s *slots) put(known []plural.Category, language string, choose func(int) int, small []int) {
	var rare, lost []plural.Category
	put := func(c plural.Category, at int) bool {
		free := at < s.count && s.forms[at] == 0
		if free {
			s.forms[at] = placeOf(c.Name)
		}
		return free
	}
	for _, c := range slices.Backward(known) { // "other" first: it is what several numbers may have in common
		switch {
		case c.Rare:
			rare = append(rare, c)
		case !put(c, choose(sample(c, known, language))) && len(c.Numbers) == 0:
			lost = append(lost, c)
		}
	}
	rare = slices.DeleteFunc(rare, func(c plural.Category) bool {
		at := choose(1_000_000)
		return c.Name != plural.Other && small[at] == 0 && put(c, at)
	})
	for at := range s.count {
		if s.forms[at] == 0 && small[at] > 0 && len(lost) > 0 {
			put(lost[0], at)
			lost = lost[1:]
		}
		if s.forms[at] == 0 && small[at] == 0 && len(rare) > 0 {
			put(rare[0], at)
			rare = rare[1:]
		}
	}
}

// share finds what has the text of "other", too.
func (s *slots) share(small []int) {
	other, most := -1, -1
	for at := range s.count {
		if s.forms[at] == placeOf(plural.Other) {
			other = at
		}
		if s.forms[at] == 0 && (most < 0 || small[at] > small[most]) {
			most = at
		}
	}
	if other >= 0 && most >= 0 && small[other] > 0 && small[most] > small[other] {
		s.forms[most], s.forms[other], other = s.forms[other], 0, most
	}
	if other < 0 {
		for at, form := range s.forms {
			if form > 0 && (other < 0 || small[at] > small[other]) {
				other = at
			}
		}
	}
	for at := range s.same {
		s.same[at] = at
		if s.forms[at] == 0 && at < s.count && other >= 0 {
			s.same[at] = other
		}
	}
}

// unknown are the forms for a language that is not known: the usual numbers of each category.
func unknown(count int, choose func(int) int) (forms [mostForms]uint8) {
	for _, x := range []struct {
		name   string
		number int
	}{{plural.Other, 100}, {plural.One, 1}, {plural.Two, 2}, {plural.Few, 3}, {plural.Many, 11}, {plural.Zero, 0}} {
		if x.name == plural.Two && choose(2) == choose(3) {
			continue // 2 is one of the few
		}
		if at := choose(x.number); at < count && forms[at] == 0 {
			forms[at] = placeOf(x.name)
		}
	}
	return forms
}

func placeOf(category string) uint8 {
	for i, name := range plural.Order {
		if name == category {
			return uint8(i + 1)
		}
	}
	return 0
}

// samples are numbers of categories for which those of other languages are none.
var samples = map[string]map[string]int{
	"ceb": {plural.Other: 4}, "fil": {plural.Other: 4}, "tl": {plural.Other: 4},
	"gv": {plural.Few: 20, plural.Other: 3},
	"kw": {plural.Many: 21},
}

// sample is a number of a category of a language.
func sample(c plural.Category, categories []plural.Category, language string) int {
	base, _, _ := strings.Cut(language, "-")
	if n, has := samples[base][c.Name]; has {
		return n
	}
	if c.Name == plural.One && slices.Contains(c.Numbers, 1) { // where it has 0, too, formulas differ about that
		return 1
	}
	if len(c.Numbers) > 0 {
		return c.Numbers[0]
	}
	switch c.Name {
	case plural.Zero:
		return 0
	case plural.One:
		return 1
	case plural.Two:
		return 2
	case plural.Few:
		return 3
	case plural.Many:
		return 11
	}
	for _, l := range categories {
		if l.Name == plural.Zero && len(l.Numbers) == 0 { // Latvian: 10, 20, 100 are in "zero"
			return 2
		}
	}
	return 100
}

// parsed reads Plural-Forms.
func parsed(header string) (count int, choose func(int) int, err error) {
	var formula string
	for part := range strings.SplitSeq(header, ";") {
		name, value, _ := strings.Cut(part, "=")
		switch strings.TrimSpace(name) {
		case "nplurals":
			count, err = strconv.Atoi(strings.TrimSpace(value))
		case "plural":
			formula = value
		}
	}
	if err != nil || count < 1 || count > mostForms || len(formula) > 1000 {
		return 0, nil, errors.New("nplurals is not a number that can be")
	}
	f := formulaReader{rest: formula}
	e := f.choice(0)
	if f.blank(); f.bad || f.rest != "" {
		return 0, nil, errors.New("the formula cannot be read")
	}
	return count, func(n int) int {
		if at := e(n); at >= 0 && at < count {
			return at
		}
		return count
	}, nil
}

// unusable is why programs cannot choose a form by a header's Plural-Forms; "" where they can, or there are none.
func unusable(header string) string {
	if header == "" {
		return ""
	}
	count, choose, err := parsed(header)
	if err != nil {
		return "cannot be read, and gettext refuses the file; correct them: " + err.Error()
	}
	for n := range 1000 {
		if choose(n) == count {
			return fmt.Sprintf("give the number %d a form behind the last of %d, and msgfmt -c refuses the file; correct "+
				"nplurals or plural", n, count)
		}
	}
	return ""
}

// formulaReader reads an expression in C, of one variable n.
type formulaReader struct {
	rest string
	bad  bool
}

type expression func(n int) int

func (f *formulaReader) blank() { f.rest = strings.TrimLeft(f.rest, " \t\\\n") }

func (f *formulaReader) takes(sign string) bool {
	f.blank()
	rest, is := strings.CutPrefix(f.rest, sign)
	if is {
		f.rest = rest
	}
	return is
}

// deepest is how many parentheses and choices may be inside one another.
const deepest = 50

// choice reads a ? b : c.
func (f *formulaReader) choice(depth int) expression {
	if depth > deepest {
		f.bad = true
		return func(int) int { return 0 }
	}
	is := f.operation(0, depth)
	if !f.takes("?") {
		return is
	}
	a := f.choice(depth + 1)
	f.bad = f.bad || !f.takes(":")
	b := f.choice(depth + 1)
	return func(n int) int {
		if is(n) != 0 {
			return a(n)
		}
		return b(n)
	}
}

// levels are the operators by how little they bind.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}

func (f *formulaReader) operation(level, depth int) expression {
	if level == len(levels) {
		return f.value(depth)
	}
	left := f.operation(level+1, depth)
	for {
		sign := ""
		for _, s := range levels[level] {
			if f.takes(s) {
				sign = s
				break
			}
		}
		if sign == "" {
			return left
		}
		a, b := left, f.operation(level+1, depth)
		left = func(n int) int { return operate(sign, a(n), b(n)) }
	}
}

func operate(sign string, a, b int) int {
	truth := false
	switch sign {
	case "||":
		truth = a != 0 || b != 0
	case "&&":
		truth = a != 0 && b != 0
	case "==":
		truth = a == b
	case "!=":
		truth = a != b
	case "<=":
		truth = a <= b
	case ">=":
		truth = a >= b
	case "<":
		truth = a < b
	case ">":
		truth = a > b
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/", "%":
		switch {
		case b == 0:
			return 0
		case sign == "/":
			return a / b
		}
		return a % b
	}
	if truth {
		return 1
	}
	return 0
}

func (f *formulaReader) value(depth int) expression {
	switch {
	case f.takes("!"):
		if depth > deepest {
			f.bad = true
			return func(int) int { return 0 }
		}
		of := f.value(depth + 1)
		return func(n int) int { return operate("==", of(n), 0) }
	case f.takes("("):
		of := f.choice(depth + 1)
		f.bad = f.bad || !f.takes(")")
		return of
	case f.takes("n"):
		return func(n int) int { return n }
	}
	digits := len(f.rest) - len(strings.TrimLeft(f.rest, "0123456789"))
	number, err := strconv.Atoi(f.rest[:digits])
	f.bad = f.bad || err != nil
	f.rest = f.rest[digits:]
	return func(int) int { return number }
}

const slavic = "n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ?"

// formulas are of languages whose formula does not follow from their categories, as gettext's tools write them.
var formulas = map[string]string{
	"ru be uk sr hr bs": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : " + slavic + " 1 : 2);",
	"cs sk":             "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;",
	"pl":                "nplurals=3; plural=(n==1 ? 0 : " + slavic + " 1 : 2);",
	"lt":                "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);",
	"lv":                "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);",
	"ro":                "nplurals=3; plural=n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2;",
	"sl":                "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);",
	"ga":                "nplurals=5; plural=n==1 ? 0 : n==2 ? 1 : n>2 && n<7 ? 2 : n>6 && n<11 ? 3 : 4;",
	"cy":                "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n==3 ? 3 : n==6 ? 4 : 5);",
	"ar": "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : " +
		"n%100>=11 ? 4 : 5);",
	"mt": "nplurals=5; plural=(n==1 ? 0 : n==2 ? 1 : n==0 || n%100>2 && n%100<11 ? 2 : " +
		"n%100>10 && n%100<20 ? 3 : 4);",
	"he": "nplurals=3; plural=(n==1 ? 0 : n==2 ? 1 : 2);",
	"gd": "nplurals=4; plural=(n==1 || n==11) ? 0 : (n==2 || n==12) ? 1 : (n>2 && n<20) ? 2 : 3;",
	"mk": "nplurals=2; plural=(n%10==1 && n%100!=11 ? 0 : 1);",
	"is": "nplurals=2; plural=(n%10!=1 || n%100==11);",
}

// formulaOf is Plural-Forms for a language: from its table, or by its categories. Empty where nothing is known.
func formulaOf(language string) string {
	language = strings.ReplaceAll(language, "_", "-")
	base, _, _ := strings.Cut(language, "-")
	for names, formula := range formulas {
		for name := range strings.FieldsSeq(names) {
			if name == base {
				return formula
			}
		}
	}
	var whole []plural.Category
	for _, c := range plural.Categories(language) {
		if !c.Rare {
			whole = append(whole, c)
		}
	}
	switch {
	case len(whole) == 1:
		return "nplurals=1; plural=0;"
	case len(whole) == 2 && whole[0].Name == plural.One && len(whole[0].Numbers) == 1:
		return "nplurals=2; plural=(n != 1);"
	case len(whole) == 2 && whole[0].Name == plural.One && len(whole[0].Numbers) == 2:
		return "nplurals=2; plural=(n > 1);"
	}
	return ""
}
