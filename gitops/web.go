package gitops

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"golang.org/x/net/http/httpproxy"
)

// http as git's configuration wants it: proxies, certificates, redirects, headers (see auth.go).

// beyondUs are the settings of http.* that we do not follow. Where one of them is set, the git program speaks; without it
// they are refused by name, because each of them says whom to trust or who we are.
var beyondUs = []string{"sslcert", "sslkey", "sslcapath", "sslbackend", "pinnedpubkey", "cookiefile", "proxyauthmethod", "proxysslcert", "proxysslkey",
	"proxysslcainfo", "emptyauth", "delegation", "curloptresolve", "sslcipherlist", "sslversion"}

// needsGit names a setting for an address that only the git program follows; "" when there is none.
func (s settings) needsGit(address string) string {
	for _, key := range beyondUs {
		if v, _ := s.lastForURL(address, key); v != "" {
			return "http." + key
		}
	}
	return ""
}

// lastForURL is the value that counts of a key with one value; given says whether there is one, which may be "".
func (s settings) lastForURL(address, key string) (value string, given bool) {
	values := s.forURL(address, key)
	if len(values) == 0 {
		return "", false
	}
	return values[len(values)-1], true
}

// webClient follows git's settings for an address. HTTP/1.1 only, which is what the protocol needs.
func webClient(set settings, address, remote string) (*http.Client, githttp.RedirectPolicy, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ForceAttemptHTTP2 = false
	t.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	var err error
	if t.Proxy, err = proxyFor(set, address, remote); err != nil {
		return nil, "", err
	}
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if v := (settings{"v": set.forURL(address, "sslverify")}); !v.bool("v", true) || os.Getenv("GIT_SSL_NO_VERIFY") != "" {
		t.TLSClientConfig.InsecureSkipVerify = true // the user's explicit choice in git's configuration
	}
	if file := or(os.Getenv("GIT_SSL_CAINFO"), (settings{"v": set.forURL(address, "sslcainfo")}).file("v")); file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, "", fmt.Errorf("http.sslCAInfo: %w", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, "", fmt.Errorf("http.sslCAInfo: %s holds no certificate in PEM form", file)
		}
		t.TLSClientConfig.RootCAs = pool
	}
	redirects := githttp.FollowInitialRedirects
	if v, given := set.lastForURL(address, "followredirects"); given && v != "initial" {
		redirects = githttp.NoFollowRedirects
		if (settings{"v": {v}}).bool("v", false) {
			redirects = githttp.FollowRedirects
		}
	}
	return &http.Client{Transport: t}, redirects, nil
}

// proxyFor is the way to an address: remote.<name>.proxy, http.proxy (an empty one means none), the environment; and for
// each of them the hosts of NO_PROXY are reached without.
func proxyFor(set settings, address, remote string) (func(*http.Request) (*url.URL, error), error) {
	config := httpproxy.FromEnvironment()
	proxy, given := set.lastForURL(address, "proxy")
	if own := set["remote."+remote+".proxy"]; len(own) > 0 {
		proxy, given = own[len(own)-1], true
	}
	var explicit *url.URL
	if proxy != "" {
		if !strings.Contains(proxy, "://") {
			proxy = "http://" + proxy
		}
		u, err := url.Parse(proxy)
		if err != nil || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
			return nil, errors.New("http.proxy: not the address of an http, https or socks5 proxy")
		}
		explicit = u
	}
	if given {
		config.HTTPProxy, config.HTTPSProxy = proxy, proxy
	}
	find := config.ProxyFunc()
	return func(r *http.Request) (*url.URL, error) {
		host := r.URL.Hostname()
		if ip := net.ParseIP(host); explicit != nil && (host == "localhost" || ip != nil && ip.IsLoopback()) {
			return explicit, nil // which the environment's rules would never send through a proxy
		}
		return find(r.URL)
	}, nil
}
