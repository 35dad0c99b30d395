package gitops

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// conceal takes our own secrets out of what the other side said: a server may repeat what it was sent. They are the
// password in the address, that of Options, and every http.extraHeader of git's configuration.
func (m *remote) conceal(words string) string {
	user, password := m.r.o.Username, m.r.o.Password
	if u, err := url.Parse(m.address); err == nil && u.User != nil {
		user = u.User.Username()
		password, _ = u.User.Password()
	}
	secrets := []string{password, url.QueryEscape(password), url.PathEscape(password)}
	if password != "" {
		secrets = append(secrets, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
	}
	for key, headers := range m.r.set {
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
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, secret := range secrets {
		if len(secret) > 3 && !strings.EqualFold(secret, "basic") && !strings.EqualFold(secret, "bearer") && !strings.EqualFold(secret, "token") {
			words = strings.ReplaceAll(words, secret, "***")
		}
	}
	return words
}
