package discover

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats"
)

// resourceFolders are folder names that resource files are kept under. A single language is only believed in there.
var resourceFolders = []string{"locale", "locales", "_locales", "i18n", "l10n", "lang", "langs", "language",
	"languages", "translation", "translations", "messages", "localization", "localizations", "intl", "LC_MESSAGES"}

// spotted is a file with the part of its path that names its language taken out.
type spotted struct {
	file     string
	template string // with {LANGUAGE}, {LOCALE:ANDROID} or {LOCALE:IOS} there
	at       int    // which part of the path that is
	spelling string // what stood there; "" for the unqualified folder of Android and for Base.lproj
	base     bool   // spelling says nothing: the source language, whatever that is
}

// spot finds every part of a path that may name a language.
func spot(name string) []spotted {
	ext := path.Ext(name)
	parts := strings.Split(name, "/")
	var found []spotted
	add := func(at int, placeholder, spelling string) {
		p := slices.Clone(parts)
		p[at] = placeholder
		found = append(found, spotted{name, strings.Join(p, "/"), at, spelling, spelling == ""})
	}
	last := len(parts) - 1
	format, _ := formats.ByExtension(name)
	for i, part := range parts {
		switch {
		case format.Platform == formats.Android:
			qualified, values := strings.CutPrefix(part, "values")
			spelling := strings.TrimPrefix(qualified, "-")
			if _, ok := codeOf(spelling); i == last-1 && values && (qualified == "" || ok && strings.HasPrefix(qualified, "-")) {
				add(i, "values-{LOCALE:ANDROID}", spelling)
			}
		case format.Platform == formats.Apple && strings.Contains(name, ".lproj/"):
			folder, lproj := strings.CutSuffix(part, ".lproj")
			_, ok := codeOf(folder)
			if i < last && lproj && folder == "Base" {
				add(i, "{LOCALE:IOS}.lproj", "")
			} else if i < last && lproj && (ok || english[folder] != "") {
				add(i, "{LOCALE:IOS}.lproj", folder)
			}
		case i < last:
			if _, ok := codeOf(part); ok {
				add(i, "{LANGUAGE}", part)
			}
		default:
			spotInName(strings.TrimSuffix(part, ext), ext, func(placeholder, spelling string) { add(i, placeholder, spelling) })
		}
	}
	return append(found, spotTwice(found)...)
}

// spotTwice joins the two parts of a path that name one language: en/en.json.
func spotTwice(found []spotted) []spotted {
	var both []spotted
	for i, a := range found {
		for _, b := range found[i+1:] {
			if a.spelling != b.spelling || a.at == b.at || a.base ||
				strings.Contains(a.template, "{LOCALE:") || strings.Contains(b.template, "{LOCALE:") {
				continue
			}
			parts := strings.Split(a.template, "/")
			parts[b.at] = strings.Split(b.template, "/")[b.at]
			both = append(both, spotted{a.file, strings.Join(parts, "/"), b.at, a.spelling, false})
		}
	}
	return both
}

// spotInName finds the language in the name of a file: alone, or behind the last mark that leaves one (app_zh_CN,
// devise.pt-BR).
func spotInName(stem, ext string, add func(placeholder, spelling string)) {
	if _, ok := codeOf(stem); ok {
		add("{LANGUAGE}"+ext, stem)
		return
	}
	for at := 1; at < len(stem); at++ {
		if !strings.ContainsRune("._-", rune(stem[at])) {
			continue
		}
		if _, ok := codeOf(stem[at+1:]); ok {
			add(stem[:at+1]+"{LANGUAGE}"+ext, stem[at+1:])
			return
		}
	}
}

// codeOf is codeOf for what a template has in a language's position, the names of Apple's older projects included.
func (t *template) codeOf(spelling string) string {
	if code := t.proven[spelling]; code != "" {
		return code
	}
	if code := english[spelling]; code != "" {
		return code
	}
	code, _ := codeOf(spelling)
	return code
}

// template is the files of one template, by spelling of the language.
type template struct {
	text     string
	at       int // the part of the path that names the language
	files    map[string]string
	proven   map[string]string // the codes of spellings that only the texts prove to be of a language
	base     string            // the file whose path names no language
	stand    string            // the file in the source language's other spelling, where its own has none: en-US for en
	standing standing
}

// inName reports whether the language is in the file's name and not in a folder's.
func (t *template) inName() bool { return strings.Contains(path.Base(t.text), "{") }

func (t *template) android() bool { return strings.Contains(t.text, "{LOCALE:ANDROID}") }

// findBase looks for the file that its translations were named after: messages.json beside messages.de.json,
// locales/app.json above locales/de/app.json.
func (t *template) findBase(names map[string]bool) {
	if strings.Contains(t.text, "{LOCALE:") {
		return
	}
	if t.base = t.extracted(names); t.base != "" {
		return
	}
	parts := strings.Split(t.text, "/")
	if t.inName() {
		before, after, _ := strings.Cut(parts[t.at], "{LANGUAGE}")
		if before == "" {
			return
		}
		parts[t.at] = strings.TrimRight(before, "._-") + after
	} else {
		parts = slices.Delete(parts, t.at, t.at+1)
	}
	if name := strings.Join(parts, "/"); len(t.files) > 0 {
		if _, there := names[name]; there {
			t.base = name
		}
	}
}

// extracted looks for the file that a program's texts were extracted to, where the format has an extension for those:
// locale/app.pot for locale/de/LC_MESSAGES/app.po, also in the folders above; po/app.pot, alone there, for po/de.po.
func (t *template) extracted(names map[string]bool) string {
	format, _ := formats.ByExtension(t.text)
	if format.Extracted() == "" || len(t.files) == 0 {
		return ""
	}
	before, _, _ := strings.Cut(t.text, "{LANGUAGE}")
	stem := strings.TrimSuffix(path.Base(t.text), path.Ext(t.text))
	stem = strings.Trim(strings.ReplaceAll(stem, "{LANGUAGE}", ""), "._-")
	for folder := path.Dir(before + "x"); ; folder = path.Dir(folder) {
		if name := path.Join(folder, stem+format.Extracted()); stem != "" {
			if _, there := names[name]; there {
				return name
			}
		}
		if folder == "." {
			break
		}
	}
	var found []string
	for name := range names {
		if stem == "" && path.Dir(name) == path.Dir(before+"x") && path.Ext(name) == format.Extracted() {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// spellings are how the paths of its files name languages, one way each: of two ways the service's, or else the first.
func (t *template) spellings() (by map[string]string, doubled []string) {
	by = make(map[string]string, len(t.files))
	for _, spelling := range sortedKeys(t.files) {
		code := t.codeOf(spelling)
		switch other, twice := by[code]; {
		case !twice:
			by[code] = spelling
		case plainSpelling(spelling) == code, t.proven[other] != "" && t.proven[spelling] == "":
			by[code] = spelling
			doubled = append(doubled, other)
		default:
			doubled = append(doubled, spelling)
		}
	}
	return by, doubled
}

// sourceFile is the template's file in the source language; "" where it has none. Android's unqualified folder is the
// source's whatever else there is.
func (t *template) sourceFile(source string) string {
	if t.android() {
		return t.base
	}
	by, _ := t.spellings()
	if spelling, ok := by[source]; ok {
		return t.files[spelling]
	}
	return cmp.Or(t.base, t.stand)
}

// inPlace reports whether the files lie where resource files do.
func (t *template) inPlace() bool {
	for part := range strings.SplitSeq(path.Dir(t.text), "/") {
		if slices.Contains(resourceFolders, part) {
			return true
		}
	}
	return false
}

// believable: the same file in two languages, or one in a folder that resource files are kept under, or of a format
// that is nothing else.
func (t *template) believable() bool {
	format, _ := formats.ByExtension(t.text)
	if strings.Contains(t.text, "{LOCALE:") || format.Texts {
		return true
	}
	by, _ := t.spellings()
	known := 0
	for _, spelling := range by {
		if isCommon(spelling) {
			known++
		}
	}
	if t.base != "" && !t.inName() { // a file above a folder called id is nothing yet
		return t.inPlace() && known > 0 && len(by) > 1
	}
	switch {
	case t.inPlace():
		return known > 0
	case t.base != "":
		return known > 1 || known == 1 && isProgrammersSource(t.base)
	}
	return known > 1
}

// isProgrammersSource reports whether a file without a language is named as sources of translations are.
func isProgrammersSource(base string) bool {
	stem := strings.ToLower(path.Base(base))
	for _, word := range []string{"messages", "strings", "translations", "package.nls", "labels", "locale", "i18n",
		"texts", "bundle", "resource", "applicationresources"} {
		if strings.HasPrefix(stem, word) {
			return true
		}
	}
	return false
}
