package local

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/languages"
	"github.com/locsync/locsync/sync/service/wire"
)

// findLanguage returns the language of a code: as the table has it, in any case, and every other well-formed tag as it was written.
func findLanguage(code string) (languages.Language, bool) {
	code = strings.TrimSpace(code)
	if l, ok := languages.Find(code); ok {
		return l, true
	}
	if !languages.WellFormed(code) {
		return languages.Language{}, false
	}
	return languages.Language{Code: code, ID: privateNumber(code), Name: code}, true
}

// privateNumber is the numeric identifier of a language that the table does not have: always the same, and above those of the table.
func privateNumber(code string) int {
	h := fnv.New32a()
	h.Write([]byte(strings.ToLower(code)))
	return 1<<30 + int(h.Sum32()>>2)
}

// languageNumber is the numeric identifier of a language as text; 0 for what is no language.
func languageNumber(code string) string {
	l, _ := findLanguage(code)
	return strconv.Itoa(l.ID)
}

// languageCode is findLanguage as a check of a parameter: the code as the table spells it, or a 400 that names field and code.
func languageCode(field, code string) (string, error) {
	l, ok := findLanguage(code)
	switch {
	case ok:
		return l.Code, nil
	case strings.TrimSpace(code) == "":
		return "", invalid(field, "a language code is empty")
	}
	return "", invalid(field, "%q is not a language code; %s", code, languageHint(code))
}

// languageHint is what to try in place of a code that is none.
func languageHint(code string) string {
	hyphens := strings.ReplaceAll(strings.TrimSpace(code), "_", "-")
	if l, ok := languages.Find(hyphens); ok {
		return "did you mean " + l.Code + "?"
	}
	if instead := languages.Instead(hyphens, nil); instead != "" {
		return "did you mean " + instead + "?"
	}
	return "GET " + wire.Prefix + wire.PathDirectory + "?type=language lists the codes"
}

// androidLocale spells a code as a resource folder's qualifier: pt-BR is pt-rBR.
func androidLocale(code string) string { return strings.ReplaceAll(code, "-", "-r") }
