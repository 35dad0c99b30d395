package local

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service/wire"
)

// fate is a document that was accepted before the process was killed, and what was accepted for it. What the last call
// did, which was cut off before its answer, nobody knows.
type fate struct {
	id     string
	source string // its text
	german string // its translation; "" until that was accepted
	known  bool   // no call was cut off
}

// What was accepted for documents is there, whole, however often the process is killed in between: documents with their
// words, updates, confirmed translations, also in the memory, and exports that are carried out.
func TestDocumentsKilledAtAnyMoment(t *testing.T) {
	gittest.Long(t)
	rounds := 5
	if testing.Short() {
		rounds = 2
	}
	dir := t.TempDir()
	s, kill := child(t, dir)
	p, memory := s.documentsProject("de"), s.memory("tm", "en", "de")
	s.attached(p, memory)
	var mu sync.Mutex
	var fates []fate
	exports := map[string]string{} // export -> what it must have
	serial := 0
	translations := func(f fate) bool { return f.german != "" }
	for round := range kills(rounds, func() bool {
		return slices.ContainsFunc(fates, translations) && len(exports) > 0
	}) {
		stop := time.Now().Add(time.Duration(1+round/rounds) * time.Duration(100+rand.IntN(200)) * time.Millisecond)
		var callers sync.WaitGroup
		for range 3 {
			callers.Go(func() {
				for time.Now().Before(stop) {
					mu.Lock()
					serial++
					n := serial
					mu.Unlock()
					f := documentLife(t, s, p, n)
					var x wire.DocumentExport
					exported := f.known && try(s, "POST", "/v1/document/export?type=source&documentIds="+f.id, "", nil,
						&x)
					mu.Lock()
					if f.id != "" {
						fates = append(fates, f)
					}
					if exported {
						exports[x.ID] = f.source
					}
					mu.Unlock()
				}
			})
		}
		time.Sleep(time.Until(stop.Add(-10 * time.Millisecond)))
		kill()
		callers.Wait()
		s, kill = child(t, dir)
	}
	translated := 0
	for _, f := range fates {
		if s.document(f.id).WordsCount == 0 {
			t.Errorf("%+v has no words", f)
		}
		if f.german == "" {
			continue
		}
		translated++
		s.translationEnds(f.id, "completed")
		if got := string(s.exportDocuments("&mode=complete", f.id).body); got != f.german {
			t.Errorf("%+v: %q", f, got)
		}
	}
	for id, want := range exports {
		if a := s.downloaded(id); a.status != 200 || string(a.body) != want {
			t.Errorf("export: %d %q, want %q", a.status, a.body, want)
		}
	}
	if translated == 0 || len(exports) == 0 {
		t.Fatalf("%d documents, %d translations, %d exports were accepted: nothing was tested", len(fates), translated,
			len(exports))
	}
	if n := int(s.units(memory)); n < 2*translated {
		t.Errorf("the memory has %d units of %d confirmed translations with two segments or more", n, translated)
	}
	t.Logf("%d kills; %d documents, %d of them translated, %d exports", rounds, len(fates), translated, len(exports))
}

// documentLife adds a document, updates every second one, and brings a confirmed translation in, as far as it gets.
func documentLife(t *testing.T, s *server, project string, n int) fate {
	f := fate{source: fmt.Sprintf("Text %d.\nLine %d.\n", n, n)}
	name := fmt.Sprintf("%d.txt", n)
	contentType, form := multipartOf(t, file{name, f.source})
	var docs []wire.Document
	if !try(s, "POST", "/v1/project/document?projectId="+project, contentType, form, &docs) || len(docs) != 1 {
		return f
	}
	f.id = docs[0].ID
	if n%2 == 0 {
		f.source = fmt.Sprintf("Line %d.\nText %d.\nMore %d.\n", n, n, n)
		contentType, form = multipartOf(t, file{name, f.source})
		if !try(s, "PUT", "/v1/document/update?documentId="+f.id, contentType, form, nil) {
			return f
		}
	}
	german := strings.NewReplacer("Text", "Wort", "Line", "Zeile", "More", "Mehr").Replace(f.source)
	contentType, form = multipartOf(t, file{name, german})
	if !try(s, "PUT", "/v1/document/translate?confirmTranslation=true&documentId="+f.id, contentType, form, nil) {
		return f
	}
	f.german, f.known = german, true
	return f
}
