package projects

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/locsync/locsync/sync/service/local/api"
)

func FuzzMultipart(f *testing.F) {
	f.Add(`multipart/form-data; boundary="x"`,
		[]byte("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.json\"\r\n\r\n{}\r\n--x--\r\n"))
	f.Add(`multipart/form-data; boundary=a=b`,
		[]byte("--a=b\nContent-Disposition: form-data; filename=\"\"a\"\n\n\n--a=b--"))
	f.Add(`multipart/mixed; boundary=`, []byte("--\r\n\r\n----"))
	f.Add(`multipart/form-data; boundary=x`,
		[]byte("--x\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Disposition: x; filename*=a'b'%zz\r\n\r\n=3\r\n--x--"))
	f.Add("multipArt/\x9fBoundArY=", []byte("0")) // lower case has another length
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		r, err := http.NewRequest("POST", "/", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", contentType)
		parts, err := api.ReadParts(r)
		if err != nil {
			if _, ok := err.(*api.Problem); !ok {
				t.Fatalf("not a refusal: %v", err)
			}
			return
		}
		total := 0
		for _, p := range parts {
			total += len(p.Body)
			if len(p.File) > api.MaxFileName {
				t.Fatal("a file name beyond its bound")
			}
		}
		if total > len(body) || len(parts) > api.MaxParts {
			t.Fatalf("%d parts of %d bytes from %d", len(parts), total, len(body))
		}
		if _, _, err := modelPart(parts); err == nil && len(parts) == 0 {
			t.Fatal("a model from nothing")
		}
	})
}
