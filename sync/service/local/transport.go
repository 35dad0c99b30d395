package local

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Transport carries the calls of a client to the service without a network: what the embedded mode hands to its client.
func (s *Service) Transport() http.RoundTripper { return transport{s} }

type transport struct{ s *Service }

var errCut = errors.New("the connection was cut before there was an answer")

// RoundTrip runs the call on the caller's goroutine and keeps the whole answer in memory.
func (t transport) RoundTrip(r *http.Request) (response *http.Response, err error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	in := r.Clone(r.Context())
	in.RequestURI = r.URL.RequestURI()
	in.RemoteAddr = "in-process"
	in.Host = r.URL.Host
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer in.Body.Close()
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			response, err = nil, errCut
		} else if p != nil {
			panic(p)
		}
	}()
	a := &answer{header: http.Header{}}
	t.s.ServeHTTP(a, in)
	a.WriteHeader(http.StatusOK)
	body := a.body.Bytes()
	if r.Method == http.MethodHead {
		body = nil
	}
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)),
		StatusCode:    a.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        a.sent,
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       r,
	}, nil
}

// answer collects what a handler writes.
type answer struct {
	header, sent http.Header
	status       int
	body         bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status, a.sent = status, a.header.Clone()
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}
