// Package discover reads a tree of files as a person does who has to write its configuration: which are resource
// files, in which languages, how paths spell those, what belongs together, and what looks like a resource file and is
// none.
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
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/languages"
)

// Listing is the names of a tree's files, with slashes.
type Listing struct {
	Tracked []string // those that certainly belong to it
	// Others are those that may: what git does not track. They count where they are named like tracked ones, or where
	// nothing is tracked.
	Others  []string
	LeftOut []LeftOut // folders that were not looked into
}

// Result is what a tree looks like.
type Result struct {
	Source  string            `json:"source_language"`  // as the service spells it
	Reason  string            `json:"reason"`           // why that is taken for the source language
	Unsure  string            `json:"unsure,omitempty"` // why the source language cannot be told; Source is a guess
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
	Paths      map[string]string `json:"language_paths,omitempty"` // where they differ from the Result's
	Kind       string            `json:"kind"`                     // what a developer calls such files
	Files      []string          `json:"source_files"`
	Languages  []string          `json:"languages"`          // that there are, the source's included
	Keys       int               `json:"keys"`               // of the source files
	Problems   []string          `json:"problems,omitempty"` // source files that cannot be read

	templates []*template
	spelled   map[string]string // by code: as its files are
	folder    string            // the folder that its files are kept below
	each      string            // the placeholder that keeps files with a key in common in collections of their own
	texts     []map[string]string
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
	Source string // the source language; empty: found out
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
		templates: make(map[string]*template), declared: make(map[string][]string),
		unreadable: make(map[string]*unreadable), sizes: make(map[string]int64), exports: make(map[string]*LeftOut),
		links: map[string]bool{".": false}, left: mostOfAll, leftHints: mostOfHints}
	s.spotAll(l)
	ranked := s.ranked()
	kept := s.keep(ranked, own, o.Source)
	if len(kept) == 0 {
		kept = s.keep(ranked, aside, o.Source)
	}
	s.adopt(kept)
	catalogs := withCatalogs(s, len(kept) > 0, o.Source)
	r := Result{Source: s.source, Reason: s.reason, Unsure: s.unsure, Targets: []string{}, Groups: s.group(kept, catalogs)}
	s.known(&r)
	for _, g := range r.Groups {
		for _, code := range g.Languages {
			if code != r.Source && !slices.Contains(r.Targets, code) {
				r.Targets = append(r.Targets, code)
			}
		}
	}
	slices.Sort(r.Targets)
	r.Choose(r.Targets)
	unsupported, most := s.unsupported(s.sizeOf(kept))
	r.Mostly = most
	r.LeftOut = slices.Concat(s.leftOut, unsupported, l.LeftOut, s.hints)
	for _, folder := range sortedKeys(s.exports) {
		r.LeftOut = append(r.LeftOut, *s.exports[folder])
	}
	for _, folder := range sortedKeys(s.closed) {
		r.LeftOut = append(r.LeftOut, *s.closed[folder])
	}
	slices.SortStableFunc(r.LeftOut, func(a, b LeftOut) int { return strings.Compare(a.Path, b.Path) })
	return r
}

// sizeOf counts the bytes of the files that are proposed, and of their translations.
func (s *search) sizeOf(kept []*template) (n int64) {
	for _, t := range kept {
		n += s.sizes[t.base]
		for _, name := range t.files {
			n += s.sizes[name]
		}
	}
	return n
}

// noteExport gathers files of folders that Xcode exports translations to: copies, which a build does not read.
func (s *search) noteExport(name string) {
	before, _, found := strings.Cut(name, exported+"/")
	if !found {
		return
	}
	folder := path.Join(path.Dir(before), "{LANGUAGE}"+exported) + "/"
	if s.exports[folder] == nil {
		s.exports[folder] = &LeftOut{Path: folder, Reason: "is an export of Xcode's, not what the program is built from"}
	}
	s.exports[folder].Files++
}

// known gives languages that a translation service is known not to have the codes that it has for them; paths go on to
// spell them as they do.
func (s *search) known(r *Result) {
	var all []string
	for _, g := range r.Groups {
		for _, code := range g.Languages {
			if !slices.Contains(all, code) {
				all = append(all, code)
			}
		}
	}
	slices.Sort(all)
	for i, code := range all {
		if _, known := languages.Find(code); known || len(r.Groups) == 0 {
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
		for j := range r.Groups {
			r.Groups[j].rename(code, to)
		}
	}
}

func (g *Group) rename(from, to string) {
	at := slices.Index(g.Languages, from)
	if at < 0 {
		return
	}
	g.Languages[at] = to
	slices.Sort(g.Languages[1:])
	if way, ok := g.spelled[from]; ok {
		g.spelled[to] = way
		delete(g.spelled, from)
	}
}

// search is one look at a tree.
type search struct {
	fsys       fs.FS
	resources  []string        // every file that has the extension of a format, sorted
	names      map[string]bool // those of them that may be resource files; whether git tracks them
	anyTracked bool            // git tracks files that can be proposed
	readings   map[string]*reading
	templates  map[string]*template
	declared   map[string][]string    // by language code: the files that say it is the source's
	unreadable map[string]*unreadable // by pattern: files of formats that there is no grammar for
	sizes      map[string]int64       // of the files that may be resource files
	exports    map[string]*LeftOut    // by pattern: folders of Xcode's exports

	left, leftHints allowance           // for resource files, and for what may say the source language
	closed          map[string]*LeftOut // folders that cannot be looked into
	links           map[string]bool     // by folder: it is a symbolic link, or below one
	hints           []LeftOut           // one entry for the files that may say the source language and were not read

	source, reason, unsure string
	leftOut                []LeftOut
}

// spotAll sorts the names of a tree into templates.
func (s *search) spotAll(l Listing) {
	for i, names := range [][]string{l.Tracked, l.Others} {
		for _, name := range names {
			_, known := formats.ByExtension(name)
			declares, says := declaration(name)
			if !known && !says && !hasNoGrammar(name) {
				continue
			}
			info, err := fs.Lstat(s.fsys, name)
			if errors.Is(err, fs.ErrPermission) {
				s.unseen(name, err)
			}
			if err != nil || !info.Mode().IsRegular() || s.throughLink(path.Dir(name)) {
				continue // a link, a submodule, or not on this disk
			}
			s.noteExport(name)
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
			switch {
			case neverResource(path.Base(name)):
			case nameable(name):
				s.names[name] = i == 0
			default:
				noteUnnameable(s.exports, name)
			}
		}
	}
	slices.Sort(s.resources)
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		if _, all := multilingual(name); all {
			continue // no part of its path is a language
		}
		for _, found := range spot(name) {
			s.enter(found)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(s.templates)) {
		s.templates[text].findBase(s.names)
	}
}

func (s *search) enter(found spotted) {
	t := s.templates[found.template]
	if t == nil {
		t = &template{text: found.template, at: found.at, files: make(map[string]string),
			standing: standingOf(found.template)}
		s.templates[found.template] = t
	}
	if found.base {
		t.base = found.file
	} else {
		t.files[found.spelling] = found.file
	}
}

// nameable reports whether a configuration can name a path: an output cannot hold what is a placeholder's or what not
// every file system can write.
func nameable(name string) bool {
	return utf8.ValidString(name) && config.UnsafePath(name) == "" && !strings.ContainsAny(name, "{}*?\"<>|:,")
}

// noteUnnameable gathers files that name a language and that no configuration can name.
func noteUnnameable(gathered map[string]*LeftOut, name string) {
	found := spot(name)
	if len(found) == 0 || standingOf(name) != own || !utf8.ValidString(name) {
		return
	}
	text := found[0].template
	if gathered[text] == nil {
		gathered[text] = &LeftOut{Path: text, Reason: "has a path that no configuration can name: " +
			"one of {}*?\"<>|:, is in it, or not every file system can write it; rename it"}
	}
	gathered[text].Files++
}

// foreignFolders are folders that hold other people's files.
var foreignFolders = []string{"node_modules", "bower_components", "jspm_packages", "vendor", "vendored", "Pods",
	"Carthage", "DerivedData", "third_party", "third-party", "thirdparty", "external", "venv", "site-packages",
	"__pycache__"}

func foreignFolder(name string) bool {
	return slices.Contains(foreignFolders, name) || strings.HasPrefix(name, ".") && len(name) > 1 ||
		strings.HasSuffix(name, ".framework") || strings.HasSuffix(name, ".xcframework")
}

// asideFolders are folders whose resource files are not part of the product. Some hold what a build makes.
var asideFolders = []string{"build", "dist", "target", "out", "bin", "obj", "coverage", "testing", "spec", "specs",
	"__tests__", "__mocks__", "__fixtures__", "mocks", "fixture", "fixtures", "testdata", "testFixtures", "e2e",
	"cypress", "playwright", "storybook", "stories", "playground", "sandbox", "benchmark", "benchmarks", "template",
	"templates", "tutor", "tutorial", "tutorials", "starter", "boilerplate", "skeleton", "generators", "doc", "docs",
	"documentation", "fastlane", "screenshots"}

// asideWords begin or end the names of such folders: XCUITest, focus-ios-tests, TestApplication, sample_plugin.
var asideWords = []string{"test", "tests", "example", "examples", "sample", "samples", "demo", "demos"}

// exported is the end of a folder that Xcode exports translations to, or imports them from.
const exported = ".xcloc"

func standingOf(name string) standing {
	least := own
	for folder := range strings.SplitSeq(path.Dir(name), "/") {
		words := wordsOf(folder)
		switch {
		case foreignFolder(folder), strings.HasSuffix(folder, exported):
			return stranger
		case slices.Contains(asideFolders, folder), slices.Contains(asideWords, words[0]),
			slices.Contains(asideWords, words[len(words)-1]):
			least = aside
		}
	}
	return least
}

var wordStart = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+|[0-9]+`)

// wordsOf are the words of a folder's name in lower case, also where capitals tell them apart; at least one.
func wordsOf(folder string) []string {
	var words []string
	for _, word := range wordStart.FindAllString(folder, -1) {
		if capitals := strings.IndexFunc(word, unicode.IsLower); capitals > 1 { // XCUITest: the last capital begins a word
			words = append(words, strings.ToLower(word[:capitals-1]))
			word = word[capitals-1:]
		}
		words = append(words, strings.ToLower(word))
	}
	return append(words, "")[:max(len(words), 1)]
}

// neverResource reports whether a file has a name that tools read their settings from, whatever folder it is in. Names
// that a set of texts may have as well (settings, config, project) are not among them.
func neverResource(base string) bool {
	base = strings.ToLower(base)
	stem := strings.TrimSuffix(base, path.Ext(base))
	for _, name := range []string{"package", "package-lock", "npm-shrinkwrap", "composer", "tsconfig", "jsconfig",
		"angular", "lerna", "tslint", "nest-cli", "manifest", "docker-compose", "pubspec", "mkdocs", "openapi", "swagger",
		"androidmanifest", "pom", "locsync"} {
		if stem == name {
			return true
		}
	}
	for _, part := range []string{".config", "tsconfig.", "jsconfig.", ".schema", ".lock", ".eslintrc", ".prettierrc",
		".babelrc"} {
		if strings.HasPrefix(stem, part) || strings.HasSuffix(stem, part) {
			return true
		}
	}
	return strings.HasPrefix(base, ".")
}

// There says which languages files were found in, for a user who named another one.
func (r *Result) There() string {
	all := append([]string{}, r.Targets...)
	if len(r.Groups) > 0 {
		all = append(all, r.Source)
	}
	if len(all) == 0 {
		return "none of the files that look like one has a language that can be told"
	}
	slices.Sort(all)
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
