package service

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/locsync/locsync/sync/service/wire"
)

func baseURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("address of the service: want http(s)://host or http(s)://host/path, have %q",
			withoutUser(text))
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("address of the service: %q must be scheme, host and path only; "+
			"the credentials have settings of their own",
			withoutUser(text))
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), wire.Prefix)
	u.RawPath = ""
	return u, nil
}

// withoutUser cuts credentials out of an address that is about to be shown.
func withoutUser(address string) string {
	scheme, rest, found := strings.Cut(address, "//")
	if !found {
		scheme, rest = "", address
	}
	host, path, slash := strings.Cut(rest, "/")
	if at := strings.LastIndex(host, "@"); at >= 0 {
		host = redacted + host[at:]
	}
	if found {
		scheme += "//"
	}
	if slash {
		path = "/" + path
	}
	return scheme + host + path
}

// origin is scheme, host and port, with the port that goes without saying.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// sameOrigin reports whether an address is the service's own, and not one that a redirect leads to.
func sameOrigin(base, u *url.URL) bool { return origin(u) == origin(base) }

// shown is an address as the hook is told of it: one of another server without its query, which is its signature.
func shown(base, target *url.URL) string {
	if sameOrigin(base, target) {
		return target.RequestURI()
	}
	return origin(target) + target.EscapedPath()
}
