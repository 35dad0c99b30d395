// Package stringsdict is the grammar of Apple's plural dictionaries, .stringsdict: property lists in XML.
//
// Its law is package resource's: what is not edited keeps every byte; an edit changes the bytes of the value that it
// names.
//
// The keys of an entry are "key|==|variable", whose plural categories are its Forms, and
// "key|==|NSStringLocalizedFormatKey" for the text that the variables are in. A text that is nothing but variables with
// single spaces between them has no node, as there is nothing to translate: its bytes stay, it is written with the
// variables of a new entry, and it loses those that are removed. A translation of that shape is spelled as CDATA, so
// that it goes on being a text. An entry that is a plain <string> is a text under its key.
//
// Kind Other, so never sent and never changed, is what varies by device or width, what is not a <string> or <dict>, and
// variables of another type than NSStringPluralRuleType. The first two are in no new file of another language. Which
// argument a variable takes has no node, and is as in the source file where a variable is new.
//
// The comment above an entry is the Note of its variables. Of two entries with one name the last counts. A DOCTYPE is
// read over, and refused where it declares anything; so there are no entities but XML's own. Binary property lists are
// refused.
//
// Removing a new entry restores the bytes that were there before, but where <dict/> was opened, or had no line of its
// own for its end tag.
package stringsdict

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/xmlscan"
)

// Grammar reads and writes .stringsdict.
var Grammar resource.Grammar = grammar{}

type grammar struct{}

// separator is between a key and what is in its entry, as in Xcode's exports of catalogs.
const separator = "|==|"

// Separator is between the names of a key.
func (grammar) Separator() string { return separator }

// Names that Apple gives a meaning.
const (
	formatKey  = "NSStringLocalizedFormatKey"
	specKey    = "NSStringFormatSpecTypeKey"
	valueKey   = "NSStringFormatValueTypeKey"
	pluralRule = "NSStringPluralRuleType"
	deviceRule = "NSStringDeviceSpecificRuleType"
	widthRule  = "NSStringVariableWidthRuleType"
)

var categories = []string{"zero", "one", "two", "few", "many", "other"}

// Bits of Node.Style.
const (
	closed uint8 = 1 << iota // <string/>, whose value span is the "/>", or <dict/>
	format                   // the text that variables are in
)

// Decode passes UTF-8 through.
func (grammar) Decode(src []byte) (string, func(string) []byte, error) {
	if bytes.HasPrefix(src, []byte("bplist")) {
		return "bplist", nil, &resource.SyntaxError{Msg: "the file is a binary property list; " +
			"write it as XML (plutil -convert xml1)"}
	}
	return xmlscan.Decode(src)
}

// Name is the content of <key>.
func (grammar) Name(src string, n *resource.Node) string {
	text, _ := xmlscan.Content(n.Name.Of(src))
	return text
}

// Text is the content of <string>.
func (grammar) Text(src string, n *resource.Node) string {
	if n.Style&closed != 0 {
		return ""
	}
	text, _ := xmlscan.Content(n.Value.Of(src))
	return text
}

// Note is the comment above an entry.
func (grammar) Note(src string, n *resource.Node) string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(n.Note.Of(src), "<!--"), "-->"))
}

// Comment returns where the comment at an offset ends.
func (grammar) Comment(src string, at int) int { return xmlscan.CommentEnd(src, at) }

// Annotates says that new entries get the comments of their models.
func (grammar) Annotates() bool { return true }

// Own reports what is in the source file alone.
func (grammar) Own(f *resource.File, i int) bool {
	n := f.Node(i)
	return n.Kind == resource.Other && (n.Parent == 0 || f.Name(i) == deviceRule || f.Name(i) == widthRule)
}

// references are the variables in a spelled text, as they are in it. only says that it is nothing but these, with a
// space between each two.
func references(raw string) (all []string, only bool) {
	only = true
	for at := 0; at < len(raw); {
		n := reference(raw[at:])
		if n == 0 {
			only = only && raw[at] == ' ' && len(all) > 0 && reference(raw[at+1:]) > 0
			at++
			if next := strings.IndexByte(raw[at:], '%'); !only && next < 0 {
				return all, false
			} else if !only {
				at += next
			}
			continue
		}
		only = only && (at == 0 || raw[at-1] == ' ')
		all = append(all, raw[at:at+n])
		at += n
	}
	return all, only
}

// reference is the length of %#@name@ or %1$#@name@ at the beginning of a text; 0 for none.
func reference(text string) int {
	rest, is := strings.CutPrefix(text, "%")
	if after := strings.TrimLeft(rest, "0123456789"); len(after) < len(rest) && strings.HasPrefix(after, "$") {
		rest = after[1:]
	}
	rest, begins := strings.CutPrefix(rest, "#@")
	n := strings.IndexAny(rest, "@%<&")
	if !is || !begins || n <= 0 || rest[n] != '@' {
		return 0
	}
	return len(text) - len(rest) + n + 1
}

// nameOf is the variable that a reference names.
func nameOf(reference string) string {
	_, name, _ := strings.Cut(reference, "#@")
	return strings.TrimSuffix(name, "@")
}

// Set replaces the content of <string>.
func (grammar) Set(f *resource.File, i int, text string) (resource.Splice, error) {
	src, n := f.Source(), f.Node(i)
	if n.Kind != resource.Text {
		return resource.Splice{}, errOther
	}
	old := ""
	if n.Style&closed == 0 {
		old = n.Value.Of(src)
	}
	spelled, err := spell(text, old, resource.Newline(src), n.Style&format != 0)
	if err != nil {
		return resource.Splice{}, err
	}
	if n.Style&closed != 0 && spelled != "" {
		spelled = ">" + spelled + "</string>"
	} else if n.Style&closed != 0 {
		spelled = "/>"
	}
	return resource.Splice{At: n.Value, Text: spelled}, nil
}

var (
	errOther = errors.New("it varies by device or width, or is not a text; change it in the file")
	errShape = errors.New("an entry has a text under " + formatKey + ", and variables with plural categories; " +
		"name its keys so, or give the key a name of its own")
	errAlone = errors.New("the variables of the text have no translation yet, and it cannot be without them")
	errMoved = errors.New("the entry has its " + formatKey + " elsewhere than the source file; move it there")
)

// spell is a text as content; of a format, always such that it has a node.
func spell(text, old, newline string, inFormat bool) (string, error) {
	spelled, err := xmlscan.Spelled(text, old, newline)
	if _, only := references(spelled); only && inFormat && err == nil {
		spelled = "<![CDATA[" + text + "]]>"
	}
	return spelled, err
}

// Rename changes the content of <key>.
func (grammar) Rename(f *resource.File, i int, name string) (resource.Splice, error) {
	if i == 0 {
		return resource.Splice{}, errors.New("the root of this format has no name")
	}
	spelled, err := spelledName(name)
	return resource.Splice{At: f.Node(i).Name, Text: spelled}, err
}

func spelledName(name string) (string, error) {
	spelled, err := xmlscan.Spelled(name, "", "\n")
	if err == nil && len(spelled) > resource.MaxName {
		err = errors.New("the name is too long")
	}
	return spelled, err
}

// Remove takes entries, variables and forms out: whole lines where nothing else is on them. A text without anything to
// translate is left where the text of variables that stay goes.
func (grammar) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	src := f.Source()
	var nodes []resource.Node
	var splices []resource.Splice
	without := make(map[int][]string) // by entry: variables that go
	for _, i := range gone {
		n := *f.Node(i)
		up := int(n.Parent)
		if f.Node(up).Kind == resource.Map && up > 0 {
			without[up] = append(without[up], f.Name(i))
		}
		if n.Note.Start < f.Node(up).Whole.Start {
			n.Note = resource.Span{} // the entry's
		}
		if n.Style&format == 0 {
			nodes = append(nodes, n)
		}
	}
	for _, up := range gone { // in the order of the file
		up = int(f.Node(up).Parent)
		names, here := without[up]
		if !here {
			continue
		}
		delete(without, up)
		at, has := find(src, f.Node(up), formatKey)
		all, only := references(at.Of(src))
		if !has || !only && !slices.Contains(names, formatKey) {
			continue
		}
		all = slices.DeleteFunc(all, func(r string) bool { return slices.Contains(names, nameOf(r)) })
		if text := strings.Join(all, " "); text != at.Of(src) {
			splices = append(splices, resource.Splice{At: at, Text: text})
		}
	}
	return append(splices, xmlscan.Removal(src, nodes)...), nil
}
