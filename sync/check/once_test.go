package check

import (
	"testing"

	"github.com/locsync/locsync/formats/programs"
)

// One mistake is one finding: what a tag or an argument takes with it is not told again.
func TestOneFinding(t *testing.T) {
	for _, c := range []struct{ format, source, text, want string }{
		{"android-xml", `%1$s asks. <a href="%2$s">Help</a>`, `%1$s fragt.`, "it lacks %2$s, which the source has"},
		{"android-xml", `%1$s asks. <a href="https://a.org">Help</a>`, `%1$s fragt.`,
			`it lacks <a href="https://a.org">, which the source has`},
		{"json", "At least {} letters", "Mindestens {num} Zeichen", "it has {num} where the source has {}"},
		{"json", "From {} to {}", "Von {} bis {num}",
			"it has {} once where the source has it 2 times; it has {num}, which the source does not have"},
		{"json", "see <0>here</0>", `siehe <a href="https://a.org">hier</a>`,
			`it has <a href="https://a.org"> where the source has <0>`},
		{"ios-strings", "%@, %d of %d", "%@, %2$d von %1$d",
			"%1$d takes a whole number, but the program passes an object there, as the source's %@ says"},
		{"json", "Type <code>a</code>", "Tippen Sie a", ""},
		{"json", "Type <code>a</code>", "Tippen Sie <code>a", "the tag <code> is not closed"},
	} {
		got := ""
		for _, f := range Translation(Input{Programs: ProgramsOf(c.format), Source: c.source, Translation: c.text,
			Language: "de", SourceLanguage: "en"}) {
			if f.Warning {
				continue
			}
			if got != "" {
				got += "; "
			}
			got += f.Reason
		}
		if got != c.want {
			t.Errorf("%s: %q -> %q: %q, want %q", c.format, c.source, c.text, got, c.want)
		}
	}
}

// What a reader of tags says of one that is not closed is not told as a warning, too.
func TestOneFindingOfTags(t *testing.T) {
	for reader, holds := range map[programs.Reader]bool{programs.FormatJS: true, programs.Unknown: false} {
		found := Translation(Input{Programs: programs.Programs{Reader: reader, Named: true}, Source: "Hello",
			Translation: "<b>Hallo", Language: "de", SourceLanguage: "en"})
		if len(found) != 1 || found[0].Warning == holds {
			t.Errorf("%q: %v", reader, found)
		}
	}
}

// A plural whose program shows the source language's form where one is missing is whole enough for it.
func TestFormsThatFallBack(t *testing.T) {
	in := Plural{Source: []string{"one", "other"}, Forms: []string{"one"}, Language: "pt", SourceLanguage: "en"}
	for _, falls := range []bool{false, true} {
		in.Falls = falls
		if found := Forms(in); len(found) != 1 || found[0].Warning != falls {
			t.Errorf("falls back: %v: %v", falls, found)
		}
	}
}

// A page in HTML shows a blank at either end of a text as none.
func TestBlanksOfPages(t *testing.T) {
	for reader, want := range map[programs.Reader]int{programs.Inline: 0, programs.Angular: 0, programs.Unknown: 1} {
		in := Input{Programs: programs.Programs{Reader: reader}, Source: " Name ", Translation: "Name", Language: "de"}
		if found := Translation(in); len(found) != want {
			t.Errorf("%q: %v", reader, found)
		}
	}
}
