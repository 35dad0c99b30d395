package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/bound"
)

// Why a forge did not do it, for errors.Is.
var (
	ErrToken     = errors.New("the forge does not accept the token")                // 401
	ErrForbidden = errors.New("the token may not do that")                          // 403
	ErrNotFound  = errors.New("the forge has no such repository, or hides it")      // 404
	ErrMoved     = errors.New("the repository is elsewhere")                        // a redirect
	ErrExists    = errors.New("there is an open request for this branch already")   // 409, at GitHub 422
	ErrSame      = errors.New("the branch has nothing that its base lacks")         // 422
	ErrInvalid   = errors.New("the forge does not accept the request")              // other 4xx
	ErrLimited   = errors.New("the forge wants fewer calls")                        // 429, at GitHub also 403
	ErrTemporary = errors.New("the forge could not be reached, or is out of order") // network, 5xx
	// a proxy's page, or a list without end
	errTooLarge = errors.New("the forge's answer is larger than any sensible one")
)

// Error is a call that did not work. What it is, is one of the errors above.
type Error struct {
	Kind   string    // of the forge
	Op     string    // what was being done
	Status int       // of the answer; 0 without one
	Detail string    // in the forge's words, or the network's
	Try    string    // what to do about it; "" when waiting helps
	Until  time.Time // not before; zero when the forge did not say
	is     error
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.is == ErrTemporary && e.Status == 0 {
		return fmt.Sprintf("%s cannot be reached: %s", e.Kind, e.Detail)
	}
	fmt.Fprintf(&b, "%s: %s: %v", e.Kind, e.Op, e.is)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (%d)", e.Status)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if e.Try != "" {
		b.WriteString("; " + e.Try)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.is }

// Temporary reports whether the same call may work later without a change of the configuration.
func (e *Error) Temporary() bool { return e.is == ErrTemporary || e.is == ErrLimited }

// Kinds that are named more often.
const (
	bitbucket   = "bitbucket"
	azureDevOps = "azure"
)

// cloudPath begins the paths of Bitbucket Cloud's API.
const cloudPath = "/2.0"

const (
	callTimeout = 30 * time.Second
	maxAnswer   = 16 << 20
	maxPages    = 20 // of lists; each forge gives up to 100, Gitea 50
)

// answerBudget is what an answer may take in memory.
var answerBudget = bound.JSON{Memory: 64 << 20}

// Options say which repository at which forge, and who asks.
type Options struct {
	Kind       string // of Kinds; "gitea" is Forgejo too, "bitbucket" Cloud and Data Center
	URL        string // https://github.com, https://git.example.com/gitlab; its API's own address is understood too
	Repository string // owner/name; at GitLab with all groups, at Azure DevOps organisation/project/name
	Token      string
	AppID      string // of a GitHub App, whose private key Token is then, in PEM
	UserAgent  string
	Now        func() time.Time // time.Now when nil

	// Alive, which may be nil, is told when a call begins and when it ends: half a minute later at most, whatever the
	// forge does.
	Alive func()
}

// caller sends one forge's calls.
type caller struct {
	kind   string
	api    *url.URL // without a slash at its end
	header http.Header
	token  string
	appID  string
	client *http.Client
	now    func() time.Time
	alive  func()

	sign func(context.Context) (token string, err error) // gives the token of the next call; nil where it is always one
}

// newCaller makes the caller for a forge's address. A call that is sent elsewhere is not followed: the token is for
// this address.
func newCaller(o Options) (*caller, error) {
	u, err := url.Parse(strings.TrimRight(o.URL, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the address of a forge, such as https://git.example.com", o.URL)
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	if u.Scheme == "http" && !thisMachine(u.Hostname()) && o.Token != "" {
		return nil, fmt.Errorf("%s is not encrypted, and everybody on the way could read the token; use https", u)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true // a few calls each quarter of an hour at most
	c := &caller{kind: o.Kind, api: apiOf(o.Kind, u), token: o.Token, appID: o.AppID, now: o.Now, alive: o.Alive,
		header: http.Header{"Accept": {"application/json"}},
		client: &http.Client{Transport: transport, Timeout: callTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	if c.now == nil {
		c.now = time.Now
	}
	if c.alive == nil {
		c.alive = func() {}
	}
	if o.UserAgent != "" {
		c.header.Set("User-Agent", o.UserAgent)
	}
	return c, nil
}

func thisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// apiOf is where a forge answers programs: what each one's documentation says. An address that ends so already is taken
// as it is.
func apiOf(kind string, u *url.URL) *url.URL {
	path := map[string]string{"github": "/api/v3", "gitlab": "/api/v4", "gitea": "/api/v1"}[kind]
	switch host := strings.ToLower(u.Host); {
	case kind == bitbucket && (host == "bitbucket.org" || host == "www.bitbucket.org" || host == "api.bitbucket.org"):
		return &url.URL{Scheme: u.Scheme, Host: "api.bitbucket.org", Path: cloudPath}
	case kind == bitbucket, kind == azureDevOps:
		return u // their clients know
	}
	if kind == "github" {
		switch host := strings.ToLower(u.Host); {
		case host == "github.com" || host == "www.github.com":
			return &url.URL{Scheme: u.Scheme, Host: "api.github.com"}
		case host == "api.github.com":
			return u
		case strings.HasSuffix(host, ".ghe.com"):
			return &url.URL{Scheme: u.Scheme, Host: "api." + strings.TrimPrefix(host, "api.")}
		}
	}
	if strings.HasSuffix(u.Path, path) {
		return u
	}
	return u.JoinPath(path)
}

// signWith signs the next calls with a token, which is in no error.
func (c *caller) signWith(token string) {
	c.token = token
	c.header.Set("Authorization", "Bearer "+token)
}

// call sends one call and decodes the answer into to, when it is not nil. path begins with a slash and is escaped
// already; op is said in errors.
func (c *caller) call(
	ctx context.Context, op, method, path string, query url.Values, body, to any,
) (http.Header, error) {
	c.alive()
	defer c.alive()
	if c.sign != nil {
		token, err := c.sign(ctx)
		if err != nil {
			return nil, err
		}
		c.signWith(token)
	}
	address := c.api.String() + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return nil, err
	}
	req.Header = c.header.Clone()
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, c.unreached(ctx, op, err)
	}
	defer resp.Body.Close()
	data, err := bound.Read(resp.Body, maxAnswer)
	if err == nil {
		if err = answerBudget.Weigh(data); err != nil {
			data = nil
		}
	}
	switch {
	case err != nil && !bound.Is(err):
		return nil, c.unreached(ctx, op, err)
	case resp.StatusCode < 200 || resp.StatusCode > 299 || signsIn(resp):
		return nil, c.refused(op, resp, data)
	case err != nil:
		return nil, &Error{Kind: c.kind, Op: op, Status: resp.StatusCode, Detail: errTooLarge.Error(), is: ErrTemporary}
	}
	if to != nil {
		if err := json.Unmarshal(data, to); err != nil {
			return nil, c.strange(op, err.Error())
		}
	}
	return resp.Header, nil
}

// strange is an answer that this forge would not give.
func (c *caller) strange(op, why string) error {
	return &Error{Kind: c.kind, Op: op, Status: http.StatusOK,
		Detail: "its answer is not what this forge answers: " + c.clean(why),
		Try:    "look whether " + c.api.Host + " is the forge that kind and url say", is: ErrInvalid}
}

// unreached is a call without an answer. The address in the network's error says more than it should where it has a
// query.
func (c *caller) unreached(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %s: %w", c.kind, op, context.Cause(ctx))
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if failed, ok := errors.AsType[syscall.Errno](err); ok {
		err = failed
	}
	return &Error{Kind: c.kind, Op: op, Detail: c.clean(c.api.Host + ": " + err.Error()), is: ErrTemporary}
}

// refused makes the error of an answer.
func (c *caller) refused(op string, resp *http.Response, body []byte) error {
	e := &Error{Kind: c.kind, Op: op, Status: resp.StatusCode, Detail: c.clean(words(body))}
	low := strings.ToLower(e.Detail)
	limited := resp.Header.Get("Retry-After") != "" || resp.Header.Get("X-RateLimit-Remaining") == "0" ||
		strings.Contains(low, "rate limit")
	switch s := resp.StatusCode; {
	case s == http.StatusUnauthorized, signsIn(resp):
		e.is, e.Try = ErrToken, "put a token that is valid now where token_env or token_file says"
	case s >= 300 && s < 400:
		e.is, e.Detail = ErrMoved, "to "+c.clean(resp.Header.Get("Location"))
		e.Try = "set repository, and url when the host is another, to where it is now"
	case s == http.StatusTooManyRequests, s == http.StatusForbidden && limited:
		e.is, e.Until = ErrLimited, c.until(resp.Header)
	case s == http.StatusForbidden:
		e.is, e.Try = ErrForbidden, "give the token "+right(c.kind, op)
	case s == http.StatusNotFound:
		e.is, e.Try = ErrNotFound, "check repository and url, "+
			"and that the token may see the repository: it needs "+right(c.kind, op)
	case s >= 500:
		e.is, e.Until = ErrTemporary, c.until(resp.Header)
	case strings.Contains(low, "already exists"), strings.Contains(low, "only one pull request may be open"):
		e.is = ErrExists
	case strings.Contains(low, "no commits between"), strings.Contains(low, "no changes "),
		strings.Contains(low, "already up-to-date"):
		e.is = ErrSame
	default:
		e.is, e.Try = ErrInvalid, correction(op)
	}
	return e
}

// rights are what a token must be allowed to do.
var rights = map[string]string{
	"github":    `the permission "Pull requests: read and write" for this repository (a classic token: the scope repo)`,
	"gitlab":    `the scope api, and its owner at least the role Developer in the project`,
	bitbucket:   `the permission to write pull requests ("pullrequest:write"; at Data Center "Repository write")`,
	azureDevOps: `the scope "Code (Read & Write)"`,
	"gitea":     `the scopes write:repository and write:issue, and its owner the right to write to the repository`,
}

// What is said where a call fails.
const (
	opRead   = "read the request's comments"
	opUser   = "ask whose the token is"
	opWrite  = "comment on the request"
	opStatus = "set the request's status"
)

// right is what a token must be allowed to do for an operation.
func right(kind, op string) string {
	if kind == "github" && op == opStatus { // the only forge that has a permission of its own for it
		return `the permission "Commit statuses: read and write" for this repository (in a job: statuses: write)`
	}
	return rights[kind]
}

// correction is what to do where a forge does not accept what an operation sent.
func correction(op string) string {
	switch op {
	case opStatus:
		return "look whether the commit is in that repository"
	case opRead, opUser, opWrite:
		return "look whether the request is in that repository and takes comments"
	}
	return "look whether base and branch are branches of that repository, and at title, body and labels"
}

// until is the time before which the forge wants no call: Retry-After in seconds or as a date, else the end of the
// window that is used up.
func (c *caller) until(h http.Header) time.Time {
	now := c.now()
	if after := h.Get("Retry-After"); after != "" {
		if n, err := strconv.Atoi(after); err == nil && n >= 0 {
			return now.Add(min(time.Duration(n)*time.Second, longestWait))
		}
		if at, err := http.ParseTime(after); err == nil {
			return sooner(at, now.Add(longestWait))
		}
	}
	for _, name := range []string{"X-RateLimit-Reset", "RateLimit-Reset"} {
		if n, err := strconv.ParseInt(h.Get(name), 10, 64); err == nil && n > 0 {
			return sooner(time.Unix(n, 0), now.Add(longestWait))
		}
	}
	return time.Time{}
}

// longestWait bounds what a forge's word, or its clock, can keep us from asking: windows are an hour long.
const longestWait = 2 * time.Hour

func sooner(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// words are what an error's body says: {"message": …, "errors": […]} at GitHub and Gitea, {"message": text, list or
// map} or {"error": …} at GitLab.
func words(body []byte) string {
	var said struct {
		Message, Error, Errors json.RawMessage
		Description            json.RawMessage `json:"error_description"`
	}
	if json.Unmarshal(body, &said) != nil {
		return "" // a proxy's page
	}
	var all []string
	for _, part := range []json.RawMessage{said.Message, said.Errors, said.Error, said.Description} {
		var value any
		if len(part) > 0 && json.Unmarshal(part, &value) == nil {
			all = append(all, spoken(value, "")...)
		}
	}
	return strings.Join(slices.Compact(all), "; ")
}

// spoken are the texts in a value, those of a map behind their name.
func spoken(value any, name string) (all []string) {
	switch v := value.(type) {
	case string:
		if v != "" {
			all = append(all, strings.TrimPrefix(name+": "+v, ": "))
		}
	case []any:
		for _, e := range v {
			all = append(all, spoken(e, name)...)
		}
	case map[string]any:
		if message, ok := v["message"].(string); ok {
			return spoken(message, name)
		}
		if code, ok := v["code"].(string); ok { // GitHub's {"resource": …, "field": …, "code": …}
			return []string{fmt.Sprintf("%v of %v: %s", v["field"], v["resource"], code)}
		}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			all = append(all, spoken(v[key], key)...)
		}
	}
	return all
}

// clean makes one bounded printable line of what came from outside, without the token.
func (c *caller) clean(text string) string {
	text = bound.Redactor("[redacted]", c.token)(text)
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	return cutShort(strings.Join(strings.Fields(text), " "), 500)
}

// cutShort keeps the beginning of a text, in whole characters.
func cutShort(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// signsIn reports whether an answer is Azure DevOps' page for people to sign in, which it sends for tokens that it does
// not know: as an answer of its own, or by a redirect.
func signsIn(resp *http.Response) bool {
	return resp.StatusCode == http.StatusNonAuthoritativeInfo ||
		resp.StatusCode == http.StatusFound && strings.Contains(resp.Header.Get("Location"), "_signin")
}

// pages reads a list page by page until visit has seen enough or the forge has no more. size is how many a page may
// have.
func pages[T any](
	ctx context.Context, c *caller, op, path string, query url.Values, size int, visit func(T) (enough bool),
) error {
	query.Set("page", "1")
	for page := 1; page <= maxPages; page++ {
		query.Set("page", strconv.Itoa(page))
		var list []T
		header, err := c.call(ctx, op, http.MethodGet, path, query, nil, &list)
		if err != nil {
			return err
		}
		for _, item := range list {
			if visit(item) {
				return nil
			}
		}
		// The header says whether there is more. Without one a page that is not full is the last.
		if link := header.Get("Link"); len(list) == 0 || link != "" && !strings.Contains(link, `rel="next"`) ||
			link == "" && len(list) < size {
			return nil
		}
	}
	return nil
}
