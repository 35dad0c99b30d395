package config

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config/glob"
)

// Source is a source file as the placeholders see it.
type Source struct {
	Path string // relative to the repository, with slashes
	Name string // {NAME}: the file name without its extension
	Ext  string // {EXT}: the extension without its dot
	Dir  string // {DIR}: the folders that ** matched; "" for none
}

// SourceFile reports whether a path is one of the source files that this entry is for, and how its
// placeholders read. The path is relative to the repository, with slashes.
func (f *Files) SourceFile(file string) (Source, bool) {
	if f.Excluded(file) {
		return Source{}, false
	}
	return f.sourceFile(file)
}

// Excluded reports whether exclude leaves a file out.
func (f *Files) Excluded(file string) bool {
	return slices.ContainsFunc(f.Exclude, func(pattern string) bool { return matches(pattern, file) })
}

// sourceFile is SourceFile of a path that may be left out.
func (f *Files) sourceFile(file string) (Source, bool) {
	if !glob.Match(f.Source, file) {
		return Source{}, false
	}
	s := Source{Path: file, Name: path.Base(file)}
	if dot := strings.LastIndexByte(s.Name, '.'); dot > 0 { // a leading dot hides a file, it begins no extension
		s.Name, s.Ext = s.Name[:dot], s.Name[dot+1:]
	}
	s.Dir = glob.Folders(f.Source, file)
	return s, true
}

// FormerTarget is the path of the translations of a source file that is gone; "" when the configuration does not say.
func (p *Project) FormerTarget(path, collection string, l Language) string {
	for i := range p.Files {
		source, fits := p.Files[i].SourceFile(path)
		if !fits || p.Files[i].CollectionOf(source) != collection {
			continue
		}
		if t := p.Files[i].OutputOf(path, source); !t.HasLabel() {
			return t.Path(l, "")
		}
		return ""
	}
	return ""
}

// CollectionOf is the collection that a source file's keys live in.
func (f *Files) CollectionOf(s Source) string {
	return cmp.Or(collectionWords(s).Replace(f.Collection), DefaultCollection) // {DIR} alone, for a file that is in none
}

// KeyPrefixOf is what is put before the keys of a source file.
func (f *Files) KeyPrefixOf(s Source) string { return collectionWords(s).Replace(f.KeyPrefix) }

// collectionWords fills in the placeholders of a collection. Where there is no folder, a slash beside {DIR} goes with
// it, as it does in an output.
func collectionWords(s Source) *strings.Replacer {
	if s.Dir == "" {
		return strings.NewReplacer("{NAME}", s.Name, "/{DIR}", "", "{DIR}/", "", "{DIR}", "", "{EXT}", s.Ext)
	}
	return strings.NewReplacer("{NAME}", s.Name, "{DIR}", s.Dir, "{EXT}", s.Ext)
}

// sample is a source file that the entry would match, for checking templates where no file is at hand.
func (f *Files) sample() (Source, bool) {
	path, ok := glob.Sample(f.Source)
	if !ok {
		return Source{}, false
	}
	return f.sourceFile(path)
}
