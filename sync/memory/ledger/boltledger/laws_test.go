package boltledger

import (
	"path/filepath"
	"testing"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/ledgertest"
)

func TestLedger(t *testing.T) {
	ledgertest.Run(t, func(t testing.TB) func() (ledger.Store, func()) {
		dir := filepath.Join(t.TempDir(), "deep", "state")
		return func() (ledger.Store, func()) {
			s := open(t, dir)
			return s, func() { closed(t, s) }
		}
	})
}
