package pass_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/passtest"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
)

// zipped is an archive with one file.
func zipped(t *testing.T, name, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write([]byte(content))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// downloaded is an answer of a service to an export, as it is on this machine.
func downloaded(t *testing.T, kind string, body []byte) *service.Archive {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	client, err := service.New(service.Options{BaseURL: server.URL, AccountID: "account", APIKey: "a key of some length"})
	if err != nil {
		t.Fatal(err)
	}
	archive, err := client.Strings().TryDownload(t.Context(), "00000000-0000-0000-0000-000000000001", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// What the disk does not give back of a download says nothing about the service's texts: the answer cannot be had, and
// no file is told to be unreadable.
func TestDiskFailsDuringARead(t *testing.T) {
	const path, text = "locales/de/app.json", `{"a": "Apfel"}`
	p := passtest.Branch(t, t.TempDir(), []string{"de"})
	found, _, err := bundle.Find(fstest.MapFS{"locales/en/app.json": {Data: []byte(`{"a": "Apple"}`)}}, p.Project)
	if err != nil {
		t.Fatal(err)
	}
	ask := pass.ExportAsk{Group: bundle.Groups(found)[0], Languages: p.Project.Targets(), Completion: "draft"}
	for kind, body := range map[string][]byte{
		"application/zip": zipped(t, path, text), "application/json": []byte(text),
	} {
		archive := downloaded(t, kind, body)
		x, err := p.ReadArchive(ask, archive, new(bundle.Kept))
		if err != nil || len(x.Entries) != 1 || len(x.Problems) != 0 {
			t.Fatalf("%s: %+v %v", kind, x, err)
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		x, err = p.ReadArchive(ask, archive, new(bundle.Kept))
		if !errors.Is(err, fs.ErrClosed) || errors.Is(err, service.ErrUnusable) {
			t.Errorf("%s: %+v %v", kind, x, err)
		}
	}
}
