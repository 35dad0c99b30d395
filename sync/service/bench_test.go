package service

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A large file up and down, beside the same bytes over plain net/http, which is as fast as it can be here.
func BenchmarkLargeFile(b *testing.B) {
	const size = 64 << 20
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Length", fmt.Sprint(size))
			_, _ = io.Copy(w, &zeros{size})
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{}`)
	}))
	defer server.Close()
	c := (&script{Server: server}).Client(b)
	for _, one := range []struct {
		name string
		do   func() error
	}{
		{"upload", func() error {
			_, err := upload(b.Context(), c, File{"a", size, &zeros{size}})
			return err
		}},
		{"upload floor", func() error { return plainly(http.MethodPut, server.URL, &zeros{size}, size) }},
		{"download", func() error {
			_, err := fetch(b.Context(), c, io.Discard)
			return err
		}},
		{"download floor", func() error { return plainly(http.MethodGet, server.URL, nil, 0) }},
	} {
		b.Run(one.name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if err := one.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func plainly(method, url string, body io.Reader, size int64) error {
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		return err
	}
	req.ContentLength = size
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
