package yamlfile_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/formats/yamlfile"
)

// Many edits at once are the same edits one by one, in drawn files and in real ones.
func TestBatches(t *testing.T) {
	batch := func(t testing.TB, keys resource.Keys, src []byte, n int, seed uint64) {
		resourcetest.Batch(t, resourcetest.Case{Grammar: yamlfile.Grammar, Keys: keys, Src: src, NewTexts: phrases,
			Refuses: refuses}, n, rand.New(rand.NewPCG(seed, 0)))
	}
	rapid.Check(t, func(rt *rapid.T) {
		h := &styledFile{T: rt}
		batch(rtTB{t, rt}, structured, []byte(h.file()), 1+h.n(30), uint64(h.n(1000)))
	})
	batch(t, structured, sized(20<<10), 1000, 1)
	for i, real := range resourcetest.Corpus(t, "yaml") {
		if i%5 == 0 {
			batch(t, structured, real.Src, 100, uint64(i))
		}
	}
}
