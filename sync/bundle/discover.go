package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
)

// Discovery is what a tree of files looks like to somebody who has to write its configuration.
type Discovery struct {
	Source  string            // the source language, as the service spells it
	Targets []string          // the other languages, likewise, sorted
	Paths   map[string]string // how paths spell a language, where that is not the service's spelling
	Groups  []Discovered
}

// Discovered is source files that are named alike and where their translations stand.
type Discovered struct {
	Source     string // pattern for the source files
	Output     string // template for the translations
	Format     string
	Collection string
	Files      []string // source files that there are
	Languages  []string // languages that there are, the source's included
}

// skipped are folders that hold other people's files or made ones.
var skipped = []string{"node_modules", "vendor", "Pods", "DerivedData", "build", "dist", "target", "out", ".gradle", ".venv", "venv", "third_party", "Carthage"}

// places are folder names that resource files are kept under. A single language is only believed in there.
var places = []string{"locale", "locales", "_locales", "i18n", "l10n", "lang", "langs", "language", "languages", "translation", "translations", "messages", "strings", "res", "resources"}

// spotted is a file with the part of its path that names its language taken out.
type spotted struct {
	file     string
	template string // with {LANGUAGE}, {LOCALE:ANDROID} or {LOCALE:IOS} in that place
	spelling string // what stood there; "" for the unqualified folder of Android and for Base.lproj
	base     bool   // spelling says nothing: the source language, whatever that is
}

// Discover finds resource files and their languages in a tree.
func Discover(fsys fs.FS) (Discovery, error) {
	var all []spotted
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name != "." && (errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid)) {
				return nil // not to be read, just gone, or of a name that is no text
			}
			return err
		}
		if d.IsDir() {
			if name != "." && (slices.Contains(skipped, d.Name()) || strings.HasPrefix(d.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if _, known := formats.ByExtension(name); known && d.Type().IsRegular() && nameable(name) {
			all = append(all, spot(name)...)
		}
		return nil
	})
	if err != nil {
		return Discovery{}, fmt.Errorf("look for resource files: %w", err)
	}
	return sortOut(fsys, all), nil
}

// nameable reports whether a configuration can name a path: an output cannot hold what is a placeholder's or what not every file system can
// write.
func nameable(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsControl(r) || strings.ContainsRune("{}*?\"<>|\\:,", r)
	})
}

// spot finds every place of a path that may name a language.
func spot(name string) []spotted {
	ext := path.Ext(name)
	parts := strings.Split(name, "/")
	var found []spotted
	for i, part := range parts {
		last := i == len(parts)-1
		with := func(placeholder string) string {
			p := slices.Clone(parts)
			p[i] = placeholder
			return strings.Join(p, "/")
		}
		folder, lproj := strings.CutSuffix(part, ".lproj")
		qualified, values := strings.CutPrefix(part, "values")
		stem, isFile := strings.CutSuffix(part, ext)
		switch {
		case ext == ".xml":
			if values && !last && (qualified == "" || strings.HasPrefix(qualified, "-")) && androidFile(parts[len(parts)-1]) {
				spelling := strings.TrimPrefix(qualified, "-")
				if tag, ok := strings.CutPrefix(spelling, "b+"); ok { // values-b+sr+Latn
					spelling = strings.ReplaceAll(tag, "+", "-")
				}
				if _, ok := codeOf(spelling); ok || spelling == "" {
					found = append(found, spotted{name, with("values-{LOCALE:ANDROID}"), spelling, spelling == ""})
				}
			}
		case ext == ".strings":
			if lproj && !last {
				_, ok := codeOf(folder)
				if ok || folder == "Base" {
					found = append(found, spotted{name, with("{LOCALE:IOS}.lproj"), folder, folder == "Base"})
				}
			}
		case last && isFile:
			if _, ok := codeOf(stem); ok {
				found = append(found, spotted{name, with("{LANGUAGE}" + ext), stem, false})
				break
			}
			for _, mark := range []string{".", "_", "-"} {
				if at := strings.LastIndex(stem, mark); at > 0 {
					if _, ok := codeOf(stem[at+1:]); ok {
						found = append(found, spotted{name, with(stem[:at+1] + "{LANGUAGE}" + ext), stem[at+1:], false})
						break
					}
				}
			}
		case !last:
			if _, ok := codeOf(part); ok {
				found = append(found, spotted{name, with("{LANGUAGE}"), part, false})
			}
		}
	}
	return found
}

// androidFile reports whether a file of a values folder may hold strings; others hold colours, sizes and styles.
func androidFile(name string) bool {
	for _, other := range []string{"colors", "color", "dimens", "styles", "style", "themes", "attrs", "ids", "integers", "bools", "drawables", "donottranslate"} {
		if name == other+".xml" {
			return false
		}
	}
	return true
}

// codeOf turns a spelling of a path into the service's code. Parts are judged one by one: a parser of whole language tags takes an
// Android folder (zh-rTW) for something else altogether.
func codeOf(spelling string) (string, bool) {
	parts := strings.FieldsFunc(spelling, func(r rune) bool { return r == '-' || r == '_' })
	if len(parts) == 0 || len(parts) > 3 || strings.Count(spelling, "-")+strings.Count(spelling, "_") != len(parts)-1 {
		return "", false
	}
	if len(parts[0]) < 2 || len(parts[0]) > 3 || strings.ToLower(parts[0]) != parts[0] {
		return "", false
	}
	if _, err := language.ParseBase(parts[0]); err != nil {
		return "", false
	}
	if renamed, ok := map[string]string{"iw": "he", "in": "id", "ji": "yi", "tl": "fil"}[parts[0]]; ok {
		parts[0] = renamed
	}
	for i, p := range parts[1:] {
		if r, android := strings.CutPrefix(p, "r"); android && len(r) == 2 && strings.ToUpper(r) == r {
			p = r
		}
		switch {
		case len(p) == 4:
			s, err := language.ParseScript(p)
			if err != nil {
				return "", false
			}
			p = s.String()
		case len(p) == 2 || len(p) == 3:
			r, err := language.ParseRegion(strings.ToUpper(p))
			if err != nil {
				return "", false
			}
			p = r.String()
		default:
			return "", false
		}
		parts[i+1] = p
	}
	code := strings.Join(parts, "-")
	if script, ok := map[string]string{"zh-CN": "zh-Hans", "zh-SG": "zh-Hans", "zh-TW": "zh-Hant", "zh-HK": "zh-Hant-HK"}[code]; ok {
		return script, true
	}
	return code, true
}

// template is the files of one template, by spelling of the language.
type template struct {
	text  string
	files map[string]string
	base  string // the file whose path names no language
}

// sortOut keeps the templates that are believable and groups those that differ only in the file's name.
func sortOut(fsys fs.FS, all []spotted) Discovery {
	templates := make(map[string]*template)
	for _, s := range all {
		t := templates[s.template]
		if t == nil {
			t = &template{text: s.template, files: make(map[string]string)}
			templates[s.template] = t
		}
		if s.base {
			t.base = s.file
		} else {
			t.files[s.spelling] = s.file
		}
	}
	source := sourceOf(templates)
	d := Discovery{Source: source, Paths: make(map[string]string), Targets: []string{}}
	spellings := make(map[string]map[string]bool)
	taken := make(map[string]bool)
	var kept []*template
	for _, text := range sortedKeys(templates) {
		t := templates[text]
		file := t.sourceFile(source)
		if file == "" || taken[file] || !t.believable(file) {
			continue
		}
		taken[file] = true
		kept = append(kept, t)
		for spelling := range t.files {
			code, _ := codeOf(spelling)
			if spellings[code] == nil {
				spellings[code] = make(map[string]bool)
			}
			spellings[code][plainSpelling(spelling)] = true
		}
	}
	for code, ways := range spellings {
		if code != source {
			d.Targets = append(d.Targets, code)
		}
		if way := sortedKeys(ways)[0]; way != code {
			d.Paths[code] = way
		}
	}
	slices.Sort(d.Targets)
	d.Groups = group(fsys, kept, source)
	return d
}

// plainSpelling undoes what {LOCALE:ANDROID} does to a spelling.
func plainSpelling(spelling string) string {
	if at := strings.Index(spelling, "-r"); at > 0 && len(spelling) == at+4 {
		return spelling[:at+1] + spelling[at+2:]
	}
	return spelling
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// sourceOf guesses the source language: English when most templates have it, else the language that is most often there.
func sourceOf(templates map[string]*template) string {
	count := make(map[string]int)
	for _, t := range templates {
		for spelling := range t.files {
			if code, ok := codeOf(spelling); ok && len(t.files) > 1 {
				count[code]++
			} else if ok {
				count[code] += 0
			}
		}
		if t.base != "" {
			count["en"]++
		}
	}
	best := "en"
	if _, ok := count["en"]; ok {
		return best
	}
	english := func(code string) bool { return strings.HasPrefix(code, "en-") }
	codes := sortedKeys(count)
	if slices.ContainsFunc(codes, english) { // en-US, en-GB
		codes = slices.DeleteFunc(codes, func(code string) bool { return !english(code) })
	}
	for _, code := range codes {
		if _, ok := count[best]; !ok || count[code] > count[best] {
			best = code
		}
	}
	return best
}

func (t *template) sourceFile(source string) string {
	for _, spelling := range sortedKeys(t.files) {
		if code, _ := codeOf(spelling); code == source {
			return t.files[spelling]
		}
	}
	return t.base
}

// believable: the same file in two languages, or a file in a folder that resource files are kept under, or of a format that is
// nothing else.
func (t *template) believable(file string) bool {
	if len(t.files) > 1 || t.base != "" && len(t.files) > 0 {
		return true
	}
	switch path.Ext(file) {
	case ".strings", ".xml", ".locjson":
		return true
	}
	for _, part := range strings.Split(path.Dir(file), "/") {
		if slices.Contains(places, part) {
			return true
		}
	}
	return false
}

// group joins templates that differ in the file's name only into one pattern, where that matches no other file. Files that share a pattern
// share the format: the structured one, which reads flat files as well, as soon as one of them needs it.
func group(fsys fs.FS, kept []*template, source string) []Discovered {
	var groups []Discovered
	index := make(map[string]int)
	for _, t := range kept {
		file := t.sourceFile(source)
		dir, name := path.Split(t.text)
		pattern, output := escaped(file), t.text
		if !strings.Contains(name, "{") { // the language is in a folder: the files beside it are alike
			ext := path.Ext(name)
			pattern, output = escaped(path.Dir(file))+"/*"+ext, dir+"{NAME}"+ext
		}
		key := pattern + "\x00" + output
		at, ok := index[key]
		if !ok {
			at = len(groups)
			index[key] = at
			groups = append(groups, Discovered{Source: pattern, Output: output})
		}
		g := &groups[at]
		if format := formatOf(fsys, file); g.Format == "" || strings.HasPrefix(format, "structured-") {
			g.Format = format
		}
		g.Files = append(g.Files, file)
		for spelling := range t.files {
			if code, _ := codeOf(spelling); !slices.Contains(g.Languages, code) {
				g.Languages = append(g.Languages, code)
			}
		}
		slices.Sort(g.Languages)
	}
	groups = exact(fsys, groups)
	separate(groups)
	return groups
}

// exact names the files one by one where a pattern would match others too: colours and sizes beside Android's strings, what has a better
// source in another folder.
func exact(fsys fs.FS, groups []Discovered) []Discovered {
	var all []Discovered
	for _, g := range groups {
		beside := 0
		if entries, err := fs.ReadDir(fsys, path.Dir(g.Files[0])); err == nil && strings.Contains(path.Base(g.Source), "*") {
			for _, e := range entries {
				if !e.IsDir() && path.Ext(e.Name()) == path.Ext(g.Source) {
					beside++
				}
			}
		}
		if beside <= len(g.Files) && (path.Ext(g.Source) != ".xml" || len(g.Files) > 1) { // a folder of Android gets other files sooner or later
			all = append(all, g)
			continue
		}
		for _, file := range g.Files {
			one := g
			one.Source, one.Files, one.Format = escaped(file), []string{file}, formatOf(fsys, file)
			all = append(all, one)
		}
	}
	return all
}

// escaped is a path as a pattern that matches it and nothing else.
func escaped(name string) string { return strings.ReplaceAll(name, "[", "[[]") }

// separate gives every file keys of its own where there is more than one file: keys of two files may be alike and mean two things.
func separate(groups []Discovered) {
	for i := range groups {
		g := &groups[i]
		g.Collection = "main"
		if len(groups) > 1 {
			g.Collection = strings.Trim(strings.NewReplacer("/", "-", "*", "", "[[]", "", "[", "", "]", "").Replace(path.Dir(g.Source)), "-.")
			if own := ownName(g.Output); own != "" {
				g.Collection = strings.Trim(g.Collection+"-"+own, "-")
			}
			if g.Collection == "" || slices.ContainsFunc(groups[:i], func(o Discovered) bool { return o.Collection == g.Collection }) {
				g.Collection = fmt.Sprintf("files-%d", i+1)
			}
		}
		if len(g.Files) > 1 {
			g.Collection += "-{NAME}"
			if len(groups) == 1 {
				g.Collection = "{NAME}"
			}
		}
	}
}

// ownName is what the file name of an output says beside the language: devise of devise.{LANGUAGE}.yml.
func ownName(output string) string {
	stem := strings.TrimSuffix(path.Base(output), path.Ext(output))
	if before, after, ok := strings.Cut(stem, "{"); ok {
		_, after, _ = strings.Cut(after, "}")
		return strings.Trim(before+after, "-._")
	}
	return ""
}

// formatOf looks into a file whether its kind is the flat or the structured one.
func formatOf(fsys fs.FS, file string) string {
	format, _ := formats.ByExtension(file)
	structured, ok := formats.Named("structured-" + format.Name)
	if !ok {
		return format.Name
	}
	src, err := fs.ReadFile(fsys, file)
	if err != nil {
		return format.Name
	}
	f, err := format.Parse(resource.Keys{}, src)
	if err == nil && len(f.Nested()) > 0 {
		return structured.Name
	}
	return format.Name
}
