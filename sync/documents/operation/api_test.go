package operation

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// session is one with a service of the test's own.
func session(t *testing.T, answer http.HandlerFunc) *Session {
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	c, err := service.New(service.Options{BaseURL: server.URL, AccountID: "account", APIKey: "a-key-for-tests"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &Session{Client: c, ID: "p-1", State: t.TempDir(), In: strings.NewReader(`{"from":"stdin"}`),
		Show:    func(report.Doing) {},
		Patient: func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }}
}

// operationOf is one operation with flags that have values.
func operationOf(t *testing.T, name string, flags map[string]any) *Operation {
	for _, o := range All() {
		if o.Name != name {
			continue
		}
		for _, f := range o.Flags {
			switch v := flags[f.Name].(type) {
			case string:
				*f.Value.(*string) = v
			case []string:
				*f.Value.(*[]string) = v
			}
		}
		return o
	}
	t.Fatalf("there is no operation %q", name)
	return nil
}

// A request that failed is made again where that does no harm; a POST that may have been carried out is not.
func TestAPIRepeats(t *testing.T) {
	for method, want := range map[string]int{"GET": 2, "PUT": 2, "DELETE": 2, "POST": 1} {
		requests := 0
		s := session(t, func(w http.ResponseWriter, r *http.Request) {
			if requests++; requests == 1 {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			fmt.Fprint(w, `{"fine":true}`)
		})
		r, err := operationOf(t, "api", nil).Run(t.Context(), s, []string{method, "/v1/thing"})
		if requests != want || (err == nil) != (want == 2) {
			t.Errorf("%s: %d requests, not %d; %+v, %v", method, requests, want, r, err)
		}
		if err != nil && process.Lasting(err) {
			t.Errorf("%s: %v counts as lasting", method, err)
		}
	}
}

// What a call is made of.
func TestAPIRequests(t *testing.T) {
	var seen string
	s := session(t, func(w http.ResponseWriter, r *http.Request) {
		user, key, _ := r.BasicAuth()
		body := make([]byte, 200)
		n, _ := r.Body.Read(body)
		seen = fmt.Sprintf("%s %s %s %s:%s", r.Method, r.URL, body[:n], user, key)
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "plain\ntext")
	})
	for _, c := range []struct {
		args  string
		flags map[string]any
		want  string
	}{
		{"get v1/a", map[string]any{"field": []string{"n=1,2", "n=b c"}, "query": []string{"q=&"}},
			"GET /v1/a?n=1%2C2&n=b+c&q=%26 "},
		{"POST /v1/a?x=1", map[string]any{"field": []string{"n=1"}, "query": []string{"y=2"}},
			`POST /v1/a?x=1&y=2 {"n":"1"}`},
		{"PUT /v1/project/{projectId}", map[string]any{"input": "-"}, `PUT /v1/project/p-1 {"from":"stdin"}`},
		{"DELETE " + wire.Prefix + "/v1/a%20b", nil, "DELETE /v1/a%20b "},
		{"POST /v1/a", nil, "POST /v1/a "},
	} {
		r, err := operationOf(t, "api", c.flags).Run(t.Context(), s, strings.Fields(c.args))
		want := strings.Replace(c.want, " /v1", " "+wire.Prefix+"/v1", 1) + " account:a-key-for-tests"
		if err != nil || seen != want {
			t.Errorf("%s: %v, %q, want %q", c.args, err, seen, want)
		}
		if d := r.Document.(Answer); d.Status != 200 || string(d.Body) != `"plain\ntext"` || r.Text != "plain\ntext\n" {
			t.Errorf("%s: %+v, %q", c.args, d, r.Text)
		}
	}
	file := filepath.Join(t.TempDir(), "out")
	r, err := operationOf(t, "api", map[string]any{"output": file}).Run(t.Context(), s, []string{"GET", "/v1/a"})
	if d, is := r.Document.(Answer); err != nil || !is || d.File != file || d.Bytes != 10 || d.Status != 200 {
		t.Errorf("%+v, %v", r.Document, err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "plain\ntext" {
		t.Errorf("%q, %v", text, err)
	}
}

// A path leads to the service and nowhere else.
func TestAPIPaths(t *testing.T) {
	s := session(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was asked for", r.URL) })
	for _, path := range []string{"https://elsewhere.example/v1", "//elsewhere.example/v1",
		`\\x`, "/v1/../../x", "/v1/./x",
		"/v1/%2E%2e/x", "/v1/%zz", "/v1/a b", "/v1/a\r\nX: y", "/v1/a#b", "/v1/%5c..", "/v1/{taskId}",
		"/v1?a=%zz", "elsewhere.example:80/http://x"} {
		if _, err := operationOf(t, "api", nil).Run(t.Context(), s, []string{"GET", path}); !process.Lasting(err) {
			t.Errorf("%q: %v", path, err)
		}
	}
	s.ID = ""
	if _, err := operationOf(t, "api", nil).Run(t.Context(), s,
		[]string{"GET", "/v1/project/{projectId}"}); !process.Lasting(err) {
		t.Errorf("without a project: %v", err)
	}
}

// Every operation can be shown, and says what its arguments are.
func TestOperations(t *testing.T) {
	names := map[string]bool{}
	for _, o := range All() {
		if names[o.Name] || o.Short == "" || o.Run != nil && o.Example == "" || o.Least > 0 && o.Wants == "" ||
			(o.Most == 0 && o.Least == 0) != (o.Args == "") {
			t.Errorf("%+v", o)
		}
		names[o.Name] = true
	}
}
