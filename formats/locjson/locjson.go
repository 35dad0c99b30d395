// Package locjson reads and edits LocJSON files, the JSON-based exchange format of the service's tools (specification:
// loctools/locjson): an object with units, each of a key, a source text that is split into an array of strings, and
// properties.
//
// Its law is that of package resource: the order of units, their properties (also those it does not know) and the
// splitting of texts that are not edited survive every edit.
//
// Accepted: strict JSON with a byte order mark or none; a single string where the specification asks for an array of
// strings; members it does not know. An object without units has none, and a Warning where it has other members; the
// first unit that comes brings them. Refused, with line and column: comments and trailing commas (only the
// specification's own samples have them), a unit without key or source, other values in these places, a member twice,
// and a key that another unit has: the specification wants keys unique, and a guess would lose one of the texts.
//
// A unit is an entry: the text is its source, joined without separator; the Note is properties.comments, joined by
// newlines. Keys are flat, and there are no Forms. A source with half of a surrogate pair is Other, with a Warning.
// Targets belong to bilingual use; the entries do not show them (see Targets), and Set leaves them alone (see
// Monolingual).
//
// A new text is split behind every newline and, at a space, before it exceeds 50 characters, on as many lines as the
// file's layout has them. Removing a unit that was just inserted restores the bytes, except where the file had no units
// member, or one of white space: that becomes [].
package locjson

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/formats/resource"
)

// Grammar is LocJSON. Its keys are flat whatever resource.Keys says.
var Grammar resource.Grammar = grammar{}

type grammar struct{}

// indent is the plain layout's indentation (specification, rule 2).
const indent = "    "

// noUnits in the root's Style: the file has no units member, and the root's Value is the whole object. The upper bits
// are jsonfile's.
const noUnits uint8 = 1

// Scan reads a LocJSON file.
func (grammar) Scan(src string) (*resource.Layout, error) {
	s := scanner{src: src, nodes: make([]resource.Node, 1, 64)} // the root comes last
	l, err := jsonfile.Fold(src, "units", resource.List, s.unit)
	if err != nil {
		return nil, err
	}
	s.json = l.Nodes
	if err := s.file(); err != nil {
		return nil, err
	}
	return &resource.Layout{Nodes: s.nodes, Warnings: s.warnings}, nil
}

// scanner turns the nodes of plain JSON into those of units, one unit after the other.
type scanner struct {
	src      string
	json     []resource.Node // of the file as far as it was read, without the units that were turned into nodes
	nodes    []resource.Node
	warnings []resource.Warning
	keys     keySet
}

func (s *scanner) refuse(i int, format string, args ...any) error {
	at := s.json[i].Whole.Start
	return &resource.SyntaxError{Offset: int(at), Msg: fmt.Sprintf(format, args...)}
}

// name is the name of member i, quotes included, and without escapes.
func (s *scanner) name(i int) string {
	raw := s.json[i].Name.Of(s.src)
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return `"` + jsonfile.Unquote(raw) + `"`
}

func (s *scanner) isString(i int) bool { return s.src[s.json[i].Value.Start] == '"' }

// isText reports whether value i is a string or an array of strings.
func (s *scanner) isText(i int) bool {
	if s.json[i].Kind != resource.List {
		return s.isString(i)
	}
	for c := i + 1; c < int(s.json[i].End); c++ {
		if !s.isString(c) {
			return false
		}
	}
	return true
}

// isHalf reports whether text i has half of a surrogate pair.
func (s *scanner) isHalf(i int) bool {
	for c := i; c < int(s.json[i].End); c++ {
		if s.json[c].Kind == resource.Other {
			return true
		}
	}
	return false
}

func (s *scanner) file() error {
	root := s.json[0]
	if root.Kind != resource.Map {
		return s.refuse(0, "a LocJSON file holds an object with units, not an array")
	}
	units, properties := 0, 0
	for i := 1; i < len(s.json); i = int(s.json[i].End) {
		switch s.name(i) {
		case `"units"`:
			if units > 0 {
				return s.refuse(i, "units for the second time; make one array of them")
			}
			if s.json[i].Kind != resource.List {
				return s.refuse(i, "units are an array")
			}
			units = i
		case `"properties"`:
			if properties > 0 || s.json[i].Kind != resource.Map {
				return s.refuse(i, "the file's properties are one object")
			}
			properties = i
		}
	}
	out := resource.Node{
		Parent: -1, Kind: resource.Map, Style: root.Style, Value: root.Value, Whole: root.Whole, End: int32(len(s.nodes)),
	}
	if units == 0 {
		out.Style |= noUnits
		if alone := len(s.json) == 1 || properties == 1 && int(s.json[1].End) == len(s.json); !alone {
			s.warnings = append(s.warnings, resource.Warning{Node: 0, Left: true,
				Msg: "LocJSON has units, and this object has none; give the file its format, such as json"})
		}
	} else {
		out.Value = s.json[units].Value
		if other := units + 1; other < int(s.json[units].End) {
			return s.refuse(other, "a unit is an object")
		}
	}
	s.nodes[0] = out
	return nil
}

// The members of a unit that the specification names.
const (
	key = iota
	source
	target
	properties
)

var parts = [...]string{"key", "source", "target", "properties"}

// part returns which of the parts member i of a unit is, -1 for none.
func (s *scanner) part(i int) int {
	switch s.name(i) {
	case `"key"`:
		return key
	case `"source"`:
		return source
	case `"target"`:
		return target
	case `"properties"`:
		return properties
	}
	return -1
}

// unit adds the node of the unit i.
func (s *scanner) unit(json []resource.Node, i int) error {
	s.json = json
	var at [len(parts)]int // by part; 0 where the unit has none
	for c := i + 1; c < len(s.json); c = int(s.json[c].End) {
		part := s.part(c)
		if part < 0 {
			continue
		}
		if at[part] > 0 {
			return s.refuse(c, "%s for the second time in one unit", parts[part])
		}
		ok, want := false, "a %s is an array of strings"
		switch part {
		case key:
			ok, want = s.isString(c), "a %s is a string"
		case properties:
			ok, want = s.json[c].Kind == resource.Map, "%s are an object"
		default:
			ok = s.isText(c)
		}
		if !ok {
			return s.refuse(c, want, parts[part])
		}
		at[part] = c
	}
	switch {
	case len(s.nodes) > resource.MaxEntries:
		return s.refuse(i, "more than %d entries", resource.MaxEntries)
	case at[key] == 0:
		return s.refuse(i, "a unit without a key")
	case at[source] == 0:
		return s.refuse(i, "a unit without a source")
	case s.isHalf(at[key]):
		return s.refuse(at[key], "the key has half of a surrogate pair, which no text can hold")
	}
	n := resource.Node{
		Kind: resource.Text, Name: s.json[at[key]].Value, Value: s.json[at[source]].Value, Whole: s.json[i].Whole,
		End: int32(len(s.nodes) + 1),
	}
	if n.Name.Len() > resource.MaxName {
		return s.refuse(at[key], "a key of more than %d KiB", resource.MaxName>>10)
	}
	if name := jsonfile.Unquote(n.Name.Of(s.src)); !s.keys.add(s, name) {
		return s.refuse(at[key], "the key %q for the second time; give each unit a key of its own", name)
	}
	if at[properties] > 0 {
		n.Note = s.comments(at[properties])
	}
	if s.isHalf(at[source]) {
		n.Kind = resource.Other
		s.warnings = append(s.warnings, resource.Warning{Node: len(s.nodes), Left: true,
			Msg: "the source has half of a surrogate pair, which no text can hold; it is left alone"})
	}
	if len(s.nodes) == cap(s.nodes) { // the units so far represent those that follow
		more := float64(len(s.nodes)) * float64(len(s.src)) / float64(n.Whole.End) * 1.06
		s.nodes = slices.Grow(s.nodes, max(int(more)-len(s.nodes), len(s.nodes)))
	}
	s.nodes = append(s.nodes, n)
	return nil
}

// comments finds the comments among properties: of several the last, as every reader of JSON takes it.
func (s *scanner) comments(properties int) (found resource.Span) {
	for c := properties + 1; c < int(s.json[properties].End); c = int(s.json[c].End) {
		if s.name(c) != `"comments"` {
			continue
		}
		found = resource.Span{}
		if s.isText(c) {
			found = s.json[c].Value
		}
	}
	return found
}

// Name decodes a unit's key.
func (grammar) Name(src string, n *resource.Node) string {
	if n.Name.Len() == 0 {
		return ""
	}
	return jsonfile.Unquote(n.Name.Of(src))
}

// Text joins a unit's source.
func (grammar) Text(src string, n *resource.Node) string { return jsonfile.Join(n.Value.Of(src), "") }

// Note joins a unit's comments.
func (grammar) Note(src string, n *resource.Node) string { return jsonfile.Join(n.Note.Of(src), "\n") }

// longest is a property of a unit that says how many characters its text may have. Its name is not published.
var longest = regexp.MustCompile(`(?i)"[^"\\]*max-?_?length"\s*:\s*"?(\d{1,6})"?\s*[,}]`)

// Flags are how long the text of a unit may be.
func (grammar) Flags(f *resource.File, i int) string {
	if m := longest.FindStringSubmatch(f.Node(i).Whole.Of(f.Source())); m != nil {
		return programs.MaxLength + m[1]
	}
	return ""
}

// Set splits the text into lines that replace the source, in the layout that the source has.
func (grammar) Set(f *resource.File, i int, text string) (resource.Splice, error) {
	n := f.Node(i)
	return resource.Splice{At: n.Value, Text: spellSource(f, n, text)}, nil
}

// Rename gives a unit another key. That it is unique is the caller's care.
func (grammar) Rename(f *resource.File, i int, name string) (resource.Splice, error) {
	n := f.Node(i)
	if n.Name.Len() == 0 {
		return resource.Splice{}, errors.New("only units have keys")
	}
	spelled, err := quoteKey(jsonfile.SpellingOf(f.Node(0), n.Name.Of(f.Source())), name)
	return resource.Splice{At: n.Name, Text: spelled}, err
}

func quoteKey(p jsonfile.Spelling, key string) (string, error) {
	spelled := p.Quote(key)
	if len(spelled) > resource.MaxName {
		return "", fmt.Errorf("the key has more than %d KiB", resource.MaxName>>10)
	}
	return spelled, nil
}

// Remove takes units out.
func (grammar) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	return jsonfile.Remove(f, gone), nil
}

// Targets returns the target texts of the units that have one, by key: the translations of a bilingual file. An empty
// target is none. f is a file of this grammar.
func Targets(f *resource.File) map[string]string {
	targets := make(map[string]string)
	for i := range f.Children(0) {
		u := unitAt(f, i)
		if m, ok := u.member("target"); ok {
			if text := jsonfile.Join(m.value, ""); text != "" && !m.half {
				targets[f.Name(i)] = text
			}
		}
	}
	return targets
}

// Monolingual returns the file without any target: what a translated copy of a bilingual file is (specification,
// "Monolingual use"), once its sources are set. f is a file of this grammar.
func Monolingual(f *resource.File) ([]byte, error) {
	plain, err := resource.Parse(jsonfile.Grammar, resource.Keys{Structured: true}, f.Bytes())
	if err != nil {
		return nil, fmt.Errorf("read as JSON: %w", err)
	}
	var gone []int
	for units := range plain.Children(0) {
		if plain.Name(units) != "units" {
			continue
		}
		for unit := range plain.Children(units) {
			for member := range plain.Children(unit) {
				if plain.Name(member) == "target" {
					gone = append(gone, member)
				}
			}
		}
	}
	out := cut(f.Bytes(), jsonfile.Remove(plain, gone))
	g, err := resource.Parse(Grammar, resource.Keys{}, out)
	if err != nil {
		return nil, fmt.Errorf("take out the targets, and read it again: %w", err)
	}
	same := g.Len() == f.Len()
	for i := 1; same && i < f.Len(); i++ {
		same = f.Name(i) == g.Name(i) && f.Node(i).Kind == g.Node(i).Kind && f.Text(i) == g.Text(i)
	}
	if !same || len(Targets(g)) > 0 {
		return nil, errors.New("take out the targets: the file is written in a way that does not let that be done " +
			"without damage; take them out by hand")
	}
	return out, nil
}

// cut takes the spans of splices, which replace them by nothing, out of src.
func cut(src []byte, splices []resource.Splice) []byte {
	if len(splices) == 0 {
		return src
	}
	var out strings.Builder
	at := uint32(0)
	for _, s := range sorted(splices) {
		out.Write(src[at:s.At.Start])
		at = s.At.End
	}
	out.Write(src[at:])
	return []byte(out.String())
}
