package gitops

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

func refName(s string) plumbing.ReferenceName { return plumbing.ReferenceName(s) }

// Who we are to an http server, in this order: the user in the remote's address, Options, http.extraHeader of git's
// configuration (how CI checkouts keep their token), and, when the server asks, git's credential helpers, which are told
// how it went.

// login is one answer. Its secrets go into request headers and into the helper's standard input, nowhere else.
type login struct {
	user, password string
	headers        []string // http.extraHeader
	from           source
	address        string
}

type source int

const (
	fromNowhere source = iota
	fromAddress
	fromOptions
	fromHelper
)

func firstLogin(r *Repo, address string) login {
	l := login{address: redact(address)}
	for _, h := range r.set.forURL(address, "extraheader") {
		if h == "" {
			l.headers = nil // an empty value starts the list anew
			continue
		}
		l.headers = append(l.headers, h)
	}
	u, err := url.Parse(address)
	switch {
	case err == nil && u.User != nil:
		l.user = u.User.Username()
		if password, ok := u.User.Password(); ok {
			l.password, l.from = password, fromAddress
		}
	case r.o.Password != "":
		l.user, l.password, l.from = r.o.Username, r.o.Password, fromOptions
	}
	return l
}

// method is the login as the library wants it. What it sets never follows a redirect to another host.
func (l login) method() transport.AuthMethod {
	if l.from == fromNowhere && len(l.headers) == 0 {
		return nil
	}
	return l
}

// conceal takes our own secrets out of what somebody else said: a server may repeat what it was sent.
func (l login) conceal(words string) string {
	secrets := []string{l.password, url.QueryEscape(l.password), url.PathEscape(l.password)}
	if l.password != "" {
		secrets = append(secrets, base64.StdEncoding.EncodeToString([]byte(l.user+":"+l.password)))
	}
	for _, h := range l.headers {
		if _, value, ok := strings.Cut(h, ":"); ok {
			secrets = append(secrets, strings.TrimSpace(value))
			secrets = append(secrets, strings.Fields(value)...) // the token without "Bearer"
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, secret := range secrets {
		if len(secret) > 3 && !strings.EqualFold(secret, "basic") && !strings.EqualFold(secret, "bearer") && !strings.EqualFold(secret, "token") {
			words = strings.ReplaceAll(words, secret, "***")
		}
	}
	return words
}

// Name and String are for the library's messages: they hold no secret.
func (l login) Name() string   { return "locsync" }
func (l login) String() string { return "locsync" }

// SetAuth is called by the library on each request.
func (l login) SetAuth(r *http.Request) {
	for _, h := range l.headers {
		if name, value, ok := strings.Cut(h, ":"); ok {
			r.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	if l.from != fromNowhere {
		r.SetBasicAuth(l.user, l.password)
	}
}

// ask gets credentials from git's helpers; false when there are none.
func (l login) ask(ctx context.Context, r *Repo, address string) (login, bool) {
	if r.git == nil {
		return l, false
	}
	asked := login{headers: l.headers, user: l.user, address: address, from: fromHelper}
	out, err := r.runGit(ctx, call{args: []string{"credential", "fill"}, stdin: asked.describe()})
	if err != nil {
		return l, false
	}
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), "=")
		switch key {
		case "username":
			asked.user = value
		case "password":
			asked.password = value
		}
	}
	return asked, asked.password != ""
}

// tell lets the helpers keep what worked and forget what did not.
func (l login) tell(ctx context.Context, r *Repo, verb string) {
	if l.from == fromHelper && r.git != nil {
		_, _ = r.runGit(ctx, call{args: []string{"credential", verb}, stdin: l.describe()})
	}
}

// describe is git-credential(1)'s format.
func (l login) describe() []byte {
	u, err := url.Parse(l.address)
	if err != nil {
		return nil
	}
	var b strings.Builder
	put := func(key, value string) {
		if value != "" && !strings.ContainsAny(value, "\n\x00") {
			b.WriteString(key + "=" + value + "\n")
		}
	}
	put("protocol", u.Scheme)
	put("host", u.Host)
	put("path", strings.TrimPrefix(u.Path, "/"))
	put("username", l.user)
	put("password", l.password)
	b.WriteString("\n")
	return []byte(b.String())
}
