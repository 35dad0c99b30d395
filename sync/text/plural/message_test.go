package plural

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// outline spells what was read of a message: name:type(selector ...), with # behind the selector of a branch that has
// one.
func outline(m Message) string {
	var parts []string
	for _, a := range m.Arguments {
		s := a.Name
		if a.Type != "" {
			s += ":" + a.Type
		}
		if a.Offset != "" {
			s += "+" + a.Offset
		}
		var branches []string
		for _, b := range a.Branches {
			w := b.Selector
			if b.Number {
				w += "#"
			}
			if in := outline(b.Message); in != "" {
				w += "[" + in + "]"
			}
			branches = append(branches, w)
		}
		if branches != nil {
			s += "(" + strings.Join(branches, " ") + ")"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

func TestParse(t *testing.T) {
	for message, want := range map[string]string{
		"":                          "",
		"Hello":                     "",
		"{name} and { 0 }":          "name 0",
		"{n, number, ::currency/A}": "n:number",
		"{n,plural,other{}}":        "n:plural(other)",
		"{n, plural, =0 {none} one {# file} other {# files of {who}}}":            "n:plural(=0 one# other#[who])",
		"{n, plural, offset:1 one {a} other {b}}":                                 "n:plural+1(one other)",
		"{n, plural, offset: 2 one {a} other {b}}":                                "n:plural+2(one other)",
		"{g, select, male {he has {n, plural, one {#} other {#}}} other {'{x}'}}": "g:select(male[n:plural(one# other#)] other)",
		"{n, selectordinal, one {#st} other {#th}} {g, select, other {#}}":        "n:selectordinal(one# other#) g:select(other)",
		"it's {n}, isn''t it? '{no}' '#' 'a":                                      "n",
		"{n, plural, other {'#' it''s '{#}'}}":                                    "n:plural(other)",
		"{n, plural, other {'|#}}":                                                "n:plural(other#)", // | is no sign in a plural
		"{n, plural, other {{g, select, other {#}} x}}":                           "n:plural(other[g:select(other)])",
		"'{":     "",
		"'{''}'": "",
	} {
		m, err := Parse(message)
		if got := outline(m); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", message, got, err, want)
		}
	}
	for message, want := range map[string]string{
		"{":                                    "a { has no name or is not closed",
		"{}":                                   "a { has no name or is not closed",
		"a } b":                                "a } has no {",
		"{n":                                   "a { has no name or is not closed",
		"{n, number":                           "a { is not closed",
		"{two words}":                          "a comma or } is missing behind {two",
		"{n, plural}":                          "{n, plural} has no branches",
		"{n, plural, other}":                   "a branch of {n} has no name or no text",
		"{n, plural, {x}}":                     "a branch of {n} has no name or no text",
		"{n, plural, one {a}}":                 `{n} has no branch "other"`,
		"{n, plural, one {a} other {b}":        "a { is not closed",
		"{n, plural, one {a} other {b":         "a { is not closed",
		"{n, plural, one {a} sonstige {b}}":    `"sonstige" is not a plural category; those are zero, one, two, few, many, other and =1`,
		"{n, plural, =x {a} other {b}}":        `"=x" is not a plural category; those are zero, one, two, few, many, other and =1`,
		"{n, Plural, one {a} other {b}}":       "{n has no type that can have branches",
		"{n, plural, other {it is '{}}":        "a { is not closed",
		strings.Repeat("{a,select,other{", 30): "its branches are nested too deeply",
	} {
		if _, err := Parse(message); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %q", message, err, want)
		}
	}
}

func TestBraces(t *testing.T) {
	for s, want := range map[string]int{"{": 0, "": 0, "x{}": 0, "{}": 2, "{{a}} b}": 5, "{a '}' b} c": 9,
		"{a's} b": 5, "{{": 0, "{'{'}{": 5} {
		if got, ok := Braces(s); got != want || ok != (want > 0) {
			t.Errorf("%q: %d, %v, want %d", s, got, ok, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct{ message, number, want string }{
		{"{n, plural, one {1 file} other {many files}}", "", "n one=1 file other=many files"},
		{" {n,plural, other{b} one{a}}\n", "", "n one=a other=b"},
		{"{n, plural, offset:0 other {b}}", "", "n other=b"},
		{"{n, plural, one {l'une} other {it''s '{x}' '#'}}", "", "n one=l'une other=it's {x} #"},
		{"{n, plural, one {# file} other {# files, '#'}}", "%d", "n one=%d file other=%d files, #"},
		{"{n, plural, one {# file} other {# files}}", "", ""}, // nothing stands for the number
		{"Hello", "", ""},
		{"{n, plural, other {a}} and", "", ""},
		{"and {n, plural, other {a}}", "", ""},
		{"{n, plural, one {a}}", "", ""},
		{"{n, plural, =1 {a} other {b}}", "", ""},
		{"{n, plural, one {a} one {b} other {}}", "", ""},
		{"{n, plural, offset:1 one {a} other {b}}", "", ""},
		{"{n, plural, other {a {name}}}", "", ""},
		{"{n, selectordinal, one {a} other {b}}", "", ""},
		{"{n, select, other {a plural}}", "", ""},
		{"{plural}", "", ""},
		{"{n, plural, other {a '{b}}", "", ""},
	} {
		argument, forms, ok := Split(c.message, Cardinal, c.number)
		got := argument
		for _, f := range forms {
			got += " " + f.Category + "=" + f.Text
		}
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q: %q, %v, want %q", c.message, got, ok, c.want)
		}
	}
}

// Braces that are in no quotation are text where the source has them, whether or not ICU would take them.
func TestSplitText(t *testing.T) {
	const source = "%{count} files\n{{count}} of {{max, number}} {name}"
	for _, c := range []struct{ message, number, want string }{
		{"{n, plural, one {{{max, number}}} other {a {name}s}}", "", "one={{max, number}} other=a {name}s"},
		{"{n, plural, other {a {nam}}}", "", ""},
		{"{count, plural, one {# file} other {%{count} files}}", "%{count}", "one=%{count} file other=%{count} files"},
		{"{count, plural, many {{{count}} c} other {'{{'count'}}' d}}", "", "many={{count}} c other={{count}} d"},
		{" {n,plural, other{a {name}}one{it''s '#'}}\n", "", "one=it's # other=a {name}"},
		{"{n, plural, other {{{count}} #}}", "", ""},
		{"{n, plural, other {{m, number} x}}", "", ""},
		{"{n, plural, other {{g, select, a {x} other {y}}}}", "", ""},
		{"{n, plural, one {{{count}}}}", "", ""},
		{"{n, plural, =1 {{{count}}} other {b}}", "", ""},
		{"{n, plural, one {a} one {{{b}}} other {}}", "", ""},
		{"{n, plural, offset:1 one {{{a}}} other {b}}", "", ""},
		{"{n, plural, other {{a}}} and {m, plural, other {b}}", "", ""},
		{"{n, plural, other {{{a}}", "", ""},
		{"{n, plural, other {{{a}} '{}}", "", ""},
		{"{n, selectordinal, other {{{a}}}}", "", ""},
		{"{n, plural}", "", ""},
		{"{n}", "", ""},
	} {
		forms, ok := SplitText(c.message, Cardinal, c.number, source)
		var got []string
		for _, f := range forms {
			got = append(got, f.Category+"="+f.Text)
		}
		if ok != (c.want != "") || ok && strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, %v, want %q", c.message, got, ok, c.want)
		}
	}
}

// drawForms draws a plural with texts full of ICU's signs.
func drawForms(t *rapid.T) []Form {
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab {}#|<'\"\\%é\n")))
	var forms []Form
	for _, category := range Order {
		if category == Other || rapid.Bool().Draw(t, category) {
			forms = append(forms, Form{category, text.Draw(t, "text")})
		}
	}
	return forms
}

// Split(Join(forms)) is forms, whatever the texts and whatever represents the number.
func TestJoinedFormsSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		forms := drawForms(t)
		message := Join("count", Cardinal, forms)
		argument, got, ok := Split(message, Cardinal, rapid.SampledFrom([]string{"", "%d", "#"}).Draw(t, "number"))
		if !ok || argument != "count" || !slices.Equal(got, forms) {
			t.Fatalf("%q\ngot  %q, %v\nwant %q", message, got, ok, forms)
		}
	})
}

// piece is a spelling of ICU's in a plural's branch and what it means.
var pieces = []struct{ spelled, means string }{
	{"word", "word"}, {" ", " "}, {"''", "'"}, {"l'une", "l'une"}, {"'{'", "{"}, {"'}{'", "}{"}, {"'#'",
		"#"}, {"'{it''s}'", "{it's}"}, {"|", "|"}, {"#", "%d"},
	{"é", "é"}, {"<b>", "<b>"}, {"\n", "\n"}, {`"`, `"`},
}

// Split says what a message means, and Join(Split(m)) means the same.
func TestSplitMessagesMeanTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		message, blank := "{n , plural ,", rapid.SampledFrom([]string{"", " ", "\n  "})
		var want []Form
		for _, category := range rapid.Permutation(Order).Draw(t, "order") {
			if category != Other && rapid.Bool().Draw(t, "leave out") {
				continue
			}
			f := Form{Category: category}
			branch := ""
			for range rapid.IntRange(0, 5).Draw(t, "pieces") {
				p := rapid.SampledFrom(pieces).Draw(t, "piece")
				if strings.HasSuffix(branch, "'") && strings.HasPrefix(p.spelled, "'") {
					continue // apostrophes that meet mean something else
				}
				branch, f.Text = branch+p.spelled, f.Text+p.means
			}
			message += blank.Draw(t, "blank") + " " + category + blank.Draw(t, "blank") + "{" + branch + "}"
			want = append(want, f)
		}
		message += blank.Draw(t, "blank") + "}"
		Sort(want)
		argument, got, ok := Split(message, Cardinal, "%d")
		if !ok || argument != "n" || !slices.Equal(got, want) {
			t.Fatalf("%q\ngot  %q, %v\nwant %q", message, got, ok, want)
		}
		if _, again, _ := Split(Join(argument, Cardinal, got), Cardinal, "%d"); !slices.Equal(again, want) {
			t.Fatalf("%q, joined %q: %q", message, Join(argument, Cardinal, got), again)
		}
	})
}

// sane checks that spans lie inside one another, in order.
func sane(t *testing.T, s string, m Message, from, to int) {
	t.Helper()
	for _, a := range m.Arguments {
		if a.From < from || a.To > to || a.From >= a.To || s[a.From] != '{' || s[a.To-1] != '}' {
			t.Fatalf("%q: %+v is not inside %d to %d", s, a, from, to)
		}
		if size, ok := Braces(s[a.From:]); ok && size > a.To-a.From && !strings.Contains(s, "'") {
			t.Fatalf("%q: %+v ends before its braces do", s, a)
		}
		at := a.From
		for _, b := range a.Branches {
			if b.From <= at || b.To < b.From || s[b.From-1] != '{' || s[b.To] != '}' {
				t.Fatalf("%q: %+v", s, b)
			}
			sane(t, s, b.Message, b.From, b.To)
			at = b.To
		}
		from = a.To
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"{n, plural, one {# '{' file} other {# files of {who}}}",
		"{g, select, a {it''s} other {'}'}} {d, date}", "{{{{'{'}}", "'{", "{a,plural,offset:1 other{{b}}}",
		"{n,plural,other{''''}}"} {
		f.Add(s, "%d")
	}
	f.Fuzz(func(t *testing.T, s, number string) {
		if m, err := Parse(s); err == nil {
			sane(t, s, m, 0, len(s))
		} else if err.Error() == "" {
			t.Fatal("an error without words")
		}
		argument, forms, ok := Split(s, Cardinal, number)
		if !ok {
			return
		}
		joined := Join(argument, Cardinal, forms)
		if name, again, ok := Split(joined, Cardinal, number); !ok || name != argument || !slices.Equal(again, forms) {
			t.Fatalf("%q split into %q, joined to %q, split into %q, %v", s, forms, joined, again, ok)
		}
	})
}

func TestNoQuadraticTime(t *testing.T) {
	for _, s := range []string{"{", "{a", "{a}", "'", "'{", "''", "{a,plural,other{", "{a,plural,other{#}}", "{a, x",
		"#", "}"} {
		input := func(n int) []byte { return bytes.Repeat([]byte(s), n) }
		resourcetest.Linear(t, s, input, func(src []byte) {
			long := string(src)
			_, _ = Parse(long)
			_, _, _ = Split(long, Cardinal, "")
			_, _ = Braces(long)
			_, _, _ = Split(Join("n", Cardinal, []Form{{Other, long}}), Cardinal, "")
		})
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Parse("{n, plural, =0 {no files} one {# file in {dir}} other {# files in {dir}}}")
	}
}
