package gitops

import (
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// answering is a repository whose origin answers each request the same.
func answering(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	dir := gittest.Init(t, sample)
	gittest.Git(t, dir, "remote", "add", "origin", strings.Replace(server.URL, "://",
		"://ada:canary@", 1)+"/group/x.git")
	return dir
}

// Each answer that is not git's has a type that says whether a person must act, and the words that say how.
func TestStatuses(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Second)
	cases := []struct {
		status int
		header http.Header
		want   error
		says   string
	}{
		{401, http.Header{"Www-Authenticate": {`Basic realm="x"`}}, ErrAuth, "credential helper"},
		{403, nil, ErrAuth, "this account"},
		{404, nil, ErrNoRemote, "hides it"},
		{407, nil, ErrAuth, "http.proxy"},
		{410, nil, nil, "410"},
		{429, http.Header{"Retry-After": {"90"}}, ErrUnavailable, "429"},
		{429, nil, ErrUnavailable, "429"},
		{500, nil, ErrUnavailable, "500"},
		{503, http.Header{"Retry-After": {now.Add(5 * time.Minute).Format(http.TimeFormat)}}, ErrUnavailable, "503"},
		{503, http.Header{"Retry-After": {"99999999"}}, ErrUnavailable, "503"},
	}
	for _, c := range cases {
		requests := 0
		dir := answering(t, func(w http.ResponseWriter, r *http.Request) {
			requests++
			for k, v := range c.header {
				w.Header()[k] = v
			}
			_, password, _ := r.BasicAuth() // a server may repeat what it heard
			http.Error(w, "come back with a hat "+password+" "+r.Header.Get("Authorization"), c.status)
		})
		r := open(t, dir, Options{Remote: "origin", Now: func() time.Time { return now }})
		_, err := r.At(t.Context(), "main", "")
		if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), "canary") {
			t.Errorf("%d: %v", c.status, err)
		}
		for _, other := range []error{ErrAuth, ErrNoRemote, ErrUnavailable, ErrUntrusted, ErrMoved, ErrRefused} {
			if other != c.want && errors.Is(err, other) {
				t.Errorf("%d: %v is %v", c.status, err, other)
			}
		}
		if requests == 0 || requests > 3 {
			t.Errorf("%d: asked %d times", c.status, requests)
		}
	}
}

// A pack that the server, or what stands before it, does not take for its size: refused, once, in its words.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	s := serve(t, gittest.Options{})
	r := open(t, s.dir, Options{Remote: "origin"})
	made := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1"))
	pushes := 0
	fault := func(r *http.Request, _ int) *gittest.Fault {
		if !gittest.IsPush(r) {
			return nil
		}
		pushes++
		return &gittest.Fault{Status: 413}
	}
	s.fault.Store(&fault)
	var refused *Refused
	if _, err := r.Push(t.Context(), made); !errors.As(err, &refused) || !strings.Contains(err.Error(), "413") {
		t.Errorf("%v", err)
	}
	if pushes != 1 {
		t.Errorf("sent %d times", pushes)
	}
	// The same from git itself.
	s.fault.Store(nil)
	gittest.Git(t, s.bare, "config", "receive.maxInputSize", "10")
	if _, err := r.Push(t.Context(), made); !errors.As(err, &refused) || !strings.Contains(err.Error(),
		"exceeds maximum allowed size") {
		t.Errorf("%v", err)
	}
	if must[*Tip](t)(r.Pending("l10n")) == nil {
		t.Error("the commit was forgotten")
	}
}

// Certificates: unknown, of another host, trusted by http.sslCAInfo, not checked on request.
func TestCertificates(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	handler, err := gittest.Handler(bare, gittest.Options{})
	if err != nil {
		t.Skip(err)
	}
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		0o666); err != nil {
		t.Fatal(err)
	}
	look := func(address string) error {
		gittest.Git(t, dir, "remote", "set-url", "origin", address)
		_, err := open(t, dir, Options{Remote: "origin"}).At(t.Context(), "main", "")
		return err
	}
	address := server.URL + "/" + filepath.Base(bare)
	if err := look(address); !errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), "http.sslCAInfo") {
		t.Errorf("an unknown authority: %v", err)
	}
	gittest.Git(t, dir, "config", "http."+server.URL+"/.sslCAInfo", ca)
	if err := look(address); err != nil {
		t.Errorf("http.sslCAInfo: %v", err)
	}
	elsewhere := strings.Replace(address, "127.0.0.1", "localhost", 1)
	gittest.Git(t, dir, "config", "http.sslCAInfo", ca)
	if err := look(elsewhere); !errors.Is(err, ErrUntrusted) {
		t.Errorf("a certificate of another host: %v", err)
	}
	gittest.Git(t, dir, "config", "http.sslVerify", "false")
	if err := look(elsewhere); err != nil {
		t.Errorf("http.sslVerify=false: %v", err)
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	if err := look(strings.Replace(plain.URL, "http:", "https:", 1) + "/x.git"); err == nil ||
		errors.Is(err, ErrNoRemote) {
		t.Errorf("https to a server that speaks none: %v", err)
	}
}

// A secret never follows a redirect to another host, at no request: neither of the address, nor of Options, nor of a
// helper, nor of http.extraHeader: git would take it along, and so does not follow.
func TestSecretsDoNotFollowRedirects(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const secret = "canary"
	for _, from := range []string{"address", "options", "helper", "header"} {
		dir := gittest.Init(t, sample)
		bare := gittest.Bare(t, dir)
		handler, err := gittest.Handler(bare, gittest.Options{})
		if err != nil {
			t.Skip(err)
		}
		var mu sync.Mutex
		var heard []string
		elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			heard = append(heard, r.Method+" "+r.URL.Path+" "+strings.Join(r.Header.Values("Authorization"),
				",")+r.Header.Get("X-Token"))
			mu.Unlock()
			handler.ServeHTTP(w, r)
		}))
		t.Cleanup(elsewhere.Close)
		asked := 0
		home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, password, _ := r.BasicAuth(); password != secret && r.Header.Get("X-Token") != secret {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(401)
				return
			}
			asked++
			http.Redirect(w, r, elsewhere.URL+r.URL.RequestURI(), http.StatusFound)
		}))
		t.Cleanup(home.Close)
		address := home.URL + "/" + filepath.Base(bare)
		o := Options{Remote: "origin"}
		switch from {
		case "address":
			address = strings.Replace(address, "://", "://ada:"+secret+"@", 1)
		case "options":
			o.Username, o.Password = "ada", secret
		case "helper":
			gittest.Git(t, dir, "config", "credential."+home.URL+".helper",
				"!f() { test $1 = get && echo username=ada && echo password="+secret+"; }; f")
		case "header":
			gittest.Git(t, dir, "config", "http."+home.URL+"/.extraHeader", "X-Token: "+secret)
		}
		gittest.Git(t, dir, "remote", "set-url", "origin", address)
		other := gittest.Clone(t, bare)
		gittest.Commit(t, other, "x", map[string]string{"x": "y"})
		gittest.Git(t, other, "push", "-q")
		r := open(t, dir, o)
		tip, err := r.At(t.Context(), "main", "")
		if err == nil {
			_, err = r.Push(t.Context(), commitOn(t, r, tip, "l10n", files("a", from)))
		}
		if err == nil || asked == 0 || !strings.Contains(err.Error(), "git remote set-url") {
			t.Errorf("%s: git would have followed with the secret: %v", from, err)
		}
		for _, request := range heard {
			if words := strings.Fields(request); len(words) > 2 {
				t.Errorf("%s: the secret went along with %s", from, request)
			}
		}
	}
}

// followRedirects=false is a no.
func TestRedirectsRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, gittest.Options{})
	to := gittest.Git(t, s.dir, "remote", "get-url", "origin")
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, _ := url.Parse(to)
		http.Redirect(w, r, "http://"+u.Host+r.URL.RequestURI(), http.StatusFound)
	}))
	t.Cleanup(home.Close)
	gittest.Git(t, s.dir, "remote", "set-url", "origin", home.URL+"/"+filepath.Base(s.bare))
	at(t, open(t, s.dir, Options{Remote: "origin"}), "main", "")
	gittest.Git(t, s.dir, "config", "http.followRedirects", "false")
	if _, err := open(t, s.dir, Options{Remote: "origin"}).At(t.Context(), "main", ""); err == nil {
		t.Error("it was followed")
	}
}

// forward is an http proxy that asks for a password, if given one, and keeps what it was asked for.
type forward struct {
	*httptest.Server
	password string
	mu       sync.Mutex
	asked    []string
}

func proxy(t *testing.T, password, to string) *forward {
	t.Helper()
	f := &forward{password: password}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.asked = append(f.asked, r.Method+" "+r.Host)
		f.mu.Unlock()
		probe := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
		if _, given, _ := probe.BasicAuth(); given != f.password {
			w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
			http.Error(w, "not through me", http.StatusProxyAuthRequired)
			return
		}
		if r.Method == http.MethodConnect {
			tunnel(w, to)
			return
		}
		(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.Out.URL.Host = to }}).ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

func tunnel(w http.ResponseWriter, to string) {
	there, err := net.Dial("tcp", to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	here, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(there, here); there.Close() }()
	_, _ = io.Copy(here, there)
	here.Close()
}

func (f *forward) took() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.asked)
	f.asked = nil
	return n
}

// Proxies of git's configuration and of the environment, with the exceptions of both. Not parallel: the environment is
// the process's.
func TestProxies(t *testing.T) {
	gittest.Long(t)
	s := serve(t, gittest.Options{})
	u, _ := url.Parse(gittest.Git(t, s.dir, "remote", "get-url", "origin"))
	handler, err := gittest.Handler(s.bare, gittest.Options{})
	if err != nil {
		t.Skip(err)
	}
	secure := httptest.NewTLSServer(handler)
	defer secure.Close()
	open_, locked := proxy(t, "", u.Host), proxy(t, "pw", u.Host)
	tunnelled, barred := proxy(t, "", secure.Listener.Addr().String()), proxy(t, "pw", secure.Listener.Addr().String())
	with := func(f *forward, userinfo string) string { return strings.Replace(f.URL, "://", "://"+userinfo, 1) }
	far, farSecure := "http://git.example.org"+u.Path, "https://git.example.org"+u.Path
	cases := []struct {
		name, address string
		config, env   map[string]string
		through       *forward
		want          error // with through
		fails         bool
	}{
		{"http.proxy", far, map[string]string{"http.proxy": open_.URL}, nil, open_, nil, false},
		{"to loopback too", u.String(), map[string]string{"http.proxy": open_.URL}, nil, open_, nil, false},
		{"without a scheme", far, map[string]string{"http.proxy": strings.TrimPrefix(open_.URL, "http://")}, nil, open_,
			nil, false},
		{"for one address", far, map[string]string{"http.proxy": "http://127.0.0.1:1",
			"http.http://git.example.org/.proxy": open_.URL}, nil, open_, nil, false},
		{"of the remote", far, map[string]string{"http.proxy": "http://127.0.0.1:1", "remote.origin.proxy": open_.URL},
			nil, open_, nil, false},
		{"with a password", far, map[string]string{"http.proxy": with(locked, "ada:pw@")}, nil, locked, nil, false},
		{"without its password", far, map[string]string{"http.proxy": locked.URL}, nil, locked, ErrAuth, true},
		{"a tunnel", farSecure, map[string]string{"http.proxy": tunnelled.URL}, nil, tunnelled, nil, false},
		{"a tunnel without its password", farSecure, map[string]string{"http.proxy": barred.URL}, nil, barred, ErrAuth,
			true},
		{"the environment", far, nil, map[string]string{"http_proxy": open_.URL}, open_, nil, false},
		{"none, against the environment", u.String(), map[string]string{"http.proxy": ""},
			map[string]string{"http_proxy": "http://127.0.0.1:1"}, nil, nil, false},
		{"an exception", u.String(), nil, map[string]string{"http_proxy": open_.URL, "no_proxy": "127.0.0.1"}, nil, nil,
			false},
		{"a proxy that is not there", far, map[string]string{"http.proxy": "http://127.0.0.1:1"}, nil, nil, nil, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := gittest.Init(t, sample)
			gittest.Git(t, dir, "remote", "add", "origin", c.address)
			gittest.Git(t, dir, "config", "http.sslVerify", "false")
			for k, v := range c.config {
				gittest.Git(t, dir, "config", k, v)
			}
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			_, err := open(t, dir, Options{Remote: "origin"}).At(t.Context(), "main", "")
			if c.fails != (err != nil) || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%v", err)
			}
			if c.fails && c.through == nil && (err == nil || !strings.Contains(err.Error(), "git remote -v")) {
				t.Errorf("no remedy: %v", err)
			}
			for _, f := range []*forward{open_, locked, tunnelled, barred} {
				if n := f.took(); (n > 0) != (f == c.through) {
					t.Errorf("%d requests through %s", n, f.URL)
				}
			}
		})
	}
}

// A helper's answer is approved when it worked, once, and asked for again only when the server does.
func TestCredentialHelperLearnsTheOutcome(t *testing.T) {
	t.Parallel()
	s := serve(t, gittest.Options{User: "ada", Password: "pw"})
	log := filepath.Join(t.TempDir(), "log")
	gittest.Git(t, s.dir, "config", "credential.helper",
		`!f() { echo "$1" >> `+log+`; if [ "$1" = get ]; then echo username=ada; echo password=pw; fi; }; f`)
	r := open(t, s.dir, Options{Remote: "origin"})
	push(t, r, commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1")))
	heard := strings.Fields(string(must[[]byte](t)(os.ReadFile(log))))
	if len(heard) < 2 || heard[0] != "get" || heard[1] != "store" ||
		strings.Contains(strings.Join(heard, " "), "erase") {
		t.Errorf("the helper heard %q", heard)
	}
}
