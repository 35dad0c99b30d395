package androidxml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/xmlscan"
)

// Monolingual returns the file without what belongs to the app's default resources alone: entries that are not
// translatable or refer to other resources, resources of other kinds (a colour that is repeated for a language no
// longer follows the default one), each with its comments, and the root's tools:locale. A new file of translations that
// was made from a copy of its source goes through here last. A string-array with any text stays whole, as its items are
// counted.
func Monolingual(f *resource.File) ([]byte, error) {
	if isBlank(f.Source()) {
		return f.Bytes(), nil
	}
	s := scanner{src: f.Source(), dialect: &android, collect: true} // no value is asked about
	if _, err := s.scan(); err != nil {
		return nil, fmt.Errorf("read it again: %w", err)
	}
	gone := s.others
	for c := range f.Children(0) {
		if !hasText(f, c) {
			gone = append(gone, *f.Node(c))
		}
	}
	slices.SortFunc(gone, func(a, b resource.Node) int { return cmp.Compare(a.Whole.Start, b.Whole.Start) })
	cuts := xmlscan.Removal(s.src, gone)
	for k := range cuts {
		cuts[k].At.End = uint32(blankLinesBehind(s.src, int(cuts[k].At.Start), int(cuts[k].At.End)))
	}
	if a, ok := startTagOf(s.src, f.Node(0)).attribute("tools:locale"); ok {
		start := len(strings.TrimRight(s.src[:a.at], spaces))
		cuts = slices.Insert(cuts, 0, resource.Splice{At: resource.At(start, a.end+1)})
	}
	var out []byte
	at := 0
	for _, cut := range cuts {
		out = append(out, s.src[at:cut.At.Start]...)
		at = int(cut.At.End)
	}
	return append(out, s.src[at:]...), nil
}

// blankLinesBehind is where the blank lines end that follow a cut of whole lines, if one is in front of it, too.
func blankLinesBehind(src string, start, end int) int {
	before := strings.TrimRight(src[:start], spaces)
	if start == end || src[end-1] != '\n' || strings.Count(src[len(before):start], "\n") < 2 {
		return end
	}
	rest := src[end:]
	blank := rest[:len(rest)-len(strings.TrimLeft(rest, spaces))]
	return end + strings.LastIndexByte(blank, '\n') + 1
}

// hasText reports whether a node is a text or holds one.
func hasText(f *resource.File, i int) bool {
	for end := int(f.Node(i).End); i < end; i++ {
		if f.Node(i).Kind == resource.Text {
			return true
		}
	}
	return false
}

// Comment returns where the comment at an offset ends.
func (grammar) Comment(src string, at int) int {
	if !strings.HasPrefix(src[at:], "<!--") {
		return at
	}
	return at + strings.Index(src[at:], "-->") + 3
}

// Own reports what belongs to the app's default resources alone.
func (grammar) Own(f *resource.File, i int) bool { return f.Node(i).Parent == 0 && !hasText(f, i) }
