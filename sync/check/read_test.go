package check

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/programs"
)

// A translation that its program would refuse to load, or that loses an argument there, is an error; what the program
// takes is none.
func TestPrograms(t *testing.T) {
	const held = "held"
	for _, c := range []struct {
		reader       programs.Reader
		flags        string
		source, text string
		want         string
	}{
		{programs.MessageFormat, "", "Total: {0} of {1}", "I alt: {0}", held},
		{programs.MessageFormat, "", "Total: {0} of {1}", "{0} di {1", held},
		{programs.MessageFormat, "", "Total: {0} of {1}", "{1}: {0}", sound},
		{programs.MessageFormat, "", "File {0}", "'{0}' est un fichier", held},
		{programs.MessageFormat, "", "File {0}", "Bestand {name}", held},
		{programs.MessageFormat, "", "File {0}", "Datei { 0 }", held},
		{programs.MessageFormat, "", "Don''t use {0}", "N'utilise pas {0}", held},
		{programs.MessageFormat, "", "Plan {0,number,integer}", "Plan {0,numero}", held},
		{programs.MessageFormat, "", "Import from %0", "%0'den al", sound},
		{programs.Composite, "", "{0} of {1}", "{0} von { 1 }", held},
		{programs.Composite, "", "{0} of {1}", "{1}: {0}", sound},
		{programs.Composite, "", "(repeat using {n})", "(wiederholen)", sound},
		{programs.Extension, "placeholders=service", "Share on $SERVICE$", "Compartir en $SOCIAL$", held},
		{programs.Extension, "placeholders=service", "Share on $SERVICE$", "Partager", held},
		{programs.Extension, "placeholders=service", "Share on $SERVICE$", "Auf $service$ teilen, $$5", sound},
		{programs.Extension, "", "Approve $1", "Approuver $1$", held},
		{programs.Extension, "placeholders=user", "Hello $USER$!", "Hallo USER$", held},
		{programs.Flutter, "", "Allowed: ()", "Erlaubt: (){}[]", held},
		{programs.Flutter, "", "Allowed: ()", "a } b", held},
		{programs.Flutter, "", "{n, plural, one{{n} file} other{{n} files}}",
			"{n, plural, =3{drei} one{{n} Datei} other{{n} Dateien}}", held},
		{programs.Flutter, "", "Hello {name}", "Hallo {name, date, ::yMd}", held},
		{programs.Flutter, "", "On {d, date, ::yMd}", "Am {d, time, ::jm} oder {d}", sound},
		{programs.Flutter, "types=who:String", "Hello {who}", "{who, plural, other{Hallo}}", held},
		{programs.Flutter, "types=who:String n:int", "{n} of {who}", "{n, plural, other{{n}}} {who, select, other{x}}", sound},
		{programs.Flutter, "types=n:double", "{n} files", "{n, plural, other{{n} Dateien}}", held},
		{programs.FormatJS, "", "Hello {name}", "Hallo {name, time, short}", held},
		{programs.FormatJS, "", "{n} files", "{n, plural, one {# plik} other {# pliki}}", sound},
		{programs.MessageFormat, "", "At {0,date}", "Am {0,number}", held},
		{programs.MessageFormat, "", "{0,number} files", "{0,choice,0#keine|1#eine} Datei", sound},
		{programs.FlutterEscaping, "", "Details of {value}", "Détails de l'élément {value}", held},
		{programs.Flutter, "", "Details of {value}", "Détails de l'élément {value}", sound},
		{programs.FormatJS, "", "The <b>water</b> and {n, plural, one {# seed} other {# seeds}}",
			"L'<b>eau</b> et {n, plural, one {# graine} other {# graines}}", held},
		{programs.FormatJS, "", "<span>outside</span>", "<span>esterno all'</span>editor", held},
		{programs.FormatJS, "", `Pick "{example}".`, "Kies '{example}'.", held},
		{programs.FormatJS, "", "Hello", "<b>Hallo", held},
		{programs.FormatJS, "", "Click here", "Klick <b>hier</i>", held},
		{programs.MessageICU, "", "Download {app}", "Télécharge l'{app}", held},
		{programs.MessageICU, "", "{0, plural, one {a file} other {# files}}", "{0, plural, one {plik} other {{0} pliku}}", held},
		{programs.I18nextICU, "", "{n} of <b>all</b>", "<b>{n}", held},
		{programs.I18nextICU, "", "{n} of 3", "{n} <1 z 3", sound},
		{programs.FormatJS, "", "{n} of 3", "{n} <a z 3", held},
		{programs.FormatJS, "", "{d, date, ::yyyyMMMd}", "{d, date, ::YYYYMMMd}", held},
		{programs.MessageFormat, "", "{0,number,#,##0.00}", "{0,number,#,##0,00}", sound},
		{programs.MessageFormat, "", "{0,number,#,##0.00}", "{0,number,#,#00#}", held},
		{programs.Angular, "", "Size {{ <x id=\"A\"/>", "Größe <x id=\"A\"/> {", held},
		{programs.Angular, "", "Set", "Menge {a}", held},
		{programs.Angular, "", "Set", "Menge }", sound},
		{programs.Inline, "", "Set", "Menge {", sound},
		{programs.Angular, "", "{n, plural, one {x} other {y}}", "{n, plural, one {a} other {b}}", sound},
		{programs.Angular, "", "{n, plural, one {x} other {y}}", "{n, plural, one {a} other {b}", held},
		{programs.Angular, "", "100% of <x id=\"A\"/>", "<x id=\"A\"/> zu 100 %s", sound},
		{programs.Inline, "", `<pc id="0" equivStart="S" equivEnd="E">l</pc>`, `<pc id="0" equivStart="S" equivEnd="F">l</pc>`, held},
		{programs.Inline, "", `<pc id="0" equivStart="S" equivEnd="E">l</pc>`, `<pc id="1" equivEnd="E" equivStart="S">m</pc>`,
			sound},
		{programs.Laravel, "", "In :seconds", "Nach:seconds", sound},
		{programs.Laravel, "", "Hi :name", "Hallo :nAme", held},
		{programs.Laravel, "", "Hi :name", "Hallo :NAME", sound},
		{programs.Laravel, "", "Up to :maxSize", "Bis :maxsize", held},
		{programs.VueI18n, "", "Your address", "Su dirección: a@b.es", held},
		{programs.VueI18n, "", "None | One | {count} users", "Nessuno | Uno | {count} utenti |", held},
		{programs.VueI18n, "", "None | One | {count} users", "Nessuno | Uno | {n} utenti", sound},
		{programs.VueI18n, "", "Day {name}.", "Dag {name}}.", held},
		{programs.Laravel, "", "Welcome, :name", "Bienvenue, :nom", held},
		{programs.Laravel, "", "Welcome, :name", "Bienvenue, :NAME: 10:30", sound},
		{programs.Slang, "", "Hello $name", "Hallo $naam", held},
		{programs.Slang, "", "Hello $name", `Hallo ${name}, \$5`, sound},
		{programs.Slang, "", "On ${d: yMd}", "Am ${t: yMd}", held},
		{programs.Slang, "", "On ${d: yMd}", "Am $d", sound},
		{programs.Slang, "", "See @:a.b", "Siehe @:a.c", held},
		{programs.Slang, "", "See @:a.b", "Siehe @:{a.b}.", sound},
		{programs.SlangBraces, "", "Hello {name}", "Hallo {naam}", held},
		{programs.SlangBraces, "", "Hello {name: int}", `Hallo {name}, \{5} $x`, sound},
		{programs.SlangDouble, "", "Hello {{name}}", "Hallo {name}", held},
		{programs.SlangDouble, "", "Hello {{name}}", "Hallo {{ name }} {x}", sound},
		{programs.I18next, "", "$t(files, {\"count\": {{n}} }) in {{x}}", "$t(dateien) in {{x}}, {{n}}", held},
		{programs.I18next, "", "$t(files) in {{x}}", "{{x}}: $t( files, {\"count\": 2})", sound},
		{programs.VueI18n, "", "Press @:buttons.save", "Drücke @:tasten.save", held},
		{programs.VueI18n, "", "Press @:buttons.save", "Drücke @:buttons.save!", held},
		{programs.VueI18n, "", "Press @:buttons.save", "Speichern", sound},
		{programs.VueI18n, "", "Follows you", "@:account.back", sound},
		{programs.VueI18n, "", "Press @:buttons.save", "Drücke @.upper:buttons.save bitte", sound},
		{programs.I18next, "", ".roo/rules-{slug}/ {{x}}", "{{x}} und .roo/", sound},
		{programs.I18next, "", "Hi {{- name}}", "Hallo {{ name }}", sound},
		{programs.I18next, "", "Hi {{name}}", "Hallo {{naam}}", held},
		{programs.Inline, "", `<x id="INTERPOLATION" equiv-text="{{ a }}"/>`,
			`<x id="INTERPOLATION" equiv-text="{{ b }}"/>`, sound},
		{programs.Inline, "", `Hi <x id="A" equiv-text="{{ x }}"/>!`, `<x id="A"/>, hi!`, sound},
		{programs.Inline, "", `Hi <x id="A" equiv-text="{{ x }}"/>!`, `Hi <x id="B" equiv-text="{{ x }}"/>!`, held},
		{programs.Inline, "", `Plain`, `Plain<x id="1"/>`, held},
		{programs.Inline, "", `<ph id="0" equiv="A"/>`, `<x id="0"/>`, held},
		{programs.Inline, "", `<pc id="0" equivStart="A" equivEnd="B">x</pc>`, `<pc id="0">x</pc>`, held},
		{programs.Inline, "", `Hi <x id="A"/>!`, `Hi <x/>!`, held},
	} {
		in := Input{Level: Quiet, Programs: programs.Programs{Reader: c.reader, Named: c.reader == programs.Inline, Printf: programs.Java},
			Source: c.source, Translation: c.text, Flags: c.flags}
		got := sound
		if len(Breaking(Translation(in))) > 0 {
			got = held
		}
		if got != c.want {
			t.Errorf("%s: %q -> %q: %v, want %q", c.reader, c.source, c.text, Translation(in), c.want)
		}
	}
}

// What the entry of a translation says of it counts, where the source's says something else.
func TestOwnFlags(t *testing.T) {
	for _, c := range []struct {
		programs programs.Programs
		flags    string
		text     string
		want     bool
	}{
		{programs.Programs{Reader: programs.Extension}, "", "$A$", false},
		{programs.Programs{Reader: programs.Extension}, "placeholders=b", "$A$", false},
		{programs.Programs{Reader: programs.Extension}, "placeholders=a b", "$A$", true},
		{programs.Programs{Printf: programs.Java, Positions: true}, "", "%s %s", false},
		{programs.Programs{Printf: programs.Java, Positions: true}, "formatted=false", "%s %s", true},
	} {
		in := Input{Level: Quiet, Programs: c.programs, Source: c.text, Translation: c.text, Flags: c.flags, OwnFlags: true}
		if sound := len(Breaking(Translation(in))) == 0; sound != c.want {
			t.Errorf("%v, %q: %v, want %v", c.programs, c.flags, Translation(in), c.want)
		}
	}
}

// What gettext's flags say of a text is judged as msgfmt -c does, for the forms of plurals, too.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		flag, form, source, text string
		want                     string
	}{
		{"c", "other", "%'d files", "%'d Dateien (%S)", "for which the program passes nothing"},
		{"python", "one", "%d files", "Datei", "it lacks %d"},
		{"kde", "one", "%1 files", "%2 Datei", "it has %2 where the source has %1"},
		{"qt", "", "%1 of %2", "%2 von %3", "it has %3 where the source has %1"},
		{"qt", "", "%1 of %2", "1% 2%", "it lacks %1 and %2"},
		{"java", "", "Installation wizard for {0}", "Assistant d'installation de {0}", "quotes"},
		{"c", "", "%s of %d", "%2$d von %s", "with a number and without one"},
		{"python-brace", "", "{name}", "{ name }", "cannot be a placeholder"},
		{"python-brace", "", "{name:>10}", "{name:>10}!", sound},
		{"php", "", "Tags: %s", "Tags: % s", sound},
		{"python", "", "Hello %(name)s!", "%(name)s zu 100 %", "write %%"},
		{"c", "one", "%d files", "Eine Datei", sound},
		{"c", "one", "%d files in %s", "Eine Datei", "it lacks"},
	} {
		in := Input{Level: onlyHidden, Programs: ProgramsOf("po").Flagged(c.flag + "-format"), Form: c.form, Source: c.source,
			Translation: c.text, Language: "de", SourceLanguage: "en"}
		if c.form != "" {
			in.Forms = []string{c.source}
		}
		found := Translation(in)
		if len(found) > 1 || c.want == sound && len(found) > 0 ||
			c.want != sound && (len(found) == 0 || found[0].Warning || !strings.Contains(found[0].Reason, c.want)) {
			t.Errorf("%s: %q -> %q: %v, want %q", c.flag, c.source, c.text, found, c.want)
		}
	}
}

// A line break at one end of one text makes msgfmt refuse the file, unless ends is off.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		format, source, text string
		want                 string
	}{
		{"po", "%d files\n", "%d Dateien", "only one of source and translation ends with a line break, " +
			"and msgfmt -c refuses the file"},
		{"po", "Done", "\nFertig", "only one of source and translation begins with a line break, " +
			"and msgfmt -c refuses the file"},
		{"po", "Done\n", "Fertig\n\n", "warning: it ends with other blanks or line breaks than the source"},
		{"po", "Done\n", "Fertig\n", sound},
		{"json", "Done\n", "Fertig", "warning: it ends with other blanks or line breaks than the source"},
	} {
		in := Input{Programs: ProgramsOf(c.format), Source: c.source, Translation: c.text, Language: "de",
			SourceLanguage: "en"}
		found := Translation(in)
		if c.want == sound && len(found) > 0 || c.want != sound && (len(found) != 1 || said(found[0]) != c.want) {
			t.Errorf("%s: %q -> %q: %v, want %q", c.format, c.source, c.text, found, c.want)
		}
		in.Level = Quiet
		if len(Translation(in)) > 0 {
			t.Errorf("%s: %q is found though ends is off", c.format, c.text)
		}
	}
}

// Of a program that nothing names, what may be its markup or its apostrophe holds nothing back.
func TestUnknownPrograms(t *testing.T) {
	const quotes = "it shows {app} as it is written, and not what the program passes: a single apostrophe quotes what " +
		"follows; write two for one"
	for _, c := range []struct {
		messages     bool
		source, text string
		want         string
	}{
		{false, "Hello", "<b>Hallo", "the tag <b> is not closed"},
		{false, "Click here", "Klick <b>hier</i>", "the tag <b> is not closed before </i>"},
		{false, "Click here", "Klick <b>hier</b>", sound},
		{false, "a < b", "a <b c", sound},
		{false, "usage: FILE", "Aufruf: <datei>", sound},
		{false, "<p>One", "<p>Eins<br>", sound},
		{true, "Download the app of {app}", "Télécharge l'{app}", quotes},
		{true, "Download the app of {app}", "Télécharge l''{app}", sound},
		{true, "Download the app of {app}", "Télécharge l’{app} d'abord", sound},
		{true, "Download '{app}'", "Télécharge '{app}'", sound},
		{false, "Download the app of {app}", "Télécharge l'{app}", sound},
	} {
		in := Input{Level: Quiet, Programs: programs.Programs{Named: true, Messages: c.messages}, Source: c.source,
			Translation: c.text, Language: "fr", SourceLanguage: "en"}
		found := Translation(in)
		if c.want == sound && len(found) > 0 ||
			c.want != sound && (len(found) != 1 || !found[0].Warning || found[0].Reason != c.want) {
			t.Errorf("%q -> %q: %v, want %q", c.source, c.text, found, c.want)
		}
	}
}

// A dollar that Chrome takes for the beginning of a placeholder, and shows nothing of, is worth a warning.
func TestUnshown(t *testing.T) {
	for text, warns := range map[string]bool{"100 $": true, "US$ und": true, "$1.50": true, "$10 ab": true, "100 $$": false, "$$$ x": false,
		"$$5": false, "5 EUR": false} {
		in := Input{Level: Quiet, Programs: programs.Programs{Reader: programs.Extension}, Source: "It costs much", Translation: text}
		found := Translation(in)
		if got := len(found) == 1 && found[0].Warning; got != warns || !warns && len(found) > 0 {
			t.Errorf("%q: %v, want a warning: %v", text, found, warns)
		}
		in.Source = "From $1.50"
		if len(Translation(in)) > 0 {
			t.Errorf("%q: %v, and the source has one itself", text, Translation(in))
		}
	}
}
