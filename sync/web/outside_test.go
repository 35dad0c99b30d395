package web

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/bound/serve"
)

// outside is the daemon's address on a real socket, seen by somebody who may send what he likes.
type outside struct {
	t       *testing.T
	address string
}

func serveOutside(t *testing.T, handler http.Handler) *outside {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	s := serve.NewServer(handler, zap.NewNop())
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		check(t, s.Close())
		if err := <-done; err != http.ErrServerClosed {
			t.Error(err)
		}
	})
	return &outside{t, l.Addr().String()}
}

// dial opens a connection and sends the beginning of something.
func (o *outside) dial(begin string) net.Conn {
	o.t.Helper()
	conn, err := net.Dial("tcp", o.address)
	check(o.t, err)
	o.t.Cleanup(func() { conn.Close() })
	check(o.t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(conn, begin)
	check(o.t, err)
	return conn
}

// says is the status of the answer to what was sent; 0 where the connection was closed without one.
func says(conn net.Conn) int {
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// A sender without a secret is refused before the rest was sent, and so is what is too large.
func TestRefusedAtOnce(t *testing.T) {
	s, _ := newServer(t)
	s.WebhookSecret, s.Callback.Name, s.Callback.Value = hookSecret, "X-Bell", "dingdong"
	o := serveOutside(t, New(*s))
	for _, c := range []struct {
		want   int
		begin  string // of a request whose body never comes
		length int
	}{
		{403, "POST /callback/project/status HTTP/1.1\r\nX-Bell: wrong", 1000},
		{403, "POST /callback/project/status HTTP/1.1\r\nX-Bell: dingdon", 1000},
		{403, "POST /callback/project/status HTTP/1.1\r\nX-Bell: dingdongs", 1000},
		{403, "POST /callback/project/status HTTP/1.1\r\nX-Bell: ", 1000},
		{403, "POST /callback/project/status HTTP/1.1\r\nX-Other: dingdong", 1000},
		{413, "POST /callback/project/status HTTP/1.1\r\nX-Bell: dingdong", maxCallback + 1},
		{404, "POST /callback/project/unknown HTTP/1.1\r\nX-Bell: dingdong", 1000},
		{403, "POST /webhook/gitlab HTTP/1.1\r\nX-Gitlab-Token: wrong", 1000},
		{413, "POST /webhook/github HTTP/1.1\r\nX-Hub-Signature-256: sha256=00", maxWebhook + 1},
		{404, "POST /webhook/elsewhere HTTP/1.1\r\nX-Gitlab-Token: " + hookSecret, 1000},
		{403, "POST /trigger HTTP/1.1\r\nX-Forwarded-For: 203.0.113.7", 1000},
		{403, "POST /trigger HTTP/1.1\r\nVia: 1.1 proxy", 1000},
		{431, "POST /callback/project/status HTTP/1.1\r\nX-Long: " + strings.Repeat("x", 2*serve.MaxHeader), 1000},
		{400, "POST /callback/project/status HTTP/1.1\r\nContent-Length: 5", 1000}, // and another one
		{501, "POST /callback/project/status HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity",
			1000},
	} {
		conn := o.dial(fmt.Sprintf("%s\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n", c.begin, c.length))
		began := time.Now()
		if got := says(conn); got != c.want {
			t.Errorf("%.90q with %d bytes to come: %d, want %d", c.begin, c.length, got, c.want)
		} else if took := time.Since(began); took > serve.BodyTime/3 {
			t.Errorf("%.90q: answered after %s", c.begin, took)
		}
	}
	for _, method := range []string{"PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"} {
		for _, path := range []string{"/callback/project/status", "/webhook/github", "/trigger", "/api/status"} {
			if got := says(o.dial(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Bell: dingdong\r\nContent-Length: 0\r\n\r\n", method, path))); got != 405 && got != 404 && got != 400 {
				t.Errorf("%s %s: %d", method, path, got)
			}
		}
	}
}

// What goes wrong inside of an answer is told by the daemon's log, in its form, and ends that answer only.
func TestServerSaysItsErrorsInTheLog(t *testing.T) {
	core, logs := observer.New(zapcore.DebugLevel)
	t.Cleanup(zap.ReplaceGlobals(zap.New(core)))
	server := httptest.NewUnstartedServer(nil)
	server.Config = serve.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bad" {
			panic("bad\x1b[31m")
		}
	}), zap.New(core))
	server.Start()
	t.Cleanup(server.Close)
	o := &outside{t, server.Listener.Addr().String()}
	for path, want := range map[string]int{"/bad": 500, "/good": 200} {
		if got := says(o.dial("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	if all := logs.All(); len(all) != 1 || all[0].Level != zap.ErrorLevel ||
		!strings.Contains(all[0].Message, "a fault of locsync itself") {
		t.Errorf("the log has %v", all)
	}
}

// Wrong tokens of many addresses, which a proxy that passes on what it is told lets anybody have, fill no log.
func TestWrongTokensFillNoLog(t *testing.T) {
	_, handler, logs := unlockable(t)
	for i := range 4 * serve.LogLines {
		v := newVisitor(t, handler)
		v.headers["X-Forwarded-For"] = fmt.Sprint("198.51.100.", i)
		if answer := v.asks("/unlock", "token", "wrong"); answer.Code != http.StatusForbidden {
			t.Fatalf("%d %s", answer.Code, answer.Body)
		}
	}
	if n := logs.Len(); n != serve.LogLines {
		t.Errorf("the log has %d lines, want %d", n, serve.LogLines)
	}
}

// Connections that say nothing, or little, and little more after a while, keep no other ones out and take no more places than
// there are.
func TestSilentConnectionsGiveWay(t *testing.T) {
	s, _ := newServer(t)
	s.WebhookSecret = hookSecret
	o := serveOutside(t, New(*s))
	silent := make([]net.Conn, 0, serve.Connections()+40)
	for i := range cap(silent) {
		begin := ""
		if i%2 == 1 {
			begin = "GET /healthz HTTP/1.1\r\nX-Slow: "
		}
		silent = append(silent, o.dial(begin))
	}
	if got := says(o.dial("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")); got != 200 {
		t.Errorf("healthz beside %d silent connections: %d", len(silent), got)
	}
	closedByServer(t, silent, 41)
}

// closedByServer waits until so many connections have been closed by the server, long before it would for another
// reason.
func closedByServer(t *testing.T, all []net.Conn, want int) {
	t.Helper()
	closed := make(chan bool, len(all))
	for _, conn := range all {
		check(t, conn.SetReadDeadline(time.Now().Add(serve.HeaderTime-2*time.Second)))
		go func() {
			_, err := io.Copy(io.Discard, conn)
			closed <- !isTimeout(err)
		}()
	}
	n := 0
	for range all {
		if <-closed {
			n++
		}
		if n >= want {
			return
		}
	}
	t.Errorf("of %d connections %d gave way, want %d: there are more than %d", len(all), n, want, serve.Connections())
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}

// Connections on which something is being answered without an end take no more places than there are either.
func TestSlowRequestsGiveWay(t *testing.T) {
	s, _ := newServer(t)
	s.PageToken = pageToken
	o := serveOutside(t, New(*s))
	slow := make([]net.Conn, 0, serve.Connections()+40)
	for range cap(slow) {
		slow = append(slow,
			o.dial("POST /unlock HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nt"))
	}
	if got := says(o.dial("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")); got != 200 {
		t.Errorf("healthz beside %d slow requests: %d", len(slow), got)
	}
	closedByServer(t, slow, 41)
}

// Slow requests of one address take no places of what others hear.
func TestSlowRequestsEndNoStreams(t *testing.T) {
	s, _ := newServer(t)
	s.PageToken = pageToken
	o := serveOutside(t, New(*s))
	other := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	stream, err := other.Dial("tcp", o.address)
	if err != nil {
		t.Skip("this machine has one address on the loopback only: ", err)
	}
	defer stream.Close()
	check(t, stream.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(stream, "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	check(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(stream), nil)
	check(t, err)
	defer answer.Body.Close()
	_, err = io.ReadFull(answer.Body, make([]byte, len("retry: 3000\n\n")))
	check(t, err)
	slow := make([]net.Conn, 0, serve.Connections()+40)
	for range cap(slow) {
		conn := o.dial("POST /unlock HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\nExpect: 100-continue\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n")
		if got := says(conn); got != http.StatusContinue { // it is being served
			t.Fatalf("%d", got)
		}
		slow = append(slow, conn)
	}
	closedByServer(t, slow, 41)
	check(t, stream.SetReadDeadline(time.Now().Add(10*time.Millisecond)))
	if _, err := answer.Body.Read(make([]byte, 1)); !isTimeout(err) {
		t.Errorf("the stream of another address ended: %v", err)
	}
}

// Who asks for something and announces a body that never comes is answered, and a stream to him ends.
func TestUnwantedBodies(t *testing.T) {
	ends := make(chan struct{})
	s, _ := newServer(t)
	s.Ends = ends
	o := serveOutside(t, New(*s))
	for _, path := range []string{"/", "/api/status", "/metrics", assetNames["page.js"], "/api/events"} {
		for _, body := range []string{"Content-Length: 1000", "Transfer-Encoding: chunked"} {
			conn := o.dial("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + body + "\r\n\r\n")
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("%s with %s: %v", path, body, err)
				continue
			}
			if path == "/api/events" && body != "Content-Length: 1000" {
				close(ends)
			}
			if path == "/api/events" && body == "Content-Length: 1000" {
				continue // it goes on
			}
			if _, err := io.Copy(io.Discard, answer.Body); err != nil {
				t.Errorf("%s with %s: %v", path, body, err)
			}
		}
	}
}

// Bodies that come slowly are given up; while as many come as may, the oldest ones are, so that an event that comes at
// once is heard; what needs no body is served.
func TestSlowBodies(t *testing.T) {
	s, _ := newServer(t)
	s.WebhookSecret = hookSecret
	parts := assemble(s)
	parts.webhooks.bodyTime = 100 * time.Millisecond
	o := serveOutside(t, parts.handler(*s))
	slow := "POST /webhook/github HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Hub-Signature-256: sha256=00\r\nContent-Length: 1000\r\n\r\n{"
	if got := says(o.dial(slow)); got != 408 {
		t.Errorf("half a body: %d", got)
	}
	o = serveOutside(t, New(*s))
	cut := o.dial(slow)
	check(t, cut.(*net.TCPConn).CloseWrite())
	if got := says(cut); got != 400 {
		t.Errorf("a body that was cut off: %d", got)
	}
	waiting := make(chan int, 2*maxReads)
	for range 2 * maxReads {
		conn := o.dial(slow)
		go func() { waiting <- says(conn) }()
	}
	for range maxReads {
		if got := <-waiting; got != 408 {
			t.Errorf("one body too many: %d", got)
		}
	}
	body := `{"ref": "refs/heads/x"}`
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write([]byte(body))
	quick := fmt.Sprintf("POST /webhook/github HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Hub-Signature-256: sha256=%x\r\nContent-Length: %d\r\n\r\n%s",
		mac.Sum(nil), len(body), body)
	if got := says(o.dial(quick)); got != 200 && got != 202 {
		t.Errorf("an event among slow ones: %d", got)
	}
	if got := <-waiting; got != 408 {
		t.Errorf("the body that gave its place: %d", got)
	}
	for _, path := range []string{"/healthz", "/metrics"} {
		if got := says(o.dial("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")); got != 200 {
			t.Errorf("%s beside slow bodies: %d", path, got)
		}
	}
	select {
	case got := <-waiting:
		t.Errorf("a body that is being read was answered with %d", got)
	default:
	}
}

// Pages of other sites whose name leads here read nothing: only who asks for the loopback, an address, or the public
// name does. What proves itself may come by any name.
func TestNames(t *testing.T) {
	s, _ := newServer(t)
	s.PublicURL = "https://L10n.example.com/base"
	s.Callback.Name, s.Callback.Value = "X-Bell", "dingdong"
	o := serveOutside(t, New(*s))
	_, port, _ := net.SplitHostPort(o.address)
	ask := func(method, path, host string) int {
		return says(o.dial(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nX-Bell: dingdong\r\nContent-Length: 2\r\n\r\n[]",
			method, path, host)))
	}
	for _, path := range []string{"/", "/api/status", "/metrics", "/healthz", "/readyz"} {
		for _, host := range []string{"evil.example", "evil.example:" + port, "127.0.0.1.evil.example",
			"localhost.evil.example", "l10n.example.com.evil.example", "a@127.0.0.1"} {
			if got := ask("GET", path, host); got != 403 && got != 400 {
				t.Errorf("GET %s as %s: %d", path, host, got)
			}
		}
		for _, host := range []string{"127.0.0.1:" + port, "localhost:" + port, "LOCALHOST", "[::1]:1",
			"l10n.example.com", "l10n.example.com:443", "app.localhost", "192.0.2.7"} {
			if got := ask("GET", path, host); got == 403 || got == 400 {
				t.Errorf("GET %s as %s: %d", path, host, got)
			}
		}
	}
	if got := ask("POST", "/callback/project/status", "any.example"); got != 200 {
		t.Errorf("a notification by another name: %d", got)
	}
	if got := ask("POST", "/trigger", "l10n.example.com"); got != 403 {
		t.Errorf("a trigger by the public name: %d", got)
	}
}

// Ten thousand notifications and webhooks within a second ring bells: each is answered, and what comes of them is one
// pull and one push a second, with the requests that those make.
func TestFloodOfNotifications(t *testing.T) {
	t.Parallel()
	handler, _, _, calls := runningServer(t)
	until(t, handler, "/metrics", func(_ int, body string) bool {
		return strings.Contains(body, `locsync_keys_pushed_total{project="app"} 1`)
	})
	post := func(path, body string) int {
		answer := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("X-Bell", "dingdong")
		r.Header.Set("X-Gitlab-Token", hookSecret)
		handler.ServeHTTP(answer, r)
		return answer.Code
	}
	runs := func(body, pass string) (n int) {
		for _, m := range regexp.MustCompile(`(?m)^locsync_job_runs_total\{.*pass="`+pass+`",project="app"\} (\d+)$`).FindAllStringSubmatch(body, -1) {
			some, err := strconv.Atoi(m[1])
			check(t, err)
			n += some
		}
		return n
	}
	_, body := get(handler, "/metrics")
	pushes, began, before := runs(body, "push"), time.Now(), calls.Load()
	for i := range 10_000 {
		code, want := 0, http.StatusOK
		switch i % 3 {
		case 0:
			code = post("/callback/project/status", `["`+runningProject+`"]`)
		case 1:
			code = post("/callback/document/status", `["x_y"]`)
		case 2:
			code, want = post("/webhook/gitlab", fmt.Sprintf(`{"ref": "refs/heads/main", "after": "%d"}`,
				i)), http.StatusAccepted
		}
		if code != want {
			t.Fatalf("the answer to ring %d is %d", i, code)
		}
		time.Sleep(time.Until(began.Add(time.Duration(i) * 100 * time.Microsecond)))
	}
	body = until(t, handler, "/metrics", func(_ int, body string) bool {
		return strings.Contains(body, `locsync_keys_pulled_total{language="de",project="app"} 1`)
	})
	for _, want := range []string{`{outcome="woken",source="service"} 6667`, `{outcome="woken",source="gitlab"} 3333`} {
		if !strings.Contains(body, "locsync_notifications_total"+want) {
			t.Errorf("not counted: %s", want)
		}
	}
	elapsed := time.Since(began) // until the passes that body tells of
	// The first of each is made at once, and the watcher and what a pull finds ring for a push, too. A pull has an
	// export, polls and a download, and polls what is not ready yet.
	most := 4 + int(elapsed/time.Second)
	if pulled, pushed := runs(body, "pull"), runs(body, "push")-pushes; pulled > most || pushed > most {
		t.Errorf("%d pulls and %d pushes in %s, want %d of each at most", pulled, pushed, elapsed, most)
	}
	if got := calls.Load() - before; got > int64(6*most) {
		t.Errorf("%d requests to the service in %s, want %d at most", got, elapsed, 6*most)
	}
}

// GitLab's signed webhooks: the token, the time and every byte count, and nothing else proves anything where the secret
// is a signing token.
func TestSigningToken(t *testing.T) {
	key := []byte("0123456789abcdef0123456789abcdef")
	token := "whsec_" + base64.StdEncoding.EncodeToString(key)
	sign := func(key []byte, id, at, body string) string {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + at + "." + body))
		return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	at := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).Unix(), 10) }
	const body = `{"object_kind":"push","ref":"refs/heads/main"}`
	s, _ := newServer(t)
	post := func(secret, body string, headers http.Header) string {
		s.WebhookSecret = secret
		r := httptest.NewRequest(http.MethodPost, "/webhook/gitlab", strings.NewReader(body))
		r.Header = headers
		answer := httptest.NewRecorder()
		New(*s).ServeHTTP(answer, r)
		return fmt.Sprint(answer.Code, " ", strings.TrimSpace(answer.Body.String()))
	}
	headers := func(id, at, signature string, more ...string) http.Header {
		h := http.Header{}
		for name, value := range map[string]string{"Webhook-Id": id, "Webhook-Timestamp": at,
			"Webhook-Signature": signature, "X-Gitlab-Event": "Push Hook"} {
			if value != "" {
				h.Set(name, value)
			}
		}
		for i := 0; i+1 < len(more); i += 2 {
			h.Set(more[i], more[i+1])
		}
		return h
	}
	now := at(0)
	right := sign(key, "7f", now, body)
	for _, c := range []struct {
		name, secret, body, want string
		headers                  http.Header
	}{
		{"signed", token, body, "202 ", headers("7f", now, right)},
		{"signed twice, by an old and the new token", token, body, "202 ",
			headers("7f", now, "v1,"+strings.Repeat("A", 43)+"= "+right)},
		{"signed and with a secret token", token, body, "202 ", headers("7f", now, right, "X-Gitlab-Token", "other")},
		{"a minute ago", token, body, "202 ", headers("7f", at(-4*time.Minute),
			sign(key, "7f", at(-4*time.Minute), body))},
		{"recorded", token, body, "403 ", headers("7f", at(-6*time.Minute), sign(key, "7f", at(-6*time.Minute), body))},
		{"from the future", token, body, "403 ", headers("7f", at(6*time.Minute),
			sign(key, "7f", at(6*time.Minute), body))},
		{"recorded, with a new time", token, body, "403 the signature",
			headers("7f", now, sign(key, "7f", at(-6*time.Minute), body))},
		{"another body", token, body + " ", "403 the signature", headers("7f", now, right)},
		{"another identifier", token, body, "403 the signature", headers("8f", now, right)},
		{"another key", token, body, "403 the signature", headers("7f", now, sign([]byte("no"), "7f", now, body))},
		{"signed with the token as text", token, body, "403 the signature",
			headers("7f", now, sign([]byte(token), "7f", now, body))},
		{"without version", token, body, "403 the signature", headers("7f", now, strings.TrimPrefix(right, "v1,"))},
		{"another version", token, body, "403 the signature", headers("7f", now, "v1a"+right[2:])},
		{"no time", token, body, "403 Webhook-Timestamp", headers("7f", "", right)},
		{"no number", token, body, "403 Webhook-Timestamp", headers("7f", "1e9", right)},
		{"no signature, but the token in the open", token, body, "403 no Webhook-Signature",
			headers("7f", now, "", "X-Gitlab-Token", token)},
		{"signed, and the secret here is the secret token", "open", body, "202 ",
			headers("7f", now, right, "X-Gitlab-Token", "open")},
		{"signed, and the secret here is another", "open", body,
			"403 X-Gitlab-Token does not fit the secret; the event is signed", headers("7f", now, right)},
		{"a token that is no base64 is a secret like others", "whsec_?", body, "202 ",
			headers("7f", now, "", "X-Gitlab-Token", "whsec_?")},
	} {
		if got := post(c.secret, c.body, c.headers); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}

	// A repetition with another identifier in what is not signed is a repetition.
	s.WebhookSecret = token
	h := New(*s)
	for i, want := range []int{202, 200} {
		r := httptest.NewRequest(http.MethodPost, "/webhook/gitlab", strings.NewReader(body))
		r.Header = headers("7f", now, right, "Idempotency-Key", fmt.Sprint(i), "X-Gitlab-Event-UUID", fmt.Sprint(i))
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		if answer.Code != want {
			t.Errorf("delivery %d: %d %s", i, answer.Code, answer.Body)
		}
	}
}

// Only the secret itself is equal to it, whatever is like it.
func TestSecretsAreComparedWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringN(1, 40, 80).Draw(t, "secret")
		claim := rapid.OneOf(rapid.String(), rapid.Just(secret), rapid.Just(secret+"x"),
			rapid.Just(secret[:len(secret)-1]), rapid.Just(strings.ToUpper(secret))).Draw(t, "claim")
		if equal(claim, secret) != (claim == secret) {
			t.Fatalf("%q for %q", claim, secret)
		}
	})
}
