package bundle

import (
	"fmt"

	"github.com/locsync/locsync/formats/resource"
)

// Clashes finds the keys that stand twice in a file, with different texts.
func Clashes(f *resource.File) map[string]string {
	clash := make(map[string]string)
	for _, d := range f.Duplicates() {
		one, two := f.Text(d[0]), f.Text(d[1])
		if f.Node(d[0]).Kind == resource.Text && f.Node(d[1]).Kind == resource.Text && one != two {
			clash[f.KeyOf(d[1])] = fmt.Sprintf("stands twice with different texts, %q and %q; neither is sent until one is "+
				"left", one, two)
		}
	}
	return clash
}
