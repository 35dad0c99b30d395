package config

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/config/link"
)

// What is filled in comes out of its part of the address as it was, and changes no other part.
func TestLinkKeepsItsShape(t *testing.T) {
	template := mustParse(t, "[service]\nlink = \"https://example.com/p/{PROJECT}/{LANGUAGE}?key={KEY}&all#{KEY}\"\n"+
		smallest).Service.Link
	rapid.Check(t, func(t *rapid.T) {
		project, language, key := rapid.String().Draw(t, "project"), rapid.String().Draw(t, "language"),
			rapid.String().Draw(t, "key")
		u, err := url.Parse(template.To(project, language, key))
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		if u.Scheme+u.Host != "httpsexample.com" || u.Path != "/p/"+project+"/"+language || len(q) != 2 ||
			q.Get("key") != key || u.Fragment != key || strings.Count(u.EscapedPath(), "/") != 3 {
			t.Errorf("%q, %q and %q make %s", project, language, key, u)
		}
	})
	if got := link.Template("").To("p", "de", "k"); got != "" {
		t.Errorf("no template makes %q", got)
	}
}

// A link that is none is refused with its file, line and key.
func TestLinkIsRefused(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.com/{FILE}?key={KEY}":     "unknown placeholder {FILE}; allowed are {PROJECT}, {LANGUAGE} and {KEY}",
		"https://example.com/{key}":                "unknown placeholder {key}; allowed",
		"https://example.com/{KEY":                 "unknown placeholder {; allowed",
		"javascript:alert({KEY})":                  "is not an address with scheme and host",
		"ftp://example.com/{KEY}":                  "is not an address with scheme and host",
		"//example.com/{KEY}":                      "is not an address with scheme and host",
		"https://{KEY}.example.com/":               "is not an address with scheme and host",
		"https://{KEY}":                            "is not an address with scheme and host",
		"https://user:word@example.com/?key={KEY}": "must not hold a user or password",
		`https://example.com/?key={KEY}\u0007`:     "holds a control character",
	} {
		text := "[service]\nlink = \"" + address + "\"\n" + smallest
		ps := problemsOf(t, text)
		if len(ps) != 1 || ps[0].File != "locsync.toml" || ps[0].Line != 2 || ps[0].Key != "service.link" ||
			!strings.Contains(ps[0].Message, want) {
			t.Errorf("%s: %v, want %q", address, ps, want)
		}
	}
}
