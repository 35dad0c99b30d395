package discover

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/spelling"
)

// reading is what a file holds.
type reading struct {
	format string // that fits it: the structured one where it is nested
	rooted bool   // the language is its outermost name, as in Rails
	lists  bool   // it is a list of other things, or holds no text and something else
	err    error
	units  map[catalog.Name]string

	source    string   // of a file with all languages: the source's, as it spells it
	languages []string // likewise, all of them
}

// texts counts the keys that have texts, and plural forms of one text once: some languages have more of those.
func (r *reading) texts() int {
	keys := make(map[string]bool, len(r.units))
	for unit, text := range r.units {
		if text != "" {
			keys[pluralEnd.ReplaceAllString(unit.Key, "")] = true
		}
	}
	return len(keys)
}

var pluralEnd = re(`[/_.](zero|one|two|few|many|other)$`)

// sent counts the keys that a source file in a language has at the service, where a plural is one.
func (r *reading) sent(language string) int {
	format, _ := formats.Named(r.format)
	if !format.PluralKeys {
		return len(keysOf(r.units))
	}
	separator := ""
	if format.Structured {
		separator = "/"
	}
	var texts catalog.Catalog
	for name, text := range r.units {
		texts = append(texts, catalog.Unit{Name: name, Text: text})
	}
	plurals, keys := spelling.Join(texts, separator, language), make(map[string]bool, len(texts))
	for _, u := range texts {
		of, form := plurals.Form(u.Key)
		if form == "" {
			of = u.Key
		}
		keys[of] = true
	}
	return len(keys)
}

// read reads a file once.
func (s *search) read(name string) *reading {
	if r := s.readings[name]; r != nil {
		return r
	}
	r := &reading{}
	s.readings[name] = r
	format, _ := formats.ByExtension(name)
	r.format = format.Name
	src, err := s.readFile(name, &s.left)
	if err != nil {
		r.err = err
		return r
	}
	f, err := format.Parse(resource.Keys{}, src)
	structured, ok := format.Nested()
	locjson, _ := formats.ByExtension(".locjson")
	compiled := err == nil && hasMember(f, "locale_data") // of gettext's, for Jed
	switch nested := err == nil && len(f.Nested()) > 0; {
	case nested && hasMember(f, "units") && hasUnits(locjson, src):
		format = locjson
		f, err = format.Parse(resource.Keys{}, src)
	case nested && ok:
		var roots []string
		for _, spelling := range s.spelled[name] {
			roots = append(roots, spelling, languageOf(spelling), strings.ReplaceAll(spelling, "-", "_"),
				strings.ReplaceAll(spelling, "_", "-"))
		}
		format = structured
		f, err = format.Parse(resource.Keys{Separator: "/", Roots: roots}, src)
	}
	if err != nil {
		r.err = err
		return r
	}
	r.format = format.Name
	if format.Multilingual() {
		r.source, r.languages = format.Languages(src)
	}
	_, r.rooted = f.Root()
	r.units = make(map[catalog.Name]string)
	others := 0
	for e := range f.Entries() {
		switch e.Kind {
		case resource.Null: // no text yet
		case resource.Text:
			r.units[catalog.Name{Key: e.Key, Form: e.Form}] = e.Text
		default:
			others++
		}
	}
	isList := f.Len() > 0 && f.Node(0).Kind == resource.List
	r.lists = compiled || isList || len(r.units) == 0 && (others > 0 || format.Resources || format.Multilingual())
	return r
}

// hasUnits reports whether JSON is LocJSON under another name: an object with a list of units, each with a key and a
// source.
func hasUnits(locjson formats.Format, src []byte) bool {
	f, err := locjson.Parse(resource.Keys{}, src)
	return err == nil && len(slices.Collect(f.Entries())) > 0
}

// hasMember reports whether a file has a container under a name.
func hasMember(f *resource.File, name string) bool {
	return slices.ContainsFunc(f.Nested(), func(nested string) bool { return strings.HasPrefix(nested, name) })
}

// ranked are the templates that a file may belong to, the likeliest first: with the most languages, a source file that
// says so of itself, and the language deepest in the path.
func (s *search) ranked() []*template {
	var all []*template
	for _, text := range sortedKeys(s.templates) {
		all = append(all, s.templates[text])
	}
	languages := make(map[*template]int, len(all))
	for _, t := range all {
		languages[t] = len(t.by())
	}
	slices.SortStableFunc(all, func(a, b *template) int {
		return cmp.Or(languages[b]-languages[a], bit(s.says[b.base] != "")-bit(s.says[a.base] != ""),
			partOf(b.text)-partOf(a.text))
	})
	s.anyTracked = slices.ContainsFunc(all, func(t *template) bool {
		return t.standing == own && s.tracks(t) && t.believable()
	})
	return all
}

// keep decides the source language and keeps the templates that are believable in it, in the order of their paths.
// least is how far from the product files may be.
func (s *search) keep(ranked []*template, least standing, given string) []*template {
	var believed []*template
	for _, t := range ranked {
		if t.standing <= least && s.tracked(t) && t.believable() {
			believed = append(believed, t)
		}
	}
	s.pair(believed, given)
	s.decide(believed, given)
	s.chooseSources(ranked)
	taken := make(map[string]bool)
	capitals := make(map[string]string) // by path in small letters
	var kept []*template
	for _, t := range ranked {
		if t.standing == stranger || !t.believable() {
			continue
		}
		file := t.source
		why := s.unfit(t, file, least)
		isTaken := func(name string) bool { return taken[name] }
		if taken[file] || file == "" && slices.ContainsFunc(slices.Collect(maps.Values(t.files)), isTaken) {
			continue // then it is not missed
		}
		if other := capitals[strings.ToLower(t.text)]; why == "" && other != "" {
			why = "is " + other + " in other capitals, which is the same file on macOS and Windows; rename it"
		}
		if why != "" && (why != noTexts || t.catalog()) {
			files, name := t.all(), t.text
			if len(files) == 1 {
				name = files[0]
			}
			s.leave(name, why, len(files))
		}
		if why != "" {
			continue
		}
		capitals[strings.ToLower(t.text)] = t.text
		maps.Copy(taken, takenBy(t))
		taken[file] = true
		kept = append(kept, t)
	}
	slices.SortFunc(kept, func(a, b *template) int { return strings.Compare(a.text, b.text) })
	return slices.DeleteFunc(kept, func(t *template) bool {
		other := s.translatedIn(t, kept)
		if other != "" {
			s.leave(t.source, "has its translations in "+other+", where a second file with the same names would break the "+
				"build; keep them in files of one name", 1)
		}
		return other != ""
	})
}

// translatedIn is a translated file of another of Android's templates in the same folders that has most of the keys of
// a source file without translations of its own; "" for none.
func (s *search) translatedIn(t *template, kept []*template) string {
	if !t.android() || len(t.files) > 0 {
		return ""
	}
	mine := s.read(t.source).units
	for _, other := range kept {
		if other == t || !other.android() || path.Dir(other.text) != path.Dir(t.text) {
			continue
		}
		inBoth, _ := s.compared(t.source, other.source)
		for _, spelling := range sortedKeys(other.files) {
			if shared, _ := s.compared(t.source, other.files[spelling]); (shared-inBoth)*2 > len(mine) {
				return other.files[spelling]
			}
		}
	}
	return ""
}

// unfit says why a believable template is not proposed; "" when it is.
func (s *search) unfit(t *template, file string, least standing) string {
	switch {
	case t.standing > least:
		return "is in a folder for tests, examples, templates, documentation or what a build makes"
	case !s.tracked(t):
		return "is not tracked by git; add it there first, where it belongs to the product"
	case file == "" && t.android() && t.base != "":
		return "is in another language than " + s.source + ": " + t.base + " says something else than the file in " +
			s.source + " beside it"
	case file == "" && t.catalog():
		return fmt.Sprintf("its source language is %s, and that of the project %s; give it a [[project]] of its own",
			s.says[t.text], s.source)
	case file == "":
		return fmt.Sprintf("has no file in %s, the source language", s.source)
	case strings.Contains("/"+t.text, "/src/debug/") && len(t.files) == 0:
		return "is of debug builds and has no translation"
	case leftover.MatchString(stemOf(file)):
		return "is named as what a tool took out of other files"
	case notTranslated.MatchString(path.Base(file)) && len(t.all()) == 1:
		return "is named as not to be translated, and has no translation"
	}
	r, why := s.read(file), unread{}
	isReadable := func(name string) bool { return s.read(name).err == nil }
	switch {
	case errors.As(r.err, &why): // its format is not known either
		return "is not looked at: " + file + ": " + why.Error()
	case r.err != nil && !slices.ContainsFunc(t.all(), isReadable):
		return unreadableFile + file + ": " + r.err.Error()
	case r.lists && (path.Ext(file) == ".xml" || t.catalog()):
		return noTexts
	case r.lists:
		return "holds no texts by key"
	}
	return ""
}

// notTranslated are names that Android's projects give to texts for the program only: donottranslate.xml,
// 12-dont-translate.xml, untranslatable.xml.
var notTranslated = re(`(?i)(do[-_]?not|dont|non|not|no|un)[-_]?translat`)

// leftover is how the names of copies end that tools keep of texts which they took out: translation_old.json.
var leftover = re(`[._-](old|bak|orig)$`)

const unreadableFile = "cannot be read: "

// noTexts is why Android's colours, sizes and styles are left out, which is too usual to be told, and empty catalogs.
const noTexts = "holds no texts"

// tracked reports whether git tracks one of the files, or no file that could be proposed instead.
func (s *search) tracked(t *template) bool { return !s.anyTracked || s.tracks(t) }

func (s *search) tracks(t *template) bool {
	return slices.ContainsFunc(t.all(), func(name string) bool { return s.names[name] })
}
