package bound

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"path"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
)

// However it is read, what fits is read whole and what does not is refused.
func FuzzRead(f *testing.F) {
	f.Add([]byte("12345"), 4)
	f.Add([]byte("12345"), 5)
	f.Add([]byte{}, 0)
	f.Fuzz(func(t *testing.T, content []byte, most int) {
		if most < 0 || most > 1<<20 {
			return
		}
		tree := fstest.MapFS{"f": {Data: content}}
		var packed bytes.Buffer
		gz := gzip.NewWriter(&packed)
		_, _ = gz.Write(content) // a buffer takes everything
		_ = gz.Close()
		for name, read := range map[string]func() ([]byte, error){
			"at once": func() ([]byte, error) { return Read(bytes.NewReader(content), int64(most)) },
			"by byte": func() ([]byte, error) {
				return Read(iotest.OneByteReader(bytes.NewReader(content)), int64(most))
			},
			"packed": func() ([]byte, error) { return Read(Gzip(&packed), int64(most)) },
			"a file": func() ([]byte, error) { return ReadFS(tree, "f", int64(most)) },
		} {
			got, err := read()
			if fits := len(content) <= most; fits && (err != nil || !bytes.Equal(got, content)) ||
				!fits && (!Is(err) || got != nil) {
				t.Fatalf("%s: %d bytes of %d, most %d: %v", name, len(got), len(content), most, err)
			}
		}
		if _, err := Read(io.MultiReader(bytes.NewReader(content), Fails(io.ErrUnexpectedEOF)),
			int64(most)); err == nil {
			t.Fatal("an error of reading is passed over")
		}
	})
}

// A document that is within a budget takes no more when it is decoded.
func FuzzWeigh(f *testing.F) {
	f.Add(`[` + strings.Repeat(`{},`, 2000) + `{}]`)
	f.Add(`{"a":[1,2,{"b":"c"}]}`)
	f.Add(strings.Repeat(`[`, 90) + strings.Repeat(`]`, 90))
	f.Fuzz(func(t *testing.T, src string) {
		const budget = 1 << 20
		if err := (JSON{Memory: budget}).Weigh([]byte(src)); err != nil {
			if !Is(err) {
				t.Fatal(err)
			}
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var v struct{ Documents []struct{ A, B, C string } }
		_ = json.Unmarshal([]byte(src), &v) // it need not be valid
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 10*budget {
			t.Fatalf("%d bytes for %d", took, len(src))
		}
	})
}

// A name that is safe is a plain path, which stays in the folder that it is put in.
func FuzzUnsafeName(f *testing.F) {
	for _, name := range []string{"a/b.json", "../x", "/x", "a/./b", ".git/config", ".GIT ./x", "C:x", `a\b`,
		"a\x00b", "\xff", "a//b", "..."} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if UnsafeName(name) != "" {
			return
		}
		if clean := path.Clean(name); clean != name || !strings.HasPrefix(path.Join("/folder", name), "/folder/") {
			t.Fatalf("%q is safe, and leads to %q", name, path.Join("/folder", name))
		}
		if strings.ContainsAny(name, "\x00\n\\") || strings.Contains("/"+strings.ToLower(name)+"/", "/.git/") {
			t.Fatalf("%q is safe", name)
		}
	})
}
