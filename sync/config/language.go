package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/locsync/locsync/sync/config/languages"
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

// checkLanguage says what is wrong with a language code of the service; "" when it is well formed.
// Whether the service has the language only the service can say.
func checkLanguage(code string) string {
	switch {
	case code == "":
		return `must be a language code, such as "en" or "pt-BR"`
	case strings.Contains(code, "_"):
		return fmt.Sprintf("%q: language codes have a hyphen, %q; how paths spell it is said in [project.language_paths]",
			code, strings.ReplaceAll(code, "_", "-"))
	case !languages.WellFormed(code):
		return fmt.Sprintf(`%q is not a language code; write one as the service does: "en", "pt-BR", "zh-Hans", "es-419"`,
			code)
	}
	return ""
}

// UnknownLanguage is a language of the configuration that a translation service is known not to have. The embedded
// service has every language.
type UnknownLanguage struct {
	Code   string
	At     Problem
	Remedy string
}

// UnknownLanguages are those of the project's languages, each with what to write instead.
func (p *Project) UnknownLanguages() []UnknownLanguage {
	var unknown []UnknownLanguage
	all := append([]string{p.SourceLanguage}, p.TargetLanguages...)
	for i, code := range all {
		if _, known := languages.Find(code); known {
			continue
		}
		at, key := p.origin.at("source_language"), "source_language"
		if i > 0 {
			at, key = p.origin.at("target_languages").index(i-1), "target_languages"
		}
		unknown = append(unknown, UnknownLanguage{
			Code:   code,
			At:     at.problem("%s is not among the languages that a translation service is known to have", code),
			Remedy: LanguageRemedy(key, code, p.Language(code).Path, all),
		})
	}
	return unknown
}

// LanguageRemedy says what to write instead of a language that a translation service is known not to have. path is how
// the repository's paths spell it, others are the codes beside it.
func LanguageRemedy(key, code, path string, others []string) string {
	instead := languages.Instead(code, others)
	near := languages.Alternatives(code, others)
	switch {
	case instead != "":
		return fmt.Sprintf("write %q in %s, and %s = %q in [project.language_paths]", instead, key, quotedKey(instead), path)
	case key == "source_language":
		return "ask the service for the language before you create the project: its source language cannot be changed " +
			"afterwards"
	case len(near) > 0 && len(near) < 6: // a longer list does not help
		return fmt.Sprintf("write %s, where that is meant, and its spelling %q in [project.language_paths]; "+
			"or take it out of target_languages: its files then stay as they are", strings.Join(near, " or "), path)
	}
	return "take it out of target_languages before you use such a service: its files then stay as they are"
}

// quotedKey is a code as a key of a TOML table.
func quotedKey(code string) string {
	if strings.Contains(code, "-") {
		return strconv.Quote(code)
	}
	return code
}

// checkSpelling says what is wrong with the way language_paths wants a language spelled; "" when it can
// be part of a path.
func checkSpelling(spelling string) string {
	switch {
	case spelling == "":
		return "must be how paths spell the language; leave the line out for the service's own spelling"
	case strings.ContainsAny(spelling, `/\:{}`), strings.IndexFunc(spelling, unicode.IsControl) >= 0:
		return fmt.Sprintf("%q cannot be one part of a path: no slashes, colons, braces or control characters", spelling)
	}
	if why := unsafeSegment(spelling); why != "" {
		return fmt.Sprintf("%q cannot be part of a path: %s", spelling, why)
	}
	return ""
}

// SameFile says whether two paths may be one file, on some system where the repository is checked out.
func SameFile(a, b string) bool { return Fold(a) == Fold(b) }

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
