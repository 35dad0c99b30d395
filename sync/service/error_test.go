package service

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/service/budget"
)

func TestErrorMeaning(t *testing.T) {
	all := map[string]error{"auth": ErrAuth, "not found": ErrNotFound, "refused": ErrRefused, "rate": ErrRate,
		"temporary": ErrTemporary, "unknown": ErrUnknownOutcome}
	for status, want := range map[int]string{
		400: "refused", 401: "auth", 402: "refused", 403: "auth", 404: "not found", 405: "refused", 408: "temporary",
		409: "refused",
		410: "not found", 413: "refused", 415: "refused", 422: "refused", 425: "temporary", 429: "rate temporary",
		500: "temporary", 501: "refused", 503: "temporary",
	} {
		e := &Error{Op: "op", Status: status}
		for name, kind := range all {
			if got := errors.Is(fmt.Errorf("x: %w", e), kind); got != strings.Contains(want, name) {
				t.Errorf("%d is %s: %v", status, name, got)
			}
		}
	}
}

func TestErrorWords(t *testing.T) {
	const project = "45dd70e1-1728-4483-b7db-567755b3071b"
	for _, c := range []struct {
		name string
		step step
		want string
	}{
		{"problem", say(400, `{"title":"Bad Request","detail":"unknown language \"xx\"","status":400,"traceId":"t1"}`),
			`read project: 400 Bad Request: unknown language "xx" (request t1)`},
		{"no words", say(404, ""), "read project: 404 Not Found"},
		{"status text only", say(404, `{"title":"Not Found"}`), "read project: 404 Not Found"},
		{"not found, and what", say(404, `{"detail":"there is no project","traceId":"t1"}`),
			"read project: there is no project (404 on read project; request t1)"},
		{"page", say(400, "<!doctype html><html><head><title>Bad  \n gateway</title></head>"),
			"read project: 400 Bad Request: Bad gateway"},
		{"page without a title", say(400, "<html><body>x"), "read project: 400 Bad Request"},
		{"text", say(400, "quota\r\nused\x00 up\n"), "read project: 400 Bad Request: quota used up"},
		{"bare string", say(400, `"Error 7\r\nno tasks here"`), "read project: 400 Bad Request: no tasks here"},
		{"request id in a header", say(400, `{"message":"m"}`, "X-Request-Id", "h1"),
			"read project: 400 Bad Request: m (request h1)"},
		{"no credentials", say(401, `{"detail":"expired"}`),
			`read project: the translation service rejected account "TestErrorWords/no_credentials" and its API key ` +
				"(401: expired); check service.account_id and the API key, and create a new key if this one has expired"},
		{"forbidden", say(403, ""),
			`read project: the translation service refuses account "TestErrorWords/forbidden" access to project ` +
				project +
				" (403 on read project); locsync project list names the projects that the account has; its API key must " +
				"be allowed to do this"},
		{"forbidden, and why", say(403, `{"detail":"no such project"}`),
			`read project: no such project (403 on read project; account "TestErrorWords/forbidden,_and_why" at the ` +
				"translation service); locsync project list names the projects that the account has; its API key must be " +
				"allowed to do this"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := serve(t, c.step).Client(t).Projects().Read(t.Context(), project)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		value, date string
		want        time.Duration
	}{
		{"", "", 0}, {"0", "", 0}, {"2", "", 2 * time.Second}, {" 7 ", "",
			7 * time.Second}, {"300", "", budget.MaxPause},
		{"86400", "", 24 * time.Hour}, {"99999999999999999999999", "", 365 * 24 * time.Hour}, {"-5", "", 0}, {"1.5", "", 0},
		{"soon", "", 0}, {"0x10", "", 0},
		{at(20 * time.Second), "", 20 * time.Second}, {at(-time.Hour), "", 0},
		{at(100 * time.Hour), "", 100 * time.Hour},
		{at(time.Hour + 20*time.Second), at(time.Hour), 20 * time.Second}, // the service's clock is ahead
	} {
		h := http.Header{"Retry-After": {c.value}, "Date": {c.date}}
		if got := retryAfter(h, now); got != c.want {
			t.Errorf("%q: %v, want %v", c.value, got, c.want)
		}
	}
}

// A key may be an ordinary word. What the service says stays readable, and the key is not in it.
func TestRedactionKeepsWords(t *testing.T) {
	redact := redactor("ada", "test+1")
	for text, want := range map[string]string{
		"the latest test+15 is not test+1": "the latest test+15 is not [redacted]",
		"at /x?key=test%2B1&more":          "at /x?key=[redacted]&more",
		"Basic YWRhOnRlc3QrMQ==":           "Basic [redacted]",
	} {
		if got := redact(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := redactor("ada", "")("ada: words"); got != "ada: words" {
		t.Errorf("without a key: %q", got)
	}
}

// Any error body gives one printable line that is not too long.
func FuzzErrorBody(f *testing.F) {
	for _, body := range []string{`{"detail":"x"}`, `"a\r\nb"`, "<html><title>t</title>",
		"\xef\xbb\xbf{\"Message\":\"m\"}", "\xff\xfe", "<İ<title>x</title>",
		`{"errors":{"a":["b"]}}`, strings.Repeat("é", 2000)} {
		f.Add([]byte(body))
	}
	redact := redactor("a", canary)
	f.Fuzz(func(t *testing.T, body []byte) {
		e := refusal("op", &http.Response{StatusCode: 400, Header: http.Header{}}, body, redact)
		said := e.Error()
		if !utf8.ValidString(said) || strings.ContainsFunc(said, unicode.IsControl) || len(said) > 3000 ||
			strings.Contains(said, canary) {
			t.Fatalf("%q", said)
		}
		if !strings.HasPrefix(said, "op: 400 Bad Request") {
			t.Fatalf("%q", said)
		}
	})
}

// Who rejects credentials says so in its own words, and people are given what its operators ask for.
func TestRejection(t *testing.T) {
	const todo = "; locsync project list names the projects that the account has; its API key must be allowed to do this"
	const key = "; check service.account_id and the API key, and create a new key if this one has expired"
	for _, c := range []struct {
		e    Error
		want string
	}{
		{Error{Status: 404, Detail: "Not Found"}, ""}, {Error{Status: 400, Detail: "no"}, ""},
		{Error{Op: "read job", Status: 404, Detail: "no job x", RequestID: "r1"}, "no job x (404 on read job; request r1)"},
		{Error{Status: 401}, "the translation service requires an account and an API key (401)" + key},
		{Error{Status: 401, Account: "me", Detail: "Unauthorized", RequestID: "r1"},
			`the translation service rejected account "me" and its API key (401; request r1)` + key},
		{Error{Status: 401, Account: "me", Detail: "no such key"},
			`the translation service rejected account "me" and its API key (401: no such key)` + key},
		{Error{Op: "start export", Status: 403, Account: "me", Project: "p1"},
			`the translation service refuses account "me" access to project p1 (403 on start export)` + todo},
		{Error{Op: "start export", Status: 403, Account: "me", Project: "p1", Detail: "read only", RequestID: "r1"},
			`read only (403 on start export; account "me" at the translation service; request r1)` + todo},
	} {
		if got := c.e.Rejection(); got != c.want {
			t.Errorf("%+v is said as\n%s, want\n%s", c.e, got, c.want)
		}
	}
}
