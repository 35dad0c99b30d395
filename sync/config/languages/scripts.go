package languages

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"
)

// usedBeside are scripts that a language is written in beside its usual one.
var usedBeside = map[string][]string{
	"sr": {"Cyrl", "Latn"}, "uz": {"Cyrl", "Latn", "Arab"}, "az": {"Cyrl", "Latn", "Arab"}, "kk": {"Cyrl", "Latn", "Arab"},
	"ku": {"Arab", "Latn", "Cyrl"}, "ckb": {"Arab", "Latn"}, "mn": {"Cyrl", "Mong"}, "pa": {"Guru", "Arab"},
	"ko": {"Hang", "Hani"}, "ja": {"Hira", "Kana", "Hani"}, "zh": {"Hani", "Bopo"}, "yue": {"Hani", "Bopo"},
	"bs": {"Latn", "Cyrl"}, "tt": {"Cyrl", "Latn"}, "ug": {"Arab", "Cyrl", "Latn"}, "sd": {"Arab", "Deva"},
	"ks": {"Arab", "Deva"}, "tg": {"Cyrl", "Arab"}, "tk": {"Latn", "Cyrl", "Arab"}, "ky": {"Cyrl", "Arab"},
	"shi": {"Tfng", "Latn"}, "zgh": {"Tfng"}, "kab": {"Latn", "Tfng", "Grek"}, "ms": {"Latn", "Arab"},
	"vai": {"Vaii", "Latn"},
	"got": {"Goth"}, "iu": {"Cans", "Latn"}, "cr": {"Cans", "Latn"}, "chr": {"Cher"}, "cv": {"Cyrl"},
}

// scripts are the scripts of letters that are told apart, by their names in language tags.
var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Cyrl", unicode.Cyrillic}, {"Grek", unicode.Greek}, {"Arab", unicode.Arabic}, {"Hebr", unicode.Hebrew},
	{"Hani", unicode.Han}, {"Hira", unicode.Hiragana}, {"Kana", unicode.Katakana}, {"Hang", unicode.Hangul},
	{"Deva", unicode.Devanagari}, {"Beng", unicode.Bengali}, {"Thai", unicode.Thai}, {"Armn", unicode.Armenian},
	{"Geor", unicode.Georgian}, {"Ethi", unicode.Ethiopic}, {"Khmr", unicode.Khmer}, {"Laoo", unicode.Lao},
	{"Mymr", unicode.Myanmar}, {"Sinh", unicode.Sinhala}, {"Taml", unicode.Tamil}, {"Telu", unicode.Telugu},
	{"Knda", unicode.Kannada}, {"Mlym", unicode.Malayalam}, {"Gujr", unicode.Gujarati}, {"Guru", unicode.Gurmukhi},
	{"Orya", unicode.Oriya}, {"Tibt", unicode.Tibetan}, {"Mong", unicode.Mongolian}, {"Bopo", unicode.Bopomofo},
	{"Tfng", unicode.Tifinagh}, {"Cans", unicode.Canadian_Aboriginal}, {"Cher", unicode.Cherokee}, {"Latn", unicode.Latin},
}

// ScriptOf is the script of a letter, as language tags name it; "" of others and of scripts that are not told apart.
func ScriptOf(r rune) string {
	for _, s := range scripts {
		if unicode.Is(s.table, r) {
			return s.name
		}
	}
	return ""
}

// Letters are the scripts that a language is written in; nil where that is not known.
func Letters(code string) []string {
	tag := language.Make(code)
	base, _ := tag.Base()
	script, sure := tag.Script()
	if sure < language.High {
		return nil
	}
	return append(lettersOf(script.String()), usedBeside[base.String()]...)
}

// lettersOf are the scripts of letters that a script of language tags is written with.
func lettersOf(script string) []string {
	switch script {
	case "Hans", "Hant":
		return []string{script, "Hani", "Bopo"}
	case "Jpan":
		return []string{script, "Hani", "Hira", "Kana"}
	case "Kore":
		return []string{script, "Hang", "Hani"}
	}
	return []string{script}
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
	if sure == language.No || !isIn(text, lettersOf(script.String())) || own == script {
		return ""
	}
	if usual, _ := language.Make(spoken.String()).Script(); usual != script {
		return spoken.String() + "-" + script.String()
	}
	return spoken.String()
}

// isIn reports whether a good part of the letters of a text are of some scripts: names of products are in Latin letters
// anywhere.
func isIn(text string, scripts []string) bool {
	n, all := 0, 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		all++
		if script := ScriptOf(r); script != "Latn" && slices.Contains(scripts, script) {
			n++
		}
	}
	return n*4 > all
}
