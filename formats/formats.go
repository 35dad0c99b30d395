// Package formats is the table of formats that the service interface names: which grammar spells each, which file names
// it is guessed from, and whether nested names are joined to keys.
//
// Its law: the table is the only place that knows which formats there are. Everything else asks for one by name.
//
// It does no input or output and knows nothing of the grammars but that they are there.
package formats

import (
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/androidxml"
	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/locjson"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/stringsfile"
	"github.com/locsync/locsync/formats/yamlfile"
)

// Format is one row of the table.
type Format struct {
	Name       string // as the service interface spells it
	Structured bool   // nested names are joined to keys by a path separator
	Grammar    resource.Grammar
	Extensions []string // of files that are taken for this format; none for the structured ones, which are named

	monolingual func(*resource.File) ([]byte, error) // see Monolingual; nil: all of a source goes into translations
}

var table = []Format{
	{Name: "json", Grammar: jsonfile.Grammar, Extensions: []string{".json"}},
	{Name: "structured-json", Structured: true, Grammar: jsonfile.Grammar},
	{Name: "yaml", Grammar: yamlfile.Grammar, Extensions: []string{".yaml", ".yml"}},
	{Name: "structured-yaml", Structured: true, Grammar: yamlfile.Grammar},
	{Name: "ios-strings", Grammar: stringsfile.Grammar, Extensions: []string{".strings"}},
	{Name: "android-xml", Grammar: androidxml.Grammar, Extensions: []string{".xml"}, monolingual: androidxml.Monolingual},
	{Name: "locjson", Grammar: locjson.Grammar, Extensions: []string{".locjson"}, monolingual: locjson.Monolingual},
}

// Named returns the format with this name.
func Named(name string) (Format, bool) {
	i := slices.IndexFunc(table, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, false
	}
	return table[i], true
}

// ByExtension returns the format that a file's name represents, whatever the case of its extension.
func ByExtension(file string) (Format, bool) {
	ext := strings.ToLower(path.Ext(file))
	i := slices.IndexFunc(table, func(f Format) bool { return slices.Contains(f.Extensions, ext) })
	if i < 0 {
		return Format{}, false
	}
	return table[i], true
}

// Names lists the formats in the order of the table.
func Names() []string {
	names := make([]string, len(table))
	for i, f := range table {
		names[i] = f.Name
	}
	return names
}

// Mind reports whether the programs that read a file at a path mind what a warning is about. YAML 1.1 is what Ruby and
// Python read: their files have the language as their root, and those of Symfony and JavaScript, which read YAML 1.2,
// do not. Compose Multiplatform, whose folder has a fixed name, took over Android's files without their quotes.
func Mind(file string, f *resource.File, w resource.Warning) bool {
	switch w.By {
	case resource.YAML11:
		_, rooted := f.Root()
		return rooted
	case resource.AndroidTools:
		return !strings.Contains("/"+file, "/composeResources/")
	}
	return true
}

// Parse reads a file of this format; see resource.Parse. keys.Structured is the format's to say.
func (f Format) Parse(keys resource.Keys, src []byte) (*resource.File, error) {
	keys.Structured = f.Structured
	return resource.Parse(f.Grammar, keys, src)
}

// Compose writes a small canonical file of this format; see resource.Compose.
func (f Format) Compose(keys resource.Keys, like *resource.File, entries []resource.Entry) ([]byte, error) {
	keys.Structured = f.Structured
	return resource.Compose(f.Grammar, keys, like, entries)
}

// Monolingual returns the bytes of a file without what only the source has: the targets of LocJSON units, Android's
// resources that are not translated. (Numbers and booleans belong into every language's JSON and YAML.) A new file of
// translations that was made from a copy of its source goes through here last; in the other formats it is the same
// bytes.
func (f Format) Monolingual(file *resource.File) ([]byte, error) {
	if f.monolingual == nil {
		return file.Bytes(), nil
	}
	return f.monolingual(file)
}
