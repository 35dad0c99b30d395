package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
	"pgregory.net/rapid"
)

// onlyReader hides that a content can be read again.
type onlyReader struct{ io.Reader }

// zeros is a content of any length that needs no memory.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	clear(p[:n])
	z.left -= n
	return int(n), nil
}

// partsOf reads a body as the service does.
func partsOf(t *testing.T, s seen) map[string]string {
	t.Helper()
	_, params, err := mime.ParseMediaType(s.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	r := multipart.NewReader(strings.NewReader(s.Body), params["boundary"])
	for {
		p, err := r.NextRawPart()
		if err == io.EOF {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(p)
		_, disposition, _ := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
		parts[p.FormName()+" "+disposition["filename"]] = string(b)
	}
}

// add is a call with a file that is not repeated when its answer is lost.
func add(ctx context.Context, c *Client, file File) error {
	_, err := c.Projects().Create(ctx, NewProject{
		Name: "n", SourceLanguage: "en", TargetLanguages: []string{"de"}, Documents: true, Files: []NewDocument{{File: file}},
	})
	return err
}

// upload is a call with a file that is.
func upload(ctx context.Context, c *Client, file File) (name string, err error) {
	body, err := NewForm(FilePart("file", &file))
	if err != nil {
		return "", err
	}
	var stored struct{ Name string }
	err = c.Do(ctx, Call{
		Op: "upload file", Method: http.MethodPut, Path: wire.PathStorageFile + "a",
		Form: body, Repeatable: true, Changes: true, Read: JSON(&stored),
	})
	return stored.Name, err
}

// fetch hands an answer on as it comes.
func fetch(ctx context.Context, c *Client, w io.Writer) (written int64, err error) {
	err = c.Do(ctx, Call{
		Op: "download file", Method: http.MethodGet, Path: wire.PathStorageFile +
			"a", Repeatable: true, Read: Copy(w, &written),
	})
	return written, err
}

// Whatever the contents, in whatever pieces they are read: the announced length is the length, and every part arrives
// as it was.
func TestFormLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		contents := rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 1, 4).Draw(rt, "contents")
		parts := []Part{ModelPart("model", map[string]int{"a": 1})}
		for i, c := range contents {
			content := []io.Reader{bytes.NewReader(c), iotest.OneByteReader(bytes.NewReader(c)),
				iotest.DataErrReader(bytes.NewReader(c))}[i%3]
			parts = append(parts, Part{name: "file", kind: anyFile, file: &File{Name: fmt.Sprintf(`dir/ü "%d".txt`, i),
				Size: int64(len(c)), Content: content}})
		}
		f, err := NewForm(parts...)
		if err != nil {
			rt.Fatal(err)
		}
		body, err := f.open()
		if err != nil {
			rt.Fatal(err)
		}
		sent, err := io.ReadAll(body)
		if err != nil || int64(len(sent)) != f.size {
			rt.Fatalf("%d bytes, %d announced, %v", len(sent), f.size, err)
		}
		got := partsOf(t, seen{Header: http.Header{"Content-Type": {f.contentType}}, Body: string(sent)})
		if got["model "] != `{"a":1}` || len(got) != len(contents)+1 {
			rt.Fatalf("parts %q", got)
		}
		for i, c := range contents {
			if have, ok := got[fmt.Sprintf(`file dir/ü "%d".txt`, i)]; !ok || have != string(c) {
				rt.Fatalf("part %d: %q", i, have)
			}
		}
	})
}

// A content that can be sought is sent again, from where it stood; another one ends the call with what the service
// said.
func TestUploadAgain(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name string
		step step
		err  error
	}{{"429", say(429, "", "Retry-After", "0"), ErrRate}, {"502", say(502, ""), ErrTemporary}} {
		t.Run(fault.name, func(t *testing.T) {
			s := serve(t, fault.step, say(201, `{"name":"a"}`))
			content := strings.NewReader("behind|content")
			_, _ = content.Seek(7, io.SeekStart)
			if _, err := upload(t.Context(), s.Client(t), File{"a", 7, content}); err != nil {
				t.Fatal(err)
			}
			calls := s.Seen()
			if len(calls) != 2 || calls[0].Body != calls[1].Body || partsOf(t, calls[1])["file a"] != "content" {
				t.Errorf("%d requests, the last %q", len(calls), calls[len(calls)-1].Body)
			}
			s = serve(t, fault.step, say(201, `{"name":"a"}`))
			_, err := upload(t.Context(), s.Client(t), File{"a", 7, onlyReader{strings.NewReader("content")}})
			if !errors.Is(err, fault.err) || len(s.Seen()) != 1 || !strings.Contains(err.Error(), "a second time") {
				t.Errorf("%d requests, %v", len(s.Seen()), err)
			}
		})
	}
}

// A large file is not sent to a service that does not want it: what is refused costs nothing, and can be repeated
// whatever the content is.
func TestLargeUploadRefusedUnread(t *testing.T) {
	t.Parallel()
	n, length := 0, int64(0)
	server := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		length, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"name":"a"}`)
	})
	_, err := upload(t.Context(), (&script{Server: server}).Client(t), File{"a", 8 << 20, &zeros{8 << 20}})
	if err != nil || n != 2 || length < 8<<20 {
		t.Errorf("%d requests, %d bytes arrived, %v", n, length, err)
	}
}

// A proxy that does not understand the question before a large file gets the file without it.
func TestLargeUploadUnasked(t *testing.T) {
	n := 0
	server := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		if r.Header.Get("Expect") != "" {
			w.WriteHeader(http.StatusExpectationFailed)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"id":"p"}`)
	})
	err := add(t.Context(), (&script{Server: server}).Client(t), File{"a", 2 << 20, &zeros{2 << 20}})
	if err != nil || n != 2 {
		t.Errorf("%d requests, %v", n, err)
	}
}

// What is shorter or longer than announced, or cannot be read, does not count as sent: nothing to doubt, nothing to
// repeat, and no fault of the service.
func TestUploadOfAnotherLength(t *testing.T) {
	broken := errors.New("disk on fire")
	for name, c := range map[string]struct {
		file File
		says string
	}{
		"too short":  {File{"a", 8, strings.NewReader("content")}, "ends 1 bytes before"},
		"too long":   {File{"a", 6, strings.NewReader("content")}, "longer than the 6 bytes"},
		"unreadable": {File{"a", 1 << 20, iotest.ErrReader(broken)}, "disk on fire"},
	} {
		s := serve(t, say(200, `{"id":"p"}`))
		client := s.Client(t)
		err := add(t.Context(), client, c.file)
		if err == nil || !strings.Contains(err.Error(), c.says) || errors.Is(err, ErrTemporary) ||
			errors.Is(err, ErrUnknownOutcome) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := client.Projects().Read(t.Context(), "p"); errors.Is(err, ErrTemporary) &&
			strings.Contains(err.Error(), "repeatedly") {
			t.Errorf("%s: the breaker is open", name)
		}
	}
	for _, file := range []File{{"", 1, strings.NewReader("a")}, {"a\r\nX: y", 1, strings.NewReader("a")},
		{"a", 1, nil}, {"a", -1, strings.NewReader("a")}} {
		s := serve(t, say(200, `[]`))
		if err := add(t.Context(), s.Client(t), file); err == nil || len(s.Seen()) != 0 {
			t.Errorf("%+v: %d requests, %v", file, len(s.Seen()), err)
		}
	}
}

// When the call returns, its contents are not read any more, though the service answered before it had them, or never
// reads them.
func TestContentMayBeChangedByTheCaller(t *testing.T) {
	early := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		_ = http.NewResponseController(w).Flush()
		time.Sleep(20 * time.Millisecond) // so that the transport has something left to send
	})
	s := &script{}
	s.Server = newServer(t, early)
	var over atomic.Bool
	content := readerFunc(func(p []byte) (int, error) {
		if over.Load() {
			t.Error("read after the call")
		}
		return len(p), nil
	})
	_, err := upload(t.Context(), s.Client(t), File{"a", 1 << 30, onlyReader{content}})
	over.Store(true)
	if err == nil {
		t.Error("1 GB was taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.Server = newServer(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
		cancel()
	})
	over.Store(false)
	_, err = upload(ctx, s.Client(t), File{"a", 1 << 30, onlyReader{content}})
	over.Store(true)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	time.Sleep(20 * time.Millisecond)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// 64 MB go up and come down again while the memory in use stays what it was.
func TestSizeCostsNoMemory(t *testing.T) {
	const size = 64 << 20
	server := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Length", fmt.Sprint(size))
			_, _ = io.Copy(w, &zeros{size})
			return
		}
		n, err := io.Copy(io.Discard, r.Body)
		if n < size || n != r.ContentLength || err != nil {
			t.Errorf("%d of %d bytes, %v", n, r.ContentLength, err)
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"name":"a"}`)
	})
	c := (&script{Server: server}).Client(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := upload(t.Context(), c, File{"a", size, &zeros{size}}); err != nil {
		t.Fatal(err)
	}
	if n, err := fetch(t.Context(), c, io.Discard); n != size || err != nil {
		t.Fatal(n, err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d MB were allocated for %d", grown>>20, size>>20)
	}
}

// A writer that fails is no fault of the service.
func TestFullDisk(t *testing.T) {
	s := serve(t, say(200, "content"))
	full := writerFunc(func([]byte) (int, error) { return 0, os.ErrPermission })
	_, err := fetch(t.Context(), s.Client(t), full)
	if !errors.Is(err, os.ErrPermission) || errors.Is(err, ErrTemporary) || len(s.Seen()) != 1 {
		t.Errorf("%d requests, %v", len(s.Seen()), err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
