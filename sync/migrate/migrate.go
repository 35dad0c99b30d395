// Package migrate reads the configuration of another localization tool: which files it names, in which languages, and
// which of its settings locsync has no counterpart for.
//
// Its law: each setting of the file is carried over or is named with its line, and no value of a setting is quoted,
// because it may be a secret. It proposes no configuration: what the named files are, package discover finds out.
//
// It is pure over an fs.FS.
package migrate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/locsync/locsync/sync/config"
)

// Found is what the configuration of another tool says.
type Found struct {
	Tool    string   `json:"tool"`
	File    string   `json:"file"`
	Source  string   `json:"source_language,omitempty"`  // "" where it does not say
	Targets []string `json:"target_languages,omitempty"` // that it lists; none where it does not
	Entries []Entry  `json:"-"`
	Notes   []Note   `json:"not_carried_over"` // in the order of lines
}

// Entry is files that the configuration names together.
type Entry struct {
	Line    int
	Source  string   // pattern of the source files; "" where they are among the translations
	Targets string   // pattern of the translations
	Exclude []string // patterns of files that are not meant
}

// Note is a setting that was not carried over.
type Note struct {
	Line    int    `json:"line"`
	Key     string `json:"key"`
	Problem string `json:"problem"`
}

func (n Note) String() string { return fmt.Sprintf("line %d: %s: %s", n.Line, n.Key, n.Problem) }

// tool is a localization tool whose configuration can be read.
type tool struct {
	name  string
	files []string // where its configuration is, the usual one first
	parse func(data []byte) (*yaml.Node, error)
	read  func(f *Found, root *yaml.Node)
	is    func(root *yaml.Node) bool // whether a file with its name is its configuration; nil: always
}

var tools = []tool{
	{"Crowdin", []string{"crowdin.yml", "crowdin.yaml", ".crowdin.yml", ".crowdin.yaml"}, parse, crowdin, nil},
	{"Tolgee", []string{".tolgeerc", ".tolgeerc.json", ".tolgeerc.yml", ".tolgeerc.yaml", ".config/tolgeerc",
		".config/tolgeerc.json"}, parse, tolgee, nil},
	{"Lokalise", []string{"lokalise2.yml", "lokalise2.yaml", "lokalise.yml"}, parse, lokalise, nil},
	{"Phrase", []string{".phrase.yml", ".phrase.yaml", ".phraseapp.yml"}, parse, phrase, nil},
	{"Transifex", []string{".tx/config"}, parseINI, transifex, nil},
	{"Lingo.dev", []string{"i18n.json", "i18n.config", "i18n.config.json"}, parse, lingo,
		func(root *yaml.Node) bool { return field(root, "buckets") != nil && field(root, "locale") != nil }},
}

// Detect is the first file of a tree that is the configuration of another tool; "" where there is none.
func Detect(fsys fs.FS) string {
	for _, t := range tools {
		for _, name := range t.files {
			info, err := fs.Stat(fsys, name)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if t.is == nil {
				return name
			}
			if root, err := t.open(fsys, name); err == nil && t.is(root) {
				return name
			}
		}
	}
	return ""
}

// Read reads the configuration of another tool. The path of its file, in which the tree's root is ".", tells the tool.
func Read(fsys fs.FS, name string) (Found, error) {
	var known []string
	for _, t := range tools {
		for _, file := range t.files {
			if name != file && !strings.HasSuffix(name, "/"+file) {
				known = append(known, file)
				continue
			}
			root, err := t.open(fsys, name)
			if err != nil {
				return Found{}, fmt.Errorf("read the configuration of %s: %w", t.name, err)
			}
			f := Found{Tool: t.name, File: name, Notes: []Note{}}
			t.read(&f, root)
			f.below(strings.TrimSuffix(strings.TrimSuffix(name, file), "/"))
			slices.SortStableFunc(f.Notes, func(a, b Note) int { return cmp.Compare(a.Line, b.Line) })
			return f, nil
		}
	}
	return Found{}, fmt.Errorf("%s is not the name of a configuration that can be read; these are: %s", name,
		strings.Join(known, ", "))
}

// mostBytes bounds the file.
const mostBytes = 1 << 20

func (t tool) open(fsys fs.FS, name string) (*yaml.Node, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostBytes {
		return nil, fmt.Errorf("%s is not a file of at most %d bytes", name, mostBytes)
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	root, err := t.parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return root, nil
}

// parse reads YAML, and JSON, which is YAML but for tabs.
func parse(data []byte) (*yaml.Node, error) {
	if trimmed := bytes.TrimSpace(data); bytes.HasPrefix(trimmed, []byte("{")) {
		data = bytes.ReplaceAll(data, []byte("\t"), []byte(" "))
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it has no settings")
	}
	return document.Content[0], nil
}

// parseINI reads sections and the settings in them.
func parseINI(data []byte) (*yaml.Node, error) {
	root := &yaml.Node{Kind: yaml.MappingNode}
	section := root
	add := func(to *yaml.Node, line int, key string, value *yaml.Node) {
		value.Line = line
		to.Content = append(to.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key, Line: line}, value)
	}
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		text = strings.TrimSpace(text)
		key, value, is := strings.Cut(text, "=")
		switch name, ok := strings.CutPrefix(text, "["); {
		case text == "", text[0] == '#', text[0] == ';':
		case ok && strings.HasSuffix(name, "]"):
			section = &yaml.Node{Kind: yaml.MappingNode}
			add(root, line, name[:len(name)-1], section)
		case is:
			text := &yaml.Node{Kind: yaml.ScalarNode, Value: strings.TrimSpace(value)}
			add(section, line, strings.TrimSpace(key), text)
		default:
			return nil, fmt.Errorf("line %d: neither a section nor a setting", line)
		}
	}
	return root, nil
}

// below makes the paths, which are relative to the file, relative to the tree.
func (f *Found) below(folder string) {
	inside := func(pattern string) string {
		if pattern == "" {
			return ""
		}
		return strings.TrimPrefix(path.Join("/", folder, pattern), "/")
	}
	for i := range f.Entries {
		e := &f.Entries[i]
		e.Source, e.Targets = inside(e.Source), inside(e.Targets)
		for j, pattern := range e.Exclude {
			e.Exclude[j] = inside(pattern)
		}
	}
}

// SourceLanguage is Source; "" of nil.
func (f *Found) SourceLanguage() string {
	if f == nil {
		return ""
	}
	return f.Source
}

// Covers reports whether a file is one that the configuration names; all are where it names none.
func (f *Found) Covers(name string) bool {
	return len(f.Entries) == 0 || slices.ContainsFunc(f.Entries, func(e Entry) bool { return e.Covers(name) })
}

// Excluding is the pattern that leaves a file out; "" where none does.
func (f *Found) Excluding(name string) string {
	for _, e := range f.Entries {
		for _, pattern := range e.Exclude {
			if (config.Patterns{pattern}).Match(name) {
				return pattern
			}
		}
	}
	return ""
}

// LineOf is the line of the entry that a file is named by; 0 where there is none.
func (f *Found) LineOf(name string) int {
	if i := slices.IndexFunc(f.Entries, func(e Entry) bool { return e.Covers(name) }); i >= 0 {
		return f.Entries[i].Line
	}
	return 0
}

// Covers reports whether a file is a source file of the entry or one of its translations.
func (e Entry) Covers(name string) bool {
	return config.Patterns{e.Source, e.Targets}.Match(name) && !config.Patterns(e.Exclude).Match(name)
}

// Writes reports whether the translations of a source file are to be at a path, as far as the configuration says.
func (f *Found) Writes(source, target string) bool {
	said := false
	for _, e := range f.Entries {
		if e.Source == "" || !(config.Patterns{e.Source}).Match(source) {
			continue
		}
		if said = true; (config.Patterns{e.Targets}).Match(target) {
			return true
		}
	}
	return !said
}

// note names a setting that is not carried over.
func (f *Found) note(key *yaml.Node, problem string) {
	f.Notes = append(f.Notes, Note{key.Line, key.Value, problem})
}

// handlers are what to do with each setting: a function, or a text that says why it is not carried over; nil where it
// needs nothing.
type handlers map[string]any

const (
	ofTool   = "locsync has no such setting"
	secretly = "a secret of the other service; store that of yours with locsync login, or set LOCSYNC_API_KEY"
	other    = "it is about the other service; set url, account_id and id to those of yours"
)

// each goes through the settings of a mapping; one that is not known is named.
func (f *Found) each(settings *yaml.Node, known handlers) {
	for key, value := range fields(settings) {
		does, is := known[key.Value]
		switch does := does.(type) {
		case func(*yaml.Node):
			does(value)
		case string:
			f.note(key, does)
		default:
			if !is {
				f.note(key, ofTool)
			}
		}
	}
}

// fields are the settings of a mapping.
func fields(mapping *yaml.Node) func(func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		mapping = resolved(mapping)
		if mapping == nil || mapping.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			if !yield(mapping.Content[i], resolved(mapping.Content[i+1])) {
				return
			}
		}
	}
}

func resolved(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func field(mapping *yaml.Node, name string) *yaml.Node {
	for key, value := range fields(mapping) {
		if key.Value == name {
			return value
		}
	}
	return nil
}

func scalar(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// items are the elements of a list; one value is a list of one.
func items(n *yaml.Node) []*yaml.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind != yaml.SequenceNode:
		return []*yaml.Node{n}
	}
	all := make([]*yaml.Node, len(n.Content))
	for i := range n.Content {
		all[i] = resolved(n.Content[i])
	}
	return all
}

func texts(n *yaml.Node) (all []string) {
	for _, item := range items(n) {
		if text := scalar(item); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// codes are languages as a configuration of ours has them.
func codes(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = strings.ReplaceAll(text, "_", "-")
	}
	return all
}

// globbed makes a pattern of a template: folders are what may hold slashes, all other placeholders are a part of a
// name.
func globbed(template string, placeholder *regexp.Regexp, folders ...string) string {
	return placeholder.ReplaceAllStringFunc(template, func(found string) string {
		if slices.Contains(folders, found) {
			return "**"
		}
		return "*"
	})
}
