package service

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/sync/service/budget"
)

// account is what all clients of one account at one host share in this process: the service counts
// requests per account, and an outage for one client is an outage for all.
type account struct {
	budget  *budget.Budget
	breaker *breaker
	queued  atomic.Int64 // requests that wait for the budget
	waiting atomic.Int64 // jobs that are being waited for; polls are stretched so that they leave room
	// of the service's clock before ours, by its last answer; nil while it told no time
	ahead atomic.Pointer[time.Duration]
}

// heard learns from an answer's Date how far the service's clock is ahead of ours. Date has whole seconds, cut
// off, and was written before it was heard: the clock is never thought to be ahead by more than it is.
func (a *account) heard(date string, now time.Time) {
	if at, err := http.ParseTime(date); err == nil {
		ahead := at.Sub(now)
		a.ahead.Store(&ahead)
	}
}

type accountKey struct {
	origin, id, slotDir string
	host                bool
	keeper              budget.Keeper
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
	shared := budget.Options{Origin: key.origin, Account: key.id, Dir: key.slotDir, Host: key.host,
		Keeper: key.keeper, Warn: warn}
	a := &account{budget: budget.Open(shared), breaker: newBreaker()}
	if accounts.m == nil {
		accounts.m = make(map[accountKey]*account)
	}
	accounts.m[key] = a
	return a
}
