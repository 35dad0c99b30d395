// Package service is the translation service as Go calls (README.md lists the operations), behind HTTP Basic, one
// request budget and typed errors. A Client is one account at one service, and Client.Do makes any Call. Here are
// the operations on projects, their keys and notifications; packages documents and memories have the others.
//
// Its law: what may have been carried out is never carried out again behind the caller's back. A call that
// changes something and whose answer is lost ends with ErrUnknownOutcome; reading, and what can be repeated
// without harm, is repeated here, within bounds. And: the service never sees more requests than the budget in
// any window of one second, over all clients of this process and, with ShareOnHost or a SlotDir, over all
// processes of this host that use the same account.
//
// Files are sent as they are read and results handed on as they come, so that their size costs no memory here.
// Where the service interface and the published description differ, the first is what is sent and both are what
// is read. An unknown word of an enumeration is kept; an unknown member is passed over.
//
// A job (import, export) is started by one call and finished by another, so that its identifier can be written
// down in between. Nothing here remembers a job, knows a file format, or touches git. The shapes on the wire
// are in package wire.
//
// The API key is in the Authorization header and nowhere else: not in errors, not in what the hook is told, and
// it is cut out of whatever the service says back.
package service

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/sync/service/budget"
	"github.com/locsync/locsync/sync/service/wire"
)

// The words and records of the wire that callers handle; the spelling is the service interface's.
type (
	Format          = wire.Format
	CompletionState = wire.CompletionState
	Project         = wire.Project
	Account         = wire.Account
	Language        = wire.DirectoryItem

	Confirmation = wire.Confirmation
	AuditEntry   = wire.AuditEntry

	DocumentModel = wire.DocumentModel
	TaskState     = wire.TaskState

	Callback      = wire.Callback
	CallbackError = wire.CallbackError
)

// Completion states, see wire.CompletionState.
const (
	Draft        = wire.Draft
	Intermediate = wire.Intermediate
	Final        = wire.Final
)

// CompletionStates are all of them, from the least to the most.
var CompletionStates = wire.CompletionStates

// LeastState is the lesser of two states.
func LeastState(a, b CompletionState) CompletionState {
	return CompletionStates[min(slices.Index(CompletionStates, a), slices.Index(CompletionStates, b))]
}

// JobID names an import or an export at the service.
type JobID string

// Options say which service, as whom, and how gently.
type Options struct {
	// BaseURL is scheme, host and, where the service has one, a path. "/api/integration" is added.
	BaseURL string
	// AccountID and APIKey are user name and password of HTTP Basic. Both empty: no authentication is sent.
	AccountID string
	APIKey    APIKey
	// RequestsPerSecond is never exceeded in any window of one second (below 1: of 1/RequestsPerSecond
	// seconds); above 256 it counts as 256. For 0, requests are not paced: for a service inside this process.
	RequestsPerSecond float64
	// ShareOnHost makes all processes of this host with this account share the budget, whichever user runs them:
	// through a file in a folder that every user may write to (/run/lock, /tmp), and where that cannot be had,
	// in one of this user's. False: the budget holds in this process only.
	ShareOnHost bool
	// SlotDir is a folder to use for that instead, for processes that have no such folder in common, like
	// containers; it is made if missing. All of them name the same one.
	SlotDir string
	// Budget, when not nil, keeps the budget for processes of several machines, instead.
	Budget budget.Keeper
	// Warn is told, in a sentence, when the budget cannot be shared as it should. It may be nil.
	Warn func(string)
	// Own says that the service at the other end is ours; one that is not in this process says so itself.
	Own bool

	// Patience is how long calls go on while the service fails in a way that may pass, for callers that wait for
	// nothing else. 0: a few attempts, for callers that come again.
	Patience time.Duration
	// GiveUp is how long work of several calls goes on so: Patience when 0, three minutes when that is 0, too.
	GiveUp time.Duration
	// Transport replaces the client's own, for a service inside this process and for tests.
	Transport http.RoundTripper
	// UserAgent is sent with every request.
	UserAgent string
	// OnRequest, when set, is told of every request that was made.
	OnRequest func(Request)
	// OnTurn, when set, is told for every request how long it waited for the budget before it left.
	OnTurn func(waited time.Duration)
}

// Request is a request that was made. It holds no secret: the account's name and key travel in a header.
type Request struct {
	Operation    string        // "start import"
	Method, Path string        // the path as it was sent, with its query
	Status       int           // HTTP's; 0: no answer
	Took         time.Duration // the wait for the budget not included
}

// resultPath is a spelling of where import results are.
type resultPath struct{ prefix, path string }

// Client talks to one service as one account. It is safe for use by several goroutines.
type Client struct {
	base      *url.URL // path without a slash at its end
	transport http.RoundTripper
	own       *http.Transport // nil where the caller brought one
	sign      func(*http.Request)
	redact    func(string) string
	userAgent string
	onRequest func(Request)
	onTurn    func(time.Duration)
	account   *account
	pace      budget.Pace
	limits    limits
	patience  time.Duration
	outage    outage

	isOwn  atomic.Bool // as the last answer says
	offers sync.Map    // by project: what our own service has for it, as the last export was answered

	resultPath atomic.Pointer[resultPath] // where import results were found; nil: not known yet
}

// Own reports whether our own service is at the other end, as far as that is known.
func (c *Client) Own() bool { return c != nil && c.isOwn.Load() }

// Offered is what our own service said that it has for a project beside the interface; false before its first answer.
func (c *Client) Offered(project string) (all []string, known bool) {
	said, known := c.offers.Load(project)
	if !known {
		return nil, false
	}
	return strings.Fields(said.(string)), true
}

// New makes a client; it makes SlotDir too, but no request. An error says which option is wrong.
func New(o Options) (*Client, error) {
	base, err := baseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	switch {
	case (o.AccountID == "") != (o.APIKey == ""):
		return nil, errors.New("an account id goes with an API key: set both, or neither for a service that asks for none")
	case strings.Contains(o.AccountID, ":"):
		return nil, fmt.Errorf("account id %q: HTTP Basic allows no colon; take the id as the account's API settings show it",
			o.AccountID)
	case o.RequestsPerSecond < 0 || math.IsNaN(o.RequestsPerSecond) || math.IsInf(o.RequestsPerSecond, 0):
		return nil, fmt.Errorf("%v requests per second: give a number above 0, or 0 for no pacing", o.RequestsPerSecond)
	}
	c := &Client{
		base:      base,
		transport: o.Transport,
		sign:      func(*http.Request) {},
		redact:    redactor(o.AccountID, o.APIKey),
		userAgent: cmp.Or(o.UserAgent, "locsync"),
		onRequest: o.OnRequest,
		onTurn:    o.OnTurn,
		pace:      budget.NewPace(o.RequestsPerSecond),
		limits:    defaultLimits,
		patience:  o.Patience,
	}
	c.limits.giveUp = cmp.Or(o.GiveUp, o.Patience, c.limits.giveUp)
	c.isOwn.Store(o.Own)
	if o.AccountID != "" {
		c.sign = func(r *http.Request) { r.SetBasicAuth(o.AccountID, string(o.APIKey)) }
	}
	if c.onRequest == nil {
		c.onRequest = func(Request) {}
	}
	if c.onTurn == nil {
		c.onTurn = func(time.Duration) {}
	}
	if c.transport == nil {
		c.own = newTransport()
		c.transport = c.own
	}
	slotDir := o.SlotDir
	if o.RequestsPerSecond == 0 {
		slotDir, o.ShareOnHost = "", false
	}
	if slotDir != "" {
		if slotDir, err = filepath.Abs(slotDir); err != nil {
			return nil, fmt.Errorf("folder for the request budget: %w", err)
		}
		if err := os.MkdirAll(slotDir, 0o700); err != nil {
			return nil, fmt.Errorf("folder for the request budget: %w", err)
		}
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	c.account = accountFor(accountKey{origin(base), o.AccountID, slotDir, o.ShareOnHost, o.Budget}, o.Warn)
	return c, nil
}

// Format writes the address of the service, whatever the verb: the parts of a client hold requests with
// their credentials, and change while it is printed.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "client of "+c.base.String()) }

// Blocked is for how long no request goes out from now on, because the service failed repeatedly; 0 when they do.
func (c *Client) Blocked() time.Duration { return c.account.breaker.blocked() }

// Queued is how many requests of this process wait for the account's budget now.
func (c *Client) Queued() int { return int(c.account.queued.Load()) }

// ServiceTime is what the service's clock said at a time of ours, or up to some seconds less; false while the
// service has not told its time.
func (c *Client) ServiceTime(at time.Time) (time.Time, bool) {
	ahead := c.account.ahead.Load()
	if ahead == nil {
		return time.Time{}, false
	}
	return at.Add(*ahead), true
}

// Close drops the connections that are kept open for the next call. The client stays usable.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}
