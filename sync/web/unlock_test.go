package web

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

const pageToken = "correct horse battery staple"

// visitor is somebody's browser, as far as forms go.
type visitor struct {
	t       *testing.T
	handler http.Handler
	from    string // the address that it comes from
	host    string
	headers map[string]string
	cookie  *http.Cookie
}

func newVisitor(t *testing.T, handler http.Handler) *visitor {
	return &visitor{t: t, handler: handler, from: "127.0.0.1:5555", host: "127.0.0.1:7420",
		headers: map[string]string{"Origin": "http://127.0.0.1:7420", "Sec-Fetch-Site": "same-origin"}}
}

// asks sends a request; fields, name and value by turns, make it a form that is sent.
func (v *visitor) asks(path string, fields ...string) *httptest.ResponseRecorder {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	method := http.MethodPost
	if len(fields) == 0 {
		method = http.MethodGet
	}
	r := httptest.NewRequestWithContext(v.t.Context(), method, path, strings.NewReader(form.Encode()))
	r.RemoteAddr, r.Host = v.from, v.host
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range v.headers {
		r.Header.Set(name, value)
	}
	if v.cookie != nil {
		r.AddCookie(&http.Cookie{Name: v.cookie.Name, Value: v.cookie.Value})
	}
	answer := httptest.NewRecorder()
	v.handler.ServeHTTP(answer, r)
	for _, c := range answer.Result().Cookies() {
		v.cookie = c
	}
	return answer
}

// nonce is what the forms of the page carry now.
func (v *visitor) nonce() string {
	v.t.Helper()
	found := regexp.MustCompile(`name="nonce" value="([^"]+)"`).FindStringSubmatch(v.asks("/").Body.String())
	if found == nil {
		v.t.Fatal("the page has no forms")
	}
	return found[1]
}

// unlockable is a server with a token and a project called app, and its log.
func unlockable(t *testing.T) (*Options, http.Handler, *observer.ObservedLogs) {
	t.Helper()
	s, _ := newServer(t)
	core, logs := observer.New(zapcore.DebugLevel)
	s.Log, s.PageToken, s.Sessions = zap.New(core), pageToken, NewSessions()
	return s, New(*s), logs
}

// Without a token there are no buttons, and no request gets any.
func TestNoTokenNoButtons(t *testing.T) {
	s, _ := newServer(t)
	v := newVisitor(t, New(*s))
	if page := v.asks("/").Body.String(); strings.Contains(page, "<button") || strings.Contains(page, "unlock") {
		t.Error("the page has buttons")
	}
	for path, fields := range map[string][]string{
		"/unlock": {"token", ""}, "/lock": {"nonce", ""}, "/ask": {"nonce", "", "project", "app", "action", "push"},
	} {
		if answer := v.asks(path, fields...); answer.Code != http.StatusForbidden || v.cookie != nil {
			t.Errorf("%s: %d %s, cookie %v", path, answer.Code, answer.Body, v.cookie)
		}
	}
	if answer := v.asks("/unlock"); answer.Code != http.StatusForbidden {
		t.Errorf("the form: %d", answer.Code)
	}
}

// Typing the token gives this browser buttons, and their requests are logged; no other browser gets them, and the
// token is told nowhere.
func TestUnlock(t *testing.T) {
	s, handler, logs := unlockable(t)
	v := newVisitor(t, handler)
	if page := v.asks("/").Body.String(); strings.Contains(page, "<button") ||
		!strings.Contains(page, `href="unlock"`) {
		t.Error("before it is unlocked the page has buttons, or no way to them")
	}
	for _, wrong := range []string{"", "x", pageToken + "x", strings.ToUpper(pageToken)} {
		if answer := v.asks("/unlock", "token", wrong); answer.Code != http.StatusForbidden || v.cookie != nil ||
			!strings.Contains(answer.Body.String(), "That is not the token") {
			t.Errorf("%q: %d, cookie %v", wrong, answer.Code, v.cookie)
		}
	}
	answer := v.asks("/unlock", "token", " "+pageToken+"\n")
	if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "./" {
		t.Fatalf("the right token: %d %s", answer.Code, answer.Body)
	}
	if c := v.cookie; c == nil || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure || c.MaxAge != 0 ||
		!c.Expires.IsZero() || c.Name != "locsync-7420" || len(c.Value) < 26 {
		t.Errorf("the cookie is %+v", v.cookie)
	}
	page := v.asks("/").Body.String()
	for _, want := range []string{"Push now", "Pull now", "Lock</button>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	answer = v.asks("/ask", "nonce", v.nonce(), "project", "app", "action", "push")
	if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "./#p-app" ||
		!strings.Contains(v.asks("/").Body.String(), "Push requested.") {
		t.Errorf("a push: %d %s %s", answer.Code, answer.Header().Get("Location"), answer.Body)
	}
	if strings.Contains(newVisitor(t, handler).asks("/").Body.String(), "Push requested.") {
		t.Error("another browser is told what this one asked for")
	}
	for _, c := range []struct {
		project, action string
		want            int
	}{{"app", "pull", 303}, {"nope", "push", 404}, {"", "push", 400}, {"app", "delete", 400}} {
		if answer := v.asks("/ask", "nonce", v.nonce(), "project", c.project, "action",
			c.action); answer.Code != c.want {
			t.Errorf("%v: %d %s", c, answer.Code, answer.Body)
		}
	}
	old := *v.cookie
	nonce := v.nonce()
	if answer := v.asks("/lock", "nonce", nonce); answer.Code != http.StatusSeeOther || v.cookie.MaxAge >= 0 {
		t.Errorf("locked: %d, %+v", answer.Code, v.cookie)
	}
	v.cookie = &old // somebody kept it
	if answer := v.asks("/ask", "nonce", nonce, "project", "app", "action",
		"push"); answer.Code != http.StatusForbidden || strings.Contains(v.asks("/").Body.String(), "<button") {
		t.Errorf("after it was locked: %d", answer.Code)
	}
	for _, entry := range logs.All() {
		if said := fmt.Sprint(entry.Message, entry.ContextMap()); strings.Contains(strings.ToLower(said), "horse") ||
			strings.Contains(said, old.Value) {
			t.Errorf("the log has %s", said)
		}
	}
	if logs.FilterMessage("a wrong page token").Len() != 4 ||
		logs.FilterMessage("asked for by the status page").Len() != 2 {
		t.Errorf("the log has %v", logs.All())
	}
	if strings.Contains(page, pageToken) || strings.Contains(page, old.Value) || s.PageToken != pageToken {
		t.Error("the page has the token")
	}
}

// A form counts only from a page of this address, under a name that is its own, with the cookie and with the form's
// word: each alone is missed.
func TestFormsOfOthersAreRefused(t *testing.T) {
	_, handler, _ := unlockable(t)
	unlocked := newVisitor(t, handler)
	unlocked.asks("/unlock", "token", pageToken)
	nonce := unlocked.nonce()
	for name, c := range map[string]struct {
		change func(v *visitor)
		nonce  string
		want   int
	}{
		"all as it should be":          {func(*visitor) {}, nonce, 303},
		"an older browser":             {func(v *visitor) { delete(v.headers, "Sec-Fetch-Site") }, nonce, 303},
		"one that says no origin":      {func(v *visitor) { delete(v.headers, "Origin") }, nonce, 303},
		"neither":                      {func(v *visitor) { clear(v.headers) }, nonce, 403},
		"another site":                 {func(v *visitor) { v.headers["Sec-Fetch-Site"] = "cross-site" }, nonce, 403},
		"another port of this machine": {func(v *visitor) { v.headers["Sec-Fetch-Site"] = "same-site" }, nonce, 403},
		"another origin":               {func(v *visitor) { v.headers["Origin"] = "http://127.0.0.1:9999" }, nonce, 403},
		"a hidden origin":              {func(v *visitor) { v.headers["Origin"] = "null" }, nonce, 403},
		"no cookie":                    {func(v *visitor) { v.cookie = nil }, nonce, 403},
		"another cookie":               {func(v *visitor) { v.cookie = &http.Cookie{Name: v.cookie.Name, Value: "x"} }, nonce, 403},
		"no word":                      {func(*visitor) {}, "", 403},
		"another word":                 {func(*visitor) {}, nonce + "x", 403},
	} {
		v := *unlocked
		v.headers = map[string]string{}
		for name, value := range unlocked.headers {
			v.headers[name] = value
		}
		c.change(&v)
		if answer := v.asks("/ask", "nonce", c.nonce, "project", "app", "action", "push"); answer.Code != c.want {
			t.Errorf("%s: %d %.300s", name, answer.Code, answer.Body)
		}
	}
	large := unlocked.asks("/ask", "nonce", nonce, "project", strings.Repeat("a", 2*maxForm), "action", "push")
	if large.Code != http.StatusBadRequest {
		t.Errorf("a large form: %d", large.Code)
	}
}

// An address on the loopback is only known by names of the loopback and by the one that the configuration gives it:
// another name was made to lead here by a stranger.
func TestNamesOfTheAddress(t *testing.T) {
	w := newWorld(t, "public_url = \"https://l10n.example.com\"", func(o *Options) { o.PageToken = pageToken },
		worldProject{name: "app", languages: []string{"de"},
			files: map[string]string{"locales/en/app.json": `{"a": "A"}`}})
	for host, want := range map[string]int{"": 303, "localhost": 303, "l10n.example.com": 303, "evil.example": 403,
		"evil.example:80": 403, "l10n.example.com.evil.example": 403} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+"/unlock",
			strings.NewReader(url.Values{"token": {pageToken}}.Encode()))
		check(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		scheme := "http://"
		if r.Host = host; strings.HasPrefix(host, "l10n") {
			scheme = "https://"
			r.Header.Set("X-Forwarded-Proto", "https")
		}
		if host == "" {
			r.Host = r.URL.Host
		}
		r.Header.Set("Origin", scheme+r.Host)
		answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		check(t, err)
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("called by the name %q: %s %s", host, answer.Status, body)
		}
		if answer.StatusCode == 303 && answer.Cookies()[0].Secure != (scheme == "https://") {
			t.Errorf("called by the name %q: %v", host, answer.Cookies())
		}
	}
}

// A stranger may not try for ever, and keeps no other from unlocking the page; on this machine no user is locked out.
func TestWrongTokensAreBounded(t *testing.T) {
	s, handler, _ := unlockable(t)
	now := time.Now()
	s.Sessions.now = func() time.Time { return now }
	try := func(from, token string) int {
		v := newVisitor(t, handler)
		v.from = from
		if by, proxied := strings.CutPrefix(from, "proxy "); proxied {
			v.from, v.headers["X-Forwarded-For"] = "127.0.0.1:5555", "203.0.113.9, "+by
		}
		return v.asks("/unlock", "token", token).Code
	}
	for _, from := range []string{"192.0.2.1:1000", "[2001:db8::1]:1000", "proxy 192.0.2.7"} {
		for i := range maxWrong {
			if code := try(from, "wrong"); code != 403 {
				t.Errorf("%s: wrong token %d is answered %d", from, i, code)
			}
		}
		if code := try(from, pageToken); code != http.StatusTooManyRequests {
			t.Errorf("%s: after many wrong ones the right one is answered %d", from, code)
		}
	}
	for from, want := range map[string]int{"192.0.2.2:1000": 303, "[2001:db8::2]:1000": 429,
		"[2001:db8:0:1::1]:1000": 303, "proxy 192.0.2.8": 303, "proxy 192.0.2.7": 429, "192.0.2.7:1": 429} {
		if code := try(from, pageToken); code != want {
			t.Errorf("%s: the right one is answered %d, want %d", from, code, want)
		}
	}
	now = now.Add(wrongWait)
	if code := try("192.0.2.1:1000", pageToken); code != 303 {
		t.Errorf("after half a minute the right one is answered %d", code)
	}
	for range 10 * maxWrong {
		try("127.0.0.1:1000", "wrong")
	}
	if code := try("127.0.0.1:1000", pageToken); code != 303 {
		t.Errorf("on this machine the right one is answered %d", code)
	}
}

// Many tokens that come at one time are as many tries as one after the other.
func TestWrongTokensAtOneTime(t *testing.T) {
	s, handler, logs := unlockable(t)
	const all = 4 * maxWrong
	var arriving sync.WaitGroup
	arriving.Add(all)
	s.Sessions.now = func() time.Time { // is asked with the lock held: so long that the others stand in a queue, in their order
		arriving.Wait()
		for end := time.Now().Add(2 * time.Millisecond); time.Now().Before(end); {
			runtime.Gosched()
		}
		return time.Now()
	}
	codes := make(chan int, all)
	for range all {
		v := newVisitor(t, handler)
		v.from = "192.0.2.1:1000"
		go func() {
			arriving.Done()
			codes <- v.asks("/unlock", "token", "wrong").Code
		}()
	}
	got := map[int]int{}
	for range all {
		got[<-codes]++
	}
	if want := map[int]int{http.StatusForbidden: maxWrong, http.StatusTooManyRequests: all - maxWrong}; !maps.Equal(got,
		want) {
		t.Errorf("the answers are %v, want %v", got, want)
	}
	if n := logs.FilterMessage("a wrong page token").Len(); n != maxWrong {
		t.Errorf("the log has %d of them", n)
	}
}

// A session is worth something as long as it is used, the token is the same one, and not too many others begin.
// Another handler, as after a reload, knows it.
func TestSessionsEnd(t *testing.T) {
	s, handler, _ := unlockable(t)
	now := time.Now()
	s.Sessions.now = func() time.Time { return now }
	v := newVisitor(t, handler)
	v.asks("/unlock", "token", pageToken)
	unlocked := func() bool { return strings.Contains(v.asks("/").Body.String(), "<button") }
	for range 3 {
		now = now.Add(sessionIdle - time.Minute)
		if !unlocked() {
			t.Fatal("it ends though somebody comes")
		}
	}
	v.handler = New(*s)
	if !unlocked() {
		t.Error("a reload ends it")
	}
	other := *s
	other.PageToken += " too"
	v.handler = New(other)
	if unlocked() {
		t.Error("it holds for another token")
	}
	v.handler = handler
	if unlocked() {
		t.Error("it holds again for the old token")
	}
	v.asks("/unlock", "token", pageToken)
	now = now.Add(sessionIdle + time.Minute)
	if unlocked() {
		t.Error("it does not end when nobody comes")
	}
	v.asks("/unlock", "token", pageToken)
	for range 2 * maxSessions {
		now = now.Add(time.Millisecond)
		s.Sessions.begin(pageToken)
	}
	if n := len(s.Sessions.open); n != maxSessions || unlocked() {
		t.Errorf("%d sessions, and the oldest is one of them: %v", n, unlocked())
	}
}

// A button does what it says, by the engine.
func TestButtonsPush(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", func(o *Options) { o.PageToken = pageToken },
		worldProject{name: "app", languages: []string{"de"},
			files: map[string]string{"locales/en/app.json": `{"a": "A"}`},
			more:  "[project.pull]\nschedule = \"0 0 1 1 *\"\n"})
	w.run()
	v := newVisitor(t, w.server.Config.Handler)
	until(t, v.handler, "/api/status", func(_ int, body string) bool {
		return strings.Contains(body, `"pending": 0`) && strings.Contains(body, `"last_pull": null`)
	})
	v.asks("/unlock", "token", pageToken)
	if answer := v.asks("/ask", "nonce", v.nonce(), "project", "app", "action",
		"pull"); answer.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	until(t, v.handler, "/api/status", func(_ int, body string) bool {
		return !strings.Contains(body, `"last_pull": null`)
	})
}
