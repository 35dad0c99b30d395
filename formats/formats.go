// Package formats is the table of formats: which grammar spells each, which file names it is guessed from, whether
// nested names are joined to keys, and in which format the texts travel to the service and back.
//
// Its law: the table is the only place that knows which formats there are. Everything else asks for one by name.
//
// It does no input or output and knows nothing of the grammars but that they are there.
package formats

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/androidxml"
	"github.com/locsync/locsync/formats/arb"
	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/locjson"
	"github.com/locsync/locsync/formats/po"
	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/formats/properties"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resx"
	"github.com/locsync/locsync/formats/stringsdict"
	"github.com/locsync/locsync/formats/stringsfile"
	"github.com/locsync/locsync/formats/xcstrings"
	"github.com/locsync/locsync/formats/xliff"
	"github.com/locsync/locsync/formats/yamlfile"
)

// Format is one row of the table.
type Format struct {
	Name       string // in configurations: as the service interface spells it, where it has the format
	Kind       string // what a developer calls such files
	Structured bool   // nested names are joined to keys by a path separator
	Grammar    resource.Grammar
	Extensions []string // of files that are taken for this format; none for the structured ones, which are named

	Platform   Platform // whose layout of paths and printf it is used with
	Resources  bool     // a file without texts holds other resources, which is usual
	Texts      bool     // files with these extensions hold texts to translate and nothing else
	Namespaces bool     // several files of a language are called namespaces
	PluralKeys bool     // programs read the forms of a plural under keys of their own
	LineEnds   bool     // programs read line breaks in texts as the file has them
	Spelling   Spelling // how paths spell languages
	Programs   programs.Programs
	Notes      Notes

	wire         wire
	translations translations
}

// wire is how texts of a format travel.
type wire struct {
	sent      string // the format that its sources are imported in; "" for its own
	exchanged string // the format that its translations are imported and exported in; "" for its own
	pieces    bool   // a file of any length can be read piece by piece
}

// translations is how files of translations are otherwise than sources.
type translations struct {
	// made is what Translated does; nil: all of a source goes into translations.
	made func(f *resource.File, language string) ([]byte, error)

	// Of formats whose entries hold the source text beside the text:
	grammar   resource.Grammar                                     // of translations; Grammar reads sources
	blank     func(source []byte, language string) ([]byte, error) // see Blank
	extracted string                                               // see Extracted
	forms     func(pluralForms, language string) []string          // see Forms
}

// dialect is how one kind of program spells the texts of a format otherwise than the service reads them. Its files are
// told by a folder that has to be called so.
type dialect struct {
	folder  string
	reader  string // what the second reader calls it
	grammar resource.Grammar

	translations resource.Grammar // where they have another one
	compiled     bool             // Android's compiler reads what is made of them
}

// dialects are by the name of their format.
var dialects = map[string][]dialect{
	"android-xml": {
		{folder: "composeResources", reader: "compose-xml", grammar: androidxml.Compose},
		{folder: "moko-resources", reader: "android-xml", grammar: androidxml.Moko, compiled: true},
	},
	"xliff": {{folder: "translations", reader: "symfony-xliff", grammar: xliff.SymfonySource,
		translations: xliff.SymfonyTranslations}},
}

// Platform is a system whose programs have one layout of their own for files of a format.
type Platform string

// The platforms. Formats of no platform are used everywhere.
const (
	Android Platform = "android" // values-de/strings.xml
	Apple   Platform = "ios"     // de.lproj/Localizable.strings
)

// Spelling is how paths spell languages, where those that are there do not show it.
type Spelling uint8

// The spellings. Without one it is the code.
const (
	Underlined Spelling = iota + 1 // pt_BR, zh_Hans
	Regional                       // pt_BR, and for a script its region: zh_CN
)

var (
	script = programs.Programs{Named: true, Suffixes: true} // JavaScript, in general
	java   = programs.Programs{Printf: programs.Java, MessageFormat: true, Reader: programs.MessageFormat}

	// foreign is how texts of a format travel that the service does not know: sources as LocJSON, which has comments.
	foreign = wire{sent: "locjson", exchanged: "json"}
)

var table = []Format{
	{
		Name: "json", Kind: "JSON", Grammar: jsonfile.Grammar, Extensions: []string{".json"},
		Namespaces: true, PluralKeys: true, Programs: script, wire: wire{pieces: true},
		translations: translations{made: jsonfile.In},
		Notes:        notesJSON,
	},
	{
		Name: "structured-json", Kind: "JSON", Structured: true, Grammar: jsonfile.Grammar,
		Namespaces: true, PluralKeys: true, Programs: script, wire: wire{pieces: true},
		translations: translations{made: jsonfile.In},
		Notes:        notesNestedJSON,
	},
	{
		Name: "yaml", Kind: "YAML", Grammar: yamlfile.Grammar, Extensions: []string{".yaml", ".yml"},
		PluralKeys: true, Programs: programs.Programs{Named: true}, Notes: notesYAML,
	},
	{
		Name: "structured-yaml", Kind: "YAML", Structured: true, Grammar: yamlfile.Grammar,
		PluralKeys: true, Programs: programs.Programs{Named: true, Rails: true}, Notes: notesNestedYAML,
	},
	{
		Name: "ios-strings", Kind: "iOS strings", Grammar: stringsfile.Grammar, Extensions: []string{".strings"},
		Platform: Apple, Programs: programs.Programs{Printf: programs.Apple}, Notes: notesStrings,
	},
	{
		Name: "android-xml", Kind: "Android string resources", Grammar: androidxml.Grammar, Extensions: []string{".xml"},
		Platform: Android, Resources: true,
		Programs:     programs.Programs{Printf: programs.Java, Categories: true, Positions: true, Once: true},
		translations: translations{made: monolingual(androidxml.Monolingual)}, Notes: notesAndroid,
	},
	{
		Name: "locjson", Kind: "LocJSON", Grammar: locjson.Grammar, Extensions: []string{".locjson"},
		Texts: true, Programs: programs.Programs{Named: true}, wire: wire{exchanged: "json"},
		translations: translations{made: monolingual(locjson.Monolingual)}, Notes: notesLocJSON,
	},
	{
		Name: "arb", Kind: "Flutter's ARB", Grammar: arb.Grammar, Extensions: []string{".arb"},
		Texts: true, Spelling: Underlined, Programs: programs.Programs{Named: true, Reader: programs.Flutter}, wire: foreign,
		Notes: notesARB,
	},
	{
		Name: "properties", Kind: "Java properties", Grammar: properties.Grammar, Extensions: []string{".properties"},
		Spelling: Regional, Programs: java, wire: foreign, Notes: notesProperties,
	},
	{
		Name: "resx", Kind: ".NET resources", Grammar: resx.Grammar, Extensions: []string{".resx", ".resw"},
		Resources: true, LineEnds: true, Programs: programs.Programs{Reader: programs.Composite}, wire: foreign,
		Notes: notesResx,
	},
	{
		Name: "po", Kind: "gettext PO", Grammar: po.Source, Extensions: []string{".po", ".pot"},
		Texts: true, Spelling: Underlined,
		Programs:     programs.Programs{Named: true, Categories: true, Whole: true, Once: true, Lines: true},
		translations: translations{grammar: po.Translations, blank: po.Blank, extracted: ".pot", forms: po.Forms},
		wire:         wire{sent: "android-xml", exchanged: "android-xml"}, Notes: notesPO,
	},
	{
		Name: "xliff", Kind: "XLIFF", Grammar: xliff.Source, Extensions: []string{".xlf", ".xliff"},
		Texts: true, Programs: programs.Programs{Named: true, Reader: programs.Inline}, wire: foreign, Notes: notesXLIFF,
		translations: translations{grammar: xliff.Translations, blank: xliff.Blank},
	},
	{
		Name: "xcstrings", Kind: "Xcode's string catalogs", Grammar: xcstrings.Grammar, Extensions: []string{".xcstrings"},
		Texts: true, Programs: programs.Programs{Printf: programs.Apple, Categories: true}, wire: foreign,
		Notes: notesCatalogs,
	},
	{
		Name: "stringsdict", Kind: "Apple's plural dictionaries", Grammar: stringsdict.Grammar,
		Extensions: []string{".stringsdict"}, Platform: Apple,
		Programs: programs.Programs{Printf: programs.Apple, Categories: true}, wire: foreign, Notes: notesDictionaries,
	},
}

// Multilingual reports whether a file has the texts of all languages, so that translations are in their source file.
func (f Format) Multilingual() bool {
	_, is := f.Grammar.(resource.Multilingual)
	return is
}

// Languages are the source language, and all languages, of a file of a multilingual format that can be read.
func (f Format) Languages(src []byte) (source string, all []string) {
	return f.Grammar.(resource.Multilingual).Languages(string(src))
}

// At is the format as the program reads it whose source file is at a path: in that program's dialect. What is sent and
// exchanged is in the format's own spelling all the same.
func (f Format) At(file string) Format {
	folders := strings.Split(path.Dir(file), "/")
	for _, d := range dialects[f.Name] {
		if !slices.Contains(folders, d.folder) {
			continue
		}
		f.Grammar, f.translations.grammar = d.grammar, d.translations
		f.wire.sent, f.wire.exchanged = cmp.Or(f.wire.sent, f.Name), cmp.Or(f.wire.exchanged, f.Name)
		f.Programs.Positions = f.Programs.Positions && d.compiled
		break
	}
	return f
}

// IsJSON reports whether files are JSON to the programs that read them.
func (f Format) IsJSON() bool { return f.Flat() == "json" || f.ByFlutter() }

// ByFlutter reports whether Flutter's programs read the files.
func (f Format) ByFlutter() bool { return f.Name == "arb" }

// Reader is what the second reader calls the format.
func (f Format) Reader() string {
	for _, d := range dialects[f.Name] {
		if f.Grammar == d.grammar {
			return d.reader
		}
	}
	return f.Name
}

// Sent is the format that the source texts are imported in. A format that the service does not know is sent as LocJSON,
// which has the comments, too.
func (f Format) Sent() Format { return f.named(f.wire.sent) }

// Exchanged is the format that the translations are imported and exported in. The service exports no LocJSON, and
// LocJSON does not say which language a target is in.
func (f Format) Exchanged() Format { return f.named(f.wire.exchanged) }

func (f Format) named(name string) Format {
	if other, ok := Named(name); ok {
		return other
	}
	return f
}

// Holds returns what is in a text that the format cannot hold; nil where it can.
func (f Format) Holds(text string) error {
	if holder, is := f.Grammar.(resource.Holder); is {
		return holder.Holds(text)
	}
	return nil
}

// HoldsKey is Holds for a key.
func (f Format) HoldsKey(key string) error {
	if holder, is := f.Grammar.(resource.NameHolder); is {
		return holder.HoldsName(key)
	}
	return f.Holds(key)
}

// Extracted is the extension of source files that are made from programs, and whose names say no language; "" for none.
func (f Format) Extracted() string { return f.translations.extracted }

// Bilingual reports whether an entry of a translation has the source text, too, and is not translated where its own
// text is empty.
func (f Format) Bilingual() bool { return f.translations.grammar != nil }

// Forms returns what tells a file's plural forms by index, where its header counts them; nil where forms have names.
func (f Format) Forms() func(pluralForms, language string) []string { return f.translations.forms }

// Pieces reports whether a file of any length can be read piece by piece, by the members of its outermost container.
func (f Format) Pieces() bool { return f.wire.pieces }

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

// Nested returns the format for files of this format with nested names; false where there is none.
func (f Format) Nested() (Format, bool) { return Named("structured-" + f.Name) }

// Flat is the name of the format without nested names.
func (f Format) Flat() string { return strings.TrimPrefix(f.Name, "structured-") }

// Names lists the formats in the order of the table.
func Names() []string {
	names := make([]string, len(table))
	for i, f := range table {
		names[i] = f.Name
	}
	return names
}

// Mind reports whether the programs that read a file mind what a warning is about. YAML 1.1 is what Ruby and Python
// read: their files have the language as their root, and those of Symfony and JavaScript, which read YAML 1.2, do not.
func Mind(f *resource.File, w resource.Warning) bool {
	if w.By != resource.YAML11 {
		return true
	}
	_, rooted := f.Root()
	return rooted
}

// Parse reads a file of this format; see resource.Parse. keys.Structured is the format's to say.
func (f Format) Parse(keys resource.Keys, src []byte) (*resource.File, error) {
	keys.Structured = f.Structured
	if keys.Translated && f.translations.grammar != nil {
		return resource.Parse(f.translations.grammar, keys, src)
	}
	return resource.Parse(f.Grammar, keys, src)
}

// Compose writes a small canonical file of this format; see resource.Compose.
func (f Format) Compose(keys resource.Keys, like *resource.File, entries []resource.Entry) ([]byte, error) {
	keys.Structured = f.Structured
	return resource.Compose(f.Grammar, keys, like, entries)
}

// Translated returns the bytes of a copy of a source, whose texts are another language's by now, as a file of that
// language: under its Rails root; with its name where the file says its language (Angular's "locale"); without what
// only a source has (the targets of LocJSON units, Android's resources that are not translated). language is as the
// repository's paths spell it.
func (f Format) Translated(file *resource.File, language string) ([]byte, error) {
	if _, rooted := file.Root(); rooted {
		return file.RenameRoot(language)
	}
	if f.translations.made == nil {
		return file.Bytes(), nil
	}
	return f.translations.made(file, language)
}

// Blank returns a file of translations that has none yet, laid out like a source, of a format with both texts in one
// entry; false of all others, where a source becomes a translation, see Translated.
func (f Format) Blank(source *resource.File, language string) (out []byte, bilingual bool, err error) {
	if f.translations.blank == nil {
		return nil, false, nil
	}
	out, err = f.translations.blank(source.Bytes(), language)
	return out, true, err
}

// monolingual is Translated in a format whose files do not say their language.
func monolingual(do func(*resource.File) ([]byte, error)) func(*resource.File, string) ([]byte, error) {
	return func(f *resource.File, _ string) ([]byte, error) { return do(f) }
}
