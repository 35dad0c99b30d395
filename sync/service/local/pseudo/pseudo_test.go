package pseudo

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPseudo(t *testing.T) {
	for source, want := range map[string]string{
		"Hello {name}":                          "[de Ĥéļļö {name}]",
		"":                                      "",
		" \n":                                   " \n",
		"  Hi \n":                               "  [de Ĥí] \n",
		"%1$s of %d %@ 100%%":                   "[de %1$s öƒ %d %@ 100%%]",
		"<b>Bold</b> &amp; <a href=\"x\">a</a>": "[de <b>Ɓöļđ</b> &amp; <a href=\"x\">á</a>]",
		"${a} {{b}} %{c} %(d)s $t(e.f)":         "[de ${a} {{b}} %{c} %(d)s $t(e.f)]",
		`a\nb`:                                  `[de á\nƀ]`,
		"see https://example.org/a?b=c now":     "[de šéé https://example.org/a?b=c ñöŵ]",
		"{n, plural, =0 {none} one {# file} other {# files}}":                   "{n, plural, =0 {[de ñöñé]} one {[de # ƒíļé]} other {[de # ƒíļéš]}}",
		"You {g, select, male {met him} other {met them}} {when, date, short}.": "[de Ýöü {g, select, male {ɱéţ ĥíɱ} other {ɱéţ ţĥéɱ}} {when, date, short}.]",
		"{n, plural, offset:1 one {a} other {b {x}}}":                           "{n, plural, offset:1 one {[de á]} other {[de ƀ {x}]}}",
		"broken {brace": "[de ƀŕöķéñ {brace]",
		"日本語":           "[de 日本語]",
	} {
		if got := Text(source, "de"); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", source, got, want)
		}
	}
}

// fragments are what texts are put together from: words, and what a program reads in them.
var fragments = []string{"Hello", " ", "world", "%d", "%1$s", "%@", "{name}", "{{name}}", "${x}", "%{y}", "%(z)s",
	"<b>", "</b>", "<br/>", "&lt;", `\n`, "$t(key)",
	"{n, plural, one {# file} other {# files of {who}}}", "{g, select, a {it is} other {they are}}",
	"{d, date, ::yMMMd}",
	"'", "''", "5", ".", "\n", "é", " https://a.b/c ", "@:ref"}

// placeholder is an independent, cruder idea of what a program reads in a text.
var programs = regexp.MustCompile(`%(?:\d+\$)?[@dsf]|\{\{\w+\}\}|\{\w+\}|\$\{\w+\}|%\{\w+\}|%\(\w+\)s|</?\w+/?>|&\w+;|\\n|\$t\(\w+\)|#|\b(?:plural|select|date|one|other|offset)\b|https://\S+?c`)

func TestPseudoLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 8).Draw(t, "text"), "")
		de, fr := Text(source, "de"), Text(source, "pt-BR")
		if de != Text(source, "de") {
			t.Fatal("not the same twice")
		}
		if strings.TrimSpace(source) == "" {
			if de != source {
				t.Fatalf("%q became %q", source, de)
			}
			return
		}
		if de == fr || de == source {
			t.Fatalf("%q: the language does not show in %q", source, de)
		}
		body := func(s string) []string { return programs.FindAllString(s, -1) }
		if !slices.Equal(body(source), body(de)) {
			t.Fatalf("%q became %q: %q, then %q", source, de, body(source), body(de))
		}
		if leading := len(source) - len(strings.TrimLeft(source, " \n")); source[:leading] != de[:leading] {
			t.Fatalf("white space before %q", de)
		}
		// A message of ICU stays one, with the same arguments.
		if a, ok := branching(source); ok && a.To == len(source) {
			b, ok := branching(de)
			if !ok || b.To != len(de) || b.Type != a.Type || len(b.Branches) != len(a.Branches) {
				t.Fatalf("%q became %q", source, de)
			}
		}
	})
}

func FuzzPseudo(f *testing.F) {
	for _, s := range fragments {
		f.Add(s)
	}
	f.Add("{{{{'{'}}")
	f.Add("0,plural,0{}0")
	f.Add(strings.Repeat("{a, plural, other {", 50))
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s, "xx") // of a language with known plural forms a message may get more branches
		if strings.Count(got, "{") != strings.Count(s, "{") || strings.Count(got, "<") != strings.Count(s, "<") ||
			strings.Count(got, "%") != strings.Count(s, "%") {
			t.Fatalf("%q became %q", s, got)
		}
	})
}
