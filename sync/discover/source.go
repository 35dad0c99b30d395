package discover

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// declarations are where projects of an ecosystem say which language their texts are written in: by the file's name,
// the folder that it must be in ("" for any), and what to look for.
var declarations = []struct {
	name, folder *regexp.Regexp
	says         *regexp.Regexp
}{
	{re(`^project\.pbxproj$`), nil, re(`developmentRegion = "?([A-Za-z_-]+)"?;`)},
	{re(`^application\.rb$`), re(`(^|/)config$`), re(`(?m)^[^#\n]*i18n\.default_locale\s*=\s*[:"']+([A-Za-z_-]+)`)},
	{re(`^manifest\.json$`), nil, re(`"default_locale"\s*:\s*"([A-Za-z_-]+)"`)},
	{re(`^(next-i18next|next|nuxt|i18next|i18n|astro)(\.config)?\.(js|mjs|cjs|ts|mts|jsx|tsx)$`), nil,
		re(`(?m)^[^\n]*?\b(?:defaultLocale|fallbackLng|fallbackLocale)["']?\s*[:=]\s*\[?\s*["']([A-Za-z_-]+)["']`)},
	{re(`^index\.(js|ts)$`), re(`(^|/)(i18n|locales|lang|plugins)$`),
		re(`(?m)^[^\n]*?\b(?:defaultLocale|fallbackLng|fallbackLocale)["']?\s*[:=]\s*\[?\s*["']([A-Za-z_-]+)["']`)},
	{re(`^angular\.json$`), nil, re(`"sourceLocale"\s*:\s*(?:\{\s*"code"\s*:\s*)?"([A-Za-z_-]+)"`)},
	{re(`^(translation|framework)\.ya?ml$`), re(`(^|/)config/packages$`),
		re(`(?m)^\s*default_locale:\s*["']?([A-Za-z_-]+)`)},
	{re(`^(hugo|config)\.(toml|ya?ml)$`), nil, re(`(?mi)^\s*defaultContentLanguage\s*[=:]\s*["']?([A-Za-z_-]+)`)},
	{re(`^app\.php$`), re(`(^|/)config$`), re(`'fallback_locale'\s*=>\s*(?:env\([^,]*,\s*)?'([A-Za-z_-]+)'`)},
	{re(`^resources\.properties$`), re(`(^|/)res$`), re(`(?m)^\s*unqualifiedResLocale\s*=\s*([A-Za-z_-]+)`)},
}

func re(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

// declaration tells what to look for in a file that says the source language.
func declaration(name string) (*regexp.Regexp, bool) {
	folder, base := path.Split(name)
	for _, d := range declarations {
		if d.name.MatchString(base) && (d.folder == nil || d.folder.MatchString(strings.TrimSuffix(folder, "/"))) {
			return d.says, true
		}
	}
	return nil, false
}

func (s *search) readDeclaration(name string, says *regexp.Regexp) {
	src, err := s.readFile(name, &s.leftHints)
	if why := (unread{}); errors.As(err, &why) {
		if len(s.hints) == 0 {
			s.hints = []LeftOut{{name, 0, "may say what the source language is, and is not read: it is too large, " +
				"or there are too many like it"}}
		}
		s.hints[0].Files++
	}
	if err != nil {
		return
	}
	if m := says.FindSubmatch(src); m != nil {
		code := english[string(m[1])]
		if code == "" {
			code, _ = codeOf(string(m[1]))
		}
		if code != "" {
			s.declared[code] = append(s.declared[code], name)
		}
	}
}

// decide settles the source language: the one that was given, that the projects' settings say, English, or the one that
// is most often there.
func (s *search) decide(believed []*template, given string) {
	s.reason, s.unsure = "", ""
	if given != "" {
		s.source, s.reason = given, "it was given"
		return
	}
	main := product(believed)
	there, alone, bases := census(main)
	best, by := "", ""
	for _, code := range slices.SortedFunc(maps.Keys(s.declared), func(a, b string) int {
		return cmp.Or(len(s.declared[b])-len(s.declared[a]), strings.Compare(a, b))
	}) {
		if best = met(code, there, alone, bases); best != "" {
			by = code
			break
		}
	}
	if best != "" {
		s.source, s.reason = best, s.declared[by][0]+" says so"
		if best != by {
			s.reason = fmt.Sprintf("%s says %s, and the files are in %s", s.declared[by][0], by, best)
		}
		return
	}
	believed = main
	s.source = s.guess(believed, there, alone, bases)
	s.unsure = s.otherBase(believed)
	switch fuller, more := s.fuller(believed); {
	case s.unsure != "":
	case fuller != "":
		s.reason = fmt.Sprintf("its files have %s more than those in %s", texts(more), s.source)
		s.source = fuller
	case there[s.source] == 0:
		s.reason = "files without a language in their path are taken for English"
	case strings.HasPrefix(s.source, "en"):
		s.reason = "the default; --source names another"
	default:
		s.reason = "there is no English, and no language with more files"
	}
	for _, code := range sortedKeys(s.declared) { // its texts are in code, or a framework's template says so
		s.reason += fmt.Sprintf("; %s says %s, which no file is in", s.declared[code][0], code)
	}
}

// product is the templates with the most languages, and those with half as many: they decide what the source language
// is. What is beside them is a tutorial, a plugin or a template.
func product(believed []*template) []*template {
	most := 0
	for _, t := range believed {
		by, _ := t.spellings()
		most = max(most, len(by))
	}
	main := slices.DeleteFunc(slices.Clone(believed), func(t *template) bool {
		by, _ := t.spellings()
		return len(by)*2 < most
	})
	if anyEnglish(believed) && !anyEnglish(main) { // the product's own source texts are elsewhere
		return believed
	}
	return main
}

func anyEnglish(templates []*template) bool {
	return slices.ContainsFunc(templates, func(t *template) bool {
		by, _ := t.spellings()
		return t.base != "" || slices.ContainsFunc(sortedKeys(by), func(code string) bool { return sameLanguage(code, "en") })
	})
}

// census counts templates by language, those that have no file without a language also alone, and those that have one.
func census(templates []*template) (there, alone map[string]int, bases int) {
	there, alone = make(map[string]int), make(map[string]int)
	for _, t := range templates {
		by, _ := t.spellings()
		for code := range by {
			there[code]++
			if t.base == "" {
				alone[code]++
			}
		}
		if t.base != "" {
			bases++
		}
	}
	return there, alone, bases
}

// met is the language of the files that a declared one means: itself, or the region that is there instead; a declared
// en is met by en-US. What is beside files without a language is a translation.
func met(code string, there, alone map[string]int, bases int) string {
	if there[code] > 0 {
		return code
	}
	votes := make(map[string]int)
	for other, n := range alone {
		if sameLanguage(code, other) {
			votes[other] = n
		}
	}
	if best := most(votes, ""); best != "" {
		return best
	}
	if bases > 0 {
		return code
	}
	return ""
}

// standIns gives templates that have no file in the source language the one in its only other spelling, unless that is
// a translation elsewhere.
func (s *search) standIns(templates []*template) {
	translated := make(map[string]bool)
	for _, t := range templates {
		by, _ := t.spellings()
		if t.base != "" || by[s.source] != "" {
			for code := range by {
				translated[code] = true
			}
		}
	}
	for _, t := range templates {
		t.stand = ""
		by, _ := t.spellings()
		if t.base != "" || by[s.source] != "" || t.android() {
			continue
		}
		var same []string
		for code, spelling := range by {
			if sameLanguage(code, s.source) && !translated[code] {
				same = append(same, t.files[spelling])
			}
		}
		if len(same) == 1 {
			t.stand = same[0]
		}
	}
}

func texts(n int) string {
	if n == 1 {
		return "1 text"
	}
	return strconv.Itoa(n) + " texts"
}

// guess is English where there is any, else the language that is most often there; of several, the one with the most
// texts, or the commonest.
func (s *search) guess(believed []*template, there, alone map[string]int, bases int) string {
	isEnglish := func(code string) bool { return strings.HasPrefix(code, "en-") }
	if there["en"] > 0 || bases > 0 && !slices.ContainsFunc(sortedKeys(alone), isEnglish) {
		return "en"
	}
	codes := sortedKeys(alone)
	if slices.ContainsFunc(codes, isEnglish) { // en-US, en-GB
		codes = slices.DeleteFunc(codes, func(code string) bool { return !isEnglish(code) })
		if there["en-US"] > 0 && !slices.ContainsFunc(codes, func(code string) bool { return there[code] > there["en-US"] }) {
			return "en-US"
		}
	}
	if len(codes) == 0 {
		return "en"
	}
	full := s.fullness(believed)
	rank := func(code string) int {
		if at := slices.Index(common, code); at >= 0 {
			return at
		}
		return len(common)
	}
	return slices.MinFunc(codes, func(a, b string) int {
		return cmp.Or(there[b]-there[a], full[b]-full[a], rank(a)-rank(b))
	})
}

// mostRead bounds how many files are read to find out which language is the fullest.
const mostRead = 200

// fuller finds a language whose files hold a quarter more texts than the English ones beside them: then English is a
// translation. Other languages are not doubted: there is no first one among them.
func (s *search) fuller(believed []*template) (string, int) {
	if s.source != "en" {
		return "", 0
	}
	beside := slices.DeleteFunc(slices.Clone(believed), func(t *template) bool {
		by, _ := t.spellings()
		return t.base != "" || by["en"] == ""
	})
	full := s.fullness(beside)
	best, more := "", 0
	for _, code := range sortedKeys(full) {
		if n := full[code] - full["en"]; n > more && n > 5 && full[code]*4 > full["en"]*5 {
			best, more = code, n
		}
	}
	return best, more
}

// fullness counts the texts of each language, plural forms of one text once: some languages have more of those.
func (s *search) fullness(templates []*template) map[string]int {
	full := make(map[string]int)
	read := 0
	for _, t := range templates {
		by, _ := t.spellings()
		if read += len(by); read > mostRead || s.left < mostOfAll/2 { // the source files are to be read as well
			break
		}
		for code, spelling := range by {
			texts := make(map[string]bool)
			for entry := range s.read(t.files[spelling], spelling).byEntry {
				key, _, _ := strings.Cut(entry, "\x00")
				texts[pluralEnd.ReplaceAllString(key, "")] = true
			}
			full[code] += len(texts)
		}
	}
	return full
}

var pluralEnd = re(`[/_.](zero|one|two|few|many|other)$`)

// otherBase finds an unqualified folder of Android beside an English one that says something else: then the unqualified
// one is in a language that no path tells.
func (s *search) otherBase(believed []*template) string {
	for _, t := range believed {
		by, _ := t.spellings()
		if s.source != "en" || !t.android() || t.base == "" || by["en"] == "" {
			continue
		}
		base, english := s.read(t.base, ""), s.read(t.files[by["en"]], by["en"])
		both, same := 0, 0
		for key, text := range english.byEntry {
			if other, ok := base.byEntry[key]; ok {
				both++
				if other == text {
					same++
				}
			}
		}
		if both > 0 && same*2 < both {
			return fmt.Sprintf("%s is in a language that its path does not tell: %s beside it is English, "+
				"and says something else", t.base, t.files[by["en"]])
		}
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
