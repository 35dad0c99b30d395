package resource

import (
	"iter"
	"slices"
	"sort"
)

// order is the children of a container in the order of their names.
type order []ranked

type ranked struct {
	name string
	last int // of this one and those before it in that order, the last in the file
}

// inOrder sorts children. A file need not be in its format's order.
func inOrder(children iter.Seq[int], name func(int) string, compare func(a, b string) int) (o order) {
	for c := range children {
		o = append(o, ranked{name(c), c})
	}
	slices.SortFunc(o, func(a, b ranked) int { return compare(a.name, b.name) })
	for i := 1; i < len(o); i++ {
		o[i].last = max(o[i].last, o[i-1].last)
	}
	return o
}

// before returns the last child in the file whose name is before this one; -1 for none.
func (o order) before(name string, compare func(a, b string) int) int {
	i := sort.Search(len(o), func(i int) bool { return compare(o[i].name, name) >= 0 })
	if i == 0 {
		return -1
	}
	return o[i-1].last
}
