// Package migrate reads the configuration of another localization tool: which files it names, in which languages, and
// which of its settings locsync has no counterpart for.
//
// Its law: each setting of the file is carried over or is named with its line, and no value of a setting is quoted,
// because it may be a secret. It proposes no configuration: what the named files are, package discover finds out.
//
// All that is public of .smartcat, the file of Smartcat's own program, is the page developers.smartcat.com/cli: JSON
// with Server, Workspace, Project and ApiToken, each optional. It names no files, languages or collections: those are
// arguments of that program's commands. It is a guess that the program uses https://smartcat.com, the address in the
// page's example, where the file has no Server.
//
// It is pure over an fs.FS.
package migrate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
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

	// Answers are what the file says of the service, by the flag of locsync init that says it, too: "url", "account-id",
	// "project-id". Only a program of the service itself has them.
	Answers map[string]Answer `json:"-"`

	Notes []Note `json:"not_carried_over"` // in the order of lines
}

// Entry is files that the configuration names together.
type Entry struct {
	Line    int
	Source  string   // pattern of the source files; "" where they are among the translations
	Targets string   // pattern of the translations
	Exclude []string // patterns of files that are not meant

	// Output is where translations are, as a configuration of ours says it, with {PATH} for the folder of the source
	// file; "" where it cannot.
	Output  string
	Spelled map[string]string // by a language's code: its spelling in paths
	Region  string            // the mark before the region that every language is spelled with; "" where it need not be

	template string // of the other tool
}

// Answer is a setting that a configuration of ours has as well.
type Answer struct {
	Line       int
	Key, Value string
}

// Note is a setting that was not carried over.
type Note struct {
	Line    int    `json:"line"`
	Key     string `json:"key"`
	Problem string `json:"problem"`
}

func (n Note) String() string { return fmt.Sprintf("line %d: %s: %s", n.Line, n.Key, n.Problem) }

// Detect is the first file of a tree that is the configuration of another tool; "" where there is none.
func Detect(fsys fs.FS) string {
	for _, t := range tools {
		for _, name := range t.files {
			info, err := fs.Stat(fsys, name)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			root, err := t.open(fsys, name)
			has := func(setting string) bool {
				return err == nil && slices.ContainsFunc(root.Content, func(n *yaml.Node) bool { return n.Value == setting })
			}
			if !slices.ContainsFunc(t.requires, func(setting string) bool { return !has(setting) }) {
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
			r := &reader{tool: t, found: Found{Tool: t.name, File: name, Notes: []Note{}}}
			r.mapping("", root, strings.TrimSuffix(name, file))
			f := &r.found
			if _, said := f.Answers[address]; !said && len(f.Answers) > 0 {
				f.Answers[address] = Answer{root.Line, "Server", t.server}
				f.Notes = append(f.Notes, Note{root.Line, "Server", "it is not in the file; " + t.server +
					" is assumed, so give --url where the account is at another server"})
			}
			if len(f.Entries) == 0 && r.folder != "" {
				f.Entries = []Entry{{Line: root.Line, Targets: below(r.folder, "**/*")}}
			}
			for i := range f.Entries {
				for _, mapping := range r.spellings {
					f.Entries[i].spell(mapping)
				}
			}
			slices.SortStableFunc(f.Notes, func(a, b Note) int { return cmp.Compare(a.Line, b.Line) })
			return *f, nil
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
	read := parse
	if strings.HasSuffix(name, ".tx/config") {
		read = sections
	}
	root, err := read(data)
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

// Translates reports whether a file may be a translation of source files that a pattern of their own names: what leaves
// out source files does not leave it out.
func (f *Found) Translates(name string) bool {
	return slices.ContainsFunc(f.Entries, func(e Entry) bool {
		return e.Source != "" && (config.Patterns{e.Targets}).Match(name)
	})
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
