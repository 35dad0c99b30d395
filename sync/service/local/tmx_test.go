package local

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// TMX files of older and of desktop programs are in UTF-16, in Latin-1 or in a character set of Windows.
func TestTMXCharsets(t *testing.T) {
	s := serve(t, Options{})
	tmx := func(declared string) string {
		return `<?xml version="1.0"` + declared + `?><tmx version="1.4"><header srclang="en"/><body>` +
			`<tu><tuv xml:lang="en"><seg>Door</seg></tuv><tuv xml:lang="de"><seg>Tür</seg></tuv></tu></body></tmx>`
	}
	for name, c := range map[string]struct {
		declared string
		in       encoding.Encoding
	}{
		"UTF-8":                      {"", encoding.Nop},
		"UTF-8 with a mark":          {` encoding="utf-8"`, unicode.UTF8BOM},
		"UTF-16 LE with a mark":      {` encoding="UTF-16"`, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
		"UTF-16 BE with a mark":      {` encoding="utf-16"`, unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
		"UTF-16 LE without a mark":   {` encoding="UTF-16LE"`, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		"UTF-16 BE without a mark":   {"", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		"Latin-1":                    {` encoding="ISO-8859-1"`, charmap.ISO8859_1},
		"Latin-1 by its other name":  {` encoding="latin1"`, charmap.ISO8859_1},
		"Windows":                    {` encoding="windows-1252"`, charmap.Windows1252},
		"Windows by its other name":  {` encoding="CP1252"`, charmap.Windows1252},
		"UTF-8 that says it is more": {` encoding="utf-16"`, encoding.Nop},
	} {
		t.Run(name, func(t *testing.T) {
			body, err := c.in.NewEncoder().String(tmx(c.declared))
			if err != nil {
				t.Fatal(err)
			}
			id := s.memory(name, "en", "de")
			s.sendParts("POST", "/v1/translationmemory/"+id, "", "", file{"a.tmx", body}).want(t, 204, nil)
			if got := string(s.get("/v1/translationmemory/" + id + "/file").body); !strings.Contains(got,
				"<seg>Tür</seg>") {
				t.Errorf("%s", got)
			}
		})
	}
	id := s.memory("other", "en", "de")
	check(t, s.sendParts("POST", "/v1/translationmemory/"+id, "", "", file{"a.tmx", tmx(` encoding="x-klingon"`)}), 400,
		wire.PartMemoryFile)
	left, _ := filepath.Glob(filepath.Join(s.dir, "temporary-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func houseText(i int) string {
	return fmt.Sprintf("The %x door of house %d opens on day %d", i*i%9973, i, i%365)
}

// largeTMX is a file of so many bytes, as it is written.
func largeTMX(size int) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := io.WriteString(w, `<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>`+"\n")
		for i, n := 0, 0; n < size && err == nil; i++ {
			unit := fmt.Sprintf(`<tu><tuv xml:lang="en"><seg>%s</seg></tuv><tuv xml:lang="de"><seg>Die %xe Tür von Haus %d `+
				`öffnet sich am Tag %d</seg></tuv></tu>`+"\n", houseText(i), i*i%9973, i, i%365)
			n += len(unit)
			_, err = io.WriteString(w, unit)
		}
		if err == nil {
			_, err = io.WriteString(w, "</body></tmx>")
		}
		w.CloseWithError(err)
	}()
	return r
}

// importLarge brings a large TMX file into a memory, and tells how much memory the heap took at most.
func importLarge(t testing.TB, s *server, id string, size int) (most uint64) {
	t.Helper()
	r, w := io.Pipe()
	go func() {
		_, err := io.WriteString(w,
			"--x\r\nContent-Disposition: form-data; name=\"tmxFile\"; filename=\"a.tmx\"\r\n\r\n")
		if err == nil {
			_, err = io.Copy(w, largeTMX(size))
		}
		if err == nil {
			_, err = io.WriteString(w, "\r\n--x--\r\n")
		}
		w.CloseWithError(err)
	}()
	ended := make(chan reply, 1)
	go func() {
		ended <- s.call("POST", wire.Prefix+"/v1/translationmemory/"+id, "multipart/form-data; boundary=x", r)
	}()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		select {
		case a := <-ended:
			tick.Stop()
			a.want(t, 204, nil)
			return most
		case <-tick.C:
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse+m.StackInuse)
		}
	}
}

// A translation memory streams in and out: the heap does not grow with the file, and others write meanwhile.
func TestLargeMemory(t *testing.T) {
	gittest.Long(t)
	s := serve(t, Options{})
	id := s.memory("tm", "en", "de")
	stop, slowest := make(chan struct{}), make(chan time.Duration)
	go func() {
		var worst time.Duration
		for {
			select {
			case <-stop:
				slowest <- worst
				return
			default:
			}
			began := time.Now()
			other := s.memory("another", "en", "fr")
			worst = max(worst, time.Since(began))
			s.call("DELETE", wire.Prefix+"/v1/translationmemory/"+other, "", nil)
			time.Sleep(20 * time.Millisecond)
		}
	}()
	most := importLarge(t, s, id, 12<<20)
	close(stop)
	if worst := <-slowest; worst > 5*time.Second {
		t.Errorf("another write waited %v", worst)
	}
	if most > 90<<20 {
		t.Errorf("the heap took %d MB", most>>20)
	}
	out := s.get("/v1/translationmemory/" + id + "/file").body
	if n := bytes.Count(out, []byte("<tu>")); float64(n) != s.units(id) || n < 50_000 {
		t.Errorf("%d units of %v came out", n, s.units(id))
	}
	// The index has more than one run.
	if err := s.s.store.View(func(tx *store.Tx) error {
		m, err := store.OpenMemory(tx, id)
		if err != nil {
			return err
		}
		for _, i := range []int{0, 40_000, 50_000} {
			found := 0
			err := m.EachExact(houseText(i), func([]byte, *store.MemoryUnit) { found++ })
			if err != nil || found != 1 {
				t.Errorf("%d units have %q: %v", found, houseText(i), err)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// What a killed process left of a file that it was given is removed at the next start.
func TestTemporaryFilesGo(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "temporary-1")
	if err := os.WriteFile(left, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	serveIn(t, dir, Options{})
	if _, err := os.Stat(left); err == nil {
		t.Error("it is still there")
	}
}

// BenchmarkTMX brings files in, of so many bytes in all.
func BenchmarkTMX(b *testing.B) {
	s := serve(b, Options{})
	for b.Loop() {
		importLarge(b, s, s.memory("tm", "en", "de"), 8<<20)
	}
	b.SetBytes(8 << 20)
}
