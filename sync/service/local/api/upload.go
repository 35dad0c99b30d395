package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/locsync/locsync/sync/bound/fault"
)

// Upload passes a file on to a call, as a part of its body, as it comes. What the call says against it is a Problem.
func Upload(ctx context.Context, calls http.Handler, path, part, name string, file io.Reader) error {
	read, write := io.Pipe()
	defer read.Close()
	body := multipart.NewWriter(write)
	go func() {
		var err error
		defer func() { write.CloseWithError(errors.Join(err, body.Close())) }() // nil is the end
		defer fault.Catch("a file for a call", &err)
		to, err := body.CreateFormFile(part, name)
		if err == nil {
			_, err = io.Copy(to, file)
		}
	}()
	within, err := http.NewRequestWithContext(ctx, http.MethodPost, path, read)
	if err != nil {
		return err
	}
	within.Header.Set("Content-Type", body.FormDataContentType())
	within.ContentLength = -1
	answer := &answered{header: http.Header{}, status: http.StatusOK}
	calls.ServeHTTP(answer, within)
	if answer.status/100 == 2 {
		return nil
	}
	var said struct{ Detail, Message, Title string }
	_ = json.Unmarshal(answer.body.Bytes(), &said) // else there is nothing to say
	detail := said.Detail
	if detail == "" {
		detail = "The file was not taken."
	}
	return Refuse(answer.status, "%s", detail)
}

// answered keeps the answer of a call.
type answered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answered) Header() http.Header { return a.header }

func (a *answered) WriteHeader(status int) { a.status = status }

func (a *answered) Write(b []byte) (int, error) { return a.body.Write(b) }
