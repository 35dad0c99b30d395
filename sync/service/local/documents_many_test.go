package local

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
)

// Adding documents costs what they are, whatever the project has already; a name is free again when its document is
// renamed or gone.
func TestManyDocuments(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de", "fr", "es", "it", "pl", "cs", "sv", "da", "nl", "fi")
	const batch, batches = 20, 30
	cost := func(n int) uint64 {
		files := make([]file, batch)
		for i := range files {
			files[i] = file{fmt.Sprintf("f/%d-%d.txt", n, i), "One text.\n"}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s.added(p, "", files...)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	cost(0)
	early, late := cost(1), uint64(0)
	for n := 2; n < batches; n++ {
		late = cost(n)
	}
	if late > 2*early {
		t.Errorf("%d documents more take %d bytes of memory, and %d where there are %d",
			batch, early, late, batch*batches)
	}
	check(t, s.sendDocuments(p, "", file{"f/1-1.txt", "Another one.\n"}), 409, "")
	id := s.added(p, "", file{"a.txt", "A.\n"})[0].ID
	s.call("PUT", wire.Prefix+"/v1/document/rename?name=1-1&documentId="+id, "", nil).want(t, 204, nil)
	check(t, s.sendDocuments(p, "", file{"1-1.txt", "A.\n"}), 409, "")
	s.added(p, "", file{"a.txt", "A.\n"})
}
