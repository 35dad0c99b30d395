package local

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/locsync/locsync/sync/service/wire"
)

// languages.tsv has the languages that the service knows, one a line: code, numeric identifier, English name. The codes are those that
// the service is known to use (scripts before regions: zh-Hans-CN, not zh-CN) and some more that products are translated into. The numbers
// are Windows locale identifiers where there is one, else private and above 100000; a number once given is never changed.
//
//go:embed languages.tsv
var languageTable string

type lang struct {
	code string
	id   int
	name string
}

// languages reads the table, once: in its order, and by lower-case code.
var languages = sync.OnceValue(func() (t struct {
	list   []lang
	byCode map[string]lang
}) {
	t.byCode = make(map[string]lang)
	for line := range strings.Lines(languageTable) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		id, err := strconv.Atoi(cells[1])
		if err != nil {
			panic("languages.tsv: " + err.Error())
		}
		l := lang{cells[0], id, cells[2]}
		t.list = append(t.list, l)
		t.byCode[strings.ToLower(l.code)] = l
	}
	return t
})

// findLanguage returns the language of a code in any case.
func findLanguage(code string) (lang, bool) {
	l, ok := languages().byCode[strings.ToLower(strings.TrimSpace(code))]
	return l, ok
}

// languageNumber is the numeric identifier of a language as text; 0 for one that is not in the table.
func languageNumber(code string) string {
	l, _ := findLanguage(code)
	return strconv.Itoa(l.id)
}

// languageCode is findLanguage as a check of a parameter: the code as the table spells it, or a 400 that names field and code.
func languageCode(field, code string) (string, error) {
	l, ok := findLanguage(code)
	switch {
	case ok:
		return l.code, nil
	case strings.TrimSpace(code) == "":
		return "", invalid(field, "a language code is empty")
	}
	return "", invalid(field, "%q is not a language code that this service knows; %s", code, languageHint(code))
}

// languageHint is what to try in place of a code that is none.
func languageHint(code string) string {
	if near := nearCode(code); near != "" {
		return "did you mean " + near + "?"
	}
	return "GET " + wire.Prefix + wire.PathDirectory + "?type=language lists the codes"
}

// nearCode is the code that was probably meant by one of another style: pt_BR, zh-CN.
func nearCode(code string) string {
	code = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(code), "_", "-"))
	for _, region := range []struct{ from, to string }{
		{"zh-cn", "zh-Hans-CN"}, {"zh-sg", "zh-Hans-SG"}, {"zh-tw", "zh-Hant-TW"}, {"zh-hk", "zh-Hant-HK"}, {"zh", "zh-Hans"},
		{"iw", "he"}, {"in", "id"}, {"ji", "yi"},
	} {
		if code == region.from {
			return region.to
		}
	}
	l, _ := findLanguage(code)
	return l.code
}

// androidLocale spells a code as a resource folder's qualifier: pt-BR is pt-rBR.
func androidLocale(code string) string { return strings.ReplaceAll(code, "-", "-r") }
