package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Language is one language in its two spellings.
type Language struct {
	Code string // how the service writes it: "zh-Hans"
	Path string // how the repository's paths write it: "zh-CN" where language_paths says so, else Code
}

// iosLocale is what {LOCALE:IOS} stands for: the code unchanged.
func iosLocale(spelling string) string { return spelling }

// androidLocale is what {LOCALE:ANDROID} stands for: each hyphen becomes "-r", as the service does it.
// Spellings that are Android's own already (pt-rBR, b+sr+Latn) stay, so that language_paths may hold
// either: both "zh-CN" and "zh-rCN" give values-zh-rCN.
func androidLocale(spelling string) string {
	if strings.HasPrefix(spelling, "b+") {
		return spelling
	}
	parts := strings.Split(spelling, "-")
	for i, part := range parts[1:] {
		if !androidPart.MatchString(part) {
			parts[i+1] = "r" + part
		}
	}
	return strings.Join(parts, "-")
}

// androidPart is a region or script with Android's letter in front, as in pt-rBR, es-r419 and zh-rHans. No
// part of a service code looks like that.
var androidPart = regexp.MustCompile(`^r([A-Z]{2}|[0-9]{3}|[A-Z][a-z]{3})$`)

// checkLanguage says what is wrong with a language code of the service; "" when it has the shape of one.
// Whether the service knows the language only the service can say.
func checkLanguage(code string) string {
	if code == "" {
		return `must be a language code, such as "en" or "pt-BR"`
	}
	if strings.Contains(code, "_") {
		return fmt.Sprintf("%q: language codes have a hyphen, %q; how paths spell it is said in [project.language_paths]", code, strings.ReplaceAll(code, "_", "-"))
	}
	parts := strings.Split(code, "-")
	ok := len(parts[0]) >= 2 && len(parts[0]) <= 3
	for i, part := range parts {
		if len(part) < 1 || len(part) > 8 {
			ok = false
		}
		for _, c := range part {
			letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
			digit := '0' <= c && c <= '9'
			if !letter && (!digit || i == 0) {
				ok = false
			}
		}
	}
	if !ok {
		return fmt.Sprintf(`%q is not a language code; write one as the service does: "en", "pt-BR", "zh-Hans", "es-419"`, code)
	}
	return ""
}

// checkSpelling says what is wrong with the way language_paths wants a language spelled; "" when it can
// stand in a path.
func checkSpelling(spelling string) string {
	switch {
	case spelling == "":
		return "must be how paths spell the language; leave the line out for the service's own spelling"
	case strings.ContainsAny(spelling, `/\:{}`), strings.IndexFunc(spelling, unicode.IsControl) >= 0:
		return fmt.Sprintf("%q cannot stand in one part of a path: no slashes, colons, braces or control characters", spelling)
	}
	if why := unsafeSegment(spelling); why != "" {
		return fmt.Sprintf("%q cannot stand in a path: %s", spelling, why)
	}
	return ""
}

// Fold is a path as a file system sees it that tells neither letter case nor spellings of accents apart:
// two paths that fold together cannot both be checked out everywhere.
func Fold(path string) string {
	for i := range len(path) {
		if path[i] >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFC.String(path)))
		}
	}
	return strings.ToLower(path)
}
