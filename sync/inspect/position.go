package inspect

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/report"
)

// positions finds line and column of a file's entries. What it needs for that it gathers at the first question.
type positions struct {
	f     *resource.File
	lines []int          // where each begins
	nodes map[string]int // the first node under a key, and the outermost containers, by name
}

func newPositions(f *resource.File) *positions { return &positions{f: f} }

// put gives a problem the place of its key's value.
func (at *positions) put(p *report.Problem, form string) {
	e, ok := at.f.Lookup(p.Key, form)
	i := e.Node
	if !ok {
		i, ok = at.named(p.Key)
	}
	if ok {
		p.Line, p.Column = at.position(int(at.f.Node(i).Value.Start))
	}
}

func (at *positions) named(key string) (int, bool) {
	if at.nodes == nil {
		at.nodes = make(map[string]int)
		first := func(key string, i int) {
			if _, ok := at.nodes[key]; !ok {
				at.nodes[key] = i
			}
		}
		for e := range at.f.Entries() {
			first(e.Key, e.Node)
		}
		top := 0
		if _, rooted := at.f.Root(); rooted {
			top = 1
		}
		for i := range at.f.Children(top) {
			first(at.f.Name(i), i)
		}
	}
	i, ok := at.nodes[key]
	return i, ok
}

// position is resource.File.Position for many offsets of one file.
func (at *positions) position(offset int) (line, column int) {
	src := at.f.Source()
	if at.lines == nil {
		eol := byte('\n')
		if !strings.Contains(src, "\n") {
			eol = '\r'
		}
		at.lines = []int{0}
		for i := 0; i < len(src); i++ {
			if src[i] == eol {
				at.lines = append(at.lines, i+1)
			}
		}
	}
	line, exact := slices.BinarySearch(at.lines, offset)
	if !exact {
		line--
	}
	return line + 1, 1 + utf8.RuneCountInString(src[at.lines[line]:offset])
}
