package service

import (
	"sync"
	"sync/atomic"
)

// account is what all clients of one account at one host share in this process: the service counts
// requests per account, and an outage for one client is an outage for all.
type account struct {
	budget  *budget
	breaker *breaker
	waiting atomic.Int64 // jobs that are being waited for; polls are stretched so that they leave room
}

type accountKey struct {
	origin, id, slotDir string
	host                bool
}

var accounts struct {
	sync.Mutex
	m map[accountKey]*account
}

// accountFor finds or makes the account. Accounts are never forgotten: there are as many as were ever
// configured.
func accountFor(key accountKey, warn func(string)) *account {
	accounts.Lock()
	defer accounts.Unlock()
	if a := accounts.m[key]; a != nil {
		return a
	}
	var store slotStore
	switch {
	case key.slotDir != "":
		store = newSlotFile(key.slotDir, key.origin, key.id)
	case key.host:
		store = newHostSlots(sharedFolder(sharedFolders), userFolder(), key.origin, key.id, warn)
	default:
		store = newSlotMemory()
	}
	a := &account{budget: newBudget(store), breaker: newBreaker()}
	if accounts.m == nil {
		accounts.m = make(map[accountKey]*account)
	}
	accounts.m[key] = a
	return a
}
