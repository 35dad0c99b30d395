// Package oracle is the second reader: it reads resource files with independent libraries, and proves of a file about
// to be written that it differs from the old one in exactly the edited keys.
//
// Its law: it shares no line with the grammars beside it, so that no fault of theirs can hide in it; and what it cannot
// read, it does not vouch for. It prepares each file so that its library can read it, in the same way before and after
// an edit, and what preparation takes out (comments, white space, quotes of another kind) is held against the old bytes
// all the same:
//
//	json, structured-json  encoding/json tokens. Comments, trailing commas and the byte order mark become spaces before
//	arb                    the same; attributes and globals are metadata
//	locjson                the same; a unit is one text, its source joined
//	yaml, structured-yaml  go.yaml.in/yaml/v4 nodes, which no alias makes larger. %YAML 1.2 is handed over as 1.1, which
//	                       nothing here depends on, and byte order marks inside texts as another character
//	ios-strings            cut into tokens here, whose texts howett.net/plist reads: it loses order and doubles, and
//	                       reads single quotes, some escapes and UTF-16 in another way than Apple's reader does, so it
//	                       gets the tokens one by one in its own spelling
//	android-xml            encoding/xml raw tokens, entities of the file's own kept as spelled, prefixes that nothing
//	                       declares included; above that the resource compiler's rules for texts, stage by stage
//	compose-xml            the same, with the rules of Compose Multiplatform's build, by regular expressions as there
//	properties             lines joined, cut and unescaped here, one step after the other, as Java does
//	resx                   encoding/xml tokens
//	stringsdict            the same, with texts as howett.net/plist reads them
//	po                     lines, whose strings strconv reads
//	xliff, symfony-xliff   encoding/xml tokens, codes as they are spelled
//	xcstrings              encoding/json tokens, of some entries at a time; a string unit is one leaf, and those of
//	                       the other languages have no keys
//
// A proof has two halves. The data: walking both files' leaves side by side, every leaf is the old one, or one that the
// edits name with the very text they give, or gone with them; in the same order. The bytes: what is between two
// leaves that both stay is the same to the byte, value, separators, comments and names included; where entries came or
// went in between, what stayed is still there, in order.
//
// It does not know what edits are good for, decides nothing, and does no input or output.
package oracle

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Rule says how the files of one entry of the configuration are read.
type Rule struct {
	Format    string   // by the name that the service interface has for it, or a dialect's own
	Separator string   // between the names of a structured key; "" means "/"
	Roots     []string // names of a single outermost map that is not part of the keys: a file's language, as written first

	// Of formats with both texts in one entry: the file is of translations, whose texts these are.
	Translated bool
	// Of formats that count plural forms: their categories, by what the header says. That is not proven here.
	Forms    func(pluralForms, language string) []string
	Language string // whose texts have keys where a file has all languages; "" for the source's
	source   string // the source language of such a file, of which a part is read
	// What is known of such a file since it was written for another language; nil for nothing.
	Catalogs *Catalogs
}

// reader is how the files of a format are read, and what a proof has to know of them.
type reader struct {
	read         func([]byte) (*document, error)
	structured   bool // nested names are joined to one key
	keyed        bool // its leaves come with their keys
	yaml         bool // what ends a block text is in its text
	brackets     bool // containers in brackets, which come and go with what is in them
	messages     bool // it may be a message file
	bilingual    bool // a source has more than a translated file
	slash        bool // an empty element may be spelled as one tag
	about        bool // "@name" goes with "name"
	gaps         bool // entries, and forms of a plural, may have no text, and come and go with what has one
	obsolete     bool // an entry that goes may stay as a comment
	multilingual bool // its files have all languages
}

// readers are the formats by name.
var readers = map[string]reader{
	"json":            {read: readJSON, brackets: true, messages: true},
	"structured-json": {read: readJSON, brackets: true, messages: true, structured: true},
	"yaml":            {read: readYAML, brackets: true, messages: true, yaml: true},
	"structured-yaml": {read: readYAML, brackets: true, messages: true, yaml: true, structured: true},
	"ios-strings":     {read: readStrings},
	"android-xml":     {read: readAndroid, keyed: true, slash: true},
	"compose-xml":     {read: readCompose, keyed: true, slash: true},
	"locjson":         {read: readLocJSON, keyed: true, brackets: true, bilingual: true},
	"arb":             {read: readARB, brackets: true, about: true},
	"properties":      {read: readProperties},
	"resx":            {read: readResx, keyed: true, slash: true},
	"stringsdict":     {read: readStringsdict, keyed: true, slash: true},
	"po":              {keyed: true, bilingual: true, gaps: true, obsolete: true},
	"xliff":           {keyed: true, bilingual: true, gaps: true},
	"symfony-xliff":   {keyed: true, bilingual: true, gaps: true},
	"xcstrings":       {multilingual: true, keyed: true, brackets: true},
}

// Read reads a file and returns its leaves in file order. The error says what the independent reader refuses.
func (r Rule) Read(src []byte) ([]Leaf, error) {
	d, err := r.read(src)
	if err != nil {
		return nil, err
	}
	return d.leaves, nil
}

func (r Rule) read(src []byte) (*document, error) {
	how, ok := readers[r.Format]
	if !ok {
		return nil, fmt.Errorf("no second reader for format %q", r.Format)
	}
	switch {
	case how.multilingual:
		how.read = r.readCatalog
	case how.read != nil:
	case r.Format == "po":
		how.read = r.readPO
	default:
		how.read = r.readXLIFF
	}
	d, err := how.read(src)
	if err != nil {
		return nil, err
	}
	if d.describes && !r.rooted(d.leaves) && !hideMessages(d.leaves, !how.yaml) {
		hideAbout(d.leaves)
	}
	r.keys(d.leaves)
	return d, nil
}

// keys gives the leaves their keys, by the interface's flattening rule. Formats with keys of their own have them
// already.
func (r Rule) keys(leaves []Leaf) {
	how := readers[r.Format]
	if how.keyed {
		return
	}
	separator := r.Separator
	if separator == "" {
		separator = "/"
	}
	if r.rooted(leaves) {
		for i := range leaves {
			l := &leaves[i]
			l.Path = l.Path[1:]
			for n := range l.lists {
				l.lists[n]--
			}
		}
	}
	for i := range leaves {
		l := &leaves[i]
		if l.Kind == Empty || l.closed || len(l.Path) == 0 {
			continue
		}
		switch {
		case len(l.Path) == 1:
			l.Key, l.Keyed = l.Path[0], true
		case how.structured:
			l.Key, l.Keyed = strings.Join(l.Path, separator), true
		}
	}
}

// rooted reports whether all leaves are in one outermost map with the name of a root.
func (r Rule) rooted(leaves []Leaf) bool {
	if len(leaves) == 0 || len(r.Roots) == 0 {
		return false
	}
	first := leaves[0].Path
	if len(first) == 0 || len(first) == 1 && leaves[0].Kind != Empty && !leaves[0].bare() {
		return false
	}
	if !slices.ContainsFunc(r.Roots, func(name string) bool { return strings.EqualFold(name, first[0]) }) {
		return false
	}
	for i := range leaves {
		l := &leaves[i]
		if len(l.Path) == 0 || l.Path[0] != first[0] || len(l.Path) == 1 && len(leaves) > 1 {
			return false
		}
		for _, n := range l.lists {
			if n < 2 { // the outermost thing, or what it holds, is a list
				return false
			}
		}
	}
	return true
}

// readProperties reads a .properties file as java.util.Properties does: first lines that go on are joined, then each is
// cut at its separator, then escapes are read. A text is kept as the units of UTF-16 that Java has.
func readProperties(src []byte) (*document, error) {
	d := &document{text: string(src)}
	switch {
	case !utf8.Valid(src):
		runes := make([]rune, len(src))
		for i, b := range src {
			runes[i] = rune(b)
		}
		d.text = string(runes)
	case strings.HasPrefix(d.text, mark):
		d.text, d.encoding = d.text[len(mark):], "UTF-8 with a byte order mark"
	}
	for at := 0; at < len(d.text); {
		var line logical
		if at = line.read(d.text, at); len(line.chars) == 0 {
			continue
		}
		key, value := line.cut()
		name, sound, err := javaText(line.chars[:key])
		if err != nil {
			return nil, err
		}
		text, fine, err := javaText(line.chars[value:])
		if err != nil {
			return nil, err
		}
		l := Leaf{Path: []string{name}, Kind: Text, Text: text, at: line.end, end: line.end}
		if value < len(line.chars) {
			l.at = line.offsets[value]
		}
		if !sound || !fine {
			l.Kind, l.Text = Other, string(line.chars[value:])
		}
		d.leaves = append(d.leaves, l)
	}
	return d, nil
}

// readPO reads a PO file line by line.
func (r Rule) readPO(src []byte) (*document, error) {
	if err := checkUTF8(src); err != nil {
		return nil, err
	}
	d := &document{text: strings.TrimPrefix(string(src), mark)}
	if len(d.text) < len(src) {
		d.encoding = "a byte order mark"
	}
	var forms []string
	for e := newPOEntry(0); e != nil; {
		next, err := e.read(d.text)
		if err != nil {
			return nil, err
		}
		switch id := e.name(); {
		case !e.has("msgid"):
		case id == "":
			forms = r.formsOf(e.texts["msgstr"])
		default:
			if forms == nil {
				forms = r.formsOf("")
			}
			d.leaves = append(d.leaves, r.leavesOf(e, id, forms)...)
		}
		e = next
	}
	return d, nil
}

// formsOf is the categories of forms by what a header says.
func (r Rule) formsOf(header string) []string {
	said := make(map[string]string)
	for line := range strings.Lines(header) {
		name, value, _ := strings.Cut(line, ":")
		said[strings.ToLower(name)] = strings.TrimSpace(value)
	}
	if r.Forms == nil {
		return nil
	}
	return r.Forms(said["plural-forms"], said["language"])
}

// leavesOf are the texts of an entry.
func (r Rule) leavesOf(e *poEntry, key string, forms []string) []Leaf {
	more, plural := e.texts["msgid_plural"]
	some := false
	for _, name := range e.order {
		some = some || strings.HasPrefix(name, "msgstr") && e.texts[name] != "" && !e.fuzzy
	}
	program := !r.Translated && !some // what is in the program is the text
	leaf := func(form, text string, at, end int) Leaf {
		l := Leaf{Path: []string{key}, Key: key, Form: form, Keyed: true, Kind: Text, Text: text, at: at, end: end}
		if form != "" {
			l.Path = append(l.Path, form)
		}
		if !program && (text == "" || e.fuzzy) {
			l.Kind, l.Text = Null, ""
		}
		if e.fuzzy {
			l.at = -1 // its mark goes when it gets a text
		}
		return l
	}
	switch {
	case program && plural:
		return []Leaf{leaf("one", e.texts["msgid"], e.from, e.to), leaf("other", more, e.to, e.to)}
	case program:
		return []Leaf{leaf("", e.texts["msgid"], e.from, e.to)}
	case !plural:
		return []Leaf{leaf("", e.texts["msgstr"], e.from, e.to)}
	}
	var all []Leaf
	at, shares := e.from, false
	for index, form := range forms {
		name := fmt.Sprintf("msgstr[%d]", index)
		text, is := e.texts[name]
		switch {
		case is && form != "":
			all = append(all, leaf(form, text, at, e.ends[name]))
			all[len(all)-1].shares = shares
			at, shares = e.ends[name], false
		case is: // for numbers of no form of its own, so it has another form's text
			shares = true
		}
	}
	if shares && len(all) > 0 { // it is behind all others
		last := &all[len(all)-1]
		last.shares, last.end = true, e.to
	}
	return all
}

// readXLIFF reads units with encoding/xml.
func (r Rule) readXLIFF(src []byte) (*document, error) {
	if err := checkUTF8(src); err != nil {
		return nil, err
	}
	d := &document{text: strings.TrimPrefix(string(src), mark)}
	if len(d.text) < len(src) {
		d.encoding = "a byte order mark"
	}
	x := xliffReader{src: d.text, d: xml.NewDecoder(strings.NewReader(d.text))}
	apart := r.Format == "xliff" && ofXcode(d.text)
	for {
		at := int(x.d.InputOffset())
		t, err := x.d.RawToken()
		if err == io.EOF {
			return d, nil
		}
		if err != nil {
			return nil, fmt.Errorf("encoding/xml: %w", err)
		}
		start, is := t.(xml.StartElement)
		if !is {
			continue
		}
		switch start.Name.Local {
		case "file":
			x.file = fileOf(start)
			x.angular = slices.ContainsFunc(start.Attr, func(a xml.Attr) bool {
				return a.Name.Local == "original" && (a.Value == "ng2.template" || a.Value == "ng.template")
			})
		case "xliff", "body", "group":
		case "trans-unit", "unit":
			l, named, err := r.unitOf(&x, start, at)
			if err != nil {
				return nil, fmt.Errorf("encoding/xml: %w", err)
			}
			if named && apart {
				l.Key = x.file + "␄" + l.Key
				l.Path = []string{x.file, l.Path[0]}
			}
			if named {
				d.leaves = append(d.leaves, l)
			}
		default:
			if err := x.skip(); err != nil {
				return nil, fmt.Errorf("encoding/xml: %w", err)
			}
		}
	}
}

// unitOf reads a unit whose start tag was read: its target, or in a source file its source text.
func (r Rule) unitOf(x *xliffReader, start xml.StartElement, at int) (l Leaf, named bool, err error) {
	symfony := r.Format == "symfony-xliff" && !x.angular
	l = Leaf{Keyed: true, Kind: Text, at: at}
	for _, a := range start.Attr {
		name := a.Name.Local
		switch {
		case a.Name.Space != "":
		case !symfony && name == "id", symfony && a.Value != "" &&
			(start.Name.Local == "unit" && name == "name" || start.Name.Local == "trans-unit" && name == "resname"):
			l.Key, named = a.Value, true
		case name == "translate" && a.Value == "no":
			l.Kind = Other
		}
	}
	u, err := x.unit()
	if err != nil {
		return l, false, err
	}
	l.end = int(x.d.InputOffset())
	if symfony && !named && u.sources > 0 {
		l.Key, named = u.source.text, true
	}
	l.Path = []string{l.Key}
	text, has := u.target, u.target.text != "" || u.target.odd
	switch u.state {
	case "needs-translation":
		has = false
	case "new":
		has = has && !u.copied()
	case "initial":
		has = has && !(u.segmented && u.copied())
	}
	if !has && !r.Translated {
		text, has = u.source, true
	}
	switch {
	case l.Kind == Other, u.sources != 1, u.targets > 1, has && text.odd:
		l.Kind, l.Text = Other, x.src[at:l.end]
	case !has:
		l.Kind = Null
	default:
		l.Text = text.text
	}
	return l, named, nil
}
