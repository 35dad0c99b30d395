package forge

import (
	"net/url"
	"testing"
)

// Where each forge answers programs, self-hosted ones below a folder included.
func TestAPIAddress(t *testing.T) {
	for _, c := range [][3]string{
		{"github", "https://github.com", "https://api.github.com"},
		{"github", "https://api.github.com", "https://api.github.com"},
		{"github", "https://acme.ghe.com", "https://api.acme.ghe.com"},
		{"github", "https://github.example.com", "https://github.example.com/api/v3"},
		{"github", "https://github.example.com/api/v3", "https://github.example.com/api/v3"},
		{"gitlab", "https://gitlab.com", "https://gitlab.com/api/v4"},
		{"gitlab", "https://example.com/gitlab", "https://example.com/gitlab/api/v4"},
		{"gitea", "https://codeberg.org", "https://codeberg.org/api/v1"},
		{"gitea", "http://127.0.0.1:3000/git/", "http://127.0.0.1:3000/git/api/v1"},
	} {
		c0, err := newCaller(Options{Kind: c[0], URL: c[1], Token: "t"})
		if err != nil || c0.api.String() != c[2] {
			t.Errorf("%s at %s: %v, %v; want %s", c[0], c[1], c0, err, c[2])
		}
	}
	if u, err := url.Parse("https://x/api/v4"); err != nil || apiOf("github", u).String() != "https://x/api/v4/api/v3" {
		t.Error("another forge's ending is not ours")
	}
}
