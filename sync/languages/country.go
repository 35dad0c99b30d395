package languages

import (
	"strings"
	"unicode"

	"golang.org/x/text/language"
)

// letters are the Unicode scripts that a script of language tags is written with, by the tags' name for it.
var letters = map[string][]*unicode.RangeTable{
	"Arab": {unicode.Arabic}, "Armn": {unicode.Armenian}, "Beng": {unicode.Bengali}, "Cyrl": {unicode.Cyrillic},
	"Deva": {unicode.Devanagari}, "Ethi": {unicode.Ethiopic}, "Geor": {unicode.Georgian}, "Grek": {unicode.Greek},
	"Hans": {unicode.Han}, "Hant": {unicode.Han}, "Hebr": {unicode.Hebrew},
	"Jpan": {unicode.Han, unicode.Hiragana, unicode.Katakana}, "Khmr": {unicode.Khmer}, "Kore": {unicode.Hangul},
	"Laoo": {unicode.Lao}, "Mymr": {unicode.Myanmar}, "Sinh": {unicode.Sinhala}, "Thai": {unicode.Thai},
}

// OfCountry is the language that is meant by a code which is a language's and, in other lists, a country's: tw is Twi,
// and Chinese in Taiwan where text is in that country's script. It is "" where the language may be meant. Text in Latin
// letters proves nothing: many languages are written in them as well.
func OfCountry(code, text string) string {
	base, err := language.ParseBase(code)
	region, rerr := language.ParseRegion(strings.ToUpper(code))
	if err != nil || rerr != nil {
		return ""
	}
	country, err := language.Compose(region)
	if err != nil {
		return ""
	}
	spoken, sure := country.Base()
	script, _ := country.Script()
	own, _ := language.Make(base.String()).Script()
	if sure == language.No || !isIn(text, letters[script.String()]) || own == script {
		return ""
	}
	if usual, _ := language.Make(spoken.String()).Script(); usual != script {
		return spoken.String() + "-" + script.String()
	}
	return spoken.String()
}

// isIn reports whether a good part of the letters of a text are of a script: names of products are in Latin letters
// anywhere.
func isIn(text string, script []*unicode.RangeTable) bool {
	n, all := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			all++
			if unicode.In(r, script...) {
				n++
			}
		}
	}
	return n*4 > all
}
