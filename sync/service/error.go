package service

import (
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/service/budget"
	"github.com/locsync/locsync/sync/service/wire"
)

// What an Error can be asked with errors.Is. Several may hold at once.
var (
	// ErrAuth: 401 or 403. The credentials are wrong, may not do this, or what was asked for belongs to
	// another account (the service interface answers so for projects that do not exist, too).
	ErrAuth = errors.New("the service does not accept the credentials for this")
	// ErrNotFound: 404 or 410. What was asked for does not exist, or no longer.
	ErrNotFound = errors.New("not known to the service")
	// ErrRefused: any other 4xx, and 501, that the same request would get again.
	ErrRefused = errors.New("the service refuses this request")
	// ErrRate: 429, after the repeats that the budget allows.
	ErrRate = errors.New("the service asks for fewer requests")
	// ErrTemporary: it may work later. No answer, an answer cut off, 408, 425, 429, 5xx, or a breaker
	// that keeps calls from a service that is down.
	ErrTemporary = errors.New("may work later")
	// ErrUnknownOutcome: the service may have carried the call out, and its answer is lost.
	ErrUnknownOutcome = errors.New("the call may have been carried out")
	// ErrUnusable: what the service answered or sent is not what it should be: a damaged or oversized
	// archive, an answer that is not JSON.
	ErrUnusable = errors.New("the answer is of no use")
	// ErrNotReady: an export is not ready for download yet (204).
	ErrNotReady = errors.New("not ready yet")
	// ErrExportFailed: an export has failed at the service (422 on its download).
	ErrExportFailed = errors.New("the export failed at the service")
	// ErrTaskFailed: a task of another kind (a translation or a glossary that was brought in) has failed at the service.
	ErrTaskFailed = errors.New("it failed at the service")
	// ErrDisassembly: the service could not take a document apart into segments.
	ErrDisassembly = errors.New("the service could not take the file apart")
)

// Error is a call that did not succeed. Use errors.As to read it and errors.Is to ask what it means.
type Error struct {
	Op         string        // what was being done, "start import"
	Account    string        // that the request was made with; empty: without credentials
	Project    string        // that the request was about; empty: none, or it is not in the address
	Status     int           // HTTP status; 0 where there was no answer
	Detail     string        // the service's own words; empty where it had none
	RequestID  string        // what the service's operators find the call by
	RetryAfter time.Duration // how long the service, or the breaker, asks to wait; at most five minutes from the service
	Asked      time.Duration // what Retry-After says, however long
	Problem    wire.Problem  // the error body, as far as it was readable
	Err        error         // the cause, where it is not an answer

	kinds []error // sentinels that hold beside those of the status
}

// Error is one line: what was done, what the service said, what to try next.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if said := e.Rejection(); said != "" {
		return e.Op + ": " + said
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, ": %d", e.Status)
		if text := http.StatusText(e.Status); text != "" {
			b.WriteString(" " + text)
		}
		if e.Detail != "" && !strings.EqualFold(e.Detail, http.StatusText(e.Status)) {
			b.WriteString(": " + e.Detail)
		}
	}
	if e.Asked > 0 {
		fmt.Fprintf(&b, " (Retry-After: %v)", e.Asked.Round(time.Second))
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.RequestID != "" {
		b.WriteString(" (request " + e.RequestID + ")")
	}
	if e.Is(ErrUnknownOutcome) {
		b.WriteString("; it may have been carried out all the same")
	}
	return b.String()
}

// Rejection is what people are told where the service rejects the credentials (401, 403), or says what it does not
// have (404); else empty.
func (e *Error) Rejection() string {
	said, detail := "the translation service requires an account and an API key", e.Detail
	todo := "; check service.account_id and the API key, and create a new key if this one has expired"
	status := strconv.Itoa(e.Status)
	if strings.EqualFold(detail, http.StatusText(e.Status)) {
		detail = ""
	}
	switch {
	case e.Status == http.StatusNotFound && detail != "":
		said, detail, status, todo = detail, "", status+" on "+e.Op, ""
	case e.Status == http.StatusForbidden:
		said = fmt.Sprintf("the translation service refuses account %q access", e.Account)
		if e.Project != "" && !strings.Contains(e.Detail, e.Project) {
			said += " to project " + e.Project
		}
		status += " on " + e.Op
		todo = "; locsync project list names the projects that the account has; its API key must be allowed to do this"
		if detail != "" {
			said, detail, status = detail, "", fmt.Sprintf("%s; account %q at the translation service", status, e.Account)
		}
	case e.Status != http.StatusUnauthorized:
		return ""
	case e.Account != "":
		said = fmt.Sprintf("the translation service rejected account %q and its API key", e.Account)
	}
	if detail != "" {
		status += ": " + detail
	}
	if e.RequestID != "" {
		status += "; request " + e.RequestID
	}
	return said + " (" + status + ")" + todo
}

// cause is the error without what was being done: "503 Service Unavailable", "dial tcp …: connection refused".
func (e *Error) cause() string {
	without := *e
	without.Op = ""
	return strings.TrimPrefix(without.Error(), ": ")
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is tells whether one of the sentinels of this package holds.
func (e *Error) Is(target error) bool {
	for _, kind := range e.kinds {
		if kind == target {
			return true
		}
	}
	s := e.Status
	switch target {
	case ErrAuth:
		return s == http.StatusUnauthorized || s == http.StatusForbidden
	case ErrNotFound:
		return s == http.StatusNotFound || s == http.StatusGone
	case ErrRate:
		return s == http.StatusTooManyRequests
	case ErrTemporary:
		return temporaryStatus(s)
	case ErrRefused:
		return s >= 400 && !temporaryStatus(s) && !e.Is(ErrAuth) && !e.Is(ErrNotFound) && !e.Is(ErrNotReady)
	}
	return false
}

func temporaryStatus(s int) bool {
	return s == http.StatusRequestTimeout || s == http.StatusTooEarly || s == http.StatusTooManyRequests || s >= 500 &&
		s != http.StatusNotImplemented
}

// refusal reads an error answer: its code, its body in any of the known shapes, its headers.
func refusal(op string, resp *http.Response, body []byte, redact func(string) string) *Error {
	e := &Error{Op: op, Status: resp.StatusCode, Asked: retryAfter(resp.Header, time.Now())}
	e.RetryAfter = min(e.Asked, budget.MaxPause)
	e.Problem = problem(body)
	e.Problem.Detail = redact(clean(e.Problem.Detail))
	e.Problem.Title = redact(clean(e.Problem.Title))
	e.Problem.Type = redact(clean(e.Problem.Type))
	e.Problem.Instance = redact(clean(e.Problem.Instance))
	e.Problem.Code = redact(clean(e.Problem.Code))
	e.Problem.RequestID = redact(clean(e.Problem.RequestID))
	e.Detail, e.RequestID = e.Problem.Detail, e.Problem.RequestID
	if e.RequestID == "" {
		e.RequestID = redact(clean(resp.Header.Get("X-Request-Id")))
	}
	return e
}

// problem reads an error body: JSON in any of the shapes of wire.Problem, the title of a page, or text.
func problem(body []byte) wire.Problem {
	body = []byte(strings.TrimPrefix(string(body), "\ufeff"))
	var p wire.Problem
	if err := p.UnmarshalJSON(body); err == nil {
		return p
	}
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "<") {
		low := strings.ToLower(text)
		start, end := strings.Index(low, "<title>"), strings.Index(low, "</title>")
		if len(low) != len(text) || start < 0 || end < start {
			return wire.Problem{}
		}
		text = text[start+len("<title>") : end]
	}
	return wire.Problem{Detail: text}
}

// clean makes text of the service fit for one line of a message.
func clean(text string) string {
	const longest = 1000
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if len(text) > longest {
		cut := longest
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return text
}

// redactor cuts the key out of text that comes from elsewhere: as it is, as an address and as HTTP Basic carry it.
func redactor(account string, key APIKey) func(string) string {
	basic := ""
	if key != "" {
		basic = base64.StdEncoding.EncodeToString([]byte(account + ":" + string(key)))
	}
	return bound.Redactor(redacted, basic, string(key), url.QueryEscape(string(key)), url.PathEscape(string(key)))
}

// retryAfter reads the header of that name: seconds, or a date, which counts from the answer's own Date
// where it has one. What is negative, past or unreadable is 0; more than a year is a year.
func retryAfter(h http.Header, now time.Time) time.Duration {
	const longest = 365 * 24 * time.Hour
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if strings.Trim(value, "0123456789") == "" {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n > int64(longest/time.Second) {
			return longest
		}
		return time.Duration(n) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return min(max(0, until.Sub(now)), longest)
}

// local marks an error that has its cause on this side, or that asking again will not change.
type local struct{ error }

func (l local) Unwrap() error { return l.error }

// damaged is a flaw that a second download may not have, beyond one that it would have again.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUnusable}, args...)...)
}

func beyond(format string, args ...any) error { return local{damaged(format, args...)} }

// Missing tells whether an error says that the service does not have the operation, as far as that can be
// told from an object that does not exist.
func Missing(err error) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains([]int{http.StatusNotFound, http.StatusGone,
		http.StatusMethodNotAllowed, http.StatusNotImplemented}, e.Status)
}

// UnreachableError is a request that got no answer.
type UnreachableError struct {
	Address   string // of the service: scheme, host and path
	Connected bool   // no answer came, on a connection that was made
	Err       error
}

func (e *UnreachableError) Error() string {
	var unknown *net.DNSError
	switch {
	case errors.As(e.Err, &unknown) && unknown.IsNotFound:
		return "cannot find the host " + unknown.Name + " of the translation service"
	case e.Connected:
		return fmt.Sprintf("the translation service at %s does not answer (%v)", e.Address, cause(e.Err))
	}
	return fmt.Sprintf("cannot reach the translation service at %s (%v)", e.Address, cause(e.Err))
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// cause is a network error without the request, address and system call that it came from.
func cause(err error) error {
	for {
		switch err.(type) {
		case *url.Error, *net.OpError, *os.SyscallError:
			err = errors.Unwrap(err)
		case tls.RecordHeaderError:
			return errors.New("it does not speak HTTPS")
		default:
			return err
		}
	}
}
