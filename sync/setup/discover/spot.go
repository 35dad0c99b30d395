package discover

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats"
)

// resourceFolders are folder names that resource files are kept under. A single language is only believed in there.
var resourceFolders = []string{"locale", "locales", "_locales", "i18n", "l10n", "lang", "langs", "language",
	"languages", "translation", "translations", "messages", "localization", "localizations", "intl", "gettext",
	"LC_MESSAGES"}

// spotted is a file with the part of its path that names its language taken out.
type spotted struct {
	file     string
	template string // with {LANGUAGE}, {LOCALE:ANDROID} or {LOCALE:IOS} there
	spelling string // what is there; "" in the unqualified folder of Android and in Base.lproj: the source language
	twoWays  bool   // it is there in two spellings, which one placeholder cannot have
}

// spot finds every part of a path that may name a language.
func spot(name string) (found []spotted) {
	parts := strings.Split(name, "/")
	last := len(parts) - 1
	add := func(at int, before, placeholder, after, spelling string) {
		p := slices.Clone(parts)
		p[at] = before + placeholder + after
		found = append(found, spotted{name, strings.Join(p, "/"), spelling, false})
	}
	switch format, _ := formats.ByExtension(name); {
	case format.Platform == formats.Android && last == 0:
	case format.Platform == formats.Android:
		folder := parts[last-1]
		if qualifier, values := strings.CutPrefix(folder, "values"); values {
			spelling, qualified := strings.CutPrefix(qualifier, "-")
			if qualifier == "" || qualified && codeOf(spelling) != "" {
				add(last-1, "values-", "{LOCALE:ANDROID}", "", spelling)
			}
		} else if folder == "base" {
			add(last-1, "", "{LOCALE:ANDROID}", "", "")
		} else if codeOf(folder) != "" {
			add(last-1, "", "{LOCALE:ANDROID}", "", folder)
		}
	case format.Platform == formats.Apple && strings.Contains(name, ".lproj/"):
		for i, part := range parts[:last] {
			if folder, lproj := strings.CutSuffix(part, ".lproj"); lproj && folder == "Base" {
				add(i, "", "{LOCALE:IOS}", ".lproj", "")
			} else if lproj && languageOf(folder) != "" {
				add(i, "", "{LOCALE:IOS}", ".lproj", folder)
			}
		}
	default:
		for i, part := range parts[:last] {
			at := strings.LastIndexByte(part, '.') + 1 // resource.language.de_de/strings.po
			switch {
			case languageOf(part) != "":
				add(i, "", "{LANGUAGE}", "", part)
			case at > 1 && isCommon(part[at:]) && languageOf(part[at:]) != "":
				add(i, part[:at], "{LANGUAGE}", "", part[at:])
			}
		}
		spotInName(parts[last], func(before, after, spelling string) { add(last, before, "{LANGUAGE}", after, spelling) })
	}
	return append(found, spotTwice(found)...)
}

// spotTwice joins the two parts of a path that name one language: en/en.json, and de_DE/app.de-DE.json in two
// spellings.
func spotTwice(found []spotted) (both []spotted) {
	for i, a := range found {
		for _, b := range found[i+1:] {
			mine, at := codeOf(a.spelling), partOf(b.template)
			isOne := a.spelling == b.spelling
			if !isOne && (mine == "" || mine != codeOf(b.spelling)) || partOf(a.template) == at ||
				strings.Contains(a.template, "{LOCALE:") {
				continue
			}
			parts := strings.Split(a.template, "/")
			parts[at] = strings.Split(b.template, "/")[at]
			both = append(both, spotted{a.file, strings.Join(parts, "/"), a.spelling, !isOne})
		}
	}
	return both
}

// spotInName finds the language in the name of a file: alone, or behind the last mark that leaves one (app_zh_CN,
// devise.pt-BR), or before the first (TYPO3's de.locallang.xlf).
func spotInName(name string, add func(before, after, spelling string)) {
	ext := path.Ext(name)
	if strings.HasSuffix(name, ".i18n"+ext) { // strings_de.i18n.json
		ext = ".i18n" + ext
	}
	stem := strings.TrimSuffix(name, ext)
	if forTests(stem) != "" {
		return
	}
	if languageOf(stem) != "" {
		add("", ext, stem)
		return
	}
	for at := 1; at < len(stem); at++ {
		if strings.ContainsRune("._-", rune(stem[at])) && languageOf(stem[at+1:]) != "" {
			add(stem[:at+1], ext, stem[at+1:])
			break
		}
	}
	if first, more, is := strings.Cut(stem, "."); is && languageOf(first) != "" {
		add("", "."+more+ext, first)
	}
}

// codeOf is codeOf for what a template has in a language's position, the names of Apple's older projects included.
func (t *template) codeOf(spelling string) string {
	return cmp.Or(t.proven[spelling], languageOf(spelling))
}

// languageOf is the code of a spelling, also of a language's name in English; "" of what is neither.
func languageOf(spelling string) string {
	return cmp.Or(codeOf(spelling), named(spelling))
}

// template is the files of one template, by spelling of the language.
type template struct {
	text     string
	files    map[string]string
	names    map[string]string // files that are its own if the names of languages in their paths are meant
	proven   map[string]string // the codes of spellings that only texts or settings prove to be of a language
	base     string            // the file whose path names no language
	lone     bool              // the source language is the whole of a folder or name, and nothing else is there
	paired   bool              // its source is told by its keys, not by its path
	source   string            // the file that translations are made from, once that is settled
	standing standing
}

// partOf is the last part of a template that names the language.
func partOf(text string) int { return strings.Count(text[:max(strings.LastIndex(text, "{"), 0)], "/") }

// above is the folder in which the first part of its paths that names the language is.
func (t *template) above() string {
	before, _, _ := strings.Cut(t.text, "{")
	return path.Dir(before + "x")
}

func newTemplate(text, base string) *template {
	return &template{text: text, base: base, files: make(map[string]string), names: make(map[string]string),
		proven: make(map[string]string), standing: standingOf(text)}
}

// wholeName is a template in which a language is a whole folder or the whole name of a file.
var wholeName = re(`(^|/)\{LANGUAGE\}(/|\.[^./]*$)`)

// inName reports whether the language is in the file's name and not in a folder's.
func (t *template) inName() bool { return strings.Contains(path.Base(t.text), "{") }

func (t *template) android() bool { return strings.Contains(t.text, "{LOCALE:ANDROID}") }

// moko reports whether the folders are named as moko-resources names them: base/strings.xml, de/strings.xml.
func (t *template) moko() bool { return t.android() && !strings.Contains(t.text, "values-{LOCALE") }

// findBase looks for the file that a template's translations were named after: messages.json beside messages.de.json,
// locales/app.json above locales/de/app.json.
func (s *search) findBase(t *template) {
	if strings.Contains(t.text, "{LOCALE:") || len(t.files) == 0 {
		return
	}
	if t.base = s.extractedFor(t); t.base != "" {
		return
	}
	parts, at := strings.Split(t.text, "/"), partOf(t.text)
	if t.inName() {
		parts[at] = strings.TrimSuffix(t.unqualified(), extension(t.text)) + path.Ext(t.text)
	} else {
		parts = slices.Delete(parts, at, at+1)
	}
	name := strings.Join(parts, "/")
	if _, there := s.names[name]; there {
		t.base = name
	}
}

// extractedFor looks for the file that a program's texts were extracted to: locale/app.pot for
// locale/de/LC_MESSAGES/app.po and ui/messages.xlf for ui/src/locale/messages.de.xlf, also in the folders above;
// po/app.pot, alone there, for po/de.po.
func (s *search) extractedFor(t *template) string {
	base, ext := t.unqualified(), extension(t.text)
	for folder := t.above(); base != ext; folder = path.Dir(folder) {
		name := path.Join(folder, base)
		if _, there := s.names[name]; there && s.isExtracted(name) {
			return name
		}
		if folder == "." {
			return ""
		}
	}
	beside := s.beginning(strings.TrimPrefix(t.above()+"/", "./"))
	found := slices.DeleteFunc(slices.Clone(beside), func(name string) bool {
		_, there := s.names[name]
		return !there || path.Dir(name) != t.above() || path.Ext(name) != ext || !s.isExtracted(name)
	})
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// unqualified is the name of its files without a language, as their source's may be: app.json of app_{LANGUAGE}.json
// and {LANGUAGE}.app.json, an extension alone of {LANGUAGE}.json.
func (t *template) unqualified() string {
	before, after, _ := strings.Cut(path.Base(t.text), "{LANGUAGE}")
	name := strings.TrimRight(before, "._-") + after
	if before == "" && strings.Count(after, ".") > 1 {
		name = after[1:]
	}
	return strings.TrimSuffix(name, path.Ext(name)) + extension(t.text)
}

// extension is that of the files that texts of a template's format are extracted to.
func extension(name string) string {
	format, _ := formats.ByExtension(name)
	return cmp.Or(format.Extracted(), path.Ext(name))
}

// isExtracted reports whether a file holds source texts that a tool took out of a program, and no translations.
func (s *search) isExtracted(name string) bool {
	format, _ := formats.ByExtension(name)
	return format.Bilingual() && s.says[name] != "" || format.Extracted() != "" && path.Ext(name) == format.Extracted()
}

// spellings are how the paths of its files name languages, one way each: of two ways the service's, or one of two
// letters, or else the first.
func (t *template) spellings() (by map[string]string, doubled []string) {
	by = make(map[string]string, len(t.files))
	for _, spelling := range sortedKeys(t.files) {
		code := t.codeOf(spelling)
		switch other, twice := by[code]; {
		case !twice:
			by[code] = spelling
		case plainSpelling(spelling) == code, t.proven[other] != "" && t.proven[spelling] == "",
			other != code && len(other) == 3 && len(spelling) == 2:
			by[code] = spelling
			doubled = append(doubled, other)
		default:
			doubled = append(doubled, spelling)
		}
	}
	return by, doubled
}

// by is how the paths of its files name languages, by code.
func (t *template) by() map[string]string {
	by, _ := t.spellings()
	return by
}

// in is its file in a language; "" where there is none.
func (t *template) in(code string) string { return t.files[t.by()[code]] }

// all are its files, the one without a language first.
func (t *template) all() []string {
	all := slices.Compact(slices.Sorted(maps.Values(t.files)))
	if t.base != "" {
		all = slices.Insert(all, 0, t.base)
	}
	return all
}

// takenBy are the files of templates.
func takenBy(templates ...*template) map[string]bool {
	taken := make(map[string]bool)
	for _, t := range templates {
		for _, name := range t.all() {
			taken[name] = true
		}
	}
	return taken
}

// catalog reports whether it is one file with all languages.
func (t *template) catalog() bool { return t.format().Multilingual() }

// format is that of its files.
func (t *template) format() formats.Format {
	format, _ := formats.ByExtension(t.text)
	return format
}

// fallsBack reports whether programs read the file without a language where a translation lacks a text: then it is the
// source, whatever is beside it. One in the folder above may be something else.
func (t *template) fallsBack() bool {
	return t.android() || t.inName() && path.Dir(t.base) == path.Dir(t.text)
}

// bundle reports whether the format's programs always fall back to the file without a language.
func (t *template) bundle() bool {
	return t.base != "" && t.fallsBack() && (t.format().Resources || t.format().Spelling == formats.Regional)
}

// inPlace reports whether the files lie where resource files do.
func (t *template) inPlace() bool { return placeOf(t.text) != "" }

// believable: the same file in two languages, or one in a folder that resource files are kept under, or of a format
// that is nothing else.
func (t *template) believable() bool {
	format, by, known := t.format(), t.by(), 0
	if strings.Contains(t.text, "{LOCALE:") || format.Texts || t.lone {
		return true
	}
	for _, spelling := range by {
		known += bit(isCommon(spelling))
	}
	if name := path.Base(t.text); strings.HasPrefix(name, "{LANGUAGE}") && strings.Count(name, ".") > 1 { // en.old.json
		return known > 1 || known > 0 && t.base != ""
	}
	if t.base != "" && !t.inName() { // a file above a folder called id is nothing yet
		return t.inPlace() && known > 0 && len(by) > 1
	}
	switch {
	case t.inPlace(), t.bundle() && format.Resources: // .resx is nothing else
		return known > 0
	case format.Spelling == formats.Regional && strings.Contains(t.text, "_{LANGUAGE}"):
		return known > 1 || known > 0 && (t.base != "" || by["en"] != "") // application-it.properties is a profile
	case t.base != "":
		return known > 1 || known == 1 && sourceNames.MatchString(path.Base(t.base))
	}
	return known > 1
}

// sourceNames are how sources of translations are named whose paths tell no language.
var sourceNames = re(`(?i)^(messages|strings|translations|package\.nls|labels|locale|i18n|texts|bundle|resource|` +
	`applicationresources)`)
