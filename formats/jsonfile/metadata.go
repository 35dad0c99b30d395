package jsonfile

import (
	"errors"
	"strings"

	"github.com/locsync/locsync/formats/messages"
	"github.com/locsync/locsync/formats/resource"
)

var errMetadata = errors.New("its name begins with @, as those of metadata do (\"@@locale\", \"@metadata\"), " +
	"which is not text; give the entry another name")

// begins reports whether the name of a member begins with some letters.
func (s *scanner) begins(n *resource.Node, with string) bool {
	if n.Name.Len() == 0 {
		return false
	}
	if n.Style&nameEscaped != 0 {
		return strings.HasPrefix((grammar{}).Name(s.src, n), with)
	}
	return strings.HasPrefix(s.src[n.Name.Start+1:n.Name.End-1], with)
}

// isMetadata reports whether the complete container i, an outermost one, is metadata.
func (s *scanner) isMetadata(i int) bool {
	n := &s.nodes[i]
	if !s.begins(n, "@") {
		return false
	}
	if s.arb || s.begins(n, "@@") {
		return true
	}
	for c := i + 1; c < int(n.End); c = int(s.nodes[c].End) {
		if isString(s.src, &s.nodes[c]) && (grammar{}).Name(s.src, &s.nodes[c]) == "message" {
			return false
		}
	}
	return n.Kind == resource.Map
}

// isNewMetadata reports whether an outermost entry would be read as metadata.
func isNewMetadata(n *resource.New) bool {
	return strings.HasPrefix(n.Name, "@@") ||
		strings.HasPrefix(n.Name, "@") && n.Kind == resource.Map && !messages.IsNew(n)
}

// HoldsName refuses names that would be read as metadata's.
func (grammar) HoldsName(name string) error {
	if strings.HasPrefix(name, "@@") {
		return errMetadata
	}
	return nil
}

// Own reports metadata that would name the authors, the language or the texts of the source. A program reads a file by
// its settings.
func (g grammar) Own(f *resource.File, i int) bool {
	return i > 0 && f.Node(i).Meta && !messages.IsSetting(f.Name(i))
}
