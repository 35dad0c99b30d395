package discover

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/locsync/locsync/sync/report"
)

// declaration is where projects of an ecosystem say which language their texts are written in: the file, and what to
// look for in it.
type declaration struct{ file, says *regexp.Regexp }

// scripted is a setting of JavaScript, also behind an or, in a list or a string.
const scripted = `(?m)^[^\n]*?\b(?:defaultLocale|sourceLocale|fallbackLng|fallbackLocale)["']?\s*[:=]\s*\[?\s*["'` +
	"`" + `]CODE["'` + "`" + `]`

var declarations = func() (all []declaration) {
	for _, row := range [][2]string{ // file, setting
		{`project\.pbxproj`, `developmentRegion = "?CODE"?;`},
		{`config/(initializers/)?(application|i18n|locales?)\.rb`,
			`(?m)^[^#\n]*(?i:i18n)\.default_locale\s*=\s*[:"']+CODE`},
		{`manifest\.json`, `"default_locale"\s*:\s*"CODE"`},
		{`((next-i18next|next|next-intl|nuxt|i18next|i18next-parser|i18n|astro|lingui|vue|docusaurus)(\.config)?` +
			`\.(js|mjs|cjs|ts|mts|jsx|tsx|json)|\.linguirc)`, scripted},
		{`(i18n|locales|lang|plugins)/(index|routing|request|config|settings)\.(js|mjs|ts|mts)`, scripted},
		{`[^/]*\.inlang/settings\.json`, `"(?:baseLocale|sourceLanguageTag)"\s*:\s*"CODE"`},
		{`angular\.json`, `"sourceLocale"\s*:\s*(?:\{\s*"code"\s*:\s*)?"CODE"`},
		{`config/packages/(translation|framework)\.ya?ml`, `(?m)^\s*default_locale:\s*["']?CODE`},
		{`(hugo|config)\.(toml|ya?ml)`, `(?mi)^\s*defaultContentLanguage\s*[=:]\s*["']?CODE`},
		{`config/app\.php`, `'fallback_locale'\s*=>\s*(?:env\([^,]*,\s*)?'CODE'`},
		{`res/resources\.properties`, `(?m)^\s*unqualifiedResLocale\s*=\s*CODE`},
		{`(slang|build)\.yaml`, `(?m)^\s*base_locale:\s*["']?CODE`},
		{`Package\.swift`, `defaultLocalization:\s*"CODE"`},
		{`l10n\.yaml`, `(?m)^\s*template-arb-file:\s*["']?([^\s"'#]+)`},
	} {
		all = append(all, declaration{re(`(?:^|/)` + row[0] + `$`), re(strings.ReplaceAll(row[1], "CODE", `([A-Za-z_-]+)`))})
	}
	return all
}()

func re(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

// declarationOf tells what to look for in a file that says the source language.
func declarationOf(name string) (declaration, bool) {
	for _, d := range declarations {
		if d.file.MatchString(name) {
			return d, true
		}
	}
	return declaration{}, false
}

// arbFolder is where l10n.yaml says that Flutter's files are.
var arbFolder = re(`(?m)^\s*arb-dir:\s*["']?([^\s"'#]+)`)

func (s *search) readDeclaration(name string, d declaration) {
	src, err := s.readFile(name, &s.leftHints)
	if why := (unread{}); errors.As(err, &why) {
		s.leave(cmp.Or(s.unreadHint, name), "may say what the source language is, and is not read: it is too large, or "+
			"there are too many like it", 1)
		s.unreadHint = cmp.Or(s.unreadHint, name)
	}
	m := d.says.FindSubmatch(src)
	if err != nil || m == nil {
		return
	}
	if path.Base(name) == "l10n.yaml" { // which names the source file, not the language
		folder := "lib/l10n"
		if named := arbFolder.FindSubmatch(src); named != nil {
			folder = string(named[1])
		}
		template := path.Join(path.Dir(name), folder, string(m[1]))
		for _, found := range spot(template) {
			s.says[template] = languageOf(found.spelling)
		}
		return
	}
	if code := languageOf(string(m[1])); code != "" {
		s.declared[code] = append(s.declared[code], name)
	}
}

// candidate is a language that may be the source's, and what speaks for it.
type candidate struct {
	code         string
	reason       string // for what files or settings claim; "" where none does
	files, alone int    // templates that have a file in it; those of them that have no file without a language
	texts        int    // in the files that are source files if it is right
	settings     int    // that say it
	says         int    // texts in files that say it of themselves
}

// decide settles the source language: the candidate that the strongest evidence speaks for, see the package comment.
func (s *search) decide(believed []*template, given string) {
	s.reason, s.unsure, s.sure = "", "", true
	if given != "" {
		s.source, s.reason = given, "it was given"
		return
	}
	main := product(believed)
	guess, claimed := s.weigh(main)
	if claimed != nil {
		s.source, s.reason = claimed.code, claimed.reason
		s.variant(main)
		return
	}
	s.source, s.sure = guess.code, false
	same, unsure := s.otherBase(main)
	s.unsure = unsure
	switch fuller, more := s.fuller(main); {
	case s.unsure != "":
	case same != "":
		s.source, s.reason = same, "files without a language in their path have its texts"
	case fuller != "":
		s.source, s.reason = fuller, fmt.Sprintf("its files have %s more than those in %s", texts(more), s.source)
	case guess.files == 0:
		s.reason = "files without a language in their path are taken for English"
	case sameLanguage(s.source, "en"):
		s.reason = "the default; --source names another"
	default:
		s.reason = "there is no English, and no language with more files"
	}
	if s.unsure == "" {
		s.variant(main)
	}
	for _, code := range sortedKeys(s.declared) { // its texts are in code, or a framework's template says so
		s.reason += fmt.Sprintf("; %s says %s, which no source file is in", s.declared[code][0], code)
	}
	s.unsure = cmp.Or(s.unsure, s.onlyTranslations(main), s.untold(main, guess))
}

// untold says that nothing tells the language which was guessed from others; "" where something does.
func (s *search) untold(main []*template, guess *candidate) string {
	few := sample(main)
	other, n := s.fullest(few, func(code string) bool { return code != s.source })
	mine := s.textsIn(few, s.source)
	switch isGuess := s.source == guess.code && guess.alone > 0 && !sameLanguage(s.source, "en"); {
	case n == 0:
	case s.textsIn(main, s.source) == 0 && !s.covers(main, s.source):
		return fmt.Sprintf("there is no text in %s, and the files in %s have %s", s.source, other, texts(n))
	case isGuess && len(s.declared) > 0:
		code := sortedKeys(s.declared)[0]
		return fmt.Sprintf("%s says that the source language is %s, and no file is in it; make one with the texts of the "+
			"program", s.declared[code][0], code)
	case isGuess && n*5 > mine*4:
		return fmt.Sprintf("nothing says which language the texts are written in: none are in English, and the files in %s "+
			"and %s have about as many", s.source, other)
	}
	return ""
}

// weigh puts together what speaks for each language. claimed is the one that files and the program's settings claim,
// where files with texts bear that out: of several the one with the most texts, of which a tenth more or less is
// chance, then with the most settings. guess is what it is without a claim.
func (s *search) weigh(main []*template) (guess, claimed *candidate) {
	all := make(map[string]*candidate)
	of := func(code string) *candidate {
		if all[code] == nil {
			all[code] = &candidate{code: code, texts: -1}
		}
		return all[code]
	}
	base, alone := false, false
	for _, t := range main {
		if t.catalog() {
			continue // it says its language itself
		}
		base = base || t.base != ""
		for code := range t.by() {
			of(code).files++
			of(code).alone += bit(t.base == "")
			alone = alone || t.base == ""
		}
	}
	if base || !alone {
		of("en")
	}
	guess = slices.MinFunc(slices.Collect(maps.Values(all)), func(a, b *candidate) int { return s.likelier(main, a, b) })
	claim := func(code, reason string, settings, says int) {
		c := of(code)
		c.reason = cmp.Or(c.reason, reason)
		c.settings += settings
		c.says += says
	}
	for _, code := range sortedKeys(s.declared) {
		found, by := met(code, all, base), s.declared[code]
		if found == "" {
			continue
		}
		reason := by[0] + " says so"
		if found != code {
			reason = fmt.Sprintf("%s says %s, and the files are in %s", by[0], code, found)
		}
		claim(found, reason, len(by), 0)
		for _, t := range main {
			if guess.code != found && t.bundle() && s.otherThan(t, found) {
				claim(guess.code, t.base+" is not in "+found+", although "+reason, 0, 0)
			}
		}
	}
	for _, t := range main {
		for _, name := range t.all() {
			if code := s.says[name]; code != "" {
				claim(code, name+" says so", 0, s.read(name).texts())
			}
		}
	}
	for _, code := range sortedKeys(all) {
		c := all[code]
		if c.reason == "" {
			continue
		}
		c.texts = s.textsIn(main, code)
		isMore := claimed == nil || c.texts*10 > claimed.texts*11
		isAsMany := claimed != nil && c.texts*11 >= claimed.texts*10
		if c.texts == 0 && len(main) > 0 && !s.covers(main, code) {
			continue
		}
		if isMore || isAsMany && cmp.Or(c.settings-claimed.settings, c.says-claimed.says) > 0 {
			claimed = c
		}
	}
	return guess, claimed
}

// likelier compares candidates that nothing claims: English, then the one that most files are in, with the most texts,
// the commonest.
func (s *search) likelier(main []*template, a, b *candidate) int {
	if a.rank() != b.rank() {
		return b.rank() - a.rank()
	}
	for _, c := range []*candidate{a, b} {
		if c.texts < 0 { // the files are read where nothing else tells
			c.texts = s.textsIn(sample(main), c.code)
		}
	}
	commonest := func(c *candidate) int { return (slices.Index(common, c.code) + len(common)) % (len(common) + 1) }
	return cmp.Or(b.texts-a.texts, commonest(a)-commonest(b), strings.Compare(a.code, b.code))
}

// rank is what speaks for a candidate that nothing claims: English, then a region of it, the American first; then the
// most files; last what is only beside files without a language, as a translation of them.
func (c *candidate) rank() int {
	rank := 2*c.files + bit(c.code == "en-US")
	switch {
	case c.code == "en":
		return 4000 + rank
	case c.alone == 0:
		return rank - 4000
	case sameLanguage(c.code, "en"):
		return 2000 + rank
	}
	return rank
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// met is the language of the files that a declared one means: itself, or the region that is there instead; a declared
// en is met by en-US. What is beside files without a language is a translation.
func met(code string, all map[string]*candidate, base bool) string {
	if all[code] != nil && all[code].files > 0 {
		return code
	}
	votes := make(map[string]int)
	for other, c := range all {
		if sameLanguage(code, other) && c.alone > 0 {
			votes[other] = 2*c.alone + bit(other == likely(code))
		}
	}
	if base {
		return most(votes, code)
	}
	return most(votes, "")
}

// mostRead bounds how many files are read to find out which language is the fullest.
const mostRead = 200

// sample are the first of templates, which have so many files.
func sample(templates []*template) []*template {
	read := 0
	for i, t := range templates {
		if read += len(t.files); read > mostRead {
			return templates[:i]
		}
	}
	return templates
}

// textsIn counts the texts of the files that are source files if the source language is this one.
func (s *search) textsIn(templates []*template, code string) (n int) {
	for i, t := range templates {
		if i == mostRead {
			break
		}
		inOther := t.bundle() && s.otherThan(t, code) // what programs fall back to
		if file := s.sourceIf(t, code); file != "" && !inOther {
			n += s.read(file).texts()
		}
	}
	return n
}

// fullest is the language with the most texts in templates, of some.
func (s *search) fullest(templates []*template, some func(code string) bool) (code string, n int) {
	counts := make(map[string]int)
	for _, t := range templates {
		for code := range t.by() {
			if _, counted := counts[code]; !counted && some(code) {
				counts[code] = s.textsIn(templates, code)
			}
		}
	}
	code = most(counts, "")
	return code, counts[code]
}

// covers reports whether files are in a language that cannot be read: what is broken counts as there.
func (s *search) covers(main []*template, code string) bool {
	return slices.ContainsFunc(main, func(t *template) bool {
		file := t.in(code)
		file = cmp.Or(file, t.base)
		return file != "" && s.read(file).err != nil
	})
}

// otherThan reports whether the file without a language says something else than the one in a language beside it: then
// it is not in that language.
func (s *search) otherThan(t *template, code string) bool {
	file := t.in(code)
	if t.base == "" || file == "" || s.says[t.base] == code {
		return false
	}
	shared, same := s.compared(t.base, file)
	return shared > 0 && same*2 < shared
}

// compared counts the texts that two files have under the same keys, and those that are the same.
func (s *search) compared(base, other string) (shared, same int) {
	first := s.read(base).units
	for name, text := range s.read(other).units {
		if first, both := first[name]; both {
			shared++
			same += bit(first == text)
		}
	}
	return shared, same
}

// variant replaces a source language whose files have few of the texts that another variety of it has: en-US.json is {}
// beside en.json. An overlay of a region adds to the source.
func (s *search) variant(main []*template) {
	isVariety := func(code string) bool { return code != s.source && sameLanguage(code, s.source) }
	best, n, mine := s.fullerThan(main, isVariety)
	if n > 2*mine { // translations keep texts that the source lost long ago
		s.reason = fmt.Sprintf("its files have %s, and those in %s have %d", texts(n), s.source, mine)
		s.source = best
	}
}

// fuller finds a language whose files hold a quarter more texts than the English ones beside them: then English is a
// translation. Other languages are not doubted: there is no first one among them.
func (s *search) fuller(main []*template) (string, int) {
	if s.source != "en" {
		return "", 0
	}
	alone := slices.DeleteFunc(slices.Clone(main), func(t *template) bool { return t.base != "" })
	other, n, english := s.fullerThan(sample(alone), func(code string) bool { return code != "en" })
	if n-english > 5 && n*4 > english*5 {
		return other, n - english
	}
	return "", 0
}

// fullerThan is the language, of some, that has the most texts beside files in the source language, and how many both
// have; "" where those cannot be counted.
func (s *search) fullerThan(main []*template, some func(code string) bool) (best string, n, mine int) {
	beside := slices.DeleteFunc(slices.Clone(main), func(t *template) bool { return t.in(s.source) == "" })
	if s.covers(beside, s.source) {
		return "", 0, 0
	}
	best, n = s.fullest(beside, some)
	return best, n, s.textsIn(beside, s.source)
}

// otherBase finds files without a language beside English ones that say something else. They are in the language whose
// file has the same texts; without one their language cannot be told.
func (s *search) otherBase(main []*template) (same, unsure string) {
	for _, t := range main {
		if s.source != "en" || !s.otherThan(t, "en") || !t.fallsBack() {
			continue
		}
		for _, code := range sortedKeys(t.by()) {
			file := t.in(code)
			if shared, equal := s.compared(t.base, file); shared > 1 && equal*5 > shared*4 {
				return code, ""
			}
		}
		if t.bundle() { // else the English file is the source
			english := t.in("en")
			return "", fmt.Sprintf("%s is in a language that its path does not tell: %s beside it is English, and says "+
				"something else", t.base, english)
		}
	}
	return "", ""
}

// onlyTranslations says that what would be the source files are translations of texts that no file has alone: gettext's
// in another language than its texts, or those whose keys are sentences and other texts.
func (s *search) onlyTranslations(main []*template) string {
	for _, t := range main {
		file := t.in(s.source)
		if t.base != "" || file == "" || s.source == "en" || s.source == likely("en") {
			continue
		}
		if t.format().Extracted() != "" {
			if src, err := s.readFile(file, &s.left); err == nil && msgstr.Match(src) {
				return fmt.Sprintf("%s holds translations, and no template has the source texts alone; make one (xgettext, "+
					"pybabel extract, django-admin makemessages --keep-pot) and add it to git", file)
			}
		}
		units, sentences := s.read(file).units, 0
		for unit, text := range units {
			sentences += bit(strings.Contains(unit.Key, " ") && unit.Key != text)
		}
		if !t.format().Bilingual() && sentences*2 > len(units) {
			return fmt.Sprintf("%s holds translations of its keys, which are the source texts; make a file in their "+
				"language that has each text under itself, and add it to git", file)
		}
	}
	return ""
}

// msgstr is a text in a translation's place, in a file of gettext's.
var msgstr = re(`(?m)^msgstr(\[\d\])?[ \t]+"[^"]`)

// product is the templates with the most languages, and those with half as many: they decide what the source language
// is. What is beside them is a tutorial, a plugin or a template.
func product(believed []*template) []*template {
	most := 0
	for _, t := range believed {
		most = max(most, len(t.by()))
	}
	main := slices.DeleteFunc(slices.Clone(believed), func(t *template) bool {
		return len(t.by())*2 < most && !t.catalog()
	})
	english := func(t *template) bool {
		isEnglish := func(code string) bool { return sameLanguage(code, "en") }
		return t.base != "" || slices.ContainsFunc(sortedKeys(t.by()), isEnglish)
	}
	if slices.ContainsFunc(believed, english) && !slices.ContainsFunc(main, english) {
		return believed // the product's own source texts are elsewhere
	}
	return main
}

// pair finds sources for translations whose paths do not lead to one, before the source language is known: a file that
// has their keys and no translation of its own. It is in the folder above or below, as values/localazy.xml for
// values-de/translations.xml and en/en.json for de.json; or it is named alike anywhere, as generated/lang/en_us.json
// for main/lang/de_de.json; or texts were extracted to it. Without that a translation would be the source, or a pull
// would write the same keys into a second file beside them.
func (s *search) pair(believed []*template, given string) {
	isSource := func(code string) bool {
		return code != "" && (code == given || code == "en" || code == likely("en") || s.declared[code] != nil)
	}
	isOther := func(code string) bool { return !isSource(code) }
	taken := make(map[string]bool) // by a template with translations: others of its keys are strays
	for _, t := range believed {
		if len(t.all()) > 1 && slices.ContainsFunc(sortedKeys(t.by()), isOther) {
			maps.Copy(taken, takenBy(t))
		}
	}
	spelled := make(map[string]string) // how a file that may be a source spells its language; "" for one without
	for name := range s.names {
		if standingOf(name) != own {
			continue
		}
		spelled[name] = ""
		for _, spelling := range s.spelled[name] {
			if isSource(languageOf(spelling)) {
				spelled[name] = spelling
			}
		}
	}
	files := sortedKeys(spelled) // of two as likely, one in a source language comes first
	slices.SortStableFunc(files, func(a, b string) int { return bit(spelled[a] == "") - bit(spelled[b] == "") })
	for _, t := range believed {
		hasSource := t.format().Extracted() == "" && slices.ContainsFunc(sortedKeys(t.by()), isSource)
		if t.base != "" || t.catalog() || t.standing != own || hasSource {
			continue
		}
		best := s.fileWithKeysOf(t, files, spelled, taken)
		if best == "" || taken[best] {
			continue
		}
		t.base, t.paired = best, true
		if code := languageOf(spelled[best]); code != "" {
			s.says[best] = code
		}
	}
}

// fileWithKeysOf is the file that has the most of a template's keys, of several the nearest: more than half of them, or
// nearly all, and a tenth of its own, where it is in another folder.
func (s *search) fileWithKeysOf(t *template, files []string, spelled map[string]string, taken map[string]bool) string {
	fullest := slices.MaxFunc(slices.Sorted(maps.Values(t.files)), func(a, b string) int {
		return cmp.Compare(s.sizes[a], s.sizes[b])
	})
	size, its := s.sizes[fullest], s.read(fullest)
	anywhere := t.format().Platform == "" // else programs read translations from beside the source
	around := strings.TrimPrefix(path.Dir(t.above())+"/", "./")
	base, unqualified, ext := path.Base(t.text), t.unqualified(), extension(t.text)
	best, most := "", len(its.units)/2
	for _, file := range files {
		name := path.Base(file)
		isNamed := anywhere && (name == unqualified || name == strings.Replace(base, "{LANGUAGE}", spelled[file], 1))
		isNear := !taken[file] && (t.format().Bilingual() || strings.HasPrefix(file, around))
		if !isNamed && !isNear || path.Ext(file) != ext {
			continue
		}
		isOwn := probably(t.spellingIn(file)) != "" // a language, or a country that is meant for one
		far := !strings.HasPrefix(file, t.above()+"/") || t.android() != strings.Contains(file, "/values/")
		its64th := s.sizes[file] / 64 // data that need not be read
		if isOwn || s.sizes[file]*8 < size || far && its64th > size || t.format().Bilingual() && !s.isExtracted(file) {
			continue
		}
		entries := len(s.read(file).units)
		shared, _ := s.compared(file, fullest)
		isNearer := shared == most && best != "" &&
			alike([]byte(file), []byte(t.text)) > alike([]byte(best), []byte(t.text))
		isNamesake := isNamed && unqualified != ext
		isMost := shared >= 5 && shared*10 >= entries || isNamesake && shared*2 >= entries
		enough := !far || shared*5 > len(its.units)*4 && isMost
		if (shared > most || isNearer) && enough {
			best, most = file, shared
		}
	}
	return best
}

// likely is a language with the region that most of its speakers mean: en is en-US.
func likely(code string) string {
	tag := language.Make(code)
	base, _ := tag.Base()
	region, _ := tag.Region()
	return base.String() + "-" + region.String()
}

// chooseSources settles for each template which of its files is the source, now that the language is known. Last is the
// one in its only other variety, unless that is a translation elsewhere.
func (s *search) chooseSources(all []*template) {
	translated := make(map[string]bool)
	for _, t := range all {
		if by := t.by(); t.base != "" || by[s.source] != "" {
			for code := range by {
				translated[code] = true
			}
		}
	}
	for _, t := range all {
		var varieties []string
		for code, spelling := range t.by() {
			if sameLanguage(code, s.source) && !translated[code] {
				varieties = append(varieties, t.files[spelling])
			}
		}
		t.source = s.sourceIf(t, s.source)
		if t.source == "" && len(varieties) == 1 && !t.android() && !t.catalog() {
			t.source = varieties[0]
		}
	}
}

// sourceIf is a template's source file if the source language is this one; "" where it has none. What says so of itself
// comes first, then the file that programs fall back to, unless it has fewer texts than the one in the language, or
// says something else; then the file in the language.
func (s *search) sourceIf(t *template, code string) string {
	spelled := t.in(code)
	switch {
	case t.paired: // with what another tool names, or by its keys
		return t.base
	case t.catalog() && s.says[spelled] != code, t.android() && code != "en" && s.otherThan(t, code):
		return ""
	case t.android(), t.base != "" && (spelled == "" || s.isExtracted(t.base) || s.isBlank(spelled) &&
		!s.isBlank(t.base)):
		return t.base
	case t.base != "" && t.fallsBack() && !s.otherThan(t, code) &&
		s.read(t.base).texts() >= max(1, s.read(spelled).texts()):
		return t.base
	}
	return spelled
}

// isBlank reports whether a file can be read and has no text.
func (s *search) isBlank(file string) bool {
	r := s.read(file)
	return r.err == nil && len(r.units) == 0
}

func texts(n int) string { return report.Counted(n, "text", "texts") }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
