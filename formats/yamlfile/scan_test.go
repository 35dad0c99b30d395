package yamlfile_test

import (
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/formats/yamlfile"
)

var structured = resource.Keys{Structured: true}

func TestCorpus(t *testing.T) {
	for _, real := range resourcetest.Corpus(t, "yaml") {
		f, err := resource.Parse(yamlfile.Grammar, structured, real.Src)
		if err != nil {
			t.Errorf("%s: %v", real.Name, err)
			continue
		}
		agree(t, f)
		resourcetest.Check(t, resourcetest.Case{Grammar: yamlfile.Grammar, Keys: structured, Src: real.Src})
	}
}

func TestEdges(t *testing.T) {
	for _, e := range resourcetest.Edges(t) {
		f, err := resource.Parse(yamlfile.Grammar, structured, e.Src)
		if err != nil {
			t.Logf("%s: %v (%s)", e.File, err, e.Expect)
			continue
		}
		agree(t, f)
		resourcetest.Check(t, resourcetest.Case{Grammar: yamlfile.Grammar, Keys: structured, Src: e.Src})
	}
}
