// Package xcstrings reads and edits Xcode's string catalogs: JSON with the texts of all languages under their keys. A
// grammar reads one language (resource.Multilingual), the source language as an ordinary file of its own.
//
// Its law is that of package resource: an edit in one language changes nothing of another. Entries, languages and forms
// are sorted and spaced as Xcode does it, so that the next save in Xcode changes nothing.
//
// A key without a text in the source language is its own text, as for Xcode. Plural variations are the Forms of their
// key. Variations by device and substitutions are entries of their own, named as in Xcode's export:
// "key|==|device.mac", "key|==|substitutions.count", and "key|==|string" for the text that has substitutions in its
// language or in the source's. The comment of a key is the Note of its texts.
//
// Other, so never sent and never changed, are keys with shouldTranslate false, those without a text, and variations of
// another kind. A stale key has no entry, as no program uses it: Xcode keeps the old key where it renames one.
// A unit that is "new" in a target language is not translated yet. What is written becomes "translated"; units that are
// not written keep their state.
//
// Files that are not strict JSON are refused, as are those whose strings and localizations are not objects.
package xcstrings

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/resource"
)

// Grammar is that of string catalogs in their source language.
var Grammar resource.Multilingual = grammar{}

// grammar reads the texts of a language; "" is the source's.
type grammar struct{ language string }

// In is the grammar of one language's texts.
func (grammar) In(language string) resource.Grammar { return grammar{language} }

// separator is between a key and what varies in it, as in Xcode's export.
const separator = "|==|"

// Separator is between the key and the variation of an entry.
func (grammar) Separator() string { return separator }

// What a node's Name and Value are, in its Style. The upper half is jsonfile's.
const (
	unit         uint8 = iota // the Value is a string unit
	key                       // the text is the key, the Value its object
	device                    // the Name is a device's; what it has may be a unit
	substitution              // the Name is a substitution's
	beside                    // the Name is that of the unit beside substitutions, and the text called "string"
	closed                    // no text may come

	ofNode = 0x0f
)

// What the root's Style says besides.
const (
	noStrings uint8 = 1 << iota // there is no place for entries
	inSource                    // the language is the source's
)

// Name decodes the name of a node.
func (grammar) Name(src string, n *resource.Node) string {
	if n.Name.Len() == 0 {
		return ""
	}
	name := jsonfile.Unquote(n.Name.Of(src))
	switch n.Style & ofNode {
	case device:
		return "device." + name
	case substitution:
		return "substitutions." + name
	case beside:
		return "string"
	}
	return name
}

// Text decodes the value of a string unit, or a key.
func (grammar) Text(src string, n *resource.Node) string {
	if n.Style&ofNode == key {
		return jsonfile.Unquote(n.Name.Of(src))
	}
	value, _ := member(src, n.Value, "value")
	return jsonfile.Unquote(value.Of(src))
}

// Start is where the value of a string unit is, or the object of a key that is its text.
func (grammar) Start(src string, n *resource.Node) int {
	if value, is := member(src, n.Value, "value"); is && n.Style&ofNode != key {
		return int(value.Start)
	}
	return int(n.Value.Start)
}

// Note decodes the comment of a key.
func (grammar) Note(src string, n *resource.Node) string { return jsonfile.Unquote(n.Note.Of(src)) }

// Compare orders names as Xcode does: without regard to case, numbers by their value, then by their letters.
func (grammar) Compare(a, b string) int { return compare(a, b) }

func compare(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if isDigit(a[i]) && isDigit(b[j]) {
			m, n := digits(a[i:]), digits(b[j:])
			x, y := strings.TrimLeft(a[i:i+m], "0"), strings.TrimLeft(b[j:j+n], "0")
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			if c := strings.Compare(x, y); c != 0 {
				return c
			}
			i, j = i+m, j+n
			continue
		}
		r, m := utf8.DecodeRuneInString(a[i:])
		s, n := utf8.DecodeRuneInString(b[j:])
		if r, s = unicode.ToLower(r), unicode.ToLower(s); r != s {
			return int(r) - int(s)
		}
		i, j = i+m, j+n
	}
	if rest := (len(a) - i) - (len(b) - j); rest != 0 {
		return rest
	}
	return strings.Compare(a, b)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

var (
	errOnlyKeys = errors.New("only the keys of a catalog can be renamed")
	errOther    = errors.New("it is not to be translated (shouldTranslate, or no program uses it any more), or " +
		"varies in a way that is left to Xcode; change it there")
	errLast = errors.New("it is the last form of the only substitution, which the text called \"string\" would go on to " +
		"name; take out that text as well")
	errNoKey = errors.New("the catalog has no such key, or has it in another shape; a key comes with its source text")
)

// Set gives a text another value. The state becomes "translated".
func (g grammar) Set(f *resource.File, i int, text string) (resource.Splice, error) {
	n := f.Node(i)
	switch {
	case n.Kind != resource.Text:
		return resource.Splice{}, errOther
	case n.Style&ofNode == key:
		e := entryOf(f, i)
		language, err := g.of(f)
		if err != nil {
			return resource.Splice{}, err
		}
		return e.changed(func() error { return e.text(text, []string{"localizations", language}) })
	}
	src := f.Source()
	value, _ := member(src, n.Value, "value")
	spelled := jsonfile.SpellingOf(f.Node(0), value.Of(src)).Quote(text)
	state, has := member(src, n.Value, "state")
	if !has || state.Of(src) == translated {
		return resource.Splice{At: value, Text: spelled}, nil
	}
	both := resource.Span{Start: min(state.Start, value.Start), End: max(state.End, value.End)}
	if state.Start < value.Start {
		return resource.Splice{At: both, Text: translated + src[state.End:value.Start] + spelled}, nil
	}
	return resource.Splice{At: both, Text: spelled + src[value.End:state.Start] + translated}, nil
}

// translated is the state of what was written here.
const translated = `"translated"`

// of is how the catalog calls the language.
func (g grammar) of(f *resource.File) (string, error) {
	if g.language != "" {
		return g.language, nil
	}
	if said := f.Node(0).Note; said.Len() > 2 {
		return jsonfile.Unquote(said.Of(f.Source())), nil
	}
	return "", errors.New(`the catalog does not say its "sourceLanguage"; write it there`)
}

// isSource reports whether a file was read in its source language.
func isSource(f *resource.File) bool { return f.Node(0).Style&inSource != 0 }

// Insert adds keys in the source language, and the texts of keys in another one.
func (g grammar) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	language, err := g.of(f)
	if err != nil {
		return resource.Splice{}, err
	}
	if at.In == 0 {
		if !isSource(f) || f.Node(0).Style&noStrings != 0 {
			return resource.Splice{}, errNoKey
		}
		return jsonfile.Insert(f, at, nil, "  ", func(l jsonfile.Lines) ([]string, error) {
			w := writer{jsonfile.SpellingOf(f.Node(0), ""), l}
			var all []string
			for i := range add {
				written, err := w.entry(language, &add[i])
				if err != nil {
					return nil, err
				}
				all = append(all, written)
			}
			return all, nil
		})
	}
	e := entryOf(f, at.In)
	in := f.Node(at.In)
	if in.Style&ofNode == closed {
		return resource.Splice{}, errOther
	}
	path := []string{"localizations", language}
	if in.Parent > 0 { // the forms of a device or a substitution
		path = append(path, partOf(f.Name(at.In))...)
	}
	return e.changed(func() error {
		for i := range add {
			if err := e.add(path, language, in.Kind, &add[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// partOf is where the part of a text with this name is in a localization.
func partOf(name string) []string {
	if name, is := strings.CutPrefix(name, "device."); is {
		return []string{"variations", "device", name}
	}
	if name, is := strings.CutPrefix(name, "substitutions."); is {
		return []string{"substitutions", name}
	}
	return nil
}

// Remove takes texts out: in the source language keys, with all of their languages.
func (g grammar) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	var keys []int
	var splices []resource.Splice
	source := SourceLanguage(f.Source())
	for k := 0; k < len(gone); {
		i := gone[k]
		if f.Node(i).Parent == 0 && isSource(f) {
			keys = append(keys, i)
			k++
			continue
		}
		language, err := g.of(f)
		if err != nil {
			return nil, err
		}
		e, top := entryOf(f, i), topOf(f, i)
		s, err := e.changed(func() error {
			for ; k < len(gone) && topOf(f, gone[k]) == top; k++ {
				e.take(append([]string{"localizations", language}, e.part(f, gone[k])...)...)
			}
			if f.Node(top).Kind == resource.Map && e.has(language, "stringUnit") &&
				!e.has(language, "substitutions") && (isSource(f) || !e.has(source, "substitutions")) {
				return errLast
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		splices = append(splices, s)
	}
	return append(splices, jsonfile.Remove(f, keys)...), nil
}

// Rename gives a key another name.
func (grammar) Rename(f *resource.File, i int, name string) (resource.Splice, error) {
	n := f.Node(i)
	if n.Parent != 0 {
		return resource.Splice{}, errOnlyKeys
	}
	spelled := jsonfile.SpellingOf(f.Node(0), n.Name.Of(f.Source())).Quote(name)
	return resource.Splice{At: n.Name, Text: spelled}, nil
}

// Compose writes a catalog as Xcode does.
func (g grammar) Compose(top []resource.New) ([]byte, error) {
	language := g.language
	if language == "" {
		language = "en"
	}
	w := writer{lines: jsonfile.Lines{Line: "\n    ", Colon: " : ", Unit: "  "}}
	name := w.spelling.Quote(language)
	var all []string
	for i := range top {
		written, err := w.entry(language, &top[i])
		if err != nil {
			return nil, err
		}
		all = append(all, written)
	}
	strings_ := "\n"
	if len(all) > 0 {
		strings_ = w.lines.Line + strings.Join(all, ","+w.lines.Line)
	}
	return []byte("{\n  \"sourceLanguage\" : " + name + ",\n  \"strings\" : {" + strings_ +
		"\n  },\n  \"version\" : \"1.0\"\n}"), nil
}
