package boltledger

import (
	"encoding/json"

	"github.com/locsync/locsync/sync/memory/ledger"
)

// at is the slot of a target file.
func at(scope, kind, path, language string) ledger.Slot {
	return ledger.Slot{Scope: scope, Kind: kind, Path: path, Language: language}
}

func put[T any](w ledger.Writer, scope, kind, id string, value T) error {
	content, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return w.PutRecord(ledger.Key{Scope: scope, Kind: kind, ID: id}, content)
}

func get[T any](r ledger.Reader, scope, kind, id string) (value T, ok bool, err error) {
	content, err := r.Record(ledger.Key{Scope: scope, Kind: kind, ID: id})
	if err != nil || content == nil {
		return value, false, err
	}
	return value, true, json.Unmarshal(content, &value)
}
