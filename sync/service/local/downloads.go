package local

import (
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/wire"
)

// routes are the calls that are answered here, by path.
func (r *runner) routes() map[string]methods {
	return map[string]methods{
		wire.PathDownload: {"GET": r.download},
	}
}

// download answers GET /v1/document/export/{exportId}: 204 while the export is not ready, the file once it is, as often as it is asked
// for; 404 for an unknown or forgotten identifier, 422 for an export that failed.
func (r *runner) download(c *call) error {
	j, err := r.find(c.pathValue(wire.ExportID), kindExport, kindDocumentExport)
	if err != nil {
		return err
	}
	switch j.Status {
	case wire.Failed:
		return refuse(http.StatusUnprocessableEntity, "the export failed: %s", j.Failure)
	case wire.Completed:
	default:
		return c.empty(http.StatusNoContent)
	}
	f, err := os.Open(r.resultPath(j.ID))
	if err != nil {
		return err
	}
	defer f.Close()
	return c.file(f, j.Result.ContentType, j.Result.Name)
}

// file answers with a file, to be saved under a name.
func (c *call) file(f *os.File, contentType, name string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	h := c.writer.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	h.Set("Content-Disposition", attachment(name))
	h.Set("X-Content-Type-Options", "nosniff")
	c.writer.WriteHeader(http.StatusOK)
	io.Copy(c.writer, f) // a reader that hangs up has to ask again
	return nil
}

// attachment names a file twice: for readers that know ASCII only, and in full.
func attachment(name string) string {
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
