package transfer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/wire"
)

// What was sent is noted at the service, in the meta info of documents, so that every machine knows what has changed.
// A document that is added brings its own note, the digest of its file. An update cannot bring one, and a request for
// each would double its cost: one document's note speaks of several, and has a number, which grows.
const (
	ownNote    = "locsync sha256:"
	sharedNote = "locsync documents " // number, then "id=digest" for each document
	// inOneNote is how many documents one note speaks of: how long meta info may be is not known.
	inOneNote = 10
	// noted is how much of a digest a shared note holds.
	noted = 32
)

// notes are what all documents of a project say of the files that they were made of. Documents go by the identifier
// without a language.
type notes struct {
	known   map[string]digestNoted
	carried map[string][]string // the documents that one document's note speaks of
	address map[string]string   // of each document: an identifier with a language, which calls take
	last    int                 // the highest number
}

type digestNoted struct {
	digest string // the beginning of it, at least
	number int    // of the note, 0 for the one that a document was added with
	in     string // the document that carries the note
}

func newNotes() *notes {
	return &notes{known: map[string]digestNoted{}, carried: map[string][]string{}, address: map[string]string{}}
}

// sees takes a document in, with its note.
func (n *notes) sees(doc *documents.Document) {
	id, _ := wire.SplitDocumentID(doc.ID)
	n.address[id] = doc.ID
	n.read(id, doc.MetaInfo)
}

// read takes one note in. Of two that speak of the same document the higher number holds.
func (n *notes) read(carrier, note string) {
	take := func(id string, d digestNoted) {
		if old, is := n.known[id]; len(d.digest) >= noted && (!is || old.number < d.number) {
			n.known[id] = d
		}
	}
	if digest, is := strings.CutPrefix(note, ownNote); is {
		take(carrier, digestNoted{digest, 0, carrier})
		return
	}
	rest, is := strings.CutPrefix(note, sharedNote)
	words := strings.Fields(rest)
	if !is || len(words) == 0 {
		return
	}
	number, err := strconv.Atoi(words[0])
	if err != nil || number < 1 {
		return
	}
	n.last, n.carried[carrier] = max(n.last, number), nil // in each of its languages a document has the same note
	for _, word := range words[1:] {
		id, digest, _ := strings.Cut(word, "=")
		n.carried[carrier] = append(n.carried[carrier], id)
		take(id, digestNoted{digest, number, carrier})
	}
}

// says reports whether a document was made of a file with this digest.
func (n *notes) says(id, digest string) bool {
	known, is := n.known[id]
	return is && strings.HasPrefix(digest, known.digest)
}

// note is the new meta info of a document.
type note struct{ document, text string }

// plan is what has to be noted once these documents were updated to these digests. What a note that is replaced said of
// other documents is noted again.
func (n *notes) plan(ids []string, digests map[string]string) []note {
	n.last++
	queue := slices.Clone(ids)
	queued := map[string]bool{}
	for _, id := range ids {
		queued[id] = true
		n.known[id] = digestNoted{digests[id], n.last, ""}
	}
	var all []note
	for len(queue) > 0 {
		carrier := queue[0]
		for _, id := range n.carried[carrier] {
			if !queued[id] && n.known[id].in == carrier && n.address[id] != "" {
				queue, queued[id] = append(queue, id), true
			}
		}
		some := queue[:min(len(queue), inOneNote)]
		queue = queue[len(some):]
		text := sharedNote + strconv.Itoa(n.last)
		for _, id := range some {
			d := n.known[id].digest
			n.known[id] = digestNoted{d[:min(len(d), noted)], n.last, carrier}
			text += fmt.Sprintf(" %s=%s", id, n.known[id].digest)
		}
		n.carried[carrier] = slices.Clone(some)
		all = append(all, note{n.address[carrier], text})
	}
	return all
}
