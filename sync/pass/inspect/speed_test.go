package inspect

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/check"
)

// textsOfAnInterface are texts as an interface has them, in a language that these words are of.
func textsOfAnInterface(language, words string, n int) string {
	all := strings.Fields(words)
	var text strings.Builder
	text.WriteString("{\n")
	for i := range n {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		var said []string
		for range 2 + r.IntN(10) {
			said = append(said, all[r.IntN(len(all))])
		}
		line := strings.Join(said, " ") + " " + language + fmt.Sprint(i%97)
		if i%3 == 0 {
			line += " {name}"
		}
		if i%5 == 0 {
			line = "<b>" + line + "</b>"
		}
		if i%7 == 0 {
			line += " 1,500"
		}
		fmt.Fprintf(&text, "  \"section%d.key%d\": %q,\n", i%100, i, line+strings.Repeat(".", i%2))
	}
	return text.String() + "  \"last\": \"x\"\n}\n"
}

// BenchmarkTexts checks ten languages with 50,000 texts each, half a million, and the same without the kinds that are
// harmless to programs: that floor may be exceeded by as much again.
func BenchmarkTexts(b *testing.B) {
	const latin = "der von und Datei Ordner Benutzer Einstellung ändern speichern öffnen schließen Name Liste Seite"
	const cyrillic = "или на файл папка настройка изменить сохранить открыть закрыть имя список страница окно ошибка"
	const english = "the of and file folder user setting change save close open page"
	files := map[string]string{"en.json": textsOfAnInterface("en", english, 50_000)}
	for _, l := range []string{"de", "fr", "es", "it", "ja", "nl", "pl", "ru", "uk"} {
		words := latin
		if l == "ru" || l == "uk" {
			words = cyrillic
		}
		files[l+".json"] = textsOfAnInterface(l, words, 50_000)
	}
	off := ""
	for _, kind := range check.Kinds {
		if kind != check.TermKind {
			off += kind + " = \"off\"\n"
		}
	}
	for name, levels := range map[string]string{"floor": "[project.check]\n" + off, "all": ""} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, `
source_language = "en"
target_languages = ["de", "fr", "es", "it", "ja", "nl", "pl", "ru", "uk"]
[project.pull]
remote = ""
`+levels+`
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`, files)
			for b.Loop() {
				if result := w.inspects(Options{}); len(result.Files) != 10 || len(result.Problems) != 0 {
					b.Fatalf("%d files, %v", len(result.Files), result.Problems[:1])
				}
			}
			b.ReportMetric(500_000, "texts/op")
		})
	}
}
