package discover

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
)

// reading is what a file holds.
type reading struct {
	format  string // that fits it: the structured one where it is nested
	rooted  bool   // the language is its outermost name, as in Rails
	lists   bool   // it is a list of other things, or holds no text and something else
	err     error
	byEntry map[string]string // texts by key and form
}

// keys counts the keys that have texts.
func (r *reading) keys() int {
	keys := make(map[string]bool, len(r.byEntry))
	for entry := range r.byEntry {
		key, _, _ := strings.Cut(entry, "\x00")
		keys[key] = true
	}
	return len(keys)
}

// read reads a file once. spelling is how its path names its language.
func (s *search) read(name, spelling string) *reading {
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
	switch nested := err == nil && len(f.Nested()) > 0; {
	case nested && isLocJSON(src, f):
		format, _ = formats.ByExtension(".locjson")
		f, err = format.Parse(resource.Keys{}, src)
	case nested && ok:
		code, _ := codeOf(spelling)
		roots := []string{spelling, code, strings.ReplaceAll(spelling, "-", "_"), strings.ReplaceAll(spelling, "_", "-")}
		format = structured
		f, err = format.Parse(resource.Keys{Separator: "/", Roots: roots}, src)
	}
	if err != nil {
		r.err = err
		return r
	}
	r.format = format.Name
	_, r.rooted = f.Root()
	r.byEntry = make(map[string]string)
	others := 0
	for e := range f.Entries() {
		switch e.Kind {
		case resource.Text, resource.Null:
			r.byEntry[e.Key+"\x00"+e.Form] = e.Text
		default:
			others++
		}
	}
	r.lists = f.Len() > 0 && f.Node(0).Kind == resource.List || len(r.byEntry) == 0 && (others > 0 || format.Resources)
	return r
}

// isLocJSON reports whether JSON is LocJSON under another name: an object with a list of units, each with a key and a
// source.
func isLocJSON(src []byte, f *resource.File) bool {
	if !slices.ContainsFunc(f.Nested(), func(name string) bool { return strings.HasPrefix(name, "units") }) {
		return false
	}
	format, _ := formats.ByExtension(".locjson")
	units, err := format.Parse(resource.Keys{}, src)
	if err != nil {
		return false
	}
	for range units.Entries() {
		return true
	}
	return false
}

// ranked are the templates that a file may belong to, the likeliest first: with the most languages, and the language
// deepest in the path.
func (s *search) ranked() []*template {
	var all []*template
	for _, text := range sortedKeys(s.templates) {
		all = append(all, s.templates[text])
	}
	languages := make(map[*template]int, len(all))
	for _, t := range all {
		by, _ := t.spellings()
		languages[t] = len(by)
	}
	slices.SortStableFunc(all, func(a, b *template) int {
		return cmp.Or(languages[b]-languages[a], b.at-a.at)
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
	s.decide(believed, given)
	s.standIns(believed)
	s.leftOut = nil
	taken := make(map[string]bool)
	var kept []*template
	for _, t := range ranked {
		if t.standing == stranger || !t.believable() {
			continue
		}
		file := t.sourceFile(s.source)
		why := s.unfit(t, file, least)
		if file != "" && taken[file] || file == "" && t.anyTaken(taken) {
			continue
		}
		if why != "" && why != noTexts {
			s.leftOut = append(s.leftOut, LeftOut{t.text, t.count(), why})
		}
		if why != "" {
			continue
		}
		taken[file] = true
		for _, name := range t.files {
			taken[name] = true
		}
		kept = append(kept, t)
	}
	slices.SortFunc(kept, func(a, b *template) int { return strings.Compare(a.text, b.text) })
	return kept
}

// unfit says why a believable template is not proposed; "" when it is.
func (s *search) unfit(t *template, file string, least standing) string {
	if t.standing > least {
		return "is in a folder for tests, examples, templates, documentation or what a build makes"
	}
	if !s.tracked(t) {
		return "is not tracked by git; add it there first, where it belongs to the product"
	}
	if file == "" {
		return fmt.Sprintf("has no file in %s, the source language", s.source)
	}
	if strings.Contains("/"+t.text, "/src/debug/") && len(t.files) == 0 {
		return "is of debug builds and has no translation"
	}
	if notTranslated.MatchString(path.Base(file)) && t.count() == 1 {
		return "is named as not to be translated, and has no translation"
	}
	r := s.read(file, t.spellingOf(file))
	why := unread{}
	switch {
	case errors.As(r.err, &why): // its format is not known either
		return "is not looked at: " + file + ": " + why.Error()
	case r.err != nil && !s.anyReadable(t):
		return unreadableFile + file + ": " + r.err.Error()
	case r.lists && path.Ext(file) == ".xml":
		return noTexts
	case r.lists:
		return "holds no texts by key"
	}
	return ""
}

// notTranslated are names that Android's projects give to texts for the program only: donottranslate.xml,
// 12-dont-translate.xml, untranslatable.xml.
var notTranslated = re(`(?i)(do[-_]?not|dont|non|not|no|un)[-_]?translat`)

const unreadableFile = "cannot be read: "

// noTexts is why Android's colours, sizes and styles are left out, which is too usual to be told.
const noTexts = "holds no texts"

// anyTaken reports whether a file of the template belongs to another already: then it is not missed.
func (t *template) anyTaken(taken map[string]bool) bool {
	for _, name := range t.files {
		if taken[name] {
			return true
		}
	}
	return false
}

func (t *template) count() int {
	n := len(t.files)
	if t.base != "" {
		n++
	}
	return n
}

// spellingOf is how a file's path names its language.
func (t *template) spellingOf(file string) string {
	for spelling, name := range t.files {
		if name == file {
			return spelling
		}
	}
	return ""
}

// tracked reports whether git tracks one of the files, or no file that could be proposed instead.
func (s *search) tracked(t *template) bool { return !s.anyTracked || s.tracks(t) }

func (s *search) tracks(t *template) bool {
	if s.names[t.base] {
		return true
	}
	for _, name := range t.files {
		if s.names[name] {
			return true
		}
	}
	return false
}

func (s *search) anyReadable(t *template) bool {
	for spelling, name := range t.files {
		if s.read(name, spelling).err == nil {
			return true
		}
	}
	return false
}
