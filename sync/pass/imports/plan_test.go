package imports

import (
	"fmt"
	"testing"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Files go into one import of their kind while it has room; each file is in one import, in its order.
func TestBatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		texts []int // of each file
		want  string
	}{
		{nil, "[]"},
		{[]int{1, 2, 3}, "[3]"},
		{[]int{mostTexts / 2, mostTexts / 2, 1, 1}, "[2 2]"},
		{[]int{3 * mostTexts, 1, mostTexts, 1}, "[1 1 1 1]"},
		{[]int{1, 3 * mostTexts}, "[1 1]"},
	} {
		var batch Batch
		for i, n := range c.texts {
			texts := make(catalog.Catalog, n)
			path := fmt.Sprint(i)
			batch.Add(service.ImportRequest{Collection: "a", Language: "en"}, bundle.Upload{Path: path, Units: texts},
				ledger.Destination{Path: path, Collection: "a"}, texts, Over{})
		}
		files, next := []int{}, 0
		for _, one := range batch.All {
			files = append(files, len(one.Uploads))
			for i, up := range one.Uploads {
				if up.Path != fmt.Sprint(next) || one.Remember[i].Path != up.Path || len(one.accepts[i]) != c.texts[next] {
					t.Errorf("%v: file %q is in place %d", c.texts, up.Path, next)
				}
				next++
			}
		}
		if got := fmt.Sprint(files); got != c.want || next != len(c.texts) {
			t.Errorf("%v texts go into imports of %s files, want %s", c.texts, got, c.want)
		}
	}
}
