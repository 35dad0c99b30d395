package forge

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
)

// answering gives one answer to every call.
type answering struct {
	status int
	body   []byte
}

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(a.body)),
		Request: r}, nil
}

// Whatever a server answers, no request is believed that was not shown.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		`[]`, `{}`, `null`, `[null]`, `[{}]`, `{"number":0}`, `{"iid":3,"state":"opened","web_url":"https://x/3"}`, `[{"number":1,"state":"open","head":{"ref":"l10n","repo":null}}]`,
		`[{"number":1,"state":"open","head":{"ref":"l10n","repo":{"full_name":"a/b"}},"base":{"ref":"main","repo":{"full_name":"a/b"}}}]`,
		`[{"iid":1,"state":"opened","source_branch":"l10n","target_branch":"main"}]`, `{"message":{"a":[{"b":"c"}]}}`,
		`{"errors":[[["x"]]],"error":1}`,
	} {
		for status := range 3 {
			f.Add(status, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		for _, kind := range Kinds {
			c, err := newCaller(Options{Kind: kind, URL: "https://git.example.com", Token: "t0ken"})
			if err != nil {
				t.Fatal(err)
			}
			c.client.Transport = answering{[]int{200, 409, 422}[max(status, -status, 0)%3], body}
			forge, err := map[string]func(*caller, string) (Forge, error){"github": newGitHub, "gitlab": newGitLab,
				"gitea": newGitea, bitbucket: newBitbucket, azureDevOps: newAzure}[kind](c, "a/b")
			if err != nil {
				t.Fatal(err)
			}
			out, err := Ensure(t.Context(), forge, Wanted{Head: "l10n", Base: "main", Title: "t", Body: "b"}, Memory{})
			if _, typed := errors.AsType[*Error](err); err != nil && !typed {
				t.Errorf("%s: %v", kind, err)
			}
			if err == nil && out.Number <= 0 {
				t.Errorf("%s: %q is believed: %+v", kind, body, out)
			}
		}
	})
}

// An answer is measured before it is decoded: what it takes in memory is no more than a few times its bytes.
func TestHeavyAnswers(t *testing.T) {
	for name, body := range map[string]string{
		"many values": "[" + strings.Repeat("{},", 5<<20) + "{}]",
		"large":       `["` + strings.Repeat("x", maxAnswer) + `"]`,
		"nested":      strings.Repeat("[", 1<<20),
	} {
		for _, status := range []int{http.StatusOK, http.StatusUnprocessableEntity} {
			c, err := newCaller(Options{Kind: "gitlab", URL: "https://git.example.com", Token: "t0ken"})
			if err != nil {
				t.Fatal(err)
			}
			c.client.Transport = answering{status, []byte(body)}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var list []map[string]any
			_, err = c.call(t.Context(), "list", http.MethodGet, "/x", nil, nil, &list)
			runtime.ReadMemStats(&after)
			if _, typed := errors.AsType[*Error](err); !typed ||
				errors.Is(err, ErrTemporary) != (status == http.StatusOK) {
				t.Errorf("%s, %d: %v", name, status, err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 128<<20 {
				t.Errorf("%s, %d: %d MB were allocated", name, status, used>>20)
			}
		}
	}
}

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
