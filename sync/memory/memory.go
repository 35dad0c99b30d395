// Package memory lets what locsync remembers of a project travel with its repository, in the reference that package
// gitops calls kept: what both sides agreed on, what each writer has seen, which questions are open.
//
// Its law: a ledger that is loaded from what another one saved holds the same, record by record, so that a pass decides
// the same in each clone. Two that were saved at once are reconciled record by record against the one that both began
// from; where both changed one record, the result never lets an older text replace a newer one: it forgets an agreement
// rather than to claim one.
//
// Of texts that are agreed on, nothing is stored but how to read them from the trees that the memory holds: see
// encode.go. What belongs to one machine does not travel: jobs under way, deliveries, schedules, what people were told.
//
// It decides nothing about texts.
package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"strings"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// slotID addresses marks in a scope, as ledger.Slot.Parts does.
type slotID struct{ kind, path, of string }

// slot is the slot of a scope that an id addresses.
func (id slotID) slot(scope string) ledger.Slot {
	return ledger.Slot{Scope: scope, Kind: id.kind, Path: id.path, Language: id.of}
}

// bucket is which of the stored files has the marks: those of files of one name are together, whatever their folder.
func (id slotID) bucket() string {
	name := path.Base(id.path)
	if id.path == "" {
		name = id.of
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:1])
}

// recordID addresses a record in a scope.
type recordID struct{ kind, id string }

// part is some of what a scope remembers.
type part struct {
	marks   map[slotID]catalog.Marks
	records map[recordID]string // JSON
}

func newPart() *part {
	return &part{make(map[slotID]catalog.Marks), make(map[recordID]string)}
}

// own are the kinds that do not travel.
var own = map[string]bool{
	"past": true, "waiting": true, "jobs": true, "lost": true, "delivery": true, "published": true, "notified": true,
	"request": true, "forge": true, "diary": true, "left out": true, "seen here": true, markers.Kind(): true,
}

// lasting are the kinds that travel with others and that nothing is saved for by itself: what tells a pass that there
// is nothing to do.
var lasting = map[string]bool{"looked": true, "reconciled": true, ledger.BasedAt.Kind(): true}

// travels says whether a kind of marks or records is part of the memory.
func travels(kind string) bool {
	return !own[kind] && !strings.HasPrefix(kind, "staged ")
}

// sameRecord says whether two contents of a record differ in nothing that a decision depends on.
func sameRecord(kind string, a, b []byte) bool {
	if string(a) == string(b) {
		return true
	}
	if kind != ledger.Conflicts.Kind() || a == nil || b == nil {
		return false
	}
	var one, other map[string]json.RawMessage
	if json.Unmarshal(a, &one) != nil || json.Unmarshal(b, &other) != nil || len(one) != len(other) {
		return false
	}
	for name, value := range one {
		if name != "looked" && string(value) != string(other[name]) {
			return false
		}
	}
	return true
}

// marker is what a ledger knows of the memory's commits.
type marker struct {
	At      string `json:"at,omitempty"`      // the commit that the ledger holds, but for what changed since
	There   string `json:"there,omitempty"`   // the remote's last value that is part of it
	Changed bool   `json:"changed,omitempty"` // there are changes since

	Refused string `json:"refused,omitempty"` // what the remote said when it refused the reference last
	Until   string `json:"until,omitempty"`   // until when it is not asked again
}

// markers is the kind of the marker, in the scope of a project, with the ID "".
var markers = ledger.NewTable[marker]("memory")

// Refused is what the remote said when it refused the reference of a project last; "" where it takes it.
func Refused(r ledger.Reader, project string) (string, error) {
	m, _, err := markers.Get(r, project, "")
	return m.Refused, err
}
