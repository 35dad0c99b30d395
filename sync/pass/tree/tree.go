// Package tree is one snapshot of a repository, a working tree or a commit: the source files that the configuration
// names there, each read once, their texts, and how the texts of translations relate to them.
//
// Its law: what a tree says of its files does not change while it is used, but for files that are Put there. A file
// that cannot be read has no texts and a problem, and nothing may be concluded from what it lacks. Texts that clash
// are named and left out of Texts.
//
// It does not know what was agreed on before, writes nothing, and calls no service.
package tree

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
	"github.com/locsync/locsync/sync/text/spelling"
)

// Source is one source file as a pass found it.
type Source struct {
	*bundle.Bundle
	File  *resource.File    // nil when it could not be read
	All   catalog.Catalog   // its texts; not to be changed
	Texts catalog.Catalog   // without the names that clash
	Clash map[string]string // keys that are not sent, and why

	keys   map[string]bool // of keysOf
	keysOf catalog.Catalog
}

// TextKeys are the keys of Texts; not to be changed.
func (s *Source) TextKeys() map[string]bool {
	same := len(s.keysOf) == len(s.Texts) && (len(s.Texts) == 0 || &s.keysOf[0] == &s.Texts[0])
	if s.keys == nil || !same {
		s.keys, s.keysOf = s.Texts.Keys(), s.Texts
	}
	return s.keys
}

// WideKeys are TextKeys, and the keys of translations that are further forms of plurals; not to be changed.
func (s *Source) WideKeys(translations catalog.Catalog) map[string]bool {
	wide := spelling.Widened(s.Texts, s.Separator, s.Source.Code, translations)
	if len(wide) == len(s.Texts) {
		return s.TextKeys()
	}
	return wide.Keys()
}

// Broken reports whether the file could not be read, so that nothing may be concluded from what it lacks.
func (s *Source) Broken() bool { return s.File == nil }

// Put makes another file of it: as a pull will write it, for what it decides after that.
func (s *Source) Put(f *resource.File) {
	s.File, s.All = f, slices.Clip(bundle.Texts(f)) // clipped, so that who appends to it appends to a copy
	s.leaveOut()
}

// leaveOut takes the names that clash out of the texts.
func (s *Source) leaveOut() {
	s.Texts = s.All
	if len(s.Clash) > 0 {
		s.Texts = slices.DeleteFunc(slices.Clone(s.All), func(u catalog.Unit) bool { return s.Clash[u.Key] != "" })
	}
}

// Tree is the source files of a project in one tree of files.
type Tree struct {
	FS       fs.FS
	Sources  []*Source
	Problems []report.Problem
	Checkout *gitops.Checkout // of a working tree: before it was read
	of       map[*bundle.Bundle]*Source
}

// Find finds and reads the source files of a project.
func Find(fsys fs.FS, cfg *config.Project, reading func(done, total int)) (*Tree, error) {
	bundles, problems, err := bundle.Find(fsys, cfg)
	if err != nil {
		return nil, err
	}
	return Read(fsys, bundles, problems, reading)
}

// FindPushed is Find, with the files of slots that are in a folder that is closed now: they are not gone.
func FindPushed(
	fsys fs.FS, cfg *config.Project, slots []ledger.Slot, reading func(done, total int),
) (*Tree, error) {
	found, problems, err := bundle.Find(fsys, cfg)
	if err != nil {
		return nil, err
	}
	have := make(map[string]bool, len(found))
	for _, b := range found {
		have[b.Path] = true
	}
	for _, slot := range slots {
		if have[slot.Path] {
			continue
		}
		if _, err := fs.Stat(fsys, slot.Path); !bundle.Closed(fsys, slot.Path, err) {
			continue
		}
		if b := bundle.Of(cfg, slot.Path); b != nil {
			found, have[b.Path] = append(found, b), true
		}
	}
	return Read(fsys, found, problems, reading)
}

// Read reads the source files that were found; reading, which may be nil, is told how many are.
func Read(
	fsys fs.FS, bundles []*bundle.Bundle, problems []report.Problem, reading func(done, total int),
) (*Tree, error) {
	t := &Tree{FS: fsys, Problems: problems, of: make(map[*bundle.Bundle]*Source, len(bundles))}
	for i, b := range bundles {
		if reading != nil {
			reading(i, len(bundles))
		}
		s := &Source{Bundle: b}
		if err := t.read(s); err != nil {
			return nil, err
		}
		t.Sources, t.of[b] = append(t.Sources, s), s
	}
	t.findClashes()
	return t, nil
}

// read reads a source file, and all that is asked of every file: a fault in one costs no other one.
func (t *Tree) read(s *Source) error {
	defer CatchIn(s.Path, s.Source.Code, func(p report.Problem) {
		s.File, s.All, s.Texts, s.Clash = nil, nil, nil, nil
		t.Problems = append(t.Problems, p)
	})
	f, problem, err := s.Read(t.FS, s.Path, s.Source)
	switch {
	case err != nil:
		return err
	case problem != nil:
		t.Problems = append(t.Problems, *problem)
	case f != nil:
		s.Put(f)
		s.Clash = bundle.Unsent(s.Bundle, f)
		t.Problems = append(t.Problems, bundle.Findings(f, s.Path, s.Source)...)
	}
	return nil
}

// CatchIn is deferred where a fault is to become a problem of one file, which is skipped.
func CatchIn(file, language string, tell func(report.Problem)) {
	if e := fault.Of(recover()); e != nil {
		e.Log(file)
		tell(report.Problem{Code: report.CodeFault, File: file, Language: language,
			Problem: fmt.Sprintf("a fault of locsync itself (%v); the file is skipped", e.Value), Remedy: fault.Remedy})
	}
}

// Nothing is the problem of a tree of which no file matches any pattern, as the tree is called; none where one does, or
// may.
func (t *Tree) Nothing(cfg *config.Project, called string) []report.Problem {
	if len(t.Sources)+len(t.Problems) > 0 || len(cfg.Files) == 0 {
		return nil
	}
	var patterns []string
	for _, f := range cfg.Files {
		patterns = append(patterns, fmt.Sprintf("%q", f.Source))
	}
	at := cfg.Files[0].Problem("source", "no file of %s matches %s, so that nothing is synchronized", called,
		report.Some(patterns, 3))
	return []report.Problem{{Code: report.CodePattern, File: at.File, Line: at.Line,
		Column: max(at.Column, 1), Key: at.Key, Problem: at.Message,
		Remedy: "patterns are relative to the repository; correct them, or put the files there"}}
}

// ID is the source file's name in the ledger.
func (s *Source) ID() ledger.Source { return ledger.Source{Collection: s.Collection, Path: s.Path} }

// EntryKeys are the keys of all entries of a readable file, also of those without a text.
func (s *Source) EntryKeys() map[string]bool {
	keys := make(map[string]bool)
	for e := range s.File.Entries() {
		keys[e.Key] = true
	}
	return keys
}

// Commit is the commit that the tree of pushes is based on; "" before the first.
func (t *Tree) Commit() string {
	if t.Checkout != nil {
		return t.Checkout.Commit
	}
	if tip, ok := t.FS.(*gitops.Tip); ok {
		return tip.Hash()
	}
	return ""
}

// Layout is the source file that a target follows: of several, the one that has most of the changed keys.
func (t *Tree) Layout(target bundle.Target, changes []catalog.Change) *Source {
	best, most := t.Of(target.Sources[0]), -1
	if len(target.Sources) == 1 {
		return best // without an index of its keys
	}
	for _, b := range target.Sources {
		s := t.Of(b)
		n := 0
		for _, c := range changes {
			if _, ok := s.File.Lookup(c.Key, c.Form); ok {
				n++
			}
		}
		if n > most {
			best, most = s, n
		}
	}
	return best
}

// Present tells whether the source files of a target have something under a key, in any shape. i18next takes
// friend_male before friend, so that a translation may have contexts which the source lacks.
func (t *Tree) Present(target bundle.Target) func(key string) bool {
	var all []resource.Present
	contexts := target.Sources[0].Format.Programs.Reader == programs.I18next
	for _, b := range target.Sources {
		if s := t.Of(b); s != nil && !s.Broken() {
			all = append(all, s.File.Present())
		}
	}
	present := func(key string) bool {
		return slices.ContainsFunc(all, func(p resource.Present) bool { return p.Has(key) })
	}
	return func(key string) bool {
		has := present(key)
		for at := strings.LastIndexByte(key, '_'); contexts && !has && at > 0; at = strings.LastIndexByte(key[:at], '_') {
			has = present(key[:at])
		}
		return has
	}
}

// Fitted gives the service's texts for a target the shape that its source has, and leaves out the plural forms that
// the target language does not have. What cannot be brought into that shape without a loss stays as it is; left are
// the messages that would have to be taken apart into plurals of keys, and cannot. file is the target as it is; nil for
// none.
func (t *Tree) Fitted(
	target bundle.Target, file *resource.File, theirs catalog.Catalog,
) (texts, left catalog.Catalog) {
	formed := func(u catalog.Unit) bool { return spelling.IsForm(u.Form) || strings.Contains(u.Text, "plural") }
	if !slices.ContainsFunc(theirs, formed) {
		return theirs, nil
	}
	source, ok := t.SourceTexts(target)
	if !ok {
		return theirs, nil
	}
	b := target.Sources[0]
	rules := bundle.Rules(b, target.Language)
	if file == nil {
		file = t.blank(target)
	}
	rules.Indexed = formsIn(file)
	theirs, left = spelling.Spread(source, theirs, b.Separator, b.Source.Code, rules)
	for _, c := range plural.Categories(target.Language.Code) {
		if rules.Whole && c.Name != plural.Other && slices.Contains(rules.Indexed, c.Name) {
			theirs = filled(theirs, file, c.Name)
		}
	}
	return spelling.Fit(source, theirs, rules), left
}

// Indexed are the plural forms that a target file can hold, or a new one where there is none; nil: any.
func (t *Tree) Indexed(target bundle.Target, file *resource.File) []string {
	if file == nil {
		file = t.blank(target)
	}
	return formsIn(file)
}

// blank is a target file without texts, where its header says which forms it can hold.
func (t *Tree) blank(target bundle.Target) *resource.File {
	b := target.Sources[0]
	if !b.Format.Programs.Whole || target.Path == "" || target.Path == b.Path {
		return nil
	}
	file, _, _ := bundle.Blank(b, t.Of(b).File, target.Language) // an error is told where the file is written
	return file
}

func formsIn(file *resource.File) []string {
	if file == nil {
		return nil
	}
	return file.Forms()
}

// filled gives the plurals that lack a category the text of "other" for it, as other programs show it: one of gettext
// would show an empty text. A text of its own that the file has for it stays.
func filled(theirs catalog.Catalog, file *resource.File, category string) catalog.Catalog {
	has, texts := theirs.Index(), theirs
	for _, u := range theirs {
		n := catalog.Name{Key: u.Key, Form: category}
		if _, given := has[n]; given || u.Form != plural.Other || u.Text == "" {
			continue
		}
		own, _ := file.Lookup(n.Key, n.Form)
		other, _ := file.Lookup(u.Key, u.Form)
		if own.Text == "" || own.Text == other.Text {
			texts = append(texts, catalog.Unit{Name: n, Text: u.Text})
		}
	}
	return texts
}

// FittedSource is Fitted for the texts of a source file.
func (t *Tree) FittedSource(b *bundle.Bundle, theirs catalog.Catalog) catalog.Catalog {
	of := bundle.Target{Path: b.Path, Language: b.Source, Sources: []*bundle.Bundle{b}}
	texts, _ := t.Fitted(of, nil, theirs)
	return texts
}

// Unsourced are the keys of the service's source texts that no file of a group has, in order. Where files of another
// format belong to its collection they are not known.
func (t *Tree) Unsourced(
	g *bundle.Group, theirs func(b *bundle.Bundle, l config.Language) catalog.Catalog,
) []string {
	files := 0
	for _, s := range t.Sources {
		if s.Collection == g.Collection {
			files++
		}
	}
	if files > len(g.Bundles) {
		return nil
	}
	only, last := make(map[string]bool), catalog.Catalog(nil)
	for _, b := range g.Bundles {
		texts := theirs(b, b.Source)
		if len(texts) == 0 || len(last) > 0 && &texts[0] == &last[0] {
			continue // one answer for all files
		}
		last = texts
		fitted, _ := t.Fitted(bundle.Target{Path: b.Path, Language: b.Source, Sources: g.Bundles}, nil, texts)
		for _, u := range fitted {
			only[u.Key] = only[u.Key] || u.Text != ""
		}
	}
	maps.DeleteFunc(only, func(_ string, has bool) bool { return !has })
	for _, b := range g.Bundles {
		s := t.Of(b)
		if s.Broken() {
			return nil
		}
		for key := range s.TextKeys() {
			delete(only, key)
		}
	}
	var rest catalog.Catalog
	for key := range only {
		rest = append(rest, catalog.Unit{Name: catalog.Name{Key: key}, Text: key})
	}
	for _, b := range g.Bundles {
		s := t.Of(b)
		wide := s.WideKeys(rest)
		rest = slices.DeleteFunc(rest, func(u catalog.Unit) bool { return s.Clash[u.Key] != "" || wide[u.Key] })
	}
	return slices.Sorted(maps.Keys(rest.Keys()))
}

// MayHave reports whether a translation may have a key: whether the source has it, or a plural that it is a form of. Of
// a file that cannot be read it is not known.
func (s *Source) MayHave(key string) bool {
	if s.Broken() || s.Clash[key] != "" || s.TextKeys()[key] {
		return true
	}
	return s.WideKeys(catalog.Catalog{{Name: catalog.Name{Key: key}, Text: key}})[key]
}

// SourceTexts are the texts of a target's source files; ok is false when one of them cannot be read.
func (t *Tree) SourceTexts(target bundle.Target) (texts catalog.Catalog, ok bool) {
	for _, b := range target.Sources {
		s := t.Of(b)
		if s == nil || s.Broken() {
			return nil, false
		}
		if len(target.Sources) == 1 {
			return s.All, true
		}
		texts = append(texts, s.All...)
	}
	return texts, true
}

// Bundles are those of all source files, also of files that cannot be read.
func (t *Tree) Bundles() []*bundle.Bundle {
	bundles := make([]*bundle.Bundle, len(t.Sources))
	for i, s := range t.Sources {
		bundles[i] = s.Bundle
	}
	return bundles
}

// HasTargets reports whether there is any file of translations.
func (t *Tree) HasTargets(languages []config.Language) (bool, error) {
	targets, err := bundle.Existing(t.FS, t.Bundles(), languages)
	return slices.ContainsFunc(targets, func(x bundle.Target) bool {
		_, err := fs.Stat(t.FS, x.Path)
		return err == nil
	}), err
}

// Of is the source file of one of the tree's bundles.
func (t *Tree) Of(b *bundle.Bundle) *Source { return t.of[b] }

// Written are the files that pulls may write, by path: the target files that any of the trees has or could have, and
// the source files where pulls write those. A file with all languages is several targets.
func Written[T fs.FS](cfg *config.Project, trees ...T) (map[string][]bundle.Target, error) {
	written := make(map[string][]bundle.Target)
	known := make(map[string]bool)
	add := func(t bundle.Target) {
		if id := ledger.TargetID(t.Path, t.Language.Code); !known[id] {
			known[id] = true
			written[t.Path] = append(written[t.Path], t)
		}
	}
	for _, fsys := range trees {
		bundles, _, err := bundle.Find(fsys, cfg)
		if err != nil {
			return nil, err
		}
		targets, err := bundle.Existing(fsys, bundles, cfg.Targets())
		if err != nil {
			return nil, err
		}
		for _, t := range targets {
			add(t)
		}
		for _, b := range bundles {
			if cfg.Pull.Source { // else no pull writes it
				add(bundle.Target{Path: b.Path, Language: b.Source, Sources: []*bundle.Bundle{b}})
			}
		}
	}
	return written, nil
}

// Differing are the translations, among those of files that changed, whose texts differ between two trees.
func Differing(
	written map[string][]bundle.Target, changed map[string]string, before, after fs.FS,
) (differing []bundle.Target) {
	if before == after {
		return nil
	}
	texts := func(of bundle.Target, src []byte) map[catalog.Name]string {
		f, err := of.Sources[0].Parse(src, of.Language)
		if err != nil {
			return nil
		}
		return bundle.Texts(f).Texts()
	}
	for path := range changed {
		was, _ := fs.ReadFile(before, path)
		now, _ := fs.ReadFile(after, path)
		if len(written[path]) == 0 || bytes.Equal(was, now) {
			continue
		}
		for _, t := range written[path] {
			isSource := t.Language.Code == t.Sources[0].Source.Code
			if !isSource && !maps.Equal(texts(t, was), texts(t, now)) {
				differing = append(differing, t)
			}
		}
	}
	return differing
}

// Wanted tells which of the service's keys can be those of a group's source files, or forms of their plurals: all of
// them, where a file cannot be read.
func (t *Tree) Wanted(g *bundle.Group) func(key string) bool {
	stems := func(key string) []string {
		if !spelling.MayBeForm(key, g.Separator) {
			return nil
		}
		word, step := strings.LastIndexAny(key, "_./"), strings.LastIndex(key, g.Separator)
		return []string{key[:max(word, 0)], key[:max(step, 0)]}
	}
	known := sync.OnceValue(func() map[string]bool {
		known := make(map[string]bool)
		for _, b := range g.Bundles {
			s := t.Of(b)
			if s == nil || s.Broken() {
				return nil
			}
			for _, u := range s.All {
				known[u.Key] = true
				for _, stem := range stems(u.Key) {
					known[stem] = true
				}
			}
		}
		return known
	})
	return func(key string) bool {
		in := func(stem string) bool { return known()[stem] }
		return known() == nil || in(key) || slices.ContainsFunc(stems(key), in)
	}
}
