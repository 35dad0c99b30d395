package xcstrings

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/resource"
)

// Scan reads a catalog in the language of the grammar.
func (g grammar) Scan(src string) (*resource.Layout, error) {
	for source := (*string)(nil); ; {
		s := scanner{src: src, language: g.language, nodes: make([]resource.Node, 1, 64)} // the root comes last
		if source != nil {
			s.begin(*source)
		}
		l, err := jsonfile.Fold(src, "strings", resource.Map, s.entry)
		if err != nil {
			return nil, err
		}
		s.json = l.Nodes
		says := s.says()
		if s.begun && says != s.source { // it is behind the entries, or there twice
			source = &says
			continue
		}
		s.begin(says)
		if err := s.file(); err != nil {
			return nil, err
		}
		return &resource.Layout{Nodes: s.nodes, Warnings: s.warnings}, nil
	}
}

func (s *scanner) begin(source string) {
	s.source, s.begun = source, true
	s.inSource = s.language == "" || strings.EqualFold(s.language, source)
}

// says is the source language as far as the file was read: of several the last counts.
func (s *scanner) says() (source string) {
	for i := 1; s.json[0].Kind == resource.Map && i < len(s.json); i = int(s.json[i].End) {
		if s.json[i].End == 0 {
			break // it is being read
		}
		if s.name(i) == "sourceLanguage" {
			source = ""
			if s.isString(i) {
				source = jsonfile.Unquote(s.json[i].Value.Of(s.src))
			}
		}
	}
	return source
}

// SourceLanguage is the language that a catalog says its keys to be in; "" where it does not, or cannot be read.
func SourceLanguage(src string) string {
	at := strings.IndexByte(src, '{')
	if at < 0 || len(strings.TrimSpace(strings.TrimPrefix(src[:at], "\ufeff"))) > 0 {
		return ""
	}
	value, ok := member(src, resource.At(at, len(src)), "sourceLanguage")
	text := value.Of(src) // of a file that need not be JSON
	if !ok || len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return ""
	}
	return jsonfile.Unquote(text)
}

// Languages are the source language and all languages of a catalog.
func (grammar) Languages(src string) (source string, all []string) {
	seen := make(map[string]bool)
	whole := resource.At(max(strings.IndexByte(src, '{'), 0), len(src))
	entries, _ := member(src, whole, "strings")
	members(src, entries, func(_, entry resource.Span) bool {
		localizations, _ := member(src, entry, "localizations")
		members(src, localizations, func(name, _ resource.Span) bool {
			if raw := name.Of(src); !seen[raw] {
				seen[raw] = true
				all = append(all, jsonfile.Unquote(raw))
			}
			return true
		})
		return true
	})
	slices.SortFunc(all, compare)
	return SourceLanguage(src), all
}

// scanner turns the nodes of plain JSON into those of one language, one key after the other.
type scanner struct {
	src      string
	language string
	source   string          // as the catalog has it
	begun    bool            // source is known
	inSource bool            // it is the language
	json     []resource.Node // of the file as far as it was read, without the keys that were turned into nodes
	nodes    []resource.Node
	warnings []resource.Warning

	at   int           // the key that is read
	note resource.Span // its comment
}

func (s *scanner) refuse(i int, format string, args ...any) error {
	at := s.json[i].Whole.Start
	return &resource.SyntaxError{Offset: int(at), Msg: fmt.Sprintf(format, args...)}
}

// file makes the root: its entries are those of strings.
func (s *scanner) file() error {
	root := s.json[0]
	if root.Kind != resource.Map {
		return s.refuse(0, "a string catalog is an object with strings, not an array")
	}
	out := resource.Node{Parent: -1, Kind: resource.Map, Style: root.Style, Value: root.Value, Whole: root.Whole,
		End: int32(len(s.nodes))}
	found := 0
	for i := 1; i < len(s.json); i = int(s.json[i].End) {
		switch s.name(i) {
		case "strings":
			if found > 0 || s.json[i].Kind != resource.Map {
				return s.refuse(i, "strings are one object")
			}
			found = i
			out.Value = s.json[i].Value
			if i+1 < int(s.json[i].End) {
				return s.refuse(i+1, "an entry of strings is an object")
			}
		case "sourceLanguage":
			if s.src[s.json[i].Value.Start] != '"' {
				return s.refuse(i, "sourceLanguage is a string")
			}
			out.Note = s.json[i].Value // see of
		}
	}
	if found == 0 {
		out.Style |= noStrings
	}
	if s.inSource {
		out.Style |= inSource
	}
	s.nodes[0] = out
	return nil
}

func (s *scanner) name(i int) string { return jsonfile.Unquote(s.json[i].Name.Of(s.src)) }

// child is the member of object i with a name, the last of several; 0 for none.
func (s *scanner) child(i int, name string) int {
	found := 0
	for c := i + 1; i > 0 && c < int(s.json[i].End); c = int(s.json[c].End) {
		if s.name(c) == name {
			found = c
		}
	}
	return found
}

// localization is that of a language, in its own spelling if it is there, else in another letter case.
func (s *scanner) localization(all int, language string) int {
	if at := s.child(all, language); at > 0 || all == 0 {
		return at
	}
	for c := all + 1; c < int(s.json[all].End); c = int(s.json[c].End) {
		if strings.EqualFold(s.name(c), language) {
			return c
		}
	}
	return 0
}

// entry adds the nodes of the key i.
func (s *scanner) entry(json []resource.Node, i int) error {
	s.json = json
	if !s.begun {
		s.begin(s.says())
	}
	all := s.child(i, "localizations")
	switch {
	case all > 0 && s.json[all].Kind != resource.Map:
		return s.refuse(all, "localizations are an object")
	case s.json[i].Name.Len() > resource.MaxName:
		return s.refuse(i, "a key of more than %d KiB", resource.MaxName>>10)
	case len(s.nodes) > resource.MaxEntries:
		return s.refuse(i, "more than %d entries", resource.MaxEntries)
	}
	s.at, s.note = i, resource.Span{}
	if c := s.child(i, "comment"); c > 0 && s.inSource && s.isString(c) {
		s.note = s.json[c].Value
	}
	source := s.localization(all, s.source)
	here := source
	if !s.inSource {
		here = s.localization(all, s.language)
	}
	s.add(here, source)
	return nil
}

func (s *scanner) isString(i int) bool {
	return s.json[i].Kind == resource.Text && s.src[s.json[i].Value.Start] == '"'
}

// shape is what a localization has.
type shape uint8

const (
	nothing  shape = iota
	single         // a string unit
	forms          // plural variations
	variants       // variations by device, or substitutions
	odd            // anything else
)

// shape tells what localization i has; of 0, nothing.
func (s *scanner) shape(i int) shape {
	if i == 0 {
		return nothing
	}
	if s.json[i].Kind != resource.Map || s.others(i, "stringUnit", "variations", "substitutions") {
		return odd
	}
	unit, varies, parts := s.child(i, "stringUnit"), s.child(i, "variations"), s.child(i, "substitutions")
	switch {
	case unit > 0 && !s.isUnit(unit), varies > 0 && unit+parts > 0, parts > 0 && s.json[parts].Kind != resource.Map:
		return odd
	case parts > 0 && int(s.json[parts].End) > parts+1:
		for c := parts + 1; c < int(s.json[parts].End); c = int(s.json[c].End) {
			if s.json[c].Kind != resource.Map || s.varies(s.child(c, "variations")) != forms {
				return odd
			}
		}
		return variants
	case varies > 0:
		return s.varies(varies)
	case unit > 0:
		return single
	}
	return nothing
}

// varies tells what variations i are.
func (s *scanner) varies(i int) shape {
	if i == 0 || s.json[i].Kind != resource.Map || int(s.json[i].End) == i+1 || s.others(i, "plural", "device") {
		return odd
	}
	plural, device := s.child(i, "plural"), s.child(i, "device")
	all := plural + device
	if plural > 0 && device > 0 || s.json[all].Kind != resource.Map || int(s.json[all].End) == all+1 {
		return odd
	}
	for c := all + 1; c < int(s.json[all].End); c = int(s.json[c].End) {
		if s.json[c].Kind != resource.Map {
			return odd
		}
		below := s.shape(c)
		known := below == single || device > 0 && below == forms
		if !known || plural > 0 && !isCategory(s.name(c)) {
			return odd
		}
	}
	if device > 0 {
		return variants
	}
	return forms
}

func isCategory(name string) bool {
	return slices.Contains([]string{"zero", "one", "two", "few", "many", "other"}, name)
}

// others reports whether object i has members of other names.
func (s *scanner) others(i int, names ...string) bool {
	for c := i + 1; c < int(s.json[i].End); c = int(s.json[c].End) {
		if !slices.Contains(names, s.name(c)) {
			return true
		}
	}
	return false
}

// isUnit reports whether value i is a string unit.
func (s *scanner) isUnit(i int) bool {
	value, state := s.child(i, "value"), s.child(i, "state")
	return s.json[i].Kind == resource.Map && value > 0 && s.isString(value) && (state == 0 || s.isString(state))
}

// isText reports whether the localization or variation i has a unit that is a text: a new one is a translation to be.
func (s *scanner) isText(i int) bool {
	unit := s.child(i, "stringUnit")
	state := s.child(unit, "state")
	return s.inSource || state == 0 || s.json[state].Value.Of(s.src) != `"new"`
}

// add adds the nodes of the key that is read: here is the localization of the language, source that of the source.
func (s *scanner) add(here, source int) {
	whole := s.json[s.at].Value
	kind, model := s.shape(here), s.shape(source)
	barred := s.untranslatable(model)
	switch {
	case s.isStale(), !s.inSource && (barred || kind == nothing && model == odd):
		s.top(resource.Absent, whole, closed)
	case barred, kind == odd:
		if n := s.top(resource.Other, whole, unit); kind == odd && !barred {
			s.warnings = append(s.warnings, resource.Warning{Node: n, Left: true, Msg: "varies in a way that only " +
				"Xcode knows, and is left alone; plurals, devices, and substitutions with plurals are translated"})
		}
	case kind == single && s.isText(here) && s.substituted(source):
		s.variants(here)
	case kind == single && s.isText(here):
		s.top(resource.Text, s.json[s.child(here, "stringUnit")].Value, unit)
	case kind == forms:
		s.forms(s.top(resource.Forms, whole, unit), here)
	case kind == variants:
		s.variants(here)
	case s.inSource:
		s.top(resource.Text, whole, key)
	case model == forms:
		s.top(resource.Forms, whole, unit)
	case model == variants:
		s.top(resource.Map, whole, unit)
	default:
		s.top(resource.Absent, whole, unit)
	}
}

// substituted reports whether localization i has substitutions. A unit of another language is then the text of such,
// though they may come later than it, and go before it.
func (s *scanner) substituted(i int) bool {
	parts := s.child(i, "substitutions")
	return parts > 0 && int(s.json[parts].End) > parts+1
}

// isStale reports whether no program uses a key: Xcode keeps it, for its translations, and it counts as gone.
func (s *scanner) isStale() bool {
	c := s.child(s.at, "extractionState")
	return c > 0 && s.json[c].Value.Of(s.src) == `"stale"`
}

// untranslatable reports whether a key is not for translators.
func (s *scanner) untranslatable(source shape) bool {
	if c := s.child(s.at, "shouldTranslate"); c > 0 && s.json[c].Value.Of(s.src) == "false" {
		return true
	}
	text := s.name(s.at)
	return source == nothing && text == "" || strings.ContainsRune(text, utf8.RuneError)
}

// top adds the node of the key that is read.
func (s *scanner) top(kind resource.Kind, value resource.Span, style uint8) int {
	n := resource.Node{Kind: kind, Style: style, Name: s.json[s.at].Name, Value: value, Whole: s.json[s.at].Whole,
		Note: s.note, End: int32(len(s.nodes) + 1)}
	if kind == resource.Map || kind == resource.Absent {
		n.Note = resource.Span{}
	}
	s.nodes = append(s.nodes, n)
	return len(s.nodes) - 1
}

// below adds a node to a container that was added: named as member i is, and as large.
func (s *scanner) below(up int, kind resource.Kind, i int, value resource.Span, style uint8) int {
	at := len(s.nodes)
	n := resource.Node{Parent: int32(up), Kind: kind, Style: style, Name: s.json[i].Name, Value: value,
		Whole: s.json[i].Whole, End: int32(at + 1)}
	if s.nodes[up].Kind == resource.Map {
		n.Note = s.note
	}
	s.nodes = append(s.nodes, n)
	for ; up > 0; up = int(s.nodes[up].Parent) {
		s.nodes[up].End = int32(at + 1)
	}
	return at
}

// forms adds the plural forms of the localization or variation i to a container.
func (s *scanner) forms(up, i int) {
	all := s.child(s.child(i, "variations"), "plural")
	for c := all + 1; c < int(s.json[all].End); c = int(s.json[c].End) {
		if s.isText(c) {
			s.below(up, resource.Text, c, s.json[s.child(c, "stringUnit")].Value, unit)
		}
	}
}

// variants adds what localization i has by device, or its substitutions with the text that they are in.
func (s *scanner) variants(i int) {
	up := s.top(resource.Map, s.json[s.at].Value, unit)
	if c := s.child(i, "stringUnit"); c > 0 && s.isText(i) {
		s.below(up, resource.Text, c, s.json[c].Value, beside)
	}
	parts, style := s.child(i, "substitutions"), substitution
	if parts == 0 {
		parts, style = s.child(s.child(i, "variations"), "device"), device
	}
	for c := parts + 1; parts > 0 && c < int(s.json[parts].End); c = int(s.json[c].End) {
		if u := s.child(c, "stringUnit"); u > 0 && style == device {
			if s.isText(c) {
				s.below(up, resource.Text, c, s.json[u].Value, style)
			}
			continue
		}
		at := s.below(up, resource.Forms, c, s.json[c].Value, style)
		if s.forms(at, c); int(s.nodes[at].End) == at+1 {
			s.nodes = s.nodes[:at] // all are new
			for up := up; up > 0; up = int(s.nodes[up].Parent) {
				s.nodes[up].End = int32(at)
			}
		}
	}
}
