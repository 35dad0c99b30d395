package config

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
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
	if ok, err := doublestar.Match(f.Source, file); err != nil || !ok {
		return Source{}, false
	}
	s := Source{Path: file, Name: path.Base(file)}
	if dot := strings.LastIndexByte(s.Name, '.'); dot > 0 { // a leading dot hides a file, it begins no extension
		s.Name, s.Ext = s.Name[:dot], s.Name[dot+1:]
	}
	s.Dir = matchedDir(f.Source, file)
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

// doubleStars counts the parts of a pattern that stand for any number of folders.
func doubleStars(glob string) int {
	return strings.Count("/"+strings.ReplaceAll(glob, "/", "//")+"/", "/**/")
}

// matchedDir is what the one ** of a pattern matched in a path that it matches; "" where there is none or
// several.
func matchedDir(glob, file string) string {
	if doubleStars(glob) != 1 {
		return ""
	}
	pattern := strings.Split(glob, "/")
	at := slices.Index(pattern, "**")
	before, after := strings.Join(pattern[:at], "/"), strings.Join(pattern[at+1:], "/")
	if after == "" {
		after = "*" // a/** means the files below a: the file's own name is not part of the folders
	}
	parts := strings.Split(file, "/")
	for from := range parts {
		if !matchesParts(before, parts[:from]) {
			continue
		}
		for to := from; to < len(parts); to++ {
			if matchesParts(after, parts[to:]) {
				return strings.Join(parts[from:to], "/")
			}
		}
	}
	return ""
}

// matchesParts compares whole parts; a pattern with alternatives may match more parts than it has.
func matchesParts(glob string, parts []string) bool {
	if glob == "" || len(parts) == 0 {
		return glob == "" && len(parts) == 0
	}
	ok, err := doublestar.Match(glob, strings.Join(parts, "/"))
	return err == nil && ok
}

// sample is a path that a pattern matches, for checking templates where no file is at hand: every
// wildcard becomes an x. It is "" for patterns too odd to tell.
func (f *Files) sample() (Source, bool) {
	var b strings.Builder
	depth, first := 0, true
	for i := 0; i < len(f.Source); i++ {
		c := f.Source[i]
		switch {
		case c == '{':
			depth, first = depth+1, true
		case c == '}' && depth > 0:
			depth--
			first = true
		case c == ',' && depth > 0:
			first = false
		case depth > 0 && !first:
		case c == '*' || c == '?':
			if strings.HasPrefix(f.Source[i:], "**") {
				i++
			}
			b.WriteByte('x')
		case c == '[':
			end := strings.IndexByte(f.Source[i+1:], ']')
			if end < 1 {
				return Source{}, false
			}
			class := f.Source[i+1 : i+1+end]
			if class[0] == '^' || class[0] == '!' {
				b.WriteByte('x')
			} else {
				b.WriteByte(class[0])
			}
			i += 1 + end
		default:
			b.WriteByte(c)
		}
	}
	return f.sourceFile(b.String())
}
