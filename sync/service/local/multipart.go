package local

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
)

// Bounds of what a call may carry.
const (
	maxImport   = 128 << 20 // bytes of an import, all files together
	maxModel    = 4 << 20   // bytes of a JSON body or part
	maxParts    = 10_000    // parts of a multipart body
	maxFileName = 1024      // bytes of a file name
)

// part is one part of a multipart body. The part's own content type means nothing: clients label files as JSON and JSON as text.
type part struct {
	name   string // of the form field; a hint only
	file   string // the file name as it was sent, folders and all; empty for a part that is no file
	isFile bool
	body   []byte
}

// readParts reads a multipart body whatever the order, names and quoting of its parts. A body that is not multipart gives no parts and no
// error: what is missing then is for the caller to say. Every error is a 400 or the body's size limit.
func readParts(r *http.Request) ([]part, error) {
	boundary, ok := boundaryOf(r.Header.Get("Content-Type"))
	if !ok {
		return nil, nil
	}
	if boundary == "" {
		return nil, refuse(http.StatusBadRequest, "Content-Type: multipart without a boundary")
	}
	body := multipart.NewReader(r.Body, boundary)
	var parts []part
	for {
		p, err := body.NextPart()
		if err == io.EOF {
			return parts, nil
		}
		if err != nil {
			return nil, multipartError(err)
		}
		if len(parts) == maxParts {
			return nil, refuse(http.StatusBadRequest, "the body has more than %d parts; send it in several calls", maxParts)
		}
		var content bytes.Buffer
		if _, err := io.Copy(&content, p); err != nil {
			return nil, multipartError(err)
		}
		name, file, isFile := disposition(p.Header.Get("Content-Disposition"))
		if len(file) > maxFileName {
			return nil, refuse(http.StatusBadRequest, "a file name has more than %d bytes", maxFileName)
		}
		if isFile && file == "" && content.Len() == 0 {
			continue // what a browser sends for a file field that was left empty
		}
		parts = append(parts, part{name: name, file: file, isFile: isFile, body: content.Bytes()})
	}
}

// multipartError keeps what the server says about sizes and cut connections, and calls everything else a bad request.
func multipartError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	return refuse(http.StatusBadRequest, "the multipart body cannot be read: %v", err)
}

// boundaryOf returns the boundary of a multipart content type, quoted or not. Some clients write it with characters that
// need quotes and leave the quotes out, so what the strict reader refuses is cut out by hand.
func boundaryOf(contentType string) (boundary string, multipart bool) {
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

// disposition takes a part's Content-Disposition apart. The strict reader comes first; it refuses names with raw control characters
// or unbalanced quotes, for which the names are cut out by hand.
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

// files are the parts that are files.
func files(parts []part) []part {
	var out []part
	for _, p := range parts {
		if p.isFile {
			out = append(out, p)
		}
	}
	return out
}

// readBody reads a whole small body.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	if err != nil && !errors.As(err, &tooLarge) {
		return nil, refuse(http.StatusBadRequest, "the body cannot be read: %v", err)
	}
	return b, err
}
