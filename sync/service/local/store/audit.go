package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// What is noted for the audit log.
const (
	NotedProjectCreated = "projectCreated"
	NotedProjectDeleted = "projectDeleted"
	NotedImport         = "importCompleted"
	NotedKeysDeleted    = "keysDeleted"
	NotedKeysArchived   = "keysArchived"
	NotedKeysRestored   = "keysRestored"
	NotedPerson         = "userCreated"
	NotedPersonRemoved  = "userRemoved"
	NotedPersonChanged  = "userRolesChanged"
	NotedInvited        = "userInvited"
	NotedRevoked        = "invitationRevoked"
	NotedRenamed        = "userRenamed"
	NotedSignedIn       = "userSignedIn"
	NotedPassword       = "userPasswordChanged"
	NotedBackup         = "backupMade"
	NotedRestored       = "backupRestored"
	NotedMoved          = "serviceMoved"
)

// Bounds of the log: the oldest notes go, those of imports first, which machines make, and of many keys only the first
// are named.
const (
	mostImports = 20_000 // newest notes that imports are among
	mostNotes   = 100_000
	mostNoted   = 50
)

// Note is an entry of the log: the bucket audit has them for each account, by number.
type Note struct {
	At   int64           `json:"at"`
	Type string          `json:"type"`
	By   string          `json:"by,omitempty"` // a person; empty: a call with an API key
	What json.RawMessage `json:"what"`
}

// Noted is what a note is about.
type Noted struct {
	Project    string   `json:"projectId,omitempty"`
	Name       string   `json:"name,omitempty"` // of a project or person
	Collection string   `json:"collection,omitempty"`
	Language   string   `json:"language,omitempty"`
	Files      []string `json:"files,omitempty"`
	Count      int      `json:"count,omitempty"` // of keys that it changed
	Keys       []string `json:"keys,omitempty"`
	Manager    bool     `json:"manager,omitempty"` // of everything: what a person becomes
	Made       string   `json:"made,omitempty"`    // when the backup was that is restored
	Roles      []Grant  `json:"roles,omitempty"`   // of a person
}

// PutNote notes what happened, in the transaction in which it does.
func PutNote(tx *Tx, kind, by string, what Noted) error {
	b, err := tx.bucket(bucketAudit).CreateBucketIfNotExists([]byte(tx.Account()))
	if err != nil {
		return err
	}
	what.Keys, what.Files = what.Keys[:min(len(what.Keys), mostNoted)], what.Files[:min(len(what.Files), mostNoted)]
	raw, err := json.Marshal(what)
	if err != nil {
		return err
	}
	n, err := b.NextSequence()
	if err != nil {
		return err
	}
	for _, most := range []uint64{mostImports, mostNotes} {
		old := number(n - min(n, most))
		if most == mostImports && !bytes.Contains(b.Get(old), []byte(`"type":"`+NotedImport+`"`)) {
			continue
		}
		if err := b.Delete(old); err != nil {
			return err
		}
	}
	return putRecord(b, string(number(n)), &Note{At: tx.Now(), Type: kind, By: by, What: raw})
}

// Notes are the notes of a period, the newest first; skip of them are left out, and most are read.
func Notes(tx *Tx, from, to time.Time, skip, most int) (all []*Note, err error) {
	b := tx.bucket(bucketAudit).Bucket([]byte(tx.Account()))
	if b == nil {
		return nil, nil
	}
	return notesOf(b.Cursor(), from, to, skip, most)
}

func notesOf(c *bolt.Cursor, from, to time.Time, skip, most int) (all []*Note, err error) {
	for n, raw := c.Last(); n != nil && len(all) < most; n, raw = c.Prev() {
		note := new(Note)
		if err := json.Unmarshal(raw, note); err != nil {
			return nil, fmt.Errorf("note %d: %w", binary.BigEndian.Uint64(n), err)
		}
		at := time.Unix(0, note.At)
		if at.Before(from) || !to.IsZero() && at.After(to) {
			continue
		}
		if skip--; skip < 0 {
			all = append(all, note)
		}
	}
	return all, nil
}
