package api

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/service/wire"
)

// Call is one request on its way through a handler.
type Call struct {
	Request *http.Request
	Writer  http.ResponseWriter
	Params  Params
	bodies  *serve.Memory
	give    func() // gives back what the body held; nil for nothing
}

// Answer answers with a JSON value.
func (c *Call) Answer(status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	c.Writer.Header().Set("Content-Type", "application/json")
	c.Writer.WriteHeader(status)
	c.Writer.Write(body)
	return nil
}

// Reply answers with a value where nothing went wrong.
func (c *Call) Reply(value any, err error) error {
	if err != nil {
		return err
	}
	return c.Answer(http.StatusOK, value)
}

// Done answers a call that is done, where nothing went wrong.
func (c *Call) Done(err error) error {
	if err != nil {
		return err
	}
	return c.Empty(http.StatusNoContent)
}

// PathValue is the value of a placeholder of the path.
func (c *Call) PathValue(name string) string { return c.Request.PathValue(name) }

// Empty answers without a body.
func (c *Call) Empty(status int) error {
	c.Writer.WriteHeader(status)
	return nil
}

// File answers with a file, to be saved under a name.
func (c *Call) File(f *os.File, contentType, name string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	h := c.Writer.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	h.Set("Content-Disposition", Attachment(name))
	h.Set("X-Content-Type-Options", "nosniff")
	c.Writer.WriteHeader(http.StatusOK)
	io.Copy(c.Writer, f) // a reader that hangs up has to ask again
	return nil
}

// Attachment names a file twice: for readers that know ASCII only, and in full.
func Attachment(name string) string {
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + ascii + `"; filename*=UTF-8''` + percentEncoded(name)
}

func percentEncoded(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(c)|0x100, 16)[1:]))
	}
	return b.String()
}

func (c *Call) ProjectParameter() (string, error) {
	id, given, err := c.Params.Word(wire.QueryProjectID)
	if err == nil && !given {
		err = Invalid(wire.QueryProjectID, "is missing")
	}
	return id, err
}
