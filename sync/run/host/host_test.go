package host

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/zap"
)

// A browser that asks for the address alone is led to the page; a client of the interface is asked who it is.
func TestBrowsersAreLedToThePage(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, KeysFile), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	o := Options{Listen: "127.0.0.1:0", Data: dir, Account: "team", Log: zap.NewNop(),
		Listening: func(url string) error { address <- url; return nil }, Invited: func(string) error { return nil }}
	o.Service.CallbackRetry = 1
	go func() { ended <- Serve(ctx, o) }()
	defer func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	at := ""
	select {
	case at = <-address:
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	for _, c := range []struct {
		path, accept, to string
		status           int
	}{
		{"/", "text/html,*/*;q=0.8", "/translate/", http.StatusSeeOther},
		{"/translate", "text/html,*/*;q=0.8", "/translate/", http.StatusSeeOther},
		{"/", "*/*", "", http.StatusUnauthorized},
		{"/api/integration/v1/account", "text/html,*/*;q=0.8", "", http.StatusUnauthorized},
	} {
		r, err := http.NewRequest(http.MethodGet, at+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", c.accept)
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		to := ""
		if location, err := answer.Location(); err == nil {
			to = location.Path
		}
		if answer.StatusCode != c.status || to != c.to {
			t.Errorf("GET %s with %s: %d to %q, want %d to %q", c.path, c.accept, answer.StatusCode, to, c.status, c.to)
		}
	}
}
