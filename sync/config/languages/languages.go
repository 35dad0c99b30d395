// Package languages knows language codes: which are well formed, which of them the translation service is known to
// have, and what to write instead of those that it is known not to have.
//
// It is pure: it asks no service. A real service may have learned a language since; only the service itself refuses
// one.
package languages

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"
)

// languages.tsv has the languages that the service is known to have, one a line: code, numeric identifier, English
// name. The codes are those that the service is known to use (scripts before regions: zh-Hans-CN, not zh-CN) and some
// more that products are translated into. The numbers are Windows locale identifiers where there is one, else private
// and above 100000; a number once given is never changed.
//
//go:embed languages.tsv
var languageTable string

// Language is one that the service is known to have.
type Language struct {
	Code string
	ID   int
	Name string // in English
}

// list and byCode are languages.tsv in its order, and by lower-case code.
var list, byCode = readTable()

func readTable() (list []Language, byCode map[string]Language) {
	byCode = make(map[string]Language)
	for line := range strings.Lines(languageTable) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		id, err := strconv.Atoi(cells[1])
		if err != nil {
			panic("languages.tsv: " + err.Error())
		}
		l := Language{cells[0], id, cells[2]}
		list = append(list, l)
		byCode[strings.ToLower(l.Code)] = l
	}
	return list, byCode
}

// All lists the languages that the service is known to have.
func All() []Language { return slices.Clone(list) }

// Find returns the language of a code in any case.
func Find(code string) (Language, bool) {
	l, ok := byCode[strings.ToLower(strings.TrimSpace(code))]
	return l, ok
}

// Named is a language for people: its name with its code.
func Named(code string) string {
	if l, ok := Find(code); ok && l.Name != code {
		return l.Name + " (" + code + ")"
	}
	return code
}

// wellFormed is the grammar of BCP 47, without its reserved and grandfathered forms: language, extended language,
// script, region, variants, extensions, private use.
var wellFormed = regexp.MustCompile(`(?i)^([a-z]{2,3}(-[a-z]{3}){0,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?` +
	`(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[tu](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?|x(-[a-z0-9]{1,8})+)$`)

// WellFormed reports whether a code is a language tag. Codes of two letters must be of ISO 639-1, a list that is
// closed; those of three letters change every year, and any is one.
func WellFormed(code string) bool {
	if len(code) > 100 || !wellFormed.MatchString(code) {
		return false
	}
	first, _, _ := strings.Cut(code, "-")
	if len(first) != 2 {
		return true
	}
	_, err := language.ParseBase(first)
	return err == nil
}

// Instead is what to write instead of a code that the service is not known to have: "" for a code that it is known to
// have, and where nothing means the same. others are the codes that are used beside it: none of them is proposed, nor a
// code without a region that would mean the same as one of them, as en does beside en-US.
func Instead(code string, others []string) string {
	if _, known := Find(code); known {
		return ""
	}
	for _, candidate := range candidates(code) {
		l, known := Find(candidate)
		if known && !taken(l.Code, code, others) {
			return l.Code
		}
	}
	return ""
}

// candidates are the spellings of the language of a code, the most exact first.
func candidates(code string) []string {
	tag, _ := language.DeprecatedBase.Parse(code) // an error names a part that is not known; the others are read
	base, sure := tag.Base()
	if sure != language.Exact || hasVariant(code) {
		return nil
	}
	script, confidence := tag.Script()
	usual, _ := language.Make(base.String()).Script()
	if tag.String() == "zh" { // either script: the one that no other code has
		return []string{"zh-Hans", "zh-Hant"}
	}
	withScript := base.String() + "-" + script.String()
	all := []string{tag.String()}
	if region, sure := tag.Region(); sure == language.Exact {
		all = append(all, withScript+"-"+region.String())
	}
	if confidence == language.Exact || script != usual {
		all = append(all, withScript)
	}
	if script == usual {
		all = append(all, base.String())
	}
	codes := scriptsOf(base.String()) // of several the likeliest is a guess
	if confidence != language.Exact && len(codes) == 1 && (codes[0] == withScript || script.String() == unknownScript) {
		all = append(all, codes...)
	}
	return all
}

// hasVariant reports whether a code has a part behind language, script and region: what it names is another language to
// those who read it.
func hasVariant(code string) bool {
	_, parts, _ := strings.Cut(code, "-")
	return slices.ContainsFunc(strings.Split(parts, "-"), func(p string) bool { return len(p) > 4 || len(p) == 1 })
}

// unknownScript is that of a language of which no script is known.
const unknownScript = "Zzzz"

// taken reports whether a candidate is used beside a code, or means no region while a code with its script is used.
func taken(candidate, code string, others []string) bool {
	tag := language.Make(candidate)
	base, _ := tag.Base()
	script, _ := tag.Script()
	_, region := tag.Region()
	return slices.ContainsFunc(others, func(o string) bool {
		other := language.Make(o)
		itsBase, _ := other.Base()
		itsScript, _ := other.Script()
		same := itsBase == base && itsScript == script && !hasVariant(o) && !strings.EqualFold(o, code)
		return strings.EqualFold(o, candidate) || same && region != language.Exact
	})
}

// scriptsOf are the codes of a language with a script that the service is known to have.
func scriptsOf(base string) []string {
	return slices.DeleteFunc(Alternatives(base, nil), func(code string) bool {
		_, script, _ := strings.Cut(code, "-")
		return len(script) != 4
	})
}

// Alternatives are the codes of a language, given without script and region, that the service is known to have and that
// are not used beside it. One that says more means a variety that the others are not.
func Alternatives(code string, others []string) []string {
	var codes []string
	for _, l := range list {
		if first, _, _ := strings.Cut(l.Code, "-"); strings.EqualFold(first, code) && !slices.Contains(others, l.Code) {
			codes = append(codes, l.Code)
		}
	}
	return codes
}
