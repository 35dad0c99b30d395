package resource_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/resource"
)

// counted is a grammar that counts how often it is asked to write entries.
type counted struct {
	resource.Grammar
	asked *int
}

func (c counted) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	*c.asked++
	return c.Grammar.Insert(f, at, add)
}

// New entries of one place are written together: each question about what is around them would cost a walk through it.
// Alone are tried those only that are near to one that cannot be written.
func TestInsertedTogether(t *testing.T) {
	const n = 1 << 10
	tooLong := strings.Repeat("n", resource.MaxName)
	for name, c := range map[string]struct {
		refused []string
		most    int
	}{
		"all can be written":     {nil, 1},
		"one cannot be written":  {[]string{tooLong}, 25},
		"some cannot be written": {[]string{tooLong, tooLong + "a", tooLong + "b"}, 75},
	} {
		var edits []resource.Edit
		for i := range n {
			edits = append(edits, resource.Edit{Op: resource.Set, Key: fmt.Sprint("k", i), Text: "x"})
		}
		for i, key := range c.refused {
			edits[i*n/len(c.refused)].Key = key
		}
		asked := 0
		f := parse(t, counted{jsonfile.Grammar, &asked}, []byte("{\n  \"first\": \"x\"\n}\n"))
		out, refusals := f.Rewrite(edits, nil)
		if got := strings.Count(string(out), "\n") - 3; len(refusals) != len(c.refused) || got != n-len(c.refused) {
			t.Errorf("%s: %d are written, %d refused", name, got, len(refusals))
		}
		if asked > c.most {
			t.Errorf("%s: the grammar was asked %d times, at most %d", name, asked, c.most)
		}
	}
}
