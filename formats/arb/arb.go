// Package arb reads and edits Application Resource Bundles, the message files of Flutter and Dart (specification:
// google/app-resource-bundle): a JSON object of texts by name, each followed by an object "@name" about it.
//
// Its law is that of package resource. A message that goes takes its object "@name" along; a message that comes has
// none, since translations carry texts only.
//
// Accepted is what package jsonfile accepts, comments included. The description of "@name" is the Note of the entry
// "name" before it, unless that has a comment. Attributes, and globals like "@@locale", are metadata: never sent and
// never changed. A new file has none of them: the language is in the file's name, and Flutter takes it from there.
//
// It knows no ICU messages: a text is opaque here.
package arb

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/resource"
)

// Grammar is ARB. Its keys are flat, whatever resource.Keys says.
var Grammar resource.Grammar = grammar{}

type grammar struct{}

// Scan reads JSON, and gives each message the description of its attributes as note.
func (grammar) Scan(src string) (*resource.Layout, error) {
	l, err := jsonfile.ScanARB(src)
	if err != nil {
		return nil, err
	}
	var notes map[string]resource.Span
	each(l.Nodes, func(n *resource.Node) {
		if about, ok := subject(src, n); ok {
			if at := description(n.Value.Of(src)); at.Len() > 0 {
				if notes == nil {
					notes = make(map[string]resource.Span)
				}
				notes[about] = resource.Span{Start: n.Value.Start + at.Start, End: n.Value.Start + at.End}
			}
		}
	})
	each(l.Nodes, func(n *resource.Node) {
		at := notes[jsonfile.Grammar.Name(src, n)]
		isBehind := at.Start > n.Whole.End // in front of it a note is a comment
		if n.Kind == resource.Text && n.Note.Len() == 0 && isBehind {
			n.Note = at
		}
	})
	return l, nil
}

// each calls do with the members of the root.
func each(nodes []resource.Node, do func(*resource.Node)) {
	for i := 1; i < len(nodes); i = int(nodes[i].End) {
		do(&nodes[i])
	}
}

// subject is the message that a member is about.
func subject(src string, n *resource.Node) (string, bool) {
	name := jsonfile.Grammar.Name(src, n)
	if !n.Meta || strings.HasPrefix(name, "@@") {
		return "", false
	}
	return strings.CutPrefix(name, "@")
}

// description is where the attributes of a message, an object, have its description.
func description(object string) resource.Span {
	l, err := jsonfile.Scan(object, jsonfile.JSONC)
	if err != nil || l.Nodes[0].Kind != resource.Map {
		return resource.Span{}
	}
	var at resource.Span
	each(l.Nodes, func(n *resource.Node) {
		if n.Kind == resource.Text && jsonfile.Unquote(n.Name.Of(object)) == "description" {
			at = n.Value
		}
	})
	return at
}

// Flags are the types that the attributes behind a message declare for its arguments.
func (grammar) Flags(f *resource.File, i int) string {
	next := int(f.Node(i).End)
	if f.Node(i).Parent != 0 || next >= f.Len() {
		return ""
	}
	object := f.Node(next).Value.Of(f.Source())
	about, ok := subject(f.Source(), f.Node(next))
	if !ok || !strings.Contains(object, `"type"`) || about != f.Name(i) {
		return ""
	}
	var attributes struct {
		Placeholders map[string]struct{ Type string }
	}
	if json.Unmarshal([]byte(object), &attributes) != nil {
		return ""
	}
	var types []string
	for _, name := range slices.Sorted(maps.Keys(attributes.Placeholders)) {
		if of := attributes.Placeholders[name].Type; of != "" {
			types = append(types, name+":"+of)
		}
	}
	if types == nil {
		return ""
	}
	return "types=" + strings.Join(types, " ")
}

// Companions are the attributes of the messages that go.
func (grammar) Companions(f *resource.File, gone map[int]bool) []int {
	stays, goes := make(map[string]bool), make(map[string]bool)
	for i := range f.Children(0) {
		if gone[i] {
			goes[f.Name(i)] = true
		} else {
			stays[f.Name(i)] = true
		}
	}
	var with []int
	for i := range f.Children(0) {
		about, ok := subject(f.Source(), f.Node(i))
		if ok && goes[about] && !stays[about] {
			with = append(with, i)
		}
	}
	return with
}

// Own reports all metadata: it is about the source's texts, or names their language.
func (grammar) Own(f *resource.File, i int) bool { return i > 0 && f.Node(i).Meta }

// Name decodes the name of a member.
func (grammar) Name(src string, n *resource.Node) string { return jsonfile.Grammar.Name(src, n) }

// Text decodes a string.
func (grammar) Text(src string, n *resource.Node) string { return jsonfile.Grammar.Text(src, n) }

// Note decodes a description, or a comment.
func (grammar) Note(src string, n *resource.Node) string { return jsonfile.Grammar.Note(src, n) }

// Set gives leaf i another text.
func (grammar) Set(f *resource.File, i int, text string) (resource.Splice, error) {
	return jsonfile.Grammar.Set(f, i, text)
}

var errAttribute = errors.New("its name begins with @, as those of attributes and globals do (\"@@locale\"), " +
	"which are not texts; give the message another name")

// Insert adds members.
func (grammar) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	for i := range add {
		if at.In == 0 && strings.HasPrefix(add[i].Name, "@") {
			return resource.Splice{}, errAttribute
		}
	}
	return jsonfile.Grammar.Insert(f, at, add)
}

// Remove takes members out.
func (grammar) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	return jsonfile.Grammar.Remove(f, gone)
}

// Rename gives a member another name.
func (grammar) Rename(f *resource.File, i int, name string) (resource.Splice, error) {
	if f.Node(i).Parent == 0 && strings.HasPrefix(name, "@") {
		return resource.Splice{}, errAttribute
	}
	return jsonfile.Grammar.Rename(f, i, name)
}

// Compose writes an object of texts.
func (grammar) Compose(top []resource.New) ([]byte, error) { return jsonfile.Grammar.Compose(top) }
