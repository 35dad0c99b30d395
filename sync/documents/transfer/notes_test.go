package transfer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/documents"
)

// Whatever was updated in whatever order, and by whichever machine, the notes say of every document what it was made of
// last, and no note speaks of more than it may.
func TestNotesLaw(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 7))
		count := 1 + random.IntN(40)
		at, made := map[string]string{}, map[string]string{} // meta info and digest, by identifier
		for i := range count {
			id := fmt.Sprint("d", i)
			made[id] = fmt.Sprintf("%064d", i)
			at[id] = ownNote + made[id]
		}
		for range 12 {
			n := newNotes()
			for id, meta := range at {
				n.sees(&documents.Document{ID: id + "_7", MetaInfo: meta})
				n.sees(&documents.Document{ID: id + "_9", MetaInfo: meta})
			}
			for id, digest := range made {
				if !n.says(id, digest) || n.says(id, strings.Repeat("f", 64)) {
					t.Fatalf("seed %d: %s is not known to be %s: %q", seed, id, digest, at)
				}
			}
			var ids []string
			for i := range count {
				if random.IntN(3) == 0 {
					ids = append(ids, fmt.Sprint("d", i))
				}
			}
			for _, id := range ids {
				made[id] = fmt.Sprintf("%064x", random.Uint64())
				made[id] = made[id][48:] + made[id][:48]
			}
			plan := n.plan(ids, made)
			for _, note := range plan {
				if strings.Count(note.text, "=") > inOneNote {
					t.Fatalf("seed %d: %q", seed, note.text)
				}
				at[strings.TrimSuffix(strings.TrimSuffix(note.document, "_7"), "_9")] = note.text
			}
			if len(ids) == 0 && len(plan) > 0 {
				t.Fatalf("seed %d: nothing changed, and %d notes", seed, len(plan))
			}
		}
	}
	n := newNotes()
	for _, hostile := range []string{sharedNote, sharedNote + "x a=b", sharedNote + "-1 a=" + strings.Repeat("f",
		64), sharedNote + "3 a=b =c d",
		ownNote, ownNote + "short"} {
		n.sees(&documents.Document{ID: "a_7", MetaInfo: hostile})
		if n.says("a", strings.Repeat("f", 64)) || n.says("a", "") || n.says("a", "b") {
			t.Errorf("%q is believed", hostile)
		}
	}
}
