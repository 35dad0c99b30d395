package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"strings"
	"sync"
	"unicode"

	"github.com/locsync/locsync/sync/bound/fault"
)

// File is a file on its way to the service. It is sent as it is read; nothing of it is kept.
type File struct {
	Name string // as the service is to know it; folders with slashes
	Size int64  // of Content from its present offset: no more and no less is sent
	// Content is read during the call only, and by the call only. Where it is an io.Seeker, a request that the
	// service certainly did not take (no connection, 429), or one that may be repeated, is sent again from the
	// start; else the call ends with the first such answer.
	Content io.Reader
}

// Form is a multipart body whose files are read while it is sent. Its length is known beforehand, since not
// every service takes a body without one.
type Form struct {
	contentType string
	size        int64
	chunks      []chunk
	unasked     bool      // it is sent without asking first, because a proxy does not understand the question (417)
	last        *formBody // the one that was opened last; nil: none yet
}

// chunk is a stretch of the body: bytes, or a file.
type chunk struct {
	frame []byte
	file  *File
	start int64 // where the file's content began; -1 where it cannot be sought
}

// Part is one part of a form: a model, or a file.
type Part struct {
	name  string
	kind  string // content type
	model any    // marshalled where file is nil
	file  *File
}

// NewForm lays out a body. An error says what about a part is not fit to be sent.
func NewForm(parts ...Part) (*Form, error) {
	f := &Form{}
	var frame bytes.Buffer
	w := multipart.NewWriter(&frame)
	for _, p := range parts {
		header := textproto.MIMEHeader{}
		if p.file == nil {
			header.Set("Content-Disposition", `form-data; name="`+p.name+`"`)
		} else {
			if err := checkFile(p.file); err != nil {
				return nil, err
			}
			header.Set("Content-Disposition", multipart.FileContentDisposition(p.name, p.file.Name))
		}
		header.Set("Content-Type", p.kind)
		part, err := w.CreatePart(header)
		if err != nil {
			return nil, err
		}
		if p.file != nil {
			f.add(chunk{frame: bytes.Clone(frame.Bytes())})
			f.add(chunk{file: p.file, start: position(p.file.Content)})
			frame.Reset()
			continue
		}
		model, err := json.Marshal(p.model)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(model); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	f.add(chunk{frame: frame.Bytes()})
	f.contentType = w.FormDataContentType()
	return f, nil
}

// ModelPart is the part that holds a JSON model.
func ModelPart(name string, model any) Part {
	return Part{name: name, kind: jsonType, model: model}
}

// FilePart is the part that holds a file.
func FilePart(name string, file *File) Part { return Part{name: name, kind: anyFile, file: file} }

// anyFile is the content type of a file that may hold anything.
const anyFile = "application/octet-stream"

func checkFile(f *File) error {
	switch {
	case f.Name == "" || strings.ContainsFunc(f.Name, unicode.IsControl):
		return fmt.Errorf("file name %q: want a name without control characters", f.Name)
	case f.Content == nil:
		return fmt.Errorf("file %s has no content", f.Name)
	case f.Size < 0:
		return fmt.Errorf("file %s: its size is %d; say how long it is", f.Name, f.Size)
	}
	return nil
}

// position is the present offset of a content, -1 where it cannot be brought back there.
func position(content io.Reader) int64 {
	if s, ok := content.(io.Seeker); ok {
		if at, err := s.Seek(0, io.SeekCurrent); err == nil {
			return at
		}
	}
	return -1
}

func (f *Form) add(c chunk) {
	f.size += int64(len(c.frame))
	if c.file != nil {
		f.size += c.file.Size
	}
	f.chunks = append(f.chunks, c)
}

// open gives the body from its start. It fails where the content was begun before and cannot be sought.
func (f *Form) open() (*formBody, error) {
	if err := f.Rewind(); err != nil {
		return nil, err
	}
	readers := make([]io.Reader, len(f.chunks))
	for i, c := range f.chunks {
		readers[i] = bytes.NewReader(c.frame)
		if c.file != nil {
			readers[i] = &exactly{file: c.file, left: c.file.Size}
		}
	}
	f.last = &formBody{all: io.MultiReader(readers...)}
	return f.last, nil
}

// Rewind brings every file back to its start, if anything was read of the body.
func (f *Form) Rewind() error {
	if f.last == nil || !f.last.touched() {
		return nil
	}
	for _, c := range f.chunks {
		if c.file == nil {
			continue
		}
		s, ok := c.file.Content.(io.Seeker)
		if !ok || c.start < 0 {
			return fmt.Errorf("%s cannot be read a second time, so it is not sent again", c.file.Name)
		}
		if _, err := s.Seek(c.start, io.SeekStart); err != nil {
			return fmt.Errorf("read %s again: %w", c.file.Name, err)
		}
	}
	f.last = nil
	return nil
}

// formBody is one reading of a form, by a transport that may go on with it after it has brought the answer.
type formBody struct {
	mu    sync.Mutex
	all   io.Reader
	begun bool
	err   error // of the content, not of the line
	over  bool
}

var errBodyOver = errors.New("the call is over")

// Read gives the next bytes, until the call is over.
func (b *formBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.over:
		return 0, errBodyOver
	case b.err != nil:
		return 0, b.err
	}
	b.begun = true
	n, err := b.next(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// next reads on a goroutine of the transport, where a fault would end the process.
func (b *formBody) next(p []byte) (n int, err error) {
	defer fault.Catch("the body of a request to the service", &err)
	return b.all.Read(p)
}

// Close is for the transport, which owns the body; the contents are the caller's and stay open.
func (b *formBody) Close() error { return nil }

// detach ends the reading: when it returns, the contents are the caller's again. err is what went wrong with them.
func (b *formBody) detach() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	return b.err
}

func (b *formBody) touched() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.begun
}

// exactly reads a file's content, which must have the size that was announced.
type exactly struct {
	file *File
	left int64
}

func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, e.end()
	}
	n, err := e.file.Content.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	switch {
	case err == io.EOF && e.left > 0:
		return n, fmt.Errorf("%s ends %d bytes before the %d that were announced", e.file.Name, e.left, e.file.Size)
	case err != nil && err != io.EOF:
		return n, fmt.Errorf("read %s: %w", e.file.Name, err)
	}
	return n, nil
}

// end makes sure that nothing follows.
func (e *exactly) end() error {
	var one [1]byte
	for {
		switch n, err := e.file.Content.Read(one[:]); {
		case n > 0:
			return fmt.Errorf("%s is longer than the %d bytes that were announced", e.file.Name, e.file.Size)
		case err == io.EOF:
			return io.EOF
		case err != nil:
			return fmt.Errorf("read %s: %w", e.file.Name, err)
		}
	}
}
