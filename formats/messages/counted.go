package messages

import (
	"errors"
	"slices"

	"github.com/locsync/locsync/formats/resource"
)

// Hash is what a message with plural forms has beside them and its description: which source text it was translated
// from. goi18n writes it, and compares it.
const Hash = "hash"

// counted is what a map says as a message with plural forms, as go-i18n has them: strings under the names of plural
// forms beside nothing but "description" and "hash".
type counted struct {
	forms       int
	about, hash bool // a description or a hash is there; a hash is
}

// sure reports whether it can hardly be a map of an ordinary file, which may have a text "description" and one "other".
func (m counted) sure() bool { return m.hash || m.about && m.forms > 1 }

func (s *Spelling) counted(i int) counted {
	var m counted
	for c := i + 1; c < int(s.Nodes[i].End); c = int(s.Nodes[c].End) {
		part := &s.Nodes[c]
		name, text := s.Name(part), s.String(part)
		switch {
		case text && isForm(name):
			m.forms++
		case text && isAbout(name):
			m.about, m.hash = true, m.hash || name == Hash
		default:
			return counted{}
		}
	}
	if m.forms == 0 {
		return counted{}
	}
	return m
}

// Hides reports whether the file is one of messages, whose descriptions are to be hidden. Else it marks metadata.
func (s *Spelling) Hides() bool {
	is := s.File()
	if !is {
		s.MarkCounted()
	}
	return is
}

// MarkCounted marks the descriptions and hashes of messages with plural forms, wherever in the file, as not texts.
// A file has such messages where one of them is sure, or where all outermost maps are such.
func (s *Spelling) MarkCounted() {
	if s.Nodes[0].Kind != resource.Map {
		return
	}
	var found []int
	sure, all := false, true
	for i := 1; i < len(s.Nodes); i++ {
		if s.Nodes[i].Kind != resource.Map {
			continue
		}
		m := s.counted(i)
		if m.about {
			found = append(found, i)
		}
		sure = sure || m.sure()
		all = all && (m.forms > 0 || s.Nodes[i].Parent != 0)
	}
	if len(found) == 0 || !sure && !all {
		return
	}
	s.Nodes[0].Meta = true
	for _, i := range found {
		for c := i + 1; c < int(s.Nodes[i].End); c++ {
			if n := &s.Nodes[c]; isAbout(s.Name(n)) {
				n.Kind, n.Meta = resource.Other, true
			}
		}
	}
}

// MarkSettings marks outermost strings that say something about the file: "$schema", and "locale" beside a map
// "translations" with all the texts, as Angular has them.
func (s *Spelling) MarkSettings() {
	wrapped := false
	for i := 1; i < len(s.Nodes); i = int(s.Nodes[i].End) {
		if s.Nodes[i].Kind > resource.Other {
			wrapped = !wrapped && s.Nodes[i].Kind == resource.Map && s.Name(&s.Nodes[i]) == "translations"
			if !wrapped {
				break
			}
		}
	}
	for i := 1; i < len(s.Nodes) && s.Nodes[0].Kind == resource.Map; i = int(s.Nodes[i].End) {
		if n := &s.Nodes[i]; n.Kind == resource.Text && isSetting(s.Name(n), wrapped) {
			n.Kind, n.Meta = resource.Other, true
		}
	}
}

// Unsettled refuses new entries that would be read as settings, and maps that would keep the settings from being such.
func Unsettled(f *resource.File, in int, add []resource.New) error {
	bears := func(n resource.New) bool { return n.Kind > resource.Other || IsSetting(n.Name) }
	if in != 0 || !slices.ContainsFunc(add, bears) { // most by far: the file is not walked through for each of them
		return nil
	}
	wrapped := false
	for c := range f.Children(0) {
		wrapped = wrapped || f.Node(c).Kind == resource.Map && f.Name(c) == "translations"
	}
	for i := range add {
		setting := add[i].Kind == resource.Text && isSetting(add[i].Name, wrapped)
		if settled := wrapped && hasSettings(f); setting || settled && add[i].Kind > resource.Other {
			return errors.New("the outermost entries of this file say something about it, and all texts are in " +
				"\"translations\"; put the entry there")
		}
	}
	return nil
}

func hasSettings(f *resource.File) bool {
	for c := range f.Children(0) {
		if n := f.Node(c); n.Meta && IsSetting(f.Name(c)) {
			return true
		}
	}
	return false
}

// IsSetting reports whether a name is one that settings of a file have.
func IsSetting(name string) bool { return name == "$schema" || name == "locale" }

func isSetting(name string, wrapped bool) bool {
	return IsSetting(name) && (wrapped || name != "locale")
}

// Tellable refuses new entries of a file with plural forms in messages: what would be read as a description or hash,
// and what would keep a message from being read as one.
func Tellable(f *resource.File, in int, add []resource.New) error {
	if !f.Node(0).Meta {
		return nil
	}
	form, described := false, false
	for c := range f.Children(in) {
		form = form || in > 0 && isForm(f.Name(c))
		described = described || in > 0 && f.Node(c).Meta
	}
	for i := range add {
		n := &add[i]
		message := n.Kind == resource.Map && isMessage(n.Children)
		switch {
		case described && (n.Kind != resource.Text || !isForm(n.Name)), form && isAbout(n.Name),
			n.Kind == resource.Map && !message && slices.ContainsFunc(n.Children, isForms):
			return errors.New("a message of this file has plural forms, and nothing else that is a text; " +
				"move the entry elsewhere in the source file")
		case in == 0 && n.Kind == resource.Map && !message && !sureOf(f):
			return errOnlyMessages
		}
	}
	return nil
}

// isMessage reports whether new entries are the forms of a message.
func isMessage(entries []resource.New) bool {
	return !slices.ContainsFunc(entries, func(n resource.New) bool { return !isForms(n) })
}

func isForms(n resource.New) bool { return n.Kind == resource.Text && isForm(n.Name) }

// sureOf reports whether one of the messages of a file is sure.
func sureOf(f *resource.File) bool {
	for i := 1; i < f.Len(); i++ {
		if !f.Node(i).Meta {
			continue
		}
		forms := 0
		for c := range f.Children(int(f.Node(i).Parent)) {
			if isForm(f.Name(c)) {
				forms++
			}
		}
		if forms > 1 || f.Name(i) == Hash {
			return true
		}
	}
	return false
}

func isAbout(name string) bool { return name == Description || name == Hash }

func isForm(name string) bool {
	return slices.Contains([]string{"zero", "one", "two", "few", "many", "other"}, name)
}
