package api

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/config/languages"
	"github.com/locsync/locsync/sync/service/wire"
)

// FindLanguage returns the language of a code: as the table has it, in any case, and every other well-formed tag as
// it was written.
func FindLanguage(code string) (languages.Language, bool) {
	code = strings.TrimSpace(code)
	if l, ok := languages.Find(code); ok {
		return l, true
	}
	if !languages.WellFormed(code) {
		return languages.Language{}, false
	}
	return languages.Language{Code: code, ID: privateNumber(code), Name: code}, true
}

// privateNumber is the numeric identifier of a language that the table does not have: always the same, and above
// those of the table.
func privateNumber(code string) int {
	h := fnv.New32a()
	h.Write([]byte(strings.ToLower(code)))
	return 1<<30 + int(h.Sum32()>>2)
}

// LanguageNumber is the numeric identifier of a language as text; 0 for an unknown language.
func LanguageNumber(code string) string {
	l, _ := FindLanguage(code)
	return strconv.Itoa(l.ID)
}

// LanguageCode is findLanguage as a check of a parameter: the code as the table spells it, or a 400 that names field
// and code.
func LanguageCode(field, code string) (string, error) {
	l, ok := FindLanguage(code)
	switch {
	case ok:
		return l.Code, nil
	case strings.TrimSpace(code) == "":
		return "", Invalid(field, "a language code is empty")
	}
	return "", Invalid(field, "%q is not a language code; %s", code, LanguageHint(code))
}

// LanguageHint is what to try in place of a code that is none.
func LanguageHint(code string) string {
	hyphens := strings.ReplaceAll(strings.TrimSpace(code), "_", "-")
	if l, ok := languages.Find(hyphens); ok {
		return "did you mean " + l.Code + "?"
	}
	if instead := languages.Instead(hyphens, nil); instead != "" {
		return "did you mean " + instead + "?"
	}
	return "GET " + wire.Prefix + wire.PathDirectory + "?type=language lists the codes"
}

// SameLanguage tells whether two codes are of one language, whatever their regions; scripts tell languages apart here.
func SameLanguage(a, b string) bool { return withoutRegion(a) == withoutRegion(b) }

func withoutRegion(code string) string {
	parts := strings.Split(code, "-")
	if len(parts) > 1 && len(parts[len(parts)-1]) < 4 {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, "-")
}
