package service

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// account is what all clients of one account at one host share in this process: the service counts
// requests per account, and an outage for one client is an outage for all.
type account struct {
	budget  *budget
	breaker *breaker
	queued  atomic.Int64                  // requests that wait for the budget
	waiting atomic.Int64                  // jobs that are being waited for; polls are stretched so that they leave room
	ahead   atomic.Pointer[time.Duration] // of the service's clock before ours, by its last answer; nil while it told no time
}

// heard learns from an answer's Date how far the service's clock is ahead of ours. Date has whole seconds, cut off, and was
// written before it was heard: the clock is never thought to be ahead by more than it is.
func (a *account) heard(date string, now time.Time) {
	if at, err := http.ParseTime(date); err == nil {
		ahead := at.Sub(now)
		a.ahead.Store(&ahead)
	}
}

// ServiceTime is what the service's clock said at a time of ours, or up to some seconds less; false while the service has not told its time.
func (c *Client) ServiceTime(at time.Time) (time.Time, bool) {
	ahead := c.account.ahead.Load()
	if ahead == nil {
		return time.Time{}, false
	}
	return at.Add(*ahead), true
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
