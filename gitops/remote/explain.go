package remote

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/sync/bound"
)

// What a remote or the way to it says, with the type that callers branch on and with what to try next. The words of
// servers, of ssh and of the git program end here; no address with a password leaves.

const (
	tryNetwork = "is the network up, and is the address right (git remote -v)?"
	tryLater   = "try again later, and ask its operator where it stays so"
	tryTLS     = "name the authority that signed it: git config http.sslCAInfo FILE"
	tryProxy   = "put the proxy's user and password into http.proxy"
	tryKey     = "compare it with what the server's operator publishes, then ssh-keyscan HOST >> ~/.ssh/known_hosts"
	tryChanged = "the connection may go to another machine. When its operator says that the key was changed, " +
		"ssh-keygen -R HOST forgets the old one, and ssh-keyscan HOST >> ~/.ssh/known_hosts adds the new one"
)

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
	with := func(kind error, cause, remedy string) error {
		for line := range strings.Lines(words) { // of the server itself
			if own, is := strings.CutPrefix(line, "remote: "); is && strings.TrimSpace(own) != "" {
				cause += ", and says: " + strings.TrimSpace(own)
				break
			}
		}
		return &outcome.Rejection{Kind: kind, Address: where, Cause: cause, Remedy: remedy, Said: err}
	}
	status := httpStatus(words)
	switch {
	case says("REVOKED HOST KEY"):
		return with(outcome.ErrUntrusted, "its host key is revoked", "ask its operator for the new one")
	case says("REMOTE HOST IDENTIFICATION HAS CHANGED"):
		return with(outcome.ErrUntrusted, "its host key is not the one that is known", tryChanged)
	case says("Host key verification failed", "host key is known for"):
		return with(outcome.ErrUntrusted, "its host key is unknown", tryKey)
	case says("SSL certificate problem", "certificate verification failed", "certificate verify failed",
		"no alternative certificate subject name", "does not match target host name"):
		return with(outcome.ErrUntrusted, "its certificate is signed by an unknown authority or is of another host", tryTLS)
	case status == http.StatusProxyAuthRequired:
		return with(outcome.ErrAuth, "the proxy asks who we are (407)", tryProxy)
	case status == http.StatusForbidden:
		return with(outcome.ErrAuth, "this account may not do that (403)", "use one that may")
	case says("Permission denied ("):
		return with(outcome.ErrAuth, "it accepted no ssh key",
			"add one to an agent, or name its file: git config core.sshCommand \"ssh -i FILE\"")
	case status == http.StatusUnauthorized,
		says("Authentication failed", "could not read Username", "could not read Password", "terminal prompts disabled"):
		return with(outcome.ErrAuth, "it takes no one without credentials, or not these (401)",
			"give it a user and password in the address, or set up a git credential helper")
	case status >= 300 && status < 400:
		return fmt.Errorf("%s: it redirects elsewhere (%d), and git would take the credentials along; git remote "+
			"set-url names the new address: %w", where, status, err)
	case status == http.StatusTooManyRequests, status >= 500:
		return with(&outcome.Unavailable{Status: status}, fmt.Sprintf("it is not available now (%d)", status), tryLater)
	case says("dubious ownership"):
		return fmt.Errorf("%s: %w; if you trust it: git config --global --add safe.directory FOLDER: %w", where,
			repository.ErrOwner, err)
	case status == http.StatusNotFound, says("does not appear to be a git repository", "not found", "does not exist",
		"no such repository", "access denied or repository not exported"):
		return with(outcome.ErrNoRemote, "the server has no such repository, or hides it from this account",
			"correct the address, which git remote -v shows, or use an account that may read it")
	case says(lostWords...):
		return with(&outcome.Unavailable{}, "it cannot be reached ("+lostLine(words)+")", tryNetwork)
	}
	return fmt.Errorf("%s: %w", where, err)
}

// conceal takes our own secrets out of what the other side said: a server may repeat what it was sent. They are the
// password in the address, that of Options, and every http.extraHeader of git's configuration.
func (m *Remote) conceal(words string) string {
	user, password := m.repo.Options.Username, m.repo.Options.Password
	if u, err := url.Parse(m.Address); err == nil && u.User != nil {
		user = u.User.Username()
		password, _ = u.User.Password()
	}
	secrets := []string{password, url.QueryEscape(password), url.PathEscape(password)}
	if password != "" {
		secrets = append(secrets, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
	}
	for key, headers := range m.repo.Settings {
		if !strings.HasPrefix(key, "http.") || !strings.HasSuffix(key, ".extraheader") {
			continue
		}
		for _, h := range headers {
			if _, value, ok := strings.Cut(h, ":"); ok {
				secrets = append(secrets, strings.TrimSpace(value))
				secrets = append(secrets, strings.Fields(value)...) // the token without "Bearer"
			}
		}
	}
	return bound.Redactor("***", slices.DeleteFunc(secrets, func(s string) bool {
		return strings.EqualFold(s, "basic") || strings.EqualFold(s, "bearer") || strings.EqualFold(s, "token")
	})...)(words)
}
