package yamlfile_test

import (
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

var structured = resource.Keys{Structured: true}

// Every real file is read, as the other reader reads it, and keeps the laws.
func TestCorpus(t *testing.T) {
	for _, real := range resourcetest.Corpus(t, "yaml") {
		if check(t, real.Src) == nil {
			t.Errorf("%s is refused", real.Name)
		}
	}
}
