package check

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/programs"
)

// What is wrong and harmless is found by its kind, and what languages do otherwise is not.
func TestKinds(t *testing.T) {
	terms := &Terms{Keep: []string{"GitHub"},
		Translate: map[string]map[string][]string{"de": {"pull request": {"Pull-Request", "Merge-Request"}}}}
	for _, c := range []struct{ language, source, text, note, want string }{
		{"de", "Please choose a file", "Please choose a file", "", Same},
		{"en-GB", "Please choose a file", "Please choose a file", "", ""},
		{"de", "Visual Studio Code", "Visual Studio Code", "", ""},
		{"de", "OK", "OK", "", ""},
		{"de", "Open", "Öффнen", "", Script},
		{"ru", "Open", "Открыть", "", ""},
		{"ja", "Open", "ファイルを開く", "", ""},
		{"sr-Latn", "Open", "Отвори", "", ""},
		{"fr", "Unit µ and Ω", "Unité µ et Ω", "", ""},
		{"de", "See https://example.com/a", "Siehe https://evil.example.org/a", "", "error " + URL},
		{"de", "See https://en.wikipedia.org/a", "Siehe https://de.wikipedia.org/b", "", ""},
		{"de", "See https://example.com", "Siehe http://example.com", "", "error " + URL},
		{"de", "See http://example.com", "Siehe https://example.com", "", ""},
		{"de", "See the page", "Siehe https://evil.org", "", "error " + URL},
		{"de", "An address (e.g. https://podname.com/a)", "Eine Adresse (z. B. https://podname.de/a)", "", ""},
		{"de", "An address (e.g. https://podname.com/a)", "Eine (https://podname.de/a, https://a.org)", "", "error " + URL},
		{"de", "The URL (e.g. https://pod.org/a), as https://pod.org/b", "https://kapsel.org/a", "", ""},
		{"de", "Example: http://example.com or http://a.org", "Beispiel: http://beispiel.de", "", "error " + URL},
		{"de", "Up to 1,500 files", "Bis zu 1.500 Dateien", "", ""},
		{"de", "Up to 1,500 files", "Bis zu 1.600 Dateien", "", Number},
		{"zh", "Last 24 hours", "过去24小时", "", ""},
		{"he", "About 20 minutes", "כ-20 דקות", "", ""},
		{"de", "Call +33612345678 for help with your account", "Rufen Sie +4930123456 an", "", ""},
		{"cy", "14 days", "Pythefnos", "", ""},
		{"sk", "ISO-8859-1", "UTF-8", "", ""},
		{"de", "14 days", "40 Tage", "", Number},
		{"de", "It stays there for 14 days", "Es bleibt dort", "", Number},
		{"lt", "NSFW (18+) sources of this and others", "N18+ šaltiniai", "", ""},
		{"sr", "Tell me of my 10th or 100th edit", "Обавести ме", "", ""},
		{"de", "Up to 10th place of 20 places", "Platz 10", "", Number},
		{"id", "The 10th edit", "Suntingan ke-10", "", ""},
		{"sv", "STARTTLS (25, 587)", "STARTTLS (25,587)", "", ""},
		{"sv", "STARTTLS (25, 587)", "STARTTLS (25)", "", Number},
		{"zh", "On 21 July 2025", "2025.7.21", "", ""},
		{"ru", "Since v4.3.0 of it", "С версии 4.3.0", "", ""},
		{"de", "Version 10.14.2 at least", "Mindestens Version 10.15.2", "", Number},
		{"de", "It costs 9.99", "Es kostet 9,99", "", ""},
		{"ar", "After 30 days", "بعد ٣٠ يومًا", "", ""},
		{"de", "Use %1$s in {0} of UTF16", "In {0} %1$s", "", ""},
		{"de", "Name: ", "Name:", "", Ends},
		{"de", "Sure?", "Sicher", "", Ends},
		{"el", "Sure?", "Σίγουρα;", "", ""},
		{"ja", "Saved.", "保存しました", "", ""},
		{"zh", "Sure?", "确定吗？", "", ""},
		{"de", "Loading...", "Lädt…", "", ""},
		{"de", "a\n", "a", "", Ends},
		{"de", "Save", "  ", "", Blank},
		{"de", "5", " ", "", Blank},
		{"fr", ",", " ", "", ""},
		{"de", " ", " ", "", ""},
		{"hy", "Thank you!", "Շնորհակալություն։", "", ""},
		{"hy", "Reason:", "Պատճառը՝", "", ""},
		{"th", "Are you sure?", "แน่ใจหรือ", "", ""},
		{"sk", "Off", "Vyp.", "", ""},
		{"lt", "last weeks", "paskutinės sav.", "", ""},
		{"de", "Cert Exp.", "Zertifikat bis", "", ""},
		{"de", "Saved", "Alles wurde gespeichert.", "", Ends},
		{"de", "Save", "Speichern", "max. 5 characters", Length},
		{"de", "Save", "Speichern", "max length: 20", ""},
		{"de", "Save", "Speichern", "max-length=5", Length},
		{"de", "Save", "Speichern", "max-length=9", ""},
		{"de", "Save", "Speichern", "shown at most once", ""},
		{"de", "Save", "Sрeichern", "", Hidden},
		{"de", "Save", "Spei\u200bchern", "", Hidden},
		{"ru", "CD", "CD-диск", "", ""},
		{"ru", "%1$ds", "%1$dс", "", ""},
		{"ru", "%sMB", "%sМБ", "", ""},
		{"ce", "Name", "ЦIе", "", ""},
		{"uk", "Grid", "Сiтка", "", Hidden},
		{"de", "Needs https...", "Nur mit https://...", "", ""},
		{"ryu", "Open", "ひらちゅん", "", ""},
		{"hu", "Open http://localhost", "Nyissa meg: http://localhost-on", "", ""},
		{"fa", "I want", "می\u200cخواهم", "", ""},
		{"de", "Open on GitHub", "Auf Github öffnen", "", TermKind},
		{"de", "New pull request", "Neue Zugriffsanfrage", "", TermKind},
		{"de", "New pull request", "Neuer Merge-Request", "", ""},
		{"fr", "New pull request", "Nouvelle demande", "", ""},
	} {
		in := Input{Programs: ProgramsOf("json"), Source: c.source, Translation: c.text, Language: c.language,
			SourceLanguage: "en", Note: c.note, Terms: terms}
		if strings.HasPrefix(c.note, programs.MaxLength) {
			in.Note, in.Flags = "", c.note
		}
		got := ""
		for _, f := range Translation(in) {
			got += map[bool]string{true: "", false: "error "}[f.Warning] + f.Check
		}
		if got != c.want {
			t.Errorf("%s: %q -> %q: %v, want %q", c.language, c.source, c.text, Translation(in), c.want)
		}
		in.Level = Quiet
		if found := Translation(in); len(found) > 0 {
			t.Errorf("%q: %v, though all kinds are off", c.text, found)
		}
		in.Level = func(string) Level { return Fail }
		for _, f := range Translation(in) {
			if f.Warning {
				t.Errorf("%q: %v is a warning, and is to be an error", c.text, f)
			}
		}
		in.Level, in.Skip = nil, func(kind string) bool { return strings.Contains(c.want, kind) }
		if found := Translation(in); c.want != "" && len(found) > 0 {
			t.Errorf("%q: %v, though it is skipped", c.text, found)
		}
	}
}
