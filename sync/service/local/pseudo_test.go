package local

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
		if got := pseudo(source, "de"); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", source, got, want)
		}
	}
}

// fragments are what texts are put together from: words, and what a program reads in them.
var fragments = []string{"Hello", " ", "world", "%d", "%1$s", "%@", "{name}", "{{name}}", "${x}", "%{y}", "%(z)s", "<b>", "</b>", "<br/>", "&lt;", `\n`, "$t(key)",
	"{n, plural, one {# file} other {# files of {who}}}", "{g, select, a {it is} other {they are}}", "{d, date, ::yMMMd}", "'", "''", "5", ".", "\n", "é", " https://a.b/c ", "@:ref"}

// placeholder is an independent, cruder idea of what a program reads in a text.
var programs = regexp.MustCompile(`%(?:\d+\$)?[@dsf]|\{\{\w+\}\}|\{\w+\}|\$\{\w+\}|%\{\w+\}|%\(\w+\)s|</?\w+/?>|&\w+;|\\n|\$t\(\w+\)|#|\b(?:plural|select|date|one|other|offset)\b|https://\S+?c`)

func TestPseudoLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 8).Draw(t, "text"), "")
		de, fr := pseudo(source, "de"), pseudo(source, "pt-BR")
		if de != pseudo(source, "de") {
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
		got := pseudo(s, "xx") // of a language with known plural forms a message may get more branches
		if strings.Count(got, "{") != strings.Count(s, "{") || strings.Count(got, "<") != strings.Count(s, "<") || strings.Count(got, "%") != strings.Count(s, "%") {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

// Plural forms are those of the language, in both spellings.
func TestPseudoPlurals(t *testing.T) {
	files := []text{{"one", "a file"}, {"other", "%d files"}}
	for language, want := range map[string]string{
		"de": "one=[de á ƒíļé] other=[de %d ƒíļéš]",
		"ja": "other=[ja %d ƒíļéš]",
		"es": "one=[es á ƒíļé] other=[es %d ƒíļéš]",
		"pl": "one=[pl á ƒíļé] few=[pl %d ƒíļéš] many=[pl %d ƒíļéš] other=[pl %d ƒíļéš]",
		"xx": "one=[xx á ƒíļé] other=[xx %d ƒíļéš]",
	} {
		var got []string
		for _, f := range pseudoTexts(files, language) {
			got = append(got, f.form+"="+f.value)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", language, got, want)
		}
	}
	if got := pseudoTexts([]text{{"one", "a"}}, "ja"); len(got) != 1 {
		t.Errorf("a plural without other: %q", got)
	}
	for source, want := range map[string]string{
		"{n, plural, one {a} other {b}}":                    "{n, plural, one {[ru á]} few {[ru ƀ]} many {[ru ƀ]} other {[ru ƀ]}}",
		"{n, plural, one {a} other{other}}":                 "{n, plural, one {[ru á]} few {[ru öţĥéŕ]} many {[ru öţĥéŕ]} other{[ru öţĥéŕ]}}",
		"{n, plural, other {b}}":                            "{n, plural, other {[ru ƀ]}}",
		"{n, selectordinal, one {a} other {b}}":             "{n, selectordinal, one {[ru á]} other {[ru ƀ]}}",
		"{g, select, x {a} other {b}}":                      "{g, select, x {[ru á]} other {[ru ƀ]}}",
		"{g, select, other {{n, plural, =0 {} other {#}}}}": "{g, select, other {[ru {n, plural, =0 {} one {#} few {#} many {#} other {#}}]}}",
	} {
		if got := pseudo(source, "ru"); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", source, got, want)
		}
	}
}

// What is no plural argument and nothing else becomes the form "other" as it is.
func TestFormsOfMessages(t *testing.T) {
	for message, want := range map[string][]text{
		"Hello":                         {{"other", "Hello"}},
		"{n, plural, other {# x}}":      {{"other", "# x"}},
		" {n,plural, other{b} one{a}} ": {{"one", "a"}, {"other", "b"}},
		"{n, plural, =1 {a} other {b}}": {{"other", "{n, plural, =1 {a} other {b}}"}},
		"{n, plural, other {a {name}}}": {{"other", "{n, plural, other {a {name}}}"}},
	} {
		if got := inForms(message); !slices.Equal(got, want) {
			t.Errorf("%q: %q", message, got)
		}
	}
}

func TestRowsAreStoredWhole(t *testing.T) {
	texts := rapid.SliceOf(rapid.Custom(func(t *rapid.T) text { return text{rapid.String().Draw(t, "form"), rapid.String().Draw(t, "value")} }))
	rapid.Check(t, func(t *rapid.T) {
		r := &row{
			key: rapid.String().Draw(t, "key"), plural: rapid.Bool().Draw(t, "plural"), pseudo: rapid.Bool().Draw(t, "pseudo"),
			changed: rapid.Int64Min(0).Draw(t, "changed"), texts: texts.Draw(t, "texts"), labels: rapid.SliceOf(rapid.String()).Draw(t, "labels"),
			note: rapid.String().Draw(t, "note"), lists: rapid.SliceOf(rapid.IntRange(0, 1<<20)).Draw(t, "lists"),
		}
		b := r.encode()
		got, err := decodeRow(b)
		if err != nil || got.key != r.key || got.plural != r.plural || got.pseudo != r.pseudo || got.changed != r.changed || !slices.Equal(got.texts, r.texts) ||
			!slices.Equal(got.labels, r.labels) || got.note != r.note || !slices.Equal(got.lists, r.lists) {
			t.Fatalf("%+v became %+v, %v", r, got, err)
		}
		if cut := rapid.IntRange(0, len(b)-1).Draw(t, "cut"); cut < len(b) {
			decodeRow(b[:cut]) // must not panic
		}
		tr := &translation{state(rapid.IntRange(0, 2).Draw(t, "state")), r.changed, r.texts}
		back, err := decodeTranslation(tr.encode())
		if err != nil || back.state != tr.state || back.changed != tr.changed || !slices.Equal(back.texts, tr.texts) {
			t.Fatalf("%+v became %+v, %v", tr, back, err)
		}
	})
}

// New keys have pseudo-translations, in every language, also one that joins later; an imported translation stands before them, and a new source
// text changes them.
func TestPseudoTranslations(t *testing.T) {
	dir := t.TempDir()
	plain, err := Open(dir, Options{AccountID: testAccount})
	if err != nil {
		t.Fatal(err)
	}
	const p = "0a0a0a0a-0000-4000-8000-00000000000a"
	if err := plain.EnsureProject(p, "app", "en", []string{"de"}); err != nil {
		t.Fatal(err)
	}
	in := server{t: t, s: plain}
	in.direct(p, "?language=en", file{"a.json", `{"early":"Early"}`})
	if err := plain.Close(); err != nil {
		t.Fatal(err)
	}

	s := serveIn(t, dir, Options{Pseudo: true})
	s.completed(p, "?language=en", file{"a.json", `{"hi":"Hi {name}","mine":"Mine","early":"Early"}`})
	s.completed(p, "?language=de", file{"a.json", `{"mine":"Meins"}`})
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys"), `{"hi":"[de Ĥí {name}]"}`)
	sameJSON(t, s.one(p, "?languages=de&completion-state=draft"), `{"hi":"[de Ĥí {name}]","mine":"Meins","early":"Early"}`)
	if err := s.s.EnsureProject(p, "renamed", "EN", []string{"de", "fr"}); err != nil {
		t.Fatal(err)
	}
	sameJSON(t, s.one(p, "?languages=fr&skip-incomplete-keys"), `{"hi":"[fr Ĥí {name}]","mine":"[fr Ṁíñé]"}`)
	if got := s.many(p, ""); len(got) != 2 {
		t.Errorf("the collection did not get the language: %v", got)
	}
	s.completed(p, "?language=en&overwrite-conflicting-values", file{"a.json", `{"hi":"Hello","mine":"Mine 2"}`})
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys&completion-state=draft"), `{"hi":"[de Ĥéļļö]","mine":"Meins"}`)
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys"), `{"hi":"[de Ĥéļļö]"}`)
	r := s.completed(p, "?language=de&completion-state=final", file{"a.json", `{"hi":"Hallo"}`})
	if r.KeysUpdated != 1 || len(r.ConflictingKeyValues) != 0 {
		t.Errorf("an import is no conflict with a pseudo-translation: %+v", r)
	}
	sameJSON(t, s.one(p, "?languages=de&skip-incomplete-keys"), `{"hi":"Hallo"}`)
	if err := s.s.EnsureProject(p, "app", "de", []string{"fr"}); err == nil {
		t.Error("EnsureProject took another source language")
	}
	if err := s.s.EnsureProject("x", "app", "de", []string{"fr"}); err == nil {
		t.Error("EnsureProject took a malformed identifier")
	}
	if err := s.s.EnsureProject("0a0a0a0a-0000-4000-8000-00000000000b", "app", "de", []string{"zh_CN"}); err == nil || !strings.Contains(err.Error(), "zh-Hans-CN") {
		t.Errorf("EnsureProject: %v", err)
	}
}
