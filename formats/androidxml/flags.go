package androidxml

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// Flags are formatted=false of a string that says so: it goes through no printf, and the compiler does not look at its
// per cent signs.
func (grammar) Flags(f *resource.File, i int) string {
	n := f.Node(i)
	if n.Value.Start < n.Whole.Start || n.Kind != resource.Text {
		return ""
	}
	_, value, has := strings.Cut(f.Source()[n.Whole.Start:n.Value.Start], "formatted")
	value, is := strings.CutPrefix(strings.TrimLeft(value, spaces), "=")
	value = strings.TrimLeft(value, spaces)
	if !has || !is || value == "" || !strings.HasPrefix(strings.ToLower(value[1:]), "false") {
		return ""
	}
	return "formatted=false"
}
