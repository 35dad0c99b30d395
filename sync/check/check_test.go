package check

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/check/text"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/kinds"
	"github.com/locsync/locsync/sync/text/plural"
)

const sound = ""

const unplaced = "it has several placeholders of which one has no position, which the resource compiler refuses; " +
	"write %1$s, and %% for a sign"

// said is a finding in words: "warning: " before one that holds nothing back.
func said(f Finding) string {
	if f.Warning {
		return "warning: " + f.Reason
	}
	return f.Reason
}

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
		{"android-xml", "k", "", "%d%% done", "%d % fertig",
			`the % of "% fertig" would be taken for a placeholder; write %%`},
		{"android-xml", "k", "", "%d %", "%d % fertig", unplaced}, // "% f" counts
		{"android-xml", "k", "", "%1$s of %2$s", "%s von %2$s", unplaced},
		{"android-xml", "k", "", "%1$s of %2$s", "%s von %s", unplaced},
		{"android-xml", "k", "", "10% of 20%", "10 % von 20 % der Fälle", unplaced},
		{"android-xml", "k", "other", "%1$s of %2$s", "%s von %s", sound},
		{"android-xml", "k", "", "%d MB", "%.2d MB", "it lacks %d, which the source has"},
		{"android-xml", "k", "", "%d MB", "%,s MB", "it lacks %d, which the source has"},
		{"android-xml", "k", "", "%d MB", "%,d MB", sound},
		{"android-xml", "k", "", "%s MB", "%-5.2s MB", sound},
		{"android-xml", "k", "", "%,.2f MB", "%+,.1f MB", sound},
		{"android-xml", "k", "", "%1$.2f MB", "%1$.f MB", "it lacks %1$.2f, which the source has"},
		{"android-xml", "k", "", "%s files", "Dateien", "it lacks %s, which the source has"},
		{"android-xml", "k", "", "%1$s in %2$s", "%1$s", "it lacks %2$s, which the source has"},
		{"android-xml", "k", "", "%s", "%1$s %2$s",
			"it has %2$s, for which the program passes nothing, as the source has no such placeholder"},
		{"android-xml", "k", "", "%s", "%s %s",
			"it has %s, for which the program passes nothing, as the source has no such placeholder"},
		{"android-xml", "k", "", "Files", "%d Dateien",
			"it has %d, for which the program passes nothing, as the source has no such placeholder"},
		{"android-xml", "k", "", "%s", "%d",
			"%d takes a whole number, but the program passes text there, as the source's %s says"},
		{"android-xml", "k", "", "%d of %s", "%s: %d",
			"%d takes a whole number, but the program passes text there, as the source's %s says"},
		{"android-xml", "k", "", "%1$d", "%1$f",
			"%1$f takes a number with decimals, but the program passes a whole number there, as the source's %1$d says"},
		// … in plural forms
		{"android-xml", "k", "one", "%d files", "Eine Datei", sound},
		{"android-xml", "k", "one", "One file", "%d файл", sound},
		{"android-xml", "k", "two", "%1$d files in %2$s", "שני קבצים ב-%2$s", sound},
		{"android-xml", "k", "one", "%1$d files in %2$s", "Eine Datei", "it lacks %1$d and %2$s, which the source has"},
		{"android-xml", "k", "one", "%1$d files in %2$s", "%1$d Datei", "it lacks %2$s, which the source has"},
		{"android-xml", "k", "few", "%d files", "pliki", "warning: it leaves out the number %d, which the source has"},
		{"android-xml", "k", "other", "%d files", "Dateien", "it lacks %d, which the source has"},
		{"android-xml", "k", "other", "%1$d files in %2$s", "%1$d Dateien", "it lacks %2$s, which the source has"},
		{"android-xml", "k", "zero", "%1$d files in %2$s", "keine Dateien", sound},
		// printf in Objective-C
		{"ios-strings", "k", "", "%@ has %lld of %ld", "%2$lld von %3$d für %1$@", sound},
		{"ios-strings", "k", "", "%@ has %d", "%d: %@",
			"%d takes a whole number, but the program passes an object there, as the source's %@ says"},
		{"ios-strings", "k", "", "%@", "%s",
			"%s takes a C string, but the program passes an object there, as the source's %@ says"},
		{"ios-strings", "k", "", "%.1f MB", "%@ MB",
			"%@ takes an object, but the program passes a number with decimals there, as the source's %.1f says"},
		{"ios-strings", "k", "", "%1$@ and %2$@", "%1$@ und % 2 $ @", "it lacks %2$@, which the source has"},
		{"ios-strings", "%d files.one", "", "%d files", "Eine Datei", sound},
		{"ios-strings", "k", "", "%1$@ of %2$@", "%2$@: %1$@", sound},
		{"ios-strings", "k", "", "%@ of %@", "%2$@: %1$@", sound},
		{"ios-strings", "k", "", "%lld files", "%lld%% файлов", sound},
		{"ios-strings", "k", "", "%lld files", "%@ файлов",
			"%@ takes an object, but the program passes a whole number there, as the source's %lld says"},
		{"ios-strings", "k", "", "%lld of %.2f", "%lld", "it lacks %.2f, which the source has"},
		{"ios-strings", "k", "", "%@", "%1$@ %2$@",
			"it has %2$@, for which the program passes nothing, as the source has no such placeholder"},
		// printf elsewhere: arguments are converted
		// words in braces, of a text about braces
		{"json", "k", "", "Use { and } freely", "Utilisez { et } librement", sound},
		{"json", "k", "", "{name}: between { and }", "{name} : entre accolades", sound},
		{"json", "k", "", "{name}: between { or }", "{nom} : entre { ou }", "it has {nom} where the source has {name}"},
		{"json", "k", "", "Hi { name }", "Salut { nom }", "it has {nom} where the source has {name}"},
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
		{"json", "k", "", "{a}{b}{c}{d}{e}{f}{g}{h}", "x",
			"it lacks {a}, {b}, {c}, {d}, {e} and 3 more, which the source has"},
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
		{"json", "k", "", "${user} logged in", "${benutzer} angemeldet",
			"it has ${benutzer} where the source has ${user}"},
		{"json", "k", "", "{price} left", "noch ${price}", sound},
		{"json", "k", "", "Price: ${price}", "Preis: {price} $", sound},
		{"json", "k", "", "${min} to ${max}", "{min} $ bis ${max}", sound},
		{"json", "k", "", "Hello ${name}", "Hallo {name}", "it has {name} where the source has ${name}"},
		{"json", "k", "", "Hello ${name}, ${x}", "Hallo {name}, ${x}", "it has {name} where the source has ${name}"},
		{"json", "k", "", "Hello ${name} $t(a)", "Hallo {name} $t(a)", "it has {name} where the source has ${name}"},
		{"structured-yaml", "k", "", "Hello %{name}", "Hallo % {name}", "it has {name} where the source has %{name}"},
		{"json", "k", "", "car | cars", "машина | {n} машины | {n} машин",
			sound}, // vue-i18n passes the number as n and as count
		{"json", "k", "", "none | one apple | {count} apples", "нет | {n} яблоко | {count} яблок", sound},
		{"json", "k", "", "{n} car | {n} cars", "{count} Auto | {count} Autos", sound},
		{"json", "k", "", "{n} car | {n} cars", "Auto | Autos", "it lacks {n}, which the source has"},
		{"json", "k", "", "car | cars", "Auto | {x} Autos", "it has {x}, which the source does not have"},
		{"json", "k", "", "cars", "Auto | {n} Autos", "it has {n}, which the source does not have"},
		{"json", "k", "", "car | {x} cars", "{n} Auto | {y} Autos", "it has {y} where the source has {x}"},
		{"json", "k", "", "See $t(other.key)", "Siehe $t(other.key)", sound},
		{"json", "k", "", "See $t(other.key)", "Siehe $t(anderer.key)",
			"it has $t(anderer.key) where the source has $t(other.key)"},
		{"json", "k", "", "Hello %name%", "Hallo %name%", sound},
		{"json", "k", "", "Hello %name%", "Hallo %nombre%", "it has %nombre% where the source has %name%"},
		{"json", "k", "", "5% to 10%", "zwischen 5% und 10%", sound},
		{"json", "k", "", "{} of {}", "{} von {}", sound},
		{"json", "k", "", "{} of {}", "{}", "it has {} once where the source has it 2 times"},
		{"json", "k_one", "", "{} files", "eine Datei", sound},
		{"json", "k", "", "no braces", "keine {}", sound},
		{"json", "k", "", "`{key: value, ...}` and {n:d}", "`{ключ: значение, ...}`, {n:x}", sound},
		{"json", "k", "", "{user.name}: {0:N2} {total|money}", "{0}: {user.name} {total}", sound},
		{"json", "k", "", "$t(common.ok, { \"count\": 1 })", "$t(common.ok)", sound},
		{"json", "k", "", "{{name}} in ${dir}", "${name} in {{dir}}",
			"it has ${name} and {{dir}} where the source has {{name}} and ${dir}"},
		{"structured-yaml", "k", "", "%{count} of %<total>.2f", "%<total>.1f: %{count}", sound},
		{"structured-yaml", "k", "", "%{count} files", "{{count}} Dateien",
			"it has {{count}} where the source has %{count}"},
		{"structured-yaml", "days/one", "", "%{count} days", "ein Tag", sound},
		{"structured-yaml", "errors/messages/blank", "", "can't be blank", "%{attribute} darf nicht leer sein", sound},
		{"structured-yaml", "greeting", "", "hello", "hallo %{model}",
			"it has %{model}, which the source does not have"},
		{"structured-yaml", "k", "", "%(count)d of %(total)s", "%(total)s: %(count)d", sound},
		{"structured-yaml", "k", "", "%(total)s", "%(total)", "it has %(total) where the source has %(total)s"},
		{"structured-yaml", "days/one", "", "%{count} days", "%{count ein Tag",
			"it lacks %{count}, which the source has"},
		{"ios-strings", "k", "", "{name} is here", "{nom} est ici",
			"warning: it has {nom} where the source has {name}"}, // {name} may be a word there
		{"android-xml", "k", "", "such as {{Country}}", "wie {{Land}}",
			"warning: it has {{Land}} where the source has {{Country}}"},
		{"json", "k", "", "such as {{Country}}", "wie {{Land}}", "it has {{Land}} where the source has {{Country}}"},
		{"json", "line_0", "", "Paid by {name}", "Bezahlt",
			"it lacks {name}, which the source has"}, // no form of a plural, whatever its key

		// ICU
		{"json", "k", "", "{n, plural, one {# file} other {# files}}",
			"{n, plural, one {# Datei} few {#} other {# Dateien}}", sound},
		{"json", "k", "", "{n, plural, =0 {none} other {{n} in {dir}}}",
			"{n, plural, offset:1 other {{dir}: {n, number}}}", sound},
		{"json", "k", "", "{n, plural, one {it''s} other {'{x}'}}", "{n, plural, one {l'une} other {les '{x}'}}",
			sound},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{n, plural, one {a} other {b}",
			"it is not a sound ICU message: a { is not closed"},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{n, plural, one {a} sonstige {b}}",
			`it is not a sound ICU message: "sonstige" is not a plural category; those are zero, one, two, few, many, other and =1`},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{n, plural, one {a}}",
			`it is not a sound ICU message: {n} has no branch "other"`},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{n, Plural, one {a} other {b}}",
			"it is not a sound ICU message: {n has no type that can have branches"},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{anzahl, plural, one {a} other {b}}",
			"it has {anzahl} where the source has {n}"},
		{"json", "k", "", "{n, plural, one {a} other {b {x}}}", "b", "it lacks {n} and {x}, which the source has"},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{n, select, one {a} other {b}}",
			"{n} is a plural in the source and a select here"},
		{"json", "k", "", "{g, select, male {he} other {they}}", "{g, select, male {er} other {sie}}", sound},
		{"json", "k", "", "{g, select, male {he} other {they}}", "{g, select, männlich {er} other {sie}}",
			`the branch "männlich" of {g} can never be chosen: the source has male and other`},
		{"json", "k", "", "{g, select, male {he} other {they}}", "{g, select, male {er} female {sie} other {sie}}",
			sound}, // the program may know more words
		{"json", "k", "", "{g, select, male {he} other {they}} left", "Hän lähti", sound},
		{"json", "k", "", "{g} {g, select, male {he} other {they}}", "hän", "it lacks {g}, which the source has"},
		{"json", "k", "", "{g, select, male {{x}} other {{x}}} left", "lähti", "it lacks {x}, which the source has"},
		{"json", "k", "", "{g, select, male {he} other {they}} left", "{h, select, male {er} other {sie}} ging",
			"it has {h} where the source has {g}"},
		{"json", "k", "", "{n, plural, one {{g, select, a {x} other {y}}} other {#}}",
			"{n, plural, one {hän} other {#}}", sound},
		{"json", "k", "", "{n, plural, one {{g}} other {#}}",
			"{n, plural, one {{g, select, a {x} other {y}}} other {#}}", sound},
		{"json", "k", "", "{n, plural, one {a} other {b}}", "{n, plural, one {a} other {b}}}",
			"it is not a sound ICU message: a } has no {"},
		// … branch by branch
		{"json", "k", "", "{n, plural, one {# file} other {# files}}",
			"{n, plural, one {eine Datei} other {# Dateien}}", sound},
		{"json", "k", "", "{n, plural, one {# file} other {# files}}", "{n, plural, one {# Datei} other {{n} Dateien}}",
			sound},
		{"json", "k", "", "{n, plural, one {a file} other {# files}}", "{n, plural, one {# Datei} other {# Dateien}}",
			sound},
		{"json", "k", "", "{n, plural, =0 {no file} other {# files}}",
			"{n, plural, =0 {keine} =1 {eine} other {# Dateien}}", sound},
		{"json", "k", "", "{n, plural, one {# file} other {# files}}", "{n, plural, one {# Datei} other {Dateien}}",
			sound},
		{"json", "k", "", "{n, plural, one {# file} other {# files}}", "{n, plural, one {#} few {kilka} other {#}}",
			sound},
		{"json", "k", "", "{n, plural, one {# file} other {# files}}", "{n, plural, one {Datei} other {Dateien}}",
			"warning: it leaves out the number {n}, which the source has"},
		{"json", "k", "", "{n, plural, one {# file} other {# files}}", "{n} {n, plural, one {Datei} other {Dateien}}",
			sound},
		{"json", "k", "", "{n, plural, one {this file} other {these files}}",
			"{n, plural, one {diese Datei} other {diese Dateien}}", sound},
		{"json", "k", "", "{n, plural, =0 {none in {dir}} other {# in {dir}}}",
			"{n, plural, =0 {leer} other {# in {dir}}}", sound},
		{"json", "k", "", "{n, plural, one {# in {dir}} other {# in {dir}}}", "{dir}: {n, plural, one {#} other {#}}",
			sound},
		{"json", "k", "", "{n, plural, one {# in {dir}} other {# in {dir}}}", "{n, plural, one {#} other {# in {dir}}}",
			`the branch "one" of {n} lacks {dir}, which the source has there`},
		{"json", "k", "", "{g, select, a {{x}} other {}}", "{g, select, a {} other {{x}}}",
			`the branch "a" of {g} lacks {x}, which the source has there`},
		{"json", "k", "", "{g, select, a {{n, plural, one {#} other {# {x}}}} other {{n}{x}}}",
			"{g, select, a {{n, plural, one {#} other {#}}} other {{n}{x}}}",
			`the branch "a" of {g} lacks {x}, which the source has there`},
		{"json", "k", "", "{n, plural, other {{g, select, a {#} other {#}}}}",
			"{n, plural, other {{g, select, a {#} other {b}}}}", sound}, // said in one of them
		{"json", "k", "", "{n, plural, =1 {{x}} other {{x} and {y}}}", "{n, plural, one {{x}} other {{x} und {y}}}",
			sound},
		{"json", "k", "", "{n, plural, one {{x}} other {{x} and {y}}}", "{n, plural, =1 {{x}} other {{x} und {y}}}",
			sound},
		{"json", "k", "", "{n, plural, other {'#'}}", "{n, plural, other {x}}", sound},

		// markup
		{"android-xml", "k", "", "a <b>bold</b> word", "ein <b>fettes</b> Wort", sound},
		{"android-xml", "k", "", "a <b>bold</b> word", "ein fettes Wort", sound},
		{"android-xml", "k", "", "a word", "ein <i>Wort</i>", sound},
		{"android-xml", "k", "", "a <b>bold</b> word", "ein <b>fettes Wort", "the tag <b> is not closed"},
		{"android-xml", "k", "", "a <b>bold</b> word", "ein <b>fettes<b> Wort", "the tag <b> is not closed"},
		{"android-xml", "k", "", "a <b>bold</b> word", "ein fettes</b> Wort", "the tag </b> closes nothing"},
		{"android-xml", "k", "", "<b><i>x</i></b>", "<b><i>x</b></i>", "the tag <i> is not closed before </b>"},
		{"android-xml", "k", "", "a<br>b<BR/>c", "a<br/>b", sound},
		{"android-xml", "k", "", "<a href=\"x\">here</a>", "<a href='y'>hier</a>", sound},
		{"android-xml", "k", "", "<a href=\"x\">here</a>", "hier", `it lacks <a href="x">, which the source has`},
		{"android-xml", "k", "", "here", "<a href=\"x\">hier</a>",
			`warning: it has <a href="x">, which the source does not have`},
		{"android-xml", "k", "", "here %1$s", "hier <a href=%1$s>%1$s</a>",
			"warning: it has <a href=%1$s>, which the source does not have"},
		{"yaml", "k", "", "Define %urls%a key%urle%.", "Der %urls%key%urle% fehlt.", sound},
		{"yaml", "k", "", "Define %urls%a key%urle%.", "Der %urls%key fehlt.", "it lacks %urle%, which the source has"},
		{"yaml", "k", "", "%d.%m.", "%m-%d", sound},
		{"yaml", "k", "", "%Hh%M", "%H:%M", sound},
		{"yaml", "k", "", "Follow %{link}", "Suivez %{link} et <a href=\"/tags/x\" target='_blank'>#x</a>",
			`warning: it has <a href="/tags/x" target='_blank'>, which the source does not have`},
		{"json", "k", "", "<b>GPL</b>", "<b>GPL</b> (<a href=\"https://x.y/z?a&b\">tutaj</a>)",
			`warning: it has <a href="https://x.y/z?a&b">, which the source does not have`},
		{"json", "k", "", "here", "<a href=\"javascript:x\">hier</a>",
			`it has <a href="javascript:x">, which the source does not have`},
		{"json", "k", "", "here", "<a href=\"java&#115;cript:x\">hier</a>",
			`it has <a href="java&#115;cript:x">, which the source does not have`},
		{"json", "k", "", "here", "<a href=\"/x\" onclick=\"y()\">hier</a>",
			`it has <a href="/x" onclick="y()">, which the source does not have`},
		{"json", "k", "", "here", "<script>x</script>", "it has <script>, which the source does not have"},
		{"json", "k", "", "<0>here</0>", "hier", "it lacks <0>, which the source has"},
		{"json", "k", "", "<link>here</link>", "<Link>hier</Link>", "it has <Link> where the source has <link>"},
		{"json", "k", "", "usage: <file> [-v]", "Aufruf: <Datei> [-v]", sound},
		{"json", "k", "", "a < b and c > d", "a < b und c > d", sound},
		{"json", "k", "", "I <3 you", "<3", sound},
		{"android-xml", "k", "", "<xliff:g id=\"a\">%s</xliff:g> x", "x %s", sound},
		{"android-xml", "k", "", "<xliff:g id=\"a\">%s</xliff:g> x", "x <xliff:g id=\"A_0\">%s</xliff:g>", sound},
		{"android-xml", "k", "", "<xliff:g id='num_2'>%s</xliff:g> x",
			"x <xliff:g example=\"5\" id=\"NUM_0\">%s</xliff:g>", sound},
		{"android-xml", "k", "", "%s x", "x <xliff:g id=\"a\">%s</xliff:g>", sound},
		{"android-xml", "k", "", "<xliff:g id=\"a\">%s</xliff:g> x", "x <xliff:g id=\"b\">%s</xliff:g>", sound},
		{"android-xml", "k", "", "<xliff:g id=\"a\">%s</xliff:g> x", "<xliff:g id=\"a\">y</xliff:g>",
			"it lacks %s, which the source has"},

		// characters
		{"json", "k", "", "text", "Te\ufffdt",
			"it has the character U+FFFD, which stands for something that was lost on the way"},
		{"json", "k", "", "text", "Te\x08t", "it has the control character U+0008, which the source does not have"},
		{"json", "k", "", "te\x1bt", "Te\x1bt", sound},
		{"json", "k", "", "text", "Text\r\n\t\u200f\u00a0", sound},
		{"json", "k", "", "text", "Te\xfft", "it is not valid UTF-8"},
		{"json", "k", "", "", "\x00", "it has the control character U+0000, which the source does not have"},
		{"json", "k", "", "text", "Te\u202ext",
			"warning: it has the invisible character U+202E, which the source does not have"},
		{"json", "k", "", "text", "Te\u2028xt",
			"warning: it has the invisible character U+2028, which the source does not have"},
		{"json", "k", "", "text", "Te\U000e0041xt",
			"warning: it has the invisible character U+E0041, which the source does not have"},
		{"json", "k", "", "te\u202ext", "Te\u202ext", ""},
		{"json", "k", "", "text", "a \u2066b",
			"warning: it isolates a direction of writing (U+2066) and does not end that (U+2069), so it can reorder what follows; " +
				"the source does not"},
		{"json", "k", "", "text", "\u202bb", ""},
		{"json", "k", "", "text", "\u202bb\u202c \u2067c\u2068d\u2069\u2069", ""},
		{"json", "k", "", "te\u2066xt", "te\u2066xt", ""},
		{"json", "k", "", "text", "می\u200cخواهم \u200f\u2068x\u2069 👩\u200d👩 \U0001f3f4\U000e0067\U000e007f", ""},
		{"json", "k", "", "", "{name} %s <a>", sound},
		{"json", "k", "", "{name} %s", "", sound},
	} {
		got := Translation(Input{Level: onlyHidden, Programs: ProgramsOf(c.format), Key: c.key, Form: c.form, Source: c.source,
			Translation: c.translation, Language: "xx"})
		switch {
		case c.reason == sound && len(got) > 0:
			t.Errorf("%s %s: %q to %q: alarm %v, want none", c.format, c.key, c.source, c.translation, got)
		case c.reason != sound && (len(got) == 0 || said(got[0]) != c.reason):
			t.Errorf("%s %s: %q to %q: %v, want %q", c.format, c.key, c.source, c.translation, got, c.reason)
		}
	}
}

// A text that was only made longer, in words of whatever language, is sound in every format, however odd the text; but
// for one that Android's compiler refuses then.
func FuzzTranslation(f *testing.F) {
	for _, s := range []string{"%s", "100%", "{n, plural, one {a} other {b}}", "<b>x</b> <a", "{{", "%1$", "$t(", "%(a",
		"'{", "{a,select,", "\xff", "<a b='"} {
		f.Add(s, "%d {x} </b>", "one")
	}
	f.Add("%q%", "", "")
	f.Add("%q%q", "", "")
	f.Fuzz(func(t *testing.T, source, other, form string) {
		for _, format := range []string{"android-xml", "ios-strings", "structured-json", "yaml"} {
			in := Input{Level: onlyHidden, Programs: ProgramsOf(format), Key: "k", Form: form, Source: source, Translation: other}
			for _, found := range Translation(in) {
				if found.Check == "" || found.Reason == "" {
					t.Fatalf("an empty finding on %+v", in)
				}
			}
			in.Translation = "слова " + source + " слова"
			if source == "" || !utf8.ValidString(source) ||
				format == "android-xml" && text.Substitutions(in.Translation) != "" {
				continue
			}
			if found := Translation(in); len(found) > 0 {
				t.Fatalf("%s: %q to %q: %v", format, in.Source, in.Translation, found)
			}
		}
	})
}

func TestNoQuadraticTime(t *testing.T) {
	gittest.Long(t)
	repeated := []string{
		"{", "{a", "{a}", "%", "%1", "%{", "<", "<a ", "<a b='", "<b>", "'", "{a,plural,other{", "{{a}}", "%s", "$t(",
	}
	for _, s := range repeated {
		input := func(n int) []byte { return bytes.Repeat([]byte(s), n) }
		resourcetest.Linear(t, s, input, func(src []byte) {
			source, plural := string(src), "{n, plural, other {x}}"
			for _, format := range []string{"android-xml", "json"} {
				Translation(Input{Level: onlyHidden, Programs: ProgramsOf(format), Source: source, Translation: source + " x"})
				Translation(Input{Level: onlyHidden, Programs: ProgramsOf(format), Source: plural + " <b>%s</b>", Translation: source})
				Translation(Input{Level: onlyHidden, Programs: ProgramsOf(format), Source: plural + source, Translation: source + plural})
			}
		})
	}
}

func BenchmarkTranslation(b *testing.B) {
	in := Input{Level: onlyHidden, Programs: ProgramsOf("android-xml"), Key: "k", Source: "<b>%1$s</b> was moved to %2$s",
		Translation: "<b>%1$s</b> wurde nach %2$s verschoben"}
	b.ReportAllocs()
	for b.Loop() {
		Translation(in)
	}
}

// What depends on the language: in which forms the number may be missing, and which forms there must be.
func TestLanguages(t *testing.T) {
	for _, c := range []struct{ format, form, language, source, translation, reason string }{
		{"android-xml", "one", "de", "%d files", "eine Datei", sound},
		{"android-xml", "one", "fr", "%d files", "un fichier", sound}, // 0 and 1
		{"android-xml", "two", "ar", "%d files", "ملفان", sound},
		{"android-xml", "zero", "ar", "%d files", "لا ملفات", sound},
		{"android-xml", "one", "xx", "%d files", "x", sound},
		{"android-xml", "one", "ru", "%d files", "один файл",
			"warning: it leaves out the number %d, which the source has"}, // 21 as well
		{"android-xml", "one", "ru", "a file", "%d файл", sound},
		{"android-xml", "zero", "lv", "%d files", "nav failu",
			"warning: it leaves out the number %d, which the source has"}, // 0, 10, 11, ...
		{"android-xml", "two", "sl", "%d files", "dve datoteki",
			"warning: it leaves out the number %d, which the source has"},
		{"android-xml", "few", "pl", "%d files", "pliki", "warning: it leaves out the number %d, which the source has"},
		{"structured-yaml", "", "ru", "%{count} file", "один файл", "it lacks %{count}, which the source has"},

		{"json", "", "de", "{n, plural, one {# file} other {# files}}", "{n, plural, one {# Datei} other {# Dateien}}",
			sound},
		{"json", "", "ja", "{n, plural, one {# file} other {# files}}", "{n, plural, other {#個}}", sound},
		{"json", "", "es", "{n, plural, one {# file} other {# files}}",
			"{n, plural, one {# archivo} other {# archivos}}", sound}, // many is for millions
		{"json", "", "cs", "{n, plural, one {# file} other {# files}}", "{n, plural, one {#} few {#} other {#}}",
			sound}, // many is for fractions
		{"json", "", "xx", "{n, plural, one {# file} other {# files}}", "{n, plural, other {#}}", sound},
		{"json", "", "ru", "{n, plural, one {# file} other {# files}}",
			"{n, plural, one {#} few {#} many {#} other {#}}", sound},
		{"json", "", "de", "{n, plural, one {# file} other {# files}}",
			"{n, plural, =1 {eine Datei} other {# Dateien}}", sound},
		{"json", "", "fr", "{n, plural, one {# file} other {# files}}", "{n, plural, =0 {aucun} =1 {un} other {#}}",
			sound},
		{"json", "", "ru", "{n, plural, one {# file} other {# files}}", "{n, plural, one {#} other {#}}",
			`warning: the plural lacks the forms "few" and "many", which the language ru needs for {n}`},
		{"json", "", "de", "{n, plural, one {# file} other {# files}}", "{n, plural, other {#}}",
			`warning: the plural lacks the form "one", which the language de needs for {n}`},
		{"json", "", "fr", "{n, plural, one {# file} other {# files}}", "{n, plural, =1 {un} other {#}}",
			`warning: the plural lacks the form "one", which the language fr needs for {n}`},
		{"json", "", "ru", "{g, select, a {{n, plural, one {#} other {#}}} other {}}",
			"{g, select, a {{n, plural, one {#} other {#}}} other {}}.",
			`warning: the plural lacks the forms "few" and "many", which the language ru needs for {n}`},
		{"json", "", "ru", "{n, plural, other {# files}}", "{n, plural, other {# ф.}}",
			sound}, // the source does without, too
		{"json", "", "ru", "{n, plural, offset:1 one {#} other {#}}", "{n, plural, offset:1 one {#} other {##}}",
			sound},
		{"json", "", "en", "{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}",
			"{n, selectordinal, one {#st} two {#nd} other {#th}}",
			`warning: the plural lacks the form "few", which the language en needs for {n}`},
		{"json", "", "de", "{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}",
			"{n, selectordinal, other {#.}}", sound},
	} {
		got := Translation(Input{Level: onlyHidden, Programs: ProgramsOf(c.format), Key: "k", Form: c.form, Source: c.source,
			Translation: c.translation, Language: c.language, SourceLanguage: "en"})
		if c.reason == sound && len(got) > 0 || c.reason != sound && (len(got) != 1 || said(got[0]) != c.reason) {
			t.Errorf("%s %s %s: %q to %q: %v, want %q", c.format, c.language, c.form, c.source,
				c.translation, got, c.reason)
		}
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct{ from, to, source, forms, reason string }{
		{"en", "de", "one other", "one other", sound},
		{"en", "ja", "one other", "other", sound},
		{"en", "ja", "one other", "one other", sound}, // a form too many does no harm
		{"en", "ru", "one other", "one few many other", sound},
		{"en", "cs", "one other", "one few other", sound},
		{"en", "pt-BR", "one other", "one other", sound},
		{"en", "ar", "one other", "zero one two few many other", sound},
		{"en", "tlh", "one other", "other", sound},
		{"en", "de", "other", "other", sound}, // the source does without
		{"tlh", "de", "one other", "other", `warning: the plural lacks the form "one", which the language de needs`},
		{"", "ru", "other", "other", sound},
		{"en", "de", "one other", "", sound}, // not translated
		{"en", "ja", "one other", "one", `the plural lacks the form "other"`},
		{"en", "de", "one", "one", sound},
		{"en", "de", "one other", "one", `the plural lacks the form "other"`},
		{"en", "tlh", "one other", "one", `the plural lacks the form "other"`},
		{"en", "pl", "one other", "one few many", sound}, // "other" is for fractions
		{"en", "ru", "one other", "zero one few many", sound},
		{"en", "lt", "one other", "one few many", `the plural lacks the form "other"`}, // 10 to 20
		{"en", "pl", "one other", "one few",
			`the plural lacks the form "other", and the form "many", which the language pl needs`},
		{"ja", "de", "other", "other", `warning: the plural lacks the form "one", which the language de needs`},
		{"en", "ru", "one other", "one other",
			`warning: the plural lacks the forms "few" and "many", which the language ru needs`},
		{"en", "sr-Latn", "one other", "one other",
			`warning: the plural lacks the form "few", which the language sr-Latn needs`},
		{"en", "ar", "one other", "other",
			`warning: the plural lacks the forms "zero", "one", "two", "few" and "many", which the language ar needs`},
	} {
		in := Plural{Source: strings.Fields(c.source), Forms: strings.Fields(c.forms),
			SourceLanguage: c.from, Language: c.to}
		got := Forms(in)
		if c.reason == sound && len(got) > 0 || c.reason != sound &&
			(len(got) != 1 || got[0].Check != Plurals || said(got[0]) != c.reason) {
			t.Errorf("%s to %s, %q to %q: %v, want %q", c.from, c.to, c.source, c.forms, got, c.reason)
		}
		in.Skip = func(check string) bool { return check == Plurals }
		if got := Forms(in); len(got) > 0 {
			t.Errorf("%v though the check is switched off", got)
		}
	}
}

func TestOrdinalForms(t *testing.T) {
	en := []string{"one", "two", "few", "other"}
	if got := Forms(Plural{Source: en, Forms: []string{"other"}, SourceLanguage: "en", Language: "de",
		Ordinal: true}); len(got) > 0 {
		t.Errorf("German writes all of them alike: %v", got)
	}
	got := Forms(Plural{Source: en, Forms: []string{"other"}, SourceLanguage: "en", Language: "it", Ordinal: true})
	if want := `warning: the plural lacks the form "many", which the language it needs`; len(got) != 1 ||
		said(got[0]) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// Each check has a translation that it alone objects to, and is silent when it is switched off; the others go on.
func TestSkip(t *testing.T) {
	source := "{n, plural, one {# file} other {# files}} <a>%s</a>"
	for name, translation := range map[string]string{
		Printf:     "{n, plural, one {#} few {#} many {#} other {#}} <a>x</a>",
		ICU:        "{n, plural, one {#} few {#} many {#} other {#}} {m} <a>%s</a>",
		Markup:     "{n, plural, one {#} few {#} many {#} other {#}} <a>%s",
		Plurals:    "{n, plural, one {#} few {#} other {#}} <a>%s</a>",
		Characters: "{n, plural, one {#} few {#} many {#} other {#}} <a>%s</a>\x00",
	} {
		skipsOnly(t, name, Input{Level: onlyHidden, Programs: ProgramsOf("android-xml"), Source: source, Translation: translation,
			Language: "ru", SourceLanguage: "en"})
	}
	skipsOnly(t, Names, Input{Level: onlyHidden, Programs: ProgramsOf("json"), Source: "{a}", Translation: "{b}"})
}

func skipsOnly(t *testing.T, name string, in Input) {
	t.Helper()
	if !slices.Contains(All, name) {
		t.Errorf("%s is not among all checks", name)
	}
	if got := Translation(in); len(got) != 1 || got[0].Check != name {
		t.Errorf("%s: %v", name, got)
	}
	in.Skip = func(check string) bool { return check == name }
	if got := Translation(in); len(got) > 0 {
		t.Errorf("%s is switched off: %v", name, got)
	}
	in.Skip = func(check string) bool { return check != name }
	if got := Translation(in); len(got) != 1 {
		t.Errorf("all but %s are switched off: %v", name, got)
	}
}

// The configuration knows the checks by the same names.
func TestNamesOfChecks(t *testing.T) {
	if !slices.Equal(All, config.Checks) {
		t.Errorf("%v, and the configuration has %v", All, config.Checks)
	}
	if !slices.Equal(Kinds, kinds.All) {
		t.Errorf("%v, and the configuration has %v", Kinds, kinds.All)
	}
	p := config.Project{Check: kinds.Default()}
	for _, kind := range Kinds {
		if want := map[Level]string{Warn: "warning", Fail: "error"}[(&pair{}).level(kind)]; p.Check.Level(kind) != want {
			t.Errorf("%s is %s in the configuration, and %s where nothing is said", kind, p.Check.Level(kind), want)
		}
	}
}

// What the forms of one plural say is measured against all forms of the source's: the program passes the same to each.
func TestFormsOfOnePlural(t *testing.T) {
	for _, c := range []struct {
		format, form, language string
		source                 []string // "one", then "other"
		translation, reason    string
	}{
		{"android-xml", "one", "ru", []string{"a file", "%d files"}, "%d файл", sound}, // 21 as well
		{"android-xml", "one", "ru", []string{"a file", "%1$d files in %2$s"}, "%1$d файл в %2$s", sound},
		{"android-xml", "one", "ru", []string{"a file", "%d files"}, "%s файл", sound},
		{"android-xml", "one", "ru", []string{"a file", "%d files"}, "%f файл",
			"%f takes a number with decimals, but the program passes a whole number there, as the source's %d says"},
		{"android-xml", "one", "ru", []string{"a file", "files"}, "%d файл",
			"it has %d, for which the program passes nothing, as the source has no such placeholder"},
		{"android-xml", "one", "ru", []string{"a file", `<xliff:g id="count">%d</xliff:g> files`},
			`<xliff:g id="count">%d</xliff:g> файл`, sound},
		{"android-xml", "few", "ru", []string{"a file", "%d files"}, "файла",
			"warning: it leaves out the number %d, which the source has"},
		{"structured-yaml", "one", "ru", []string{"a file", "%{count} files in %{dir}"},
			"%{count} файл в %{dir}", sound},
		{"structured-yaml", "one", "ru", []string{"a file", "%{count} files"}, "%{n} файл",
			"it has %{n}, which the source does not have"},
		{"structured-yaml", "few", "pl", []string{"%{count} file", "%{count} files"}, "kilka plików",
			"warning: it leaves out the number %{count}, which the source has"},
		{"structured-yaml", "few", "pl", []string{"a file", "files"}, "%{count} pliki", sound},
		{"structured-json", "many", "ru", []string{"a file", "files"}, "{{count}} файлов", sound},
		{"structured-json", "many", "ru", []string{"a file", "files"}, "{{amount}} файлов",
			"it has {{amount}}, which the source does not have"},
		{"structured-yaml", "zero", "de", []string{"%{name} wrote to %{who}", "%{count} wrote to %{who}"},
			"niemand schrieb", sound},
		{"structured-yaml", "zero", "de", []string{"%{name} wrote", "%{count} wrote"}, "%{nom} schrieb",
			"it has %{nom} where the source has %{count}"},
		{"structured-json", "one", "de", []string{"{{count}} file", "{{count}} files"}, "eine Datei", sound},
		{"structured-json", "one", "de", []string{"{{files}} file", "{{files}} files"}, "eine Datei", sound},
		{"structured-json", "other", "de", []string{"{{count}} file", "{{count}} files"}, "Dateien",
			"it lacks {{count}}, which the source has"},
		{"structured-json", "other", "de", []string{"{{count}} by {{who}}", "{{count}} by {{who}}"}, "{{count}}",
			"it lacks {{who}}, which the source has"},
	} {
		in := Input{Level: onlyHidden, Programs: ProgramsOf(c.format), Key: "k", Form: c.form, Source: c.source[1],
			Translation: c.translation, Forms: c.source, Language: c.language, SourceLanguage: "en"}
		if c.form == plural.One {
			in.Source = c.source[0]
		}
		got := Translation(in)
		if c.reason == sound && len(got) > 0 || c.reason != sound && (len(got) != 1 || said(got[0]) != c.reason) {
			t.Errorf("%s %s %s: %q to %q: %v, want %q", c.format, c.language, c.form, c.source,
				c.translation, got, c.reason)
		}
	}
}

// MediaWiki's functions choose and bend words; its parameters are filled in.
func TestWikiMessages(t *testing.T) {
	for _, c := range []struct{ source, translation, reason string }{
		{"$1 {{PLURAL:$1|file|files}} of {{GENDER:$2|him|her}}", "$1 plików", sound},
		{"{{GENDER:$2|Your}} page on {{SITENAME}}", "{{GENDER:|Deine|Ihre}} Seite auf {{GRAMMAR:dativ|{{SITENAME}}}}",
			sound},
		{"Your page", "{{GENDER\n:$1|Deine}} {{FORMAL:Seite|Ihre}} {{grammar:6sg|Seite}}", sound},
		{"{{PLURAL:$1|one|{{GENDER:$2|his|her}} files}}", "{{PLURAL:$1|eine|1=eins|100=viele}}", sound},
		{"$1 wrote on {{SITENAME}}", "$1 schrieb", "it lacks {{SITENAME}}, which the source has"},
		{"$1 wrote to $2", "$2 bekam Post", "warning: it lacks $1, which the source has"},
		{"{{PLURAL:$1|A message|$1 messages}} from $2", "{{PLURAL:$1|eine|mehrere}} von $2", sound},
		{"A page was linked", "$2 hat {{GENDER:$3|eine}} Seite verlinkt",
			sound}, // a message has more parameters than English uses
		{"See {{int:other-page}}", "Siehe {{int:other-page}}", sound},
		{"$1 {{PLURAL:$1|file|files}} on {{SITENAME}}", "$1 {{PLURAL:$1|Datei|Dateien}}",
			"warning: it lacks {{SITENAME}}, which the source has"},
		{"{{PLURAL:$1|one|{{formatnum:$1}} files}}", "{{PLURAL:$1|eine|$1}}", sound},
		{"{{formatnum:{{PLURAL:$1|$1|100=99+}}}}", "{{PLURAL:$1|$1|100=99+}}", sound},
		{"{{PLURAL:$1|$1|100={{formatnum:99}}+}}", "{{PLURAL:$1|$1|100=99+}}", sound},
		{"{{PLURAL:$2|One|Two}} on {{SITENAME}}", "{{PLURAL:$2|Eins|Zwei}} op {{ucfirst:{{SITENAME}}}}", sound},
		{"{{GENDER:$2|You}} edited", "{{GENDER:$2|Dir}} hutt op {{SITENAME}} gemaach", sound},
		{"See {{int:other-page}}", "Siehe dort", "it lacks {{int}}, which the source has"},
		{"for $1.50 or $5m, $10, US$4", "für 1,50", sound},
		{"costs $5", "kostet 5 Dollar", sound},
		{"costs $1", "kostet 1 $", sound},
	} {
		got := Translation(Input{Level: onlyHidden, Programs: ProgramsOf("json"), Key: "k", Source: c.source, Translation: c.translation,
			Language: "de", SourceLanguage: "en"})
		if c.reason == sound && len(got) > 0 || c.reason != sound && (len(got) != 1 || said(got[0]) != c.reason) {
			t.Errorf("%q to %q: %v, want %q", c.source, c.translation, got, c.reason)
		}
	}
}

// Symfony and Laravel have the forms of a plural in one text, with the numbers that each is for before it.
func TestIntervals(t *testing.T) {
	for _, c := range []struct{ source, translation, reason string }{
		{"At least {{ limit }} thing.|At least {{ limit }} things.",
			"{1} Co najmniej 1.|{2,3,4} Co {{ limit }}.|[5,Inf[ Co {{ limit }}.", sound},
		{"{0} none|{1} one|]1,Inf[ %count%", "{0} keine|{1} eine|]1,Inf[ %count%", sound},
		{"%count% thing|%count% things", "{0} keine|{1} eine|%count% Dinge", sound},
		{"%count% thing|%count% things", "{1} eine|[2,*] :count %count%", sound},
		{"{0} none|[1,19] some|[20,*] {name} has many", "{0} keine|[1,19] einige|[20,*] {nom} hat viele",
			"it has {nom} where the source has {name}"},
		{"{0}|{1}", "{0}", "it lacks {1}, which the source has"},
		{"{0} | {1}", "{1} | {0}", sound},
		{"{1} or {0}", "{1}", "it lacks {0}, which the source has"},
		{"{1} of|{0} at", "{1}|an", "it lacks {0}, which the source has"},
	} {
		got := Translation(Input{Level: onlyHidden, Programs: ProgramsOf("structured-yaml"), Key: "k", Source: c.source,
			Translation: c.translation, Language: "de", SourceLanguage: "en"})
		if c.reason == sound && len(got) > 0 || c.reason != sound && (len(got) != 1 || said(got[0]) != c.reason) {
			t.Errorf("%q to %q: %v, want %q", c.source, c.translation, got, c.reason)
		}
	}
}

// Libraries outside of C take no placeholder where a word goes on, or where a suffix of the language follows a per cent
// sign.
func TestDoubtfulPlaceholders(t *testing.T) {
	for _, c := range []struct{ source, translation, reason string }{
		{"Show to % of users", "Kullanıcıların %'sine göster", sound},
		{"%tags% tags", "%tags%-stikkord", sound},
		{"%d days", "%di bés", sound},
		{"%ds ago", "vor %d s", sound},
		{"%ds ago", "vor Sekunden", sound},
		{"%link% here", "aqui %link%", sound},
		{"%.2fkm", "km", "it lacks %.2f, which the source has"},
		{"%s of %s", "%2$svon %1$s", sound},
		{"all", "alle %s", "it has %s, for which the program passes nothing, as the source has no such placeholder"},
	} {
		got := Translation(Input{Level: onlyHidden, Programs: ProgramsOf("json"), Key: "k", Source: c.source, Translation: c.translation,
			Language: "de", SourceLanguage: "en"})
		if c.reason == sound && len(got) > 0 || c.reason != sound && (len(got) != 1 || said(got[0]) != c.reason) {
			t.Errorf("%q to %q: %v, want %q", c.source, c.translation, got, c.reason)
		}
	}
}

func TestBreaking(t *testing.T) {
	in := Input{Level: onlyHidden, Programs: ProgramsOf("json"), Source: "{n, plural, one {# <a>file</a>} other {# files}}",
		Translation: "{n, plural, one {#} other {#}}", Language: "ru", SourceLanguage: "en"}
	all := Translation(in)
	if breaking := Breaking(all); len(all) != 2 || len(breaking) != 1 || breaking[0].Check != Markup {
		t.Errorf("%v of %v", breaking, all)
	}
}
