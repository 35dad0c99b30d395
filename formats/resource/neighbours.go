package resource

import "strings"

// What new entries of a flat file have from those around them. It is the same in each format whose entries are lines.

// Reach is how far neighbours are asked, so that an edit costs the same in a file of any size.
const Reach = 40

// Newline is the line end of a text, by its first one; \n where there is none.
func Newline(src string) string {
	if at := strings.IndexByte(src, '\n'); at > 0 && src[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// NewlineNear is the line end behind an offset, else any that the file has, else the model's. \r alone is one, too.
func NewlineNear(f *File, at int, model *Model) string {
	src := f.Source()
	for _, s := range [2]string{src[at:], src} {
		if i := strings.IndexAny(s, "\r\n"); i >= 0 {
			if strings.HasPrefix(s[i:], "\r\n") {
				return "\r\n"
			}
			return s[i : i+1]
		}
	}
	if model != nil && model.File != f {
		return NewlineNear(model.File, 0, nil)
	}
	return "\n"
}

// BlankBelow is how many blank lines are below entry i of a file, -1 where nothing follows.
type BlankBelow func(f *File, i int) int

// Around is how many blank lines are around entry i, on both sides of it; the entry next to it answers for a side where
// it has no neighbour, and the model's file for an only one.
func (below BlankBelow) Around(f *File, i int, model *Model) int {
	at := func(i int) int {
		if i < 1 || i >= f.Len() {
			return -1
		}
		return below(f, i)
	}
	before, behind := at(i-1), at(i)
	switch {
	case before < 0 && behind < 0:
		return b2i(model != nil && below.Mostly(model.File))
	case behind < 0:
		behind = before
	case before < 0:
		before = at(i + 1)
		if before < 0 {
			before = behind
		}
	}
	return min(before, behind)
}

// Mostly reports whether most of a file's first entries have blank lines between them.
func (below BlankBelow) Mostly(f *File) bool {
	blank, all := 0, 0
	for i := 1; i < min(f.Len()-1, Reach); i++ {
		all++
		blank += b2i(below(f, i) > 0)
	}
	return 2*blank > all
}
