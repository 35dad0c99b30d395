package gitops

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
)

// What a remote or the way to it says, with the type that callers branch on and with what to try next. The words of
// servers, of ssh and of the git program end here; no address with a password leaves.

const (
	tryNetwork = "is the network up, and is the address right (git remote -v)?"
	tryTLS     = "name the authority that signed it: git config http.sslCAInfo FILE"
	tryProxy   = "put the proxy's user and password into http.proxy"
)

// explain is what went wrong between us and a server that we speak to ourselves.
func (s *session) explain(ctx context.Context, who login, err error) error {
	if err == nil {
		return nil
	}
	if doubt, ok := err.(*unsure); ok {
		return &unsure{s.explain(ctx, who, doubt.err)}
	}
	err = unwrapped(err)
	var status *githttp.Err
	var said *saidError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", s.address, context.Cause(ctx))
	case errors.Is(err, transport.ErrAuthenticationRequired):
		return fmt.Errorf("%s: %w: give it a user and password in the address, or set up a git credential helper (401%s)", s.address, ErrAuth, firstWords(err, who))
	case errors.Is(err, transport.ErrAuthorizationFailed):
		return fmt.Errorf("%s: %w: this account may not do that; use one that may (403%s)", s.address, ErrAuth, firstWords(err, who))
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return fmt.Errorf("%s: %w: the server has no such repository, or hides it from this account (404%s)", s.address, ErrNoRemote, firstWords(err, who))
	case errors.As(err, &status):
		return fmt.Errorf("%s: %w", s.address, explainStatus(status.StatusCode(), status.Response.Header, s.r.now()))
	case errors.As(err, &said):
		return explainWords(s.address, said.words, err)
	}
	return fmt.Errorf("%s: %w", s.address, explainConnection(err))
}

// unwrapped takes off the library's two wrappers, which hide from errors.Is and errors.As what they hold.
func unwrapped(err error) error {
	switch e := err.(type) {
	case *plumbing.UnexpectedError:
		return unwrapped(e.Err)
	case *plumbing.PermanentError:
		return unwrapped(e.Err)
	}
	return err
}

// firstWords is what the server's answer said beside its status, if it is a text for people.
func firstWords(err error, who login) string {
	_, body, _ := strings.Cut(err.Error(), ": ")
	line, _, _ := strings.Cut(strings.TrimSpace(who.conceal(body)), "\n")
	if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "<") {
		return ""
	}
	return fmt.Sprintf(": %.200s", line)
}

// explainStatus is an answer of http that is no answer of git's.
func explainStatus(status int, header http.Header, now time.Time) error {
	switch {
	case status == http.StatusProxyAuthRequired:
		return fmt.Errorf("%w: the proxy asks who we are: %s (407)", ErrAuth, tryProxy)
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests, status >= 500:
		return &Unavailable{status, retryAfter(header.Get("Retry-After"), now)}
	}
	return fmt.Errorf("the server answered %d %s; is that the address of a git repository?", status, http.StatusText(status))
}

// refusedByStatus says whether an answer to a push means that this pack will not be taken: too large, over a quota, not
// allowed. Others may pass, or are about who we are.
func refusedByStatus(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusProxyAuthRequired,
		http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status < 500 || status == http.StatusInsufficientStorage
}

// retryAfter reads the header of that name: seconds, or a time. An hour at most is believed.
func retryAfter(value string, now time.Time) time.Duration {
	const most = time.Hour
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), int(most/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), most)
	}
	return 0
}

// explainConnection is a connection that did not come about.
func explainConnection(err error) error {
	var name *net.DNSError
	var dial *net.OpError
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.As(err, &authority):
		return fmt.Errorf("%w: nobody that this machine trusts signed its certificate; %s: %w", ErrUntrusted, tryTLS, err)
	case errors.As(err, &verify):
		return fmt.Errorf("%w: %w", ErrUntrusted, err)
	case errors.As(err, &record):
		return fmt.Errorf("it does not speak TLS; is the address http:// and not https://? %w", err)
	case strings.Contains(err.Error(), http.StatusText(http.StatusProxyAuthRequired)):
		return fmt.Errorf("%w: the proxy asks who we are: %s (407)", ErrAuth, tryProxy)
	case errors.As(err, &name), errors.As(err, &dial) && (dial.Op == "dial" || dial.Op == "proxyconnect"):
		return fmt.Errorf("%w; %s", err, tryNetwork)
	}
	return err
}

var statusInWords = regexp.MustCompile(`(?:returned error:|HTTP|HTTP code|failed, response) (\d{3})`)

// httpStatus finds the status in the words of the git program; 0 when there is none.
func httpStatus(words string) int {
	if m := statusInWords.FindStringSubmatch(words); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 0
}

// explainWords gives the words of ssh, of a git server and of the git program their type.
func explainWords(where, words string, err error) error {
	says := func(any ...string) bool {
		for _, w := range any {
			if strings.Contains(words, w) {
				return true
			}
		}
		return false
	}
	with := func(kind error, what string) error { return fmt.Errorf("%s: %w: %s: %w", where, kind, what, err) }
	at := where
	if _, host, port, _, err := sshAddress(where); err == nil {
		at = net.JoinHostPort(host, or(port, "22"))
	}
	status := httpStatus(words)
	switch {
	case says("REVOKED HOST KEY"):
		return with(ErrUntrusted, "its host key is revoked")
	case says("REMOTE HOST IDENTIFICATION HAS CHANGED"):
		return with(ErrUntrusted, "its host key is not the one that is known: "+hostKeyChanged(at))
	case says("Host key verification failed", "host key is known for"):
		return with(ErrUntrusted, "its host key is unknown: "+hostKeyUnknown(at))
	case says("SSL certificate problem", "certificate verification failed", "certificate verify failed", "no alternative certificate subject name",
		"does not match target host name"):
		return with(ErrUntrusted, tryTLS)
	case status == http.StatusProxyAuthRequired:
		return with(ErrAuth, "the proxy asks who we are: "+tryProxy+" (407)")
	case status == http.StatusForbidden:
		return with(ErrAuth, "this account may not do that; use one that may (403)")
	case says("Permission denied ("):
		return with(ErrAuth, "it accepted no ssh key; add one to an agent, or name its file: git config core.sshCommand \"ssh -i FILE\"")
	case status == http.StatusUnauthorized,
		says("Authentication failed", "could not read Username", "could not read Password", "terminal prompts disabled"):
		return with(ErrAuth, "give it a user and password in the address, or set up a git credential helper (401)")
	case status >= 300 && status < 400:
		return fmt.Errorf("%s: it redirects elsewhere (%d), and git would take the credentials along; git remote set-url names the new address: %w",
			where, status, err)
	case status == http.StatusTooManyRequests, status >= 500:
		return fmt.Errorf("%s: %w: %w", where, &Unavailable{Status: status}, err)
	case says("does not appear to be a git repository", "not found", "does not exist", "no such repository", "access denied or repository not exported"):
		return with(ErrNoRemote, "the server has no such repository, or hides it from this account")
	case says("Could not resolve host", "Connection refused", "Network is unreachable", "No route to host", "Connection timed out",
		"Couldn't connect", "Failed to connect"):
		return fmt.Errorf("%s: %w; %s", where, err, tryNetwork)
	}
	return fmt.Errorf("%s: %w", where, err)
}
