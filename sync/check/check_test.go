package check

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

const sound = ""

func TestTranslation(t *testing.T) {
	for _, c := range []struct {
		format, key, form   string
		source, translation string
		reason              string
	}{
		// printf in Android
		{"android-xml", "k", "", "%d of %s", "%1$d von %2$s", sound},
		{"android-xml", "k", "", "%1$d of %2$s", "%2$s: %1$d", sound},
		{"android-xml", "k", "", "%1$d of %2$s", "%2$s: %1$s", sound},
		{"android-xml", "k", "", "%1$s, %1$s!", "%1$s!", sound},
		{"android-xml", "k", "", "%1$s!", "%1$s, %1$s!", sound},
		{"android-xml", "k", "", "%.2f km%n", "%.1f км", sound},
		{"android-xml", "k", "", "%1$,d", "%1$d", sound},
		{"android-xml", "k", "", "%1$tY-%1$tm", "%1$tm.%1$tY", sound},
		{"android-xml", "k", "", "Done", "100 % d'accord", sound},
		{"android-xml", "k", "", "50% off", "50 % de moins", sound},
		{"android-xml", "k", "", "50%off", "50 % de moins", sound},
		{"android-xml", "k", "", "See http://x.y/a%2Fb", "Siehe http://x.y/a%2Fb%3Dc", sound},
		{"android-xml", "k", "", "%d%% done", "%d %% fertig", sound},
		{"android-xml", "k", "", "%d%% done", "%d % fertig", `the % of "% fertig" would be taken for a placeholder; write %%`},
		{"android-xml", "k", "", "%d %", "%d % fertig", sound}, // the source does not mind either
		{"android-xml", "k", "", "%s files", "Dateien", "it lacks %s, which the source has"},
		{"android-xml", "k", "", "%1$s in %2$s", "%1$s", "it lacks %2$s, which the source has"},
		{"android-xml", "k", "", "%s", "%1$s %2$s", "it has %2$s, for which the program passes nothing, as the source has no such placeholder"},
		{"android-xml", "k", "", "%s", "%s %s", "it has %s, for which the program passes nothing, as the source has no such placeholder"},
		{"android-xml", "k", "", "Files", "%d Dateien", "it has %d, for which the program passes nothing, as the source has no such placeholder"},
		{"android-xml", "k", "", "%s", "%d", "%d takes a whole number, but the program passes text there, as the source's %s says"},
		{"android-xml", "k", "", "%d of %s", "%s: %d", "%d takes a whole number, but the program passes text there, as the source's %s says"},
		{"android-xml", "k", "", "%1$d", "%1$f", "%1$f takes a number with decimals, but the program passes a whole number there, as the source's %1$d says"},
		// … in plural forms
		{"android-xml", "k", "one", "%d files", "Eine Datei", sound},
		{"android-xml", "k", "one", "One file", "%d файл", sound},
		{"android-xml", "k", "two", "%1$d files in %2$s", "שני קבצים ב-%2$s", sound},
		{"android-xml", "k", "one", "%1$d files in %2$s", "Eine Datei", "it lacks %1$d and %2$s, which the source has"},
		{"android-xml", "k", "one", "%1$d files in %2$s", "%1$d Datei", "it lacks %2$s, which the source has"},
		{"android-xml", "k", "few", "%d files", "pliki", "it lacks %d, which the source has"},
		{"android-xml", "k", "other", "%d files", "Dateien", "it lacks %d, which the source has"},
		// printf in Objective-C
		{"ios-strings", "k", "", "%@ has %lld of %ld", "%2$lld von %3$d für %1$@", sound},
		{"ios-strings", "k", "", "%@ has %d", "%d: %@", "%d takes a whole number, but the program passes an object there, as the source's %@ says"},
		{"ios-strings", "k", "", "%@", "%s", "%s takes a C string, but the program passes an object there, as the source's %@ says"},
		{"ios-strings", "k", "", "%.1f MB", "%@ MB", "%@ takes an object, but the program passes a number with decimals there, as the source's %.1f says"},
		{"ios-strings", "k", "", "%1$@ and %2$@", "%1$@ und % 2 $ @", "it lacks %2$@, which the source has"},
		{"ios-strings", "%d files.one", "", "%d files", "Eine Datei", sound},
		// printf elsewhere: arguments are converted
		{"json", "k", "", "%s of %d", "%2$s von %1$s", sound},
		{"json", "k", "", "%s of %d", "%s", "it lacks %d, which the source has"},
		{"structured-yaml", "date/formats/default", "", "%Y-%m-%d", "%d.%m.%Y", sound},
		{"structured-yaml", "date/formats/short", "", "%b %d", "%-d. %b", sound},
		{"structured-yaml", "number/format", "", "%u%n", "%n %u", sound},

		// names
		{"json", "k", "", "Hello {name}", "{name}, hallo", sound},
		{"json", "k", "", "Hello {name}", "Hallo {Name}", "it has {Name} where the source has {name}"},
		{"json", "k", "", "Hello {name}", "Hallo", "it lacks {name}, which the source has"},
		{"json", "k", "", "Hello {0} and {1}", "Hallo {0} und {0}", "it lacks {1}, which the source has"},
		{"json", "k", "", "{a}{b}{c}{d}{e}{f}{g}{h}", "x", "it lacks {a}, {b}, {c}, {d}, {e} and 3 more, which the source has"},
		{"json", "k", "", "Hello", "Hallo {name}", "it has {name}, which the source does not have"},
		{"json", "k", "", "Note", "{注意}", sound},
		{"json", "k", "", "{ name } {b, number}", "{name} {b}", sound},
		{"json", "k", "", "{{ count }} of {{- total, number }}", "{{total}}/{{count}}", sound},
		{"json", "k", "", "{{count}}", "{count}", "it has {count} where the source has {{count}}"},
		{"json", "k", "", "{{count}} {{name}}", "{{name}", "it has {name} where the source has {{count}} and {{name}}"},
		{"json", "k_one", "", "{{count}} files", "Eine Datei", sound},
		{"json", "k_one", "", "{{name}} in {{dir}}", "{{name}}", "it lacks {{dir}}, which the source has"},
		{"json", "k_other", "", "{{count}} files", "Dateien", "it lacks {{count}}, which the source has"},
		{"json", "k/0", "", "{n} file", "Eine Datei", sound},
		{"json", "k", "", "${user} logged in", "${benutzer} angemeldet", "it has ${benutzer} where the source has ${user}"},
		{"json", "k", "", "{price} left", "noch ${price}", sound},
		{"json", "k", "", "See $t(other.key)", "Siehe $t(other.key)", sound},
		{"json", "k", "", "See $t(other.key)", "Siehe $t(anderer.key)", "it has $t(anderer.key) where the source has $t(other.key)"},
		{"json", "k", "", "Hello %name%", "Hallo %name%", sound},
		{"json", "k", "", "Hello %name%", "Hallo %nombre%", "it has %nombre% where the source has %name%"},
		{"json", "k", "", "5% to 10%", "zwischen 5% und 10%", sound},
		{"structured-yaml", "k", "", "%{count} of %<total>.2f", "%<total>.1f: %{count}", sound},
		{"structured-yaml", "k", "", "%{count} files", "{{count}} Dateien", "it has {{count}} where the source has %{count}"},
		{"structured-yaml", "days/one", "", "%{count} days", "ein Tag", sound},
		{"structured-yaml", "errors/messages/blank", "", "can't be blank", "%{attribute} darf nicht leer sein", sound},
		{"structured-yaml", "greeting", "", "hello", "hallo %{model}", "it has %{model}, which the source does not have"},
		{"structured-yaml", "k", "", "%(count)d of %(total)s", "%(total)s: %(count)d", sound},
		{"structured-yaml", "k", "", "%(total)s", "%(total)", "it has %(total) where the source has %(total)s"},
		{"structured-yaml", "days/one", "", "%{count} days", "%{count ein Tag", "it lacks %{count}, which the source has"},
		{"ios-strings", "k", "", "{name} is here", "{nom} est ici", "it has {nom} where the source has {name}"},

		// ICU
		{"json", "k", "", "{n, plural, one {# file} other {# files}}", "{n, plural, one {# Datei} few {#} other {# Dateien}}", sound},
		{"json", "k", "", "{n, plural, =0 {none} other {{n} in {dir}}}", "{n, plural, offset:1 other {{dir}: {n, number}}}", sound},
		{"json", "k", "", "{n, plural, one {it''s} other {'{x}'}}", "{n, plural, one {l'une} other {les '{x}'}}", sound},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{n, plural, one {a} other {b}", "it is not a sound ICU message: a { is not closed"},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{n, plural, one {a} sonstige {b}}", `it is not a sound ICU message: "sonstige" is no plural category; those are zero, one, two, few, many, other and =1`},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{n, plural, one {a}}", `it is not a sound ICU message: {n} has no branch "other"`},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{n, Plural, one {a} other {b}}", "it is not a sound ICU message: {n has no type that can have branches"},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{anzahl, plural, one {a} other {b}}", "it has {anzahl} where the source has {n}"},
		{"json", "k", "", "{n, plural, one {a} other {b {x}}}", "b", "it lacks {n} and {x}, which the source has"},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{n, select, one {a} other {b}}", "{n} is a plural in the source and a select here"},
		{"json", "k", "", "{g, select, male {he} other {they}}", "{g, select, male {er} other {sie}}", sound},
		{"json", "k", "", "{g, select, male {he} other {they}}", "{g, select, männlich {er} other {sie}}", `the branch "männlich" of {g} can never be chosen: the source has male and other`},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{n, plural, one {a} other {b}}}", "it is not a sound ICU message: a } has no {"},

		// markup
		{"android-xml", "k", "", "a <b>bold</b> word", "ein <b>fettes</b> Wort", sound},
		{"android-xml", "k", "", "a <b>bold</b> word", "ein fettes Wort", sound},
		{"android-xml", "k", "", "a word", "ein <i>Wort</i>", sound},
		{"android-xml", "k", "", "a <b>bold</b> word", "ein <b>fettes Wort", "the tag <b> is not closed"},
		{"android-xml", "k", "", "a <b>bold</b> word", "ein <b>fettes<b> Wort", "the tag <b> is not closed"},
		{"android-xml", "k", "", "a <b>bold</b> word", "ein fettes</b> Wort", "the tag </b> closes nothing"},
		{"android-xml", "k", "", "<b><i>x</i></b>", "<b><i>x</b></i>", "the tag <i> is not closed where </b> stands"},
		{"android-xml", "k", "", "a<br>b<BR/>c", "a<br/>b", sound},
		{"android-xml", "k", "", "<a href=\"x\">here</a>", "<a href='y'>hier</a>", sound},
		{"android-xml", "k", "", "<a href=\"x\">here</a>", "hier", `it lacks <a href="x">, which the source has`},
		{"android-xml", "k", "", "here", "<a href=\"x\">hier</a>", `it has <a href="x">, which the source does not have`},
		{"json", "k", "", "here", "<script>x</script>", "it has <script>, which the source does not have"},
		{"json", "k", "", "<0>here</0>", "hier", "it lacks <0>, which the source has"},
		{"json", "k", "", "<link>here</link>", "<Link>hier</Link>", "it has <Link> where the source has <link>"},
		{"json", "k", "", "usage: <file> [-v]", "Aufruf: <Datei> [-v]", sound},
		{"json", "k", "", "a < b and c > d", "a < b und c > d", sound},
		{"json", "k", "", "I <3 you", "<3", sound},
		{"android-xml", "k", "", "<xliff:g id=\"a\">%s</xliff:g> x", "x %s", sound},
		{"android-xml", "k", "", "<xliff:g id=\"a\">%s</xliff:g> x", "x <xliff:g id=\"A_0\">%s</xliff:g>", sound},
		{"android-xml", "k", "", "<xliff:g id=\"a\">%s</xliff:g> x", "<xliff:g id=\"a\">y</xliff:g>", "it lacks %s, which the source has"},

		// characters
		{"json", "k", "", "text", "Te\ufffdt", "it has the character U+FFFD, which stands for something that was lost on the way"},
		{"json", "k", "", "text", "Te\x08t", "it has the control character U+0008, which the source does not have"},
		{"json", "k", "", "te\x1bt", "Te\x1bt", sound},
		{"json", "k", "", "text", "Text\r\n\t\u200f\u00a0", sound},
		{"json", "k", "", "text", "Te\xfft", "it is not valid UTF-8"},
		{"json", "k", "", "", "\x00", "it has the control character U+0000, which the source does not have"},
		{"json", "k", "", "", "{name} %s <a>", sound},
		{"json", "k", "", "{name} %s", "", sound},
	} {
		got := Translation(Input{Format: c.format, Key: c.key, Form: c.form, Source: c.source, Translation: c.translation, Language: "xx"})
		switch {
		case c.reason == sound && len(got) > 0:
			t.Errorf("%s %s: %q to %q: alarm %v, want none", c.format, c.key, c.source, c.translation, got)
		case c.reason != sound && (len(got) == 0 || got[0].Reason != c.reason):
			t.Errorf("%s %s: %q to %q: %v, want %q", c.format, c.key, c.source, c.translation, got, c.reason)
		}
	}
}

// A text that was only made longer, in words of whatever language, is sound in every format, however odd the text.
func FuzzTranslation(f *testing.F) {
	for _, s := range []string{"%s", "100%", "{n, plural, one {a} other {b}}", "<b>x</b> <a", "{{", "%1$", "$t(", "%(a", "'{", "{a,select,", "\xff", "<a b='"} {
		f.Add(s, "%d {x} </b>", "one")
	}
	f.Fuzz(func(t *testing.T, source, text, form string) {
		for _, format := range []string{"android-xml", "ios-strings", "structured-json", "yaml"} {
			in := Input{Format: format, Key: "k", Form: form, Source: source, Translation: text}
			for _, found := range Translation(in) {
				if found.Check == "" || found.Reason == "" {
					t.Fatalf("an empty finding on %+v", in)
				}
			}
			if in.Translation = "слова " + source + " слова"; source == "" || !utf8.ValidString(source) {
				continue
			}
			if found := Translation(in); len(found) > 0 {
				t.Fatalf("%s: %q to %q: %v", format, in.Source, in.Translation, found)
			}
		}
	})
}

func TestNoQuadraticTime(t *testing.T) {
	const n = 1 << 15
	for _, s := range []string{"{", "{a", "{a}", "%", "%1", "%{", "<", "<a ", "<a b='", "<b>", "'", "{a,plural,other{", "{{a}}", "%s", "$t("} {
		source := strings.Repeat(s, n)
		start := time.Now()
		for _, format := range []string{"android-xml", "json"} {
			Translation(Input{Format: format, Source: source, Translation: source + " x"})
			Translation(Input{Format: format, Source: "{n, plural, other {x}} <b>%s</b>", Translation: source})
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%q thirty thousand times: %v", s, d)
		}
	}
}

func BenchmarkTranslation(b *testing.B) {
	in := Input{Format: "android-xml", Key: "k", Source: "<b>%1$s</b> was moved to %2$s", Translation: "<b>%1$s</b> wurde nach %2$s verschoben"}
	b.ReportAllocs()
	for b.Loop() {
		Translation(in)
	}
}
