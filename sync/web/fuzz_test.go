package web

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// Whatever a stranger sends who knows none of the secrets: nothing is asked of the engine and no browser is
// unlocked; the answer is guarded, short where it is no page, tells no secret and has no character that a terminal
// obeys; and the log gets one short line at most.
func FuzzStranger(f *testing.F) {
	const page, hook, bell = "the page's token", "the webhooks' secret", "the notifications' secret"
	s, _ := newServer(f)
	core, logs := observer.New(zapcore.DebugLevel)
	ends := make(chan struct{})
	close(ends) // so that streams end
	s.Log, s.PageToken, s.WebhookSecret, s.Callback.Name, s.Callback.Value, s.Ends, s.Meter = zap.New(core), page, hook, "X-Bell", bell, ends, NewMeter()
	s.Sessions = NewSessions()
	handler := New(*s)
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nHost: 10.1.2.9\r\nCookie: locsync=x; locsync-7420=y\r\n\r\n", "GET /?still&%1b[2J=%0a HTTP/1.1\r\nHost: locsync\r\n\r\n", "GET /api/events HTTP/1.1\r\nHost: \r\n\r\n", "GET /readyz HTTP/1.0\r\n\r\n",
		"GET //healthz/../metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: e\xc2\x9bvil.example\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
		"HEAD /static/page.css HTTP/1.1\r\nHost: [::1]\r\n\r\n",
		"POST /unlock HTTP/1.1\r\nHost: 10.1.2.9:7420\r\nOrigin: http://10.1.2.9:7420\r\nX-Forwarded-For: 1.2.3.4, \x1b[31m\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\ntoken=%0a",
		"POST /ask HTTP/1.1\r\nHost: 10.1.2.9\r\nSec-Fetch-Site: same-origin\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 41\r\n\r\n--x\r\nContent-Disposition: form-data; name=a",
		"POST /lock HTTP/1.1\r\nHost: 10.1.2.9\r\nOrigin: null\r\n\r\n",
		"POST /trigger?project=%1b%5b2J%0a&action=push HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"POST /trigger?action=;%0d%0aSet-Cookie:a=b HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST /webhook/github HTTP/1.1\r\nHost: a\r\nX-Hub-Signature-256: sha256=00\r\nContent-Length: 2\r\n\r\n{}",
		"POST /webhook/gitlab HTTP/1.1\r\nHost: a\r\nX-Gitlab-Token: x\r\nWebhook-Signature: v1,AA== v1,\r\nWebhook-Timestamp: -9223372036854775808\r\n\r\n",
		"POST /webhook/%0a HTTP/1.1\r\nHost: a\r\n\r\n",
		"POST /callback/project/status HTTP/1.1\r\nHost: a\r\nX-Bell: \r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n", "POST /callback/%2e%2e/x HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		for _, from := range []string{"203.0.113.5:1", "127.0.0.1:1", "[2001:db8::1]:1"} {
			for coding := range uint8(4) {
				f.Add([]byte(seed), from, []byte(`{"ref":"refs/heads/x","a":[`+strings.Repeat("[],", 1000)+`1]}`),
					coding)
			}
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, from string, body []byte, coding uint8) {
		address, err := netip.ParseAddrPort(from)
		if err != nil || address.Addr().Zone() != "" {
			return // it is none that a connection comes from, or has what the machine calls its networks
		}
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
		if err != nil {
			return // the server answers that itself
		}
		encode(r, body, coding)
		local := address.Addr().Unmap().IsLoopback()
		r = r.WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey,
			&net.TCPAddr{IP: net.IPv4(10, 1, 2, 9), Port: 7420}))
		r.RemoteAddr = from
		logs.TakeAll()
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		head, said := answer.Header(), answer.Body.String()
		if code := answer.Code; code >= 500 && code != http.StatusServiceUnavailable || code == http.StatusSeeOther ||
			r.Method == http.MethodPost && code < 300 && !(local && r.URL.Path == "/trigger") {
			t.Errorf("answered %d: %.200s", code, said)
		}
		if head.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(head.Get("Content-Security-Policy"),
			"frame-ancestors 'none'") || head.Get("Set-Cookie") != "" {
			t.Errorf("the headers are %v", head)
		}
		if strings.Contains(said, page) || strings.Contains(said, hook) || strings.Contains(said, bell) {
			t.Errorf("a secret is told: %.500s", said)
		}
		if strings.HasPrefix(head.Get("Content-Type"), "text/plain; charset=utf-8") &&
			answer.Code >= 400 && len(said) > 5*maxText {
			t.Errorf("%d bytes: %.200s", len(said), said)
		}
		if strings.HasPrefix(head.Get("Content-Type"), "text/") && !clean(said) {
			t.Errorf("%q", said)
		}
		for _, values := range head {
			if !clean(strings.Join(values, " ")) {
				t.Errorf("the headers are %q", head)
			}
		}
		entries := logs.TakeAll()
		if len(entries) > 1 {
			t.Errorf("%d lines of log: %v", len(entries), entries)
		}
		for _, e := range entries {
			for _, field := range e.Context {
				if len(field.String) > 100 || !clean(field.String) {
					t.Errorf("the log has %s=%.200q", field.Key, field.String)
				}
			}
		}
	})
}

// encode gives a request another body, compressed, of unknown length, or both; at 0 it keeps its own.
func encode(r *http.Request, body []byte, coding uint8) {
	if coding&3 == 0 {
		return
	}
	if coding&1 != 0 {
		var packed bytes.Buffer
		gz := gzip.NewWriter(&packed)
		_, _ = gz.Write(body) // a buffer takes everything
		_ = gz.Close()
		body = packed.Bytes()
		r.Header.Set("Content-Encoding", "gzip")
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if coding&2 != 0 {
		r.ContentLength, r.TransferEncoding = -1, []string{"chunked"}
	}
}

// clean reports whether a text has no characters but such as are seen, and ends of lines.
func clean(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text,
		func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
}

// What a notification names is what stands in it, and no more than may.
func FuzzIdentifiers(f *testing.F) {
	for _, seed := range []string{`["a","b"]`, `"a"`, `{"id":"a"}`, `{"taskId":"b","id":1}`,
		`{"ID":"a","iD":"b"}`, `[[`, `["\u0000"]`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		ids, ok := identifiers(body)
		if !ok {
			return
		}
		if len(ids) > maxIDs {
			t.Errorf("%d identifiers", len(ids))
		}
		for _, id := range ids {
			for _, part := range strings.FieldsFunc(id, func(r rune) bool {
				return r > unicode.MaxASCII || strings.ContainsRune(`\"<>&/`, r) || unicode.IsControl(r)
			}) {
				if !bytes.Contains(body, []byte(part)) && !bytes.Contains(body, []byte(`\u`)) &&
					!bytes.Contains(body, []byte("taskId")) {
					t.Errorf("%q is not in %q", part, body)
				}
			}
		}
	})
}
