package service_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/locsync/locsync/sync/service"
)

// A download tells how far it is: ever more, and at its end all of it, of as much as the service said.
func TestDownloading(t *testing.T) {
	body := bytes.Repeat([]byte(`{"a": "A"}`+"\n"), 60_000)
	for _, known := range []bool{true, false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if known {
				w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			}
			for part := range bytes.Lines(body) {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		}))
		client, err := service.New(service.Options{BaseURL: server.URL, AccountID: "acc", APIKey: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		var seen []int64
		var of int64
		ctx := service.Downloading(t.Context(), func(done, total int64) { seen, of = append(seen, done), total })
		archive, err := client.Strings().TryDownload(ctx, "11111111-2222-3333-4444-555555555555", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := archive.Close(); err != nil {
			t.Error(err)
		}
		client.Close()
		server.Close()
		for i := 1; i < len(seen); i++ {
			if seen[i] < seen[i-1] {
				t.Errorf("it goes back: %v", seen)
			}
		}
		if len(seen) < 3 || seen[len(seen)-1] != int64(len(body)) {
			t.Errorf("length known %t: told %v, want up to %d", known, seen, len(body))
		}
		if want := map[bool]int64{true: int64(len(body)), false: 0}[known]; of != want {
			t.Errorf("length known %t: of %d, want %d", known, of, want)
		}
	}
}
