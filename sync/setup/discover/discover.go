// Package discover reads a tree of files as a person does who has to write its configuration: which are resource
// files, in which languages, how paths spell those, what belongs together, and what looks like a resource file and is
// none.
//
// Evidence of the source language, the strongest first; decide weighs it:
//
//  1. What the user says.
//  2. What a file says of itself: a string catalog's sourceLanguage, XLIFF with a source language and no
//     translation; and what the program's configuration says: the language of Xcode, Rails, Angular, next-intl, Lingui
//     and others, or the file that Flutter's l10n.yaml names. It counts where source files bear it out; of several
//     claims the one that most texts bear out is right. Files that merely lack the language do not overrule it. Files
//     without a language in their path do, beside a translation into it that says something else.
//  3. Files without a language in their path. They are in English, or in the language whose file has the same texts.
//  4. English, unless another language has a quarter more texts.
//  5. The language that most files are in, with the most texts, the commonest. Where another has about as many texts
//     it is asked for.
//
// A variety of the language with more than twice its texts is taken instead: en beside an en-US of {}.
//
// Evidence of a language in a path: a code alone in a folder or name, behind or before the name's own part; a
// platform's folder. A common code in a folder for resources is believed, others where two languages of one path are
// there, or where the texts have the keys of the source. Where all this finds nothing a folder or name that is en, or
// the source language that the user says, and nothing else, is believed alone. A name in English, or a code with a
// capital, counts where its siblings have some, too, and share keys with it. The files of one folder are in one
// language.
//
// Evidence of a pair of source and translation: one path but for the language; a path without it; an extracted file of
// the name in a folder above; and last, the keys: those of translations without a source that a file without
// translations has, near them, named alike anywhere, or extracted. A file has one template of translations.
//
// Evidence that no file is the source, so that it is asked for: the only texts are translations of keys that are
// sentences, or gettext's without a template; or a setting says a language that no file of several is in.
//
// Evidence of a collection: files of one format share one unless they have a key in common.
//
// Its law: what it proposes works unchanged. A configuration made of a Result is valid, finds the source files that
// the Result names and no others, and writes no two translations into one file.
//
// It is pure over an fs.FS and a list of names. It asks nothing, writes nothing, and does not know git, the service or
// the syntax of the configuration file. What it cannot tell it says (Result.Unsure) instead of guessing.
package discover

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/languages"
	"github.com/locsync/locsync/sync/setup/migrate"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Listing is the names of a tree's files, with slashes.
type Listing struct {
	Tracked []string // those that certainly belong to it
	// Others are those that may: what git does not track. They count where they are named like tracked ones, or where
	// nothing is tracked.
	Others []string
}

// Result is what a tree looks like.
type Result struct {
	Source  string            `json:"source_language"`  // as the service spells it
	Reason  string            `json:"reason"`           // why that is taken for the source language
	Unsure  string            `json:"unsure,omitempty"` // why the source language cannot be told; Source is a guess
	Sure    bool              `json:"-"`                // files or settings say the source language, or there is one only
	Targets []string          `json:"target_languages"` // the other languages, likewise, sorted
	Paths   map[string]string `json:"language_paths,omitempty"`
	Groups  []Group           `json:"files"`
	Renamed []Renamed         `json:"renamed,omitempty"`           // languages that files call otherwise than the service
	Unknown []string          `json:"unknown_languages,omitempty"` // codes that no service has, without a substitute
	LeftOut []LeftOut         `json:"left_out,omitempty"`
	Mostly  string            `json:"unsupported,omitempty"` // says that most texts are in a format that is not supported
}

// Renamed is a language that a translation service has under another code than the files say.
type Renamed struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Group is source files that are configured together.
type Group struct {
	Source     string            `json:"source"` // pattern for the source files
	Format     string            `json:"format"`
	Output     string            `json:"output"` // template for the translations
	Collection string            `json:"collection"`
	Prefix     string            `json:"key_prefix,omitempty"`     // before keys, where files with keys in common share it
	Paths      map[string]string `json:"language_paths,omitempty"` // where they differ from the Result's
	Kind       string            `json:"kind"`                     // what a developer calls such files
	Files      []string          `json:"source_files"`
	Languages  []string          `json:"languages"`          // that there are, the source's included
	Keys       int               `json:"keys"`               // of the source files
	Problems   []string          `json:"problems,omitempty"` // source files that cannot be read

	templates []*template
	spelled   map[string]string // by code: as its files are
	region    string            // the mark before a region, where paths spell every language with one
	each      string            // the placeholder that keeps files with a key in common in collections of their own
	texts     []map[catalog.Name]string
}

// LeftOut is files that look like resource files and are not proposed, or a folder that was not read.
type LeftOut struct {
	Path   string `json:"path"`  // with {LANGUAGE} where files of several languages are meant; a folder ends with a slash
	Files  int    `json:"files"` // 0 where they are not known
	Reason string `json:"reason"`
}

// Broken reports whether the files are left out because they cannot be read.
func (l LeftOut) Broken() bool { return strings.HasPrefix(l.Reason, unreadableFile) }

// Options are answers that were given in advance.
type Options struct {
	Source string          // the source language; empty: found out
	Pairs  []migrate.Entry // where another tool has the files; none: found out
}

// standing is how much a file may count.
type standing int

const (
	own      standing = iota // of the product
	aside                    // of tests, examples, templates, documentation, builds: counts where there is nothing else
	stranger                 // another project's: never
)

// Find looks at a tree. What cannot be read is left out and named; that nothing was found shows in Groups.
func Find(fsys fs.FS, l Listing, o Options) Result {
	s := &search{fsys: fsys, names: make(map[string]bool), readings: make(map[string]*reading),
		spelled: make(map[string][]string), templates: make(map[string]*template), declared: make(map[string][]string),
		says: make(map[string]string), unreadable: make(map[string]*unreadable), sizes: make(map[string]int64),
		leftOut: make(map[LeftOut]int), links: map[string]bool{".": false}, left: mostOfAll, leftHints: mostOfHints}
	s.spotAll(l)
	ranked := s.ranked()
	var kept []*template
	var groups []Group
	if len(o.Pairs) > 0 {
		groups = s.finished(s.given(o.Pairs, o.Source))
	} else {
		before := maps.Clone(s.leftOut)
		kept = s.keep(ranked, own, o.Source)
		if len(kept) == 0 {
			s.leftOut = before
			kept = s.keep(ranked, aside, o.Source)
		}
		if len(kept) == 0 {
			for _, t := range ranked {
				t.lone = t.files[cmp.Or(o.Source, "en")] != "" && wholeName.MatchString(t.text)
			}
			kept = s.keep(ranked, own, o.Source)
		}
		s.adopt(kept)
		groups = s.group(kept)
	}
	r := Result{Source: s.source, Reason: s.reason, Unsure: s.unsure, Groups: groups}
	r.known()
	targets := slices.DeleteFunc(r.languages(), func(code string) bool { return code == r.Source })
	r.Sure = r.Unsure == "" && (s.sure || len(targets) == 0)
	r.Choose(targets)
	supported := int64(0)
	for name := range takenBy(kept...) {
		supported += s.sizes[name]
	}
	r.Mostly = s.unsupported(supported)
	for left, files := range s.leftOut {
		left.Files = files
		r.LeftOut = append(r.LeftOut, left)
	}
	slices.SortStableFunc(r.LeftOut, func(a, b LeftOut) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Reason, b.Reason))
	})
	return r
}

// leave leaves out files for one reason, by what their paths have in common.
func (s *search) leave(pattern, reason string, files int) {
	s.leftOut[LeftOut{Path: pattern, Reason: reason}] += files
}

// languages are those of all groups, sorted.
func (r *Result) languages() []string {
	all := []string{}
	for _, g := range r.Groups {
		all = append(all, g.Languages...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// known gives languages that a translation service is known not to have the codes that it has for them; paths go on to
// spell them as they do.
func (r *Result) known() {
	all := r.languages()
	for i, code := range all {
		if _, known := languages.Find(code); known {
			continue
		}
		to := languages.Instead(code, all)
		if to == "" {
			r.Unknown = append(r.Unknown, code)
			continue
		}
		all[i] = to
		r.Renamed = append(r.Renamed, Renamed{code, to})
		if r.Source == code {
			r.Source = to
		}
		for _, g := range r.Groups {
			if at := slices.Index(g.Languages, code); at >= 0 {
				g.Languages[at] = to
				slices.Sort(g.Languages[1:])
			}
			if way, ok := g.spelled[code]; ok {
				g.spelled[to] = way
				delete(g.spelled, code)
			}
		}
	}
}

// search is one look at a tree.
type search struct {
	fsys       fs.FS
	resources  []string        // every file that has the extension of a format, sorted
	names      map[string]bool // those of them that may be resource files; whether git tracks them
	anyTracked bool            // git tracks files that can be proposed
	readings   map[string]*reading
	spelled    map[string][]string // by file: how its path may name its language
	templates  map[string]*template
	declared   map[string][]string // by language code: the files that say it is the source's
	// says is, by file, the language that it is the source in, as itself or the program's settings say
	says map[string]string

	unreadable map[string]*unreadable // by pattern: files of formats that there is no grammar for
	sizes      map[string]int64       // of the files that may be resource files

	unreadHint      string          // the first file that may say the source language and is not read
	left, leftHints int64           // for resource files, and for what may say the source language
	links           map[string]bool // by folder: it is a symbolic link, or below one

	source, reason, unsure string
	sure                   bool            // it is given or claimed
	leftOut                map[LeftOut]int // how many files, by what they have in common and the reason
}

// spotAll sorts the names of a tree into templates.
func (s *search) spotAll(l Listing) {
	for i, names := range [][]string{l.Tracked, l.Others} {
		for _, name := range names {
			_, known := formats.ByExtension(name)
			declares, says := declarationOf(name)
			if !known && !says && !hasNoGrammar(name) {
				continue
			}
			info, err := fs.Lstat(s.fsys, name)
			if errors.Is(err, fs.ErrPermission) {
				s.leave(path.Dir(name)+"/", "is a folder that cannot be looked into: "+fs.ErrPermission.Error(), 1)
			}
			if err != nil || !info.Mode().IsRegular() || s.throughLink(path.Dir(name)) {
				continue // a link, a submodule, or not on this disk
			}
			if before, _, export := strings.Cut(name, exported+"/"); export {
				s.leave(path.Join(path.Dir(before), "{LANGUAGE}"+exported)+"/",
					"is an export of Xcode's, not what the program is built from", 1)
			}
			switch {
			case says && standingOf(name) == own:
				s.readDeclaration(name, declares)
			case hasNoGrammar(name):
				s.noteUnreadable(name, info.Size())
			}
			if !known {
				continue
			}
			s.resources = append(s.resources, name)
			s.sizes[name] = info.Size()
			switch found := spot(name); {
			case neverResource.MatchString(path.Base(name)):
			case nameable(name):
				s.names[name] = i == 0
			case len(found) > 0 && standingOf(name) == own && utf8.ValidString(name):
				s.leave(found[0].template, "has a path that no configuration can name: one of {}*?\"<>|:, is in it, or not "+
					"every file system can write it; rename it", 1)
			}
		}
	}
	slices.Sort(s.resources)
	var catalogs []string
	for _, name := range sortedKeys(s.names) {
		if format, _ := formats.ByExtension(name); format.Multilingual() {
			catalogs = append(catalogs, name) // no part of its path is a language
			continue
		}
		all := spot(name)
		if at := slices.IndexFunc(all, func(found spotted) bool { return found.twoWays }); at < 0 {
			for _, found := range all {
				s.enter(found)
			}
		} else if standingOf(name) == own {
			s.leave(all[at].template, "spells a language in two ways in one path, which a configuration cannot; spell it "+
				"in one", 1)
		}
		if standingOf(name) == own {
			s.readHead(name)
		}
	}
	for _, text := range sortedKeys(s.templates) {
		t := s.templates[text]
		s.believeNames(t)
		s.findBase(t)
		s.withoutSources(t)
		lone := t.moko() && len(t.files) == 0 && !slices.Contains([]string{"strings.xml", "plurals.xml"}, path.Base(t.base))
		if lone || len(t.files) == 0 && s.says[t.base] != "" || t.base == "" && (t.moko() || len(t.files) == 0) {
			delete(s.templates, text) // folders named after languages hold XML of other kinds, and sources other sources
		}
	}
	s.alone()
	for _, name := range catalogs {
		s.enterCatalog(name)
	}
}

// sourceOf is what an XLIFF file says its source language is; translated is that it has translations, or is for them.
var sourceOf, translated = re(`\b(?:source-language|srcLang)="([A-Za-z_-]+)"`),
	re(`\b(?:target-language|trgLang)=|<target\b`)

// readHead remembers what a file says of itself: that it holds source texts only, in a language.
func (s *search) readHead(name string) {
	format, _ := formats.ByExtension(name)
	if !format.Bilingual() || format.Extracted() != "" {
		return
	}
	src, err := s.readFile(name, &s.left)
	m := sourceOf.FindSubmatch(src)
	if err != nil || m == nil || translated.Match(src) {
		return
	}
	if code := codeOf(string(m[1])); code != "" {
		s.says[name] = code
	}
}

// withoutSources takes out of a template the files that hold source texts of their own: TYPO3's locallang_be.xlf is of
// its backend, not Belarusian. A copy of the source that no translator has begun stays.
func (s *search) withoutSources(t *template) {
	for _, spelling := range sortedKeys(t.files) {
		name := t.files[spelling]
		code := s.says[name]
		if code == "" || sameLanguage(code, t.codeOf(spelling)) {
			continue
		}
		if t.base != "" {
			if shared, _ := s.compared(t.base, name); shared*2 > len(s.read(name).units) {
				delete(s.says, name)
				continue
			}
		}
		delete(t.files, spelling)
	}
}

// alone makes templates of the files that texts were extracted to and that have no translation yet: a new translation
// is put where tools of the ecosystem do, in the way of other files of the folder.
func (s *search) alone() {
	taken := make(map[string]bool)
	ways := make(map[string]string) // by folder: how the name of a translation is made of the source's
	for _, t := range s.templates {
		maps.Copy(taken, takenBy(t))
		if t.base != "" && len(t.files) > 0 && path.Dir(t.base) == path.Dir(t.text) && t.inName() {
			ways[path.Dir(t.base)] = strings.Replace(path.Base(t.text), stemOf(t.base), "*", 1)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		if taken[name] || !s.isExtracted(name) {
			continue
		}
		folder, stem := path.Dir(name), stemOf(name)
		text := path.Join(folder, strings.Replace(ways[folder], "*", stem, 1))
		if ways[folder] == "" {
			text = path.Join(folder, newName(folder, stem, path.Ext(name)))
		}
		if s.templates[text] != nil { // po/de.po is another one's
			text = path.Join(folder, stem+"-{LANGUAGE}.po")
		}
		s.templates[text] = newTemplate(text, name)
		s.templates[text].standing = standingOf(name)
	}
}

func stemOf(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// newName is what a first translation of an extracted file is called: gettext's po/de.po, WordPress'
// languages/shop-de_DE.po, otherwise locale/de/LC_MESSAGES/shop.po; messages.de.xlf, and TYPO3's de.locallang.xlf.
func newName(folder, stem, ext string) string {
	switch base := path.Base(folder); {
	case strings.HasPrefix(stem, "locallang"): // TYPO3
		return "{LANGUAGE}." + stem + ext
	case ext != ".pot":
		return stem + ".{LANGUAGE}" + ext
	case base == "po":
		return "{LANGUAGE}.po"
	case base == "languages" || !slices.Contains(resourceFolders, base):
		return stem + "-{LANGUAGE}.po"
	}
	return "{LANGUAGE}/LC_MESSAGES/" + stem + ".po"
}

func (s *search) enter(found spotted) {
	t := s.templates[found.template]
	if t == nil {
		t = newTemplate(found.template, "")
		s.templates[found.template] = t
	}
	s.spelled[found.file] = append(s.spelled[found.file], found.spelling)
	switch {
	case found.spelling == "":
		t.base = found.file
	case codeOf(found.spelling) != "" || strings.Contains(t.text, "{LOCALE:IOS}"):
		t.files[found.spelling] = found.file
	default:
		t.names[found.spelling] = found.file
	}
}

// believeNames takes files for translations whose paths have the names of languages, where they share keys with others
// of them, and all that are named so are in languages, or resource files are kept there.
func (s *search) believeNames(t *template) {
	all := maps.Clone(t.files)
	maps.Copy(all, t.names)
	if len(t.names) == 0 || len(all) < 2 || !t.inPlace() && len(s.filesLike(t)) > len(all) {
		return
	}
	textsOf := func(spelling string) int { return len(s.read(all[spelling]).units) }
	fullest := slices.MaxFunc(sortedKeys(all), func(a, b string) int { return textsOf(a) - textsOf(b) })
	believed := []string{fullest}
	for _, spelling := range sortedKeys(all) {
		shared, _ := s.compared(all[fullest], all[spelling])
		if spelling != fullest && shared*2 > textsOf(spelling) {
			believed = append(believed, spelling)
		}
	}
	for _, spelling := range believed {
		if name := t.names[spelling]; name != "" && len(believed) > 1 {
			t.files[spelling] = name
			t.proven[spelling] = named(spelling)
		}
	}
}

// nameable reports whether a configuration can name a path: an output cannot hold what is a placeholder's or what not
// every file system can write.
func nameable(name string) bool {
	return utf8.ValidString(name) && config.UnsafePath(name) == "" && !strings.ContainsAny(name, "{}*?\"<>|:,")
}

// foreignFolders are folders that hold other people's files.
var foreignFolders = []string{"node_modules", "bower_components", "jspm_packages", "vendor", "vendored", "Pods",
	"Carthage", "DerivedData", "third_party", "third-party", "thirdparty", "external", "venv", "site-packages",
	"__pycache__"}

// asideFolders are folders whose resource files are not part of the product. Some hold what a build makes.
var asideFolders = []string{"build", "dist", "target", "out", "bin", "obj", "coverage", "testing", "spec", "specs",
	"__tests__", "__mocks__", "__fixtures__", "mocks", "fixture", "fixtures", "testdata", "testFixtures", "e2e",
	"cypress", "playwright", "storybook", "stories", "playground", "sandbox", "benchmark", "benchmarks", "template",
	"templates", "tutor", "tutorial", "tutorials", "starter", "boilerplate", "skeleton", "generators", "doc", "docs",
	"documentation", "fastlane", "screenshots"}

// asideWords begin or end the names of such folders: XCUITest, focus-ios-tests, TestApplication, sample_plugin.
var asideWords = re(`^([Tt]est|[Ee]xample|[Ss]ample|[Dd]emo)s?($|[^a-z])|((^|[^A-Za-z])(test|example|sample|demo)|` +
	`Test|Example|Sample|Demo)s?$`)

// exported is the end of a folder that Xcode exports translations to, or imports them from.
const exported = ".xcloc"

func standingOf(name string) standing {
	least := own
	for folder := range strings.SplitSeq(path.Dir(name), "/") {
		switch {
		case slices.Contains(foreignFolders, folder), strings.HasPrefix(folder, ".") && len(folder) > 1,
			strings.HasSuffix(folder, ".framework"), strings.HasSuffix(folder, ".xcframework"),
			strings.HasSuffix(folder, exported):
			return stranger
		case path.Ext(name) == ".pot" && folder == "templates": // of texts, not of programs
		case slices.Contains(asideFolders, folder), asideWords.MatchString(folder):
			least = aside
		}
	}
	return least
}

// neverResource are the names that tools read their settings from, whatever folder a file is in. Names that a set of
// texts may have as well (settings, config, project) are not among them.
var neverResource = re(`(?i)^(\.|(ts|js)config\.|` +
	`(package|package-lock|npm-shrinkwrap|composer|angular|lerna|tslint|nest-cli|manifest|docker-compose|pubspec|mkdocs|` +
	`openapi|swagger|androidmanifest|pom|locsync)\.[^.]*$|` +
	`.*\.(config|schema|lock|eslintrc|prettierrc|babelrc)\.[^.]*$)`)

// There says which languages files were found in, for a user who named another one.
func (r *Result) There() string {
	all := r.languages()
	if len(all) == 0 {
		return "none of the files that look like one has a language that can be told"
	}
	return "there are files in " + strings.Join(all, ", ")
}

// Spelled says how the group's paths spell the languages of a result, where that is not the service's way.
func (g *Group) Spelled(r Result) []string {
	var said []string
	for _, code := range r.Targets {
		way := cmp.Or(g.Paths[code], r.Paths[code], code)
		if way != code && slices.Contains(g.Languages, code) {
			said = append(said, code+" is "+way)
		}
	}
	return said
}
