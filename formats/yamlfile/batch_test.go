package yamlfile_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/formats/yamlfile"
)

// Many edits at once are the same edits one by one, in drawn files.
func TestBatches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := &house{T: rt}
		c := resourcetest.Case{Grammar: yamlfile.Grammar, Src: []byte(h.file()), NewTexts: phrases, Refuses: refuses}
		resourcetest.Batch(rtTB{t, rt}, c, 1+h.n(30), rand.New(rand.NewPCG(uint64(h.n(1000)), 0)))
	})
}
