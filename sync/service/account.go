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

type accountKey struct{ origin, id, slotDir string }

var accounts struct {
	sync.Mutex
	m map[accountKey]*account
}

// accountFor finds or makes the account. Accounts are never forgotten: there are as many as were ever
// configured.
func accountFor(origin, id, slotDir string) *account {
	key := accountKey{origin, id, slotDir}
	accounts.Lock()
	defer accounts.Unlock()
	if a := accounts.m[key]; a != nil {
		return a
	}
	var store slotStore = newSlotMemory()
	if slotDir != "" {
		store = newSlotFile(slotDir, origin, id)
	}
	a := &account{budget: newBudget(store), breaker: newBreaker()}
	if accounts.m == nil {
		accounts.m = make(map[accountKey]*account)
	}
	accounts.m[key] = a
	return a
}
