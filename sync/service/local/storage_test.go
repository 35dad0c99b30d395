package local

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

func (s *server) upload(folder string, files ...file) reply {
	s.t.Helper()
	contentType, body := multipartOf(s.t, files...)
	return s.call("PUT", wire.Prefix+wire.PathStorageFiles+folder, contentType, bytes.NewReader(body))
}

func (s *server) stored(path string) reply { return s.get(wire.PathStorageFile + path) }

// listed returns the paths of a list, in all its batches.
func (s *server) listed(prefix string) (paths []string) {
	s.t.Helper()
	for q := ""; ; {
		var batch wire.StoredFiles
		s.get(wire.PathStorageFileList+prefix+q).want(s.t, 200, &batch)
		for _, f := range batch.Items {
			paths = append(paths, f.Path)
		}
		if batch.NextBatchKey == "" {
			return paths
		}
		q = query("batchKey", batch.NextBatchKey)
	}
}

// blobs counts the files that the storage has on the disk.
func (s *server) blobs() int {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, "files"))
	if err != nil {
		s.t.Fatal(err)
	}
	return len(entries)
}

// packed makes a zip archive.
func packed(t testing.TB, files ...file) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		to, err := w.Create(f.name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(to, f.body)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestStorage(t *testing.T) {
	now := clockAt(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	s := serve(t, Options{Now: func() time.Time { return now.add(0) }})
	var many []wire.StoredFile
	s.upload("a/b", file{"one.txt", "1"}, file{"sub/zwei.json", "{}"}, file{"empty", ""}).want(t, 201, &many)
	if len(many) != 3 || many[0].Path != "a/b/one.txt" || many[1].Name != "zwei.json" ||
		many[1].Path != "a/b/sub/zwei.json" || many[1].Mime != "application/json" || many[2].Size != 0 ||
		many[2].Mime != "application/octet-stream" || many[0].CreatedAt != "2026-03-01T12:00:00Z" {
		t.Errorf("%+v", many)
	}
	var one wire.StoredFile
	s.call("PUT", wire.Prefix+wire.PathStorageFile+"x%20y/%C3%BC.bin", "application/x-thing",
		strings.NewReader("\x00\xff")).want(t, 201, &one)
	if one.Path != "x y/ü.bin" || one.Size != 2 {
		t.Errorf("%+v", one)
	}
	contentType, body := multipartOf(t, file{"ignored.name", "first"})
	s.call("PUT", wire.Prefix+wire.PathStorageFile+"a/b/one.txt", contentType, bytes.NewReader(body)).want(t, 201, &one)
	if one.Path != "a/b/one.txt" || one.Size != 5 {
		t.Errorf("%+v", one)
	}
	for path, want := range map[string]string{"a/b/one.txt": "first", "/a//b/one.txt/": "first", "a/b/empty": "",
		"x%20y/%C3%BC.bin": "\x00\xff", "a%2Fb%2Fone.txt": "first"} {
		if a := s.stored(path); a.status != 200 || string(a.body) != want {
			t.Errorf("%s: %d %q", path, a.status, a.body)
		}
	}
	if h := s.stored("a/b/one.txt").header; !strings.HasPrefix(h.Get("Content-Type"), "text/plain") ||
		h.Get("Content-Length") != "5" ||
		!strings.Contains(h.Get("Content-Disposition"), `filename="one.txt"; filename*=UTF-8''one.txt`) ||
		h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%v", h)
	}
	now.add(time.Hour)
	s.stored("a/b/one.txt")
	s.get(wire.PathStorageFileInfo+"a/b/one.txt").want(t, 200, &one)
	if one.Size != 5 || one.CreatedAt != "2026-03-01T12:00:00Z" || one.LastAccessTime != "2026-03-01T13:00:00Z" {
		t.Errorf("%+v", one)
	}
	for _, a := range []reply{s.stored("a/b"), s.get(wire.PathStorageFileInfo + "a/b/two.txt"),
		s.call("DELETE", wire.Prefix+wire.PathStorageFile+"nothing", "", nil)} {
		check(t, a, 404, "")
	}
	s.call("DELETE", wire.Prefix+wire.PathStorageFile+"a/b/one.txt", "", nil).want(t, 204, nil)
	check(t, s.stored("a/b/one.txt"), 404, "")
	if got := s.listed(""); !slices.Equal(got, []string{"a/b/empty", "a/b/sub/zwei.json", "x y/ü.bin"}) {
		t.Error(got)
	}
	if n := s.blobs(); n != 3 {
		t.Errorf("%d files on the disk, want 3", n)
	}
}

func TestStorageLists(t *testing.T) {
	s := serve(t, Options{})
	s.s.store.SetDurable(false)
	var files []file
	var want []string
	for i := range 2*boundBatch + 1 {
		files = append(files, file{fmt.Sprintf("f%03d", i), "x"})
		want = append(want, fmt.Sprintf("docs/f%03d", i))
	}
	s.upload("docs", files...).want(t, 201, nil)
	s.upload("docs2", file{"x", "x"}).want(t, 201, nil)
	if got := s.listed("docs/"); !slices.Equal(got, want) {
		t.Errorf("%d files: %v", len(got), got)
	}
	if got := s.listed("docs"); len(got) != len(want)+1 {
		t.Errorf("%d files begin with docs", len(got))
	}
	if got := s.listed("docs/f19"); len(got) != 10 {
		t.Errorf("%v", got)
	}
	if got := s.listed("none"); got != nil {
		t.Errorf("%v", got)
	}
	check(t, s.get(wire.PathStorageFileList+"docs"+query("batchKey", "other")), 400, "batchKey")
	check(t, s.get(wire.PathStorageFileList+"docs?batchKey="), 400, "batchKey")
}

func TestUnzip(t *testing.T) {
	s := serve(t, Options{})
	archive := packed(t, file{"a.txt", "A"}, file{"folder/", ""}, file{"folder/b.txt", "B"},
		file{"inner.zip", packed(t, file{"c.txt", "C"})})
	book := packed(t, file{"xl/workbook.xml", "<x/>"})
	var out []wire.StoredFile
	s.upload("in?unzip=true", file{"files.ZIP", archive}, file{"plain.txt", "P"}, file{"book.xlsx", book}).want(t, 201,
		&out)
	var paths []string
	for _, f := range out {
		paths = append(paths, f.Path)
	}
	if want := []string{"in/a.txt", "in/folder/b.txt", "in/inner.zip", "in/plain.txt",
		"in/book.xlsx"}; !slices.Equal(paths, want) {
		t.Errorf("%v", paths)
	}
	if got := string(s.stored("in/folder/b.txt").body); got != "B" {
		t.Errorf("%q", got)
	}
	s.upload("as-is", file{"files.zip", archive}).want(t, 201, &out)
	if len(out) != 1 || string(s.stored("as-is/files.zip").body) != archive {
		t.Errorf("%+v", out)
	}
	if n := s.blobs(); n != 6 {
		t.Errorf("%d files on the disk, want 6", n)
	}
}

// liar is an archive whose one entry says that it has size bytes, while it holds body.
func liar(t *testing.T, size uint64, body string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	to, err := w.CreateRaw(&zip.FileHeader{Name: "x", Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(body)),
		CompressedSize64: uint64(len(body)), UncompressedSize64: size})
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(to, body)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func special(t *testing.T, change func(*zip.FileHeader)) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: "x", Method: zip.Store}
	change(h)
	to, err := w.CreateHeader(h)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(to, "/etc/passwd")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever is wrong with one file of a call, nothing of the call is stored, and nothing lies about on the disk.
func TestStorageRefusals(t *testing.T) {
	if testing.Short() {
		t.Skip("one caller after the other sends much")
	}
	s := serve(t, Options{})
	s.upload("", file{"kept.txt", "as it was"}).want(t, 201, nil)
	good := file{"kept.txt", "changed"}
	many := make([]file, boundParts+1)
	for i := range many {
		many[i].name = fmt.Sprint(i)
	}
	bomb := packed(t, file{"zeros", strings.Repeat("\x00", boundContents+1)})
	for name, c := range map[string]struct {
		bad   file
		field string
	}{
		"climbs":                    {file{"../kept.txt", "x"}, "file"},
		"climbs inside":             {file{"a/../../kept.txt", "x"}, "file"},
		"absolute":                  {file{"/etc/x", "x"}, "file"},
		"of a drive":                {file{`C:x`, "x"}, "file"},
		"with backslashes":          {file{`a\x`, "x"}, "file"},
		"a control character":       {file{"a\x01", "x"}, "file"},
		"a folder":                  {file{"a/", "x"}, "file"},
		"the same name again":       {file{"kept.txt", "x"}, "path"},
		"a long name":               {file{strings.Repeat("n", boundPath+1), "x"}, "path"},
		"no archive":                {file{"a.zip", "PK\x03\x04 or not"}, "file"},
		"an entry that climbs":      {file{"a.zip", packed(t, file{"ok", "x"}, file{"../x", "x"})}, "file"},
		"an absolute entry":         {file{"a.zip", packed(t, file{"/x", "x"})}, "file"},
		"an entry with backslashes": {file{"a.zip", packed(t, file{`..\x`, "x"})}, "file"},
		"an entry of a drive":       {file{"a.zip", packed(t, file{`c:/x`, "x"})}, "file"},
		"an entry twice":            {file{"a.zip", packed(t, file{"x", "1"}, file{"x", "2"})}, "path"},
		"an entry that is not UTF-8": {file{"a.zip", special(t, func(h *zip.FileHeader) {
			h.Name, h.NonUTF8 = "\xff",
				true
		})}, "path"},
		"a link": {file{"a.zip", special(t, func(h *zip.FileHeader) {
			h.SetMode(fs.ModeSymlink | 0o777)
		})}, "file"},
		"an encrypted entry":           {file{"a.zip", special(t, func(h *zip.FileHeader) { h.Flags |= 1 })}, "file"},
		"a bomb":                       {file{"a.zip", bomb}, "file"},
		"a bomb of petabytes":          {file{"a.zip", liar(t, 1<<50, "boom")}, "file"},
		"an entry larger than it says": {file{"a.zip", liar(t, 3, "four")}, "file"},
		"an entry smaller":             {file{"a.zip", liar(t, 5, "four")}, "file"},
		"too many entries":             {file{"a.zip", packed(t, many...)}, "file"},
	} {
		a := s.upload("?unzip=true", good, c.bad)
		if a.status != 400 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
			continue
		}
		if p := a.problem(t); len(p.Errors[c.field]) != 1 {
			t.Errorf("%s: the problem does not name %q: %s", name, c.field, a.body)
		}
		if n := s.blobs(); n != 1 || string(s.stored("kept.txt").body) != "as it was" {
			t.Fatalf("%s left something behind: %d files", name, n)
		}
	}
	contentType, body := multipartOf(t, good, file{"other", "x"})
	check(t, s.call("PUT", wire.Prefix+wire.PathStorageFile+"x", contentType, bytes.NewReader(body)), 400, "file")
	check(t, s.call("PUT", wire.Prefix+wire.PathStorageFiles, contentType, bytes.NewReader(body[:len(body)-20])), 400,
		"")
	empty, nothing := multipartOf(t)
	check(t, s.call("PUT", wire.Prefix+wire.PathStorageFile+"x", empty, bytes.NewReader(nothing)), 400, "file")
	check(t, s.call("PUT", wire.Prefix+wire.PathStorageFiles, empty, bytes.NewReader(nothing)), 400, "file")
	check(t, s.call("PUT", wire.Prefix+wire.PathStorageFiles, "text/plain", strings.NewReader("x")), 400, "file")
	check(t, s.upload("?unzip=maybe", good), 400, "unzip")
	check(t, s.upload("a%5Cb", good), 400, "path")
	check(t, s.call("PUT", wire.Prefix+wire.PathStorageFile, "", strings.NewReader("x")), 400, "path")
	for _, path := range []string{"../../etc/x", "a/%2e%2e/kept.txt", "%2E%2E%2F%2E%2E", ".."} {
		check(t, s.call("PUT", wire.Prefix+wire.PathStorageFile+path, "", strings.NewReader("x")), 400, "")
		check(t, s.call("GET", wire.Prefix+wire.PathStorageFile+path, "", nil), 400, "")
	}
	check(t, s.call("PUT", wire.Prefix+wire.PathStorageFile+"a%00b", "", strings.NewReader("x")), 400, "path")
	check(t, s.call("PUT", wire.Prefix+wire.PathStorageFile+"%ff", "", strings.NewReader("x")), 400, "path")
	if got := s.listed(""); !slices.Equal(got, []string{"kept.txt"}) || s.blobs() != 1 {
		t.Errorf("%v, %d files on the disk", got, s.blobs())
	}
}

// An upload that is cut off in the middle leaves nothing, also when the length was said.
func TestCutUpload(t *testing.T) {
	s := serve(t, Options{})
	for _, body := range []io.Reader{io.LimitReader(zeros{}, 1<<20),
		io.MultiReader(io.LimitReader(zeros{}, 1<<20), broken{})} {
		r, err := http.NewRequest("PUT", s.url+wire.Prefix+wire.PathStorageFile+"x", body)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = 2 << 20
		r.SetBasicAuth(s.account, s.key)
		if a, err := http.DefaultTransport.RoundTrip(r); err == nil {
			a.Body.Close()
			if a.StatusCode == 201 {
				t.Error("half a file was taken")
			}
		}
	}
	s.upload("", file{"y", "y"}).want(t, 201, nil)
	if got := s.listed(""); !slices.Equal(got, []string{"y"}) {
		t.Errorf("%v", got)
	}
}

// Files outlive the process; what a crash left between bytes and record is swept.
func TestStorageSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{AccountID: testAccount})
	if err != nil {
		t.Fatal(err)
	}
	(&quick{s, ""}).send(t, "PUT", wire.PathStorageFile+"a/b", "", "bytes").want(t, 201, nil)
	for _, name := range []string{"stranger", "half.part"} {
		if err := os.WriteFile(filepath.Join(dir, "files", name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := Open(dir, Options{AccountID: "another"})
	if err != nil {
		t.Fatal(err)
	}
	check(t, (&quick{other, ""}).send(t, "GET", wire.PathStorageFile+"a/b", "", ""), 404, "")
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	again := serveIn(t, dir, Options{})
	if a := again.stored("a/b"); string(a.body) != "bytes" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if n := again.blobs(); n != 1 {
		t.Errorf("%d files on the disk", n)
	}
}

// zeros is an endless stream.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// broken is a stream that breaks.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
