package api

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/locsync/locsync/sync/bound/serve"
)

// Bounds of what a call may carry.
const (
	maxHeld     = 128 << 20 // bytes of bodies in memory, all calls together
	large       = 16 << 20  // bytes of a body that takes much of the memory
	MaxImport   = 128 << 20 // bytes of an import, all files together
	MaxModel    = 4 << 20   // bytes of a JSON body or part
	MaxParts    = 10_000    // parts of a multipart body
	MaxFileName = 1024      // bytes of a file name
)

// Part is one part of a multipart body. The part's own content type means nothing: clients label files as JSON and
// JSON as text.
type Part struct {
	Name   string // of the form field; a hint only
	File   string // the file name as it was sent, folders and all; empty for a part without a file
	IsFile bool
	Body   []byte
}

// ReadParts reads a multipart body whatever the order, names and quoting of its parts. A body that is not multipart
// gives no parts and no error: what is missing then is for the caller to say. Every error is a 400 or the body's size
// limit.
func ReadParts(r *http.Request) ([]Part, error) {
	var parts []Part
	err := EachPart(r, func(p Part, content io.Reader) error {
		var err error
		p.Body, err = readWhole(content)
		parts = append(parts, p)
		return err
	})
	return parts, err
}

// EachPart calls do with each part, whose body is still to be read from content; errors of content are for bodyError.
// What a browser sends for a file field that was left empty is passed over.
func EachPart(r *http.Request, do func(p Part, content io.Reader) error) error {
	boundary, ok := BoundaryOf(r.Header.Get("Content-Type"))
	if !ok {
		return nil
	}
	if boundary == "" {
		return Refuse(http.StatusBadRequest, "Content-Type: multipart without a boundary")
	}
	body := multipart.NewReader(r.Body, boundary)
	for n := 0; ; n++ {
		raw, err := body.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return BodyError(err)
		}
		if n == MaxParts {
			return Refuse(http.StatusBadRequest, "the body has more than %d parts; send it in several calls", MaxParts)
		}
		p := Part{}
		p.Name, p.File, p.IsFile = disposition(raw.Header.Get("Content-Disposition"))
		if len(p.File) > MaxFileName {
			return Refuse(http.StatusBadRequest, "a file name has more than %d bytes", MaxFileName)
		}
		content := bufio.NewReader(raw)
		if p.IsFile && p.File == "" {
			if _, err := content.Peek(1); err == io.EOF {
				continue
			}
		}
		if err := do(p, content); err != nil {
			return err
		}
	}
}

// BodyError keeps what was said about sizes, and calls everything else that can happen while a body is read a bad
// request.
func BodyError(err error) error {
	var tooLarge *http.MaxBytesError
	var said *Problem
	switch {
	case errors.As(err, &tooLarge), errors.As(err, &said):
		return err
	case errors.Is(err, serve.ErrFull):
		return &Problem{Status: http.StatusServiceUnavailable, retry: "5",
			Detail: "too many large bodies at once; send this one again later"}
	}
	return Refuse(http.StatusBadRequest, "the body cannot be read: %v", err)
}

// Sent tells the sender's errors from those of the disk that what was sent is copied to.
type Sent struct{ io.Reader }

func (r Sent) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = BodyError(err)
	}
	return n, err
}

// BoundaryOf returns the boundary of a multipart content type, quoted or not. Some clients write it with characters
// that need quotes and leave the quotes out, so what the strict reader refuses is cut out by hand.
func BoundaryOf(contentType string) (boundary string, multipart bool) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err == nil {
		return params["boundary"], strings.HasPrefix(kind, "multipart/")
	}
	at := looseBoundary.FindStringSubmatch(contentType)
	if at == nil {
		return "", looseMultipart.MatchString(contentType)
	}
	return strings.TrimSpace(at[1] + at[2]), true
}

var (
	looseMultipart = regexp.MustCompile(`(?i)^\s*multipart/`)
	looseBoundary  = regexp.MustCompile(`(?i)^\s*multipart/.*?;\s*boundary=(?:"([^"]*)"|([^;]*))`)
)

// disposition takes a part's Content-Disposition apart. The strict reader comes first; it refuses names with raw
// control characters or unbalanced quotes, for which the names are cut out by hand.
func disposition(header string) (name, file string, isFile bool) {
	_, params, err := mime.ParseMediaType(header)
	if err != nil {
		params = map[string]string{}
		for piece := range strings.SplitSeq(header, ";") {
			k, v, found := strings.Cut(piece, "=")
			if found {
				params[strings.ToLower(strings.TrimSpace(k))] = strings.Trim(strings.TrimSpace(v), `"`)
			}
		}
	}
	file, isFile = params["filename"]
	return params["name"], strings.ToValidUTF8(file, "\uFFFD"), isFile
}

// Files are the parts that are files.
func Files(parts []Part) []Part {
	var out []Part
	for _, p := range parts {
		if p.IsFile {
			out = append(out, p)
		}
	}
	return out
}

// Bound refuses a body that says it is larger than limit before anything of it is read, and one that turns out to be
// when it is. held is for a body that the caller keeps in memory: it counts towards maxHeld until the call is over.
func (c *Call) Bound(limit int64, held bool) error {
	if c.Request.ContentLength > limit {
		return &http.MaxBytesError{Limit: limit}
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, limit)
	if held && (c.Request.ContentLength > large || c.Request.ContentLength < 0) {
		debug.FreeOSMemory() // of the large body before: both would be in memory until the collector runs
	}
	if held {
		c.Request.Body, c.give = c.bodies.Keep(c.Request.Body)
	}
	return nil
}

// readWhole reads to the end, in pieces: a body that is refused after many of them was not copied again and again to
// make room for more.
func readWhole(r io.Reader) ([]byte, error) {
	var pieces [][]byte
	for size := 1 << 10; ; size = min(2*size, 1<<20) {
		piece := make([]byte, 0, size)
		for len(piece) < size {
			n, err := r.Read(piece[len(piece):size])
			piece = piece[:len(piece)+n]
			switch {
			case err == io.EOF && pieces == nil:
				return piece, nil
			case err == io.EOF:
				return bytes.Join(append(pieces, piece), nil), nil
			case err != nil:
				return nil, BodyError(err)
			}
		}
		pieces = append(pieces, piece)
	}
}

// release gives back what the call's body held.
func (c *Call) release() {
	if c.give != nil {
		c.give()
	}
}

// ReadBody reads a whole small body.
func ReadBody(c *Call, limit int64) ([]byte, error) {
	if err := c.Bound(limit, true); err != nil {
		return nil, err
	}
	return readWhole(c.Request.Body)
}

// ModelAndFiles reads a multipart body: the JSON of the model, nil when there is none, and the files.
func ModelAndFiles(c *Call, limit int64) (model []byte, sent []Part, err error) {
	if err := c.Bound(limit, true); err != nil {
		return nil, nil, err
	}
	parts, err := ReadParts(c.Request)
	if err != nil {
		return nil, nil, err
	}
	found := false
	for _, p := range parts {
		switch {
		case p.IsFile && !IsModelName(p.Name):
			sent = append(sent, p)
		case found:
			return nil, nil, Invalid(p.Name, "the body has two parts with a model; send one")
		default:
			model, found = p.Body, true
		}
	}
	return model, sent, nil
}
